"""What of an answer is sent that would be too long to read?

Long texts are cut at one length, the longest first, and each says so where it ends. Where that is not enough, the
longest list ends earlier. A note says what is missing: nothing is left out unsaid.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias, cast

import msgspec

MOST_BYTES = 25_000
"""Of an answer that is neither one thing that was asked for by its id, nor a page of a list."""
_SHORTEST_CUT = 240  # bytes; a text is not cut to less
_FOR_NOTES = 400  # bytes

Place: TypeAlias = tuple[Any, str | int]
"""An object or a list of decoded JSON, and a key or index in it."""


def fit(value: Any, *, paged: bool = False, beside: int = 0) -> tuple[Any, str | None]:
    """Decoded JSON that is short enough, and what was left out of it. Of pages every entry is kept.

    `beside` are the bytes of what else stands in the answer.
    """
    room = MOST_BYTES - _FOR_NOTES - beside
    notes = _cut_texts(value, room)
    excess = _size(value) - room
    if excess > 0 and not paged:
        notes += _shorten_list(value, excess)
    note = f"Cut to stay below {MOST_BYTES // 1000} KB: {'; '.join(notes)}." if notes else None
    if note is not None and isinstance(value, dict):
        answer = cast("dict[str, Any]", value)
        answer["note"] = f"{answer['note']} {note}" if answer.get("note") else note
    return cast("Any", value), note


def _size(value: object) -> int:
    return len(msgspec.json.encode(value))


def _places(value: Any) -> Iterator[Place]:
    """Every place in a value."""
    keys: list[Any] = list(cast("Any", value)) if isinstance(value, dict) else []
    if isinstance(value, list):
        keys = list(range(len(cast("Any", value))))
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _cut_texts(value: Any, room: int) -> list[str]:
    """Cuts the longest texts until all fits, or none is long."""
    texts = [(inside, key, inside[key]) for inside, key in _places(value) if isinstance(inside[key], str)]
    sizes = [_size(text) for _, _, text in texts]
    level = _level(sizes, room - (_size(value) - sum(sizes)))
    long = [(place, size) for place, size in zip(texts, sizes, strict=True) if size > level]
    for (inside, key, text), size in long:
        shown = text[: max(int(len(text) * level / size) - 40, 1)]
        inside[key] = f"{shown} … [cut: {len(shown):,} of {len(text):,} characters]"
    return [f"long texts ({len(long)}), each marked where it ends"] if long else []


def _level(sizes: list[int], room: int) -> int:
    """The most bytes of one text at which all of them together fit."""
    left = room
    for taken, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - taken)
        if size > share:
            return max(share, _SHORTEST_CUT)
        left -= size
    return max(sizes, default=0)


def _shorten_list(value: Any, excess: int) -> list[str]:
    """Takes entries from the end of the longest list until enough is gone."""
    found = [(inside[key], key) for inside, key in _places([value]) if isinstance(inside[key], list)]
    lists = [(entries, key) for entries, key in found if len(entries) > 1]
    if not lists:
        return []
    entries, key = max(lists, key=lambda each: _size(each[0]))
    total, gone = len(entries), 0
    while len(entries) > 1 and gone < excess:
        gone += _size(entries.pop()) + 1
    of = f" of `{key}`" if isinstance(key, str) else ""
    return [f"the last {total - len(entries):,} of {total:,} entries{of}"]
