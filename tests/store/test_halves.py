"""Numbers of two bytes become the same numbers in four."""

from __future__ import annotations

import numpy as np

from recollect.store.halves import widen


def test_every_finite_number_of_two_bytes_is_the_same_in_four() -> None:
    every = np.arange(2**16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)].reshape(2, -1)
    wide = widen(finite)
    assert wide.dtype == np.float32
    assert np.array_equal(wide, finite.astype(np.float32))
    assert np.array_equal(np.signbit(wide), np.signbit(finite))


def test_what_is_widened_stays_as_it_is() -> None:
    stored = np.frombuffer(np.array([0.5, -0.25], np.float16).tobytes(), np.float16)
    assert widen(stored).tolist() == [0.5, -0.25]
    assert stored.tolist() == [0.5, -0.25]
