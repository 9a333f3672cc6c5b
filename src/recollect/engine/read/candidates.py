"""Which records of a space could answer a question, and what does each signal say about them?

Three lists are drawn up: the records that hold the question's rarest words, those whose vectors lie nearest, and those
that the graph leads to. Then every signal is completed for all of them, so that fusion compares like with like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from math import log1p
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec import Struct

from recollect.engine.core import within
from recollect.engine.embedding.vectors import Vectors
from recollect.engine.graph.walk import walk
from recollect.engine.write.remember import hash_term
from recollect.ingest.entities import extract_names, phrases, unspaced
from recollect.retrieve.fuse import Candidates, QueryView, fuse_signals
from recollect.retrieve.late import match_tokens
from recollect.store.base import Glance, View
from recollect.store.terms import is_pair, query_terms
from recollect.types import Filter, Query

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BY_KEYWORD = 240
_BY_VECTOR = 200
_BY_TOKENS = 200  # candidates that are compared piece by piece
_THOROUGH = 3  # times as many of both, where a question asks for it
_MOST_TERMS = 256  # of a question; who asks with a whole document is understood by its beginning
_WORLD = 200  # records; in a smaller space words are as rare as they would be in one of this size
_RECENT_DAYS = 30.0
_MICROS_PER_DAY = 86_400e6


class Term(Struct, frozen=True):
    """One term of the question, and the versions of the space that hold it."""

    hash: int
    pair: bool
    versions: list[int]


class Field(Struct, frozen=True, eq=False):
    """The candidates of one space, ready for fusion."""

    space: str
    glances: tuple[Glance, ...]
    query: QueryView
    candidates: Candidates
    by_keyword: int
    by_vector: int
    by_graph: int


class Question(Struct, frozen=True, eq=False):
    """A query with what is computed once for all spaces."""

    query: Query
    terms: tuple[tuple[int, bool], ...]
    names: tuple[str, ...]
    vector: NDArray[np.float32] | None
    tokens: NDArray[np.float32] | None
    now: int
    """Microseconds since 1970: what recency is counted from."""


def make_question(query: Query, vectors: Vectors | None, now: int, *, named: bool = True) -> Question:
    """A question; with `named` False the graph has no say in it."""
    distinct = list(dict.fromkeys(query_terms(query.text)))[:_MOST_TERMS]
    asked = None if vectors is None else vectors.query(query.text)
    readable = asked is not None and bool(asked.vector.any())
    return Question(
        query=query,
        terms=tuple((hash_term(term), is_pair(term)) for term in distinct),
        names=tuple(dict.fromkeys([*extract_names(query.text), *phrases(query.text)])) if named else (),
        vector=asked.vector if asked is not None and readable else None,
        tokens=asked.tokens if asked is not None and readable else None,
        now=now,
    )


def gather(view: View, vectors: Vectors | None, question: Question, space: str) -> Field | None:
    """The candidates of a space; None where it holds nothing that could answer."""
    filter = question.query.filter
    terms = [
        Term(hash, pair, _holding(view, space, hash, filter)) for hash, pair in question.terms
    ]  # fmt: skip
    tally = view.tally(space)
    found = _draw(view, vectors, question, space, terms, tally.records, among=None)
    glances = view.select(Glance, within(filter, space, found.all))
    wanted = (3 if question.query.fold else 1) * question.query.limit + 20  # folding looks at more than it shows
    if found.fell_short({glance.version for glance in glances}, wanted):
        allowed = np.array(view.select(int, msgspec.structs.replace(filter, spaces=(space,))), dtype=np.int64)
        found = _draw(view, vectors, question, space, terms, tally.records, among=allowed)
        glances = view.select(Glance, within(filter, space, found.all))
    if not glances:
        return None
    df = np.array([len(term.versions) for term in terms], dtype=np.float64)
    query_view = QueryView(
        df=df,
        pair=np.array([term.pair for term in terms], dtype=np.bool_),
        records=max(tally.records, int(df.max(initial=0)), _WORLD),
        mean_length=tally.length / max(tally.records, 1),
        unrelated_cosine=0.0 if vectors is None else vectors.model().floor,
        recency_weight=question.query.recency,
        importance_weight=question.query.importance,
    )
    candidates = _complete(view, vectors, question, glances, terms, found)
    if vectors is not None and question.tokens is not None:
        candidates = _look_closer(view, vectors.model().no, question.tokens, query_view, candidates, glances)
    return Field(
        space=space, glances=tuple(glances), query=query_view, candidates=candidates,
        by_keyword=len(found.keyword), by_vector=len(found.vector), by_graph=len(found.graph),
    )  # fmt: skip


def _holding(view: View, space: str, term: int, filter: Filter) -> list[int]:
    versions = view.postings(space, term)
    return versions if filter.as_of is None else versions + view.postings(space, term, old=True)


class _Found(Struct, frozen=True, eq=False):
    """Versions by the list that brought them in, and whether a list had more than was taken.

    `vector` holds the version of each vector that was found.
    """

    keyword: list[int]
    vector: dict[int, int]
    graph: dict[int, float]
    more_keyword: bool
    more_vector: bool

    @property
    def all(self) -> list[int]:
        return list(dict.fromkeys([*self.keyword, *self.vector.values(), *self.graph]))

    def fell_short(self, allowed: set[int], wanted: int) -> bool:
        """Did a filter leave so little of a list that those left out of it could answer better?"""
        lists = ((self.more_keyword, self.keyword), (self.more_vector, set(self.vector.values())))
        return any(more and len(allowed.intersection(taken)) < min(len(taken), wanted) for more, taken in lists)


def _draw(
    view: View,
    vectors: Vectors | None,
    question: Question,
    space: str,
    terms: Sequence[Term],
    records: int,
    among: NDArray[np.int64] | None,
) -> _Found:
    more = max(_THOROUGH if question.query.thorough else 1, -(-question.query.limit // _BY_VECTOR))
    keyword, more_keyword = by_keyword(terms, records, among, more * _BY_KEYWORD)
    vector: dict[int, int] = {}
    more_vector = False
    if vectors is not None and question.vector is not None:
        vector, more_vector = by_vector(view, vectors, question, space, among, more * _BY_VECTOR)
    return _Found(
        keyword=keyword,
        vector=vector,
        graph=_by_graph(view, question, space),
        more_keyword=more_keyword,
        more_vector=more_vector,
    )


def by_keyword(
    terms: Sequence[Term], records: int, among: NDArray[np.int64] | None, most: int
) -> tuple[list[int], bool]:
    """The versions that hold most of the question's weight, rare words first."""
    sizes = [len(term.versions) for term in terms]
    every = np.fromiter(chain.from_iterable([term.versions for term in terms]), np.int64, sum(sizes))
    if not len(every):
        return [], False
    weights = np.repeat([log1p((records - size + 0.5) / (size + 0.5)) for size in sizes], sizes)
    order = np.argsort(every, kind="stable")
    every = every[order]
    starts = np.flatnonzero(np.concatenate([[True], every[1:] != every[:-1]]))
    versions, scores = every[starts], np.add.reduceat(weights[order], starts)
    if among is not None:
        kept = np.isin(versions, among)
        versions, scores = versions[kept], scores[kept]
    if len(versions) <= most:
        return versions.tolist(), False
    best = np.argpartition(-scores, most)[:most]
    return versions[best].tolist(), True


