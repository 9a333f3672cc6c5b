"""In which frames do answers stand, and how is anything in them kept small?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from recollect.contracts.memory_substrate import view as v

MOST_SHOWN = 100
"""Ids that one answer lists of a kind; the rest is counted, and `memory_maintain audit` shows it."""
_PROSE = ("summary", "excerpt", "text", "content", "reason", "resolution", "description", "module_doc")
_USUAL = 400
_DEEPEST = 6
_SHALLOW = 2
_MOST_FIELDS = 64
_MOST_NESTED = 12
_MOST_NOTES = 40
_LONGEST_PLACE = 200
_LOCATOR_CHARS, _LOCATOR_ITEMS, _LOCATOR_FIELDS = 240, 8, 16


def answer(result_type: str, data: Mapping[str, object], warnings: Sequence[str] = ()) -> dict[str, object]:
    return {"result_type": result_type, **data, "warnings": list(warnings)}


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


def bound(
    value: object, place: str, *, items: int, chars: int, truncated: dict[str, dict[str, int]], depth: int = 0
) -> object:
    """A copy of a JSON value in which no list is longer than `items` and no text that people read than `chars`.

    Hashes, paths and the like are left whole up to a length that is usual for them. What was cut is noted in
    `truncated`, by its place.
    """
    if isinstance(value, str):
        chars = chars if place.rpartition(".")[2] in _PROSE else max(chars, _USUAL)
        if len(value) > chars:
            _note(truncated, place, returned_chars=chars, total_chars=len(value))
        return v.clip(value, chars)
    if isinstance(value, list | tuple):
        entries = cast("Sequence[object]", value)
        most = min(items, _MOST_NESTED if depth > _SHALLOW else items) if depth < _DEEPEST else 0
        if len(entries) > most:
            _note(truncated, place, returned=most, total=len(entries))
        return [
            bound(each, f"{place}.{i}", items=items, chars=chars, truncated=truncated, depth=depth + 1)
            for i, each in enumerate(entries[:most])
        ]
    if isinstance(value, Mapping):
        fields = list(cast("Mapping[str, object]", value).items())
        most = _MOST_FIELDS if depth < _DEEPEST else 0
        if len(fields) > most:
            _note(truncated, place, returned=most, total=len(fields))
        return {
            v.clip(name, chars): bound(
                each, f"{place}.{name}" if place else name, items=items, chars=chars, truncated=truncated,
                depth=depth + 1,
            )
            for name, each in fields[:most]
        }  # fmt: skip
    return value


def _note(truncated: dict[str, dict[str, int]], place: str, **counts: int) -> None:
    if len(truncated) < _MOST_NOTES:
        truncated[v.clip(place, _LONGEST_PLACE)] = counts


def bound_locator(locator: Mapping[str, object]) -> dict[str, object]:
    """A locator whose texts and lists are not longer than they need be."""

    def cut(value: object) -> object:
        if isinstance(value, str):
            return v.clip(value, _LOCATOR_CHARS)
        if isinstance(value, list | tuple):
            return [cut(each) for each in cast("Sequence[object]", value)[:_LOCATOR_ITEMS]]
        return value

    return {name: cut(value) for name, value in list(locator.items())[:_LOCATOR_FIELDS]}
