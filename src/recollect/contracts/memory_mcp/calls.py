"""What does each tool of memory-mcp about memories, their graph and their time do?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.contracts.memory_mcp import answers as a
from recollect.contracts.memory_mcp import params as p
from recollect.contracts.memory_mcp.code import CODE, known_language, known_project, need_embedder
from recollect.contracts.tool import Call, view
from recollect.engine.embedding.semantics import EmbeddingState
from recollect.engine.parse import parse_iso_time
from recollect.engine.read.by_signal import search_keywords, search_vectors, weigh
from recollect.errors import InvalidInput, NotFound
from recollect.types import Record, SpaceStats
from recollect.version import __version__

_MOST_BYTES = 102_400
_IMPORTANCE = 1.0
_EMBEDDING = {"idle": "loading", "ready": "ready", "loading": "loading", "failed": "error", "none": "error"}
"""A model that nobody has needed yet is loaded when the status is asked for: who asks again finds it ready."""


# Memories


def store_memory(given: p.Store, call: Call) -> Mapping[str, str]:
    content = _content(given.content)
    need_embedder(call)
    receipt = call.memory.remember(
        content, space=call.space, memory_type=given.memory_type,
        user=given.user_id, metadata=given.metadata or {},
        importance=_IMPORTANCE, alike=("memory_type", "user", "metadata"), compare=False,
    )  # fmt: skip
    if receipt.id is None:
        raise InvalidInput("content", receipt.reason or "was not stored")
    return {"id": receipt.id}


def get_memory(given: p.Get, call: Call) -> a.MemoryView:
    return _view(_record(call, given.id), call)


def _view(record: Record, call: Call) -> a.MemoryView:
    """A memory, with the reason for which it was ended, if any was given."""
    if record.valid_until is None:
        return a.view_memory(record)
    past = [step.change for step in call.memory.history(record.id, space=call.space)]
    given = [change.reason for change in past if change.verb == "invalidate" and change.reason]
    return a.view_memory(record, given[-1] if given else None)


def update_memory(given: p.Update, call: Call) -> a.MemoryView:
    record = _record(call, given.id)
    fields: dict[str, Any] = {}
    if given.content is not None and given.content != record.text:
        fields["text"] = _content(given.content)
        need_embedder(call)
    if given.memory_type is not None:
        fields["memory_type"] = given.memory_type
    if given.metadata is not None:
        fields["metadata"] = given.metadata
    if fields:
        call.memory.revise(given.id, space=call.space, **fields)
    return _view(_record(call, given.id), call)


def delete_memory(given: p.Delete, call: Call) -> Mapping[str, bool]:
    try:
        call.memory.forget(given.id, space=call.space)
    except (NotFound, InvalidInput):
        return {"deleted": False}
    return {"deleted": True}


def list_memories(given: p.Page, call: Call) -> a.Memories:
    records = call.memory.list(
        space=call.space, without_kinds=[CODE], valid_only=False, limit=given.limit, offset=given.offset
    )
    total = call.memory.count(space=call.space, without_kinds=[CODE], valid_only=False)
    return a.Memories(
        memories=[a.view_memory(record) for record in records], total=total, limit=given.limit, offset=given.offset
    )


# Search


def search(given: p.Search, call: Call) -> a.Searched:
    hits = search_vectors(
        call.memory, given.query, space=call.space, limit=given.limit, without_kinds=[CODE],
    )  # fmt: skip
    return a.Searched(results=[a.view_found(hit) for hit in hits], count=len(hits), query=given.query)


def search_text(given: p.SearchText, call: Call) -> a.Searched:
    hits = search_keywords(call.memory, given.query, space=call.space, limit=given.limit, without_kinds=[CODE])
    return a.Searched(results=[a.view_found(hit) for hit in hits], count=len(hits), query=given.query)


def recall(given: p.Recall, call: Call) -> a.RecallAnswer:
    code: dict[str, object] = {"kinds": [CODE]}
    if given.include_code:
        code |= {"project": known_project(given.project_id, call), "tags": known_language(given.language, call)}
    groups: list[Mapping[str, object]] = [
        *([{"without_kinds": [CODE]}] if given.include_memories else []),
        *([{name: value for name, value in code.items() if value is not None}] if given.include_code else []),
    ]
    found = weigh(
        call.memory, given.query, vector=given.vector_weight, keyword=given.bm25_weight, graph=given.ppr_weight,
        groups=groups, space=call.space, limit=given.limit,
    )  # fmt: skip
    results = [a.view_recalled(hit, CODE) for hit in found.hits]
    of_code = sum(result.source == "code" for result in results)
    return a.RecallAnswer(
        results=results, query=given.query, subgraph_nodes=found.nodes, memories_count=len(results) - of_code,
        code_count=of_code,
    )  # fmt: skip


# The graph


def create_entity(given: p.CreateEntity, call: Call) -> Mapping[str, str]:
    entity = call.memory.entity(
        given.name,
        type=given.entity_type,
        description=_on_one_line(given.description),
        user=given.user_id,
        space=call.space,
        by_user=True,
    )
    return {"id": entity.id}


def create_relation(given: p.CreateRelation, call: Call) -> Mapping[str, str]:
    subject = _entity(call, "from_entity", given.from_entity)
    relation = call.memory.relate(
        subject, given.relation_type, _entity(call, "to_entity", given.to_entity), weight=given.weight,
        space=call.space, replaces=False, make=False,
    )  # fmt: skip
    return {"id": relation.id}


def get_related(given: p.GetRelated, call: Call) -> a.Related:
    start = _entity(call, "entity_id", given.entity_id)
    around = call.memory.neighbors(start, space=call.space, depth=given.depth, direction=given.direction)
    entities = [a.view_entity(entity) for entity in around.entities[1:]]
    relations = [a.view_relation(relation) for relation in around.relations]
    return a.Related(entities=entities, relations=relations, entity_count=len(entities), relation_count=len(relations))


def _entity(call: Call, argument: str, ref: str) -> str:
    """The id of the entity that an id means, or a name that only one entity has."""
    try:
        found = call.memory.find_entities(ref, space=call.space)
    except InvalidInput:
        found = []
    if not found:
        raise NotFound(f"Entity not found: {ref}")
    if len(found) > 1:
        whose = ", ".join(f"{one.id} ({one.user or 'no user'})" for one in found)
        raise InvalidInput(argument, f"{len(found)} entities are called {ref!r}: give an id, one of {whose}")
    return found[0].id


# Time


def get_valid(given: p.Valid, call: Call) -> a.Valid:
    records = call.memory.list(
        space=call.space, without_kinds=[CODE], user=given.user_id, limit=given.limit
    )  # fmt: skip
    return a.Valid(results=[a.view_memory(record) for record in records], count=len(records))


def get_valid_at(given: p.ValidAt, call: Call) -> a.ValidAt:
    moment = parse_iso_time(given.timestamp, "timestamp")
    records = call.memory.list(
        space=call.space, without_kinds=[CODE], user=given.user_id, true_at=moment, limit=given.limit
    )
    return a.ValidAt(results=[a.view_memory(record) for record in records], count=len(records), timestamp=moment)


def invalidate(given: p.Invalidate, call: Call) -> Mapping[str, bool]:
    try:
        _record(call, given.id)
    except NotFound:
        return {"invalidated": False}
    if given.superseded_by is not None:
        _record(call, given.superseded_by)
    call.memory.invalidate(
        given.id, space=call.space, reason=_on_one_line(given.reason), superseded_by=given.superseded_by
    )
    return {"invalidated": True}


# The server


def get_status(given: p.Nothing, call: Call) -> a.Status:
    held, embedding = _held(call), call.memory.semantics.state()
    deleted = _counts(held)
    if embedding.state == "idle":
        call.memory.semantics.warm()
    failing = embedding.state in ("failed", "none") or bool(call.memory.semantics.problems)
    return a.Status(
        version=__version__,
        status="degraded" if failing else "healthy",
        memories_count=deleted.memories,
        entities_count=deleted.entities,
        code_chunks_count=deleted.code_chunks,
        embedding=_embedding(embedding, 0 if held is None else held.waiting_for_vectors),
        db_dimension=embedding.stored_dim or embedding.dim,
    )


def _held(call: Call) -> SpaceStats | None:
    try:
        return call.memory.describe_space(call.space)[1]
    except NotFound:  # nothing was stored yet
        return None


def reset_all_memory(given: p.Reset, call: Call) -> a.Reset | a.NotReset:
    if not given.confirm:
        return a.NotReset()
    return a.Reset(reset=True, deleted=_counts(call.memory.clear_space(call.space)))


def _record(call: Call, id: str) -> Record:
    """The record of an id in this space. Words that cannot be an id are the id of nothing."""
    try:
        record = call.memory.get(id, space=call.space)
    except InvalidInput:
        record = None
    if record is None:
        raise NotFound(f"Memory not found: {id}")
    return record


def _content(text: str) -> str:
    size = len(text.encode("utf-8", "surrogatepass"))
    if not 1 <= size <= _MOST_BYTES:
        raise InvalidInput("content", f"must have 1 to {_MOST_BYTES:,} bytes, not {size:,}")
    return text


def _on_one_line(text: str | None) -> str | None:
    """The engine keeps labels without line breaks; here people may write some."""
    return None if text is None else " ".join(text.split()) or None


def _counts(held: SpaceStats | None) -> a.Deleted:
    if held is None:
        return a.Deleted(memories=0, entities=0, relations=0, code_chunks=0)
    code = held.by_kind.get(CODE, 0)
    return a.Deleted(
        memories=held.records - code, entities=held.entities, relations=held.relations, code_chunks=code
    )  # fmt: skip


def _embedding(state: EmbeddingState, waiting: int) -> a.Embedding:
    cache, said = view(a.CacheStats, state), _EMBEDDING[state.state]
    return view(a.Embedding, state, status=said, dimensions=state.dim, cache_stats=cache, waiting=waiting)