def by_vector(
    view: View, vectors: Vectors, question: Question, space: str, among: NDArray[np.int64] | None, most: int
) -> tuple[dict[int, int], bool]:
    """The vectors whose sign bits lie nearest to the question's, and the versions that they are of."""
    assert question.vector is not None
    bits = vectors.query_bits(question.vector)
    found: dict[int, int] = {}
    more = False
    for old in (False, True) if question.query.filter.as_of is not None else (False,):
        matrix = vectors.matrix(view, space, old=old)
        numbers, versions = matrix.nearest(bits, most, among)
        found |= zip(numbers.tolist(), versions.tolist(), strict=True)
        more = more or len(matrix) > most
    return found, more


def _by_graph(view: View, question: Question, space: str) -> dict[int, float]:
    """Records that relations lead to from the entities that the question names; the best has 1."""
    if not view.knows_names(space):
        return {}
    named = view.known_names(space, question.names, unspaced(question.query.text))
    if not named:
        return {}
    as_of = question.query.filter.as_of
    scores, _ = walk(view, space, names=named, records={}, as_of=as_of, through_records=False)
    best = max(scores.values(), default=0.0)
    return {version: score / best for version, score in scores.items()} if best else {}


def _complete(
    view: View,
    vectors: Vectors | None,
    question: Question,
    glances: Sequence[Glance],
    terms: Sequence[Term],
    found: _Found,
) -> Candidates:
    versions = [glance.version for glance in glances]
    counts, length = _term_counts(view, versions, terms)
    groups: dict[tuple[str | None, str | None], int] = {}
    keys = [(glance.session, None if glance.session is not None else glance.source) for glance in glances]
    age = (question.now - np.array([glance.event_time for glance in glances])) / _MICROS_PER_DAY
    return Candidates(
        tf=counts,
        length=length,
        cosine=cosines_of(view, vectors, question, versions, found.vector),
        group=np.array([-1 if key == (None, None) else groups.setdefault(key, len(groups)) for key in keys]),
        position=np.array([glance.position for glance in glances]),
        recency=np.exp2(-np.maximum(age, 0) / _RECENT_DAYS),
        importance=np.array([glance.importance for glance in glances]),
        confidence=np.array([glance.confidence for glance in glances]),
        graph=np.array([found.graph.get(version, 0.0) for version in versions]),
    )


