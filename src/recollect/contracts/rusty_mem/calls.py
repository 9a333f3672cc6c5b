"""What does each tool of rusty-mem do?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

import msgspec
from msgspec import Struct, field

from recollect.contracts.fit import fit
from recollect.contracts.rusty_mem import params as p
from recollect.contracts.rusty_mem.arguments import TimeRange
from recollect.contracts.tool import Call
from recollect.engine.intake.chunks import counters, ingest_chunks
from recollect.errors import InvalidInput
from recollect.types import UNSET, Hit, Record

CONTEXT_TOKENS = 2_500
"""Of an answer that has the results as well, and must not fill a model's own context."""
_FRAME = 600  # bytes of an answer that are neither results nor context nor filters
_OWN_SOURCE = "summary:"  # how a summary is found again; no file and no address


class Found(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One memory that answers a search."""

    id: str
    score: float
    text: str
    project_id: str
    memory_type: str
    tags: tuple[str, ...] | None
    timestamp: str
    source_uri: str | None = None


class Searched(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`note` is there only where something was cut."""

    results: Sequence[object]
    context: str | None = None
    note: str | None = None
    collection: str
    limit: int
    score_threshold: float
    score_threshold_again: float = field(name="scoreThreshold")
    used_filters: Mapping[str, object]


class Pushed(Struct, frozen=True, kw_only=True, rename="camel"):
    status: str
    collection: str
    chunks_indexed: int
    chunk_size: int
    inserted: int
    updated: int
    skipped_duplicates: int


class Summarized(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`note` is there only where something else was done than was asked for, or an argument had no effect."""

    summary: str
    source_memory_ids: tuple[str, ...]
    upserted_memory_id: str
    strategy: str
    provider: str | None = None
    model: str | None = None
    note: str | None = None
    used_filters: Mapping[str, object]


class Metrics(Struct, frozen=True, kw_only=True, rename="camel"):
    documents_indexed: int
    chunks_indexed: int
    last_chunk_size: int | None


def filter_project(project_id: str) -> list[str | None]:
    """What was stored without a project, by another contract say, belongs to the default one."""
    return [project_id, None] if project_id == p.DEFAULT_PROJECT else [project_id]


def search(given: p.Search, call: Call) -> Searched:
    collection = _existing(given.collection, call)
    bounds = given.time_range or TimeRange()
    found = call.memory.recall(
        given.query_text, space=collection, limit=given.limit,
        project=filter_project(given.project_id), tags=given.tags,
        memory_types=() if given.memory_type is None else (given.memory_type,),
        since=bounds.moment("start"), until=bounds.moment("end"), budget_tokens=CONTEXT_TOKENS,
        thorough=True, fold=False, facts=False,
    )  # fmt: skip
    shown = [
        (hit, score)
        for hit, score in zip(found, _scores(found), strict=True)
        if found.signals.brief or score >= given.score_threshold
    ]
    used = _used(given.project_id, given.memory_type, given.tags, given.time_range, collection, given.limit)
    context = found.pack([hit for hit, _ in shown])
    results = msgspec.to_builtins([_found(hit, score) for hit, score in shown])
    results, note = fit(results, beside=len(msgspec.json.encode([context, used])) + _FRAME)
    return Searched(
        results=results,
        context=context or None,
        note=note,
        collection=collection,
        limit=given.limit,
        score_threshold=given.score_threshold,
        score_threshold_again=given.score_threshold,
        used_filters={**used, "score_threshold": given.score_threshold},
    )


def push(given: p.Push, call: Call) -> Pushed:
    collection = given.collection or call.space
    done = ingest_chunks(
        call.memory.core,
        given.text,
        space=collection,
        project=given.project_id,
        memory_type=UNSET if given.memory_type is None else given.memory_type,
        tags=given.tags or UNSET,
        source=UNSET if given.source_uri is None else given.source_uri,
    )
    return Pushed(
        status="ok",
        collection=collection,
        chunks_indexed=len(done.ids),
        chunk_size=done.chunk_tokens,
        inserted=done.stored,
        updated=done.updated,
        skipped_duplicates=done.skipped,
    )


def summarize(given: p.Summarize, call: Call) -> Summarized:
    collection = _existing(given.collection, call)
    made = call.memory.summarize(
        space=collection, project=filter_project(given.project_id), memory_type=given.memory_type,
        tags=given.tags, since=given.time_range.moment("start"), until=given.time_range.moment("end"),
        limit=given.limit, max_words=given.max_words, strategy=given.strategy, provider=given.provider,
        model=given.model, sample=call.sample,
    )  # fmt: skip
    used = _used(given.project_id, given.memory_type, given.tags, given.time_range, collection, given.limit)
    named = {"provider": given.provider, "model": given.model}
    return Summarized(
        summary=made.text,
        source_memory_ids=made.sources,
        upserted_memory_id=made.id,
        strategy=made.strategy,
        provider=made.provider,
        model=made.model,
        note=made.note,
        used_filters={
            **used, "max_words": given.max_words, "strategy": given.strategy,
            **{name: value for name, value in named.items() if value is not None},
        },
    )  # fmt: skip


def get_collections(given: p.Nothing, call: Call) -> Mapping[str, list[str]]:
    return {"collections": sorted(space.name for space in call.memory.spaces())}


def new_collection(dimension_of_server: int | None, given: p.NewCollection, call: Call) -> Mapping[str, object]:
    wanted, dimension = given.vector_size or dimension_of_server, call.memory.semantics.state().dim
    if wanted is not None and dimension is not None and wanted != dimension:
        whose = "" if given.vector_size else " (EMBEDDING_DIMENSION)"
        raise InvalidInput("vector_size", f"must be {dimension}, as the embedder gives; not {wanted}{whose}")
    call.memory.create_space(given.name)
    return {"status": "ok", "vectorSize": wanted or dimension}


def metrics(given: p.Nothing, call: Call) -> Metrics:
    counted = counters(call.memory.core, "ingest.")
    return Metrics(
        documents_indexed=counted.get("ingest.documents", 0),
        chunks_indexed=counted.get("ingest.chunks", 0),
        last_chunk_size=counted.get("ingest.chunk_tokens"),
    )


def _existing(collection: str | None, call: Call) -> str:
    """The collection to read. One that is named must exist; the default one may come into being later."""
    if collection is not None and not call.memory.has_space(collection):
        raise InvalidInput("collection", f"does not exist: {collection!r}; get-collections lists those that do")
    return collection or call.space


def _scores(hits: Sequence[Hit]) -> list[float]:
    """How likely each answers, or its cosine where that is higher, and never less than what stands below it.

    Clients leave out what scores less than they know from cosines: no hit that had such a cosine is lost to them.
    """
    own = [max(hit.score, hit.why.vector or 0.0) for hit in hits]
    return [round(score, 6) for score in accumulate(reversed(own), max)][::-1]


def _found(hit: Hit, score: float) -> Found:
    record = hit.record
    return Found(
        id=record.id,
        score=score,
        text=record.text,
        project_id=record.project or p.DEFAULT_PROJECT,
        memory_type=record.memory_type,
        tags=record.tags,
        timestamp=record.event_time.isoformat().replace("+00:00", "Z"),
        source_uri=_source(record),
    )


def _source(record: Record) -> str | None:
    own = record.source is not None and record.source.startswith(_OWN_SOURCE)
    return None if own else record.source


def _used(
    project_id: str,
    memory_type: str | None,
    tags: tuple[str, ...],
    bounds: TimeRange | None,
    collection: str,
    limit: int,
) -> dict[str, object]:
    """The filters that were applied, as they are echoed."""
    used: dict[str, object] = {"project_id": project_id}
    if memory_type is not None:
        used["memory_type"] = memory_type
    if tags:
        used["tags"] = tags
    if bounds is not None:
        used["time_range"] = bounds
    return {**used, "collection": collection, "limit": limit}
