"""What answers a question when five signals count by fixed weights?

Half is the cosine, a quarter the share of the question's words that a text holds, and the rest how new, how important
and how well believed a record is. Candidates come from the lists that recall draws up too; a small space is looked at
as a whole. Words are looked for in the texts themselves, and only in texts that could still be among the best.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from recollect.engine.candidates import Question, Term, by_keyword, by_vector, gather, make_question
from recollect.engine.core import Core
from recollect.engine.vectors import Vectors
from recollect.store.base import Traits, View
from recollect.types import Appraised, Query

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WHOLE = 200  # records; so many are all looked at
_FROM_EACH = 48  # records that each list brings in, or
_LIMITS = 4  # times as many as are asked for
_FIRST = 14  # texts beyond those asked for that are looked through in any case
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


def shares_found(words: Sequence[str], texts: Sequence[str]) -> list[float]:
    """The share of some words that each text holds, in whatever case."""
    lowered = [text.lower() for text in texts]
    held = [[word in text for text in lowered] for word in words]
    return [sum(of_text) / len(words) for of_text in zip(*held, strict=True)]


def appraise(
    core: Core, vectors: Vectors | None, query: Query, space: str, shares: Shares | None = None
) -> list[Appraised]:
    """The best records of a space by the weighed sum, best first."""
    weights = shares or Shares()
    question = make_question(query, vectors, int(core.clock().timestamp() * 1e6), named=False)
    words = keywords_of(query.text)
    with core.store.read() as view:
        traits = _candidates(view, vectors, question, space)
        if not traits:
            return []
        versions = [trait[0] for trait in traits]
        cosine = _cosines(view, vectors, question, versions)
        _, happened, importance, confidence = np.array([trait[:4] for trait in traits], dtype=np.float64).T
        recency = np.exp2(-np.maximum(question.now - happened, 0) / _HALF_LIFE)
        certain = weights.cosine * cosine + weights.recency * recency
        certain += weights.importance * importance + weights.confidence * confidence
        found = _find_words([trait[4] for trait in traits], words, certain, weights.keywords, query.limit)
        scores = {row: float(certain[row]) + weights.keywords * share for row, share in found.items()}
        best = sorted(scores, key=lambda row: (-scores[row], -versions[row]))[: query.limit]
        records = {record.version: record for record in view.records([versions[row] for row in best])}
    return [
        Appraised(
            record=records[versions[row]], score=scores[row], cosine=float(cosine[row]), keywords=found[row],
            recency=float(recency[row]),
        )
        for row in best
        if versions[row] in records
    ]  # fmt: skip


def _candidates(view: View, vectors: Vectors | None, question: Question, space: str) -> Sequence[Traits]:
    filter, limit = question.query.filter, question.query.limit
    used = vectors if question.vector is not None else None
    records = view.tally(space).records
    if records <= max(_WHOLE, limit):
        return view.traits(space, view.allowed(space, filter), filter)
    most = max(_FROM_EACH, _LIMITS * limit)
    terms = [Term(hash, pair, view.postings(space, hash)) for hash, pair in question.terms]
    worded, _ = by_keyword(terms, records, None, most)
    near = {} if used is None else by_vector(view, used, question, space, None, most)[0]
    versions = list(dict.fromkeys([*worded, *near.values()]))
    traits = view.traits(space, versions, filter)
    if len(traits) >= min(most, len(versions)) / 2:
        return traits
    silent = replace(question, query=replace(question.query, text=""))  # the graph has no say
    field = gather(view, used, silent, space)  # a filter leaves so few that one must look further
    return () if field is None else view.traits(space, [glance.version for glance in field.glances], filter)


def _cosines(
    view: View, vectors: Vectors | None, question: Question, versions: Sequence[int]
) -> NDArray[np.float64]:
    """The cosine of each version's best piece; nothing for a version without a vector."""
    cosines = np.zeros(len(versions))
    if vectors is None or question.vector is None:
        return cosines
    found = [(at, rows) for at, rows in enumerate(vectors.numbers(view, versions)) if rows is not None]
    if not found:
        return cosines
    values = np.concatenate([rows for _, rows in found]) @ question.vector
    if len(values) > len(found):
        values = np.maximum.reduceat(values, np.cumsum([0, *(len(rows) for _, rows in found[:-1])]))
    cosines[[at for at, _ in found]] = values
    return cosines


def _find_words(
    texts: Sequence[str], words: Sequence[str], certain: NDArray[np.float64], weight: float, limit: int
) -> dict[int, float]:
    """The share of words that each row's text holds, for all rows that words could lift among the best.

    The most promising are looked at first: what those reach in full is what the others would have to beat.
    """
    order: list[int] = np.argsort(-certain, kind="stable").tolist()
    if not words:
        return dict.fromkeys(order[:limit], 0.0)
    first, others = order[: limit + _FIRST], order[limit + _FIRST :]
    found = dict(zip(first, shares_found(words, [texts[row] for row in first]), strict=True))
    if others:
        sums: list[float] = certain.tolist()
        least = sorted([sums[row] + weight * share for row, share in found.items()])[-limit]
        others = [row for row in others if sums[row] + weight >= least]
        found |= zip(others, shares_found(words, [texts[row] for row in others]), strict=True)
    return found
