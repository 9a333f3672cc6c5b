"""Which records could answer a question, and what does each signal say about them?

Of each space three lists are drawn up: the records that hold the question's rarest words, those whose vectors lie
nearest, and those that the graph leads to. Then the store says what it knows of all of them, so that fusion compares
like with like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec import Struct

from recollect.engine.embedding.vectors import Sighted
from recollect.engine.graph.named import called, names_of
from recollect.engine.graph.walk import walk_relations
from recollect.engine.moments import read_period
from recollect.ingest.entities import extract_names, phrases, unspaced
from recollect.retrieve.asking import asks_past, said_after_before, tells_past
from recollect.retrieve.keywords import Terms, relate_keywords
from recollect.retrieve.period import Period, find_time
from recollect.retrieve.ranker import to_near
from recollect.store.base import Entities, View, normal_name
from recollect.store.distinct import distinct, find
from recollect.store.search import Findings, NearMatch, Pick, WordMatch
from recollect.store.terms import hash_term, is_pair, query_terms
from recollect.types import HIDDEN_STATUSES, Entity, Query, Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BY_KEYWORD = 240
_BY_VECTOR = 200
_THOROUGH = 3  # times as many of both, where a question asks for it
_MOST_TERMS = 256  # of a question; who asks with a whole document is understood by its beginning
_WORLD = 200  # records; in a smaller space words are as rare as they would be in one of this size
_RECENT_DAYS = 30.0
_MICROS_PER_DAY = 86_400e6


class SpaceCandidates(Struct, frozen=True, eq=False):
    """The candidates of one space: what the store found of them, and what the signals say. Arrays have a row for each.

    covered, words: as in `retrieve/keywords.py`. near: as in `retrieve/ranker.py`.
    graph, recency: within 0..1, 1 the nearest and the newest.
    """

    space: str
    findings: Findings
    terms: Terms
    covered: NDArray[np.floating]
    words: NDArray[np.floating]
    near: NDArray[np.floating]
    graph: NDArray[np.floating]
    recency: NDArray[np.floating]
    records: int
    by_keyword: int
    by_vector: int
    by_graph: int


class Question(Struct, frozen=True, eq=False):
    """A query with what is computed once for all spaces."""

    query: Query
    terms: tuple[int, ...]
    pairs: tuple[bool, ...]
    """Which of the terms are pairs of characters of a script without spaces."""
    names: tuple[str, ...]
    vector: NDArray[np.float32] | None
    tokens: NDArray[np.float32] | None
    now: int
    """Microseconds since 1970: what recency is counted from."""
    called: list[int]
    """Which of the terms belong to names; where what was before somebody is asked for, to those that came after."""
    period: Period | None
    """The time that it asks of."""


def make_question(query: Query, vectors: Sighted | None, now: int, *, named: bool = True) -> Question:
    """A question; with `named` False the graph has no say in it."""
    distinct = list(dict.fromkeys(query_terms(query.text)))[:_MOST_TERMS]
    seen = None if vectors is None else vectors.query(query.text)
    readable = seen is not None and bool(seen.vector.any())
    naming = said_after_before(query.text) if asks_past(query.text) else query.text
    called = {term for name in extract_names(f"of {naming}".replace(". ", " ")) for term in query_terms(name)}
    return Question(
        query=query,
        terms=tuple(map(hash_term, distinct)),
        pairs=tuple(map(is_pair, distinct)),
        names=tuple(dict.fromkeys([*extract_names(query.text), *phrases(query.text)])) if named else (),
        vector=seen.vector if seen is not None and readable else None,
        tokens=seen.tokens if seen is not None and readable else None,
        now=now,
        called=[at for at, term in enumerate(distinct) if term in called],
        period=_period_of(query, distinct, now),
    )


def _period_of(query: Query, asked: Sequence[str], now: int) -> Period | None:
    """The time that a question names, unless it is narrowed to one already."""
    where = query.filter
    found = None if where.since is not None or where.until is not None else find_time(query.text)
    if found is None:
        return None
    today = datetime.fromtimestamp(now / 1e6)  # local: a day is a day where the question is asked
    try:
        stretch = read_period(found.words, today)
    except (ValueError, OverflowError):
        return None
    if stretch is None:
        return None
    first, last = stretch
    begin, end = first.timestamp() * 1e6, last.timestamp() * 1e6
    if found.before:
        begin, end = -np.inf, begin - 1
    names = frozenset(term for name in found.names for term in query_terms(name))
    return Period(
        first=begin,
        last=np.inf if found.since else end,
        named=tuple(at for at, term in enumerate(asked) if term in names),
        names=names,
        over=found.before or tells_past(query.text),
    )


def looking_back(question: Question) -> tuple[Question, bool, bool]:
    """A question for what was once, or of a time that is over, is answered by what holds no longer too, unless it says
    itself what may answer; and one that only tells of the past ("which contract did we have?") by what has `ended`.
    """
    query, period = question.query, question.period
    where = query.filter
    plain = where.valid_only and where.as_of is None and where.true_at is None and not where.statuses
    back = asks_past(query.text) or (period is not None and period.last < question.now)
    if not plain or not (back or tells_past(query.text)):
        return question, False, False
    query = msgspec.structs.replace(query, filter=msgspec.structs.replace(where, valid_only=False))
    return msgspec.structs.replace(question, query=query), back, not back


def ever_held(record: Record, question: Question, *, ended: bool) -> bool:
    """Was a record true once, and not only before the time that is asked of? What was archived is put away, whatever it
    said; where only what has `ended` may answer, so is all that something else stands for.
    """
    if ended and (record.status in HIDDEN_STATUSES or record.superseded_by is not None):
        return False
    begins, ends = (None if at is None else at.timestamp() * 1e6 for at in (record.valid_from, record.valid_until))
    period = question.period
    passed = period is not None and ends is not None and ends < period.first
    return record.status != "archived" and not passed and (begins is None or begins <= question.now)


class _SpaceLists(Struct, frozen=True, eq=False):
    """What words, vectors and the graph (the best of it has 1) bring in of one space."""

    words: WordMatch
    near: NearMatch | None
    graph: Mapping[int, float]

    def pick(self) -> Pick:
        found = [self.words.versions, np.fromiter(self.graph, np.int64, len(self.graph))]
        if self.near is not None:
            found.append(self.near.versions)
        return Pick(distinct(np.concatenate(found)), self.near)

    def fell_short(self, seen: NDArray[np.int64], wanted: int) -> bool:
        """Did a filter leave so little of a list that those left out of it could answer better?"""
        lists = [(self.words.more, self.words.versions)]
        if self.near is not None and self.near.more:
            lists.append((True, distinct(self.near.versions)))
        return any(more and find(taken, seen)[1].sum() < min(len(taken), wanted) for more, taken in lists)


class Drawn(Struct, frozen=True, eq=False):
    """What is found first: the entities that a question names, of each space that knows any, and what words and vectors
    bring in.
    """

    named: Mapping[str, Sequence[Entity]]
    lists: Mapping[str, tuple[WordMatch, NearMatch | None]]


def draw(view: View, vectors: Sighted | None, question: Question, spaces: Sequence[str]) -> Drawn:
    meant = Entities(among=tuple(spaces), names=question.names, text=unspaced(question.query.text))
    (knowing, entities), lists = view.together(
        lambda: view.together(lambda: view.names(spaces), lambda: view.entities(meant)),
        lambda: _draw(view, vectors, question, spaces, exact=False),
    )
    return Drawn({space: [one for one in entities if one.space == space] for space in knowing}, lists)


def gather(view: View, vectors: Sighted | None, question: Question, spaces: Sequence[str]) -> list[SpaceCandidates]:
    """The candidates of each space that holds something which could answer."""
    return complete(view, vectors, question, draw(view, vectors, question, spaces))


def complete(view: View, vectors: Sighted | None, question: Question, drawn: Drawn) -> list[SpaceCandidates]:
    """What the store says of all that was found, and of what the graph leads to."""
    graph = _reach(view, question, drawn)
    lists = {space: _SpaceLists(*one, graph.get(space, {})) for space, one in drawn.lists.items()}
    findings = _look(view, vectors, question, lists)
    wanted = (3 if question.query.fold else 1) * question.query.limit + 20  # folding looks at more than it shows
    short = [space for space, drawn in lists.items() if drawn.fell_short(findings[space].versions, wanted)]
    if short:
        exact = _draw(view, vectors, question, short, exact=True)
        again = {space: _SpaceLists(*one, graph.get(space, {})) for space, one in exact.items()}
        lists |= again
        findings |= _look(view, vectors, question, again)
    return [
        _complete(vectors, question, space, lists[space], found)
        for space, found in findings.items()
        if len(found.versions)
    ]


def _draw(
    view: View,
    vectors: Sighted | None,
    question: Question,
    spaces: Sequence[str],
    *,
    exact: bool,
) -> dict[str, tuple[WordMatch, NearMatch | None]]:
    where = question.query.filter
    more = max(_THOROUGH if question.query.thorough else 1, -(-question.query.limit // _BY_VECTOR))
    model, vector = None if vectors is None else vectors.model().no, question.vector

    def near() -> dict[str, NearMatch]:
        if model is None or vector is None:
            return {}
        return view.near(spaces, model, vector, where, more * _BY_VECTOR, exact=exact)

    held, nearest = view.together(
        lambda: view.words(spaces, question.terms, where, more * _BY_KEYWORD, exact=exact), near
    )
    return {space: (words, nearest.get(space)) for space, words in held.items()}


def _reach(view: View, question: Question, drawn: Drawn) -> dict[str, dict[int, float]]:
    """Records that relations lead to from the entities that the question names; the best of a space has 1."""
    asked = question.query.filter

    def reach_in(space: str) -> dict[int, float]:
        scores = walk_relations(
            view, space, _meant(question, drawn.named[space]), as_of=asked.as_of, true_at=asked.true_at
        )
        best = max(scores.values(), default=0.0)
        return {version: score / best for version, score in scores.items()} if best else {}

    spaces = [space for space, named in drawn.named.items() if named]
    return dict(zip(spaces, view.together(*(partial(reach_in, space) for space in spaces)), strict=True))


def _meant(question: Question, named: Sequence[Entity]) -> list[str]:
    """The entities that names in a question mean: who is called just so comes before others of that name."""
    text, phrases = unspaced(question.query.text), set(question.names)
    by_name: dict[str, list[Entity]] = {}
    for entity in named:
        for name in dict.fromkeys(map(normal_name, names_of(entity))):
            if name in phrases or name in text:
                by_name.setdefault(name, []).append(entity)
    return list(dict.fromkeys(one.id for name in sorted(by_name) for one in called(name, by_name[name], any_case=True)))


def _look(
    view: View, vectors: Sighted | None, question: Question, lists: Mapping[str, _SpaceLists]
) -> dict[str, Findings]:
    return view.signals(
        {space: drawn.pick() for space, drawn in lists.items()},
        question.query.filter,
        terms=question.terms,
        model=None if vectors is None else vectors.model().no,
        vector=question.vector,
    )


def _complete(
    vectors: Sighted | None, question: Question, space: str, drawn: _SpaceLists, found: Findings
) -> SpaceCandidates:
    match = drawn.words
    terms = Terms(
        df=match.df,
        pair=np.array(question.pairs, dtype=np.bool_),
        records=max(match.records, int(match.df.max(initial=0)), _WORLD),
        mean_length=match.length / max(match.records, 1),
    )
    covered, words = relate_keywords(terms, found.tf, found.length)
    near = found.cosine if vectors is None else to_near(found.cosine, vectors.model().floor)
    age = (question.now - found.event_time) / _MICROS_PER_DAY
    graph = np.zeros(len(age))
    if drawn.graph:
        graph = np.array([drawn.graph.get(version, 0.0) for version in found.versions.tolist()])
    return SpaceCandidates(
        space=space, findings=found, terms=terms, covered=covered, words=words, near=near, graph=graph,
        recency=np.exp2(-np.maximum(age, 0) / _RECENT_DAYS), records=match.records,
        by_keyword=len(match.versions), by_vector=0 if drawn.near is None else len(drawn.near.versions),
        by_graph=len(drawn.graph),
    )  # fmt: skip
