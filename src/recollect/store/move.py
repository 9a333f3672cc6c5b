"""How does a whole store come to stand in another one, whichever database keeps each?

What is canonical is copied row by row, with its numbers, so that versions, history and the journal are the same there.
Every table is walked in the order of its key, and a stretch of it is written only where the target holds something
else: a move that was killed goes on where it ended, and notices what has changed meanwhile. Words and vectors are
handed over as what they say, and each database keeps them in its own way. At the end the target is read from its
first row to its last, and compared with what was read of the source.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol, cast

import msgspec
from msgspec import Struct

from recollect.errors import Conflict, ReadOnlyStore, StoreBusy, StoreError
from recollect.store.base import INDEX, UNFINISHED, Lexis, Site, Turn
from recollect.store.canonical import AT_ONCE, CANONICAL, MOVE, Table, keyed, numbers_of
from recollect.store.sql.database import Database, Row
from recollect.store.sql.edit import SqlEdit
from recollect.store.sql.view import SqlView
from recollect.types import Record

Report = Callable[[str, int, int], None]
Stage = Literal["rows", "words", "vectors"]
_RULES = -1
"""No rules of today: the target's words are those that the source has, by whichever rules it made them."""
_VECTORS_AT_ONCE = 500


class SqlStore(Protocol):
    """A store of which more is asked here than what a memory asks: its rows."""

    @property
    def site(self) -> Site: ...
    def read(self) -> AbstractContextManager[SqlView]: ...
    def write(self, *, actor: str | None = None) -> AbstractContextManager[SqlEdit]: ...
    def turn(self, *names: str, stop: threading.Event | None = None) -> Turn: ...


class Moved(Struct, frozen=True, kw_only=True):
    """A move that is done and proven: how many rows of each table both stores hold, and the hash over all of them.

    `vectors` are those that were copied by this run, `resumed` tells whether another had begun.
    """

    source: str
    target: str
    rows: Mapping[str, int]
    digest: str
    vectors: int
    resumed: bool


_LETTING_GO = 3.0
"""So many seconds a database may take to notice that a process which was killed has let go."""
_QUEUE = keyed("queue", "model version space_no", "")


def require_movable(source: SqlStore) -> None:
    """Refuses what is no whole store, before anything is made of it."""
    location = source.site.location
    if source.site.limited:
        raise ReadOnlyStore(f"this user sees some spaces of {location} only; move it as the owner of its tables")
    with source.read() as view:
        if UNFINISHED in view.kept(INDEX):
            raise Conflict(f"{location} is being filled by a move itself; finish that one first")


def move_store(source: SqlStore, target: SqlStore, report: Report, carry: Callable[[], None]) -> Moved:
    """Copies everything, and proves that it arrived. `carry` brings over what lies beside the rows, before the end.

    A target that holds anything is refused, unless it is that of the same move, which was not finished.
    """
    turn = target.turn("move")
    if not turn.take(_LETTING_GO):
        raise StoreBusy(f"{target.site.location} is being filled by another process")
    try:
        return _Move(source, target, report).run(carry)
    finally:
        turn.release()


