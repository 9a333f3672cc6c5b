"""What does a store hold that nothing else follows from, table by table and in the order of keys?

Whoever copies a store, writes it out or compares two of them reads these rows, whichever database keeps them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recollect.store.base import INDEX, Shelf
from recollect.store.sql.database import Database, Row
from recollect.store.sql.seal import NOTED
from recollect.store.sql.shapes import COLUMNS, TABLES, quoted
from recollect.types import Entity, Record, Relation

AT_ONCE = 1_000
MOVE = Shelf("move", str, of_all=True)
"""On the target of a move, while it is not finished: from where it is filled, and how far that is."""
_APART = (MOVE.name, INDEX.name, "files")
"""Shelves that tell of the store that they are in; the texts of spaces' files are moved by who knows where they lie.
What roles of a database keep for themselves (numbers below 0) stays with them there."""


class Table(NamedTuple):
    """Some columns of a table, its key first, and which of its rows count."""

    name: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    where: str = "1 = 1"

    def select(self, after: Row | None, upto: Row | None) -> tuple[str, list[object]]:
        """The condition for the rows between two keys, the first left out."""
        key, marks = ", ".join(self.key), ", ".join("?" * len(self.key))
        bounds = [(sign, row) for sign, row in ((">", after), ("<=", upto)) if row is not None]
        sql = "".join(f" AND ({key}) {sign} ({marks})" for sign, _ in bounds)
        return f"{self.where}{sql}", [value for _, row in bounds for value in row]

    def read(self, db: Database, after: Row | None, upto: Row | None = None, most: int | None = None) -> list[Row]:
        """Rows in the order of their key."""
        chosen, values = self.select(after, upto)
        sql = f"SELECT {', '.join(map(quoted, self.columns))} FROM {self.name} WHERE {chosen}"
        sql += f" ORDER BY {', '.join(self.key)}"
        return db.rows(sql, values) if most is None else db.rows(f"{sql} LIMIT ?", [*values, most])

    def write(self, db: Database, rows: Sequence[Row]) -> None:
        db.insert(self.name, self.columns, rows)

    def key_of(self, row: Row) -> Row:
        return row[: len(self.key)]

    def count(self, db: Database) -> int:
        return db.rows(f"SELECT count(*) FROM {self.name} WHERE {self.where}")[0][0]

    def batches(self, db: Database) -> Iterator[tuple[Row | None, Row | None, list[Row]]]:
        """All rows, in stretches: after which key, up to which (None: to the end), and what stands there."""
        after: Row | None = None
        while True:
            rows = self.read(db, after, most=AT_ONCE)
            upto = self.key_of(rows[-1]) if len(rows) == AT_ONCE else None
            yield after, upto, rows
            if upto is None:
                return
            after = upto


def _of_versions(type_: type[Record | Entity | Relation]) -> Table:
    return Table(TABLES[type_], ("version",), ("version", "space_no", *COLUMNS[type_], "checksum", "retired_at"))


def keyed(name: str, key: str, columns: str, where: str = "1 = 1") -> Table:
    return Table(name, tuple(key.split()), (*key.split(), *columns.split()), where)


CANONICAL = (
    keyed("spaces", "no", "name description created_at metadata checksum"),
    _of_versions(Record),
    _of_versions(Entity),
    _of_versions(Relation),
    keyed("messages", "space_no session place", "id role at flag"),
    keyed("shelves", "space_no shelf key", "value", f"space_no >= 0 AND shelf NOT IN {_APART}"),
    keyed("accesses", "space_no id", "count last"),
    keyed("faded", "version", "confidence"),
    keyed("evicted", "version", "at"),
    keyed("moved", "run version", "was now"),
    Table("journal", ("entry",), (*NOTED, "checksum")),
)
"""What a store holds that nothing else follows from. The journal is last: who has an entry has what it tells of."""
NUMBERED = ("spaces", "records", "entities", "relations", "journal", "models")
"""Tables whose numbers are never given twice, also when what had them is gone."""


def numbers_of(db: Database) -> dict[str, int]:
    """The last number that each of these tables has given."""
    return {table: db.last_number(table) for table in NUMBERED}
