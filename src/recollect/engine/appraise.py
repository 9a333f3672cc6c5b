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

from recollect.engine.candidates import Question, Term, by_keyword, by_vector, cosines_of, gather, make_question
from recollect.engine.core import Core
from recollect.engine.vectors import Vectors
from recollect.store.base import Glance, View
from recollect.types import Appraised, Query

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WHOLE = 200  # records; so many are all looked at
_FROM_EACH = 48  # records that each list brings in, or
_LIMITS = 4  # times as many as are asked for
_FIRST = 160  # texts that are looked through at a time
_HALF_LIFE = 168 * 3_600e6  # microseconds: a week


class Shares(Struct, frozen=True, kw_only=True):
    """How much each signal counts."""

    cosine: float = 0.50
    keywords: float = 0.25
    recency: float = 0.10
    importance: float = 0.10
    confidence: float = 0.05


def keywords_of(question: str) -> list[str]:
    """The words of a question in lower case, without the punctuation around them. One said twice counts twice."""
    words = (word.strip(_AROUND) for word in question.lower().split())
    return [word for word in words if word]


_AROUND = string.punctuation + "“”‘’«»…¿¡。，、！？：；（）「」『』"


def share_found(words: Sequence[str], text: str) -> float:
    lowered = text.lower()
    return sum([word in lowered for word in words]) / len(words) if words else 0.0


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
        found = _find_words(view, [glance.version for glance in glances], words, certain, weights.keywords, query.limit)
        rows = list(found)
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
    lists = _lists(view, used, question, space)
    if lists is not None:
        return lists
    field = gather(view, used, question, space)
    if field is None:
        return (), np.zeros(0)
    return field.glances, np.nan_to_num(field.candidates.cosine).astype(np.float64)


def _lists(
    view: View, vectors: Vectors | None, question: Question, space: str
) -> tuple[Sequence[Glance], NDArray[np.float64]] | None:
    """The records that words and vectors find first; None where a filter leaves so few that one must look further."""
    most = max(_FROM_EACH, _LIMITS * question.query.limit)
    terms = [Term(hash, pair, view.postings(space, hash)) for hash, pair in question.terms]
    worded, _ = by_keyword(terms, view.tally(space).records, None, most)
    near = {} if vectors is None else by_vector(view, vectors, question, space, None, most)[0]
    versions = list(dict.fromkeys([*worded, *near.values()]))
    glances = view.glances(space, versions, question.query.filter)
    if len(glances) < min(most, len(versions)) / 2:
        return None
    cosine = cosines_of(view, vectors, question, [glance.version for glance in glances], near)
    return glances, np.nan_to_num(cosine)


def _find_words(
    view: View, versions: Sequence[int], words: Sequence[str], certain: NDArray[np.float64], weight: float, limit: int
) -> dict[int, float]:
    """The share of words that each row's text holds, for all rows that words could lift among the best.

    The most promising are looked at first: what those reach in full is what the others would have to beat.
    """
    if not words:
        return dict.fromkeys(np.argsort(-certain, kind="stable")[:limit].tolist(), 0.0)
    order = np.argsort(-certain, kind="stable")
    found: dict[int, float] = {}
    first = max(_FIRST, 2 * limit)
    for start in range(0, len(order), first):
        rows: list[int] = order[start : start + first].tolist()
        if len(found) >= limit:
            least = sorted(certain[row] + weight * share for row, share in found.items())[-limit]
            rows = [row for row in rows if certain[row] + weight >= least]
            if not rows:
                break
        texts = view.texts([versions[row] for row in rows])
        found |= {row: share_found(words, texts.get(versions[row], "")) for row in rows}
    return found
