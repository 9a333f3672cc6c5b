// What do all views share: which spaces there are, which one is meant, and what can be taken back?

import { get, Lost, post } from "./api.js";
import { h, put, sentence, worded } from "./dom.js";

export const state = { status: null, space: remembered("space") ?? "", spaces: [] };

export function remembered(name) {
  try {
    return localStorage.getItem(`recollect-${name}`);
  } catch {
    return null;
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(`recollect-${name}`, value);
  } catch {
    return;
  }
}

/** What the token may not do, in words; null where it may. What changes all of the memory is for whoever sees all of it. */
export function refused(what = "write") {
  const me = state.status?.me;
  if (!me || (me.scope === "admin" && !me.spaces)) return null;
  if (me.scope === "read") return "Your token may look, and change nothing.";
  return what === "steer" ? "This is changed by whoever may see all spaces, with the scope admin; your token may not." : null;
}

const OF_SPACES = ["recall", "inbox", "timeline"]; // views of the chosen space, or of all: their addresses always say which
const OF_ONE = ["given", "graph"]; // views of one space

/** The address of a view, with what is looked at in it and in which space: in a new tab too it shows the same. */
export function addressOf(view, asked = {}) {
  const kept = new URLSearchParams(OF_SPACES.includes(view) || (OF_ONE.includes(view) && state.space) ? { space: state.space } : {});
  for (const [name, value] of Object.entries(asked)) {
    if (value) kept.delete(name);
    for (const one of [value].flat()) if (one) kept.append(name, one);
  }
  return `#/${view}${kept.size ? `?${kept}` : ""}`;
}

/** Keeps in the address what is looked at, so that a reload or a shared link shows the same; unless another view was opened meanwhile. */
export function keepAddress(view, asked) {
  const [open] = location.hash.replace(/^#\/?/, "").split(/[/?]/);
  if ((open || "recall") === view.split("/")[0]) history.replaceState(history.state, "", addressOf(view, asked));
}

/** Leads from what was known at a moment to the same as it is known now. */
export const toNow = (view, { as_of: _, ...asked } = {}) => (location.hash = addressOf(view, asked));

/** Is this a space that the token sees? One that is not known yet may have been made just now. */
async function seen(name) {
  const known = () => state.spaces.some((one) => one.name === name);
  if (!known()) await refreshStatus().catch(() => null); // what went wrong is told by whatever is asked for next
  return known();
}

/** Takes up the space that an address names, for this tab. */
export async function takeSpace({ name, query }) {
  if (!OF_SPACES.includes(name) || !query.has("space")) return;
  const named = query.get("space");
  const there = !named || (await seen(named));
  if (!there) told(`There is no space “${named}” that you may see: this is of all spaces.`);
  state.space = there ? named : "";
  window.dispatchEvent(new Event("recollect-space"));
}

/** The space that an address of a view of one space means; where the token does not see it, another, and that is said. */
export async function spaceOf({ query }) {
  const named = query.get("space");
  if (!named || (await seen(named))) return named || oneSpace();
  told(`There is no space “${named}” that you may see: this is of ${oneSpace()}.`);
  return oneSpace();
}

/** The space that is meant, where a view needs one: the chosen one, or the one that holds most. */
export const oneSpace = () => state.space || Object.entries(state.status?.records ?? {}).sort((one, other) => other[1] - one[1])[0]?.[0] || "default";

export async function refreshStatus() {
  state.status = await get("status");
  state.spaces = state.status.spaces;
  if (state.space && !state.spaces.some((one) => one.name === state.space)) state.space = "";
  window.dispatchEvent(new Event("recollect-status"));
  return state.status;
}

// What can be taken back

const steps = []; // what was done on this visit, the last of it last: how it is taken back, or null where it cannot be
let turn = Promise.resolve();

/** Does one thing after the other, in the order of the keys: so what is taken back is what was done last. */
export const inTurn = (act) => (turn = turn.then(act, act));

/** Says what was done, and offers to take it back. `undo` does that; null where nothing can. */
export function told(words, undo) {
  if (undo !== undefined) steps.push(undo);
  const toast = h("div", { class: "toast" }, h("span", {}, worded(sentence(words))));
  if (undo) put(toast, h("button", { onclick: () => inTurn(() => takeBack(undo)) }, "Undo ", h("kbd", {}, "u")));
  document.getElementById("toasts").replaceChildren(toast);
  setTimeout(() => toast.remove(), undo ? 12_000 : 5_000);
}

async function takeBack(undo) {
  if (!steps.includes(undo)) return; // it was, meanwhile
  const at = steps.lastIndexOf(undo);
  steps.splice(at, 1);
  if (undo === null) return told("What was just done cannot be taken back. Press `u` again for what was done before it.");
  try {
    await undo();
    told("Taken back.");
    window.dispatchEvent(new Event("recollect-changed"));
  } catch (error) {
    const later = error.status === 409 && error.message.endsWith("undo the later change first");
    if (error instanceof Lost || later) steps.splice(at, 0, undo); // so that it can be tried again
    told(later ? "Somebody changed the same again since. Once that is taken back (the timeline has it), `u` takes back what you did." : error.message);
  }
}

/** Takes back what was done last; then what was done before that, and so on. */
export const undoLast = () =>
  inTurn(() => (steps.length ? takeBack(steps.at(-1)) : told("Nothing was done here that could be taken back. Whatever was done before is in the timeline.")));

export const undoEntries = (entries) => () => post("undo", { entries });
