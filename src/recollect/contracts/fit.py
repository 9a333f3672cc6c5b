"""What of an answer is sent that would be too long to read?

Long texts are cut at one length, the longest first, and each says so where it ends. Where that is not enough, what
entries hold in turn (their lists and objects) ends earlier, and then the longest lists do. A note says what is missing:
nothing is left out unsaid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, cast

import msgspec

from recollect.contracts.tool import Length

MOST_BYTES = 25_000
"""Of an answer that is neither one thing that was asked for by its id, nor a page of a list."""
_SHORTEST_CUT = 240  # bytes; nothing is cut to less
_FOR_NOTES = 400  # bytes
_FOR_MARK = 64  # bytes that say where a text was cut
_MOST_TOLD = 3  # names of what was cut

Place: TypeAlias = tuple[Any, str | int]
"""An object or a list of decoded JSON, and a key or index in it."""


def fit(value: Any, *, paged: bool = False, beside: int = 0) -> tuple[Any, str | None]:
    """Decoded JSON that is short enough, and what was left out of it. Of pages every entry is kept, however long they
    are together.

    `beside` are the bytes of what else stands in the answer.
    """
    room = MOST_BYTES - _FOR_NOTES - beside
    if _size(value) <= room:
        return value, None
    cut, inner = _cut_texts(value, room), _cut_inner(value, room)
    rows = [] if paged else _shorten_lists(value, room)
    if not paged:
        inner += _shrink_largest(value, room)
    left = [inside[key] for inside, key in _places(value)]
    texts, there = sum(isinstance(one, str) and one in cut for one in left), set(map(id, left))
    told = [f"long texts ({texts}), each marked where it ends"] if texts else []
    told += [*_tell_inner([name for name, part in inner if id(part) in there]), *rows]
    if not told:
        return value, None
    note = f"Cut to stay below {MOST_BYTES // 1000} KB: {'; '.join(told)}."
    if _size(value) > room:
        note = f"Cut: {'; '.join(told)}. Every entry of the page is here, {_size(value) // 1000:,} KB in all."
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


def _cut_texts(value: Any, room: int) -> set[str]:
    """Cuts the longest texts until all fits, or none is long; answers what they are then."""
    texts = [(inside, key, inside[key]) for inside, key in _places(value) if isinstance(inside[key], str)]
    sizes = [_size(text) for _, _, text in texts]
    level = _level(sizes, room - (_size(value) - sum(sizes)))
    cut: set[str] = set()
    for (inside, key, text), size in zip(texts, sizes, strict=True):
        if size > level:
            shown = text[: max(int(len(text) * level / size) - _FOR_MARK, 1)]
            inside[key] = f"{shown} … [cut: {len(shown):,} of {len(text):,} characters]"
            cut.add(inside[key])
    return cut


def _level(sizes: list[int], room: int) -> int:
    """The most bytes of one part at which all of them together fit."""
    left = room
    for taken, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - taken)
        if size > share:
            return max(share, _SHORTEST_CUT)
        left -= size
    return max(sizes, default=0)


def _cut_inner(value: Any, room: int) -> list[tuple[str, object]]:
    """Shortens what the entries of lists hold in turn until all fits, or none of it is long; answers what, by name."""
    rows = [entry for entries, _ in _lists(value, "") for entry in entries]
    parts = [(str(key), entry[key]) for entry in rows for key in _keys(entry) if isinstance(entry[key], list | dict)]
    sizes = [_size(part) for _, part in parts]
    excess = _size(value) - room
    if excess <= 0:
        return []
    level = _level(sizes, sum(sizes) - excess)
    return [named for named, size in zip(parts, sizes, strict=True) if size > level and _shrink(named[1], level)]


def _shrink(value: Any, room: int) -> bool:
    """Takes entries from the end of a list or an object, and of what the last one left holds, until it fits. Was it so
    that any had to be taken?
    """
    named, keys, size = isinstance(value, dict), _keys(value), _size(value)
    total = len(keys)
    while size > room and len(keys) > 1:
        key = keys.pop()
        size -= _size(value.pop(key)) + (_size(key) + 2 if named else 1)
    only: Any = value[keys[0]] if len(keys) == 1 else None
    shrunk = len(keys) < total
    if size > room and isinstance(only, list | dict):
        inside = cast("Any", only)
        return _shrink(inside, room - (size - _size(inside))) or shrunk
    return shrunk


def _shrink_largest(value: Any, room: int) -> list[tuple[str, object]]:
    """The last resort: the largest list or object of an answer ends earlier."""
    excess = _size(value) - room
    parts = [(str(key), value[key]) for key in _keys(value) if isinstance(value[key], list | dict)]
    if excess <= 0 or not parts:
        return []
    name, largest = max(parts, key=lambda part: _size(part[1]))
    return [(name, largest)] if _shrink(largest, _size(largest) - excess) else []


def _tell_inner(names: list[str]) -> list[str]:
    return _few(
        [
            f"the end of `{name}`" + (f" in {many:,} entries" if many > 1 else "")
            for name, many in Counter(names).most_common()
        ]
    )


def _few(told: list[str]) -> list[str]:
    more = [f"and of {len(told) - _MOST_TOLD} more"] if len(told) > _MOST_TOLD else []
    return [*told[:_MOST_TOLD], *more]


def _shorten_lists(value: Any, room: int) -> list[str]:
    """Takes entries from the end of whichever list is the longest, until enough is gone or each has one left."""
    lists = [(entries, key, len(entries)) for entries, key in _lists(value, "")]
    sizes = [_size(entries) for entries, _, _ in lists]
    excess = _size(value) - room
    while excess > 0 and max((len(entries) for entries, _, _ in lists), default=0) > 1:
        at = max((at for at, (entries, _, _) in enumerate(lists) if len(entries) > 1), key=sizes.__getitem__)
        gone = _size(lists[at][0].pop()) + 1
        sizes[at], excess = sizes[at] - gone, excess - gone
    shorter = [(total - len(entries), total, key) for entries, key, total in lists if len(entries) < total]
    told = [f"the last {gone:,} of {total:,} entries" + (f" of `{key}`" if key else "") for gone, total, key in shorter]
    return _few(told)


def _lists(value: Any, key: str) -> Iterator[tuple[list[Any], str]]:
    """The lists of a value that stand in no other, by the names under which they do."""
    if isinstance(value, list):
        yield cast("list[Any]", value), key
    else:
        for name in _keys(value):
            yield from _lists(value[name], str(name))
