"""How is a memory kept in one SQLite file that several processes share?"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import (
    ReadOnlyStore,
    RecollectError,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
)  # fmt: skip
from recollect.private import make_file
from recollect.store.base import Changes, Extent, Site
from recollect.store.search import VECTORS_MB
from recollect.store.sql.acts import Acts
from recollect.store.sql.derived import Derived
from recollect.store.sql.edit import SqlEdit
from recollect.store.sql.index import Search
from recollect.store.sql.moment import Moment, last_moment, look, next_moment
from recollect.store.sql.rows import to_micros
from recollect.store.sql.sealing import Sealing
from recollect.store.sql.sound import broken_rows
from recollect.store.sql.view import SqlView
from recollect.store.sqlite.connect import (
    BUSY_SECONDS,
    UNREADABLE,
    Room,
    comes_of_rows,
    convert_error,
    damaged,
    is_unwritten,
    migrate,
    open_connection,
    wait_for,
)
from recollect.store.sqlite.database import SqliteDatabase
from recollect.store.sqlite.file import Watched, check_file, close_to_others, log_of, warn_of_network
from recollect.store.sqlite.levels import lower_levels
from recollect.store.sqlite.term_lists import TermLists
from recollect.store.sqlite.turn import FileTurn
from recollect.store.sqlite.vectors import VectorTables
from recollect.store.sqlite.words import Words
from recollect.types import Change

if TYPE_CHECKING:
    from recollect.store.sqlite.cache import Cache

_FEW_CONNECTIONS = max(os.cpu_count() or 1, 2) + 1  # who reads works, so more would only be in each other's way
_SOON_SECONDS = 0.1  # and after so long it is made all the same
_FOLLOW_SECONDS = 0.1  # between two looks at the journal
_PURGED_PAGES, _FREED_PAGES, _FEW_PAGES = 200, 256, 16  # of one step, and as many as nobody minds
_SCRUB_SECONDS = 0.25  # a forget waits so long for the last bytes; the rest is done in the background
_LONG_LOG_PAGES, _READERS_MS = 12_000, 250  # 48 MB of a log, and so long those are waited for who read it
_SMALL_PAGES = 16_384  # 64 MB: a file that is made anew in a second


def _cache_of_its_own() -> Cache:
    """A transaction that may yet be undone leaves nothing in the memory that others share."""
    from recollect.store.sqlite.cache import Cache  # brings in numpy

    return Cache(shared=False)


class _Thread(threading.local):
    """The transaction that a thread is in, and how many connections it has."""

    connection: sqlite3.Connection | None = None
    held = 0


class SqliteStore:
    """A pool of connections to one file. Safe for any number of threads and processes."""

    def __init__(self, path: Path, clock: Callable[[], datetime], vectors_mb: int = VECTORS_MB) -> None:
        self._path = path
        self._vectors_mb = vectors_mb
        self._clock = clock
        self._idle: list[sqlite3.Connection] = []
        self._opened = 0
        self._lock = threading.Lock()
        self._back = threading.Condition(self._lock)
        self._writing = threading.Lock()
        self._thread = _Thread()
        self._acts = Acts()
        self._sealing = Sealing()
        self._closed = False
        self._cache: Cache | None = None
        self._term_lists = TermLists()
        self._began = 0
        self.on_commit: list[Callable[[], None]] = []
        check_file(path)
        self._notes = [*close_to_others(path), *warn_of_network(path)]
        self._make()
        self._file = Watched(path)
        try:
            with self._converted(), self._connection() as connection:
                migrate(connection, self._path, self._keep_before)
                lower_levels(connection, path)
                self._page_size: int = connection.execute("PRAGMA page_size").fetchone()[0]
                self._file.open(lambda: (first_moment(connection), last_entry(connection)))
        except RecollectError:
            self.close()
            raise

    def _keep_before(self, number: int) -> None:
        """A store of an earlier format is copied before it is changed."""
        from recollect.store.sqlite.backup import keep_before  # of those alone who upgrade

        copy = keep_before(self._path, number, self._clock())
        self._notes.append(f"the store was brought from format {number} to today's; it is kept as it was in {copy}")

    def _make(self) -> None:
        """An empty file for its owner alone, in which SQLite makes everything else."""
        try:
            make_file(self._path)
        except OSError as error:
            raise ReadOnlyStore(f"{self._path} cannot be made: {error.strerror}") from error

    @property
    def site(self) -> Site:
        return Site(str(self._path), self._path.parent, tuple(self._notes))

    # Connections

    def _connect(self) -> sqlite3.Connection:
        return open_connection(self._path)

    @contextmanager
    def _connection(self) -> Generator[sqlite3.Connection]:
        self._file.check()
        connection = self._take()
        self._thread.held += 1
        try:
            yield connection
        finally:
            self._thread.held -= 1  # of this thread, which may be another than the one that began
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            self._give_back(connection)

    def _take(self) -> sqlite3.Connection:
        """A connection. Where many are in use, one that comes back soon is waited for: each has memory of its own."""
        with self._lock:
            if not self._idle and self._opened >= _FEW_CONNECTIONS and not self._thread.held:
                self._back.wait_for(lambda: self._idle or self._closed, _SOON_SECONDS)
            if self._closed:
                raise StoreError(f"{self._path} is closed")
            if self._idle:
                return self._idle.pop()
            self._opened += 1
        try:
            return self._connect()
        except BaseException:
            with self._lock:
                self._opened -= 1
            raise

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            if not self._closed and self._opened <= _FEW_CONNECTIONS:
                self._idle.append(connection)
                self._back.notify()
                return
            self._opened -= 1
        connection.close()

    @contextmanager
    def _converted(self) -> Generator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise convert_error(error, self._path) from error
        except UNREADABLE as error:
            if comes_of_rows(error) and self._is_damaged():
                raise damaged(self._path, error) from error
            raise

    def _is_damaged(self) -> bool:
        """Is something of the file not as it was written?"""
        try:
            with self._connection() as connection:
                return any(_problems(connection))
        except (sqlite3.Error, *UNREADABLE):
            return True

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._back.notify_all()
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
        self._file.close()

    # Reading and writing

    @contextmanager
    def read(self) -> Generator[SqlView]:
        with self._converted():
            joined = self._joined()
            if joined is not None:
                yield self._view(joined, _cache_of_its_own)
                return
            with self._connection() as connection:
                connection.execute("BEGIN")
                yield wait_for(lambda: self._view(connection, self._shared, self._term_lists))

    def _view(
        self, connection: sqlite3.Connection, cache: Callable[[], Cache], lists: TermLists | None = None
    ) -> SqlView:
        db = SqliteDatabase(connection)
        last = last_moment(db)
        shifted, now = last is not None and last.ahead > 0, look(last, self._clock())
        return SqlView(db, now, *self._index(connection, now, cache, Words(connection, lists)), shifted=shifted)

    @contextmanager
    def write(self, *, actor: str | None = None, patience: float | None = None) -> Generator[SqlEdit]:
        inner = self._joined() is not None
        with self._transaction(patience) as connection:
            if inner:
                connection.execute("SAVEPOINT edit")
            try:
                moment = self._next_moment(connection)
                words = Words(connection, self._term_lists if connection.total_changes == self._began else None)
                index = self._index(connection, moment.at, _cache_of_its_own, words)
                db = SqliteDatabase(connection, self._room.widen)
                edit = SqlEdit(db, moment, *index, actor, self._acts.first)
                yield edit
                edit.finish()
            except BaseException:
                if inner and connection.in_transaction:  # a full disk ends it by itself
                    connection.execute("ROLLBACK TO edit")
                raise
            if inner:
                connection.execute("RELEASE edit")
        if not inner:
            words.committed()

    def joined(self, *, in_steps: bool = False, of: Mapping[str, int] | None = None) -> AbstractContextManager[object]:
        return self._acts.one(of) if in_steps else self._transaction()

    @contextmanager
    def _transaction(self, patience: float | None = None) -> Generator[sqlite3.Connection]:
        """The transaction of this thread: a new one, unless it is in one already."""
        outer = self._joined()
        if outer is not None:
            with self._converted(), self._acts.one():
                yield outer
            return
        seconds = BUSY_SECONDS if patience is None else patience
        with (
            self._converted(), self._alone(patience), self._acts.one(), self._connection() as connection,
            Room(connection) as self._room,
        ):  # fmt: skip
            wait_for(lambda: connection.execute("BEGIN IMMEDIATE"), seconds)
            self._file.check_length(connection.execute("PRAGMA page_count").fetchone()[0], self._page_size)
            self._thread.connection = connection
            self._began = connection.total_changes  # as long as that is so, it sees what others see
            try:
                yield connection
            finally:
                self._thread.connection = None
            last = last_entry(connection)
            connection.execute("COMMIT")
            self._file.acknowledge(last, lambda: first_moment(connection))
        for told in self.on_commit:
            told()

    def _joined(self) -> sqlite3.Connection | None:
        """The transaction that this thread is in, if it is in one."""
        return self._thread.connection

    def _index(
        self, connection: sqlite3.Connection, now: datetime, cache: Callable[[], Cache], words: Words
    ) -> tuple[Derived, Callable[[], Search]]:
        """What is derived, as a connection sees it, and what searches it once something is asked."""
        vectors = VectorTables(connection)

        def search() -> Search:
            from recollect.store.sqlite.search import SqliteSearch  # brings in numpy

            return SqliteSearch(connection, words, vectors, to_micros(now), cache())

        return Derived(SqliteDatabase(connection), words, vectors), search

    @contextmanager
    def _alone(self, patience: float | None) -> Generator[None]:
        """No other thread of this process writes meanwhile."""
        if not self._writing.acquire(timeout=-1 if patience is None else patience):
            raise StoreBusy(f"{self._path} was being written for over {patience:.2f} s")
        try:
            yield
        finally:
            self._writing.release()

    def _shared(self) -> Cache:
        """What is kept in memory for all views; nothing, before something is asked."""
        from recollect.store.sqlite.cache import Cache  # brings in numpy

        with self._lock:
            if self._cache is None:
                self._cache = Cache(vectors_mb=self._vectors_mb)
            return self._cache

    def _next_moment(self, connection: sqlite3.Connection) -> Moment:
        return next_moment(last_moment(SqliteDatabase(connection)), self._clock())

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

    def _scrub(self) -> bool:
        if self._joined() is not None:
            return False  # nothing is committed yet
        deadline = time.monotonic() + _SCRUB_SECONDS
        try:
            with self._converted():
                with self._connection() as connection:
                    lower_levels(connection, self._path)
                while self._purge():
                    if time.monotonic() > deadline:
                        return False
                return self._empty_log() and self._forget_erased()
        except (StoreBusy, StoreFull, ReadOnlyStore, StoreDamaged):
            return False  # it was committed all the same; this is tried again

    def _purge(self) -> bool:
        """One step of taking what was erased out of the keyword index; False when nothing is left to do."""
        with self._connection() as connection:
            if connection.execute("SELECT 1 FROM made_by WHERE what = 'erased' AND version < 3").fetchone() is None:
                return False
        with self._transaction() as connection:
            return Words(connection).purge(_PURGED_PAGES)

    def _empty_log(self) -> bool:
        """Writes the log into the file and empties it, unless somebody reads it: then nobody is kept waiting.

        Where several always read, that would never be. So once it is long, those are waited for who read just then.
        """
        with self._connection() as connection:
            pages: int = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[1]
            busy: int = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            if busy and pages > _LONG_LOG_PAGES:
                connection.execute(f"PRAGMA busy_timeout = {_READERS_MS}")
                try:
                    busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
                finally:
                    connection.execute("PRAGMA busy_timeout = 0")
        return not busy

    def _forget_erased(self) -> bool:
        """Nothing is left of what was erased, so that it was is noted no longer."""
        with self._connection() as connection:
            if connection.execute("SELECT 1 FROM made_by WHERE what = 'erased'").fetchone() is None:
                return True
        with self._transaction() as connection:
            return Words(connection).purged()

    def settle(self, what: Extent = "some") -> bool:
        if what == "erased":
            return self._scrub()
        with self._converted():
            if what == "all":
                self._make_anew()
            scrubbed = self._scrub()
            with self._connection() as connection:
                left = self._shrink(connection)
            unsealed = self._seal()
            self._empty_log()
        return scrubbed and not left and not unsealed

    def _seal(self) -> bool:
        """Gives some rows of earlier releases their checksums. Answers whether there may be others."""
        with self._connection() as connection:
            if not self._sealing.look(SqliteDatabase(connection)):
                return False
        with self._transaction() as connection:
            self._sealing.write(SqliteDatabase(connection))
        return True

    def _shrink(self, connection: sqlite3.Connection) -> bool:
        """Gives some of the pages back that nothing uses any more. Answers whether there are others."""
        free, pages, way = (
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("freelist_count", "page_count", "auto_vacuum")
        )
        if free <= max(_FEW_PAGES, pages // 50):
            return False
        if way:
            wait_for(lambda: connection.executescript(f"PRAGMA incremental_vacuum({_FREED_PAGES})"))  # page by page
            return True
        if pages <= _SMALL_PAGES and free > pages // 4:
            self._vacuum(connection)
        return False  # a large file of an earlier release is for `recollect compact`

    def _make_anew(self) -> None:
        with self._transaction() as connection:
            words = Words(connection)
            while words.purge(1_000_000):
                continue
        with self._connection() as connection:
            self._vacuum(connection)

    def _vacuum(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        wait_for(lambda: connection.execute("VACUUM"))

    def check(self) -> Iterator[str]:
        with self._converted(), self._connection() as connection:
            yield from _problems(connection)

    def size(self) -> int:
        return sum(name.stat().st_size for name in (self._path, log_of(self._path)) if name.exists())


def _problems(connection: sqlite3.Connection) -> Iterator[str]:
    """What is wrong with a file, one sentence each."""
    for (line,) in wait_for(lambda: connection.execute("PRAGMA integrity_check(20)").fetchall()):
        if line != "ok":
            yield f"damaged file: {line}"
    yield from _broken_words(connection)
    connection.execute("BEGIN")
    yield from broken_rows(SqliteDatabase(connection))
    for question, problem in _CHECKS:
        count: int = wait_for(lambda asked=question: connection.execute(asked).fetchone()[0])
        if count:
            yield f"{count} {problem}"


def _broken_words(connection: sqlite3.Connection) -> Iterator[str]:
    """Is the keyword index sound in itself, and can it be written to? To look takes the turn to write, which leaves
    nothing; where somebody else has it, or nothing may be written, only whether it can be read.
    """
    try:
        connection.execute("BEGIN IMMEDIATE")
        looks = "INSERT INTO words(words) VALUES('integrity-check')", "INSERT INTO words(rowid, tokens) VALUES(0, 'x')"
    except sqlite3.OperationalError:
        looks = ("SELECT 1 FROM words WHERE words MATCH 'x' LIMIT 1",)
    try:
        for look in looks:
            connection.execute(look).fetchall()
    except sqlite3.DatabaseError as error:
        if is_unwritten(error):
            raise
        yield f"damaged file: the keyword index cannot be read ({error})"
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def first_moment(connection: sqlite3.Connection) -> int:
    """When the first entry was written, by which a copy of a store is known; 0 where there is none."""
    row = connection.execute("SELECT at FROM journal ORDER BY entry LIMIT 1").fetchone()
    return 0 if row is None else row[0]


def last_entry(connection: sqlite3.Connection) -> int:
    """The number of the last entry that the journal ever had."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'journal'").fetchone()
    return 0 if row is None else row[0]


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
        "SELECT count(*) FROM lexis WHERE typeof(terms) <> 'blob' OR length(terms) % 5 OR CASE WHEN json_valid(names)"
        " THEN EXISTS (SELECT 1 FROM json_each(names) WHERE type <> 'text') ELSE 1 END",
        "keyword rows cannot be read; run `recollect reindex`",
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
        "SELECT count(*) FROM refs WHERE version NOT IN (SELECT version FROM records WHERE retired_at IS NULL)"
        " AND NOT (ref >= 'made_of:' AND ref < 'made_of;')",
        "refs belong to no live record; run `recollect reindex`",
    ),
    (
        "SELECT count(*) FROM tallies WHERE records <> (SELECT count(*) FROM records"
        " WHERE records.space_no = tallies.space_no AND retired_at IS NULL)",
        "spaces are miscounted; run `recollect reindex`",
    ),
    (
        "SELECT count(*) FROM tallies WHERE typeof(length) <> 'integer' OR typeof(changes) <> 'integer'"
        " OR typeof(gone) <> 'integer'",
        "spaces are miscounted; run `recollect reindex`",
    ),
    (
        "SELECT count(*) FROM shelves WHERE typeof(value) NOT IN ('text', 'blob')"
        " OR NOT json_valid(CAST(value AS TEXT))",
        "notes of what was done cannot be read; run `recollect doctor --repair`, which sets them aside",
    ),
)