class _Move:
    """One run of a move: from its beginning, or from where an earlier run was ended."""

    def __init__(self, source: SqlStore, target: SqlStore, report: Report) -> None:
        self._source = source
        self._target = target
        self._from, self._to = source.site.location, target.site.location
        self._report = report
        self._vectors = 0

    def run(self, carry: Callable[[], None]) -> Moved:
        with self._source.read() as view:
            resumed, stage = self._begin(view)
            said, changed = self._copy_rows(view.database)
            if changed or stage == "rows":
                self._renew(view)
                stage = "words"
            if stage == "words":
                self._copy_words(view)
            self._copy_vectors(view)
            numbers = numbers_of(view.database)
            made_by = view.kept(INDEX)
            last = _last_entry(view.database)
        carry()
        with self._target.write() as edit:
            models = edit.models()
            for done, model in enumerate(models, 1):
                edit.derived.vectors.make_index(model)
                self._report("index", done, len(models))
            for table, number in numbers.items():
                edit.database.count_from(table, number)
        self._prove(said, numbers)
        self._finish(made_by, last)
        rows = {name: count for name, (count, _) in said.items()}
        return Moved(
            source=self._from, target=self._to, rows=rows, digest=_together(said),
            vectors=self._vectors, resumed=resumed,
        )  # fmt: skip

    # Beginning and end

    def _begin(self, source: SqlView) -> tuple[bool, Stage]:
        """Marks the target as unfinished, or finds the mark of this same move. Answers how far that had come."""
        with self._target.write() as edit:
            mark = edit.kept(MOVE)
            if mark.get("from") == self._from:
                self._require_untouched(source.database, edit.database)
                return True, cast("Stage", mark["stage"])
            if mark:
                raise Conflict(f"{self._to} is being filled from {mark['from']}; go on with that move")
            if any(edit.database.rows(f"SELECT 1 FROM {table} LIMIT 1") for table in ("spaces", "journal")):
                raise Conflict(f"{self._to} holds a memory already; move to an empty folder, database or ?schema=")
            edit.keep(MOVE, {"from": self._from, "stage": "rows"})
            edit.keep(INDEX, {UNFINISHED: 1})
            return False, "rows"

    def _require_untouched(self, source: Database, target: Database) -> None:
        last = target.rows("SELECT entry, at FROM journal ORDER BY entry DESC LIMIT 1")
        if last and last != source.rows("SELECT entry, at FROM journal WHERE entry = ?", last[0][:1]):
            raise Conflict(f"{self._to} was written to since the move began; begin with an empty one")

    def _mark(self, edit: SqlEdit, stage: Stage) -> None:
        edit.keep(MOVE, {"stage": stage})

    def _finish(self, made_by: Mapping[str, int], last: int) -> None:
        with self._source.read() as view:
            later = _last_entry(view.database) - last
        if later:
            raise Conflict(
                f"{self._from} was changed {later:,} times while it was copied; end what writes to it, and"
                " run the same move again: it copies what differs"
            )
        with self._target.write() as edit:
            edit.keep(INDEX, made_by, only=True)
            edit.keep(MOVE, {}, only=True)

    # What is canonical

    def _copy_rows(self, source: Database) -> tuple[dict[str, tuple[int, str]], bool]:
        """Has every table hold what the source's does. Answers what was read, and whether anything was written."""
        total = sum(table.count(source) for table in CANONICAL)
        said: dict[str, tuple[int, str]] = {}
        done, changed = 0, False
        for table in CANONICAL:
            reading = _Reading()
            for after, upto, rows in table.batches(source):
                reading.take(rows)
                changed |= self._copy_batch(table, after, upto, rows)
                done += len(rows)
                self._report("rows", done, total)
            said[table.name] = reading.result()
        return said, changed

    def _copy_batch(
        self, table: Table, after: Row | None, upto: Row | None, rows: Sequence[Row], stage: Stage = "rows"
    ) -> bool:
        with self._target.read() as view:
            held = table.read(view.database, after, upto)
        if held == rows:
            return False
        with self._target.write() as edit:
            db = edit.database
            if held:
                chosen, values = table.select(after, upto)
                db.run(f"DELETE FROM {table.name} WHERE {chosen}", values)
            table.write(db, rows)
            self._mark(edit, stage)
        return True

    # What is derived

    def _renew(self, source: SqlView) -> None:
        """All rows are there: words are to be made of them from the first on, and every version waits for vectors."""
        with self._target.write() as edit:
            db, derived = edit.database, edit.derived
            db.run("DELETE FROM tallies WHERE space_no NOT IN (SELECT no FROM spaces)")
            known = {number for (number,) in db.rows("SELECT DISTINCT space_no FROM tallies")}
            for (number,) in db.rows("SELECT no FROM spaces ORDER BY no"):
                if number not in known:
                    derived.put_space(number)
            derived.vectors.drop_vectors(None)
            for model in source.models():
                db.count_from("models", model.no - 1)
                adopted = edit.adopt(model.name, model.dim, model.mean, model.floor, model.spread)
                derived.vectors.drop_index(adopted)
            derived.words.begin(_RULES, anew=True)
            self._mark(edit, "words")

    def _copy_words(self, source: SqlView) -> None:
        ahead: dict[int, Lexis] = {}

        def derive(record: Record) -> Lexis:
            if record.version not in ahead:
                ahead.clear()
                sql = "SELECT version FROM records WHERE version >= ? ORDER BY version LIMIT ?"
                versions = [version for (version,) in source.database.rows(sql, (record.version, AT_ONCE))]
                ahead.update(source.terms(versions))
            if record.version not in ahead:
                raise StoreError(
                    f"the keyword index of {self._from} lacks version {record.version}; run `recollect"
                    " reindex` there, then this again"
                )
            return ahead[record.version]

        done, total = 0, -1
        while done != total:
            with self._target.write() as edit:
                done, total = edit.rebuild(derive, _RULES, AT_ONCE)
                if done == total:
                    self._mark(edit, "vectors")
            self._report("words", done, total)

    def _copy_vectors(self, source: SqlView) -> None:
        """Whatever waits at the target and has vectors at the source gets those."""
        models = source.models()
        with self._target.read() as view:
            total = _QUEUE.count(view.database)
        done = 0
        for model in models:
            after = -1
            while True:
                with self._target.write() as edit:
                    sql = "SELECT version FROM queue WHERE model = ? AND version > ? ORDER BY version LIMIT ?"
                    rows = edit.database.rows(sql, (model.no, after, _VECTORS_AT_ONCE))
                    if not rows:
                        break
                    versions = [version for (version,) in rows]
                    vectors = source.derived.vectors.read(model.no, versions)
                    known = sorted({vector.version for vector in vectors})
                    edit.put_vectors(model.no, known, vectors)
                self._vectors += len(vectors)
                after, done = versions[-1], done + len(versions)
                self._report("vectors", done, total)
        for batch in _QUEUE.batches(source.database):  # some have vectors and wait for newer ones, some wait for none
            self._copy_batch(_QUEUE, *batch, stage="vectors")

    # Proof

    def _prove(self, said: Mapping[str, tuple[int, str]], numbers: Mapping[str, int]) -> None:
        """Reads all that was written, and compares it with what was read."""
        total = sum(count for count, _ in said.values())
        done = 0
        with self._target.read() as view:
            db = view.database
            if numbers_of(db) != numbers:
                raise self._differs("the numbers that come next")
            for table in CANONICAL:
                reading = _Reading()
                for _, _, rows in table.batches(db):
                    reading.take(rows)
                    done += len(rows)
                    self._report("proof", done, total)
                if reading.result() != said[table.name]:
                    raise self._differs(table.name)

    def _differs(self, what: str) -> StoreError:
        return StoreError(
            f"{self._to} differs from {self._from} in {what}: somebody writes to it; end that,"
            " and run the same move again"
        )


class _Reading:
    """Rows of a table, as they are read: how many, and a hash over them."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._count = 0

    def take(self, rows: Sequence[Row]) -> None:
        self._count += len(rows)
        for row in rows:
            self._hash.update(msgspec.msgpack.encode(row))

    def result(self) -> tuple[int, str]:
        return self._count, self._hash.hexdigest()


def _together(said: Mapping[str, tuple[int, str]]) -> str:
    return hashlib.sha256(msgspec.json.encode(said)).hexdigest()


def _last_entry(db: Database) -> int:
    return db.rows("SELECT coalesce(max(entry), 0) FROM journal")[0][0]
