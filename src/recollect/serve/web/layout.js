// Where do the nodes of a network lie? d3-force finds out, in a worker of its own: whoever types or scrolls never waits for it.

importScripts("vendor/d3-dispatch.min.js", "vendor/d3-quadtree.min.js", "vendor/d3-timer.min.js", "vendor/d3-force.min.js");

const EVERY = 80; // milliseconds between two tellings of where they lie
const FEW = 200; // so few may lie further apart
const CALM = 0.02; // below this nobody sees them move
const pause = () => new Promise((done) => setTimeout(done));
let newest = 0, warmth = 0;

/** Gets nodes (the weightiest first; of each its weight, and its place where it has one), links (pairs of their numbers) and how
 *  warm it begins, if it is not warmer still. The same always leads to the same: nothing in it is left to chance. */
onmessage = async ({ data: { turn, nodes, links, heat } }) => {
  newest = turn;
  if (nodes.some(({ x }) => x === undefined)) spread(nodes, links);
  const moving = simulation(nodes, links).alpha(Math.max(heat, warmth));
  while (moving.alpha() > CALM) {
    const until = performance.now() + EVERY;
    while (moving.alpha() > CALM && performance.now() < until) moving.tick();
    await pause(); // a newer question may be waiting
    if (turn !== newest) return;
    warmth = moving.alpha();
    postMessage({ turn, places: Float32Array.from(nodes.flatMap(({ x, y }) => [x, y])), done: moving.alpha() <= CALM });
  }
};

/** Where they begin: whatever hangs together as a tree around its weightiest, each branch in a slice as wide as it holds many;
 *  forces alone would hardly untangle it. */
function spread(nodes, links) {
  const step = nodes.length < FEW ? 70 : 90;
  const near = nodes.map(() => []);
  for (const [one, other] of links) (near[one].push(other), near[other].push(one));
  const branches = nodes.map(() => null);
  let trees = 0, edge = 0;
  nodes.forEach((_, root) => {
    if (branches[root]) return;
    const order = [root];
    branches[root] = { under: [], size: 1, depth: 0 };
    for (const at of order) {
      for (const next of near[at]) {
        if (branches[next]) continue;
        branches[next] = { under: [], size: 1, depth: branches[at].depth + 1 };
        branches[at].under.push(next);
        order.push(next);
      }
    }
    for (const at of order.toReversed()) for (const next of branches[at].under) branches[at].size += branches[next].size;
    const turned = trees * 2.4, away = trees ? edge + 40 * Math.sqrt(trees) : 0; // further ones on a spiral around the first
    Object.assign(branches[root], { from: 0, wide: 2 * Math.PI });
    for (const at of order) {
      const { under, size, depth, from, wide } = branches[at];
      let begins = from;
      for (const next of under) {
        branches[next].from = begins;
        begins += branches[next].wide = (wide * branches[next].size) / Math.max(size - 1, 1);
      }
      nodes[at].x ??= away * Math.cos(turned) + depth * step * Math.cos(from + wide / 2);
      nodes[at].y ??= away * Math.sin(turned) + depth * step * Math.sin(from + wide / 2);
      if (!trees) edge = Math.max(edge, depth * step);
    }
    trees++;
  });
}

function simulation(nodes, links) {
  const few = nodes.length < FEW;
  const ends = links.map(([source, target]) => ({ source, target }));
  const lesser = ({ source, target }) => Math.min(source.weight, target.weight); // a leaf lies close to its hub, two hubs far apart
  return d3.forceSimulation(nodes).stop().alphaDecay(0.03)
    .force("apart", d3.forceManyBody().strength(({ weight }) => (few ? -420 * (1 + Math.sqrt(weight) * 0.6) : -30 * (1 + Math.min(weight, 60) * 0.3))).distanceMax(few ? 700 : 1100))
    .force("together", d3.forceLink(ends).distance((link) => (few ? 62 : 22) + (few ? 4 : 20) * Math.sqrt(lesser(link) - 1)))
    .force("room", d3.forceCollide(({ weight }) => (few ? 16 : 4) + Math.sqrt(weight) * 2).strength(0.8))
    .force("x", d3.forceX().strength(few ? 0.05 : 0.03))
    .force("y", d3.forceY().strength(few ? 0.08 : 0.03));
}
