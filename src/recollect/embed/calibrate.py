"""Where do the vectors of a model lie, and how alike are texts that have nothing to do with each other?

Cosines of one model mean little beside those of another: unrelated texts have 0.05 with one and 0.75 with the next.
So a model is shown texts of many kinds once, when a store takes it up: their mean is the centre that sign bits are
taken around, and mean and spread of their cosines are the scale on which similarity is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from recollect.embed.base import Embedder
from recollect.embed.samples import SAMPLES

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Calibration(msgspec.Struct, frozen=True):
    mean: bytes
    floor: float
    spread: float

    @property
    def centre(self) -> NDArray[np.float32]:
        return np.frombuffer(self.mean, dtype=np.float32)


def calibrate(embedder: Embedder) -> Calibration:
    """Measures a model on the samples; texts that it cannot read are left out."""
    vectors = embedder.embed(SAMPLES)
    vectors = vectors[np.linalg.norm(vectors, axis=1) > 0]
    cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    return Calibration(
        mean=vectors.mean(axis=0).astype(np.float32).tobytes(),
        floor=float(cosines.mean()),
        spread=max(float(cosines.std()), 1e-3),
    )
