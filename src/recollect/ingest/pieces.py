"""Where is a long text cut, so that a model with a short window sees all of it?"""

from __future__ import annotations

PIECE_CHARS = 900
"""About what 256 word pieces of English prose hold, with room for denser text."""

_BREAKS = ("\n\n", "\n", ". ", "! ", "? ", "。", "！", "？", "; ", ", ", " ")
_SEARCHED_SHARE = 0.4


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
        left = len(text) - start
        if left <= limit:
            end = len(text)
        else:
            count = -(-left // limit)
            end = _best_cut(text, start + left // count, start + limit, start)
        piece = text[start:end].strip()
        if piece:
            pieces.append(piece)
        start = end
    return pieces or [text]


def _best_cut(text: str, even: int, last: int, start: int) -> int:
    """Where the piece that begins at `start` ends: after a break, at most at `last`."""
    first = start + int((even - start) * (1 - _SEARCHED_SHARE))
    for mark in _BREAKS:
        found = text.rfind(mark, first, last)
        if found >= 0:
            return min(found + len(mark), last)
    return last
