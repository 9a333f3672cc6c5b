"""What becomes of a memory when the clock jumps?"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from recollect import Memory, Record, WrongClock
from recollect.engine.care.keep import odd_times
from recollect.types import Filter

if TYPE_CHECKING:
    from conftest import Clock

TEN_YEARS = timedelta(days=3652)


def test_one_write_ten_years_ahead_leaves_the_times_of_later_ones_alone(memory: Memory, clock: Clock) -> None:
    memory.remember("before", id="a")
    now = clock.now
    clock.now = now + TEN_YEARS
    memory.remember("ahead", id="b")
    clock.now = now + timedelta(minutes=5)
    memory.remember("after", id="c")
    memory.revise("a", "changed")
    for id in ("a", "c"):
        record = memory.get(id)
        assert record is not None
        assert record.recorded_at - now < timedelta(minutes=6)
    assert memory.get("c").created_at - now < timedelta(minutes=6)  # type: ignore[union-attr]
    changes = memory.journal()
    assert [change.object_id for change in sorted(changes, key=lambda one: one.entry)[1:]] == ["a", "b", "c", "a"]
    assert [change.at.year for change in sorted(changes, key=lambda one: one.entry)] == [2026, 2026, 2036, 2026, 2026]


def test_as_of_goes_by_the_order_of_the_journal_whatever_the_clock_said(memory: Memory, clock: Clock) -> None:
    memory.remember("one", id="a")
    start = clock.now
    clock.now = start + TEN_YEARS
    memory.revise("a", "two")
    clock.now = start + timedelta(hours=2)
    memory.revise("a", "three")
    clock.now = start + timedelta(hours=4)
    memory.revise("a", "four")
    known = {
        hours: memory.get("a", as_of=start + timedelta(hours=hours)).text  # type: ignore[union-attr]
        for hours in (0, 1, 3, 5)
    }
    assert known == {0: "one", 1: "one", 3: "three", 5: "four"}
    assert memory.get("a").text == "four"  # type: ignore[union-attr]
    assert [past.record.text for past in memory.history("a") if past.record] == ["one", "two", "three", "four"]
    assert memory.list(as_of=start + timedelta(hours=3))[0].text == "three"


@pytest.mark.parametrize(
    "wrong",
    [datetime.max.replace(tzinfo=UTC) - timedelta(seconds=1), datetime(1970, 1, 1, tzinfo=UTC)],
    ids=["9999", "1970"],
)
def test_a_clock_that_cannot_be_right_is_refused_and_harms_no_later_call(
    memory: Memory, clock: Clock, wrong: datetime
) -> None:
    memory.remember("before", id="a")
    now, clock.step = clock.now, timedelta(0)
    clock.now = wrong
    with pytest.raises(WrongClock, match=f"clock says {wrong:%Y-%m-%d}, which cannot be right"):
        memory.remember("then")
    assert [record.id for record in memory.list()] == ["a"]
    assert memory.recall("before")[0].record.id == "a"
    clock.now = now + timedelta(seconds=1)
    assert memory.remember("after").stored
    assert memory.check() == []


def test_a_clock_that_is_a_little_behind_keeps_the_last_write_in_the_present(memory: Memory, clock: Clock) -> None:
    memory.relate("Ada", "works at", "Acme")
    clock.now -= timedelta(minutes=20)
    assert [fact.object for fact in memory.facts("Ada")] == ["Acme"]
    memory.remember("after", id="a")
    assert memory.get("a").recorded_at > memory.facts("Ada")[0].relation.recorded_at  # type: ignore[union-attr]


def test_doctor_names_entries_that_are_ahead_of_the_clock(
    memory: Memory, open_memory: Callable[..., Memory], clock: Clock
) -> None:
    memory.remember("before")
    assert odd_times(memory.core) == []
    clock.now += TEN_YEARS
    memory.remember("ahead")
    clock.now -= TEN_YEARS
    (line,) = odd_times(open_memory().core)
    assert line.startswith("1 entry of the journal is dated ahead of this machine's clock, up to 2036-05")


def test_a_list_has_the_newest_first_by_the_journal(memory: Memory, clock: Clock) -> None:
    start = clock.now
    for id, ahead in (("a", 0), ("b", 170), ("c", 10), ("d", -20), ("e", 0), ("f", 0)):
        clock.now = start + timedelta(days=365 * ahead, minutes=ord(id))
        memory.remember(f"We decided on plan {id}.", id=id, kind="decision", trust="user_declared")
    memory.revise("b", "We decided on another plan b.")
    assert [record.id for record in memory.list()] == ["f", "e", "d", "c", "b", "a"]
    assert [record.id for record in memory.list(order="oldest")] == ["a", "b", "c", "d", "e", "f"]
    assert [memory.list(limit=1, offset=place)[0].id for place in range(6)] == ["f", "e", "d", "c", "b", "a"]
    with memory.core.store.read() as view:
        last = view.select(int, Filter(spaces=("default",)), "newest", 2)[-1]
        after = view.select(Record, Filter(spaces=("default",)), "newest", 2, beyond=last)
    assert [record.id for record in after] == ["d", "c"]
