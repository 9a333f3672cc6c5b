"""How is a question answered?"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Container, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from msgspec import Struct

from recollect.engine.core import Core, records_of
from recollect.engine.embedding.vectors import Sighted
from recollect.engine.read.candidates import (
    Question,
    SpaceCandidates,
    complete,
    draw,
    ever_held,
    gather,
    looking_back,
    make_question,
)
from recollect.engine.read.deep import (
    DEEP,
    DEEP_SECONDS,
    FEW,
    FEW_OF_CODE,
    FEW_SECONDS,
    is_worth_reading,
    read_closely,
    short_enough,
)
from recollect.engine.read.facts import facts_for
from recollect.engine.write.taken_back import lower_taken_back, taken_back
from recollect.errors import EmbedderError
from recollect.ingest.face import documentation_of
from recollect.retrieve.asking import asked_among, asks_now, asks_past, lower_questions, subject_of
from recollect.retrieve.bare import bare_among, lower_bare
from recollect.retrieve.change import changing_terms
from recollect.retrieve.code import LOOKED_AT, Piece, judge_beside_code, worth_of
from recollect.retrieve.context import pack_context
from recollect.retrieve.evidence import Evidence, Likeness
from recollect.retrieve.instead import put_asked_first
from recollect.retrieve.period import Period, lean, lean_by_validity
from recollect.retrieve.rank import fold_near_duplicates
from recollect.retrieve.ranker import (
    LIKE,
    is_blind,
    judge,
    neighbours_of,
    pair_neighbours,
    share_words,
    to_usual,
    weigh_roughly,
)
from recollect.store.base import View
from recollect.store.distinct import distinct
from recollect.store.search import Pick
from recollect.store.terms import hash_term, query_terms
from recollect.types import Hit, Query, Recall, Record, Signals, Why

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from recollect.embed.rerank import Reranker

_NUMBER = re.compile(r"\d+")
_AFTER = 0.6  # of the time before reading is what comes after it takes
_FOLD_LOOKS_AT = 3  # times the limit
_MOST = 440  # candidates that are ranked
_BY_TOKENS = 200  # of them that are compared piece by piece
_GRAPH_MOST = 0.2  # what the graph alone can make of a record: seen before others, and not taken for an answer
_LAID_BESIDE = 10  # hits that are compared with each other, however few are asked for
_PROMISING = 24  # versions whose vectors are computed first while a question waits
_MAY_BE_SHOWN = 20  # candidates of which none is code where code hardly answers
_MESSAGE = "message"
_NOTE = 60  # terms that a note has at most
_NUDGE = 0.02  # how much confidence may change a score


class _Ranked(Struct, frozen=True):
    """One candidate of one space, with its score and what the network was told of it."""

    score: float
    origin: SpaceCandidates
    row: int
    version: int
    tokens: float
    deep: float
    neighbours: float
    period: float | None


class _Pool:
    """The candidates of all spaces in one list: the most promising of them."""

    def __init__(self, found: Sequence[SpaceCandidates], question: Question) -> None:
        self._question = question
        self.origins = found
        sizes = [len(one.covered) for one in found]
        home = np.repeat(np.arange(len(found)), sizes)
        row = np.concatenate([np.arange(size) for size in sizes]) if sizes else np.zeros(0, dtype=np.int64)
        rough = self._join(lambda one: weigh_roughly(one.covered, one.words, one.near, None) + one.graph)
        most = max(_MOST, 2 * question.query.limit) if not question.query.thorough else len(home)
        kept = np.sort(np.argpartition(-rough, most)[:most]) if len(rough) > most else np.arange(len(rough))
        self._kept = kept
        self.home, self.row = home[kept], row[kept]
        self.version = self._take(lambda one: one.findings.versions).astype(np.int64)
        self.graph = self._take(lambda one: one.graph)
        self.code = self._take(lambda one: one.findings.code)
        self.evidence = self._tell()
        self._pieces: dict[int, Piece] | None = None  # of code, by version

    def __len__(self) -> int:
        return len(self.home)

    def _join(self, column: Callable[[SpaceCandidates], NDArray[Any]]) -> NDArray[Any]:
        return np.concatenate([column(one) for one in self.origins]) if self.origins else np.zeros(0)

    def _take(self, column: Callable[[SpaceCandidates], NDArray[Any]]) -> NDArray[Any]:
        return self._join(column)[self._kept]

    def _tell(self) -> Evidence:
        """What is known without having looked closer."""
        question, none = self._question, np.full(len(self), np.nan)
        most = max((int(one.findings.group.max(initial=-1)) for one in self.origins), default=-1) + 1
        group, position = (
            self._take(lambda one, name=name: getattr(one.findings, name)) for name in ("group", "position")
        )
        group = np.where(group >= 0, group + most * self.home, -1)
        length = self._take(lambda one: one.findings.length)
        noted = (group < 0) & (length <= _NOTE)
        return Evidence(
            covered=self._take(lambda one: one.covered),
            words=self._take(lambda one: one.words),
            near=self._take(lambda one: one.near),
            late=none,
            deep=none,
            length=length,
            group=group,
            position=position,
            beside=pair_neighbours(group, position),
            time=_in_order(self._take(lambda one: one.findings.since), np.where(noted, self.version, 0)),
            like=None,
            terms=len(question.terms),
            pairs=float(np.mean(question.pairs)) if question.pairs else 0.0,
            records=sum(one.records for one in self.origins),
            asks_past=asks_past(question.query.text),
            asks_now=asks_now(question.query.text),
            named=self._take(lambda one: (one.findings.tf[:, question.called] > 0).sum(1)),
            replaced=self._take(lambda one: one.findings.replaced),
        )

    def best(self, count: int) -> NDArray[np.int64]:
        """The rows that promise most."""
        told = self.evidence
        rough = weigh_roughly(told.covered, told.words, told.near, told.late) + self.graph
        return np.argsort(-rough, kind="stable")[:count]

    def picks(self, rows: NDArray[np.int64]) -> tuple[dict[str, Pick], dict[str, NDArray[np.int64]]]:
        """Rows by space, as a store is asked for them, and where each space's stand."""
        homes: list[int] = distinct(self.home[rows]).tolist()
        places = {self.origins[home].space: rows[self.home[rows] == home] for home in homes}
        return {space: Pick(self.version[some]) for space, some in places.items()}, places

    def look_closer(self, shown: _Shown, vectors: Sighted | None) -> None:
        """Compares the best wordpiece by wordpiece, and the best of those with each other."""
        question = self._question
        if vectors is not None and question.tokens is not None:
            picks, places = self.picks(self.best(_BY_TOKENS))
            late = self.evidence.late.copy()
            for space, told in shown.view.signals(
                picks, None, model=vectors.model().no, tokens=question.tokens
            ).items():
                if told.late is not None:
                    late[places[space]] = told.late.worth
            self.evidence = msgspec.structs.replace(self.evidence, late=late)
        if len(self):
            self._compare(shown, vectors if question.vector is not None else None)

    def _compare(self, shown: _Shown, vectors: Sighted | None) -> None:
        rows = self.best(LIKE)
        picks, places = self.picks(rows)
        at = {int(row): place for place, row in enumerate(rows)}
        like = np.zeros((len(rows), len(rows)))
        model = None if vectors is None else vectors.model()
        by_vectors = {} if model is None else shown.view.signals(picks, None, model=model.no, alike=True)
        for space, told in by_vectors.items():
            if model is not None and told.alike is not None:
                own = [at[int(row)] for row in places[space]]
                like[np.ix_(own, own)] = np.where(told.alike, to_usual(told.alike, model.floor), 0.0)
        held = [self._held(row) for row in rows.tolist()]
        changing = np.zeros(len(self), np.bool_)
        changing[rows] = [not _changing().isdisjoint(some.tolist()) for some in held]
        compared = Likeness(rows, like, share_words(held))
        self.evidence = msgspec.structs.replace(self.evidence, like=compared, changing=changing)

    def _held(self, row: int) -> NDArray[np.uint32]:
        return self.origins[int(self.home[row])].findings.terms_of(int(self.row[row]))

    @property
    def has_code(self) -> bool:
        """May code be among what is shown?"""
        return self._pieces is not None

    @property
    def is_code(self) -> bool:
        """Are all of them code?"""
        return self.has_code and bool(self.code.all())

    @property
    def leads_with_code(self) -> bool:
        """Is the likeliest a piece of code?"""
        return self.has_code and bool(self.code[int(np.argmax(self.scores()))])

    def look_at_pieces(self, shown: _Shown) -> None:
        """Sees what kind of code the best are, where some of the best are code: from now on it is judged as that."""
        if not self.code.any() or not self.code[self.best(_MAY_BE_SHOWN)].any():
            return
        rows = np.flatnonzero(self.code)
        rows = rows[np.argsort(-worth_of(self.evidence)[rows], kind="stable")][:LOOKED_AT]
        records = shown.records(self.version[rows].tolist())
        asked = frozenset(query_terms(self._question.query.text))
        self._pieces = {record.version: _to_piece(record, asked) for record in records}

    def read(self, rows: NDArray[np.int64], said: NDArray[np.float64]) -> None:
        """Takes in what the reranker said of some rows."""
        deep = self.evidence.deep.copy()
        deep[rows] = said
        self.evidence = msgspec.structs.replace(self.evidence, deep=deep)

    def drop(self, versions: Sequence[int]) -> None:
        """Leaves some candidates out, so that the others are judged as if those were not there."""
        keep = ~np.isin(self.version, versions)
        self._kept, self.home, self.row = self._kept[keep], self.home[keep], self.row[keep]
        self.version, self.graph, self.code = self.version[keep], self.graph[keep], self.code[keep]
        self.evidence = self.evidence.keep(keep)

    def scores(self, rows: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """The probability of each to answer, nudged by what the question weighs beside it; of others than `rows` 0."""
        query = self._question.query
        some = slice(None) if rows is None else rows
        if self._pieces is None:
            sure = judge(self.evidence, rows)
        else:
            pieces = [self._pieces.get(version) for version in self.version.tolist()]
            sure = judge_beside_code(self.evidence, self.code, pieces)[some]
        period = self._question.period
        if period is not None:
            told = (self._take(partial(one, period=period))[some] for one in (_inside, _names, _told_later))
            sure = lean(sure, *told)
        sure = sure + np.maximum(_GRAPH_MOST - sure, 0.0) * self.graph[some]
        importance, confidence = (
            self._take(lambda one, name=name: getattr(one.findings, name))[some]
            for name in ("importance", "confidence")
        )
        recency = self._take(lambda one: one.recency)[some]
        nudge = 1.0 + query.importance * (importance - 0.5) + _NUDGE * (confidence - 1.0)
        found = np.zeros(len(self))
        found[some] = np.minimum(sure * (nudge + query.recency * recency), 1.0)
        return found

    def ranked(
        self, count: int, *, least: float | None = None, among: NDArray[np.int64] | None = None
    ) -> list[_Ranked]:
        """The best so many, of all or among some rows, whose score is enough, best first: what the question says is
        enough, or `least`.
        """
        if not len(self):
            return []
        scores = self.scores(among)
        least = self._question.query.min_score if least is None else least
        enough = np.flatnonzero((scores > 0) & (scores >= least))
        order = enough[np.lexsort((-self.version[enough], -scores[enough]))][:count]
        told = self.evidence
        near, period = neighbours_of(told), self._question.period
        inside = None if period is None else self._take(partial(_inside, period=period))
        return [
            _Ranked(
                float(scores[at]), self.origins[int(self.home[at])], int(self.row[at]), int(self.version[at]),
                float(told.late[at]), float(told.deep[at]), float(near[at]),
                None if inside is None else float(inside[at]),
            )
            for at in order.tolist()
        ]  # fmt: skip


def _in_order(time: NDArray[np.int64], told: NDArray[np.int64]) -> NDArray[np.float64]:
    """The place of each in time. Of notes that came together without a time, which have one moment, that is the newer
    which was told later. Where `told` is 0, in a session, a source or a collection of longer texts, order says nothing.
    """
    order = np.lexsort((told, time))
    later = (np.diff(time[order]) > 0) | (np.diff(told[order]) > 0)
    place = np.zeros(len(time))
    place[order[1:]] = np.cumsum(later)
    return place


@cache
def _changing() -> frozenset[int]:
    """What stands in the index for the words by which a text says that something changed."""
    return frozenset(map(hash_term, changing_terms()))


def _names(one: SpaceCandidates, period: Period) -> NDArray[np.bool_]:
    """Which candidates name a time in their text."""
    return one.findings.tf[:, list(period.named)].sum(1) > 0


def _told_later(one: SpaceCandidates, period: Period) -> NDArray[np.bool_]:
    """Which candidates were told when a time was over?"""
    return period.is_past_at(one.findings.event_time)


def _inside(one: SpaceCandidates, period: Period) -> NDArray[np.bool_]:
    """Which candidates are of a time, or speak of it where it need not be over.

    What was replaced held until then, so it is of any time after it; what had ended before is no answer (`ever_held`).
    """
    found = one.findings
    inside = period.holds(found.event_time) | (found.replaced & (found.event_time <= period.last))
    return inside if period.over else inside | _names(one, period)


def recall(
    core: Core,
    vectors: Sighted | None,
    query: Query,
    *,
    reranker: Callable[[], Reranker | None] | None = None,
    waiting: int = 0,
    problem: str | None = None,
) -> Recall:
    """The records that answer a query, best first. `reranker` opens the model that reads the best with the question."""
    with core.store.read() as view:
        return answer(core, view, vectors, query, reranker=reranker, waiting=waiting, problem=problem)


def answer(
    core: Core,
    view: View,
    vectors: Sighted | None,
    query: Query,
    *,
    reranker: Callable[[], Reranker | None] | None = None,
    facts: bool = False,
    waiting: int = 0,
    problem: str | None = None,
    read_by: float | None = None,
) -> Recall:
    """The same, as one look at the store sees it; with `facts`, stated ones are among the hits. What is read unasked
    is read by the moment `read_by`.
    """
    started, began = time.perf_counter(), time.monotonic()
    wanted = query.limit
    query = msgspec.structs.replace(query, text=subject_of(query.text), limit=max(wanted, _LAID_BESIDE))
    question, back, ended = looking_back(make_question(query, vectors, int(core.clock().timestamp() * 1e6)))
    query = question.query
    drawn = draw(view, vectors, question, _spaces(view, query))
    stated: list[Hit] = []
    if facts:
        found, stated = view.together(
            lambda: complete(view, vectors, question, drawn), lambda: facts_for(view, question, drawn.named, back=back)
        )
    else:
        found = complete(view, vectors, question, drawn)
    pool, shown = _Pool(found, question), _Shown(view)
    if ended and len(pool) and pool.evidence.replaced is not None:
        pool.drop(pool.version[pool.evidence.replaced].tolist())
    used = None
    pool.look_closer(shown, vectors)
    pool.look_at_pieces(shown)
    if vectors is not None:
        try:
            until = partial(_until, query, began, read_by)
            used = _read(shown, vectors, reranker, question, pool, until) if reranker is not None else None
        except EmbedderError as error:
            problem = problem or f"the best were not read closely: {error}"
    hits = _judge_without_repeats(shown, pool, query, _hits(shown, pool, query))
    held = partial(ever_held, question=question, ended=ended)
    while (back or ended) and (away := [hit.record.version for hit in hits if not held(hit.record)]):
        pool.drop(away)
        hits = _hits(shown, pool, query)
    if back and question.period is not None:
        hits = tuple(lean_by_validity(hits, question.period))
    past = asks_past(query.text) or (back and question.period is not None)
    hits = put_asked_first(hits, query.text, frozenset(query_terms(query.text)), past=past)
    asked, bare = asked_among(hits, query.text), [] if pool.is_code else bare_among(hits, query.text)
    if asked or bare:
        pool.drop([hit.record.version for hit in (*asked, *bare)])
        others = _hits(shown, pool, query)
        hits = lower_bare(lower_questions(hits, others, query) if asked else hits, bare, others, query)
    if said := taken_back(view, [hit.record for hit in hits]):
        pool.drop([hit.record.version for hit in hits if (hit.record.space, hit.record.id) in said])
        hits = lower_taken_back(hits, _hits(shown, pool, query), said)
    if stated:
        hits = tuple(sorted([*hits, *stated], key=lambda hit: -hit.score))
    return Recall(
        hits=hits[:wanted],
        pack=partial(pack_context, budget_tokens=query.budget_tokens),
        signals=Signals(
            keyword_candidates=sum(one.by_keyword for one in found),
            vector_candidates=sum(one.by_vector for one in found),
            graph_candidates=sum(one.by_graph for one in found),
            reranker=None if used is None else used[0],
            read=0 if used is None else used[1],
            embedder=None if vectors is None or question.vector is None else vectors.model().name,
            waiting_for_vectors=waiting,
            problem=problem,
            milliseconds=round((time.perf_counter() - started) * 1e3, 3),
        ),
    )


def _to_piece(record: Record, asked: frozenset[str]) -> Piece:
    where = record.locator or {}
    name = record.title or "" if where.get("name") else ""
    kind, documented = str(where.get("chunk_type", "")), bool(documentation_of(record.text))
    return Piece(name, kind, documented, called=asked.issubset(query_terms(name)))


class _Shown:
    """The records that one recall has read so far."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._read: dict[int, Record] = {}

    def records(self, versions: Sequence[int], soon: Sequence[int] = ()) -> list[Record]:
        """Versions in the order in which they are asked for; what will probably be asked for `soon` is read along."""
        missing = [version for version in versions if version not in self._read]
        if missing:
            wanted = dict.fromkeys([*missing, *(version for version in soon if version not in self._read)])
            self._read |= {record.version: record for record in records_of(self.view, list(wanted))}
        return [self._read[version] for version in versions]

    def versions(self, ids: Container[tuple[str, str]]) -> list[int]:
        """The versions of those among them that have one of some spaces and ids."""
        return [one.version for one in self._read.values() if (one.space, one.id) in ids]


def promising(core: Core, query: Query) -> list[int]:
    """The versions that words and the graph would put first: what is most worth a vector while that question waits."""
    question = make_question(query, None, int(core.clock().timestamp() * 1e6))
    with core.store.read() as view:
        pool = _Pool(gather(view, None, question, _spaces(view, query)), question)
    return pool.version[pool.best(_PROMISING)].tolist()


def _spaces(view: View, query: Query) -> Sequence[str]:
    return query.filter.spaces or tuple(space.name for space in view.spaces())


def _read(
    shown: _Shown,
    vectors: Sighted,
    reranker: Callable[[], Reranker | None],
    question: Question,
    pool: _Pool,
    until: Callable[[], float],
) -> tuple[str, int] | None:
    """Has the best read together with the question, where that is worth the time: by which model, and how many."""
    query = question.query
    if is_blind(pool.evidence):  # what has no vector is in no language that the model reads
        return None
    small = is_worth_reading(pool.evidence.records) or pool.has_code
    if not (query.deep or small) or (not (query.deep and small) and until() <= time.monotonic()):
        return None
    looked_at = max(DEEP, 2 * _FOLD_LOOKS_AT * query.limit)  # reading changes the order behind them, too
    compared = pool.best(max(_BY_TOKENS, looked_at)) if query.thorough else None
    ranked = pool.ranked(looked_at, least=0.0, among=compared)
    of_code = pool.leads_with_code
    few = FEW_OF_CODE if of_code else FEW
    best = ranked[: DEEP if query.deep else few]  # reading may lift or lower any of them
    if len(best) < 2:
        return None
    likely = [one.version for one in ranked if one.score >= query.min_score]
    records: Sequence[Record] = shown.records([one.version for one in best], likely)
    if not of_code:
        records = short_enough(records, deep=query.deep)
    model = reranker()
    if model is None or not records or not model.reads(query.text):
        return None
    least = len(short_enough(records[:FEW], deep=False)) if small and query.deep else 0
    said = read_closely(shown.view, vectors, model, question, records, least=least, until=until())
    if np.isnan(said).all():
        return None
    row_of = {int(version): row for row, version in enumerate(pool.version)}
    pool.read(np.array([row_of[record.version] for record in records]), said)
    return model.name, int((~np.isnan(said)).sum())


def _until(query: Query, began: float, read_by: float | None) -> float:
    """When reading must end: some time from now or, where the whole answer has a time, so that the rest fits in."""
    now = time.monotonic()
    if query.deep and query.deep_within is not None:
        return began + query.deep_within - _AFTER * (now - began)
    if query.deep:
        return now + DEEP_SECONDS
    return now + FEW_SECONDS if read_by is None else min(now + FEW_SECONDS, read_by)


def _hits(shown: _Shown, pool: _Pool, query: Query) -> tuple[Hit, ...]:
    return _fold(shown, pool, query.limit) if query.fold else _show(shown, pool.ranked(query.limit))


def _judge_without_repeats(shown: _Shown, pool: _Pool, query: Query, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """The hits, where some stand behind another that says the same, as if those were not there.

    Of two that say the same each takes from the other's probability: both would look half as likely to answer.
    """
    behind = {hit.record.version: hit.folded for hit in hits if hit.folded}
    if not behind:
        return hits
    ids = {(hit.record.space, id) for hit in hits for id in hit.folded}
    pool.drop(shown.versions(ids))
    return tuple(
        msgspec.structs.replace(hit, folded=behind.get(hit.record.version, hit.folded))
        for hit in _hits(shown, pool, query)
    )


def _fold(shown: _Shown, pool: _Pool, limit: int) -> tuple[Hit, ...]:
    """The best hits with near-duplicates behind them; the more there are of those, the further it looks."""
    window = _FOLD_LOOKS_AT * limit
    while True:
        ranked = pool.ranked(window)
        hits = _group(shown, ranked, limit)
        if len(hits) >= limit or len(ranked) < window:
            return hits
        window *= 4


def _show(shown: _Shown, ranked: list[_Ranked]) -> tuple[Hit, ...]:
    records = shown.records([one.version for one in ranked])
    return tuple(_to_hit(record, one, ()) for record, one in zip(records, ranked, strict=True))


def _group(shown: _Shown, ranked: list[_Ranked], limit: int) -> tuple[Hit, ...]:
    versions = [one.version for one in ranked]

    def numbers(at: int) -> frozenset[str]:
        record = shown.records([versions[at]], soon=versions)[0]
        return frozenset(_NUMBER.findall(record.text))

    terms = [frozenset(one.origin.findings.terms_of(one.row).tolist()) for one in ranked]
    groups = fold_near_duplicates(terms, numbers, limit)
    wanted = [versions[at] for best, folded in groups for at in (best, *folded)]
    read = dict(zip(wanted, shown.records(wanted), strict=True))

    def led(group: Sequence[int]) -> list[int]:
        """What was stated stands before the message that says the same, from which it may have been drawn."""
        best = next((at for at in group if read[versions[at]].kind != _MESSAGE), group[0])
        return [best, *(at for at in group if at != best)]

    led_groups = sorted(led((best, *folded)) for best, folded in groups)
    return tuple(
        _to_hit(read[versions[at]], ranked[at], tuple(read[versions[one]].id for one in folded))
        for at, *folded in led_groups
    )


def _to_hit(record: Record, ranked: _Ranked, folded: tuple[str, ...]) -> Hit:
    row, origin = ranked.row, ranked.origin
    found = origin.findings
    return Hit(
        record=record,
        score=round(ranked.score, 6),
        why=Why(
            keyword=round(float(origin.covered[row]), 4),
            vector=_rounded(float(found.cosine[row])),
            graph=round(float(origin.graph[row]), 4),
            neighbours=round(ranked.neighbours, 4),
            recency=round(float(origin.recency[row]), 4),
            importance=round(float(found.importance[row]), 4),
            confidence=round(float(found.confidence[row]), 4),
            tokens=_rounded(ranked.tokens),
            deep=_rounded(float(1.0 / (1.0 + np.exp(-ranked.deep)))),
            period=ranked.period,
        ),
        folded=folded,
    )


def _rounded(value: float) -> float | None:
    return None if np.isnan(value) else round(value, 4)
