// Is everything well: the store, the model, the clients, and how has it grown?

import { get, part } from "../api.js";
import { broken, h, settled, show, svg, worded } from "../dom.js";
import { onChange } from "../live.js";
import { state } from "../store.js";
import { ago, bytes, clientWord, count, day, many } from "../words.js";

const EVERY = 20_000; // milliseconds after which it is asked anew who called

export async function open(page) {
  const verdict = h("p", { role: "status" });
  const found = h("div", { class: "stack" });
  const figures = h("div", { class: "column" });
  page.append(h("div", { class: "head" }, h("h1", {}, "Health"), verdict), found, figures);

  /** What needs no reading of the whole store. While somebody is in a table it stays as it is. */
  async function paint() {
    const health = await get("health", { check: false });
    if (figures.contains(document.activeElement)) return;
    const records = Object.values(health.records).reduce((sum, one) => sum + one, 0);
    const { me } = state.status;
    const mine = me.scope === "admin" && me.spaces === null; // whoever may see a part is not told who else comes and where it lies
    show(figures,
      h("section", { class: "figures" }, figure("Records that hold now", count(records)), mine && figure("On disk", bytes(health.bytes)), figure("Waiting for vectors", count(health.model.waiting)), figure("Spaces", count(health.spaces.length))),
      growth(health.grown),
      mine && clients(health.clients),
      spaces(health),
      writers(health.actors),
      model(health),
      mine && [given(health.injected), spending(health.spending), h("section", {}, h("h2", {}, "Where it is kept"), h("p", { class: "id" }, health.store)), backups(health.backups)]);
  }

  /** Reading the whole store takes a large one some seconds; everything else is there meanwhile. */
  async function check() {
    verdict.textContent = "Reading the store…";
    try {
      judge(await get("health"));
    } catch (error) {
      verdict.textContent = "";
      show(found, broken(error, check));
      found.hidden = false;
    }
  }

  function judge({ problems, notes, checked_ms: took }) {
    const said = took === null ? "What you may see is well." : `All is well. The store was read in ${took < 1000 ? `${Math.round(took)} ms` : `${(took / 1000).toFixed(1)} s`}, just now.`;
    verdict.textContent = problems.length ? `${many(problems.length, "thing")} ${problems.length === 1 ? "is" : "are"} wrong.` : said;
    verdict.className = problems.length ? "unwell" : "well";
    show(found, problems.map((one) => h("p", { class: "broken" }, one)), notes.map((one) => h("p", { class: "note" }, one)));
    found.hidden = !found.childElementCount;
  }

  found.hidden = true;
  await paint();
  check();
  const anew = () => !document.hidden && paint().catch(() => null); // a server that is away is told at the edge
  const clock = setInterval(anew, EVERY);
  const stop = onChange(settled(anew, 2000));
  return { close: () => (clearInterval(clock), stop()), refresh: () => (paint().catch(() => null), check()) };
}

const figure = (name, value) => h("div", { class: "figure" }, h("b", { class: "numbers" }, value), h("span", { class: "small muted" }, name));

const backups = (all) => table("Backups", ["Made", "Size", "File"], all.map((one) => [ago(one.at), bytes(one.bytes), h("span", { class: "id" }, one.path)]), "None yet. A backup is made with `recollect backup FOLDER`, while everything goes on; it is read back before it counts.");

/** Bars of a value over days, at most sixty of them; the caption says the same in words. */
function chart(title, days, said) {
  if (days.length < 2) return "";
  const end = new Date(days.at(-1).day), start = new Date(days[0].day);
  const span = Math.round((end - start) / 86_400_000) + 1;
  const bins = Math.min(span, 60), width = 720, tall = 140;
  const sums = new Array(bins).fill(0);
  for (const one of days) sums[Math.min(bins - 1, Math.floor((((new Date(one.day) - start) / 86_400_000) / span) * bins))] += one.value;
  const most = Math.max(...sums, 1), step = width / bins;
  const total = days.reduce((sum, one) => sum + one.value, 0);
  const each = span > bins ? many(Math.round(span / bins), "day") : "a day";
  return h("figure", { class: "chart" },
    h("figcaption", {}, h("h2", {}, title), h("p", { class: "small muted" }, `${said(total)} from ${day(start)} to ${day(end)}; at most ${count(most)} in ${each}.`)),
    svg("svg", { viewBox: `0 0 ${width} ${tall}`, preserveAspectRatio: "none", role: "img", "aria-label": `${title}: ${said(total)} from ${day(start)} to ${day(end)}` },
      sums.map((sum, at) => sum > 0 && svg("rect", { x: at * step + 1, width: Math.max(step - 2, 1), y: tall - Math.max((sum / most) * (tall - 4), 2), height: Math.max((sum / most) * (tall - 4), 2), rx: 1.5 })),
      svg("line", { x1: 0, x2: width, y1: tall - 0.5, y2: tall - 0.5 })),
    h("div", { class: "axis small muted" }, h("span", {}, day(start)), h("span", {}, day(end))));
}

