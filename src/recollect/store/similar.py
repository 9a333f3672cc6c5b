"""Which of many vectors are nearly alike, without comparing each with each?

Rows of sign bits are sorted by eight of their bytes, starting at every byte in turn. Rows that differ in few bits agree
in some of these stretches, and so stand next to each other in some of the orders: only neighbours are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from math import acos, ceil, pi, sqrt
from typing import TYPE_CHECKING

import numpy as np

from recollect.store.distinct import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KEY_BYTES = 8
_NEIGHBOURS = 4
_DEVIATIONS = 4.0


def differing_bits(cosine: float, floor: float, dim: int) -> int:
    """How many sign bits (around the mean) two vectors of a cosine differ in at most; `floor` is that of strangers."""
    centred = min(max((cosine - floor) / (1 - floor), 0.0), 1.0)
    share = acos(centred) / pi
    return ceil(dim * share + _DEVIATIONS * sqrt(dim * share * (1 - share)))


def near_rows(bits: NDArray[np.uint64], most: int, stop: Callable[[], bool]) -> NDArray[np.int64] | None:
    """Pairs of rows (the lesser first) that differ in at most `most` bits; None if it was stopped."""
    count = len(bits)
    if count < 2:
        return np.empty((0, 2), dtype=np.int64)
    data = np.ascontiguousarray(bits).view(np.uint8)
    width = data.shape[1]
    around = np.concatenate([data, data[:, :_KEY_BYTES]], axis=1)
    found: list[NDArray[np.int64]] = []
    for turn in range(width):
        if stop():
            return None
        keys = np.ascontiguousarray(around[:, turn : turn + _KEY_BYTES]).view(">u8").ravel().astype(np.uint64)
        order = np.argsort(keys, kind="stable")
        for step in range(1, min(_NEIGHBOURS, count - 1) + 1):
            one, other = order[:-step], order[step:]
            unlike = np.bitwise_count(bits[one] ^ bits[other]).sum(axis=1, dtype=np.int64)
            near = np.flatnonzero(unlike <= most)
            low, high = np.minimum(one[near], other[near]), np.maximum(one[near], other[near])
            found.append(low * count + high)
    codes = distinct(np.concatenate(found))
    return np.stack([codes // count, codes % count], axis=1)
