"""What is known of the bundled model before it has said anything."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.embed.bundled import BundledEmbedder
from recollect.embed.calibrate import calibrate, measure


class Axes:
    """An embedder that knows two directions."""

    name, dim = "axes", 2

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002 - the seam
        return np.array([[1.0, 0.0] if len(text) % 2 else [0.0, 1.0] for text in texts], np.float32)


def test_what_is_known_of_the_bundled_model_is_what_it_shows() -> None:
    embedder = BundledEmbedder()
    known, fresh = calibrate(embedder), measure(embedder)
    assert np.allclose(*(np.frombuffer(one.mean, dtype=np.float32) for one in (known, fresh)), atol=1e-3)
    assert (known.floor, known.spread) == (pytest.approx(fresh.floor, abs=1e-3), pytest.approx(fresh.spread, abs=1e-3))


def test_any_other_model_is_measured() -> None:
    assert calibrate(Axes()) == measure(Axes())
    assert 0 < calibrate(Axes()).floor < 1
