"""What can be read from a SQLite store inside one snapshot?"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Literal, cast

import msgspec

from recollect.errors import NotFound
from recollect.store.base import (
    EvictionRule,
    FadingRule,
    Glance,
    IndexedFile,
    IndexedProject,
    Lexis,
    Model,
    Outline,
    Run,
    Shelf,
    T,
    Tally,
    Thing,
    Traits,
    V,
    Weight,
    normal_name,
)  # fmt: skip
from recollect.store.sqlite.derived import Derived
from recollect.store.sqlite.ledger import read_counters, read_ledger, read_spending
from recollect.store.sqlite.lifecycle import (
    find_evictable,
    find_fading,
    read_listed,
    read_messages,
    read_moved,
    read_run,
)  # fmt: skip
from recollect.store.sqlite.outlines import read_outlines, read_pieces
from recollect.store.sqlite.projects import read_files, read_projects
from recollect.store.sqlite.rows import (
    CHANGE_COLUMNS,
    ENTITY_COLUMNS,
    RECORD_COLUMNS,
    RELATION_COLUMNS,
    Row,
    record_row,
    to_change,
    to_entity,
    to_json,
    to_micros,
    to_moment,
    to_record,
    to_relation,
    to_space,
)  # fmt: skip
from recollect.store.sqlite.where import NOT_EVICTED, known_at, record_condition, true_at
from recollect.types import (
    HIDDEN_STATUSES,
    SEGMENT_KINDS,
    Change,
    Entity,
    Filter,
    Message,
    Order,
    Record,
    Relation,
    Session,
    Space,
    SpaceStats,
    Spending,
)  # fmt: skip

_decode_versions = msgspec.json.Decoder(list[int]).decode

TABLES: dict[type[Thing], str] = {Record: "records", Entity: "entities", Relation: "relations"}
_READERS = {Record: to_record, Entity: to_entity, Relation: to_relation}
_ORDERS: dict[Order, str] = {
    "newest": "records.created_at DESC, records.version DESC",
    "oldest": "records.created_at, records.version",
    "important": "records.importance DESC, records.created_at DESC, records.version DESC",
    "position": "records.session, records.source, records.position, records.version",
    "updated": "records.version DESC",
}

_FADED = " LEFT JOIN faded ON faded.version = records.version"


def select(type_: type[Thing], extra: str = "", *, stated: bool = False) -> str:
    """The beginning of a query for objects of one type; `extra` columns come after the object's own.

    A record's confidence is the one that it has faded to, or as it was `stated`.
    """
    table, more = TABLES[type_], ""
    columns = [f"{table}.version", "spaces.name", *(f"{table}.{column}" for column in COLUMNS[type_])]
    if type_ is Record:
        columns += ["accesses.count", "accesses.last"]
        more = " LEFT JOIN accesses ON accesses.space_no = records.space_no AND accesses.id = records.id"
        if not stated:
            columns[columns.index("records.confidence")] = "coalesce(faded.confidence, records.confidence)"
            more += _FADED
    listed = ", ".join([*columns, extra] if extra else columns)
    return f"SELECT {listed} FROM {table} JOIN spaces ON spaces.no = {table}.space_no{more}"


COLUMNS: dict[type[Thing], tuple[str, ...]] = {
    Record: RECORD_COLUMNS, Entity: ENTITY_COLUMNS, Relation: RELATION_COLUMNS,
}  # fmt: skip
_SELECT = {type_: select(type_) for type_ in TABLES}
_STATED = {type_: select(type_, stated=True) for type_ in TABLES}
_AT_ONCE = 500  # values in one list
_TWIN = (
    f"SELECT id FROM records WHERE space_no = ? AND hash = ? AND retired_at IS NULL AND {NOT_EVICTED}"
    f" AND status NOT IN ({', '.join(repr(status) for status in HIDDEN_STATUSES)})"
    " AND (valid_from IS NULL OR valid_from <= ?) AND (valid_until IS NULL OR valid_until > ?)"
)
_SEGMENT = (
    "SELECT version FROM records WHERE space_no = ? AND retired_at IS NULL"
    f" AND kind IN ({', '.join(repr(kind) for kind in SEGMENT_KINDS)})"
)
VERSIONS_OF = (  # one index has the live versions by their id and another the rest
    "records.version IN (SELECT version FROM records WHERE id = ? AND retired_at IS NULL"
    " UNION ALL SELECT version FROM records WHERE id = ? AND retired_at IS NOT NULL)"
)
_CHANGES = f"SELECT {', '.join(CHANGE_COLUMNS)} FROM journal"


class SqliteView:
    """Reads of one snapshot; `now` decides what is valid."""

    def __init__(self, connection: sqlite3.Connection, now: datetime) -> None:
        self._connection = connection
        self._now = now
        self._numbers: dict[str, int | None] = {}
        self._derived = Derived(connection)

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    def _one(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        return cast("Row | None", self._connection.execute(sql, values).fetchone())

    def _number(self, space: str) -> int | None:
        if space not in self._numbers:
            row = self._one("SELECT no FROM spaces WHERE name = ?", (space,))
            self._numbers[space] = None if row is None else row[0]
        return self._numbers[space]

    def _spaces_condition(self, spaces: tuple[str, ...]) -> tuple[str, list[object]]:
        if not spaces:
            return "1", []
        numbers = [number for space in spaces if (number := self._number(space)) is not None]
        return f"records.space_no IN ({','.join('?' * len(numbers))})", list(numbers)

    # Spaces

    def spaces(self) -> list[Space]:
        return [
            to_space(r) for r in self._rows("SELECT name, description, created_at, metadata FROM spaces ORDER BY name")
        ]

    def space(self, name: str) -> Space | None:
        row = self._one("SELECT name, description, created_at, metadata FROM spaces WHERE name = ?", (name,))
        return None if row is None else to_space(row)

    def tally(self, space: str) -> Tally:
        return self._derived.words.tally(self._number(space))

    def lexis_version(self) -> int:
        """Which way of making terms and names the keyword index was built with; 0 where there is none yet."""
        return self._derived.words.made_by()

    def stats(self, space: str) -> SpaceStats:
        number = self._number(space)
        if number is None:
            raise NotFound(f"there is no space named {space!r}")
        kinds = self._rows(
            "SELECT kind, count(*) FROM records WHERE space_no = ? AND retired_at IS NULL"
            f" AND {NOT_EVICTED} GROUP BY kind ORDER BY kind",
            (number,),
        )
        newest, sessions = self._rows(
            "SELECT max(created_at), count(DISTINCT session) FROM records WHERE space_no = ? AND retired_at IS NULL"
            f" AND {NOT_EVICTED}",
            (number,),
        )[0]
        entities, relations = (
            self._rows(f"SELECT count(*) FROM {table} WHERE space_no = ? AND retired_at IS NULL", (number,))[0][0]
            for table in ("entities", "relations")
        )
        return SpaceStats(
            space=space,
            records=sum(count for _, count in kinds),
            by_kind=dict(kinds),
            sessions=sessions,
            entities=entities,
            relations=relations,
            waiting_for_vectors=self.count_waiting(None, space),
            newest=None if newest is None else to_moment(newest),
        )

    # Records, entities and relations alike

    def get(self, type_: type[T], space: str, id: str, as_of: datetime | None = None) -> T | None:
        table = TABLES[type_]
        known, values = known_at(table, as_of)
        sql = f"{_SELECT[type_]} WHERE {table}.id = ? AND {table}.space_no = ? AND {known}"
        row = self._one(sql, (id, self._number(space), *values))
        return None if row is None else cast("T", _READERS[type_](row))

    def whereabouts(self, type_: type[Thing], id: str) -> list[str]:
        table = TABLES[type_]
        where, values = (VERSIONS_OF, (id, id)) if type_ is Record else (f"{table}.id = ?", (id,))
        sql = f"SELECT DISTINCT spaces.name FROM {table} JOIN spaces ON spaces.no = {table}.space_no WHERE {where}"
        return [row[0] for row in self._rows(sql + " ORDER BY spaces.name", values)]

    def version(self, type_: type[T], version: int) -> T | None:
        row = self._one(f"{_STATED[type_]} WHERE {TABLES[type_]}.version = ?", (version,))
        return None if row is None else cast("T", _READERS[type_](row))

    def records(self, versions: Sequence[int]) -> list[Record]:
        sql = f"{_SELECT[Record]} WHERE records.version IN (SELECT value FROM json_each(?))"
        found = {row[0]: to_record(row) for row in self._rows(sql, (to_json(versions),))}
        return [found[version] for version in versions if version in found]

    def scan(self, filter: Filter, order: Order, limit: int, offset: int = 0) -> list[Record]:
        spaces, space_values = self._spaces_condition(filter.spaces)
        if order == "updated":
            spaces = f"+{spaces}"  # the + lets SQLite go through the versions from the newest, and stop early
        condition, values = record_condition(filter, to_micros(self._now))
        sql = f"{_SELECT[Record]} WHERE {spaces} AND {condition} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?"
        return [to_record(row) for row in self._rows(sql, (*space_values, *values, limit, offset))]

    def count(self, filter: Filter) -> int:
        spaces, space_values = self._spaces_condition(filter.spaces)
        condition, values = record_condition(filter, to_micros(self._now))
        row = self._one(f"SELECT count(*) FROM records WHERE {spaces} AND {condition}", (*space_values, *values))
        return 0 if row is None else row[0]

    def distinct(self, field: Literal["project", "tags"], filter: Filter) -> list[str]:
        """The different projects or tags of the records that a filter lets through; "" stands for no project."""
        where, places = self._spaces_condition(filter.spaces)
        condition, values = record_condition(filter, to_micros(self._now))
        source, value = ("records", "coalesce(records.project, '')")
        if field == "tags":
            source, value = ("records, json_each(records.tags) AS tag", "tag.value")
        sql = f"SELECT DISTINCT {value} FROM {source} WHERE {where} AND {condition} ORDER BY 1"
        return [row[0] for row in self._rows(sql, (*places, *values))]

    def weights(self, filter: Filter) -> list[Weight]:
        spaces, space_values = self._spaces_condition(filter.spaces)
        condition, values = record_condition(filter, to_micros(self._now))
        sql = "SELECT records.version, records.importance, records.event_time, coalesce(accesses.count, 0) FROM records"
        sql += " LEFT JOIN accesses ON accesses.space_no = records.space_no AND accesses.id = records.id"
        return [Weight(*row) for row in self._rows(f"{sql} WHERE {spaces} AND {condition}", (*space_values, *values))]

    def held(self, space: str, hashes: Sequence[str]) -> set[str]:
        """Those of some content hashes that a live record of the space has."""
        found: set[str] = set()
        for start in range(0, len(hashes), _AT_ONCE):
            part = [bytes.fromhex(digest) for digest in hashes[start : start + _AT_ONCE]]
            marks = ", ".join("?" * len(part))
            sql = f"SELECT hash FROM records WHERE space_no = ? AND retired_at IS NULL AND hash IN ({marks})"
            found.update(row[0].hex() for row in self._rows(sql, (self._number(space), *part)))
        return found

    def twin(self, record: Record, alike: Sequence[str] = (), *, anywhere: bool = False) -> str | None:
        """The live record of the same space, kind, session and text, and alike in some more fields, if there is one.

        `anywhere` in the space, it may be of another kind or session.
        """
        if not anywhere:
            alike = ("kind", "session", *alike)
        now = to_micros(self._now)
        digest = bytes.fromhex(record.content_hash)
        row: dict[str, object] = dict(zip(list(RECORD_COLUMNS), record_row(record), strict=True)) if alike else {}
        found = self._one(
            f"{_TWIN}{''.join(f' AND {name} IS ?' for name in alike)} ORDER BY version",
            (self._number(record.space), digest, now, now, *(row[name] for name in alike)),
        )
        return None if found is None else found[0]

    def sessions(self, space: str, limit: int, offset: int = 0) -> list[Session]:
        rows = self._rows(
            "SELECT session, count(*), min(event_time), max(event_time) FROM records"
            f" WHERE space_no = ? AND session IS NOT NULL AND retired_at IS NULL AND {NOT_EVICTED}"
            " GROUP BY session ORDER BY max(event_time) DESC, session LIMIT ? OFFSET ?",
            (self._number(space), limit, offset),
        )
        return [
            Session(id=id, space=space, messages=count, started_at=to_moment(first), last_at=to_moment(last))
            for id, count, first, last in rows
        ]

    # Grounds

    def citing(self, space: str, refs: Sequence[str], limit: int) -> list[Record]:
        """The live records that have any of some refs in their grounds, the newest version first."""
        sql = "SELECT DISTINCT version FROM refs WHERE space_no = ? AND ref IN (SELECT value FROM json_each(?))"
        rows = self._rows(f"{sql} ORDER BY version DESC LIMIT ?", (self._number(space), to_json(refs), limit))
        return self.records([row[0] for row in rows])

    def shared_refs(self, space: str, prefix: str) -> list[str]:
        """The refs of a prefix (`claim:`) that more than one live record has."""
        sql = "SELECT ref FROM refs WHERE space_no = ? AND ref >= ? AND ref < ? GROUP BY ref HAVING count(*) > 1"
        return [row[0] for row in self._rows(sql, (self._number(space), prefix, f"{prefix}\U0010ffff"))]

    def outlines(self, space: str) -> list[Outline]:
        return read_outlines(self._connection, self._number(space))

    def pieces(self, space: str) -> list[tuple[str, int, bytes]]:
        return read_pieces(self._connection, self._number(space))

    def segment(
        self, space: str, source: str, *, position: int | None = None, hash: str | None = None
    ) -> Record | None:
        """The piece of a source (named by its location) that stands in a place, or that has a text of some hash."""
        if hash is None:
            where, values = "source = ? AND position = ?", (source, position)
        else:
            where, values = "hash = ? AND +source = ?", (bytes.fromhex(hash), source)  # the index of hashes is narrower
        row = self._one(f"{_SEGMENT} AND {where} ORDER BY position, version LIMIT 1", (self._number(space), *values))
        return None if row is None else self.version(Record, row[0])

    def texts(self, versions: Sequence[int]) -> dict[int, str]:
        """Just the texts of versions: for what only compares them."""
        sql = "SELECT version, text FROM records WHERE version IN (SELECT value FROM json_each(?))"
        return dict(self._rows(sql, (to_json(versions),)))

    def listed_sessions(self, space: str, limit: int) -> list[Session]:
        return read_listed(self._connection, self._number(space), space, limit)

    def messages(self, space: str, session: str) -> list[Message]:
        return read_messages(self._connection, self._number(space), session)

    # The graph

    def named(self, space: str, name: str) -> list[Entity]:
        number = self._number(space)
        sql = f"{_SELECT[Entity]} WHERE entities.id IN (SELECT entity FROM names WHERE space_no = ? AND name = ?)"
        sql += " AND +entities.space_no = ?"  # the + keeps SQLite from going through all entities of the space
        sql += " AND entities.retired_at IS NULL ORDER BY entities.version"
        return [to_entity(row) for row in self._rows(sql, (number, normal_name(name), number))]

    def entities(
        self, space: str, limit: int, offset: int = 0, *, words: Sequence[str] = (), newest_first: bool = False
    ) -> list[Entity]:
        """The entities of a space; where words are given, those that have one of them in a name."""
        number = self._number(space)
        sql, values = f"{_SELECT[Entity]} WHERE entities.space_no = ? AND entities.retired_at IS NULL", [number]
        if words:
            named = "SELECT entity FROM names, json_each(?) AS word WHERE space_no = ? AND instr(name, word.value) > 0"
            sql, values = f"{sql} AND entities.id IN ({named})", [number, to_json(words), number]
        sql += f" ORDER BY entities.version {'DESC' if newest_first else 'ASC'} LIMIT ? OFFSET ?"
        return [to_entity(row) for row in self._rows(sql, (*values, limit, offset))]

    def knows_names(self, space: str) -> bool:
        return self._derived.words.knows_names(self._number(space))

    def known_names(self, space: str, phrases: Sequence[str], text: str) -> list[str]:
        """The names of entities that are among the phrases, or that occur in a text without word boundaries."""
        return self._derived.words.known_names(self._number(space), phrases, text)

    def relations(
        self, space: str, ids: Sequence[str], *, outgoing: bool, as_of: datetime | None, active: bool = True
    ) -> list[Relation]:
        where, values = self._at_ends(space, ids, outgoing=outgoing, as_of=as_of, active=active)
        sql = f"{_SELECT[Relation]} WHERE {where} ORDER BY relations.version"
        return [to_relation(row) for row in self._rows(sql, values)]

    def links(
        self, space: str, ids: Sequence[str], *, outgoing: bool, as_of: datetime | None, limit: int
    ) -> list[tuple[str, str, float]]:
        """Subject, object and weight of active relations, the newest first: what a walk needs of them."""
        where, values = self._at_ends(space, ids, outgoing=outgoing, as_of=as_of, active=True)
        sql = f"SELECT subject, object, weight FROM relations WHERE {where} ORDER BY relations.version DESC LIMIT ?"
        return cast("list[tuple[str, str, float]]", self._rows(sql, (*values, limit)))

    def _at_ends(
        self, space: str, ids: Sequence[str], *, outgoing: bool, as_of: datetime | None, active: bool
    ) -> tuple[str, list[object]]:
        condition, values = known_at("relations", as_of)
        if active:
            valid, more = true_at("relations", to_micros(as_of or self._now))
            condition, values = f"{condition} AND {valid}", values + more
        end = "subject" if outgoing else "object"
        where = f"relations.space_no = ? AND {condition} AND relations.{end} IN (SELECT value FROM json_each(?))"
        return where, [self._number(space), *values, to_json(ids)]

    def all_links(self, space: str) -> list[tuple[str, str]]:
        """Subject and object of every relation that holds now."""
        known, values = known_at("relations", None)
        valid, more = true_at("relations", to_micros(self._now))
        sql = f"SELECT subject, object FROM relations WHERE relations.space_no = ? AND {known} AND {valid}"
        return cast("list[tuple[str, str]]", self._rows(sql, (self._number(space), *values, *more)))

    def count_facts(self, space: str) -> int:
        """How many relations are stated and hold now."""
        known, values = known_at("relations", None)
        valid, more = true_at("relations", to_micros(self._now))
        sql = f"SELECT count(*) FROM relations WHERE relations.space_no = ? AND {known} AND {valid}"
        return self._rows(sql, (self._number(space), *values, *more))[0][0]

    # The journal

    def journal(
        self,
        *,
        space: str | None = None,
        object_id: str | None = None,
        after: int = 0,
        newest_first: bool = False,
        limit: int = 1000,
    ) -> list[Change]:
        condition, values = "entry > ?", cast("list[object]", [after])
        for column, value in (("space", space), ("object_id", object_id)):
            if value is not None:
                condition, values = f"{condition} AND {column} = ?", [*values, value]
        order = "DESC" if newest_first else "ASC"
        rows = self._rows(f"{_CHANGES} WHERE {condition} ORDER BY entry {order} LIMIT ?", (*values, limit))
        return [to_change(row) for row in rows]

    def entry(self, entry: int) -> Change | None:
        row = self._one(f"{_CHANGES} WHERE entry = ?", (entry,))
        return None if row is None else to_change(row)

    def last_changes(self, besides: str) -> list[Change]:
        """The newest change of every space that was not made by one actor."""
        newest = "SELECT max(entry) FROM journal WHERE actor IS NOT ? GROUP BY space"
        return [to_change(row) for row in self._rows(f"{_CHANGES} WHERE entry IN ({newest})", (besides,))]

    def last_entry(self) -> int:
        row = self._one("SELECT max(entry) FROM journal")
        return 0 if row is None else row[0] or 0

    # What search needs

    def postings(self, space: str, term: int, *, old: bool = False) -> list[int]:
        number = self._number(space)
        return [] if number is None else self._derived.words.postings(number, term, old=old)

    def mentions(self, space: str, name: str) -> list[int]:
        number = self._number(space)
        return [] if number is None else self._derived.words.mentions(number, name)

    def lexis(self, versions: Sequence[int]) -> dict[int, Lexis]:
        return self._derived.words.lexis(versions)

    def term_blobs(self, versions: Sequence[int]) -> list[tuple[int, bytes]]:
        """The same terms as `lexis`, still packed: ranking reads hundreds of them at a time."""
        return self._derived.words.term_blobs(versions)

    def glances(self, space: str, versions: Sequence[int], filter: Filter) -> list[Glance]:
        condition, values = record_condition(filter, to_micros(self._now), by_version=True)
        sql = "SELECT records.version, records.id, session, source, position, event_time, importance,"
        sql += f" coalesce(faded.confidence, records.confidence), hash, superseded_by FROM records{_FADED}"
        sql += f" WHERE records.version IN (SELECT value FROM json_each(?)) AND +records.space_no = ? AND {condition}"
        return [Glance(*row) for row in self._rows(sql, (to_json(versions), self._number(space), *values))]

    def traits(self, space: str, versions: Sequence[int], filter: Filter) -> list[Traits]:
        condition, values = record_condition(filter, to_micros(self._now), by_version=True)
        sql = "SELECT records.version, event_time, importance, coalesce(faded.confidence, records.confidence),"
        sql += f" text FROM records{_FADED} WHERE records.version IN (SELECT value FROM json_each(?))"
        sql += f" AND +records.space_no = ? AND {condition}"
        return cast("list[Traits]", self._rows(sql, (to_json(versions), self._number(space), *values)))

    def latest(self, space: str, count: int) -> list[int]:
        """The versions of the records that came last, whatever else is true of them."""
        sql = "SELECT version FROM records WHERE space_no = ? AND retired_at IS NULL ORDER BY created_at DESC LIMIT ?"
        return [row[0] for row in self._rows(sql, (self._number(space), count))]

    def allowed(self, space: str, filter: Filter) -> list[int]:
        condition, values = record_condition(filter, to_micros(self._now))
        sql = f"SELECT json_group_array(version) FROM records WHERE space_no = ? AND {condition}"
        row = self._one(sql, (self._number(space), *values))
        return [] if row is None else _decode_versions(row[0])

    # Vectors

    def models(self) -> list[Model]:
        return self._derived.vectors.models()

    def signs(self, model: int, space: str, after: int, *, old: bool = False) -> list[tuple[int, int, bytes]]:
        """Vectors of a space above a number: their number, version and sign bits. Old versions stand apart."""
        return self._derived.vectors.signs(model, self._number(space), after, old=old)

    def halves(self, vectors: Sequence[int]) -> dict[int, bytes]:
        return self._derived.vectors.halves(vectors)

    def vectors_of(self, model: int, versions: Sequence[int]) -> list[tuple[int, bytes]]:
        """Version and float16 numbers of every vector that these versions have."""
        return self._derived.vectors.vectors_of(model, versions)

    def tokens_of(self, model: int, versions: Sequence[int]) -> list[tuple[int, bytes]]:
        """Version and word vectors of every piece of these versions that has some."""
        return self._derived.vectors.tokens_of(model, versions)

    def waiting(self, model: int, space: str | None, limit: int) -> list[Record]:
        """Records without a vector of a model, the newest first."""
        number = None if space is None else self._number(space)
        if space is not None and number is None:
            return []
        return self.records(self._derived.vectors.waiting(model, number, limit))

    def count_waiting(self, model: int | None, space: str | None) -> int:
        """How many versions wait for a vector of a model, or (None) of the model that is most complete."""
        if model is None:
            return min((self.count_waiting(known.no, space) for known in self.models()), default=0)
        number = None if space is None else self._number(space)
        if space is not None and number is None:
            return 0
        return self._derived.vectors.count_waiting(model, number)

    # Projects

    def projects(self, space: str | None) -> list[IndexedProject]:
        return read_projects(self._connection, space)

    def project_files(self, space: str, id: str) -> list[IndexedFile]:
        return read_files(self._connection, self._number(space), id)

    # Bookkeeping

    def ledger(self, days: int) -> list[Spending]:
        return read_ledger(self._connection, days)

    def spending(self, day: str, provider: str) -> Spending:
        return read_spending(self._connection, day, provider)

    def counters(self, prefix: str) -> dict[str, int]:
        return read_counters(self._connection, prefix)

    def kept(self, shelf: Shelf[V], *, space: str | None = None, keys: Sequence[str] | None = None) -> dict[str, V]:
        sql, values = (
            "SELECT key, value FROM shelves WHERE space_no = ? AND shelf = ?",
            [self._owner(space), shelf.name],
        )
        if keys is not None:
            sql, values = f"{sql} AND key IN (SELECT value FROM json_each(?))", [*values, to_json(keys)]
        decode = msgspec.json.Decoder(shelf.type).decode
        return {row[0]: decode(row[1]) for row in self._rows(f"{sql} ORDER BY key", values)}

    def _owner(self, space: str | None) -> int | None:
        """The space that a shelf belongs to: 0 is the whole store."""
        return 0 if space is None else self._number(space)

    # Upkeep

    def fading(self, space: str, rule: FadingRule) -> list[int]:
        number = self._number(space)
        return [] if number is None else find_fading(self._connection, number, rule, to_micros(self._now))

    def evictable(self, space: str, rule: EvictionRule) -> tuple[list[int], list[str]]:
        number = self._number(space)
        return ([], []) if number is None else find_evictable(self._connection, number, rule, to_micros(self._now))

    def run(self, entry: int) -> Run | None:
        return read_run(self._connection, entry)

    def moved(self, run: int, after: int, limit: int) -> list[int]:
        return read_moved(self._connection, run, after, limit)
