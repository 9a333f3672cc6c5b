"""How is a question compared with passages, token by token, as the library does it?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from training.pack import Lists

CODE = 254.0
"""A token's number times this is its int8 code; none of a unit vector's 48 is much above one half."""


@dataclass(frozen=True)
class Encoded:
    """Texts as the embedder sees them: pooled vectors, and all tokens in a row, with their weights."""

    pooled: np.ndarray
    tokens: np.ndarray
    weights: np.ndarray
    ends: np.ndarray


Encode = Callable[[Lists], Encoded]
Score = Callable[[Lists, Lists, np.ndarray, np.ndarray], np.ndarray]


def compare(questions: Encoded, passages: Encoded, asked: int, rows: np.ndarray) -> np.ndarray:
    """MaxSim of one question with some passages."""
    begin, end = questions.ends[asked], questions.ends[asked + 1]
    weights = questions.weights[begin:end]
    spans = [slice(passages.ends[row], passages.ends[row + 1]) for row in rows]
    starts = np.cumsum([0, *(span.stop - span.start for span in spans[:-1])])
    tokens = np.concatenate([passages.tokens[span] for span in spans])
    best = np.maximum.reduceat(questions.tokens[begin:end] @ tokens.T, starts, axis=1)
    return weights @ best / max(float(weights.sum()), 1e-6)


def to_codes(tokens: np.ndarray) -> np.ndarray:
    """Token vectors as they are after they were kept in 8 bits."""
    return (np.clip(np.rint(tokens * CODE), -127, 127) / CODE).astype(np.float32)


def read_sets(path: Path) -> dict[str, Mapping[str, np.ndarray]]:
    arrays = np.load(path)
    names = list(dict.fromkeys(key.split("/")[0] for key in arrays.files))
    return {n: {k.split("/", 1)[1]: arrays[k] for k in arrays.files if k.startswith(f"{n}/")} for n in names}
