"""What are the values that every room speaks of?

All of them are frozen. Times are aware datetimes in UTC. `version` numbers a state of an object inside one
store: each change makes a new version, and the old ones stay for history and `as_of`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Annotated, Literal, TypeAlias, get_args, overload

from msgspec import UNSET as UNSET
from msgspec import Struct, UnsetType, field

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
Metadata: TypeAlias = Mapping[str, Json]

MemoryType = Literal["episodic", "semantic", "procedural"]
Trust = Literal["user_declared", "human_curated", "agent_inferred", "system_generated", "imported"]
Status = Literal[
    "active", "candidate", "contested", "stale", "superseded", "archived",
    "open", "in_progress", "blocked", "done", "cancelled",
]  # fmt: skip
Outcome = Literal["stored", "deduplicated", "rejected"]
Order = Literal["newest", "oldest", "important", "position", "updated", "latest", "earliest"]
SourceKind = Literal["repo", "file", "markdown", "web", "pdf", "conversation"]

MEMORY_TYPES: tuple[MemoryType, ...] = get_args(MemoryType)
STATUSES: tuple[Status, ...] = get_args(Status)
HIDDEN_STATUSES: tuple[Status, ...] = ("superseded", "archived")
"""Statuses that reads leave out unless they are asked for by name."""
CATALOGUE_KINDS: tuple[str, ...] = ("source",)
"""Kinds of records that say where other records come from: reads leave them out unless they are asked for by kind."""
SOURCE_KINDS: tuple[SourceKind, ...] = get_args(SourceKind)

CAPTURED = "captured"
"""What a message has in its metadata that came in by itself, while it was said: it is recalled, but in no brief."""
SEGMENT_KINDS = ("document", "message")
"""Kinds of records that are pieces of a source, each in its place."""
DOING_KINDS = ("activity", "work_item")
"""Kinds of records that tell what was done or is to be done."""
NOT_KNOWLEDGE = ("source", *SEGMENT_KINDS, "code", *DOING_KINDS)
"""Kinds of records that tell what was there or is to be done; every other kind states what is so."""
TRUSTS: tuple[Trust, ...] = get_args(Trust)
"""From most to least."""

VOUCHED: tuple[Trust, ...] = ("user_declared", "human_curated")
"""Whose word is enough without evidence."""


def last_day(end: datetime) -> date:
    """The last day of which something holds that ends then, where it is said: an end is the first moment after it."""
    return (end - timedelta(microseconds=1)).astimezone().date()


def least_trust(*given: str) -> Trust:
    """What is made of several things can be trusted as far as the least of them."""
    return TRUSTS[max(map(TRUSTS.index, given))]


DEFAULT_SPACE = "default"
REPEATED = "repeated"
LIKELY = 0.5
"""A record that scores so much more likely answers than not. Only such ones count as recalled."""
NOISE = 0.0
"""Nothing is left out for its score unless that is asked for: the score says itself how likely a record answers."""


class Space(Struct, frozen=True, kw_only=True):
    """A named memory. What other servers call a palace, an agent or a collection."""

    name: str
    description: str = ""
    created_at: datetime
    metadata: Metadata = field(default_factory=dict[str, Json])


class SpaceStats(Struct, frozen=True, kw_only=True):
    """How much a space holds."""

    space: str
    records: int
    by_kind: Mapping[str, int]
    sessions: int
    entities: int
    relations: int
    waiting_for_vectors: int
    newest: datetime | None


class Trait(Struct, frozen=True):
    """What is known of a field beside its name, type and default.

    How a value is parsed and stored follows from the type; what is said here is what the type cannot say.
    """

    help: str = ""
    """What it tells, in a line; a field without help has no option on the command line."""
    option: str = ""
    """The name of its option, where that is not its own."""
    longest: int = 1_000
    """Characters that fit, where it is a text."""
    most: int = 64
    """How many it may have, where it has several."""
    revisable: bool = True
    shared: bool = False
    """It may be said once of all segments of a source."""
    compared: bool = False
    """Callers may want two records to agree in it before they count as the same."""


class Evidence(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where something was read: a source by its id, and which of its segments (`seg-1` is the first).

    `locator` is what the segment's own must say at least; `hash` is that of the segment's text when it was read.
    """

    source: str
    segment: str | None = None
    locator: Metadata | None = None
    hash: str | None = None


