"""Which of the best candidates answers best, once a slower model has read each together with the question?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from recollect.engine.embedding.vectors import Vectors, pieces_of
from recollect.engine.read.candidates import Question
from recollect.store.base import View
from recollect.store.search import Pick
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
    pieces = [pieces_of(record) for record in records]
    if question.tokens is None:
        return [some[0] for some in pieces]
    rows: dict[str, list[int]] = {}
    for row, record in enumerate(records):
        rows.setdefault(record.space, []).append(row)
    picks = {
        space: Pick(np.array([records[row].version for row in some], dtype=np.int64)) for space, some in rows.items()
    }
    found = [some[0] for some in pieces]
    for space, told in view.signals(picks, None, model=vectors.model().no, tokens=question.tokens).items():
        assert told.late is not None
        for row, best, count in zip(rows[space], told.late.best.tolist(), told.late.pieces.tolist(), strict=True):
            if count == len(pieces[row]):
                found[row] = pieces[row][best]
    return found
