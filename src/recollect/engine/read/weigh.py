"""What does each signal find on its own, and what do all find with weights that the asker gives?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import numpy as np
from msgspec import Struct

from recollect.engine.core import Core, records_of, within
from recollect.engine.embedding.vectors import Vectors
from recollect.engine.graph.walk import walk
from recollect.engine.read.candidates import Question, gather, make_question
from recollect.engine.read.results import Scored, Weighed
from recollect.ingest.entities import unspaced
from recollect.retrieve.keywords import Terms, relate_keywords, score_keywords
from recollect.retrieve.weigh import Weights, relate_to_best, scale_cosines, standardize, take_best, weigh_signals
from recollect.store.base import View
from recollect.types import Filter, Query

if TYPE_CHECKING:
    from numpy.typing import NDArray

Score: TypeAlias = "Callable[[Terms, NDArray[np.float64], NDArray[np.float64]], NDArray[np.floating]]"

_FETCHED = 3  # times the limit: how much of each list counts
_CHANCE = 2.0  # standard deviations above the mean cosine of unrelated texts
_LOOKED_AT = 4  # times what is wanted: records that only the graph brings in, of which some may not be seen


class _Matches(Struct, frozen=True, eq=False):
    """The records of one filter that words and vectors found: what each signal says, and the best rows of each."""

    versions: Sequence[int]
    replaced: Sequence[bool]
    cosine: NDArray[np.floating]
    near: NDArray[np.floating]
    keyword: NDArray[np.floating]
    by_vector: NDArray[np.int64]
    by_keyword: NDArray[np.int64]

    @property
    def rows(self) -> list[int]:
        """Every row that one of the lists holds."""
        return sorted({*self.by_vector.tolist(), *self.by_keyword.tolist()})


class _Ranked(Struct, frozen=True):
    """One record on its way to be a hit."""

    score: float
    version: int
    vector: float
    keyword: float
    graph: float


def search_vectors(core: Core, vectors: Vectors, query: Query, space: str) -> tuple[Scored, ...]:
    """The records whose vectors lie nearest to the question's; the score is the cosine.

    Where the model cannot read the question, or a record, or has not read it yet, there is none: then it is the share
    of the question's words.
    """
    question = _ask(core, vectors, query)[0]
    if question.vector is None:
        return _search_words(core, query, space, _share)
    with core.store.read() as view:
        lists = _draw(view, vectors, question, space, query.filter, query.limit, _share)
        wordless = np.isnan(lists.cosine) & (lists.keyword <= 0)
        score = np.where(wordless, np.nan, np.where(np.isnan(lists.cosine), lists.keyword, lists.cosine))
        rows = {lists.versions[row]: row for row in map(int, take_best(score, query.limit))}
        cosine = np.nan_to_num(lists.cosine)
        return tuple(
            Scored(
                record=record,
                score=float(score[row]),
                vector=float(cosine[row]),
                keyword=float(lists.keyword[row]),
            )
            for record in records_of(view, list(rows))
            for row in (rows[record.version],)
        )


def _share(terms: Terms, tf: NDArray[np.float64], length: NDArray[np.float64]) -> NDArray[np.floating]:
    """The share of a question's words, by their weight, that each record holds."""
    return relate_keywords(terms, tf, length)[0]


def search_keywords(core: Core, query: Query, space: str) -> tuple[Scored, ...]:
    """The records that hold the question's words; the score is BM25. Needs no model."""
    return _search_words(core, query, space, score_keywords)


def _search_words(core: Core, query: Query, space: str, score: Score) -> tuple[Scored, ...]:
    question, _ = _ask(core, None, query)
    with core.store.read() as view:
        lists = _draw(view, None, question, space, query.filter, query.limit, score)
        scores = {lists.versions[row]: float(lists.keyword[row]) for row in map(int, lists.by_keyword)}
        return tuple(
            Scored(record=record, score=scores[record.version], keyword=scores[record.version])
            for record in records_of(view, list(scores))
        )


def weigh(
    core: Core, vectors: Vectors | None, query: Query, space: str, groups: Sequence[Filter], weights: Weights
) -> Weighed:
    """The records of some groups by a weighed sum of three signals, best first.

    A signal of weight zero neither ranks nor leads into the graph; where only the graph counts, the words say where the
    walk begins. Scores of several groups are made comparable by their z-scores.
    """
    question, names = _ask(core, vectors if weights.vector > 0 else None, query)
    used = vectors if question.vector is not None else None
    if weights.keyword <= 0 and (weights.vector > 0 or weights.graph <= 0):
        question = msgspec.structs.replace(question, terms=(), pairs=())
    count = _FETCHED * query.limit
    with core.store.read() as view:
        found = [_find(view, used, question, space, filter, count, weights) for filter in groups]
        reached: Mapping[int, float] = {}
        nodes = 0
        if weights.graph > 0:
            seeds = {version: weight for _, weighed in found for version, weight in weighed.items()}
            named = view.names([space], names, unspaced(query.text)).get(space, [])
            reached, nodes = walk(view, space, names=named, records=seeds, through_records=False)
        ranked: list[_Ranked] = []
        for filter, (lists, _) in zip(groups, found, strict=True):
            ranked += _rank(view, space, filter, lists, reached, weights, count, compare=len(groups) > 1)
        ranked.sort(key=lambda one: (-one.score, -one.version))
        best = {one.version: one for one in ranked[: query.limit]}
        hits = [
            Scored(record=record, score=one.score, vector=one.vector, keyword=one.keyword, graph=one.graph)
            for record in records_of(view, list(best))
            if (one := best[record.version])
        ]
        return Weighed(hits=tuple(hits), nodes=nodes)


