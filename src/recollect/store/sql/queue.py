"""Which models does a store have vectors of, and which versions still wait for one?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from recollect.store.search import Model, Vector
from recollect.store.sql.database import Condition, Database
from recollect.types import CATALOGUE_KINDS, Record

D = TypeVar("D", bound=Database)

_EMBEDDED = f"records.kind NOT IN ({','.join('?' * len(CATALOGUE_KINDS))})"
"""What only lists others has no vectors."""
_ORDERED = 20_000
_LATER = "CASE records.kind WHEN 'code' THEN 2 WHEN 'document' THEN 1 ELSE 0 END"


class Queue(ABC, Generic[D]):
    """The models of a store and what waits for each, as one transaction sees them; the vectors are each store's own."""

    def __init__(self, db: D, models: list[Model] | None = None) -> None:
        self._db = db
        self._numbers = None if models is None else [model.no for model in models]

    @abstractmethod
    def _replace(self, model: int, versions: Sequence[int]) -> list[int]:
        """Removes the vectors of a model that some versions have, and answers the space of each."""

    @abstractmethod
    def _insert(self, model: int, vectors: Sequence[Vector], homes: Mapping[int, int], retired: set[int]) -> None:
        """Keeps vectors of versions, whose spaces are told, and which of them have left the present."""

    def _begin(self, model: Model) -> None:
        """Makes what the vectors of a new model need, where a store has such a thing."""

    def models(self) -> list[Model]:
        return self._read_models()

    def _read_models(self) -> list[Model]:
        rows = self._db.rows("SELECT no, name, dim, mean, floor, spread FROM models ORDER BY no")
        return [Model(*row) for row in rows]

    def waiting(self, model: int, spaces: Sequence[int] | None, limit: int, among: Sequence[int] | None) -> list[int]:
        """Versions (of some spaces, or None: of all; or `among` some) without a vector of a model, as they are to come:
        records, documents, code, the newest first. Of very many, only the newest are put in order.
        """
        where, values = self._of(model, spaces, among)
        if spaces is None and among is None:  # by the newest end of the queue, not by the model
            where = f"{self._db.dialect.unindexed('model')} = ?"
        newest = f"SELECT version FROM queue WHERE {where} ORDER BY version DESC LIMIT {max(limit, _ORDERED)}"
        sql = f"SELECT newest.version FROM ({newest}) AS newest JOIN records ON records.version = newest.version"
        sql += f" ORDER BY {_LATER}, newest.version DESC LIMIT ?"
        return [row[0] for row in self._db.rows(sql, (*values, limit))]

    def count_waiting(self, model: int | None, spaces: Sequence[int] | None, among: Sequence[int] | None) -> int:
        """How many versions wait for a vector of a model, or (None) of the model that is most complete."""
        if model is None:
            return min((self.count_waiting(known.no, spaces, among) for known in self._read_models()), default=0)
        where, values = self._of(model, spaces, among)
        return self._db.rows(f"SELECT count(*) FROM queue WHERE {where}", values)[0][0]

    def _of(self, model: int, spaces: Sequence[int] | None, among: Sequence[int] | None) -> Condition:
        parts: list[Condition] = [("model = ?", [model])]
        parts += [] if spaces is None else [self._db.dialect.among("space_no", spaces)]
        parts += [] if among is None else [self._db.dialect.among("version", among)]
        return " AND ".join(sql for sql, _ in parts), [value for _, values in parts for value in values]

    def _enqueue(self, entries: Sequence[tuple[int, Record, int]]) -> list[tuple[int, int, int]]:
        """New texts wait for vectors of every model, unchanged ones where those before them do: space, record and the
        version whose text it shares (0: none), of each. Answers space, version and that of each that shares one.
        """
        fresh: list[tuple[int, int]] = []
        shared: list[tuple[int, int, int]] = []
        for space_no, record, same_as in entries:
            if record.kind in CATALOGUE_KINDS:
                continue
            if same_as:
                shared.append((space_no, record.version, same_as))
            else:
                fresh.append((space_no, record.version))
        if fresh:
            if self._numbers is None:
                self._numbers = [no for (no,) in self._db.rows("SELECT no FROM models ORDER BY no")]
            self._db.many("INSERT INTO queue VALUES(?, ?, ?)", [(no, *one) for one in fresh for no in self._numbers])
        queued = "INSERT INTO queue SELECT model, CAST(? AS BIGINT), CAST(? AS BIGINT) FROM queue WHERE version = ?"
        self._db.many(queued, shared)
        return shared

    def put_vectors(self, model: int, versions: Sequence[int], vectors: Sequence[Vector]) -> Counter[int]:
        waiting = self._take(model, versions)
        gone = Counter(dict.fromkeys(waiting.values(), 0))
        gone.update(self._replace(model, list(waiting)))
        kept = [vector for vector in vectors if vector.version in waiting]
        if kept:
            self._insert(model, kept, waiting, self._retired(list(waiting)))
        return gone

    def _take(self, model: int, versions: Sequence[int]) -> dict[int, int]:
        """Ends the waiting of those versions that did, and answers the space of each, as its record says it."""
        chosen, values = self._db.dialect.among("queue.version", versions)
        sql = "SELECT queue.version, queue.space_no, records.space_no FROM queue"
        sql += f" JOIN records ON records.version = queue.version WHERE model = ? AND {chosen}"
        rows = self._db.rows(sql, (model, *values))
        self._db.many(
            "DELETE FROM queue WHERE model = ? AND space_no = ? AND version = ?",
            [(model, queued, version) for version, queued, _ in rows],
        )
        return {version: space_no for version, _, space_no in rows}

    def _retired(self, versions: Sequence[int]) -> set[int]:
        """Those of some versions that have left the present."""
        chosen, values = self._db.dialect.among("version", versions)
        rows = self._db.rows(f"SELECT version FROM records WHERE {chosen} AND retired_at IS NOT NULL", values)
        return {row[0] for row in rows}

    def erase(self, versions: Sequence[int]) -> None:
        chosen, values = self._db.dialect.among("version", versions)
        self._db.run(f"DELETE FROM queue WHERE {chosen}", values)

    def drop_space(self, space_no: int) -> None:
        self._db.run("DELETE FROM queue WHERE space_no = ?", (space_no,))

    def drop_strays(self) -> None:
        self._db.run(
            "DELETE FROM queue WHERE NOT EXISTS (SELECT 1 FROM records WHERE records.version = queue.version"
            " AND records.space_no = queue.space_no)"
        )

    def queue_all(self) -> None:
        """Has every version wait for vectors of every model."""
        self._db.run(
            "INSERT INTO queue SELECT models.no, records.space_no, records.version FROM models, records"
            f" WHERE {_EMBEDDED} ON CONFLICT DO NOTHING",
            CATALOGUE_KINDS,
        )

    def adopt(self, name: str, dim: int, mean: bytes, floor: float, spread: float) -> Model:
        """Takes up a model: every version waits for vectors of it."""
        known = {model.name: model for model in self._read_models()}
        if name in known:
            return known[name]
        model = Model(self._db.reserve("models", 1), name, dim, mean, floor, spread)
        self._db.run(
            "INSERT INTO models(no, name, dim, mean, floor, spread) VALUES(?, ?, ?, ?, ?, ?)",
            (model.no, name, dim, mean, floor, spread),
        )
        self._db.run(
            f"INSERT INTO queue SELECT CAST(? AS BIGINT), space_no, version FROM records WHERE {_EMBEDDED}"
            " ON CONFLICT DO NOTHING",
            (model.no, *CATALOGUE_KINDS),
        )
        self._numbers = None
        self._begin(model)
        return model

    def _drop_model(self, model: int) -> None:
        self._db.run("DELETE FROM queue WHERE model = ?", (model,))
        self._db.run("DELETE FROM models WHERE no = ?", (model,))
        self._numbers = None
