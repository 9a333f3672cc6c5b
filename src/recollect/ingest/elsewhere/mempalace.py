"""What does MemPalace keep?

Drawers stand in a Chroma database (`chroma.sqlite3`): a document with its wing, its room and when it was filed. Facts
stand in `knowledge_graph.sqlite3`, which may lie elsewhere. Drawers that were cut into chunks are put together again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import MAXYEAR, datetime, timedelta

from recollect.ingest.elsewhere.found import Fact, Item, Left, Material, Note, Origin, Row, share_of, text_of, time_of
from recollect.types import Json

_DOCUMENT = "chroma:document"
_CHROMA = {"embeddings", "embedding_metadata", "collections", "segments"}
_VALUES = ("string_value", "int_value", "float_value", "bool_value")
_DAY = re.compile(r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}")
_KEPT = ("source_file", "added_by", "hall", "topic", "agent", "type", "date")


def _drawers(files: Material) -> list[str]:
    return [name for name in files.files if files.tables(name) >= _CHROMA and _has_drawers(files, name)]


def _has_drawers(files: Material, name: str) -> bool:
    return any(text_of(row, "name").startswith("mempalace") for row in files.rows(name, "collections"))


def _graphs(files: Material) -> list[str]:
    return [name for name in files.files if files.tables(name) >= {"entities", "triples"}]


def _fits(files: Material) -> bool:
    return bool(_drawers(files)) or any(name.endswith("knowledge_graph.sqlite3") for name in _graphs(files))


def _read(files: Material) -> Iterator[Item]:
    for name in _drawers(files):
        yield from _read_drawers(files, name)
    for name in _graphs(files):
        yield from _read_facts(files, name)


def _read_drawers(files: Material, name: str) -> Iterator[Item]:
    ids = {row["id"]: text_of(row, "embedding_id") for row in files.rows(name, "embeddings")}
    drawers: dict[object, dict[str, object]] = {}
    for row in files.rows(name, "embedding_metadata"):
        value = next((row[kind] for kind in _VALUES if row.get(kind) is not None), None)
        drawers.setdefault(row.get("id"), {})[text_of(row, "key")] = value
    chunks: dict[str, list[tuple[int, dict[str, object]]]] = {}
    for number, drawer in drawers.items():
        key = text_of(drawer, "parent_drawer_id") or ids.get(number, "")
        place = drawer.get("chunk_index")
        chunks.setdefault(key, []).append((place if isinstance(place, int) else 0, drawer))
    for key, parts in chunks.items():
        parts.sort(key=lambda part: part[0])
        text = "".join(str(drawer.get(_DOCUMENT) or "") for _, drawer in parts)
        yield _note(key, text, parts[0][1]) if text.strip() else Left("drawer", "it has no text")


def _note(key: str, text: str, drawer: Row) -> Note:
    metadata: dict[str, Json] = {name: value for name in _KEPT if (value := text_of(drawer, name))}
    if (changed := time_of(drawer, "last_modified")) is not None:
        metadata["updated_at"] = changed.isoformat()
    diary = text_of(drawer, "type") == "diary_entry"
    return Note(
        key=key, text=text.strip(), project=text_of(drawer, "wing") or None, room=text_of(drawer, "room") or None,
        source=text_of(drawer, "source_file") or None, at=time_of(drawer, "filed_at"), metadata=metadata,
        importance=share_of(drawer.get("importance")), memory_type="episodic" if diary else "semantic",
        kind="note" if diary else "memory",
    )  # fmt: skip


def _read_facts(files: Material, name: str) -> Iterator[Item]:
    names = {text_of(row, "id"): text_of(row, "name") for row in files.rows(name, "entities")}
    for row in files.rows(name, "triples"):
        ends = [names.get(end, end) for end in (text_of(row, "subject"), text_of(row, "object"))]
        predicate = text_of(row, "predicate")
        if not all((*ends, predicate)):
            yield Left("fact", "an end or the predicate is missing")
            continue
        share = share_of(row.get("confidence"))
        yield Fact(
            subject=ends[0], predicate=predicate, object=ends[1], since=time_of(row, "valid_from", "extracted_at"),
            until=_end_of(row), confidence=1.0 if share is None else share,
            provenance=text_of(row, "source_file", "source_closet") or None,
        )  # fmt: skip


def _end_of(row: Row) -> datetime | None:
    """Until when a fact holds: what ends on a day there holds through that day."""
    moment = time_of(row, "valid_to")
    if moment is None or _DAY.fullmatch(text_of(row, "valid_to")) is None or moment.year == MAXYEAR:
        return moment
    return moment + timedelta(days=1)


ORIGIN = Origin("mempalace", _fits, _read)
