"""Which terms of a source, or of a whole space, might deserve a memory of their own?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from recollect.engine.core import Core, find
from recollect.engine.intake.sources import read_segments
from recollect.engine.parse import parse_optional, parse_space
from recollect.engine.write.grounds import cites, segment_id, source_id
from recollect.errors import InvalidInput
from recollect.ingest.concepts import Concept as Concept
from recollect.ingest.concepts import Concepts, Passage, concept_key, find_concepts
from recollect.store.base import View
from recollect.types import DEFAULT_SPACE, NOT_KNOWLEDGE, SEGMENT_KINDS, Filter, Metadata, Record

MOST_READ = 2_000
"""Texts of each sort, the newest, that are looked through for a whole space."""
_MOST_CITING = 200
_MOST_KNOWN = 10_000


def concepts_of(core: Core, space: str = DEFAULT_SPACE, *, source: str | None = None) -> Concepts:
    """The terms that a source and what cites it name again and again; without a source, all that is newest."""
    space, source = parse_space(space), parse_optional(source, "source")
    with core.store.read() as view:
        passages = list(_of_space(view, space) if source is None else _of_source(view, space, source))
        return find_concepts(passages, _known(view, space))


def _known(view: View, space: str) -> set[str]:
    """The keys of what is a concept already."""
    held = view.select(Record, Filter(spaces=(space,), kinds=("concept",)), "newest", _MOST_KNOWN)
    return {concept_key(record.title or record.text) for record in held}


def _of_source(view: View, space: str, id: str) -> Iterator[Passage]:
    source = find(view, Record, id, space)
    if source.kind != "source":
        raise InvalidInput("source", f"{id} is a {source.kind}, not a source")
    scopes = _scopes(source)
    for segment in read_segments(view, source):
        yield _segment(segment, source, scopes)
    for record in cites(view, space, [f"evidence:{id}"], _MOST_CITING):
        if record.kind not in NOT_KNOWLEDGE and record.kind != "concept":
            yield _statement(record)


def _of_space(view: View, space: str) -> Iterator[Passage]:
    sources: dict[str, Record | None] = {}
    recent = Filter(spaces=(space,), kinds=SEGMENT_KINDS)
    for segment in view.select(Record, recent, "newest", MOST_READ):
        if segment.source is not None and segment.source not in sources:
            sources[segment.source] = view.get(Record, space, source_id(segment.source))
        source = sources.get(segment.source or "")
        if source is not None and source.status != "archived":
            yield _segment(segment, source, _scopes(source))
    stated = Filter(spaces=(space,), without_kinds=(*NOT_KNOWLEDGE, "concept"))
    for record in view.select(Record, stated, "newest", MOST_READ):
        yield _statement(record)


def _scopes(source: Record) -> tuple[str, ...]:
    """Where a concept of a source holds: in its repository, or in the source itself."""
    payload = cast("Metadata", source.metadata.get("payload") or {})
    nodes = payload.get("node_ids")
    first = nodes[0] if isinstance(nodes, list | tuple) and nodes else None
    return (first if isinstance(first, str) else source.id,)


def _segment(segment: Record, source: Record, scopes: tuple[str, ...]) -> Passage:
    locator = segment.locator or {}
    path = locator.get("heading_path")
    headings = tuple(part for part in path if isinstance(part, str)) if isinstance(path, list | tuple) else ()
    is_title = len(headings) == 1 and locator.get("line_start") == 1
    titles = (source.title or "", *(headings[:1] if is_title else ()))
    return Passage(
        text="" if locator.get("chunk_kind") == "code" else segment.text, headings=headings, titles=titles,
        source=source.id, segment=segment_id(segment), locator=locator, scopes=scopes,
    )  # fmt: skip


def _statement(record: Record) -> Passage:
    scopes = () if record.grounds is None else record.grounds.scopes or record.grounds.subjects
    return Passage(text=f"{record.title or ''}\n{record.text}", object=record.id, scopes=scopes)
