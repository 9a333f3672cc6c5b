"""The page, walked through as a person would."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.page.conftest import PHONE, Look
from tests.serve.up import Service
from tools.browser import axe
from tools.lifelike import write

import recollect
from recollect import Memory, Settings
from recollect.engine.hook_log import HookCall, log_call
from recollect.engine.read.stats import tally
from recollect.engine.tokens import create_token
from recollect.engine.write.screen import set_secrets
from recollect.serve.page import FOLDER

VIEWS = (
    "recall", "recall?q=how+do+deploys+of+ledger+work", "inbox", "given?space=work",
    "given?space=work&prompt=are+refunds+approved", "timeline", "graph?space=work", "spaces", "spaces/work", "health",
    "record",
)  # fmt: skip
MOST_TABS = 200
MARK_USABLE = f"""() => {{
    const usable = [...document.querySelectorAll('main :is(a[href], button, input, select, textarea, summary)')];
    usable.filter((one) => one.checkVisibility({{ visibilityProperty: true }}) && !one.disabled && one.tabIndex >= 0)
        .slice(0, {MOST_TABS} / 2).forEach((one) => one.setAttribute('data-unreached', ''));
}}"""
REACHED = """() => {
    const one = document.activeElement;
    one.removeAttribute('data-unreached');
    const outline = getComputedStyle(one);
    const shown = outline.outlineStyle !== 'none' && parseFloat(outline.outlineWidth) >= 1;
    return { inside: Boolean(one.closest('main')), shown, name: one.outerHTML.slice(0, 120) };
}"""
READY = "main :is(.hit, .matter, .line, .act, .graph-side h2, .rooms, .item, .figure, .record-text)"


@pytest.fixture
def memory(home: Path) -> Iterator[Memory]:
    """The same store, as another process has it open."""
    with recollect.open(settings=Settings(home=home, embedder="none"), actor="codex") as one:
        yield one


def shown(page: Any, text: str) -> Any:
    found = page.get_by_text(text).first
    try:
        found.wait_for()
    except Exception as error:
        raise AssertionError(f"{text!r} is not shown, but: {page.inner_text('body')}") from error
    return found


def record_of(memory: Memory, words: str) -> str:
    return f"record/{memory.recall(words, space=None)[0].record.id}"


def texts(page: Any, selector: str) -> list[str]:
    return page.locator(selector).all_inner_texts()


# Recall


def test_answers_come_as_one_types_and_say_why(look: Look) -> None:
    page = look()
    page.fill("#q", "when are refunds approved")
    page.wait_for_function("() => document.querySelector('.hit')?.innerText.includes('Refunds over 200')")
    first = page.locator(".hit").first
    assert "words" in first.locator(".bars").inner_text()
    assert "What spoke for it:" in first.locator(".why .said").inner_text()
    assert "payments" in first.locator(".meta").inner_text()


def test_an_older_answer_never_takes_the_place_of_a_newer_one(look: Look) -> None:
    page = look()
    page.wait_for_selector(".results[data-asked='']")
    held: list[Any] = []
    page.route("**/api/recall?q=ferry*", lambda route: held.append(route))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/api/recall" in request.url else None)
    with page.expect_request("**/api/recall?q=ferry*"):
        page.fill("#q", "ferry")
    page.fill("#q", "boiler")
    page.fill("#q", "tomatoes on the south wall")
    assert len(asked) == 1
    held[0].continue_()
    page.wait_for_selector(".results[data-asked='tomatoes on the south wall']")
    assert [("ferry" in url, "boiler" in url) for url in asked] == [(True, False), (False, False)]
    assert "tomatoes" in page.locator(".hit").first.inner_text().lower()


def test_filters_narrow_and_stay_in_the_address(look: Look) -> None:
    page = look("recall?q=export")
    page.select_option("#f-project", "ledger")
    page.wait_for_function("() => location.hash.includes('project=ledger')")
    page.wait_for_function(
        "() => { const all = [...document.querySelectorAll('.hit .meta')];"
        " return all.length && all.every((one) => one.innerText.includes('ledger')) }"
    )
    page.reload()
    page.wait_for_selector(".hit")
    assert page.locator("#f-project").input_value() == "ledger"


def test_the_slider_shows_what_was_known_then(look: Look) -> None:
    page = look("recall?q=feature+flags+restart")
    shown(page, "read again on SIGHUP")
    page.evaluate(
        "(() => { const s = document.querySelector('#as-of'); s.value = 300; s.dispatchEvent(new Event('input')); })()"
    )
    shown(page, "a change needs a restart")
    assert "As it was known on" in page.locator(".as-of output").inner_text()
    page.get_by_role("button", name="Back to now").click()
    shown(page, "read again on SIGHUP")


def test_markup_in_a_memory_is_shown_as_text(look: Look) -> None:
    page = look("recall?q=text+from+customers+shown")
    dialogs: list[str] = []

    def dismiss(dialog: Any) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    assert "<script>alert('no')</script>" in shown(page, "Text from customers").inner_text()
    page.locator(".hit a").first.click()
    page.wait_for_selector(".record-text")
    assert "<b>bold</b> & <script>" in page.locator(".record-text .read").inner_text()
    assert (dialogs, page.locator("main script, main .read b").count()) == ([], 0)


# A record


def test_a_record_is_corrected_compared_and_taken_back_by_key(look: Look, memory: Memory) -> None:
    page = look(record_of(memory, "bike shed code"))
    page.keyboard.press("e")
    page.fill("#text", "The bike shed's code is 4410 and is changed each spring.")
    page.fill("#reason", "it is spring")
    page.get_by_role("button", name="Save a new version").click()
    page.wait_for_selector(".versions ins")
    assert (texts(page, ".versions del"), texts(page, ".versions ins")) == (["2291"], ["4410"])
    assert "changed by you, on this page — it is spring" in page.locator(".steps").inner_text()
    page.keyboard.press("u")
    page.wait_for_function("() => document.querySelector('.record-text .read').innerText.includes('2291')")


def test_a_record_is_replaced_and_both_know_of_each_other(look: Look, memory: Memory) -> None:
    page = look(record_of(memory, "boiler serviced by Wendt"))
    page.keyboard.press("r")
    page.fill("#text", "The boiler is serviced in October by Petersen, telephone 0431 555 0177.")
    page.get_by_role("button", name="Put it in its place").click()
    page.wait_for_function("() => document.querySelector('.record-text .read')?.innerText.includes('Petersen')")
    shown(page, "It replaced")
    page.locator(".item a", has_text="Wendt").first.click()
    shown(page, "Replaced by")


def test_a_pin_and_an_end_are_one_key_each(look: Look, memory: Memory) -> None:
    page = look(record_of(memory, "ferry to Langeland"))
    page.keyboard.press("p")
    page.wait_for_selector(".record-text .mark:has-text('pinned')")
    page.keyboard.press("x")
    page.wait_for_selector(".record-text .mark:has-text('no longer true')")
    page.keyboard.press("u")
    page.wait_for_selector(".record-text .mark:has-text('no longer true')", state="detached")


def test_forgetting_shows_what_goes_along_first(look: Look, memory: Memory) -> None:
    memory.remember("Wilma keeps the spare key.", space="home")
    memory.relate("Wilma", "keeps", "spare key", space="home")
    page = look(record_of(memory, "Wilma spare key"))
    page.keyboard.press("f")
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Wilma keeps the spare key.").wait_for()
    page.keyboard.press("Escape")
    assert memory.recall("Wilma spare key", space="home")
    page.keyboard.press("f")
    page.get_by_role("button", name="Forget it for good").click()
    shown(page, "Forgotten for good")
    assert "Wilma keeps" not in [
        hit.record.text[:11] for hit in memory.recall("Wilma spare key", space="home", facts=False)
    ]


def test_evidence_is_shown_with_its_place_and_whether_it_still_says_so(look: Look, memory: Memory) -> None:
    told = memory.remember("The pump was replaced in March.", space="home", kind="message")
    grounds = {"evidence": [{"source": told.id}], "scopes": ["home"]}
    known = memory.remember("The pump is new.", space="home", kind="note", grounds=grounds, trust="human_curated")
    page = look(f"record/{known.id}")
    shown(page, "still says so")
    assert "The pump was replaced in March." in page.locator("blockquote mark").inner_text()


# The inbox


def test_a_duplicate_is_resolved_by_one_key_and_brought_back(look: Look) -> None:
    page = look("inbox?pile=duplicates")
    page.get_by_role("tab", name="Alike").click()
    page.wait_for_selector(".pair ins")
    page.keyboard.press("n")
    shown(page, "The newer one stands.")
    page.keyboard.press("u")
    shown(page, "Taken back.")
    page.get_by_role("tab", name="Alike 1").wait_for()


def test_proposals_are_kept_or_dropped_one_after_the_other(look: Look, memory: Memory) -> None:
    page = look("inbox?pile=candidates")
    page.wait_for_selector(".matter")
    before = page.locator(".matter .read").inner_text()
    page.keyboard.press("k")
    page.wait_for_function("(text) => document.querySelector('.matter .read')?.innerText !== text", arg=before)
    shown(page, "Kept.")
    assert next(one for one in memory.list(space="work", limit=500) if one.text == before).status == "active"
    page.keyboard.press("u")
    page.wait_for_function("(text) => document.querySelector('.matter .read')?.innerText === text", arg=before)


def test_a_secret_that_got_in_is_found_and_masked_by_one_key(look: Look, memory: Memory) -> None:
    memory.create_space("vault")
    set_secrets(memory.core, "allow", space="vault")
    kept = memory.remember("The key of the old bucket is ghp_k3JbA9f0GcE1dI7hB2aK5jH8iC4gD6eF0kJ1.", space="vault").id
    set_secrets(memory.core, "mask", space="vault")
    page = look("inbox?pile=secrets")
    page.get_by_role("tab", name="Secrets 1").wait_for()
    assert "what looks like a secret" in page.locator(".matter .head").inner_text()
    page.keyboard.press("m")
    shown(page, "Masked in every version.")
    assert page.locator("#toasts button").count() == 0
    assert "ghp_" not in str([step.record for step in memory.history(kept, space="vault")])


def test_moved_evidence_is_vouched_for_anew_and_that_is_taken_back(look: Look, memory: Memory) -> None:
    told = memory.remember("The pump runs at 3 bar.", space="pumps", kind="message")
    grounds = {"evidence": [{"source": told.id}], "scopes": ["pumps"]}
    memory.remember("The pump is set low.", space="pumps", kind="note", grounds=grounds, trust="human_curated")
    memory.revise(told.id, "The pump runs at 5 bar.", space="pumps")
    page = look("inbox?pile=evidence")
    page.reload()
    page.select_option("#space", "pumps")
    page.get_by_role("tab", name="Proposed 0").wait_for()
    page.get_by_role("tab", name="Moved evidence 1").wait_for()
    page.keyboard.press("k")
    shown(page, "Nothing waits for you")
    page.keyboard.press("u")
    page.get_by_role("tab", name="Moved evidence 1").wait_for()
    page.select_option("#space", "")


def test_an_empty_inbox_says_what_would_be_there(look: Look, memory: Memory) -> None:
    memory.create_space("quiet")
    page = look("inbox")
    page.reload()
    page.wait_for_selector("#space option[value=quiet]", state="attached")
    page.select_option("#space", "quiet")
    shown(page, "Nothing waits for you")
    assert "Pairs that may say the same." in page.locator(".would-be").inner_text()
    page.select_option("#space", "")


# What agents get, the timeline, the graph, spaces


def test_what_an_agent_gets_has_tokens_reasons_and_a_line(look: Look) -> None:
    page = look("given?space=work")
    shown(page, "It is pinned.")
    assert "Of at most 800 tokens" in page.locator(".budget").inner_text()
    page.fill("#prompt", "do refunds over 200 euros need approval from Ines in the admin?")
    shown(page, "Probably answers")
    shown(page, "Just below the line")
    assert "Not likely enough" in page.locator(".lines.below").inner_text()


def test_what_another_process_stores_appears_by_itself(look: Look, memory: Memory) -> None:
    page = look("timeline")
    page.wait_for_selector(".live[data-state=live]")
    memory.remember("The swifts are back under the roof.", space="home")
    assert "by codex in home" in page.locator(".act", has_text="The swifts are back").first.inner_text()


def test_what_was_done_in_one_go_is_one_line_and_is_undone_as_one(look: Look, memory: Memory) -> None:
    memory.ingest(
        "# Orchard care\n\n" + "\n\n".join(f"## Tree {n}\nPrune tree {n} in winter." for n in range(30)),
        source="care.md",
        space="home",
    )
    page = look("timeline")
    row = page.locator(".act", has_text="Orchard care").first
    assert "by codex in home" in row.inner_text()
    row.get_by_role("button", name="Show all").click()
    assert "took in Orchard care › Tree 7\n" in row.locator("ol").inner_text()
    row.get_by_role("button", name="Undo all").click()
    page.wait_for_selector(".act[data-undone]:has-text('Orchard care')")
    assert memory.count(space="home", source="care.md") == 0


def test_the_timeline_is_narrowed_by_client_and_project_and_stays_so(look: Look, memory: Memory) -> None:
    memory.remember("Kestrel releases are tagged by Mira.", space="work", project="kestrel")
    page = look("timeline")
    page.wait_for_selector("#project option[value=kestrel]", state="attached")
    page.select_option("#client", "codex")
    page.select_option("#project", "kestrel")
    page.wait_for_function("() => document.querySelectorAll('.act').length === 1")
    assert "Kestrel releases are tagged" in page.locator(".act").inner_text()
    page.reload()
    page.wait_for_function("() => document.querySelectorAll('.act').length === 1")
    assert page.locator("#client").input_value() == "codex"
    row = page.locator(".act")
    row.get_by_role("button", name="Undo").click()
    page.wait_for_selector(".act[data-undone]")


def test_a_name_leads_from_the_graph_to_its_records(look: Look) -> None:
    page = look("graph")
    shown(page, "Most connected")
    page.fill("#find", "pomona")
    page.keyboard.press("Enter")
    page.wait_for_selector(".graph-side h2:has-text('pomona')")
    side = page.locator(".graph-side").inner_text()
    assert "is written in" in side
    assert "What was stated once" in side
    page.locator(".graph-side .item a").first.click()
    page.wait_for_selector(".record-text")


def test_one_walks_into_a_room(look: Look) -> None:
    page = look("spaces")
    page.locator(".rooms a", has_text="payments").click()
    page.wait_for_selector(".item")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector(".record-text")
    assert "payments" in page.locator(".crumbs").inner_text()


def test_a_long_list_comes_in_windows(look: Look, memory: Memory) -> None:
    memory.remember_many([{"text": f"Page {n} of the long list."} for n in range(400)], space="long")
    page = look("spaces/long")
    page.wait_for_selector(".item")
    assert page.locator(".item").count() < 200
    down = "() => (scrollTo(0, document.body.scrollHeight), document.body.innerText.includes('Page 0 of'))"
    page.wait_for_function(down)
    assert page.locator(".item").count() < 300
    page.evaluate("scrollTo(0, 0)")
    page.get_by_text("Page 399 of the long list.").wait_for()


def test_two_thousand_names_are_drawn_and_one_is_found(look: Look, memory: Memory) -> None:
    with memory.core.store.joined():
        for n in range(2_000):
            memory.relate(f"part {n}", "belongs to", f"part {n // 7}", space="many", replaces=False)
    page = look("graph?space=many")
    page.wait_for_function("() => document.querySelector('main [role=status]')?.innerText.startsWith('2,000')")
    page.wait_for_selector("canvas[data-laid=done]")
    page.fill("#find", "part 1999")
    page.keyboard.press("Enter")
    page.wait_for_selector(".graph-side h2:has-text('part 1999')")
    assert "part 285" in page.locator(".graph-side").inner_text()


def test_a_network_lies_the_same_whenever_it_is_looked_at(look: Look) -> None:
    drawn: list[str] = []
    for _ in range(2):
        page = look("graph?space=work")
        page.wait_for_selector("canvas[data-laid=done]")
        page.wait_for_selector(".graph-side h2")
        page.evaluate("() => document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        drawn.append(page.evaluate("() => document.querySelector('canvas').toDataURL()"))
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) > 10_000


def test_the_moment_of_a_network_is_in_its_address(look: Look) -> None:
    page = look("graph?space=work&at=2026-09-01T10:00:00.000Z&past=no")
    shown(page, "As it was on 1 Sept 2026")
    assert not page.locator("#past").is_checked()
    page.locator("#time").focus()
    page.keyboard.press("End")
    shown(page, "As it is now")
    page.wait_for_function("() => !location.hash.includes('at=')")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => location.hash.includes('at=')")
    assert "past=no" in page.evaluate("location.hash")


def test_a_network_whose_program_does_not_load_says_so_and_keeps_the_list(look: Look) -> None:
    page = look("health")
    page.route("**/layout.js", lambda route: route.fulfill(status=404, body=""))
    page.evaluate("location.hash = '#/graph?space=work'")
    shown(page, "The network cannot be laid out")
    shown(page, "Most connected")


# By keys alone, on a phone, in the dark


def test_keys_alone_lead_from_a_question_to_an_answer_and_back(look: Look) -> None:
    page = look("health")
    page.keyboard.press("/")
    page.wait_for_selector("#q:focus")
    page.keyboard.type("nightly export to the accountant")
    page.wait_for_function("() => document.querySelector('.hit')?.innerText.includes('accountant')")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.matches('.hit a')")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_selector(".record-text")
    page.keyboard.press("?")
    assert "No longer true" in page.get_by_role("dialog").inner_text()


OPENED = (".hit", ".tabs", ".line", ".act", "main h1", ".rooms", ".figure")


@pytest.mark.parametrize(("key", "there"), list(enumerate(OPENED, 1)))
def test_whatever_can_be_used_in_a_view_is_reached_by_keys_and_shows_it(look: Look, key: int, there: str) -> None:
    page = look("health" if key == 1 else "recall")
    page.wait_for_selector("main :is(.hit, .figure)")
    page.keyboard.press("Escape")
    page.keyboard.press(str(key))
    page.wait_for_selector(there)
    page.wait_for_selector(".figure" if key == 1 else ".hit", state="detached")
    page.evaluate(MARK_USABLE)
    page.locator("main").focus()
    unmarked: set[str] = set()
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        reached = page.evaluate(REACHED)
        if not reached["inside"]:
            break
        if not reached["shown"]:
            unmarked.add(reached["name"])
    assert unmarked == set()
    assert page.evaluate("() => document.querySelectorAll('main [data-unreached]').length") == 0


def test_light_and_dark_follow_the_system_and_the_hand(look: Look) -> None:
    page = look("health", scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(15, 20, 18)"
    page.keyboard.press("t")
    assert page.evaluate(ground) == "rgb(245, 247, 245)"
    page.reload()
    page.wait_for_selector("h1")
    assert page.evaluate(ground) == "rgb(245, 247, 245)"


def test_no_text_pushes_anything_aside_and_each_runs_as_its_letters_do(look: Look, memory: Memory) -> None:
    endless = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk" * 5
    memory.remember(endless, space="odd", title="W" * 150, room="x" * 150, project="p" * 150, source="/deep" * 60)
    hebrew = memory.remember("ההזמנה נמצאת במגירה.", space="odd", tags=[f"tag number {n}" for n in range(40)]).id
    memory.remember("🎉🚀 Release day! 👩‍👩‍👧‍👦 at noon", space="odd")
    memory.relate("a" * 150, "is related to", "b" * 150, space="odd")
    page = look(f"record/{hebrew}?space=odd", size=PHONE)
    page.wait_for_selector(".record-text .read")
    for view in (
        f"record/{hebrew}?space=odd",
        "recall?q=donaudampfschifffahrt",
        "spaces",
        "spaces/odd",
        "graph?space=odd",
        "timeline",
    ):
        page.evaluate("(view) => (location.hash = `#/${view}`)", view)
        page.wait_for_selector(f"{READY}, main :is(.empty, .broken)")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= PHONE["width"], view
    page.evaluate("(id) => (location.hash = `#/record/${id}`)", hebrew)
    page.wait_for_selector(".record-text .read")
    gaps = page.evaluate(
        "() => { const line = document.querySelector('.record-text .read'), text = document.createRange();"
        " text.selectNodeContents(line); const [a, b] = [line, text].map((one) => one.getBoundingClientRect());"
        " return [b.left - a.left, a.right - b.right] }"
    )
    assert gaps[0] > gaps[1]


@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing_by_day_by_night_and_on_a_phone(look: Look, memory: Memory, view: str) -> None:
    page = look(record_of(memory, "feature flags") if view == "record" else view)
    page.wait_for_selector(READY)
    page.evaluate(axe())
    assert complaints(page) == []
    page.emulate_media(color_scheme="dark")
    assert complaints(page, "color-contrast") == []
    page.set_viewport_size(PHONE)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= PHONE["width"]
    page.get_by_role("button", name="Menu").click()
    assert page.get_by_role("link", name="Timeline").is_visible()
    assert complaints(page) == []


def complaints(page: Any, *rules: str) -> list[tuple[str, list[str]]]:
    """What axe-core complains of, and where."""
    only = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else {}
    run = "(options) => axe.run(document, { resultTypes: ['violations'], ...options })"
    found = page.evaluate(run, only)["violations"]
    return [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found]


# The server


def test_a_server_that_goes_away_is_told_and_taken_up_again(look: Look, tmp_path: Path) -> None:
    write(tmp_path, today=datetime.now(UTC))
    server = Service(tmp_path)
    try:
        page = look("recall?q=ferry", url=server.url)
        page.wait_for_selector(".live[data-state=live]")
        server.close()
        page.wait_for_selector(".live[data-state=lost]")
        page.fill("#q", "tomatoes")
        shown(page, "The server is away")
        server = Service(tmp_path, port=server.port)
        page.wait_for_selector(".live[data-state=live]")
        shown(page, "south wall")
    finally:
        server.close()


def test_a_token_shows_its_space_and_nothing_else(look: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, today=datetime.now(UTC))
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        token, _ = create_token(memory.core, spaces=["home"], scope="read", name="visitor")
    monkeypatch.setenv("RECOLLECT_TOKEN", "the-owner-has-another-one")
    server = Service(tmp_path)
    try:
        page = look(url=server.url)
        page.fill("#token", "not-a-token-that-is-known")
        page.keyboard.press("Enter")
        shown(page, "That token is not known here")
        page.fill("#token", token)
        page.keyboard.press("Enter")
        page.wait_for_selector(".hit")
        assert texts(page, "#space option") == ["All spaces", "home"]
        page.fill("#q", "how are payments by Mollie handled")
        page.wait_for_function("() => document.querySelector('.summary').innerText.includes('ms')")
        assert "Mollie" not in page.locator(".results").inner_text()
        page.locator(".hit a").first.click()
        shown(page, "Your token may look, and change nothing.")
        assert page.locator(".record-text button:not([disabled])").count() == 0
        page.evaluate("() => (location.hash = '#/given?space=home')")
        page.wait_for_selector(".line")
        page.evaluate("() => (location.hash = '#/timeline')")
        page.wait_for_selector(".act")
        assert page.locator(".act .small-button:not([disabled])").count() == 0
    finally:
        server.close()


class Proxied(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that hangs up is no error."""


