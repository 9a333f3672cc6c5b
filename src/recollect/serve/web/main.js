// What is shown, and which keys do what? Views are modules that are loaded when they are first looked at.

import { get, signIn, signedIn } from "./api.js";
import { ask, broken, h, loading, show } from "./dom.js";
import { listen, liveState, onChange } from "./live.js";
import { refreshStatus, remember, remembered, state, undoLast } from "./store.js";

const VIEWS = ["recall", "inbox", "given", "timeline", "graph", "spaces", "health"];
const TITLES = { recall: "Recall", record: "Record", inbox: "Inbox", given: "What agents get", timeline: "Timeline", graph: "Graph", spaces: "Spaces", health: "Health" };
const main = document.getElementById("main");
const rail = document.getElementById("rail");
const picker = document.getElementById("space");
let current = { name: "", close: null, keys: [] };
let turn = 0;

// Where we are

export function parseHash() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/");
  return { name: TITLES[name] ? name : "recall", rest: rest.map(decodeURIComponent), query: new URLSearchParams(query ?? "") };
}

async function route() {
  const where = parseHash();
  const mine = ++turn;
  rail.removeAttribute("data-open");
  document.getElementById("menu").setAttribute("aria-expanded", "false");
  for (const link of rail.querySelectorAll("[data-view]")) {
    if (link.dataset.view === where.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${TITLES[where.name]} · Recollect`;
  current.close?.();
  const changed = current.name !== where.name;
  current = { name: where.name, close: null, keys: [] };
  const slow = setTimeout(() => mine === turn && show(main, loading("One moment…")), 150);
  try {
    const view = await import(`./views/${where.name}.js`);
    if (mine !== turn) return;
    const page = h("div", { class: view.WIDE ? "wide" : "column" });
    const made = await view.open(page, where);
    if (mine !== turn) return made?.close?.();
    current = { name: where.name, close: made?.close ?? null, keys: made?.keys ?? [], refresh: made?.refresh };
    clearTimeout(slow);
    show(main, page);
    if (changed) scrollTo(0, 0);
    made?.shown?.();
    if (changed && !main.contains(document.activeElement)) main.focus({ preventScroll: true });
  } catch (error) {
    if (mine === turn && error.status !== 401) show(main, h("div", { class: "column" }, broken(error, route)));
  } finally {
    clearTimeout(slow);
  }
}

// Keys

const GLOBAL = [
  ...VIEWS.map((name, at) => [String(at + 1), TITLES[name], () => (location.hash = `#/${name}`)]),
  ["/", "Search", () => (current.name === "recall" ? document.getElementById("q")?.focus() : (location.hash = "#/recall?focus=1"))],
  ["u", "Undo what was just done", undoLast],
  ["t", "Light, dark, or as the system has it", turnTheme],
  ["?", "This list", tellKeys],
];

const typing = (target) => target.closest("input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable]");

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === "Escape" && typing(event.target)) return event.target.blur();
  if (typing(event.target) || document.querySelector("dialog[open]")) return;
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
  const words = { live: "Live", lost: "Server away; trying again", connecting: "Connecting" };
  const where = document.getElementById("live");
  where.dataset.state = liveState();
  document.getElementById("live-words").textContent = words[liveState()];
}

function paintSpaces() {
  show(picker, h("option", { value: "" }, "All spaces"), state.spaces.map((one) => h("option", { value: one.name }, one.name)));
  picker.value = state.space;
}

const RECOUNT = 20_000; // milliseconds between two counts, whatever others write meanwhile
let counting = 0, counted = 0;

/** How much waits, at the view's name. Counting takes a store its time: soon after what was done here, else now and then. */
function countInbox(soon = true) {
  clearTimeout(counting);
  counting = setTimeout(countNow, soon ? 300 : Math.max(800, counted + RECOUNT - Date.now()));
}

async function countNow() {
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

function askToken() {
  current.close?.();
  current = { name: "sign-in", close: null, keys: [] };
  turn++;
  const field = h("input", { id: "token", type: "password", autocomplete: "current-password", required: true });
  const keep = h("input", { type: "checkbox", id: "keep" });
  const enter = async (event) => {
    event.preventDefault();
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

async function begin() {
  try {
    await refreshStatus();
  } catch (error) {
    if (error.status !== 401) {
      show(main, h("div", { class: "column" }, broken(error, begin)));
      setTimeout(() => current.name === "" && begin(), 1500);
    }
    return;
  }
  listen();
  await route();
  countInbox();
}

addEventListener("hashchange", route);
addEventListener("recollect-signin", askToken);
addEventListener("recollect-status", paintSpaces);
addEventListener("recollect-live", ({ detail }) => {
  paintLive();
  if (detail.state === "live" && detail.before === "lost") (current.refresh ?? route)();
});
addEventListener("recollect-changed", () => {
  (current.refresh ?? route)();
  countInbox();
});
onChange(() => countInbox(false));
picker.addEventListener("change", () => {
  state.space = picker.value;
  remember("space", picker.value);
  (current.name === "record" ? () => (location.hash = "#/recall") : route)();
  countInbox();
});
document.getElementById("theme").addEventListener("click", turnTheme);
document.getElementById("keys").addEventListener("click", tellKeys);
document.getElementById("menu").addEventListener("click", ({ currentTarget }) => {
  const open = rail.toggleAttribute("data-open");
  currentTarget.setAttribute("aria-expanded", String(open));
});
paintTheme(remembered("theme") ?? "system");
begin();
