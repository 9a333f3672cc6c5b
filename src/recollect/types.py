"""What are the values that every room speaks of?

All of them are frozen. Times are aware datetimes in UTC. `version` numbers a state of an object inside one
store: each change makes a new version, and the old ones stay for history and `as_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal, TypeAlias, overload

from msgspec import UNSET, Struct, UnsetType, field

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
Metadata: TypeAlias = Mapping[str, Json]

MemoryType = Literal["episodic", "semantic", "procedural"]
Trust = Literal["user_declared", "human_curated", "agent_inferred", "system_generated", "imported"]
Status = Literal[
    "active", "candidate", "contested", "stale", "superseded", "archived",
    "open", "in_progress", "blocked", "done", "cancelled",
]  # fmt: skip
Direction = Literal["outgoing", "incoming", "both"]
Outcome = Literal["stored", "deduplicated", "rejected"]
Order = Literal["newest", "oldest", "important", "position", "updated"]
ProjectState = Literal["pending", "indexing", "completed", "failed"]
CandidateType = Literal["concept", "procedure", "decision", "tool_library", "implementation_detail"]
DoubtKind = Literal["similar_entity_name", "stale_fact", "relationship_mismatch"]
SkipReason = Literal[
    "document_artifact", "format_marker", "action_phrase", "shortcut_marker", "generic_term", "too_long", "weak_term"
]
SourceKind = Literal["repo", "file", "markdown", "web", "pdf", "conversation"]
EvidenceStanding = Literal["current", "changed", "missing", "archived"]

MEMORY_TYPES: tuple[MemoryType, ...] = ("episodic", "semantic", "procedural")
TRUSTS: tuple[Trust, ...] = (
    "user_declared", "human_curated", "agent_inferred", "system_generated", "imported",
)  # fmt: skip
STATUSES: tuple[Status, ...] = (
    "active", "candidate", "contested", "stale", "superseded", "archived",
    "open", "in_progress", "blocked", "done", "cancelled",
)  # fmt: skip
HIDDEN_STATUSES: tuple[Status, ...] = ("superseded", "archived")
"""Statuses that reads leave out unless they are asked for by name."""
CATALOGUE_KINDS: tuple[str, ...] = ("source",)
"""Kinds of records that say where other records come from: reads leave them out unless they are asked for by kind."""
SOURCE_KINDS: tuple[SourceKind, ...] = ("repo", "file", "markdown", "web", "pdf", "conversation")

SEGMENT_KINDS = ("document", "message")
"""Kinds of records that are pieces of a source, each in its place."""
NOT_KNOWLEDGE = ("source", *SEGMENT_KINDS, "code", "activity", "work_item")
"""Kinds of records that tell what was there or is to be done; every other kind states what is so."""
VOUCHED: tuple[Trust, ...] = ("user_declared", "human_curated")
"""Whose word is enough without evidence."""

DEFAULT_SPACE = "default"
NOISE = 0.001
"""Hits that score less say nothing: recall leaves them out unless it is asked for them."""


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


class SpaceTally(Struct, frozen=True, kw_only=True):
    """The little about a space that is cheap to count: records and facts that hold now, and how many have vectors."""

    records: int
    facts: int
    vectors: int


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

    scopes: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    claim: Claim | None = None
    verified_at: datetime | None = None


class Draft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a caller hands to `remember`: everything but the text may be left out."""

    text: str
    kind: str = "memory"
    memory_type: MemoryType = "semantic"
    title: str | None = None
    role: str | None = None
    room: str | None = None
    session: str | None = None
    project: str | None = None
    user: str | None = None
    tags: tuple[str, ...] = ()
    importance: float = 0.5
    confidence: float = 1.0
    status: Status = "active"
    trust: Trust = "agent_inferred"
    event_time: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    source: str | None = None
    locator: Metadata | None = None
    metadata: Metadata = field(default_factory=dict[str, Json])
    id: str | None = None
    grounds: Grounds | None = None
    reason: str | None = None
    """Why it is worth keeping; it stands in the journal."""


