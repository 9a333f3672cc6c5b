// What do several views show in the same way?

import { get, part, patch, post, remove } from "./api.js";
import { ask, h, loading, put, sentence, show } from "./dom.js";
import { sideBySide } from "./diff.js";
import { told, undoEntries } from "./store.js";
import { day, heard, likelihood, many, moment, percent, pinned, place, statusWord } from "./words.js";

const MOST_BARS = 5;

/** Where a record is looked at; as it was known at a moment, where that is what one looks at. */
export const recordLink = (record, asOf = null) => `#/record/${part(record.id)}?space=${part(record.space)}${asOf ? `&as_of=${part(asOf)}` : ""}`;

/** Says that what is shown is of a moment before, and leads back to now. */
export const pastNote = (asOf, back) => h("p", { class: "note past", role: "status" }, `As it was known on ${moment(asOf)}. `, h("button", { type: "button", class: "quiet small", id: "to-now", onclick: back }, "Back to now ", h("kbd", {}, "n")));

/** A line of what is known of a record beside its text. */
export function meta(record, { space = true } = {}) {
  const status = statusWord(record);
  const where = [record.source, place(record)].filter(Boolean).join(", ");
  return h("div", { class: "meta" },
    status && h("span", { class: `mark ${["in doubt", "stale", "proposed"].includes(status) ? "warn" : ""}` }, status),
    pinned(record) && h("span", { class: "mark" }, "pinned"),
    h("time", { datetime: record.event_time }, day(record.event_time)),
    h("span", {}, record.kind),
    record.project && h("span", {}, record.project),
    space && h("span", {}, record.room ? `${record.space} / ${record.room}` : record.space),
    where && h("span", { title: where }, where));
}

/** A text behind its title; a part of a document says its heading once. */
function titled({ title, text }) {
  if (!title) return text;
  const [first, ...rest] = text.split("\n");
  const again = rest.length > 0 && /^#+\s/.test(first) && title.endsWith(first.replace(/^#+\s+/, "").trim());
  return [h("strong", {}, `${title} — `), again ? rest.join("\n").trim() : text];
}

const AT_ONCE = 20_000; // characters of a text that are shown until somebody wants more: a browser takes seconds to lay out a book

/** The text of a record; a very long one begins, and the rest comes when it is asked for, in pieces. */
export function longText(text) {
  const shown = h("p", { class: "read large" });
  const pieces = text.length > AT_ONCE * 1.5 ? text.match(PIECES) : [text];
  let at = 0;
  const next = () => {
    more.before(h("p", { class: "read large" }, pieces[at++].replace(/^\n/, "")));
    if (at < pieces.length) more.textContent = `Show more: ${many(pieces.slice(at).reduce((sum, one) => sum + one.length, 0), "character")} to go`;
    else more.remove();
  };
  const more = h("button", { type: "button", class: "quiet small", id: "more-text", onclick: next });
  if (pieces.length === 1) return put(shown, text);
  const whole = h("div", { class: "long-text" }, more);
  next();
  return whole;
}

const PIECES = new RegExp(`[^]{1,${AT_ONCE}}(?=\\n|$)|[^]{1,${AT_ONCE}}(?=\\s)|[^]{1,${AT_ONCE}}`, "g");

/** Small bars of what spoke for a hit, and the same in words. */
export function whyChart(why, score) {
  const said = heard(why);
  const words = said.map(([word, value]) => `${word} ${percent(value)}`).join(", ");
  return h("div", { class: "why" },
    h("p", { class: "said" }, `${percent(score)} ${likelihood(score)}. What spoke for it: ${words || "nothing in particular"}.`),
    h("div", { class: "bars", "aria-hidden": "true" }, said.slice(0, MOST_BARS).map(([word, value]) => [h("span", {}, word), h("i", { class: "bar" }, h("b", { style: { width: `${Math.round(value * 100)}%` } }))])));
}

/** A hit with how likely it answers and why; where nothing was `asked`, there is nothing that it could answer. */
export function hitCard(hit, at, { space = true, asked = true, asOf = null } = {}) {
  const { record, score } = hit;
  return h("li", { class: "hit", "data-likely": asked ? likelihood(score) : null },
    asked && h("p", { class: "score", "aria-hidden": "true" }, h("b", {}, Math.round(score * 100)), h("span", {}, likelihood(score))),
    h("div", { class: "hit-body" },
      h("a", { class: "read clamp", href: recordLink(record, asOf), id: `hit-${at}` }, titled(record)),
      meta(record, { space }),
      hit.folded?.length > 0 && h("p", { class: "small muted" }, `${many(hit.folded.length, "more")} like it, folded in`)),
    asked && whyChart(hit.why, score));
}

