"""How is a memory kept in a PostgreSQL database that several machines share?

Whoever writes holds one lock of the database until the end of the transaction, so the journal's order is total and the
numbers of its entries have no gaps. Whoever reads has a snapshot and waits for nobody.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from datetime import datetime

import psycopg

from recollect.errors import NewerStore, NotAStore, ReadOnlyStore, RecollectError, StoreBusy, StoreError, StoreLost
from recollect.store.base import Changes, Extent, Site
from recollect.store.postgres.connections import (
    BUSY_SECONDS,
    Connection,
    Pool,
    Second,
    Unreachable,
    connect,
    convert_error,
    find_vectors,
    is_lost,
    is_within,
    parse_address,
    run_script,
    said_by,
)  # fmt: skip
from recollect.store.postgres.database import VECTOR, PostgresDatabase, left_to_owner
from recollect.store.postgres.migrations import MIGRATIONS
from recollect.store.postgres.state import READ_NUMBERS, READ_STATE, State
from recollect.store.postgres.turn import DatabaseTurn, lock_key
from recollect.store.postgres.vectors import PostgresVectors
from recollect.store.postgres.words import PostgresWords
from recollect.store.sql.acts import Acts
from recollect.store.sql.database import Row
from recollect.store.sql.derived import Derived
from recollect.store.sql.edit import SqlEdit
from recollect.store.sql.index import Search
from recollect.store.sql.moment import Last, look, next_moment
from recollect.store.sql.rows import to_micros
from recollect.store.sql.seal import NOTED
from recollect.store.sql.sealing import Sealing
from recollect.store.sql.sound import broken_rows
from recollect.store.sql.view import SqlView
from recollect.types import Change

_LOOK_SECONDS = 0.05
_BEGIN_READ = "; ".join(("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", *READ_STATE))
_SHARE_SNAPSHOT = "; SELECT pg_export_snapshot()"
_LOOK = """
    SELECT current_setting('server_version'), (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
        to_regclass('"{0}".format') IS NOT NULL,
        CASE WHEN to_regclass('"{0}".format') IS NULL THEN has_database_privilege(current_database(), 'CREATE')
            ELSE has_table_privilege('"{0}".records', 'INSERT') END,
        current_setting('server_encoding'), to_regclass('"{0}".records') IS NOT NULL,
        EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'vector') OR EXISTS (
            SELECT 1 FROM pg_available_extension_versions WHERE name = 'vector' AND (NOT superuser OR trusted
                OR (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)))"""
_FORMAT = "SELECT to_regclass('format') IS NOT NULL, to_regclass('records') IS NOT NULL"

_FOREIGN = "{0} has tables of something else; name another with ?schema="
_ENCODING = "{0} keeps texts as {1}; make a database with ENCODING 'UTF8'"
_NO_VECTOR = "{0} has no pgvector: have an administrator install it and run CREATE EXTENSION vector"
_OWN_NUMBER = "SELECT coalesce((SELECT -no FROM roles WHERE role = current_user), 0)"

_WAITS = f"'{BUSY_SECONDS:.0f}s'"
"""How long a transaction waits for others that write, as the database is told."""


class PostgresStore:
    """A store in one schema of a database. Safe for any number of threads, processes and machines."""

    def __init__(self, url: str, clock: Callable[[], datetime]) -> None:
        self._address = parse_address(url)
        self._shown = self._address.shown
        self._clock = clock
        self._pool = Pool(self._address)
        self._writing = threading.Lock()
        self._lock = threading.Lock()
        self._listening: list[Connection] = []
        self._thread = threading.local()
        self._acts = Acts()
        self._sealing = Sealing()
        self._closed = False
        self.on_commit: list[Callable[[], None]] = []
        self._edits = lock_key(self._address.schema)
        self._channel = f"recollect_{self._address.schema}"
        waits = f"SET LOCAL lock_timeout = {_WAITS}; SELECT pg_advisory_xact_lock({self._edits})"
        self._begin_edit = "; ".join(
            (
                "BEGIN",
                waits,
                "SELECT pg_current_xact_id()::text, pg_postmaster_start_time()::text",
                *READ_STATE,
                READ_NUMBERS,
            ),
        )
        try:
            with self._converted():
                self._limited, self._whole, self._vectors = self._migrate()
        except RecollectError:
            self.close()
            raise

    @staticmethod
    def shown(url: str) -> str:
        """An address without its password."""
        return parse_address(url).shown

    @staticmethod
    def look_at(url: str) -> tuple[str, bool, str | None]:
        """Which version of PostgreSQL is there, whether it has the store, and why that could not be written or made."""
        address = parse_address(url)
        try:
            with connect(address) as connection:
                ((row,),) = run_script(connection, _LOOK.format(address.schema))
        except psycopg.Error as error:
            raise convert_error(error, address) from error
        version, vector, there, writable, encoding, taken, has_vector = row
        problem = None if writable else f"{address.shown} cannot be written by this user"
        if not there:
            odd = ((taken, _FOREIGN), (encoding != "UTF8", _ENCODING), (not has_vector, _NO_VECTOR))
            told = [text.format(address.shown, encoding) for wrong, text in odd if wrong]
            problem = next(iter(told), problem)
        return f"{version} with pgvector {vector or '(not installed yet)'}", there, problem

    @property
    def site(self) -> Site:
        return Site(self._shown, limited=self._limited)

    @contextmanager
    def _converted(self, *, writing: bool = False) -> Generator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise convert_error(error, self._address, writing=writing) from error

    def close(self) -> None:
        self._pool.close()
        with self._lock:
            self._closed = True
            listening, self._listening = self._listening, []
        for connection in listening:
            connection.close()

    # Shape

    def _migrate(self) -> tuple[bool, int, str]:
        """Brings the schema up to date, and answers whether row-level security limits what this user sees, under
        which number it keeps what is of no space, and the schema of pgvector."""
        with self._pool.transaction("SELECT 1") as (connection, _):
            steps = self._format(connection)
            if steps != len(MIGRATIONS):
                try:
                    self._apply_migrations(connection)
                except psycopg.errors.InsufficientPrivilege as error:
                    raise ReadOnlyStore(self._needs_owner(steps)) from error
            (((limited,),),) = run_script(connection, "SELECT row_security_active('records')")
            number: int = run_script(connection, _OWN_NUMBER)[0][0][0] if limited else 0
            return limited, number, find_vectors(connection)

    def _needs_owner(self, steps: int) -> str:
        if not steps:
            return f"{self._shown} holds no memory, and this user may not make one: have another open it first"
        return (
            f"{self._shown} was written by an earlier Recollect (format {steps}, this one needs {len(MIGRATIONS)}), and"
            " only the owner of its tables can bring it up to date: have this release open it as that user once"
        )

    def _apply_migrations(self, connection: Connection) -> None:
        run_script(connection, f"BEGIN; SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock({self._edits})")
        schema = self._address.schema
        encoding = run_script(connection, "SHOW server_encoding")[0][0][0]
        if encoding != "UTF8":
            raise NotAStore(_ENCODING.format(self._shown, encoding))
        if not run_script(connection, f"SELECT 1 FROM pg_namespace WHERE nspname = '{schema}'")[0]:
            run_script(connection, f'CREATE SCHEMA "{schema}"')
        self._make_extension(connection)
        done = self._format(connection)
        if done == 0:
            run_script(connection, "CREATE TABLE format(steps bigint NOT NULL); INSERT INTO format VALUES(0)")
        vectors = find_vectors(connection)
        with connection.patient():
            for statements in MIGRATIONS[done:]:
                for statement in statements:
                    connection.execute(statement.replace(VECTOR, vectors).encode())
        run_script(connection, f"UPDATE format SET steps = {len(MIGRATIONS)}; COMMIT")

    def _make_extension(self, connection: Connection) -> None:
        if run_script(connection, "SELECT 1 FROM pg_extension WHERE extname = 'vector'")[0]:
            return
        try:
            connection.execute("CREATE EXTENSION vector SCHEMA public")
        except (
            psycopg.errors.InsufficientPrivilege,
            psycopg.errors.FeatureNotSupported,
            psycopg.errors.UndefinedFile,
        ) as error:
            raise ReadOnlyStore(_NO_VECTOR.format(self._shown)) from error

    def _format(self, connection: Connection) -> int:
        """How many steps the schema has been through."""
        (((ours, others),),) = run_script(connection, _FORMAT)
        if not ours:
            if others:
                raise NotAStore(_FOREIGN.format(self._shown))
            return 0
        (found,) = run_script(connection, "SELECT steps FROM format")
        if len(found) != 1:
            raise NotAStore(
                f"{self._shown} does not say which format it has: its table `format` has {len(found)} rows and not one;"
                " restore it from a dump, or name another with ?schema="
            )
        steps: int = found[0][0]
        if steps > len(MIGRATIONS):
            raise NewerStore(
                f"{self._shown} was written by a newer Recollect (format {steps}, this one knows up to"
                f" {len(MIGRATIONS)}); upgrade with `pip install --upgrade recollect`"
            )
        return steps

    # Reading and writing

    @contextmanager
    def read(self) -> Generator[SqlView]:
        joined = self._joined()
        if joined is not None:
            with self._converted():
                yield self._view(*joined)
            return
        shared = self._pool.second_wanted
        begin = _BEGIN_READ + _SHARE_SNAPSHOT if shared else _BEGIN_READ
        with self._converted(), self._pool.transaction(begin) as (connection, answers):
            known, snapshot = (answers[:-1], answers[-1][0][0]) if shared else (answers, None)
            second = Second(self._pool, snapshot)
            try:
                yield self._view(*self._begun(connection, State(known, writing=False), second=second))
            finally:
                second.give_up()

    def _begun(
        self,
        connection: Connection,
        state: State,
        numbers: Mapping[str, int] | None = None,
        second: Second | None = None,
    ) -> tuple[PostgresDatabase, State]:
        db = PostgresDatabase(
            connection,
            numbers,
            limited=self._limited,
            whole=self._whole,
            second=second,
            vectors=self._vectors,
        )
        db.known_spaces, db.stamped = state.spaces, state.stamped
        return db, state

    def _view(self, db: PostgresDatabase, state: State) -> SqlView:
        now = look(state.last, self._clock())
        shifted = state.last is not None and state.last.ahead > 0
        return SqlView(db, now, *self._index(db, state, now), shifted=shifted)

    @contextmanager
    def write(self, *, actor: str | None = None, patience: float | None = None) -> Generator[SqlEdit]:
        inner = self._joined() is not None
        with self._converted(writing=True), self._transaction(patience) as (db, state), self._acts.one():
            moment = next_moment(state.last, self._clock())
            db.stamped = None if moment.noted is not None else db.stamped
            derived, search = self._index(db, state, moment.at)
            edit = SqlEdit(db, moment, derived, search, actor, self._acts.first)
            with db.undone_on_failure() if inner else nullcontext():
                yield edit
                edit.finish()
            if db.wrote_to("journal"):
                state.last = Last(to_micros(moment.at), moment.noted)

    def joined(self, *, in_steps: bool = False, of: Mapping[str, int] | None = None) -> AbstractContextManager[object]:
        return self._acts.one(of) if in_steps else self._transaction()

    @contextmanager
    def _transaction(self, patience: float | None = None) -> Generator[tuple[PostgresDatabase, State]]:
        """The transaction of this thread: a new one, unless it is in one already."""
        outer = self._joined()
        if outer is not None:
            yield outer
            return
        seconds = BUSY_SECONDS if patience is None else patience
        begin = self._begin_edit.replace(_WAITS, f"'{max(int(seconds * 1000), 1)}ms'")
        with ExitStack() as stack:
            stack.enter_context(self._converted(writing=True))
            connection, answers = self._begin_alone(stack, begin, seconds)
            stack.enter_context(self._acts.one())
            _, (transaction,), *known, numbers = answers
            db, state = self._begun(connection, State(known, writing=True), dict(numbers))
            self._thread.joined = (db, state)
            try:
                yield self._thread.joined
            finally:
                self._thread.joined = None
            doubt = self._commit(connection, db)
        if doubt is not None and not self._was_committed(transaction, db.noted, doubt):
            raise convert_error(doubt, self._address, writing=True) from doubt
        for told in self.on_commit:
            told()

    def _joined(self) -> tuple[PostgresDatabase, State] | None:
        """The transaction that this thread is in, if it is in one."""
        return getattr(self._thread, "joined", None)

    def _begin_alone(self, stack: ExitStack, begin: str, seconds: float) -> tuple[Connection, list[list[Row]]]:
        """Begins a transaction that writes. A server that is away is waited for by each thread for itself, and not
        while it keeps the others from writing."""
        began = time.monotonic()
        while True:
            self._pool.reach()
            with ExitStack() as alone:
                alone.enter_context(self._alone(seconds))
                try:
                    begun = alone.enter_context(self._pool.transaction(begin, patience=0.0))
                except Unreachable:
                    if time.monotonic() > began + BUSY_SECONDS:
                        raise
                    continue
                stack.enter_context(alone.pop_all())
                return begun

    @contextmanager
    def _alone(self, seconds: float) -> Generator[None]:
        """Has threads wait for each other here, so that a process asks for the lock of the database once."""
        if not self._writing.acquire(timeout=seconds):
            raise StoreBusy(f"{self._shown} was locked by another thread for over {seconds:g} s; try again")
        try:
            yield
        finally:
            self._writing.release()

    def _index(self, db: PostgresDatabase, state: State, now: datetime) -> tuple[Derived, Callable[[], Search]]:
        """What is derived, as a transaction sees it, and what searches it once something is asked."""
        words, vectors = PostgresWords(db, state), PostgresVectors(db, state)

        def search() -> Search:
            from recollect.store.postgres.search import PostgresSearch  # brings in numpy

            return PostgresSearch(db, state, words, vectors, to_micros(now))

        return Derived(db, words, vectors), search

    def _commit(self, connection: Connection, db: PostgresDatabase) -> psycopg.Error | None:
        """Ends a transaction, and answers with what went wrong where that leaves open whether it was kept."""
        try:
            db.commit(*([f"NOTIFY {self._channel}"] if db.wrote_to("journal") else []))
        except psycopg.Error as error:
            if is_within(connection):
                raise
            connection.close()  # so that the server ends it, if it has not
            return error
        return None

    def _was_committed(self, transaction: Row, noted: Row | None, doubt: psycopg.Error) -> bool:
        """Asks the database, over another connection, what became of a transaction whose end it did not tell.

        A server that breaks off before something was on its disk gives the number of that transaction to another one
        afterwards. So what the journal has is compared; without an entry, such a server leaves it open.
        """
        deadline = time.monotonic() + BUSY_SECONDS
        number, started = transaction
        entry, at, *_, object_id = (0, 0, "") if noted is None else noted[: NOTED.index("object_id") + 1]
        asked = (
            f"SELECT pg_xact_status('{number}'::xid8), pg_postmaster_start_time()::text = '{started}',"
            f" (SELECT at || ' ' || object_id FROM journal WHERE entry = {entry})"
        )
        status: str | None = "in progress"
        while status == "in progress" and time.monotonic() < deadline:
            try:
                with self._pool.transaction(asked) as (_, (((status, same, held),),)):
                    if status == "committed" and noted is not None:
                        return held == f"{at} {object_id}"
                    if status == "aborted" or (status == "committed" and same):
                        return status == "committed"
                    if status == "committed":
                        break
            except psycopg.errors.InvalidParameterValue:
                return False  # no transaction has had that number, for the server that came up again
            except (Unreachable, RecollectError) as error:
                raise self._unsure(doubt) from error
            except psycopg.OperationalError as error:  # this connection was lost as well
                doubt = error
            time.sleep(_LOOK_SECONDS)
        raise self._unsure(doubt)

    def _unsure(self, doubt: psycopg.Error) -> StoreLost:
        return StoreLost(
            f"the connection to {self._shown} was lost while a change was being kept ({said_by(doubt)}), and the"
            " database could not be asked what became of it: the change may or may not have been kept; look before"
            " trying again"
        )

    # Other processes

    def turn(self, *names: str, stop: threading.Event | None = None) -> DatabaseTurn:
        return DatabaseTurn(self._connect, self._converted, lock_key(self._address.schema, "turn", *names), stop)

    def _connect(self) -> Connection:
        with self._converted():
            if self._closed:
                raise StoreError(f"{self._shown} is closed")
            try:
                return connect(self._address)
            except Unreachable:
                self._pool.reach()  # which waits for a server that is just starting again
                return connect(self._address)

    def follow(self, after: int, seconds: float, *, limit: int = 1000) -> list[Change]:
        """Listens before it looks, so that nothing happens unheard between the two."""
        deadline = time.monotonic() + seconds
        while True:
            changes = self._look(after, limit)
            if changes or seconds <= 0:
                return changes
            with self._ear() as connection:
                changes = self._look(after, limit)
                left = deadline - time.monotonic()
                if changes or left <= 0:
                    return changes
                try:
                    list(connection.notifies(timeout=left, stop_after=1))
                except psycopg.OperationalError:
                    time.sleep(min(max(deadline - time.monotonic(), 0.0), _LOOK_SECONDS))

    def _look(self, after: int, limit: int) -> list[Change]:
        with self.read() as view:
            return view.journal(Changes(after=after), limit=limit)

    @contextmanager
    def _ear(self) -> Generator[Connection]:
        """A connection that hears of every change, kept open for the next to listen."""
        with self._lock:
            connection = self._listening.pop() if self._listening else None
        if connection is None or is_lost(connection):
            connection = self._connect()
            with self._converted():
                connection.execute(f"LISTEN {self._channel}".encode())
            connection.answer_seconds = None  # nothing is asked over it from now on
        try:
            yield connection
        finally:
            with self._lock:
                if self._closed or is_lost(connection):
                    connection.close()
                else:
                    self._listening.append(connection)

    # Care

    def settle(self, what: Extent = "some") -> bool:
        """The database settles by itself, but for checksums; asked for all of it, it vacuums at once."""
        if what == "erased":
            return False  # it stays in dead rows until the database vacuums
        if self._limited:
            if what == "all":
                raise left_to_owner("compact the store")
            return True
        if what == "all":
            with self._converted(), self._pool.transaction("SELECT 1") as (connection, _), connection.patient():
                for table in ("records", "journal", "lexis", "words", "pieces", "tokens", "shelves"):
                    connection.execute(f"VACUUM {table}".encode())
        with self._converted(), self._pool.transaction(_BEGIN_READ) as (connection, _):
            if not self._sealing.look(PostgresDatabase(connection)):
                return True
        with self._converted(writing=True), self._transaction() as (db, _):
            self._sealing.write(db)
        return False

    def check(self) -> Iterator[str]:
        with self._converted(), self._pool.transaction(_BEGIN_READ) as (connection, _), connection.patient():
            writers: dict[str, str] = {} if self._limited else dict(run_script(connection, _WRITERS)[0])
            yield from broken_rows(PostgresDatabase(connection), writers=writers)
            for question, problem in (*_CHECKS, *(() if self._limited else _CHECKS_OF_ALL)):
                count: int = run_script(connection, question)[0][0][0]
                if count:
                    yield f"{count} {problem}"

    def size(self) -> int:
        sql = "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class WHERE relkind = 'r' AND"
        with self._converted(), self._pool.transaction("SELECT 1") as (connection, _):
            return run_script(connection, f"{sql} relnamespace = '\"{self._address.schema}\"'::regnamespace")[0][0][0]


_WRITERS = """SELECT name, string_agg(DISTINCT role, ', ') FROM members JOIN spaces ON no = space_no GROUP BY name"""
_NUMBERED = {"records": "version", "entities": "version", "relations": "version", "journal": "entry", "pieces": "piece"}
_CHECKS_OF_ALL = (
    (
        "SELECT greatest((SELECT last FROM numbers WHERE name = 'journal') - count(*) - (SELECT coalesce("
        "sum(value::bigint), 0) FROM shelves WHERE space_no = 0 AND shelf = 'thinned entries'), 0) FROM journal",
        "entries are missing from the journal: somebody has deleted them, and what they told is in a dump at best (or,"
        " before format 8, a limited role took their numbers and wrote none)",
    ),
    (
        " + ".join(
            f"{'' if place else 'SELECT '}(SELECT (max({key}) > (SELECT last FROM numbers WHERE name = '{table}'))::int"
            f" FROM {table} HAVING count(*) > 0 UNION ALL SELECT 0 LIMIT 1)"
            for place, (table, key) in enumerate(_NUMBERED.items())
        ),
        "tables have numbers beyond the last one that was given (table `numbers`): writing to them will fail",
    ),
)
"""What can be told by who sees all rows."""
_IN_USE = "(SELECT version FROM made_by WHERE what = 'edition')"
_CHECKS = (
    (
        f"SELECT count(*) FROM records WHERE NOT EXISTS (SELECT 1 FROM lexis JOIN words USING(version, edition)"
        f" WHERE lexis.version = records.version AND edition = {_IN_USE})",
        "versions are missing from the keyword index; run `recollect reindex`",
    ),
    (
        "SELECT count(*) FROM lexis WHERE NOT EXISTS (SELECT 1 FROM records WHERE records.version = lexis.version)",
        "keyword rows belong to no record; run `recollect reindex`",
    ),
    (
        "SELECT count(*) FROM words JOIN records USING(version) WHERE words.live <> (records.retired_at IS NULL)",
        "keyword rows do not know whether their record is live; run `recollect reindex`",
    ),
    (
        "SELECT count(*) FROM pieces WHERE NOT EXISTS (SELECT 1 FROM records WHERE records.version = pieces.version)",
        "vectors belong to no record; run `recollect reindex`",
    ),
    *(
        (
            f"SELECT count(*) FROM {table} JOIN records USING(version) WHERE {table}.space_no <> records.space_no",
            f"{rows} stand in another space than their record; run `recollect reindex`",
        )
        for table, rows in (
            ("words", "keyword rows"),
            ("pieces", "vectors"),
            ("queue", "texts that wait for vectors"),
            ("refs", "refs"),
        )
    ),
    (
        "SELECT count(*) FROM refs WHERE NOT EXISTS (SELECT 1 FROM records WHERE records.version = refs.version"
        " AND retired_at IS NULL) AND NOT (ref >= 'made_of:' AND ref < 'made_of;')",
        "refs belong to no live record; run `recollect reindex`",
    ),
    (
        f"SELECT count(*) FROM tallies WHERE edition = {_IN_USE} AND records <> (SELECT count(*) FROM records"
        " WHERE records.space_no = tallies.space_no AND retired_at IS NULL)",
        "spaces are miscounted; run `recollect reindex`",
    ),
)
