"""Which canonical rows are not as they were written?"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from recollect.store.base import Thing, names_of
from recollect.store.marks import BUCKETS, MARKS, is_as_written, missing_buckets, most_lost
from recollect.store.sql.database import Database, Row
from recollect.store.sql.rows import to_entity
from recollect.store.sql.seal import NOTED, SPACES, is_sound, is_sound_entry, is_sound_space
from recollect.store.sql.shapes import TABLES, select_things
from recollect.types import Entity

_AT_ONCE = 2_000
_MOST_NAMED = 5
_GO_ON = "run `recollect doctor --repair`"


def broken_rows(
    db: Database, *, besides: Collection[str] = (), writers: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Of each table how many rows are damaged, which, and in which spaces; nothing when all are sound. What is wrong in
    spaces that are not meant is passed over. `writers` says who else may write to a space.
    """
    for type_, table in TABLES.items():
        yield from _sentences(
            table, "version", [(row[0], row[1]) for row in broken_versions(db, type_)], besides, writers
        )
    for table, key, columns, space, sound in (
        ("spaces", "no", SPACES, 1, is_sound_space),
        ("journal", "entry", NOTED, 2, is_sound_entry),
    ):
        found = [(row[0], row[space]) for row in _numbered(db, table, key, columns) if not sound(row)]
        yield from _sentences(table, key, found, besides, writers)
    count: int = db.rows(
        "SELECT count(*) FROM records WHERE space_no NOT IN (SELECT no FROM spaces)",
    )[0][0]
    if count:
        yield f"{count} records belong to no space"
    yield from _broken_marks(db, besides)
    yield from _broken_names(db)


def broken_versions(db: Database, type_: type[Thing]) -> Iterator[Row]:
    """The rows of versions that cannot be read or do not hold what they held."""
    key = f"{TABLES[type_]}.version"
    rows = _rows(db, f"{select_things(type_, stated=True)} WHERE {key} > ?", key)
    return (row for row in rows if not is_sound(type_, row))


def _numbered(db: Database, table: str, key: str, columns: tuple[str, ...]) -> Iterator[Row]:
    """The rows of a table, each with its checksum."""
    return _rows(db, f"SELECT {', '.join(columns)}, checksum FROM {table} WHERE {key} > ?", key)


def _rows(db: Database, sql: str, key: str) -> Iterator[Row]:
    """What a query finds whose first column is a key and must be above a number, some rows at a time."""
    after = -(1 << 63)  # what is damaged may have any number
    while True:
        rows = db.rows(f"{sql} ORDER BY {key} LIMIT ?", (after, _AT_ONCE))
        yield from rows
        if len(rows) < _AT_ONCE:
            return
        after = rows[-1][0]


def _broken_marks(db: Database, besides: Collection[str]) -> Iterator[str]:
    """Can it still be told what is gone for good?"""
    shelves = ", ".join(f"'{shelf.name}'" for shelf in MARKS)
    for number, name in db.rows("SELECT no, name FROM spaces ORDER BY no"):
        rows = db.rows(f"SELECT shelf, key, value FROM shelves WHERE space_no = ? AND shelf IN ({shelves})", (number,))
        if str(name) in besides:
            continue
        if missing := missing_buckets(str(key) for shelf, key, _ in rows if shelf == BUCKETS.name):
            yield (
                f"{len(missing) * most_lost(BUCKETS.name)} marks or more of what was forgotten or evicted may be"
                f" missing (space {name}, {len(missing)} of their rows): what they stand for could come back by an old"
                f" export or file; {_GO_ON}, which puts empty rows in their place, or restore a backup"
            )
        broken = [shelf for shelf, key, value in rows if not is_as_written(shelf, key, value)]
        if broken:
            lost = sum(map(most_lost, broken))
            yield (
                f"up to {lost} marks of what was forgotten or evicted are not as written (space {name}): what they"
                f" stand for could come back by an old export or file; {_GO_ON}, which sets them aside"
            )


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


def _sentences(
    table: str,
    key: str,
    broken: Sequence[tuple[int, object]],
    besides: Collection[str],
    writers: Mapping[str, str] | None,
) -> Iterator[str]:
    found = [(number, str(space)) for number, space in broken if space not in besides]
    if found:
        named = _few([str(number) for number, _ in found])
        spaces = sorted({space for _, space in found})
        who = writers or {}
        where = _few([f"{one}, which {who[one]} may write to" if one in who else one for one in spaces])
        rows = "row is" if len(found) == 1 else "rows are"
        yield f"{len(found)} {rows} not as written: {table} {key} {named} (space {where}); {_GO_ON}"


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")
