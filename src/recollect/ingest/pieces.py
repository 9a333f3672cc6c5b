"""Where is a long text cut, so that a model with a short window sees all of it?"""

from __future__ import annotations

PIECE_CHARS = 900
"""About what 256 word pieces of English prose hold, with room for denser text."""

_BREAKS = ("\n\n", "\n", ". ", "! ", "? ", "。", "！", "？", "; ", ", ", " ")
_REACH = 0.25


def cut_pieces(text: str, limit: int = PIECE_CHARS) -> list[str]:
    """The text in pieces of at most `limit` characters, in order, with nothing lost but outer white space.

    A short text is its own single piece. A longer one is cut into pieces of nearly equal length, each cut at
    the strongest break (paragraph, line, sentence, clause, word) near the place where an even cut would fall.
    """
    if len(text) <= limit:
        return [text]
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = _next_cut(text, start, limit)
        piece = text[start:end].strip()
        if piece:
            pieces.append(piece)
        start = end
    return pieces or [text]


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
