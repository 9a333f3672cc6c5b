"""How do the files of a project become records, and stay in step with the folder?

A run looks at every file's size and time, reads those that may have changed, and writes the chunks of some files at a
time, each file whole. It can be broken off anywhere: the next run goes on with what is left.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from recollect.engine.core import Core
from recollect.engine.intake.reading import GONE, ReadChunk, ReadFile, read_files
from recollect.engine.intake.sources import files_below
from recollect.engine.intake.workers import Order
from recollect.engine.write.remember import content_hash, derive_lexis
from recollect.errors import RecollectError
from recollect.ingest.walk_files import Found, Walked, walk_files
from recollect.store.base import Edit, IndexedFile, IndexedProject, Lexis, View
from recollect.store.ops import Op, Put, Retire
from recollect.types import FileProblem, Filter, Record

MOST_NAMED = 100
_BATCH_CHUNKS = 2_000
_BATCH_SECONDS = 1.0
_GONE_AT_ONCE = 50
_RACY = 2_000_000_000  # nanoseconds: a file that changed this shortly before it was read may have changed again
_NAMED = ("not UTF-8", "cannot be read", "its parser failed", "too large", "folder cannot be read")


class Run:
    """One pass over a project's folder."""

    def __init__(
        self, core: Core, project: IndexedProject, stop: threading.Event, tell: Callable[[IndexedProject], None]
    ) -> None:
        self._core = core
        self._root = Path(project.path)
        self._stop = stop
        self._tell = tell
        self.project = project
        self._held: dict[str, IndexedFile] = {}
        self._found: dict[str, Found] = {}
        self._left_out: Counter[str] = Counter()
        self._problems: list[FileProblem] = []
        self._names = False  # does the space know entities, which chunks may mention?

    def go(self) -> IndexedProject:
        """Does it all. What goes wrong with the folder or the store is said in the answer's `problem`."""
        try:
            self._go()
        except OSError as error:
            self._fail(f"{self._root} cannot be read: {error.strerror}")
        except RecollectError as error:
            self._fail(str(error))
        return self.project

    def _go(self) -> None:
        self._note(state="indexing", started_at=self._core.clock(), completed_at=None, problem=None)
        walked = Walked()
        self._found = {found.path: found for found in walk_files(self._root, walked) if not self._stop.is_set()}
        with self._core.store.read() as view:
            self._leave_documents(view, walked)
            self._held = {file.path: file for file in view.project_files(self.project.space, self.project.id)}
        self._left_out, self._problems = walked.skipped, walked.problems
        if self._stop.is_set():
            return
        orders = self._begin(walked)
        self._drop([path for path in self._held if path not in self._found and not _is_below(path, walked.closed)])
        for batch in self._batches(read_files(self._root, orders, self._stop)):
            self._store(batch)
        if self._stop.is_set():
            return
        if not self._root.is_dir():
            self._fail(f"{self._root} is gone; it was removed while it was being indexed")
            return
        self._note(state="completed", completed_at=self._core.clock(), **self._outcome())

    def _leave_documents(self, view: View, walked: Walked) -> None:
        """What is held as a document of its own is not code as well."""
        for held in files_below(view, self.project.space, str(self._root).rstrip(os.sep) + os.sep):
            path = Path(held).relative_to(self._root).as_posix()
            if self._found.pop(path, None) is not None:
                walked.skipped["document"] += 1

    def _begin(self, walked: Walked) -> list[Order]:
        """Says how much there is to do, and which files must be read."""
        orders: list[Order] = []
        ready = skipped = 0
        for path, found in self._found.items():
            held = self._held.get(path)
            if held is None or not _is_unchanged(found, held):
                orders.append(Order(path, b"" if held is None else held.hash))
            elif held.problem is None:
                ready += 1
            else:
                skipped += 1
                self._leave_out(path, held.problem)
        kept = [file for path, file in self._held.items() if path not in self._found and _is_below(path, walked.closed)]
        ready += len(kept)
        self._note(
            total=len(self._found) - skipped + len(kept),
            done=ready,
            base=ready,
            chunks=self._count(),
            **self._outcome(),
        )
        return orders

    def _count(self) -> int:
        return sum(file.chunks for file in self._held.values())

    def _leave_out(self, path: str, problem: str) -> None:
        reason = "unreadable" if problem.startswith("cannot be read") else problem
        self._left_out[reason] += 1
        if problem.startswith(_NAMED):
            self._problems.append(FileProblem(path=path, problem=problem))

    def _outcome(self) -> dict[str, object]:
        return {"skipped": dict(sorted(self._left_out.items())), "problems": tuple(self._problems[:MOST_NAMED])}

    def _note(self, **changes: object) -> None:
        """Writes down how far the run is."""
        self.project = msgspec.structs.replace(self.project, **changes)
        with self._core.store.write(actor=self._core.actor) as edit:
            edit.put_project(self.project)
        self._tell(self.project)

    def _note_in(self, edit: Edit, **changes: object) -> None:
        """The same in a transaction that is open."""
        self.project = msgspec.structs.replace(self.project, **changes)
        edit.put_project(self.project)

    def _fail(self, problem: str) -> None:
        self.project = msgspec.structs.replace(self.project, state="failed", problem=problem)
        try:
            self._note(completed_at=self._core.clock(), **self._outcome())
        except RecollectError:
            self._tell(self.project)  # the store cannot be written: whoever waits is told all the same

    # Files that are gone

    def _drop(self, paths: Sequence[str]) -> None:
        for start in range(0, len(paths), _GONE_AT_ONCE):
            some = paths[start : start + _GONE_AT_ONCE]
            with self._core.store.write(actor=self._core.actor) as edit:
                for path in some:
                    self._forget(edit, path)
                self._note_in(edit, chunks=self._count())
            self._tell(self.project)

    def _forget(self, edit: Edit, path: str) -> None:
        gone = self._chunks(edit, path)
        edit.apply([Retire(thing=record, verb="replace", reason=f"{path} is gone") for record in gone])
        edit.drop_files(self.project.space, self.project.id, [path])
        self._held.pop(path, None)

    def _chunks(self, edit: Edit, path: str) -> list[Record]:
        filter = Filter(
            spaces=(self.project.space,), projects=(self.project.id,), sources=(path,), kinds=("code",),
            valid_only=False,
        )  # fmt: skip
        return edit.select(Record, filter, "position")

    # Files that are there

    def _batches(self, files: Iterator[ReadFile]) -> Iterator[list[ReadFile]]:
        """Files in handfuls that make one transaction."""
        batch: list[ReadFile] = []
        size, since = 0, time.monotonic()
        for file in files:
            batch.append(file)
            size += len(file.chunks) + 1
            if size >= _BATCH_CHUNKS or time.monotonic() - since > _BATCH_SECONDS:
                yield batch
                batch, size, since = [], 0, time.monotonic()
        if batch:
            yield batch

    def _store(self, batch: Sequence[ReadFile]) -> None:
        with self._core.store.write(actor=self._core.actor) as edit:
            self._names = self.project.space in edit.names([self.project.space])
            for file in batch:
                self._store_file(edit, file)
            self._note_in(edit, chunks=self._count(), **self._outcome())
        self._core.written()
        self._tell(self.project)

    def _store_file(self, edit: Edit, file: ReadFile) -> None:
        """Puts what a file holds now in the place of what it held; counts it as done, or out."""
        if file.problem == GONE:
            self._forget(edit, file.path)
        else:
            self._keep(edit, file)
        if file.problem is None and not (file.same and self._held[file.path].problem):
            self._count_in(done=self.project.done + 1)
            return
        self._count_in(total=self.project.total - 1)
        if file.problem != GONE:
            self._leave_out(file.path, file.problem or self._held[file.path].problem or "")

    def _count_in(self, **counts: int) -> None:
        self.project = msgspec.structs.replace(self.project, **counts)

    def _keep(self, edit: Edit, file: ReadFile) -> None:
        before = self._held.get(file.path)
        if file.same and before is not None:
            count, problem = before.chunks, before.problem
        else:
            self._replace(edit, file, [] if before is None or not before.chunks else self._chunks(edit, file.path))
            count, problem = len(file.chunks), file.problem
        found = self._found[file.path]
        kept = IndexedFile(
            file.path, file.hash, file.size if file.hash else found.size, file.mtime if file.hash else found.mtime,
            time.time_ns() // 1_000, count, problem,
        )  # fmt: skip
        self._held[file.path] = kept
        edit.put_files(self.project.space, self.project.id, [kept])

    def _replace(self, edit: Edit, file: ReadFile, before: Sequence[Record]) -> None:
        """A chunk of the same name stays the same record: as it was, or in a new version."""
        same: dict[tuple[str | None, str], list[Record]] = {}
        for record in before:
            same.setdefault((record.title, record.text), []).append(record)
        made = [self._record(edit, file, chunk, place) for place, chunk in enumerate(file.chunks)]
        olds = [_take(same, (record.title, record.text)) for record in made]
        named: dict[tuple[str | None, str], list[Record]] = {}
        for record in (record for records in same.values() for record in records):
            named.setdefault((record.title, _type_of(record)), []).append(record)
        ops: list[Op] = []
        for record, chunk, twin in zip(made, file.chunks, olds, strict=True):
            old = twin or _take(named, (record.title, _type_of(record)))
            ops += self._put(edit, record, chunk, old)
        left = (record for records in named.values() for record in records)
        ops += [Retire(thing=record, verb="replace", reason=f"no longer in {file.path}") for record in left]
        edit.apply(ops)

    def _put(self, edit: Edit, record: Record, chunk: ReadChunk, old: Record | None) -> list[Put]:
        if old is None:
            return [Put(thing=record, verb="ingest", lexis=self._lexis(edit, record, chunk))]
        new = msgspec.structs.replace(
            old, text=record.text, title=record.title, locator=record.locator, position=record.position,
            tags=record.tags, content_hash=record.content_hash,
            event_time=old.event_time if old.content_hash == record.content_hash else edit.now,
        )  # fmt: skip
        return [] if new == old else [Put(thing=new, verb="ingest", before=old, lexis=self._lexis(edit, new, chunk))]

    def _lexis(self, edit: Edit, record: Record, chunk: ReadChunk) -> Lexis:
        return derive_lexis(edit, record, chunk.terms, any_known=self._names)

    def _record(self, edit: Edit, file: ReadFile, chunk: ReadChunk, place: int) -> Record:
        return Record(
            id=self._core.new_id(),
            space=self.project.space,
            text=chunk.text,
            kind="code",
            title=chunk.title,
            position=place,
            project=self.project.id,
            tags=(file.language,),
            source=file.path,
            locator={
                "path": file.path, "start_line": chunk.first_line, "end_line": chunk.last_line,
                "language": file.language, "chunk_type": chunk.chunk_type, "name": chunk.name or None,
            },
            trust="imported",
            event_time=edit.now,
            created_at=edit.now,
            recorded_at=edit.now,
            content_hash=content_hash(chunk.text),
        )  # fmt: skip


def _take(held: dict[tuple[str | None, str], list[Record]], key: tuple[str | None, str]) -> Record | None:
    records = held.get(key)
    return records.pop(0) if records else None


def _type_of(record: Record) -> str:
    return str((record.locator or {}).get("chunk_type"))


def _is_unchanged(found: Found, held: IndexedFile) -> bool:
    """Is a file, by its size and time, what it was when it was read, and was it old enough then to tell?"""
    if (found.size, found.mtime) != (held.size, held.mtime):
        return False
    return held.read_at * 1_000 - held.mtime > _RACY


def _is_below(path: str, folders: Sequence[str]) -> bool:
    return path.startswith(tuple(folders)) if folders else False
