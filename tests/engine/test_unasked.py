"""Is a brief that was made before given again only as long as it is still so?"""

# pyright: basic
from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from bench.unasked import TASKS

from recollect import Memory
from recollect.engine.read import brief
from recollect.engine.read.unasked import Unasked

RULES = ("Never push to main.", "Always sign commits.", "Deploys happen on Tuesdays.")


@pytest.fixture
def given(memory: Memory) -> Unasked:
    """A memory of three rules, of which a session has had the brief."""
    for number, rule in enumerate(RULES):
        memory.remember(rule, kind="rule", id=f"r{number}")
    unasked = memory.unasked
    unasked.note_given(unasked.give_brief(), session="s")
    return unasked


def test_a_brief_is_not_made_twice_of_the_same_memory(given: Unasked, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    make = brief.make_brief
    monkeypatch.setattr(brief, "make_brief", lambda *args, **rest: made.append(args) or make(*args, **rest))
    again = given.give_brief()
    assert [rule in again.text for rule in RULES] == [True, True, True]
    assert (made, again.text) == ([], given.give_earlier().text)


@pytest.mark.parametrize("change", ["remember", "revise", "forget", "steer"])
def test_what_is_changed_is_in_the_next_brief(given: Unasked, memory: Memory, change: str) -> None:
    before = given.give_brief().text
    if change == "remember":
        memory.remember("Never log tokens.", kind="rule")
    elif change == "revise":
        memory.revise("r0", "Never push to release.")
    elif change == "forget":
        memory.forget("r0")
    else:
        given.steer(start_tokens=50)
    assert given.give_brief().text != before


def test_what_has_ended_meanwhile_is_not_given(given: Unasked, memory: Memory, clock: Any) -> None:
    memory.remember("The freeze lasts.", kind="rule", valid_until=clock.now + timedelta(hours=1))
    given.note_given(given.give_brief())
    assert "The freeze lasts." in given.give_brief().text
    clock.now += timedelta(hours=2)
    assert "The freeze lasts." not in given.give_brief().text


def test_what_was_forgotten_is_not_in_the_brief_of_before(given: Unasked, memory: Memory) -> None:
    memory.forget("r1")
    memory.remember("Never log tokens.", kind="rule")
    earlier = given.give_earlier()
    assert earlier.ids == ("r0", "r2") or earlier.ids == ("r2", "r0")
    assert RULES[1] not in earlier.text


def test_projects_have_briefs_of_their_own(memory: Memory) -> None:
    memory.remember("The shop uses HS256.", kind="rule", project="shop")
    memory.remember("The gateway uses RS256.", kind="rule", project="gateway")
    unasked = memory.unasked
    for project in ("shop", "gateway", None):
        unasked.note_given(unasked.give_brief(project=project))
    texts = [unasked.give_brief(project=project).text for project in ("shop", "gateway", None)]
    assert [("HS256" in text, "RS256" in text) for text in texts] == [(True, False), (False, True), (True, True)]


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("who is the treasurer of the chess club?", {"treasurer"}),
        ("what is the fee of the chess club?", {"fee new"}),
        ("when does the backup run?", {"backup new"}),
        ("when did the backup run before?", {"backup old", "backup new"}),
    ],
)
def test_a_prompt_is_given_what_answers_it_as_it_is_now(memory: Memory, prompt: str, expected: set[str]) -> None:
    told = {
        "treasurer": "Oluf is the treasurer of the chess club.",
        "fee old": "The fee of the chess club is 40 euros.",
        "fee new": "The fee of the chess club is 45 euros.",
        "room": "The chess club meets on Thursdays in the library.",
        "backup old": "The backup runs at 22:00.",
        "backup new": "The backup runs at 23:00.",
    }
    for id, text in told.items():
        memory.remember(text, id=id)
    assert set(memory.unasked.give_answers(prompt).ids) == expected
    assert {line.record.id for line in memory.unasked.preview(prompt).lines if line.given} == expected


PROMPTS = {
    "when can I go shopping there?": "The shop is open Monday to Friday 9 to 17.",
    "when does the choir sing together?": "Choir rehearses on Wednesdays at 19:30 in the parish hall.",
    "what do we feed the dog?": "The dog eats salmon kibble, 60 grams twice a day.",
    "who looks at pull requests of the backend?": "Omar reviews all backend pull requests.",
    "who insures our car?": "The car is insured with Mapfre until June.",
    "who teaches Teo?": "Teo's teacher is Marta Rueda.",
    "where do backups go at night?": "Backups run nightly at 02:15 to Backblaze.",
    "what is the address of staging?": "Staging lives at 10.4.2.17.",
    "who does our taxes? the accountant?": "Our accountant is Ms. Petrov.",
    "how warm is the heating during the day?": "The heating is set to 21 degrees during the day.",
    "where do alerts show up?": "Alerts go to the Slack channel #ops.",
    "which day is the trash picked up?": "Trash is collected on Monday.",
    "where is the spare key hidden?": "The spare key is under the flower pot.",
    "what is Hannah's number?": "Hannah's phone number is 0171 555 0142.",
    "how long may customers send things back?": "Customers have 14 days to return an order.",
    "which dentist do we go to?": "Dr. Ferrand is our dentist.",
}


def test_questions_are_answered_unasked_and_tasks_are_left_alone(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(embedder="bundled")
    lines = Path(__file__).with_name("changed.txt").read_text().splitlines()
    notes = dict.fromkeys(line.split("|")[0] for line in lines if line.endswith("|changed") and line.isascii())
    memory.remember_many([{"text": note} for note in notes])
    memory.embed_waiting()
    memory.recall("is the model loaded?")
    answered = [asked for asked, note in PROMPTS.items() if note in memory.unasked.give_answers(asked).text]
    tasks = [task for task in TASKS if memory.unasked.give_answers(task).text]
    assert len(answered) >= 13, PROMPTS.keys() - set(answered)
    assert len(tasks) <= 3, tasks
