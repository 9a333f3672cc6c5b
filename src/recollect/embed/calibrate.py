"""Where do the vectors of a model lie, and how alike are texts that have nothing to do with each other?

Cosines of one model mean little beside those of another: unrelated texts have 0.05 with one and 0.75 with the next.
So a model is shown texts of many kinds once, when a store takes it up: their mean is the centre that sign bits are
taken around, and mean and spread of their cosines are the scale on which similarity is read. What the bundled model
says to them is known: `training/export.py` writes it beside the model.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from recollect.embed.base import Embedder
from recollect.embed.samples import SAMPLES
from recollect.forms import decode

if TYPE_CHECKING:
    pass


KNOWN = Path(__file__).parent / "model" / "calibration.json"


class Calibration(msgspec.Struct, frozen=True):
    mean: bytes
    floor: float
    spread: float


class Known(msgspec.Struct, frozen=True):
    """The calibration of one model, measured when the model was made."""

    name: str
    calibration: Calibration


def calibrate(embedder: Embedder) -> Calibration:
    """What is known of a model, or else what it shows now."""
    try:
        known = decode(KNOWN.read_bytes(), Known)
    except (OSError, msgspec.DecodeError):  # nothing is lost but the time to measure
        return measure(embedder)
    return known.calibration if known.name == embedder.name else measure(embedder)


def measure(embedder: Embedder) -> Calibration:
    """Shows a model the samples; texts that it cannot read are left out."""
    vectors = embedder.embed(SAMPLES)
    vectors = vectors[np.linalg.norm(vectors, axis=1) > 0]
    cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    return Calibration(
        mean=vectors.mean(axis=0).astype(np.float32).tobytes(),
        floor=float(cosines.mean()),
        spread=max(float(cosines.std()), 1e-3),
    )
