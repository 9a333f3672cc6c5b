// What was done, by whom, and when? What was done in one go is one line, and can be taken back as one.

import { get, part, post, spaceView } from "../api.js";
import { ask, empty, h, show } from "../dom.js";
import { onChange } from "../live.js";
import { recordLink, walker, windowed } from "../parts.js";
import { keepAddress, refused, state, told } from "../store.js";
import { clientWord, count, hour, longDay, many, moment, verb } from "../words.js";

const WINDOW = 30;

export async function open(page, where) {
  const holder = h("div", { class: "days" });
  const fresh = h("button", { class: "fresh", hidden: true, onclick: () => restart() });
  const [client, project] = [h("select", { id: "client" }), h("select", { id: "project" })];
  const chosen = { actor: where.query.get("actor"), project: where.query.get("project") };
  let list = null, turn = 0;

  /** The list anew; what is shown stays until its first window is there. */
  async function restart() {
    fresh.hidden = true;
    const mine = ++turn;
    const next = windowed(async (before) => {
      const found = await get("acts", { space: state.space || null, ...chosen, before, limit: WINDOW });
      return { items: found.acts, next: found.next };
    }, row, { nothing, kind: "acts" });
    await next.more();
    if (mine !== turn) return next.close();
    list?.close();
    list = next;
    show(holder, list.whole);
  }

  const nothing = () => (chosen.actor || chosen.project ? empty("Nothing of that kind", "Neither this client nor this project changed anything here. Choose others, or all.") : empty("Nothing has happened yet", "Everything that is stored, changed or forgotten, by whichever agent, is listed here as it happens."));

  /** Who there is to choose from. */
  async function fillChoices() {
    const [actors, spaces] = await Promise.all([get("actors", { space: state.space || null }), state.space ? spaceView(state.space).then((one) => [one]) : get("spaces")]);
    const projects = [...new Set(spaces.flatMap((one) => one.projects.map((each) => each.name)))].sort();
    choices(client, "Every client", actors.filter((one) => one.name).map((one) => [one.name, clientWord(one.name)]), chosen.actor);
    choices(project, "Every project", projects.map((name) => [name, name]), chosen.project);
  }

  function row(act, before) {
    const name = longDay(act.at);
    return [before && longDay(before.at) === name ? null : h("li", { class: "day" }, h("h2", {}, name)), line(act)];
  }

  function line(act) {
    const object = act.object_type === "record" ? recordLink({ id: act.object_id, space: act.space }) : act.object_type === "space" ? `#/spaces/${part(act.space)}` : `#/graph?${act.object_type === "relation" ? "fact" : "entity"}=${part(act.object_id)}&space=${part(act.space)}`;
    const many_ = act.count > 1;
    const verbs = Object.entries(act.verbs);
    const what = !many_ ? ONE[act.object_type] : verbs.length === 1 && act.object_type === "record" ? many(act.count, "record") : many(act.count, "change");
    const detail = h("div", { class: "act-detail", hidden: true });
    const toggle = h("button", { class: "quiet small", "aria-expanded": "false", onclick: () => unfold(act, detail, toggle) }, `Show all ${count(act.count)}`);
    return h("li", { class: "act", "data-undone": act.undone_by ? "yes" : null },
      h("time", { class: "small muted numbers", datetime: act.at, title: moment(act.at) }, hour(act.at)),
      h("div", { class: "act-body" },
        h("p", {}, h("b", {}, verbs.length > 1 ? "Made" : capital(verb(act.verb))), ` ${what} `, h("span", { class: "muted" }, `by ${clientWord(act.actor)} in ${act.space}`)),
        act.about && h("a", { class: "read clamp two", href: object }, act.about),
        act.reason && h("p", { class: "small muted" }, act.reason),
        act.object_type === "record" && !["forget", "rewrite"].includes(act.verb) && lasting(act) && h("p", { class: "small muted" }, lasting(act)),
        verbs.length > 1 && h("p", { class: "small muted" }, verbs.map(([name, number]) => `${verb(name)} ${count(number)}`).join(", ")),
        detail),
      h("div", { class: "act-side" },
        many_ ? toggle : !act.about && h("a", { class: "small", href: object }, "Open"),
        act.undone_by ? h("span", { class: "mark" }, "taken back") : !["forget", "rewrite"].includes(act.verb) && h("button", { class: "small-button", disabled: Boolean(refused() ?? lasting(act)), title: refused() ?? lasting(act), onclick: (event) => takeBack(act, event.currentTarget) }, many_ ? "Undo all" : "Undo")));
  }

  async function unfold(act, detail, toggle) {
    if (!detail.hidden) {
      detail.hidden = true;
    } else {
      const found = await get("journal", { space: act.space, act: act.entry, limit: 100 });
      show(detail, h("ol", { class: "small" }, found.changes.map((one) => h("li", {}, `${verb(one.verb)} `, one.object_type === "record" ? h("a", { class: found.about[one.entry] ? "" : "id", href: recordLink({ id: one.object_id, space: one.space }) }, found.about[one.entry] ?? one.object_id) : `${one.object_type} ${one.object_id}`)), act.count > found.changes.length && h("li", { class: "muted" }, `and ${count(act.count - found.changes.length)} more`)));
      detail.hidden = false;
    }
    toggle.setAttribute("aria-expanded", String(!detail.hidden));
    toggle.textContent = detail.hidden ? `Show all ${count(act.count)}` : "Hide";
  }

  /** Whatever was made of what an act stored goes with it: that is said before. */
  async function takeBack(act, button) {
    const later = await laterThan(act).catch(() => []);
    if (!later.length) return takeBackNow(act, button);
    const who = [...new Set(later.map((one) => clientWord(one.actor)))].join(", ");
    ask("Take back later changes too?", (close) => h("div", { class: "column" },
      h("h2", {}, `This takes back ${many(later.length, "later change")}, too`),
      h("p", { class: "muted" }, `What was stored here was changed again since, by ${who}: ${[...new Set(later.map((one) => verb(one.verb)))].join(", ")}. All of it leaves, and can be brought back with u.`),
      h("div", { class: "actions" }, h("button", { onclick: close, autofocus: true }, "Leave it"), h("button", { class: "primary", onclick: () => (close(), takeBackNow(act, button)) }, "Take back all of it"))));
  }

  async function takeBackNow(act, button) {
    const words = button.textContent;
    button.disabled = true;
    button.textContent = "Taking back…";
    try {
      const undone = await post("undo", { entries: [act.entry], whole: true });
      const [first] = undone.entries;
      told(undone.reason?.replace(/ of entry \d+/, "") ?? "Taken back.", first ? () => post("undo", { entries: [first], whole: true }) : null); // as a whole again
      await restart();
    } catch (error) {
      told(error.message);
      button.disabled = false;
      button.textContent = words;
    }
  }

  const narrow = () => {
    Object.assign(chosen, { actor: client.value || null, project: project.value || null });
    keepAddress("timeline", chosen);
    restart();
  };
  for (const one of [client, project]) one.addEventListener("change", narrow);
  page.append(
    h("div", { class: "head" }, h("h1", {}, "Timeline"), h("p", {}, "What was stored and changed, the newest first. Work done in one go is one line.", refused() && ` ${refused()}`)),
    h("div", { class: "filters halves" }, h("div", { class: "field" }, h("label", { for: "client" }, "Client"), client), h("div", { class: "field" }, h("label", { for: "project" }, "Project"), project)),
    fresh, holder);
  choices(client, "Every client", chosen.actor ? [[chosen.actor, clientWord(chosen.actor)]] : [], chosen.actor);
  choices(project, "Every project", chosen.project ? [[chosen.project, chosen.project]] : [], chosen.project);
  fillChoices().catch((error) => told(error.message));
  keepAddress("timeline", chosen);
  await restart();
  let waiting = 0, timer = 0;
  const stop = onChange((changes) => {
    const mine = changes.filter((one) => !state.space || one.space === state.space);
    if (!mine.length) return;
    waiting += mine.length;
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (scrollY < 300 && !holder.querySelector(".act-detail:not([hidden])")) restart();
      else {
        fresh.hidden = false;
        fresh.textContent = `${many(waiting, "new change")}; show`;
      }
      waiting = 0;
    }, 250);
  });
  const go = walker(".act :is(a.read, .act-side a, .act-side button)");
  return {
    close: () => (stop(), clearTimeout(timer), list?.close()),
    refresh: restart,
    reach: (y) => list.reach(y),
    keys: [["j ArrowDown", "Next", () => go(1)], ["k ArrowUp", "Before", () => go(-1)]],
  };
}

