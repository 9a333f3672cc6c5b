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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Literal, NamedTuple, Protocol, cast

import msgspec
from msgspec import Struct

from recollect.errors import Conflict, ReadOnlyStore, StoreBusy, StoreError
from recollect.store.base import INDEX, UNFINISHED, Lexis, Shelf, Turn
from recollect.store.sql.database import Database, Row
from recollect.store.sql.edit import SqlEdit
from recollect.store.sql.seal import NOTED
from recollect.store.sql.shapes import COLUMNS, TABLES, quoted
from recollect.store.sql.view import SqlView
from recollect.types import Entity, Record, Relation

Report = Callable[[str, int, int], None]
Stage = Literal["rows", "words", "vectors"]
_MOVE = Shelf("move", str)
"""On the target, while it is not finished: from where it is filled, and how far that is."""
_APART = (_MOVE.name, INDEX.name, "files")
"""Shelves that tell of the store that they are in; the texts of spaces' files are moved by who knows where they lie."""
_RULES = -1
"""No rules of today: the target's words are those that the source has, by whichever rules it made them."""
_AT_ONCE = 1_000
_VECTORS_AT_ONCE = 500


class SqlStore(Protocol):
    """A store of which more is asked here than what a memory asks: its rows."""

    @property
    def location(self) -> str: ...
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


class _Table(NamedTuple):
    name: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    where: str = "1 = 1"

    def select(self, after: Row | None, upto: Row | None) -> tuple[str, list[object]]:
        """The condition for the rows between two keys, the first left out."""
        key, marks = ", ".join(self.key), ", ".join("?" * len(self.key))
        bounds = [(sign, row) for sign, row in ((">", after), ("<=", upto)) if row is not None]
        sql = "".join(f" AND ({key}) {sign} ({marks})" for sign, _ in bounds)
        return f"{self.where}{sql}", [value for _, row in bounds for value in row]

    def read(self, db: Database, after: Row | None, upto: Row | None = None, most: int | None = None) -> list[Row]:
        """Rows in the order of their key."""
        chosen, values = self.select(after, upto)
        sql = f"SELECT {', '.join(map(quoted, self.columns))} FROM {self.name} WHERE {chosen}"
        sql += f" ORDER BY {', '.join(self.key)}"
        return db.rows(sql, values) if most is None else db.rows(f"{sql} LIMIT ?", [*values, most])

    def key_of(self, row: Row) -> Row:
        return row[: len(self.key)]

    def count(self, db: Database) -> int:
        return db.rows(f"SELECT count(*) FROM {self.name} WHERE {self.where}")[0][0]

    def batches(self, db: Database) -> Iterator[tuple[Row | None, Row | None, list[Row]]]:
        """All rows, in stretches: after which key, up to which (None: to the end), and what stands there."""
        after: Row | None = None
        while True:
            rows = self.read(db, after, most=_AT_ONCE)
            upto = self.key_of(rows[-1]) if len(rows) == _AT_ONCE else None
            yield after, upto, rows
            if upto is None:
                return
            after = upto


def _of_versions(type_: type[Record | Entity | Relation]) -> _Table:
    return _Table(TABLES[type_], ("version",), ("version", "space_no", *COLUMNS[type_], "checksum", "retired_at"))


def _keyed(name: str, key: str, columns: str, where: str = "1 = 1") -> _Table:
    return _Table(name, tuple(key.split()), (*key.split(), *columns.split()), where)


CANONICAL = (
    _keyed("spaces", "no", "name description created_at metadata checksum"),
    _of_versions(Record),
    _of_versions(Entity),
    _of_versions(Relation),
    _keyed("messages", "space_no session place", "id role at flag"),
    _keyed("shelves", "space_no shelf key", "value", f"shelf NOT IN {_APART}"),
    _keyed("accesses", "space_no id", "count last"),
    _keyed("faded", "version", "confidence"),
    _keyed("evicted", "version", "at"),
    _keyed("moved", "run version", "was now"),
    _Table("journal", ("entry",), (*NOTED, "checksum")),
)
"""What a store holds that nothing else follows from. The journal is last: who has an entry has what it tells of."""
_QUEUE = _keyed("queue", "model version space_no", "")
_NUMBERED = ("spaces", "records", "entities", "relations", "journal", "models")
"""Tables whose numbers are never given twice, also when what had them is gone."""


