// How are numbers, times and states said?

const DAY = 86_400_000;
const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const minute = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const number = new Intl.NumberFormat("en-GB");

export const day = (text) => date.format(new Date(text));
export const moment = (text) => minute.format(new Date(text));
export const hour = (text) => clock.format(new Date(text));
export const longDay = (text) => weekday.format(new Date(text));
export const count = (value) => number.format(value);
export const many = (value, one, more = `${one}s`) => `${count(value)} ${value === 1 ? one : more}`;
export const percent = (value) => `${Math.round(value * 100)} %`;

export function ago(text) {
  const passed = Date.now() - new Date(text).getTime();
  if (passed < 60_000) return "just now";
  if (passed < 3_600_000) return many(Math.floor(passed / 60_000), "minute") + " ago";
  if (passed < DAY) return many(Math.floor(passed / 3_600_000), "hour") + " ago";
  if (passed < 30 * DAY) return many(Math.floor(passed / DAY), "day") + " ago";
  return day(text);
}

export function bytes(value) {
  if (value < 1e6) return `${Math.max(1, Math.round(value / 1e3))} KB`;
  return value < 1e9 ? `${(value / 1e6).toFixed(1)} MB` : `${(value / 1e9).toFixed(2)} GB`;
}

export const SIGNALS = [
  ["deep", "read closely"], ["tokens", "word by word"], ["vector", "meaning"], ["keyword", "words"], ["graph", "graph"],
  ["neighbours", "around it"], ["importance", "important"], ["recency", "recent"],
];

/** The signals that spoke for a hit, with how much each said. */
export const heard = (why) => SIGNALS.map(([name, word]) => [word, why[name]]).filter(([, value]) => value !== null && value !== undefined && value >= 0.005);

export function likelihood(score) {
  if (score >= 0.5) return "likely";
  return score >= 0.25 ? "perhaps" : "unlikely";
}

const STATUS = { candidate: "proposed", contested: "in doubt", stale: "stale", superseded: "replaced", archived: "archived", open: "open", in_progress: "in progress", blocked: "blocked", done: "done", cancelled: "cancelled" };
export const statusWord = (record) => (record.valid_until && new Date(record.valid_until) <= new Date() && record.status === "active" ? "no longer true" : STATUS[record.status] ?? "");
export const pinned = (record) => record.tags.some((tag) => ["pinned", "pin"].includes(tag.toLowerCase()));
export const trustWord = (trust) => ({ user_declared: "you said so", human_curated: "looked at by a person", agent_inferred: "an agent concluded it", system_generated: "made by a program", imported: "imported" })[trust] ?? trust;

const VERBS = {
  remember: "remembered", revise: "changed", invalidate: "ended", supersede: "replaced", promote: "vouched for", contest: "doubted", forget: "forgot", undo: "took back",
  create: "made", name: "named", close: "ended", archive: "archived", mend: "mended", summarize: "summarised", dream: "put in order", remove: "took out", link: "linked",
  merge: "merged", relate: "stated", put: "wrote", replace: "replaced", rewrite: "rewrote", restate: "heard again", ingest: "took in", index: "indexed", fade: "let fade",
  evict: "let go of", entity: "named", create_space: "made a space", drop_space: "removed a space", retire: "took out", decay: "marked stale", capture: "captured", note: "noted",
};
const own = (table, name) => (Object.hasOwn(table, name) ? table[name] : undefined); // a client may be called “constructor”
export const verb = (word) => own(VERBS, word) ?? word.replaceAll("_", " ");

const CLIENTS = { claude: "Claude Code", codex: "Codex", cursor: "Cursor", gemini: "Gemini CLI", copilot: "Copilot CLI", vscode: "VS Code" };
/** Who did something, for a person; what a client's hook did is said to be that. */
export const clientWord = (actor) => (actor?.startsWith("hook:") ? `a hook of ${own(CLIENTS, actor.slice(5)) ?? actor.slice(5)}` : named(actor));
const ACTORS = { page: "you, on this page", cli: "you, on the command line", api: "a program, by REST", mcp: "an agent", library: "a program", "": "unknown" };
const named = (actor) => own(ACTORS, actor ?? "") ?? actor;

/** Where in its source a record stands. */
export function place(record) {
  const at = record.locator ?? {};
  const [first, end] = at.lines ?? [at.start_line ?? at.line_start, at.end_line ?? at.line_end];
  const said = at.page ? [`page ${at.page}`] : [];
  if (first) said.push(end && end !== first ? `lines ${first}–${end}` : `line ${first}`);
  return said.join(", ");
}
