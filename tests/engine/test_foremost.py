"""The foremost records: what is important now, whatever changed meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from recollect import Memory
from recollect.engine.read.brief import make_brief
from recollect.engine.read.foremost import rank_standing
from recollect.retrieve.importance import effective_importance
from recollect.types import Filter


@pytest.mark.parametrize(
    ("base", "days", "accesses", "expected"),
    [(0.5, 0, 0, 0.5), (0.5, 90, 0, 0.25), (0.8, 180, 2, 0.3), (0.5, 0, 6, 0.8), (0.5, 0, 99, 0.8),
     (1.0, 0, 99, 1.0), (0.0, 0, 0, 0.05), (0.5, 10_000, 0, 0.05), (0.5, -5, 0, 0.5)],
)  # fmt: skip
def test_importance_fades_and_use_keeps_it_up(base: float, days: float, accesses: int, expected: float) -> None:
    assert effective_importance(base, days, accesses) == pytest.approx(expected)


def agrees(memory: Memory, limit: int = 15) -> bool:
    """Does what is held in memory agree with weighing all of a space?"""
    held = [one.record.id for one in memory.foremost(limit=limit)]
    with memory.core.store.read() as view:
        return held == [
            one.record.id for one in rank_standing(view, Filter(spaces=("default",)), memory.core.clock(), limit)
        ]


def test_what_is_held_follows_every_kind_of_change(memory: Memory, clock: Any) -> None:
    ids = [memory.remember(f"Note {i}.", importance=i / 200).id or "" for i in range(150)]
    assert agrees(memory)
    memory.remember("Above all.", importance=1.0)
    assert agrees(memory)
    for id in ids[-40:]:
        memory.forget(id)
        assert agrees(memory)
    entry = memory.invalidate(ids[100], reason="no longer")
    assert agrees(memory)
    memory.undo(entry)
    memory.revise(ids[0], importance=0.99)
    assert agrees(memory, 50)
    clock.advance(days=200)
    memory.remember("Fresh.", importance=0.2)
    assert agrees(memory)


def test_changes_of_another_process_are_seen(open_memory: Any) -> None:
    one, other = open_memory(), open_memory()
    one.remember("Mine.")
    assert [found.record.text for found in other.foremost()] == ["Mine."]
    one.remember("More important.", importance=0.9)
    assert [found.record.text for found in other.foremost()] == ["More important.", "Mine."]
    one.delete_space("default")
    assert other.foremost() == []


def test_what_ends_by_itself_is_not_foremost_any_more(memory: Memory, clock: Any) -> None:
    until = clock.now.replace(minute=5)
    memory.remember("Until five past.", importance=1.0, valid_until=until)
    memory.remember("Always.")
    assert len(memory.foremost()) == 2
    clock.advance(minutes=6)
    assert [one.record.text for one in memory.foremost()] == ["Always."]


def test_a_brief_from_what_is_kept_is_the_one_that_looking_at_all_would_make(memory: Memory, clock: Any) -> None:
    def same() -> bool:
        anew = make_brief(memory.core, Filter(spaces=("default", "other")), limit=50, budget_tokens=800)
        return memory.brief(space=["default", "other"]) == anew

    memory.remember("Elsewhere it is always Tuesday.", space="other", tags=["pinned"])
    ids = [memory.remember(f"Note {i} says {i * 7}.", importance=i / 200).id or "" for i in range(90)]
    assert same()
    rule = memory.remember("Deploy on Tuesdays only.", kind="rule").id or ""
    assert same()
    memory.remember_many([{"text": f"Open point {i}.", "status": "open", "kind": "task"} for i in range(70)])
    assert same()
    memory.revise(ids[3], tags=["pinned"])
    assert same()
    ended = memory.invalidate(rule, reason="no longer")
    assert same()
    memory.undo(ended)
    assert same()
    for id in ids[60:]:
        memory.forget(id)
    assert same()
    clock.advance(days=3)
    memory.remember("Until tomorrow.", tags=["pinned"], valid_until=clock.now.replace(hour=23))
    assert same()
    clock.advance(hours=24)
    assert same()
    memory.delete_space("other")
    memory.remember("Fresh.", space="other", importance=0.9)
    assert same()
