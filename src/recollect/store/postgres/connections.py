"""How is a PostgreSQL database reached, and what do its errors mean?

Connections are kept open and handed out one transaction at a time. A transaction that only read is ended without
waiting for the answer, which whoever uses the connection next takes off it. A connection that died while nobody used it
is noticed where a transaction begins, and replaced there: nothing has been done yet, so it is safe to begin again.

A server that is gone without a word is noticed by the machine (keepalives, and a bound on what is not acknowledged).
One that is there and keeps silent is given up after a while: whoever asked is told, and other connections that were
kept to it are not trusted any more.

A transaction that only reads may have a second connection beside its own, which sees the same: what takes long is then
asked over the one while the other answers the rest.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import select
import threading
import time
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar

import psycopg
from msgspec import Struct
from psycopg import errors, pq
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import ConnStatus, PollingStatus, TransactionStatus

from recollect.errors import (
    ConfigError,
    NotAStore,
    ReadOnlyStore,
    RecollectError,
    StoreAway,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreLost,
)  # fmt: skip
from recollect.store.sql.database import Row

# What it would print of a statement that failed is in the error that it raises.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

Cursor: TypeAlias = psycopg.Cursor[Row]
Script: TypeAlias = str
"""Statements without values, parted by semicolons, which go to the server together."""

S = TypeVar("S")

BUSY_SECONDS = 30.0
_MOST = 16  # connections of one process, beside those that hold a turn or listen
_MOST_SECOND = 4  # of them at a time that are somebody's second one
_CONNECT_SECONDS = 10
_PATIENCE = 15.0  # seconds for which a server that was there, or is starting, is waited for
_LOOK_SECONDS = 0.1
_ANSWER_SECONDS = 60.0  # for which a server may say nothing at all to what it was asked
_LEAST_ANSWER_SECONDS = 40  # longer than a writer waits for others
_SETTLE_SECONDS = 5.0  # the same for the end of a transaction that only read
_GONE = {"keepalives_idle": 20, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 30_000}
"""When a machine that is gone is given up: after 35 seconds without a sign, or 30 in which it took nothing."""
_NEVER = 2**31  # uses of a statement before it is prepared, which takes a round trip and plans without values
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,47}")
_PASSING = {"00000", "53300", "57P01", "57P02", "57P03"}
"""With what a server refuses us that will let us in soon: it would by now, is full, or is starting or stopping."""
_REFUSAL = re.compile(rb'ErrorResponse.* C "(\w{5})"')
_SETTINGS = (
    "idle_in_transaction_session_timeout = '5min'", "jit = off", "tcp_keepalives_idle = 30",
    "tcp_keepalives_interval = 10", "tcp_keepalives_count = 3", "hnsw.ef_search = 200",
    "hnsw.iterative_scan = relaxed_order", "hnsw.max_scan_tuples = 40000", "random_page_cost = 1.1",
)  # fmt: skip
_UNKNOWN_OPTION = re.compile(r'invalid URI query parameter: "(\w+)"$')
_WANTED = (
    "wanted is postgresql://user:password@host:5432/name, where in a password / is written as %2F, @ as %40,"
    " : as %3A, ? as %3F and % as %25"
)
_OURS = ("schema=", "answer_seconds=")
_NUMBER = re.compile(r"[0-9]{1,6}(\.[0-9]+)?")
_DAY = 86_400
_PORTS = re.compile(r"[\d,]*")
_VECTOR_SCHEMA = """SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
    WHERE extname = 'vector'"""


class Address(Struct, frozen=True):
    """A database, the schema in it that holds the store, and what may be shown of both."""

    database: str
    schema: str
    shown: str
    answer_seconds: float = _ANSWER_SECONDS


class Unreachable(psycopg.OperationalError):
    """No connection came about."""


class NoAnswer(psycopg.OperationalError):
    """A server that is there said nothing for too long."""


class Connection(psycopg.Connection[Row]):
    """A connection that is given up where its server says nothing for longer than `answer_seconds`, if that is set."""

    answer_seconds: float | None = None
    was_silent = False

    def wait(self, gen: PQGen[S], *more: Any, **named: Any) -> S:
        if self.answer_seconds is None:
            return super().wait(gen, *more, **named)
        try:
            return super().wait(_within(gen, self.answer_seconds), *more, **named)
        except NoAnswer:
            self.was_silent = True
            self.close()
            raise

    @contextmanager
    def patient(self) -> Generator[None]:
        """Waits as long as it takes: for what goes over whole tables."""
        seconds, self.answer_seconds = self.answer_seconds, None
        try:
            yield
        finally:
            self.answer_seconds = seconds


def _within(gen: PQGen[S], seconds: float) -> PQGen[S]:
    """The same, unless nothing comes for so long."""
    try:
        wanted = next(gen)
        deadline = time.monotonic() + seconds
        while True:
            ready = yield wanted
            if ready:
                deadline = time.monotonic() + seconds
            elif time.monotonic() > deadline:
                raise NoAnswer(f"the server has not answered for {seconds:g} s")
            wanted = gen.send(ready)
    except StopIteration as done:
        return done.value


def parse_address(url: str) -> Address:
    """The address of a store: a URL as PostgreSQL's own programs take it, perhaps with options of ours in it."""
    address, _, options = url.partition("?")
    given = [option for option in options.split("&") if option]
    ours = dict(option.split("=", 1) for option in given if option.startswith(_OURS))
    schema = ours.get("schema", "recollect")
    if not _SCHEMA.fullmatch(schema):
        wanted = "1 to 48 lower-case letters, digits and _, and no digit first"
        raise ConfigError(f"store: schema={schema} is no name for a schema: wanted are {wanted}")
    seconds = ours.get("answer_seconds", f"{_ANSWER_SECONDS:g}")
    if not _NUMBER.fullmatch(seconds) or not _LEAST_ANSWER_SECONDS <= float(seconds) <= _DAY:
        wanted = f"a number of seconds from {_LEAST_ANSWER_SECONDS} to {_DAY}"
        raise ConfigError(f"store: answer_seconds={seconds} cannot be: wanted is {wanted}")
    others = "&".join(option for option in given if not option.startswith(_OURS))
    try:
        known = conninfo_to_dict(f"{address}?{others}" if others else address)
    except psycopg.ProgrammingError as error:
        unknown = _UNKNOWN_OPTION.search(str(error))  # what else it says may quote a part of the password
        told = f"it has no option {unknown[1]!r}" if unknown else _WANTED
        raise ConfigError(f"store: this is no address of a PostgreSQL database: {told}") from None
    host, port, user, name = (str(known.get(key) or "") for key in ("host", "port", "user", "dbname"))
    if "@" in host + name or not _PORTS.fullmatch(port):
        raise ConfigError(f"store: this is no address of a PostgreSQL database: {_WANTED}")
    shown = f"postgresql://{user}{'@' if user else ''}"
    if host.startswith("/"):
        shown += f"/{name}?host={host}{f'&port={port}' if port else ''}"
    else:
        shown += f"{host}{f':{port}' if port else ''}/{name}"
    if schema != "recollect":
        shown += f"{'&' if '?' in shown else '?'}schema={schema}"
    known.setdefault("connect_timeout", _CONNECT_SECONDS)
    known.setdefault("application_name", "recollect")
    return Address(make_conninfo("", **(_GONE | known)), schema, shown, float(seconds))


