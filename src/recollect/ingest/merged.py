"""Where has a merge of git left its marks in a text, and what did each side say?

A conflict is whole: a line of seven `<`, one of seven `=` and one of seven `>`, at the start of their lines and in this
order; or of as many more each, which git writes, with labels, where both sides have renamed a file. What lacks one of
them is text. In a fenced block of code they may be shown as an example, so there they are text
unless it is known what the note said before: then they are a conflict where they are new, git has put its labels behind
them, and the block that they stand in is not new as well.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from recollect.errors import InvalidInput

_FIRST = re.compile(r"(<{7}(?= |$)|<{8,}(?= ))")
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


def count_blocks(text: str) -> int:
    """How many fenced blocks of code a text has."""
    fences = [""]
    for line in text.split("\n"):
        fences.append(_fence_after(fences[-1], line))
    return sum(now != "" and not before for before, now in pairwise(fences))


def split_conflict(content: str, before: int | None = None, known: str | None = None) -> tuple[str, str] | None:
    """Both sides of a file in which a merge has left its marks; None where there are none.

    Of those alone that begin before a line of that number, where one is given; with those in blocks of code that a
    note did not show before, where it is known what it said.
    """
    lines = content.split("\n")
    shown = None if known is None else _shown(known.split("\n"))
    found = [one for one in _conflicts(lines, shown) if before is None or one.first < before]
    if not found:
        return None
    ours: list[str] = []
    theirs: list[str] = []
    place = 0
    for one in found:
        if one.middles > 1:
            raise InvalidInput(
                "file",
                f"holds a merge with {one.middles} lines of {lines[one.between]} (line {one.first + 1}): its sides"
                " cannot be told apart; settle it by hand, and it is read",
            )
        same = lines[place : one.first]
        ours += [*same, *lines[one.first + 1 : one.base or one.between]]
        theirs += [*same, *lines[one.between + 1 : one.last]]
        place = one.last + 1
    return "\n".join([*ours, *lines[place:]]), "\n".join([*theirs, *lines[place:]])


def _shown(lines: Sequence[str]) -> set[tuple[str, ...]]:
    """The conflicts in a text, wherever they stand, line by line."""
    whole = (_conflict_at(lines, place) for place in range(len(lines)))
    return {tuple(lines[one.first : one.last + 1]) for one in whole if one is not None}


def _is_new(lines: Sequence[str], one: _Conflict, shown: Collection[tuple[str, ...]] | None) -> bool:
    """Is a conflict in a block of code one that git has just left there?"""
    size = len(lines[one.between])
    labelled = len(lines[one.first]) > size < len(lines[one.last])
    new = shown is not None and tuple(lines[one.first : one.last + 1]) not in shown
    return new and labelled and one.middles == 1


def _conflicts(lines: Sequence[str], shown: Collection[tuple[str, ...]] | None = None) -> Iterator[_Conflict]:
    place, fence = 0, ""
    while place < len(lines):
        found = _conflict_at(lines, place)
        if found is not None and fence and not _is_new(lines, found, shown):
            found = None
        if found is not None:
            yield found
        for line in lines[place : place + 1] if found is None else lines[place + 1 : found.between]:
            fence = _fence_after(fence, line)
        place = place + 1 if found is None else found.last + 1


def _conflict_at(lines: Sequence[str], first: int) -> _Conflict | None:
    """The conflict that begins with a line; None where it is not whole."""
    opened = _FIRST.match(lines[first])
    if opened is None:
        return None
    size = len(opened[1])
    base, between = None, list[int]()
    for place in range(first + 1, len(lines)):
        line = lines[place]
        if _is_mark(line, "<", size):
            return None
        if line == "=" * size:
            between.append(place)
        elif base is None and not between and _is_mark(line, "|", size):
            base = place
        elif _is_mark(line, ">", size):
            return _Conflict(first, base, between[0], place, len(between)) if between else None
    return None


def _is_mark(line: str, letter: str, size: int) -> bool:
    return line.startswith(letter * size) and line[size : size + 1] in ("", " ")


def _fence_after(fence: str, line: str) -> str:
    """By which fence a block of code is open after a line, if it was open by some fence before; none is empty."""
    found = _FENCE.fullmatch(line)
    if found is None:
        return fence
    if not fence:
        return "" if found[1][0] == "`" and "`" in found[2] else found[1]
    return "" if found[1].startswith(fence) and not found[2].strip() else fence
