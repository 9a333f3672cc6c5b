"""How is what a store holds written as lines of JSON, and read from them again?

A line is an object with one name, which says what it is: `{"record": {…}}`. Its fields are the columns of a row, but
that spaces are named, times are written as RFC 3339, and JSON stands as JSON. What has no value is left out. A row that
is read from a line is the row that the line was written from, whichever databases the two are in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

import msgspec

from recollect.errors import InvalidInput, StoreDamaged
from recollect.forms import decode
from recollect.store.base import THINNED, Horizon, Thing
from recollect.store.canonical import AT_ONCE, CANONICAL, Table, numbers_of
from recollect.store.sql.database import Database, Row
from recollect.store.sql.edit import SqlEdit
from recollect.store.sql.rows import CHANGE_COLUMNS, to_change, to_micros, to_moment, to_space
from recollect.store.sql.seal import READERS, seal, seal_version
from recollect.store.sql.shapes import COLUMNS
from recollect.store.sql.sound import broken_rows
from recollect.store.sql.view import SqlView
from recollect.types import Change, Entity, Message, Record, Relation, Space

NOUNS: Mapping[str, Table] = dict(
    zip(
        "space record entity relation message shelf access faded evicted moved entry".split(), CANONICAL, strict=True
    )
)  # fmt: skip
"""What a line of each table is called, in the order in which tables are written."""
_NAMES = {table.name: noun for noun, table in NOUNS.items()}
_THINGS: Mapping[str, type[Thing]] = {"record": Record, "entity": Entity, "relation": Relation}
OBJECTS = tuple(_THINGS)
_LARGEST = 2**63 - 1
_TIMES = frozenset(
    "at created_at event_time last recorded_at retired_at stamp valid_from valid_until".split()
)  # fmt: skip
_JSON = frozenset(["aliases", "grounds", "locator", "metadata", "tags", "value"])
_WHOLE = frozenset(
    "act after before checksum count entry no place position run undoes version".split()
)  # fmt: skip
_SHARES = frozenset(["confidence", "importance", "now", "was", "weight"])
_OPTIONAL: Mapping[str, frozenset[str]] = {
    noun: frozenset(columns.split())
    for noun, columns in {
        "space": "checksum",
        "record": "title role room session project user valid_from valid_until source locator grounds superseded_by"
        " checksum retired_at",
        "entity": "type description user checksum retired_at",
        "relation": "provenance valid_until checksum retired_at",
        "message": "role",
        "moved": "was now",
        "entry": "before after actor reason undoes act stamp checksum",
    }.items()
}
"""What may have no value, and is left out then."""
_REQUIRED = {
    noun: tuple((n, column) for n, column in enumerate(table.columns) if column not in _OPTIONAL.get(noun, ()))
    for noun, table in NOUNS.items()
}
_OF_THE_PLACE = ("tokens", "pace", "backups", "slots", "erased")
"""Shelves that tell of where a store is: who gets in, how fast its machine is, what became of its backups, which moment
of a schedule was taken there, and whether traces are left on its disk.
"""
_STAYING = (*_OF_THE_PLACE, "sealed", "untold")
"""Shelves that are in no export: a file that is handed on opens no door, neither here nor where it is taken in, and
says nothing of a machine; and how far a store has looked through its own rows, or at what it was told, is no other's
business.
"""
COUNTED = ("spaces", "records", "entities", "relations", "journal")
"""Tables whose rows have numbers."""

Fields: TypeAlias = dict[str, msgspec.Raw]
Spaces: TypeAlias = dict[str, int]
_encode = msgspec.json.Encoder().encode
_decode_line = msgspec.json.Decoder(dict[str, Fields]).decode


# Writing


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """Which records are written out, of which spaces. Where a project or a time is asked for, nothing else comes
    along but what belongs to these records, and of a time the relations that began in it.
    """

    spaces: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    @property
    def narrow(self) -> bool:
        """Is more asked for than spaces?"""
        return bool(self.projects or self.since or self.until)


def lines_of(view: SqlView, chosen: Chosen | None = None) -> Iterator[bytes]:
    """What a store holds, line by line; of some records, what belongs to them."""
    db = view.database
    names = {number: name for number, name in db.rows("SELECT no, name FROM spaces")}
    besides = set(names.values()) - set(chosen.spaces) if chosen is not None and chosen.spaces else set[str]()
    for problem in broken_rows(db, besides=besides):
        raise StoreDamaged(problem)
    wanted = None if chosen is None else _Wanted(db, chosen, names)
    if wanted is None:
        yield _line("numbers", {name: number for name, number in numbers_of(db).items() if name in COUNTED})
    for table in CANONICAL:
        for _, _, rows in table.batches(db):
            for row in rows:
                if travels(table, row) and (wanted is None or wanted.has(table, row)):
                    yield _line(_NAMES[table.name], _fields(table, row, names))


def travels(table: Table, row: Row) -> bool:
    """Is a row ever written out, or taken from a file?"""
    return table.name != "shelves" or row[table.columns.index("shelf")] not in _STAYING


def _line(noun: str, fields: Mapping[str, object]) -> bytes:
    return _encode({noun: fields}) + b"\n"


def _fields(table: Table, row: Row, names: Mapping[int, str]) -> dict[str, object]:
    fields: dict[str, object] = {}
    for column, value in zip(table.columns, row, strict=True):
        if column == "space_no":
            if value:
                fields["space"] = names.get(value, value)
        elif value is not None:
            fields[column] = _WRITTEN.get(column, _plain)(value)
    return fields


def _plain(value: object) -> object:
    return value


def _moment(micros: int) -> str | int:
    """A time, or the number itself where no calendar has it."""
    try:
        return to_moment(micros).isoformat().replace("+00:00", "Z")
    except OverflowError:
        return micros


def _embedded(text: str | bytes) -> msgspec.Raw:
    data = text.encode() if isinstance(text, str) else text
    try:
        msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise StoreDamaged(f"something is not as it was written: {error}; run `recollect doctor`") from error
    return msgspec.Raw(data if b"\n" not in data else msgspec.json.format(data, indent=-1))


_WRITTEN: Mapping[str, Callable[..., object]] = {
    **dict.fromkeys(_TIMES, _moment), **dict.fromkeys(_JSON, _embedded), "hash": bytes.hex,
}  # fmt: skip


class _Wanted:
    """Which rows belong to some records."""

    def __init__(self, db: Database, chosen: Chosen, names: Mapping[int, str]) -> None:
        self._chosen = chosen
        self._numbers = {number for number, name in names.items() if not chosen.spaces or name in chosen.spaces}
        self._things = {noun: self._ids(db, noun) for noun in _THINGS}
        if chosen.narrow:  # of a space in which nothing is meant, not even its name is handed over
            self._numbers &= {number for ids in self._things.values() for number, _ in ids}
        self._versions = set(self._record_versions(db))
        self._of_name = {names[number]: number for number in self._numbers}

    def _ids(self, db: Database, noun: str) -> set[tuple[int, str]]:
        """Space and id of all objects that are meant: of a record, one of whose versions is."""
        chosen, table = self._chosen, NOUNS[noun].name
        conditions, values = ["1 = 1"], list[object]()
        timed = {"record": "event_time", "relation": "valid_from"}.get(noun)
        if chosen.narrow and (timed is None or (noun != "record" and chosen.projects)):
            return set() if noun != "entity" or chosen.projects else self._ends(db)
        if chosen.projects:
            conditions.append(f"project IN ({', '.join('?' * len(chosen.projects))})")
            values += chosen.projects
        for sign, moment in ((">=", chosen.since), ("<=", chosen.until)):
            if moment is not None:
                conditions.append(f"{timed} {sign} ?")
                values.append(to_micros(moment))
        sql = f"SELECT DISTINCT space_no, id FROM {table} WHERE {' AND '.join(conditions)}"
        return {(number, id) for number, id in db.rows(sql, values) if number in self._numbers}

    def _ends(self, db: Database) -> set[tuple[int, str]]:
        """The entities that relations speak of which began in the time that is asked for."""
        meant = self._ids(db, "relation")
        rows = db.rows("SELECT space_no, id, subject, object FROM relations")
        return {(number, end) for number, id, *ends in rows if (number, id) in meant for end in ends}

    def _record_versions(self, db: Database) -> Iterator[int]:
        for version, number, id in db.rows("SELECT version, space_no, id FROM records"):
            if (number, id) in self._things["record"]:
                yield version

    def has(self, table: Table, row: Row) -> bool:
        named = dict(zip(table.columns, row, strict=True))
        noun = _NAMES[table.name]
        if noun in _THINGS:
            return (named["space_no"], named["id"]) in self._things[noun]
        if noun in ("message", "access"):
            return (named["space_no"], named["id"]) in self._things["record"]
        if noun in ("faded", "evicted"):
            return named["version"] in self._versions
        if noun == "space":
            return named["no"] in self._numbers
        if noun == "entry":
            home, kind = self._of_name.get(named["space"]), named["object_type"]
            return home is not None and (kind == "space" or (home, named["object_id"]) in self._things[kind])
        if noun != "shelf" or named["space_no"] not in self._numbers:
            return False
        return not self._chosen.narrow or named["shelf"] == THINNED.name


# Reading


def parse_line(data: bytes, number: int) -> tuple[str, Fields]:
    """What a line is called, and its fields."""
    try:
        line = _decode_line(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput("file", f"line {number:,} is no line of an export: {error}") from error
    if len(line) != 1:
        raise InvalidInput("file", f"line {number:,} is no line of an export: it has not one name but {len(line)}")
    return next(iter(line.items()))


def row_of(noun: str, fields: Fields, spaces: Spaces, number: int) -> Row:
    """The row that a line was written from; `spaces` are the numbers of those that came before it."""
    table = NOUNS[noun]
    require_known(noun, fields, {*table.columns, "space"}, number)
    row: Row
    try:
        row = tuple(_value(noun, column, fields, spaces) for column in table.columns)
    except (msgspec.DecodeError, ValueError, TypeError) as error:
        raise InvalidInput("file", f"line {number:,}: {error}") from error
    for place, column in _REQUIRED[noun]:
        if row[place] is None:
            raise InvalidInput("file", f"line {number:,}: {noun}.{column} is missing")
    if noun == "space":
        spaces[row[1]] = row[0]
    return row


def require_known(noun: str, fields: Iterable[str], known: Collection[str], number: int) -> None:
    """Raises where a line has a field that is not known here: nothing of a file is dropped without a word."""
    unknown = set(fields) - set(known)
    if unknown:
        raise InvalidInput(
            "file", f"line {number:,}: {noun}.{min(unknown)} is not known to this release; a newer one wrote the file"
        )


def _value(noun: str, column: str, fields: Fields, spaces: Spaces) -> object:
    if column == "space_no":
        return _space_no(noun, fields, spaces)
    raw = fields.get(column)
    if raw is None:
        return None
    if column in _JSON:
        msgspec.json.decode(raw)
        return bytes(raw).decode()
    if column == "hash":
        return bytes.fromhex(_as(noun, column, raw, str))
    if column in _TIMES:
        return _within(noun, column, _micros(_as(noun, column, raw, str | int)))
    if column in _WHOLE:
        return _within(noun, column, _as(noun, column, raw, int))
    return _as(noun, column, raw, float if column in _SHARES else str)


def _space_no(noun: str, fields: Fields, spaces: Spaces) -> int:
    raw = fields.get("space")
    named: str | int = 0 if raw is None else _as(noun, "space", raw, str | int)
    if isinstance(named, int):
        return _within(noun, "space", named)
    if named not in spaces:
        raise ValueError(f"{noun}.space: no line before this one tells of a space {named!r}")
    return spaces[named]


def _within(noun: str, column: str, number: int) -> int:
    if abs(number) > _LARGEST:
        raise ValueError(f"{noun}.{column}: {number} is more than any store counts to")
    return number


def _as(noun: str, column: str, raw: msgspec.Raw, type_: Any) -> Any:
    try:
        return decode(raw, type_)
    except msgspec.DecodeError as error:
        raise ValueError(f"{noun}.{column}: {error}") from error


def _micros(value: str | int) -> int:
    if isinstance(value, int):
        return value
    moment = datetime.fromisoformat(value)
    return to_micros(moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC))


def is_empty(view: SqlView) -> bool:
    """Does a store hold nothing yet?"""
    return not any(view.database.rows(f"SELECT 1 FROM {table} LIMIT 1") for table in ("spaces", "journal"))


def fill(edit: SqlEdit, rows: Iterable[tuple[str, Row]], numbers: Mapping[str, int]) -> None:
    """Writes the rows of a whole store into one that is empty, under the numbers that they had."""
    db = edit.database
    for table in CANONICAL:
        stays = f" AND shelf NOT IN {_OF_THE_PLACE}" if table.name == "shelves" else ""
        db.run(f"DELETE FROM {table.name} WHERE {table.where}{stays}")
    held: dict[str, list[Row]] = {}
    for noun, row in rows:
        batch = held.setdefault(noun, [])
        batch.append(row)
        if len(batch) == AT_ONCE:
            NOUNS[noun].write(db, batch)
            batch.clear()
    for noun, batch in held.items():
        NOUNS[noun].write(db, batch)
    for table, last in numbers.items():
        if table in COUNTED:
            db.count_from(table, last)
    db.known_spaces = None  # there are others now
    edit.numbers.numbers.clear()
    for (number,) in db.rows("SELECT no FROM spaces ORDER BY no"):
        edit.derived.put_space(number)
    for number, entity in edit.present_entities():  # records are linked to those that are known
        edit.derived.put_entity(number, entity)
    edit.derived.vectors.queue_all()


# Objects


def is_as_written(noun: str, row: Row) -> bool:
    """Can a row be read, and does it say what it said when it was written, as far as its checksum tells?"""
    try:
        if noun in _THINGS:
            thing_of(noun, row, "")
            retired_at(noun, row)
            return row[-2] in (None, seal_version(_THINGS[noun], row[0], row[1], row[2:-2]))
        if noun == "space":
            space_of_row(row)
        elif noun == "entry":
            change_of(row)
    except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, AttributeError):
        return False
    return noun not in ("space", "entry") or row[-1] in (None, seal(row[:-1]))


def thing_of(noun: str, row: Row, space: str) -> Thing:
    """The object that a row states, and whether it was retired is not said here."""
    type_ = _THINGS[noun]
    values = row[2 : 2 + len(COLUMNS[type_])]
    return READERS[type_]((row[0], space, *values, *((0, None) if type_ is Record else ())))


def space_of_row(row: Row) -> Space:
    """The space that a row states."""
    return to_space(row[1:5])


def space_no(noun: str, row: Row) -> int:
    """The number of the space that a row belongs to; 0 where it is the whole store's."""
    columns = NOUNS[noun].columns
    return row[columns.index("space_no")] if "space_no" in columns else 0


