"""What do signals say of a record, each on its own scale?"""

from __future__ import annotations

from msgspec import Struct

from recollect.types import Record


class Scored(Struct, frozen=True, kw_only=True):
    """A record with what each signal says of it, on its own scale: cosine, BM25 and PageRank. 0 is "nothing"."""

    record: Record
    score: float
    vector: float = 0.0
    keyword: float = 0.0
    graph: float = 0.0


class Weighed(Struct, frozen=True, kw_only=True):
    """Records by a weighed sum of signals, best first, and how many nodes of the graph were walked for it."""

    hits: tuple[Scored, ...]
    nodes: int = 0
    problem: str | None = None


class Appraised(Struct, frozen=True, kw_only=True):
    """A record with its score by fixed weights, and what each signal said of it (a cosine, then shares of 0..1)."""

    record: Record
    score: float
    cosine: float
    keywords: float
    recency: float