export const recordCard = (record, { space = false, asOf = null } = {}) =>
  h("li", { class: "item" }, h("a", { class: "read clamp", href: recordLink(record, asOf) }, titled(record)), meta(record, { space }));

const AROUND = 2400; // pixels above and below what is seen in which a list is drawn

/** A list that is shown window by window: the next is fetched when its end comes near, and only those near what is seen
 *  are drawn. `render` gets an item and the one before it. */
export function windowed(fetchWindow, render, { nothing, kind = "list" }) {
  const windows = new Map();
  const end = h("div", { class: "list-end" });
  const whole = h("div", { class: "windowed" }, end);
  let cursor = null, busy = null, last = null, over = false, started = false;
  const draw = (element, { items, before }) => {
    show(element, items.map((item, at) => render(item, at ? items[at - 1] : before)));
    element.style.removeProperty("height");
  };
  const near = new IntersectionObserver((seen) => {
    const far = seen.filter(({ target, isIntersecting }) => !isIntersecting && target.childElementCount && !target.contains(document.activeElement));
    for (const { target, boundingClientRect } of far) { // as tall as it was measured: to ask anew would lay out the page
      target.style.setProperty("height", `${boundingClientRect.height}px`);
      target.replaceChildren();
    }
    for (const { target, isIntersecting } of seen) if (isIntersecting && !target.childElementCount) draw(target, windows.get(target));
  }, { rootMargin: `${AROUND}px` });
  const add = (items) => {
    const element = h("ul", { class: kind });
    windows.set(element, { items, before: last });
    draw(element, windows.get(element));
    last = items.at(-1);
    end.before(element);
    near.observe(element);
  };
  const more = () => (busy ??= fetchNext().finally(() => (busy = null)));
  const fetchNext = async () => {
    if (over) return false;
    const slow = setTimeout(() => !started && show(end, loading("One moment…")), 200);
    try {
      const window_ = await fetchWindow(cursor);
      cursor = window_.next ?? null;
      over = cursor === null;
      if (window_.items.length) add(window_.items);
      else if (!started) show(whole, nothing());
      started = true;
      show(end, over ? null : h("button", { onclick: more }, "Show more"));
    } catch (error) {
      show(end, h("p", { class: "note", role: "alert" }, sentence(error.message)), h("button", { onclick: more }, "Try again"));
      return false; // and it is left to whoever looks: a server that is away need not be asked again and again
    } finally {
      clearTimeout(slow);
    }
    ending.unobserve(end); // where the end is still near, that is told anew
    ending.observe(end);
    return true;
  };
  const ending = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && started && more(), { rootMargin: "600px" });
  ending.observe(end);
  /** Has as much of it as is needed for a page that is scrolled so far down. */
  const reach = async (y) => {
    for (let turns = 0; turns < 40 && document.documentElement.scrollHeight < y + innerHeight; turns++) if (!(await more())) return;
  };
  return { whole, more, reach, close: () => (near.disconnect(), ending.disconnect()) };
}

/** Moves a mark through the links of a list by key. */
export function walker(selector) {
  return (step) => {
    const links = [...document.querySelectorAll(selector)];
    const at = links.indexOf(document.activeElement);
    const next = links[at < 0 ? (step > 0 ? 0 : links.length - 1) : Math.min(Math.max(at + step, 0), links.length - 1)];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  };
}

// What can be done with a record

const of = (record, more = {}) => ({ space: record.space, ...more });
const changed = () => dispatchEvent(new Event("recollect-changed"));

/** The same act, which tells what went wrong instead of failing. */
const tried = (act) => async (...given) => {
  try {
    await act(...given);
  } catch (error) {
    told(error.message);
  }
};

export const togglePin = tried(async (record) => {
  const on = !pinned(record);
  const receipt = await post(`records/${part(record.id)}/${on ? "pin" : "unpin"}`, of(record));
  told(on ? "Pinned: every brief begins with it." : "No longer pinned.", undoEntries(receipt.entries));
  changed();
});

