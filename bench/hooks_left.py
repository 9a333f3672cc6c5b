"""What do ten thousand prompts leave behind? `python -m bench hooks-left`.

Half of them are asked where nothing else runs, and half beside a server that answers them. Processes, temporary files,
locks, sockets and the files of the home are counted before and after each half, and so is what the server has open.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bench.hooks import events, running, spawn
from bench.start import resident_mb
from bench.stores import filled
from bench.table import Cell, Plan, Table, within

SIZE = 10_000
_LOGS = {"hooks.jsonl", "hooks.jsonl.1"}
_OPEN = {"recollect.db-wal", "recollect.db-shm"}
"""SQLite's, while a store is open, or after a hook that ran out of time; the next who closes it takes them away."""
_GROWTH_MB = 20.0  # that a server may have grown by, once it was asked a hundred times
_WARM = 100
_CONNECTIONS = 2 * max(os.cpu_count() or 1, 2)
"""Files of the connections to the store that a server keeps beside its first: as many as processors, of two files."""


def run(plan: Plan) -> list[Table]:
    size = min(SIZE, max(plan.sizes))
    home = filled(plan.folder, f"hooks-{size}", {"default": size})
    half = 3 if plan.tiny else 100 if plan.quick else SIZE // 2
    rows = [*_alone(plan, home, half), *_beside_server(plan, home, half)]
    columns = (f"left by {2 * half:,} prompts", "before", "after", "limit", "holds")
    logs = sum(path.stat().st_size for name in _LOGS if (path := home / name).exists()) / 1e6
    note = (
        f"{half:,} by processes of their own and {half:,} beside a server, each of another session, in a store of"
        f" {size:,}. The log of hooks, which is cut off at a size, has {logs:.2g} MB."
    )
    return [Table("hooks-left", columns, tuple(rows), note)]


def _alone(plan: Plan, home: Path, count: int) -> list[tuple[Cell, ...]]:
    with tempfile.TemporaryDirectory(prefix="hooks-") as scratch:
        inputs = events(plan, home, count, first=1_000_000)["UserPromptSubmit"]
        before = _found(home, Path(scratch))
        spawn(home, "UserPromptSubmit", inputs, scratch)
        after = _found(home, Path(scratch))
    return [_row(f"alone: {what}", before[what], after[what]) for what in before]


def _beside_server(plan: Plan, home: Path, count: int) -> list[tuple[Cell, ...]]:
    with tempfile.TemporaryDirectory(prefix="hooks-") as scratch, running(home) as server:
        warm = events(plan, home, min(_WARM, count), first=2_000_000)["UserPromptSubmit"]
        spawn(home, "UserPromptSubmit", warm, scratch)
        before, own = _found(home, Path(scratch)), _of_server(server.pid)
        spawn(home, "UserPromptSubmit", events(plan, home, count, first=3_000_000)["UserPromptSubmit"], scratch)
        after, owned = _found(home, Path(scratch)), _of_server(server.pid)
    rows = [_row(f"beside a server: {what}", before[what], after[what]) for what in before]
    rows += [_row("the server's threads", own["threads"], owned["threads"])]
    rows += [_row("the server's open files and sockets", own["open"], owned["open"], _CONNECTIONS)]
    grown = owned["MB"] - own["MB"] <= _GROWTH_MB
    return [*rows, ("the server's MB", own["MB"], owned["MB"], f"+ {_GROWTH_MB:.0f}", within(grown))]


def _row(what: str, before: Cell, after: Cell, more: int = 0) -> tuple[Cell, ...]:
    assert isinstance(before, float | int)
    assert isinstance(after, float | int)
    return (what, before, after, f"+ {more}" if more else "no more", within(after <= before + more))


def _found(home: Path, scratch: Path) -> Mapping[str, Cell]:
    files = _files(home)
    return {
        "processes": len(_processes(home)),
        "temporary files": len(_files(scratch)),
        "files in the home": len(files - _LOGS - _OPEN),
        "locks held": _locks(home),
        "sockets of the home": sum(str(home) in line for line in Path("/proc/net/unix").read_text().splitlines()),
    }


def _of_server(pid: int) -> dict[str, float | int]:
    place = Path("/proc", str(pid))
    return {
        "open": len(list((place / "fd").iterdir())),
        "threads": len(list((place / "task").iterdir())),
        "MB": resident_mb(pid),
    }


def _files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def _processes(home: Path) -> list[str]:
    shown = subprocess.run(["ps", "-axo", "pid=,command="], capture_output=True, text=True, check=True)
    return [line for line in shown.stdout.splitlines() if f"--home {home}" in line]


def _locks(home: Path) -> int:
    """How many locks the system knows on the files of a home."""
    known = {path.stat().st_ino for path in home.rglob("*") if not path.is_dir()}
    lines = Path("/proc/locks").read_text().splitlines()
    return sum(int(line.split()[-3].rpartition(":")[2]) in known for line in lines)
