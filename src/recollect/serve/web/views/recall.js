// What is known about a question? Answers as you type, with why, and as it was known at any moment.

import { get, spaceView } from "../api.js";
import { broken, empty, h, put, sentence, settled, show } from "../dom.js";
import { onChange } from "../live.js";
import { hitCard, recordLink, togglePin, walker, windowed } from "../parts.js";
import { keepAddress, refused, state, told } from "../store.js";
import { day, likelihood, many, moment } from "../words.js";

const STEPS = 400;
const WINDOW = 25; // records of a list that are drawn in one go
const SLOW = 300; // milliseconds after which it is said that something is looked for

export async function open(page, where) {
  const given = where.query;
  const q = h("input", { id: "q", type: "search", value: given.get("q") ?? "", placeholder: "Ask your memory anything", "aria-label": "Ask your memory anything", autocomplete: "off", spellcheck: "false" });
  const results = h("div", { class: "results", "aria-busy": "false" });
  const summary = h("p", { class: "small muted summary", role: "status", "aria-live": "polite" });
  const filters = makeFilters(given);
  const slider = makeSlider(given.get("as_of"));
  let asking = null, again = false, hits = [], list = null;

  const query = () => ({ q: q.value.trim(), space: state.space || null, ...filters.values(), as_of: slider.value(), limit: 20, touch: false }); // half a question, asked while somebody types, is no recall

  /** One question at a time, and the first at once: what is typed meanwhile is asked when the answer is there, so that none
   *  piles up and no older answer takes the place of a newer one. */
  async function run() {
    if (asking) return (again = true);
    do {
      again = false;
      asking = new AbortController();
      const asked = query();
      keepAddress("recall", { ...asked, limit: null, touch: null });
      await (!asked.q && filters.narrow() ? listAll(asked) : look(asked));
    } while (again && !asking.signal.aborted);
    asking = null;
  }

  /** Where nothing is asked, exactly what the filters let through, the newest first. */
  async function listAll({ q: _, limit: __, touch: ___, ...where }) {
    const found = [];
    let total = 0;
    const next = windowed(async (cursor) => {
      const window_ = await get("records", { ...where, order: "latest", cursor, limit: WINDOW, total: cursor === null || null });
      total = window_.total ?? total;
      found.push(...window_.records.map((record) => ({ record })));
      return { items: window_.records, next: window_.next };
    }, (record) => hitCard({ record }, record.version, { space: !state.space, asked: false, asOf: where.as_of }), { nothing: () => nothing(where, {}), kind: "hits plain" });
    await next.more();
    if (asking.signal.aborted) return next.close();
    list?.close();
    [list, hits] = [next, found];
    summary.textContent = total ? `Nothing asked: ${many(total, "record")} that these filters let through, the newest first.` : "";
    show(results, list.whole);
    results.dataset.asked = "";
  }

  async function look(asked) {
    results.setAttribute("aria-busy", "true");
    const slow = setTimeout(() => (summary.textContent = "Looking…"), SLOW);
    try {
      const answer = await get("recall", asked, asking.signal);
      hits = answer.hits;
      list?.close();
      list = null;
      paint(asked, answer);
      results.dataset.asked = asked.q;
    } catch (error) {
      if (error.name === "AbortError") return;
      show(results, broken(error, run));
      summary.textContent = "";
    } finally {
      clearTimeout(slow);
    }
    results.setAttribute("aria-busy", "false");
  }

  function paint(asked, answer) {
    const { signals } = answer;
    if (!hits.length) show(results, nothing(asked, signals));
    else show(results, h("ol", { class: signals.brief ? "hits plain" : "hits" }, hits.map((hit, at) => [belowTheLine(hit, hits[at - 1], signals), hitCard(hit, at, { space: !state.space, asked: !signals.brief, asOf: asked.as_of })])));
    const took = `${Math.max(1, Math.round(signals.milliseconds))} ms`;
    if (!hits.length && (signals.problem || asked.as_of)) summary.textContent = "";
    else if (signals.brief) summary.textContent = hits.length ? `Nothing asked: this is what is worth knowing. ${many(hits.length, "record")}, ${took}.` : "";
    else if (hits.length && hits[0].score < 0.25) summary.textContent = `Nothing here clearly answers that; these come closest. ${took}.`;
    else summary.textContent = `${many(hits.length, "record")} in ${took}${signals.waiting_for_vectors ? `; ${many(signals.waiting_for_vectors, "record")} known by words only so far` : ""}.`;
  }

  q.addEventListener("input", run);
  q.addEventListener("keydown", (event) => event.key === "ArrowDown" && (event.preventDefault(), go(1)));
  filters.onchange(run);
  slider.onchange(run);
  const stop = onChange(settled(() => !slider.value() && !(list && scrollY > 300) && run(), 400));
  const go = walker(".hit a");
  lay(page, q, filters, slider, summary, results);
  const ready = run();
  const focused = () => hits.find(({ record }) => recordLink(record, slider.value()) === document.activeElement.getAttribute("href")) ?? hits[0];
  return {
    close: () => (stop(), asking?.abort(), list?.close()),
    refresh: run,
    ready,
    reach: (y) => list?.reach(y),
    shown: (again) => !again && given.get("focus") && q.focus({ preventScroll: true }), // only who asked for it: else no key would work
    keys: [
      ["j ArrowDown", "Next answer", () => go(1)],
      ["k ArrowUp", "Answer before", () => go(-1)],
      ["Enter", "Open", () => focused() && (location.hash = recordLink(focused().record, slider.value()))],
      ["p", "Pin, or take the pin out", () => (refused() ? told(refused()) : focused() && togglePin(focused().record))],
      ["n", "Back to now", () => slider.reset()],
    ],
  };
}