class Record(Struct, frozen=True, kw_only=True):
    """Anything that can be recalled."""

    id: str
    space: str
    text: str
    kind: str = "memory"
    memory_type: MemoryType = "semantic"
    title: str | None = None
    role: str | None = None
    room: str | None = None
    session: str | None = None
    position: int = 0
    project: str | None = None
    user: str | None = None
    tags: tuple[str, ...] = ()
    source: str | None = None
    locator: Metadata | None = None
    importance: float = 0.5
    confidence: float = 1.0
    status: Status = "active"
    trust: Trust = "agent_inferred"
    event_time: datetime
    created_at: datetime
    recorded_at: datetime
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    superseded_by: str | None = None
    content_hash: str
    metadata: Metadata = field(default_factory=dict[str, Json])
    access_count: int = 0
    last_access: datetime | None = None
    version: int = 0
    grounds: Grounds | None = None

    def is_valid_at(self, moment: datetime) -> bool:
        """Was this true at that moment, as far as this version knows?"""
        return (self.valid_from is None or self.valid_from <= moment) and (
            self.valid_until is None or moment < self.valid_until
        )


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


class Fact(Struct, frozen=True, kw_only=True):
    """A relation with the names of its ends, as people read it."""

    subject: str
    predicate: str
    object: str
    relation: Relation


class Neighborhood(Struct, frozen=True, kw_only=True):
    """What a walk from one entity reached; the start is the first entity, at distance 0."""

    start: Entity
    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    distances: Mapping[str, int]


class Session(Struct, frozen=True, kw_only=True):
    """Messages that belong together, in order."""

    id: str
    space: str
    messages: int
    started_at: datetime
    last_at: datetime


class Message(Struct, frozen=True, kw_only=True):
    """One entry of a session's list: which record holds the message. `flag` is what a repair found and cannot mend."""

    id: str
    role: str | None
    at: datetime
    flag: str = ""


class Compaction(Struct, frozen=True, kw_only=True):
    """What became of a long session: `summarized` messages gave way to one summary, `kept` stayed.

    `reason` says why nothing was done: the session is "below_threshold", or there is "nothing_to_summarize".
    """

    compacted: bool
    summarized: int = 0
    kept: int = 0
    summary: str | None = None
    reason: str | None = None


class Repair(Struct, frozen=True, kw_only=True):
    """What was wrong with a session's list, by kind. Orphaned and oversized ones are flagged; the rest is mended."""

    empty: int = 0
    duplicates: int = 0
    consecutive: int = 0
    orphaned: int = 0
    reordered: int = 0
    oversized: int = 0

    @property
    def fixes(self) -> int:
        return self.empty + self.duplicates + self.consecutive + self.orphaned + self.reordered + self.oversized


class Maintained(Struct, frozen=True, kw_only=True):
    """What one run of upkeep did in a space; undoing `entry` takes all of it back. None: there was nothing to do."""

    space: str
    verb: Literal["evict", "fade"]
    count: int
    seconds: float
    entry: int | None = None
    dry_run: bool = False


class Receipt(Struct, frozen=True, kw_only=True):
    """What became of a write. `id` is the record that holds the text (None when it was rejected).

    `status` is the record's after governance, `entries` are all rows of the journal that the write made, `contested`
    the ids of other records that it contradicts and that are contested since.
    """

    outcome: Outcome
    id: str | None
    space: str
    reason: str | None = None
    entry: int | None = None
    status: Status | None = None
    entries: tuple[int, ...] = ()
    contested: tuple[str, ...] = ()

    @property
    def stored(self) -> bool:
        return self.outcome == "stored"


class Archived(Struct, frozen=True, kw_only=True):
    """What became of an archived source: the records that rested on it alone are stale, others on it in part."""

    receipt: Receipt
    stale_ids: tuple[str, ...] = ()
    partial_ids: tuple[str, ...] = ()


class Merged(Struct, frozen=True, kw_only=True):
    """Records that claimed the same became one: those `merged` are superseded by `kept`. No entries: a dry run."""

    kept: str
    merged: tuple[str, ...]
    entries: tuple[int, ...] = ()


class Settled(Struct, frozen=True, kw_only=True):
    """Records whose status a round of upkeep changed, with an entry of the journal for each. No entries: a dry run."""

    ids: tuple[str, ...] = ()
    entries: tuple[int, ...] = ()


