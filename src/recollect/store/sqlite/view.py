"""What can be read from a SQLite store inside one snapshot?"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from recollect.store.base import IndexedFile, IndexedProject, Lexis, Model, Tally
from recollect.store.sql.view import SqlView
from recollect.store.sqlite.database import SqliteDatabase
from recollect.store.sqlite.derived import Derived
from recollect.store.sqlite.projects import read_files, read_projects
from recollect.types import Filter, Record


class SqliteView(SqlView):
    """Reads of one snapshot: what is derived is SQLite's own, all else is any database's."""

    def __init__(self, connection: sqlite3.Connection, now: datetime) -> None:
        super().__init__(SqliteDatabase(connection), now)
        self._connection = connection
        self._derived = Derived(connection)

    def tally(self, space: str) -> Tally:
        return self._derived.words.tally(self._number(space))

    def lexis_version(self) -> int:
        """Which way of making terms and names the keyword index was built with; 0 where there is none yet."""
        return self._derived.words.made_by()

    def knows_names(self, space: str) -> bool:
        return self._derived.words.knows_names(self._number(space))

    def known_names(self, space: str, phrases: Sequence[str], text: str) -> list[str]:
        """The names of entities that are among the phrases, or that occur in a text without word boundaries."""
        return self._derived.words.known_names(self._number(space), phrases, text)

    # What search needs

    def postings(self, space: str, term: int, *, old: bool = False) -> list[int]:
        number = self._number(space)
        return [] if number is None else self._derived.words.postings(number, term, old=old)

    def mentions(self, space: str, name: str) -> list[int]:
        number = self._number(space)
        return [] if number is None else self._derived.words.mentions(number, name)

    def lexis(self, versions: Sequence[int]) -> dict[int, Lexis]:
        return self._derived.words.lexis(versions)

    def term_blobs(self, versions: Sequence[int]) -> list[tuple[int, bytes]]:
        """The same terms as `lexis`, still packed: ranking reads hundreds of them at a time."""
        return self._derived.words.term_blobs(versions)

    # Vectors

    def models(self) -> list[Model]:
        return self._derived.vectors.models()

    def signs(self, model: int, space: str, after: int, *, old: bool = False) -> list[tuple[int, int, bytes]]:
        """Vectors of a space above a number: their number, version and sign bits. Old versions stand apart."""
        return self._derived.vectors.signs(model, self._number(space), after, old=old)

    def halves(self, vectors: Sequence[int]) -> dict[int, bytes]:
        return self._derived.vectors.halves(vectors)

    def vectors_of(self, model: int, versions: Sequence[int]) -> list[tuple[int, bytes]]:
        """Version and float16 numbers of every vector that these versions have."""
        return self._derived.vectors.vectors_of(model, versions)

    def tokens_of(self, model: int, versions: Sequence[int]) -> list[tuple[int, bytes]]:
        """Version and word vectors of every piece of these versions that has some."""
        return self._derived.vectors.tokens_of(model, versions)

    def waiting(self, model: int, space: str | None, limit: int) -> list[Record]:
        """Records without a vector of a model, the newest first."""
        number = None if space is None else self._number(space)
        if space is not None and number is None:
            return []
        versions = self._derived.vectors.waiting(model, number, limit)
        return self.select(Record, Filter(versions=tuple(versions), past=True, valid_only=False))

    def count_waiting(self, model: int | None, space: str | None) -> int:
        """How many versions wait for a vector of a model, or (None) of the model that is most complete."""
        if model is None:
            return min((self.count_waiting(known.no, space) for known in self.models()), default=0)
        number = None if space is None else self._number(space)
        if space is not None and number is None:
            return 0
        return self._derived.vectors.count_waiting(model, number)

    # Projects

    def projects(self, space: str | None) -> list[IndexedProject]:
        return read_projects(self._connection, space)

    def project_files(self, space: str, id: str) -> list[IndexedFile]:
        return read_files(self._connection, self._number(space), id)
