"""The inbox in real browsers: what others answer is noticed, and every answer can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.page.conftest import Look
from tests.page.test_page import shown

from recollect import Memory
from recollect.engine.write.screen import set_secrets

SECRET = "The key of the shed's camera is ghp_k3JbA9f0GcE1dI7hB2aK5jH8iC4gD6eF0kJ1."


def propose(memory: Memory, space: str) -> list[str]:
    """Three proposals, in the order in which they are shown: the newest first."""
    texts = ("The gutter is cleaned in May.", "Wilma has the ladder.", "Bees need water in July.")
    return [memory.remember(text, space=space, status="candidate").id or "" for text in texts][::-1]


def see(page: Any, memory: Memory, id: str, space: str) -> None:
    """The matter that is shown is about this record."""
    text = memory.get(id, space=space).text
    page.wait_for_function("(text) => document.querySelector('.matter .read')?.innerText === text", arg=text)


def hold(page: Any) -> Callable[[], None]:
    """From now on whoever looks at the inbox waits, until this is called; answers go through."""
    held: list[Any] = []
    holding = True

    def take(route: Any) -> None:
        if holding and route.request.method == "GET":
            held.append(route)
        else:
            route.continue_()

    def let_go() -> None:
        nonlocal holding
        holding = False
        for route in held:
            route.continue_()

    page.route("**/api/inbox*", take)
    return let_go


def test_what_is_answered_in_another_browser_leaves_and_says_so(look: Look, memory: Memory) -> None:
    first, second, _ = propose(memory, "live")
    pages = [look("inbox?pile=candidates&space=live") for _ in range(2)]
    for page in pages:
        see(page, memory, first, "live")
        page.wait_for_selector(".live[data-state=live]")
    pages[0].keyboard.press("k")
    shown(pages[0], "Kept.")
    shown(pages[1], "answered or changed elsewhere")
    see(pages[1], memory, second, "live")
    pages[0].keyboard.press("u")
    shown(pages[0], "Taken back.")
    pages[1].get_by_role("tab", name="Proposed 3").wait_for()
    see(pages[1], memory, second, "live")  # whoever reads is left where they are


def test_what_is_left_as_it_is_leaves_the_other_tab_too(look: Look, memory: Memory) -> None:
    first, second, _ = propose(memory, "tabs")
    page = look("inbox?pile=candidates&space=tabs")
    other = page.context.new_page()
    other.goto(page.url)
    see(other, memory, first, "tabs")
    see(page, memory, first, "tabs")
    page.keyboard.press("l")
    shown(page, "Left as it is.")
    see(other, memory, second, "tabs")


def test_what_was_kept_elsewhere_is_not_dropped_by_who_has_not_heard_of_it(look: Look, memory: Memory) -> None:
    first, second, _ = propose(memory, "deaf")
    page = look("inbox?pile=candidates&space=deaf")
    see(page, memory, first, "deaf")
    hold(page)
    memory.acting_as("page").promote(first, space="deaf", reason="it is true")
    page.keyboard.press("d")
    shown(page, "Answered elsewhere. This was answered already: it is active by now")
    see(page, memory, second, "deaf")
    kept = memory.get(first, space="deaf")
    assert (kept.status, kept.valid_until) == ("active", None)


def test_an_answer_that_follows_an_undo_is_about_what_is_shown(look: Look, memory: Memory) -> None:
    first, second, third = propose(memory, "quick")
    page = look("inbox?pile=candidates&space=quick")
    see(page, memory, first, "quick")
    let_go = hold(page)
    page.keyboard.press("l")
    shown(page, "Left as it is.")
    page.keyboard.press("u")
    shown(page, "Taken back.")
    see(page, memory, first, "quick")
    page.keyboard.press("j")
    see(page, memory, second, "quick")
    page.keyboard.press("l")
    shown(page, "Left as it is.")
    see(page, memory, third, "quick")
    let_go()
    page.get_by_role("tab", name="Proposed 2").wait_for()
    page.keyboard.press("ArrowUp")
    see(page, memory, first, "quick")
    page.reload()
    see(page, memory, first, "quick")


def test_what_was_known_before_an_answer_does_not_bring_it_back(look: Look, memory: Memory) -> None:
    first, second, _ = propose(memory, "old")
    page = look("inbox?pile=candidates&space=old")
    see(page, memory, first, "old")
    page.evaluate("""() => {
      const real = window.fetch;
      window.letGo = [];
      window.fetch = async (url, given) => {
        const answer = await real(url, given);
        if (String(url).includes("api/inbox?") && given.method === "GET") await new Promise((go) => letGo.push(go));
        return answer;
      };
    }""")
    memory.remember("Moss grows on the roof.", space="old", status="candidate")
    page.evaluate("() => window.dispatchEvent(new Event('recollect-changed'))")
    page.wait_for_function("() => letGo.length > 0")
    page.keyboard.press("k")
    shown(page, "Kept.")
    page.evaluate(
        "() => { const late = letGo; letGo = { push: (go) => go(), length: 0 }; late.forEach((go) => go()); }"
    )
    page.get_by_role("tab", name="Proposed 3").wait_for()
    see(page, memory, second, "old")


def test_all_answers_of_a_visit_are_taken_back_one_after_the_other(look: Look, memory: Memory) -> None:
    ids = propose(memory, "stack")
    page = look("inbox?pile=candidates&space=stack")
    see(page, memory, ids[0], "stack")
    for key in ("k", "d", "u", "u"):  # faster than the server answers
        page.keyboard.press(key)
    page.get_by_role("tab", name="Proposed 3").wait_for()
    see(page, memory, ids[0], "stack")
    kept = [memory.get(id, space="stack") for id in ids]
    assert [(one.status, one.valid_until) for one in kept] == [("candidate", None)] * 3
    page.keyboard.press("u")
    shown(page, "Nothing was done here")


def test_an_answer_that_does_not_arrive_leaves_what_waits_where_it_was(look: Look, memory: Memory) -> None:
    first, *_ = propose(memory, "away")
    page = look("inbox?pile=candidates&space=away")
    page.wait_for_selector(".live[data-state=live]")
    page.route("**/api/inbox", lambda route: route.abort())
    see(page, memory, first, "away")
    page.locator(".matter [data-key=k]").click()
    shown(page, "Recollect does not answer")
    see(page, memory, first, "away")
    page.get_by_role("tab", name="Proposed 3").wait_for()


def test_a_link_to_the_secrets_opens_them_and_the_last_of_a_pile_comes_back_to_it(look: Look, memory: Memory) -> None:
    propose(memory, "camera")
    set_secrets(memory.core, "allow", space="camera")
    memory.remember(SECRET, space="camera")
    set_secrets(memory.core, "mask", space="camera")
    page = look("inbox?pile=secrets&space=camera")
    opened = page.locator("#tab-secrets[aria-selected=true]")
    for _ in range(2):
        page.wait_for_selector(".matter .head:has-text('what looks like a secret')")
        opened.wait_for()
        assert "pile=secrets" in page.url
        page.reload()
    page.wait_for_selector(".matter .head:has-text('what looks like a secret')")
    page.keyboard.press("l")
    page.wait_for_selector("#tab-candidates[aria-selected=true]")
    shown(page, "Left as it is.")
    page.keyboard.press("u")
    shown(page, "Taken back.")
    opened.wait_for()
    page.wait_for_selector(".matter .head:has-text('what looks like a secret')")
    page.keyboard.press("m")
    shown(page, "Masked in every version.")
    page.keyboard.press("u")
    shown(page, "cannot be taken back")


def test_a_secret_that_is_answered_elsewhere_waits_no_longer_here(look: Look, memory: Memory) -> None:
    memory.create_space("cellar")
    set_secrets(memory.core, "allow", space="cellar")
    memory.remember(SECRET, space="cellar")
    set_secrets(memory.core, "mask", space="cellar")
    page, far = (look("inbox?pile=secrets&space=cellar") for _ in range(2))
    near = page.context.new_page()
    near.goto(page.url)
    for one in (page, near, far):
        one.wait_for_selector(".matter .head:has-text('what looks like a secret')")
        one.wait_for_selector(".live[data-state=live]")
    page.keyboard.press("l")
    shown(near, "Nothing waits for you")
    page.keyboard.press("u")
    shown(page, "Taken back.")
    page.keyboard.press("m")
    shown(page, "Masked in every version.")
    shown(far, "Nothing waits for you")
