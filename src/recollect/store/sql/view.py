"""What can be read from any SQL database, inside one snapshot?

What is canonical is read here; what is asked of words and vectors is passed on to the database's own index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast, overload

import msgspec
from msgspec import Struct

from recollect.errors import NotFound
from recollect.store.base import (
    Acts,
    By,
    Changes,
    Due,
    Entities,
    EvictionRule,
    FadingRule,
    Group,
    Lexis,
    N,
    Relations,
    S,
    Sessions,
    Shelf,
    T,
    Thing,
    ThinningRule,
    U,
    Unsealed,
    V,
    normal_name,
)  # fmt: skip
from recollect.store.search import Findings, Model, NearMatch, Pick, Waiting, WordMatch
from recollect.store.sql.acts import to_act
from recollect.store.sql.database import Condition, Database, Row
from recollect.store.sql.derived import Derived
from recollect.store.sql.entries import begun, entries
from recollect.store.sql.horizon import require_known
from recollect.store.sql.index import Search
from recollect.store.sql.moment import shift_of, stamp_of
from recollect.store.sql.order import say_order
from recollect.store.sql.rows import to_micros, to_moment
from recollect.store.sql.seal import NOTED, read_changes, read_spaces, read_versions
from recollect.store.sql.sealing import count_unsealed
from recollect.store.sql.shapes import TABLES, select_shape, select_things, shaped
from recollect.store.sql.shelves import read_shelf
from recollect.store.sql.thin import find_old
from recollect.store.sql.upkeep import find_evictable, find_fading
from recollect.store.sql.walk import walk_relations
from recollect.store.sql.where import (
    every,
    first_of_each,
    is_plain,
    known_at,
    one_of,
    record_condition,
    true_at,
    within_period,
)  # fmt: skip
from recollect.types import Act, Change, Entity, Filter, Message, Order, Record, Relation, Space

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_IN_EACH_SPACE, _FEW_SPACES = ("newest", "oldest"), 50
_GROUPS: dict[By, str] = {
    "kind": "records.kind", "session": "records.session", "project": "coalesce(records.project, '')",
    "room": "coalesce(records.room, '')", "day": f"CAST(records.created_at / {86_400 * 1_000_000} AS text)",
}  # fmt: skip
_CHANGES = f"SELECT {', '.join(NOTED)}, checksum FROM journal"
SELECT_SPACES = "SELECT name, description, created_at, metadata, no FROM spaces"
_MOST = 2**62
_FIRST = " NULLS FIRST"
_version = attrgetter("version")


class Numbers:
    """The numbers of spaces, each of which is looked up once."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.numbers: dict[str, int | None] = {}

    def number(self, space: str) -> int | None:
        if space not in self.numbers:
            known = self._db.known_spaces
            if known is not None:
                self.numbers[space] = next((row[4] for row in known if row[0] == space), None)
            else:
                rows = self._db.rows("SELECT no FROM spaces WHERE name = ?", (space,))
                self.numbers[space] = rows[0][0] if rows else None
        return self.numbers[space]

    def where(self, filter: Filter, now: int, *, looked_up: bool = False) -> Condition:
        """A filter as a condition on `records`."""
        found = [number for space in filter.spaces if (number := self.number(space)) is not None]
        numbers = found if filter.spaces else None
        return record_condition(self._db, filter, numbers, now, looked_up=looked_up)


