// Who and what is spoken of, and what is stated between them? A network, and the same as a list.

import { get, isWay, part } from "../api.js";
import { broken, empty, h, loading, settled, show } from "../dom.js";
import { network } from "../network.js";
import { pastNote, recordCard } from "../parts.js";
import { keepAddress, spaceOf, toNow } from "../store.js";
import { count, day, many } from "../words.js";

export const WIDE = true;
const STEPS = 200;
const MOST = 2000; // nodes at once; what is near a name comes along when it is looked at

export async function open(page, where) {
  const space = await spaceOf(where);
  const canvas = h("canvas", { tabindex: 0, role: "img", "aria-label": "The network of entities; the list beside it says the same in words" });
  const side = h("aside", { class: "graph-side", "aria-label": "What is selected" });
  const search = h("input", { id: "find", type: "search", list: "names", placeholder: "Find a name", "aria-label": "Find a name", autocomplete: "off" });
  const names = h("datalist", { id: "names" });
  const past = h("input", { type: "checkbox", id: "past" });
  past.checked = where.query.get("past") !== "no";
  const range = h("input", { type: "range", id: "time", min: 0, max: STEPS, value: STEPS });
  const said = h("output", { for: "time", class: "small" }, "As it is now");
  const figures = h("p", { class: "small muted", role: "status" }, "\u00a0"); // its place is kept
  const net = network(canvas, { chose: (node) => (node ? select(node.name, node.id) : leave()), broke: (error) => canvas.replaceWith(h("p", { class: "note", role: "alert" }, error.message)) });
  let drawn, nodes = [], edges = [], byId = new Map(), chosen = null, turn = 0;
  let exact = Date.parse(where.query.get("at")) || null; // as the address says it, until the slider is moved
  const asOf = Number.isNaN(Date.parse(where.query.get("as_of"))) ? null : where.query.get("as_of"); // what was known then
  const end = () => (asOf ? Date.parse(asOf) : Date.now());

  async function load() {
    drawn = await get("graph", { space, as_of: asOf, past: true, limit: MOST }); // whatever moment is looked at, what held then is among it
    const place = ({ id }) => (byId.has(id) ? { x: byId.get(id).x, y: byId.get(id).y } : {});
    nodes = drawn.nodes.map((node) => ({ ...node, ...place(node) })).sort((one, other) => other.degree - one.degree || (one.name < other.name ? -1 : 1));
    byId = new Map(nodes.map((node) => [node.id, node]));
    names.replaceChildren(...nodes.slice(0, 500).map((node) => h("option", { value: node.name })));
    if (exact) range.value = ((exact - first()) / (end() - first())) * STEPS;
    filter();
    net.lay(drawn.edges);
  }

  const first = () => (drawn.first ? new Date(drawn.first).getTime() : end());
  const moment = () => exact ?? (Number(range.value) >= STEPS ? null : first() + ((end() - first()) * Number(range.value)) / STEPS);
  const address = (entity = chosen?.name) => keepAddress("graph", { space, entity, as_of: asOf, at: moment() && new Date(moment()).toISOString(), past: past.checked ? null : "no" });

  /** Leaves what was stated by the moment that is looked at; unless wished otherwise, only what held then. */
  function filter() {
    const at = moment();
    const before = (edge) => (at === null && edge.holds) || new Date(edge.valid_from).getTime() <= (at ?? end());
    const held = (edge) => (at === null ? edge.holds : !edge.valid_until || new Date(edge.valid_until).getTime() > at);
    edges = drawn.edges.filter(before).map((edge) => ({ ...edge, now: held(edge) })).filter((edge) => edge.now || past.checked);
    tally(at);
    const spoken = new Set(edges.flatMap((edge) => [edge.subject, edge.object]));
    for (const node of nodes) node.away = at !== null && !spoken.has(node.id) && !(node.since && new Date(node.since).getTime() <= at); // nobody spoke of it yet
    net.draw(nodes, edges);
    said.textContent = at !== null ? `As it was on ${day(at)}` : asOf ? `As it was known on ${day(asOf)}` : "As it is now";
    range.setAttribute("aria-valuetext", said.textContent);
    const old = edges.filter((edge) => !edge.now).length;
    const there = nodes.filter((node) => !node.away).length;
    figures.textContent = `${count(there)}${at === null && drawn.total > there ? ` of ${count(drawn.total)}` : ""} ${there === 1 ? "entity" : "entities"}, ${many(edges.length - old, "fact")}${old ? `, and ${count(old)} that held once (dashed)` : ""}.`;
  }

  /** How much is stated of each name at the moment that is looked at. */
  function tally(at) {
    const all = at === null && past.checked; // also what is stated between them and names that are not drawn
    for (const node of nodes) node.stated = all ? node.degree : 0;
    if (!all) for (const { subject, object } of edges) for (const end of [subject, object]) if (byId.has(end)) byId.get(end).stated++;
  }

  // Selecting

  /** What is near a name and not drawn yet comes in beside it. */
  function expand({ entity, near, relations }) {
    if (!entity) return;
    const middle = byId.get(entity.id) ?? { x: 0, y: 0 };
    const beside = (at) => (middle.x === undefined ? {} : { x: middle.x + 40 * Math.cos(at * 2.4), y: middle.y + 40 * Math.sin(at * 2.4) });
    const fresh = [entity, ...near].filter((one) => !byId.has(one.id));
    fresh.forEach(({ id, name, type, created_at: since }, at) => {
      const node = { id, name, type, since, degree: 0, ...beside(at) };
      nodes.push(node);
      byId.set(id, node);
    });
    const known = new Set(drawn.edges.map((edge) => edge.id));
    const added = relations.filter((one) => !known.has(one.id) && byId.has(one.subject) && byId.has(one.object));
    for (const { id, subject, predicate, object, valid_from, valid_until } of added) {
      drawn.edges.push({ id, subject, predicate, object, valid_from, valid_until, holds: !valid_until || new Date(valid_until).getTime() > end() });
      byId.get(subject).degree++;
      byId.get(object).degree++;
    }
    if (!fresh.length && !added.length) return;
    filter();
    net.lay(drawn.edges, 0.1); // the others hardly move
  }

  async function select(name, id) {
    const same = (node) => node.name.toLowerCase() === name.toLowerCase();
    chosen = (id && byId.get(id)) ?? nodes.find((node) => node.name === name || node.id === name) ?? nodes.find(same) ?? null;
    net.choose(chosen);
    address(chosen?.name ?? name);
    show(side, loading("Looking…"));
    await tell(chosen?.name ?? name);
  }

  function leave() {
    turn++;
    chosen = null;
    net.choose(null);
    address();
    show(side, overview());
  }

  /** What is known of a name at the moment that is looked at. */
  async function tell(name) {
    const mine = ++turn, at = moment(), known = chosen;
    try {
      const found = await get(`entities/${part(addressed(name, known))}`, { space, as_of: asOf, true_at: at && new Date(at).toISOString() });
      if (mine !== turn) return;
      expand(found);
      chosen = byId.get(found.entity?.id) ?? chosen;
      if (chosen !== known) net.choose(chosen);
      show(side, card(found));
    } catch (error) {
      if (mine === turn) show(side, broken(error));
    }
  }

  /** How a name is asked for: one that no address can have, by the id of what has it. */
  function addressed(name, node) {
    if (!isWay(name)) return name;
    if (node) return node.id;
    throw new Error(`“${name}” cannot be asked for by its name, and is not among what is drawn.`);
  }

  /** A fact is shown at the name that it is stated of. */
  function selectFact(id) {
    const edge = drawn.edges.find((one) => one.id === id);
    if (edge) select(byId.get(edge.subject).name, edge.subject);
    else show(side, empty("This fact is not drawn", "It was taken back, or it is between names that are not among the most connected. Find one of them by its name."));
  }

  function card(found) {
    const link = (name) => h("button", { class: "quiet", onclick: () => select(name) }, name);
    const until = (moment_) => moment_ && h("span", { class: "small muted" }, ` until ${day(moment_)}`);
    const fact = (one) => h("li", {}, `${one.predicate} `, link(one.object), until(one.relation.valid_until));
    const of = edges.filter((edge) => edge.object === found.entity?.id && edge.subject !== edge.object && byId.has(edge.subject));
    const stated = (edge) => h("li", {}, link(byId.get(edge.subject).name), ` ${edge.predicate} ${found.name}`, until(edge.valid_until));
    const [now, once] = [of.filter((edge) => edge.now).slice(0, 50).map(stated), of.filter((edge) => !edge.now).slice(0, 50).map(stated)];
    return h("div", { class: "column tight" },
      h("h2", {}, found.name), found.entity?.type && h("p", { class: "small muted" }, found.entity.type), found.entity?.description && h("p", {}, found.entity.description),
      found.entity?.aliases.length > 0 && h("p", { class: "small muted" }, `Also called ${found.entity.aliases.join(", ")}`),
      found.facts.length + now.length > 0 && [h("h3", {}, "What is stated"), h("ul", { class: "plain-list" }, found.facts.map(fact), now)],
      moment() === null && found.coming.length > 0 && [h("h3", {}, "What is to come"), h("ul", { class: "plain-list" }, found.coming.map((one) => h("li", {}, `${one.predicate} `, link(one.object), h("span", { class: "small muted" }, ` from ${day(one.relation.valid_from)}`))))],
      past.checked && found.past.length + once.length > 0 && [h("h3", {}, "What was stated once"), h("ul", { class: "plain-list once" }, found.past.map(fact), once)],
      found.near.length > 0 && [h("h3", {}, "Near it"), h("p", { class: "actions" }, found.near.slice(0, 24).map((one) => h("button", { class: "tag", onclick: () => select(one.name, one.id) }, one.name)))],
      found.mentioned_in.length > 0 && [h("h3", {}, `Mentioned in ${many(found.mentioned_in.length, "record")}`), h("ul", { class: "list" }, found.mentioned_in.slice(0, 12).map((one) => recordCard(one, { asOf })))],
      !found.entity && !found.mentioned_in.length && h("p", { class: "muted" }, "Nothing is known by that name."));
  }

  const foremost = () => nodes.filter((node) => !node.away && (node.stated || moment() === null)).sort((one, other) => other.stated - one.stated).slice(0, 20);
  const overview = () => h("div", { class: "column tight" }, h("h2", {}, "Most connected"), h("ol", { class: "plain-list" }, foremost().map((node) => h("li", {}, h("button", { class: "quiet", onclick: () => select(node.name, node.id) }, node.name), h("span", { class: "small muted" }, ` ${many(node.stated, "fact")}`)))));

  const replay = settled(() => (chosen ? tell(chosen.name) : show(side, overview())), 250);
  search.addEventListener("change", () => search.value.trim() && select(search.value.trim()));
  past.addEventListener("change", () => drawn && (filter(), address(), replay()));
  range.addEventListener("input", settled(() => ((exact = null), filter(), address(), replay()), 16));

  show(page,
    h("div", { class: "head" }, h("h1", {}, "Graph"), h("p", {}, `Who and what ${space} speaks of, and what is stated between them.`)),
    asOf && pastNote(asOf, () => toNow("graph", { ...Object.fromEntries(where.query), space, entity: chosen?.name ?? where.query.get("entity") })),
    h("div", { class: "graph-bar" }, h("div", { class: "field" }, search, names), h("div", { class: "as-of" }, h("label", { for: "time", class: "small muted" }, "As of"), range, said), h("label", { class: "check" }, past, "Also what held once"), h("div", { class: "actions" }, h("button", { onclick: () => net.zoom(1.3), "aria-label": "Larger" }, "+"), h("button", { onclick: () => net.zoom(1 / 1.3), "aria-label": "Smaller" }, "−"), h("button", { onclick: net.showAll }, "All"))),
    figures,
    h("div", { class: "graph" }, h("div", { class: "graph-canvas sheet" }, canvas), side));
  return {
    close: net.close,
    shown: async () => {
      net.begin();
      await load().catch((error) => show(side, broken(error)));
      if (!drawn) return;
      if (!nodes.length) show(page, h("div", { class: "head" }, h("h1", {}, "Graph")), asOf && pastNote(asOf, () => toNow("graph", { space })), asOf ? empty("Nothing was known yet", `No entity of ${space} was known then.`) : empty(`No entities in ${space} yet`, "When an agent states a fact (“auth-service runs version 2.4”), both ends appear here, with what was said between them."));
      else if (where.query.get("entity")) select(where.query.get("entity"));
      else if (where.query.get("fact")) selectFact(where.query.get("fact"));
      else {
        address();
        show(side, overview());
      }
    },
    keys: [["+", "Larger", () => net.zoom(1.3)], ["-", "Smaller", () => net.zoom(1 / 1.3)], ["0", "Show all of it", net.showAll], ["ArrowLeft", "Move left", () => net.move(60, 0)], ["ArrowRight", "Move right", () => net.move(-60, 0)], ["ArrowUp", "Move up", () => net.move(0, 60)], ["ArrowDown", "Move down", () => net.move(0, -60)], ["s", "Find a name", () => search.focus()], ...(asOf ? [["n", "Back to now", () => page.querySelector("#to-now").click()]] : [])],
  };
}
