"""What stands in a SQLite file that somebody else wrote?

It is only ever read. A file with a write-ahead log beside it is read from a copy: SQLite would make files next to the
original otherwise, or overlook what the log holds.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeAlias

from recollect.errors import StoreError
from recollect.store.sqlite.file import HEADER, read_head

_HEAD, _LARGEST_PAGE = 100, 65_536
Row: TypeAlias = Mapping[str, object]


def is_sqlite(path: Path) -> bool:
    """Does a file begin like a database?"""
    try:
        head = read_head(path)
    except OSError:
        return False
    return head is None or head.startswith(HEADER)


def table_names(path: Path) -> frozenset[str]:
    """The tables of a file; none where it is no database."""
    if not is_sqlite(path):
        return frozenset()
    try:
        with _settled(path) as file, closing(_connect(file)) as connection:
            return frozenset(_names(connection))
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{path.name} cannot be read: {error}") from error


def _names(connection: sqlite3.Connection) -> set[str]:
    return {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def read_tables(path: Path, tables: Sequence[str]) -> dict[str, list[Row]]:
    """All rows of those tables that the file has, by the names of their columns."""
    try:
        with _settled(path) as file, closing(_connect(file)) as connection:
            there = _names(connection)
            return {table: _rows(connection, table) for table in tables if table in there}
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{path.name} cannot be read: {error}") from error


@contextmanager
def _settled(path: Path) -> Generator[Path]:
    """The file itself, or a copy together with its log."""
    log = path.with_name(f"{path.name}-wal")
    if not log.exists() or not log.stat().st_size:
        _require_whole(path)
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy.db")
        shutil.copyfile(path, copy)
        shutil.copyfile(log, copy.with_name("copy.db-wal"))
        yield copy


def _require_whole(path: Path) -> None:
    """A file must have the pages that it says it has: SQLite misses none before it comes to it."""
    head = read_head(path)
    if head is None:
        return
    size, pages = (int.from_bytes(head[at : at + width], "big") for at, width in ((16, 2), (28, 4)))
    is_told = head[24:28] == head[92:96] and size.bit_count() == 1  # early releases of SQLite leave it as it was
    wanted = pages * (size if size > 1 else _LARGEST_PAGE)
    if len(head) < _HEAD or (is_told and path.stat().st_size < wanted):
        raise StoreError(f"{path.name} is cut off: it has {path.stat().st_size:,} bytes of {wanted:,}")


def _connect(path: Path) -> sqlite3.Connection:
    """A connection that cannot write; without a log, the file is taken as it is."""
    settled = "" if path.with_name(f"{path.name}-wal").exists() else "&immutable=1"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro{settled}", uri=True)
    connection.text_factory = _decode
    return connection


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _rows(connection: sqlite3.Connection, table: str) -> list[Row]:
    cursor = connection.execute(f'SELECT * FROM "{table}"')
    columns = [str(column[0]) for column in cursor.description]
    return [dict(zip(columns, row, strict=True)) for row in cursor]
