"""What may be given to the tools of memory-mcp?

Arguments that nobody knows are let pass, as the contract's schemas do.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

_NULLABLE = Meta(extra_json_schema={"nullable": True})
_MemoryType = Literal["episodic", "semantic", "procedural"]
_UpTo50 = Annotated[int, Meta(ge=1, le=50, description="Maximum results (default: 10, max: 50)")]
_UpTo100 = Annotated[int, Meta(ge=1, le=100, description="Maximum to return (default: 20, max: 100)")]
_Weight = Annotated[float, Meta(ge=0)]
_User = Annotated[str | None, _NULLABLE, Meta(description="Optional user ID filter")]


class Nothing(Struct, frozen=True, kw_only=True):
    """No arguments."""


class Store(Struct, frozen=True, kw_only=True):
    content: Annotated[str, Meta(description="The content to store as a memory")]
    memory_type: Annotated[
        _MemoryType, _NULLABLE, Meta(description="Type of memory: episodic, semantic, or procedural")
    ] = "semantic"
    user_id: Annotated[str | None, _NULLABLE, Meta(description="Optional user ID for multi-tenant isolation")] = None
    metadata: Annotated[dict[str, Any] | None, _NULLABLE, Meta(description="Optional metadata as JSON object")] = None


class Get(Struct, frozen=True, kw_only=True):
    id: Annotated[str, Meta(description="The memory ID to retrieve")]


class Update(Struct, frozen=True, kw_only=True):
    id: Annotated[str, Meta(description="The memory ID to update")]
    content: Annotated[str | None, _NULLABLE, Meta(description="New content (optional, re-embeds if changed)")] = None
    memory_type: Annotated[_MemoryType | None, _NULLABLE, Meta(description="New memory type (optional)")] = None
    metadata: Annotated[dict[str, Any] | None, _NULLABLE, Meta(description="New metadata (optional)")] = None


class Delete(Struct, frozen=True, kw_only=True):
    id: Annotated[str, Meta(description="The memory ID to delete")]


class Page(Struct, frozen=True, kw_only=True):
    limit: Annotated[int, Meta(ge=1, le=100, description="Maximum number to return (default: 20, max: 100)")] = 20
    offset: Annotated[int, Meta(ge=0, le=2**62, description="Offset for pagination (default: 0)")] = 0


class Search(Struct, frozen=True, kw_only=True):
    query: Annotated[str, Meta(description="The search query text (will be embedded)")]
    limit: _UpTo50 = 10


class SearchText(Struct, frozen=True, kw_only=True):
    query: Annotated[str, Meta(description="The keyword query for full-text search")]
    limit: _UpTo50 = 10


class Recall(Struct, frozen=True, kw_only=True):
    query: Annotated[str, Meta(description="Search query")]
    limit: _UpTo50 = 10
    include_memories: Annotated[bool, Meta(description="Include memory results (default: true)")] = True
    include_code: Annotated[bool, Meta(description="Include code chunk results (default: false)")] = False
    project_id: Annotated[
        str | None,
        _NULLABLE,
        Meta(description="Filter code results by project (optional, requires include_code=true)"),
    ] = None
    language: Annotated[
        str | None,
        _NULLABLE,
        Meta(description="Filter code by language: rust, python, javascript, typescript, go (optional)"),
    ] = None
    vector_weight: Annotated[_Weight, Meta(description="Weight for vector similarity (default: 0.40)")] = 0.40
    bm25_weight: Annotated[_Weight, Meta(description="Weight for BM25 (default: 0.15)")] = 0.15
    ppr_weight: Annotated[_Weight, Meta(description="Weight for PPR graph ranking (default: 0.45)")] = 0.45


class CreateEntity(Struct, frozen=True, kw_only=True):
    name: Annotated[str, Meta(description="Entity name")]
    entity_type: Annotated[
        str | None, _NULLABLE, Meta(description="Type: person, project, concept, file, etc.")
    ] = None  # fmt: skip
    description: Annotated[str | None, _NULLABLE, Meta(description="Optional description")] = None
    user_id: Annotated[str | None, _NULLABLE, Meta(description="Optional user ID for isolation")] = None


class CreateRelation(Struct, frozen=True, kw_only=True):
    from_entity: Annotated[str, Meta(description="Source entity ID")]
    to_entity: Annotated[str, Meta(description="Target entity ID")]
    relation_type: Annotated[str, Meta(description="Relation type: works_on, knows, uses, etc.")]
    weight: Annotated[float, Meta(ge=0, le=1, description="Relation weight (0.0-1.0, default: 1.0)")] = 1.0


class GetRelated(Struct, frozen=True, kw_only=True):
    entity_id: Annotated[str, Meta(description="Entity ID to start from")]
    depth: Annotated[int, Meta(ge=1, le=3, description="Traversal depth (1-3, default: 1)")] = 1
    direction: Annotated[
        Literal["outgoing", "incoming", "both"], Meta(description="Traversal direction")
    ] = "outgoing"  # fmt: skip


class Valid(Struct, frozen=True, kw_only=True):
    user_id: _User = None
    limit: _UpTo100 = 20


class ValidAt(Struct, frozen=True, kw_only=True):
    timestamp: Annotated[
        str, Meta(description="Timestamp in ISO 8601 format", extra_json_schema={"format": "date-time"})
    ]
    user_id: _User = None
    limit: _UpTo100 = 20


class Invalidate(Struct, frozen=True, kw_only=True):
    id: Annotated[str, Meta(description="Memory ID to invalidate")]
    reason: Annotated[str | None, _NULLABLE, Meta(description="Optional reason for invalidation")] = None
    superseded_by: Annotated[
        str | None, _NULLABLE, Meta(description="Optional ID of memory that supersedes this one")
    ] = None  # fmt: skip


class IndexProject(Struct, frozen=True, kw_only=True):
    path: Annotated[str, Meta(description="Path to project root directory")]
    watch: Annotated[bool, Meta(description="Enable file watching for auto-reindex (optional, deferred)")] = False


class SearchCode(Struct, frozen=True, kw_only=True):
    query: Annotated[str, Meta(description="Search query text")]
    project_id: Annotated[str | None, _NULLABLE, Meta(description="Filter by project (optional)")] = None
    limit: _UpTo50 = 10


class CheckProject(Struct, frozen=True, kw_only=True):
    project_id: Annotated[str, Meta(description="Project ID to check")]


class DeleteProject(Struct, frozen=True, kw_only=True):
    project_id: Annotated[str, Meta(description="Project ID to delete")]


class Reset(Struct, frozen=True, kw_only=True):
    confirm: Annotated[bool, Meta(description="Must be true to confirm deletion. Safety check.")]
