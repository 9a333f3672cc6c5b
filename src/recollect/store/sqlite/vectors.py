"""Which vectors does each version have?

A vector is kept as its sign bits (`signs`), its float16 numbers (`halves`) and, of some models, its wordpieces
(`tokens`). A negative model marks the vectors of old versions.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import cast

from recollect.store.search import Model, Vector
from recollect.store.sql.database import Row
from recollect.store.sql.queue import Queue
from recollect.store.sql.rows import to_json
from recollect.store.sql.where import NOT_EVICTED
from recollect.store.sqlite.database import SqliteDatabase, decode_numbers, gather_blobs, part_blobs
from recollect.types import Record

_NOT_EVICTED = NOT_EVICTED.replace("records.", "signs.")
_BESIDE = ("halves", "tokens")


class VectorTables(Queue[SqliteDatabase]):
    """The vectors of a store, as one connection sees them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(SqliteDatabase(connection))
        self._connection = connection

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    def _run(self, sql: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        return self._connection.execute(sql, values)

    # Reading

    def may_wait(self) -> bool:
        return True

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

    def numbers_of(self, model: int, versions: Sequence[int]) -> list[tuple[int, int]]:
        """The numbers of all vectors of some versions, each with its version, in order."""
        sql = "SELECT vector, version FROM signs WHERE version IN (SELECT value FROM json_each(?))"
        sql += " AND +model IN (?, ?) ORDER BY version, vector"  # the + keeps SQLite from going through the model
        return cast("list[tuple[int, int]]", self._rows(sql, (to_json(versions), model, -model)))

    def halves(self, vectors: Sequence[int]) -> tuple[list[int], bytes]:
        """Those of some vectors that there are, and their numbers one after another, each in two bytes."""
        sql = "SELECT json_group_array(vector), CAST(group_concat(half, '') AS BLOB) FROM halves"
        found = self._rows(f"{sql} WHERE vector IN (SELECT value FROM json_each(?))", (to_json(vectors),))[0]
        return decode_numbers(found[0]), found[1] or b""

    def tokens(self, vectors: Sequence[int]) -> dict[int, bytes]:
        sql = f"SELECT json_group_array(vector), {gather_blobs('tokens')} FROM tokens"
        found = self._rows(f"{sql} WHERE vector IN (SELECT value FROM json_each(?))", (to_json(vectors),))[0]
        return dict(zip(decode_numbers(found[0]), part_blobs(*found[1:]), strict=True))

    def read(self, model: int, versions: Sequence[int]) -> list[Vector]:
        import numpy as np  # whoever moves vectors has them loaded

        from recollect.store.late import unpack_tokens

        sql = "SELECT signs.version, halves.half, tokens.tokens, bits FROM signs CROSS JOIN halves USING(vector)"
        sql += " LEFT JOIN tokens USING(vector) WHERE signs.version IN (SELECT value FROM json_each(?))"
        rows = self._rows(f"{sql} AND +signs.model IN (?, ?) ORDER BY vector", (to_json(versions), model, -model))
        return [
            Vector(
                version,
                np.frombuffer(half, np.float16).astype(np.float32),
                None if held is None else unpack_tokens(held),
                bits[: -(-len(half) // 16)],
            )
            for version, half, held, bits in rows
        ]

    # Writing

    def put(self, entries: Sequence[tuple[int, Record, int]]) -> None:
        for space_no, version, same_as in self._enqueue(entries):
            self._inherit(space_no, version, same_as)

    def _inherit(self, space_no: int, version: int, same_as: int) -> None:
        sql = "SELECT vector, model, bits FROM signs WHERE version = ? ORDER BY vector"
        for vector, model, bits in self._rows(sql, (same_as,)):
            values = (abs(model), space_no, version, bits)
            cursor = self._run("INSERT INTO signs(model, space_no, version, bits) VALUES(?, ?, ?, ?)", values)
            for table, column in (("halves", "half"), ("tokens", "tokens")):
                copied = f"INSERT INTO {table} SELECT ?, {column} FROM {table} WHERE vector = ?"
                self._run(copied, (cursor.lastrowid, vector))

    def retire(self, versions: Sequence[int]) -> None:
        """Has the vectors of some versions stand with the old ones."""
        self._run(
            "UPDATE signs SET model = -model WHERE version IN (SELECT value FROM json_each(?)) AND +model > 0",
            (to_json(versions),),
        )

    def erase(self, versions: Sequence[int]) -> None:
        self._drop("version IN (SELECT value FROM json_each(?))", (to_json(versions),))
        super().erase(versions)

    def drop_space(self, space_no: int) -> None:
        self._drop("space_no = ?", (space_no,))
        super().drop_space(space_no)

    def _drop(self, which: str, values: tuple[object, ...]) -> None:
        for table in _BESIDE:
            self._run(f"DELETE FROM {table} WHERE vector IN (SELECT vector FROM signs WHERE {which})", values)
        self._run(f"DELETE FROM signs WHERE {which}", values)

    def drop_strays(self) -> None:
        self._run("DELETE FROM signs WHERE version NOT IN (SELECT version FROM records)")
        super().drop_strays()
        for table in _BESIDE:
            self._run(f"DELETE FROM {table} WHERE vector NOT IN (SELECT vector FROM signs)")

    def make_index(self, model: Model) -> None:
        """Sign bits are counted one after another, without an index."""

    def drop_index(self, model: Model) -> None:
        """There is none."""

    def _replace(self, model: int, versions: Sequence[int]) -> list[int]:
        had = "version IN (SELECT value FROM json_each(?)) AND +model IN (?, ?)"
        values = (to_json(versions), model, -model)
        spaces = [row[0] for row in self._rows(f"SELECT space_no FROM signs WHERE {had}", values)]
        if spaces:
            self._drop(had, values)
        return spaces

    def _insert(self, model: int, vectors: Sequence[Vector], homes: Mapping[int, int], retired: set[int]) -> None:
        from recollect.store.late import pack_tokens
        from recollect.store.sqlite.matrix import pack_vectors  # brings in numpy, which whoever has vectors has loaded

        mean = next(known.mean for known in self.models() if known.no == model)
        for vector, (bits, half) in zip(vectors, pack_vectors([one.numbers for one in vectors], mean), strict=True):
            signed = -model if vector.version in retired else model
            cursor = self._run(
                "INSERT INTO signs(model, space_no, version, bits) VALUES(?, ?, ?, ?)",
                (signed, homes[vector.version], vector.version, (vector.signs or bits).ljust(len(bits), b"\0")),
            )
            self._run("INSERT INTO halves VALUES(?, ?)", (cursor.lastrowid, half))
            if vector.tokens is not None and len(vector.tokens):
                self._run("INSERT INTO tokens VALUES(?, ?)", (cursor.lastrowid, pack_tokens(vector.tokens)))

    def drop_vectors(self, keep_model: str | None) -> int:
        gone = [model.no for model in self.models() if model.name != keep_model]
        for number in gone:
            self._drop("model IN (?, ?)", (number, -number))
            self._drop_model(number)
        return len(gone)
