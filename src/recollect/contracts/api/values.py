"""What may be asked for under `/api/`, and what is answered?

Answers are the engine's own values wherever there is one; what is here puts some of them together.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from recollect.engine.care.backups import Backup
from recollect.engine.care.inbox import Pile, Word
from recollect.engine.care.ledger import Spending
from recollect.engine.graph.link import Fact
from recollect.engine.parse import parse_optional_time
from recollect.engine.read.unasked import Injected, Preview, Steering
from recollect.engine.write.grounds import EvidenceState
from recollect.errors import Conflict
from recollect.types import (
    NOISE,
    Act,
    Change,
    Entity,
    Hit,
    MemoryType,
    Order,
    Record,
    Relation,
    Signals,
    Space,
    SpaceStats,
    Status,
)

_PRINTABLE = r"^[^\u0000-\u001f\u007f-\u009f]+$"
_SOMETHING = r"^[^\u0000]*[^\s\u0000-\u001f\u0085][^\u0000]*$"

Label = Annotated[str, Meta(min_length=1, max_length=200, pattern=_PRINTABLE)]
LongLabel = Annotated[str, Meta(min_length=1, max_length=1_000, pattern=_PRINTABLE)]
Words = Annotated[str, Meta(pattern=_SOMETHING)]
Moment = Annotated[
    str,
    Meta(
        description="RFC 3339, such as 2026-05-10T14:32:00Z; a date or a word such as yesterday will do.",
        extra_json_schema={"format": "date-time"},
    ),
]
Share = Annotated[float, Meta(ge=0, le=1)]
Limit = Annotated[int, Meta(ge=1, le=500)]
Cursor = Annotated[int, Meta(ge=0, le=2**53, description="`next` of the window before.")]
Entry = Annotated[int, Meta(ge=1, le=2**53)]
Labels: TypeAlias = Annotated[tuple[Label, ...], Meta(max_length=32)]


class Params(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Nothing but what is named may be given."""


class Nothing(Params, frozen=True, kw_only=True):
    pass


def check_order(first: str | None, last: str | None, *names: str, apart: bool = False) -> None:
    """Refuses two moments, each of them right, that are in the wrong order or, where they must be apart, the same."""
    begins, ends = (parse_optional_time(one, name) for one, name in zip((first, last), names, strict=True))
    if begins is not None and ends is not None and (ends < begins or (apart and ends == begins)):
        raise Conflict(f"{names[1]} is not after {names[0]}; is it the other way round?")


class Filtered(Params, frozen=True, kw_only=True):
    """Which records: of which spaces (else all), kinds, tags and so on; several values mean any of them."""

    space: Labels = ()
    kinds: Labels = ()
    memory_types: Annotated[tuple[MemoryType, ...], Meta(max_length=3)] = ()
    tags: Labels = ()
    rooms: Labels = ()
    project: Labels = ()
    user: Labels = ()
    session: Labels = ()
    statuses: Annotated[tuple[Status, ...], Meta(max_length=11)] = ()
    since: Moment | None = None
    until: Moment | None = None
    as_of: Annotated[Moment, Meta(description="As it was known then.")] | None = None
    true_at: Annotated[Moment, Meta(description="What held then, as far as is known now.")] | None = None

    def filters(self) -> dict[str, Any]:
        """As the library takes them; what was not given is left out."""
        check_order(self.since, self.until, "since", "until")
        names = Filtered.__struct_fields__
        given = {name: value for name in names if (value := getattr(self, name)) not in ((), None)}
        return {**given, "space": self.space or None}


