"""How are operations done in any SQL database, inside one transaction?

Operations of one kind that stand together are written together: a thousand new records take a few statements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, ClassVar, cast

import msgspec

from recollect.errors import Conflict, NotFound
from recollect.store.base import THINNED, Done, Horizon, Lexis, Shelf, Thing, V
from recollect.store.marks import BUCKETS
from recollect.store.ops import (
    Bring,
    Brought,
    DropSpace,
    Erase,
    EraseThing,
    Evict,
    Fade,
    Note,
    Op,
    Put,
    PutMessages,
    PutSpace,
    Retire,
    Rewrite,
    Sweep,
    Thin,
    Unfade,
    Unsay,
)  # fmt: skip
from recollect.store.sql.database import Database, Row
from recollect.store.sql.derived import Derived
from recollect.store.sql.horizon import horizons
from recollect.store.sql.index import Entry
from recollect.store.sql.lists import Lists
from recollect.store.sql.moment import Moment, stamp_of
from recollect.store.sql.rows import to_json, to_micros, to_moment
from recollect.store.sql.seal import NOTED, ROWS, seal, seal_version
from recollect.store.sql.shapes import COLUMNS, TABLES
from recollect.store.sql.thin import OF_SPACES, TYPES, begun_by, entries_of, marked, marks_of, still_there, ways_out
from recollect.store.sql.upkeep import (
    fade,
    find_present,
    hand_on_fading,
    mark_evicted,
    read_evicted,
    retire_evicted,
    stated_confidences,
    unfade,
)  # fmt: skip
from recollect.store.sql.view import Numbers
from recollect.types import Entity, Filter, Record, Relation, Space

_SEALED = {type_: ("version", "space_no", *columns, "checksum") for type_, columns in COLUMNS.items()}
_OBJECT_TYPE: dict[type[Thing], str] = {Record: "record", Entity: "entity", Relation: "relation"}
_NO_VERSION = -1  # of something that is in its place already and shares its text with nothing
_REMOVED = Shelf("thinned entries", int, of_all=True)
"""How many entries were removed in all: a journal that lacks more than these was tampered with."""
_OF_A_SPACE = ("records", "entities", "relations", "accesses", "messages", "shelves")


class Writer:
    """Does operations through one transaction: reads see what it has written so far."""

    def __init__(
        self, db: Database, spaces: Numbers, index: Derived, moment: Moment, actor: str | None, acts: dict[str, int]
    ) -> None:
        self._db = db
        self._spaces = spaces
        self._index = index
        self._actor = actor
        self._at = moment.stamp
        self._moment = moment
        self._known_at = to_moment(moment.stamp)
        self._acts = acts
        self._lists = Lists(db)

    def apply(self, ops: Sequence[Op]) -> list[Done]:
        done: list[Done] = []
        for (kind, _), alike in groupby(ops, key=_kind):
            if kind is Put:
                done += self._put(cast("list[Put]", list(alike)))
            elif kind is Retire:
                done += self._retire(cast("list[Retire]", list(alike)))
            else:
                done += [self._one_by_one[kind](self, op) for op in alike]
        return done

    def home(self, space: str) -> int:
        number = self._spaces.number(space)
        if number is None:
            raise NotFound(f"there is no space named {space!r}")
        return number

    def _note(self, space: str, verb: str, object_type: str, object_id: str, reason: str | None = None) -> int:
        return self._write_notes([(space, verb, object_type, object_id, None, None, self._actor, reason, None)])[0]

    def _write_notes(self, notes: Sequence[Row]) -> range:
        """Writes entries of space, verb, type, id, before, after, actor, reason and what is undone, in order."""
        first = self._db.reserve("journal", len(notes))
        at, stamp = to_micros(self._moment.at), self._moment.noted
        rows: list[Row] = []
        for entry, note in enumerate(notes, first):
            row = (entry, at, *note, self._acts.get(note[0]), stamp)
            rows.append((*row, seal(row)))
            self._acts.setdefault(note[0], entry)
        self._db.insert("journal", (*NOTED, "checksum"), rows)
        return range(first, first + len(notes))

    def _changed_by(self, op: Put | Retire, before: int | None, after: int | None) -> Row:
        """The entry that the journal is to have of a change of an object."""
        thing = op.thing
        return (
            thing.space, op.verb, _OBJECT_TYPE[type(thing)], thing.id, before, after, self._actor, op.reason, op.undoes,
        )  # fmt: skip

    # Spaces

    def _put_space(self, op: PutSpace) -> Done:
        space = op.space
        self._db.owner_only(f"make or describe a space ({space.name})")
        number = self._spaces.number(space.name)
        self._db.known_spaces = None
        if number is None:
            number = self._db.reserve("spaces", 1)
            self._db.run(
                "INSERT INTO spaces(no, name, description, created_at, metadata, checksum) VALUES(?, ?, ?, ?, ?, ?)",
                _sealed_space(number, space, to_micros(self._moment.at)),
            )
            self._spaces.numbers[space.name] = number
            self._index.put_space(number)
            return Done(entries=self._note_space(space.name, "create"))
        made = self._db.rows("SELECT created_at FROM spaces WHERE no = ?", (number,))[0][0]
        *_, description, _, metadata, checksum = _sealed_space(number, space, made)
        self._db.run(
            "UPDATE spaces SET description = ?, metadata = ?, checksum = ? WHERE no = ?",
            (description, metadata, checksum, number),
        )
        return Done(entries=self._note_space(space.name, "describe"))

    def _note_space(self, name: str, verb: str) -> tuple[int]:
        """That there is a space is no part of what is done in it."""
        act = self._acts.pop(name, None)
        entry = self._note(name, verb, "space", name)
        del self._acts[name]
        if act is not None:
            self._acts[name] = act
        return (entry,)

    def _note_one(self, op: Note) -> Done:
        return Done(entries=(self._note(op.space, op.verb, "space", op.space, op.reason),))

    def _drop_space(self, op: DropSpace) -> Done:
        number = self.home(op.name)
        self._db.owner_only(f"delete a space ({op.name})")
        self._db.known_spaces = None
        self._sweep(read_evicted(self._db, "records.space_no = ?", [number]))
        runs = "SELECT CAST(key AS BIGINT) FROM shelves WHERE space_no = ? AND shelf = 'runs'"
        self._db.run(f"DELETE FROM moved WHERE run IN ({runs})", (number,))
        self._db.run("DELETE FROM faded WHERE version IN (SELECT version FROM records WHERE space_no = ?)", (number,))
        self._index.drop_space(number)
        marks = marked(self._db, number)
        gone = {table: self._db.change(f"DELETE FROM {table} WHERE space_no = ?", (number,)) for table in _OF_A_SPACE}
        self._db.run("DELETE FROM spaces WHERE no = ?", (number,))
        self._blank("space = ?", (op.name,))
        self._spaces.numbers[op.name] = None
        entry = self._note(op.name, "drop", "space", op.name)
        self._write_notes(
            [(op.name, verb, noun, id, None, None, self._actor, reason, None) for verb, noun, id, reason in marks]
        )
        return Done(entries=(entry,), count=gone["records"])

    # Records, entities and relations alike

    def _put(self, ops: Sequence[Put]) -> list[Done]:
        """New versions of one type. The versions before them are retired first, so that ids are free."""
        type_ = type(ops[0].thing)
        numbers = [self.home(op.thing.space) for op in ops]
        if type_ is Record:
            self._lists.look_at(list(zip(numbers, ops, strict=True)))
        following = self._lists.next_position
        places = {i: following(numbers[i], cast("Record", op.thing)) for i, op in enumerate(ops) if op.last}
        before = [(number, op.before) for number, op in zip(numbers, ops, strict=True) if op.before is not None]
        self._retire_things(type_, before)
        stated = self._stated(ops) if type_ is Record else {}
        if type_ is Record:
            new = [(number, op.thing.id) for number, op in zip(numbers, ops, strict=True) if op.before is None]
            self._make_way(new)
        things = self._prepared(ops, self._db.reserve(TABLES[type_], len(ops)), stated, places)
        self._insert(type_, [_sealed(type_, number, thing) for number, thing in zip(numbers, things, strict=True)])
        if type_ is Record:
            self._put_records(ops, numbers, cast("list[Record]", things), stated)
        elif type_ is Entity:
            for number, thing in zip(numbers, things, strict=True):
                self._index.put_entity(number, cast("Entity", thing))
        entries = self._write_notes(
            [
                self._changed_by(op, None if op.before is None else op.before.version, thing.version)
                for op, thing in zip(ops, things, strict=True)
            ]
        )
        return [Done(entries=(entry,), thing=thing) for entry, thing in zip(entries, things, strict=True)]

    def _insert(self, type_: type[Thing], rows: Sequence[Row]) -> None:
        self._db.insert(TABLES[type_], _SEALED[type_], rows)

    def _prepared(
        self, ops: Sequence[Put], first: int, stated: Mapping[int, float], places: Mapping[int, int]
    ) -> list[Thing]:
        """The objects as they are to be written, the first of them as that version."""
        things: list[Thing] = []
        for i, op in enumerate(ops):
            changes: dict[str, Any] = {"version": first + i, "recorded_at": self._known_at}
            if op.before is not None and op.before.version in stated:
                changes["confidence"] = stated[op.before.version]
            if i in places:
                changes["position"] = places[i]
            things.append(msgspec.structs.replace(op.thing, **changes))
        return things

    def _make_way(self, ids: Sequence[tuple[int, str]]) -> None:
        """A record may come back, or its id be taken again, before what was evicted is retired: then it is now."""
        if ids and self._index.words.has_evicted():
            named, values = self._db.dialect.among("records.id", [id for _, id in ids])
            wanted = set(ids)
            found = self._db.rows(
                "SELECT records.space_no, records.id, records.version FROM records JOIN evicted"
                f" ON evicted.version = records.version WHERE {named} AND records.retired_at IS NULL",
                values,
            )
            self._sweep([(number, version) for number, id, version in found if (number, id) in wanted])

    def _stated(self, ops: Sequence[Put]) -> dict[int, float]:
        """What records that have faded go on stating, unless a change gives them another confidence."""
        unchanged = [
            op.before.version
            for op in ops
            if isinstance(op.before, Record) and cast("Record", op.thing).confidence == op.before.confidence
        ]
        return stated_confidences(self._db, unchanged) if unchanged else {}

    def _put_records(
        self, ops: Sequence[Put], numbers: Sequence[int], records: Sequence[Record], stated: Mapping[int, float]
    ) -> None:
        """What goes along with new versions of records: all that is derived, fading, and the lists of sessions."""
        self._index.put(
            [
                Entry(number, record, op.lexis or Lexis({}), _same_text(op, record))
                for op, number, record in zip(ops, numbers, records, strict=True)
            ]
        )
        replaced = [
            (record.version, op.before.version)
            for op, record in zip(ops, records, strict=True)
            if op.before is not None and op.before.version in stated
        ]
        hand_on_fading(self._db, replaced)
        self._lists.put(
            (number, record)
            for op, number, record in zip(ops, numbers, records, strict=True)
            if op.before is None and not op.thing.version and record.session is not None
        )

    def _retire(self, ops: Sequence[Retire]) -> list[Done]:
        things = [(self.home(op.thing.space), op.thing) for op in ops]
        self._retire_things(type(ops[0].thing), things)
        entries = self._write_notes([self._changed_by(op, op.thing.version, None) for op in ops])
        return [Done(entries=(entry,)) for entry in entries]

    def _retire_things(self, type_: type[Thing], things: Sequence[tuple[int, Thing]]) -> None:
        if not things:
            return
        table = TABLES[type_]
        chosen, values = self._db.dialect.among("version", [thing.version for _, thing in things])
        sql = f"UPDATE {table} SET retired_at = ? WHERE {chosen} AND retired_at IS NULL"
        if self._db.change(sql, (self._at, *values)) != len(things):
            raise Conflict(f"{self._changed(table, things)} was changed by someone else; read it again and retry")
        if type_ is Record:
            self._index.retire([(number, thing.version) for number, thing in things])
        elif type_ is Entity:
            for number, thing in things:
                self._index.retire_entity(number, cast("Entity", thing))

    def _changed(self, table: str, things: Sequence[tuple[int, Thing]]) -> str:
        """The first of some objects that did not hold when it was to be retired just now."""
        chosen, values = self._db.dialect.among("version", [thing.version for _, thing in things])
        sql = f"SELECT version FROM {table} WHERE {chosen} AND retired_at = ?"
        held = {version for (version,) in self._db.rows(sql, (*values, self._at))}
        return next((thing.id for _, thing in things if thing.version not in held), things[0][1].id)

    def _bring(self, op: Bring) -> Done:
        """Versions with times of their own. Each is written once the one before it is retired, so that ids are free."""
        type_, number = type(op.versions[0].thing), self.home(op.versions[0].thing.space)
        if op.after is not None:
            self._retire_things(type_, [(number, op.after)])
        elif type_ is Record:
            self._make_way([(number, op.versions[0].thing.id)])
        things: list[Thing] = []
        notes: list[Row] = []
        before = None if op.after is None else op.after.version
        for version, one in enumerate(op.versions, self._db.reserve(TABLES[type_], len(op.versions))):
            known = self._known_at if op.after is not None else min(one.thing.recorded_at, self._known_at)
            thing = msgspec.structs.replace(one.thing, version=version, recorded_at=known)
            self._insert(type_, [_sealed(type_, number, thing)])
            if one.retired_at is not None:
                until = self._at if op.after is not None else min(to_micros(one.retired_at), self._at)
                self._db.run(f"UPDATE {TABLES[type_]} SET retired_at = ? WHERE version = ?", (until, version))
            notes.append(_noted(one, thing, before, version))
            things.append(thing)
            before = version
        if op.end is not None:
            notes.append(_noted(op.end, things[-1], before, None))
        self._index_brought(op, number, things)
        return Done(entries=tuple(self._write_notes(notes)), count=len(things), thing=things[-1])

    def _index_brought(self, op: Bring, number: int, things: Sequence[Thing]) -> None:
        """All that is derived of brought versions, and the list of the session that a new record is of."""
        last, live = things[-1], op.versions[-1].retired_at is None
        if isinstance(last, Record):
            records = cast("Sequence[Record]", things)
            pairs = list(zip(op.versions, records, strict=True))
            self._index.put([Entry(number, record, one.lexis or Lexis({}), 0) for one, record in pairs])
            gone = [(number, record.version) for one, record in pairs if one.retired_at is not None]
            if gone:
                self._index.retire(gone)
            if live and op.after is None and last.session is not None:
                self._lists.put([(number, last)])
        elif isinstance(last, Entity) and live:
            self._index.put_entity(number, last)

    # Erasing

    def _erase(self, op: Erase) -> Done:
        (space,) = op.where.spaces
        ids = op.where.ids or self._matching(op.where, op.most)
        entries = tuple(self._erase_one(space, id, op.reason) for id in ids)
        self._lists.take_out(self.home(space), ids)
        return Done(entries=entries, count=len(ids))

    def _matching(self, filter: Filter, most: int | None) -> list[str]:
        meant = msgspec.structs.replace(filter, valid_only=False)
        condition, values = self._spaces.where(meant, to_micros(self._moment.at))
        sql = f"SELECT records.id FROM records WHERE {condition}"
        if most is not None:
            sql, values = f"{sql} LIMIT ?", [*values, most]
        return list(dict.fromkeys(id for (id,) in self._db.rows(sql, values)))

    def _erase_one(self, space: str, id: str, reason: str | None) -> int:
        self._erase_versions(space, id)
        self._db.run("DELETE FROM accesses WHERE space_no = ? AND id = ?", (self.home(space), id))
        return self._note(space, "forget", "record", id, reason)

    def _erase_versions(self, space: str, id: str) -> None:
        """Removes all versions of a record for good, and what the journal says of them."""
        number = self.home(space)
        rows = self._db.rows(  # one index has the live versions by their id and another the rest
            "SELECT version, space_no FROM records WHERE id = ? AND retired_at IS NULL"
            " UNION ALL SELECT version, space_no FROM records WHERE id = ? AND retired_at IS NOT NULL",
            (id, id),
        )
        versions = [version for version, home in rows if home == number]
        chosen, values = self._db.dialect.among("records.version", versions)
        self._sweep(read_evicted(self._db, chosen, values))
        live = self._db.rows(f"SELECT version FROM records WHERE {chosen} AND retired_at IS NULL", values)
        self._index.erase([(number, version, (version,) in live) for version in versions])
        chosen, values = self._db.dialect.among("version", versions)
        for table in ("faded", "records"):
            self._db.run(f"DELETE FROM {table} WHERE {chosen}", values)
        self._blank("object_type = 'record' AND object_id = ? AND space = ?", (id, space))

    def _blank(
        self, condition: str, values: Sequence[object], columns: Sequence[str] = ("before", "after", "reason")
    ) -> None:
        """Of some entries the journal keeps no more than that they were, or all but some columns."""
        rows: list[Row] = []
        for noted in self._db.rows(f"SELECT {', '.join(NOTED)} FROM journal WHERE {condition}", values):
            left = [None if name in columns else value for name, value in zip(NOTED, noted, strict=True)]
            rows.append((seal(left), noted[0]))
        emptied = ", ".join(f"{name} = NULL" for name in columns)
        self._db.many(f"UPDATE journal SET {emptied}, checksum = ? WHERE entry = ?", rows)

    def _empty(self, begun: Sequence[int]) -> None:
        """Entries that began an act stay for its sake alone: they say no more of which thing they told, and so hide
        none of its marks.
        """
        chosen, values = self._db.dialect.among("entry", begun)
        rows: list[Row] = []
        for noted in self._db.rows(f"SELECT {', '.join(NOTED)} FROM journal WHERE {chosen}", values):
            told = dict(zip(NOTED, noted, strict=True))
            verb = told["verb"]
            if told["object_type"] != "space" and verb in OF_SPACES:
                verb = "thin"
            about = {"verb": verb, "object_type": "space", "object_id": told["space"]}
            left = {**told, **about, "before": None, "after": None, "reason": None}
            rows.append((*about.values(), seal([left[name] for name in NOTED]), told["entry"]))
        self._db.many(
            "UPDATE journal SET verb = ?, object_type = ?, object_id = ?, before = NULL, after = NULL, reason = NULL,"
            " checksum = ? WHERE entry = ?",
            rows,
        )

    def _unsay(self, op: Unsay) -> Done:
        chosen, values = self._db.dialect.among("reason", op.reasons)
        self._blank(f"space = ? AND {chosen}", (op.space, *values), ("reason",))
        return Done(count=len(op.reasons))

    def _erase_thing(self, op: EraseThing) -> Done:
        """An entity or a relation goes with all of its versions."""
        thing = op.thing
        number, table = self.home(thing.space), TABLES[type(thing)]
        if isinstance(thing, Entity):
            self._index.retire_entity(number, thing)
        self._db.run(f"DELETE FROM {table} WHERE id = ? AND space_no = ?", (thing.id, number))
        kind = _OBJECT_TYPE[type(thing)]
        self._blank("object_type = ? AND object_id = ? AND space = ?", (kind, thing.id, thing.space))
        return Done(entries=(self._note(thing.space, "forget", kind, thing.id, op.reason),))

    def _rewrite(self, op: Rewrite) -> Done:
        """A record keeps its id and its place, and has one version."""
        self._erase_versions(op.record.space, op.record.id)
        back = msgspec.structs.replace(op.record, version=_NO_VERSION)
        return self._put([Put(thing=back, verb="rewrite", lexis=op.lexis, reason=op.reason)])[0]

    # Sessions

    def _put_messages(self, op: PutMessages) -> Done:
        number = self.home(op.space)
        if not op.more:
            self._lists.empty(number, op.session)
        self._lists.append((number, op.session, one) for one in op.messages)
        return Done(count=len(op.messages))

    # Bookkeeping

    def keep(
        self, shelf: Shelf[V], items: Mapping[str, V | None], *, space: str | None = None, only: bool = False
    ) -> None:
        whole = 0 if shelf.of_all else self._db.whole
        owner = whole if space is None else self.home(space)
        if only:
            self._db.run("DELETE FROM shelves WHERE space_no = ? AND shelf = ?", (owner, shelf.name))
        self._db.many(
            "DELETE FROM shelves WHERE space_no = ? AND shelf = ? AND key = ?",
            [(owner, shelf.name, key) for key, value in items.items() if value is None],
        )
        self._db.many(
            "INSERT INTO shelves VALUES(?, ?, ?, ?)"
            " ON CONFLICT(space_no, shelf, key) DO UPDATE SET value = excluded.value",
            [(owner, shelf.name, key, to_json(value)) for key, value in items.items() if value is not None],
        )

    def touch(self, touches: Mapping[tuple[str, str], int], at: datetime) -> None:
        rows = [
            (number, id, count, to_micros(at))
            for (space, id), count in touches.items()
            if (number := self._spaces.number(space)) is not None
        ]
        self._db.many(
            "INSERT INTO accesses VALUES(?, ?, ?, ?) ON CONFLICT(space_no, id)"
            " DO UPDATE SET count = accesses.count + excluded.count, last = excluded.last",
            rows,
        )

    # Upkeep

    def _fade(self, op: Fade) -> Done:
        self._index.fade(self.home(op.space))
        return Done(count=fade(self._db, op.run, op.versions, op.rule, to_micros(self._moment.at)))

    def _unfade(self, op: Unfade) -> Done:
        self._index.fade(self.home(op.space))
        return Done(count=unfade(self._db, op.run))

    def _evict(self, op: Evict) -> Done:
        number = self.home(op.space)
        found = find_present(self._db, number, op.versions, op.ids)
        self._acts[op.space] = op.run
        self._write_notes(
            [(op.space, "evict", "record", id, version, None, self._actor, op.reason, None) for id, version in found]
        )
        mark_evicted(self._db, op.run, [version for _, version in found], self._at)
        self._index.evict(number, len(found))
        return Done(count=len(found))

    def _sweep_some(self, op: Sweep) -> Done:
        return Done(count=self._sweep(read_evicted(self._db, "1 = 1", [], op.most)))

    def _sweep(self, found: Sequence[tuple[int, int]]) -> int:
        """Retires what was evicted, given its space and number."""
        if found:
            self._index.look_for_evicted()
            retire_evicted(self._db, [version for _, version in found])
            self._index.retire(found)
        return len(found)

    # History

    def _thin(self, op: Thin) -> Done:
        self._db.owner_only(f"thin the history of a space ({op.space})")
        number, stamp = self.home(op.space), self._move_horizon(op)
        if op.of == "entry":
            self.keep(BUCKETS, marks_of(self._db, number, op.numbers), space=op.space)
            return Done(entries=self._drop_entries(op.numbers), count=len(op.numbers))
        type_ = TYPES[op.of]
        chosen, values = self._db.dialect.among("version", op.numbers)
        old = f"{chosen} AND space_no = ? AND retired_at <= ?"
        rows = self._db.rows(f"SELECT version, id FROM {TABLES[type_]} WHERE {old}", (*values, number, stamp))
        if type_ is Record:
            self._index.erase([(number, version, False) for version, _ in rows])
            self._db.run(f"DELETE FROM faded WHERE {chosen}", values)
        self._db.run(f"DELETE FROM {TABLES[type_]} WHERE {old}", (*values, number, stamp))
        ids = list(dict.fromkeys(id for _, id in rows))
        left = still_there(self._db, type_, number, ids)
        gone = [id for id in ids if id not in left]
        left_by = ways_out(self._db, op.of, op.space, gone)
        self._drop_entries(entries_of(self._db, op.of, op.space, ids, left, stamp))
        if type_ is Record:
            named, listed = self._db.dialect.among("id", gone)
            self._db.run(f"DELETE FROM accesses WHERE space_no = ? AND {named}", (number, *listed))
            self._lists.take_out(number, gone)
        self._write_notes(
            [(op.space, "thin", op.of, id, None, None, self._actor, verb, None) for id, verb in left_by.items()]
        )
        return Done(count=len(rows))

    def _move_horizon(self, op: Thin) -> int:
        """Before anything goes that was known until then, it is told that it does. No horizon comes back."""
        held, stamp = horizons(self._db, [self.home(op.space)]).get(op.space), stamp_of(self._db, op.until)
        if held is not None and held.stamp >= stamp:
            return held.stamp
        self.keep(THINNED, {"": Horizon(op.until, stamp)}, space=op.space)
        return stamp

    def _drop_entries(self, entries: Sequence[int]) -> tuple[int, ...]:
        """Removes entries; those that began an act of which others stay are emptied. Answers which are gone."""
        if not entries:
            return ()
        begun = begun_by(self._db, entries)
        if begun:
            self._empty(sorted(begun))
        gone = [entry for entry in entries if entry not in begun]
        chosen, values = self._db.dialect.among("entry", gone)
        count = self._db.change(f"DELETE FROM journal WHERE {chosen}", values)
        runs, values = self._db.dialect.among("run", gone)
        self._db.run(f"DELETE FROM moved WHERE {runs}", values)
        rows = self._db.rows("SELECT value FROM shelves WHERE space_no = 0 AND shelf = ?", (_REMOVED.name,))
        self.keep(_REMOVED, {"": sum(int(value) for (value,) in rows) + count})
        return tuple(gone)

    _one_by_one: ClassVar[Mapping[type[Op], Callable[..., Done]]] = {
        Bring: _bring, Erase: _erase, Note: _note_one, PutSpace: _put_space, DropSpace: _drop_space,
        PutMessages: _put_messages, Fade: _fade, Unfade: _unfade, Evict: _evict, Sweep: _sweep_some,
        EraseThing: _erase_thing, Rewrite: _rewrite, Unsay: _unsay, Thin: _thin,
    }  # fmt: skip


def _noted(one: Brought, thing: Thing, before: int | None, after: int | None) -> Row:
    return (
        thing.space, one.verb, _OBJECT_TYPE[type(thing)], thing.id, before, after, one.actor, one.reason, None,
    )  # fmt: skip


def _sealed(type_: type[Thing], number: int, thing: Thing) -> Row:
    """The row of a version, with its checksum."""
    row = ROWS[type_](thing)
    return (thing.version, number, *row, seal_version(type_, thing.version, number, row))


def _sealed_space(number: int, space: Space, made: int) -> Row:
    row = (number, space.name, space.description, made, to_json(space.metadata))
    return (*row, seal(row))


def _kind(op: Op) -> tuple[type[Op], type[Thing] | None]:
    return type(op), type(op.thing) if isinstance(op, Put | Retire) else None


def _same_text(op: Put, record: Record) -> int:
    """The version whose text a new one shares: the one before it, or the one that comes back."""
    if not isinstance(op.before, Record):
        return max(op.thing.version, 0)
    before = op.before
    was, now = ((one.content_hash, one.title, one.file_name()) for one in (before, record))
    return before.version if was == now else 0