def id_of(noun: str, row: Row) -> str:
    """By what an object is known in its space."""
    return row[NOUNS[noun].columns.index("id")]


def session_of(row: Row) -> str:
    """The session that a row of a list belongs to."""
    return row[NOUNS["message"].columns.index("session")]


def message_of(row: Row) -> Message:
    """The message that a row of a list states."""
    named = dict(zip(NOUNS["message"].columns, row, strict=True))
    return Message(id=named["id"], role=named["role"], at=to_moment(named["at"]), flag=named["flag"])


def retired_at(noun: str, row: Row) -> datetime | None:
    """When a version left the present."""
    micros = row[NOUNS[noun].columns.index("retired_at")]
    return None if micros is None else to_moment(micros)


def horizon_of(row: Row) -> Horizon | None:
    """Up to when history was thinned, where a row of a shelf tells that."""
    named = dict(zip(NOUNS["shelf"].columns, row, strict=True))
    if named["shelf"] != THINNED.name:
        return None
    try:
        return decode(named["value"], Horizon)
    except msgspec.DecodeError as error:
        raise InvalidInput("file", f"does not say up to when history was thinned: {error}") from error


def change_of(row: Row) -> Change:
    """The entry that a row of the journal states."""
    named = dict(zip(NOUNS["entry"].columns, row, strict=True))
    return to_change(tuple(named[column] for column in CHANGE_COLUMNS))


__all__ = [
    "COUNTED", "NOUNS", "OBJECTS", "Chosen", "Fields", "Row", "Spaces", "change_of", "fill", "horizon_of", "id_of",
    "is_as_written", "is_empty", "lines_of", "message_of", "parse_line", "require_known", "retired_at", "row_of",
    "session_of", "space_no", "space_of_row", "thing_of", "travels",
]  # fmt: skip
