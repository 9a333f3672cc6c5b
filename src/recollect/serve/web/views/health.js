// Is everything well: the store, the model, the clients, and how has it grown?

import { get, part } from "../api.js";
import { broken, h, show, svg } from "../dom.js";
import { ago, bytes, clientWord, count, day, many } from "../words.js";

export async function open(page) {
  const verdict = h("p", { role: "status" });
  const found = h("div", { class: "stack" });
  const health = await get("health", { check: false });
  const records = health.spaces.reduce((sum, one) => sum + one.records, 0);
  page.append(
    h("div", { class: "head" }, h("h1", {}, "Health"), verdict),
    found,
    h("section", { class: "figures" }, figure("Records", count(records)), figure("On disk", bytes(health.bytes)), figure("Waiting for vectors", count(health.model.waiting)), figure("Spaces", count(health.spaces.length))),
    growth(health.grown),
    spaces(health.spaces),
    clients(health.actors),
    model(health),
    given(health.injected),
    spending(health.spending),
    h("section", {}, h("h2", {}, "Where it is kept"), h("p", { class: "id" }, health.store), h("p", { class: "small muted" }, backups(health.backup))));

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
  check();
  return { refresh: check };
}

const figure = (name, value) => h("div", { class: "figure" }, h("b", { class: "numbers" }, value), h("span", { class: "small muted" }, name));

function backups(last) {
  if (!last) return "A backup is made with `recollect backup FOLDER`, while everything goes on; it is read back before it counts.";
  return `The last backup was made ${ago(last.at)} and read back (${bytes(last.bytes)}): ${last.path}.`;
}

function growth(days) {
  if (days.length < 2) return "";
  const end = new Date(days.at(-1).day), start = new Date(days[0].day);
  const span = Math.round((end - start) / 86_400_000) + 1;
  const bins = Math.min(span, 60), width = 720, tall = 140;
  const sums = new Array(bins).fill(0);
  for (const one of days) sums[Math.min(bins - 1, Math.floor((((new Date(one.day) - start) / 86_400_000) / span) * bins))] += one.records;
  const most = Math.max(...sums, 1), step = width / bins;
  const total = days.reduce((sum, one) => sum + one.records, 0);
  return h("figure", { class: "chart" },
    h("figcaption", {}, h("h2", {}, "What was stored, over time"), h("p", { class: "small muted" }, `${count(total)} records from ${day(start)} to ${day(end)}; at most ${count(most)} in ${span > bins ? many(Math.round(span / bins), "day") : "a day"}.`)),
    svg("svg", { viewBox: `0 0 ${width} ${tall}`, preserveAspectRatio: "none", role: "img", "aria-label": `Records stored from ${day(start)} to ${day(end)}, ${count(total)} in all` },
      sums.map((sum, at) => sum > 0 && svg("rect", { x: at * step + 1, width: Math.max(step - 2, 1), y: tall - Math.max((sum / most) * (tall - 4), 2), height: Math.max((sum / most) * (tall - 4), 2), rx: 1.5 })),
      svg("line", { x1: 0, x2: width, y1: tall - 0.5, y2: tall - 0.5 })),
    h("div", { class: "axis small muted" }, h("span", {}, day(start)), h("span", {}, day(end))));
}

const table = (title, names, rows, nothing) =>
  h("section", {}, h("h2", {}, title), rows.length ? h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, h("table", {}, h("thead", {}, h("tr", {}, names.map((name, at) => h("th", { scope: "col", class: at ? "right" : "" }, name)))), h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, at) => (at ? h("td", { class: "right numbers" }, cell) : h("th", { scope: "row" }, cell)))))))) : h("p", { class: "muted" }, nothing));

const spaces = (all) => table("Spaces", ["Space", "Records", "Sessions", "Entities", "Facts", "Newest"], all.map((one) => [h("a", { href: `#/spaces/${part(one.space)}` }, one.space), count(one.records), count(one.sessions), count(one.entities), count(one.relations), one.newest ? ago(one.newest) : "never"]), "There is no space yet.");

const clients = (actors) => table("Who wrote to it", ["Client", "Changes", "Last"], actors.map((one) => [clientWord(one.name), count(one.changes), ago(one.last)]), "Nobody has written anything yet. Connect an agent with `recollect connect`.");

function model({ model: one }) {
  const words = { ready: "loaded", idle: "not loaded until something is asked", loading: "being loaded", failed: "failed", none: "none: recall goes by words alone" }[one.state] ?? one.state;
  return h("section", {}, h("h2", {}, "Model"), h("p", {}, one.name ? `${one.name}, ${one.dim} dimensions: ${words}.` : `${one.embedder}: ${words}.`), h("p", { class: "small muted" }, one.waiting ? `${many(one.waiting, "record")} still wait for a vector, and are found by their words meanwhile.` : "No record waits for a vector."));
}

const given = (days) => table("What agents were given unasked", ["Day", "Times", "Tokens"], days.slice(0, 14).map((one) => [day(one.day), count(one.times), count(one.tokens)]), "Nothing yet. `recollect connect CLIENT --auto` has a client's hooks ask for it.");

const spending = (days) => (days.length ? table("Language models", ["Day", "Calls", "Tokens in", "Tokens out"], days.slice(0, 14).map((one) => [`${one.day} ${one.provider}`, count(one.calls), count(one.tokens_in), count(one.tokens_out)]), "") : "");
