// What waits for a word of yours? One key for each answer, and the next one at once.

import { get, post } from "../api.js";
import { empty, h, sentence, show, worded } from "../dom.js";
import { meta, pair, recordLink } from "../parts.js";
import { keepAddress, state, told, undoEntries } from "../store.js";
import { many } from "../words.js";

const PILES = {
  candidates: ["Proposed", "What agents propose to keep, until you say so."],
  contested: ["In doubt", "Facts that contradict each other."],
  duplicates: ["Alike", "Pairs that may say the same."],
  stale: ["Stale", "What nobody confirmed for a long time."],
  evidence: ["Moved evidence", "What rests on a source that says something else by now."],
  secrets: ["Secrets", "Keys and passwords that got in before they were recognised."],
};
const ANSWERS = {
  keep: ["k", "Keep", "Kept."], drop: ["d", "Drop", "Dropped; its history stays."], newer: ["n", "Keep the newer", "The newer one stands."], older: ["o", "Keep the older", "The older one stands."],
  both: ["b", "Both hold", "Both stand as they are."], doubt: ["c", "In doubt", "Marked as in doubt."], mask: ["m", "Mask it", "Masked in every version."], leave: ["l", "Leave it", "Left as it is."],
};

export async function open(page, where) {
  let piles = [], pile = where.query.get("pile"), at = 0, busy = false, looking = null;
  const spaces = () => (state.space ? [state.space] : state.spaces.map((one) => one.name));
  const searching = h("p", { class: "small muted", role: "status" });

  const ask = async (space, wanted, after) => (await get("inbox", { space, piles: wanted, after }, looking?.signal)).map((one) => ({ ...one, space, matters: one.matters.map((matter) => ({ ...matter, space })) }));

  async function load() {
    const quick = Object.keys(PILES).filter((name) => name !== "secrets");
    const found = (await Promise.all(spaces().map((space) => ask(space, quick)))).flat();
    const secrets = piles.find((one) => one.pile === "secrets") ?? { pile: "secrets", count: 0, unseen: 0, answers: [], matters: [] };
    piles = Object.keys(PILES).map((name) => {
      if (name === "secrets") return secrets;
      const same = found.filter((one) => one.pile === name);
      const sum = (field) => same.reduce((total, one) => total + one[field], 0);
      return { pile: name, count: sum("count"), unseen: sum("unseen"), answers: same[0]?.answers ?? [], matters: same.flatMap((one) => one.matters) };
    });
    if (!piles.some((one) => one.pile === pile && one.count)) pile = piles.find((one) => one.count)?.pile ?? pile ?? "candidates";
    at = Math.min(at, Math.max(chosen().matters.length - 1, 0));
  }

  const chosen = () => piles.find((one) => one.pile === pile);

  /** Secrets are looked for in every version, some thousands at a time: what is found appears as it is found. */
  async function lookForSecrets() {
    looking?.abort();
    looking = new AbortController();
    const { signal } = looking;
    const pile_ = piles.find((one) => one.pile === "secrets");
    Object.assign(pile_, { count: 0, matters: [] });
    try {
      for (const space of spaces()) {
        for (let after = 0; after !== null; ) {
          const [one] = await ask(space, ["secrets"], after);
          if (signal.aborted) return;
          if (!one) break;
          const found = one.matters.filter((matter) => !pile_.matters.some((known) => known.key === matter.key));
          pile_.answers = one.answers;
          pile_.matters.push(...found);
          pile_.count = pile_.matters.length;
          after = one.next ?? null;
          searching.textContent = after === null ? "" : `Still looking for secrets in ${space}: ${many(one.unseen, "version")} to go.`;
          if (found.length) (settleOn(), paint());
        }
      }
    } catch (error) {
      if (error.name !== "AbortError") searching.textContent = `The search for secrets broke off: ${error.message}`;
    }
  }

  /** Where nothing was open, what was found is opened. */
  function settleOn() {
    if (!piles.some((one) => one.pile === pile && one.count)) pile = piles.find((one) => one.count)?.pile ?? pile;
  }

  function paint() {
    const total = piles.reduce((sum, one) => sum + one.count, 0);
    const heading = h("div", { class: "head" }, h("h1", {}, "Inbox"), h("p", {}, total ? `${many(total, "thing")} wait${total === 1 ? "s" : ""} for your word. Every answer can be taken back with u, but for masking.` : ""));
    if (!total) return show(page, heading, searching, nothing());
    const one = chosen();
    show(page, heading,
      h("div", { class: "tabs", role: "tablist", "aria-label": "Piles" }, piles.map((each) => h("button", { role: "tab", id: `tab-${each.pile}`, "aria-selected": String(each.pile === pile), "aria-controls": "pile", tabindex: each.pile === pile ? 0 : -1, onclick: () => turnTo(each.pile), onkeydown: arrows }, `${PILES[each.pile][0]} `, h("span", { class: "numbers" }, each.count)))),
      h("div", { id: "pile", role: "tabpanel", "aria-labelledby": `tab-${pile}` }, one.matters.length ? card(one) : empty(`Nothing under ${PILES[pile][0].toLowerCase()}`, PILES[pile][1]), leftOut(one)), searching);
  }

  function arrows(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const names = piles.map((one) => one.pile);
    turnTo(names[(names.indexOf(pile) + step + names.length) % names.length]);
    page.querySelector(`#tab-${pile}`).focus();
  }

  function turnTo(name) {
    pile = name;
    at = 0;
    keepAddress("inbox", { pile });
    paint();
  }

  function card(one) {
    const matter = one.matters[at];
    const { records } = matter;
    const body = records.length === 2 ? pair(records[0], records[1], ["The older", "The newer"]) : h("div", { class: "stack" }, records.map((record) => h("div", { class: "stack-one" }, h("p", { class: "read large" }, record.text), meta(record), h("a", { class: "small", href: recordLink(record) }, "Open"), records.length > 2 && pile === "contested" && h("button", { onclick: () => answer("keep", record.id) }, "Keep this one"))));
    const buttons = one.answers.flatMap((word) => (pile === "contested" && word === "keep" && records.length === 2 ? [["o", "Keep the older", () => answer("keep", records[0].id)], ["n", "Keep the newer", () => answer("keep", records[1].id)]] : pile === "contested" && word === "keep" && records.length > 2 ? [] : [[ANSWERS[word][0], ANSWERS[word][1], () => answer(word)]]));
    return h("article", { class: "sheet matter" },
      h("div", { class: "head" }, h("p", { class: "small" }, h("b", {}, sentence(matter.note)), ` In ${matter.space}.`), h("p", { class: "small muted numbers position" }, `${at + 1} of ${one.count}`)),
      body,
      h("div", { class: "actions answers" }, buttons.map(([key, words, act], index) => h("button", { class: index === 0 ? "primary" : "", onclick: act, "data-key": key }, `${words} `, h("kbd", {}, key))), one.matters.length > 1 && h("button", { class: "quiet small", onclick: () => skip(1) }, "Later ", h("kbd", {}, "j"))));
  }

  async function answer(word, keep) {
    const matter = chosen()?.matters[at];
    if (!matter || busy) return;
    busy = true;
    try {
      const done = await post("inbox", { space: matter.space, key: matter.key, answer: word, ...(keep ? { keep } : {}) });
      const again = () => post("inbox", { space: matter.space, key: matter.key, answer: "again" });
      const undo = async () => {
        if (done.entries.length) await undoEntries(done.entries)();
        if (done.left || (matter.pile === "evidence" && word === "keep")) await again();
      };
      chosen().matters.splice(at, 1);
      chosen().count--;
      at = Math.min(at, Math.max(chosen().matters.length - 1, 0));
      if (!chosen().count) pile = piles.find((one) => one.count)?.pile ?? pile;
      paint();
      told(ANSWERS[word][2], done.undoable ? undo : null);
      dispatchEvent(new Event("recollect-counted"));
      if (!chosen().matters.length) refresh();
    } catch (error) {
      told(error.message);
    }
    busy = false;
  }

  function skip(step) {
    const { matters } = chosen();
    at = (at + step + matters.length) % Math.max(matters.length, 1);
    paint();
  }

  const refresh = async () => {
    await load();
    keepAddress("inbox", { pile });
    paint();
    lookForSecrets();
  };
  const press = (event) => page.querySelector(`.answers [data-key="${event.key}"]`)?.click();
  await refresh();
  return {
    refresh,
    close: () => looking?.abort(),
    keys: [
      ["k d n o b c m l", "Answer, as its button says", press],
      ["j ArrowDown", "The next one", () => skip(1)],
      ["ArrowUp", "The one before", () => skip(-1)],
      ["Enter", "Open", () => chosen()?.matters[at] && (location.hash = recordLink(chosen().matters[at].records[0]))],
    ],
  };
}

/** What a pile has not looked at, in words. */
function leftOut({ pile, unseen }) {
  if (!unseen || pile === "secrets") return null;
  const words = pile === "duplicates" ? `Only the newest were compared; ${many(unseen, "older record")} ${unseen === 1 ? "was" : "were"} not. \`recollect dream\` goes through all of them.` : `${many(unseen, "more", "more")} wait behind these.`;
  return h("p", { class: "small muted" }, worded(words));
}

const nothing = () =>
  h("div", { class: "empty" }, h("h2", {}, "Nothing waits for you"), h("p", {}, "When there is something to decide, it appears here:"), h("dl", { class: "would-be" }, Object.values(PILES).map(([name, words]) => [h("dt", {}, name), h("dd", {}, words)])));
