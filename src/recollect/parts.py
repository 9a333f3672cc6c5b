"""What is a file called until it is whole, and what becomes of one whose process was killed?

A copy or an export is written under a hidden name with the number of its process, and takes its own when all of it is
on disk. Whoever writes into the same folder next removes what a process has left there that is no more.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from recollect import private

_PART = re.compile(r"(\..+\.([1-9][0-9]{0,8})\.part)(-journal|-wal|-shm|-last)?")
_ENDINGS = ("-journal", "-wal", "-shm", "-last", "")
"""What SQLite keeps beside a file; the file itself goes last."""
_BEGINS = (b"SQLite format 3\0", b"\0" * 16, b'{"recollect":', b"age-encryption.org/")
"""How a copy and an export begin. A copy whose first page was not written yet begins with nothing."""
_LONGEST_WRITE = 86_400
"""Seconds after which nobody writes a file any more, whoever has the number of the process that did."""
_MAKING: set[Path] = set()
"""What this process is writing."""


@contextmanager
def making(target: Path) -> Generator[Path]:
    """The name that a file has until it is whole, in a folder that is there. What is left of that name is removed."""
    sweep(target.parent)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    _MAKING.add(part.absolute())
    try:
        yield part
    finally:
        _remove(part)
        _MAKING.discard(part.absolute())


def sweep(folder: Path) -> None:
    """Removes what processes that are no more have left in a folder. What cannot be removed stays."""
    for part in parts_in(folder):
        with suppress(OSError):  # somebody else's, or on a disk that is only read: `parts_in` still names it
            if _is_left(part):
                _remove(part)


def parts_in(folder: Path) -> list[Path]:
    """What is being written in a folder, or was by a process that is no more."""
    try:
        named = [_PART.fullmatch(name) for name in os.listdir(folder)]
    except OSError:
        return []
    return sorted({folder / found[1] for found in named if found is not None})


def _remove(part: Path) -> None:
    for ending in _ENDINGS:
        part.with_name(part.name + ending).unlink(missing_ok=True)


def _is_left(part: Path) -> bool:
    """Was it written by a process that is no more? Another may have its number by now."""
    named = _PART.fullmatch(part.name)
    if named is None or part.absolute() in _MAKING or not private.is_plain(part):
        return False
    if private.runs_elsewhere(int(named[2])) and not _is_old(part):
        return False
    return not part.exists() or _begins_as_ours(part)


def _is_old(part: Path) -> bool:
    return part.exists() and part.stat().st_mtime < time.time() - _LONGEST_WRITE


def _begins_as_ours(part: Path) -> bool:
    begins = private.read_file(part, 20)
    return any(begins.startswith(mark) or mark.startswith(begins) for mark in _BEGINS)
