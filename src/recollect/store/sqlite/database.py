"""What does SQLite call what other databases call otherwise?"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any, cast

import msgspec

from recollect.store.sql.database import Condition, Row, S
from recollect.store.sql.rows import to_json
from recollect.store.sql.shapes import insertion

_decode_list = msgspec.json.Decoder(list[Any]).decode
decode_numbers = msgspec.json.Decoder(list[int]).decode
_FEW = 32
_decode_lengths = msgspec.json.Decoder(list[int | None]).decode


class SqliteDialect:
    def among(self, column: str, values: Sequence[int] | Sequence[str]) -> Condition:
        if len(values) == 1:
            return f"{column} = ?", [values[0]]
        return f"{column} IN (SELECT value FROM json_each(?))", [to_json(values)]

    def listed(self, values: Sequence[str]) -> Condition:
        return "SELECT value FROM json_each(?)", [to_json(values)]

    def shares(self, column: str, values: Sequence[str]) -> Condition:
        sql = f"EXISTS(SELECT 1 FROM json_each({column}) AS tag JOIN json_each(?) AS wanted USING(value))"
        return sql, [to_json(values)]

    def items(self, column: str) -> tuple[str, str]:
        return f", json_each({column}) AS item", "item.value"

    def field(self, column: str, name: str) -> str:
        return f"json_extract({column}, '$.{name}')"

    def holds(self, text: str, part: str) -> str:
        return f"instr({text}, {part}) > 0"

    def larger(self, one: str, other: str) -> str:
        return f"max({one}, {other})"

    def unindexed(self, column: str) -> str:
        return f"+{column}"


DIALECT = SqliteDialect()


class SqliteDatabase:
    """A connection within a transaction."""

    dialect = DIALECT
    limited = False
    whole = 0

    def __init__(self, connection: sqlite3.Connection, widen: Callable[[], None] | None = None) -> None:
        self._connection = connection
        self._widen = widen  # before much is written
        self.known_spaces: list[Row] | None = None
        self.stamped: bool | None = None

    def owner_only(self, what: str) -> None:
        """Whoever can open the file owns it."""

    def roles(self) -> list[int]:
        return [self.whole]

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    def together(self, asks: Sequence[Callable[[], S]]) -> list[S]:
        return [ask() for ask in asks]

    def run(self, sql: str, values: Sequence[object] = ()) -> None:
        self.change(sql, values)

    def change(self, sql: str, values: Sequence[object] = ()) -> int:
        if self._widen is not None:
            self._widen()  # nobody knows how many rows it is about
        return self._connection.execute(sql, values).rowcount

    def many(self, sql: str, rows: Sequence[Sequence[object]]) -> None:
        if len(rows) > _FEW and self._widen is not None:
            self._widen()
        if rows:
            self._connection.executemany(sql, rows)

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Columns that no row fills are not named: Python's module takes as long over two NULLs as over a text.

        No column that may be NULL is anything else by itself.
        """
        filled = [column[0] is not None or column.count(None) < len(rows) for column in zip(*rows, strict=True)]
        self.many(insertion(table, tuple(compress(columns, filled))), [tuple(compress(row, filled)) for row in rows])

    def columns(self, names: Sequence[str], sql: str, values: Sequence[object] = ()) -> list[list[Any]]:
        gathered = ", ".join(f"json_group_array({name})" for name in names)
        row = self._connection.execute(f"SELECT {gathered} FROM ({sql})", values).fetchone()
        return [_decode_list(text) for text in row]  # in one step, during which other threads can run

    def reserve(self, table: str, count: int) -> int:  # noqa: ARG002  nobody else writes: all after it are free
        row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        return 1 if row is None else cast("int", row[0]) + 1

    def last_number(self, table: str) -> int:
        return self.reserve(table, 0) - 1

    def count_from(self, table: str, last: int) -> None:
        self._connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        self._connection.execute("INSERT INTO sqlite_sequence(name, seq) VALUES(?, ?)", (table, last))


# Many blobs in one row. SQLite puts them together in one step, during which other threads can run; it would let go of
# the interpreter and wait for it again at every row.


def gather_blobs(column: str) -> str:
    """The lengths of the blobs in a column, and all of them one after another."""
    return f"json_group_array(length({column})), CAST(group_concat({column}, '') AS BLOB)"


def part_blobs(lengths: str, whole: bytes | None) -> list[bytes]:
    """The single blobs of what was gathered; an empty one where there was none."""
    found, end = list[bytes](), 0
    for length in _decode_lengths(lengths):
        begin, end = end, end + (length or 0)
        found.append((whole or b"")[begin:end])
    assert end == len(whole or b""), "every byte belongs to one of them"
    return found
