// How is a network drawn, so that one can read it? On a canvas that is dragged and zoomed; where they lie, a worker finds out.

import { h } from "./dom.js";

const CROWD = 400; // from so many on, the most step back behind those with many relations
const MOST_LABELS = 140;
const MOST_PREDICATES = 16;
const TRIES = 3; // times as many names are tried at most
const [SMALL, LARGE] = [12, 14].map((size) => `500 ${size}px 'Hanken Grotesk', system-ui, sans-serif`);
const FIRST_TRIES = TRIES * MOST_LABELS - 20; // those before are the best connected, or the one in focus
const LONGEST_NAME = 28;
const OUTWEIGHS = 6; // times as many relations has a node whose name may cover another
const REACH = 14; // pixels from a node within which it is meant

/** A network on a canvas. `chose(node)` is called with what is clicked, or null; `broke(error)` where it cannot be laid out. */
export function network(canvas, { chose, broke }) {
  const pen = canvas.getContext("2d");
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let nodes = [], edges = [], byId = new Map(), near = new Map(), chosen = null, hovered = null;
  let view = { x: 0, y: 0, scale: 1 }, whole = 1; // the scale at which all of it is seen
  const widths = new Map(); // of names that were drawn
  let moved = false, laid = false, frame = 0, turn = 0, colours = {}, worker = null;

  // Where they lie

  /** Lays out anew; with little heat what lies already hardly moves. */
  function lay(facts, heat = 1) {
    const at = new Map(nodes.map((node, place) => [node.id, place]));
    const links = facts.map((fact) => [at.get(fact.subject), at.get(fact.object)]).filter(([a, b]) => a !== undefined && b !== undefined && a !== b).sort((one, other) => one[0] - other[0] || one[1] - other[1]);
    worker ??= listened(new Worker(new URL("./layout.js", import.meta.url)));
    canvas.dataset.laid = "moving";
    worker.postMessage({ turn: ++turn, nodes: nodes.map(({ x, y, degree }) => ({ weight: Math.max(degree, 1), ...(x === undefined ? {} : { x, y }) })), links, heat: laid ? heat : 1 });
  }

  function listened(made) {
    made.onmessage = ({ data: { turn: asked, places, done } }) => {
      if (asked !== turn || (still && !done)) return; // of those that were there before; or nothing shall move
      nodes.forEach((node, place) => ([node.x, node.y] = [places[2 * place], places[2 * place + 1]]));
      laid = true;
      canvas.dataset.laid = done ? "done" : "moving";
      if (!moved) chosen ? centre(chosen) : fit();
      repaint();
    };
    made.onerror = (event) => {
      event.preventDefault();
      broke(new Error("The network cannot be laid out: its program did not load. The list says the same."));
    };
    return made;
  }

  // The part that is seen

  function fit() {
    const linked = nodes.filter((node) => node.degree > 0);
    const all = linked.length ? linked : nodes; // also what is not there yet, so that nothing jumps while time goes by
    if (!all.length || all[0].x === undefined) return;
    const xs = all.map((node) => node.x), ys = all.map((node) => node.y);
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const scale = Math.min(1.6, Math.max(0.1, Math.min(canvas.clientWidth / (right - left + 160), canvas.clientHeight / (bottom - top + 90))));
    whole = scale;
    view = { scale, x: (-(left + right) / 2) * scale, y: (-(top + bottom) / 2) * scale };
  }

  function centre(node) {
    const scale = Math.max(view.scale, 0.9);
    if (node.x !== undefined) view = { scale, x: -node.x * scale, y: -node.y * scale };
  }

  function zoom(factor, px = 0, py = 0) {
    moved = true;
    const scale = Math.min(4, Math.max(0.08, view.scale * factor)), real = scale / view.scale;
    view = { scale, x: px - (px - view.x) * real, y: py - (py - view.y) * real };
    repaint();
  }

  function move(x, y) {
    moved = true;
    view = { ...view, x: view.x + x, y: view.y + y };
    repaint();
  }

  // Drawing

  const crowded = () => nodes.length > CROWD;
  const there = () => nodes.filter((node) => !node.away); // at the moment that is looked at; all have their place
  let middle = [0, 0]; // of the canvas: to measure it for each node would take longer than to draw it
  const place = (node) => [middle[0] + view.x + node.x * view.scale, middle[1] + view.y + node.y * view.scale];
  const [grow, base, most] = [() => (crowded() ? Math.min(1.4, Math.max(0.55, view.scale * 1.4)) : Math.min(1.4, Math.max(0.7, view.scale))), () => (crowded() ? [1.2, 1.3] : [2.4, 1.1]), () => (crowded() ? 13 : 11)];
  const radius = ({ degree }) => Math.min(most(), (base()[0] + Math.sqrt(degree) * base()[1]) * grow());

  const spot = (node) => {
    const [x, y] = place(node), r = radius(node);
    return { x: x - r, y: y - r, w: 2 * r, h: 2 * r, degree: node.degree };
  };

  function repaint() {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(paint);
  }

  function paint() {
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth, tall = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(tall * ratio)) canvas.height = Math.round(tall * ratio);
    middle = [width / 2, tall / 2];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, tall);
    if (!laid) return nodes.length && waiting(width, tall);
    const focus = hovered ?? chosen;
    const lit = focus ? near.get(focus.id) : null;
    lines(focus);
    for (const node of there()) dot(node, !focus || node === focus || lit.has(node.id), focus, width, tall);
    label(width, tall, focus, lit);
    pen.globalAlpha = 1;
  }

  function waiting(width, tall) {
    pen.font = "400 15px 'Hanken Grotesk', system-ui, sans-serif";
    pen.textAlign = "center";
    write("Laying it out…", width / 2, tall / 2, colours.muted);
    pen.textAlign = "start";
  }

  /** What is stated; what held once is dashed, and what is of the one in focus stands out. */
  function lines(focus) {
    const paths = [false, true].map(() => [new Path2D(), new Path2D()]); // those behind, and those of the one in focus
    for (const { subject, object, now } of edges) {
      const [a, b] = [byId.get(subject), byId.get(object)];
      if (!a || !b) continue;
      const path = paths[Number(focus !== null && (a === focus || b === focus))][Number(!now)];
      path.moveTo(...place(a));
      path.lineTo(...place(b));
    }
    paths.forEach((both, bright) => {
      pen.strokeStyle = bright ? colours.accent : colours.edge;
      pen.globalAlpha = bright ? 1 : crowded() ? (focus ? 0.1 : 0.3) : focus ? 0.3 : 0.75;
      pen.lineWidth = bright ? 1.6 : 1;
      both.forEach((path, dashed) => {
        pen.setLineDash(dashed ? [4, 4] : []);
        pen.stroke(path);
      });
    });
    pen.setLineDash([]);
  }

  function dot(node, on, focus, width, tall) {
    const [px, py] = place(node);
    if (px < -20 || py < -20 || px > width + 20 || py > tall + 20) return;
    pen.globalAlpha = on ? (crowded() && !focus && node.degree < 5 ? 0.4 : 1) : crowded() ? 0.15 : 0.25;
    pen.beginPath();
    pen.arc(px, py, radius(node), 0, 7);
    pen.fillStyle = node === focus ? colours.accent : near.get(node.id).size ? colours.node : colours.edge;
    pen.fill();
    if (node !== chosen) return;
    pen.lineWidth = 2;
    pen.strokeStyle = colours.ink;
    pen.stroke();
  }

  /** Names where there is room for them: of the one in focus and those around it, or else of those with most relations; in
   *  a crowd the more of them the closer one looks. */
  function label(width, tall, focus, lit) {
    const spots = there().filter((node) => !crowded() || node.degree > 12).map(spot), taken = [];
    const meets = (box) => (one) => box.x < one.x + one.w && one.x < box.x + box.w && box.y < one.y + one.h && one.y < box.y + box.h;
    const inside = (box) => box.x >= 0 && box.x + box.w <= width && box.y >= 0 && box.y + box.h <= tall;
    const free = (box, degree = 0) => inside(box) && !taken.some(meets(box)) && !spots.some((one) => one.degree * OUTWEIGHS > degree && meets(box)(one));
    const order = focus ? new Set([focus, ...nodes.filter((node) => lit.has(node.id)), ...(crowded() ? [] : there())]) : there();
    let tries = TRIES * MOST_LABELS, left = crowded() ? Math.min(MOST_LABELS, Math.round(36 * Math.max(1, view.scale / whole) ** 1.6)) : MOST_LABELS;
    for (const node of order) {
      if (left === 0 || tries === 0) break;
      const [px, py] = place(node), r = radius(node);
      if (px < 0 || py < 0 || px > width || py > tall) continue;
      pen.font = node.degree > 24 ? LARGE : SMALL;
      const words = node.name.length > LONGEST_NAME ? `${node.name.slice(0, LONGEST_NAME - 1)}…` : node.name;
      tries--;
      if (!widths.has(node)) widths.set(node, pen.measureText(words).width + 4);
      const w = widths.get(node);
      const [ax, ay] = leaning(node);
      const sides = [[px + r + 4, py - 8, ax], [px - r - 2 - w, py - 8, -ax], [px - w / 2, py + r + 1, ay + 0.4], [px - w / 2, py - r - 17, 0.4 - ay]]; // rather beside it than below
      const boxes = sides.sort((one, other) => one[2] - other[2]).map(([x, y]) => ({ x, y, w, h: 16 }));
      const box = boxes.find((one) => free(one)) ?? boxes.find((one) => free(one, tries > FIRST_TRIES ? Infinity : node.degree)); // a hub's name may cover its leaves, and the first names whatever is there
      if (!box) continue;
      taken.push(box);
      left--;
      pen.globalAlpha = !focus || node === focus || lit.has(node.id) ? 1 : 0.3;
      write(words, box.x, box.y + 8, node === focus ? colours.accent : colours.ink);
    }
    if (focus) predicates(focus, free, taken);
  }

  /** Whither most of what a node has to do with lies: its name stands best on the other side. */
  function leaning(node) {
    let x = 0, y = 0;
    for (const id of near.get(node.id)) {
      const other = byId.get(id);
      if (!other || other === node) continue;
      const far = Math.hypot(other.x - node.x, other.y - node.y) || 1;
      [x, y] = [x + (other.x - node.x) / far, y + (other.y - node.y) / far];
    }
    const many = near.get(node.id).size || 1;
    return [x / many, y / many];
  }

  /** What is stated between the one in focus and those around it, where there is room. */
  function predicates(focus, free, taken) {
    const mine = edges.filter((edge) => (edge.subject === focus.id || edge.object === focus.id) && byId.has(edge.subject) && byId.has(edge.object));
    if (mine.length > MOST_PREDICATES) return;
    pen.font = "italic 400 12px 'Hanken Grotesk', system-ui, sans-serif";
    pen.globalAlpha = 1;
    for (const edge of mine) {
      const [[ax, ay], [bx, by]] = [place(byId.get(edge.subject)), place(byId.get(edge.object))];
      const w = pen.measureText(edge.predicate).width + 4, box = { x: (ax + bx - w) / 2, y: (ay + by) / 2 - 8, w, h: 16 };
      if (Math.hypot(bx - ax, by - ay) < w || !free(box)) continue;
      taken.push(box);
      write(edge.predicate, box.x + 2, box.y + 8, colours.muted);
    }
  }

  function write(words, x, y, colour) {
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    pen.lineWidth = 4;
    pen.strokeStyle = colours.ground;
    pen.strokeText(words, x, y);
    pen.fillStyle = colour;
    pen.fillText(words, x, y);
  }

  function readColours() {
    const probe = h("span", { class: "said" });
    document.body.append(probe);
    const read = (name) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    colours = { ink: read("--ink"), muted: read("--muted"), edge: read("--line-strong"), node: read("--bar"), accent: read("--accent"), ground: read("--surface") };
    probe.remove();
  }

  // The hand

  const under = (event) => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let best = null, nearest = REACH;
    for (const node of laid ? there() : []) {
      const [px, py] = place(node), distance = Math.hypot(px - x, py - y);
      if (distance < nearest) [best, nearest] = [node, distance];
    }
    return best;
  };

  const fingers = new Map();
  let dragged = false;
  canvas.addEventListener("pointerdown", (event) => {
    if (!fingers.size) dragged = false;
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return hover(under(event));
    const [dx, dy] = [event.clientX - before[0], event.clientY - before[1]];
    if (!dragged && Math.hypot(dx, dy) <= 4) return; // a click is seldom quite still
    dragged = true;
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    if (other) pinch(other, before, [event.clientX, event.clientY]);
    else move(dx, dy);
  });
  canvas.addEventListener("pointerleave", () => hover(null));
  canvas.addEventListener("pointercancel", (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("pointerup", (event) => {
    if (fingers.delete(event.pointerId) && !dragged) chose(under(event));
  });

  /** Two fingers: what lies at the one that rests stays there. */
  function pinch(rests, from, to) {
    const box = canvas.getBoundingClientRect();
    const far = (one) => Math.max(Math.hypot(one[0] - rests[0], one[1] - rests[1]), 8);
    zoom(far(to) / far(from), rests[0] - box.left - box.width / 2, rests[1] - box.top - box.height / 2);
  }
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2);
  }, { passive: false });

  function hover(next) {
    if (next === hovered) return;
    hovered = next;
    canvas.classList.toggle("over", next !== null);
    repaint();
  }

  const again = () => (readColours(), repaint());
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const resized = new ResizeObserver(() => (moved || chosen || fit(), repaint()));
  addEventListener("recollect-theme", again);
  document.fonts.ready.then(() => (widths.clear(), repaint()));
  scheme.addEventListener("change", again);

  return {
    zoom,
    move,
    lay,
    /** Begins: the canvas is on the page. */
    begin: () => (readColours(), resized.observe(canvas)),
    /** The nodes, those with most relations first (one that is `away` keeps its place and is not drawn), and what is stated between them at the moment that is looked at. */
    draw: (some, stated) => {
      [nodes, edges] = [some, stated];
      widths.clear();
      byId = new Map(nodes.map((node) => [node.id, node]));
      near = new Map(nodes.map((node) => [node.id, new Set()]));
      for (const { subject, object } of edges) {
        near.get(subject)?.add(object);
        near.get(object)?.add(subject);
      }
      repaint();
    },
    choose: (node) => {
      chosen = node;
      moved = false;
      if (node) centre(node);
      repaint();
    },
    showAll: () => ((moved = false), fit(), repaint()),
    close: () => {
      cancelAnimationFrame(frame);
      worker?.terminate();
      resized.disconnect();
      removeEventListener("recollect-theme", again);
      scheme.removeEventListener("change", again);
    },
  };
}
