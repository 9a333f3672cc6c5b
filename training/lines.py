"""How is a straight line fitted to what was right, and how are the ranker's weights written?

Needs no torch: whoever fits a line alone asks the library, whose models are numpy's and onnxruntime's.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from recollect.retrieve.weights import Weights

FIRM = 1e-4


def regress(told: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Logistic regression by Newton's method."""
    weights, firm = np.zeros(told.shape[1]), FIRM * len(told)
    for _ in range(50):
        likely = 1.0 / (1.0 + np.exp(-told @ weights))
        bent = (told * (likely * (1.0 - likely))[:, None]).T @ told + firm * np.eye(len(weights))
        weights -= np.linalg.solve(bent, told.T @ (likely - right) + firm * weights)
    return weights


def save(found: Weights, path: Path) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=0) + b"\n")
