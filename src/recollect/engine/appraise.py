"""What answers a question when five signals count by fixed weights?

Half is the cosine, a quarter the share of the question's words that a text holds, and the rest how new, how important
and how well believed a record is. Candidates come from the lists that recall draws up too; a small space is looked at
as a whole. Words are looked for in the texts themselves, and only in texts that could still be among the best.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec import Struct

from recollect.engine.candidates import Question, cosines_of, gather, make_question
from recollect.engine.core import Core
from recollect.engine.vectors import Vectors
from recollect.store.base import Glance, View
from recollect.types import Appraised, Query

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WHOLE = 300  # records; so many are all looked at
_HALF_LIFE = 168 * 3_600e6  # microseconds: a week


class Shares(Struct, frozen=True, kw_only=True):
    """How much each signal counts."""

    cosine: float = 0.50
    keywords: float = 0.25
    recency: float = 0.10
    importance: float = 0.10
    confidence: float = 0.05


def keywords_of(question: str) -> list[str]:
    """The words of a question in lower case, without the punctuation around them, each once."""
    words = (word.strip(_AROUND) for word in question.lower().split())
    return list(dict.fromkeys(word for word in words if word))


_AROUND = string.punctuation + "“”‘’«»…¿¡。，、！？：；（）「」『』"


def share_found(words: Sequence[str], text: str) -> float:
    lowered = text.lower()
    return sum(word in lowered for word in words) / len(words) if words else 0.0


def appraise(
    core: Core, vectors: Vectors | None, query: Query, space: str, shares: Shares | None = None
) -> list[Appraised]:
    """The best records of a space by the weighed sum, best first."""
    weights = shares or Shares()
    question = make_question(query, vectors, int(core.clock().timestamp() * 1e6))
    bare = msgspec.structs.replace(query, text="")  # the graph has no say
    question = msgspec.structs.replace(question, names=(), query=bare)
    words = keywords_of(query.text)
    with core.store.read() as view:
        glances, cosine = _candidates(view, vectors, question, space)
        if not glances:
            return []
        age = question.now - np.array([glance.event_time for glance in glances])
        recency = np.exp2(-np.maximum(age, 0) / _HALF_LIFE)
        certain = weights.cosine * cosine + weights.recency * recency
        certain += weights.importance * np.array([glance.importance for glance in glances])
        certain += weights.confidence * np.array([glance.confidence for glance in glances])
        rows = _hopeful(certain, weights.keywords if words else 0.0, query.limit)
        texts = view.texts([glances[row].version for row in rows])
        found = {row: share_found(words, texts.get(glances[row].version, "")) for row in rows}
        scores = {row: float(certain[row]) + weights.keywords * found[row] for row in rows}
        best = sorted(rows, key=lambda row: (-scores[row], -glances[row].version))[: query.limit]
        records = {record.version: record for record in view.records([glances[row].version for row in best])}
    return [
        Appraised(
            record=records[glances[row].version], score=scores[row], cosine=float(cosine[row]),
            keywords=found[row], recency=float(recency[row]),
        )
        for row in best
        if glances[row].version in records
    ]  # fmt: skip


def _candidates(
    view: View, vectors: Vectors | None, question: Question, space: str
) -> tuple[Sequence[Glance], NDArray[np.float64]]:
    used = vectors if question.vector is not None else None
    if view.tally(space).records <= max(_WHOLE, question.query.limit):
        versions = view.allowed(space, question.query.filter)
        glances = view.glances(space, versions, question.query.filter)
        return glances, np.nan_to_num(cosines_of(view, used, question, [glance.version for glance in glances], {}))
    field = gather(view, used, question, space)
    if field is None:
        return (), np.zeros(0)
    return field.glances, np.nan_to_num(field.candidates.cosine).astype(np.float64)


def _hopeful(certain: NDArray[np.float64], words: float, limit: int) -> list[int]:
    """The rows that words could still lift among the best: all others stay below what those have for certain."""
    if len(certain) <= limit:
        return list(range(len(certain)))
    least = np.partition(certain, -limit)[-limit]
    return np.flatnonzero(certain + words >= least).tolist()
