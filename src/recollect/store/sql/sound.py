"""Which canonical rows are not as they were written?"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.store.base import Thing, names_of
from recollect.store.sql.database import Database, Row
from recollect.store.sql.rows import to_entity
from recollect.store.sql.seal import NOTED, is_sound, seal
from recollect.store.sql.sealing import SPACES
from recollect.store.sql.shapes import TABLES, select_things
from recollect.types import Entity

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
    yield from _broken_names(db)


def broken_versions(db: Database, type_: type[Thing]) -> Iterator[Row]:
    """The rows of versions that cannot be read or do not hold what they held."""
    key = f"{TABLES[type_]}.version"
    rows = _rows(db, f"{select_things(type_, stated=True)} WHERE {key} > ?", key)
    return (row for row in rows if not is_sound(type_, row))


def _broken(db: Database, table: str, key: str, columns: tuple[str, ...]) -> Iterator[Row]:
    """The rows of a table whose checksum is not that of their columns."""
    rows = _rows(db, f"SELECT {', '.join(columns)}, checksum FROM {table} WHERE {key} > ?", key)
    return (row for row in rows if row[-1] is not None and row[-1] != seal(row[:-1]))


def _rows(db: Database, sql: str, key: str) -> Iterator[Row]:
    """What a query finds whose first column is a key and must be above a number, some rows at a time."""
    after = -1
    while True:
        rows = db.rows(f"{sql} ORDER BY {key} LIMIT ?", (after, _AT_ONCE))
        yield from rows
        if len(rows) < _AT_ONCE:
            return
        after = rows[-1][0]


def _broken_names(db: Database) -> Iterator[str]:
    """Do the names that entities are looked up by say what the entities say?

    What an entity that is damaged itself was called is not known.
    """
    held = {(number, entity, name) for number, name, entity in db.rows("SELECT space_no, name, entity FROM names")}
    said: set[tuple[object, ...]] = set()
    damaged: set[tuple[object, ...]] = set()
    sql = f"{select_things(Entity)} WHERE entities.version > ? AND entities.retired_at IS NULL"
    for row in _rows(db, sql, "entities.version"):
        if is_sound(Entity, row):
            said |= {(row[-1], row[2], name) for name in names_of(to_entity(row))}
        else:
            damaged.add((row[-1], row[2]))
    wrong = {line for line in held ^ said if line[:2] not in damaged}
    if wrong:
        yield f"{len(wrong)} names of entities are not what the entities say; run `recollect reindex`"


def _told(table: str, key: str, found: list[int]) -> Iterator[str]:
    if found:
        named = ", ".join(map(str, found[:_MOST_NAMED])) + (", …" if len(found) > _MOST_NAMED else "")
        rows = "row is" if len(found) == 1 else "rows are"
        yield f"{len(found)} {rows} not as written: {table} {key} {named}; run `recollect doctor --repair`"
