"""How do the signals about each candidate become one score?

Keyword and vector scores live on scales of their own, and which of them to trust differs from question to
question. So the weights are taken from the question's own candidates:

1. **Order.** BM25 counts relative to the best keyword hit, and more the further that hit stands out from
   the tenth: a question whose words single out a record is a keyword question. A cosine counts by how far
   it lies above the cosine of unrelated texts, squared: it leads only where it is high in absolute terms. A
   long record loses a part, since it matches more by chance. A part of the scores of the neighbours in the
   same session or source is added, since an answer often stands beside the words that were asked for.
   Graph, importance, confidence and recency only nudge.
2. **Scale.** The best hit is given a level in 0..1 from absolute evidence: the share of the question's weight
   that one record covers, and the best cosine. All other scores follow in proportion to the best. Below 0.25
   the question is most likely about nothing that is stored; above 0.5 the best hits are most likely good.

Everything here is pure and needs numpy only.
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Ints = NDArray[np.integer]

UNRELATED_COSINE = 0.0
"""The mean cosine of unrelated texts under the bundled model."""

_K1, _B = 0.9, 0.4
_VECTOR_WEIGHT = 3.2
_LATE_WEIGHT, _LATE_FLOOR = 3.0, 0.3
_NEIGHBOUR_SHARES = (0.25, 0.1)
_LONG, _LONG_FALL = 100.0, 0.28
_GRAPH_SHARE, _GRAPH_LEVEL = 0.1, 0.3
NUDGE = 0.02
"""How much importance and confidence may change a score unless a question says otherwise."""
_COMPARED = 10
_PAIR_SHARE, _PAIR_TERMS = 0.75, 3.0
_COVERED_SHARE = 0.3
_SURE_SLOPE, _SURE_MIDDLE = 20.0, 0.49
_WORDS_SLOPE, _WORDS_MIDDLE = 12.0, 0.46


class QueryView(Struct, frozen=True, kw_only=True, eq=False):
    """What fusion knows of the question.

    For each distinct term: `df`, the number of records that hold it, and `pair`, whether it is a pair of
    characters of a script without spaces. `records` and `mean_length` describe all that was searched.
    `unrelated_cosine` is the mean cosine of unrelated texts under the model that made the vectors.
    """

    df: Floats
    pair: NDArray[np.bool_]
    records: int
    mean_length: float
    unrelated_cosine: float = UNRELATED_COSINE
    recency_weight: float = 0.0
    importance_weight: float = NUDGE


class Candidates(Struct, frozen=True, kw_only=True, eq=False):
    """What is known of each of n candidates; every array has n rows, in any order.

    tf: how often each term of the question occurs (n × terms). length: how many terms the record has. cosine:
    that of its best piece, NaN without a vector. group: a number for its session or source, -1 for none.
    position: its place in that group. recency, importance, confidence, graph: within 0..1, 1 the newest, most
    important, surest and nearest.
    """

    tf: Floats
    length: Floats
    cosine: Floats
    group: Ints
    position: Ints
    recency: Floats
    importance: Floats
    confidence: Floats
    graph: Floats
    late: Floats | None = None
    """How well its wordpieces match the question's (`late.py`), within 0..1; NaN where they were not compared."""


class Fused(Struct, frozen=True, kw_only=True, eq=False):
    """A score per candidate in 0..1, what each signal said in 0..1 (`vector`: NaN for none), and the weights.

    `keyword` is the share of the question's weight that the record covers, `vector` its cosine on the scale
    from unrelated (0) to identical (1), `neighbours` the part of the score that its neighbours gave. The two
    weights add up to 1.
    """

    score: Floats
    keyword: Floats
    vector: Floats
    neighbours: Floats
    keyword_weight: float
    vector_weight: float


def fuse_signals(query: QueryView, candidates: Candidates) -> Fused:
    """Score the candidates of one question. Equal inputs give equal scores, whatever the order."""
    count = len(candidates.length)
    if count == 0:
        none = np.zeros(0)
        return Fused(score=none, keyword=none, vector=none, neighbours=none, keyword_weight=0.0, vector_weight=0.0)
    idf = _rarity(query)
    bm25 = _bm25(candidates, idf, query.mean_length)
    covered = _covered(candidates, idf, query.pair)
    vector = _nearness(query, candidates)
    keyword_weight, relative = _keyword_order(bm25)
    own = keyword_weight * relative + _vector_order(vector, relative) + _late_order(candidates.late, relative)
    own = own * _long_fall(candidates.length, query.pair)
    near = _neighbours(own, candidates.group, candidates.position)
    reached = _GRAPH_SHARE * candidates.graph * max(float(own.max()), 1.0)
    order = (own + near + reached) * _nudges(query, candidates)
    best = float(order.max())
    sure = _sure(covered, vector, candidates.graph)
    level = sure / best if best > 0 else 0.0
    vector_weight = _VECTOR_WEIGHT * float(np.nanmax(vector, initial=0.0)) ** 2
    total = keyword_weight + vector_weight
    return Fused(
        score=order * level,
        keyword=covered,
        vector=vector,
        neighbours=near * level,
        keyword_weight=keyword_weight / total if total else 0.0,
        vector_weight=vector_weight / total if total else 0.0,
    )


