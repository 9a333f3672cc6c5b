// How is something put on the page? Everything that a memory says goes in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children. Strings and numbers become text; null and false are left out. */
export function h(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.setAttribute("class", value);
    else if (key === "style") for (const [name, one] of Object.entries(value)) element.style.setProperty(name, one);
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  put(element, ...children);
  return element;
}

/** Adds children to an element. */
export function put(element, ...children) {
  for (const child of children.flat(4)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/** Has an element hold these children and nothing else. What had the focus within gives it to its like: nobody loses their place. */
export function show(element, ...children) {
  const held = element.contains(document.activeElement) && document.activeElement !== element ? document.activeElement : null;
  const likes = ["href", "id", "data-key"].filter((name) => held?.hasAttribute(name)).map((name) => `[${name}="${CSS.escape(held.getAttribute(name))}"]`);
  element.replaceChildren();
  put(element, ...children);
  if (held?.isConnected) held.focus({ preventScroll: true });
  else likes.map((like) => element.querySelector(like)).find(Boolean)?.focus({ preventScroll: true });
  return element;
}

/** Words as a sentence: with a capital, and a full stop where none of its own ends it. */
export const sentence = (words) => (words ? `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?…)]$/.test(words) ? "" : "."}` : "");

/** A sentence in which what stands between backticks is to be typed. */
export const worded = (text) => text.split("`").map((part, at) => (at % 2 ? h("code", {}, part) : part));

export const empty = (title, ...words) => h("div", { class: "empty" }, h("h2", {}, title), words.map((one) => (typeof one === "string" ? h("p", {}, worded(one)) : one)));

/** What went wrong, in its own words, and a way to try again. */
export const broken = (error, again) =>
  h("div", { class: "broken", role: "alert" }, h("h2", {}, error.title ?? "That did not work"), h("p", {}, worded(sentence(error.message))), again && h("button", { onclick: again }, "Try again"));

export const loading = (words) => h("p", { class: "loading", role: "status" }, words);

/** A dialog that is there until it is answered. `build` gets a function that closes it. */
export function ask(label, build) {
  const dialog = h("dialog", { "aria-label": label });
  const close = () => dialog.close();
  put(dialog, build(close));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** A function that runs when nobody has called it for a while. */
export function settled(act, milliseconds) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...given), milliseconds);
  };
}
