// What is known of one record, how did it come to be so, and how is it mended?

import { get, part } from "../api.js";
import { sideBySide } from "../diff.js";
import { empty, h, sentence, settled, show } from "../dom.js";
import { draftOf, keepDraft } from "../drafts.js";
import { onChange } from "../live.js";
import { askForget, endRecord, longText, meta, pastNote, recordCard, recordLink, replaceText, saveText, storeText, togglePin } from "../parts.js";
import { addressOf, refused, told, undoEntries } from "../store.js";
import { clientWord, day, many, moment, percent, pinned, place, trustWord, verb } from "../words.js";

const LONG = 20_000; // characters from which on what is begun is kept when somebody pauses, and not with every key

export async function open(page, where) {
  const [id] = where.rest;
  const space = where.query.get("space");
  const asOf = Number.isNaN(Date.parse(where.query.get("as_of"))) ? null : where.query.get("as_of"); // as it was known then
  let record, steps, ties, replaced = [], leave = () => {}, flush = () => {};
  const edited = h("p", { class: "note", role: "status", hidden: true });

  const unlessMissing = (error) => (error.status === 404 ? null : Promise.reject(error));

  async function load() {
    [steps, ties] = await Promise.all([get(`records/${part(id)}/history`, { space }).catch(unlessMissing), asOf ? null : get(`records/${part(id)}/ties`, { space }).catch(() => null)]);
    record = await get(`records/${part(id)}`, { space, as_of: asOf }).catch(unlessMissing);
    if (asOf) steps = steps?.filter((step) => new Date(step.change.at) <= new Date(asOf)); // what was done since is not of that moment
    if (record) replaced = ties?.replaced ?? [];
    else if (!asOf && steps?.at(-1)?.change.verb === "forget") keepDraft(space, id, null);
  }

  /** Facts between names are answers, too, and are looked at in the graph. */
  async function isFact() {
    const drawn = await get("graph", { space, as_of: asOf, past: true, limit: 5000 }).catch(() => ({ edges: [] }));
    return drawn.edges.some((edge) => edge.id === id);
  }

  function paint() {
    if (asOf && steps && !record && !steps.length) return show(page, heading("A record of later"), past(), empty("This was not known yet", `The record was stored after ${moment(asOf)}.`));
    if (!steps?.length) return show(page, heading("No such record"), empty("There is no such record", "Nothing has this id. The address may be cut short, or it is of another memory.", h("a", { href: addressOf("recall") }, "Ask for it instead")));
    if (!record) return show(page, heading("A record that is gone"), past(), gone(steps, replaced, asOf));
    document.title = `${(record.title ?? record.text).slice(0, 40)} · Recollect`;
    show(page, header(), past(), asOf ? h("section", { class: "sheet record-text" }, longText(record.text), meta(record)) : text(), body());
  }

  const past = () => asOf && pastNote(asOf, () => (location.hash = recordLink({ id, space: space ?? record?.space ?? "" })));

  const heading = (words) => h("h1", { class: "said" }, words);

  const header = () => h("div", { class: "head" }, h("h1", {}, record.title ?? `${record.kind.charAt(0).toUpperCase()}${record.kind.slice(1)}`), h("div", { class: "crumbs small" }, h("a", { href: `#/spaces/${part(record.space)}` }, record.space), record.room && [" / ", h("a", { href: `#/spaces/${part(record.space)}?room=${part(record.room)}` }, record.room)]), ties?.replaced_by && h("p", { class: "note" }, "Replaced by ", h("a", { href: recordLink(ties.replaced_by) }, ties.replaced_by.text.slice(0, 90)), "."));

  const text = () => {
    const holder = h("section", { class: "sheet record-text" });
    const read = () => show(holder, longText(record.text), meta(record), actions(holder, read));
    const begun = refused() ? null : draftOf(space, id);
    if (begun) edit(holder, read, begun.what, begun);
    else read();
    return holder;
  };

  const actions = (holder, read) => h("div", { class: "actions" },
    h("button", { id: "edit", disabled: Boolean(refused()), onclick: () => edit(holder, read, "edit") }, "Edit ", h("kbd", {}, "e")),
    h("button", { id: "replace", disabled: Boolean(refused()), onclick: () => edit(holder, read, "replace") }, "Replace ", h("kbd", {}, "r")),
    h("button", { id: "pin", disabled: Boolean(refused()), onclick: () => togglePin(record), "aria-pressed": String(pinned(record)) }, pinned(record) ? "Unpin " : "Pin ", h("kbd", {}, "p")),
    h("button", { id: "end", onclick: () => endRecord(record), disabled: Boolean(refused() || record.valid_until) }, "No longer true ", h("kbd", {}, "x")),
    h("button", { id: "forget", class: "danger", disabled: Boolean(refused()), onclick: () => askForget(record, () => (location.hash = addressOf("recall"))) }, "Forget… ", h("kbd", {}, "f")),
    refused() && h("p", { class: "small muted" }, refused()));

  function edit(holder, read, what, begun = null) {
    const area = h("textarea", { id: "text", class: "read", rows: 6 });
    area.value = begun?.text ?? record.text;
    const reason = h("input", { id: "reason", maxlength: 300, placeholder: what === "edit" ? "What was wrong?" : "What has changed?" });
    reason.value = begun?.reason ?? "";
    const from = begun?.from ?? record.text;
    let saved = false, lost = false; // is it stored; is there no record any more whose version it could be?
    const problem = h("p", { class: "small", role: "alert" });
    const keep = () => area.isConnected && !saved && keepDraft(space, id, lost || (area.value === record.text && !reason.value) ? null : { what, text: area.value, reason: reason.value, from });
    const keepSoon = settled(keep, 500);
    flush = keep;
    const cancel = () => (keepDraft(space, id, null), lost ? refresh().catch(fail) : read());
    const submit = h("button", { class: "primary" }, what === "edit" ? "Save a new version" : "Put it in its place");
    /** The record is gone: what was written here can become one of its own. */
    leave = (words) => {
      lost = true;
      keepDraft(space, id, null);
      edited.textContent = `${words} What you have written here is yours: save it as a new record, or let it go.`;
      edited.hidden = false;
      submit.textContent = "Save as a new record";
    };
    const save = async (event) => {
      event.preventDefault();
      if (!area.value.trim()) return (problem.textContent = "It says nothing now. To be rid of it, forget it, or say that it is no longer true.");
      try {
        if (lost) location.hash = recordLink(await storeText(record, area.value, reason.value.trim()));
        else if (what === "edit") {
          await saveText(record, area.value, reason.value.trim());
          saved = true;
          keepDraft(space, id, null);
          await refresh();
        } else {
          const receipt = await replaceText(record, area.value, reason.value.trim());
          saved = true;
          keepDraft(space, id, null);
          location.hash = recordLink(receipt);
        }
      } catch (error) {
        if (error.status === 404 && !lost) return leave("Meanwhile this record is gone.");
        problem.textContent = sentence(error.message);
      }
    };
    const words = what === "edit" ? "For what was wrong from the start. The version before stays in the history." : "For what was true and is no more. The new text takes its place, and says so.";
    edited.hidden = !begun;
    if (begun) edited.textContent = `This is what you had begun to write; it is not saved yet.${from === record.text ? "" : ` Meanwhile the record says: ${record.text.slice(0, 300)}`}`;
    show(holder, h("form", { class: "edit", onsubmit: save, oninput: () => (area.value.length > LONG ? keepSoon() : keep()), onkeydown: (event) => event.key === "Escape" && area.value === record.text && (event.stopPropagation(), cancel(), page.querySelector(`#${what}`)?.focus()) },
      h("p", { class: "small muted" }, words),
      edited,
      h("div", { class: "field" }, h("label", { for: "text" }, what === "edit" ? "Text" : "What is true now"), area),
      h("div", { class: "field" }, h("label", { for: "reason" }, "Reason (kept in the history)"), reason),
      problem,
      h("div", { class: "actions" }, submit, h("button", { type: "button", onclick: cancel }, "Cancel"))));
    area.focus();
  }

  const body = () => h("div", { class: "record-body" }, h("div", { class: "record-main" }, versions(steps), evidence(ties), related(ties)), aside(record, steps));

  const fail = (error) => told(error.message);
  const refresh = async () => {
    await load();
    paint();
  };

  function versions() {
    const states = steps.filter((step) => step.record);
    const last = steps.at(-1);
    const shown = h("div", { class: "versions" });
    const pick = (at) => {
      const [before, after] = [states[at - 1], states[at]];
      const [left, right] = sideBySide(before.record.text, after.record.text);
      show(shown, h("div", { class: "pair" }, [[before, left, `Version ${at}`], [after, right, `Version ${at + 1}`]].map(([step, side, label]) => h("section", { class: "side" }, h("h3", {}, label), side, h("p", { class: "small muted" }, moment(step.change.at)), fieldsChanged(step === after ? before.record : null, step.record)))));
    };
    const undoable = last && !asOf && last.change.verb !== "forget" && steps.length > 1;
    if (states.length > 1) pick(states.length - 1);
    return h("section", {},
      h("div", { class: "head" }, h("h2", {}, states.length > 1 ? `Versions (${states.length})` : "History"), undoable && h("button", { id: "undo-last", disabled: Boolean(refused()), onclick: () => takeBack(last.change.entry) }, "Undo the last change")),
      shown,
      h("ol", { class: "steps" }, steps.map((step) => {
        const at = states.indexOf(step);
        return h("li", {}, h("time", { class: "small muted numbers", datetime: step.change.at }, moment(step.change.at)),
          h("span", {}, h("b", {}, verb(step.change.verb)), ` by ${clientWord(step.change.actor)}`, step.change.reason && h("span", { class: "muted" }, ` — ${step.change.reason}`)),
          at > 0 && states.length > 2 && h("button", { class: "quiet small", onclick: () => pick(at), "aria-label": `Compare version ${at} with version ${at + 1}` }, "Compare"));
      }).reverse()));
  }

  async function takeBack(entry) {
    try {
      const undone = await undoEntries([entry])();
      told("Taken back.", undoEntries(undone.entries));
      await refresh();
    } catch (error) {
      fail(error);
    }
  }

  await load();
  if (!steps?.length && space && (await isFact())) return location.replace(`#/graph?fact=${part(id)}&space=${part(space)}${asOf ? `&as_of=${part(asOf)}` : ""}`);
  paint();

  /** What somebody else did to it is shown at once; whoever writes is told, and keeps what was written. */
  const hear = async () => {
    if (closed) return;
    if (!page.querySelector("form")) return refresh();
    const [last] = (await get(`records/${part(id)}/history`, { space })).slice(-1);
    const by = clientWord(last.change.actor);
    if (!last.record) return leave(last.change.verb === "forget" ? `Meanwhile it was forgotten for good by ${by}: nothing of it is left.` : `Meanwhile it was taken out by ${by}.`);
    const did = last.change.verb === "undo" ? "a change of it was taken back" : `it was ${verb(last.change.verb)}`;
    edited.textContent = `Meanwhile ${did} by ${by}. It says now: “${last.record.text.slice(0, 300)}” What you save takes its place.`;
    edited.hidden = false;
  };
  let closed = false;
  const heard = settled(() => hear().catch(fail), 200);
  const stop = onChange((changes) => changes.some((one) => one.object_id === id) && heard());
  const press = (name) => page.querySelector(`#${name}:not([disabled])`)?.click();
  return {
    close: () => {
      stop();
      closed = true;
      flush();
      if (page.querySelector("form.edit") && draftOf(space, id)) told("What you had begun to write is kept: it is there when you come back to that record.");
    },
    refresh: () => !page.querySelector("form.edit") && refresh().catch(fail),
    keys: [["e", "Edit", () => press("edit")], ["r", "Replace", () => press("replace")], ["p", "Pin", () => press("pin")], ["x", "No longer true", () => press("end")], ["f", "Forget…", () => press("forget")], ...(asOf ? [["n", "Back to now", () => press("to-now")]] : []), ["b", "Back", () => history.back()]],
  };
}

