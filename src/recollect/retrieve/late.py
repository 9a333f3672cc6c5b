"""How well do the single words of a text answer the single words of a question?

A model that gives a small vector for each wordpiece lets a question look for each of its words on its own: every word of
the question takes the nearest word of the text, and the mean of those cosines is what the text is worth.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SCALE = 127.0
"""Word vectors have length 1 and are kept as whole numbers in -127..127."""


def pack_words(words: NDArray[np.float32]) -> bytes:
    """Word vectors of length 1, one after another, a byte for each number."""
    return np.rint(words * SCALE).astype(np.int8).tobytes()


def match_words(question: NDArray[np.float32], texts: Sequence[bytes]) -> NDArray[np.float32]:
    """For each text (its packed word vectors, at least one) the mean over the question's words of the best cosine."""
    if not texts:
        return np.zeros(0, np.float32)
    dim = question.shape[1]
    codes = np.frombuffer(b"".join(texts), np.int8).reshape(-1, dim)
    cosines = codes.astype(np.float32) @ question.T
    starts = np.cumsum([0, *[len(text) // dim for text in texts[:-1]]])
    return np.maximum.reduceat(cosines, starts, axis=0).mean(axis=1) / np.float32(SCALE)
