"""How is a memory kept in one SQLite file that several processes share?"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from recollect.errors import (
    NewerStore,
    NotAStore,
    ReadOnlyStore,
    RecollectError,
    StoreBusy,
    StoreError,
    StoreFull,
)  # fmt: skip
from recollect.store.base import Changes
from recollect.store.migrations import MIGRATIONS
from recollect.store.sql.derived import Derived
from recollect.store.sql.edit import SqlEdit
from recollect.store.sql.index import Search
from recollect.store.sql.rows import to_micros, to_moment
from recollect.store.sql.view import SqlView
from recollect.store.sqlite.database import SqliteDatabase
from recollect.store.sqlite.turn import FileTurn
from recollect.store.sqlite.vectors import VectorTables
from recollect.store.sqlite.words import Words
from recollect.types import Change

if TYPE_CHECKING:
    from recollect.store.sqlite.cache import Cache

_APPLICATION_ID = 0x52434C54  # "RCLT": tells a Recollect file from any other database
_HEADER = b"SQLite format 3\0"
_BUSY_SECONDS = 30.0
_FOLLOW_SECONDS = 0.1  # between two looks at the journal
_LOOK_SECONDS = 0.001  # between two looks whether others are done
_CACHE_KIB = 16_384
_LOG_PAGES = 8_000  # 32 MB; a batch changes a page of every index many times, and the file should get it once
_SETTINGS = (
    "journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", "temp_store = MEMORY",
    f"cache_size = -{_CACHE_KIB}", f"wal_autocheckpoint = {_LOG_PAGES}",
)  # fmt: skip
_TICK = timedelta(microseconds=1)

X = TypeVar("X")


def convert_error(error: sqlite3.Error, path: Path) -> RecollectError:
    """What an error of SQLite means to the person whose store it is."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusy(f"{path} was locked by another process for over {_BUSY_SECONDS:.0f} s; try again")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return ReadOnlyStore(f"{path} cannot be written: {error}")
    if code == sqlite3.SQLITE_FULL:
        return StoreFull(f"the disk that holds {path} is full; nothing was changed")
    if code == sqlite3.SQLITE_NOTADB:
        return NotAStore(f"{path} is not a Recollect store: {error}")
    if code == sqlite3.SQLITE_CANTOPEN:
        return ReadOnlyStore(f"{path} cannot be opened for writing: {error}")
    if code == sqlite3.SQLITE_CORRUPT:
        return StoreError(f"{path} is damaged ({error}); run `recollect doctor`")
    return StoreError(f"{path}: {error}")


def _check_header(path: Path) -> None:
    """A file shorter than a page would be taken for an empty one by SQLite, and written over."""
    try:
        with path.open("rb") as file:
            head = file.read(len(_HEADER))
    except FileNotFoundError:
        return
    except OSError as error:
        raise ReadOnlyStore(f"{path} cannot be opened: {error.strerror}") from error
    if head and head != _HEADER:
        raise NotAStore(f"{path} is not a Recollect store: it is not a database")


def _wait_for(act: Callable[[], X]) -> X:
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
            deadline = deadline or now + _BUSY_SECONDS
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or now > deadline:
                raise
        time.sleep(_LOOK_SECONDS)


def _cache_of_its_own() -> Cache:
    """A transaction that may yet be undone leaves nothing in the memory that others share."""
    from recollect.store.sqlite.cache import Cache  # brings in numpy

    return Cache(shared=False)


