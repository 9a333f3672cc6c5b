"""What of a text does a model see, whose window is short: below which heading, and cut where?"""

from __future__ import annotations

import re

from recollect.types import Stated

PIECE_CHARS = 900
"""About what 256 word pieces of English prose hold, with room for denser text."""

HEAD_CHARS = 80
"""How much of the opening is repeated before every later piece: a title, a speaker, a signature."""

_BREAKS = ("\n\n", "\n", ". ", "! ", "? ", "。", "！", "？", "; ", ", ", " ")
_REACH = 0.25
_HEADED = re.compile(r"\s*#{1,6} +\S")


def cut_pieces(text: str, limit: int = PIECE_CHARS) -> list[str]:
    """The text in pieces of at most `limit` characters, in order, with nothing lost but white space at cuts.

    A short text is its own single piece. A longer one is cut into pieces of nearly equal length, each at the
    strongest break (paragraph, line, sentence, clause, word) near the place where an even cut would fall.
    Every later piece begins with the opening of the text, so that it still says what it belongs to.
    """
    if len(text) <= limit:
        return [text]
    head = _head(text) if limit >= 4 * HEAD_CHARS else ""
    room = limit - len(head)
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = _next_cut(text, start, room)
        piece = text[start:end].strip()
        if piece:
            pieces.append(head + piece if pieces else piece)
        start = end
    return pieces or [text]


def heading_of(kind: str, title: str | None) -> str | None:
    """The title that a text is found by.

    A message's is the name of its session, often what was said first in it: it says nothing of what follows, and every
    "thanks" below it would look like an answer.
    """
    return None if kind == "message" else title


def called(one: Stated) -> str | None:
    """The title that something is found by: its own, its first heading, or else the name of its file."""
    own = heading_of(one.kind, one.title)
    return own if own is not None or _HEADED.match(one.text) else one.file_name()


def _head(text: str) -> str:
    """The first line, or its first words, and a line break."""
    line = text.lstrip()[: HEAD_CHARS + 1].partition("\n")[0]
    if len(line) > HEAD_CHARS:
        line = line[:HEAD_CHARS].rpartition(" ")[0] or line[:HEAD_CHARS]
    return line.rstrip() + "\n" if line.strip() else ""


def _next_cut(text: str, start: int, limit: int) -> int:
    """Where the piece that begins at `start` ends."""
    left = len(text) - start
    if left <= limit:
        return len(text)
    even = left // -(-left // limit)
    first, last = start + int(even * (1 - _REACH)), start + min(int(even * (1 + _REACH)), limit)
    for mark in _BREAKS:
        before = text.rfind(mark, first, start + even)
        after = text.find(mark, max(start + even - len(mark) + 1, first), last)
        near = [found + len(mark) for found in (before, after) if found >= 0]
        if near:
            return min(near, key=lambda end: abs(end - start - even))
    return start + limit