const SHOWN = ["title", "kind", "room", "project", "tags", "importance", "status", "valid_until", "trust", "superseded_by"];

function fieldsChanged(before, after) {
  if (!before) return null;
  const say = (value, name) => (Array.isArray(value) ? value.join(", ") || "none" : value === null || value === "" ? "nothing" : name === "valid_until" ? moment(value) : String(value));
  const rows = SHOWN.filter((name) => String(before[name]) !== String(after[name]));
  return rows.length > 0 && h("ul", { class: "small muted" }, rows.map((name) => h("li", {}, `${name.replaceAll("_", " ")}: ${say(before[name], name)} → ${say(after[name], name)}`)));
}

function gone(steps, replaced, past) {
  const last = steps.at(-1);
  const forgotten = last.change.verb === "forget";
  return empty(forgotten ? "This was forgotten" : "This is not there any more",
    forgotten ? `It left the store for good on ${day(last.change.at)}. Only that remains.` : `It was taken out on ${moment(last.change.at)} by ${clientWord(last.change.actor)}.`,
    !forgotten && !past && h("button", { disabled: Boolean(refused()), title: refused(), onclick: async () => { await undoEntries([last.change.entry])(); location.reload(); } }, "Bring it back"),
    replaced.length > 0 && [h("h3", {}, "What it had replaced"), h("ul", { class: "list" }, replaced.map((one) => recordCard(one)))]);
}

