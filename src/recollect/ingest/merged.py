"""Where has a merge of git left its marks in a text, and what did each side say?

A conflict is whole: a line of seven `<`, one of seven `=` and one of seven `>`, at the start of their lines and in this
order. What lacks one of them is text, and so is what stands in a fenced block of code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from recollect.errors import InvalidInput

_OURS, _BASE, _THEIRS = (re.compile(rf"{re.escape(letter)}{{7}}(?: .*)?") for letter in "<|>")
_BETWEEN = "======="
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


class _Conflict(Struct, frozen=True):
    """A conflict by the numbers of its lines, from its first mark to its last; and how many may be its middle."""

    first: int
    base: int | None
    between: int
    last: int
    middles: int


def has_marks(text: str) -> bool:
    """Would a text be taken for one in which a merge has left its marks?"""
    return next(_conflicts(text.split("\n")), None) is not None


def split_conflict(content: str, before: int | None = None) -> tuple[str, str] | None:
    """Both sides of a file in which a merge has left its marks; None where there are none.

    Of those alone that begin before a line of that number, where one is given.
    """
    lines = content.split("\n")
    found = [one for one in _conflicts(lines) if before is None or one.first < before]
    if not found:
        return None
    ours: list[str] = []
    theirs: list[str] = []
    place = 0
    for one in found:
        if one.middles > 1:
            raise InvalidInput(
                "file",
                f"holds a merge with {one.middles} lines of {_BETWEEN} (line {one.first + 1}): its sides cannot be"
                " told apart; settle it by hand, and it is read",
            )
        same = lines[place : one.first]
        ours += [*same, *lines[one.first + 1 : one.base or one.between]]
        theirs += [*same, *lines[one.between + 1 : one.last]]
        place = one.last + 1
    return "\n".join([*ours, *lines[place:]]), "\n".join([*theirs, *lines[place:]])


def _conflicts(lines: Sequence[str]) -> Iterator[_Conflict]:
    place, fence = 0, ""
    while place < len(lines):
        found = None if fence else _conflict_at(lines, place)
        if found is not None:
            yield found
        for line in lines[place : place + 1] if found is None else lines[place + 1 : found.between]:
            fence = _fence_after(fence, line)
        place = place + 1 if found is None else found.last + 1


def _conflict_at(lines: Sequence[str], first: int) -> _Conflict | None:
    """The conflict that begins with a line; None where it is not whole."""
    if not _OURS.fullmatch(lines[first]):
        return None
    base, between = None, list[int]()
    for place in range(first + 1, len(lines)):
        line = lines[place]
        if _OURS.fullmatch(line):
            return None
        if line == _BETWEEN:
            between.append(place)
        elif base is None and not between and _BASE.fullmatch(line):
            base = place
        elif _THEIRS.fullmatch(line):
            return _Conflict(first, base, between[0], place, len(between)) if between else None
    return None


def _fence_after(fence: str, line: str) -> str:
    """By which fence a block of code is open after a line, if it was open by some fence before; none is empty."""
    found = _FENCE.fullmatch(line)
    if found is None:
        return fence
    if not fence:
        return "" if found[1][0] == "`" and "`" in found[2] else found[1]
    return "" if found[1].startswith(fence) and not found[2].strip() else fence
