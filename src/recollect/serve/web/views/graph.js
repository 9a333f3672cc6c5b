// Who and what is spoken of, and what is stated between them? A network, and the same as a list.

import { get, part } from "../api.js";
import { broken, empty, h, loading, settled, show } from "../dom.js";
import { layout } from "../force.js";
import { recordCard } from "../parts.js";
import { keepAddress, oneSpace } from "../store.js";
import { count, day, many } from "../words.js";

export const WIDE = true;
const FRAME = 12; // milliseconds that the layout may take of one frame
const STEPS = 200;

export async function open(page, where) {
  const space = where.query.get("space") ?? oneSpace();
  const canvas = h("canvas", { tabindex: 0, role: "img", "aria-label": "The network of entities; the list beside it says the same in words" });
  const side = h("aside", { class: "graph-side", "aria-label": "What is selected" });
  const search = h("input", { id: "find", type: "search", list: "names", placeholder: "Find a name", "aria-label": "Find a name", autocomplete: "off" });
  const names = h("datalist", { id: "names" });
  const past = h("input", { type: "checkbox", id: "past" });
  past.checked = true;
  const range = h("input", { type: "range", id: "time", min: 0, max: STEPS, value: STEPS });
  const said = h("output", { for: "time", class: "small" });
  const figures = h("p", { class: "small muted", role: "status" });
  const pen = canvas.getContext("2d");
  let drawn, nodes = [], edges = [], byId = new Map(), near = new Map(), chosen = null, hovered = null, turn = 0, frame = 0, engine = null, heat = 0, moved = false;
  let view = { x: 0, y: 0, scale: 1 }, whole = 1; // the scale at which all of it is seen
  let colours = {};

  async function load() {
    drawn = await get("graph", { space, past: past.checked || null, limit: 2000 });
    nodes = drawn.nodes.map((node) => ({ ...node, ...(byId.has(node.id) ? { x: byId.get(node.id).x, y: byId.get(node.id).y } : {}) })).sort((one, other) => other.degree - one.degree);
    byId = new Map(nodes.map((node) => [node.id, node]));
    names.replaceChildren(...nodes.slice(0, 500).map((node) => h("option", { value: node.name })));
    filter();
    engine = layout(nodes, drawn.edges);
    heat = 1;
    for (let i = 0; i < (nodes.length > 600 ? 3 : 60); i++) heat = engine.step();
    fit();
    tick();
  }

  const moment = () => {
    const first = drawn.first ? new Date(drawn.first).getTime() : Date.now();
    return Number(range.value) >= STEPS ? null : first + ((Date.now() - first) * Number(range.value)) / STEPS;
  };

  function filter() {
    const at = moment();
    edges = drawn.edges.filter((edge) => at === null || new Date(edge.valid_from).getTime() <= at).map((edge) => ({ ...edge, now: at === null ? edge.holds : !edge.valid_until || new Date(edge.valid_until).getTime() > at }));
    near = new Map(nodes.map((node) => [node.id, new Set()]));
    for (const edge of edges) {
      near.get(edge.subject)?.add(edge.object);
      near.get(edge.object)?.add(edge.subject);
    }
    said.textContent = at === null ? "As it is now" : `As it was on ${day(at)}`;
    range.setAttribute("aria-valuetext", said.textContent);
    const old = edges.filter((edge) => !edge.now).length;
    figures.textContent = `${count(nodes.length)}${drawn.total > nodes.length ? ` of ${count(drawn.total)}` : ""} entities, ${many(edges.length - old, "fact")}${old ? `, and ${count(old)} that held once (dashed)` : ""}.`;
  }

  // Drawing

  function paint() {
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth, tall = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(tall * ratio)) canvas.height = Math.round(tall * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, tall);
    const [cx, cy] = [width / 2 + view.x, tall / 2 + view.y];
    const focus = hovered ?? chosen;
    const lit = focus ? near.get(focus.id) : null;
    const place = (node) => [cx + node.x * view.scale, cy + node.y * view.scale];
    for (const dashed of [false, true]) {
      pen.setLineDash(dashed ? [4, 4] : []);
      for (const bright of [false, true]) {
        pen.beginPath();
        for (const edge of edges) {
          if (edge.now === dashed) continue;
          const mine = focus && (edge.subject === focus.id || edge.object === focus.id);
          if (Boolean(mine) !== bright) continue;
          const [a, b] = [byId.get(edge.subject), byId.get(edge.object)];
          if (!a || !b) continue;
          pen.moveTo(...place(a));
          pen.lineTo(...place(b));
        }
        pen.strokeStyle = bright ? colours.accent : colours.edge;
        pen.globalAlpha = bright ? 1 : crowded() ? (focus ? 0.1 : 0.3) : focus ? 0.3 : 0.75;
        pen.lineWidth = bright ? 1.6 : 1;
        pen.stroke();
      }
    }
    pen.setLineDash([]);
    for (const node of nodes) {
      const [px, py] = place(node);
      if (px < -20 || py < -20 || px > width + 20 || py > tall + 20) continue;
      const on = !focus || node === focus || lit.has(node.id);
      pen.globalAlpha = on ? (crowded() && !focus && node.degree < 5 ? 0.4 : 1) : crowded() ? 0.15 : 0.25; // in a crowd the many step back
      pen.beginPath();
      pen.arc(px, py, radius(node), 0, 7);
      pen.fillStyle = node === focus ? colours.accent : near.get(node.id).size ? colours.node : colours.lone;
      pen.fill();
      if (node === chosen) {
        pen.lineWidth = 2;
        pen.strokeStyle = colours.ink;
        pen.stroke();
      }
    }
    label(place, width, tall, focus, lit);
    pen.globalAlpha = 1;
  }

  const crowded = () => nodes.length > 400;
  const radius = (node) => (crowded() ? Math.min(13, (1.2 + Math.sqrt(node.degree) * 1.3) * Math.min(1.4, Math.max(0.55, view.scale * 1.4))) : Math.min(11, (2.4 + Math.sqrt(node.degree) * 1.1) * Math.min(1.4, Math.max(0.7, view.scale))));

  /** Names where there is room for them: of the selected and those around it, or else of those with most relations; in a
   *  crowd the more of them the closer one looks. */
  function label(place, width, tall, focus, lit) {
    const face = (size) => `500 ${size}px 'Hanken Grotesk', system-ui, sans-serif`;
    pen.textBaseline = "middle";
    const taken = crowded() ? [] : nodes.map((node) => [place(node), radius(node)]).map(([[x, y], r]) => ({ x: x - r, y: y - r, w: 2 * r, h: 2 * r })); // in a crowd no name would find room
    const free = (box) => box.x >= 0 && box.x + box.w <= width && !taken.some((one) => box.x < one.x + one.w && one.x < box.x + box.w && box.y < one.y + one.h && one.y < box.y + box.h);
    const room = (x, y, r, w) => [[x + r + 4, y - 8], [x - r - 2 - w, y - 8], [x - w / 2, y + r + 1], [x - w / 2, y - r - 17]].map(([left, top]) => ({ x: left, y: top, w, h: 16 })).find(free);
    const order = focus ? new Set([focus, ...nodes.filter((node) => lit.has(node.id)), ...(crowded() ? [] : nodes)]) : nodes;
    let left = crowded() ? Math.min(140, Math.round(36 * Math.max(1, view.scale / whole) ** 1.6)) : 140;
    for (const node of order) {
      if (left === 0) break;
      const [px, py] = place(node);
      if (px < 0 || py < 0 || px > width || py > tall) continue;
      pen.font = face(crowded() && node.degree > 24 ? 14 : 12);
      const words = node.name.length > 28 ? `${node.name.slice(0, 27)}…` : node.name;
      const box = room(px, py, radius(node), pen.measureText(words).width + 4);
      if (!box) continue;
      taken.push(box);
      left--;
      pen.globalAlpha = !focus || node === focus || lit.has(node.id) ? 1 : 0.3;
      pen.lineWidth = crowded() ? 4 : 3;
      pen.strokeStyle = colours.ground;
      pen.strokeText(words, box.x, box.y + 8);
      pen.fillStyle = node === focus ? colours.accent : colours.ink;
      pen.fillText(words, box.x, box.y + 8);
    }
    if (focus) predicates(focus, place, free, taken);
  }

  /** What is stated between the selected and those around it, where there is room. */
  function predicates(focus, place, free, taken) {
    const mine = edges.filter((edge) => (edge.subject === focus.id || edge.object === focus.id) && byId.has(edge.subject) && byId.has(edge.object));
    if (mine.length > 16) return;
    pen.font = "italic 400 12px 'Hanken Grotesk', system-ui, sans-serif";
    pen.globalAlpha = 1;
    for (const edge of mine) {
      const [[ax, ay], [bx, by]] = [place(byId.get(edge.subject)), place(byId.get(edge.object))];
      const w = pen.measureText(edge.predicate).width + 4, box = { x: (ax + bx - w) / 2, y: (ay + by) / 2 - 8, w, h: 16 };
      if (Math.hypot(bx - ax, by - ay) < w || !free(box)) continue;
      taken.push(box);
      pen.lineWidth = 4;
      pen.strokeStyle = colours.ground;
      pen.strokeText(edge.predicate, box.x + 2, box.y + 8);
      pen.fillStyle = colours.muted;
      pen.fillText(edge.predicate, box.x + 2, box.y + 8);
    }
  }

  function tick() {
    cancelAnimationFrame(frame);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const end = performance.now() + (still ? 2 * FRAME : FRAME);
    const lively = heat > 0.02;
    while (heat > 0.02 && performance.now() < end) heat = engine.step();
    if (lively && !moved) chosen ? centre(chosen) : fit();
    if (!still || heat <= 0.02) paint(); // whoever wants nothing to move sees it when it lies
    if (heat > 0.02) frame = requestAnimationFrame(tick);
  }

  function repaint() {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(tick);
  }

  function fit() {
    if (!nodes.length) return;
    const linked = nodes.filter((node) => node.degree > 0);
    const all = linked.length ? linked : nodes;
    const xs = all.map((node) => node.x), ys = all.map((node) => node.y);
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    view.scale = Math.min(2, Math.max(0.12, Math.min(canvas.clientWidth / (right - left + 160), canvas.clientHeight / (bottom - top + 90))));
    whole = view.scale;
    view.x = (-(left + right) / 2) * view.scale;
    view.y = (-(top + bottom) / 2) * view.scale;
  }

  function centre(node) {
    const scale = Math.max(view.scale, 0.9);
    view = { scale, x: -node.x * scale, y: -node.y * scale };
  }

  const readColours = () => {
    const probe = h("span", { class: "said" });
    document.body.append(probe);
    const read = (name) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    colours = { ink: read("--ink"), muted: read("--muted"), edge: read("--line-strong"), node: read("--bar"), lone: read("--line-strong"), accent: read("--accent"), ground: read("--surface") };
    probe.remove();
  };

  // Selecting

  /** What is near a name and not drawn yet comes in beside it. */
  function expand({ entity, near: around, relations }) {
    const fresh = entity ? [entity, ...around].filter((one) => !byId.has(one.id)) : [];
    const centre_ = byId.get(entity?.id) ?? { x: 0, y: 0 };
    fresh.forEach((one, at) => {
      const node = { id: one.id, name: one.name, type: one.type, degree: 0, x: centre_.x + 40 * Math.cos(at * 2.4), y: centre_.y + 40 * Math.sin(at * 2.4) };
      nodes.push(node);
      byId.set(one.id, node);
    });
    const known = new Set(drawn.edges.map((edge) => edge.id));
    const added = (entity ? relations : []).filter((one) => !known.has(one.id) && byId.has(one.subject) && byId.has(one.object));
    for (const one of added) {
      drawn.edges.push({ id: one.id, subject: one.subject, predicate: one.predicate, object: one.object, valid_from: one.valid_from, valid_until: one.valid_until, holds: true });
      byId.get(one.subject).degree++;
      byId.get(one.object).degree++;
    }
    if (!fresh.length && !added.length) return;
    filter();
    heat = 0.15; // the others hardly move
    engine = layout(nodes, drawn.edges, heat);
  }

  async function select(name, id) {
    chosen = (id && byId.get(id)) ?? nodes.find((node) => node.name === name || node.id === name) ?? nodes.find((node) => node.name.toLowerCase() === name.toLowerCase()) ?? null;
    moved = false;
    keepAddress("graph", { space: where.query.get("space"), entity: chosen?.name ?? name });
    if (chosen) centre(chosen);
    repaint();
    show(side, loading("Looking…"));
    await tell(chosen?.name ?? name);
  }

  /** What is known of a name at the moment that is looked at. */
  async function tell(name) {
    const mine = ++turn, at = moment(), known = chosen;
    try {
      const found = await get(`entities/${part(name)}`, { space, true_at: at && new Date(at).toISOString() });
      if (mine !== turn) return;
      expand(found);
      chosen = byId.get(found.entity?.id) ?? chosen;
      if (chosen && chosen !== known) centre(chosen);
      repaint();
      show(side, card(found));
    } catch (error) {
      if (mine === turn) show(side, broken(error));
    }
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
    const said = (edge) => h("li", {}, link(byId.get(edge.subject).name), ` ${edge.predicate} ${found.name}`, until(edge.valid_until));
    const [now, once] = [of.filter((edge) => edge.now).slice(0, 50).map(said), of.filter((edge) => !edge.now).slice(0, 50).map(said)];
    return h("div", { class: "column tight" },
      h("h2", {}, found.name), found.entity?.type && h("p", { class: "small muted" }, found.entity.type), found.entity?.description && h("p", {}, found.entity.description),
      found.entity?.aliases.length > 0 && h("p", { class: "small muted" }, `Also called ${found.entity.aliases.join(", ")}`),
      found.facts.length + now.length > 0 && [h("h3", {}, "What is stated"), h("ul", { class: "plain-list" }, found.facts.map(fact), now)],
      found.past.length + once.length > 0 && [h("h3", {}, "What was stated once"), h("ul", { class: "plain-list once" }, found.past.map(fact), once)],
      found.near.length > 0 && [h("h3", {}, "Near it"), h("p", { class: "actions" }, found.near.slice(0, 24).map((one) => h("button", { class: "tag", onclick: () => select(one.name, one.id) }, one.name)))],
      found.mentioned_in.length > 0 && [h("h3", {}, `Mentioned in ${many(found.mentioned_in.length, "record")}`), h("ul", { class: "list" }, found.mentioned_in.slice(0, 12).map((one) => recordCard(one)))],
      !found.entity && !found.mentioned_in.length && h("p", { class: "muted" }, "Nothing is known by that name."));
  }

  const overview = () => h("div", { class: "column tight" }, h("h2", {}, "Most connected"), h("ol", { class: "plain-list" }, nodes.slice(0, 20).map((node) => h("li", {}, h("button", { class: "quiet", onclick: () => select(node.name, node.id) }, node.name), h("span", { class: "small muted" }, ` ${many(node.degree, "fact")}`)))));

  const under = (event) => {
    const box = canvas.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left - canvas.clientWidth / 2 - view.x, event.clientY - box.top - canvas.clientHeight / 2 - view.y];
    let best = null, nearest = 14;
    for (const node of nodes) {
      const distance = Math.hypot(node.x * view.scale - px, node.y * view.scale - py);
      if (distance < nearest) [best, nearest] = [node, distance];
    }
    return best;
  };

  let grip = null;
  canvas.addEventListener("pointerdown", (event) => {
    grip = { x: event.clientX, y: event.clientY, from: { ...view }, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (grip) {
      const [dx, dy] = [event.clientX - grip.x, event.clientY - grip.y];
      grip.moved ||= Math.hypot(dx, dy) > 4;
      moved ||= grip.moved;
      view = { ...view, x: grip.from.x + dx, y: grip.from.y + dy };
      repaint();
    } else {
      const next = under(event);
      if (next !== hovered) {
        hovered = next;
        canvas.classList.toggle("over", Boolean(next));
        repaint();
      }
    }
  });
  canvas.addEventListener("pointerup", (event) => {
    if (grip && !grip.moved) {
      const node = under(event);
      if (node) select(node.name, node.id);
      else {
        turn++;
        chosen = null;
        keepAddress("graph", { space: where.query.get("space") });
        show(side, overview());
        repaint();
      }
    }
    grip = null;
  });
  const zoom = (factor, px = 0, py = 0) => {
    moved = true;
    const scale = Math.min(4, Math.max(0.08, view.scale * factor)), real = scale / view.scale;
    view = { scale, x: px - (px - view.x) * real, y: py - (py - view.y) * real };
    repaint();
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2);
  }, { passive: false });
  const move = (x, y) => {
    moved = true;
    view = { ...view, x: view.x + x, y: view.y + y };
    repaint();
  };
  search.addEventListener("change", () => search.value.trim() && select(search.value.trim()));
  past.addEventListener("change", async () => (await load()));
  const replay = settled(() => chosen && tell(chosen.name), 250);
  range.addEventListener("input", settled(() => (filter(), repaint(), replay()), 16));

  const again = () => (readColours(), repaint());
  const resized = new ResizeObserver(() => repaint());
  addEventListener("recollect-theme", again);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", again);

  show(page,
    h("div", { class: "head" }, h("h1", {}, "Graph"), h("p", {}, `Who and what ${space} speaks of, and what is stated between them.`)),
    h("div", { class: "graph-bar" }, h("div", { class: "field" }, search, names), h("div", { class: "as-of" }, h("label", { for: "time", class: "small muted" }, "As of"), range, said), h("label", { class: "check" }, past, "Also what held once"), h("div", { class: "actions" }, h("button", { onclick: () => zoom(1.3), "aria-label": "Larger" }, "+"), h("button", { onclick: () => zoom(1 / 1.3), "aria-label": "Smaller" }, "−"), h("button", { onclick: () => (fit(), repaint()) }, "All"))),
    figures,
    h("div", { class: "graph" }, h("div", { class: "graph-canvas sheet" }, canvas), side));
  return {
    close: () => {
      cancelAnimationFrame(frame);
      resized.disconnect();
      removeEventListener("recollect-theme", again);
      scheme.removeEventListener("change", again);
    },
    shown: async () => {
      readColours();
      resized.observe(canvas);
      await load().catch((error) => show(side, broken(error)));
      if (!drawn) return;
      if (!nodes.length) show(page, h("div", { class: "head" }, h("h1", {}, "Graph")), empty("No entities yet", "When an agent states a fact (“auth-service runs version 2.4”), both ends appear here, with what was said between them."));
      else if (where.query.get("entity")) select(where.query.get("entity"));
      else if (where.query.get("fact")) selectFact(where.query.get("fact"));
      else show(side, overview());
    },
    keys: [["+", "Larger", () => zoom(1.3)], ["-", "Smaller", () => zoom(1 / 1.3)], ["0", "Show all of it", () => (fit(), repaint())], ["ArrowLeft", "Move left", () => move(60, 0)], ["ArrowRight", "Move right", () => move(-60, 0)], ["ArrowUp", "Move up", () => move(0, 60)], ["ArrowDown", "Move down", () => move(0, -60)], ["s", "Find a name", () => search.focus()]],
  };
}
