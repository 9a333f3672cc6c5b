"""In which frames do answers stand, and how is anything in them kept small?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

import msgspec

from recollect.contracts.fit import MOST_BYTES
from recollect.contracts.memory_substrate import view as v

MOST_SHOWN = 100
"""Ids that one answer lists of a kind; the rest is counted, and `memory_maintain audit` shows it."""
_PROSE = ("summary", "excerpt", "text", "content", "reason", "resolution", "description", "module_doc")
_USUAL = 400
_ROOM = MOST_BYTES - 2_000
_DEEPEST = 12
_MOST_NOTES = 40
_LONGEST_PLACE = 200


def answer(result_type: str, data: Mapping[str, object], warnings: Sequence[str] = ()) -> dict[str, object]:
    return {"result_type": result_type, **data, "warnings": list(warnings)}


def fitting(most: int, make: Callable[[int], dict[str, object]]) -> dict[str, object]:
    """What is made of at most so many objects, or of as many as can be sent where one part points into another."""
    while (size := len(msgspec.json.encode(made := make(most)))) > _ROOM and most > 1:
        most = max(1, min(most - 1, most * _ROOM // size))
    return made


def written(entries: Sequence[int], **more: object) -> dict[str, object]:
    """What was written, by the journal's entries: each is one operation, and renews what derives from it."""
    told: dict[str, object] = {
        "patch_id": v.patch_id(entries),
        **more,
        "applied_operations": len(entries),
        "audit_event_ids": [v.audit_id(entry) for entry in entries[:MOST_SHOWN]],
        "projection_count": len(entries),
    }
    left = len(entries) - MOST_SHOWN
    return {**told, "audit_event_ids_omitted": left} if left > 0 else told


def bound(value: object, place: str, *, items: int, chars: int, truncated: dict[str, dict[str, int]]) -> object:
    """A copy of a JSON value in which no list is longer than `items` and no text that people read than `chars`.

    Hashes, paths and the like are left whole up to a length that is usual for them, and what lies too deep is left
    empty. What was cut is noted in `truncated`, by its place.
    """
    if isinstance(value, str):
        most = chars if place.rpartition(".")[2] in _PROSE else max(chars, _USUAL)
        if len(value) > most:
            _note(truncated, place, returned_chars=most, total_chars=len(value))
        return v.clip(value, most)
    if not isinstance(value, list | tuple | Mapping):
        return value
    named = isinstance(value, Mapping)
    entries = list(cast("Mapping[str, object]", value).items() if named else enumerate(cast("Sequence[object]", value)))
    most = 0 if place.count(".") >= _DEEPEST else len(entries) if named else items
    if len(entries) > most:
        _note(truncated, place, returned=most, total=len(entries))
    cut = {
        key: bound(each, f"{place}.{key}".lstrip("."), items=items, chars=chars, truncated=truncated)
        for key, each in entries[:most]
    }
    return {v.clip(str(key), chars): each for key, each in cut.items()} if named else list(cut.values())


def _note(truncated: dict[str, dict[str, int]], place: str, **counts: int) -> None:
    if len(truncated) < _MOST_NOTES:
        truncated[v.clip(place, _LONGEST_PLACE)] = counts