class Claim(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a record states in a form that others can be compared with: one value, or one object, of a predicate."""

    subject: str
    predicate: str
    value: Json = None
    object: str | None = None


class Grounds(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """On what a record rests, where it holds, and what it is about. Whoever hands in grounds is governed by them."""

    scopes: Annotated[tuple[str, ...], Trait(longest=200, most=256)] = ()
    subjects: Annotated[tuple[str, ...], Trait(longest=200, most=256)] = ()
    evidence: tuple[Evidence, ...] = ()
    claim: Claim | None = None
    verified_at: datetime | None = None


FILE_NAME = "file_name"
"""Under which name the locator of a note tells it."""


class Stated(Struct, frozen=True, gc=False, kw_only=True):
    """What may be said of a record, a line for each field: from here drafts, records, parsing, revising, columns and
    the options of the command line follow.

    There are thousands of them at once, and none can hold itself: so nobody looks for that (`gc=False`).
    """

    text: Annotated[str, Trait()]
    kind: Annotated[str, Trait("What it is: memory, note, decision, …", longest=200)] = "memory"
    memory_type: Annotated[
        MemoryType,
        Trait("episodic (happened), semantic (is so) or procedural (how to).", "type", shared=True, compared=True),
    ] = "semantic"
    title: Annotated[str | None, Trait("What it is called.")] = None
    role: Annotated[str | None, Trait("Who said it.")] = None
    room: Annotated[str | None, Trait("A place inside the space.", shared=True, compared=True)] = None
    session: Annotated[str | None, Trait("The conversation that it belongs to.", revisable=False)] = None
    project: Annotated[str | None, Trait("The project that it belongs to.", shared=True, compared=True)] = None
    user: Annotated[str | None, Trait("The person that it belongs to.", shared=True, compared=True)] = None
    tags: Annotated[tuple[str, ...], Trait("A tag; may be repeated.", "tag", longest=200, shared=True)] = ()
    importance: Annotated[float, Trait("How much it matters.", shared=True)] = 0.5
    confidence: Annotated[float, Trait("How sure it is.", shared=True)] = 1.0
    status: Annotated[Status, Trait("active, open, done, archived, …")] = "active"
    trust: Annotated[Trust, Trait(shared=True)] = "agent_inferred"
    valid_from: Annotated[datetime | None, Trait("Since when it is true.", shared=True)] = None
    valid_until: Annotated[datetime | None, Trait("Until when it is true.", shared=True)] = None
    source: Annotated[str | None, Trait("Where it comes from: a path, an address.", compared=True)] = None
    locator: Annotated[Metadata | None, Trait()] = None
    metadata: Annotated[
        Metadata, Trait("Anything else to keep with it; repeatable.", "meta", shared=True, compared=True)
    ] = field(default_factory=dict[str, Json])
    grounds: Annotated[Grounds | None, Trait(compared=True)] = None

    def file_name(self) -> str | None:
        """How somebody has called its file, where it is a note that has one."""
        name = (self.locator or {}).get(FILE_NAME)
        return name if isinstance(name, str) else None


class Draft(Stated, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a caller hands to `remember`: everything but the text may be left out."""

    event_time: Annotated[datetime | None, Trait("When it happened (else now).", "time")] = None
    id: Annotated[str | None, Trait("The id to give it (else a new one).", longest=200, revisable=False)] = None
    reason: Annotated[str | None, Trait(revisable=False)] = None
    """Why it is worth keeping; it stands in the journal."""


class Record(Stated, frozen=True, kw_only=True):
    """Anything that can be recalled."""

    id: str
    space: str
    event_time: datetime
    position: int = 0
    created_at: datetime
    recorded_at: datetime
    superseded_by: str | None = None
    content_hash: str
    access_count: int = 0
    last_access: datetime | None = None
    version: int = 0

    def is_valid_at(self, moment: datetime) -> bool:
        """Was this true at that moment, as far as this version knows?"""
        return (self.valid_from is None or self.valid_from <= moment) and (
            self.valid_until is None or moment < self.valid_until
        )


class Change(Struct, frozen=True, gc=False, kw_only=True):
    """One row of the journal. `before` and `after` are versions of the object; `forget` leaves neither.

    `act` is the first entry of what was done together; that one itself has none.
    """

    entry: int
    at: datetime
    space: str
    verb: str
    object_type: Literal["record", "entity", "relation", "space"]
    object_id: str
    before: int | None = None
    after: int | None = None
    actor: str | None = None
    reason: str | None = None
    undoes: int | None = None
    act: int | None = None


class Act(Struct, frozen=True, kw_only=True):
    """What was done in one go in a space: the entries of the journal from `entry` on that belong together.

    `verb`, `actor` and `reason` say what it was, `count` and `verbs` how many entries there are, in all and of each
    verb, `object_type` and `object_id` what the first of them changed, and `about` what that said, where it was a
    record and is still known. `undone_by` is the entry that took all of it back.
    """

    entry: int
    last: int
    at: datetime
    space: str
    verb: str
    count: int
    verbs: Mapping[str, int]
    object_type: Literal["record", "entity", "relation", "space"]
    object_id: str
    actor: str | None = None
    reason: str | None = None
    about: str | None = None
    undone_by: int | None = None


class Entity(Struct, frozen=True, kw_only=True):
    """Someone or something that records and relations speak of."""

    id: str
    space: str
    name: str
    type: str | None = None
    description: str | None = None
    aliases: tuple[str, ...] = ()
    user: str | None = None
    metadata: Metadata = field(default_factory=dict[str, Json])
    created_at: datetime
    recorded_at: datetime
    version: int = 0


class Relation(Struct, frozen=True, kw_only=True):
    """A typed, weighted, dated statement about two entities. `subject` and `object` are entity ids."""

    id: str
    space: str
    subject: str
    predicate: str
    object: str
    weight: float = 1.0
    confidence: float = 1.0
    provenance: str | None = None
    valid_from: datetime
    valid_until: datetime | None = None
    metadata: Metadata = field(default_factory=dict[str, Json])
    created_at: datetime
    recorded_at: datetime
    version: int = 0


class Session(Struct, frozen=True, kw_only=True):
    """Messages that belong together, in order."""

    id: str
    space: str
    messages: int
    started_at: datetime
    last_at: datetime


class Message(Struct, frozen=True, gc=False, kw_only=True):
    """One entry of a session's list: which record holds the message.

    `flag` says what a repair found and cannot mend, and `repeated` of what was said again and an earlier record holds.
    """

    id: str
    role: str | None
    at: datetime
    flag: str = ""


class Already(Struct, frozen=True, gc=False, kw_only=True):
    """A record that was there before a new one, and says nearly the same or (`differs`) something else of the same.

    Where a secret was masked in both, nobody can know that it is the same one: they differ.
    """

    id: str
    text: str
    date: datetime
    differs: bool = False


class Receipt(Struct, frozen=True, gc=False, kw_only=True):
    """What became of a write. `id` is the record that holds the text (None when it was rejected).

    `status` is the record's after governance, `entries` are all rows of the journal that the write made, `contested`
    the ids of other records that it contradicts and that are contested since, `already` what was known before,
    `masked` the kinds of secrets that the text held and the record does not.
    """

    outcome: Outcome
    id: str | None
    space: str
    reason: str | None = None
    entry: int | None = None
    status: Status | None = None
    entries: tuple[int, ...] = ()
    contested: tuple[str, ...] = ()
    already: tuple[Already, ...] = ()
    masked: tuple[str, ...] = ()

    @property
    def stored(self) -> bool:
        return self.outcome == "stored"


class FileProblem(Struct, frozen=True, kw_only=True):
    """A file or folder of a project that could not be indexed, and why."""

    path: str
    problem: str


class Adapter(Struct, frozen=True, kw_only=True):
    """How a source was read: by what, and what that does to the text on the way."""

    name: str
    version: str
    mode: str
    supported_modes: tuple[str, ...]
    declared_transformations: tuple[str, ...] = ()
    default_privacy_class: str = "internal"
    origin_classification: str = "local_file"


class Segment(Struct, frozen=True, kw_only=True):
    """A part of a source, as it becomes a record: its exact text and where it stands.

    Of a message, `line` is what its program calls the last line of it, and `copied` says that it was said in another
    session, which this one goes on from.
    """

    text: str
    locator: Metadata
    title: str | None = None
    role: str | None = None
    event_time: datetime | None = None
    metadata: Metadata = field(default_factory=dict[str, Json])
    line: str | None = None
    copied: bool = False


class Condensed(Struct, frozen=True, kw_only=True):
    """Some texts made short. `strategy` names what was really done; `note` says why that is not what was asked for.

    `provider` and `model` say who wrote an abstractive text; an extractive one is made of the texts' own sentences.
    """

    text: str
    strategy: Literal["extractive", "abstractive"]
    provider: str | None = None
    model: str | None = None
    note: str | None = None


class Sampled(Struct, frozen=True):
    """What a client's own model wrote when it was asked, and the name of that model."""

    text: str
    model: str | None = None


Sample: TypeAlias = Callable[[str, str, int], Sampled]
"""Has a client's own model write something: what it should be, what it is asked, how many tokens it may write.

It raises `CompleterError` where the client refuses or does not answer in time."""


class AnyOf(Struct, frozen=True):
    """What a filter names: some values of a field, by the keyword that callers use (else the filter's own name)."""

    field: str
    keyword: str = ""
    longest: int = 1_000
    or_none: bool = False
    """None among the values stands for records that have none; it is kept as ""."""
    help: str = ""
    """What its option on the command line does; without help it has none."""


class Filter(Struct, frozen=True, kw_only=True):
    """Which records a read may see. An empty tuple means "any"; several values of one field mean "any of"."""

    spaces: Annotated[tuple[str, ...], AnyOf("space", "space", longest=200)] = ()
    kinds: Annotated[tuple[str, ...], AnyOf("kind", help="Only this kind; may be repeated.")] = ()
    memory_types: Annotated[
        tuple[str, ...], AnyOf("memory_type", help="Only episodic, semantic or procedural memories.")
    ] = ()
    tags: Annotated[tuple[str, ...], AnyOf("tags", help="Only with this tag; may be repeated.")] = ()
    rooms: Annotated[tuple[str, ...], AnyOf("room", or_none=True, help="Only of this room; may be repeated.")] = ()
    sessions: Annotated[tuple[str, ...], AnyOf("session", "session", help="Only of this session.")] = ()
    projects: Annotated[tuple[str, ...], AnyOf("project", "project", or_none=True, help="Only of this project.")] = ()
    users: Annotated[tuple[str, ...], AnyOf("user", "user", help="Only of this user.")] = ()
    sources: Annotated[tuple[str, ...], AnyOf("source", "source", longest=16_000)] = ()
    ids: Annotated[tuple[str, ...], AnyOf("id")] = ()
    since: Annotated[datetime | None, Trait("Only what happened from then on.")] = None
    until: Annotated[datetime | None, Trait("Only what happened up to then.")] = None
    statuses: Annotated[tuple[str, ...], AnyOf("status", help="Only of this status.")] = ()
    without_kinds: Annotated[tuple[str, ...], AnyOf("kind")] = ()
    without_sources: Annotated[tuple[str, ...], AnyOf("source", longest=16_000)] = ()
    governed: bool = False
    """Only records that have grounds."""
    as_of: Annotated[datetime | None, Trait("What was known and true at that time.")] = None
    true_at: Annotated[datetime | None, Trait("What held at that time, as far as is known now.")] = None
    valid_only: bool = True
    below: str | None = None
    """Only what comes from a file or address whose name begins so."""
    versions: tuple[int, ...] | None = None
    superseded_by: tuple[str, ...] = ()
    """Only records that one of these has taken the place of."""
    hashes: tuple[str, ...] | None = None
    """Only records of a text that has one of these hashes."""
    refs: tuple[str, ...] | None = None
    """Only records that have one of these refs in their grounds."""
    position: int | None = None
    run: int | None = None
    """Only versions that a run of upkeep has changed."""
    evicted: bool = False
    """Only versions that were evicted and are still to be retired."""
    after: int | None = None
    """Only versions after one."""
    past: bool = False
    """Every version that a store has, whether it still holds or not."""


class Query(Struct, frozen=True, kw_only=True):
    """A question, parsed once at the edge."""

    text: str
    filter: Filter
    limit: int = 10
    min_score: float = NOISE
    budget_tokens: int | None = None
    recency: float = 0.0
    importance: float = 0.02
    deep: bool = False
    """Let a slower model read the best candidates together with the question."""
    deep_within: float | None = None
    """It reads what it can within so many seconds of the question; None: all of them."""
    thorough: bool = False
    """Look at more candidates."""
    fold: bool = True
    """Put near-duplicates behind the best of them."""


class Why(Struct, frozen=True, kw_only=True):
    """What each signal said about one hit, each within 0..1; `vector` is None where there is no vector."""

    keyword: float = 0.0
    vector: float | None = None
    graph: float = 0.0
    neighbours: float = 0.0
    recency: float = 0.0
    importance: float = 0.0
    confidence: float = 0.0
    tokens: float | None = None
    """How well its wordpieces match the question's; None where they were not compared."""
    deep: float | None = None
    """What the slower model of a deep recall says, a half for the best; None where it was not asked."""
    period: float | None = None
    """1 where it is of the time that the question names, 0 where it is not; None where it names none."""


class Hit(Struct, frozen=True, kw_only=True):
    """A record that answers a query. `folded` are ids of near-identical records that stand behind it."""

    record: Record
    score: float
    why: Why
    folded: tuple[str, ...] = ()

    @property
    def is_likely(self) -> bool:
        """Does it probably answer? Where words alone could be compared: does it hold most of what was asked?"""
        return self.score >= LIKELY or (self.why.vector is None and self.why.keyword > LIKELY)


class Signals(Struct, frozen=True, kw_only=True):
    """How a recall was made, and what waits. `brief`: nothing in particular was asked, so nothing was searched.

    `read` counts the hits that the reranker read before its time was over.
    """

    keyword_candidates: int = 0
    vector_candidates: int = 0
    graph_candidates: int = 0
    embedder: str | None = None
    reranker: str | None = None
    read: int = 0
    waiting_for_vectors: int = 0
    problem: str | None = None
    milliseconds: float = 0.0
    brief: bool = False


class Recall(Sequence[Hit]):
    """The hits, best first; `.context` is the same as a prompt-ready text, `.signals` says how it was made."""

    __slots__ = ("_context", "_pack", "hits", "signals")

    def __init__(self, hits: tuple[Hit, ...], pack: Callable[[tuple[Hit, ...]], str], signals: Signals) -> None:
        self.hits = hits
        self.signals = signals
        self._pack = pack
        self._context: str | None = None

    @property
    def waiting(self) -> int:
        """How many records of the spaces that were asked are found by their words alone: their vectors still wait."""
        return self.signals.waiting_for_vectors

    @property
    def context(self) -> str:
        """The hits as a text for a prompt, within the budget that was asked for; made when first read."""
        if self._context is None:
            self._context = self._pack(self.hits)
        return self._context

    def pack(self, hits: Sequence[Hit]) -> str:
        """Some of the hits as a text for a prompt, within the same budget."""
        return self._pack(tuple(hits))

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __repr__(self) -> str:
        return f"Recall({len(self.hits)} hits)"


Unset: TypeAlias = UnsetType
"""The type of `UNSET`, which means "leave as it is" where None means "empty it"."""