class Proxy(BaseHTTPRequestHandler):
    """Has the service under /memory/, and no events."""

    port = 0

    def do_GET(self) -> None:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port)) as upstream:
            upstream.request("GET", self.path.removeprefix("/memory"), headers={"Host": "127.0.0.1"})
            answer = upstream.getresponse()
            sent = b"" if self.path == "/memory/events" else answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(sent)

    def log_message(self, format: str, *args: object) -> None:
        """It is quiet."""


def test_the_page_works_below_a_path_of_a_proxy(look: Look, up: Service) -> None:
    proxy = Proxied(("127.0.0.1", 0), Proxy)
    Proxy.port = up.port
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    try:
        page = look("recall?q=ferry", url=f"http://127.0.0.1:{proxy.server_port}/memory")
        shown(page, "Langeland")
        page.keyboard.press("Escape")
        page.keyboard.press("7")
        shown(page, "Who wrote to it")
        page.evaluate("location.hash = '#/graph?space=work'")
        page.wait_for_selector("canvas[data-laid=done]")
    finally:
        proxy.shutdown()
        proxy.server_close()


def test_the_command_says_where_the_page_is_or_that_nobody_is_there(up: Service) -> None:
    def opened(port: int) -> tuple[int, str]:
        command = [sys.executable, "-m", "recollect.cli", "open", "--print", "--http", f"127.0.0.1:{port}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        code, told = opened(free.getsockname()[1])
    assert (code, "start the service with `recollect up`" in told) == (1, True)
    assert opened(up.port) == (0, f"{up.url}/\n")


def test_health_tells_who_is_connected_and_how_old_the_backups_are(
    look: Look, up: Service, home: Path, memory: Memory
) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "heron", "version": "1"}}
    said = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    accept = {"Accept": "application/json, text/event-stream"}
    answer = up.web.post("/mcp", json=said, headers=accept)
    log_call(home, HookCall(at=datetime.now(UTC), client="claude", event="SessionStart"))
    page = look("health")
    row = page.locator("tr", has_text="heron")
    row.wait_for()
    assert row.locator("td").all_inner_texts()[:3] == ["protocol", "1", "1"]
    assert page.get_by_role("row", name="claude hooks").count() == 1
    shown(page, "All is well. The store was read in")
    held = sum(tally(memory.core, space=one.name).records for one in memory.spaces())
    assert page.locator(".figure", has_text="Records that hold now").locator("b").inner_text() == f"{held:,}"
    up.web.delete("/mcp", headers={**accept, "Mcp-Session-Id": answer.headers["mcp-session-id"]})
    page.reload()
    page.locator("tr", has_text="heron").wait_for()
    assert page.locator("tr", has_text="heron").locator("td").all_inner_texts()[1] == "0"


