"""Which objects answer a question, and by which streams were they found?

The engine is asked once. What it answers becomes streams, each in the order of its own score: `lexical` of what holds
words of the question, `semantic` of what its models find near it, and `graph` of what only relations lead to.
Reciprocal rank fusion of them is the final order; what the question names by its id, path or address stands before all
else. The score of an object is the probability that it answers, as the engine sees it.

Who is in two streams goes before the first of one. So what holds a word of the question is in the semantic stream as
well only where it answers about as likely as the likeliest: a word that many notes share would lift any of them else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import UNSET, Struct, field
from msgspec.structs import replace

from recollect.contracts.memory_substrate import view as v
from recollect.contracts.memory_substrate.normalize import (
    SANITIZED,
    Plan,
    matched_terms,
    plan_query,
    sanitize,
    split_terms,
)  # fmt: skip
from recollect.contracts.memory_substrate.objects import Objects, read_filters
from recollect.contracts.memory_substrate.schemas import Filters
from recollect.engine.embedding.semantics import WAIT_SECONDS
from recollect.engine.write.grounds import segment_id, source_id
from recollect.engine.write.remember import said_beside
from recollect.types import CATALOGUE_KINDS, LIKELY, STATUSES, Entity, Hit, Recall, Record, Why

RRF_K = 60
_FEWEST_LOOKED_AT = 40
_LOOKED_AT = 3  # times the items that are asked for
_MOST_LOOKED_AT = 1_000
_MOST_ASKED = 3  # times that the engine is asked
_CROWDED = 0.25  # of a list: a source that takes up more of it is set aside, and others have their turn
_FAIRLY_LIKELY, _AS_LIKELY = 0.1, 0.8  # the least of what answers likely, and of what the likeliest one has
_TOKENS, _DEEP = 0.5, 0.25  # what wordpieces and the reranker count for beside the vectors, where they were asked
_CLOSE = 0.5  # of the nearest: who is that near was found by the graph
_NEAR = 0.1  # on the scale from unrelated to identical: who is nearer was found by meaning
_MEANINGLESS = 0.3  # a record without a word of the question, no nearer than this and unlikely was found by nothing
_UNLIKELY = 0.01  # on everyday notes nine of ten answers are likelier, and one of ten others
_MOST_NODES = 200
_LONGEST_NAMED = 200  # characters of a word that may be part of a name
_IN_PART = 0.5  # of the words of a question: a node whose name has fewer of them is not meant
_MOST_CHUNKS = 2
_EXCERPT = 240
_SCANNED = 20_000  # characters of a text that are looked through for the question's terms
_EXACT, _PHRASE_IN_TITLE, _PHRASE_IN_SUMMARY, _OF_ITS_KIND = 100.0, 20.0, 10.0, 8.0
_WORDS_IN_TITLE, _WORDS_BELOW = 6.0, 3.0

Chunk: TypeAlias = Mapping[str, object]


class Found(Struct, kw_only=True):
    """An object on its way into the answer: what each signal says of it, and its rank in each stream."""

    object: v.Object
    score: float = 0.0
    keyword: float = 0.0
    vector: float = 0.0
    meaning: float = 0.0
    graph: float = 0.0
    lexical: float = 0.0
    exact: bool = False
    asked_for: bool = False
    terms: list[str] = field(default_factory=list[str])
    chunks: list[Chunk] = field(default_factory=list[Chunk])
    ranks: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def rank_score(self) -> float:
        return sum(1.0 / (RRF_K + rank) for rank in self.ranks.values())

    @property
    def says_something(self) -> bool:
        by_words, near = self.keyword > 0 or self.graph > 0, self.vector >= _NEAR
        return by_words or self.vector >= _MEANINGLESS or (near and self.score >= _UNLIKELY)


class Lookup:
    """A question as it came and as it was searched for, and what was found, best first.

    `backend` served the vectors (None: nothing did), and so many texts are `waiting` for theirs.
    """

    def __init__(self, objects: Objects, text: str, filters: Filters | None, place: str, most: int) -> None:
        self.query, self.sanitized = sanitize(text)
        self.plan, self.wanted = plan_query(self.query), read_filters(objects, filters, place)
        self.backend: str | None = None
        self.waiting = 0
        self._objects, self._most = objects, most
        self._found: dict[str, Found] = {}
        self.found = self._look() if self.query else []

    @property
    def told(self) -> dict[str, object]:
        """What search and context both tell of how they looked."""
        return {
            "normalized_terms": self.plan.terms, "inferred_filters": self.plan.inferred,
            "query_sanitizer": self.sanitized,
        }  # fmt: skip

    @property
    def warnings(self) -> list[str]:
        told = f"{self.waiting} texts are not searched by meaning yet: their vectors are being computed."
        return [*([SANITIZED] if self.sanitized.was_sanitized else []), *([told] if self.waiting else [])]

    def _look(self) -> list[Found]:
        self._gather()
        for thing in (*self._by_id(), *self._nodes()):
            self._note(thing)
        self._add_likely()
        if self.plan.synonyms and len(self._found) < self._most:
            self._add_by_other_words()
        for one in self._found.values():
            _score_words(one, self.plan)
        shown = _fuse(self._found.values())[: self._most]
        likely = [one.object for one in shown if isinstance(one.object, Record) and one.score >= LIKELY]
        self._objects.memory.touches.add((record.space, record.id) for record in likely)
        return shown

    def _note(self, thing: v.Object) -> Found | None:
        """The entry of an object; None where it may not be shown."""
        return self._found.setdefault(thing.id, Found(object=thing)) if self.wanted.allows(thing) else None

    # By the engine

    def _recall(self, query: str, limit: int, wait: float = 0.0, **filters: Any) -> Recall:
        return self._objects.memory.recall(
            query, space=self._objects.space, limit=limit, fold=False, touch=False, facts=False, wait=wait,
            **{**self.wanted.engine_filters(), **filters},
        )  # fmt: skip

    def _gather(self) -> None:
        """Notes what the engine finds.

        A source of which very many segments fit would leave no room for anything else: it is set aside once it has been
        noted, and the engine is asked again.
        """
        filters = {} if self.wanted.within is None else {"ids": self._with_segments(self.wanted.within)}
        if filters == {"ids": []}:
            return
        limit = min(max(_FEWEST_LOOKED_AT, _LOOKED_AT * self._most), _MOST_LOOKED_AT)
        aside: list[str] = []
        for turn in range(_MOST_ASKED):
            recalled = self._recall(self.query, limit, 0.0 if turn else WAIT_SECONDS, without_sources=aside, **filters)
            if turn == 0:
                embedding, signals = self._objects.memory.semantics.state(), recalled.signals
                self.backend = signals.embedder or (embedding.model if embedding.state == "ready" else None)
                self.waiting = signals.waiting_for_vectors
            for hit in recalled.hits:
                self._take(hit)
            crowding = self._crowding(recalled.hits)
            if len(self._found) >= self._most or len(recalled.hits) < limit or not crowding:
                break
            aside += crowding
        self._found = {id: one for id, one in self._found.items() if one.says_something}

    def _crowding(self, hits: Sequence[Hit]) -> list[str]:
        """The locations of sources that each take up much of a list."""
        counts = Counter(hit.record.source for hit in hits if self._objects.owner(hit.record) is not None)
        return [location for location, count in counts.items() if location and count > _CROWDED * len(hits)]

    def _with_segments(self, ids: Collection[str]) -> list[str]:
        """The ids, and for those of sources the ids of their segments: by these a source is found."""
        sources = [source for id in ids if id.startswith("src:") and (source := self._objects.record(id))]
        parts = (segment.id for source in sources for segment in self._objects.segments(source, _MOST_LOOKED_AT))
        return [*ids, *parts]

    def _take(self, hit: Hit) -> None:
        """Notes what the engine says of a hit with the object that it is part of, which is as near as its nearest."""
        one, why = self._note(self._objects.owner(hit.record) or hit.record), hit.why
        if one is None:
            return
        vector, is_part = why.vector or 0.0, hit.record.id != one.object.id
        one.score = max(one.score, hit.score)
        one.keyword, one.vector = max(one.keyword, why.keyword), max(one.vector, vector)
        one.meaning, one.graph = max(one.meaning, _meaning(why)), max(one.graph, why.graph)
        if is_part and (why.keyword > 0 or vector >= _NEAR) and len(one.chunks) < _MOST_CHUNKS:
            one.chunks.append(_chunk(hit))

    # By what the question names

    def _by_id(self) -> list[v.Object]:
        """Objects that the question names by their id, or by the path or address that they come from."""
        asked = [*self.plan.ids, *(source_id(id) for id in self.plan.ids if "/" in id)]
        found = [(id, self._objects.find(id)) for id in asked]
        return [thing for id, thing in found if thing is not None and (thing.version or ":" in id)]

    def _nodes(self) -> list[v.Object]:
        """Nodes that the question names, or names in part."""
        telling = [word for word in self.plan.words if len(word) > 2 or not word.isascii()]
        words = [word for word in telling if len(word) <= _LONGEST_NAMED]
        if not words or not self.wanted.allows_nodes:
            return []
        listed = self._objects.memory.entities(space=self._objects.space, words=words, limit=_MOST_NODES)
        return [node for node in listed if _share_named(self.plan, node) >= _IN_PART]

    def _add_likely(self) -> None:
        """The newest objects of the kinds that are asked for, if nothing else is or nothing answers."""
        plan, wanted = self.plan, self.wanted
        answered = any(one.score >= LIKELY for one in self._found.values())
        if not plan.inferred or (answered and not plan.asks_for_kinds):
            return
        types, kinds = plan.inferred.get("object_types", ()), plan.inferred.get("kinds", ())
        sought = [*kinds, *(type_ for type_ in types if type_ in (v.ACTIVITY, v.WORK_ITEM))]
        sought += CATALOGUE_KINDS if types == (v.SOURCE, v.NODE) else ()
        if not sought or (wanted.object_types and not set(types) & set(wanted.object_types)):
            return
        statuses = wanted.statuses or plan.inferred.get("statuses", ())
        for record in self._objects.memory.list(
            space=self._objects.space, kinds=sought, order="updated", limit=self._most,
            statuses=list(dict.fromkeys(map(v.record_status, statuses))),
        ):  # fmt: skip
            if (one := self._note(record)) is not None:
                one.lexical += _OF_ITS_KIND
                one.asked_for = plan.asks_for_kinds
                one.score = 1.0 if plan.asks_for_kinds else one.score
                one.terms = matched_terms(plan.synonyms, v.type_of(record), record.kind, v.shown_status(record))

    def _add_by_other_words(self) -> None:
        """What holds words that mean the same as those of the question."""
        likely, known = self.plan.inferred, set(self._found)
        for hit in self._recall(" ".join(self.plan.synonyms), _FEWEST_LOOKED_AT):
            record = self._objects.owner(hit.record) or hit.record
            other = v.type_of(record) not in likely["object_types"]
            fits = other or v.shown_status(record) in likely.get("statuses", STATUSES)
            if hit.why.keyword > 0 and fits and record.id not in known and (one := self._note(record)) is not None:
                known.add(record.id)
                one.terms = matched_terms(self.plan.synonyms, v.title_of(record), record.text[:_SCANNED])
                one.lexical = hit.why.keyword


def _meaning(why: Why) -> float:
    """How near a text lies, in the mean of the models that were asked: 0 where there is no vector of it."""
    said = [(why.vector or 0.0, 1.0), (why.tokens, _TOKENS), (why.deep, _DEEP)]
    known = [(value, weight) for value, weight in said if value is not None and why.vector is not None]
    return sum(value * weight for value, weight in known) / max(sum(weight for _, weight in known), 1.0)


def _chunk(hit: Hit) -> Chunk:
    score = round(_meaning(hit.why), 4)
    return {
        "chunk_id": hit.record.id, "segment_id": segment_id(hit.record),
        "locator": hit.record.locator or {}, "excerpt": v.clip(hit.record.text, _EXCERPT),
        "hash": hit.record.content_hash, "distance": round(1.0 - score, 4), "semantic_score": score,
    }  # fmt: skip


# Words


def _score_words(one: Found, plan: Plan) -> None:
    """How well the words of an object fit: an id or path most, then the phrase, and a title more than what is below."""
    thing = one.object
    names = v.title_of(thing)
    if isinstance(thing, Entity):
        texts = ["\n".join(thing.aliases), thing.description or ""]
    else:
        excerpts = " ".join(str(chunk["excerpt"]) for chunk in one.chunks)
        texts = [thing.text[:_SCANNED], excerpts, said_beside(thing)]
    title, text = names.casefold(), "\n".join(texts).casefold()
    named = [id for id in (thing.id, *_paths(thing)) if id in plan.ids]
    one.exact = bool(named)
    one.score = 1.0 if named else max(one.score, _share_named(plan, thing) if isinstance(thing, Entity) else 0.0)
    one.terms = list(dict.fromkeys([*named, *one.terms, *matched_terms(plan.terms, title, text)]))
    phrase, words = plan.query.casefold(), plan.words
    score = _EXACT if named or phrase == title else 0.0
    score += _PHRASE_IN_TITLE if phrase in title else 0.0
    score += _PHRASE_IN_SUMMARY if phrase in text else 0.0
    if words:
        score += _WORDS_IN_TITLE * sum(word in title for word in words) / len(words)
        score += _WORDS_BELOW * sum(word in text for word in words) / len(words)
    one.lexical += score + _WORDS_BELOW * one.keyword


def _paths(thing: v.Object) -> list[str]:
    """Where a source lies, and how that ends."""
    location = thing.source if isinstance(thing, Record) and v.type_of(thing) == v.SOURCE else None
    parts = (location or "").split("/")
    return ["/".join(parts[start:]) for start in range(len(parts))]


def _share_named(plan: Plan, node: Entity) -> float:
    """1 where the question says a whole name of the node, or nothing but a part of one; else how much of it does."""
    names = [split_terms(name.casefold()) for name in (node.name, *node.aliases)]
    if any(tokens and all(token in plan.words for token in tokens) for tokens in names):
        return 1.0
    tokens = [token for each in names for token in each]
    return sum(any(token.startswith(word) for token in tokens) for word in plan.words) / len(plan.words)


# Ranks


def _fuse(found: Collection[Found]) -> list[Found]:
    """Gives every object its rank in each stream that found it, and sorts by the sum of what these ranks are worth."""
    likely = max(_FAIRLY_LIKELY, _AS_LIKELY * max((one.score for one in found), default=0.0))
    near = [one for one in found if one.vector >= _NEAR and (one.score >= likely or one.lexical <= 0)]
    _rank("lexical", found, lambda one: one.lexical)
    _rank("semantic", near, lambda one: one.meaning)
    _rank("graph", [one for one in found if one.lexical <= 0 and one.graph >= _CLOSE], lambda one: one.graph)
    asked = any(one.asked_for for one in found)

    def place(one: Found) -> tuple[bool, bool, float, float]:
        aside = asked and not one.asked_for and one.lexical < _PHRASE_IN_TITLE  # by a word, not by what was asked for
        return not one.exact, aside, -one.rank_score, -one.score

    return sorted((one for one in found if one.ranks), key=place)


def _rank(stream: str, found: Collection[Found], score: Callable[[Found], float]) -> None:
    """The place of each object in one stream: by its score there alone; of equals, the likelier answer is first."""
    in_stream = [one for one in found if score(one) > 0]
    for rank, one in enumerate(sorted(in_stream, key=lambda one: (-score(one), -one.score)), 1):
        one.ranks[stream] = rank


def view_found(one: Found) -> v.Item:
    """An object as search shows it, with all that is known of how it was found."""
    return replace(
        v.view_item(one.object),
        score=round(one.score, 4),
        rank_score=round(one.rank_score, 6),
        lexical_score=round(one.lexical, 4),
        semantic_score=round(one.meaning, 4),
        matched_terms=one.terms[:16],
        retrieval_sources=list(one.ranks),
        retrieval_ranks=one.ranks,
        matched_chunks=one.chunks or UNSET,
    )