def _ask(core: Core, vectors: Vectors | None, query: Query) -> tuple[Question, tuple[str, ...]]:
    """The question, and apart from it what may be a name in it: what the graph leads to is found out later."""
    question = make_question(query, vectors, int(core.clock().timestamp() * 1e6))
    bare = msgspec.structs.replace(question, names=(), query=msgspec.structs.replace(query, text=""))
    return bare, question.names


def _draw(
    view: View,
    vectors: Vectors | None,
    question: Question,
    space: str,
    filter: Filter,
    count: int,
    score: Score = score_keywords,
) -> _Matches:
    """What words and vectors find among the records of a filter, the best `count` of each."""
    asked = msgspec.structs.replace(question, query=msgspec.structs.replace(question.query, filter=filter))
    found = gather(view, vectors, asked, [space])
    if not found:
        none, no_rows = np.zeros(0), np.zeros(0, dtype=np.int64)
        return _Matches((), (), none, none, none, no_rows, no_rows)
    keyword = score(found[0].terms, found[0].findings.tf, found[0].findings.length)
    cosine = found[0].findings.cosine
    return _Matches(
        versions=found[0].findings.versions.tolist(),
        replaced=found[0].findings.replaced.tolist(),
        cosine=cosine,
        near=np.zeros(len(cosine)) if vectors is None else scale_cosines(cosine, _floor(vectors)),
        keyword=keyword,
        by_vector=take_best(cosine, count),
        by_keyword=take_best(np.where(keyword > 0, keyword, np.nan), count),
    )


def _floor(vectors: Vectors) -> float:
    """The cosine that hardly any unrelated text reaches: vectors at or below it say nothing."""
    model = vectors.model()
    return min(model.floor + _CHANCE * model.spread, 0.95)


def _find(
    view: View, vectors: Vectors | None, question: Question, space: str, filter: Filter, count: int, weights: Weights
) -> tuple[_Matches, dict[int, float]]:
    """The lists of a filter, and the records that lead into the graph, with how much each of them counts.

    A record that was superseded is not shown, but leads to its successor.
    """
    if weights.graph <= 0:
        return _draw(view, vectors, question, space, filter, count), {}
    everything = _draw(view, vectors, question, space, msgspec.structs.replace(filter, valid_only=False), count)
    valid = set(view.select(int, within(filter, space, everything.versions)))
    lists = _keep(everything, valid, count) or _draw(view, vectors, question, space, filter, count)
    seeds = _seeds(lists, lists.rows, weights)
    replaced = [row for row in everything.rows if everything.replaced[row] and everything.versions[row] not in valid]
    return lists, _seeds(everything, replaced, weights) | seeds


def _keep(lists: _Matches, valid: set[int], count: int) -> _Matches | None:
    """The lists without what no longer holds; None where that leaves too little of them."""
    if len(valid) == len(lists.versions):
        return lists
    held = np.array([version in valid for version in lists.versions])
    by_vector = take_best(np.where(held, lists.cosine, np.nan), count)
    by_keyword = take_best(np.where(held & (lists.keyword > 0), lists.keyword, np.nan), count)
    if len(by_vector) < len(lists.by_vector) or len(by_keyword) < len(lists.by_keyword):
        return None
    return msgspec.structs.replace(lists, by_vector=by_vector, by_keyword=by_keyword)


def _seeds(lists: _Matches, rows: Sequence[int], weights: Weights) -> dict[int, float]:
    by_words = weights.keyword or (0.0 if weights.vector else 1.0)
    worth = relate_to_best(weights.vector * lists.near + by_words * relate_to_best(lists.keyword))
    return {lists.versions[row]: float(worth[row]) for row in rows if worth[row] > 0}


def _rank(
    view: View,
    space: str,
    filter: Filter,
    lists: _Matches,
    reached: Mapping[int, float],
    weights: Weights,
    count: int,
    *,
    compare: bool,
) -> list[_Ranked]:
    """Every record that one of the lists or the graph brings in, with its score and signals."""
    listed = [lists.versions[row] for row in lists.rows] if weights.vector + weights.keyword > 0 else []
    known = {*listed}
    far = [version for version in reached if version not in known]
    far = sorted(far, key=lambda version: -reached[version])[: _LOOKED_AT * count]
    allowed = set(view.select(int, within(filter, space, far))) if far else set[int]()
    versions = [*listed, *[version for version in far if version in allowed][:count]]
    rows = {version: row for row, version in enumerate(lists.versions)}
    at = np.array([rows.get(version, len(rows)) for version in versions], dtype=np.int64)
    cosine, near, keyword = (np.append(signal, 0.0)[at] for signal in (lists.cosine, lists.near, lists.keyword))
    keyword = keyword if weights.keyword > 0 else np.zeros(len(versions))
    graph = np.array([reached.get(version, 0.0) for version in versions])
    scores = weigh_signals(weights, near, keyword, graph)
    shown = standardize(scores) if compare else scores
    signals = zip(versions, scores, shown, np.nan_to_num(cosine), keyword, graph, strict=True)
    return [
        _Ranked(float(score), version, float(vector), float(words), float(rank))
        for version, own, score, vector, words, rank in signals
        if own > 0  # what says nothing is left out, though others were compared with it
    ]
