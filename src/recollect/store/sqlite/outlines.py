"""What is there in a space, in the few columns that upkeep reads of everything?"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, cast

import msgspec

from recollect.store.base import Outline
from recollect.types import NOT_KNOWLEDGE, SEGMENT_KINDS, Claim, Evidence, Grounds

_TITLE_CHARS = 160
_PIECES = (*SEGMENT_KINDS, "code")
_DOINGS = tuple(kind for kind in NOT_KNOWLEDGE if kind not in ("source", *_PIECES))
_OUTLINES = f"""
    SELECT version, id, kind, coalesce(title, substr(text, 1, {_TITLE_CHARS})), status, trust, confidence, created_at,
        valid_from, valid_until, superseded_by, CASE kind WHEN 'source' THEN source END,
        CASE kind WHEN 'source' THEN json_extract(metadata, '$.fingerprint') END,
        CASE WHEN kind IN ({", ".join(map(repr, _DOINGS))}) THEN metadata END, grounds
    FROM records WHERE space_no = ? AND retired_at IS NULL AND kind NOT IN ({", ".join(map(repr, _PIECES))})
    ORDER BY created_at, version"""
_HASHES = f"""
    SELECT source, position, hash FROM records
    WHERE space_no = ? AND retired_at IS NULL AND source IS NOT NULL
        AND kind IN ({", ".join(map(repr, SEGMENT_KINDS))})"""


class _Evidence(Evidence, frozen=True, kw_only=True, gc=False):
    locator: Any = None


class _Claim(Claim, frozen=True, kw_only=True, gc=False):
    value: Any = None


class _Grounds(Grounds, frozen=True, kw_only=True, gc=False):
    """Grounds that are read in one go: what a claim's value or a locator looks like is anyone's."""

    evidence: tuple[_Evidence, ...] = ()
    claim: _Claim | None = None


_decode = msgspec.json.Decoder(dict[str, Any]).decode
_decode_grounds = msgspec.json.Decoder(_Grounds).decode


def read_outlines(connection: sqlite3.Connection, space_no: int | None) -> list[Outline]:
    """The live records of a space that are no pieces of something else, oldest first."""
    return [
        Outline(
            *row,
            None if metadata is None else _decode(metadata),  # pyright: ignore[reportCallIssue] -- `row` has thirteen
            None if grounds is None else _decode_grounds(grounds),  # pyright: ignore[reportCallIssue] -- the same
        )
        for *row, metadata, grounds in cast("Iterator[tuple[Any, ...]]", connection.execute(_OUTLINES, (space_no,)))
    ]


def read_pieces(connection: sqlite3.Connection, space_no: int | None) -> list[tuple[str, int, bytes]]:
    """Location, place and hash of every piece of every source."""
    return cast("list[tuple[str, int, bytes]]", connection.execute(_HASHES, (space_no,)).fetchall())
