"""How does a file of JSON begin, whatever long texts stand in its beginning?

What wrote a file is told by the names of its first fields. A text before them may be longer than anybody looks; so it
is passed over, and never held as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONG = 1_000
_INSTEAD = b"..."
_SAID = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)


def is_json(data: bytes) -> bool:
    """Does something begin as a list or an object does?"""
    return data.lstrip()[:1] in (b"[", b"{")


def opening_of(pieces: Iterable[bytes], most: int) -> bytes:
    """The first bytes of a file of JSON that comes in pieces. Instead of a long text in it stand three dots."""
    kept, text = bytearray(), bytearray()
    within = escaped = False
    for piece in pieces:
        at = 0
        while at < len(piece) and len(kept) < most:
            if not within:
                quote = piece.find(b'"', at)
                within, end = quote >= 0, len(piece) if quote < 0 else quote + 1
                kept += piece[at:end]
                at = end
                continue
            end = _end_of_text(piece, at + escaped)
            text += piece[at : min(end, at + _LONG + 1)]
            escaped = piece[end : end + 1] == b"\\"
            at = end
            if escaped:  # by what the next piece begins with
                text += b"\\"
                at += 1
            elif at < len(piece):
                kept += (_INSTEAD if len(text) > _LONG else text) + b'"'
                text.clear()
                within = False
                at += 1
        if len(kept) >= most:
            break
    return bytes((kept + text[:_LONG])[:most])


def _end_of_text(piece: bytes, at: int) -> int:
    """Where a text ends that goes on at a place: at its quote, at the end, or at what escapes what is not there yet."""
    found = _SAID.match(piece, at)
    return len(piece) if found is None else found.end()
