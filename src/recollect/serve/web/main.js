// What is shown, and which keys do what? Views are modules that are loaded when they are first looked at.

import { get, Lost, part, quiet, signIn, signedIn } from "./api.js";
import { ask, broken, empty, h, loading, show } from "./dom.js";
import { drafts, dropDrafts } from "./drafts.js";
import { listen, liveState, onChange, silence } from "./live.js";
import { addressOf, refreshStatus, remember, remembered, state, takeSpace, undoLast } from "./store.js";

const VIEWS = ["recall", "inbox", "given", "timeline", "graph", "spaces", "health"];
const TITLES = { recall: "Recall", record: "Record", inbox: "Inbox", given: "What agents get", timeline: "Timeline", graph: "Graph", spaces: "Spaces", health: "Health" };
const main = document.getElementById("main");
const rail = document.getElementById("rail");
const picker = document.getElementById("space");
const missed = new Map(); // how often the module of a view could not be had
const places = new Map(); // how far down each page of this history was, and which link was last used on it
history.scrollRestoration = "manual"; // by us, when what was there is there again
let current = { name: "", close: null, keys: [] };
let turn = 0;

// Where we are

export function parseHash() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/");
  const parts = rest.map(decoded);
  return { name: parts.includes(null) ? "?" : name || "recall", rest: parts, query: new URLSearchParams(query ?? "") };
}

/** A part of an address as it was meant; null where it was cut in the middle of a letter. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Notes where the page that is left was, and answers with where the one that is opened was, if one comes back to it. */
function turnPage() {
  const link = main.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  if (current.at) places.set(current.at, { y: scrollY, link });
  const at = history.state?.at ?? crypto.randomUUID?.() ?? String(Math.random());
  if (!history.state?.at) history.replaceState({ at }, "");
  const back = at === current.at ? null : places.get(at);
  return { at, back };
}

