// How does an app inside of a client speak with it? JSON-RPC by postMessage; what memories say is put in as text.
const pending = new Map();
const heard = {};
let last = 0;

function say(message) {
  parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function ask(method, params) {
  const id = ++last;
  return new Promise((done, failed) => {
    pending.set(id, { done, failed });
    say({ id, method, params });
  });
}

addEventListener("message", ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return;
  if (data.method === undefined) {
    const waiting = pending.get(data.id);
    pending.delete(data.id);
    if (data.error) waiting?.failed(new Error(data.error.message));
    else waiting?.done(data.result);
  } else if (data.id !== undefined) say({ id: data.id, result: {} });
  else heard[data.method]?.(data.params ?? {});
});

const theme = (context) => (document.documentElement.style.colorScheme = ["light", "dark"].includes(context?.theme) ? context.theme : "light dark");
heard["ui/notifications/host-context-changed"] = theme;

/** Tells the client that the app is there; `shown` gets what the tool answered, now and whenever it is called again. */
async function begin(shown, given) {
  heard["ui/notifications/tool-result"] = (result) => shown(valueOf(result));
  heard["ui/notifications/tool-input"] = (input) => given?.(input.arguments ?? {});
  const host = await ask("ui/initialize", { protocolVersion: "2026-01-26", appInfo: { name: "Recollect", version: "1" }, appCapabilities: {} });
  theme(host?.hostContext);
  say({ method: "ui/notifications/initialized", params: {} });
  new ResizeObserver(() => say({ method: "ui/notifications/size-changed", params: { width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight } })).observe(document.body);
}

/** What a tool answers; an error of it is one here. */
async function call(name, given) {
  const result = await ask("tools/call", { name, arguments: given });
  if (result.isError) throw new Error(result.content?.[0]?.text ?? "That did not work.");
  return valueOf(result);
}

const valueOf = (result) => result.structuredContent ?? JSON.parse(result.content[0].text);

const sentence = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?…)]$/.test(words) ? "" : "."}`;

function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "width") element.style.width = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== false));
  return element;
}

/** Says what was done, and offers to take it back: `undo` does that, and what is shown then; without one there is no way back. */
let takeBack = null;
function done(words, undo) {
  takeBack = undo && (async () => {
    takeBack = null;
    try {
      await undo();
      done("Taken back.");
    } catch (error) {
      done(error.message);
    }
  });
  document.getElementById("done").replaceChildren(words, ...(takeBack ? [" ", h("button", { type: "button", onclick: () => takeBack?.() }, "Undo ", h("kbd", {}, "u"))] : []));
}

/** One key for each button that says so, and `u` for the last undo; whoever writes in a field is left alone. */
addEventListener("keydown", ({ key, target, ctrlKey, metaKey, altKey }) => {
  if (ctrlKey || metaKey || altKey || target.closest("input, textarea, select")) return;
  if (key === "u") takeBack?.();
  else document.querySelector(`button[data-key="${CSS.escape(key)}"]`)?.click();
});
