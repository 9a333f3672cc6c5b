"""How is a question answered?"""

from __future__ import annotations

import re
import time
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec import Struct

from recollect.engine.core import Core, records_of
from recollect.engine.embedding.vectors import Vectors
from recollect.engine.read.candidates import Question, SpaceCandidates, gather, look_closer, make_question
from recollect.engine.read.deep import READ, read_closely, weigh_reading
from recollect.retrieve.context import pack_context
from recollect.retrieve.fuse import Fused, best_score, fuse_signals
from recollect.retrieve.rank import Signature, fold_near_duplicates
from recollect.store.base import View
from recollect.types import Hit, Query, Recall, Record, Signals, Why

if TYPE_CHECKING:
    from recollect.embed.rerank import Reranker

_NUMBER = re.compile(r"\d+")
_FOLD_LOOKS_AT = 3  # times the limit
_TOGETHER = 4  # spaces that are ranked at once
_ALMOST = 1 - 1e-9  # what rounding may take from a score


class _Ranked(Struct, frozen=True):
    """One candidate of one space, with its score."""

    score: float
    origin: SpaceCandidates
    fused: Fused
    row: int
    version: int
    deep: float | None = None


class _Ranking:
    """The candidates of all spaces together, best first, as far down as anyone looks.

    No candidate of a space scores above what its best will be given, which is cheap to tell: a space is ranked only
    once it could matter.
    """

    def __init__(self, view: View, vectors: Vectors | None, question: Question, found: list[SpaceCandidates]) -> None:
        self._view = view
        self._vectors = vectors
        self._question = question
        ahead = [(best_score(one.query, one.candidates), one) for one in found]
        least = question.query.min_score * _ALMOST
        self._ahead = sorted(((best, one) for best, one in ahead if best >= least), key=lambda pair: -pair[0])
        self._scored: list[tuple[SpaceCandidates, Fused]] = []
        self._best: list[_Ranked] = []

    def first(self, count: int) -> list[_Ranked]:
        while self._ahead:
            known = np.concatenate([fused.score for _, fused in self._scored]) if self._scored else np.zeros(0)
            if len(known) >= count and self._ahead[0][0] < np.partition(known, -count)[-count] * _ALMOST:
                break
            chosen, self._ahead = self._ahead[:_TOGETHER], self._ahead[_TOGETHER:]
            closer = look_closer(self._view, self._vectors, self._question, [one for _, one in chosen])
            self._scored += [(one, fuse_signals(one.query, one.candidates)) for one in closer]
        return [*self._best[:count], *self._rank(count)[len(self._best) :]]

    def _rank(self, count: int) -> list[_Ranked]:
        if not self._scored:
            return []
        scores = np.concatenate([fused.score for _, fused in self._scored])
        versions = np.concatenate([one.findings.versions for one, _ in self._scored])
        starts = np.cumsum([0, *(len(fused.score) for _, fused in self._scored)])
        enough = np.flatnonzero((scores > 0) & (scores >= self._question.query.min_score))
        order = enough[np.lexsort((-versions[enough], -scores[enough]))][:count]
        homes: list[int] = (np.searchsorted(starts, order, side="right") - 1).tolist()
        return [
            _Ranked(float(scores[at]), one, fused, int(at - starts[home]), int(versions[at]))
            for at, home in zip(order.tolist(), homes, strict=True)
            for one, fused in [self._scored[home]]
        ]

    def put_first(self, best: list[_Ranked]) -> None:
        """Gives the best another order."""
        self._best = best


