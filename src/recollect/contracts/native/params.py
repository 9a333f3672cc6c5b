"""What do Recollect's own tools take?"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from recollect.types import (
    NOISE,
)

Moment = str
"""As the engine reads times: RFC 3339, 2026-05-10, 2026-03, yesterday, 3 days ago."""


class Params(Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """What all tools' arguments have in common: unknown ones are refused."""


class Remember(Params):
    text: Annotated[str, Meta(description="One self-contained statement")]
    title: str | None = None
    tags: list[str] = field(default_factory=list[str])
    memory_type: Literal["episodic", "semantic", "procedural"] = "semantic"
    importance: float = 0.5
    session: str | None = None
    project: str | None = None
    source: str | None = None
    event_time: Moment | None = None
    valid_from: Moment | None = None
    valid_until: Moment | None = None
    evidence: Annotated[list[str], Meta(description="Ids it rests on")] = field(default_factory=list[str])
    replaces: Annotated[str, Meta(description="Id it supersedes")] | None = None
    everywhere: bool = False
    space: str | None = None


class Recall(Params):
    query: str | None = None
    limit: Annotated[int, Meta(ge=1, le=50)] = 10
    kinds: list[str] = field(default_factory=list[str])
    tags: list[str] = field(default_factory=list[str])
    session: str | None = None
    project: str | None = None
    since: Moment | None = None
    until: Moment | None = None
    as_of: Annotated[str, Meta(description="What was known and true then")] | None = None
    true_at: Annotated[str, Meta(description="What held then, as known now")] | None = None
    min_score: float = NOISE
    recency: Annotated[float, Meta(description="0..1")] = 0.0
    deep: bool = False
    explain: bool = False
    budget_tokens: Annotated[int, Meta(ge=50, le=50_000)] = 4_000
    everywhere: bool = False
    space: str | None = None
    all_spaces: bool = False


class Revise(Params):
    id: str
    text: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    importance: float | UnsetType = UNSET
    event_time: Moment | UnsetType = UNSET
    valid_from: Moment | UnsetType = UNSET
    valid_until: Moment | UnsetType = UNSET
    reason: str | None = None


class Forget(Params):
    id: str
    keep_history: Annotated[bool, Meta(description="Mark it as over")] = False
    superseded_by: Annotated[str, Meta(description="Id that holds instead")] | None = None
    reason: str | None = None


class Relate(Params):
    subject: str
    predicate: str
    object: str
    replaces: Annotated[bool, Meta(description="Ends the one before")] = True
    confidence: float = 1.0
    provenance: str | None = None
    valid_from: Moment | None = None
    valid_until: Moment | None = None
    space: str | None = None


class Explore(Params):
    entity: str | None = None
    id: str | None = None
    depth: Annotated[int, Meta(ge=1, le=3)] = 1
    as_of: Moment | None = None
    true_at: Moment | None = None
    space: str | None = None


class Ingest(Params):
    text: str | None = None
    path: Annotated[str, Meta(description="File, folder or transcript")] | None = None
    url: str | None = None
    messages: Annotated[list[dict[str, Any]], Meta(description="{role, content, name?, created_at?}")] | None = None
    source: Annotated[str, Meta(description="Again: replaced")] | None = None
    title: str | None = None
    session: str | None = None
    tags: list[str] = field(default_factory=list[str])
    space: str | None = None


class Status(Params):
    pass


class Hook(Params):
    prompt: Annotated[str, Meta(description="What the person has asked")]
    session: Annotated[str, Meta(description="Is not given twice what it was given")] | None = None
    folder: Annotated[str, Meta(description="Where the client works")] | None = None
    event: Annotated[str, Meta(description="Answers as a hook of this event does, not as plain text")] | None = None
    client: Annotated[str, Meta(description="Whose hook it is, for the log")] | None = None
    until: Annotated[float, Meta(description="When nobody waits any more (seconds since 1970)")] | None = None
    space: str | None = None