def connect(address: Address) -> Connection:
    """A connection of its own, to the schema of the store.

    Names are looked up there and nowhere else: what others may put into `public` is never run. It waits for no lock of
    another's longer than a write waits for another's.
    """
    try:
        connection = Connection.connect(address.database, autocommit=True, prepare_threshold=_NEVER)
    except psycopg.OperationalError as error:
        raise Unreachable(str(error)) from error
    connection.answer_seconds = address.answer_seconds
    try:
        own = (f'search_path = "{address.schema}", pg_temp', f"lock_timeout = '{BUSY_SECONDS * 1000:.0f}ms'")
        run_script(connection, "; ".join(f"SET {one}" for one in (*own, *_SETTINGS)))
    except BaseException:
        connection.close()
        raise
    return connection


def run_script(connection: Connection, script: Script) -> list[list[Row]]:
    """Runs statements in one round trip, and answers the rows of each that has some."""
    cursor = connection.execute(script.encode())
    found: list[list[Row]] = []
    while True:
        if cursor.pgresult is not None and cursor.pgresult.nfields:
            found.append(cursor.fetchall())
        if not cursor.nextset():
            return found


def find_vectors(connection: Connection) -> str:
    """The schema that pgvector was installed in; what is of it is named with that."""
    (found,) = run_script(connection, _VECTOR_SCHEMA)
    return found[0][0] if found else "public"


def is_lost(connection: Connection) -> bool:
    return connection.closed or connection.pgconn.status != ConnStatus.OK


def is_within(connection: Connection) -> bool:
    """Has the server told that a transaction is still under way, or that it failed? Where a connection breaks off, it
    may look sound for a while, but is never at rest."""
    return connection.pgconn.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR)


