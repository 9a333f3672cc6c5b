"""Does the search over sign bits find the nearest, ties or not?"""

from __future__ import annotations

import numpy as np
import pytest

from recollect.store.distinct import Sorted
from recollect.store.sqlite.matrix import Matrix

WORDS = 2


@pytest.mark.parametrize("spread", [2, 64])
@pytest.mark.parametrize("count", [1, 7, 100, 400])
def test_the_nearest_are_found_as_many_as_are_wanted(count: int, spread: int) -> None:
    rng = np.random.default_rng(count)
    bits = rng.integers(0, 2**63, (400, WORDS), dtype=np.uint64) % np.uint64(2**spread - 1)
    matrix = Matrix(WORDS)
    matrix.extend([(n + 1, 1000 + n, row.tobytes()) for n, row in enumerate(bits)])
    query = bits[3]
    numbers, versions = matrix.nearest(query, count)
    distances = np.bitwise_count(bits ^ query).sum(axis=1)
    assert sorted(distances[numbers - 1].tolist()) == sorted(distances.tolist())[:count]
    assert (versions == numbers + 999).all()
    assert len(set(numbers.tolist())) == count


@pytest.mark.parametrize("apart", [1, 1000])
def test_numbers_in_order_are_found_whether_they_lie_close_together_or_far_apart(apart: int) -> None:
    among = Sorted(np.array([5, 6, 9], dtype=np.int64) * apart)
    places, there = among.find(np.array([9, 4, 5, 7, 10, 6], dtype=np.int64) * apart)
    assert there.tolist() == [True, False, True, False, False, True]
    assert places[there].tolist() == [2, 0, 1]
    assert not Sorted(np.zeros(0, dtype=np.int64)).find(np.array([0, 3]))[1].any()


def test_the_vectors_of_versions_are_known_in_their_order_also_after_more_came() -> None:
    none, nowhere = Matrix(WORDS).pieces_of(np.array([1, 2]))
    assert (none.tolist(), nowhere.tolist()) == ([], [])
    matrix = Matrix(WORDS)
    bits = bytes(8 * WORDS)
    matrix.extend([(1, 30, bits), (2, 10, bits), (3, 30, bits)])
    numbers, places = matrix.pieces_of(np.array([30, 20, 10]))
    assert (numbers.tolist(), places.tolist()) == ([1, 3, 2], [0, 0, 2])
    matrix.extend([(4, 20, bits)])
    numbers, places = matrix.pieces_of(np.array([30, 20, 10]))
    assert (numbers.tolist(), places.tolist()) == ([1, 3, 4, 2], [0, 0, 1, 2])
