"""In which words is everything told that other programs have kept?

Each module beside this one knows one program: whether files are its own, and what stands in them. It yields these
values, in order, and knows nothing of a store: what is new, what is a secret and what has come before is for others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Protocol, TypeAlias, cast

import msgspec
from msgspec import Struct, field

from recollect.ingest.talk import Conversation, read_moment
from recollect.types import Json, Metadata

Row: TypeAlias = Mapping[str, object]


class Note(Struct, frozen=True, kw_only=True):
    """Something that was remembered. `key` is what its program knows it by, so that it does not come twice."""

    key: str
    text: str
    formerly: tuple[str, ...] = ()
    """By which keys its program knew what it says in the place of."""
    whole: str | None = None
    """Of what it is a part: what came of that and is no longer told is no longer in it. All parts come together."""
    wherever: str | None = None
    """By what it is known in whichever file it stands, where its key tells that: notes are moved."""
    title: str | None = None
    kind: str = "memory"
    memory_type: str = "semantic"
    tags: tuple[str, ...] = ()
    at: datetime | None = None
    source: str | None = None
    session: str | None = None
    project: str | None = None
    room: str | None = None
    user: str | None = None
    role: str | None = None
    importance: float | None = None
    confidence: float | None = None
    recalled: int = 0
    """How often it was recalled there."""
    last_recalled: datetime | None = None
    metadata: Metadata = field(default_factory=dict[str, Json])


class Fact(Struct, frozen=True, kw_only=True):
    """A statement about two entities, by their names."""

    subject: str
    predicate: str
    object: str
    since: datetime | None = None
    until: datetime | None = None
    confidence: float = 1.0
    provenance: str | None = None
    wherever: bool = False
    """Is it the same fact in whichever file it stands? Notes are moved."""


class Named(Struct, frozen=True, kw_only=True):
    """Someone or something that was known by name."""

    name: str
    type: str | None = None
    description: str | None = None


class Left(Struct, frozen=True):
    """Something that does not come along, and why."""

    what: str
    why: str


Item: TypeAlias = Note | Fact | Named | Conversation | Left


class Material(Protocol):
    """A file, or the files of a folder or an archive, by their names in it."""

    @property
    def place(self) -> str:
        """Where they lie."""
        ...

    @property
    def files(self) -> Sequence[str]: ...
    def head(self, name: str) -> bytes:
        """How a file begins."""
        ...

    def read(self, name: str) -> bytes: ...
    def changed(self, name: str) -> datetime | None:
        """When a file was last written, where that is told."""
        ...

    def tables(self, name: str) -> frozenset[str]:
        """The names of the tables of a file, where it is a SQLite database."""
        ...

    def rows(self, name: str, table: str) -> Iterator[Row]: ...


class Origin(Struct, frozen=True):
    """A program: how its files are told from others, and what they hold."""

    name: str
    fits: Callable[[Material], bool]
    read: Callable[[Material], Iterator[Item]]


# What several programs write alike


def key_of(*parts: str) -> str:
    """A key for something that has none: the same words have the same one."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:20]


def fact_of(subject: str, predicate: str, object: str) -> Fact | Left:
    """A statement, where nothing of it is missing."""
    if subject and predicate and object:
        return Fact(subject=subject, predicate=predicate, object=object)
    return Left("relation", "an end is missing")


def text_of(row: Row, *names: str) -> str:
    """The first of some fields that says anything."""
    for name in names:
        value = row.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def time_of(row: Row, *names: str) -> datetime | None:
    for name in names:
        moment = read_moment(_spelled(row.get(name)))
        if moment is not None:
            return moment.astimezone(UTC)
    return None


def _spelled(value: object) -> object:
    return value.strip().replace(" UTC", "") if isinstance(value, str) else value


def share_of(value: object) -> float | None:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    return min(max(float(value), 0.0), 1.0)


def labels_of(value: object) -> tuple[str, ...]:
    """Tags: a list, JSON that is one, or words between commas."""
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except msgspec.DecodeError:
            value = value.split(",")
    if not isinstance(value, list | tuple):
        return ()
    words = [one.strip().lstrip("#") for one in cast("Iterable[object]", value) if isinstance(one, str)]
    return tuple(dict.fromkeys(word[:200] for word in words if word))[:64]


def objects_of(data: bytes) -> list[Row]:
    """The objects of a JSON list, or the only one."""
    found: object = msgspec.json.decode(data)
    listed = cast("list[object]", found) if isinstance(found, list) else [found]
    return [cast("Row", one) for one in listed if isinstance(one, Mapping)]


def mapping_of(value: object) -> dict[str, Json]:
    """A JSON object, or the text of one."""
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except msgspec.DecodeError:
            return {}
    return dict(cast("Mapping[str, Json]", value)) if isinstance(value, Mapping) else {}


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a text, each with the heading above it."""
    heading = ""
    for part in text.replace("\r\n", "\n").split("\n\n"):
        said = part.strip()
        lone = "\n" not in said and (said.startswith("#") or (said.startswith("**") and said.endswith("**")))
        if lone:
            heading = said.strip("#* ")
        elif said:
            yield f"{heading}: {said}" if heading else said
