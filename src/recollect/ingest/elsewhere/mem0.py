"""What does mem0 keep?

Its history database tells of every memory what it became; what `get_all` answers, or a download of the platform, is
JSON with the memories as they are. The history alone says nothing of users.
"""

from __future__ import annotations

import re
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
    fact_of,
    key_of,
    labels_of,
    mapping_of,
    text_of,
    time_of,
)
from recollect.types import Json

_HISTORY = "history"
_MEMORY = re.compile(rb'"memory"\s*:')
_OWNERS = ("user_id", "agent_id", "run_id", "app_id", "actor_id")


def _database(files: Material) -> str | None:
    return next((name for name in files.files if _HISTORY in files.tables(name) and _is_history(files, name)), None)


def _is_history(files: Material, name: str) -> bool:
    first = next(files.rows(name, _HISTORY), None)
    return first is None or {"memory_id", "new_memory", "event"} <= set(first)


def _listed(data: bytes) -> tuple[list[Row], list[Row]]:
    """The memories, and the relations between what they speak of, where a graph was kept."""
    found: object = msgspec.json.decode(data)
    related: object = None
    if isinstance(found, Mapping):
        held = cast("Mapping[str, object]", found)
        found = next((held[name] for name in ("results", "memories", "data") if isinstance(held.get(name), list)), None)
        related = held.get("relations")
    return _rows(found), _rows(related)


def _rows(found: object) -> list[Row]:
    listed = cast("list[object]", found) if isinstance(found, list) else []
    return [cast("Row", one) for one in listed if isinstance(one, Mapping)]


def _fits(files: Material) -> bool:
    if _database(files) is not None:
        return True
    if len(files.files) != 1:
        return False
    head = files.head(files.files[0])
    return (
        head.lstrip()[:1] in (b"{", b"[")
        and _MEMORY.search(head) is not None
        and (b'"user_id"' in head or b'"hash"' in head)
    )


def _read(files: Material) -> Iterator[Item]:
    name = _database(files)
    if name is not None:
        yield from _read_history(files.rows(name, _HISTORY))
        return
    memories, relations = _listed(files.read(files.files[0]))
    for row in memories:
        text = text_of(row, "memory", "text", "data")
        if text:
            yield _note(row, _id_of(row), text)
        else:
            yield Left("memory", "it has no text")
    for row in relations:
        ends = text_of(row, "source"), text_of(row, "relationship", "relation"), text_of(row, "target", "destination")
        yield fact_of(*ends)


def _id_of(row: Row) -> str:
    """What a memory is known by: a text, or a number where somebody's vector store counts."""
    id = row.get("id")
    return str(id) if isinstance(id, int) and not isinstance(id, bool) else text_of(row, "id")


def _read_history(rows: Iterator[Row]) -> Iterator[Item]:
    """The last that was said of each memory; those that were deleted do not come."""
    last: dict[str, Row] = {}
    first: dict[str, Row] = {}
    for row in rows:
        key = text_of(row, "memory_id")
        first.setdefault(key, row)
        last[key] = row
    for key, row in last.items():
        text = text_of(row, "new_memory")
        if row.get("is_deleted") or text_of(row, "event") == "DELETE" or not text:
            yield Left("memory", "it was deleted there")
        else:
            owners = {name: value for name, value in first[key].items() if name in (*_OWNERS, "role") and value}
            begun = first[key].get("created_at")
            yield _note({**row, **owners, "created_at": begun}, key, text)


def _note(row: Row, key: str, text: str) -> Note:
    metadata = mapping_of(row.get("metadata"))
    for name in ("agent_id", "run_id", "app_id", "actor_id"):
        if isinstance(value := row.get(name), str):
            metadata[name] = value
    if at := time_of(row, "updated_at"):
        metadata["updated_at"] = cast("Json", at.isoformat())
    owners = [f"{name}={row[name]}" for name in _OWNERS if row.get(name)]
    return Note(
        key=key or key_of(text, *owners), text=text, user=text_of(row, "user_id") or None,
        role=text_of(row, "role") or None, tags=labels_of(row.get("categories")), at=time_of(row, "created_at"),
        metadata=metadata,
    )  # fmt: skip


ORIGIN = Origin("mem0", _fits, _read)
