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
from recollect.engine.read.candidates import Field, Question, gather, make_question
from recollect.engine.read.deep import READ, read_closely, weigh_reading
from recollect.retrieve.context import pack_context
from recollect.retrieve.fuse import Fused, fuse_signals
from recollect.retrieve.rank import Signature, fold_near_duplicates
from recollect.store.base import View
from recollect.types import Hit, Query, Recall, Record, Signals, Why

if TYPE_CHECKING:
    from recollect.embed.rerank import Reranker

_NUMBER = re.compile(r"\d+")
_FOLD_LOOKS_AT = 3  # times the limit


class _Ranked(Struct, frozen=True):
    """One candidate of one space, with its score."""

    score: float
    field: Field
    fused: Fused
    row: int
    deep: float | None = None

    @property
    def version(self) -> int:
        return self.field.glances[self.row].version


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
        fields = [field for space in spaces if (field := gather(view, vectors, question, space)) is not None]
        ranked = _rank(fields, query)
        if reranker is not None and (vectors is None or len(ranked) < 2 or not reranker.reads(query.text)):
            reranker = None
        if reranker is not None and vectors is not None:
            ranked = _read(view, vectors, reranker, question, ranked)
        folded = query.fold and not query.thorough
        hits = _fold(view, ranked, query.limit) if folded else _to_hits(view, ranked, query.limit, fold=False)
    return Recall(
        hits=hits,
        pack=partial(pack_context, budget_tokens=query.budget_tokens),
        signals=Signals(
            keyword_weight=round(ranked[0].fused.keyword_weight, 4) if ranked else 0.0,
            vector_weight=round(ranked[0].fused.vector_weight, 4) if ranked else 0.0,
            keyword_candidates=sum(field.by_keyword for field in fields),
            vector_candidates=sum(field.by_vector for field in fields),
            graph_candidates=sum(field.by_graph for field in fields),
            reranker=None if reranker is None else reranker.name,
            embedder=None if vectors is None or question.vector is None else vectors.embedder.name,
            waiting_for_vectors=waiting,
            problem=problem,
            milliseconds=round((time.perf_counter() - started) * 1e3, 3),
        ),
    )


def _rank(fields: list[Field], query: Query) -> list[_Ranked]:
    """The candidates of all spaces together, best first."""
    ranked: list[_Ranked] = []
    for field in fields:
        fused = fuse_signals(field.query, field.candidates)
        order = np.lexsort((-np.array([glance.version for glance in field.glances]), -fused.score))
        ranked += [
            _Ranked(float(fused.score[row]), field, fused, int(row))
            for row in order
            if fused.score[row] > 0 and fused.score[row] >= query.min_score
        ]
    ranked.sort(key=lambda one: (-one.score, -one.version))
    return ranked


def _read(view: View, vectors: Vectors, reranker: Reranker, question: Question, ranked: list[_Ranked]) -> list[_Ranked]:
    """The best candidates in the order in which they answer when they are read; the scores stay where they stand."""
    best, rest = ranked[:READ], ranked[READ:]
    records = {record.version: record for record in records_of(view, [one.version for one in best])}
    best = [one for one in best if one.version in records]
    sure = read_closely(view, vectors, reranker, question, [records[one.version] for one in best])
    weighed = weigh_reading([one.score for one in best], sure)
    order = sorted(range(len(best)), key=lambda at: -float(weighed[at]))
    return [
        *(
            msgspec.structs.replace(best[at], score=best[place].score, deep=float(sure[at]))
            for place, at in enumerate(order)
        ),
        *rest,
    ]


def _fold(view: View, ranked: list[_Ranked], limit: int) -> tuple[Hit, ...]:
    """The best hits with near-duplicates behind them; the more there are of those, the further it looks."""
    window = _FOLD_LOOKS_AT * limit
    while True:
        hits = _to_hits(view, ranked[:window], limit)
        if len(hits) >= limit or window >= len(ranked):
            return hits
        window *= 4


def _to_hits(view: View, ranked: list[_Ranked], limit: int, *, fold: bool = True) -> tuple[Hit, ...]:
    if not fold:
        best = ranked[:limit]
        records = records_of(view, [one.version for one in best])
        return tuple(_to_hit(record, one, ()) for record, one in zip(records, best, strict=True))
    records = {record.version: record for record in records_of(view, [one.version for one in ranked])}
    ranked = [one for one in ranked if one.version in records]
    lexis = view.lexis([one.version for one in ranked])
    signatures = [
        Signature(lexis[one.version].terms.keys(), frozenset(_NUMBER.findall(records[one.version].text)))
        for one in ranked
    ]
    groups = fold_near_duplicates(signatures, limit)
    return tuple(
        _to_hit(records[ranked[at].version], ranked[at], tuple(records[ranked[i].version].id for i in folded))
        for at, folded in groups
    )


def _to_hit(record: Record, ranked: _Ranked, folded: tuple[str, ...]) -> Hit:
    row, fused, candidates = ranked.row, ranked.fused, ranked.field.candidates
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
