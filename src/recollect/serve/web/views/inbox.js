// What waits for a word of yours? One key for each answer, and the next one at once.

import { get, post } from "../api.js";
import { empty, h, sentence, show, worded } from "../dom.js";
import { onChange } from "../live.js";
import { meta, pair, recordLink } from "../parts.js";
import { inTurn, keepAddress, refused, state, told, undoEntries } from "../store.js";
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

const EACH = [..."aefghipqrs"]; // one key for each of several that contradict each other, of those that mean nothing else here

const SOON = 150, LATER = 5000; // milliseconds after which it is looked again: where others changed what is shown, and what is not
const others = new BroadcastChannel("recollect-inbox"); // other tabs: what is left as it is changes no record that they would hear of
const same = (one) => (other) => one.key === other.key && one.space === other.space;

export async function open(page, where) {
  let piles = Object.keys(PILES).map((name) => ({ pile: name, count: 0, unseen: 0, answers: [], matters: [] }));
  let pile = Object.hasOwn(PILES, where.query.get("pile") ?? "") ? where.query.get("pile") : "candidates";
  let named = false, searched = false, at = 0, looks = 0, changes = 0, looking = null, timer = 0, due = Infinity;
  const spaces = () => (state.space ? [state.space] : state.spaces.map((one) => one.name));
  const searching = h("p", { class: "small muted", role: "status" });
  const underWay = []; // matters whose answers are on their way

  const waits = (matter) => !underWay.some(same(matter));
  const ask = async (space, wanted, after, signal) => (await get("inbox", { space, piles: wanted, after }, signal)).map((one) => ({ ...one, space, matters: one.matters.map((matter) => ({ ...matter, space })) }));
  const chosen = () => piles.find((one) => one.pile === pile);
  const pileOf = (name) => piles.find((one) => one.pile === name);
  const current = () => chosen().matters[at];

  /** What is answered, whatever was said or taken back while it was asked for: then it is asked for again. */
  async function upToDate(asking) {
    for (;;) {
      const known = changes, found = await asking();
      if (known === changes) return found;
    }
  }

  /** Looks at all piles but the secrets. False where another look has begun since. */
  async function load() {
    const mine = ++looks, quick = Object.keys(PILES).filter((name) => name !== "secrets");
    const found = (await upToDate(() => Promise.all(spaces().map((space) => ask(space, quick))))).flat();
    if (mine !== looks) return false;
    const shown = current();
    for (const one of piles.filter((each) => each.pile !== "secrets")) {
      const parts = found.filter((each) => each.pile === one.pile), all = parts.flatMap((each) => each.matters), matters = all.filter(waits);
      const sum = (field) => parts.reduce((total, each) => total + each[field], 0);
      Object.assign(one, { count: sum("count") - all.length + matters.length, unseen: sum("unseen"), answers: parts[0]?.answers ?? [], matters });
    }
    settleOn();
    stayAt(shown);
    return true;
  }

  /** Secrets are looked for in every version, some thousands at a time: what is found appears as it is found. */
  async function lookForSecrets() {
    looking?.abort();
    looking = new AbortController();
    const { signal } = looking, secrets = pileOf("secrets"), seen = [];
    const put = (matters) => {
      const shown = current();
      Object.assign(secrets, { matters, count: matters.length });
      settleOn();
      stayAt(shown);
      keepAddress("inbox", { pile });
      paint();
    };
    searched = false;
    try {
      searching.textContent = "Looking for secrets…";
      for (const space of spaces()) {
        for (let after = 0; after !== null; ) {
          const [one] = await upToDate(() => ask(space, ["secrets"], after, signal));
          if (signal.aborted) return;
          if (!one) break;
          secrets.answers = one.answers;
          seen.push(...one.matters);
          const found = one.matters.filter((matter) => waits(matter) && !secrets.matters.some(same(matter)));
          after = one.next ?? null;
          searching.textContent = after === null ? "" : `Still looking for secrets in ${space}: ${many(one.unseen, "version")} to go.`;
          if (found.length) put([...secrets.matters, ...found]);
        }
      }
      searching.textContent = "";
      searched = true;
      const still = secrets.matters.filter((matter) => seen.some(same(matter)));
      if (still.length < secrets.count || pile === "secrets") put(still);
    } catch (error) {
      if (error.name !== "AbortError") searching.textContent = `The search for secrets broke off: ${error.message}`;
    }
  }

  /** Where nothing waits in the open pile, the first in which something does is opened; unless somebody turned to it, or it is still looked for. */
  function settleOn() {
    if (!chosen().count && !named && (pile !== "secrets" || searched)) pile = piles.find((one) => one.count)?.pile ?? pile;
  }

  /** The same matter is shown as before, wherever it stands by now; or what stands in its place. */
  function stayAt(matter) {
    const found = matter ? chosen().matters.findIndex(same(matter)) : -1;
    at = found < 0 ? Math.min(at, Math.max(chosen().matters.length - 1, 0)) : found;
  }

  function paint() {
    const total = piles.reduce((sum, one) => sum + one.count, 0);
    const heading = h("div", { class: "head" }, h("h1", {}, "Inbox"), h("p", {}, total ? `${many(total, "thing")} wait${total === 1 ? "s" : ""} for your word.${refused() ? "" : " Every answer can be taken back with u, but for masking."}` : ""));
    if (!total) return show(page, heading, searching, nothing());
    const one = chosen();
    show(page, heading,
      h("div", { class: "tabs", role: "tablist", "aria-label": "Piles" }, piles.map((each) => h("button", { role: "tab", id: `tab-${each.pile}`, "aria-selected": String(each.pile === pile), "aria-controls": "pile", tabindex: each.pile === pile ? 0 : -1, onclick: () => turnTo(each.pile), onkeydown: arrows }, `${PILES[each.pile][0]} `, h("span", { class: "numbers" }, each.count)))),
      h("div", { id: "pile", role: "tabpanel", "aria-labelledby": `tab-${pile}` }, one.matters.length ? card(one) : pile === "secrets" && !searched ? null : empty(`Nothing under ${PILES[pile][0].toLowerCase()}`, PILES[pile][1]), leftOut(one)), searching);
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
    named = true;
    at = 0;
    keepAddress("inbox", { pile });
    paint();
  }

  function card(one) {
    const matter = one.matters[at];
    const { records } = matter;
    const body = records.length === 2 ? pair(records[0], records[1], ["The older", "The newer"]) : h("div", { class: "stack" }, records.map((record, place) => h("div", { class: "stack-one" }, h("p", { class: "read large" }, record.text), meta(record), h("a", { class: "small", href: recordLink(record) }, "Open"), records.length > 2 && pile === "contested" && h("button", { disabled: Boolean(refused()), onclick: () => answer("keep", record.id), "data-key": EACH[place], title: "The others end; their history stays" }, "Keep this one ", EACH[place] && h("kbd", {}, EACH[place])))));
    const buttons = one.answers.flatMap((word) => (pile === "contested" && word === "keep" && records.length === 2 ? [["o", "Keep the older", () => answer("keep", records[0].id)], ["n", "Keep the newer", () => answer("keep", records[1].id)]] : pile === "contested" && word === "keep" && records.length > 2 ? [] : pile === "contested" && word === "drop" && records.length > 1 ? [["d", records.length > 2 ? "Drop the newest" : "Drop the newer", () => answer("drop")]] : [[ANSWERS[word][0], ANSWERS[word][1], () => answer(word)]]));
    return h("article", { class: "sheet matter" },
      h("div", { class: "head" }, h("p", { class: "small" }, h("b", {}, sentence(matter.note)), ` In ${matter.space}.`), h("p", { class: "small muted numbers position" }, `${at + 1} of ${one.count}`)),
      body,
      h("div", { class: "actions answers" }, buttons.map(([key, words, act], index) => h("button", { class: index === 0 && key !== "d" ? "primary" : "", disabled: Boolean(refused()), onclick: act, "data-key": key }, `${words} `, h("kbd", {}, key))), one.matters.length > 1 && h("button", { class: "quiet small", onclick: () => skip(1) }, "Later ", h("kbd", {}, "j")), refused() && h("p", { class: "small muted" }, refused())));
  }

  /** The next one is there at once; what was answered comes back where the answer could not be taken. */
  function answer(word, keep) {
    const matter = current();
    if (!matter) return;
    const asked = { space: matter.space, key: matter.key }, from = pile, place = at;
    underWay.push(matter);
    away(matter);
    inTurn(async () => {
      try {
        const done = await post("inbox", { ...asked, answer: word, ...(keep ? { keep } : {}) });
        const undo = async () => {
          if (done.entries.length) await undoEntries(done.entries)();
          if (done.left || (matter.pile === "evidence" && word === "keep")) await post("inbox", { ...asked, answer: "again" });
          bringBack(matter, from, place);
          others.postMessage(asked);
        };
        told(ANSWERS[word][2], done.undoable ? undo : null);
        others.postMessage(asked);
        dispatchEvent(new Event("recollect-counted"));
      } catch (error) {
        const over = [404, 409].includes(error.status);
        told(over ? `Answered elsewhere. ${sentence(error.message)}` : error.message);
        if (!over) bringBack(matter, from, place);
      }
      underWay.splice(underWay.indexOf(matter), 1);
      changes++;
      if (!chosen().matters.length) lookSoon(SOON);
    });
  }

  /** Takes a matter away; where its pile is empty then, the next one is opened. */
  function away(matter) {
    const one = chosen();
    one.matters = one.matters.filter((each) => !same(matter)(each));
    one.count--;
    stayAt(null);
    if (!one.count) pile = piles.find((each) => each.count)?.pile ?? pile;
    keepAddress("inbox", { pile });
    paint();
  }

  function bringBack(matter, from, place) {
    const one = pileOf(from);
    changes++;
    if (!page.isConnected) return; // another view is open by now
    if (!one.matters.some(same(matter))) {
      one.matters.splice(place, 0, matter);
      one.count++;
    }
    pile = from;
    stayAt(matter);
    keepAddress("inbox", { pile });
    paint();
  }

  function skip(step) {
    const { matters } = chosen();
    at = (at + step + matters.length) % Math.max(matters.length, 1);
    paint();
  }

  const refresh = async () => {
    if (await load()) {
      keepAddress("inbox", { pile });
      paint();
    }
    lookForSecrets();
  };

  /** What others did meanwhile. Who reads is left alone, unless it is about what is shown. */
  async function lookAgain() {
    due = Infinity;
    const shown = current(), before = JSON.stringify(piles);
    if (!(await load().catch(() => false)) || JSON.stringify(piles) === before) return; // a server that is away is told at the edge
    if (shown && waits(shown) && shown.pile === pile && !chosen().matters.some(same(shown))) told("What was shown here was answered or changed elsewhere, and no longer waits.");
    paint();
  }

  function lookSoon(wait) {
    if (Date.now() + wait >= due) return;
    clearTimeout(timer);
    due = Date.now() + wait;
    timer = setTimeout(lookAgain, wait);
  }

  const press = (event) => !event.repeat && page.querySelector(`.matter [data-key="${event.key}"]`)?.click();
  await refresh();
  const stop = onChange((heard) => {
    const ids = new Set(heard.map((one) => one.object_id));
    const touched = piles.filter((one) => one.matters.some((matter) => matter.records.some((record) => ids.has(record.id))));
    if (touched.some((one) => one.pile === "secrets")) lookForSecrets();
    lookSoon(touched.length ? SOON : LATER);
  });
  others.onmessage = ({ data }) => (data.key.startsWith("secrets:") ? lookForSecrets() : lookSoon(SOON));
  return {
    refresh,
    close: () => (stop(), (others.onmessage = null), clearTimeout(timer), looking?.abort()),
    keys: [
      ["k d n o b c m l", "Answer, as its button says", press],
      [EACH.join(" "), "Keep this one of several, as its button says", press],
      ["j ArrowDown", "The next one", () => skip(1)],
      ["ArrowUp", "The one before", () => skip(-1)],
      ["Enter", "Open", () => current() && (location.hash = recordLink(current().records[0]))],
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