async function route() {
  const where = parseHash();
  const mine = ++turn;
  const { at, back } = turnPage();
  await takeSpace(where);
  if (mine !== turn) return;
  rail.removeAttribute("data-open");
  document.getElementById("menu").setAttribute("aria-expanded", "false");
  for (const link of rail.querySelectorAll("[data-view]")) {
    if (link.dataset.view === where.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${Object.hasOwn(TITLES, where.name) ? TITLES[where.name] : "Not here"} · Recollect`;
  current.close?.();
  const changed = current.at !== at;
  const keys = changed ? [] : current.keys; // what is made anew is shown as it was until then, and hears its keys
  current = { name: where.name, at, close: null, keys };
  if (!Object.hasOwn(TITLES, where.name)) return show(main, whole("Not here", empty("There is no such page", "This address leads nowhere; it may be cut short. The views are listed at the side.", h("a", { href: addressOf("recall") }, "To Recall"))));
  const slow = setTimeout(() => mine === turn && show(main, loading("One moment…")), 150);
  try {
    const view = await module(where.name);
    if (mine !== turn) return;
    const page = h("div", { class: view.WIDE ? "wide" : "column" });
    const made = await view.open(page, where);
    if (mine !== turn) return made?.close?.();
    current = { name: where.name, at, close: made?.close ?? null, keys: made?.keys ?? [], refresh: made?.refresh };
    clearTimeout(slow);
    main.replaceChildren(page);
    if (changed) scrollTo(0, 0);
    made?.shown?.(Boolean(back));
    if (back) await comeBack(made, back);
    if (changed && !main.contains(document.activeElement)) main.focus({ preventScroll: true });
  } catch (error) {
    if (mine === turn && error.status !== 401) show(main, whole(TITLES[where.name], broken(error, route)));
  } finally {
    clearTimeout(slow);
  }
}

/** The module of a view. One that a browser could not get it never asks for again by the same address. */
async function module(name) {
  const tried = missed.get(name) ?? 0;
  try {
    return await import(`./views/${name}.js${tried ? `?${tried}` : ""}`);
  } catch {
    missed.set(name, tried + 1);
    throw new Lost();
  }
}

/** Where one was before, as soon as what was there is there again. */
async function comeBack(made, { y, link }) {
  const mine = turn;
  await made?.ready;
  await made?.reach?.(y);
  if (mine !== turn || scrollY > 0) return;
  if (link) main.querySelector(`a[href="${CSS.escape(link)}"]`)?.focus({ preventScroll: true });
  scrollTo(0, y);
}

const whole = (title, ...what) => h("div", { class: "column" }, h("h1", { class: "said" }, title), what);

// Keys

const GLOBAL = [
  ...VIEWS.map((name, at) => [String(at + 1), TITLES[name], () => (location.hash = addressOf(name))]),
  ["/", "Search", () => (current.name === "recall" ? document.getElementById("q")?.focus() : (location.hash = addressOf("recall", { focus: 1 })))],
  ["u", "Undo what was just done", undoLast],
  ["t", "Light, dark, or as the system has it", turnTheme],
  ["?", "This list", tellKeys],
];

const typing = (target) => target.closest("input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable]");

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === "Escape" && typing(event.target)) return (event.preventDefault(), event.target.blur()); // what was typed stays: a browser would empty a search
  if (typing(event.target) || document.querySelector("dialog[open]")) return;
  if (event.target.matches("input[type=range]") && event.key.startsWith("Arrow")) return; // it moves the slider
  const found = [...current.keys, ...GLOBAL].find(([key]) => key === event.key || key.split(" ").includes(event.key));
  if (!found || (event.key === "Enter" && event.target.closest("a, button, summary"))) return;
  event.preventDefault();
  found[2](event);
});

function tellKeys() {
  const row = ([key, words]) => [h("dt", {}, key.split(" ").map((one) => h("kbd", {}, { Enter: "↵", ArrowDown: "↓", ArrowUp: "↑" }[one] ?? one))), h("dd", {}, words)];
  ask("Keys", (close) =>
    h("div", { class: "column" },
      current.keys.length > 0 && [h("h2", {}, `Keys in ${TITLES[current.name]}`), h("dl", { class: "keys-list" }, current.keys.map(row))],
      h("h2", {}, "Keys everywhere"), h("dl", { class: "keys-list" }, GLOBAL.map(row), row(["Escape", "Leave a field or a dialog"])),
      h("div", { class: "actions" }, h("button", { onclick: close }, "Close"))));
}

// The rail

const THEMES = ["system", "light", "dark"];

function turnTheme() {
  const now = document.documentElement.dataset.theme ?? "system";
  paintTheme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
}

function paintTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  remember("theme", theme);
  document.getElementById("theme").textContent = `Theme: ${theme}`;
  dispatchEvent(new Event("recollect-theme"));
}

function paintLive() {
  const words = { live: "Live", lost: "Server away; trying again", connecting: "Connecting", out: "Signed out" };
  const where = document.getElementById("live");
  where.dataset.state = liveState();
  document.getElementById("live-words").textContent = words[liveState()];
}

function paintSpaces() {
  show(picker, h("option", { value: "" }, "All spaces"), state.spaces.map((one) => h("option", { value: one.name }, one.name)));
  paintChosen();
}

/** The space that is chosen, in its field and in all that leads to a view. */
function paintChosen() {
  picker.value = state.space;
  for (const link of rail.querySelectorAll("[data-view]")) link.setAttribute("href", addressOf(link.dataset.view));
}

/** The same view of another space. */
function changeSpace() {
  state.space = picker.value;
  remember("space", state.space);
  paintChosen();
  countInbox();
  const { name, query } = parseHash();
  if (name === "record") return (location.hash = addressOf("recall"));
  if (name === "spaces") return (location.hash = `#/spaces${state.space ? `/${encodeURIComponent(state.space)}` : ""}`);
  const kept = [...query].filter(([one]) => !["space", "entity", "fact"].includes(one));
  history.replaceState(history.state, "", addressOf(name, Object.fromEntries(kept)));
  route();
}

const RECOUNT = 20_000; // milliseconds between two counts, whatever others write meanwhile
let counting = 0, counted = 0;

/** How much waits, at the view's name. Counting takes a store its time: soon after what was done here, else now and then. */
function countInbox(soon = true) {
  clearTimeout(counting);
  counting = setTimeout(countNow, soon ? 300 : Math.max(800, counted + RECOUNT - Date.now()));
}

/** Whoever types or waits for an answer goes first. */
async function countNow() {
  if (current.name === "sign-in") return;
  if (!quiet()) return (counting = setTimeout(countNow, 500));
  const badge = document.getElementById("inbox-count");
  counted = Date.now();
  let total = 0;
  try {
    for (const space of state.space ? [state.space] : state.spaces.map((one) => one.name).slice(0, 12)) {
      const piles = await get("inbox", { space, piles: ["candidates", "contested", "duplicates", "stale", "evidence"], limit: 1 });
      total += piles.reduce((sum, pile) => sum + pile.count, 0);
    }
  } catch {
    total = 0; // what went wrong is told by whatever was asked for
  }
  badge.hidden = total === 0;
  badge.textContent = total > 99 ? "99+" : total;
  badge.setAttribute("aria-label", `${total} waiting`);
}

/** Asks for a token, once: whatever else is refused meanwhile leaves the field to whoever types into it. */
function askToken() {
  if (current.name === "sign-in" && !current.entering) return;
  current.close?.();
  current = { name: "sign-in", close: null, keys: [] };
  turn++;
  silence();
  const field = h("input", { id: "token", type: "password", autocomplete: "current-password", required: true });
  const keep = h("input", { type: "checkbox", id: "keep" });
  const enter = async (event) => {
    event.preventDefault();
    current.entering = true;
    signIn(field.value.trim(), keep.checked);
    await begin();
  };
  show(main, h("div", { class: "column" },
    h("div", { class: "head" }, h("h1", {}, "Sign in"), h("p", {}, "This memory wants a token. Whoever runs it makes one with ", h("code", {}, "recollect token create"), "; you will see what it allows, and nothing else.")),
    signedIn() && h("p", { class: "note", role: "alert" }, "That token is not known here, was revoked, or has expired."),
    h("form", { class: "sheet sign-in", onsubmit: enter },
      h("div", { class: "field" }, h("label", { for: "token" }, "Token"), field),
      h("label", { class: "check" }, keep, "Keep it on this device"),
      h("div", { class: "actions" }, h("button", { class: "primary" }, "Sign in")))));
  field.focus();
}

/** Whose token the page has, and what it allows; and a way to take it off this device. */
function paintToken() {
  const { me } = state.status;
  const may = { read: "may look", write: "may look and change", admin: "may do everything" }[me.scope] ?? me.scope;
  const out = () => {
    signIn(null, false);
    dropDrafts();
    location.reload(); // nothing of what was seen stays in the page
  };
  const where = document.getElementById("who");
  where.hidden = !signedIn();
  show(where, signedIn() && [h("span", {}, `Token ${me.name || "without a name"}: ${may}${me.spaces ? ` in ${me.spaces.join(", ")}` : ""}`), h("button", { type: "button", class: "quiet", id: "sign-out", onclick: out }, "Sign out")]);
}

/** What was begun to be written of a record that was forgotten while nobody listened is dropped. */
async function dropForgotten() {
  for (const one of drafts()) {
    const found = await get(`records/${part(one.id)}`, { space: one.space }).catch((error) => error);
    if (found.status === 404) dropDrafts((draft) => draft.id === one.id);
  }
}

async function begin() {
  const { name } = parseHash();
  const coming = Object.hasOwn(TITLES, name) && module(name).catch(() => null); // while the memory is asked; it is missed when it is opened
  try {
    await refreshStatus();
    await coming;
  } catch (error) {
    if (error.status !== 401) {
      show(main, whole("Recollect", broken(error, begin)));
      setTimeout(() => current.name === "" && begin(), 1500);
    }
    return;
  }
  listen();
  dropForgotten();
  await route();
  countInbox();
  for (const one of Object.keys(TITLES)) module(one).catch(() => null); // so that every view is there, also while the server is away
}

addEventListener("hashchange", route);
addEventListener("recollect-signin", askToken);
addEventListener("recollect-status", () => (paintSpaces(), paintToken()));
addEventListener("recollect-space", paintChosen);
addEventListener("recollect-live", ({ detail }) => {
  paintLive();
  if (detail.state === "live" && detail.before === "lost") (current.refresh ?? route)();
});
addEventListener("recollect-changed", () => {
  (current.refresh ?? route)();
  countInbox();
});
addEventListener("recollect-counted", () => countInbox());
onChange((changes) => {
  const gone = new Set(changes.filter((one) => ["forget", "rewrite"].includes(one.verb)).map((one) => one.object_id));
  dropDrafts((draft) => gone.has(draft.id));
  countInbox(false);
  if (changes.some((one) => !state.spaces.some((space) => space.name === one.space))) refreshStatus().catch(paintLive);
});
picker.addEventListener("change", changeSpace);
document.getElementById("theme").addEventListener("click", turnTheme);
document.getElementById("keys").addEventListener("click", tellKeys);
document.getElementById("menu").addEventListener("click", ({ currentTarget }) => {
  const open = rail.toggleAttribute("data-open");
  currentTarget.setAttribute("aria-expanded", String(open));
});
paintTheme(remembered("theme") ?? "system");
begin();
