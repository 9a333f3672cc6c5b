"""An embedder whose meanings are plain to see."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recollect import Memory

if TYPE_CHECKING:
    from numpy.typing import NDArray


class PlainEmbedder:
    """Texts that hold one of `words` point one way (some "roughly" so), every other text a way of its own."""

    dim = 64

    def __init__(self, *words: str, name: str = "plain") -> None:
        self.name = name
        self.words = words
        self.way = np.random.default_rng(7).normal(0, 1, self.dim)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        del query
        rows = np.stack([np.random.default_rng(zlib.crc32(text.encode())).normal(0, 1, self.dim) for text in texts])
        for row, text in zip(rows, texts, strict=True):
            if any(word in text for word in self.words):
                row[:] = self.way + row * (0.4 if "roughly" in text else 0.02)
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def open_plain(open_memory: Callable[..., Memory]) -> Callable[..., Memory]:
    """Opens the scratch store with a plain embedder for some words."""

    def make(*words: str, name: str = "plain") -> Memory:
        memory = open_memory(embedder="bundled")
        memory.semantics._given = PlainEmbedder(*words, name=name)
        return memory

    return make