# What is sent


def test_the_page_is_small_and_asks_nobody_else() -> None:
    files = [path for path in FOLDER.rglob("*") if path.is_file()]
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) < 600_000
    for path in files:
        if path.suffix in (".js", ".css", ".html"):
            text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
            assert "://" not in re.sub(r"\A// https://d3js.org/.*", "", text), path.name  # where it comes from
            assert "innerHTML" not in text, path.name


def test_what_others_made_is_as_they_made_it_and_its_licence_lies_beside_it() -> None:
    made = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (FOLDER / "vendor").glob("*.js")}
    told = (Path(__file__).parents[2] / "docs" / "page.md").read_text("utf-8")
    assert set(made) == {f"d3-{name}.min.js" for name in ("dispatch", "force", "quadtree", "timer")}
    assert [name for name, digest in made.items() if digest not in told] == []
    assert "Permission to use, copy, modify" in (FOLDER / "vendor" / "LICENSE").read_text("utf-8")


def test_its_rules_allow_nothing_inline(up: Service) -> None:
    answer = up.web.get("/")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert up.web.get("/", headers={"if-none-match": answer.headers["etag"]}).status_code == 304
    assert up.web.get("/web/../page.py").status_code == 404
    assert up.web.get("/web/nothing.js").status_code == 404
