"""What does PostgreSQL call what other databases call otherwise?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from recollect.store.postgres.connections import Connection, run_script
from recollect.store.sql.database import Condition, Row

_COPIED = 20  # rows from which on they are sent in bulk, which takes one round trip more
_PLAIN_INSERT = re.compile(r"INSERT INTO (\w+)(\([^)]*\))? VALUES\((?:\?, )*\?\)")


class PostgresDialect:
    def among(self, column: str, values: Sequence[int] | Sequence[str]) -> Condition:
        if not values:
            return "false", []
        kind = "text" if isinstance(values[0], str) else "bigint"
        return f"{column} = ANY(?::{kind}[])", [list(values)]

    def shares(self, column: str, values: Sequence[str]) -> Condition:
        sql = (
            f"EXISTS(SELECT 1 FROM json_array_elements_text({column}::json) AS tag(value) WHERE value = ANY(?::text[]))"
        )
        return sql, [list(values)]

    def items(self, column: str) -> tuple[str, str]:
        return f", json_array_elements_text({column}::json) AS item(value)", 'item.value COLLATE "C"'

    def field(self, column: str, name: str) -> str:
        return f"({column}::json ->> '{name}')"

    def holds(self, text: str, part: str) -> str:
        return f"strpos({text}, {part}) > 0"

    def larger(self, one: str, other: str) -> str:
        return f"greatest({one}, {other})"

    def unindexed(self, column: str) -> str:
        return column  # the planner counts for itself


DIALECT = PostgresDialect()


@lru_cache(maxsize=1024)
def _spelled(sql: str) -> bytes:
    """A statement with `?` for a value as psycopg takes it."""
    return sql.replace("%", "%%").replace("?", "%s").encode()


class PostgresDatabase:
    """A connection within a transaction.

    Whoever changes something is alone, so what numbers are free is read where a transaction begins, and what was taken
    of them is written where it ends: together with everything else that was put off until then.
    """

    dialect = DIALECT

    def __init__(
        self, connection: Connection, numbers: Mapping[str, int] | None = None, *, limited: bool = False
    ) -> None:
        self._connection = connection
        self._numbers = dict(numbers or {})
        self._taken: set[str] = set()
        self.limited = limited
        self._later: list[str] = []

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(_spelled(sql), values, binary=True).fetchall()

    def run(self, sql: str, values: Sequence[object] = ()) -> int:
        return self._connection.execute(_spelled(sql), values).rowcount

    def many(self, sql: str, rows: Sequence[Sequence[object]]) -> None:
        if not rows:
            return
        plain = _PLAIN_INSERT.fullmatch(sql) if len(rows) >= _COPIED and not self.limited else None
        with self._connection.cursor() as cursor:
            if plain is None:
                cursor.executemany(_spelled(sql), rows)
                return
            with cursor.copy(f"COPY {plain[1]}{plain[2] or ''} FROM STDIN".encode()) as copy:
                for row in rows:
                    copy.write_row(row)

    def columns(self, names: Sequence[str], sql: str, values: Sequence[object] = ()) -> list[list[Any]]:
        cursor = self._connection.execute(_spelled(sql), values, binary=True)
        places = [column.name for column in cursor.description or ()]
        found = list(zip(*cursor.fetchall(), strict=True)) or [()] * len(places)
        return [list(found[places.index(name)]) for name in names]

    def reserve(self, table: str, count: int) -> int:
        first = self._numbers.get(table, 0) + 1
        if count:
            self._numbers[table] = first + count - 1
            self._taken.add(table)
        return first

    def last_number(self, table: str) -> int:
        """A transaction that only reads has not been told."""
        if table in self._numbers:
            return self._numbers[table]
        return self.rows("SELECT last FROM numbers WHERE name = ?", (table,))[0][0]

    def count_from(self, table: str, last: int) -> None:
        self._numbers[table] = last
        self._taken.add(table)

    def script(self, statements: Iterable[str]) -> list[list[Row]]:
        """Runs statements without values in one round trip."""
        return run_script(self._connection, "; ".join(statements))

    def put_off(self, statements: Iterable[str]) -> None:
        """Has statements run where the transaction ends."""
        self._later += statements

    def is_open(self) -> bool:
        """Is the transaction still under way, or was the connection lost?"""
        return not self._connection.closed

    def wrote_to(self, table: str) -> bool:
        """Were numbers of a table taken in this transaction?"""
        return table in self._taken

    def ending(self) -> list[str]:
        """What is left to be written before the transaction ends."""
        return self._later + [
            f"UPDATE numbers SET last = {self._numbers[table]} WHERE name = '{table}'" for table in sorted(self._taken)
        ]