def recall(
    core: Core,
    vectors: Vectors | None,
    query: Query,
    *,
    reranker: Reranker | None = None,
    waiting: int = 0,
    problem: str | None = None,
) -> Recall:
    """The records that answer a query, best first. With a `reranker`, the best are read together with the question."""
    started = time.perf_counter()
    now = core.clock()
    question = make_question(query, vectors, int(now.timestamp() * 1e6))
    with core.store.read() as view:
        spaces = query.filter.spaces or tuple(space.name for space in view.spaces())
        found = gather(view, vectors, question, spaces)
        ranking = _Ranking(view, vectors, question, found)
        if reranker is not None and (vectors is None or len(ranking.first(2)) < 2 or not reranker.reads(query.text)):
            reranker = None
        if reranker is not None and vectors is not None:
            ranking.put_first(_read(view, vectors, reranker, question, ranking.first(READ)))
        folded = query.fold and not query.thorough
        hits = _fold(view, ranking, query.limit) if folded else _show(view, ranking.first(query.limit))
        foremost = ranking.first(1)
    return Recall(
        hits=hits,
        pack=partial(pack_context, budget_tokens=query.budget_tokens),
        signals=Signals(
            keyword_weight=round(foremost[0].fused.keyword_weight, 4) if foremost else 0.0,
            vector_weight=round(foremost[0].fused.vector_weight, 4) if foremost else 0.0,
            keyword_candidates=sum(one.by_keyword for one in found),
            vector_candidates=sum(one.by_vector for one in found),
            graph_candidates=sum(one.by_graph for one in found),
            reranker=None if reranker is None else reranker.name,
            embedder=None if vectors is None or question.vector is None else vectors.embedder.name,
            waiting_for_vectors=waiting,
            problem=problem,
            milliseconds=round((time.perf_counter() - started) * 1e3, 3),
        ),
    )


def _read(view: View, vectors: Vectors, reranker: Reranker, question: Question, best: list[_Ranked]) -> list[_Ranked]:
    """The best candidates in the order in which they answer when they are read; the scores stay where they stand."""
    records = records_of(view, [one.version for one in best])
    sure = read_closely(view, vectors, reranker, question, records)
    weighed = weigh_reading([one.score for one in best], sure)
    order = sorted(range(len(best)), key=lambda at: -float(weighed[at]))
    return [
        msgspec.structs.replace(best[at], score=best[place].score, deep=float(sure[at]))
        for place, at in enumerate(order)
    ]


def _fold(view: View, ranking: _Ranking, limit: int) -> tuple[Hit, ...]:
    """The best hits with near-duplicates behind them; the more there are of those, the further it looks."""
    window = _FOLD_LOOKS_AT * limit
    while True:
        ranked = ranking.first(window)
        hits = _group(view, ranked, limit)
        if len(hits) >= limit or len(ranked) < window:
            return hits
        window *= 4


def _show(view: View, ranked: list[_Ranked]) -> tuple[Hit, ...]:
    records = records_of(view, [one.version for one in ranked])
    return tuple(_to_hit(record, one, ()) for record, one in zip(records, ranked, strict=True))


def _group(view: View, ranked: list[_Ranked], limit: int) -> tuple[Hit, ...]:
    versions = [one.version for one in ranked]
    records, lexis = records_of(view, versions), view.terms(versions)
    signatures = [
        Signature(lexis[record.version].terms.keys(), frozenset(_NUMBER.findall(record.text))) for record in records
    ]
    groups = fold_near_duplicates(signatures, limit)
    return tuple(_to_hit(records[at], ranked[at], tuple(records[i].id for i in folded)) for at, folded in groups)


def _to_hit(record: Record, ranked: _Ranked, folded: tuple[str, ...]) -> Hit:
    row, fused, candidates = ranked.row, ranked.fused, ranked.origin.candidates
    vector = float(fused.vector[row])
    return Hit(
        record=record,
        score=round(min(ranked.score, 1.0), 6),
        why=Why(
            keyword=round(float(fused.keyword[row]), 4),
            vector=_rounded(vector),
            graph=round(float(candidates.graph[row]), 4),
            neighbours=round(float(fused.neighbours[row]), 4),
            recency=round(float(candidates.recency[row]), 4),
            importance=round(float(candidates.importance[row]), 4),
            confidence=round(float(candidates.confidence[row]), 4),
            tokens=_rounded(None if candidates.late is None else float(candidates.late[row])),
            deep=_rounded(ranked.deep),
        ),
        folded=folded,
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None or np.isnan(value) else round(value, 4)
