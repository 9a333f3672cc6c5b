// Where do the nodes of a network lie? Springs pull along relations, all push each other away, by a grid of cells.

/** Nodes get x and y. `step()` moves all of them a little and answers how lively it still is, from 1 to 0; with little
 *  `heat` what lies already hardly moves. */
export function layout(nodes, edges, heat = 1) {
  const index = new Map(nodes.map((node, at) => [node.id, at]));
  const links = edges.map((edge) => [index.get(edge.subject), index.get(edge.object)]).filter(([a, b]) => a !== undefined && b !== undefined && a !== b);
  const n = nodes.length, few = n < 200, reach = few ? 150 : 170, spring = few ? 70 : 26; // few may lie further apart
  const apartBy = few ? 6 : 26; // how much further apart two lie that have many relations: so that each has its own around it
  const x = new Float32Array(n), y = new Float32Array(n), vx = new Float32Array(n), vy = new Float32Array(n), degree = new Float32Array(n);
  for (const [a, b] of links) {
    degree[a]++;
    degree[b]++;
  }
  nodes.forEach((node, at) => {
    const turn = at * 2.399963, far = spring * 0.45 * Math.sqrt(at + 0.5); // a sunflower: even, and the same every time
    x[at] = node.x ?? far * Math.cos(turn);
    y[at] = node.y ?? far * Math.sin(turn);
  });
  const inward = few ? 0.004 : 0.0025;

  function push() {
    const cells = new Map();
    for (let i = 0; i < n; i++) {
      const key = (Math.floor(x[i] / reach) + 4096) * 8192 + Math.floor(y[i] / reach) + 4096;
      const cell = cells.get(key);
      if (cell) cell.push(i);
      else cells.set(key, [i]);
    }
    for (const [key, here] of cells) {
      for (const near of [key, key + 1, key + 8191, key + 8192, key + 8193]) {
        const there = cells.get(near);
        if (!there) continue;
        for (let a = 0; a < here.length; a++) {
          for (let b = near === key ? a + 1 : 0; b < there.length; b++) apart(here[a], there[b]);
        }
      }
    }
  }

  function apart(i, j) {
    let dx = x[i] - x[j], dy = y[i] - y[j];
    let square = dx * dx + dy * dy;
    if (square > reach * reach) return;
    if (square < 0.01) {
      dx = (i % 7) - 3.5;
      dy = (j % 5) - 2.5;
      square = 1;
    }
    const weight = few ? 700 * (1 + Math.min(degree[i], degree[j]) * 0.05) : 300 * (1 + Math.sqrt(degree[i] * degree[j]) * 0.35);
    const force = (heat * weight) / (square + 40);
    const distance = Math.sqrt(square);
    vx[i] += (dx / distance) * force;
    vy[i] += (dy / distance) * force;
    vx[j] -= (dx / distance) * force;
    vy[j] -= (dy / distance) * force;
  }

  function step() {
    push();
    for (const [a, b] of links) {
      const dx = x[b] - x[a], dy = y[b] - y[a], distance = Math.hypot(dx, dy) || 1;
      const wanted = spring + apartBy * Math.sqrt(Math.min(degree[a], degree[b]) - (few ? 0 : 1));
      const pull = (heat * 0.32 * (distance - wanted)) / distance / Math.min(degree[a], degree[b], 6);
      const share = degree[b] / (degree[a] + degree[b]);
      vx[a] += dx * pull * share;
      vy[a] += dy * pull * share;
      vx[b] -= dx * pull * (1 - share);
      vy[b] -= dy * pull * (1 - share);
    }
    for (let i = 0; i < n; i++) {
      vx[i] = (vx[i] - x[i] * inward * heat) * 0.55;
      vy[i] = (vy[i] - y[i] * inward * heat) * 0.55;
      const speed = Math.hypot(vx[i], vy[i]);
      if (speed > 24) {
        vx[i] *= 24 / speed;
        vy[i] *= 24 / speed;
      }
      x[i] += vx[i];
      y[i] += vy[i];
    }
    heat *= 0.985;
    nodes.forEach((node, at) => {
      node.x = x[at];
      node.y = y[at];
    });
    return heat;
  }

  return { step };
}
