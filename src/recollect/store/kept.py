"""What is told of a store that was copied, written out, brought back or saved from damage?"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class Copied(Struct, frozen=True, kw_only=True):
    """A copy of a store that was read back: where it is, how large, and how many rows of each kind it holds."""

    path: str
    bytes: int
    records: int
    entities: int
    relations: int
    entries: int
    kept_aside: str | None = None


class Exported(Struct, frozen=True, kw_only=True):
    """What was written out: how many lines of each kind, and the hash over them. `path` is None of a stream."""

    path: str | None
    lines: Mapping[str, int]
    sha256: str
    complete: bool
    encrypted: bool


class Repaired(Struct, frozen=True, kw_only=True):
    """What a repair did: how many rows it kept, how many it set aside, and where those and the old file are.

    `marks` says of how many things at most it cannot be told any more that they were forgotten or evicted: they may
    come back by an old export or file. Nothing was wrong where `kept_aside` is None.
    """

    kept: int = 0
    set_aside: int = 0
    unreadable: int = 0
    marks: int = 0
    kept_aside: str | None = None
