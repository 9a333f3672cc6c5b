"""Is a row as it was written?

Every canonical row carries a checksum of all that it states. Where a field has the value that it has by itself, that is
left out: so a release that adds a field still knows the checksums of those before it, and a default never changes.
When a version was retired is not among it, since that comes later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import compress
from operator import ne
from typing import Any
from zlib import crc32

import msgspec
from msgspec import NODEFAULT

from recollect.errors import StoreDamaged
from recollect.store.base import Thing
from recollect.store.sql.database import Row
from recollect.store.sql.moment import is_possible
from recollect.store.sql.rows import columns_of, entity_row, record_row, relation_row, to_change, to_space
from recollect.store.sql.shapes import READERS, TABLES
from recollect.types import Change, Entity, Record, Relation, Space

_encode = msgspec.msgpack.Encoder().encode
_NEVER = object()
_AT = datetime(2000, 1, 1, tzinfo=UTC)
_REQUIRED: Mapping[str, object] = {"event_time": _AT, "created_at": _AT, "recorded_at": _AT, "valid_from": _AT}
ROWS: Mapping[type[Thing], Callable[[Any], Row]] = {Record: record_row, Entity: entity_row, Relation: relation_row}


_GO_ON = "run `recollect doctor`, which tells what is damaged and how to go on"
NOTED = (
    "entry", "at", "space", "verb", "object_type", "object_id", "before", "after", "actor", "reason", "undoes", "act",
    "stamp",
)  # fmt: skip
"""The columns of an entry, in the order in which they are sealed."""
SPACES = ("no", "name", "description", "created_at", "metadata")
"""Those of a space."""
_VERB, _SPACE = NOTED.index("verb"), NOTED.index("space")


def seal(values: Sequence[object]) -> int:
    """The checksum of some values; those that are None do not count."""
    return crc32(_encode([value for value in values if value is not None]))


def _usual(type_: type[Thing]) -> tuple[object, ...]:
    """The row of an object that says nothing; what it must say is like no value."""
    needed = [field.name for field in msgspec.structs.fields(type_) if _is_needed(field)]
    given: dict[str, Any] = {name: _REQUIRED.get(name, "") for name in needed}
    bare = type_(**given)
    columns = [
        name for name in type_.__struct_fields__ if name not in ("version", "space", "access_count", "last_access")
    ]
    return tuple(_NEVER if name in needed else value for name, value in zip(columns, ROWS[type_](bare), strict=True))


def _is_needed(field: msgspec.structs.FieldInfo) -> bool:
    return field.default is NODEFAULT and field.default_factory is NODEFAULT


_USUAL = {type_: _usual(type_) for type_ in ROWS}


def seal_version(type_: type[Thing], version: int, space_no: int, row: Sequence[object]) -> int:
    """The checksum of a version, given the values of its columns; where one may be None, it is so by itself."""
    return crc32(_encode((version, space_no, list(compress(row, map(ne, row, _USUAL[type_]))))))


def read_versions(type_: type[Thing], rows: Sequence[Row]) -> list[Thing]:
    """Rows of `select_things` as objects, each of which must be as it was written."""
    read = READERS[type_]
    try:
        for row in rows:
            if not _holds(type_, row):
                raise _damaged(type_, row)
        return [read(row) for row in rows]
    except (msgspec.DecodeError, ValueError, TypeError, OverflowError, AttributeError) as error:
        broken = next((row for row in rows if not _is_readable(type_, row)), rows[0])
        raise _damaged(type_, broken) from error


def read_changes(rows: Sequence[Row]) -> list[Change]:
    """Rows of the journal, with the columns of `NOTED` and the checksum, each of which must be as it was written."""
    try:
        for row in rows:
            unsealed = row[-1] is None and isinstance(row[_VERB], str)  # of an earlier release, and not yet given one
            if not unsealed and row[-1] != seal(row[:-1]):
                raise _damaged_entry(row)
        return [to_change(row) for row in rows]
    except (ValueError, TypeError, OverflowError) as error:
        raise _damaged_entry(rows[0]) from error


def is_sound_entry(row: Row) -> bool:
    """Is an entry, with the columns of `NOTED` and the checksum, as it was written? Of one of an earlier release, which
    has none, it is only known whether it can be read, and is of a time that there can be.
    """
    if row[-1] is not None:
        return row[-1] == seal(row[:-1])
    try:
        to_change(row)
    except (ValueError, TypeError, OverflowError):
        return False
    return is_possible(row[NOTED.index("at")], row[NOTED.index("stamp")])


def is_sound_space(row: Row) -> bool:
    """The same of a space, with the columns of `SPACES` and the checksum."""
    if row[-1] is not None:
        return row[-1] == seal(row[:-1])
    try:
        to_space(row[1:])
    except (ValueError, TypeError, OverflowError):
        return False
    return True


def read_spaces(rows: Sequence[Row]) -> list[Space]:
    """The spaces of rows, with their columns in the order of `Space`."""
    try:
        return [to_space(row) for row in rows]
    except (ValueError, TypeError, OverflowError) as error:
        names = ", ".join(f"{row[0]!r}"[:200] for row in rows[:3])
        raise StoreDamaged(f"a space (of {names}) is not as it was written; {_GO_ON}") from error


def _damaged_entry(row: Row) -> StoreDamaged:
    return StoreDamaged(f"entry {row[0]} of the journal (space {row[_SPACE]}) is not as it was written; {_GO_ON}")


def _holds(type_: type[Thing], row: Row) -> bool:
    checksum = row[-3] if type_ is Record else row[-2]
    return checksum is None or checksum == seal_row(type_, row)


def seal_row(type_: type[Thing], row: Row) -> int:
    """The checksum of a row of `select_things`.

    At its end stand the checksum that it has, the space's number and, of a record, what confidence it states.
    """
    if type_ is not Record:
        return seal_version(type_, row[0], row[-1], row[2:-2])
    values = list(row[2:-5])
    values[_CONFIDENCE] = row[-1]
    return seal_version(Record, row[0], row[-2], values)


_CONFIDENCE = columns_of(Record).index("confidence")


def is_sound(type_: type[Thing], row: Row) -> bool:
    """Is a row of `select_things` as it was written, and can it be read?"""
    return _is_readable(type_, row) and _holds(type_, row)


def _is_readable(type_: type[Thing], row: Row) -> bool:
    try:
        READERS[type_](row)
        _encode(row)
    except (msgspec.DecodeError, ValueError, TypeError, OverflowError, AttributeError):
        return False
    return True


def _damaged(type_: type[Thing], row: Row) -> StoreDamaged:
    return StoreDamaged(f"version {row[0]} of {TABLES[type_]} (space {row[1]}) is not as it was written; {_GO_ON}")
