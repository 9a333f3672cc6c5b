"""Do candidates rise when they are confirmed, recalled and of use, and fade otherwise?"""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from recollect import Memory, Record
from recollect.engine.intake import overheard

SAID = "We decided to keep the retry limit of the payment queue at five."


def talk(folder: Path, session: str, *said: tuple[str, str]) -> Path:
    path = folder / f"{session}.jsonl"
    lines = [
        {"type": role, "sessionId": session, "cwd": "/nowhere",
         "timestamp": f"2026-05-10T12:00:{n:02}.{crc32(session.encode()) % 1_000:03}Z",
         "message": {"role": role, "content": text}}
        for n, (role, text) in enumerate(said)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def candidate(memory: Memory, tmp_path: Path) -> str:
    (id,) = memory.capture(talk(tmp_path, "s1", ("user", SAID))).candidates
    return id


def look(memory: Memory, id: str) -> Record:
    record = memory.get(id)
    assert record is not None
    return record


def test_what_is_said_again_in_another_session_becomes_active(memory: Memory, tmp_path: Path, candidate: str) -> None:
    memory.capture(talk(tmp_path, "s1b", ("user", "Nothing new here today, thanks.")))
    assert look(memory, candidate).status == "candidate"
    memory.capture(talk(tmp_path, "s2", ("user", SAID)))
    overheard.settle(memory.core, "default", now_and_then=False)
    assert (look(memory, candidate).status, look(memory, candidate).confidence) == ("active", 0.75)
    assert memory.history(candidate)[-1].change.reason == (
        "it has risen: said in 2, recalled 0 times, of use in 0 sessions"
    )


@pytest.mark.parametrize(
    "answer", ["As noted in [{id}], five it is.", "The payment queue keeps its retry limit of five."]
)
def test_what_a_session_was_shown_and_made_use_of_becomes_active(
    memory: Memory, tmp_path: Path, candidate: str, answer: str
) -> None:
    given = memory.unasked.give_answers("What is the retry limit of the payment queue?", session="s2")
    assert candidate in given.ids
    assert "candidate" in given.text
    memory.unasked.note_given(given, session="s2")
    memory.capture(talk(tmp_path, "s2", ("user", "What is the limit?"), ("assistant", answer.format(id=candidate))))
    overheard.settle(memory.core, "default", now_and_then=False)
    assert look(memory, candidate).status == "active"


def test_what_a_session_did_not_use_stays_a_candidate(memory: Memory, tmp_path: Path, candidate: str) -> None:
    given = memory.unasked.give_answers("What is the retry limit of the payment queue?", session="s2")
    memory.unasked.note_given(given, session="s2")
    memory.capture(talk(tmp_path, "s2", ("user", "What is the limit?"), ("assistant", "I could not find that.")))
    overheard.settle(memory.core, "default", now_and_then=False)
    assert (look(memory, candidate).status, look(memory, candidate).confidence) == ("candidate", 0.6)


def test_what_is_recalled_twice_becomes_active(memory: Memory, candidate: str) -> None:
    for _ in range(2):
        memory.recall("the retry limit of the payment queue")
        memory.touches.flush()
    overheard.settle(memory.core, "default", now_and_then=False)
    assert look(memory, candidate).status == "active"


def test_what_nobody_needs_fades_week_by_week_and_is_archived_and_can_come_back(
    memory: Memory, candidate: str, clock: Any
) -> None:
    seen: list[tuple[str, float]] = []
    for _ in range(5):
        clock.now += timedelta(days=7, hours=1)
        overheard.settle(memory.core, "default")
        seen.append((look(memory, candidate).status, look(memory, candidate).confidence))
    assert seen == [
        ("candidate", 0.55),
        ("candidate", 0.5),
        ("candidate", 0.45),
        ("candidate", 0.4),
        ("archived", 0.35),
    ]
    assert candidate not in [hit.record.id for hit in memory.recall("the retry limit of the payment queue")]
    memory.undo(memory.journal(limit=1)[0])
    assert look(memory, candidate).status == "candidate"


def test_what_contradicts_something_known_needs_a_person(memory: Memory, tmp_path: Path) -> None:
    memory.remember("We decided to keep the retry limit of the payment queue at three.")
    (id,) = memory.capture(talk(tmp_path, "s1", ("user", SAID))).candidates
    memory.capture(talk(tmp_path, "s2", ("user", SAID)))
    overheard.settle(memory.core, "default", now_and_then=False)
    assert look(memory, id).status == "candidate"
    memory.promote(id, reason="it is so")
    assert look(memory, id).status == "active"
