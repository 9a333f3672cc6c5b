"""What happens when several processes write to one store at once?"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from bench.remember import bare_store, fresh, insert
from bench.start import environment
from bench.stores import open_quiet
from bench.table import Cell, Plan, Table, within
from bench.texts import texts

_COUNTS = (1, 2, 4)
_GO = b"go\n"


def write_ours(home: Path, number: int, count: int) -> None:
    given = list(texts(count, seed=100 + number))
    with open_quiet(home) as memory:
        _wait_for_go()
        for text in given:
            memory.remember(text, session=f"writer {number}")
        print("done", flush=True)


def write_bare(home: Path, number: int, count: int) -> None:
    given = list(texts(count, seed=100 + number))
    connection = bare_store(home / "bare.db")
    _wait_for_go()
    for text in given:
        insert(connection, text)
    print("done", flush=True)
    connection.close()


def _wait_for_go() -> None:
    print("ready", flush=True)
    sys.stdin.readline()


def race(way: str, home: Path, writers: int, count: int) -> tuple[float, int]:
    """Writes per second of all writers together, and how many of them failed."""
    command = [sys.executable, "-m", "bench.processes", way, str(home)]
    children = [
        subprocess.Popen(
            [*command, str(number), str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
        )
        for number in range(writers)
    ]
    for child in children:
        assert child.stdout is not None
        child.stdout.readline()
    started = time.perf_counter()
    for child in children:
        assert child.stdin is not None
        child.stdin.write(_GO)
        child.stdin.flush()
    for child in children:
        assert child.stdout is not None
        child.stdout.readline()
    took = time.perf_counter() - started
    for child in children:
        child.communicate()
    return writers * count / took, sum(child.returncode != 0 for child in children)


def run(plan: Plan) -> list[Table]:
    rows: list[tuple[Cell, ...]] = []
    for writers in _COUNTS:
        home = fresh(plan.folder / "processes" / str(writers))
        with open_quiet(home) as memory:
            rate, failed = race("ours", home, writers, plan.writes // 2)
            lost = writers * (plan.writes // 2) - memory.count()
        bare_store(home / "bare.db").close()
        peer, _ = race("bare", home, writers, plan.writes // 2)
        rows.append(
            (writers, rate, peer, rate / peer, failed, lost, "none failed, none lost", within(failed + lost == 0))
        )
    columns = ("processes", "remembered/s", "bare SQLite/s", "ratio", "failed", "lost", "limit", "holds")
    return [Table("processes", columns, tuple(rows), "Every write is a durable transaction of its own.")]


if __name__ == "__main__":
    _, chosen, folder, writer, times = sys.argv
    {"ours": write_ours, "bare": write_bare}[chosen](Path(folder), int(writer), int(times))
