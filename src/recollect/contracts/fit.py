"""What of an answer is sent that would be too long to read?

Long texts are cut at one length, the longest first, and each says so where it ends. Where that is not enough, the
longest lists end earlier. A note says what is missing: nothing is left out unsaid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, cast

import msgspec

from recollect.contracts.tool import Length

MOST_BYTES = 25_000
"""Of an answer that is neither one thing that was asked for by its id, nor a page of a list."""
_SHORTEST_CUT = 240  # bytes; a text is not cut to less
_FOR_NOTES = 400  # bytes
_FOR_MARK = 64  # bytes that say where a text was cut

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
        notes += _shorten_lists(value, excess)
    note = f"Cut to stay below {MOST_BYTES // 1000} KB: {'; '.join(notes)}." if notes else None
    if note is not None:
        _attach(note, value)
    return value, note


def _attach(note: str, value: Any) -> None:
    """To an object, or to the last entry of a list, which has no other room for it."""
    bearer: object = cast("list[Any]", value)[-1] if isinstance(value, list) else value
    if isinstance(bearer, dict):
        answer = cast("dict[str, Any]", bearer)
        answer["note"] = f"{answer['note']} {note}" if answer.get("note") else note


def write_fitted(value: object, length: Length, encode: Callable[[object], bytes]) -> bytes:
    """A tool's answer as JSON, cut where it must be."""
    written = encode(value)
    if len(written) <= MOST_BYTES or length == "whole":
        return written
    fitted, _ = fit(msgspec.json.decode(written), paged=length == "page")
    return encode(fitted)


def _size(value: object) -> int:
    return len(msgspec.json.encode(value))


def _places(value: Any) -> Iterator[Place]:
    """Every place in a value."""
    for key in _keys(value):
        yield value, key
        yield from _places(value[key])


def _keys(value: Any) -> list[Any]:
    if isinstance(value, list):
        return list(range(len(cast("Any", value))))
    return list(cast("Any", value)) if isinstance(value, dict) else []


def _cut_texts(value: Any, room: int) -> list[str]:
    """Cuts the longest texts until all fits, or none is long."""
    texts = [(inside, key, inside[key]) for inside, key in _places(value) if isinstance(inside[key], str)]
    sizes = [_size(text) for _, _, text in texts]
    level = _level(sizes, room - (_size(value) - sum(sizes)))
    long = [(place, size) for place, size in zip(texts, sizes, strict=True) if size > level]
    for (inside, key, text), size in long:
        shown = text[: max(int(len(text) * level / size) - _FOR_MARK, 1)]
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


def _shorten_lists(value: Any, excess: int) -> list[str]:
    """Takes entries from the end of whichever list is the longest, until enough is gone: of a list of which one entry
    is left, from the lists in that.
    """
    lists = [(entries, key, len(entries)) for entries, key in _lists(value, "")]
    sizes = [_size(entries) for entries, _, _ in lists]
    while excess > 0 and max((len(entries) for entries, _, _ in lists), default=0) > 1:
        at = max((at for at, (entries, _, _) in enumerate(lists) if len(entries) > 1), key=sizes.__getitem__)
        gone = _size(lists[at][0].pop()) + 1
        sizes[at], excess = sizes[at] - gone, excess - gone
    shorter = [(total - len(entries), total, key) for entries, key, total in lists if len(entries) < total]
    told = [f"the last {gone:,} of {total:,} entries" + (f" of `{key}`" if key else "") for gone, total, key in shorter]
    return told + _shorten_lists(value, excess) if excess > 0 and shorter else told


def _lists(value: Any, key: str) -> Iterator[tuple[list[Any], str]]:
    """The lists of a value that stand in no other, by the names under which they do."""
    if isinstance(value, list) and len(cast("Any", value)) > 1:
        yield cast("list[Any]", value), key
    else:
        for name in _keys(value):
            yield from _lists(value[name], str(name))
