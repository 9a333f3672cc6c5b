"""Does upkeep run at its hours, once, whoever serves the memory?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from recollect import ConfigError
from recollect.engine.care.schedule import Scheduler, Task, parse_cron, upkeep_tasks

NOW = datetime(2026, 5, 10, 12, 34, 56, tzinfo=UTC)  # a Sunday


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 */6 * * *", "2026-05-10T12:00"),
        ("0 3 * * *", "2026-05-10T03:00"),
        ("35 12 * * *", "2026-05-09T12:35"),
        ("*/10 * * * *", "2026-05-10T12:30"),
        ("0 0 1 * *", "2026-05-01T00:00"),
        ("0 0 29 2 *", "2024-02-29T00:00"),
        ("15 4 * * 1-5", "2026-05-08T04:15"),
        ("0 9 * * 7", "2026-05-10T09:00"),
        ("0 0 13 * 5", "2026-05-08T00:00"),
        ("5,50 8-10/2 * * *", "2026-05-10T10:50"),
        ("every 6h", "2026-05-10T12:00"),
        ("every 15 m", "2026-05-10T12:30"),
        ("every 10s", "2026-05-10T12:34:50"),
        ("every 1d", "2026-05-10T00:00"),
    ],
)
def test_the_last_moment_that_an_expression_names(text, expected):
    assert parse_cron(text, "x").latest(NOW) == datetime.fromisoformat(expected).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0 3 * *",
        "61 * * * *",
        "* * * * mon",
        "*/0 * * * *",
        "9-5 * * * *",
        "0 0 30 2 *",
        "every",
        "every 0s",
        "every 2w",
    ],
)
def test_an_expression_that_means_nothing_names_its_setting(text):
    with pytest.raises(ConfigError, match="evict_schedule"):
        parse_cron(text, "evict_schedule")


def scheduler(memory, clock, done, name="task"):
    task = Task(name, parse_cron("0 3 * * *", "x"), lambda _stop: done.append(name) or [])
    return Scheduler(memory, [task], clock=clock)


def test_a_task_is_done_once_when_its_hour_has_come(memory, clock):
    done: list[str] = []
    watch = scheduler(memory, clock, done)
    assert watch.look() == []  # the hour of this morning was before it began
    clock.advance(hours=15)
    assert [watch.look(), watch.look(), done] == [["task"], [], ["task"]]


def test_a_machine_that_slept_for_days_catches_up_once(memory, clock):
    done: list[str] = []
    watch = scheduler(memory, clock, done)
    clock.advance(days=5)
    watch.look()
    watch.look()
    assert done == ["task"]


def test_of_several_processes_one_does_it(open_memory, clock):
    done: list[str] = []
    watches = [scheduler(open_memory(), clock, done) for _ in range(3)]
    clock.advance(days=1)
    assert sorted(map(len, [watch.look() for watch in watches])) == [0, 0, 1]
    clock.advance(days=1)
    for watch in reversed(watches):
        watch.look()
    assert done == ["task", "task"]


def test_a_clock_that_was_ahead_once_stops_nothing(memory, clock):
    done: list[str] = []
    began = clock.now
    clock.advance(days=1_000)
    watch = scheduler(memory, clock, done)  # begun by such a clock, too
    clock.advance(days=1)
    assert watch.look() == ["task"]
    clock.now = began
    assert watch.look() == []
    clock.advance(days=1)
    assert [watch.look(), watch.look()] == [["task"], []]
    assert scheduler(memory, clock, done).look() == []


def test_clocks_that_stay_apart_do_each_slot_once_each(memory, clock):
    done: list[str] = []
    late, ahead = scheduler(memory, clock, done), scheduler(memory, lambda: clock() + timedelta(days=9), done)
    clock.advance(days=1)
    for _ in range(3):
        ahead.look()
        late.look()
    assert done == ["task", "task"]


def test_clocks_that_are_minutes_apart_do_a_slot_once(memory, clock):
    done: list[str] = []
    late, ahead = scheduler(memory, clock, done), scheduler(memory, lambda: clock() + timedelta(minutes=3), done)
    clock.advance(hours=14, minutes=58)  # 02:58, and 03:01
    assert [ahead.look(), late.look()] == [["task"], []]
    clock.advance(minutes=4)
    assert [ahead.look(), late.look()] == [[], []]


def test_what_the_settings_say_is_done_when_it_is_due(memory, clock):
    assert parse_cron("off", "x") is None
    assert [task.name for task in upkeep_tasks(memory)] == ["consolidate", "evict"]
    memory.remember("Dull", importance=0.1)
    watch = Scheduler(memory, upkeep_tasks(memory), clock=clock)
    clock.advance(days=31)
    assert watch.look() == ["consolidate", "evict"]
    assert memory.count() == 0
    assert {change.actor for change in memory.journal() if change.verb in ("evict", "fade")} == {"schedule"}


def test_a_scheduler_ends_when_it_is_told(memory, clock):
    watch = Scheduler(memory, upkeep_tasks(memory), clock=clock, look_seconds=0.01)
    watch.start()
    assert watch.stop()
