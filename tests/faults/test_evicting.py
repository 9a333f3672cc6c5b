"""Is upkeep whole, whoever is killed on the way and whoever writes meanwhile?"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

import recollect
from recollect import InvalidInput, Memory, Settings
from recollect.engine.read.by_signal import search_keywords

Start = Callable[..., "subprocess.Popen[str]"]
COUNT = 5_000


def opened(home: Path) -> Memory:
    return recollect.open(settings=Settings(home=home, embedder="none"))


def test_a_run_that_is_killed_can_be_taken_back_and_gone_on_with(start: Start, home: Path) -> None:
    with opened(home) as memory:
        memory.remember_many([{"text": f"Thing number {n}", "importance": n / COUNT} for n in range(COUNT)])
    process = start("evict", home, "100")
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(4)] == ["open\n", *["step\n"] * 3]  # two steps are done
    process.kill()
    process.wait()
    with opened(home) as memory:
        run = next(change for change in memory.journal(limit=COUNT) if change.object_type == "space")
        gone = COUNT - memory.count()
        assert gone >= 3_000
        assert len(search_keywords(memory, "thing", limit=1_000)) == min(1_000, COUNT - gone)
        assert memory.evict(cap=100)[0].count == COUNT - gone - 100
        memory.undo(run.entry)
        assert memory.count() == 100 + gone
        memory.sweeping.finish()
        assert memory.check() == []


def test_a_process_that_writes_beside_a_run_loses_nothing(start: Start, home: Path) -> None:
    with opened(home) as memory:
        memory.remember_many([{"text": f"Thing number {n}"} for n in range(COUNT)], space="large")
        writer = start("write", home, "w0")
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        said = [writer.stdout.readline()]
        memory.evict(space="large", cap=50)
        said += [writer.stdout.readline() for _ in range(3)]
        writer.kill()
        memory.sweeping.finish()
        assert memory.count(space="large") == 50
        assert all(memory.get(line.split("\t")[0]) is not None for line in said)
        assert memory.check() == []


@pytest.mark.parametrize("steps", [1, 2, 5, 9])
def test_thinning_that_is_killed_leaves_a_sound_memory_and_is_gone_on_with(
    start: Start, home: Path, steps: int
) -> None:
    with opened(home) as memory:
        made = memory.remember_many([{"text": f"Thing number {n}", "importance": 0.1} for n in range(300)])
        before = memory.journal(limit=1)[0].at
        for receipt in made[:200]:
            memory.revise(receipt.id, f"Another text of {receipt.id}")
        memory.evict(max_age=timedelta(0), cap=100)
        memory.sweeping.finish()
    process = start("thin", home, "x")
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(steps + 1)] == ["open\n", *["step\n"] * steps]
    process.kill()
    process.wait()
    with opened(home) as memory:
        assert memory.check() == []
        with pytest.raises(InvalidInput, match="thinned up to"):
            memory.list(as_of=before)
        memory.thin(older_than=timedelta(0))
        assert memory.thin(older_than=timedelta(0), dry_run=True)[0].count == 0
        live = {record.id for record in memory.list(limit=1_000)}
        assert {one.object_id for one in memory.journal(limit=5_000) if one.object_type == "record"} - live == {
            one.object_id for one in memory.journal(limit=5_000) if one.verb == "thin" and one.object_type == "record"
        }
        assert memory.check() == []
