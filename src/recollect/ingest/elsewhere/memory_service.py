"""What does mcp-memory-service keep?

A SQLite database with a table of memories, or the JSON of its own export. What it deleted only carries a time since.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

import msgspec

from recollect.ingest.elsewhere.found import (
    Item,
    Left,
    Material,
    Note,
    Origin,
    Row,
    labels_of,
    mapping_of,
    text_of,
    time_of,
)

_MEMORIES = "memories"


def _databases(files: Material) -> list[str]:
    return [name for name in files.files if _MEMORIES in files.tables(name) and _is_ours(files, name)]


def _is_ours(files: Material, name: str) -> bool:
    first = next(files.rows(name, _MEMORIES), None)
    return first is not None and {"content_hash", "content", "memory_type"} <= set(first)


def _fits(files: Material) -> bool:
    if _databases(files):
        return True
    head = files.head(files.files[0]) if len(files.files) == 1 else b""
    return head.lstrip()[:1] == b"{" and b'"content_hash"' in head and b'"memories"' in head


def _read(files: Material) -> Iterator[Item]:
    databases = _databases(files)
    for name in databases:
        yield from map(_item, files.rows(name, _MEMORIES))
    if not databases:
        found: object = msgspec.json.decode(files.read(files.files[0]))
        listed = cast("Mapping[str, object]", found).get(_MEMORIES) if isinstance(found, Mapping) else None
        for row in cast("list[object]", listed) if isinstance(listed, list) else []:
            yield _item(cast("Row", row)) if isinstance(row, Mapping) else Left("memory", "it is no object")


def _item(row: Row) -> Item:
    text = text_of(row, "content")
    if row.get("deleted_at"):
        return Left("memory", "it was deleted there")
    if not text:
        return Left("memory", "it has no text")
    metadata = mapping_of(row.get("metadata"))
    source = metadata.get("source")
    tags = tuple(tag for tag in labels_of(row.get("tags")) if tag != "untagged" and not tag.startswith("conflict:"))
    return Note(
        key=text_of(row, "content_hash") or text, text=text, kind=text_of(row, "memory_type") or "memory", tags=tags,
        at=time_of(row, "created_at", "created_at_iso"), source=source if isinstance(source, str) else None,
        metadata=metadata,
    )  # fmt: skip


ORIGIN = Origin("mcp-memory-service", _fits, _read)
