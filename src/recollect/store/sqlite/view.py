"""What can be read from a SQLite store inside one snapshot?"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from recollect.store.base import Lexis, N
from recollect.store.search import Findings, Model, NearMatch, Pick, Waiting, WordMatch
from recollect.store.sql.rows import to_micros
from recollect.store.sql.view import SqlView
from recollect.store.sqlite.database import SqliteDatabase
from recollect.store.sqlite.derived import Derived
from recollect.types import Filter, Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recollect.store.sqlite.cache import Cache
    from recollect.store.sqlite.search import Search


class SqliteView(SqlView):
    """Reads of one snapshot: what is derived is SQLite's own, all else is any database's."""

    def __init__(self, connection: sqlite3.Connection, now: datetime, cache: Callable[[], Cache]) -> None:
        super().__init__(SqliteDatabase(connection), now)
        self._connection = connection
        self._derived = Derived(connection)
        self._cache = cache
        self._searching: Search | None = None

    # What search needs

    def _search(self) -> Search:
        if self._searching is None:
            from recollect.store.sqlite.search import Search  # brings in numpy

            self._searching = Search(self._connection, self._derived, to_micros(self._now), self._cache())
        return self._searching

    def words(
        self,
        spaces: Sequence[str],
        terms: Sequence[int],
        where: Filter,
        most: int | None,
        *,
        exact: bool = False,
        every: bool = False,
    ) -> dict[str, WordMatch]:
        return self._search().words(spaces, terms, where, most, exact=exact, every=every)

    def near(
        self,
        spaces: Sequence[str],
        model: int,
        vector: NDArray[np.float32],
        where: Filter,
        most: int,
        *,
        exact: bool = False,
    ) -> dict[str, NearMatch]:
        return self._search().near(spaces, model, vector, where, most, exact=exact)

    def signals(
        self,
        picks: Mapping[str, Pick],
        where: Filter | None,
        *,
        terms: Sequence[int] = (),
        model: int | None = None,
        vector: NDArray[np.float32] | None = None,
        tokens: NDArray[np.float32] | None = None,
        alike: bool = False,
    ) -> dict[str, Findings]:
        if where is None:
            return self._search().compare(picks, model, vector, tokens, alike=alike)
        return self._search().signals(picks, where, terms, model, vector)

    def pairs(
        self, space: str, model: int, least: float, where: Filter, stop: Callable[[], bool]
    ) -> list[tuple[int, int, float]]:
        return self._search().pairs(space, model, least, where, stop)

    def mentions(self, space: str, names: Sequence[N]) -> dict[N, list[int]]:
        number = self._number(space)
        return {name: [] if number is None else self._derived.words.mentions(number, name) for name in names}

    def terms(self, versions: Sequence[int]) -> dict[int, Lexis]:
        return self._derived.words.lexis(versions)

    def names(self, spaces: Sequence[str], phrases: Sequence[str] = (), text: str = "") -> dict[str, list[str]]:
        return self._derived.words.names(spaces, phrases, text)

    # Vectors

    def models(self) -> list[Model]:
        return self._derived.vectors.models()

    def waiting(self, model: int | None, spaces: Sequence[str] | None = None, most: int = 0) -> Waiting:
        numbers = None if spaces is None else [no for space in spaces if (no := self._number(space)) is not None]
        count = self._derived.vectors.count_waiting(model, numbers)
        if model is None or not most or not count:
            return Waiting(count)
        versions = tuple(self._derived.vectors.waiting(model, numbers, most))
        return Waiting(count, self.select(Record, Filter(versions=versions, past=True, valid_only=False)))
