"""Where does a text begin and end to be private?

`<private>` opens, `</private>` closes. Who writes about the mark shows it as code, and what stands right behind a word
is a type (`Foo<private T>`): such a mark opens nothing unless another one closes it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from recollect.pattern import pattern_of

PrivateMark = tuple[int, int, bool]
"""Where it begins and ends, and whether it closes."""

_PRIVATE = pattern_of(r"<\s*private(?=[\s/>]|\Z)|(<\s*/\s*private\s*>)", re.IGNORECASE)
_SPAN = pattern_of(r"(?<!`)(`{1,3})(?!`)[^`\n]+\1(?!`)")
_FENCE = pattern_of(r"^[ \t>]{0,12}(`{3,}|~{3,})", re.MULTILINE)


def private_marks(texts: Sequence[str]) -> list[list[PrivateMark]]:
    """The marks of texts that follow each other, without those that are only spoken of."""
    found = [[*_PRIVATE.finditer(text)] if "private" in text.lower() else [] for text in texts]
    unclosed = _unclosed(found)
    shown = {place: [_spans(texts[place]), [*_fences(texts[place])]] for place in {place for place, _ in unclosed}}
    spoken = {one for one in unclosed if _is_shown(texts[one[0]], found[one[0]][one[1]].span(), shown[one[0]])}
    return [
        [(*mark.span(), mark[1] is not None) for nth, mark in enumerate(marks) if (place, nth) not in spoken]
        for place, marks in enumerate(found)
    ]


def _unclosed(found: Sequence[Sequence[re.Match[str]]]) -> list[tuple[int, int]]:
    """Which of the marks open what none closes."""
    opened: list[tuple[int, int]] = []
    for place, marks in enumerate(found):
        for nth, mark in enumerate(marks):
            if mark[1] is None:
                opened.append((place, nth))
            elif opened:
                opened.pop()
    return opened


def _is_shown(text: str, mark: tuple[int, int], shown: Sequence[Sequence[tuple[int, int]]]) -> bool:
    """Does a mark stand in code, or as a part of a type?"""
    start, end = mark
    if start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        return True
    spans, fences = (parts[bisect_left(parts, (start, 0)) - 1 :][:1] for parts in shown)
    return any(begun < start and end < ended for begun, ended in spans) or any(
        begun < start < ended for begun, ended in fences
    )


def _spans(text: str) -> list[tuple[int, int]]:
    """What is shown as code within a line."""
    return [span.span() for span in _SPAN.finditer(text)]


def _fences(text: str) -> Iterator[tuple[int, int]]:
    """Blocks of code, each of which is closed."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]):
            yield opened.start(), fence.end()
            opened = None
