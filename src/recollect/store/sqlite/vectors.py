"""Which vectors does each version have, and which versions still wait for one?

A vector is kept as its sign bits (`signs`), its float16 numbers (`halves`) and, of some models, its wordpieces
(`tokens`). A negative model marks the vectors of old versions.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import cast

from recollect.store.base import Model, Vector
from recollect.store.sql.rows import Row, to_json
from recollect.types import CATALOGUE_KINDS, Record

_EMBEDDED = f"records.kind NOT IN ({','.join('?' * len(CATALOGUE_KINDS))})"
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

    def signs(self, model: int, space_no: int | None, after: int, *, old: bool = False) -> list[tuple[int, int, bytes]]:
        sql = "SELECT vector, version, bits FROM signs WHERE model = ? AND space_no = ? AND vector > ? ORDER BY vector"
        return cast("list[tuple[int, int, bytes]]", self._rows(sql, (-model if old else model, space_no, after)))

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

    def waiting(self, model: int, space_no: int | None, limit: int) -> list[int]:
        """Versions (of a space, or None: of all) without a vector of a model, the newest first."""
        if space_no is None:
            queued, values = "+model = ?", (model,)  # the + lets SQLite go through the queue from its newest end
        else:
            queued, values = "model = ? AND space_no = ?", (model, space_no)
        sql = f"SELECT version FROM queue WHERE {queued} ORDER BY version DESC LIMIT ?"
        return [row[0] for row in self._rows(sql, (*values, limit))]

    def count_waiting(self, model: int, space_no: int | None) -> int:
        where, values = ("", ()) if space_no is None else (" AND space_no = ?", (space_no,))
        return self._rows(f"SELECT count(*) FROM queue WHERE model = ?{where}", (model, *values))[0][0]

    # Writing

    def put(self, space_no: int, record: Record, same_as: int) -> None:
        """Vectors of an unchanged text (`same_as` is its version; 0: none) are copied, those of a new one queued.

        What only lists others has none.
        """
        if record.kind in CATALOGUE_KINDS:
            return
        if not same_as:
            self._enqueue(space_no, record.version)
            return
        for vector, model, bits in self._rows(
            "SELECT vector, model, bits FROM signs WHERE version = ? ORDER BY vector", (same_as,)
        ):
            values = (abs(model), space_no, record.version, bits)
            cursor = self._run("INSERT INTO signs(model, space_no, version, bits) VALUES(?, ?, ?, ?)", values)
            for table, column in (("halves", "half"), ("tokens", "tokens")):
                copied = f"INSERT INTO {table} SELECT ?, {column} FROM {table} WHERE vector = ?"
                self._run(copied, (cursor.lastrowid, vector))
        queued = "INSERT INTO queue SELECT model, ?, ? FROM queue WHERE version = ?"
        self._run(queued, (space_no, record.version, same_as))

    def _enqueue(self, space_no: int, version: int) -> None:
        if self._wanted_models is None:
            self._wanted_models = [row[0] for row in self._rows("SELECT no FROM models")]
        for model in self._wanted_models:
            self._run("INSERT INTO queue VALUES(?, ?, ?)", (model, space_no, version))

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

    def clear(self) -> None:
        """Drops all vectors, and queues every version to get them again."""
        for table in ("signs", *_BESIDE, "queue"):
            self._run(f"DELETE FROM {table}")
        self._run(
            "INSERT INTO queue SELECT models.no, records.space_no, records.version FROM models, records"
            f" WHERE {_EMBEDDED}",
            CATALOGUE_KINDS,
        )

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

    def put_vectors(self, model: int, versions: Sequence[int], vectors: Sequence[Vector]) -> None:
        """Stores the vectors of versions that were waiting; versions that no longer wait are left alone."""
        sql = "SELECT version, space_no FROM queue WHERE model = ? AND version IN (SELECT value FROM json_each(?))"
        waiting = dict(self._rows(sql, (model, to_json(versions))))
        sql = "SELECT version FROM records WHERE retired_at IS NOT NULL"
        sql += " AND version IN (SELECT value FROM json_each(?))"
        retired = {row[0] for row in self._rows(sql, (to_json(sorted(waiting)),))}
        for vector in vectors:
            if vector.version in waiting:
                signed = -model if vector.version in retired else model
                cursor = self._run(
                    "INSERT INTO signs(model, space_no, version, bits) VALUES(?, ?, ?, ?)",
                    (signed, waiting[vector.version], vector.version, vector.bits),
                )
                self._run("INSERT INTO halves VALUES(?, ?)", (cursor.lastrowid, vector.half))
                if vector.tokens:
                    self._run("INSERT INTO tokens VALUES(?, ?)", (cursor.lastrowid, vector.tokens))
        self._connection.executemany(
            "DELETE FROM queue WHERE model = ? AND space_no = ? AND version = ?",
            [(model, space_no, version) for version, space_no in waiting.items()],
        )

    def drop_vectors(self, keep_model: str | None) -> int:
        """Forgets the vectors of every model but one."""
        gone = [model.no for model in self.models() if model.name != keep_model]
        for number in gone:
            self._drop("model IN (?, ?)", (number, -number))
            self._run("DELETE FROM queue WHERE model = ?", (number,))
            self._run("DELETE FROM models WHERE no = ?", (number,))
        return len(gone)
