"""What does each tool of memory-mcp answer?"""

from __future__ import annotations

from datetime import datetime

from msgspec import UNSET, Struct, UnsetType, field

from recollect.contracts.tool import view
from recollect.engine.read.results import Scored
from recollect.types import Entity, Metadata, Record, Relation

_DIGITS = 6


class _Key(Struct, frozen=True):
    string: str = field(name="String")


class Thing(Struct, frozen=True):
    """An id as this vocabulary's own database writes it."""

    tb: str
    id: _Key


class MemoryView(Struct, frozen=True, kw_only=True):
    """The last two fields are there only where a memory was ended so."""

    id: Thing
    content: str
    memory_type: str
    event_time: datetime
    ingestion_time: datetime
    valid_from: datetime
    valid_until: datetime | None
    importance_score: float
    metadata: Metadata
    invalidation_reason: str | UnsetType = UNSET
    superseded_by: str | UnsetType = UNSET


def view_memory(record: Record, reason: str | None = None) -> MemoryView:
    """A record that says no beginning began when it was stored. `reason` is why it ended."""
    return view(
        MemoryView, record, id=Thing("memories", _Key(record.id)), content=record.text,
        ingestion_time=record.created_at, valid_from=record.valid_from or record.created_at,
        importance_score=record.importance, invalidation_reason=reason or UNSET,
        superseded_by=record.superseded_by or UNSET,
    )  # fmt: skip


class Memories(Struct, frozen=True, kw_only=True):
    memories: list[MemoryView]
    total: int
    limit: int
    offset: int


class Valid(Struct, frozen=True, kw_only=True):
    results: list[MemoryView]
    count: int


class ValidAt(Valid, frozen=True, kw_only=True):
    timestamp: datetime


class Found(Struct, frozen=True, kw_only=True):
    id: str
    content: str
    memory_type: str
    score: float


class Searched(Struct, frozen=True, kw_only=True):
    results: list[Found]
    count: int
    query: str


def view_found(hit: Scored) -> Found:
    return view(Found, hit.record, content=hit.record.text, score=round(hit.score, _DIGITS))


class Recalled(Struct, frozen=True, kw_only=True):
    """One hit; the last three fields are for code."""

    id: str
    content: str
    source: str
    score: float
    vector_score: float
    bm25_score: float
    ppr_score: float
    file_path: str | None = None
    start_line: int | None = None
    end_line: int | None = None


class RecallAnswer(Struct, frozen=True, kw_only=True):
    results: list[Recalled]
    query: str
    subgraph_nodes: int
    memories_count: int
    code_count: int


def view_recalled(hit: Scored, code_kind: str) -> Recalled:
    is_code = hit.record.kind == code_kind
    return view(
        Recalled, Place.of(hit.record) if is_code else Place(), id=hit.record.id, content=hit.record.text,
        source="code" if is_code else "memory", score=round(hit.score, _DIGITS),
        vector_score=round(hit.vector, _DIGITS), bm25_score=round(hit.keyword, _DIGITS),
        ppr_score=round(hit.graph, _DIGITS),
    )  # fmt: skip


class Place(Struct, frozen=True, kw_only=True):
    """Where a piece of code stands, and what it is."""

    file_path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    language: str | None = None
    chunk_type: str | None = None
    name: str | None = None

    @staticmethod
    def of(record: Record) -> Place:
        locator = record.locator or {}

        def text(key: str) -> str | None:
            return value if isinstance(value := locator.get(key), str) else None

        def line(key: str) -> int | None:
            return value if isinstance(value := locator.get(key), int) else None

        return Place(
            file_path=text("path"), start_line=line("start_line"), end_line=line("end_line"),
            language=text("language"), chunk_type=text("chunk_type"), name=text("name"),
        )  # fmt: skip


class CodeFound(Struct, frozen=True, kw_only=True):
    id: str
    file_path: str | None
    content: str
    language: str | None
    start_line: int | None
    end_line: int | None
    chunk_type: str | None
    name: str | None
    score: float


def view_code(record: Record, score: float) -> CodeFound:
    return view(CodeFound, Place.of(record), id=record.id, content=record.text, score=round(score, _DIGITS))


class EntityView(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    entity_type: str | None
    description: str | None
    user_id: str | None
    created_at: datetime


class RelationView(Struct, frozen=True, kw_only=True):
    id: str
    from_entity: str
    to_entity: str
    relation_type: str
    weight: float
    valid_from: datetime
    valid_until: datetime | None


class Related(Struct, frozen=True, kw_only=True):
    entities: list[EntityView]
    relations: list[RelationView]
    entity_count: int
    relation_count: int


def view_entity(entity: Entity) -> EntityView:
    return view(EntityView, entity, entity_type=entity.type, user_id=entity.user)


def view_relation(relation: Relation) -> RelationView:
    ends = {"from_entity": relation.subject, "to_entity": relation.object}
    return view(RelationView, relation, relation_type=relation.predicate, **ends)


class CacheStats(Struct, frozen=True, kw_only=True):
    hits: int
    misses: int
    size: int


class Embedding(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`status` is that of the model, as the document has it; `waiting` says how many records have no vector yet."""

    status: str
    model: str | None
    dimensions: int | None
    cache_stats: CacheStats
    waiting: int = 0


class Status(Struct, frozen=True, kw_only=True):
    version: str
    status: str
    memories_count: int
    entities_count: int
    code_chunks_count: int
    embedding: Embedding
    db_dimension: int | None


class Deleted(Struct, frozen=True, kw_only=True):
    memories: int
    entities: int
    relations: int
    code_chunks: int


class Reset(Struct, frozen=True, kw_only=True):
    reset: bool
    deleted: Deleted


class NotReset(Struct, frozen=True, kw_only=True):
    reset: bool = False
    message: str = "Confirmation required. Set confirm=true to delete all data."


class Indexed(Struct, frozen=True, kw_only=True):
    project_id: str
    files_indexed: int
    chunks_created: int


class IndexStatus(Struct, frozen=True, kw_only=True):
    project_id: str
    status: str
    total_files: int
    indexed_files: int
    total_chunks: int
    progress_percent: float
    eta_seconds: int | None
    started_at: datetime | None
    completed_at: datetime | None


class Projects(Struct, frozen=True, kw_only=True):
    projects: list[str]
    count: int


class CodeSearched(Struct, frozen=True, kw_only=True):
    results: list[CodeFound]
    count: int
