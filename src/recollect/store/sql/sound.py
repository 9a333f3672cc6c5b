"""Which canonical rows are not as they were written?"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.store.base import Thing
from recollect.store.sql.database import Database, Row
from recollect.store.sql.seal import NOTED, is_sound, seal
from recollect.store.sql.sealing import SPACES
from recollect.store.sql.shapes import TABLES, select_things

_AT_ONCE = 2_000
_MOST_NAMED = 5


def broken_rows(db: Database) -> Iterator[str]:
    """Of each table how many rows are damaged, and which; nothing when all are sound."""
    for type_, table in TABLES.items():
        yield from _told(table, "version", [row[0] for row in broken_versions(db, type_)])
    yield from _told("spaces", "no", [row[0] for row in _broken(db, "spaces", "no", SPACES)])
    yield from _told("journal", "entry", [row[0] for row in _broken(db, "journal", "entry", NOTED)])
    count: int = db.rows(
        "SELECT count(*) FROM records WHERE space_no NOT IN (SELECT no FROM spaces)",
    )[0][0]
    if count:
        yield f"{count} records belong to no space"


def broken_versions(db: Database, type_: type[Thing]) -> Iterator[Row]:
    """The rows of versions that cannot be read or do not hold what they held."""
    table, after = TABLES[type_], -1
    while True:
        sql = f"{select_things(type_, stated=True)} WHERE {table}.version > ? ORDER BY {table}.version LIMIT ?"
        rows = db.rows(sql, (after, _AT_ONCE))
        yield from (row for row in rows if not is_sound(type_, row))
        if len(rows) < _AT_ONCE:
            return
        after = rows[-1][0]


def _broken(db: Database, table: str, key: str, columns: tuple[str, ...]) -> Iterator[Row]:
    """The rows of a table whose checksum is not that of their columns."""
    after = -1
    while True:
        sql = f"SELECT {', '.join(columns)}, checksum FROM {table} WHERE {key} > ? ORDER BY {key} LIMIT ?"
        rows = db.rows(sql, (after, _AT_ONCE))
        yield from (row for row in rows if row[-1] is not None and row[-1] != seal(row[:-1]))
        if len(rows) < _AT_ONCE:
            return
        after = rows[-1][0]


def _told(table: str, key: str, found: list[int]) -> Iterator[str]:
    if found:
        named = ", ".join(map(str, found[:_MOST_NAMED])) + (", …" if len(found) > _MOST_NAMED else "")
        rows = "row is" if len(found) == 1 else "rows are"
        yield f"{len(found)} {rows} not as written: {table} {key} {named}; run `recollect doctor --repair`"
