"""What can be saved of a store that is damaged?

Every row that can be read and is as it was written goes into a new file; what is derived is made anew from those. The
old file is kept as it was, and beside it stand the rows that could be read but are not what they were. Nothing that is
canonical is dropped.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from recollect import private
from recollect.errors import NewerStore, NotFound, ReadOnlyStore, RecollectError, StoreDamaged, StoreError, StoreFull
from recollect.store.base import Thing
from recollect.store.kept import Repaired
from recollect.store.marks import BUCKETS, empty_bucket, is_as_written, missing_buckets, most_lost
from recollect.store.migrations import MIGRATIONS
from recollect.store.sql.database import Row
from recollect.store.sql.rows import to_json
from recollect.store.sql.seal import NOTED, SPACES, is_sound, is_sound_entry, is_sound_space, seal
from recollect.store.sql.shapes import COLUMNS, TABLES, quoted
from recollect.store.sqlite.backup import copied_with_its_log, put_in_place
from recollect.store.sqlite.connect import convert_error, is_unwritten, migrate, open_connection, refuse_newer
from recollect.store.sqlite.file import beside, check_file, forgotten, read_head

_TYPES: dict[str, type[Thing]] = {table: type_ for type_, table in TABLES.items()}
_NUMBERED = {"spaces": "no", "records": "version", "entities": "version", "relations": "version", "journal": "entry"}
"""Canonical tables, and what numbers their rows."""
_KEPT = ("accesses", "faded", "evicted", "moved", "messages", "shelves")
"""Bookkeeping: as much of it as can be read is taken over."""
_UNKNOWN = 1 << 20
"""The last number of a table that does not tell it."""
_MOST_BYTES = 1 << 40
_TABLE_PAGES = (b"\x05", b"\x0d")
"""How a page of a table begins."""


def repair(path: Path, problems: Callable[[], Sequence[str]], now: datetime) -> Repaired:
    """Saves what can be saved, if anything is wrong; `problems` opens the store and tells."""
    check_file(path)
    if not path.exists():
        raise NotFound(f"there is no store at {path}")
    refuse_newer(read_head(path) or b"", path)
    with forgotten(path):  # to go on with what is there, whatever was acknowledged, is what a repair is asked for
        return Repaired() if _is_well(problems) else _replace(path, now)


def _replace(path: Path, now: datetime) -> Repaired:
    """Puts a file with all that can be saved in the place of one that is damaged."""
    fresh = beside(path, ".new")
    try:
        fresh.unlink(missing_ok=True)
        private.make_file(fresh)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix="recollect-work-") as folder:
            old = copied_with_its_log(path, Path(folder))
            _lengthen(old)
            saved = _save(old, fresh)
    except (OSError, sqlite3.Error) as error:
        fresh.unlink(missing_ok=True)
        raise _no_room(path, error) from error
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    if saved is None or (saved.lost and not saved.kept):
        fresh.unlink(missing_ok=True)
        raise StoreDamaged(
            f"{path} is damaged, and nothing of it can be read: it was cut off or written over. Restore a backup with"
            " `recollect restore FILE --over`"
        )
    lines = [msgspec.json.encode(one).decode() for one in saved.broken]
    aside = put_in_place(path, fresh, now, "damaged")
    assert aside is not None
    told = Repaired(
        kept=saved.kept, set_aside=len(saved.broken), unreadable=saved.lost, kept_aside=str(aside),
        marks=saved.marks + sum(most_lost(str(one["shelf"])) for one in saved.broken if one["table"] == "shelves"),
    )  # fmt: skip
    private.write_text(aside / "rows.jsonl", "\n".join([*lines, ""]))
    return told


def _is_well(problems: Callable[[], Sequence[str]]) -> bool:
    try:
        return not problems()
    except NewerStore:
        raise  # of which nothing is known to be wrong
    except RecollectError:
        return False


def _no_room(path: Path, error: OSError | sqlite3.Error) -> StoreError:
    """Copies of a file that could be read so far cannot be written beside it."""
    why = error.strerror if isinstance(error, OSError) else error
    told = (
        f"{path} is not repaired, and nothing was changed: what a repair writes beside it cannot be written ({why});"
        " for a while it takes three times the room of the store"
    )
    return StoreFull(told) if getattr(error, "errno", errno.ENOSPC) == errno.ENOSPC else ReadOnlyStore(told)


class _Saved(Struct):
    """Rows on their way: how many are kept, which are not what they were, and how many cannot be read at all; and how
    many marks may have stood in rows that are missing.
    """

    kept: int = 0
    lost: int = 0
    marks: int = 0
    broken: list[dict[str, object]] = msgspec.field(default_factory=list[dict[str, object]])


def _lengthen(old: Path) -> None:
    """Gives a file that was cut off the length that it speaks of, or SQLite reads nothing of it."""
    with old.open("rb+") as file:
        head = file.read(100)
        length = int.from_bytes(head[16:18]) * int.from_bytes(head[28:32])
        if file.seek(0, os.SEEK_END) < length <= _MOST_BYTES:
            file.truncate(length)


def _name_tables(old: Path) -> None:
    """Puts right what a file says of its tables, where SQLite can make nothing of it: every release made them alike."""
    if _is_read(old):
        return
    with (
        closing(sqlite3.connect(old, isolation_level=None)) as source,
        closing(sqlite3.connect(":memory:", isolation_level=None)) as model,
    ):
        source.text_factory = _text
        source.execute("PRAGMA writable_schema = ON")  # what cannot be read is passed over
        for statements in MIGRATIONS[: source.execute("PRAGMA user_version").fetchone()[0]]:
            for statement in statements:
                model.execute(statement)
        made = {row[1]: row for row in model.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")}
        named = dict[str, int](source.execute("SELECT name, rowid FROM sqlite_master").fetchall())
        absent, unknown = made.keys() - named, named.keys() - made
        if len(absent) == len(unknown) == 1:
            named[absent.pop()] = named[unknown.pop()]
        change = "UPDATE sqlite_master SET type = ?, name = ?, tbl_name = ?, sql = ? WHERE rowid = ?"
        source.executemany(change, [(*made[name], number) for name, number in named.items() if name in made])


def _is_read(old: Path) -> bool:
    with closing(sqlite3.connect(old, isolation_level=None)) as source:
        try:
            source.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            return False
    return True


def _save(old: Path, fresh: Path) -> _Saved | None:
    """Takes over what can be read; None where the file does not even say what is where."""
    saved = _Saved()
    try:
        _name_tables(old)
        with closing(open_connection(fresh)) as to, closing(sqlite3.connect(old, isolation_level=None)) as source:
            source.text_factory = _text
            migrate(source, old)
            source.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()  # of the copy, whose pages are looked at
            to.execute("BEGIN IMMEDIATE")
            for table, key in _NUMBERED.items():
                _take(source, to, table, key, saved)
            for table in _KEPT:
                _take_what_can_be_read(source, to, table, saved)
            _take_spaces(to, saved)
            _fill_marks(to, saved)
            to.execute("INSERT OR IGNORE INTO tallies(space_no, records, length) SELECT no, 0, 0 FROM spaces")
            _take_numbers(source, to)
            to.execute("COMMIT")
            to.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except (sqlite3.Error, UnicodeDecodeError) as error:
        converted = convert_error(error, old)
        if isinstance(converted, StoreDamaged):
            return None
        if isinstance(error, sqlite3.Error) and is_unwritten(error):
            raise
        raise converted from error
    return saved


def _take(source: sqlite3.Connection, to: sqlite3.Connection, table: str, key: str, saved: _Saved) -> None:
    """Takes over the rows of a table that are as they were written."""
    columns = [row[1] for row in to.execute(f"PRAGMA table_info({table})")]
    listed = ", ".join(map(quoted, columns))
    insert = f"INSERT OR IGNORE INTO {table}({listed}) VALUES({', '.join('?' * len(columns))})"
    for row in _rows(source, f"SELECT {listed} FROM {table}", key, saved):
        if _is_whole(table, columns, row):
            to.execute(insert, row)
            saved.kept += 1
        else:
            _set_aside(saved, table, columns, row)


def _set_aside(saved: _Saved, table: str, columns: Sequence[str], row: Row) -> None:
    told = {"table": table, **{name: _json_value(value) for name, value in zip(columns, row, strict=True)}}
    if told not in saved.broken[-1:]:  # what is read from both ends comes twice
        saved.broken.append(told)


def _can_be_read(kept: Mapping[str, Any]) -> bool:
    """Is what is kept on a shelf JSON, and where it is a mark of something as it was written?"""
    try:
        msgspec.json.decode(kept["value"])
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError):
        return False
    return is_as_written(kept["shelf"], kept["key"], kept["value"])


def _take_spaces(to: sqlite3.Connection, saved: _Saved) -> None:
    """Spaces whose rows were lost, and what stands in them was not: each by the name that the journal knows, or that
    its row had, or by its number.
    """
    held = " UNION ".join(f"SELECT space_no FROM {table}" for table in _TYPES)
    lost = to.execute(f"SELECT space_no FROM ({held}) WHERE space_no NOT IN (SELECT no FROM spaces)").fetchall()
    said = {one["no"]: one["name"] for one in saved.broken if one["table"] == "spaces"}
    for (number,) in lost:
        told = to.execute(
            "SELECT journal.space, min(journal.at) FROM records JOIN journal ON journal.after = records.version"
            " AND journal.object_type = 'record' AND journal.object_id = records.id"
            " WHERE records.space_no = ? AND journal.space NOT IN (SELECT name FROM spaces)"
            " GROUP BY journal.space ORDER BY count(*) DESC LIMIT 1",
            (number,),
        ).fetchone()
        name, at = told or (said.get(number), 0)
        there = not isinstance(name, str) or to.execute("SELECT 1 FROM spaces WHERE name = ?", (name,)).fetchone()
        row = (number, f"space-{number}" if there else name, "", at, "{}")
        to.execute(f"INSERT INTO spaces({', '.join(SPACES)}, checksum) VALUES(?, ?, ?, ?, ?, ?)", (*row, seal(row)))


def _fill_marks(to: sqlite3.Connection, saved: _Saved) -> None:
    """Puts an empty row of marks where one of four was lost, or set aside."""
    aside = {(one["space_no"], one["key"]) for one in saved.broken if one.get("shelf") == BUCKETS.name}
    held: dict[int, list[str]] = {}
    for number, key in to.execute("SELECT space_no, key FROM shelves WHERE shelf = ?", (BUCKETS.name,)):
        held.setdefault(number, []).append(key)
    for number, keys in held.items():
        for key in missing_buckets(keys):
            row = (number, BUCKETS.name, key, to_json(empty_bucket(key)))
            to.execute("INSERT INTO shelves(space_no, shelf, key, value) VALUES(?, ?, ?, ?)", row)
            saved.marks += 0 if (number, key) in aside else most_lost(BUCKETS.name)


def _is_whole(table: str, columns: Sequence[str], row: Row) -> bool:
    held = dict(zip(columns, row, strict=True))
    if any(isinstance(value, _Unreadable) for value in row):
        return False
    if table == "journal":
        return is_sound_entry((*(held[name] for name in NOTED), held["checksum"]))
    if table == "spaces":
        return is_sound_space((*(held[name] for name in SPACES), held["checksum"]))
    type_ = _TYPES[table]
    values = [held[name] for name in COLUMNS[type_]]
    tail = [held["checksum"], held["space_no"]]
    if table == "records":
        return is_sound(type_, (held["version"], "", *values, 0, None, *tail, held["confidence"]))
    return is_sound(type_, (held["version"], "", *values, *tail))


def _rows(source: sqlite3.Connection, sql: str, key: str, saved: _Saved) -> Iterator[Row]:
    """All rows that can be read, whichever pages between them cannot."""
    table = sql.rpartition(" ")[2]
    last = _last_number(source, table)
    yield from _numbered_wrongly(source, sql, key, last)
    ranges = [(0, last)]
    while ranges:
        low, high = ranges.pop()
        try:
            found = source.execute(f"{sql} WHERE {key} > ? AND {key} <= ? ORDER BY {key}", (low, high)).fetchall()
        except sqlite3.DatabaseError:
            if high - low <= 1 or not _has_root(source, table):
                saved.lost += 1 if last == _UNKNOWN else high - low
                continue
            middle = (low + high) // 2
            ranges += [(middle, high), (low, middle)]
            continue
        yield from found


def _numbered_wrongly(source: sqlite3.Connection, sql: str, key: str, last: int) -> Iterator[Row]:
    """Rows whose number was never given: they are damaged, and are set aside as far as they can be read."""
    for beyond, number in (("<= ?", 0), ("> ?", last)):
        try:
            yield from source.execute(f"{sql} WHERE {key} {beyond}", (number,)).fetchall()
        except sqlite3.DatabaseError as error:
            if is_unwritten(error):
                raise


def _has_root(source: sqlite3.Connection, table: str) -> bool:
    """Is the page there at which a table begins? Without it no row is found, whichever number it has."""
    try:
        root: int = source.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]
        size: int = source.execute("PRAGMA page_size").fetchone()[0]
        file: str = source.execute("PRAGMA database_list").fetchone()[2]
    except (sqlite3.DatabaseError, TypeError):
        return False
    with open(file, "rb") as pages:
        pages.seek((root - 1) * size)
        return pages.read(1) in _TABLE_PAGES


def _last_number(source: sqlite3.Connection, table: str) -> int:
    try:
        row = source.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        return 0 if row is None else row[0]
    except sqlite3.DatabaseError:
        return _UNKNOWN


def _take_numbers(source: sqlite3.Connection, to: sqlite3.Connection) -> None:
    """No number is ever given twice, whatever was lost."""
    for table in _NUMBERED:
        last = _last_number(source, table)
        if to.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (last, table)).rowcount == 0:
            to.execute("INSERT INTO sqlite_sequence(name, seq) VALUES(?, ?)", (table, last))


def _take_what_can_be_read(source: sqlite3.Connection, to: sqlite3.Connection, table: str, saved: _Saved) -> None:
    """Bookkeeping has no numbers to go by: it is read from both ends, up to where it cannot be."""
    named = [row[1] for row in to.execute(f"PRAGMA table_info({table})")]
    columns, marks = ", ".join(named), ", ".join("?" * len(named))
    for order in ("ASC", "DESC"):
        try:
            for row in source.execute(f"SELECT {columns} FROM {table} ORDER BY 1 {order}"):
                if table == "shelves" and not _can_be_read(dict(zip(named, row, strict=True))):
                    _set_aside(saved, table, named, row)
                elif not any(isinstance(value, _Unreadable) for value in row):
                    to.execute(f"INSERT OR IGNORE INTO {table}({columns}) VALUES({marks})", row)
        except sqlite3.DatabaseError as error:
            if is_unwritten(error):
                raise
            continue
        return


class _Unreadable(str):
    """A text that is no UTF-8, with what cannot be read replaced."""

    __slots__ = ()


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _Unreadable(data.decode("utf-8", "backslashreplace"))


def _json_value(value: object) -> object:
    return value.hex() if isinstance(value, bytes) else str(value) if isinstance(value, str) else value
