"""What follows from the versions of a store, and is kept in step with them?

Words, vectors and refs can all be made again from what is canonical. Whoever writes a version says so here, and nothing
else needs to know what is derived of it. Words and vectors are each database's own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from recollect.store.base import Lexis
from recollect.store.refs import MADE_OF, SUMMARY, refs_of
from recollect.store.search import Vector
from recollect.store.sql.database import Database
from recollect.store.sql.index import Entry, Vectors, Words
from recollect.store.sql.where import after_all
from recollect.types import Entity, Record


class Derived:
    """Everything derived in a store, as one transaction sees it."""

    def __init__(self, db: Database, words: Words, vectors: Vectors) -> None:
        self._db = db
        self.words = words
        self.vectors = vectors

    def put(self, entries: Sequence[Entry]) -> None:
        self.words.put([(entry.space_no, entry.record.version, entry.lexis) for entry in entries])
        self.vectors.put([(entry.space_no, entry.record, entry.same_as) for entry in entries])
        self._put_refs([(entry.space_no, entry.record) for entry in entries])

    def _put_refs(self, records: Sequence[tuple[int, Record]], live: Collection[int] | None = None) -> None:
        """What refers to others. Of versions that are not live, only what they were made of is known."""
        self._db.many(
            "INSERT INTO refs VALUES(?, ?, ?)",
            [
                (space_no, ref, record.version)
                for space_no, record in records
                if record.grounds is not None or record.kind == SUMMARY
                for ref in refs_of(record)
                if live is None or record.version in live or ref.startswith(MADE_OF)
            ],
        )

    def retire(self, entries: Sequence[tuple[int, int]]) -> None:
        """Versions have left the present: space and number of each."""
        versions = [version for _, version in entries]
        self.words.retire(entries)
        self.vectors.retire(versions)
        self._drop_refs(versions, but=MADE_OF)

    def erase(self, entries: Sequence[tuple[int, int, bool]]) -> None:
        """Versions are gone for good: space, number and whether it was live, of each."""
        versions = [version for _, version, _ in entries]
        self.words.erase(entries)
        self.vectors.erase(versions)
        self._drop_refs(versions)

    def _drop_refs(self, versions: Sequence[int], *, but: str | None = None) -> None:
        chosen, values = self._db.dialect.among("version", versions)
        if but is not None:
            chosen, values = f"{chosen} AND NOT (ref >= ? AND ref < ?)", [*values, but, after_all(but)]
        self._db.run(f"DELETE FROM refs WHERE {chosen}", values)

    def look_for_evicted(self) -> None:
        self.words.look_for_evicted()

    def put_space(self, space_no: int) -> None:
        self.words.put_space(space_no)

    def drop_space(self, space_no: int) -> None:
        """A space goes, and all of its versions; asked before they are gone."""
        sql = "SELECT space_no, version, retired_at IS NULL FROM records WHERE space_no = ?"
        self.words.erase([(number, version, live) for number, version, live in self._db.rows(sql, (space_no,))])
        self.words.drop_space(space_no)
        self.vectors.drop_space(space_no)
        self._db.run("DELETE FROM refs WHERE space_no = ?", (space_no,))

    def put_entity(self, space_no: int, entity: Entity) -> None:
        self.words.put_names(space_no, entity)

    def retire_entity(self, space_no: int, entity: Entity) -> None:
        self.words.drop_names(space_no, entity.id)

    def relink(self, version: int, lexis: Lexis) -> None:
        """Gives a live version another set of names."""
        sql = "SELECT space_no FROM records WHERE version = ? AND retired_at IS NULL"
        for (space_no,) in self._db.rows(sql, (version,)):
            self.words.erase([(space_no, version, True)], for_good=False)
            self.words.put([(space_no, version, lexis)])
            self.words.count(space_no, gone=-1)

    def make(self, batch: Sequence[tuple[int, Record, bool]], derive: Callable[[Record], Lexis]) -> tuple[int, int]:
        """Makes anew what follows from some versions: space, record and whether it is live, of each."""
        live = [(space_no, record) for space_no, record, holds in batch if holds]
        old = [(space_no, record) for space_no, record, holds in batch if not holds]
        self._drop_refs([record.version for _, record, _ in batch])
        self._put_refs([(space_no, record) for space_no, record, _ in batch], {record.version for _, record in live})
        return self.words.make(
            [(space_no, record.version, derive(record)) for space_no, record in live],
            [(space_no, record.version, derive(record)) for space_no, record in old],
        )

    def put_in_use(self, entities: Iterable[tuple[int, Entity]]) -> None:
        """All versions were made anew: from now on that answers, and nothing is left that belongs to no version."""
        self.words.put_in_use()
        self.words.drop_all_names()
        for space_no, entity in entities:
            self.words.put_names(space_no, entity)
        self._db.run("DELETE FROM refs WHERE NOT EXISTS (SELECT 1 FROM records WHERE records.version = refs.version)")
        self.vectors.drop_strays()

    def put_vectors(self, model: int, versions: Sequence[int], vectors: Sequence[Vector]) -> None:
        for space_no, gone in self.vectors.put_vectors(model, versions, vectors).items():
            self.words.count(space_no, gone=gone)

    def drop_vectors(self, keep_model: str | None, *, renew: bool) -> int:
        gone = self.vectors.drop_vectors(keep_model)
        if renew:
            self.vectors.queue_all()
        return gone

    def evict(self, space_no: int, count: int) -> None:
        """Versions were marked as evicted; they are retired later."""
        self.words.look_for_evicted()
        self.words.count(space_no, gone=count)

    def fade(self, space_no: int) -> None:
        """Some versions of a space are believed more or less than before."""
        self.words.count(space_no)

    def finish(self) -> None:
        """Writes what was put off until the end of a transaction."""
        self.words.finish()
