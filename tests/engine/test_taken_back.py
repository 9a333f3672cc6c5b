"""Does what somebody has set right stay right, and is what it was drawn from no longer given unasked?"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from tests.conftest import Clock
from tests.engine.test_overheard import SAID, look, talk

from recollect import Memory
from recollect.engine.intake import overheard

ASKED = "What is the retry limit of the payment queue?"
BEGUN = (("user", "Good morning, a few words on infrastructure."),)
RIGHT = "The retry limit of the payment queue is nine."


@pytest.fixture
def candidate(memory: Memory, tmp_path: Path) -> str:
    (id,) = memory.capture(talk(tmp_path, "s1", *BEGUN, ("user", SAID))).candidates
    return id


def message(memory: Memory) -> str:
    return next(one.id for one in memory.list(kinds=["message"]) if one.text == SAID)


@pytest.mark.parametrize(
    ("actor", "trust"), [("cli", "user_declared"), ("page", "user_declared"), ("mcp:x", "agent_inferred")]
)
def test_a_candidate_that_somebody_corrects_is_a_record_like_any_other(
    memory: Memory, candidate: str, clock: Clock, actor: str, trust: str
) -> None:
    receipt = memory.acting_as(actor).revise(candidate, RIGHT)
    record = look(memory, candidate)
    assert (receipt.status, record.status, record.trust, record.confidence, record.grounds) == (
        "active", "active", trust, 1.0, None,
    )  # fmt: skip
    for _ in range(9):
        clock.now += timedelta(days=7, hours=1)
        overheard.settle(memory.core, "default", now_and_then=False)
    assert look(memory, candidate).status == "active"
    memory.forget(message(memory))
    assert look(memory, candidate).text == RIGHT


def test_a_person_who_changes_anything_of_a_candidate_vouches_for_it_and_it_keeps_its_evidence(
    memory: Memory, candidate: str
) -> None:
    evidence = look(memory, candidate).grounds
    memory.acting_as("mcp:x").revise(candidate, tags=["queue"])
    assert look(memory, candidate).status == "candidate"
    memory.acting_as("cli").revise(candidate, tags=["queue", "limits"])
    record = look(memory, candidate)
    assert (record.status, record.trust, record.grounds) == ("active", "user_declared", evidence)


def take_back(memory: Memory, id: str, how: str) -> None:
    if how == "revise":
        memory.revise(id, RIGHT)
    elif how == "forget":
        memory.forget(id)
    elif how == "invalidate":
        memory.invalidate(id)
    else:
        memory.remember(RIGHT, replaces=id)


@pytest.mark.parametrize("how", ["revise", "forget", "invalidate", "replace"])
def test_a_message_whose_candidate_was_taken_back_is_given_to_nobody_unasked(
    memory: Memory, tmp_path: Path, candidate: str, how: str
) -> None:
    memory.capture(talk(tmp_path, "s2", ("user", SAID)))
    take_back(memory, candidate, how)
    given = memory.unasked.give_answers(ASKED, session="other")
    assert SAID not in given.text
    assert (RIGHT in given.text) == (how in ("revise", "replace"))
    assert SAID in [hit.record.text for hit in memory.recall(ASKED)]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_such_a_message_stands_below_the_correction(memory: Memory, candidate: str, limit: int) -> None:
    memory.revise(candidate, "Nine, it turned out: the payment queue.")
    found = [hit.record.id for hit in memory.recall(SAID, limit=limit)]
    assert found[:2] == [candidate, message(memory)][:limit]


def test_a_correction_that_is_undone_takes_nothing_back(memory: Memory, candidate: str) -> None:
    entry = memory.revise(candidate, RIGHT).entry
    assert entry is not None
    memory.undo(entry)
    assert look(memory, candidate).status == "candidate"
    assert memory.recall(SAID).hits[0].record.text == SAID
    memory.forget(candidate)
    assert memory.unasked.give_answers(ASKED, session="other").text == ""


def test_whoever_forgets_a_candidate_is_told_of_the_message_that_says_it_still(memory: Memory, candidate: str) -> None:
    said = message(memory)
    receipt = memory.forget(candidate)
    assert receipt.pending == (f"the message {said}, which says it still: `recollect forget {said}` removes it too",)
    memory.forget(said)
    assert memory.recall(SAID).hits == ()


def test_a_forgotten_candidate_does_not_come_back_from_the_message_that_it_was_drawn_from(
    memory: Memory, tmp_path: Path, candidate: str
) -> None:
    memory.forget(candidate)
    memory.capture(talk(tmp_path, "s1", *BEGUN, ("user", SAID), ("user", "Thanks, go on.")))
    assert memory.list(statuses=["candidate"]) == []
    (again,) = memory.capture(talk(tmp_path, "s2", ("user", SAID))).candidates
    assert again in memory.unasked.give_answers(ASKED, session="other").ids


@pytest.mark.parametrize("how", ["edited", "deleted"])
def test_a_note_of_a_candidate_that_somebody_edits_or_deletes_takes_it_back_too(
    memory: Memory, tmp_path: Path, candidate: str, how: str
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    memory.sync(notes)
    page = next(path for path in notes.rglob("*.md") if SAID in path.read_text())
    if how == "edited":
        page.write_text(page.read_text().replace(SAID, RIGHT))
    else:
        page.unlink()
    memory.sync(notes)
    record = look(memory, candidate)
    expected = ("active", "user_declared", RIGHT) if how == "edited" else ("archived", "agent_inferred", SAID)
    assert (record.status, record.trust, record.text) == expected
    assert SAID not in memory.unasked.give_answers(ASKED, session="other").text
    assert memory.sync(notes).revised == 0
