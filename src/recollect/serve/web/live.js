// How does the page hear of what others change? /events, read with fetch, since only that can show a token.

import { address, headers } from "./api.js";

const listeners = new Set();
let state = "connecting";
let last = null;
let running = null;

/** Calls back with every change from now on; answers with what ends that. */
export function onChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const liveState = () => state;

function become(next) {
  if (next === state) return;
  const before = state;
  state = next;
  window.dispatchEvent(new CustomEvent("recollect-live", { detail: { state, before } }));
}

/** Listens until the page is left; anew with another token. */
export function listen() {
  running?.abort();
  running = new AbortController();
  follow(running.signal);
}

/** Listens no more, until somebody has signed in. */
export function silence() {
  running?.abort();
  become("out");
}

async function follow(signal) {
  let wait = 250;
  while (!signal.aborted) {
    try {
      const more = last === null ? {} : { "Last-Event-ID": String(last) };
      const answer = await fetch(address("events"), { headers: { ...headers(), ...more, Accept: "text/event-stream" }, signal, cache: "no-store" });
      if (answer.status === 401) return window.dispatchEvent(new Event("recollect-signin")); // asking again would be refused again
      if (!answer.ok) throw new Error(`events: ${answer.status}`);
      become("live");
      wait = 250;
      await read(answer.body.getReader());
    } catch (error) {
      if (signal.aborted) return;
    }
    become("lost");
    await new Promise((done) => setTimeout(done, wait));
    wait = Math.min(wait * 2, 4000);
  }
}

async function read(reader) {
  const decoder = new TextDecoder();
  let held = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    held += decoder.decode(value, { stream: true });
    const frames = held.split("\n\n");
    held = frames.pop();
    const changes = frames.map(parse).filter((one) => one?.type === "change");
    if (changes.length) for (const listener of listeners) listener(changes);
  }
}

function parse(frame) {
  let data = "";
  for (const line of frame.split("\n")) {
    if (line.startsWith("id:")) last = Number(line.slice(3));
    else if (line.startsWith("data:")) data += line.slice(5);
  }
  return data ? JSON.parse(data) : null;
}
