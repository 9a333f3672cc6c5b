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
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

const steps = []; // what was done here, the last of it last: how it is taken back, or null where it cannot be

/** Says what was done, and offers to take it back: `undo` does that; null where there is no way back. */
function done(words, undo) {
  if (undo !== undefined) steps.push(undo);
  document.getElementById("done").replaceChildren(words, ...(undo ? [" ", h("button", { type: "button", onclick: () => alone(takeBack) }, "Undo ", h("kbd", {}, "u"))] : []));
}

async function takeBack() {
  const undo = steps.pop();
  if (undo === undefined) return done("Nothing was done here that could be taken back.");
  if (undo === null) return done("The last thing done cannot be taken back. Pressing u again takes back what was done before it.");
  await undo();
  done("Taken back.");
}

/** Does one thing at a time. What is pressed meanwhile is not done, and that is said. */
let busy = false;
async function alone(act) {
  if (busy) return done("One moment: the last one is still on its way. Press again when it is done.");
  busy = true;
  document.body.setAttribute("aria-busy", "true");
  try {
    await act();
  } catch (error) {
    done(sentence(error.message));
  }
  busy = false;
  document.body.removeAttribute("aria-busy");
}

/** One key for each button that says so, and `u` to take back, one thing after the other; whoever writes in a field is left alone. */
addEventListener("keydown", ({ key, target, ctrlKey, metaKey, altKey }) => {
  if (ctrlKey || metaKey || altKey || target.closest("input, textarea, select")) return;
  if (key === "u") alone(takeBack);
  else document.querySelector(`button[data-key="${CSS.escape(key)}"]`)?.click();
});
