// What lies where? Spaces as a palace: rooms as large as what is in them, and the fresher the stronger their colour.

import { get, part, spaceView } from "../api.js";
import { empty, h, show } from "../dom.js";
import { recordCard, walker, windowed } from "../parts.js";
import { keepAddress } from "../store.js";
import { ago, count, many } from "../words.js";

export const WIDE = true;
const DAY = 86_400_000;
const LEAST = 0.015; // of a space: a room that holds less is drawn so large, or else nobody could read its name
const WINDOW = 25; // records that are drawn in one go: more would hold up whoever scrolls

export async function open(page, where) {
  const [name] = where.rest;
  return name ? openSpace(page, name, where.query) : openPalace(page);
}

async function openPalace(page) {
  const spaces = await get("spaces");
  const heading = h("div", { class: "head" }, h("h1", {}, "Spaces"), h("p", {}, "Each space is a memory of its own. The more lies in a room, the larger it is; the fresher, the stronger their colour. Walk in."));
  if (!spaces.length) {
    show(page, heading, empty("No space yet", "The first memory makes one."));
    return {};
  }
  show(page, heading, legend(), spaces.map((view) => h("section", { class: "palace" },
    h("div", { class: "head" }, h("h2", {}, h("a", { href: `#/spaces/${part(view.space.name)}` }, view.space.name)), h("span", { class: "small muted" }, [many(view.records, "record"), many(view.stats.entities, "entity", "entities"), view.stats.newest && `newest ${ago(view.stats.newest)}`].filter(Boolean).join(", ")), view.space.description && h("p", {}, view.space.description)),
    view.rooms.length ? rooms(view) : h("p", { class: "muted" }, "Empty so far."))));
  return {};
}

const legend = () => h("p", { class: "small muted palace-legend", "aria-hidden": "true" }, "today", [1, 7, 30, 120, 400].map((days) => h("i", { class: "fresh-key", style: { "--fresh": freshness(days * DAY) } })), "a year ago");

const freshness = (age) => Math.max(0, 1 - Math.log10(1 + age / DAY) / 2.6).toFixed(3);

function rooms(view) {
  const width = 1000, height = Math.min(460, 60 + Math.sqrt(view.rooms.length) * 95);
  const placed = treemap(view.rooms.map((room) => ({ room, weight: Math.max(room.records, view.records * LEAST) })), 0, 0, width, height);
  return h("ul", { class: "rooms", style: { "aspect-ratio": `${width} / ${height}` } }, placed.map(({ room, x, y, w, height: tall }) =>
    h("li", { style: { left: `${x / 10}%`, top: `${(y / height) * 100}%`, width: `${w / 10}%`, height: `${(tall / height) * 100}%` } },
      h("a", { href: `#/spaces/${part(view.space.name)}?room=${part(room.name)}`, style: { "--fresh": freshness(Date.now() - new Date(room.last).getTime()) } },
        h("b", {}, room.name || "outside all rooms"), h("span", { class: "small" }, `${many(room.records, "record")}, ${ago(room.last)}`),
        tall > 110 && w > 120 && hintsOf(room).slice(0, tall > 180 ? 3 : 1).map((hint) => h("span", { class: "hint" }, hint))))));
}

/** What lies in a room, each once; of a part of a document the last heading, since the first is that of all its parts. */
const hintsOf = (room) => [...new Set(room.hints.map((hint) => hint.split(" › ").at(-1)))];