def move_store(source: SqlStore, target: SqlStore, report: Report, carry: Callable[[], None]) -> Moved:
    """Copies everything, and proves that it arrived. `carry` brings over what lies beside the rows, before the end.

    A target that holds anything is refused, unless it is that of the same move, which was not finished.
    """
    turn = target.turn("move")
    if not turn.take():
        raise StoreBusy(f"{target.location} is being filled by another process")
    try:
        return _Move(source, target, report).run(carry)
    finally:
        turn.release()


class _Move:
    """One run of a move: from its beginning, or from where an earlier run was ended."""

    def __init__(self, source: SqlStore, target: SqlStore, report: Report) -> None:
        self._source = source
        self._target = target
        self._report = report
        self._vectors = 0

    def run(self, carry: Callable[[], None]) -> Moved:
        with self._source.read() as view:
            if view.database.limited:
                raise ReadOnlyStore(
                    f"this user sees some spaces of {self._source.location} only; move it as the owner of its tables"
                )
            resumed, stage = self._begin(view)
            said, changed = self._copy_rows(view.database)
            if changed or stage == "rows":
                self._renew(view)
                stage = "words"
            if stage == "words":
                self._copy_words(view)
            self._copy_vectors(view)
            numbers = _numbers(view.database)
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
            source=self._source.location, target=self._target.location, rows=rows, digest=_together(said),
            vectors=self._vectors, resumed=resumed,
        )  # fmt: skip

    # Beginning and end

    def _begin(self, source: SqlView) -> tuple[bool, Stage]:
        """Marks the target as unfinished, or finds the mark of this same move. Answers how far that had come."""
        with self._target.write() as edit:
            mark = edit.kept(_MOVE)
            if mark.get("from") == self._source.location:
                self._require_untouched(source.database, edit.database)
                return True, cast("Stage", mark["stage"])
            if mark:
                raise Conflict(f"{self._target.location} is being filled from {mark['from']}; go on with that move")
            if any(edit.database.rows(f"SELECT 1 FROM {table} LIMIT 1") for table in ("spaces", "journal")):
                raise Conflict(
                    f"{self._target.location} holds a memory already; move to an empty folder, database or ?schema="
                )
            edit.keep(_MOVE, {"from": self._source.location, "stage": "rows"})
            edit.keep(INDEX, {UNFINISHED: 1})
            return False, "rows"

    def _require_untouched(self, source: Database, target: Database) -> None:
        last = target.rows("SELECT entry, at FROM journal ORDER BY entry DESC LIMIT 1")
        if last and last != source.rows("SELECT entry, at FROM journal WHERE entry = ?", last[0][:1]):
            raise Conflict(f"{self._target.location} was written to since the move began; begin with an empty one")

    def _mark(self, edit: SqlEdit, stage: Stage) -> None:
        edit.keep(_MOVE, {"stage": stage})

    def _finish(self, made_by: Mapping[str, int], last: int) -> None:
        with self._source.read() as view:
            later = _last_entry(view.database) - last
        if later:
            raise Conflict(
                f"{self._source.location} was changed {later:,} times while it was copied; end what writes to it, and"
                " run the same move again: it copies what differs"
            )
        with self._target.write() as edit:
            edit.keep(INDEX, made_by, only=True)
            edit.keep(_MOVE, {}, only=True)

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
        self, table: _Table, after: Row | None, upto: Row | None, rows: Sequence[Row], stage: Stage = "rows"
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
            columns, marks = ", ".join(map(quoted, table.columns)), ", ".join("?" * len(table.columns))
            db.many(f"INSERT INTO {table.name}({columns}) VALUES({marks})", rows)
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
                versions = [version for (version,) in source.database.rows(sql, (record.version, _AT_ONCE))]
                ahead.update(source.terms(versions))
            if record.version not in ahead:
                raise StoreError(
                    f"the keyword index of {self._source.location} lacks version {record.version}; run `recollect"
                    " reindex` there, then this again"
                )
            return ahead[record.version]

        done, total = 0, -1
        while done != total:
            with self._target.write() as edit:
                done, total = edit.rebuild(derive, _RULES, _AT_ONCE)
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
            if _numbers(db) != numbers:
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
            f"{self._target.location} differs from {self._source.location} in {what}: somebody writes to it; end that,"
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


def _numbers(db: Database) -> dict[str, int]:
    return {table: db.last_number(table) for table in _NUMBERED}


def _last_entry(db: Database) -> int:
    return db.rows("SELECT coalesce(max(entry), 0) FROM journal")[0][0]
