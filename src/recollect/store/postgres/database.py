"""What does PostgreSQL call what other databases call otherwise?"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from typing import Any, TypeAlias, cast

import psycopg

from recollect.errors import ReadOnlyStore
from recollect.store.postgres.connections import Connection, Cursor, Second
from recollect.store.sql.database import Condition, Row, S
from recollect.store.sql.shapes import insertion

_Question: TypeAlias = tuple[str, tuple[object, ...]]
_Answer: TypeAlias = tuple[Cursor, list[Row]]
"""Who knows the names of the columns, which few ask for, and the rows."""

_COPIED = 20  # rows from which on they are sent in bulk, which takes one round trip more
_MOST_PENDING = 500  # statements
_PLAIN_INSERT = re.compile(r"INSERT INTO (\w+)(\([^)]*\))? VALUES\((?:\?, )*\?\)")


def spell_numbers(numbers: Iterable[int]) -> str:
    """Numbers as PostgreSQL reads an array of them, which is much quicker than to have each converted."""
    return f"{{{','.join(map(str, numbers))}}}"


def left_to_owner(what: str) -> ReadOnlyStore:
    return ReadOnlyStore(
        f"to {what} is left to the owner of the store's tables: this database role is limited to those spaces"
        " that it was admitted to"
    )


class PostgresDialect:
    def among(self, column: str, values: Sequence[int] | Sequence[str]) -> Condition:
        if not values:
            return "false", []
        if isinstance(values[0], str):
            return f"{column} = ANY(?::text[])", [list(values)]
        return f"{column} = ANY(?::bigint[])", [spell_numbers(cast("Sequence[int]", values))]

    def listed(self, values: Sequence[str]) -> Condition:
        return 'SELECT unnest(?::text[]) COLLATE "C"', [list(values)]

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


VECTOR = "@vector"
"""In a statement, the schema that pgvector was installed in."""


@lru_cache(maxsize=1024)
def _spelled(sql: str, vectors: str) -> bytes:
    """A statement with `?` for a value as psycopg takes it."""
    return sql.replace("%", "%%").replace("?", "%s").replace(VECTOR, vectors).encode()


class _Unanswered(BaseException):
    """Somebody who is asked together with others waits for answers to these questions."""

    def __init__(self, questions: Sequence[tuple[str, Sequence[object]]]) -> None:
        super().__init__()
        self.questions = questions


def _key(sql: str, values: Sequence[object]) -> _Question:
    return sql, tuple(tuple(cast("list[object]", one)) if isinstance(one, list) else one for one in values)


class PostgresDatabase:
    """A connection within a transaction.

    What changes something is kept until something is read or the transaction ends, and then goes to the server
    together with that. Whoever changes something is alone, so what numbers are free is read where a transaction begins,
    and what was taken of them is written where it ends.
    """

    dialect = DIALECT

    def __init__(
        self,
        connection: Connection,
        numbers: Mapping[str, int] | None = None,
        *,
        limited: bool = False,
        whole: int = 0,
        second: Second | None = None,
        vectors: str = "public",
    ) -> None:
        self._connection = connection
        self._second = second
        self._vectors = vectors
        self._long: set[str] = set()
        self._numbers = dict(numbers or {})
        self._taken: set[str] = set()
        self.limited = limited
        self.whole = whole
        self._pending: list[tuple[str, Sequence[object]]] = []
        self._known: dict[_Question, _Answer] | None = None
        self.known_spaces: list[Row] | None = None
        self.stamped: bool | None = None
        self.noted: Row | None = None
        """The last entry of the journal that this transaction has written, as a row."""

    # Reading

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._answer(sql, values)[1]

    def columns(self, names: Sequence[str], sql: str, values: Sequence[object] = ()) -> list[list[Any]]:
        cursor, rows = self._answer(sql, values)
        places = [column.name for column in cursor.description or ()]
        found = list(zip(*rows, strict=True)) or [()] * len(places)
        return [list(found[places.index(name)]) for name in names]

    def _answer(self, sql: str, values: Sequence[object]) -> _Answer:
        if self._known is None:
            return self._ask([(sql, values)])[0]
        answer = self._known.get(_key(sql, values))
        if answer is None:
            raise _Unanswered([(sql, values)])
        return answer

    def together(self, asks: Sequence[Callable[[], S]]) -> list[S]:
        """Runs each as far as it gets with what was answered so far, has the server answer what they are short of all
        at once, and goes on so: as many round trips as the one takes that needs most.
        """
        if self._known is not None:
            return self._advance(asks, {})
        done: dict[int, S] = {}
        self._known = {}
        try:
            while True:
                try:
                    return self._advance(asks, done)
                except _Unanswered as asked:
                    wanted = {_key(*one): one for one in asked.questions}
                    self._known |= zip(wanted, self._ask(list(wanted.values())), strict=True)
        finally:
            self._known = None

    def _advance(self, asks: Sequence[Callable[[], S]], done: dict[int, S]) -> list[S]:
        questions: list[tuple[str, Sequence[object]]] = []
        for place, ask in enumerate(asks):
            if place not in done:
                try:
                    done[place] = ask()
                except _Unanswered as asked:
                    questions += asked.questions
        if questions:
            raise _Unanswered(questions)
        return [done[place] for place in range(len(asks))]

    def _ask(self, questions: Sequence[tuple[str, Sequence[object]]]) -> list[_Answer]:
        """Has the server do what is pending and answer questions, in one round trip."""
        return [(one, one.fetchall()) for one in self._send_both(questions)]

    def takes_long(self, sql: str) -> str:
        """The same question, which is to be asked apart from the others that are asked with it, where that can be."""
        self._long.add(sql)
        return sql

    def patient(self) -> AbstractContextManager[None]:
        """Waits for answers as long as they take."""
        return self._connection.patient()

    # Writing

    def run(self, sql: str, values: Sequence[object] = ()) -> None:
        self._pending.append((sql, values))
        if len(self._pending) >= _MOST_PENDING:
            self.flush()

    def change(self, sql: str, values: Sequence[object] = ()) -> int:
        return self._send([(sql, values)])[0].rowcount

    def many(self, sql: str, rows: Sequence[Sequence[object]]) -> None:
        plain = _PLAIN_INSERT.fullmatch(sql) if len(rows) >= _COPIED and not self.limited else None
        if plain is None:
            for row in rows:
                self.run(sql, row)
            return
        self.flush()
        with (
            self._connection.cursor() as cursor,
            cursor.copy(f"COPY {plain[1]}{plain[2] or ''} FROM STDIN".encode()) as copy,
        ):
            for row in rows:
                copy.write_row(row)

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        self.many(insertion(table, tuple(columns)), rows)
        if table == "journal" and rows:
            self.noted = rows[-1]

    def flush(self) -> None:
        """Has the server do what is pending."""
        if self._pending:
            self._send([])

    def _send(self, questions: Sequence[tuple[str, Sequence[object]]]) -> list[Cursor]:
        pending, self._pending = self._pending, []
        if not pending and len(questions) == 1:
            sql, values = questions[0]
            return [self._connection.execute(self._spell(sql), values, binary=True)]
        with self._connection.pipeline():
            for sql, values in pending:
                self._connection.execute(self._spell(sql), values)
            return [self._connection.execute(self._spell(sql), values, binary=True) for sql, values in questions]

    def _spell(self, sql: str) -> bytes:
        return _spelled(sql, self._vectors)

    def _send_both(self, questions: Sequence[tuple[str, Sequence[object]]]) -> list[Cursor]:
        """The same, with what takes long on this connection and the rest on the second, at the same time, where there
        is both. Where the second fails, this one answers it all.
        """
        long = [place for place, (sql, _) in enumerate(questions) if sql in self._long]
        rest = [place for place in range(len(questions)) if place not in long]
        asked = [(self._spell(sql), values) for sql, values in (questions[place] for place in rest)]
        beside = self._second.ask(asked) if self._second is not None and long and rest else None
        if self._second is None or beside is None:
            return self._send(questions)
        try:
            found = dict(zip(long, self._send([questions[place] for place in long]), strict=True))
        finally:
            failed = beside.exception()
        if failed is None:
            found |= zip(rest, beside.result(), strict=True)
        elif isinstance(failed, psycopg.Error):
            self._second.give_up()
            found |= zip(rest, self._send([questions[place] for place in rest]), strict=True)
        else:
            raise failed
        return [found[place] for place in range(len(questions))]

    def reserve(self, table: str, count: int) -> int:
        """A role that is limited takes its numbers at once: it cannot write a row whose number is not taken."""
        first = self._numbers.get(table, 0) + 1
        if count:
            self._numbers[table] = first + count - 1
            self._taken.add(table)
            if self.limited:
                self.run("SELECT take(?, ?)", (table, self._numbers[table]))
        return first

    def last_number(self, table: str) -> int:
        """A transaction that only reads has not been told."""
        if table in self._numbers:
            return self._numbers[table]
        return self.rows("SELECT last FROM numbers WHERE name = ?", (table,))[0][0]

    def count_from(self, table: str, last: int) -> None:
        self._numbers[table] = last
        self._taken.add(table)
        self.run("UPDATE numbers SET last = ? WHERE name = ?", (last, table))

    def owner_only(self, what: str) -> None:
        if self.limited:
            raise left_to_owner(what)

    def roles(self) -> list[int]:
        """The owner changes what roles keep for themselves as well."""
        if self.limited:
            return [self.whole]
        return [self.whole, *(number for (number,) in self.rows("SELECT -no FROM roles ORDER BY no"))]

    @contextmanager
    def undone_on_failure(self) -> Generator[None]:
        """Takes back what is done in its body where that fails, whether the server has done it yet or not."""
        numbers, taken, noted = dict(self._numbers), set(self._taken), self.noted
        self.run("SAVEPOINT part")
        try:
            yield
            self.run("RELEASE part")
        except BaseException:
            with contextlib.suppress(psycopg.Error):  # which is what is taken back
                self.flush()
            if self.is_open():
                self._send([("ROLLBACK TO part", ())])
            self._numbers, self._taken, self.noted = numbers, taken, noted
            raise

    def is_open(self) -> bool:
        """Is the transaction still under way, or was the connection lost?"""
        return not self._connection.closed

    def wrote_to(self, table: str) -> bool:
        """Were numbers of a table taken in this transaction?"""
        return table in self._taken

    def commit(self, *more: str) -> None:
        """Ends the transaction with all that is left to be written, in one round trip."""
        last = ((table, self._numbers[table]) for table in sorted(self._taken) if not self.limited)
        taken = [
            f"UPDATE numbers SET last = {number} WHERE name = '{table}' AND last < {number}" for table, number in last
        ]
        self._pending += [(sql, ()) for sql in (*taken, *more)]
        self._send([("COMMIT", ())])
