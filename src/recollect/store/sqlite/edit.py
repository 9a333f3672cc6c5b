"""What can be changed in a SQLite store inside one transaction?"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import cast

import msgspec

from recollect.errors import Conflict, NotFound
from recollect.store.base import (
    FadingRule,
    IndexedFile,
    IndexedProject,
    Lexis,
    Model,
    Shelf,
    T,
    Thing,
    V,
    Vector,
)  # fmt: skip
from recollect.store.sqlite.derived import Entry
from recollect.store.sqlite.ledger import add_spending, add_to_counter, set_counter
from recollect.store.sqlite.lifecycle import (
    add_messages,
    claim_slot,
    fade,
    hand_on_fading,
    mark_evicted,
    next_place,
    put_run,
    read_evicted,
    retire_evicted,
    stated_confidence,
    unfade,
    write_messages,
)  # fmt: skip
from recollect.store.sqlite.projects import (
    delete_files,
    delete_project,
    delete_projects,
    write_files,
    write_project,
)  # fmt: skip
from recollect.store.sqlite.rows import (
    Row,
    entity_row,
    record_row,
    relation_row,
    to_json,
    to_micros,
    to_record,
)  # fmt: skip
from recollect.store.sqlite.view import COLUMNS, TABLES, VERSIONS_OF, SqliteView, select
from recollect.types import Entity, Message, Record, Relation, Session, Space, Spending

_INSERT = {
    type_: f"INSERT INTO {TABLES[type_]}(space_no, {', '.join(columns)}) VALUES(?{', ?' * len(columns)})"
    for type_, columns in COLUMNS.items()
}
_OBJECT_TYPE: dict[type[Thing], str] = {Record: "record", Entity: "entity", Relation: "relation"}
_OF_A_SPACE = ("records", "entities", "relations", "accesses", "runs", "messages", "shelves")
_EVICTED = "SELECT space_no, version, evicted.at FROM evicted JOIN records USING(version)"
_REBUILD_BATCH = 500


def _row(thing: Thing) -> Row:
    if isinstance(thing, Record):
        return record_row(thing)
    return entity_row(thing) if isinstance(thing, Entity) else relation_row(thing)


def _same_text(one: Record, other: Record) -> bool:
    return (one.content_hash, one.title) == (other.content_hash, other.title)


class SqliteEdit(SqliteView):
    """One transaction: reads see what it has written so far."""

    def __init__(self, connection: sqlite3.Connection, now: datetime, actor: str | None) -> None:
        super().__init__(connection, now)
        self._at = to_micros(now)
        self._actor = actor
        self._positions: dict[tuple[str, str | None, str | None], int] = {}
        self._places: dict[tuple[int, str], int] = {}
        self._listed: list[Row] = []

    @property
    def now(self) -> datetime:
        return self._now

    def finish(self) -> None:
        """Writes what was put off: the ends of sessions' lists, and how many records and terms each space has."""
        self._list_messages()
        self._derived.finish()

    def _run(self, sql: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        return self._connection.execute(sql, values)

    def _home(self, space: str) -> int:
        number = self._number(space)
        if number is None:
            raise NotFound(f"there is no space named {space!r}")
        return number

    def _note(
        self,
        space: str,
        verb: str,
        object_type: str,
        object_id: str,
        *,
        before: int | None = None,
        after: int | None = None,
        reason: str | None = None,
        undoes: int | None = None,
    ) -> int:
        cursor = self._run(
            "INSERT INTO journal(at, space, verb, object_type, object_id, before, after, actor, reason, undoes)"
            " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (self._at, space, verb, object_type, object_id, before, after, self._actor, reason, undoes),
        )
        return cast("int", cursor.lastrowid)

    # Spaces

    def put_space(self, space: Space) -> Space:
        """Makes a space, or gives an existing one a new description and metadata."""
        number = self._number(space.name)
        if number is None:
            cursor = self._run(
                "INSERT INTO spaces(name, description, created_at, metadata) VALUES(?, ?, ?, ?)",
                (space.name, space.description, self._at, to_json(space.metadata)),
            )
            number = self._numbers[space.name] = cast("int", cursor.lastrowid)
            self._derived.put_space(number)
            self._note(space.name, "create", "space", space.name)
        else:
            self._run(
                "UPDATE spaces SET description = ?, metadata = ? WHERE no = ?",
                (space.description, to_json(space.metadata), number),
            )
            self._note(space.name, "describe", "space", space.name)
        return cast("Space", self.space(space.name))

    def note(self, space: str, verb: str, reason: str | None = None) -> int:
        """Writes into the journal that something was done in a space, which changes nothing by itself."""
        return self._note(space, verb, "space", space, reason=reason)

    def drop_space(self, name: str) -> int:
        """Removes a space with all that is in it. The journal keeps only that it was there."""
        number = self._home(name)
        self._list_messages()
        self._sweep(self._rows(f"{_EVICTED} WHERE space_no = ?", (number,)))
        self._run("DELETE FROM moved WHERE run IN (SELECT entry FROM runs WHERE space_no = ?)", (number,))
        self._run("DELETE FROM faded WHERE version IN (SELECT version FROM records WHERE space_no = ?)", (number,))
        self._derived.drop_space(number)
        gone = {
            table: self._run(f"DELETE FROM {table} WHERE space_no = ?", (number,)).rowcount for table in _OF_A_SPACE
        }
        delete_projects(self._connection, number)
        self._run("DELETE FROM spaces WHERE no = ?", (number,))
        self._run("UPDATE journal SET before = NULL, after = NULL, reason = NULL WHERE space = ?", (name,))
        self._note(name, "drop", "space", name)
        self._numbers[name] = None
        return gone["records"]

    # Records, entities and relations alike

    def put(
        self,
        thing: T,
        *,
        verb: str,
        before: T | None = None,
        lexis: Lexis | None = None,
        reason: str | None = None,
        undoes: int | None = None,
    ) -> tuple[T, int]:
        """Writes a new version. `before` is the version that it takes the place of, which must hold still."""
        number = self._home(thing.space)
        revived = thing.version if before is None else 0
        if before is not None:
            self._retire(before, number)
        elif isinstance(thing, Record):
            self._make_way(number, thing.id)
        handed_on = self._faded_before(thing, before)
        if handed_on is not None:
            thing = msgspec.structs.replace(thing, confidence=handed_on)
        if thing.recorded_at != self._now:
            thing = msgspec.structs.replace(thing, recorded_at=self._now)
        version = cast("int", self._run(_INSERT[type(thing)], (number, *_row(thing))).lastrowid)
        thing = msgspec.structs.replace(thing, version=version)
        if isinstance(thing, Record):
            same_as = before.version if isinstance(before, Record) and _same_text(before, thing) else revived
            self._derived.put([Entry(number, thing, lexis or Lexis({}), same_as)])
            if handed_on is not None and before is not None:
                hand_on_fading(self._connection, before.version, version)
            if before is None and not revived and thing.session is not None:
                self._list_message(number, thing)
        elif isinstance(thing, Entity):
            self._derived.put_entity(number, thing)
        entry = self._note(
            thing.space, verb, _OBJECT_TYPE[type(thing)], thing.id,
            before=None if before is None else before.version, after=version, reason=reason, undoes=undoes,
        )  # fmt: skip
        return thing, entry

    def _make_way(self, number: int, id: str) -> None:
        """A record may come back, or its id be taken again, before what was evicted is retired: then it is now."""
        if self._derived.words.has_evicted():
            self._sweep(self._rows(f"{_EVICTED} WHERE id = ? AND space_no = ? AND retired_at IS NULL", (id, number)))

    def _faded_before(self, thing: Thing, before: Thing | None) -> float | None:
        """What a record that has faded goes on stating, unless a change gives it another confidence."""
        if not isinstance(thing, Record) or not isinstance(before, Record) or thing.confidence != before.confidence:
            return None
        return stated_confidence(self._connection, before.version)

    def _list_message(self, number: int, record: Record) -> None:
        """A new record of a session stands at the end of its list."""
        key = (number, cast("str", record.session))
        if key not in self._places:
            self._places[key] = next_place(self._connection, *key)
        self._listed.append((*key, self._places[key], record.id, record.role, to_micros(record.event_time), ""))
        self._places[key] += 1

    def _list_messages(self) -> None:
        if self._listed:
            add_messages(self._connection, self._listed)
            self._listed = []

    def messages(self, space: str, session: str) -> list[Message]:
        self._list_messages()
        return super().messages(space, session)

    def listed_sessions(self, space: str, limit: int) -> list[Session]:
        self._list_messages()
        return super().listed_sessions(space, limit)

    def retire(self, thing: Thing, *, verb: str, reason: str | None = None, undoes: int | None = None) -> int:
        """Takes an object out of the present without a successor; its versions stay."""
        self._retire(thing, self._home(thing.space))
        return self._note(
            thing.space,
            verb,
            _OBJECT_TYPE[type(thing)],
            thing.id,
            before=thing.version,
            reason=reason,
            undoes=undoes,
        )

    def _retire(self, thing: Thing, number: int) -> None:
        done = self._run(
            f"UPDATE {TABLES[type(thing)]} SET retired_at = ? WHERE version = ? AND retired_at IS NULL",
            (self._at, thing.version),
        )
        if done.rowcount != 1:
            raise Conflict(f"{thing.id} was changed by someone else; read it again and retry")
        if isinstance(thing, Record):
            self._derived.retire([(number, thing.version)])
        elif isinstance(thing, Entity):
            self._derived.retire_entity(number, thing)

    def erase(self, record: Record, *, reason: str | None = None) -> int:
        """Removes every version of a record and everything derived from it, for good."""
        return self._erase(record.space, record.id, reason)

    def erase_segments(self, source: Record, kind: str, *, reason: str | None = None) -> list[int]:
        """Removes for good all records of a kind that come from where a source does, also those that it held once."""
        rows = self._rows(
            "SELECT DISTINCT id FROM records WHERE space_no = ? AND source = ? AND kind = ?",
            (self._home(source.space), source.source, kind),
        )
        return [self._erase(source.space, id, reason) for (id,) in rows]

    def _erase(self, space: str, id: str, reason: str | None) -> int:
        number = self._home(space)
        self._sweep(self._rows(f"{_EVICTED} WHERE {VERSIONS_OF}", (id, id)))
        rows = self._rows(
            f"SELECT version, retired_at IS NULL FROM records WHERE {VERSIONS_OF} AND +space_no = ?", (id, id, number)
        )
        self._derived.erase([(number, version, bool(live)) for version, live in rows])
        for version, _ in rows:
            for table in ("faded", "records"):
                self._run(f"DELETE FROM {table} WHERE version = ?", (version,))
        self._run("DELETE FROM accesses WHERE space_no = ? AND id = ?", (number, id))
        self._run(
            "UPDATE journal SET before = NULL, after = NULL, reason = NULL"
            " WHERE object_type = 'record' AND object_id = ? AND space = ?",
            (id, space),
        )
        return self._note(space, "forget", "record", id, reason=reason)

    def next_position(self, space: str, session: str | None, source: str | None) -> int:
        """The place after the last record of a session, or of a source where there is no session."""
        key = (space, session, None if session is not None else source)
        if key not in self._positions:
            column, value = ("session", session) if session is not None else ("source", source)
            row = self._one(
                f"SELECT max(position) FROM records WHERE space_no = ? AND {column} = ? AND retired_at IS NULL",
                (self._home(space), value),
            )
            last = None if row is None else row[0]
            self._positions[key] = 0 if last is None else last + 1
        position = self._positions[key]
        self._positions[key] = position + 1
        return position

    def touch(self, touches: Mapping[tuple[str, str], int], at: datetime) -> None:
        """Counts that records were recalled. This is bookkeeping, not a change of what is known."""
        self._connection.executemany(
            "INSERT INTO accesses SELECT no, ?, ?, ? FROM spaces WHERE name = ?"
            " ON CONFLICT DO UPDATE SET count = count + excluded.count, last = excluded.last",
            [(id, count, to_micros(at), space) for (space, id), count in touches.items()],
        )

    # Projects: bookkeeping about files, beside the records that are made of them

    def put_project(self, project: IndexedProject) -> None:
        write_project(self._connection, self._home(project.space), project)

    def put_files(self, space: str, id: str, files: Sequence[IndexedFile]) -> None:
        write_files(self._connection, self._home(space), id, files)

    def drop_files(self, space: str, id: str, paths: Sequence[str]) -> None:
        delete_files(self._connection, self._home(space), id, paths)

    def drop_project(self, space: str, id: str) -> None:
        delete_project(self._connection, self._home(space), id)

    def erase_project(self, space: str, id: str, most: int) -> int:
        """Removes some records of a project for good, with all versions. Answers how many; 0 when none is left."""
        rows = self._rows(
            "SELECT DISTINCT id FROM"
            " (SELECT id FROM records WHERE space_no = ? AND project = ? AND kind = 'code' LIMIT ?)",
            (self._home(space), id, most),
        )
        for (record,) in rows:
            self._erase(space, record, None)
        return len(rows)

    # Bookkeeping

    def keep(
        self, shelf: Shelf[V], items: Mapping[str, V | None], *, space: str | None = None, only: bool = False
    ) -> None:
        owner = 0 if space is None else self._home(space)
        if only:
            self._run("DELETE FROM shelves WHERE space_no = ? AND shelf = ?", (owner, shelf.name))
        self._connection.executemany(
            "DELETE FROM shelves WHERE space_no = ? AND shelf = ? AND key = ?",
            [(owner, shelf.name, key) for key, value in items.items() if value is None],
        )
        self._connection.executemany(
            "INSERT INTO shelves VALUES(?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            [(owner, shelf.name, key, to_json(value)) for key, value in items.items() if value is not None],
        )

    def spend(self, more: Spending) -> None:
        add_spending(self._connection, more)

    def count_up(self, name: str, by: int) -> None:
        add_to_counter(self._connection, name, by)

    def set_counter(self, name: str, value: int) -> None:
        set_counter(self._connection, name, value)

    # Upkeep: runs that change much at once, in small steps

    def put_messages(self, space: str, session: str, messages: Sequence[Message]) -> None:
        number = self._home(space)
        self._list_messages()
        write_messages(self._connection, number, session, messages)
        self._places.pop((number, session), None)

    def begin_run(self, space: str, verb: str, reason: str | None = None) -> int:
        """Notes that a run begins; its entry names it from then on."""
        entry = self.note(space, verb, reason)
        put_run(self._connection, self._home(space), entry, verb)
        return entry

    def fade(self, run: int, versions: Sequence[int], rule: FadingRule) -> int:
        return fade(self._connection, run, versions, rule, self._at)

    def evict(
        self, run: int, space: str, versions: Sequence[int], ids: Sequence[str], reason: str | None = None
    ) -> int:
        """Takes some records out of the present, each with an entry of its own; their versions stay."""
        number = self._home(space)
        self._derived.words.look_for_evicted()
        return mark_evicted(self._connection, (self._at, space, self._actor, reason), number, run, versions, ids)

    def sweep(self, most: int) -> int:
        """Retires some of what was evicted, with all that is derived of it. Answers how many; 0 when all are."""
        return self._sweep(read_evicted(self._connection, most))

    def _sweep(self, found: Sequence[Row]) -> int:
        self._derived.words.look_for_evicted()
        homes = {version: number for number, version, _ in found}
        retire_evicted(self._connection, list(homes))
        self._derived.retire([(number, version) for version, number in sorted(homes.items())])
        return len(found)

    def undo_fading(self, run: int) -> int:
        return unfade(self._connection, run)

    def end_run(self, run: int) -> None:
        """Marks a run as taken back."""
        self._run("UPDATE runs SET undone = 1 WHERE entry = ?", (run,))

    def claim(self, task: str, slot: datetime) -> bool:
        return claim_slot(self._connection, task, to_micros(slot))

    # Derived

    def relink(self, version: int, lexis: Lexis) -> None:
        self._derived.relink(version, lexis)

    def tidy(self) -> None:
        self._derived.words.tidy()

    def rebuild(
        self, derive: Callable[[Record], Lexis], version: int, progress: Callable[[int, int], None], *, vectors: bool
    ) -> int:
        """Makes everything derived anew. With `vectors`, those are dropped too and queued to be computed again."""
        self._sweep(self._rows(_EVICTED))
        total = cast("int", self._rows("SELECT count(*) FROM records")[0][0])
        for done in self._derived.rebuild(self._all_entities(), self._all_records(), derive, version, vectors=vectors):
            progress(done, total)
        return total

    def _all_entities(self) -> Iterator[tuple[int, Entity]]:
        for row in self._rows("SELECT space_no, version FROM entities WHERE retired_at IS NULL ORDER BY version"):
            yield row[0], cast("Entity", self.version(Entity, row[1]))

    def _all_records(self) -> Iterator[list[tuple[int, Record, bool]]]:
        sql = select(Record, "records.space_no, records.retired_at IS NULL")
        sql += " WHERE records.version > ? ORDER BY records.version LIMIT ?"
        last = 0
        while rows := self._rows(sql, (last, _REBUILD_BATCH)):
            yield [(row[-2], to_record(row), bool(row[-1])) for row in rows]
            last = rows[-1][0]

    def adopt(self, name: str, dim: int, mean: bytes, floor: float, spread: float) -> Model:
        return self._derived.vectors.adopt(name, dim, mean, floor, spread)

    def put_vectors(self, model: int, versions: Sequence[int], vectors: Sequence[Vector]) -> None:
        self._derived.vectors.put_vectors(model, versions, vectors)

    def drop_vectors(self, keep_model: str | None) -> int:
        return self._derived.vectors.drop_vectors(keep_model)