def _term_counts(
    view: View, versions: Sequence[int], terms: Sequence[Term]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How often each term of the question occurs in each version, and how long each version is."""
    row = {version: i for i, version in enumerate(versions)}
    counts = np.zeros((len(versions), len(terms)))
    length = np.ones(len(versions))
    blobs = view.term_blobs(versions) if terms else []
    sizes = np.array([len(blob) // 5 for _, blob in blobs])
    if not sizes.sum():
        return counts, length
    hashes = np.frombuffer(b"".join([blob[: 4 * (len(blob) // 5)] for _, blob in blobs]), dtype=np.uint32)
    times = np.frombuffer(b"".join([blob[4 * (len(blob) // 5) :] for _, blob in blobs]), dtype=np.uint8)
    owner = np.repeat(np.array([row[version] for version, _ in blobs]), sizes)
    length = np.bincount(owner, times, minlength=len(versions)).astype(np.float64)
    for column, term in enumerate(terms):
        at = np.flatnonzero(hashes == term.hash)
        counts[owner[at], column] = times[at]
    return counts, length


def cosines_of(
    view: View,
    vectors: Vectors | None,
    question: Question,
    versions: Sequence[int],
    found: Mapping[int, int],
) -> NDArray[np.float64]:
    """The cosine of each version's best piece; NaN for a version without a vector.

    Of a version that the vectors brought in, the pieces that they found are the best ones.
    """
    cosines = np.full(len(versions), np.nan)
    if vectors is None or question.vector is None:
        return cosines
    row = {version: i for i, version in enumerate(versions)}
    numbers = [number for number, version in found.items() if version in row]
    rows = [(found[number], half) for number, half in view.halves(numbers).items()]
    rows += view.vectors_of(vectors.model().no, sorted(row.keys() - set(found.values())))
    if not rows:
        return cosines
    halves = np.frombuffer(b"".join([half for _, half in rows]), dtype=np.float16).reshape(len(rows), -1)
    values = halves.astype(np.float32) @ question.vector
    owner = np.array([row[version] for version, _ in rows])
    best = np.full(len(versions), -np.inf)
    np.maximum.at(best, owner, values)
    return np.where(np.isinf(best), np.nan, best)


def _look_closer(
    view: View,
    model: int,
    tokens: NDArray[np.float32],
    query: QueryView,
    candidates: Candidates,
    glances: Sequence[Glance],
) -> Candidates:
    """The best candidates, compared with the question, wordpiece by wordpiece."""
    order = fuse_signals(query, candidates).score
    best = np.argpartition(-order, _BY_TOKENS)[:_BY_TOKENS] if len(order) > _BY_TOKENS else np.arange(len(order))
    row = {glances[at].version: at for at in best.tolist()}
    pieces = view.tokens_of(model, list(row))
    late = np.full(len(order), -np.inf)
    np.maximum.at(late, [row[version] for version, _ in pieces], match_tokens(tokens, [piece for _, piece in pieces]))
    return msgspec.structs.replace(candidates, late=np.where(np.isinf(late), np.nan, late))