class Ask(Filtered, frozen=True, kw_only=True):
    q: Annotated[Words, Meta(description="The question; without one, what is worth knowing.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 10
    min_score: Annotated[Share, Meta(description="Leave out what scores less.")] = NOISE
    recency: Annotated[Share, Meta(description="What the newest may gain.")] = 0.0
    deep: Annotated[bool, Meta(description="Let a slower model read the best twenty.")] = False
    budget_tokens: Annotated[int, Meta(ge=50, le=100_000, description="Of the text for a prompt.")] = 2_000
    touch: Annotated[bool, Meta(description="Count what probably answers as recalled.")] = True


class ListRecords(Filtered, frozen=True, kw_only=True):
    source: Labels = ()
    order: Order = "newest"
    all: Annotated[bool, Meta(description="Also what no longer holds.")] = False
    sources: Annotated[bool, Meta(description="Also the sources that others come from.")] = False
    total: Annotated[bool, Meta(description="Also count all of them.")] = False
    limit: Limit = 50
    cursor: Cursor = 0


class InSpace(Params, frozen=True, kw_only=True):
    space: Label = "default"


class Named(Params, frozen=True, kw_only=True):
    """One record; the space need be named only where several have that id."""

    id: LongLabel
    space: Label | None = None


class NamedThen(Named, frozen=True, kw_only=True):
    as_of: Moment | None = None


class Because(Named, frozen=True, kw_only=True):
    reason: LongLabel | None = None


class Fields(Params, frozen=True, kw_only=True):
    """What may be said of a record, beside its text."""

    kind: Label | UnsetType = UNSET
    memory_type: MemoryType | UnsetType = UNSET
    title: LongLabel | UnsetType | None = UNSET
    room: Label | UnsetType | None = UNSET
    project: Label | UnsetType | None = UNSET
    user: Label | UnsetType | None = UNSET
    tags: Annotated[tuple[Label, ...], Meta(max_length=64)] | UnsetType = UNSET
    importance: Share | UnsetType = UNSET
    confidence: Share | UnsetType = UNSET
    source: LongLabel | UnsetType | None = UNSET
    reason: LongLabel | UnsetType = UNSET

    def given(self) -> dict[str, Any]:
        names = Fields.__struct_fields__
        return {name: value for name in names if (value := getattr(self, name)) is not UNSET}


class NewRecord(Fields, frozen=True, kw_only=True):
    text: Words
    space: Label = "default"
    session: Label | None = None
    role: Label | None = None
    event_time: Annotated[Moment, Meta(description="When it happened; else now.")] | None = None
    valid_from: Annotated[Moment, Meta(description="It holds from then on.")] | None = None
    valid_until: Annotated[Moment, Meta(description="It holds until then.")] | None = None
    replaces: Annotated[LongLabel, Meta(description="The id of a record whose place it takes.")] | None = None


class Revise(Fields, frozen=True, kw_only=True):
    id: LongLabel
    text: Words | UnsetType = UNSET
    space: Label | None = None


class Replace(Named, frozen=True, kw_only=True):
    """Another record in the place of one, with its kind, room, project, tags and so on unless they are given."""

    text: Words
    reason: LongLabel | None = None


class End(Because, frozen=True, kw_only=True):
    superseded_by: LongLabel | None = None


class Undo(Params, frozen=True, kw_only=True):
    entries: Annotated[tuple[Entry, ...], Meta(min_length=1, max_length=200)]
    whole: Annotated[bool, Meta(description="Take back all that was done in one go with each of them.")] = False
    reason: LongLabel | None = None


class Earlier(Params, frozen=True, kw_only=True):
    space: Label | None = None
    before: Annotated[Entry, Meta(description="`next` of the window before.")] | None = None
    limit: Limit = 50


class ListActs(Earlier, frozen=True, kw_only=True):
    actor: (
        Annotated[str, Meta(max_length=200, description="By whom: a client's name, or nothing for unknown.")] | None
    ) = None
    project: Annotated[Label, Meta(description="With something of this project.")] | None = None


class InSpaceOrAll(Params, frozen=True, kw_only=True):
    space: Label | None = None


class Check(Params, frozen=True, kw_only=True):
    check: Annotated[bool, Meta(description="Read all of the store; else only what is told at once.")] = True


class ListChanges(Earlier, frozen=True, kw_only=True):
    act: Annotated[Entry, Meta(description="The first entry of an act: only what was done with it.")] | None = None


class NewSpace(Params, frozen=True, kw_only=True):
    name: Label
    description: Annotated[str, Meta(max_length=1_000, pattern=r"^[^\u0000]*$")] | None = None


class OneSpace(Params, frozen=True, kw_only=True):
    name: Label


class Steer(OneSpace, frozen=True, kw_only=True):
    capture: bool | UnsetType = UNSET
    inject: bool | UnsetType = UNSET
    start_tokens: Annotated[int, Meta(ge=50, le=2_400)] | UnsetType = UNSET
    prompt_tokens: Annotated[int, Meta(ge=50, le=2_400)] | UnsetType = UNSET
    threshold: Share | UnsetType = UNSET


class ListEntities(InSpace, frozen=True, kw_only=True):
    words: Labels = ()
    limit: Limit = 50
    cursor: Cursor = 0


class Explore(InSpace, frozen=True, kw_only=True):
    entity: LongLabel
    depth: Annotated[int, Meta(ge=1, le=3)] = 1
    as_of: Moment | None = None
    true_at: Moment | None = None


class Draw(InSpace, frozen=True, kw_only=True):
    limit: Annotated[int, Meta(ge=1, le=5_000, description="Entities, those with most relations first.")] = 2_000
    as_of: Moment | None = None
    past: Annotated[bool, Meta(description="Also facts that no longer hold.")] = False


class NewRelation(InSpace, frozen=True, kw_only=True):
    subject: LongLabel
    predicate: LongLabel
    object: LongLabel
    replaces: Annotated[bool, Meta(description="End the fact of this subject and predicate that holds now.")] = False
    confidence: Share = 1.0


class Prompt(InSpace, frozen=True, kw_only=True):
    project: Label | None = None
    prompt: Annotated[Words, Meta(description="Without one: what a session begins with.")] | None = None


class Briefing(Params, frozen=True, kw_only=True):
    space: Labels = ()
    project: Label | None = None
    budget_tokens: Annotated[int, Meta(ge=50, le=100_000)] = 800
    limit: Limit = 50


class ListMatters(InSpaceOrAll, frozen=True, kw_only=True):
    piles: Annotated[tuple[Pile, ...], Meta(max_length=6)] = ()
    limit: Annotated[int, Meta(ge=1, le=200)] = 50
    after: Annotated[
        int, Meta(ge=0, le=2**53, description="`next` of the secrets that were looked for before, in one space.")
    ] = 0


class Answer(InSpaceOrAll, frozen=True, kw_only=True):
    key: Annotated[str, Meta(min_length=1, max_length=4_000, pattern=_PRINTABLE)]
    answer: Word
    keep: Annotated[LongLabel, Meta(description="The record that stays, of several.")] | None = None


class ListSessions(InSpace, frozen=True, kw_only=True):
    limit: Limit = 50
    cursor: Cursor = 0


class OneSession(InSpace, frozen=True, kw_only=True):
    session: LongLabel


# Answers


class Problem(Struct, frozen=True, omit_defaults=True):
    """Why something was not done; `field` names what was given wrongly."""

    error: str
    code: str = ""
    field: str | None = None


class Recalled(Struct, frozen=True, kw_only=True):
    """The hits, best first; `context` is the same as a text for a prompt, `signals` says how it was made."""

    hits: tuple[Hit, ...]
    signals: Signals
    context: str
    tokens: int


class Records(Struct, frozen=True, kw_only=True):
    """A window of a list; `next` is the cursor of the one after it, if there is one, `total` all there are if asked."""

    records: tuple[Record, ...]
    next: int | None = None
    total: int | None = None


class Evidenced(Struct, frozen=True, kw_only=True):
    """Something that a record rests on: how that stands, the source, and the part of it that is meant."""

    state: EvidenceState
    source: Record | None = None
    segment: Record | None = None


class Ties(Struct, frozen=True, kw_only=True):
    """What a record hangs together with. `origin` is the source that it is a piece of; `cited_by` rest on it."""

    evidence: tuple[Evidenced, ...] = ()
    contradicts: tuple[Record, ...] = ()
    replaced: tuple[Record, ...] = ()
    replaced_by: Record | None = None
    cited_by: tuple[Record, ...] = ()
    origin: Record | None = None
    around: tuple[Record, ...] = ()
    entities: tuple[Entity, ...] = ()


class Step(Struct, frozen=True, kw_only=True):
    """A change of a record, and the version that it led to; none where it is gone."""

    change: Change
    record: Record | None = None


class Changed(Struct, frozen=True, kw_only=True):
    """A window of the journal, the newest first; `about` says by entry how a record begins that was changed."""

    changes: tuple[Change, ...]
    next: int | None = None
    about: Mapping[str, str] = {}


class Done(Struct, frozen=True, kw_only=True):
    """A window of what was done, the newest first."""

    acts: tuple[Act, ...]
    next: int | None = None


class Undone(Struct, frozen=True, kw_only=True):
    """The entries that took others back; undoing those brings everything back. `reason` says what stays, and why."""

    entries: tuple[int, ...]
    reason: str | None = None


class Count(Struct, frozen=True, kw_only=True):
    """How many records have something in common, and the newest of their dates."""

    name: str
    records: int
    last: datetime


class Room(Count, frozen=True, kw_only=True):
    """A room of a space ("" is outside all rooms), and the beginnings of what lies in it."""

    hints: tuple[str, ...] = ()


class SpaceView(Struct, frozen=True, kw_only=True):
    """A space as somebody sees it who walks in: `records` hold now, `stats` count also what is kept besides.

    What happens unasked there is told to the owner of the memory.
    """

    space: Space
    records: int
    stats: SpaceStats
    rooms: tuple[Room, ...]
    projects: tuple[Count, ...]
    kinds: tuple[Count, ...]
    tags: tuple[Count, ...]
    steering: Steering | None = None


class Entities(Struct, frozen=True, kw_only=True):
    entities: tuple[Entity, ...]
    next: int | None = None


class Explored(Struct, frozen=True, kw_only=True):
    """What is known of a name: facts that hold, that did and that will, what is near it, and what mentions it."""

    name: str
    entity: Entity | None = None
    facts: tuple[Fact, ...] = ()
    past: tuple[Fact, ...] = ()
    coming: tuple[Fact, ...] = ()
    near: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    mentioned_in: tuple[Record, ...] = ()


class Node(Struct, frozen=True, kw_only=True):
    """An entity of a network; `since` says when it was first named, where that is known."""

    id: str
    name: str
    type: str | None = None
    degree: int = 0
    since: datetime | None = None


class Edge(Struct, frozen=True, kw_only=True):
    id: str
    subject: str
    predicate: str
    object: str
    valid_from: datetime
    valid_until: datetime | None = None
    holds: bool = True


class Drawn(Struct, frozen=True, kw_only=True):
    """Entities and what is stated between them. `total` counts all entities, `first` dates the oldest fact."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    total: int
    first: datetime | None = None


class GivenView(Struct, frozen=True, kw_only=True):
    """What an agent would be given, and whether anything is given at all just now."""

    preview: Preview
    steering: Steering
    paused_until: datetime | None = None


class Model(Struct, frozen=True, kw_only=True):
    embedder: str
    state: str
    name: str | None = None
    dim: int | None = None
    waiting: int = 0


class Me(Struct, frozen=True, kw_only=True):
    """Who asks, and what they may do."""

    name: str
    scope: str
    spaces: tuple[str, ...] | None = None


class StatusView(Struct, frozen=True, kw_only=True):
    """What this memory is and holds, in a few numbers that are cheap at any size; `records` counts by space."""

    version: str
    entry: int
    spaces: tuple[Space, ...]
    records: Mapping[str, int]
    first: datetime | None
    me: Me
    model: Model
    problems: tuple[str, ...] = ()


class Actor(Struct, frozen=True, kw_only=True):
    """Who changed the memory: how often, and when last."""

    name: str
    changes: int
    last: datetime


class Client(Struct, frozen=True, kw_only=True):
    """Who calls, and when last: by the protocol or REST (`open` connections, `calls` since the service began), or by
    hooks, with what went wrong the last time.
    """

    name: str
    by: Literal["calls", "hooks"]
    last: datetime
    open: int = 0
    calls: int = 0
    problem: str | None = None


class Grown(Struct, frozen=True, kw_only=True):
    """How many of the records that are there now were stored on a day."""

    day: str
    records: int


class Health(Struct, frozen=True, kw_only=True):
    """Whether everything is well. `problems` are wrong; `checked_ms` is what reading all of it took, if it was read.

    `spaces` count all that is kept, `records` what holds now, as /api/status does. Where the store lies and how large
    it is, the owner is told.
    """

    store: str | None
    bytes: int | None
    problems: tuple[str, ...]
    notes: tuple[str, ...]
    checked_ms: float | None
    model: Model
    spaces: tuple[SpaceStats, ...]
    records: Mapping[str, int]
    clients: tuple[Client, ...]
    actors: tuple[Actor, ...]
    grown: tuple[Grown, ...]
    injected: tuple[Injected, ...]
    spending: tuple[Spending, ...]
    paused_until: datetime | None = None
    backups: tuple[Backup, ...] = ()