class SqlView:
    """Reads of one snapshot; `now` decides what is valid. `shifted` says that the last entry has a stamp."""

    def __init__(
        self, db: Database, now: datetime, derived: Derived, search: Callable[[], Search], *, shifted: bool = False
    ) -> None:
        self._db = db
        self._now = now
        self._shift = shift_of(db) if shifted else None
        self._derived = derived
        self._make_search = search
        self._searching: Search | None = None
        self.numbers = Numbers(db)

    @property
    def now(self) -> datetime:
        return self._now

    @overload
    def together(self, one: Callable[[], S], other: Callable[[], U], /) -> tuple[S, U]: ...
    @overload
    def together(self, *asks: Callable[[], S]) -> Sequence[S]: ...
    def together(self, *asks: Callable[[], Any]) -> Sequence[Any]:
        return tuple(self._db.together(asks))

    @property
    def database(self) -> Database:
        """What a move asks for rows."""
        return self._db

    @property
    def derived(self) -> Derived:
        return self._derived

    def _number(self, space: str) -> int | None:
        return self.numbers.number(space)

    def where(self, filter: Filter, *, looked_up: bool = False) -> Condition:
        return self.numbers.where(filter, to_micros(self._now), looked_up=looked_up)

    def _home(self, space: str) -> Condition:
        """The number of a space, which the database looks up itself where it is not known yet."""
        if space in self.numbers.numbers or self._db.known_spaces is not None:
            return "?", [self._number(space)]
        return "(SELECT no FROM spaces WHERE spaces.name = ?)", [space]

    def _require_known(self, as_of: datetime | None, space: str) -> None:
        if as_of is not None and (number := self._number(space)) is not None:
            require_known(self._db, as_of, [number])

    def _read(self, type_: type[Thing], rows: Sequence[Row]) -> list[Thing]:
        """Rows as objects. While stamps are ahead of the clock, when something was written is told by the clock."""
        found = read_versions(type_, rows)
        if self._shift is None:
            return found
        first, ahead = self._shift
        return [
            msgspec.structs.replace(thing, recorded_at=to_moment(stamp - ahead))
            if (stamp := to_micros(thing.recorded_at)) >= first
            else thing
            for thing in found
        ]

    # Spaces

    def spaces(
        self, names: Sequence[str] | None = None, *, holding: tuple[type[Thing], str] | None = None
    ) -> list[Space]:
        if holding is not None:
            names = self._homes(*holding)
            if not names:
                return []
        rows = self._db.known_spaces
        if rows is None:
            sql, values = ("1 = 1", []) if names is None else one_of("name", names)
            rows = self._db.rows(f"{SELECT_SPACES} WHERE {sql} ORDER BY name", values)
            self.numbers.numbers.update({row[0]: row[4] for row in rows})
        return read_spaces([row for row in rows if names is None or row[0] in names])

    def _homes(self, type_: type[Thing], id: str) -> list[str]:
        table = TABLES[type_]
        sql = f"SELECT DISTINCT spaces.name FROM {table} JOIN spaces ON spaces.no = {table}.space_no WHERE"
        if type_ is Record:  # one index has the live versions by their id and another the rest
            sql = f"{sql} records.id = ? AND retired_at IS NULL UNION {sql} records.id = ? AND retired_at IS NOT NULL"
            return sorted(row[0] for row in self._db.rows(sql, (id, id)))
        return sorted(row[0] for row in self._db.rows(f"{sql} {table}.id = ?", (id,)))

    # Records

    def get(
        self, type_: type[T], space: str, id: str, as_of: datetime | None = None, *, version: int | None = None
    ) -> T | None:
        table = TABLES[type_]
        if version is not None:
            known, values = f"{table}.version = ?", [version]
            id_column, number_column = map(self._db.dialect.unindexed, (f"{table}.id", f"{table}.space_no"))
        else:
            self._require_known(as_of, space)
            known, values = known_at(self._db, table, as_of)
            id_column, number_column = f"{table}.id", f"{table}.space_no"
        sql = f"{select_things(type_, stated=version is not None)} WHERE {id_column} = ? AND {number_column} = ?"
        rows = self._db.rows(f"{sql} AND {known}", (id, self._number(space), *values))
        return cast("T", self._read(type_, rows)[0]) if rows else None

    def select(
        self, shape: type[S], where: Filter, order: Order | None = None, limit: int | None = None, offset: int = 0,
        *, beyond: int | None = None,
    ) -> list[S]:  # fmt: skip
        if shape is Message:
            return cast("list[S]", self._messages(where))
        behind = [] if beyond is None or order is None else [self._behind(order, beyond)]
        homes = self._homes_of(where) if order in _IN_EACH_SPACE and limit is not None else [where]
        parts = [every([self.where(one, looked_up=order == "updated"), *behind]) for one in homes]
        condition, values = parts[0]
        if order is not None and limit is not None and len(parts) > 1:
            condition, values = first_of_each(parts, say_order(self._db, order), limit + offset)
        ends = f" WHERE {condition}"
        if order is not None:
            ends += f" ORDER BY {say_order(self._db, order)}"
        elif shape is not int and where.versions is None:
            ends += " ORDER BY records.version"
        if limit is not None or offset:
            ends, values = f"{ends} LIMIT ? OFFSET ?", [*values, _MOST if limit is None else limit, offset]
        if shape is int:
            return self._db.columns(["version"], f"SELECT records.version FROM records{ends}", values)[0]
        if shape is Record:
            found = cast("list[S]", self._read(Record, self._db.rows(select_things(Record) + ends, values)))
        else:
            begins = select_shape(cast("type[Struct]", shape), "records", self._db.dialect)
            found = shaped(shape, self._db.rows(begins + ends, values))
        return found if order is not None or where.versions is None else _in_order(found, where.versions)

    def _homes_of(self, where: Filter) -> list[Filter]:
        """A plain filter as one for each of its spaces, if these are few: each has an index of its order."""
        names = where.spaces or (tuple(space.name for space in self.spaces()) if is_plain(where) else ())
        few = is_plain(where) and 0 < len(names) <= _FEW_SPACES
        return [msgspec.structs.replace(where, spaces=(name,)) for name in names] if few else [where]

    def _behind(self, order: Order, version: int) -> Condition:
        """What comes after a version in an order, whether it still holds or not."""
        ordered = say_order(self._db, order)
        places = [part.removesuffix(" DESC") for part in ordered.split(", ")]
        first = [f"coalesce({place[: -len(_FIRST)]}, '')" if place.endswith(_FIRST) else place for place in places]
        columns = ", ".join(first)
        found = self._db.rows(f"SELECT {columns} FROM records WHERE version = ?", (version,))
        if not found:
            raise NotFound("what this list ended with was forgotten since; begin it anew")
        sign = "<" if ordered.endswith("DESC") else ">"
        return f"({columns}) {sign} ({', '.join('?' * len(first))})", list(found[0])

    def _messages(self, where: Filter) -> list[Message]:
        """The list of each session, which goes on naming messages whose records are gone."""
        spaces = one_of("space_no", [self._number(space) for space in where.spaces])
        parts: list[Condition] = [spaces, *([one_of("session", where.sessions)] if where.sessions else [])]
        for sign, moment in ((">=", where.since), ("<=", where.until)):
            if moment is not None:
                parts.append((f"at {sign} ?", [to_micros(moment)]))
        condition, values = every(parts)
        sql = f"SELECT id, role, at, flag FROM messages WHERE {condition} ORDER BY session, place"
        rows = self._db.rows(sql, values)
        return [Message(id=id, role=role, at=to_moment(at), flag=flag) for id, role, at, flag in rows]

    @overload
    def count(self, where: Filter | Entities | Relations | Sessions | Unsealed) -> int: ...
    @overload
    def count(self, where: Filter | Changes, by: By, limit: int | None = None, offset: int = 0) -> list[Group]: ...
    def count(
        self,
        where: Filter | Entities | Relations | Sessions | Unsealed | Changes,
        by: By | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> int | list[Group]:
        if isinstance(where, Unsealed):
            return count_unsealed(self._db)
        if isinstance(where, Changes):
            return self._counted(where, "reason" if by == "reason" else "coalesce(actor, '')")
        if by is not None and isinstance(where, Filter):
            return self._groups(where, by, limit, offset)
        counted = "*"
        if isinstance(where, Filter):
            table, (condition, values) = "records", self.where(where)
        elif isinstance(where, Sessions):
            table, (condition, values) = "records", self.where(Filter(spaces=(where.space,), valid_only=False))
            condition, counted = f"{condition} AND records.session IS NOT NULL", "DISTINCT records.session"
        elif isinstance(where, Entities):
            table, (condition, values) = "entities", self._entities(where)
        else:
            table, (condition, values) = "relations", self._relations(where)
        return self._db.rows(f"SELECT count({counted}) FROM {table} WHERE {condition}", values)[0][0]

    def _groups(self, where: Filter, by: By, limit: int | None, offset: int) -> list[Group]:
        source, key, moment = "records", "", "records.event_time"
        condition, values = self.where(where)
        if by == "tag":
            more, key = self._db.dialect.items("records.tags")
            source += more
        elif by == "claim":
            source, key = "records JOIN refs ON refs.version = records.version", "refs.ref"
            condition += " AND refs.space_no = records.space_no AND refs.ref >= 'claim:' AND refs.ref < 'claim;'"
        elif by == "list":
            source, key, moment = "messages", "session", "at"
            condition, values = one_of("space_no", [self._number(space) for space in where.spaces])
        else:
            key = _GROUPS[by]
        order = "max(moment) DESC, word" if by in ("session", "list") else "word"
        each = f"SELECT {key} AS word, {moment} AS moment FROM {source} WHERE {condition}"
        rows = self._db.rows(
            f"SELECT word, count(*), min(moment), max(moment) FROM ({each}) AS each WHERE word IS NOT NULL"
            f" GROUP BY word ORDER BY {order} LIMIT ? OFFSET ?",
            (*values, _MOST if limit is None else limit, offset),
        )
        return [Group(key, count, to_moment(first), to_moment(last)) for key, count, first, last in rows]

    # The graph

    def entities(
        self, where: Entities, *, newest_first: bool = False, limit: int | None = None, offset: int = 0
    ) -> list[Entity]:
        condition, values = self._entities(where)
        order = f"entities.version {'DESC' if newest_first else 'ASC'} LIMIT ? OFFSET ?"
        sql = f"{select_things(Entity)} WHERE {condition} ORDER BY {order}"
        rows = self._db.rows(sql, (*values, _MOST if limit is None else limit, offset))
        self.numbers.numbers.update({row[1]: row[-1] for row in rows})
        return cast("list[Entity]", self._read(Entity, rows))

    def _named_among(self, where: Entities, spaces: Sequence[str]) -> Condition:
        """The live entities of several spaces that have one of some names."""
        dialect = self._db.dialect
        chosen, values = dialect.among("spaces.name", spaces)
        named, listed = dialect.among("names.name", where.names or ())
        if where.text:
            named, listed = f"({named} OR {dialect.holds('?', 'names.name')})", [*listed, where.text]
        of_names = f"SELECT entity, space_no FROM names JOIN spaces ON no = space_no WHERE {chosen} AND {named}"
        return f"entities.retired_at IS NULL AND (id, space_no) IN ({of_names})", [*values, *listed]

    def _entities(self, where: Entities) -> Condition:
        if where.among is not None:
            return self._named_among(where, where.among)
        dialect, (home, number) = self._db.dialect, self._home(where.space)
        self._require_known(where.as_of, where.space)
        narrow = where.names is not None or where.ids is not None
        column = dialect.unindexed("entities.space_no") if narrow else "entities.space_no"
        parts: list[Condition] = [(f"{column} = {home}", number), known_at(self._db, "entities", where.as_of)]
        if where.ids is not None:
            parts.append(dialect.among("entities.id", where.ids))
        if where.names is not None:
            named, values = dialect.among("name", [normal_name(name) for name in where.names])
            sql = f"entities.id IN (SELECT entity FROM names WHERE space_no = {home} AND {named})"
            parts.append((sql, [*number, *values]))
        if where.words:
            held = " OR ".join([dialect.holds("name", "?")] * len(where.words))
            sql = f"entities.id IN (SELECT entity FROM names WHERE space_no = {home} AND ({held}))"
            parts.append((sql, [*number, *where.words]))
        return every(parts)

    def relations(
        self, shape: type[S], where: Relations, *, newest_first: bool = False, limit: int | None = None
    ) -> list[S]:
        condition, values = self._relations(where)
        if where.walk is not None:
            most = _MOST if limit is None else limit
            sql, values = walk_relations(self._db, self._home(where.space), (condition, values), where.walk, most)
            return [shape(*row) for row in self._db.rows(sql, values)]
        order = f"relations.version {'DESC' if newest_first else 'ASC'}"
        ends = f" WHERE {condition} ORDER BY {order} LIMIT ?"
        values = [*values, _MOST if limit is None else limit]
        if shape is Relation:
            return cast("list[S]", self._read(Relation, self._db.rows(select_things(Relation) + ends, values)))
        begins = select_shape(cast("type[Struct]", shape), "relations", self._db.dialect)
        return shaped(shape, self._db.rows(begins + ends, values))

    def _relations(self, where: Relations) -> Condition:
        dialect = self._db.dialect
        home, number = self._home(where.space)
        self._require_known(where.as_of, where.space)
        by_an_end = where.walk is not None or where.subjects is not None or where.objects is not None
        parts: list[Condition] = [
            (f"relations.space_no = {home}", number),
            known_at(self._db, "relations", where.as_of, looked_up=by_an_end),
        ]
        if where.active and where.true_at is not None:
            parts.append(within_period("relations", to_micros(where.true_at)))
        elif where.active:
            parts.append(true_at("relations", to_micros(where.as_of or self._now)))
        if where.subjects is not None:
            parts.append(dialect.among("relations.subject", where.subjects))
        if where.objects is not None:
            parts.append(dialect.among("relations.object", where.objects))
        return every(parts)

    # The journal

    @overload
    def journal(self, where: Acts, *, newest_first: bool = False, limit: int = 1000) -> list[Act]: ...
    @overload
    def journal(
        self, where: Changes | None = None, *, newest_first: bool = False, limit: int = 1000
    ) -> list[Change]: ...
    def journal(
        self, where: Changes | Acts | None = None, *, newest_first: bool = False, limit: int = 1000
    ) -> list[Change] | list[Act]:
        if isinstance(where, Acts):
            firsts = Changes(space=where.space, before=where.before)
            return self._acts(self._changes(firsts, begun(where), newest_first=newest_first, limit=limit))
        return self._changes(where or Changes(), [], newest_first=newest_first, limit=limit)

    def _counted(self, where: Changes, key: str) -> list[Group]:
        condition, values = every(entries(where))
        sql = f"SELECT {key}, count(*), min(at), max(at) FROM journal"
        rows = self._db.rows(f"{sql} WHERE {condition} GROUP BY 1 ORDER BY 1", values)
        return [Group(of, count, to_moment(first), to_moment(last)) for of, count, first, last in rows]

    def _changes(self, where: Changes, more: Sequence[Condition], *, newest_first: bool, limit: int) -> list[Change]:
        condition, values = every([*entries(where), *more])
        order = "DESC" if newest_first else "ASC"
        rows = self._db.rows(f"{_CHANGES} WHERE {condition} ORDER BY entry {order} LIMIT ?", (*values, limit))
        return read_changes(rows)

    def _acts(self, firsts: Sequence[Change]) -> list[Act]:
        """The acts that began with some entries."""
        among, values = self._db.dialect.among("act", [one.entry for one in firsts])
        rows = self._db.rows(
            "SELECT act, space, verb, object_type, count(*), max(entry),"
            " max(CASE WHEN object_type = 'space' THEN reason END)"
            f" FROM journal WHERE {among} GROUP BY act, space, verb, object_type ORDER BY min(entry)",
            values,
        )
        others: dict[tuple[int, str], list[Row]] = {}
        for act, space, *row in rows:
            others.setdefault((act, space), []).append(tuple(row))
        about = self._headings(firsts)
        return [to_act(one, others.get((one.entry, one.space), []), about.get(one.entry)) for one in firsts]

    def _headings(self, changes: Sequence[Change]) -> dict[int, str]:
        """What records of their space said after some changes (or before, where nothing came after), by entry."""
        versions = {
            change.entry: (change.space, change.before if change.after is None else change.after)
            for change in changes
            if change.object_type == "record"
        }
        meant = tuple(version for _, version in versions.values() if version is not None)
        found = self.select(_Heading, Filter(versions=meant, past=True, valid_only=False)) if meant else []
        headings = {one.version: one for one in found}
        return {
            entry: headings[version].heading
            for entry, (space, version) in versions.items()
            if version in headings and headings[version].space_no == self._number(space)
        }

    # Bookkeeping

    def kept(self, shelf: Shelf[V], *, space: str | None = None, keys: Sequence[str] | None = None) -> dict[str, V]:
        whole = 0 if shelf.of_all else self._db.whole
        owner = whole if space is None else self._number(space)
        return read_shelf(self._db, owner, shelf, keys)

    # Upkeep

    def due(self, space: str, rule: FadingRule | EvictionRule | ThinningRule) -> Due:
        number = self._number(space)
        if number is None:
            return Due()
        if isinstance(rule, ThinningRule):
            return find_old(self._db, space, number, rule.of, stamp_of(self._db, rule.until))
        now = to_micros(self._now)
        if isinstance(rule, FadingRule):
            return find_fading(self._db, number, rule, now)
        return find_evictable(self._db, number, rule, now)

    # Derived

    def _search(self) -> Search:
        if self._searching is None:
            self._searching = self._make_search()
        return self._searching

    def words(
        self,
        spaces: Sequence[str],
        terms: Sequence[int],
        where: Filter,
        most: int | None,
        *,
        exact: bool = False,
        every: bool = False,
    ) -> dict[str, WordMatch]:
        return self._search().words(spaces, terms, where, most, exact=exact, every=every)

    def near(
        self,
        spaces: Sequence[str],
        model: int,
        vector: NDArray[np.float32],
        where: Filter,
        most: int,
        *,
        exact: bool = False,
    ) -> dict[str, NearMatch]:
        return self._search().near(spaces, model, vector, where, most, exact=exact)

    def signals(
        self,
        picks: Mapping[str, Pick],
        where: Filter | None,
        *,
        terms: Sequence[int] = (),
        model: int | None = None,
        vector: NDArray[np.float32] | None = None,
        tokens: NDArray[np.float32] | None = None,
        alike: bool = False,
    ) -> dict[str, Findings]:
        if where is None:
            return self._search().compare(picks, model, vector, tokens, alike=alike)
        return self._search().signals(picks, where, terms, model, vector)

    def pairs(
        self, space: str, model: int, least: float, where: Filter, stop: Callable[[], bool]
    ) -> list[tuple[int, int, float]]:
        return self._search().pairs(space, model, least, where, stop)

    def mentions(self, space: str, names: Sequence[N], most: int | None = None) -> dict[N, list[int]]:
        number = self._number(space)
        return {name: [] for name in names} if number is None else self._derived.words.mentions(number, names, most)

    def terms(self, versions: Sequence[int]) -> dict[int, Lexis]:
        return self._derived.words.lexis(versions)

    def names(self, spaces: Sequence[str], phrases: Sequence[str] = (), text: str = "") -> dict[str, list[str]]:
        return self._derived.words.names(spaces, phrases, text)

    def models(self) -> list[Model]:
        return self._derived.vectors.models()

    def waiting(
        self,
        model: int | None,
        spaces: Sequence[str] | None = None,
        most: int = 0,
        where: Filter | None = None,
        *,
        among: Sequence[int] | None = None,
    ) -> Waiting:
        if not self._derived.vectors.may_wait():
            return Waiting(0)
        numbers = None if spaces is None else [no for space in spaces if (no := self._number(space)) is not None]
        count = self._derived.vectors.count_waiting(model, numbers, among)
        if model is None or not count or (where is None and not most):
            return Waiting(count)
        versions = self._derived.vectors.waiting(model, numbers, most if where is None else count, among)
        if where is not None:
            meant = set(self.select(int, msgspec.structs.replace(where, versions=tuple(versions))))
            count, versions = len(meant), [version for version in versions if version in meant][:most]
        return Waiting(count, versions)


class _Heading(Struct, frozen=True):
    version: int
    space_no: int
    heading: str


def _in_order(found: list[S], versions: Sequence[int]) -> list[S]:
    by_version = {_version(one): one for one in found}
    return [by_version[version] for version in versions if version in by_version]