class SqliteStore:
    """A pool of connections to one file. Safe for any number of threads and processes."""

    def __init__(self, path: Path, clock: Callable[[], datetime]) -> None:
        self._path = path
        self._clock = clock
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._closed = False
        self._cache: Cache | None = None
        _check_header(path)
        try:
            with self._converted(), self._connection() as connection:
                self._migrate(connection)
        except RecollectError:
            self.close()
            raise

    @property
    def location(self) -> str:
        return str(self._path)

    @property
    def folder(self) -> Path:
        return self._path.parent

    # Connections

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        _wait_for(lambda: self._version(connection))  # before anything is set: a file not ours is left as it is
        for setting in _SETTINGS:
            _wait_for(lambda pragma=f"PRAGMA {setting}": connection.execute(pragma))

    @contextmanager
    def _connection(self) -> Generator[sqlite3.Connection]:
        with self._lock:
            if self._closed:
                raise StoreError(f"{self._path} is closed")
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = self._connect()
        try:
            yield connection
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            with self._lock:
                if self._closed:
                    connection.close()
                else:
                    self._idle.append(connection)

    @contextmanager
    def _converted(self) -> Generator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise convert_error(error, self._path) from error

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    # Shape

    def _migrate(self, connection: sqlite3.Connection) -> None:
        if _wait_for(lambda: self._version(connection)) == len(MIGRATIONS):
            return
        _wait_for(lambda: connection.execute("BEGIN IMMEDIATE"))
        done = self._version(connection)
        for statements in MIGRATIONS[done:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")

    def _version(self, connection: sqlite3.Connection) -> int:
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        application: int = connection.execute("PRAGMA application_id").fetchone()[0]
        if application != _APPLICATION_ID:
            tables: int = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if tables or version:
                raise NotAStore(f"{self._path} is a SQLite database, but not one of Recollect's")
        if version > len(MIGRATIONS):
            raise NewerStore(
                f"{self._path} was written by a newer Recollect (format {version}, this one knows up to"
                f" {len(MIGRATIONS)}); upgrade with `pip install --upgrade recollect`"
            )
        return version

    # Reading and writing

    @contextmanager
    def read(self) -> Generator[SqlView]:
        with self._converted(), self._connection() as connection:
            connection.execute("BEGIN")
            last = _wait_for(lambda: self._last_moment(connection))
            now = self._clock()
            now = now if last is None else max(now, last)
            yield SqlView(SqliteDatabase(connection), now, *self._index(connection, now, self._shared))

    @contextmanager
    def write(self, *, actor: str | None = None) -> Generator[SqlEdit]:
        with self._converted(), self._writing, self._connection() as connection:
            _wait_for(lambda: connection.execute("BEGIN IMMEDIATE"))
            now = self._next_moment(connection)
            edit = SqlEdit(SqliteDatabase(connection), now, *self._index(connection, now, _cache_of_its_own), actor)
            yield edit
            edit.finish()
            connection.execute("COMMIT")

    def _index(
        self, connection: sqlite3.Connection, now: datetime, cache: Callable[[], Cache]
    ) -> tuple[Derived, Callable[[], Search]]:
        """What is derived, as a connection sees it, and what searches it once something is asked."""
        words, vectors = Words(connection), VectorTables(connection)

        def search() -> Search:
            from recollect.store.sqlite.search import SqliteSearch  # brings in numpy

            return SqliteSearch(connection, words, vectors, to_micros(now), cache())

        return Derived(SqliteDatabase(connection), words, vectors), search

    def _shared(self) -> Cache:
        """What is kept in memory for all views; nothing, before something is asked."""
        from recollect.store.sqlite.cache import Cache  # brings in numpy

        with self._lock:
            if self._cache is None:
                self._cache = Cache()
            return self._cache

    def _next_moment(self, connection: sqlite3.Connection) -> datetime:
        """Now, but after every earlier transaction, whatever the clock says: `as_of` depends on it."""
        last = self._last_moment(connection)
        now = self._clock()
        return now if last is None or to_micros(now) > to_micros(last) else last + _TICK

    def _last_moment(self, connection: sqlite3.Connection) -> datetime | None:
        """When the last transaction happened: no reader is earlier, or what it began would not hold yet."""
        row = connection.execute("SELECT at FROM journal ORDER BY entry DESC LIMIT 1").fetchone()
        return None if row is None else to_moment(row[0])

    # Other processes

    def turn(self, *names: str, stop: threading.Event | None = None) -> FileTurn:
        return FileTurn(self._path.parent / "turns", names, stop)

    def follow(self, after: int, seconds: float, *, limit: int = 1000) -> list[Change]:
        """Other processes write the same file, so all there is to do is to look now and then."""
        deadline = time.monotonic() + seconds
        while True:
            with self.read() as view:
                changes = view.journal(Changes(after=after), limit=limit)
            left = deadline - time.monotonic()
            if changes or left <= 0:
                return changes
            time.sleep(min(left, _FOLLOW_SECONDS))

    # Care

    def scrub(self) -> bool:
        """Writes the log into the file and empties it, so that nothing erased lingers there."""
        with self._converted(), self._writing, self._connection() as connection:
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000:.0f}")
            kept_busy: int = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            connection.execute("PRAGMA busy_timeout = 0")
        return not kept_busy

    def check(self) -> Iterator[str]:
        with self._converted(), self._connection() as connection:
            for (line,) in _wait_for(lambda: connection.execute("PRAGMA integrity_check(20)").fetchall()):
                if line != "ok":
                    yield f"damaged file: {line}"
            connection.execute("BEGIN")
            for question, problem in _CHECKS:
                count: int = _wait_for(lambda asked=question: connection.execute(asked).fetchone()[0])
                if count:
                    yield f"{count} {problem}"

    def size(self) -> int:
        names = (self._path, self._path.with_name(self._path.name + "-wal"))
        return sum(os.stat(name).st_size for name in names if name.exists())


_CHECKS = (
    (
        "SELECT count(*) FROM records WHERE version NOT IN (SELECT version FROM lexis)",
        "versions are missing from the keyword index; run `recollect reindex`",
    ),
    (
        "SELECT count(*) FROM lexis WHERE version NOT IN (SELECT version FROM records)",
        "keyword rows belong to no record; run `recollect reindex`",
    ),
    (
        "SELECT count(*) FROM signs WHERE version NOT IN (SELECT version FROM records)",
        "vectors belong to no record; run `recollect reindex`",
    ),
    (
        "SELECT count(*) FROM signs WHERE vector NOT IN (SELECT vector FROM halves)",
        "vectors lack their numbers; run `recollect reindex`",
    ),
    (
        "SELECT count(*) FROM refs WHERE version NOT IN (SELECT version FROM records WHERE retired_at IS NULL)",
        "refs belong to no live record; run `recollect reindex`",
    ),
    (
        "SELECT count(*) FROM tallies WHERE records <> (SELECT count(*) FROM records"
        " WHERE records.space_no = tallies.space_no AND retired_at IS NULL)",
        "spaces are miscounted; run `recollect reindex`",
    ),
)
