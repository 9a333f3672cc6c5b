"""What is owed to every text before a model sees it, and to every vector after?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from recollect.errors import EmbedderError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def clean_text(text: str) -> str:
    """Text that can travel: NUL is a blank, a lone surrogate a question mark, and blank ends are cut."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8").strip()


def unit_rows(rows: ArrayLike, *, count: int, dim: int | None, origin: str) -> NDArray[np.float32]:
    """The rows at length 1, after a check that they are what was asked for; `origin` names them in errors."""
    try:
        vectors = np.asarray(rows, np.float64)
    except ValueError as error:
        raise EmbedderError(f"{origin} gave vectors of unequal lengths") from error
    if len(vectors) != count:
        raise EmbedderError(f"{origin} gave {len(vectors)} vectors for {count} texts")
    if vectors.ndim != 2 or vectors.shape[1] == 0:
        raise EmbedderError(f"{origin} gave empty vectors")
    if dim is not None and vectors.shape[1] != dim:
        raise EmbedderError(f"{origin} gave vectors of {vectors.shape[1]} numbers; {dim} were expected")
    if not np.isfinite(vectors).all():
        raise EmbedderError(f"{origin} gave a vector with numbers that are not finite")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0).astype(np.float32)


def embed_filled(
    texts: Sequence[str], dim: int, batch: int, ask: Callable[[list[str]], NDArray[np.float32]]
) -> NDArray[np.float32]:
    """Rows for cleaned texts, asked for in batches; an empty text gets zeros and is not asked for."""
    vectors = np.zeros((len(texts), dim), np.float32)
    cleaned = [clean_text(text) for text in texts]
    filled = [row for row, text in enumerate(cleaned) if text]
    for start in range(0, len(filled), batch):
        rows = filled[start : start + batch]
        vectors[rows] = ask([cleaned[row] for row in rows])
    return vectors
