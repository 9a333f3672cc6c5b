// Which words changed from one text to another?

import { h } from "./dom.js";

const MOST = 1500;
const words = (text) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/** Two lists of [text, changed], one for each side; long texts are compared line by line. */
export function differences(before, after) {
  let [one, other] = [words(before), words(after)];
  if (one.length > MOST || other.length > MOST) [one, other] = [before.split(/(?<=\n)/), after.split(/(?<=\n)/)];
  if (one.length > MOST || other.length > MOST) return [[[before, before !== after]], [[after, before !== after]]];
  const rows = one.length + 1, columns = other.length + 1;
  const table = new Uint16Array(rows * columns);
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      table[i * columns + j] = one[i] === other[j] ? table[(i + 1) * columns + j + 1] + 1 : Math.max(table[(i + 1) * columns + j], table[i * columns + j + 1]);
    }
  }
  const left = [], right = [];
  let i = 0, j = 0;
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      add(left, one[i++], false);
      add(right, other[j++], false);
    } else if (j >= other.length || (i < one.length && table[(i + 1) * columns + j] >= table[i * columns + j + 1])) add(left, one[i++], true);
    else add(right, other[j++], true);
  }
  return [joined(left), joined(right)];
}

/** What only white space parts was changed in one go, and is marked in one. */
function joined(parts) {
  const made = [];
  parts.forEach(([text, changed], at) => add(made, text, changed || (at > 0 && at < parts.length - 1 && !text.includes("\n") && !text.trim())));
  return made;
}

function add(list, text, changed) {
  const end = list.at(-1);
  if (end && end[1] === changed) end[0] += text;
  else list.push([text, changed]);
}

/** Both texts with what is different marked, as elements. */
export function sideBySide(before, after) {
  const [left, right] = differences(before, after);
  const paint = (parts, name) => parts.map(([text, changed]) => (changed ? h(name, {}, text) : text));
  return [h("div", { class: "read" }, paint(left, "del")), h("div", { class: "read" }, paint(right, "ins"))];
}
