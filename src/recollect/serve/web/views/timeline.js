// What was done, by whom, and when? What was done in one go is one line, and can be taken back as one.

import { get, part, post } from "../api.js";
import { empty, h, put, show } from "../dom.js";
import { onChange } from "../live.js";
import { recordLink } from "../parts.js";
import { state, told, undoEntries } from "../store.js";
import { clientWord, count, hour, longDay, many, moment, verb } from "../words.js";

const WINDOW = 60;

export async function open(page) {
  const list = h("div", { class: "days" });
  const end = h("div", { class: "list-end" });
  const client = h("select", { id: "client" }, h("option", { value: "" }, "Every client"));
  const fresh = h("button", { class: "fresh", hidden: true, onclick: () => restart() });
  let next = null, acts = [], busy = false;

  async function more() {
    if (busy) return;
    busy = true;
    const window_ = await get("acts", { space: state.space || null, before: next, limit: WINDOW });
    acts.push(...window_.acts);
    next = window_.next ?? null;
    busy = false;
    paint();
  }

  async function restart() {
    next = null;
    acts = [];
    fresh.hidden = true;
    await more();
  }

  function paint() {
    const names = [...new Set(acts.map((one) => one.actor ?? ""))].sort();
    const chosen = client.value;
    show(client, h("option", { value: "" }, "Every client"), names.map((name) => h("option", { value: name || "unknown" }, clientWord(name))));
    client.value = names.includes(chosen) || chosen === "unknown" ? chosen : "";
    const wanted = acts.filter((one) => !client.value || (one.actor ?? "unknown") === client.value);
    show(list);
    if (!wanted.length) put(list, empty("Nothing has happened yet", "Everything that is stored, changed or forgotten, by whichever agent, is listed here as it happens."));
    let day = null, entries = null;
    for (const act of wanted) {
      const name = longDay(act.at);
      if (name !== day) {
        day = name;
        entries = h("ol", { class: "acts" });
        put(list, h("section", { class: "day" }, h("h2", {}, name), entries));
      }
      put(entries, row(act));
    }
    show(end, next && h("button", { onclick: more }, "Earlier"));
  }

  function row(act) {
    const object = act.object_type === "record" ? recordLink({ id: act.object_id, space: act.space }) : act.object_type === "space" ? `#/spaces/${part(act.space)}` : `#/graph?entity=${part(act.object_id)}&space=${part(act.space)}`;
    const many_ = act.count > 1;
    const what = many_ ? many(act.count, "change") : act.object_type;
    const detail = h("div", { class: "act-detail", hidden: true });
    const toggle = h("button", { class: "quiet small", "aria-expanded": "false", onclick: () => unfold(act, detail, toggle) }, `Show all ${count(act.count)}`);
    return h("li", { class: "act", "data-undone": act.undone_by ? "yes" : null },
      h("time", { class: "small muted numbers", datetime: act.at, title: moment(act.at) }, hour(act.at)),
      h("div", { class: "act-body" },
        h("p", {}, h("b", {}, sentence(verb(act.verb))), ` ${what} `, h("span", { class: "muted" }, `by ${clientWord(act.actor)} in ${act.space}`)),
        act.about && h("a", { class: "read clamp two", href: object }, act.about),
        act.reason && h("p", { class: "small muted" }, act.reason),
        many_ && h("p", { class: "small muted" }, Object.entries(act.verbs).map(([name, number]) => `${verb(name)} ${count(number)}`).join(", ")),
        detail),
      h("div", { class: "act-side" },
        many_ ? toggle : !act.about && h("a", { class: "small", href: object }, "Open"),
        act.undone_by ? h("span", { class: "mark" }, "taken back") : !["forget", "rewrite"].includes(act.verb) && h("button", { class: "small-button", onclick: (event) => takeBack(act, event.currentTarget) }, many_ ? "Undo all" : "Undo")));
  }

  async function unfold(act, detail, toggle) {
    if (!detail.hidden) {
      detail.hidden = true;
    } else {
      const found = await get("journal", { space: act.space, act: act.entry, limit: 100 });
      show(detail, h("ol", { class: "small" }, found.changes.map((one) => h("li", {}, `${verb(one.verb)} `, one.object_type === "record" ? h("a", { class: "id", href: recordLink({ id: one.object_id, space: one.space }) }, one.object_id) : `${one.object_type} ${one.object_id}`)), act.count > found.changes.length && h("li", { class: "muted" }, `and ${count(act.count - found.changes.length)} more`)));
      detail.hidden = false;
    }
    toggle.setAttribute("aria-expanded", String(!detail.hidden));
    toggle.textContent = detail.hidden ? `Show all ${count(act.count)}` : "Hide";
  }

  async function takeBack(act, button) {
    button.disabled = true;
    try {
      const undone = await post("undo", { entries: [act.entry], whole: true });
      told(undone.reason ? sentence(undone.reason) : "Taken back.", undoEntries(undone.entries));
      await restart();
    } catch (error) {
      told(error.message);
      button.disabled = false;
    }
  }

  client.addEventListener("change", paint);
  page.append(
    h("div", { class: "head" }, h("h1", {}, "Timeline"), h("div", { class: "field client-field" }, h("label", { for: "client" }, "Client"), client), h("p", {}, "What was stored and changed, the newest first. Work done in one go is one line.")),
    fresh, list, end);
  await more();
  let waiting = 0, timer = 0;
  const stop = onChange((changes) => {
    const mine = changes.filter((one) => !state.space || one.space === state.space);
    if (!mine.length) return;
    waiting += mine.length;
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (scrollY < 300) restart();
      else {
        fresh.hidden = false;
        fresh.textContent = `${many(waiting, "new change")}; show`;
      }
      waiting = 0;
    }, 250);
  });
  return { close: stop, refresh: restart };
}

const sentence = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
