"""What answers a question when five signals count by fixed weights?

Half is the cosine, a quarter the share of the question's words that a text holds, and the rest how new, how important
and how well believed a record is. Candidates come from the lists that recall draws up too, and from what came last; a
small space is looked at as a whole. Words are looked for in the texts themselves, and only in texts that could still
be among the best.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from recollect.engine.core import Core, records_of, within
from recollect.engine.embedding.vectors import Vectors
from recollect.engine.read.candidates import Question, gather, make_question
from recollect.engine.read.results import Appraised
from recollect.store.base import Traits, View
from recollect.store.search import Pick
from recollect.types import Filter, Query

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
    """The words of a question in lower case, without the punctuation around them. One said twice counts twice."""
    words = (word.strip(_AROUND) for word in question.lower().split())
    return [word for word in words if word]


_AROUND = string.punctuation + "“”‘’«»…¿¡。，、！？：；（）「」『』"


def shares_found(words: Sequence[str], texts: Sequence[str]) -> NDArray[np.float64]:
    """The share of some words that each text holds, in whatever case."""
    lowered = [text.lower() for text in texts]
    return np.array([[word in text for text in lowered] for word in words]).sum(axis=0) / len(words)


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
        versions, happened, importance, confidence, texts = zip(*map(msgspec.structs.astuple, traits), strict=True)
        cosine = _cosines(view, vectors, question, space, versions)
        recency = np.exp2(-np.maximum(question.now - np.array(happened), 0) / _HALF_LIFE)
        certain = weights.cosine * cosine + weights.recency * recency
        certain += weights.importance * np.array(importance) + weights.confidence * np.array(confidence)
        rows, found = _find_words(texts, words, certain, weights.keywords, query.limit)
        scores = certain[rows] + weights.keywords * found
        best = np.lexsort((-np.array(versions)[rows], -scores))[: query.limit].tolist()
        chosen: list[int] = rows[best].tolist()
        records = {record.version: record for record in records_of(view, [versions[row] for row in chosen])}
    return [
        Appraised(
            record=records[versions[row]], score=float(scores[at]), cosine=float(cosine[row]),
            keywords=float(found[at]), recency=float(recency[row]),
        )
        for at, row in zip(best, chosen, strict=True)
        if versions[row] in records
    ]  # fmt: skip


def _candidates(view: View, vectors: Vectors | None, question: Question, space: str) -> Sequence[Traits]:
    filter, limit = question.query.filter, question.query.limit
    used = vectors if question.vector is not None else None
    most = max(_FROM_EACH, _LIMITS * limit)
    words = view.words([space], question.terms, filter, most).get(space)
    if words is None:
        return ()
    if words.records <= max(_WHOLE, limit):
        every = view.words([space], (), filter, None, every=True)[space].versions
        return view.select(Traits, within(filter, space, every.tolist()))
    near: list[int] = []
    if used is not None and question.vector is not None:
        near = view.near([space], used.model().no, question.vector, filter, most)[space].versions.tolist()
    latest = view.select(int, Filter(spaces=(space,), valid_only=False), "newest", _FROM_EACH)
    versions = list(dict.fromkeys([*words.versions.tolist(), *near, *latest]))
    traits = view.select(Traits, within(filter, space, versions))
    if len(traits) >= min(most, len(versions)) / 2:
        return traits
    silent = replace(question, query=replace(question.query, text=""))  # the graph has no say
    found = gather(view, used, silent, [space])  # a filter leaves so few that one must look further
    return view.select(Traits, within(filter, space, found[0].findings.versions.tolist())) if found else ()


def _cosines(
    view: View, vectors: Vectors | None, question: Question, space: str, versions: Sequence[int]
) -> NDArray[np.float64]:
    """The cosine of each version's best piece; nothing for a version without a vector."""
    if vectors is None or question.vector is None:
        return np.zeros(len(versions))
    picks = {space: Pick(np.array(versions, dtype=np.int64))}
    told = view.signals(picks, None, model=vectors.model().no, vector=question.vector)
    return np.nan_to_num(told[space].cosine)


def _find_words(
    texts: Sequence[str], words: Sequence[str], certain: NDArray[np.float64], weight: float, limit: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows, and the share of words that the text of each holds: all rows that words could lift among the best.

    The most promising are looked at first: what those reach in full is what the others would have to beat.
    """
    order = np.argsort(-certain, kind="stable")
    if not words:
        return order[:limit], np.zeros(min(limit, len(order)))
    rows: NDArray[np.int64] = order[: limit + _FIRST]
    found = shares_found(words, _chosen(texts, rows))
    if len(order) > len(rows):
        least = np.sort(certain[rows] + weight * found)[-limit]
        others = order[len(rows) :]
        others = others[certain[others] + weight >= least]
        rows = np.concatenate([rows, others])
        found = np.concatenate([found, shares_found(words, _chosen(texts, others))])
    return rows, found


def _chosen(texts: Sequence[str], rows: NDArray[np.int64]) -> list[str]:
    places: list[int] = rows.tolist()
    return [texts[place] for place in places]