class Pool:
    """The connections of one process to a store."""

    def __init__(self, address: Address, most: int = _MOST) -> None:
        self._address = address
        self._most = most
        self._slots = threading.Semaphore(most)
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        self._closed = False
        self._met = False
        self.threads = ThreadPoolExecutor(_MOST_SECOND, "recollect-second")
        self._seconds = threading.Semaphore(min(_MOST_SECOND, most - 1))
        self.second_wanted = False
        """Has any transaction wanted a second connection? Only then is it told what the next one sees."""

    @contextmanager
    def transaction(
        self, begin: Script, patience: float | None = None
    ) -> Generator[tuple[Connection, list[list[Row]]]]:
        """A connection on which `begin` was run, and what that answered. It is rolled back unless it was committed. A
        server that is away is waited for."""
        if not self._slots.acquire(timeout=BUSY_SECONDS):
            raise StoreBusy(
                f"all {self._most} connections to {self._address.shown} were in use for too long; try again"
            )
        try:
            connection, answers = self._begin(begin, _PATIENCE if patience is None else patience)
            try:
                yield connection, answers
            finally:
                self._give_back(connection)
        finally:
            self._slots.release()

    def reach(self) -> None:
        """Waits for a server that is away, for somebody who is about to take a lock and should not wait with it."""
        with self.transaction(""):
            return

    def _begin(self, script: Script, patience: float) -> tuple[Connection, list[list[Row]]]:
        began = time.monotonic()
        passing = self._met
        while True:
            with self._lock:
                if self._closed:
                    raise StoreError(f"{self._address.shown} is closed")
                connection = self._idle.pop() if self._idle else None
            kept = connection is not None
            try:
                connection = _settled(connection) if connection is not None else connect(self._address)
                answers = run_script(connection, script) if script else []
                self._met = True
                return connection, answers
            except psycopg.OperationalError as error:
                if connection is not None and not is_lost(connection):
                    self._give_back(connection)
                    raise
                if connection is not None:
                    connection.close()
                if isinstance(error, NoAnswer):
                    self._distrust()
                passing = passing or (not kept and _find_refusal(self._address) in _PASSING)
                if not kept and (not passing or time.monotonic() > began + patience):
                    raise
                if not kept:
                    time.sleep(_LOOK_SECONDS)
            except psycopg.Error:  # what was asked is refused
                if connection is not None:
                    self._give_back(connection)
                raise

    def _distrust(self) -> None:
        """Gives up the connections that nobody uses: their server may be as silent as that of another was."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _give_back(self, connection: Connection) -> None:
        if connection.was_silent:
            self._distrust()
        status = connection.pgconn.transaction_status
        if is_within(connection):
            with contextlib.suppress(psycopg.OperationalError):  # who takes it next sees that it is dead
                connection.pgconn.send_query(b"ROLLBACK")
                connection.pgconn.flush()
        elif status != TransactionStatus.IDLE:
            connection.close()
        with self._lock:
            if not self._closed and not connection.closed:
                self._idle.append(connection)
                return
        connection.close()

    def take_second(self) -> Connection | None:
        """One more connection, where nobody waits for one."""
        if not self._seconds.acquire(blocking=False):
            return None
        if self._slots.acquire(blocking=False):
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            with contextlib.suppress(psycopg.OperationalError):  # whoever wanted it does without it
                connection = _settled(connection) if connection is not None else connect(self._address)
            if connection is not None and not is_lost(connection):
                return connection
            if connection is not None:
                connection.close()
            self._slots.release()
        self._seconds.release()
        return None

    def give_second_back(self, connection: Connection) -> None:
        self._give_back(connection)
        self._slots.release()
        self._seconds.release()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        self.threads.shutdown(wait=False)
        for connection in idle:
            connection.close()


class Second:
    """The second connection of a transaction that only reads, if it has one: taken where it is first wanted.

    The first transaction of a process that wants one does without it: to connect takes longer than it saves, and most
    processes never want one again.
    """

    def __init__(self, pool: Pool, snapshot: str | None) -> None:
        self._pool = pool
        self._connection: Connection | None = None
        self._done = snapshot is None
        self._begin = ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", f"SET TRANSACTION SNAPSHOT '{snapshot}'")

    def ask(self, questions: Sequence[tuple[bytes, Sequence[object]]]) -> Future[list[Cursor]] | None:
        """Has it answer while the first one does, where there is one. It may fail without harm: the first remains."""
        begin: Sequence[str] = ()
        self._pool.second_wanted = True
        if self._connection is None and not self._done:
            self._connection, begin = self._pool.take_second(), self._begin
        if self._connection is None:
            self._done = True
            return None
        every = [*((sql.encode(), ()) for sql in begin), *questions]
        return self._pool.threads.submit(_answer, self._connection, every, len(begin))

    def give_up(self) -> None:
        """There is no more to be asked of it, or it failed."""
        connection, self._connection, self._done = self._connection, None, True
        if connection is not None:
            self._pool.give_second_back(connection)


def _answer(connection: Connection, questions: Sequence[tuple[bytes, Sequence[object]]], first: int) -> list[Cursor]:
    with connection.pipeline():
        return [connection.execute(sql, values, binary=True) for sql, values in questions][first:]


def _settled(connection: Connection) -> Connection:
    """Takes off a connection what the end of its last transaction answered, while other threads run, and what the
    server may have said since: that it ends it."""
    wire, answer = connection.pgconn, True
    while answer and wire.transaction_status == TransactionStatus.ACTIVE:
        while wire.is_busy():
            if not select.select([wire.socket], [], [], _SETTLE_SECONDS)[0]:
                connection.close()
                raise NoAnswer(f"the server has not answered for {_SETTLE_SECONDS:g} s")
            wire.consume_input()
        answer = wire.get_result() is not None
    while not is_lost(connection) and select.select([wire.socket], [], [], 0)[0]:
        wire.consume_input()
    if is_lost(connection):
        connection.close()
    return connection


def _find_refusal(address: Address) -> str | None:
    """The code with which a server refuses us, for which we ask it once more: its words are in any language, and libpq
    tells the code of a connection that did not come about only in a trace, which it has where there are memory files.
    """
    if not hasattr(os, "memfd_create"):
        return None
    deadline = time.monotonic() + _CONNECT_SECONDS
    trace = os.memfd_create("recollect")
    wire = pq.PGconn.connect_start(address.database.encode())
    try:
        if wire.status == ConnStatus.BAD:
            return None
        wire.trace(trace)
        while (status := wire.connect_poll()) in (PollingStatus.READING, PollingStatus.WRITING):
            ends, reading = [wire.socket], status == PollingStatus.READING
            left = max(deadline - time.monotonic(), 0)
            if not any(select.select(ends if reading else (), () if reading else ends, (), left)):
                return None
        wire.untrace()
        said = _REFUSAL.findall(os.pread(trace, 100_000, 0))
        return "00000" if status == PollingStatus.OK else said[-1].decode() if said else None
    finally:
        wire.finish()
        os.close(trace)


def convert_error(error: psycopg.Error, address: Address, *, writing: bool = False) -> RecollectError:
    """What an error of PostgreSQL means to the person whose store it is."""
    said, where = said_by(error), address.shown
    if isinstance(error, errors.LockNotAvailable | errors.DeadlockDetected):
        return StoreBusy(f"{where} is locked by another process, which did not let go of it in time; try again")
    if isinstance(error, errors.DiskFull | errors.OutOfMemory) or "could not extend file" in said:
        return StoreFull(f"{where} has no room left ({said}); nothing was changed")
    if isinstance(error, errors.InsufficientPrivilege | errors.ReadOnlySqlTransaction):
        return ReadOnlyStore(f"{where} may not be written so by this user: {said}")
    if isinstance(error, errors.UndefinedTable | errors.InvalidSchemaName):
        return NotAStore(f"{where} is not a Recollect store: {said}")
    if isinstance(error, errors.DataCorrupted | errors.IndexCorrupted):
        return StoreError(f"{where} is damaged ({said}); run `recollect doctor`")
    if isinstance(error, errors.ProgramLimitExceeded):
        return StoreError(
            f"{where}: a name or an id is too long for PostgreSQL to look up ({said}); nothing was changed"
        )
    if isinstance(error, psycopg.OperationalError):
        if isinstance(error, Unreachable):
            return StoreAway(f"{where} cannot be reached: {said}")
        undone = "nothing was changed, " if writing else ""
        how = "was given up" if isinstance(error, NoAnswer) else "was lost"
        return StoreLost(f"the connection to {where} {how} ({said}); {undone}try again")
    return StoreError(f"{where}: {said}")


def said_by(error: psycopg.Error) -> str:
    """The first line of what the server said, rather than of what its silence led to."""
    if error.sqlstate is None and isinstance(error.__context__, psycopg.Error) and error.__context__.sqlstate:
        return said_by(error.__context__)
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


__all__ = [
    "BUSY_SECONDS", "Address", "Connection", "Cursor", "Pool", "Script", "Second", "connect", "convert_error",
    "is_lost", "parse_address", "run_script",
]  # fmt: skip
