// What would an agent be given: at the start of a session, and with a prompt?

import { part, patch, post, spaceView } from "../api.js";
import { broken, empty, h, sentence, settled, show } from "../dom.js";
import { meta, recordLink, whyChart } from "../parts.js";
import { keepAddress, refused, spaceOf, state, told } from "../store.js";
import { count, many, moment, percent } from "../words.js";

const SECTIONS = { pinned: "Pinned", rules: "Preferences and rules", decisions: "Decisions", open: "Open work", important: "Most important now" };

export async function open(page, where) {
  const space = await spaceOf(where);
  const known = await spaceView(space).catch(() => ({ projects: [] }));
  const prompt = h("textarea", { id: "prompt", rows: 3, placeholder: "Type a prompt as you would to an agent. Empty: what a session begins with." });
  prompt.value = where.query.get("prompt") ?? "";
  const project = h("select", { id: "project" }, h("option", { value: "" }, "No project in particular"), known.projects.map((one) => h("option", { value: one.name }, one.name)));
  project.value = known.projects.some((one) => one.name === where.query.get("project")) ? where.query.get("project") : "";
  const result = h("div", { class: "given" });

  let turn = 0, closed = false;

  async function run() {
    if (closed) return;
    const mine = ++turn;
    keepAddress("given", { space, project: project.value, prompt: prompt.value.trim() });
    try {
      const answer = await post("given", { space, ...(project.value ? { project: project.value } : {}), ...(prompt.value.trim() ? { prompt: prompt.value.trim() } : {}) });
      if (mine === turn) paint(answer);
    } catch (error) {
      show(result, broken(error, run));
    }
  }

  function paint({ preview, steering, paused_until }) {
    const { given, budget, lines } = preview;
    const [inside, below] = [lines.filter((one) => one.given), lines.filter((one) => !one.given)];
    show(result,
      paused_until && h("p", { class: "note" }, `Paused until ${new Date(paused_until).getFullYear() > 9000 ? "you resume it" : moment(paused_until)}: nothing is given meanwhile.`),
      h("section", { class: "budget" },
        h("h2", {}, given.text ? `${many(inside.length, "record")}, ${count(given.tokens)} tokens` : "Nothing would be given"),
        given.text ? h("p", { class: "small muted" }, `Of at most ${count(budget)} tokens${prompt.value.trim() ? `; a record must be at least ${percent(steering.threshold)} likely to answer` : ""}.`) : h("p", { class: "muted" }, sentence(given.reason)),
        h("div", { class: "gauge", role: "img", "aria-label": `${count(given.tokens)} of ${count(budget)} tokens used` }, h("b", { style: { width: `${Math.min(100, (given.tokens / budget) * 100)}%` } }))),
      inside.length > 0 && h("ol", { class: "lines" }, grouped(inside)),
      below.length > 0 && [h("div", { class: "the-line" }, h("span", {}, "Just below the line")), h("ol", { class: "lines below" }, below.map(line))],
      given.text && h("details", { class: "raw" }, h("summary", {}, "The text, word for word"), h("pre", {}, given.text)),
      steer(steering));
  }

  function steer(steering) {
    const form = h("form", { class: "steer sheet" });
    const numberField = (name, label, value, attributes) => h("div", { class: "field" }, h("label", { for: `s-${name}` }, label), h("input", { id: `s-${name}`, type: "number", value, ...attributes }));
    const inject = h("input", { type: "checkbox", id: "s-inject" });
    inject.checked = steering.inject;
    form.append(h("h2", {}, `How much ${space} gives unasked`),
      h("label", { class: "check" }, inject, "Give agents something without being asked"),
      h("div", { class: "filters" }, numberField("start_tokens", "At the start, tokens", steering.start_tokens, { min: 50, max: 2400, step: 50 }), numberField("prompt_tokens", "With a prompt, tokens", steering.prompt_tokens, { min: 50, max: 2400, step: 50 }), numberField("threshold", "Likely enough from", steering.threshold, { min: 0, max: 1, step: 0.05 })),
      h("div", { class: "actions" }, h("button", { disabled: Boolean(refused("steer")) }, "Save"), refused("steer") && h("p", { class: "small muted" }, refused("steer"))));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const read = (name) => Number(form.querySelector(`#s-${name}`).value);
      try {
        await patch(`spaces/${part(space)}/steering`, { inject: inject.checked, start_tokens: read("start_tokens"), prompt_tokens: read("prompt_tokens"), threshold: read("threshold") });
        const before = steering;
        told("Saved.", () => patch(`spaces/${part(space)}/steering`, before));
        run();
      } catch (error) {
        told(error.message);
      }
    });
    return form;
  }

  const later = settled(run, 200);
  prompt.addEventListener("input", later);
  project.addEventListener("change", run);
  if (!state.spaces.length) {
    page.append(h("div", { class: "head" }, h("h1", {}, "What agents get")), empty("Nothing to give yet", "As soon as something is remembered, this shows what a session would begin with, and what a prompt would bring along."));
    return { refresh: () => dispatchEvent(new Event("hashchange")) };
  }
  page.append(
    h("div", { class: "head" }, h("h1", {}, "What agents get"), h("p", {}, `What Recollect gives from ${space} to an agent that did not ask: at the start of a session, and with a prompt.`)),
    h("div", { class: "given-form" }, h("div", { class: "field" }, h("label", { for: "prompt" }, "Prompt"), prompt), h("div", { class: "field" }, h("label", { for: "project" }, "Project"), project)),
    result);
  await run();
  return { refresh: run, close: () => (closed = true), keys: [["e", "Type a prompt", () => prompt.focus()]] };
}

function grouped(lines) {
  let section = null;
  return lines.flatMap((one) => {
    const heading = one.section && one.section !== section ? h("li", { class: "section-name" }, h("h3", {}, SECTIONS[one.section] ?? one.section)) : null;
    section = one.section;
    return [heading, line(one)];
  });
}

const line = (one) =>
  h("li", { class: "line" },
    h("span", { class: "tokens numbers", title: "tokens" }, one.tokens),
    h("div", { class: "hit-body" }, h("a", { class: "read clamp", href: recordLink(one.record) }, one.text), h("p", { class: "small muted" }, sentence(one.reason)), meta(one.record, { space: false })),
    one.why && whyChart(one.why, one.score));
