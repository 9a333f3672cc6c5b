"""Which of the best candidates answers best, once a slower model has read each together with the question?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from recollect.engine.embedding.vectors import Sighted, pieces_of
from recollect.engine.read.candidates import Question
from recollect.engine.read.foresight import SMALL
from recollect.ingest.face import documentation_of
from recollect.store.base import View
from recollect.store.search import Pick
from recollect.types import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from recollect.embed.rerank import Reranker

DEEP = 20
"""How many of the best candidates are read when a question asks for it."""
FEW = 5
"""How many are read in a small store without being asked."""
FEW_OF_CODE = 12
"""How many where only code is asked for, in a store of any size: of each no more than what it says of itself."""
DEEP_SECONDS = 2.0
"""How long reading may take when a question asks for it."""
FEW_SECONDS = 0.15
"""How long it may take without being asked."""
_SHORT = 2_000
_BEGINNING, _DOCUMENTED = 600, 400  # characters of code, and of what it says of itself


def is_worth_reading(records: int) -> bool:
    """Is a store so small that the best few are read unasked?"""
    return records <= SMALL


def short_enough(records: Sequence[Record], *, deep: bool) -> Sequence[Record]:
    """The first of some records, as many as are read in a moment: unless it was asked for, long ones are not."""
    if deep:
        return records
    sizes = np.cumsum([len(_say_of_code(record) if record.kind == "code" else record.text) for record in records])
    return records[: int((sizes <= _SHORT).sum())]


def read_closely(
    view: View,
    vectors: Sighted,
    reranker: Reranker,
    question: Question,
    records: Sequence[Record],
    *,
    least: int = 0,
    until: float | None = None,
) -> NDArray[np.float64]:
    """For each record what the model says of it as an answer: the logarithm of the odds.

    Beyond the first `least` it reads what it can by the moment `until`; the rest has NaN.
    """
    texts = _pieces_to_read(view, vectors, question, records)
    asked = question.query.text
    said = [reranker.score(asked, texts[:least]), reranker.score(asked, texts[least:], until)]
    return np.concatenate(said).astype(np.float64)


def _pieces_to_read(view: View, vectors: Sighted, question: Question, records: Sequence[Record]) -> list[str]:
    """Of each record the piece that matches best: the model reads no more than one at once."""
    best = _best_pieces(view, vectors, question, [record for record in records if record.kind != "code"])
    found = iter(best)
    return [_say_of_code(record) if record.kind == "code" else next(found) for record in records]


def _say_of_code(code: Record) -> str:
    """What a piece of code says of itself, or else its beginning: the model has read sentences, and little code."""
    return documentation_of(code.text)[:_DOCUMENTED] or code.text[:_BEGINNING]


def _best_pieces(view: View, vectors: Sighted, question: Question, records: Sequence[Record]) -> list[str]:
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
