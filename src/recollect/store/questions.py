"""What may be asked of what a store keeps, and in which shape is it answered?"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct

from recollect.types import Grounds, Metadata, Status, Trust

# Shapes: as much of a version as is asked for, without all the rest


class Outline(Struct, frozen=True, gc=False):
    """What upkeep needs to know of a live record, without its text. Times are microseconds since 1970.

    `heading` is the title or the beginning of the text, `location` and `fingerprint` are a source's, `doing` is the
    metadata of an activity or a work item.
    """

    version: int
    id: str
    kind: str
    heading: str
    status: Status
    trust: Trust
    confidence: float
    created_at: int
    valid_from: int | None
    valid_until: int | None
    superseded_by: str | None
    location: str | None
    fingerprint: str | None
    doing: Metadata | None
    grounds: Grounds | None


class Glance(Struct, frozen=True):
    """The little that ranking needs to know about a candidate, without its text."""

    version: int
    id: str
    session: str | None
    source: str | None
    position: int
    event_time: int
    importance: float
    confidence: float
    content_hash: bytes
    superseded_by: str | None


class Traits(Struct, frozen=True, gc=False):
    """What the worth of a version is told by."""

    version: int
    event_time: int
    importance: float
    confidence: float
    text: str


class Weight(Struct, frozen=True, gc=False):
    """What decides how important a version is."""

    version: int
    importance: float
    event_time: int
    recorded_at: int
    accesses: int


class Piece(Struct, frozen=True, gc=False):
    """Which text stands where in a source."""

    source: str
    position: int
    content_hash: bytes


class Ident(Struct, frozen=True, gc=False):
    """Which record a version is of, and when that was made."""

    version: int
    id: str
    created_at: int


class Link(Struct, frozen=True, gc=False):
    """What a walk needs to know of a relation."""

    subject: str
    object: str
    weight: float


class Step(Struct, frozen=True, gc=False):
    """A relation that a walk came by, from the end that it was nearer to; or (hop -1) an entity there and its name."""

    hop: int
    near: str
    far: str
    weight: float


# Filters: which entities, relations and changes are meant. That for records is `types.Filter`.


class Walk(Struct, frozen=True, kw_only=True):
    """How far relations are followed from some entities: a hop begins at `widest` of what is new to the one before."""

    starts: tuple[str, ...]
    hops: int
    widest: int


class Entities(Struct, frozen=True, kw_only=True):
    """Entities of a space: by their ids, by names that they have, or by words that occur in one.

    `among` asks for several spaces, by names alone: those given, letter by letter, and those that occur in a `text`.
    """

    space: str = ""
    among: tuple[str, ...] | None = None
    text: str = ""
    ids: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    words: tuple[str, ...] = ()
    as_of: datetime | None = None


class Relations(Struct, frozen=True, kw_only=True):
    """Relations of a space: from or to some entities, and those alone that hold (`active`) or all that are stated.

    `as_of` asks what was known and held then, `true_at` what held then as it is known now. A `walk` goes on from hop to
    hop, and is asked for in the shape of a `Step`; a limit is that of a hop, each way.
    """

    space: str
    walk: Walk | None = None
    subjects: tuple[str, ...] | None = None
    objects: tuple[str, ...] | None = None
    as_of: datetime | None = None
    true_at: datetime | None = None
    active: bool = True


class Sessions(Struct, frozen=True):
    """The sessions that records of a space belong to."""

    space: str


class Unsealed(Struct, frozen=True):
    """Rows that were written by an earlier release, and have no checksum yet."""


class Changes(Struct, frozen=True, kw_only=True):
    """Entries of the journal; those of an `act` are told by its first, those `later_than` a moment are dated so.

    `last_besides` asks for the last one of each space that an actor has not made, `reasoned` for those with a reason.
    """

    space: str | None = None
    object_id: str | None = None
    object_ids: tuple[str, ...] | None = None
    entry: int | None = None
    act: int | None = None
    later_than: datetime | None = None
    after: int = 0
    before: int | None = None
    last_besides: str | None = None
    reasoned: bool = False


class Acts(Struct, frozen=True, kw_only=True):
    """What was done in a space or in all, by an actor ("" is nobody in particular) or by all, with something of a
    project or of any, in acts that began before an entry.
    """

    space: str | None = None
    actor: str | None = None
    project: str | None = None
    before: int | None = None


# Answers


By = Literal["kind", "session", "project", "room", "tag", "day", "claim", "list", "actor", "reason"]
"""What records are counted by; a `day` is the number of that on which one was stored, from 1970.

A `list` is that of a session's messages, which also names those that are gone. An `actor` has made changes, a `reason`
was given for them."""


class Group(Struct, frozen=True):
    """How many records have something in common, and when the first and the last of them happened."""

    key: str
    count: int
    first: datetime
    last: datetime


class Horizon(Struct, frozen=True):
    """Up to when the history of a space was thinned, by the clock, and by what orders versions."""

    until: datetime
    stamp: int


class Due(Struct, frozen=True):
    """What a run of upkeep would change; of what is evicted, also the ids. Of history these may be entries."""

    versions: tuple[int, ...] = ()
    ids: tuple[str, ...] = ()