def best_score(query: QueryView, candidates: Candidates) -> float:
    """What the best of some candidates will be given, which costs much less to tell than to score them."""
    if not len(candidates.length):
        return 0.0
    covered = _covered(candidates, _rarity(query), query.pair)
    return _sure(covered, _nearness(query, candidates), candidates.graph)


def _nearness(query: QueryView, candidates: Candidates) -> Floats:
    return np.clip((candidates.cosine - query.unrelated_cosine) / (1.0 - query.unrelated_cosine), 0.0, 1.0)


def _sure(covered: Floats, vector: Floats, graph: Floats) -> float:
    return max(_level(covered, vector), _GRAPH_LEVEL * float(graph.max()))


def keyword_scores(query: QueryView, candidates: Candidates) -> Floats:
    """BM25 of each candidate."""
    return _bm25(candidates, _rarity(query), query.mean_length)


def _rarity(query: QueryView) -> Floats:
    return np.log1p((query.records - query.df + 0.5) / (query.df + 0.5))


def _bm25(candidates: Candidates, idf: Floats, mean_length: float) -> Floats:
    norm = _K1 * (1.0 - _B + _B * candidates.length / max(mean_length, 1.0))
    return (candidates.tf * (_K1 + 1.0) / (candidates.tf + norm[:, None])) @ idf


def _covered(candidates: Candidates, idf: Floats, pair: NDArray[np.bool_]) -> Floats:
    """The share of the question's weight that each candidate covers.

    Of the pairs of characters in a question without spaces, those that lie across two words are found only by
    chance: even a record that says the same covers about three quarters, and that counts as all.
    """
    weight = np.where(pair, _PAIR_SHARE, 1.0) * idf
    total = float(weight.sum())
    found = (candidates.tf > 0) @ idf
    return np.minimum(found / total, 1.0) if total > 0 else found


def _keyword_order(bm25: Floats) -> tuple[float, Floats]:
    """How much keywords count for this question, and each candidate's share of the best keyword hit."""
    best = float(bm25.max())
    if best <= 0:
        return 0.0, bm25
    compared = len(bm25) - _COMPARED
    tenth = float(np.partition(bm25, compared)[compared]) if compared >= 0 else 0.0
    return (1.5 - tenth / best) ** 2, bm25 / best


def _vector_order(vector: Floats, relative: Floats) -> Floats:
    """What the vectors add. A candidate without one is taken at its words, beside a middling good vector."""
    order = _VECTOR_WEIGHT * vector**2
    missing = np.isnan(order)
    if not missing.any():
        return order
    present = np.sort(order[~missing])[-_COMPARED:]
    middling = float(np.median(present)) if len(present) else 0.0
    return np.where(missing, middling * relative, order)


def _late_order(late: Floats | None, relative: Floats) -> Floats | float:
    """What the match of single wordpieces adds. Candidates that were not compared get half of a middling match."""
    if late is None:
        return 0.0
    order = _LATE_WEIGHT * np.clip((late - _LATE_FLOOR) / (1.0 - _LATE_FLOOR), 0.0, 1.0) ** 2
    missing = np.isnan(order)
    if not missing.any():
        return order
    middling = float(np.median(order[~missing])) if not missing.all() else 0.0
    return np.where(missing, 0.5 * middling * relative, order)


def _long_fall(length: Floats, pair: NDArray[np.bool_]) -> Floats:
    """What a long record keeps of its score: it has more places to match by chance.

    Length counts in words; a word of a script without spaces makes about three terms.
    """
    per_word = 1.0 + (_PAIR_TERMS - 1.0) * float(pair.mean()) if len(pair) else 1.0
    return np.maximum(length / (_LONG * per_word), 1.0) ** -_LONG_FALL


def _neighbours(own: Floats, group: Ints, position: Ints) -> Floats:
    """What each candidate is given by the scores of those one and two places from it in its group."""
    given = np.zeros_like(own)
    order = np.lexsort((position, group))
    for apart in range(1, len(_NEIGHBOUR_SHARES) + 1):
        before, after = order[:-apart], order[apart:]
        together = (group[before] == group[after]) & (group[after] >= 0)
        distance = position[after] - position[before]
        for places, share in enumerate(_NEIGHBOUR_SHARES, 1):
            pairs = together & (distance == places)
            given[after[pairs]] += share * own[before[pairs]]
            given[before[pairs]] += share * own[after[pairs]]
    return given


def _nudges(query: QueryView, candidates: Candidates) -> Floats:
    """Factors within a few percent of 1, for what should decide between equals."""
    return (
        1.0
        + query.importance_weight * (candidates.importance - 0.5)
        + NUDGE * (candidates.confidence - 1.0)
        + query.recency_weight * candidates.recency
    )


def _level(covered: Floats, vector: Floats) -> float:
    """How sure we are, in 0..1, that something here answers: the best evidence that one record gives."""
    missing = np.isnan(vector)
    by_words = np.max(covered, where=missing, initial=0.0)
    by_both = np.max(vector + _COVERED_SHARE * covered, where=~missing, initial=0.0)
    return max(
        _logistic(_WORDS_SLOPE * (float(by_words) - _WORDS_MIDDLE)) if missing.any() else 0.0,
        _logistic(_SURE_SLOPE * (float(by_both) - _SURE_MIDDLE)),
    )


def _logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))
