"""What is known of the candidates of a question, before anything is made of it?"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Ints = NDArray[np.integer]
Pairs = tuple[Ints, Ints, Floats]
"""Candidates, as many others that stand beside them, and what share of its worth each of these gives."""


class Likeness(Struct, frozen=True, eq=False):
    """How some candidates (`rows`) compare with each other: their cosines (`to_usual`), and how much of their words
    they share.
    """

    rows: Ints
    cosine: Floats
    shared: Floats

    def keep(self, rows: NDArray[np.bool_]) -> Likeness:
        """The same of some candidates alone."""
        stay = rows[self.rows]
        both = np.ix_(stay, stay)
        return Likeness((np.cumsum(rows) - 1)[self.rows[stay]], self.cosine[both], self.shared[both])


class Evidence(Struct, frozen=True, kw_only=True, eq=False):
    """What is known of the n candidates of one question; arrays have n rows, NaN stands for what is not known.

    covered: share of the question's weight that the record holds. words: BM25 as a share of the most there could be.
    near: how far its cosine lies above that of unrelated texts (`to_near`). late: match of wordpieces.
    deep: what the reranker says. length: in terms. group, position: its place in a session or source (group -1: none).
    time: when it happened. like: how the best candidates compare with each other (None: not compared).
    named: how many words of the question's names it holds. replaced: has another record taken its place?
    changing: does it say itself that something changed (of the best; None: nobody looked)?
    beside: who stands beside whom (`pair_neighbours`), where that is known already.
    terms: of the question. pairs: share of them that are pairs of characters. records: how many were searched.
    """

    covered: Floats
    words: Floats
    near: Floats
    late: Floats
    deep: Floats
    length: Floats
    group: Ints
    position: Ints
    time: Floats
    like: Likeness | None
    terms: int
    pairs: float
    records: int
    asks_past: bool = False
    asks_now: bool = False
    named: Ints | None = None
    replaced: NDArray[np.bool_] | None = None
    changing: NDArray[np.bool_] | None = None
    beside: Pairs | None = None

    def keep(self, rows: NDArray[np.bool_]) -> Evidence:
        """The same of some candidates alone, as if the others were not there."""
        known = msgspec.structs.asdict(self)
        own: dict[str, Any] = {name: value[rows] for name, value in known.items() if isinstance(value, np.ndarray)}
        like = None if self.like is None else self.like.keep(rows)
        return msgspec.structs.replace(self, **own, like=like, beside=None)
