"""Which columns does a shape want of a version, and how is a row made into it?

A shape is a Struct whose fields name what is wanted. Most fields are columns; a few are said here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct

from recollect.forms import decoder
from recollect.store.base import Thing
from recollect.store.sql.database import Dialect, Row
from recollect.store.sql.rows import (
    ENTITY_COLUMNS,
    RECORD_COLUMNS,
    RELATION_COLUMNS,
    to_entity,
    to_record,
    to_relation,
)  # fmt: skip
from recollect.types import DOING_KINDS, Claim, Entity, Evidence, Grounds, Record, Relation

S = TypeVar("S")

TABLES: dict[type[Thing], str] = {Record: "records", Entity: "entities", Relation: "relations"}
COLUMNS: dict[type[Thing], tuple[str, ...]] = {
    Record: RECORD_COLUMNS, Entity: ENTITY_COLUMNS, Relation: RELATION_COLUMNS,
}  # fmt: skip
READERS: dict[type[Thing], Callable[[Row], Thing]] = {Record: to_record, Entity: to_entity, Relation: to_relation}

_TITLE_CHARS = 160
ACCESSES = " LEFT JOIN accesses ON accesses.space_no = records.space_no AND accesses.id = records.id"
FADED = " LEFT JOIN faded ON faded.version = records.version"
CONFIDENCE = "coalesce(faded.confidence, records.confidence)"


def quoted(column: str) -> str:
    """A column's name as every database takes it: to some, `user` is a word of their own."""
    return '"user"' if column == "user" else column


@cache
def insertion(table: str, columns: tuple[str, ...]) -> str:
    return f"INSERT INTO {table}({', '.join(map(quoted, columns))}) VALUES({', '.join('?' * len(columns))})"


class _Evidence(Evidence, frozen=True, kw_only=True, gc=False):
    locator: Any = None


class _Claim(Claim, frozen=True, kw_only=True, gc=False):
    value: Any = None


class _Grounds(Grounds, frozen=True, kw_only=True, gc=False):
    """Grounds that are read in one go: what a claim's value or a locator looks like is anyone's."""

    evidence: tuple[_Evidence, ...] = ()
    claim: _Claim | None = None


_DECODERS: dict[str, Callable[[str], object]] = {
    "grounds": decoder(_Grounds),
    "doing": msgspec.json.Decoder(dict[str, Any]).decode,
}


@cache
def select_things(type_: type[Thing], *, stated: bool = False) -> str:
    """The beginning of a query for whole objects, with what their checksums are told by behind them.

    A record's confidence is what it has faded to, or as `stated`.
    """
    table, more = TABLES[type_], ""
    columns = [f"{table}.version", "spaces.name", *(f"{table}.{quoted(column)}" for column in COLUMNS[type_])]
    if type_ is Record:
        columns += ["accesses.count", "accesses.last"]
        more = ACCESSES
    columns += [f"{table}.checksum", f"{table}.space_no"]
    if type_ is Record:
        columns.append("records.confidence")
        if not stated:
            columns[columns.index("records.confidence")] = CONFIDENCE
            more += FADED
    return f"SELECT {', '.join(columns)} FROM {table} JOIN spaces ON spaces.no = {table}.space_no{more}"


@cache
def select_shape(shape: type[Struct], table: str, dialect: Dialect) -> str:
    """The beginning of a query for a few columns."""
    named = {
        "content_hash": "records.hash",
        "confidence": CONFIDENCE if table == "records" else f"{table}.confidence",
        "accesses": "coalesce(accesses.count, 0)",
        "heading": f"coalesce(records.title, substr(records.text, 1, {_TITLE_CHARS}))",
        "location": "CASE records.kind WHEN 'source' THEN records.source END",
        "fingerprint": f"CASE records.kind WHEN 'source' THEN {dialect.field('records.metadata', 'fingerprint')} END",
        "doing": f"CASE WHEN records.kind IN ({', '.join(map(repr, DOING_KINDS))}) THEN records.metadata END",
    }
    fields = shape.__struct_fields__
    columns = ", ".join(named.get(field, f"{table}.{quoted(field)}") for field in fields)
    joins = (ACCESSES if "accesses" in fields else "") + (FADED if CONFIDENCE in columns else "")
    return f"SELECT {columns} FROM {table}{joins}"


def shaped(shape: type[S], rows: Sequence[Row]) -> list[S]:
    """Rows of `select_shape` as what they are to be."""
    fields = cast("type[Struct]", shape).__struct_fields__
    coded = [(place, _DECODERS[field]) for place, field in enumerate(fields) if field in _DECODERS]
    if not coded:
        return [shape(*row) for row in rows]
    return [shape(*_decoded(row, coded)) for row in rows]


def _decoded(row: Row, coded: Sequence[tuple[int, Callable[[str], object]]]) -> list[object]:
    values = list(row)
    for place, decode in coded:
        if values[place] is not None:
            values[place] = decode(values[place])
    return values