export const endRecord = tried(async (record) => {
  const receipt = await post(`records/${part(record.id)}/end`, of(record, { reason: "no longer true, said on the page" }));
  told("It no longer counts as true. Its history stays.", undoEntries(receipt.entries));
  changed();
});

export async function saveText(record, text, reason) {
  const receipt = await patch(`records/${part(record.id)}`, of(record, { text, ...(reason ? { reason } : {}) }));
  if (receipt.outcome === "deduplicated") told("Nothing was different.");
  else told(receipt.masked.length ? `Saved. What looked like a secret was masked: ${receipt.masked.join(", ")}.` : "Saved as a new version.", undoEntries(receipt.entries));
}

export async function replaceText(record, text, reason) {
  const receipt = await post(`records/${part(record.id)}/replace`, of(record, { text, ...(reason ? { reason } : {}) }));
  if (receipt.outcome === "rejected") throw new Error(receipt.reason);
  told("Replaced. The old one stays in the history.", async () => {
    await undoEntries(receipt.entries.slice(0, 1))();
    if (location.hash === recordLink(receipt)) location.hash = recordLink(record); // what is looked at is gone, and that is back
  });
  return receipt;
}

/** Stores a text as a record of its own, with the place of one that is gone. */
export async function storeText(gone, text, reason) {
  const kept = Object.entries({ space: gone.space, kind: gone.kind, room: gone.room, project: gone.project, reason }).filter(([, value]) => value);
  const receipt = await post("records", { text, tags: gone.tags, ...Object.fromEntries(kept) });
  if (receipt.outcome === "rejected") throw new Error(receipt.reason);
  told("Stored as a new record.", receipt.entries.length ? undoEntries(receipt.entries) : undefined);
  return receipt;
}

/** Shows what a forgetting takes along before it is done. */
export function askForget(record, done) {
  ask("Forget this", (close) => {
    const along = h("div", {}, loading("Looking what hangs on it…"));
    const act = h("button", { class: "danger", disabled: true, onclick: forget }, "Forget it for good");
    async function forget() {
      act.disabled = true;
      try {
        const gone = await remove(`records/${part(record.id)}`, { space: record.space });
        close();
        told(`Forgotten for good: ${many(gone.removed.length, "thing")}.`, null);
        done();
      } catch (error) {
        show(along, h("p", { class: "note", role: "alert" }, sentence(error.message)));
      }
    }
    get(`records/${part(record.id)}/along`, { space: record.space }).then((found) => {
      show(along, alongList(found));
      act.disabled = false;
    }, (error) => show(along, h("p", { class: "note", role: "alert" }, sentence(error.message))));
    return h("div", { class: "column" },
      h("h2", {}, "Forget this for good?"),
      h("p", { class: "muted" }, "Its text, all its versions and what was made of it leave the store. This alone cannot be undone."),
      along,
      h("div", { class: "actions" }, h("button", { onclick: close, autofocus: true }, "Keep it"), act));
  });
}

function alongList(found) {
  const rest = found.removed.slice(1);
  const part_ = (title, items, say) => items.length > 0 && [h("h3", {}, `${title} (${items.length})`), h("ul", { class: "plain-list" }, items.slice(0, 8).map((one) => h("li", { class: "small" }, say(one))), items.length > 8 && h("li", { class: "small muted" }, `and ${items.length - 8} more`))];
  const line = (one) => (one.title ?? one.text).slice(0, 120);
  const parts = [part_("Also goes", rest, line), part_("Written anew without it", found.rewritten, line), part_("Entities that nothing else names", found.entities, (one) => one.name), part_("Facts that come from it", found.relations, (one) => one.predicate)].filter(Boolean);
  return h("div", { class: "column tight" }, h("p", { class: "read clamp quote" }, found.removed[0].text), parts.length ? parts : h("p", { class: "small muted" }, "Nothing else hangs on it."));
}

/** Two records beside each other, with what differs marked. */
export function pair(one, other, labels) {
  const [left, right] = sideBySide(one.text, other.text);
  return h("div", { class: "pair" }, [[one, left, labels[0]], [other, right, labels[1]]].map(([record, text, label]) => h("section", { class: "side" }, h("h3", {}, label), text, meta(record), h("a", { class: "small", href: recordLink(record) }, "Open"))));
}
