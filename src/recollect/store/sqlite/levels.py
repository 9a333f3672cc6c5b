"""How does the keyword index stay writable, however often something is taken out of it?

To take words out of an index for good, all of its segments are merged into one, and each time FTS5 puts that a level
higher than any before. It refuses an index of more than 2,000 levels as damaged, though all but a few of them are
empty. So the empty ones are taken out of its list before there are many. Newer releases of SQLite count no further than
64 by themselves.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from recollect.errors import RecollectError
from recollect.store.sqlite.connect import open_connection

_LIST = 10
"""The row in which FTS5 keeps the list of its levels."""
_READ = f"SELECT block FROM words_data WHERE id = {_LIST}"
_HEAD = 4  # bytes
_OTHER_FORM = b"\xff\x00\x00\x01"
"""Stands behind the head in a form that only those releases write which need no help."""
_MANY, _ENOUGH = 100, 16
"""Above so many levels they are made fewer. Some empty ones stay, so that a large segment is seldom merged again."""


def lower_levels(connection: sqlite3.Connection, path: Path) -> None:
    """Takes empty levels out of the list, where there are many.

    That is written by a connection of its own: those that have the list in memory look again when another has written.
    """
    try:
        if _lowered(_list_of(connection)) is None:
            return
        with closing(open_connection(path)) as own:
            own.execute("BEGIN IMMEDIATE")
            block = _lowered(_list_of(own))
            if block is not None:
                own.execute(f"UPDATE words_data SET block = ? WHERE id = {_LIST}", (block,))
            own.execute("COMMIT")
    except (sqlite3.DatabaseError, RecollectError):
        return  # somebody else writes, or nobody can: the next to erase does it; doctor tells why not


def _list_of(connection: sqlite3.Connection) -> bytes:
    row = connection.execute(_READ).fetchone()
    return row[0] if row is not None and isinstance(row[0], bytes) else b""


def _lowered(block: bytes) -> bytes | None:
    """The list without empty levels; None where it has few, or is in no form that we know."""
    if len(block) < 2 * _MANY or block[_HEAD : _HEAD + len(_OTHER_FORM)] == _OTHER_FORM:
        return None
    numbers = list(_numbers(block[_HEAD:]))
    if len(numbers) < 3:
        return None
    count, segments, written, *rest = numbers
    levels: list[list[int]] = []
    while rest:  # how many segments are being merged, how many there are, and three numbers of each
        length = 2 + 3 * (rest[1] if len(rest) > 1 else 0)
        levels.append(rest[:length])
        rest = rest[length:]
    if len(levels) != count or count <= _MANY or sum(level[1] for level in levels) != segments:
        return None
    spare = count - _ENOUGH
    kept: list[list[int]] = []
    for level in levels:
        if spare and level == [0, 0]:
            spare -= 1
        else:
            kept.append(level)
    told = [len(kept), segments, written, *(number for level in kept for number in level)]
    return block[:_HEAD] + b"".join(map(_varint, told))


def _numbers(data: bytes) -> Iterator[int]:
    """Numbers as SQLite writes them: seven bits in each byte but the ninth, the highest first."""
    value, length = 0, 0
    for byte in data:
        length += 1
        value = value << 8 | byte if length == 9 else value << 7 | byte & 0x7F
        if length == 9 or byte < 0x80:
            yield value
            value, length = 0, 0


def _varint(number: int) -> bytes:
    if number >> 56:
        return bytes([*(number >> 8 + 7 * place & 0x7F | 0x80 for place in range(7, -1, -1)), number & 0xFF])
    digits = [number & 0x7F]
    while number := number >> 7:
        digits.append(number & 0x7F | 0x80)
    return bytes(reversed(digits))