class Alike(Struct, frozen=True, kw_only=True):
    """A record that may say the same as another: for someone to look at, nothing follows from it by itself."""

    id: str
    score: float
    reasons: tuple[str, ...]
    title: str
    kind: str
    status: Status


class EvidenceState(Struct, frozen=True, kw_only=True):
    """Is what a record rests on still there? `changed`: the source says something else by now.

    `segment` is where the text stands now; it may have moved within its source.
    """

    evidence: Evidence
    state: EvidenceStanding
    segment: str | None = None


class Ingested(Struct, frozen=True, kw_only=True):
    """What became of a document or a conversation: the records that hold it now, in order.

    `source` is there where it was kept as a source.
    """

    ids: tuple[str, ...]
    stored: int
    deduplicated: int
    rejected: int = 0
    removed: int = 0
    source: IngestedSource | None = None


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
    """A part of a source, as it becomes a record: its exact text and where it stands."""

    text: str
    locator: Metadata
    title: str | None = None
    role: str | None = None
    event_time: datetime | None = None
    metadata: Metadata = field(default_factory=dict[str, Json])


class SourceDraft(Struct, frozen=True, kw_only=True):
    """A source that was read, ready to be stored. `location` (a path, a URL, `conversation:…`) decides its id."""

    location: str
    source_kind: SourceKind
    title: str
    fingerprint: str
    adapter: Adapter
    segments: tuple[Segment, ...] = ()
    summary: str = ""
    """What the source is found by, beside its title and location: its headings, say."""
    payload: Metadata = field(default_factory=dict[str, Json])
    file: Metadata | None = None
    """Size, time of change and time of reading of a file, by which it is known again without being read."""
    session: str | None = None
    event_time: datetime | None = None


class IngestedSource(Struct, frozen=True, kw_only=True):
    """What became of a source. `entries` are the journal's, the source's own first; none where nothing changed."""

    id: str
    space: str
    location: str
    source_kind: SourceKind
    title: str
    outcome: Literal["stored", "updated", "unchanged"]
    fingerprint: str
    segments: int = 0
    added: int = 0
    kept: int = 0
    removed: int = 0
    entries: tuple[int, ...] = ()


class IngestedFolder(Struct, frozen=True, kw_only=True):
    """What became of the documents of a folder: how many are new, changed, as they were, gone or left out, and why."""

    path: str
    space: str
    stored: int = 0
    updated: int = 0
    unchanged: int = 0
    archived: int = 0
    segments: int = 0
    """How many segments were written."""
    skipped: Mapping[str, int] = field(default_factory=dict[str, int])
    problems: tuple[FileProblem, ...] = ()
    finished: bool = True
    """False where the run was cancelled; the next one goes on from there."""

    @property
    def documents(self) -> int:
        """How many documents of the folder are held now."""
        return self.stored + self.updated + self.unchanged


class IngestedRepo(Struct, frozen=True, kw_only=True):
    """What became of a repository's map: its source, its entities (its own first), and the journal's entries.

    `agent_state` are folders of agents that were met, `pending` those that were left out until somebody decides.
    """

    source: IngestedSource
    nodes: tuple[str, ...] = ()
    entries: tuple[int, ...] = ()
    agent_state: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    problems: tuple[FileProblem, ...] = ()


class Concept(Struct, frozen=True, kw_only=True):
    """A term that may deserve a memory: where it was found, and what speaks for and against it."""

    title: str
    key: str
    type: CandidateType
    score: float
    confidence: float
    occurrences: int
    bonuses: tuple[str, ...]
    penalties: tuple[str, ...]
    adjustment: float
    reasons: tuple[str, ...]
    evidence: tuple[tuple[str, str, Metadata | None], ...]
    evidence_count: int
    objects: tuple[str, ...]
    object_count: int
    source_count: int
    scopes: tuple[str, ...]

    @property
    def kind(self) -> str:
        """The kind of knowledge that it would become."""
        return self.type if self.type in ("procedure", "decision") else "concept"


class SkippedTerm(Struct, frozen=True):
    """A term that was passed over, and why."""

    title: str
    reason: SkipReason
    occurrences: int


