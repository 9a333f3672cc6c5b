"""Where is a long document cut, so that every chunk has about the same number of tokens?

The text falls apart at paragraphs, lines, sentences and, where these are too long, words. Chunks are filled with these
parts up to `FULL` tokens and end after the strongest break in their second half. None but that of a short document has
less than `LEAST`; one that could not be cut so has more than `FULL`, but none has more than `MOST`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

LEAST = 256
FULL = 512
MOST = 1024

_HEADING, _PARAGRAPH, _LINE, _SENTENCE, _WORD = 4, 3, 2, 1, 0
_PART = re.compile(r"[^\n]*\n+|[^\n]+\Z")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
_SPACE = re.compile(r"\s+")
_HOPELESS = 256  # characters; a word of more is cut anywhere


class Part(NamedTuple):
    """A stretch of the text up to `end`, how many tokens it has, and how strong the break after it is."""

    end: int
    tokens: int
    strength: int


def cut_chunks(text: str, count: Callable[[str], int]) -> list[str]:
    """The chunks of a text, in order, none blank, with nothing lost but white space at cuts."""
    parts = _parts(text, count)
    chunks: list[str] = []
    first = start = 0
    left = sum(part.tokens for part in parts)
    while first < len(parts):
        last = _last(parts, first, left)
        piece = text[start : parts[last].end].strip()
        if piece:
            chunks.append(piece)
        left -= sum(part.tokens for part in parts[first : last + 1])
        start, first = parts[last].end, last + 1
    return chunks


def _last(parts: list[Part], first: int, left: int) -> int:
    """The part that a chunk ends with. What would leave too little for the next chunk is not cut off, if it can be."""
    if left <= FULL:
        return len(parts) - 1
    held, best, strength, last = 0, -1, -1, first
    for at in range(first, len(parts)):
        held += parts[at].tokens
        if held > FULL:
            break
        last = at
        if held >= LEAST and left - held >= LEAST and parts[at].strength >= strength:
            best, strength = at, parts[at].strength
    if best >= 0:
        return best
    return len(parts) - 1 if left <= MOST else last


def _parts(text: str, count: Callable[[str], int]) -> list[Part]:
    found: list[Part] = []
    for line in _PART.finditer(text):
        stretch = line.group()
        strength = _LINE if stretch.count("\n") < 2 else _PARAGRAPH
        if text.startswith("#", line.end()):
            strength = _HEADING
        tokens = count(stretch)
        if tokens <= LEAST:
            found.append(Part(line.end(), tokens, strength))
        else:
            found += _cut(text, line.start(), line.end(), strength, count)
    return found


def _cut(text: str, start: int, end: int, strength: int, count: Callable[[str], int]) -> list[Part]:
    """A line with too many tokens, by sentences, and a sentence with too many by words."""
    found: list[Part] = []
    stops = [match.end() for match in _SENTENCE_END.finditer(text, start, end) if match.end() < end]
    for stop in [*stops, end]:
        break_after = strength if stop == end else _SENTENCE
        tokens = count(text[start:stop])
        if tokens <= LEAST:
            found.append(Part(stop, tokens, break_after))
        else:
            found += _cut_words(text, start, stop, break_after, count)
        start = stop
    return found


def _cut_words(text: str, start: int, end: int, strength: int, count: Callable[[str], int]) -> list[Part]:
    found: list[Part] = []
    stops = [match.end() for match in _SPACE.finditer(text, start, end)]
    for stop in [*(stop for stop in stops if stop < end), end]:
        while stop - start > _HOPELESS:
            found.append(Part(start + _HOPELESS, count(text[start : start + _HOPELESS]), _WORD))
            start += _HOPELESS
        found.append(Part(stop, count(text[start:stop]), strength if stop == end else _WORD))
        start = stop
    return found