const growth = (days) => chart("What was stored, over time", days.map((one) => ({ day: one.day, value: one.records })), (total) => many(total, "record"));

const table = (title, names, rows, nothing, note) =>
  h("section", {}, h("h2", {}, title), rows.length > 0 && note && h("p", { class: "small muted" }, note), rows.length ? h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, h("table", {}, h("thead", {}, h("tr", {}, names.map((name, at) => h("th", { scope: "col", class: at ? "right" : "" }, name)))), h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, at) => (at ? h("td", { class: "right numbers" }, cell) : h("th", { scope: "row" }, cell)))))))) : h("p", { class: "muted" }, worded(nothing)));

const clients = (all) => table("Clients", ["Client", "Calls by", "Open now", "Calls", "Last called"], all.map((one) => [[clientWord(one.name), one.problem && h("p", { class: "small unwell" }, one.problem)], one.by === "hooks" ? "hooks" : "protocol", one.by === "hooks" ? "–" : count(one.open), one.by === "hooks" ? "–" : count(one.calls), ago(one.last)]), "Nobody has called since this service began. Connect an agent with `recollect connect`.", "Connections and calls since this service began; one that has been silent for half an hour is no longer counted as open. Hooks whenever they ran on this machine.");

const spaces = (health) => table("Spaces", ["Space", "Hold now", "Kept", "Sessions", "Entities", "Facts", "Newest"], health.spaces.map((one) => [h("a", { href: `#/spaces/${part(one.space)}` }, one.space), count(health.records[one.space] ?? 0), count(one.records), count(one.sessions), count(one.entities), count(one.relations), one.newest ? ago(one.newest) : "never"]), "There is no space yet.", "Kept counts also what ended, was replaced or archived, and the sources that others come from.");

const writers = (actors) => table("Who wrote to it", ["Client", "Changes", "Last"], actors.map((one) => [clientWord(one.name), count(one.changes), ago(one.last)]), "Nobody has written anything yet. Connect an agent with `recollect connect`.");

function model({ model: one }) {
  const words = { ready: "loaded", idle: "not loaded until something is asked", loading: "being loaded", failed: "failed", none: "not used: recall goes by words alone" }[one.state] ?? one.state;
  return h("section", {}, h("h2", {}, "Model"), h("p", {}, one.name ? `${one.name}, ${one.dim} dimensions: ${words}.` : one.state === "none" ? "None: recall goes by words alone." : `${one.embedder}: ${words}.`), h("p", { class: "small muted" }, one.waiting ? `${many(one.waiting, "record")} still wait for a vector, and are found by their words meanwhile.` : "No record waits for a vector."));
}

function given(days) {
  const title = "What agents were given unasked";
  if (days.length < 3) return table(title, ["Day", "Times", "Tokens"], days.map((one) => [day(one.day), count(one.times), count(one.tokens)]), "Nothing yet. `recollect connect CLIENT --auto` has a client's hooks ask for it.");
  const times = days.reduce((sum, one) => sum + one.times, 0);
  return chart(title, days.map((one) => ({ day: one.day, value: one.tokens })).sort((one, other) => one.day.localeCompare(other.day)), (total) => `${many(total, "token")}, ${many(times, "time")},`);
}

const spending = (days) => (days.length ? table("Language models", ["Day", "Calls", "Tokens in", "Tokens out"], days.slice(0, 14).map((one) => [`${one.day} ${one.provider}`, count(one.calls), count(one.tokens_in), count(one.tokens_out)]), "") : "");
