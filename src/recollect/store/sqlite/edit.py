"""What can be changed in a SQLite store inside one transaction?"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from recollect.store.base import Done, IndexedFile, IndexedProject, Lexis, Model, Shelf, V, Vector
from recollect.store.ops import DropSpace, Op
from recollect.store.sql.rows import to_entity
from recollect.store.sql.shapes import select_things
from recollect.store.sql.writer import Writer
from recollect.store.sqlite.projects import (
    delete_files,
    delete_project,
    delete_projects,
    write_files,
    write_project,
)  # fmt: skip
from recollect.store.sqlite.view import SqliteView
from recollect.types import Entity, Filter, Record

_REBUILD_BATCH = 500


class SqliteEdit(SqliteView):
    """One transaction: reads see what it has written so far."""

    def __init__(self, connection: sqlite3.Connection, now: datetime, actor: str | None) -> None:
        super().__init__(connection, now)
        self._writer = Writer(self._db, self, self._derived, actor)

    def finish(self) -> None:
        """Writes what was put off."""
        self._derived.finish()

    def apply(self, ops: Sequence[Op]) -> list[Done]:
        for op in ops:
            if isinstance(op, DropSpace):
                delete_projects(self._connection, self._writer.home(op.name))
        return self._writer.apply(ops)

    def keep(
        self, shelf: Shelf[V], items: Mapping[str, V | None], *, space: str | None = None, only: bool = False
    ) -> None:
        self._writer.keep(shelf, items, space=space, only=only)

    def touch(self, touches: Mapping[tuple[str, str], int], at: datetime) -> None:
        self._writer.touch(touches, at)

    # Projects: bookkeeping about files, beside the records that are made of them

    def put_project(self, project: IndexedProject) -> None:
        write_project(self._connection, self._writer.home(project.space), project)

    def put_files(self, space: str, id: str, files: Sequence[IndexedFile]) -> None:
        write_files(self._connection, self._writer.home(space), id, files)

    def drop_files(self, space: str, id: str, paths: Sequence[str]) -> None:
        delete_files(self._connection, self._writer.home(space), id, paths)

    def drop_project(self, space: str, id: str) -> None:
        delete_project(self._connection, self._writer.home(space), id)

    # Derived

    def relink(self, version: int, lexis: Lexis) -> None:
        self._derived.relink(version, lexis)

    def tidy(self) -> None:
        self._derived.words.tidy()

    def rebuild(
        self, derive: Callable[[Record], Lexis], version: int, progress: Callable[[int, int], None], *, vectors: bool
    ) -> int:
        """Makes everything derived anew. With `vectors`, those are dropped too and queued to be computed again."""
        self._writer.sweep_all()
        total = self.count(Filter(past=True, valid_only=False))
        for done in self._derived.rebuild(self._all_entities(), self._all_records(), derive, version, vectors=vectors):
            progress(done, total)
        return total

    def _all_entities(self) -> Iterator[tuple[int, Entity]]:
        for row in self._db.rows(
            f"{select_things(Entity)} WHERE entities.retired_at IS NULL ORDER BY entities.version"
        ):
            entity = to_entity(row)
            yield self._writer.home(entity.space), entity

    def _all_records(self) -> Iterator[list[tuple[int, Record, bool]]]:
        last = 0
        while batch := self.select(Record, Filter(past=True, valid_only=False, after=last), limit=_REBUILD_BATCH):
            live = set(self.select(int, Filter(versions=tuple(one.version for one in batch), valid_only=False)))
            yield [(self._writer.home(one.space), one, one.version in live) for one in batch]
            last = batch[-1].version

    def adopt(self, name: str, dim: int, mean: bytes, floor: float, spread: float) -> Model:
        return self._derived.vectors.adopt(name, dim, mean, floor, spread)

    def put_vectors(self, model: int, versions: Sequence[int], vectors: Sequence[Vector]) -> None:
        self._derived.vectors.put_vectors(model, versions, vectors)

    def drop_vectors(self, keep_model: str | None) -> int:
        return self._derived.vectors.drop_vectors(keep_model)
