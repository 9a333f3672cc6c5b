"""How are the files of a folder brought in, and kept in step with it, whatever they become?

A file that is, by size and time, as it was when it was read is left alone; one that was read and has the same content
is not parsed. Some files make one transaction, each of them whole, with what is known of them from then on. So a run
can be broken off anywhere: the next goes on with what is left.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from recollect.engine.core import Core
from recollect.engine.intake.reading import GONE, UNREADABLE, Errand, Kind, ReadFile
from recollect.engine.intake.workers import read_files
from recollect.engine.known import Known
from recollect.engine.write.remember import ensure_space
from recollect.ingest.walk_files import File, Walked
from recollect.store.base import Edit, Shelf, View
from recollect.types import FileProblem

BATCH_PIECES = 2_000
_BATCH_SECONDS = 1.0
_GONE_AT_ONCE = 50
_RACY = 2_000_000_000  # nanoseconds: a file that changed this shortly before it was read may have changed again

Write = Callable[[ReadFile, Known | None], tuple[int, tuple[str, ...]]]
"""Puts what a file holds in the place of what it held. Answers how many things came of it, and their fingerprints."""


class Far(Struct, frozen=True):
    """How far a run is: `left` of the files that are done are left out, `base` were done when it began."""

    total: int
    done: int
    left: int
    base: int
    count: int


class Part(Protocol):
    """What the files of a folder become in a space, and where it is kept what is known of them."""

    kind: Kind
    space: str
    shelf: Shelf[Known]
    prefix: str
    """What stands before a path on the shelf."""

    def look(self, view: View, walked: Walked) -> Iterable[str]:
        """Looks at what the store holds of the folder, and answers the paths that it came from."""
        ...

    def holds(self, path: str, known: Known) -> bool:
        """Is what came of a file still there, as it would come of it now?"""
        ...

    def writer(self, edit: Edit) -> Write: ...
    def drop(self, edit: Edit, path: str) -> None:
        """Takes out what came of a file that is gone."""
        ...

    def note(self, edit: Edit, far: Far) -> None:
        """Writes down, in the transaction that brought it there, how far the run is."""
        ...


class Sync:
    """One pass over what was found in a folder. What it leaves out is added to what the walk did."""

    def __init__(self, core: Core, root: Path, part: Part, walked: Walked, stopped: Callable[[], bool]) -> None:
        self._core = core
        self._root = root
        self._part = part
        self._walked = walked
        self._stopped = stopped
        self.unchanged = 0
        """How many things came of files that are as they were."""
        with core.store.read() as view:
            held = part.look(view, walked)
            kept = view.kept(part.shelf, space=part.space)
        self._known = {k.removeprefix(part.prefix): v for k, v in kept.items() if k.startswith(part.prefix)}
        self._found = {found.path: found for found in walked.files}
        self._gone = [path for path in dict.fromkeys((*self._known, *held)) if self._is_gone(path)]
        self._count = sum(known.count for known in self._known.values())
        self._left = 0
        self._errands = [errand for found in walked.files if (errand := self._errand(found)) is not None]
        behind = sum(path not in self._found and self._is_behind(path) for path in self._known)
        self._total = len(self._found) + behind
        self._done = self._total - len(self._errands)
        self._base = self._done - self._left

    @property
    def far(self) -> Far:
        return Far(self._total, self._done, self._left, self._base, self._count)

    def steps(self) -> Iterator[Far]:
        """Does it all, and tells after every transaction how far it is."""
        for start in range(0, len(self._gone), _GONE_AT_ONCE):
            if self._stopped():
                return
            self._drop(self._gone[start : start + _GONE_AT_ONCE])
            yield self.far
        for batch in _batches(read_files(self._root, self._errands, self._stopped)):
            self._store(batch)
            yield self.far

    # What there is to do

    def _is_behind(self, path: str) -> bool:
        """Does a file lie in a folder that could not be looked into?"""
        return path.startswith(tuple(self._walked.closed))

    def _is_gone(self, path: str) -> bool:
        if path in self._found or self._is_behind(path):
            return False
        return not (self._part.kind.keeps_ignored and os.path.lexists(self._root / path))

    def _errand(self, found: File) -> Errand | None:
        """What must be done about a file; None where it is as it was."""
        kind, known = self._part.kind, self._known.get(found.path)
        if known is None or known.reader != kind.reader or not self._part.holds(found.path, known):
            return Errand(found.path, kind.name, "")
        if not _is_unchanged(found, known):
            return Errand(found.path, kind.name, known.hash)
        self._see(found.path, known)
        return None

    def _see(self, path: str, known: Known) -> None:
        """Counts a file that is as it was, or was left out and still would be."""
        self.unchanged += known.count
        if known.problem is not None:
            self._leave_out(path, known.problem)

    def _leave_out(self, path: str, problem: str) -> None:
        reason, named = self._part.kind.left_out(problem)
        self._left += 1
        self._walked.skipped[reason] += 1
        if named:
            self._walked.problems.append(FileProblem(path=path, problem=problem))

    # Doing it

    def _drop(self, paths: Sequence[str]) -> None:
        with self._core.store.write(actor=self._core.actor) as edit:
            for path in paths:
                self._part.drop(edit, path)
                self._learn(path, None)
            edit.keep(self._part.shelf, {self._part.prefix + path: None for path in paths}, space=self._part.space)
            self._part.note(edit, self.far)

    def _store(self, batch: Sequence[ReadFile]) -> None:
        some = any(file.pieces for file in batch)
        with self._core.store.write(actor=self._core.actor) as edit:
            if some:
                ensure_space(edit, self._part.space)
            there = bool(edit.spaces([self._part.space]))
            write = self._part.writer(edit) if there else None
            noted = {file.path: self._take(edit, write, file) for file in batch}
            if there:
                items = {self._part.prefix + path: known for path, known in noted.items()}
                edit.keep(self._part.shelf, items, space=self._part.space)
            self._part.note(edit, self.far)
        if some:
            self._core.written()

    def _take(self, edit: Edit, write: Write | None, file: ReadFile) -> Known | None:
        """Has a file take the place of what it was. Answers what is known of it from now on."""
        before = self._known.get(file.path)
        if file.problem == GONE:
            self._part.drop(edit, file.path)
            self._total -= 1
            return self._learn(file.path, None)
        self._done += 1
        found = self._found[file.path]
        size, mtime = (file.size, file.mtime) if file.hash else (found.size, found.mtime)
        read_at, reader = time.time_ns() // 1_000, self._part.kind.reader
        if file.same and before is not None:
            known = Known(size, mtime, read_at, file.hash, before.count, before.made, before.problem, reader)
            self._see(file.path, known)
        else:
            count, made = (0, ()) if write is None else write(file, before)
            known = Known(size, mtime, read_at, file.hash, count, made, file.problem, reader)
            if file.problem is not None:
                self._leave_out(file.path, file.problem)
        return self._learn(file.path, known)

    def _learn(self, path: str, known: Known | None) -> Known | None:
        before = self._known.pop(path, None)
        self._count -= 0 if before is None else before.count
        if known is not None:
            self._known[path] = known
            self._count += known.count
        return known


def _batches(files: Iterator[ReadFile]) -> Iterator[list[ReadFile]]:
    """Files in handfuls that make one transaction."""
    batch: list[ReadFile] = []
    size, since = 0, time.monotonic()
    for file in files:
        batch.append(file)
        size += max(1, file.pieces)
        if size >= BATCH_PIECES or time.monotonic() - since > _BATCH_SECONDS:
            yield batch
            batch, size, since = [], 0, time.monotonic()
    if batch:
        yield batch


def _is_unchanged(found: File, known: Known) -> bool:
    """Is a file, by its size and time, what it was when it was read, and was it old enough then to tell?

    What could not be read at all may be readable by now, without a change of either.
    """
    if (found.size, found.mtime) != (known.size, known.mtime) or (known.problem or "").startswith(UNREADABLE):
        return False
    return known.read_at * 1_000 - known.mtime > _RACY
