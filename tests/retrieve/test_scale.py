"""Finding the height at which a model's cosines of unrelated texts lie."""

from __future__ import annotations

import numpy as np

from recollect.retrieve.scale import UNRELATED_TEXTS, measure_unrelated_cosine


def test_vectors_at_right_angles_begin_at_nought() -> None:
    vectors = np.eye(len(UNRELATED_TEXTS))
    assert measure_unrelated_cosine(vectors, vectors) == 0.0


def test_vectors_that_share_a_direction_begin_higher() -> None:
    vectors = np.eye(4) + 1.0
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert np.isclose(measure_unrelated_cosine(vectors, vectors), 6 / 7)


def test_equal_vectors_leave_room_above_the_beginning() -> None:
    assert measure_unrelated_cosine(np.ones((3, 1)), np.ones((3, 1))) == 0.95


def test_too_few_vectors_say_nothing() -> None:
    assert measure_unrelated_cosine(np.ones((1, 3)), np.ones((1, 3))) == 0.0
