"""Is upkeep whole, whoever is killed on the way and whoever writes meanwhile?"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import recollect
from recollect import Memory, Settings
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
        memory.finish_sweeping()
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
        memory.finish_sweeping()
        assert memory.count(space="large") == 50
        assert all(memory.get(line.split("\t")[0]) is not None for line in said)
        assert memory.check() == []
