"""How do signals become one score when the asker says how much each of them counts?

`ranker.py` decides that from the question itself. Here the weights are given: each signal is brought to 0..1, and the
score is the weighed sum. A weight of zero switches a signal off.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]


class Weights(Struct, frozen=True, kw_only=True):
    """How much each signal counts."""

    vector: float
    keyword: float
    graph: float


def take_best(values: Floats, count: int) -> Ints:
    """The rows of the highest values, best first; NaN is no value."""
    present = np.flatnonzero(~np.isnan(values))
    order = np.argsort(-values[present], kind="stable")
    return present[order[:count]]


def scale_cosines(cosine: Floats, floor: float) -> Floats:
    """Cosines on the scale from unrelated (0, and for none at all) to identical (1)."""
    return np.clip((np.nan_to_num(cosine) - floor) / (1.0 - floor), 0.0, 1.0)


def relate_to_best(values: Floats) -> Floats:
    """Each value as a share of the best one; all zero where nothing is above zero."""
    best = float(values.max(initial=0.0))
    return np.maximum(values, 0.0) / best if best > 0 else np.zeros(len(values))


def weigh_signals(weights: Weights, vector: Floats, keyword: Floats, graph: Floats) -> Floats:
    """The weighed sum. `vector` lies within 0..1 already; keyword and graph count relative to their best."""
    return weights.vector * vector + weights.keyword * relate_to_best(keyword) + weights.graph * relate_to_best(graph)


def standardize(scores: Floats) -> Floats:
    """Z-scores: how many standard deviations each lies above the mean, so that lists of unlike things can be merged."""
    if len(scores) == 0:
        return scores
    spread = float(scores.std())
    return (scores - scores.mean()) / spread if spread > 0 else np.zeros(len(scores))
