"""What can be changed in a SQLite store inside one transaction?"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from recollect.store.base import Done, Lexis, Shelf, V
from recollect.store.ops import Op
from recollect.store.search import Model, Vector
from recollect.store.sql.rows import to_entity
from recollect.store.sql.shapes import select_things
from recollect.store.sql.writer import Writer
from recollect.store.sqlite.view import SqliteView
from recollect.types import Entity, Filter, Record

if TYPE_CHECKING:
    from recollect.store.sqlite.cache import Cache


def _cache_of_its_own() -> Cache:
    """A transaction that may yet be undone leaves nothing in the memory that others share."""
    from recollect.store.sqlite.cache import Cache  # brings in numpy

    return Cache(shared=False)


class SqliteEdit(SqliteView):
    """One transaction: reads see what it has written so far."""

    def __init__(self, connection: sqlite3.Connection, now: datetime, actor: str | None) -> None:
        super().__init__(connection, now, _cache_of_its_own)
        self._writer = Writer(self._db, self, self._derived, actor)

    def finish(self) -> None:
        """Writes what was put off."""
        self._derived.finish()

    def apply(self, ops: Sequence[Op]) -> list[Done]:
        return self._writer.apply(ops)

    def keep(
        self, shelf: Shelf[V], items: Mapping[str, V | None], *, space: str | None = None, only: bool = False
    ) -> None:
        self._writer.keep(shelf, items, space=space, only=only)

    def touch(self, touches: Mapping[tuple[str, str], int], at: datetime) -> None:
        self._writer.touch(touches, at)

    # Derived

    def relink(self, version: int, lexis: Lexis) -> None:
        self._derived.relink(version, lexis)

    def tend(self) -> None:
        self._derived.words.tend()

    def rebuild(
        self, derive: Callable[[Record], Lexis], rules: int, most: int, *, anew: bool = False
    ) -> tuple[int, int]:
        last = self._derived.words.begin(rules, anew=anew)
        batch = self._batch(last, most)
        done, total = self._derived.make(batch, derive)
        if len(batch) < most:
            self._derived.put_in_use(self._all_entities())
            return done, done
        return done, max(total, done + 1)

    def _batch(self, after: int, most: int) -> list[tuple[int, Record, bool]]:
        """The next versions after one: space, record and whether it is live, of each."""
        found = self.select(Record, Filter(past=True, valid_only=False, after=after), limit=most)
        listed = ",".join("?" * len(found))
        sql = f"SELECT version FROM records WHERE retired_at IS NULL AND version IN ({listed})"
        live = {version for (version,) in self._db.rows(sql, [one.version for one in found])}
        return [(self._writer.home(one.space), one, one.version in live) for one in found]

    def _all_entities(self) -> Iterator[tuple[int, Entity]]:
        sql = f"{select_things(Entity)} WHERE entities.retired_at IS NULL ORDER BY entities.version"
        for row in self._db.rows(sql):
            entity = to_entity(row)
            yield self._writer.home(entity.space), entity

    def adopt(self, name: str, dim: int, mean: bytes, floor: float, spread: float) -> Model:
        return self._derived.vectors.adopt(name, dim, mean, floor, spread)

    def put_vectors(self, model: int, versions: Sequence[int], vectors: Sequence[Vector]) -> None:
        self._derived.put_vectors(model, versions, vectors)

    def drop_vectors(self, keep_model: str | None, *, renew: bool = False) -> int:
        return self._derived.drop_vectors(keep_model, renew=renew)
