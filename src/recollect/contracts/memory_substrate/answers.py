"""In which frame do answers of memory_query stand, and how is anything in them kept small?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from recollect.contracts.memory_substrate.view import clip

_PROSE = ("summary", "excerpt", "text", "content", "reason", "resolution", "description", "module_doc")
_USUAL = 400
_DEEPEST = 6
_SHALLOW = 2
_MOST_FIELDS = 64
_MOST_NESTED = 12
_MOST_NOTES = 40
_LONGEST_PLACE = 200


def answer(result_type: str, data: Mapping[str, object], warnings: Sequence[str] = ()) -> dict[str, object]:
    return {"result_type": result_type, **data, "warnings": list(warnings)}


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
        return clip(value, chars)
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
            clip(name, chars): bound(
                each, f"{place}.{name}" if place else name, items=items, chars=chars, truncated=truncated,
                depth=depth + 1,
            )
            for name, each in fields[:most]
        }  # fmt: skip
    return value


def _note(truncated: dict[str, dict[str, int]], place: str, **counts: int) -> None:
    if len(truncated) < _MOST_NOTES:
        truncated[clip(place, _LONGEST_PLACE)] = counts
