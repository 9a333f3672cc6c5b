"""What a stranger came upon while walking through the page: each found once, and looked at ever since."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.page.conftest import GO, PHONE, Look
from tests.page.test_page import READY, complaints, record_of, shown, texts
from tests.serve.up import Service
from tools.browser import axe

import recollect
from recollect import Memory, Settings
from recollect.engine.tokens import create_token

# Answers


def test_a_fact_among_the_answers_leads_to_where_it_is_stated(look: Look) -> None:
    page = look("recall?q=who+reviews+orchard")
    page.locator(".hit a", has_text="Tomke reviews orchard").click()
    page.wait_for_selector(".graph-side h2:has-text('Tomke')")
    assert "reviews orchard" in page.locator(".graph-side").inner_text()
    page.go_back()
    page.wait_for_selector(".hit")


def test_whoever_goes_back_to_the_answers_is_where_they_were(look: Look) -> None:
    page = look("recall?q=orchard")
    page.wait_for_selector(".results[data-asked=orchard]")
    link = page.locator(".hit a[href*=record]").nth(9)
    link.scroll_into_view_if_needed()
    kept, address = page.evaluate("scrollY"), link.get_attribute("href")
    assert kept > 100
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".record-text")
    assert page.evaluate("scrollY") == 0
    page.go_back()
    page.wait_for_function("(kept) => Math.abs(scrollY - kept) < 3", arg=kept)
    assert page.evaluate("document.activeElement.getAttribute('href')") == address


def test_whoever_goes_back_to_a_long_list_is_where_they_were(look: Look, memory: Memory) -> None:
    memory.remember_many([{"text": f"Line {n} of the scroll."} for n in range(300)], space="scroll")
    page = look("spaces/scroll")
    page.wait_for_function("() => (scrollTo(0, 9000), scrollY > 8000)")
    page.wait_for_selector(".item a.read")
    kept = page.evaluate("scrollY")
    page.evaluate(GO, "health")
    page.wait_for_selector(".figure")
    page.go_back()
    page.wait_for_function("(kept) => Math.abs(scrollY - kept) < 40", arg=kept)


def test_filters_without_a_question_list_exactly_what_they_let_through(look: Look, memory: Memory) -> None:
    for n in range(60):
        at, project = f"2025-{1 + n % 12:02}-10T12:00:00Z", "shop" if n % 2 else None
        memory.remember(f"Sale {n}.", space="sales", project=project, event_time=at, tags=["till"])
    page = look("recall?space=sales&tags=till")
    shown(page, "60 records that these filters let through")
    page.wait_for_function("() => (scrollTo(0, 1e6), document.body.innerText.includes('Sale 0.'))")
    page = look("recall?space=sales&project=shop&until=2025-06-01")
    shown(page, "10 records that these filters let through")
    page.wait_for_selector(".hit")
    dates = [one.get_attribute("datetime")[:7] for one in page.locator(".hit time").all()]
    assert dates == ["2025-04"] * 5 + ["2025-02"] * 5
    page.fill("#q", "sale 1")
    page.wait_for_selector(".results[data-asked='sale 1'] .hit .score")
    page = look("recall?space=sales&tags=till&as_of=2020-01-01T00:00:00Z")
    shown(page, "Nothing was known yet")
    page = look("recall?space=sales&kinds=decision")
    shown(page, "No record fits. Try other words, or fewer filters.")


def test_before_the_first_memory_nothing_was_known_and_that_is_said_in_plain_words(look: Look) -> None:
    page = look("recall?q=orchard")
    page.wait_for_selector(".hit")
    page.locator("#as-of").focus()
    page.keyboard.press("Home")
    shown(page, "Nothing was known yet")
    assert "true_at" not in page.locator("main").inner_text()


def test_a_moment_in_the_address_stays_as_it_was_given(look: Look) -> None:
    moment = "2026-08-28T07:50:33.614Z"
    page = look(f"recall?q=orchard&as_of={moment}")
    page.wait_for_selector(".results[data-asked=orchard]")
    assert moment.replace(":", "%3A") in page.evaluate("location.hash")


def test_what_hardly_answers_stands_below_a_line(look: Look) -> None:
    page = look("recall?q=when+are+refunds+over+200+euros+approved")
    page.wait_for_selector(".hits .the-line")
    likely = page.evaluate(
        "() => [...document.querySelectorAll('.hits > li')].map((one) => one.dataset.likely ?? 'line')"
    )
    at = likely.index("line")
    assert "unlikely" not in likely[:at]
    assert set(likely[at + 1 :]) == {"unlikely"}


def test_a_part_of_a_document_says_its_heading_once(look: Look) -> None:
    page = look("recall?q=stop+the+workers+in+the+channel+before+you+begin")
    hit = page.locator(".hit a", has_text="Say so in the channel").first
    hit.wait_for()
    assert "Before you begin — Say so in the channel" in hit.inner_text()


# A record


def test_an_emptied_text_is_not_saved_and_says_what_to_do_instead(look: Look, memory: Memory) -> None:
    page = look(record_of(memory, "tomatoes south wall"))
    page.keyboard.press("e")
    page.fill("#text", "  ")
    page.get_by_role("button", name="Save a new version").click()
    assert "forget it" in page.locator("form.edit [role=alert]").inner_text()
    page.get_by_role("button", name="Cancel").click()
    page.keyboard.press("e")
    page.locator("#text").press("Escape")
    page.wait_for_selector("form.edit", state="detached")


def test_two_tabs_show_the_same_and_whoever_writes_is_told_of_the_other(look: Look, memory: Memory) -> None:
    memory.remember("The ladder stands behind the shed.", space="home")
    view = record_of(memory, "ladder behind the shed")
    one = look(view)
    other = one.context.new_page()
    other.goto(one.url)
    for page in (one, other):
        page.wait_for_selector(".live[data-state=live]")
        page.wait_for_selector(".record-text")
    one.keyboard.press("p")
    other.wait_for_selector(".record-text .mark:has-text('pinned')")
    other.keyboard.press("e")
    other.fill("#text", "The ladder is lent to Wilma.")
    one.keyboard.press("e")
    one.fill("#text", "The ladder hangs in the cellar.")
    one.get_by_role("button", name="Save a new version").click()
    told = shown(other, "Meanwhile it was changed")
    assert "The ladder hangs in the cellar." in told.inner_text()
    assert other.locator("#text").input_value() == "The ladder is lent to Wilma."


def test_taking_back_a_replacement_leads_to_what_is_there_again(look: Look, memory: Memory) -> None:
    old = memory.remember("The boathouse key hangs by the door.", space="home").id
    page = look(f"record/{old}?space=home")
    page.wait_for_selector("#replace")
    page.keyboard.press("r")
    page.fill("#text", "The boathouse key lies under the pot.")
    page.get_by_role("button", name="Put it in its place").click()
    page.wait_for_selector(".record-text .read:has-text('under the pot')")
    new = page.evaluate("location.hash.slice(2)")
    page.keyboard.press("u")
    page.wait_for_selector(".record-text .read:has-text('by the door')")
    assert str(old) in page.evaluate("location.hash")
    page.evaluate(GO, new)
    shown(page, "This is not there any more")


def test_what_was_begun_to_write_is_there_when_one_comes_back(look: Look, memory: Memory) -> None:
    id = memory.remember("The ladder is in the barn.", space="home").id
    page = look(f"record/{id}?space=home")
    page.wait_for_selector("#edit")
    page.keyboard.press("e")
    page.fill("#text", "The ladder is in the loft.")
    page.keyboard.press("Escape")
    page.keyboard.press("7")
    shown(page, "What you had begun to write is kept")
    page.go_back()
    shown(page, "This is what you had begun to write; it is not saved yet.")
    page.reload()
    page.wait_for_selector("#text")
    assert page.locator("#text").input_value() == "The ladder is in the loft."
    page.get_by_role("button", name="Cancel").click()
    page.reload()
    page.wait_for_selector(".record-text .read:has-text('in the barn')")


def test_a_part_of_a_document_says_where_it_stands(look: Look, memory: Memory) -> None:
    parts = [one for one in memory.list(space="work", limit=500) if one.source == "docs/runbook.md" and one.locator]
    page = look(f"record/{parts[-1].id}?space=work")
    first, last = parts[-1].locator["lines"]
    assert f"docs/runbook.md, lines {first}–{last}" in page.locator(".record-text .meta").inner_text()


def test_what_was_done_is_taken_back_by_key_also_when_its_note_is_gone(look: Look, memory: Memory) -> None:
    page = look(record_of(memory, "staging database refreshed"))
    page.keyboard.press("u")
    shown(page, "Nothing was done here")
    page.keyboard.press("p")
    page.wait_for_selector(".record-text .mark:has-text('pinned')")
    page.evaluate("() => document.querySelector('#toasts').replaceChildren()")
    page.keyboard.press("u")
    page.wait_for_selector(".record-text .mark:has-text('pinned')", state="detached")


def test_what_is_forgotten_for_good_is_not_where_the_key_rests(look: Look, memory: Memory) -> None:
    kept = memory.remember("The spare fuse is in the drawer.", space="home").id
    page = look(f"record/{kept}?space=home")
    page.keyboard.press("p")
    page.wait_for_selector(".record-text .mark:has-text('pinned')")
    page.keyboard.press("f")
    page.get_by_text("Nothing else hangs on it.").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog", state="detached")
    assert memory.get(kept, space="home").tags == ("pinned",)
    page.keyboard.press("f")
    page.get_by_role("button", name="Forget it for good").click()
    shown(page, "Forgotten for good")
    page.wait_for_selector("#q")
    page.keyboard.press("u")
    shown(page, "cannot be taken back")


def test_words_that_changed_side_by_side_are_marked_in_one(look: Look, memory: Memory) -> None:
    page = look(record_of(memory, "feature flags"))
    page.wait_for_selector(".versions ins")
    assert texts(page, ".versions del") == ["at start; a change needs a restart"]


# Elsewhere


def test_what_was_taken_back_as_a_whole_comes_back_as_a_whole(look: Look, memory: Memory) -> None:
    text = "# Hive care\n\n" + "\n\n".join(f"## Hive {n}\nFeed hive {n} in autumn." for n in range(30))
    memory.ingest(text, source="hives.md", space="home")
    whole = memory.count(space="home", source="hives.md")
    page = look("timeline")
    page.locator(".act", has_text="Hive care").first.get_by_role("button", name="Undo all").click()
    page.wait_for_selector(".act[data-undone]:has-text('Hive care')")
    assert (whole > 30, memory.count(space="home", source="hives.md")) == (True, 0)
    with page.expect_response("**/api/undo"):
        page.keyboard.press("u")
    assert memory.count(space="home", source="hives.md") == whole


def test_what_is_looked_at_is_the_same_after_a_reload(look: Look) -> None:
    page = look("inbox")
    page.get_by_role("tab", name="Alike").click()
    page.reload()
    page.wait_for_selector("#tab-duplicates[aria-selected=true]")
    page.evaluate(GO, "given?space=work")
    page.wait_for_selector("#prompt")
    page.select_option("#project", "ledger")
    page.fill("#prompt", "when is the export?")
    page.wait_for_function("() => location.hash.includes('prompt=')")
    page.reload()
    page.wait_for_selector(".budget")
    assert (page.input_value("#prompt"), page.input_value("#project")) == ("when is the export?", "ledger")
    page.evaluate(GO, "graph?space=work")
    page.get_by_role("button", name="pomona").click()
    page.reload()
    page.wait_for_selector(".graph-side h2:has-text('pomona')")
    page.evaluate(GO, "spaces/work?room=payments")
    page.select_option("#order", "oldest")
    page.reload()
    page.wait_for_selector(".item")
    assert (page.input_value("#order"), "payments" in page.locator("h1").inner_text()) == ("oldest", True)


@pytest.mark.parametrize("view", ["nowhere", "record/nothing", "spaces/nothing", "recall?q=%00", "graph?fact=nothing"])
def test_an_address_that_leads_nowhere_says_so_to_everybody(look: Look, view: str) -> None:
    page = look(view)
    page.wait_for_selector("main :is(.empty, .broken)")
    page.evaluate(axe())
    assert complaints(page) == []


def test_the_list_beside_the_graph_says_what_is_stated_of_a_name_too(look: Look) -> None:
    page = look("graph?space=work&entity=pomona")
    page.wait_for_selector(".graph-side h2:has-text('pomona')")
    assert "Tomke maintains pomona" in page.locator(".graph-side").inner_text()


def test_a_network_of_a_day_holds_what_held_then_and_nothing_moves(look: Look, memory: Memory) -> None:
    stated = [("Rike", "2026-01-01", "2026-06-01"), ("Jorn", "2026-06-01", None), ("Alva", "2090-01-01", None)]
    for who, since, until in stated:
        memory.relate("the kiosk", "is run by", who, space="kiosk", valid_from=since, valid_until=until, replaces=False)
    page = look("graph?space=kiosk&at=2026-03-01T12:00:00Z&past=no")
    shown(page, "2 entities, 1 fact.")
    assert texts(page, ".graph-side li") == ["the kiosk 1 fact", "Rike 1 fact"]
    page.wait_for_selector("canvas[data-laid=done]")
    page.evaluate("document.querySelector('canvas').dataset.laid = 'watched'")
    page.check("#past")
    page.wait_for_function("() => !location.hash.includes('past=no')")
    assert page.evaluate("document.querySelector('canvas').dataset.laid") == "watched"
    page.evaluate(GO, "graph?space=kiosk&entity=the+kiosk&at=2026-03-01T12:00:00Z")
    page.wait_for_selector(".graph-side h2:has-text('the kiosk')")
    side = page.locator(".graph-side").inner_text()
    assert ("Rike" in side, "What was stated once" in side, "Alva" in side) == (True, False, False)
    page.evaluate(GO, "graph?space=kiosk&entity=the+kiosk")
    page.wait_for_selector(".graph-side h3:has-text('What is to come')")
    assert "Alva" in page.locator(".graph-side h3:has-text('What is to come') + ul").inner_text()


def test_a_name_beyond_the_drawn_ones_comes_in_with_what_is_near_it(look: Look, up: Service, memory: Memory) -> None:
    with memory.core.store.joined():
        for n in range(2_050):
            memory.relate(f"hub {n % 25}", f"holds {n}", f"leaf {n}", space="beyond", replaces=False)
    page = look("graph?space=beyond")
    said = page.locator("main [role=status]").first
    page.wait_for_function("() => document.querySelector('main [role=status]')?.innerText.startsWith('2,000 of 2,075')")
    drawn = up.web.get("/api/graph", params={"space": "beyond", "limit": 2_000}).json()["nodes"]
    left = next(n for n in range(2_050) if f"leaf {n}" not in {one["name"] for one in drawn})
    page.fill("#find", f"leaf {left}")
    page.keyboard.press("Enter")
    page.wait_for_selector(f".graph-side h2:has-text('leaf {left}')")
    assert f"hub {left % 25} holds {left}" in page.locator(".graph-side").inner_text()
    assert said.inner_text().startswith("2,001 of")


def test_health_tells_of_a_client_that_writes_while_one_looks(look: Look, memory: Memory) -> None:
    page = look("health")
    page.wait_for_selector(".figure")
    page.wait_for_selector(".live[data-state=live]")
    memory.acting_as("gull").remember("Gulls nest on the roof.", space="home")
    row = page.locator("tr", has_text="gull").first
    row.wait_for()
    assert "just now" in row.inner_text()


def test_a_space_counts_what_holds_wherever_it_is_counted(look: Look, memory: Memory) -> None:
    for room, number in (("hall", 30), ("cellar", 10)):
        memory.remember_many([{"text": f"Item {n} of the {room}.", "room": room} for n in range(number)], space="house")
    for one in memory.list(space="house", rooms=["hall"], limit=5):
        memory.invalidate(one.id, space="house")
    page = look("spaces/house")
    shown(page, "35 records in 2 rooms")
    assert texts(page, ".stack > p .tag") == ["all 35", "hall 25", "cellar 10"]
    page.evaluate(GO, "spaces")
    palace = page.locator(".palace:has(h2 a[href='#/spaces/house'])")
    assert "35 records" in palace.locator(".head").inner_text()
    areas = palace.locator(".rooms li").evaluate_all("(all) => all.map((one) => one.offsetWidth * one.offsetHeight)")
    assert areas[0] / areas[1] == pytest.approx(2.5, rel=0.05)
    page.evaluate(GO, "health")
    page.wait_for_selector("tr:has(a[href='#/spaces/house']) td")
    assert texts(page, "tr:has(a[href='#/spaces/house']) td")[0] == "35"


def test_the_timeline_names_a_client_whose_hook_wrote(look: Look, home: Path) -> None:
    with recollect.open(settings=Settings(home=home, embedder="none"), actor="hook:claude") as hook:
        hook.remember("The hook heard this.", space="hooked")
    page = look("timeline?space=hooked")
    shown(page, "by a hook of Claude Code in hooked")
    assert "hook:claude" not in page.locator("main").inner_text()


def test_a_space_with_one_room_is_as_wide_as_any(look: Look, memory: Memory) -> None:
    memory.remember("Only this.", space="single")
    page = look("spaces/single")
    page.wait_for_selector(".item")
    assert page.locator("main .column").first.bounding_box()["width"] > 800
    page.set_viewport_size(PHONE)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= PHONE["width"]


# Servers and tokens


def test_a_view_that_is_first_looked_at_while_the_server_is_away_is_there_when_it_is_back(
    look: Look, tmp_path: Path
) -> None:
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        kept = memory.remember("The only thing known.").id
    server = Service(tmp_path)
    try:
        page = look("recall", url=server.url)
        page.wait_for_selector(".hit")
        page.wait_for_selector(".live[data-state=live]")
        server.close()
        page.wait_for_selector(".live[data-state=lost]")
        page.evaluate(GO, f"record/{kept}")
        shown(page, "The server is away")
        page.evaluate(axe())
        assert complaints(page) == []
        server = Service(tmp_path, port=server.port)
        page.wait_for_selector(".record-text")
    finally:
        server.close()


def test_a_token_is_not_told_where_the_memory_lies_nor_who_else_calls(
    look: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        memory.remember("The only thing known.", space="home")
        token, _ = create_token(memory.core, spaces=["home"], scope="read", name="visitor")
    monkeypatch.setenv("RECOLLECT_TOKEN", "the-owner-has-another-one")
    server = Service(tmp_path)
    try:
        page = look("health", url=server.url)
        page.fill("#token", token)
        page.keyboard.press("Enter")
        shown(page, "What you may see is well.")
        assert [title for title in texts(page, "main h2") if title in ("Clients", "Backups", "Where it is kept")] == []
        assert texts(page, ".figure span") == ["Records that hold now", "Waiting for vectors", "Spaces"]
    finally:
        server.close()


def test_a_token_that_may_only_look_is_offered_no_answer_in_the_inbox(
    look: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        proposed = memory.remember("Wilma has the ladder.", space="home", status="candidate").id or ""
        token, _ = create_token(memory.core, spaces=["home"], scope="read", name="visitor")
    monkeypatch.setenv("RECOLLECT_TOKEN", "the-owner-has-another-one")
    server = Service(tmp_path)
    try:
        page = look("inbox?space=home", url=server.url)
        page.fill("#token", token)
        page.keyboard.press("Enter")
        shown(page, "Your token may look, and change nothing.")
        assert page.locator(".answers [data-key]").count() == page.locator(".answers [data-key][disabled]").count() == 3
        page.keyboard.press("k")
        with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
            assert memory.get(proposed, space="home").status == "candidate"
    finally:
        server.close()


def test_a_token_that_may_write_mends_its_space_with_the_page(
    look: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        first = memory.remember("The gate stands open.", space="home").id
        memory.remember_many([{"text": f"Line {n} of others."} for n in range(20)], space="work")
        token, _ = create_token(memory.core, spaces=["home"], scope="write", name="gardener")
    monkeypatch.setenv("RECOLLECT_TOKEN", "the-owner-has-another-one")
    server = Service(tmp_path)
    try:
        page = look(f"record/{first}?space=home", url=server.url)
        page.fill("#token", token)
        page.keyboard.press("Enter")
        page.wait_for_selector("#end")
        page.keyboard.press("x")
        shown(page, "It no longer counts as true")
        page.wait_for_selector("#end[disabled]")
        page.keyboard.press("f")
        page.get_by_role("button", name="Forget it for good").click()
        shown(page, "Forgotten for good")
        page.evaluate(GO, "given?space=home")
        shown(page, "This is changed by whoever may see all spaces")
        assert page.locator(".steer button").is_disabled()
    finally:
        server.close()


# Links


@pytest.mark.parametrize("view", ["record/%E0%A4%A", "spaces/caf%C3"])
def test_an_address_cut_within_a_letter_says_so_and_leads_out(look: Look, view: str) -> None:
    page = look(view)
    shown(page, "There is no such page")
    page.get_by_role("link", name="To Recall").click()
    page.wait_for_selector(".hit")


@pytest.mark.parametrize("view", ["recall?q=code", "inbox", "timeline", "given", "graph"])
def test_a_link_shows_the_same_in_another_browser(look: Look, view: str) -> None:
    page = look(view)
    page.wait_for_selector(f"{READY}, main .empty")
    page.select_option("#space", "home")
    page.wait_for_function("() => location.hash.includes('space=home')")
    rail = [link.get_attribute("href") or "" for link in page.locator("#rail [data-view]").all()]
    assert ["space=home" in link for link in rail] == [True] * 5 + [False] * 2
    other = look(page.evaluate("location.hash.slice(2)"))
    if view in ("given", "graph"):
        other.wait_for_selector("main :is(h1 + p, .empty h2):has-text(' home ')")
    else:
        other.wait_for_function("() => document.querySelector('#space').value === 'home'")


def test_what_is_of_all_spaces_is_so_where_another_one_is_chosen(look: Look) -> None:
    page = look("recall?q=code")
    page.wait_for_selector(".hit")
    of_all = page.evaluate("location.hash.slice(2)")
    page.select_option("#space", "home")
    page.wait_for_function("() => location.hash.includes('space=home')")
    page.evaluate(GO, of_all)
    page.wait_for_function("() => document.querySelector('#space').value === ''")
    other = look("recall?q=code&space=nowhere")
    shown(other, "There is no space “nowhere” that you may see")
    other.wait_for_selector(".hit")


def test_whoever_stands_on_an_answer_stays_there_while_others_write(look: Look, memory: Memory) -> None:
    page = look("recall?q=orchard")
    page.wait_for_selector(".live[data-state=live]")
    page.wait_for_selector(".results[data-asked=orchard]")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("j")
    stood = page.evaluate("document.activeElement.getAttribute('href')")
    with page.expect_response("**/api/recall*"):
        memory.remember("The orchard has a new gate.", space="home")
    page.wait_for_selector(".hit a:has-text('new gate')")
    assert page.evaluate("document.activeElement.getAttribute('href')") == stood
