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
        yield from _items(list(files.rows(name, _MEMORIES)))
    if not databases:
        found: object = msgspec.json.decode(files.read(files.files[0]))
        listed = cast("Mapping[str, object]", found).get(_MEMORIES) if isinstance(found, Mapping) else None
        held = cast("list[object]", listed) if isinstance(listed, list) else []
        yield from [Left("memory", "it is no object") for row in held if not isinstance(row, Mapping)]
        yield from _items([cast("Row", row) for row in held if isinstance(row, Mapping)])


def _items(rows: list[Row]) -> Iterator[Item]:
    """The memories; one that another has taken the place of is known by that from then on."""
    earlier: dict[str, list[str]] = {}
    for row in rows:
        if follower := text_of(row, "superseded_by"):
            earlier.setdefault(follower, []).append(text_of(row, "content_hash"))
    for row in rows:
        if text_of(row, "superseded_by") and not row.get("deleted_at"):
            yield Left("memory", "another has taken its place there")
        else:
            yield _item(row, tuple(_before(text_of(row, "content_hash"), earlier)))


def _before(key: str, earlier: Mapping[str, list[str]]) -> list[str]:
    """The keys of all that led to a memory, the latest first."""
    found: dict[str, None] = {}
    open = [key]
    while open:
        for one in earlier.get(open.pop(0), []):
            if one != key and one not in found:
                found[one] = None
                open.append(one)
    return [*found]


def _item(row: Row, formerly: tuple[str, ...]) -> Item:
    text = text_of(row, "content")
    if row.get("deleted_at"):
        return Left("memory", "it was deleted there")
    if not text:
        return Left("memory", "it has no text")
    metadata = mapping_of(row.get("metadata"))
    source = metadata.get("source")
    if (changed := time_of(row, "updated_at", "updated_at_iso")) is not None:
        metadata["updated_at"] = changed.isoformat()
    tags = tuple(tag for tag in labels_of(row.get("tags")) if tag != "untagged" and not tag.startswith("conflict:"))
    return Note(
        key=text_of(row, "content_hash") or text, formerly=formerly, text=text, tags=tags,
        kind=text_of(row, "memory_type") or "memory",
        at=time_of(row, "created_at", "created_at_iso"), source=source if isinstance(source, str) else None,
        metadata=metadata,
    )  # fmt: skip


ORIGIN = Origin("mcp-memory-service", _fits, _read)
