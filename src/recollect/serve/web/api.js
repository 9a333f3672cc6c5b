// How is the memory asked? Only /api/ and /events are used, below wherever this page was served from.

const BASE = new URL(".", document.baseURI);
let token = stored("sessionStorage") ?? stored("localStorage");

function stored(where) {
  try {
    return window[where].getItem("recollect-token");
  } catch {
    return null;
  }
}

export class Failed extends Error {
  constructor(status, body) {
    super(body.error ?? `The answer was ${status}.`);
    this.status = status;
    this.field = body.field;
    this.title = { 401: "Sign in", 403: "Not allowed", 404: "Not here", 409: "Not as things stand" }[status] ?? "That did not work";
  }
}

export class Lost extends Error {
  constructor() {
    super("Recollect does not answer. It runs as long as `recollect up` does; this page goes on by itself when it is back.");
    this.title = "The server is away";
  }
}

export const headers = () => ({ "X-Recollect-Client": "page", ...(token ? { Authorization: `Bearer ${token}` } : {}) });
export const address = (path) => new URL(path, BASE);

/** Keeps a token for this tab, or on this device. */
export function signIn(given, keep) {
  token = given || null;
  for (const [where, wanted] of [["sessionStorage", !keep], ["localStorage", keep]]) {
    try {
      if (token && wanted) window[where].setItem("recollect-token", token);
      else window[where].removeItem("recollect-token");
    } catch {
      continue; // it is kept in this page then
    }
  }
}

export const signedIn = () => token !== null;

const AT_REST = 1500; // milliseconds without a key after which nobody types
let asked = 0, typed = -AT_REST;
addEventListener("input", () => (typed = performance.now()), true);

/** Does nobody wait for an answer, nor type what will be asked? */
export const quiet = () => asked === 0 && performance.now() - typed > AT_REST;

async function ask(method, path, { query, body, signal } = {}) {
  const url = address(`api/${path}`);
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "") url.searchParams.append(name, one);
    }
  }
  const more = body === undefined ? {} : { "Content-Type": "application/json" };
  const key = method === "GET" ? {} : { "Idempotency-Key": crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}` };
  let answer, told;
  asked++;
  try {
    answer = await fetch(url, { method, headers: { ...headers(), ...more, ...key }, body: body && JSON.stringify(body), signal, cache: "no-store" });
    told = await answer.json().catch((error) => (answer.ok ? Promise.reject(error) : {})); // an error need not be of ours
  } catch (error) {
    if (error.name === "AbortError") throw error;
    window.dispatchEvent(new Event("recollect-lost"));
    throw new Lost();
  } finally {
    asked--;
  }
  if (answer.status === 401) window.dispatchEvent(new Event("recollect-signin"));
  if (!answer.ok) throw new Failed(answer.status, told);
  return told;
}

export const get = (path, query, signal) => ask("GET", path, { query, signal });
export const post = (path, body = {}) => ask("POST", path, { body });
export const patch = (path, body) => ask("PATCH", path, { body });
export const remove = (path, query) => ask("DELETE", path, { query });
export const part = encodeURIComponent;

/** Is a name one that no address can have as a part? Whoever reads an address takes it for the way to where it is, or up. */
export const isWay = (name) => name === "." || name === "..";

/** A space with its rooms. */
export async function spaceView(name) {
  if (!isWay(name)) return get(`spaces/${part(name)}`);
  const found = (await get("spaces")).find((one) => one.space.name === name);
  if (!found) throw new Failed(404, { error: `There is no space “${name}”.` });
  return found;
}
