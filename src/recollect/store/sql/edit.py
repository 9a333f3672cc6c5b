"""What can be changed in any SQL database inside one transaction?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import cast

from recollect.store.base import Done, Lexis, Shelf, V
from recollect.store.ops import Op
from recollect.store.search import Model, Vector
from recollect.store.sql.database import Database
from recollect.store.sql.derived import Derived
from recollect.store.sql.index import Search
from recollect.store.sql.moment import Moment
from recollect.store.sql.seal import read_versions
from recollect.store.sql.shapes import select_things
from recollect.store.sql.view import SqlView
from recollect.store.sql.writer import Writer
from recollect.types import Entity, Filter, Record


class SqlEdit(SqlView):
    """One transaction: reads see what it has written so far."""

    def __init__(
        self,
        db: Database,
        moment: Moment,
        derived: Derived,
        search: Callable[[], Search],
        actor: str | None,
        acts: dict[str, int],
    ) -> None:
        super().__init__(db, moment.at, derived, search, shifted=moment.noted is not None)
        self._writer = Writer(db, self.numbers, derived, moment, actor, acts)

    def finish(self) -> None:
        """Writes what was put off."""
        self._derived.finish()

    def apply(self, ops: Sequence[Op]) -> list[Done]:
        return self._writer.apply(ops)

    def keep(
        self, shelf: Shelf[V], items: Mapping[str, V | None], *, space: str | None = None, only: bool = False
    ) -> None:
        self._writer.keep(shelf, items, space=space, only=only)

    def roles(self) -> Iterator[None]:
        own = self._db.whole
        try:
            for number in self._db.roles():
                self._db.whole = number
                yield
        finally:
            self._db.whole = own

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
            self._derived.put_in_use(self.present_entities())
            return done, done
        return done, max(total, done + 1)

    def _batch(self, after: int, most: int) -> list[tuple[int, Record, bool]]:
        """The next versions after one: space, record and whether it is live, of each."""
        found = self.select(Record, Filter(past=True, valid_only=False, after=after), limit=most)
        chosen, values = self._db.dialect.among("version", [one.version for one in found])
        rows = self._db.rows(f"SELECT version FROM records WHERE {chosen} AND retired_at IS NULL", values)
        live = {version for (version,) in rows}
        return [(self._writer.home(one.space), one, one.version in live) for one in found]

    def present_entities(self) -> Iterator[tuple[int, Entity]]:
        """Every entity that is known now, with the number of its space."""
        sql = f"{select_things(Entity)} WHERE entities.retired_at IS NULL ORDER BY entities.version"
        for entity in cast("list[Entity]", read_versions(Entity, self._db.rows(sql))):
            yield self._writer.home(entity.space), entity

    def adopt(self, name: str, dim: int, mean: bytes, floor: float, spread: float) -> Model:
        return self._derived.vectors.adopt(name, dim, mean, floor, spread)

    def put_vectors(self, model: int, versions: Sequence[int], vectors: Sequence[Vector]) -> None:
        self._derived.put_vectors(model, versions, vectors)

    def drop_vectors(self, keep_model: str | None, *, renew: bool = False) -> int:
        return self._derived.drop_vectors(keep_model, renew=renew)
