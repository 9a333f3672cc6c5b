"""What is each tool of memory-mcp given, once it is parsed?

The schemas that clients see stand in `schemas.py`. Arguments that nobody knows are let pass, as the schemas do.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

UpTo50 = Annotated[int, Meta(ge=1, le=50)]
UpTo100 = Annotated[int, Meta(ge=1, le=100)]
Weight = Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]


class Params(Struct, frozen=True, kw_only=True):
    """What all arguments have in common."""


class Nothing(Params, frozen=True, kw_only=True):
    """No arguments."""


class Store(Params, frozen=True, kw_only=True):
    content: str
    memory_type: Literal["episodic", "semantic", "procedural"] = "semantic"
    user_id: str | None = None
    metadata: dict[str, Any] | None = None


class ById(Params, frozen=True, kw_only=True):
    id: str


class Update(Params, frozen=True, kw_only=True):
    id: str
    content: str | None = None
    memory_type: Literal["episodic", "semantic", "procedural"] | None = None
    metadata: dict[str, Any] | None = None


class Page(Params, frozen=True, kw_only=True):
    limit: UpTo100 = 20
    offset: Annotated[int, Meta(ge=0, le=2**62)] = 0


class Search(Params, frozen=True, kw_only=True):
    query: str
    limit: UpTo50 = 10


class Recall(Params, frozen=True, kw_only=True):
    query: str
    limit: UpTo50 = 10
    include_memories: bool = True
    include_code: bool = False
    project_id: str | None = None
    language: str | None = None
    vector_weight: Weight = 0.40
    bm25_weight: Weight = 0.15
    ppr_weight: Weight = 0.45


class CreateEntity(Params, frozen=True, kw_only=True):
    name: str
    entity_type: str | None = None
    description: str | None = None
    user_id: str | None = None


class CreateRelation(Params, frozen=True, kw_only=True):
    from_entity: str
    to_entity: str
    relation_type: str
    weight: Share = 1.0


class GetRelated(Params, frozen=True, kw_only=True):
    entity_id: str
    depth: Annotated[int, Meta(ge=1, le=3)] = 1
    direction: Literal["outgoing", "incoming", "both"] = "outgoing"


class Valid(Params, frozen=True, kw_only=True):
    user_id: str | None = None
    limit: UpTo100 = 20


class ValidAt(Params, frozen=True, kw_only=True):
    timestamp: str
    user_id: str | None = None
    limit: UpTo100 = 20


class Invalidate(Params, frozen=True, kw_only=True):
    id: str
    reason: str | None = None
    superseded_by: str | None = None


class IndexProject(Params, frozen=True, kw_only=True):
    path: str
    watch: bool = False


class SearchCode(Params, frozen=True, kw_only=True):
    query: str
    project_id: str | None = None
    limit: UpTo50 = 10


class ByProject(Params, frozen=True, kw_only=True):
    project_id: str
