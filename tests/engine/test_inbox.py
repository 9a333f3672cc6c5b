"""What waits for a person's word: what was answered once is not overturned by an answer that comes later."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect import Conflict, Memory, Settings
from recollect.engine.care.inbox import inbox, settle


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with recollect.open(settings=Settings(home=tmp_path, embedder="none"), actor="page") as one:
        yield one


def waiting(memory: Memory, pile: str) -> list[str]:
    return [matter.key for matter in inbox(memory.core, piles=[pile])[0].matters]


def test_a_proposal_that_was_kept_is_not_dropped_by_who_has_not_heard_of_it(memory: Memory) -> None:
    id = memory.remember("The well is tested every spring.", status="candidate").id or ""
    (key,) = waiting(memory, "candidates")
    kept = settle(memory.core, key, "keep")
    with pytest.raises(Conflict, match="answered already: it is active by now; nothing was changed"):
        settle(memory.core, key, "drop")
    assert memory.get(id).valid_until is None
    memory.undo(kept.entries[0])
    settle(memory.core, key, "drop")
    with pytest.raises(Conflict, match="was ended"):
        settle(memory.core, key, "keep")
    assert memory.get(id).status == "candidate"


def test_moved_evidence_that_is_in_doubt_by_now_waits_among_what_is_in_doubt(memory: Memory) -> None:
    told = memory.remember("The pump runs at 3 bar.", kind="message")
    grounds = {"evidence": [{"source": told.id}], "scopes": ["pumps"]}
    memory.remember("The pump is set low.", kind="note", grounds=grounds, trust="human_curated")
    memory.revise(told.id or "", "The pump runs at 5 bar.")
    (key,) = waiting(memory, "evidence")
    settle(memory.core, key, "doubt")
    assert (waiting(memory, "evidence"), len(waiting(memory, "contested"))) == ([], 1)
    with pytest.raises(Conflict, match="marked as in doubt"):
        settle(memory.core, key, "keep")


def test_what_was_left_can_be_brought_back_and_answered_otherwise(memory: Memory) -> None:
    memory.remember("The well is tested every spring.", status="candidate")
    (key,) = waiting(memory, "candidates")
    settle(memory.core, key, "leave")
    with pytest.raises(Conflict, match="left as it is"):
        settle(memory.core, key, "drop")
    settle(memory.core, key, "again")
    assert waiting(memory, "candidates") == [key]
    settle(memory.core, key, "drop")
    assert waiting(memory, "candidates") == []
