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


ECHOES = (
    "Got it, five retries for the payment queue.",
    "Understood. The payment queue will retry 5 times and then give up.",
    "The root cause was that the payment queue kept its retry limit at five.",
)
BESIDE = "Mira owns the payment queue, by the way."


def given(memory: Memory) -> str:
    """All that hooks give: at the start of a session, and with prompts."""
    prompts = (ASKED, "How often does the payment queue retry?", "Why did the payment queue retry five times?")
    return "\n".join([
        memory.unasked.give_brief().text,
        *(memory.unasked.give_answers(prompt, session="other").text for prompt in prompts),
    ])  # fmt: skip


@pytest.mark.parametrize("echo", ECHOES)
@pytest.mark.parametrize("what", ["candidate", "message", "note"])
def test_what_was_forgotten_does_not_come_back_in_the_words_of_an_agent(
    memory: Memory, tmp_path: Path, echo: str, what: str
) -> None:
    note = memory.remember("The payment queue retries five times.").id
    memory.capture(talk(tmp_path, "s1", *BEGUN, ("user", SAID), ("assistant", echo), ("user", BESIDE)))
    assert any(text in given(memory) for text in (SAID, echo))
    ids = {one.text: one.id for one in memory.list(limit=50)}
    for forgotten in {"candidate": (note, ids[SAID]), "message": (note, message(memory)), "note": (note,)}[what]:
        assert forgotten is not None
        memory.forget(forgotten)
    told = given(memory)
    assert [text for text in (SAID, *ECHOES, "five") if text in told] == []
    assert BESIDE in memory.unasked.give_answers("Who owns the payment queue?", session="other").text


def test_a_note_that_is_forgotten_does_not_come_back_from_what_was_said_when_it_was_stored(
    memory: Memory, tmp_path: Path
) -> None:
    note = memory.remember("The retry limit of the payment queue is five.").id
    assert note is not None
    asked = "Please remember that the retry limit of the payment queue is five."
    memory.capture(talk(tmp_path, "s1", *BEGUN, ("user", asked), ("assistant", "Stored: payment queue, limit five.")))
    receipt = memory.forget(note)
    assert "five" not in given(memory)
    assert len([told for told in receipt.pending if "says it still" in told]) == 2
    assert len([hit for hit in memory.recall(ASKED) if "five" in hit.record.text]) == 2


@pytest.mark.parametrize("call", ["mcp__recollect__forget: {'id': 'n'}", "Bash: recollect forget n"])
def test_the_turn_in_which_something_is_forgotten_is_given_to_nobody(memory: Memory, tmp_path: Path, call: str) -> None:
    memory.remember("The payment queue retries five times.", id="n")
    turn = (
        ("user", "Forget that we decided on a retry limit of five for the payment queue."),
        ("assistant", f"[{call}]\nI have forgotten that the payment queue has a retry limit of five."),
    )
    memory.forget("n")
    later = "Decision: the retry limit of the payment queue is nine."
    memory.capture(talk(tmp_path, "s1", *BEGUN, *turn, ("user", later)))
    told = given(memory)
    assert ("five" in told, later in told) == (False, True)
    assert [one.text for one in memory.list(statuses=["candidate"])] == [later]


@pytest.mark.parametrize("how", ["revise", "replace", "invalidate"])
def test_a_note_that_is_corrected_takes_back_what_agents_said_of_it_and_not_the_correction(
    memory: Memory, tmp_path: Path, how: str
) -> None:
    note = memory.remember("The retry limit of the payment queue is five.").id
    assert note is not None
    correction = "No, the retry limit of the payment queue is nine now, not five."
    said = (("user", ASKED), ("assistant", ECHOES[0]), ("user", correction))
    memory.capture(talk(tmp_path, "s1", *BEGUN, *said))
    take_back(memory, note, how)
    told = given(memory)
    assert (ECHOES[0] in told, "nine" in told) == (False, how != "invalidate")


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


def test_what_was_forgotten_does_not_come_back_when_its_transcript_is_ingested(
    memory: Memory, tmp_path: Path, candidate: str
) -> None:
    path = talk(tmp_path, "s1", *BEGUN, ("user", SAID), ("assistant", f"[Read: queue.toml]\n{ECHOES[0]}"))
    memory.capture(path)
    before = {one.id for one in memory.list(kinds=["message"])}
    memory.forget(candidate)
    memory.ingest_transcript(path)
    assert given(memory) == "\n\n\n"
    assert {one.id for one in memory.list(kinds=["message"])} == before


def test_an_answer_in_other_words_to_what_was_forgotten_is_given_to_nobody(memory: Memory, tmp_path: Path) -> None:
    told = "Remember that my doctor says I have to avoid gluten."
    answer = "I will leave out wheat, barley and rye in the recipes then."
    talked = talk(
        tmp_path, "s1", ("user", told), ("assistant", answer), ("user", "Go on."), ("assistant", "It is green.")
    )
    (id,) = memory.capture(talked).candidates
    asked = "which recipes have wheat, barley and rye?"
    assert answer in memory.unasked.give_answers(asked, session="before").text
    memory.forget(id)
    assert answer not in memory.unasked.give_answers(asked, session="after").text
    assert answer in [hit.record.text for hit in memory.recall(asked)]


def test_an_answer_to_more_than_what_was_forgotten_is_still_given(memory: Memory, tmp_path: Path) -> None:
    told = (
        "Remember that my doctor says I have to avoid gluten.\nAlso look at the build: the bundler warns of two icons,"
        " the tests of the importer hang on macOS, and the release notes of last week are missing their dates."
    )
    answer = "The bundler warns since two icons share a name; I renamed one of them."
    (id,) = memory.capture(talk(tmp_path, "s1", ("user", told), ("assistant", answer))).candidates
    memory.forget(id)
    assert answer in memory.unasked.give_answers("why does the bundler warn of two icons?", session="after").text
