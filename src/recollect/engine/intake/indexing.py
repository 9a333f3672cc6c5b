"""How do the files of a project become records, and stay in step with the folder?"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from recollect.engine.core import Core
from recollect.engine.intake.reading import CODE, ReadFile
from recollect.engine.intake.sources import files_below
from recollect.engine.intake.sync import Far, Sync, Write
from recollect.engine.known import PROJECTS, IndexedProject, Known, code_files
from recollect.engine.write.remember import content_hash, derive_lexis
from recollect.engine.write.screen import Screen
from recollect.errors import RecollectError, StoreAway, StoreLost
from recollect.ingest.code import Chunk
from recollect.ingest.grammars import told_unparsed
from recollect.ingest.walk_files import Walked, walk_files
from recollect.store.base import Edit, View
from recollect.store.ops import Op, Put, Retire
from recollect.types import Filter, Record

MOST_NAMED = 100


class Pass:
    """One pass over a project's folder, each file of which becomes chunks."""

    kind = CODE
    prefix = ""

    def __init__(
        self, core: Core, project: IndexedProject, stop: threading.Event, tell: Callable[[IndexedProject], None]
    ) -> None:
        self._core = core
        self._root = Path(project.path)
        self._stop = stop
        self._tell = tell
        self.project = project
        self.space = project.space
        self.shelf = code_files(project.id)
        self._walked = Walked()

    def go(self, walked: Walked | None = None) -> IndexedProject:
        """Does it all, or from what a walk has just found. What goes wrong is said in the answer's `problem`, but for a
        store that was lost or is away: another pass goes on with what this one has not done.
        """
        try:
            with self._core.store.joined(in_steps=True):
                self._go(walked)
        except OSError as error:
            self._fail(f"{self._root} cannot be read: {error.strerror}")
        except (StoreAway, StoreLost):
            raise
        except RecollectError as error:
            self._fail(str(error))
        return self.project

    def _go(self, walked: Walked | None) -> None:
        self._write_down(
            state="indexing", started_at=self._core.clock(), completed_at=None, embedded_at=None, problem=None
        )
        [self._walked] = [walked] if walked is not None else walk_files(self._root, stopped=self._stop.is_set)
        if self._stop.is_set():
            return
        sync = Sync(self._core, self._root, self, self._walked, self._stop.is_set)
        self._write_down(**self._outcome(sync.far))
        for _ in sync.steps():
            self._tell(self.project)
        if self._stop.is_set():
            return
        if not self._root.is_dir():
            self._fail(f"{self._root} is gone; it was removed while it was being indexed")
            return
        self._write_down(state="completed", completed_at=self._core.clock(), **self._outcome(sync.far))

    def _outcome(self, far: Far) -> dict[str, object]:
        counts = {"total": far.total - far.left, "done": far.done - far.left, "base": far.base, "chunks": far.count}
        return {**counts, **self._left_out()}

    def _left_out(self) -> dict[str, object]:
        walked = self._walked
        return {"skipped": dict(sorted(walked.skipped.items())), "problems": tuple(walked.problems[:MOST_NAMED])}

    def _write_down(self, **changes: object) -> None:
        """Writes down how far the run is, where there is something to say beside the files."""
        with self._core.store.write(actor=self._core.actor) as edit:
            self._put_down(edit, **changes)
        self._tell(self.project)

    def _put_down(self, edit: Edit, **changes: object) -> None:
        self.project = msgspec.structs.replace(self.project, **changes)
        edit.keep(PROJECTS, {self.project.id: self.project}, space=self.space)

    def _fail(self, problem: str) -> None:
        self.project = msgspec.structs.replace(self.project, state="failed", problem=problem)
        try:
            self._write_down(completed_at=self._core.clock(), **self._left_out())
        except RecollectError:
            self._tell(self.project)  # the store cannot be written: whoever waits is told all the same

    # What becomes of files

    def look(self, view: View, walked: Walked) -> Iterable[str]:
        """What is held as a document of its own is not code as well."""
        documents = {
            Path(held).relative_to(self._root).as_posix()
            for held in files_below(view, self.space, str(self._root).rstrip(os.sep) + os.sep)
        }
        if documents:
            code = [found for found in walked.files if found.path not in documents]
            if len(code) < len(walked.files):
                walked.skipped["document"] += len(walked.files) - len(code)
            walked.files = code
        walked.skipped.update(told_unparsed(found.path for found in walked.files))
        return ()

    def holds(self, path: str, known: Known) -> bool:  # noqa: ARG002  chunks change by their files alone
        return True

    def note(self, edit: Edit, far: Far) -> None:
        self._put_down(edit, **self._outcome(far))

    def drop(self, edit: Edit, path: str) -> None:
        gone = self._chunks(edit, path)
        edit.apply([Retire(thing=record, verb="replace", reason=f"{path} is gone") for record in gone])

    def writer(self, edit: Edit) -> Write:
        names = self.space in edit.names([self.space])  # does the space know entities, which chunks may mention?

        def write(file: ReadFile, known: Known | None) -> tuple[int, tuple[str, ...]]:
            before = self._chunks(edit, file.path) if known is not None and known.count else []
            self._replace(edit, file, before, names=names)
            return len(file.chunks), ()

        return write

    def _chunks(self, edit: Edit, path: str) -> list[Record]:
        filter = Filter(
            spaces=(self.space,), projects=(self.project.id,), sources=(path,), kinds=("code",), valid_only=False
        )
        return edit.select(Record, filter, "position")

    def _replace(self, edit: Edit, file: ReadFile, before: Sequence[Record], *, names: bool) -> None:
        """A chunk of the same name stays the same record: as it was, or in a new version."""
        same: dict[tuple[str | None, str], list[Record]] = {}
        for record in before:
            same.setdefault((record.title, record.text), []).append(record)
        screen = Screen(edit, self.space)
        raw = [self._record(edit, file, chunk, place) for place, (chunk, _) in enumerate(file.chunks)]
        texts = screen.carry([record.text for record in raw])
        made = [_screened(screen, record, text) for record, text in zip(raw, texts, strict=True)]
        olds = [_take(same, (record.title, record.text)) for record in made]
        named: dict[tuple[str | None, str], list[Record]] = {}
        for record in (record for records in same.values() for record in records):
            named.setdefault((record.title, _type_of(record)), []).append(record)
        ops: list[Op] = []
        for record, whole, (_, terms), twin in zip(made, raw, file.chunks, olds, strict=True):
            old = twin or _take(named, (record.title, _type_of(record)))
            ops += _put(edit, record, old, terms if record is whole else None, names=names)
        left = (record for records in named.values() for record in records)
        ops += [Retire(thing=record, verb="replace", reason=f"no longer in {file.path}") for record in left]
        edit.apply(ops)

    def _record(self, edit: Edit, file: ReadFile, chunk: Chunk, place: int) -> Record:
        return Record(
            id=self._core.new_id(),
            space=self.space,
            text=chunk.text,
            kind="code",
            title=chunk.title or file.path,
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


def _screened(screen: Screen, record: Record, text: str) -> Record:
    """A chunk as it may be kept, of the text that the chunks before leave it; one of which nothing is left says so."""
    kept, _ = screen.take(record if text == record.text else msgspec.structs.replace(record, text=text))
    text = kept.text if kept.text.strip() else "(private)"
    return record if kept is record else msgspec.structs.replace(kept, text=text, content_hash=content_hash(text))


def _put(edit: Edit, made: Record, old: Record | None, terms: Mapping[int, int] | None, *, names: bool) -> list[Put]:
    new = made if old is None else msgspec.structs.replace(
        old, text=made.text, title=made.title, locator=made.locator, position=made.position, tags=made.tags,
        content_hash=made.content_hash,
        event_time=old.event_time if old.content_hash == made.content_hash else edit.now,
    )  # fmt: skip
    if new == old:
        return []
    return [Put(thing=new, verb="ingest", before=old, lexis=derive_lexis(edit, new, terms, any_known=names))]


def _take(held: dict[tuple[str | None, str], list[Record]], key: tuple[str | None, str]) -> Record | None:
    records = held.get(key)
    return records.pop(0) if records else None


def _type_of(record: Record) -> str:
    return str((record.locator or {}).get("chunk_type"))
