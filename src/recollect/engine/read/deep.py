"""Which of the best candidates answers best, once a slower model has read each together with the question?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from recollect.engine.embedding.vectors import Vectors, pieces_of
from recollect.engine.read.candidates import Question
from recollect.store.base import View
from recollect.store.search import TokenMatch
from recollect.types import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from recollect.embed.rerank import Reranker

READ = 20
"""How many of the best candidates are read."""
_SHARE, _SPREAD = 0.6, 1.5


def read_closely(
    view: View, vectors: Vectors, reranker: Reranker, question: Question, records: Sequence[Record]
) -> NDArray[np.float64]:
    """For each record how surely it answers beside the one that does best, which has a half."""
    texts = _best_pieces(view, vectors, question, records)
    logits = reranker.score(question.query.text, texts)
    return 1.0 / (1.0 + np.exp((logits.max(initial=-np.inf) - logits.astype(np.float64)) / _SPREAD))


def weigh_reading(scores: Sequence[float], sure: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of the first ranking, best first, and what the reading says, as one order."""
    first = np.array(scores)
    return first / max(float(first.max(initial=0.0)), 1e-9) + _SHARE * sure


def _best_pieces(view: View, vectors: Vectors, question: Question, records: Sequence[Record]) -> list[str]:
    """Of each record the piece that matches best: the model reads no more than one at once."""
    held: Mapping[int, TokenMatch] = {}
    if question.tokens is not None:
        held = view.match(vectors.model().no, question.tokens, [record.version for record in records])
    found: list[str] = []
    for record in records:
        pieces, match = pieces_of(record), held.get(record.version)
        found.append(pieces[match.best if match is not None and match.pieces == len(pieces) else 0])
    return found
