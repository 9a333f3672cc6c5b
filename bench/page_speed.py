"""How long does somebody wait for the page: until it is painted, and from the last key of a question to its answer?

All of it is measured by the browser itself, from a real `recollect up` over a store of 10,000 records.
"""

from __future__ import annotations

from typing import Any

from tests.serve.up import Service
from tools.browser import launched

from bench.stores import filled
from bench.table import Plan, Table, median, quantile, within
from bench.texts import questions

SIZE = 10_000
PAINT_LIMIT, ANSWER_LIMIT, TASK_LIMIT = 300.0, 150.0, 50.0
BETWEEN_KEYS = 70
"""Milliseconds: somebody who types fast."""
_WATCH = """
(() => {
  window.watched = { key: 0, tasks: [], shown: {} };
  addEventListener("keydown", (event) => (watched.key = event.timeStamp), true);
  const tasks = (list) => watched.tasks.push(...list.getEntries().map((one) => one.duration));
  new PerformanceObserver(tasks).observe({ type: "longtask" });
  const results = document.querySelector(".results");
  const painted = () => {
    const { asked } = results.dataset;
    requestAnimationFrame(() => setTimeout(() => (watched.shown[asked] ??= performance.now())));
  };
  new MutationObserver(painted).observe(results, { attributes: true, attributeFilter: ["data-asked"] });
})()
"""
_WAITED = "(question) => watched.shown[question] && watched.shown[question] - watched.key"
_SERVED = (
    "() => performance.getEntriesByType('resource').filter((one) => one.name.includes('/api/recall')).at(-1).duration"
)
_PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def run(plan: Plan) -> list[Table]:
    size = min(SIZE, max(plan.sizes))
    home = filled(plan.folder, f"hooks-{size}", {"default": size})
    asked = questions(2 if plan.tiny else 8, among=size, seed=len("default"))
    server = Service(home, embedder="bundled")
    try:
        with launched() as browser:
            _started(browser)
            paints = [_painted(browser, server) for _ in range(max(plan.repeats, 3))]
            waits, served, tasks = _typed(browser, server, asked)
    finally:
        server.close()
    longest = max(tasks, default=0.0)
    rows = (
        ("first paint, ms", median(paints), max(paints), PAINT_LIMIT, within(max(paints) < PAINT_LIMIT)),
        ("last key to answer, ms", median(waits), max(waits), ANSWER_LIMIT, within(max(waits) <= ANSWER_LIMIT)),
        ("of it, until the server has answered", median(served), max(served), None, None),
        ("longest task while typing, ms", longest, longest, TASK_LIMIT, within(longest <= TASK_LIMIT)),
    )
    held = sum(wait <= ANSWER_LIMIT for wait in waits)
    note = (
        f"{len(paints)} visits; {len(waits)} questions of {size:,} records typed with {BETWEEN_KEYS} ms between keys,"
        f" of which {held} were answered within {ANSWER_LIMIT:.0f} ms (90 % within {quantile(waits, 0.9):.0f}). A task"
        " below 50 ms is no long one to a browser, and counts as 0."
    )
    return [Table("page-speed", ("what", "median", "worst", "limit", "holds"), rows, note)]


def _started(browser: Any) -> None:
    """Has the browser show something: what its own start takes is no wait for the page."""
    window = browser.new_context()
    window.new_page().goto("data:text/html,<p>Something else</p>")
    window.close()


def _painted(browser: Any, server: Service) -> float:
    window = browser.new_context()
    try:
        page = window.new_page()
        page.goto(server.url)
        page.wait_for_selector(".results[data-asked]")
        return page.evaluate(_PAINTED)
    finally:
        window.close()


def _typed(browser: Any, server: Service, asked: list[str]) -> tuple[list[float], list[float], list[float]]:
    window = browser.new_context()
    try:
        page = window.new_page()
        page.goto(server.url)
        page.wait_for_selector(".results[data-asked]")
        page.fill("#q", "once, so that the model is loaded")
        page.wait_for_selector(".results[data-asked='once, so that the model is loaded']")
        page.evaluate(_WATCH)
        waits: list[float] = []
        served: list[float] = []
        for question in asked:
            page.fill("#q", "")
            page.wait_for_selector(".results[data-asked='']")
            page.evaluate("performance.clearResourceTimings()")
            page.locator("#q").press_sequentially(question, delay=BETWEEN_KEYS)
            waits.append(page.wait_for_function(_WAITED, arg=question).json_value())
            served.append(page.evaluate(_SERVED))
        return waits, served, page.evaluate("watched.tasks")
    finally:
        window.close()
