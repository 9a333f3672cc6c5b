"""How does a value become a row of a table, and a row a value again?"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Literal, TypeVar, cast, get_origin

import msgspec
from msgspec import Struct

from recollect.fields import Field, fields_of
from recollect.forms import decoder
from recollect.store.base import MOST_COUNTED, Lexis
from recollect.store.sql.database import Row
from recollect.types import Change, Claim, Entity, Evidence, Grounds, Json, Metadata, Record, Relation, Space

T = TypeVar("T", bound=Struct)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_encode = msgspec.json.Encoder().encode
_decode_tags = msgspec.json.Decoder(tuple[str, ...]).decode
_decode = msgspec.json.Decoder(dict[str, object]).decode


@lru_cache(maxsize=256)  # of one transaction, most are the same
def to_micros(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


def to_moment(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


def to_json(value: object) -> str:
    return _encode(value).decode()


def _metadata(text: str) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", _decode(text)) if text != "{}" else {}


class _Grounds(msgspec.Struct):
    """Grounds as JSON holds them: what a claim's value or a locator looks like is anyone's."""

    scopes: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    evidence: tuple[dict[str, Any], ...] = ()
    claim: dict[str, Any] | None = None
    verified_at: datetime | None = None


_decode_grounds = decoder(_Grounds)


def to_grounds(text: str) -> Grounds:
    raw = _decode_grounds(text)
    return Grounds(
        scopes=raw.scopes,
        subjects=raw.subjects,
        evidence=tuple(Evidence(**item) for item in raw.evidence),
        claim=None if raw.claim is None else Claim(**raw.claim),
        verified_at=raw.verified_at,
    )


_BESIDE = ("version", "space", "access_count", "last_access")
"""Fields whose values stand in other columns than a version's own, or in other tables."""
_COLUMN_NAMES = {"content_hash": "hash"}
_WRITTEN: Mapping[object, str] = {
    str: "{}", str | None: "{}", int: "{}", int | None: "{}", float: "{}",
    datetime: "to_micros({})", datetime | None: "None if {0} is None else to_micros({0})",
    tuple[str, ...]: "to_json({0}) if {0} else '[]'", Metadata: "to_json({0}) if {0} else '{{}}'",
    Metadata | None: "None if {0} is None else to_json({0})", Grounds | None: "None if {0} is None else to_json({0})",
    "content_hash": "bytes.fromhex({})",
}  # fmt: skip
_READ: Mapping[object, str] = {
    str: "{}", str | None: "{}", int: "{}", int | None: "{}", float: "{}",
    datetime: "to_moment({})", datetime | None: "None if {0} is None else to_moment({0})",
    tuple[str, ...]: "() if {0} == '[]' else to_labels({0})", Metadata: "to_metadata({})",
    Metadata | None: "None if {0} is None else to_metadata({0})",
    Grounds | None: "None if {0} is None else to_grounds({0})",
    "content_hash": "{}.hex()", "access_count": "{} or 0",
}  # fmt: skip


_KNOWN = {
    "to_micros": to_micros, "to_moment": to_moment, "to_json": to_json, "to_grounds": to_grounds,
    "to_labels": _decode_tags, "to_metadata": _metadata,
}  # fmt: skip
"""What the forms above call."""


def _form(forms: Mapping[object, str], field: Field) -> str:
    """How a value of a field is written or read: as its name says, else as its type does. A choice is a text."""
    type_ = str if get_origin(field.type) is Literal else field.type
    return forms.get(field.name) or forms[type_]


def columns_of(shape: type[Struct]) -> tuple[str, ...]:
    """The columns of a version that hold a value of that shape."""
    return tuple(_COLUMN_NAMES.get(name, name) for name in shape.__struct_fields__ if name not in _BESIDE)


def row_maker(shape: type[T]) -> Callable[[T], Row]:
    """What makes a row of `columns_of` from a value: as fast as if it were written out, because it is."""
    fields = [field for name, field in fields_of(shape).items() if name not in _BESIDE]
    values = ", ".join(_form(_WRITTEN, field).format(f"it.{field.name}") for field in fields)
    return eval(f"lambda it: ({values})", _KNOWN)


def row_reader(shape: type[T], names: Sequence[str]) -> Callable[[Row], T]:
    """What makes a value from a row that has the values of some of its fields, in that order."""
    fields = fields_of(shape)
    values = ", ".join(f"{name}={_form(_READ, fields[name]).format(f'row[{i}]')}" for i, name in enumerate(names))
    return eval(f"lambda row: shape({values})", {**_KNOWN, "shape": shape})


def _version_reader(shape: type[T]) -> Callable[[Row], T]:
    """For a row of version, space, `columns_of` and, of a record, access count and last access."""
    names = shape.__struct_fields__
    own = [name for name in names if name not in _BESIDE]
    return row_reader(shape, ["version", "space", *own, *(name for name in _BESIDE[2:] if name in names)])


RECORD_COLUMNS, record_row, to_record = columns_of(Record), row_maker(Record), _version_reader(Record)
ENTITY_COLUMNS, entity_row, to_entity = columns_of(Entity), row_maker(Entity), _version_reader(Entity)
RELATION_COLUMNS, relation_row, to_relation = columns_of(Relation), row_maker(Relation), _version_reader(Relation)
CHANGE_COLUMNS = Change.__struct_fields__
to_change = row_reader(Change, CHANGE_COLUMNS)
to_space = row_reader(Space, ("name", "description", "created_at", "metadata"))


def lexis_row(lexis: Lexis, *, named: bool = True) -> tuple[bytes, str]:
    """Sorted term hashes as uint32, then their counts as bytes; names, where they are wanted, as JSON."""
    terms = sorted(lexis.terms)
    try:
        counts = bytes(map(lexis.terms.__getitem__, terms))
    except ValueError:  # a count that no byte holds, which only long texts have
        counts = bytes([min(lexis.terms[term], MOST_COUNTED) for term in terms])
    return array("I", terms).tobytes() + counts, to_json(lexis.names) if lexis.names and named else "[]"


def to_lexis(terms: bytes, names: str) -> Lexis:
    hashes = terms_in(terms)
    return Lexis(dict(zip(hashes, terms[4 * len(hashes) :], strict=True)), _decode_tags(names))


def terms_in(terms: bytes) -> array[int]:
    """The hashes that a row of terms begins with."""
    return array("I", terms[: 4 * (len(terms) // 5)])
