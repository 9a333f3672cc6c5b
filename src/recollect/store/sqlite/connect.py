"""How is a file of SQLite opened, brought to today's shape, and what do its errors mean?"""

from __future__ import annotations

import sqlite3
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self, TypeVar

import msgspec

from recollect.errors import (
    NewerStore,
    NotAStore,
    ReadOnlyStore,
    RecollectError,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
)  # fmt: skip
from recollect.store.migrations import MIGRATIONS

_APPLICATION_ID = 0x52434C54  # "RCLT": tells a Recollect file from any other database
BUSY_SECONDS = 30.0
_LOOK_SECONDS = 0.001  # between two looks whether others are done
_READING_KIB, _WRITING_KIB = 2_048, 16_384  # of pages that a connection keeps: to read, more of them change nothing
_LOG_PAGES = 8_000  # 32 MB; a batch changes a page of every index many times, and the file should get it once
_SETTINGS = (
    "journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", "temp_store = MEMORY",
    f"cache_size = -{_READING_KIB}", f"wal_autocheckpoint = {_LOG_PAGES}",
)  # fmt: skip

X = TypeVar("X")

UNREADABLE = (
    TypeError, ValueError, OverflowError, LookupError, AttributeError, AssertionError, struct.error,
    msgspec.MsgspecError,
)  # fmt: skip
"""What reading rows raises that are not what anybody wrote: a number is a text, a text is no text."""
_NO_TEXT = "Could not decode to UTF-8"  # as Python's module says it of a column


def comes_of_rows(error: BaseException) -> bool:
    """Was an error raised where rows are read, and not by whoever asked for them?"""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return place is not None and str(place.tb_frame.f_globals.get("__name__")).startswith("recollect.store.")


def damaged(path: Path, what: object) -> StoreDamaged:
    return StoreDamaged(
        f"{path} is damaged ({what}); run `recollect doctor`. `recollect doctor --repair` saves what"
        " can be read, `recollect restore FILE --over` puts a backup in its place"
    )


def convert_error(error: sqlite3.Error | UnicodeDecodeError, path: Path) -> RecollectError:
    """What an error of SQLite means to the person whose store it is.

    Where what a file says of its tables is no text any more, Python cannot even tell SQLite's message.
    """
    if isinstance(error, UnicodeDecodeError):
        return damaged(path, "what it says of its tables is no text")
    code = _code_of(error)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusy(f"{path} is locked by another process, which did not let go of it in time; try again")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return ReadOnlyStore(f"{path} cannot be written: {error}")
    if code == sqlite3.SQLITE_FULL or getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_SHMSIZE:
        return StoreFull(f"the disk that holds {path} is full; nothing was changed")
    if code == sqlite3.SQLITE_NOTADB:
        return NotAStore(f"{path} is not a Recollect store: {error}")
    if code == sqlite3.SQLITE_CANTOPEN:
        return ReadOnlyStore(
            f"{path} cannot be opened for writing ({error}), without which it is not read either: where it can only be"
            " read, copy its folder to another disk, and name that with --home"
        )
    if code == sqlite3.SQLITE_IOERR:
        return StoreError(
            f"{path} cannot be read or written ({error}): the disk failed, or a file of the store was cut off while it"
            " was open. Nothing was changed; start this program again, and run `recollect doctor`"
        )
    if code == sqlite3.SQLITE_CORRUPT or str(error).startswith(_NO_TEXT):
        return damaged(path, error)
    return StoreError(f"{path}: {error}")


_OF_WRITING = (
    sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_CLOSE, sqlite3.SQLITE_IOERR_SHMSIZE,
)  # fmt: skip


def is_unwritten(error: sqlite3.Error) -> bool:
    """Could something not be written, since the disk is full or fails?"""
    return _code_of(error) == sqlite3.SQLITE_FULL or getattr(error, "sqlite_errorcode", 0) in _OF_WRITING


def _code_of(error: sqlite3.Error) -> int:
    """What kind of error it is; 0 for those that Python's module raises by itself."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def wait_for(act: Callable[[], X], seconds: float = BUSY_SECONDS) -> X:
    """Does something that others may be in the way of, as soon as they are not.

    SQLite does not wait at all while others turn the log on in a new file. Elsewhere it would look again ever more
    seldom, up to ten times a second: who waits like that beside somebody who writes much in small steps can miss every
    gap. So we look ourselves.
    """
    deadline: float | None = None
    while True:
        try:
            return act()
        except sqlite3.OperationalError as error:
            now = time.monotonic()
            deadline = deadline or now + seconds
            if _code_of(error) != sqlite3.SQLITE_BUSY or now > deadline:
                raise
        time.sleep(_LOOK_SECONDS)


def open_connection(path: Path) -> sqlite3.Connection:
    """A connection to a store, which is made where the file is empty."""
    connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        _prepare(connection, path)
    except UnicodeDecodeError as error:
        connection.close()
        raise convert_error(error, path) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Looks before anything is set: a file that is not ours is left as it is."""
    if not wait_for(lambda: format_of(connection, path)):
        wait_for(lambda: connection.execute("PRAGMA auto_vacuum = INCREMENTAL"))
        migrate(connection, path)  # everything is there before the log begins: no file is ever empty without it
    for setting in _SETTINGS:
        wait_for(lambda pragma=f"PRAGMA {setting}": connection.execute(pragma))


class Room:
    """How many pages a connection keeps while it writes: more where a transaction changes some of them many times.

    Most write a record or two, for which saying so would take longer than what it saves.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._is_wide = False

    def widen(self) -> None:
        if not self._is_wide:
            self._connection.execute(f"PRAGMA cache_size = -{_WRITING_KIB}")
            self._is_wide = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_wide:
            self._connection.execute(f"PRAGMA cache_size = -{_READING_KIB}")


def migrate(connection: sqlite3.Connection, path: Path, before: Callable[[int], object] = lambda _: None) -> None:
    """Brings a file to today's shape, in one transaction. Where it has another, `before` is told which first."""
    held = wait_for(lambda: format_of(connection, path))
    if held == len(MIGRATIONS):
        return
    if held:
        before(held)
    wait_for(lambda: connection.execute("BEGIN IMMEDIATE"))
    done = wait_for(lambda: format_of(connection, path))
    if done == len(MIGRATIONS):  # by somebody else, meanwhile
        connection.execute("ROLLBACK")
        return
    for statements in MIGRATIONS[done:]:
        for statement in statements:
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    wait_for(lambda: connection.execute("COMMIT"))


def format_of(connection: sqlite3.Connection, path: Path) -> int:
    """Which of our formats a file has; 0 where it is empty."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    application: int = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != _APPLICATION_ID:
        tables: int = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables or version:
            raise NotAStore(f"{path} is a SQLite database, but not one of Recollect's")
    _require_known(version, path)
    return version


def is_ours(head: bytes) -> bool:
    """Does a file that begins so keep a memory, of whichever format?"""
    return int.from_bytes(head[68:72]) == _APPLICATION_ID


def refuse_newer(head: bytes, path: Path) -> None:
    """Refuses a file of a newer format by how it begins, before SQLite makes anything beside it."""
    if is_ours(head):
        _require_known(int.from_bytes(head[60:64]), path)


def _require_known(version: int, path: Path) -> None:
    if version > len(MIGRATIONS):
        raise NewerStore(
            f"{path} was written by a newer Recollect (format {version}, this one knows up to"
            f" {len(MIGRATIONS)}); upgrade with `pip install --upgrade recollect`"
        )
