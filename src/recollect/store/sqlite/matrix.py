"""How are the vectors of a space searched in memory?

Every vector is kept as its sign bits around the model's mean: 48 bytes for 384 numbers. A search counts differing bits
over all of them, which is exact in what it covers, needs no index to build, and costs a millisecond for 100,000.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from recollect.store.distinct import Sorted, find

_WORD_BYTES = 8
_SAMPLED, _SPARE = 16, 8  # one of so many distances tells how small the smallest are, with so many to spare
_AT_A_TIME = 2**16  # vectors that are compared in one step: some 3 MB for a while


def sign_bits(vectors: NDArray[np.float32], mean: NDArray[np.float32]) -> NDArray[np.uint64]:
    """One row of 64-bit words for each vector: a bit for each number that lies above the mean."""
    packed = np.packbits(vectors > mean, axis=1)
    short = -packed.shape[1] % _WORD_BYTES
    if short:
        packed = np.pad(packed, ((0, 0), (0, short)))
    return np.ascontiguousarray(packed).view(np.uint64)


def pack_vectors(vectors: Sequence[NDArray[np.float32]], mean: bytes) -> list[tuple[bytes, bytes]]:
    """Sign bits and float16 numbers of each vector, as they are stored."""
    rows = np.stack(vectors)
    bits, halves = sign_bits(rows, np.frombuffer(mean, dtype=np.float32)), rows.astype(np.float16)
    return [(bits[at].tobytes(), halves[at].tobytes()) for at in range(len(rows))]


_Ordered: TypeAlias = tuple[Sorted, NDArray[np.int64], NDArray[np.int64]]


class Matrix:
    """Sign bits of one space and model, in the order in which they were stored."""

    def __init__(self, words: int) -> None:
        self._bits = np.empty((words, 1024), dtype=np.uint64)
        self._vectors = np.empty(1024, dtype=np.int64)
        self._versions = np.empty(1024, dtype=np.int64)
        self._count = 0
        self._ordered: _Ordered | None = None

    def __len__(self) -> int:
        return self._count

    @property
    def last(self) -> int:
        """The number of the newest vector that is here."""
        return int(self._vectors[self._count - 1]) if self._count else 0

    def missing_in(self, other: Matrix) -> NDArray[np.int64]:
        """The numbers of those vectors that another matrix does not have."""
        mine, others = self._vectors[: self._count], other._vectors[: other._count]
        return mine[~find(mine, others)[1]]

    def rows(self) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """The version of every vector, and its bits, a row for each."""
        count = self._count
        return self._versions[:count].copy(), np.ascontiguousarray(self._bits[:, :count].T)

    def pieces_of(self, versions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers of all vectors of some versions, in order, and the place of its version for each."""
        ordered = self._ordered
        if ordered is None or len(ordered[1]) < self._count:
            self._ordered = ordered = self._order()
        known, numbers, starts = ordered
        if not len(numbers):
            return numbers, numbers
        at, there = known.find(versions)
        first = starts[at]
        counts = np.where(there, starts[at + 1] - first, 0)
        places = np.repeat(np.arange(len(versions)), counts)
        within = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
        return numbers[np.repeat(first, counts) + within], places

    def _order(self) -> _Ordered:
        """The versions that have vectors, in order; the numbers of these; and where those of each version begin."""
        order = np.argsort(self._versions[: self._count], kind="stable")
        versions = self._versions[order]
        first = np.flatnonzero(np.diff(versions, prepend=-1))
        return Sorted(versions[first]), self._vectors[order], np.append(first, len(versions))

    def extend(self, rows: Sequence[tuple[int, int, bytes]]) -> None:
        """Takes in rows of vector number, version and bits."""
        if not rows:
            return
        end = self._count + len(rows)
        if end > self._vectors.shape[0]:
            self._grow(max(end, self._vectors.shape[0] * 3 // 2))
        bits = np.frombuffer(b"".join([row[2] for row in rows]), dtype=np.uint64).reshape(len(rows), -1)
        self._bits[:, self._count : end] = bits.T
        self._vectors[self._count : end] = [row[0] for row in rows]
        self._versions[self._count : end] = [row[1] for row in rows]
        self._count = end

    def _grow(self, capacity: int) -> None:
        for name in ("_vectors", "_versions", "_bits"):
            old: NDArray[np.int64] = getattr(self, name)
            new = np.empty((*old.shape[:-1], capacity), dtype=old.dtype)
            new[..., : self._count] = old[..., : self._count]
            setattr(self, name, new)

    def nearest(
        self, query: NDArray[np.uint64], count: int, among: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Numbers and versions of the vectors with the fewest bits unlike the query's, by version.

        Of those that are equally far the oldest versions are chosen: the numbers of vectors tell only which were
        computed first, and are others where a store was moved.
        `among` are the versions that may be found (None: all).
        """
        count_now = self._count  # once, and before the arrays: another thread may be adding rows
        vectors, versions = self._vectors[:count_now], self._versions[:count_now]
        bits = self._bits[:, :count_now]
        if among is not None:
            chosen = np.flatnonzero(np.isin(versions, among))
            vectors, versions, bits = vectors[chosen], versions[chosen], bits[:, chosen]
        if len(vectors) <= count:
            order = np.argsort(versions, kind="stable")
            return vectors[order], versions[order]
        distance = np.empty(len(vectors), dtype=np.uint16)
        for start in range(0, len(vectors), _AT_A_TIME):  # in few steps: after each, numpy waits for its turn again
            unlike = np.bitwise_count(bits[:, start : start + _AT_A_TIME] ^ query[:, None])
            unlike.sum(axis=0, dtype=np.uint16, out=distance[start : start + _AT_A_TIME])
        best = _smallest(distance, count, versions)
        best = best[np.argsort(versions[best], kind="stable")]
        return vectors[best], versions[best]


def _smallest(distances: NDArray[np.uint16], count: int, versions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the smallest of many distances stand, and of equal ones those of the lesser versions. How small these are
    is guessed by some of them, and counted where that was too small: there are few different ones, so counting beats
    partitioning.
    """
    some = distances[::_SAMPLED]
    guess = min(2 * count // _SAMPLED + _SPARE, len(some) - 1)
    near = np.flatnonzero(distances <= np.partition(some, guess)[guess])
    if len(near) < count:
        near = np.flatnonzero(distances <= np.searchsorted(np.cumsum(np.bincount(distances)), count))
    return near[np.lexsort((versions[near], distances[near]))[:count]]
