"""Does a log belong to the file that it lies beside?

Where a process was killed its log stays, and whoever opens the store next has SQLite write it into the file. Where
somebody has put another file there since, a backup perhaps, that would destroy it. So both are read first, with the log
and without it, by connections that cannot write.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from recollect.errors import StoreError

HEAD, FRAME_HEAD = 32, 24  # bytes before a log, and before each page in it
_BEGINNINGS = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
_SALT = slice(16, 24)
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class LogHead(NamedTuple):
    """How a log begins: whether it is one, and what tells it from the one before it in the same file."""

    is_log: bool
    salt: bytes


def read_log_head(head: bytes) -> LogHead:
    return LogHead(head[:4] in _BEGINNINGS, head[_SALT])


class _Found(NamedTuple):
    """What a file holds: when its first entry was written, 0 where there is none, and whether it is whole."""

    born: int
    whole: bool


def check_log(path: Path, log: Path) -> None:
    """Refuses a store whose log is that of another one. Nobody has it open."""
    place = path.absolute().as_uri()
    try:
        alone, joined = _look(f"{place}?immutable=1"), _look(f"{place}?mode=ro")
    except sqlite3.Error:
        return  # who cannot even look writes nothing either, and is told so where it is opened
    if joined.whole and not alone.whole:
        return  # the log was being written into its file, whose pages are half of before and half of then
    others = bool(alone.born and joined.born and alone.born != joined.born)
    if others or (alone.whole and not joined.whole):
        raise StoreError(
            f"{path} and the log beside it ({log.name}) do not belong together: the file is whole, and the log was"
            " written for another one, or for a later state of it. Nothing was changed. To go on with the file as it"
            f" is, move {log.name} and {path.name}-last elsewhere; else put the file back that the log belongs to"
        )


def _look(place: str) -> _Found:
    with closing(sqlite3.connect(place, uri=True, isolation_level=None)) as connection:
        try:
            row = connection.execute("SELECT at FROM journal ORDER BY entry LIMIT 1").fetchone()
            problem = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        except UnicodeDecodeError:
            return _Found(0, whole=False)
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _BROKEN or "no such table" in str(error):
                return _Found(0, whole=False)
            raise
    return _Found(row[0] if row else 0, problem == "ok")