/** Squares as square as can be: rows are filled as long as that makes them better. */
export function treemap(items, x, y, w, tall) {
  const rest = [...items].sort((one, other) => other.weight - one.weight);
  const placed = [];
  let total = rest.reduce((sum, one) => sum + one.weight, 0);
  while (rest.length) {
    const side = Math.min(w, tall), scale = (w * tall) / total;
    const row = [rest.shift()];
    let sum = row[0].weight;
    const worst = (list, whole) => Math.max(...list.map((one) => { const a = one.weight * scale, s = (whole * scale) / side; return Math.max(s / (a / s), a / s / s); }));
    while (rest.length && worst([...row, rest[0]], sum + rest[0].weight) <= worst(row, sum)) {
      sum += rest[0].weight;
      row.push(rest.shift());
    }
    const thick = (sum * scale) / side;
    let at = 0;
    for (const one of row) {
      const long = (one.weight * scale) / thick;
      placed.push(w >= tall ? { ...one, x, y: y + at, w: thick, height: long } : { ...one, x: x + at, y, w: long, height: thick });
      at += long;
    }
    if (w >= tall) [x, w] = [x + thick, w - thick];
    else [y, tall] = [y + thick, tall - thick];
    total -= sum;
  }
  return placed;
}

const MOST_DOORS = 18;

/** The rooms of a space as links: the fullest, the one that is open, and the others behind a word. */
function doors(view, name, room) {
  const all = [...view.rooms].sort((one, other) => (other.name === room) - (one.name === room) || other.records - one.records);
  const door = (one) => h("a", { class: "tag", href: `#/spaces/${part(name)}?room=${part(one.name)}`, "aria-current": one.name === room ? "true" : null }, `${one.name || "outside all rooms"} ${count(one.records)}`);
  const rest = all.slice(MOST_DOORS);
  return h("div", { class: "stack" },
    h("p", { class: "actions" }, h("a", { class: "tag", href: `#/spaces/${part(name)}`, "aria-current": room ? null : "true" }, `all ${count(view.records)}`), all.slice(0, MOST_DOORS).map(door)),
    rest.length > 0 && h("details", { class: "more-rooms" }, h("summary", {}, many(rest.length, "more room")), h("p", { class: "actions" }, rest.map(door))));
}

async function openSpace(page, name, query) {
  const view = await spaceView(name);
  const room = query.get("room");
  const order = h("select", { id: "order" }, [["newest", "Stored last"], ["updated", "Changed last"], ["latest", "Happened last"], ["important", "Most important"], ["oldest", "Stored first"]].map(([value, words]) => h("option", { value }, words)));
  const all = h("input", { type: "checkbox", id: "all" });
  const holder = h("div", {});
  let list = null;
  order.value = query.get("order") ?? "newest";
  all.checked = query.has("all");
  const fill = () => {
    list?.close();
    keepAddress(`spaces/${part(name)}`, { room, order: order.value === "newest" ? null : order.value, all: all.checked && "yes" });
    list = windowed(async (cursor) => {
      const window_ = await get("records", { space: name, rooms: room || null, order: order.value, all: all.checked || null, cursor, limit: WINDOW });
      return { items: window_.records, next: window_.next };
    }, (record) => recordCard(record), { nothing: () => empty("Nothing lies here", room ? "This room is empty." : "This space is empty so far.") });
    show(holder, list.whole);
    return list.more();
  };
  order.addEventListener("change", fill);
  all.addEventListener("change", fill);
  show(page, h("div", { class: "column" },
    h("div", { class: "head" }, h("h1", {}, h("a", { class: "plain", href: "#/spaces" }, "Spaces"), ` / ${name}${room ? ` / ${room}` : ""}`), h("p", {}, [view.space.description, `${many(view.records, "record")} in ${many(view.rooms.length, "room")}, ${many(view.stats.sessions, "session")}, ${many(view.stats.entities, "entity", "entities")}.`].filter(Boolean).join(" "))),
    view.rooms.length > 1 && doors(view, name, room),
    h("div", { class: "filters two" }, h("div", { class: "field" }, h("label", { for: "order" }, "Order"), order), h("label", { class: "check" }, all, "Also what no longer holds")),
    holder));
  const ready = fill();
  const go = walker(".item a.read");
  return { close: () => list?.close(), refresh: fill, ready, reach: (y) => list.reach(y), keys: [["j ArrowDown", "Next record", () => go(1)], ["k ArrowUp", "Record before", () => go(-1)]] };
}