function evidence(ties) {
  if (!ties || (!ties.evidence.length && !ties.origin && !ties.around.length)) return null;
  const words = { current: ["still says so", ""], changed: ["says something else by now", "warn"], missing: ["is gone", "danger"], archived: ["was archived", "warn"] };
  return h("section", {}, h("h2", {}, "Where it comes from"),
    ties.origin && h("ul", { class: "list" }, recordCard(ties.origin)),
    ties.evidence.length > 0 && h("ul", { class: "list" }, ties.evidence.map(({ state, source, segment }) => {
      const [said, kind] = words[state.state] ?? [state.state, ""];
      const shown = segment ?? (source && source.kind !== "source" ? source : null);
      return h("li", { class: "item" },
        h("p", { class: "small" }, source ? h("a", { href: recordLink(source) }, source.title ?? source.source ?? source.id) : h("span", { class: "id" }, state.evidence.source), " ", h("span", { class: `mark ${kind}` }, said), segment && place(segment) && h("span", { class: "muted" }, ` ${place(segment)}`)),
        shown && h("blockquote", { class: "read quote" }, h("mark", {}, shown.text.slice(0, 1200))));
    })),
    ties.around.length > 0 && [h("h3", {}, "Before and after it"), h("ul", { class: "list" }, ties.around.map((one) => recordCard(one)))]);
}

