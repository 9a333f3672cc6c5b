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
Order = Literal["newest", "oldest", "important", "position"]
ProjectState = Literal["pending", "indexing", "completed", "failed"]

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


class Upkeep(Struct, frozen=True, kw_only=True):
    """What one run of upkeep did in a space; undoing `entry` takes all of it back. None: there was nothing to do."""

    space: str
    verb: Literal["evict", "fade"]
    count: int
    seconds: float
    entry: int | None = None
    dry_run: bool = False


class Receipt(Struct, frozen=True, kw_only=True):
    """What became of a write. `id` is the record that holds the text (None when it was rejected)."""

    outcome: Outcome
    id: str | None
    space: str
    reason: str | None = None
    entry: int | None = None

    @property
    def stored(self) -> bool:
        return self.outcome == "stored"


class Ingested(Struct, frozen=True, kw_only=True):
    """What became of a document or a conversation: the records that hold it now, in order."""

    ids: tuple[str, ...]
    stored: int
    deduplicated: int
    rejected: int = 0
    removed: int = 0


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
    """Some texts made short. `strategy` names what was really done; `note` says why, where it is not what was asked for.

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
"""Asks a client's own model: its role, the request, and the most tokens it may write."""


class Spending(Struct, frozen=True, kw_only=True):
    """What one provider of a language model was asked for on one day (UTC); `spent` is in the currency of the prices."""

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
    as_of: datetime | None = None
    valid_at: datetime | None = None
    valid_only: bool = True


class Query(Struct, frozen=True, kw_only=True):
    """A question, parsed once at the edge."""

    text: str
    filter: Filter
    limit: int = 10
    min_score: float = NOISE
    budget_tokens: int | None = None
    recency: float = 0.0
    importance: float = 0.02
    thorough: bool = False
    """Look at more candidates, and let near-duplicates stand beside each other."""


class Why(Struct, frozen=True, kw_only=True):
    """What each signal said about one hit, each within 0..1; `vector` is None where there is no vector."""

    keyword: float = 0.0
    vector: float | None = None
    graph: float = 0.0
    neighbours: float = 0.0
    recency: float = 0.0
    importance: float = 0.0
    confidence: float = 0.0


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
    "DEFAULT_SPACE",
    "HIDDEN_STATUSES",
    "MEMORY_TYPES",
    "NOISE",
    "STATUSES",
    "TRUSTS",
    "UNSET",
    "UTC",
    "Appraised",
    "Change",
    "Compaction",
    "Condensed",
    "Direction",
    "Draft",
    "Dream",
    "EmbeddingState",
    "Entity",
    "Fact",
    "FileProblem",
    "Filter",
    "Hit",
    "Imported",
    "Ingested",
    "Json",
    "MemoryType",
    "Merge",
    "Message",
    "Metadata",
    "Neighborhood",
    "Order",
    "Outcome",
    "Past",
    "Project",
    "ProjectState",
    "ProjectStatus",
    "Query",
    "Recall",
    "Receipt",
    "Record",
    "Relation",
    "Repair",
    "Sample",
    "Sampled",
    "Scored",
    "Session",
    "Signals",
    "Space",
    "SpaceStats",
    "SpaceTally",
    "Spending",
    "Status",
    "Summary",
    "Trust",
    "Unset",
    "Upkeep",
    "Weighed",
    "Why",
]  # fmt: skip
