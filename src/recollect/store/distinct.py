"""Which different numbers are there in an array, and where does each stand?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def distinct(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The different numbers in order: `np.unique`, which hashes whole numbers first, takes five times as long."""
    ordered = np.sort(numbers)
    first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def find(numbers: NDArray[np.int64], among: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where numbers stand among others, which are all different, and which of them stand there at all.

    `np.isin` answers less, and hashes and sorts both first.
    """
    if not len(among):
        return np.zeros(len(numbers), dtype=np.int64), np.zeros(len(numbers), dtype=np.bool_)
    order = np.argsort(among, kind="stable")
    places = order[np.minimum(np.searchsorted(among, numbers, sorter=order), len(among) - 1)]
    return places, among[places] == numbers


_SPARSE = 8  # times as many numbers between the first and the last


class Sorted:
    """Different numbers in order, and where each stands: in a table, unless most of it would be empty."""

    def __init__(self, numbers: NDArray[np.int64]) -> None:
        self._numbers = numbers
        self._table: NDArray[np.int32] | None = None
        if len(numbers) and numbers[-1] - numbers[0] < _SPARSE * len(numbers):
            self._table = np.full(int(numbers[-1] - numbers[0]) + 1, -1, dtype=np.int32)
            self._table[numbers - numbers[0]] = np.arange(len(numbers))

    def find(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.integer], NDArray[np.bool_]]:
        """Where numbers stand, and which of them stand there at all."""
        if self._table is None:
            return find(numbers, self._numbers)
        at = numbers - self._numbers[0]
        inside = (at >= 0) & (at < len(self._table))
        places = self._table[np.where(inside, at, 0)]
        there = inside & (places >= 0)
        return np.where(there, places, 0), there


class Places:
    """Numbers that came in any order, and where each stands: in the order in which they came. It never changes."""

    def __init__(self) -> None:
        self._numbers, self._places = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)

    def __len__(self) -> int:
        return len(self._numbers)

    def find(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Where numbers stand, and which of them are here at all."""
        if not len(self):
            return np.zeros(len(numbers), dtype=np.int32), np.zeros(len(numbers), dtype=np.bool_)
        at = np.minimum(np.searchsorted(self._numbers, numbers), len(self) - 1)
        return self._places[at], self._numbers[at] == numbers

    def extended(self, numbers: NDArray[np.int64]) -> Places:
        """The same with others behind them, all of which are different and none of which is here."""
        order = np.argsort(numbers, kind="stable")
        at = np.searchsorted(self._numbers, numbers[order])
        whole = Places()
        whole._numbers = np.insert(self._numbers, at, numbers[order])
        whole._places = np.insert(self._places, at, len(self) + order)
        return whole

    def without(self, numbers: NDArray[np.int64]) -> tuple[Places, NDArray[np.int32]]:
        """The same without some, and where each that stays stood before."""
        stay = ~find(self._numbers, numbers)[1]
        stood = np.sort(self._places[stay])
        fewer = Places()
        fewer._numbers = self._numbers[stay]
        fewer._places = np.searchsorted(stood, self._places[stay]).astype(np.int32)
        return fewer, stood


def put_behind(held: NDArray[Any], used: int, more: NDArray[Any]) -> NDArray[Any]:
    """An array with others behind the rows that are used of it: the same one, where it has room.

    Who has it already sees no difference, since nothing that is used changes.
    """
    end = used + len(more)
    if end > len(held):
        whole = np.empty((max(end, len(held) * 3 // 2), *held.shape[1:]), dtype=held.dtype)
        whole[:used] = held[:used]
        held = whole
    held[used:end] = more
    return held
