"""How well do the single wordpieces of a text answer those of a question?

A model that gives a small vector for each wordpiece lets a question look for each of its pieces on its own: every one
of them takes the nearest piece of the text, and the sum of what they find is what the text is worth, 1 at most.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recollect.store.product import multiply

SCALE = 254.0
"""Numbers of a vector of length 1 times this are kept as bytes; hardly any of them is above one half."""


def pack_tokens(tokens: NDArray[np.float32]) -> bytes:
    """Vectors of length 1, one after another, a byte for each number."""
    return np.clip(np.rint(tokens * SCALE), -127, 127).astype(np.int8).tobytes()


def unpack_tokens(data: bytes) -> NDArray[np.float32]:
    """The same numbers again, in one row."""
    return np.frombuffer(data, np.int8).astype(np.float32) / np.float32(SCALE)


def match_tokens(question: NDArray[np.float32], texts: bytes, starts: NDArray[np.int64]) -> NDArray[np.float32]:
    """What each text is worth to a question, whose vectors' lengths add up to 1.

    The texts are packed vectors, at least one of each, one after another; `starts` is where each begins.
    """
    if not len(starts):
        return np.zeros(0, np.float32)
    dim = question.shape[1]
    nearness = multiply(np.frombuffer(texts, np.int8).reshape(-1, dim).astype(np.float32), question.T)
    return np.maximum.reduceat(nearness, starts // dim, axis=0).sum(axis=1) / np.float32(SCALE)