class Concepts(Struct, frozen=True):
    """The candidates, the strongest first, and what was passed over, the most frequent first; both cut to a length."""

    candidates: tuple[Concept, ...]
    eligible: int
    skipped: tuple[SkippedTerm, ...]
    skipped_count: int
    passages: int


class Twins(Struct, frozen=True, kw_only=True):
    """Two records that may say the same, and which of them should rather stay."""

    ids: tuple[str, str]
    score: float
    reasons: tuple[str, ...]
    foremost: str


class Doubt(Struct, frozen=True, kw_only=True):
    """Something that cannot quite be as it is stored; somebody should look at it."""

    kind: DoubtKind
    ids: tuple[str, ...]
    subject: str | None = None
    predicate: str | None = None
    valid_until: datetime | None = None


class Clarified(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a record is told from another that was taken for the same: by other words, or by where it holds."""

    id: str
    text: str | None = None
    scopes: tuple[str, ...] | None = None


class Resolution(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What somebody decided on records that may say the same.

    `supersede`: `canonical` stays and the others give way; `keep_both`: `updates` say how they differ; `contest`: it is
    not clear, and none of them should pass for true.
    """

    outcome: Literal["supersede", "keep_both", "contest"]
    ids: tuple[str, ...]
    reason: str
    canonical: str | None = None
    updates: tuple[Clarified, ...] = ()


class BrokenReference(Struct, frozen=True, kw_only=True):
    """Something that a record refers to and that is not there. `safe` where nothing is lost by dropping it."""

    id: str
    field: str
    ref: str
    safe: bool = True


class Mended(Struct, frozen=True, kw_only=True):
    """References that led nowhere, those that were dropped, and the entries of the journal. No entries: a dry run."""

    broken: tuple[BrokenReference, ...] = ()
    ids: tuple[str, ...] = ()
    entries: tuple[int, ...] = ()


class Audited(Struct, frozen=True, kw_only=True):
    """A change with the states before and after it, as far as they are still known."""

    change: Change
    before: Record | Entity | Relation | None = None
    after: Record | Entity | Relation | None = None


class GraphNode(Struct, frozen=True, kw_only=True):
    """A node of a space's graph, in a line: an entity, or a record that is no piece of something else."""

    id: str
    kind: str
    title: str
    status: str = "active"
    degree: int = 0
    scopes: tuple[str, ...] = ()


class GraphCluster(Struct, frozen=True, kw_only=True):
    """Nodes that hang together by few relations: some of their ids, and their number."""

    ids: tuple[str, ...]
    nodes: int
    relations: int
    density: float = 0.0
    scope: str | None = None


class GraphHealth(Struct, frozen=True, kw_only=True):
    """How well the graph of a space holds together. Lists are cut to some length; `counts` has their full lengths.

    `stubs` are entities that something refers to and of which nothing but the name is known.
    """

    isolated: tuple[GraphNode, ...] = ()
    sparse: tuple[GraphCluster, ...] = ()
    bridges: tuple[GraphNode, ...] = ()
    weak_scopes: tuple[GraphCluster, ...] = ()
    stubs: int = 0
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    objects: Mapping[str, int] = field(default_factory=dict[str, int])


class Upkeep(Struct, frozen=True, kw_only=True):
    """What is to be done in a space. Every list is cut to some length; `counts` says how long it would be.

    `promotable` and `low_evidence` are candidates, `stale` was verified too long ago, `unsettled` rests on evidence
    that no longer says what it said; `duplicates` are groups of records that claim the same.
    """

    promotable: tuple[str, ...] = ()
    low_evidence: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    unsettled: tuple[str, ...] = ()
    duplicates: tuple[tuple[str, ...], ...] = ()
    twins: tuple[Twins, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    graph: GraphHealth
    counts: Mapping[str, int] = field(default_factory=dict[str, int])


class Chunked(Struct, frozen=True, kw_only=True):
    """What became of a document that was cut by tokens: the records of its chunks, in order, and what was new."""

    ids: tuple[str, ...]
    chunk_tokens: int
    stored: int
    updated: int
    skipped: int


class Imported(Struct, frozen=True, kw_only=True):
    """What came into a space from files of another program; `problems` says what did not, and why."""

    space: str
    folder: str
    records: int = 0
    records_present: int = 0
    facts: int = 0
    facts_present: int = 0
    identity: bool = False
    problems: tuple[str, ...] = ()


class Change(Struct, frozen=True, kw_only=True):
    """One row of the journal. `before` and `after` are versions of the object; `forget` leaves neither."""

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


class Past(Struct, frozen=True, kw_only=True):
    """One step of a record's history: the change, and the state it led to (None: gone)."""

    change: Change
    record: Record | None


class Merge(Struct, frozen=True, kw_only=True):
    """Two records that say the same became one: `merged` is superseded by `kept`. Undoing `entry` brings it back."""

    kept: str
    merged: str
    cosine: float
    entry: int | None = None


class Dream(Struct, frozen=True, kw_only=True):
    """What one cycle of consolidation did in a space. Not `finished` means that time ran out, or it was cancelled."""

    space: str
    at: datetime
    seconds: float
    records: int
    merges: tuple[Merge, ...] = ()
    refreshed: int = 0
    decayed: int = 0
    finished: bool = True
    dry_run: bool = False


class Condensed(Struct, frozen=True, kw_only=True):
    """Some texts made short. `strategy` names what was really done; `note` says why that is not what was asked for.

    `provider` and `model` say who wrote an abstractive text; an extractive one is made of the texts' own sentences.
    """

    text: str
    strategy: Literal["extractive", "abstractive"]
    provider: str | None = None
    model: str | None = None
    note: str | None = None


class Summary(Struct, frozen=True, kw_only=True):
    """A summary of records: the record `id` holds it, `sources` are the records that it was made of, in time order.

    `stored` is False where the same summary was there already.
    """

    id: str
    space: str
    text: str
    sources: tuple[str, ...]
    strategy: Literal["extractive", "abstractive"]
    provider: str | None = None
    model: str | None = None
    note: str | None = None
    stored: bool = True


class Sampled(Struct, frozen=True):
    """What a client's own model wrote when it was asked, and the name of that model."""

    text: str
    model: str | None = None


Sample: TypeAlias = Callable[[str, str, int], Sampled]
"""Has a client's own model write something: what it should be, what it is asked, how many tokens it may write.

It raises `CompleterError` where the client refuses or does not answer in time."""


class Spending(Struct, frozen=True, kw_only=True):
    """What a provider of a language model was asked for on one day (UTC); `spent` is in the currency of the prices."""

    day: str
    provider: str
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    spent: float = 0.0


class Filter(Struct, frozen=True, kw_only=True):
    """Which records a read may see. An empty tuple means "any"; several values of one field mean "any of"."""

    spaces: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    memory_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    rooms: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    statuses: tuple[str, ...] = ()
    without_kinds: tuple[str, ...] = ()
    without_sources: tuple[str, ...] = ()
    governed: bool = False
    """Only records that have grounds."""
    as_of: datetime | None = None
    valid_at: datetime | None = None
    valid_only: bool = True
    below: str | None = None
    """Only what comes from a file or address whose name begins so."""
    versions: tuple[int, ...] | None = None
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
    thorough: bool = False
    """Look at more candidates, and let near-duplicates stand beside each other."""
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


class Hit(Struct, frozen=True, kw_only=True):
    """A record that answers a query. `folded` are ids of near-identical records that stand behind it."""

    record: Record
    score: float
    why: Why
    folded: tuple[str, ...] = ()


class Signals(Struct, frozen=True, kw_only=True):
    """How a recall was made: what was searched, and how much each signal counted."""

    keyword_weight: float = 0.0
    vector_weight: float = 0.0
    keyword_candidates: int = 0
    vector_candidates: int = 0
    graph_candidates: int = 0
    embedder: str | None = None
    reranker: str | None = None
    waiting_for_vectors: int = 0
    problem: str | None = None
    milliseconds: float = 0.0


class Scored(Struct, frozen=True, kw_only=True):
    """A record with what each signal says of it, on its own scale: cosine, BM25 and PageRank. 0 is "nothing"."""

    record: Record
    score: float
    vector: float = 0.0
    keyword: float = 0.0
    graph: float = 0.0


class Weighed(Struct, frozen=True, kw_only=True):
    """Records by a weighed sum of signals, best first, and how many nodes of the graph were walked for it."""

    hits: tuple[Scored, ...]
    nodes: int = 0
    problem: str | None = None


class Appraised(Struct, frozen=True, kw_only=True):
    """A record with its score by fixed weights, and what each signal said of it (a cosine, then shares of 0..1)."""

    record: Record
    score: float
    cosine: float
    keywords: float
    recency: float


class EmbeddingState(Struct, frozen=True, kw_only=True):
    """What is known of the embedder without loading it. `hits`, `misses` and `size` are of the questions' vectors."""

    state: Literal["idle", "loading", "ready", "failed", "none"]
    model: str | None = None
    dim: int | None = None
    stored_dim: int | None = None
    hits: int = 0
    misses: int = 0
    size: int = 0


class Recall(Sequence[Hit]):
    """The hits, best first; `.context` is the same as a prompt-ready text, `.signals` says how it was made."""

    __slots__ = ("_context", "_pack", "hits", "signals")

    def __init__(self, hits: tuple[Hit, ...], pack: Callable[[tuple[Hit, ...]], str], signals: Signals) -> None:
        self.hits = hits
        self.signals = signals
        self._pack = pack
        self._context: str | None = None

    @property
    def context(self) -> str:
        """The hits as a text for a prompt, within the budget that was asked for; made when first read."""
        if self._context is None:
            self._context = self._pack(self.hits)
        return self._context

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


class FileProblem(Struct, frozen=True, kw_only=True):
    """A file or folder of a project that could not be indexed, and why."""

    path: str
    problem: str


class Project(Struct, frozen=True, kw_only=True):
    """A folder of source code whose files are indexed as records of kind "code" with `project` set to the id."""

    id: str
    space: str
    path: str
    created_at: datetime
    watched: bool = False


class ProjectStatus(Struct, frozen=True, kw_only=True):
    """How far the index of a project is. `skipped` counts the files that were left out, by reason."""

    id: str
    space: str
    path: str
    state: ProjectState
    total_files: int = 0
    indexed_files: int = 0
    total_chunks: int = 0
    percent: float = 0.0
    eta_seconds: float | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    watching: bool = False
    skipped: Mapping[str, int] = field(default_factory=dict[str, int])
    errors: tuple[FileProblem, ...] = ()
    problem: str | None = None

    @property
    def done(self) -> bool:
        return self.state in ("completed", "failed")


Unset: TypeAlias = UnsetType
"""The type of `UNSET`, which means "leave as it is" where None means "empty it"."""

__all__ = [
    "CATALOGUE_KINDS", "DEFAULT_SPACE", "HIDDEN_STATUSES", "MEMORY_TYPES", "NOISE", "NOT_KNOWLEDGE", "SEGMENT_KINDS",
    "SOURCE_KINDS", "STATUSES", "TRUSTS", "UNSET", "UTC", "VOUCHED", "Adapter", "Alike", "Appraised", "Archived",
    "Audited", "BrokenReference", "CandidateType", "Change", "Chunked", "Claim", "Clarified", "Compaction", "Concept",
    "Concepts", "Condensed", "Direction", "Doubt", "DoubtKind", "Draft", "Dream", "EmbeddingState", "Entity",
    "Evidence", "EvidenceStanding", "EvidenceState", "Fact", "FileProblem", "Filter", "GraphCluster", "GraphHealth",
    "GraphNode", "Grounds", "Hit", "Imported", "Ingested", "IngestedFolder", "IngestedRepo", "IngestedSource", "Json",
    "MemoryType", "Mended", "Merge", "Merged", "Message", "Metadata", "Neighborhood", "Order", "Outcome", "Past",
    "Project", "ProjectState", "ProjectStatus", "Query", "Recall", "Receipt", "Record", "Relation", "Repair",
    "Resolution", "Sample", "Sampled", "Scored", "Segment", "Session", "Settled", "Signals", "SkipReason",
    "SkippedTerm", "SourceDraft", "SourceKind", "Space", "SpaceStats", "SpaceTally", "Spending", "Status", "Summary",
    "Trust", "Twins", "Unset", "Upkeep", "Weighed", "Why",
]  # fmt: skip