function choices(select, all, values, given) {
  show(select, h("option", { value: "" }, all), values.map(([value, words]) => h("option", { value }, words)));
  select.value = given ?? "";
  if (select.selectedIndex < 0) select.value = "";
}

/** Why nothing can be made of an act any more, in words; null where it can be taken back. */
function lasting(act) {
  if (act.object_type === "space" && act.count === 1) return "There is nothing in this that could be taken back.";
  return act.object_type === "record" && !act.about && act.count === 1 ? "What it said then was forgotten for good, or masked: nothing is left to take back." : null;
}

const LOOKED_AT = 20; // records of one act of which it is looked what became of them

/** What was changed again, and not taken back, of the records that an act stored. */
async function laterThan(act) {
  const changes = act.count === 1 ? [act] : (await get("journal", { space: act.space, act: act.entry, limit: LOOKED_AT })).changes;
  const stored = changes.filter((one) => one.object_type === "record" && one.verb === "remember");
  const steps = await Promise.all(stored.map((one) => get(`records/${part(one.object_id)}/history`, { space: act.space })));
  const since = steps.flat().map((step) => step.change).filter((one) => one.entry > act.last);
  const undone = new Set(since.map((one) => one.undoes));
  return since.filter((one) => !one.undoes && !undone.has(one.entry));
}

const capital = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
const ONE = { record: "a record", entity: "a name", relation: "a fact", space: "the space" };
