"""What is each field of a record, so that every room can speak of it without naming it?

`types.py` declares a field once, in a line of `Stated` (or of `Draft`, where only the caller has it). Here that line is
read; parsing, revising, rows and the options of the command line follow from what is read. `Keywords` and `Filters` are
what a caller may hand in for it, for whoever reads types; a test holds them to the lines that they speak of.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Annotated, TypeAlias, TypedDict, TypeVar, cast, get_args, get_origin

from msgspec import Struct

from recollect.types import AnyOf, Draft, Filter, Grounds, Json, Trait

Moment: TypeAlias = datetime | str | None
"""A time as callers give it: RFC 3339 text, a datetime (one without a time zone is taken as UTC), or words in local
time: 2026-05-10, 2026-03, yesterday, last week, 3 days ago."""
Spaces: TypeAlias = str | Sequence[str] | None
"""One space, several, or (None) all."""
N = TypeVar("N", Trait, AnyOf)
T = TypeVar("T", bound=Struct)


class Field(Struct, frozen=True):
    """A field: its name, the type of its value, and what was said about it."""

    name: str
    type: object
    about: Trait


@cache
def fields_of(shape: type[Struct]) -> Mapping[str, Field]:
    """The fields of a value by name, in their order; one of which nothing is said is told by its type alone."""
    return {name: Field(name, type_, _said(notes, Trait) or Trait()) for name, (type_, notes) in _declared(shape)}


def filters_of(shape: type[Struct]) -> dict[str, tuple[str, AnyOf]]:
    """The filters that name values of a field: by keyword, which attribute of a Filter holds them, and of what."""
    said = ((name, _said(notes, AnyOf)) for name, (_, notes) in _declared(shape))
    return {one.keyword or name: (name, one) for name, one in said if one is not None}


def _declared(shape: type[Struct]) -> list[tuple[str, tuple[object, Sequence[object]]]]:
    declared: dict[str, object] = {}
    for base in reversed(shape.__mro__):
        for name, type_ in cast("Mapping[str, object]", getattr(base, "__annotations__", {})).items():
            declared[name] = type_
            if isinstance(type_, str) and type_ != str(Json):  # the text of a type; Json is one that stands for itself
                declared[name] = eval(type_, vars(sys.modules[base.__module__]))
    return [(name, _parts(declared[name])) for name in shape.__struct_fields__]


def _parts(type_: object) -> tuple[object, Sequence[object]]:
    if get_origin(type_) is not Annotated:
        return type_, ()
    value, *notes = get_args(type_)
    return value, notes


def _said(notes: Sequence[object], kind: type[N]) -> N | None:
    return next((note for note in notes if isinstance(note, kind)), None)


def filled_from(given: type[Struct], shape: type[T], rest: Sequence[str]) -> Callable[..., T]:
    """What makes a value out of one that states most of its fields; the rest are handed in behind it, in order.

    It is as fast as if it were written out, because it is: thousands are made in one ingest.
    """
    values = [f"{name}=given.{name}" for name in given.__struct_fields__] + [f"{name}={name}" for name in rest]
    return eval(f"lambda given, {', '.join(rest)}: shape({', '.join(values)})", {"shape": shape})


FIELDS = fields_of(Draft)
"""What a caller may say of a record."""
REVISABLE = tuple(name for name, field in FIELDS.items() if field.about.revisable)
SHARED = tuple(name for name, field in FIELDS.items() if field.about.shared)
"""What may be said once of all segments of a source."""
COMPARED = tuple(name for name, field in FIELDS.items() if field.about.compared)
"""What two records may have to agree in, beside the usual, to count as the same."""


class Keywords(TypedDict, total=False):
    """The fields of a record as callers give them, all but the text."""

    kind: str
    memory_type: str
    title: str | None
    role: str | None
    room: str | None
    session: str | None
    project: str | None
    user: str | None
    tags: Sequence[str]
    importance: float
    confidence: float
    status: str
    trust: str
    valid_from: Moment
    valid_until: Moment
    source: str | None
    locator: Mapping[str, object] | None
    metadata: Mapping[str, object] | None
    grounds: Grounds | Mapping[str, object] | None
    event_time: Moment
    id: str | None
    reason: str | None


class Filters(TypedDict, total=False):
    """What narrows a read, all but its spaces. Several values of one filter mean any of them.

    None among rooms or projects stands for records that are in none. `since` and `until` are about when it happened,
    `true_at` about what held at a moment as far as is known now, `as_of` about what was known then. With
    `valid_only=False` also what no longer holds is seen, with `catalogue` also records that only say where others come
    from.
    """

    kinds: Sequence[str]
    memory_types: Sequence[str]
    tags: Sequence[str]
    rooms: Sequence[str | None]
    session: str | Sequence[str] | None
    project: str | Sequence[str | None] | None
    user: str | Sequence[str] | None
    source: str | Sequence[str] | None
    ids: Sequence[str]
    statuses: Sequence[str]
    without_kinds: Sequence[str]
    without_sources: Sequence[str]
    since: Moment
    until: Moment
    as_of: Moment
    true_at: Moment
    valid_only: bool
    catalogue: bool


FILTERS = filters_of(Filter)
