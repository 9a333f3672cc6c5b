"""What do the words of a question say of a record?

BM25 as it is, for who asks for it alone; and two numbers that mean the same in every store: the share of the question's
weight that a record holds, and BM25 as a share of the most that any record could have.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.floating]

_K1, _B = 0.9, 0.4
_PAIR_SHARE = 0.75


class Terms(Struct, frozen=True, kw_only=True, eq=False):
    """The distinct terms of a question, and what was searched.

    `df`: how many records hold each term. `pair`: whether it is a pair of characters of a script without spaces.
    `records` and `mean_length` describe all that was searched.
    """

    df: Floats
    pair: NDArray[np.bool_]
    records: int
    mean_length: float


def score_keywords(terms: Terms, tf: Floats, length: Floats) -> Floats:
    """BM25 of each record. `tf`: how often each term occurs in it. `length`: how many terms it has."""
    return _bm25(terms, _rarity(terms), tf, length)


def relate_keywords(terms: Terms, tf: Floats, length: Floats) -> tuple[Floats, Floats]:
    """The share of the question's weight that each record holds, and its BM25 as a share of the most there could be.

    Of the pairs of characters in a question without spaces, those that lie across two words are found only by chance:
    even a record that says the same holds about three quarters, and that counts as all.
    """
    rarity = _rarity(terms)
    total = float((np.where(terms.pair, _PAIR_SHARE, 1.0) * rarity).sum())
    if total <= 0:
        return np.zeros(len(length)), np.zeros(len(length))
    covered = np.minimum((tf > 0) @ rarity / total, 1.0)
    return covered, _bm25(terms, rarity, tf, length) / ((_K1 + 1.0) * total)


def _rarity(terms: Terms) -> Floats:
    return np.log1p((terms.records - terms.df + 0.5) / (terms.df + 0.5))


def _bm25(terms: Terms, rarity: Floats, tf: Floats, length: Floats) -> Floats:
    norm = _K1 * (1.0 - _B + _B * length / max(terms.mean_length, 1.0))
    return (tf * (_K1 + 1.0) / (tf + norm[:, None])) @ rarity