function related(ties) {
  if (!ties) return null;
  const part_ = (title, records) => records.length > 0 && [h("h3", {}, title), h("ul", { class: "list" }, records.map((one) => recordCard(one)))];
  const parts = [part_("It contradicts", ties.contradicts), part_("It replaced", ties.replaced), part_("It was replaced by", ties.replaced_by ? [ties.replaced_by] : []), part_("Rests on it", ties.cited_by)].filter(Boolean);
  const names = ties.entities.length > 0 && [h("h3", {}, "It names"), h("p", { class: "actions" }, ties.entities.map((one) => h("a", { class: "tag", href: `#/graph?entity=${part(one.name)}&space=${part(one.space)}` }, one.name)))];
  return (parts.length > 0 || names) && h("section", {}, h("h2", {}, "What hangs together with it"), names, parts);
}

function aside(record, steps) {
  const first = steps[0]?.change;
  const row = (name, value) => value !== null && value !== undefined && value !== "" && [h("dt", {}, name), h("dd", {}, value)];
  return h("aside", { class: "facts", "aria-label": "About this record" }, h("dl", {},
    row("Happened", moment(record.event_time)),
    row("Stored", moment(record.created_at)),
    first && row("Written by", clientWord(first.actor)),
    row("Trust", trustWord(record.trust)),
    row("Kind", `${record.kind} (${record.memory_type})`),
    row("Project", record.project), row("Session", record.session), row("Who", record.role ?? record.user),
    row("Tags", record.tags.length ? h("span", { class: "actions" }, record.tags.map((tag) => h("a", { class: "tag", href: addressOf("recall", { tags: tag }) }, tag))) : null),
    row("Importance", percent(record.importance)), row("Confidence", percent(record.confidence)),
    row("True from", record.valid_from && moment(record.valid_from)), row("True until", record.valid_until && moment(record.valid_until)),
    row("Source", record.source), row("Place", place(record)),
    row("Recalled", record.access_count ? many(record.access_count, "time") : "never yet"),
    row("Id", h("span", { class: "id" }, record.id))));
}
