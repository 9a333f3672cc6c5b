// Which words changed from one text to another?

import { h } from "./dom.js";
import { count } from "./words.js";

const MOST = 1500;
const [SAME, CHANGED] = [2_000, 12_000]; // characters in one piece that are shown of what stayed, and of what did not: a browser takes seconds to lay out more
const words = (text) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/** Two lists of [text, changed], one for each side. What both begin and end with is left out of the comparison, and long
 *  texts are compared line by line. */
export function differences(before, after) {
  const [first, last] = shared(before, after);
  const [left, right] = compared(before.slice(first, before.length - last), after.slice(first, after.length - last));
  const around = (parts, whole) => joined([[whole.slice(0, first), false], ...parts, [whole.slice(whole.length - last), false]].filter(([text]) => text));
  return [around(left, before), around(right, after)];
}

/** How many characters two texts begin and end with alike, as whole words. */
function shared(before, after) {
  const most = Math.min(before.length, after.length), inWord = (text, at) => /[\p{L}\p{N}_]/u.test(text[at - 1] ?? " ") && /[\p{L}\p{N}_]/u.test(text[at] ?? " ");
  let first = 0, last = 0;
  while (first < most && before[first] === after[first]) first++;
  while (first > 0 && (inWord(before, first) || inWord(after, first))) first--;
  while (last < most - first && before[before.length - 1 - last] === after[after.length - 1 - last]) last++;
  while (last > 0 && (inWord(before, before.length - last) || inWord(after, after.length - last))) last--;
  return [first, last];
}

function compared(before, after) {
  if (before.length + after.length > 40 * MOST) return byLines(before, after);
  const [one, other] = [words(before), words(after)];
  return one.length > MOST || other.length > MOST ? byLines(before, after) : matched(one, other);
}

function byLines(before, after) {
  const [one, other] = [before.split(/(?<=\n)/), after.split(/(?<=\n)/)];
  return one.length > MOST || other.length > MOST ? [[[before, before !== after]], [[after, before !== after]]] : matched(one, other);
}

function matched(one, other) {
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
  return [left, right];
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

/** What is shown of a piece: of a long one its beginning and, of what stayed, its end, and how much is left out. */
function cut(text, changed) {
  const most = changed ? CHANGED : SAME;
  if (text.length <= most) return [text];
  const end = changed ? "" : text.slice(-most / 4);
  const begin = text.slice(0, most - end.length);
  return [begin, ` … ${count(text.length - begin.length - end.length)} more characters${changed ? "" : ", the same in both"} … `, end];
}

/** Both texts with what is different marked, as elements. */
export function sideBySide(before, after) {
  const [left, right] = differences(before, after);
  const paint = (parts, name) => parts.map(([text, changed]) => {
    const [begin, left, end] = cut(text, changed);
    return [changed ? h(name, {}, begin) : begin, left && h("span", { class: "muted small" }, left), end];
  });
  return [h("div", { class: "read" }, paint(left, "del")), h("div", { class: "read" }, paint(right, "ins"))];
}
