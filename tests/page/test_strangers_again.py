"""What a second stranger came upon on the page: each found once, and looked at ever since."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.page.conftest import GO, Look
from tests.page.test_page import READY, shown, texts
from tests.serve.up import Service

import recollect
from recollect import Memory, Settings
from recollect.engine.tokens import create_token, revoke_token

# A day before


def test_a_record_of_a_past_day_is_shown_as_it_was_known_then_and_leads_back_to_now(look: Look, memory: Memory) -> None:
    id = memory.remember("The punt lies at the upper pier.", space="home").id
    then = memory.journal(limit=1)[0].at.isoformat().replace("+00:00", "Z")
    memory.revise(id, "The punt lies at the lower lock.", space="home")
    page = look(f"recall?q=punt+upper+pier&space=home&as_of={then}")
    page.locator(".hit a", has_text="upper pier").click()
    shown(page, "As it was known on")
    assert "upper pier" in page.locator(".record-text").inner_text()
    assert "as_of=" in page.evaluate("location.hash")
    assert page.locator("#edit").count() == 0
    assert "lower lock" not in page.locator("main").inner_text()
    page.keyboard.press("n")
    page.wait_for_selector(".record-text .read:has-text('lower lock')")
    assert "as_of" not in page.evaluate("location.hash")


def test_a_fact_of_a_past_day_opens_the_graph_of_that_day(look: Look, memory: Memory) -> None:
    fact = memory.relate("the weir", "is kept by", "Ottilie", space="river")
    then = memory.journal(limit=1)[0].at.isoformat().replace("+00:00", "Z")
    memory.relate("the weir", "is kept by", "Balthasar", space="river", replaces=True)
    page = look(f"record/{fact.id}?space=river&as_of={then}")
    page.wait_for_selector(".graph-side h2:has-text('the weir')")
    shown(page, "As it was known on")
    side = page.locator(".graph-side").inner_text()
    assert ("Ottilie" in side, "Balthasar" in side) == (True, False)
    shown(page, "2 entities, 1 fact.")
    page.locator("#to-now").click()
    shown(page, "3 entities, 1 fact")
    assert "as_of" not in page.evaluate("location.hash")


def test_a_name_is_not_in_the_network_before_it_was_known(look: Look, up: Service, memory: Memory) -> None:
    before = "2026-06-01T00:00:00Z"
    memory.relate("the mill", "belongs to", "Agathe", space="mills", valid_from="2026-01-01T00:00:00Z")
    memory.relate("the sluice", "belongs to", "Agathe", space="mills")
    drawn = up.web.get("/api/graph", params={"space": "mills", "as_of": before}).json()
    assert (drawn["nodes"], drawn["edges"], drawn["total"]) == ([], [], 0)
    found = up.web.get("/api/entities/Agathe", params={"space": "mills", "as_of": before}).json()
    assert found["entity"] is None
    page = look("graph?space=mills")
    shown(page, "3 entities, 2 facts.")
    page.locator("#time").focus()
    page.keyboard.press("Home")
    shown(page, "2 entities, 1 fact.")
    page.wait_for_selector(".graph-side li:has-text('the sluice')", state="detached")
    assert texts(page, ".graph-side li") == ["Agathe 1 fact", "the mill 1 fact"]


# Keys


def test_escape_leaves_the_search_and_keeps_the_question_and_the_arrow_goes_to_the_first_answer(look: Look) -> None:
    page = look("recall")
    page.keyboard.press("/")
    page.keyboard.type("orchard")
    page.wait_for_selector(".results[data-asked=orchard] .hit")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") != "q"
    assert page.locator("#q").input_value() == "orchard"
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.id") == "hit-0"


def test_every_key_works_on_the_view_that_the_page_begins_with(look: Look) -> None:
    page = look("")
    page.wait_for_selector(".hit")
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    shown(page, "Nothing was done here")
    assert page.locator("#q").input_value() == ""
    page.keyboard.press("7")
    page.wait_for_selector(".figure")


# Tokens


@pytest.fixture
def visited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Service, Memory, str, str]]:
    """A service that wants a token, its store, and one that may read one space: its id and its secret."""
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        memory.remember("The ladder is in the barn.", space="home")
        memory.remember("The safe is behind the picture.", space="vault")
        secret, token = create_token(memory.core, spaces=["home"], scope="read", name="visitor")
        monkeypatch.setenv("RECOLLECT_TOKEN", "the-owner-has-another-one")
        server = Service(tmp_path)
        yield server, memory, token.id, secret
        server.close()


def sign_in(page: Any, secret: str, *, keep: bool = False) -> None:
    page.fill("#token", secret)
    if keep:
        page.check("#keep")
    page.keyboard.press("Enter")
    page.wait_for_selector(".live[data-state=live]")


def test_a_revoked_token_is_asked_for_at_once_and_nothing_is_asked_meanwhile(look: Look, visited: Any) -> None:
    server, memory, id, secret = visited
    page = look(url=server.url)
    sign_in(page, secret)
    asked: list[str] = []
    revoke_token(memory.core, id)
    page.evaluate("import('./web/live.js').then((live) => live.listen())")
    shown(page, "That token is not known here, was revoked, or has expired.")
    shown(page, "Signed out")
    page.on("request", lambda request: asked.append(request.url))
    page.fill("#token", "half a tok")
    page.evaluate("() => dispatchEvent(new Event('recollect-signin'))")
    assert page.locator("#token").input_value() == "half a tok"
    assert asked == []


def test_a_token_that_is_kept_on_the_device_is_taken_off_it_by_a_button(look: Look, visited: Any) -> None:
    server, _, _, secret = visited
    page = look(url=server.url)
    sign_in(page, secret, keep=True)
    assert "Token visitor: may look in home" in page.locator("#who").inner_text()
    assert page.evaluate("localStorage.getItem('recollect-token')") == secret
    page.click("#sign-out")
    page.wait_for_selector("#token")
    assert page.evaluate("[localStorage.getItem('recollect-token'), sessionStorage.length]") == [None, 0]
    assert page.locator("#who").is_hidden()


# Forgetting, taking back


STORED = "() => Object.values(sessionStorage).join(' ')"


def test_what_was_begun_of_a_forgotten_record_leaves_the_tab_and_can_become_a_record_of_its_own(
    look: Look, memory: Memory
) -> None:
    id = memory.remember("Wenzel owes the ferryman nine crowns.", space="home", tags=["debts"]).id
    page = look(f"record/{id}?space=home")
    page.wait_for_selector(".live[data-state=live]")
    page.keyboard.press("e")
    page.fill("#text", "The ferry costs nine crowns.")
    assert "Wenzel" in page.evaluate(STORED)
    memory.forget(id, space="home")
    note = shown(page, "Meanwhile it was forgotten for good by codex")
    assert "takes its place" not in note.inner_text()
    assert "Wenzel" not in page.evaluate(STORED)
    page.locator("#text").press("End")
    assert "crowns" not in page.evaluate(STORED)
    page.get_by_role("button", name="Save as a new record").click()
    page.wait_for_selector(".record-text .read:has-text('The ferry costs nine crowns.')")
    new = memory.recall("ferry costs nine crowns", space="home")[0].record
    assert (new.tags, new.trust, new.id != id) == (("debts",), "user_declared", True)


def test_a_draft_of_a_record_that_was_forgotten_while_nobody_listened_is_gone(look: Look, memory: Memory) -> None:
    id = memory.remember("Sibylle hid the map in the clock.", space="home").id
    page = look(f"record/{id}?space=home")
    page.wait_for_selector("#edit")
    page.keyboard.press("e")
    page.fill("#text", "Sibylle hid the map.")
    page.goto("about:blank")
    memory.forget(id, space="home")
    page.go_back()
    shown(page, "This was forgotten")
    page.wait_for_function("() => !Object.values(sessionStorage).join(' ').includes('Sibylle')")


def test_what_somebody_changed_again_is_taken_back_once_that_is_undone(look: Look, memory: Memory) -> None:
    id = memory.remember("The bell is rung at six.", space="home").id
    page = look(f"record/{id}?space=home")
    page.wait_for_selector("#edit")
    page.keyboard.press("e")
    page.fill("#text", "The bell is rung at seven.")
    page.get_by_role("button", name="Save a new version").click()
    page.wait_for_selector(".record-text .read:has-text('seven')")
    other = memory.revise(id, "The bell is rung at eight.", space="home")
    page.wait_for_selector(".record-text .read:has-text('eight')")
    page.keyboard.press("u")
    told = shown(page, "Somebody changed the same again since").inner_text()
    assert "content_hash" not in told
    memory.undo(other)
    page.wait_for_selector(".record-text .read:has-text('seven')")
    page.keyboard.press("u")
    page.wait_for_selector(".record-text .read:has-text('six')")


def test_taking_back_what_was_stored_says_first_that_later_changes_go_with_it(look: Look, memory: Memory) -> None:
    id = memory.remember("The hut has two stoves.", space="huts").id
    memory.revise(id, "The hut has three stoves.", space="huts")
    page = look("timeline?space=huts")
    page.locator(".act", has_text="two stoves").get_by_role("button", name="Undo").click()
    dialog = page.get_by_role("dialog")
    assert "This takes back 1 later change, too" in dialog.inner_text()
    dialog.get_by_role("button", name="Leave it").click()
    assert memory.get(id, space="huts").text == "The hut has three stoves."
    page.locator(".act", has_text="two stoves").get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Take back all of it").click()
    shown(page, "taken back")
    assert memory.get(id, space="huts") is None


def test_lines_of_what_was_forgotten_offer_no_undo_and_say_why(look: Look, memory: Memory) -> None:
    id = memory.remember("Nobody shall know of the tunnel.", space="tunnels").id
    memory.forget(id, space="tunnels")
    page = look("timeline?space=tunnels")
    page.wait_for_selector(".act")
    assert page.locator(".act button:not([disabled])").count() == 0
    remembered = page.locator(".act", has_text="Remembered")
    assert remembered.get_by_role("button", name="Undo").is_disabled()
    assert "forgotten for good, or masked: nothing is left to take back" in remembered.inner_text()


def test_of_three_that_contradict_each_other_one_is_kept_by_its_key(look: Look, memory: Memory) -> None:
    said = ("oak", "ash", "elm")
    for wood in said:
        grounds = {"scopes": ["scope:boat"], "claim": {"subject": "node:mast", "predicate": "wood", "value": wood}}
        memory.remember(f"The mast is made of {wood}.", space="masts", kind="fact", grounds=grounds)
    page = look("inbox?pile=contested&space=masts")
    page.wait_for_selector(".stack-one")
    assert "primary" not in page.get_by_role("button", name="Drop the newest").get_attribute("class")
    middle = page.locator(".stack-one").nth(1)
    kept = middle.locator("p.read").inner_text()
    page.keyboard.press(middle.locator("kbd").inner_text())
    shown(page, "Kept.")
    held = memory.list(space="masts", limit=10)
    assert [one.text for one in held if one.superseded_by is None] == [kept]


# Addresses and names


@pytest.mark.parametrize("view", ["graph", "given", "recall", "inbox"])
def test_a_link_to_a_space_that_a_token_does_not_see_says_so(look: Look, visited: Any, view: str) -> None:
    server, _, _, secret = visited
    page = look(f"{view}?space=vault", url=server.url)
    page.fill("#token", secret)
    page.keyboard.press("Enter")
    shown(page, "There is no space “vault” that you may see")


@pytest.mark.parametrize("view", ["constructor", "__proto__", "toString"])
def test_a_word_that_every_object_knows_is_no_view(look: Look, view: str) -> None:
    page = look(view)
    shown(page, "There is no such page")
    assert page.title() == "Not here · Recollect"


def test_names_that_mean_a_way_are_looked_at_like_others(look: Look, memory: Memory) -> None:
    memory.relate("..", "stands above", ".", space="..")
    memory.remember("Two dots stand above one.", space="..")
    page = look("graph?space=..&entity=..")
    page.wait_for_selector(".graph-side h2:has-text('..')")
    assert "stands above" in page.locator(".graph-side").inner_text()
    page.evaluate(GO, "spaces/..")
    page.wait_for_selector(".item a:has-text('Two dots')")
    page.evaluate(GO, "recall?space=..&q=dots")
    page.wait_for_selector(".hit a:has-text('Two dots')")
    page.evaluate(GO, "given?space=..")
    page.wait_for_selector(".line")


def test_a_name_of_one_long_word_is_no_wider_than_the_narrowest_phone(look: Look, memory: Memory) -> None:
    name = "w" * 200
    memory.remember("It is told on one line.", space=name, room="r" * 200, project="p" * 200, title="t" * 200)
    id = memory.list(space=name, limit=1)[0].id
    views = [
        "recall?q=line",
        f"spaces/{name}",
        "spaces",
        "timeline",
        f"record/{id}?space={name}",
        f"given?space={name}",
    ]
    page = look("health", size={"width": 320, "height": 640})
    for view in views:
        page.evaluate("() => document.querySelector('main > *').setAttribute('data-left', '')")
        page.evaluate(GO, view)
        page.wait_for_selector(f"main > :not([data-left]) :is({READY.removeprefix('main :is(')}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, view


# Books


def test_a_record_as_long_as_a_book_is_shown_piece_by_piece_and_its_versions_where_they_differ(
    look: Look, memory: Memory
) -> None:
    book = "\n".join(f"Line {n} of the book tells of the sea." for n in range(9_000))
    id = memory.remember(book, space="books").id
    memory.revise(id, book.replace("Line 4500 of the book", "Line 4500 of the sequel"), space="books")
    page = look(f"record/{id}?space=books")
    page.wait_for_selector(".versions ins")
    assert (texts(page, ".versions del"), texts(page, ".versions ins")) == (["book"], ["sequel"])
    assert len(page.locator("main").inner_text()) < 40_000
    shown(page, "the same in both")
    while page.locator("#more-text").count():
        page.locator("#more-text").click()
    assert page.locator(".record-text .read").last.inner_text().endswith("Line 8999 of the book tells of the sea.")
    whole = "\n".join(page.locator(".record-text .read").all_text_contents())
    assert whole == book.replace("Line 4500 of the book", "Line 4500 of the sequel")


def test_what_is_begun_of_a_long_text_is_kept_when_the_view_is_left(look: Look, memory: Memory) -> None:
    text = "A long tale. " * 2_000
    id = memory.remember(text, space="books").id
    page = look(f"record/{id}?space=books")
    page.wait_for_selector("#edit")
    page.keyboard.press("e")
    page.fill("#text", f"{text}The end.")
    page.evaluate(GO, "health")
    shown(page, "What you had begun to write is kept")
    page.go_back()
    shown(page, "This is what you had begun to write")
    assert page.locator("#text").input_value().endswith("The end.")