/** Where what may answer ends, and what hardly does begins. */
function belowTheLine(hit, before, { brief }) {
  if (brief || !before || likelihood(hit.score) !== "unlikely" || likelihood(before.score) === "unlikely") return null;
  return h("li", { class: "the-line" }, h("span", {}, "Hardly an answer"));
}

function lay(page, q, filters, slider, summary, results) {
  put(page,
    h("h1", { class: "said" }, "Recall"),
    h("form", { class: "ask", role: "search", onsubmit: (event) => event.preventDefault() }, q),
    narrowing([filters.element, slider.element], Boolean(slider.value() || filters.narrow())),
    summary, results);
}

/** Filters and slider; where there is little room they are behind a word, unless something is narrowed already. */
function narrowing(parts, open) {
  const box = h("div", { class: "narrow", id: "narrow", "data-open": open }, parts);
  const word = h("button", { type: "button", class: "quiet small narrow-word", "aria-controls": "narrow", "aria-expanded": String(open), onclick: () => word.setAttribute("aria-expanded", String(box.toggleAttribute("data-open"))) }, "Filters, and what was known before");
  return [word, box];
}

function nothing(asked, signals) {
  if (asked.as_of && new Date(asked.as_of) <= new Date(state.status.first)) return empty("Nothing was known yet", `The first memory is of ${moment(state.status.first)}. Move the slider to the right.`);
  if (signals.problem) return empty("Nothing to show", sentence(signals.problem));
  if (asked.as_of) return empty("Nothing was known of that", "Other words may find more, or a later day.");
  if (asked.q || asked.kinds || asked.project || asked.tags || asked.since || asked.until) return empty("Nothing found", "No record fits. Try other words, or fewer filters.");
  return empty("Nothing is remembered yet", "As soon as an agent remembers something, or you do, it can be found here.", h("p", {}, "Connect one with ", h("code", {}, "recollect connect"), ", or store a first note with ", h("code", {}, "recollect remember"), "."));
}

// Filters

const NARROWING = ["kinds", "project", "tags", "since", "until"];

/** What is chosen by the address can be asked for at once; what else there is to choose from comes when it is known. */
function makeFilters(given) {
  const choice = (name, label) => {
    const chosen = given.get(name);
    return h("div", { class: "field" }, h("label", { for: `f-${name}` }, label), h("select", { id: `f-${name}` }, h("option", { value: "" }, "Any"), chosen && h("option", { value: chosen, selected: true }, chosen)));
  };
  const date = (name, label) => h("div", { class: "field" }, h("label", { for: `f-${name}` }, label), h("input", { id: `f-${name}`, type: "date", value: given.get(name) ?? "" }));
  const element = h("div", { class: "filters" }, choice("kinds", "Kind"), choice("project", "Project"), choice("tags", "Tag"), date("since", "From"), date("until", "Until"));
  const read = (name) => element.querySelector(`#f-${name}`).value || null;
  const fill = (spaces) => {
    for (const [name, field] of [["kinds", "kinds"], ["project", "projects"], ["tags", "tags"]]) {
      const select = element.querySelector(`#f-${name}`), chosen = select.value;
      const values = new Set(spaces.flatMap((space) => space[field].map((one) => one.name)));
      if (chosen) values.add(chosen);
      show(select, h("option", { value: "" }, "Any"), [...values].sort().map((one) => h("option", { value: one }, one)));
      select.value = chosen;
    }
  };
  (state.space ? spaceView(state.space).then((one) => [one]) : get("spaces")).then(fill, (error) => told(error.message));
  return {
    element,
    onchange: (act) => element.addEventListener("change", act),
    values: () => Object.fromEntries(NARROWING.map((name) => [name, read(name)])),
    narrow: () => NARROWING.some(read),
  };
}

// What was known then

function makeSlider(at) {
  const first = state.status.first ? new Date(state.status.first).getTime() : Date.now();
  const span = Math.max(Date.now() - first, 1);
  let exact = Number.isNaN(Date.parse(at)) ? null : at; // as the address says it, until the slider is moved
  const start = exact ? Math.round(((new Date(at).getTime() - first) / span) * STEPS) : STEPS;
  const range = h("input", { type: "range", id: "as-of", min: 0, max: STEPS, step: 1, value: start });
  const words = h("output", { for: "as-of", class: "small" });
  const back = h("button", { type: "button", class: "quiet small", onclick: () => reset() }, "Back to now");
  let act = () => {};
  const value = () => exact ?? (Number(range.value) >= STEPS ? null : new Date(first + (span * Number(range.value)) / STEPS).toISOString());
  const paint = () => {
    const moment_ = value();
    const said = moment_ ? `As it was known on ${span < 3 * 86_400_000 ? moment(moment_) : day(moment_)}` : "As it is known now";
    words.textContent = said;
    range.setAttribute("aria-valuetext", said);
    back.classList.toggle("away", !moment_);
    back.tabIndex = moment_ ? 0 : -1;
  };
  const reset = () => {
    exact = null;
    range.value = STEPS;
    paint();
    act();
  };
  range.addEventListener("input", () => ((exact = null), paint(), act()));
  paint();
  return { element: h("div", { class: "as-of" }, h("label", { for: "as-of", class: "small muted" }, "As of"), range, words, back), value, reset, onchange: (next) => (act = next) };
}

