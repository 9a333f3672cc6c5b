"""Which vectors does each version have, and which versions still wait for one?

A vector is kept as its sign bits (`signs`), its float16 numbers (`halves`) and, of some models, its wordpieces
(`tokens`). A negative model marks the vectors of old versions.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

from recollect.store.search import Model, Vector
from recollect.store.sql.database import Row
from recollect.store.sql.rows import to_json
from recollect.store.sql.where import NOT_EVICTED
from recollect.types import CATALOGUE_KINDS, Record

_EMBEDDED = f"records.kind NOT IN ({','.join('?' * len(CATALOGUE_KINDS))})"
_NOT_EVICTED = NOT_EVICTED.replace("records.", "signs.")
_IN_SPACES = "space_no IN (SELECT value FROM json_each(?))"
_BESIDE = ("halves", "tokens")


class VectorTables:
    """The vectors of a store, as one connection sees them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._wanted_models: list[int] | None = None

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    def _run(self, sql: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        return self._connection.execute(sql, values)

    # Reading

    def models(self) -> list[Model]:
        return [Model(*row) for row in self._rows("SELECT no, name, dim, mean, floor, spread FROM models ORDER BY no")]

    def signs(self, model: int, space_no: int, after: int, *, old: bool = False) -> list[tuple[int, int, bytes]]:
        """Number, version and sign bits of the vectors above a number: those of live versions, or of `old` ones too."""
        where = "space_no = ? AND vector > ?"
        if not old:
            sql = f"SELECT vector, version, bits FROM signs WHERE model = ? AND {where} AND {_NOT_EVICTED}"
            rows = self._rows(f"{sql} ORDER BY vector", (model, space_no, after))
        else:
            sql = f"SELECT vector, version, bits FROM signs WHERE model IN (?, ?) AND {where} ORDER BY vector"
            rows = self._rows(sql, (model, -model, space_no, after))
        return cast("list[tuple[int, int, bytes]]", rows)

    def halves(self, vectors: Sequence[int]) -> dict[int, bytes]:
        sql = "SELECT vector, half FROM halves WHERE vector IN (SELECT value FROM json_each(?))"
        return dict(self._rows(sql, (to_json(vectors),)))

    def vectors_of(self, model: int, versions: Sequence[int]) -> list[tuple[int, bytes]]:
        return self._pieces("halves.half", "halves", model, versions)

    def tokens_of(self, model: int, versions: Sequence[int]) -> list[tuple[int, bytes]]:
        return self._pieces("tokens.tokens", "tokens", model, versions)

    def _pieces(self, column: str, table: str, model: int, versions: Sequence[int]) -> list[tuple[int, bytes]]:
        sql = f"SELECT signs.version, {column} FROM json_each(?) AS wanted"
        sql += f" CROSS JOIN signs ON signs.version = wanted.value CROSS JOIN {table} ON {table}.vector = signs.vector"
        sql += " WHERE +signs.model IN (?, ?)"  # the + keeps SQLite from going through all vectors of the model
        return cast("list[tuple[int, bytes]]", self._rows(sql, (to_json(versions), model, -model)))

    def waiting(self, model: int, spaces: Sequence[int] | None, limit: int) -> list[int]:
        """Versions (of some spaces, or None: of all) without a vector of a model, the newest first."""
        if spaces is None:
            queued, values = "+model = ?", (model,)  # the + lets SQLite go through the queue from its newest end
        else:
            queued, values = f"model = ? AND {_IN_SPACES}", (model, to_json(spaces))
        sql = f"SELECT version FROM queue WHERE {queued} ORDER BY version DESC LIMIT ?"
        return [row[0] for row in self._rows(sql, (*values, limit))]

    def count_waiting(self, model: int | None, spaces: Sequence[int] | None) -> int:
        """How many versions wait for a vector of a model, or (None) of the model that is most complete."""
        if model is None:
            return min((self.count_waiting(known.no, spaces) for known in self.models()), default=0)
        where, values = ("", ()) if spaces is None else (f" AND {_IN_SPACES}", (to_json(spaces),))
        return self._rows(f"SELECT count(*) FROM queue WHERE model = ?{where}", (model, *values))[0][0]

    # Writing

    def put(self, entries: Sequence[tuple[int, Record, int]]) -> None:
        """Vectors of an unchanged text are copied, those of a new one queued: space, record and the version whose text
        it shares (0: none), of each. What only lists others has none.
        """
        embedded = [entry for entry in entries if entry[1].kind not in CATALOGUE_KINDS]
        fresh = [(space_no, record.version) for space_no, record, same_as in embedded if not same_as]
        if fresh:
            if self._wanted_models is None:
                self._wanted_models = [row[0] for row in self._rows("SELECT no FROM models")]
            queued = [(model, *one) for one in fresh for model in self._wanted_models]
            self._connection.executemany("INSERT INTO queue VALUES(?, ?, ?)", queued)
        for space_no, record, same_as in embedded:
            if same_as:
                self._inherit(space_no, record.version, same_as)

    def _inherit(self, space_no: int, version: int, same_as: int) -> None:
        sql = "SELECT vector, model, bits FROM signs WHERE version = ? ORDER BY vector"
        for vector, model, bits in self._rows(sql, (same_as,)):
            values = (abs(model), space_no, version, bits)
            cursor = self._run("INSERT INTO signs(model, space_no, version, bits) VALUES(?, ?, ?, ?)", values)
            for table, column in (("halves", "half"), ("tokens", "tokens")):
                copied = f"INSERT INTO {table} SELECT ?, {column} FROM {table} WHERE vector = ?"
                self._run(copied, (cursor.lastrowid, vector))
        queued = "INSERT INTO queue SELECT model, ?, ? FROM queue WHERE version = ?"
        self._run(queued, (space_no, version, same_as))

    def retire(self, versions: Sequence[int]) -> None:
        """Has the vectors of some versions stand with the old ones."""
        self._run(
            "UPDATE signs SET model = -model WHERE version IN (SELECT value FROM json_each(?)) AND +model > 0",
            (to_json(versions),),
        )

    def erase(self, versions: Sequence[int]) -> None:
        self._drop("version IN (SELECT value FROM json_each(?))", (to_json(versions),))
        self._run("DELETE FROM queue WHERE version IN (SELECT value FROM json_each(?))", (to_json(versions),))

    def drop_space(self, space_no: int) -> None:
        self._drop("space_no = ?", (space_no,))
        self._run("DELETE FROM queue WHERE space_no = ?", (space_no,))

    def _drop(self, which: str, values: tuple[object, ...]) -> None:
        for table in _BESIDE:
            self._run(f"DELETE FROM {table} WHERE vector IN (SELECT vector FROM signs WHERE {which})", values)
        self._run(f"DELETE FROM signs WHERE {which}", values)

    def queue_all(self) -> None:
        """Has every version wait for vectors; those that it has answer until then."""
        self._run(
            "INSERT OR IGNORE INTO queue SELECT models.no, records.space_no, records.version FROM models, records"
            f" WHERE {_EMBEDDED}",
            CATALOGUE_KINDS,
        )

    def drop_strays(self) -> None:
        """Removes what belongs to no version."""
        self._run("DELETE FROM signs WHERE version NOT IN (SELECT version FROM records)")
        self._run("DELETE FROM queue WHERE version NOT IN (SELECT version FROM records)")
        for table in _BESIDE:
            self._run(f"DELETE FROM {table} WHERE vector NOT IN (SELECT vector FROM signs)")

    def adopt(self, name: str, dim: int, mean: bytes, floor: float, spread: float) -> Model:
        """Takes up a model: every version is queued to get vectors of it."""
        known = {model.name: model for model in self.models()}
        if name not in known:
            cursor = self._run(
                "INSERT INTO models(name, dim, mean, floor, spread) VALUES(?, ?, ?, ?, ?)",
                (name, dim, mean, floor, spread),
            )
            self._run(
                f"INSERT INTO queue SELECT ?, space_no, version FROM records WHERE {_EMBEDDED}",
                (cursor.lastrowid, *CATALOGUE_KINDS),
            )
            known = {model.name: model for model in self.models()}
            self._wanted_models = None
        return known[name]

    def put_vectors(self, model: int, versions: Sequence[int], vectors: Sequence[Vector]) -> Counter[int]:
        """Stores the vectors of versions that were waiting; versions that no longer wait are left alone.

        What they had of the model before goes. Answers the spaces that changed, and how many vectors went in each.
        """
        sql = "SELECT version, space_no FROM queue WHERE model = ? AND version IN (SELECT value FROM json_each(?))"
        waiting: dict[int, int] = dict(self._rows(sql, (model, to_json(versions))))
        chosen = to_json(list(waiting))
        had = "version IN (SELECT value FROM json_each(?)) AND +model IN (?, ?)"
        gone = Counter(dict.fromkeys(waiting.values(), 0))
        gone.update(row[0] for row in self._rows(f"SELECT space_no FROM signs WHERE {had}", (chosen, model, -model)))
        if gone.total():
            self._drop(had, (chosen, model, -model))
        sql = "SELECT version FROM records WHERE retired_at IS NOT NULL"
        sql += " AND version IN (SELECT value FROM json_each(?))"
        retired = {row[0] for row in self._rows(sql, (chosen,))}
        kept = [vector for vector in vectors if vector.version in waiting]
        if kept:
            self._insert(model, kept, waiting, retired)
        self._connection.executemany(
            "DELETE FROM queue WHERE model = ? AND space_no = ? AND version = ?",
            [(model, space_no, version) for version, space_no in waiting.items()],
        )
        return gone

    def _insert(self, model: int, vectors: Sequence[Vector], homes: Mapping[int, int], retired: set[int]) -> None:
        from recollect.store.late import pack_tokens
        from recollect.store.sqlite.matrix import pack_vectors  # brings in numpy, which whoever has vectors has loaded

        mean = next(known.mean for known in self.models() if known.no == model)
        for vector, (bits, half) in zip(vectors, pack_vectors([one.numbers for one in vectors], mean), strict=True):
            signed = -model if vector.version in retired else model
            cursor = self._run(
                "INSERT INTO signs(model, space_no, version, bits) VALUES(?, ?, ?, ?)",
                (signed, homes[vector.version], vector.version, bits),
            )
            self._run("INSERT INTO halves VALUES(?, ?)", (cursor.lastrowid, half))
            if vector.tokens is not None and len(vector.tokens):
                self._run("INSERT INTO tokens VALUES(?, ?)", (cursor.lastrowid, pack_tokens(vector.tokens)))

    def drop_vectors(self, keep_model: str | None) -> int:
        """Forgets the vectors of every model but one."""
        gone = [model.no for model in self.models() if model.name != keep_model]
        for number in gone:
            self._drop("model IN (?, ?)", (number, -number))
            self._run("DELETE FROM queue WHERE model = ?", (number,))
            self._run("DELETE FROM models WHERE no = ?", (number,))
        return len(gone)
