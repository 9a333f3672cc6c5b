"""What may each mode of each tool be given?"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

DEFAULT_ITEMS = 10
CONTEXT_ITEMS = 12
SNIPPET_CHARS = 360
MOST_ITEMS = 1_000
MOST_ENTRIES = 500
_LONGEST_TEXT = 100_000

GraphBackend = Literal["file", "kuzu"]
SemanticBackend = Literal["lancedb"]
MemorySource = Literal["user_declared", "human_curated", "agent_inferred", "system_generated", "imported"]

_Items = Annotated[int, Meta(ge=1, le=MOST_ITEMS, description="At most so many items (10; context 12; audit 100)")]
_Snippet = Annotated[int, Meta(ge=40, le=4000, description="Longest excerpt, in characters (360)")]
MOMENT = {"read": "as a moment"}
"""Marks fields whose texts name a moment."""
Moment = Annotated[
    str, Meta(max_length=100, description="A time or a date, ISO 8601 (or 2026-03, yesterday, last week)", extra=MOMENT)
]
_Id = Annotated[str, Meta(min_length=1, max_length=200, description="Id of an object: src:, node:, know:, act:, work:")]
_Word = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"\S")]
_Words = Annotated[list[_Word], Meta(max_length=64)]
_Refs = list[_Word]


class Params(Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """What all inputs and options have in common: unknown fields are refused.

    A field that the engine calls by another name has that name here, and its own as `name`.
    """


class Nothing(Params, frozen=True, kw_only=True):
    pass


# memory_query


class Filters(Params, frozen=True, kw_only=True):
    """Which objects a read may show; of each pair of fields one value or several can be given."""

    object_type: _Word | None = None
    object_types: _Words = field(default_factory=list[str])
    kind: _Word | None = None
    kinds: _Words = field(default_factory=list[str])
    status: _Word | None = None
    statuses: _Words = field(default_factory=list[str])
    node_id: _Word | None = None
    node_ids: _Words = field(default_factory=list[str])
    source_id: _Word | None = None
    source_ids: _Words = field(default_factory=list[str])


class ContextInput(Params, frozen=True, kw_only=True):
    task: Annotated[str, Meta(description="The task or question that is about to be worked on")]
    scope: Filters | None = None


class SearchInput(Params, frozen=True, kw_only=True):
    query: Annotated[str, Meta(description="What to look for, in plain words")]


class ById(Params, frozen=True, kw_only=True):
    id: _Id


class Sized(Params, frozen=True, kw_only=True):
    max_items: _Items | None = None


class GraphOptions(Sized, frozen=True, kw_only=True):
    graph_backend: GraphBackend | None = None


class RecentOptions(Sized, frozen=True, kw_only=True):
    filters: Filters | None = None


class SearchOptions(RecentOptions, frozen=True, kw_only=True):
    graph_backend: GraphBackend | None = None
    semantic_backend: SemanticBackend | None = None


class ExpandOptions(Sized, frozen=True, kw_only=True):
    include_segments: (
        Annotated[bool, Meta(description="Show excerpts of source segments (expand true, page false)")] | None
    ) = None
    snippet_chars: _Snippet | None = None


class PageOptions(ExpandOptions, frozen=True, kw_only=True):
    detail: (
        Annotated[
            Literal["compact", "full"],
            Meta(description="full: the whole object; not for sources of kind repo (compact)"),
        ]
        | None
    ) = None


# memory_remember


class Actor(Params, frozen=True, kw_only=True):
    type: Annotated[str, Meta(min_length=1, max_length=100, description="user, agent, system or host")]
    id: Annotated[str, Meta(min_length=1, max_length=200)]
    name: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])


class EvidenceRef(Params, frozen=True, kw_only=True):
    source: _Word = field(name="source_id")
    segment: _Word = field(name="segment_id")
    locator: Annotated[dict[str, Any], Meta(description="Must be the segment's, if given")] | None = None
    hash: Annotated[str, Meta(description="Must be the segment's, if given")] | None = None


class Payload(Params, frozen=True, kw_only=True):
    subject: Annotated[str, Meta(max_length=200, description="What the claim is about")] | None = None
    predicate: Annotated[str, Meta(max_length=200, description="Which property or relation it states")] | None = None
    value: Annotated[Any, Meta(description="The literal value")] = None
    object: Annotated[Any, Meta(description="The thing at the other end")] = None
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])


class Created(Params, frozen=True, kw_only=True):
    """What everything that is created must say."""

    kind: Annotated[str, Meta(min_length=1, max_length=200)]
    title: Annotated[str, Meta(min_length=1, max_length=1_000)]
    summary: Annotated[str, Meta(min_length=1, max_length=_LONGEST_TEXT)]
    reason: Annotated[str, Meta(min_length=1, max_length=1_000, description="Why this should outlive the session")]
    memory_source: Annotated[MemorySource, Meta(description="Where it comes from")]
    scope_refs: Annotated[
        list[_Word],
        Meta(min_length=1, description="Where it holds, such as scope:project"),
    ]
    actor: Actor | None = None


class KnowledgeInput(Created, frozen=True, kw_only=True):
    subject_refs: _Refs = field(default_factory=list[str])
    evidence_refs: list[EvidenceRef] = field(default_factory=list[EvidenceRef])
    payload: Annotated[Payload, Meta(description="A structured claim; leave out for plain knowledge")] | None = None
    status: Literal["candidate", "active", "contested", "stale", "superseded", "archived"] | None = None
    confidence: Annotated[float, Meta(ge=0, le=1, description="0.0 unless given")] | None = None
    valid_from: Moment | None = None
    valid_until: Moment | None = None
    last_verified_at: Moment | None = None


class Doing(Created, frozen=True, kw_only=True):
    """What activities and work items have in common."""

    related_node_refs: _Refs = field(default_factory=list[str])
    source_refs: _Refs = field(default_factory=list[str])


class ActivityInput(Doing, frozen=True, kw_only=True):
    status: Literal["finalized", "in_progress", "done", "cancelled", "archived"] | None = None
    started_at: Moment | None = None
    ended_at: Moment | None = None
    related_work_item_refs: _Refs = field(default_factory=list[str])
    produced_object_refs: _Refs = field(default_factory=list[str])
    artifact_refs: list[str] = field(default_factory=list[str])


class WorkItemInput(Doing, frozen=True, kw_only=True):
    status: (
        Literal["open", "pending", "in_progress", "blocked", "done", "resolved", "closed", "cancelled", "archived"]
        | None
    ) = None
    lifecycle_state: str | None = None
    priority: (
        Annotated[Literal["low", "medium", "high", "critical", "urgent"], Meta(description="medium unless given")]
        | None
    ) = None
    owner_refs: list[str] = field(default_factory=list[str])
    related_knowledge_refs: _Refs = field(default_factory=list[str])
    depends_on: _Refs = field(default_factory=list[str])
    blocked_by: _Refs = field(default_factory=list[str])
    parent_ref: str | None = None
    child_refs: _Refs = field(default_factory=list[str])
    resolution: str | None = None
    due_at: Moment | None = None
    opened_at: Moment | None = None


class Lifecycle(Params, frozen=True, kw_only=True):
    reason: Annotated[str, Meta(min_length=1, max_length=1_000)]
    actor: Actor | None = None


class OneKnowledge(Lifecycle, frozen=True, kw_only=True):
    knowledge_id: _Id


class SupersedeInput(Lifecycle, frozen=True, kw_only=True):
    old_knowledge_id: _Id
    new_knowledge_id: _Id


class BatchEntry(Params, frozen=True, kw_only=True):
    mode: Literal["activity", "knowledge", "work_item"]
    input_data: Annotated[dict[str, Any], Meta(description="As in the mode of that name")]


class BatchInput(Params, frozen=True, kw_only=True):
    entries: Annotated[list[BatchEntry], Meta(max_length=MOST_ENTRIES, description="All are stored, or none")]
    actor: Actor | None = None


class RememberOptions(Params, frozen=True, kw_only=True):
    graph_backend: GraphBackend | None = None


CREATE_INPUTS: dict[str, type[Created]] = {
    "activity": ActivityInput, "knowledge": KnowledgeInput, "work_item": WorkItemInput,
}  # fmt: skip


# memory_maintain

_Reason = Annotated[str, Meta(min_length=1, max_length=1_000, description="Why; it is kept in the journal")]


class Apply(Params, frozen=True, kw_only=True):
    apply: Annotated[bool, Meta(description="Must be true: this mode changes memory")]


class ConfigureInput(Params, frozen=True, kw_only=True):
    graph_backend: Annotated[GraphBackend, Meta(description="Recorded; Recollect's own graph serves")] | None = None
    semantic_backend: Annotated[SemanticBackend, Meta(description="Recorded; Recollect's own vectors serve")] | None = (
        None
    )


class ReindexOptions(Params, frozen=True, kw_only=True):
    graph_backend: GraphBackend | None = None
    semantic_backend: SemanticBackend | None = None
    apply: Annotated[bool, Meta(description="Not needed: nothing but derived data changes")] | None = None


_Confidence = Annotated[float, Meta(ge=0, le=1, description="Least confidence of a candidate (0.75)")]
_Evidence = Annotated[int, Meta(ge=0, le=1_000, description="Least pieces of evidence of a candidate (1)")]
_Time = Annotated[Moment, Meta(description="The moment to judge by, ISO 8601 (now)")]
_Days = Annotated[float, Meta(ge=0, le=36_500, description="Days without verification (30)")]


class Bar(Params, frozen=True, kw_only=True):
    min_confidence: _Confidence | None = None
    min_evidence: _Evidence | None = None


class Age(Params, frozen=True, kw_only=True):
    at: _Time | None = field(name="reference_time", default=None)
    days: _Days | None = field(name="stale_after_days", default=None)


class Care(Bar, frozen=True, kw_only=True):
    at: _Time | None = field(name="reference_time", default=None)
    days: _Days | None = field(name="stale_after_days", default=None)


class Update(Params, frozen=True, kw_only=True):
    id: _Word = field(name="knowledge_id")
    text: Annotated[str, Meta(min_length=1, max_length=100_000)] | None = field(name="summary", default=None)
    scopes: Annotated[list[_Word], Meta(min_length=1, max_length=200)] | None = field(name="scope_refs", default=None)


class ResolveInput(Params, frozen=True, kw_only=True):
    outcome: Annotated[
        Literal["supersede", "keep_both", "contest"],
        Meta(description="supersede: one stays; keep_both: tell them apart by updates; contest: none is trusted"),
    ]
    ids: Annotated[list[_Word], Meta(min_length=2, max_length=100)] = field(name="knowledge_ids")
    reason: _Reason
    canonical: Annotated[_Word, Meta(description="With supersede: the one that stays")] | None = field(
        name="canonical_knowledge_id", default=None
    )
    updates: Annotated[list[Update], Meta(max_length=100, description="With keep_both: how they differ")] | None = None


class ArchiveInput(Params, frozen=True, kw_only=True):
    source_id: _Word
    reason: _Reason


# memory_ingest

_Path = Annotated[str, Meta(min_length=1, max_length=4_096, description="Absolute path")]
_Patterns = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=1_000)]],
    Meta(max_length=200, description="Compared with paths below the folder and with names; * and ? stand for anything"),
]


class RepoInput(Params, frozen=True, kw_only=True):
    path: Annotated[_Path, Meta(description="Absolute path of the repository's folder")]
    include_patterns: (
        Annotated[_Patterns, Meta(description="Only files that fit (all but what git ignores)")] | None
    ) = None
    exclude_patterns: Annotated[_Patterns, Meta(description="Files and folders to leave out (none)")] | None = None


class RepoOptions(Params, frozen=True, kw_only=True):
    force: Annotated[bool, Meta(description="Take in local and agent state such as .codex too (false)")] | None = None


class FileInput(Params, frozen=True, kw_only=True):
    path: Annotated[_Path, Meta(description="Absolute path of the file")]


class WebInput(Params, frozen=True, kw_only=True):
    url: Annotated[str, Meta(min_length=1, max_length=8_000, description="Address of the page, http or https")]


class Message(Params, frozen=True, kw_only=True):
    role: Annotated[str, Meta(min_length=1, max_length=200, description="user, assistant, system, …")]
    content: Annotated[str, Meta(min_length=1, description="What was said")]
    name: Annotated[str, Meta(max_length=1_000, description="Who said it")] | None = None
    created_at: Annotated[Moment, Meta(description="When it was said, ISO 8601")] | None = None
    metadata: dict[str, Any] | None = None


class ConversationInput(Params, frozen=True, kw_only=True):
    title: Annotated[str, Meta(min_length=1, max_length=1_000, description="What the conversation is called")]
    messages: Annotated[list[Message], Meta(min_length=1, description="In the order in which they were said")]
    origin: Annotated[dict[str, Any], Meta(description="Where it took place: host, project, …")] | None = None
