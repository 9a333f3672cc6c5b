// What do all views share: which spaces there are, which one is meant, and what can be taken back?

import { get, post } from "./api.js";
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

/** Takes up the space that an address names, for this tab. */
export function takeSpace({ name, query }) {
  if (!OF_SPACES.includes(name) || !query.has("space")) return;
  const named = query.get("space");
  const there = !named || state.spaces.some((one) => one.name === named);
  if (!there) told(`There is no space “${named}” that you may see: this is of all spaces.`);
  state.space = there ? named : "";
  window.dispatchEvent(new Event("recollect-space"));
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

let lastUndo = null;

/** Says what was done, and offers to take it back. `undo` does that; null where nothing can. */
export function told(words, undo) {
  if (undo === null) lastUndo = null; // or else it would take back what was done before that
  const toast = h("div", { class: "toast" }, h("span", {}, worded(sentence(words))));
  const close = () => toast.remove();
  if (undo) {
    lastUndo = async () => {
      close();
      lastUndo = null;
      try {
        await undo();
        told("Taken back.");
        window.dispatchEvent(new Event("recollect-changed"));
      } catch (error) {
        told(error.message);
      }
    };
    put(toast, h("button", { onclick: lastUndo }, "Undo ", h("kbd", {}, "u")));
  }
  const list = document.getElementById("toasts");
  list.replaceChildren(toast);
  setTimeout(close, undo ? 12_000 : 5_000);
}

export function undoLast() {
  if (lastUndo) lastUndo();
  else told("Nothing was done here that could be taken back. Whatever was done before is in the timeline.");
}

export const undoEntries = (entries) => () => post("undo", { entries });
