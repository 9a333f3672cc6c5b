"""Which store keeps a memory, and where?

The only place outside a store's own package that knows which stores there are. A store is a file in a folder, unless a
URL says that it is a database.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from recollect.errors import ConfigError, RecollectError
from recollect.store.kept import Copied, Repaired
from recollect.store.search import VECTORS_MB
from recollect.store.sqlite import SqliteStore
from recollect.store.sqlite.connect import is_ours
from recollect.store.sqlite.file import is_there

if TYPE_CHECKING:
    from recollect.store.postgres import PostgresStore

_SQLITE_FILE = "recollect.db"
OURS = (_SQLITE_FILE, "recollect-", "config.toml", "spaces", "turns", "backups", "hooks.jsonl", ".owner-")
"""What the names of all files begin with that a memory keeps in its folder."""


class Place(Struct, frozen=True, kw_only=True):
    """Where a store is or would be: its file or address, what keeps it, and whether it is there and can be written."""

    shown: str
    engine: str
    version: str
    there: bool
    writable: bool
    problem: str | None = None


def shown_place(home: Path, url: str | None) -> str:
    """What a person who looks for the store goes by; no password is in it."""
    if url is None:
        return str(home / _SQLITE_FILE)
    return _postgres(url).shown(url)


def look_at(home: Path, url: str | None) -> Place:
    """Looks for a store without making one."""
    if url is not None:
        return _look_at_database(url)
    file = home / _SQLITE_FILE
    folder = next(parent for parent in file.parents if parent.exists())
    writable = os.access(folder, os.W_OK | os.X_OK) and (not file.exists() or os.access(file, os.W_OK))
    problem = None if writable else f"{file if file.exists() else home} cannot be written"
    if file.is_symlink() and not file.exists():
        problem = (
            f"{file} is a link to {file.readlink()}, and there is nothing: put back what was there (is its disk"
            " mounted?), or remove the link"
        )
    return Place(
        shown=str(file), engine="SQLite", version=sqlite3.sqlite_version, there=is_there(file), writable=writable,
        problem=problem,
    )  # fmt: skip


def _look_at_database(url: str) -> Place:
    store = _postgres(url)
    shown = store.shown(url)
    try:
        version, there, problem = store.look_at(url)
    except RecollectError as error:
        return Place(
            shown=shown, engine="PostgreSQL", version="unknown", there=False, writable=False, problem=str(error)
        )
    return Place(
        shown=shown, engine="PostgreSQL", version=version, there=there, writable=problem is None, problem=problem
    )


def _file_in(home: Path) -> Path:
    """The store in a folder. Behind a link it is the file that is linked to: beside that lie its log and its mark."""
    file = home / _SQLITE_FILE
    return file.resolve() if os.path.islink(file) else file  # of a folder that may not be looked into it says no


def open_store(
    home: Path, clock: Callable[[], datetime], url: str | None = None, *, vectors_mb: int | None = None
) -> SqliteStore | PostgresStore:
    """Opens the store at a URL, or else in a folder, or makes it; it may keep `vectors_mb` of vectors in memory."""
    if url is None:
        return SqliteStore(_file_in(home), clock, VECTORS_MB if vectors_mb is None else vectors_mb)
    return _postgres(url)(url, clock)


def _postgres(url: str) -> type[PostgresStore]:
    """The store that a URL asks for, whose libraries nobody else needs."""
    if not url.startswith(("postgresql://", "postgres://")):
        raise ConfigError(
            f"store: {url.partition(':')[0]}: is none of ours; a store's address begins with postgresql://"
        )
    try:
        from recollect.store.postgres import PostgresStore
    except ImportError as error:
        raise ConfigError(
            f'store: a PostgreSQL store needs a package more ({error.name}): pip install "recollect[postgres]"'
        ) from error
    return PostgresStore


def is_store(head: bytes) -> bool:
    """Is a file that begins so a store, or a copy of one?"""
    return is_ours(head)


def backup_store(home: Path, target: Path, now: datetime) -> Copied:
    """Copies the store in a folder, which may be in use, into a file that was read back."""
    from recollect.store.sqlite.backup import backup  # who only remembers needs none of this

    return backup(_file_in(home), target, now)


def restore_store(home: Path, source: Path, now: datetime, *, over: bool) -> Copied:
    """Makes a backup the store in a folder; one that is there is kept aside where `over` allows it."""
    from recollect.store.sqlite.backup import restore

    return restore(_file_in(home), source, now, over=over)


def read_back(source: Path) -> Copied:
    """Reads a backup as a restore does, and changes nothing."""
    from recollect.store.sqlite.backup import read_back

    return read_back(source)


def is_taken(home: Path) -> bool:
    """Is there anything in the place of a folder's store that a restore would put aside?"""
    from recollect.store.sqlite.backup import is_taken

    return is_taken(_file_in(home))


def repair_store(home: Path, problems: Callable[[], Sequence[str]], now: datetime) -> Repaired:
    """Saves what can be saved of the store in a folder, if something is wrong with it."""
    from recollect.store.sqlite.salvage import repair

    return repair(_file_in(home), problems, now)
