"""How well do the single wordpieces of a text answer those of a question?

A model that gives a small vector for each wordpiece lets a question look for each of its pieces on its own: every one
of them takes the nearest piece of the text, and the sum of what they find is what the text is worth, 1 at most.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from recollect.store.product import multiply

SCALE = 254.0
"""Numbers of a vector of length 1 times this are kept as bytes; hardly any of them is above one half."""
_AT_ONCE = 2_048  # vectors, as bytes until then: of all texts at once, their numbers took megabytes for a moment


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
    packed, first = np.frombuffer(texts, np.int8).reshape(-1, dim), np.append(starts // dim, len(texts) // dim)
    worth = np.empty(len(starts), np.float32)
    begun = np.flatnonzero(np.diff(first[:-1] // _AT_ONCE, prepend=-1)).tolist()
    for start, end in pairwise([*begun, len(starts)]):
        nearness = multiply(packed[first[start] : first[end]].astype(np.float32), question.T)
        worth[start:end] = np.maximum.reduceat(nearness, first[start:end] - first[start], axis=0).sum(axis=1)
    return worth / np.float32(SCALE)
