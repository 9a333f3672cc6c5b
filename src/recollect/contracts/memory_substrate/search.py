"""Which objects answer a question, and by which streams were they found?

The engine is asked once. What it answers becomes two lists in the engine's own order, which weighs all signals
together. One is of what lies near the question: the stream `semantic`. The other is of what holds words of it and
scores half as well as the best, or was found by words alone (`lexical`), and after that of what only relations lead
to (`graph`). The two last share one list, so that an object is not better for being found by both. Reciprocal rank
fusion of the lists is the final order. Measured against the engine's own order, this finds the same in code and in
encyclopedia articles and one in a hundred less in conversations, where lists in the order of their bare signals lose
a sixth.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias

from msgspec import UNSET, Struct, field
from msgspec.structs import replace

from recollect.contracts.memory_substrate.answers import bound_locator
from recollect.contracts.memory_substrate.normalize import Plan, matched_terms, split_terms
from recollect.contracts.memory_substrate.objects import Objects, Wanted
from recollect.contracts.memory_substrate.view import (
    ACTIVITY,
    NODE,
    SOURCE,
    WORK_ITEM,
    Item,
    Object,
    clip,
    record_status,
    segment_id,
    title_of,
    type_of,
    view_item,
)  # fmt: skip
from recollect.contracts.tool import WAIT_SECONDS
from recollect.types import CATALOGUE_KINDS, LIKELY, Entity, Hit, Recall, Record

RRF_K = 60
_FEWEST_LOOKED_AT = 40
_LOOKED_AT = 3  # times the items that are asked for
_MOST_LOOKED_AT = 1_000
_MOST_ASKED = 3  # times that the engine is asked
_CROWDED = 0.25  # of a list: a source that takes up more of it is set aside, and others have their turn
_STRONG = 0.5  # of the best score: who holds a word of the question and scores that well was found by it
_CLOSE = 0.5  # of the nearest: who is that near was found by the graph
_NEAR = 0.1  # on the scale from unrelated to identical: who is nearer was found by meaning
_MEANINGLESS = 0.3  # a record without a word of the question and no nearer than this was found by nothing
_MOST_NODES = 200
_LONGEST_NAMED = 200  # characters of a word that may be part of a name
_IN_PART = 0.5  # of the words of a question: a node whose name has fewer of them is not meant
_MOST_CHUNKS = 2
_EXCERPT = 240
_SCANNED = 20_000  # characters of a text that are looked through for the question's terms
_IDS = re.compile(r"\b(?:src|node|know|act|work):[0-9a-f]{32}\b")
_TITLE, _PHRASE_IN_TITLE, _PHRASE_IN_SUMMARY, _IN_METADATA = 100.0, 20.0, 10.0, 8.0
_WORDS_IN_TITLE, _WORDS_IN_SUMMARY = 6.0, 3.0


Chunk: TypeAlias = Mapping[str, object]


class Found(Struct, kw_only=True):
    """An object on its way into the answer: what each signal says of it, and its rank in each stream."""

    object: Object
    score: float = 0.0
    keyword: float = 0.0
    vector: float = 0.0
    graph: float = 0.0
    lexical: float = 0.0
    terms: list[str] = field(default_factory=list[str])
    chunks: list[Chunk] = field(default_factory=list[Chunk])
    ranks: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def rank_score(self) -> float:
        return sum(1.0 / (RRF_K + rank) for rank in self.ranks.values())


class Search(Struct, frozen=True):
    """What was found, best first, what served the vectors (None: nothing did), and how many texts still have none."""

    found: list[Found]
    backend: str | None
    waiting: int = 0

    @property
    def warnings(self) -> list[str]:
        """What a caller should know of the answer's gaps."""
        told = f"{self.waiting} texts are not searched by meaning yet: their vectors are being computed."
        return [told] if self.waiting else []


def find_objects(
    objects: Objects, plan: Plan, wanted: Wanted, max_items: int, progress: Callable[[int, int], None]
) -> Search:
    """The objects that answer a question, in the order of their fused ranks."""
    if not plan.query:
        return Search([], None)
    found, search = _gather(objects, plan, wanted, max_items, progress)
    meant = [one for one in found if one.keyword > 0 or one.vector >= _MEANINGLESS or one.graph > 0]
    for one in meant:
        _score_words(one, plan)
    named, in_part = _nodes(objects, plan, wanted)
    first = [*_by_id(objects, plan, wanted, {one.object.id: one for one in meant}), *named]
    rest = [one for one in meant if one not in first]
    known = {one.object.id for one in (*first, *rest, *in_part)}
    later = [*in_part, *_by_synonyms(objects, plan, wanted, known, max_items)]
    shown = _fuse(first, rest, later)[:max_items]
    objects.memory.touch([one.object for one in shown if isinstance(one.object, Record) and one.score >= LIKELY])
    return replace(search, found=shown)


def _gather(
    objects: Objects, plan: Plan, wanted: Wanted, max_items: int, progress: Callable[[int, int], None]
) -> tuple[list[Found], Search]:
    """What the engine finds, and what served its vectors.

    A source of which very many segments fit would leave no room for anything else: it is set aside once it has been
    noted, and the engine is asked again.
    """
    filters = wanted.engine_filters()
    if wanted.within is not None:
        filters["ids"] = _with_segments(objects, wanted.within)
        if not filters["ids"]:
            return [], Search([], None)
    limit = min(max(_FEWEST_LOOKED_AT, _LOOKED_AT * max_items), _MOST_LOOKED_AT)
    found: dict[str, Found] = {}
    aside: list[str] = []
    asked: list[Recall] = []
    while len(asked) < _MOST_ASKED:
        recalled = objects.memory.recall(
            plan.query, space=objects.space, limit=limit, fold=False, touch=False, progress=progress,
            wait=0.0 if asked else WAIT_SECONDS, without_sources=aside, **filters,
        )  # fmt: skip
        asked.append(recalled)
        for hit in recalled.hits:
            _take(objects, found, wanted, hit)
        crowding = _crowding(objects, recalled.hits)
        if len(found) >= max_items or len(recalled.hits) < limit or not crowding:
            break
        aside += crowding
    embedding, signals = objects.memory.embedding(), asked[0].signals
    backend = signals.embedder or (embedding.model if embedding.state == "ready" else None)
    return sorted(found.values(), key=lambda one: -one.score), Search([], backend, signals.waiting_for_vectors)


def _crowding(objects: Objects, hits: Sequence[Hit]) -> list[str]:
    """The locations of sources that each take up much of a list."""
    counts = Counter(hit.record.source for hit in hits if objects.owner(hit.record) is not None)
    return [location for location, count in counts.items() if location and count > _CROWDED * len(hits)]


def _with_segments(objects: Objects, ids: Collection[str]) -> list[str]:
    """The ids, and for those of sources the ids of their segments: by these a source is found."""
    found = list(ids)
    for id in ids:
        record = objects.record(id) if id.startswith("src:") else None
        if record is not None:
            found += [segment.id for segment in objects.segments(record, _MOST_LOOKED_AT)]
    return found[:_MOST_LOOKED_AT]


def _take(objects: Objects, found: dict[str, Found], wanted: Wanted, hit: Hit) -> None:
    """Notes a hit for the object that it belongs to.

    What segments are given by those beside them tells which place of a source answers, not which object does: knowledge
    has no neighbours, and a source should not win by having many.
    """
    owner = objects.owner(hit.record)
    record = owner or hit.record
    if not wanted.allows(record):
        return
    why = hit.why
    one = found.setdefault(record.id, Found(object=record))
    alone = hit.score - why.neighbours if type_of(record) == SOURCE else hit.score
    one.score = max(one.score, alone)
    one.keyword = max(one.keyword, why.keyword)
    one.vector = max(one.vector, why.vector or 0.0)
    one.graph = max(one.graph, why.graph)
    says_something = why.keyword > 0 or (why.vector or 0.0) >= _NEAR
    if owner is not None and hit.record.id != owner.id and says_something and len(one.chunks) < _MOST_CHUNKS:
        one.chunks.append(_chunk(hit))


def _chunk(hit: Hit) -> Chunk:
    score = round(hit.why.vector or 0.0, 4)
    return {
        "chunk_id": hit.record.id, "segment_id": segment_id(hit.record.position),
        "locator": bound_locator(hit.record.locator or {}), "excerpt": clip(hit.record.text, _EXCERPT),
        "hash": hit.record.content_hash, "distance": round(1.0 - score, 4), "semantic_score": score,
    }  # fmt: skip


# Words


def _score_words(one: Found, plan: Plan) -> None:
    """How well the words of an object fit: the phrase counts most, a title more than what stands below it."""
    record = one.object
    assert isinstance(record, Record)
    title, text = title_of(record).casefold(), record.text[:_SCANNED].casefold()
    chunks = " ".join(str(chunk["excerpt"]) for chunk in one.chunks).casefold()
    one.terms = matched_terms(plan.terms, title, text, chunks)
    one.lexical = _word_score(plan, title, f"{text}\n{chunks}") + one.keyword


def _word_score(plan: Plan, title: str, text: str) -> float:
    phrase, words = plan.query.casefold(), plan.words
    score = _TITLE if phrase == title else 0.0
    score += _PHRASE_IN_TITLE if phrase in title else 0.0
    score += _PHRASE_IN_SUMMARY if phrase in text else 0.0
    if words:
        score += _WORDS_IN_TITLE * sum(word in title for word in words) / len(words)
        score += _WORDS_IN_SUMMARY * sum(word in text for word in words) / len(words)
    return score


def _by_id(objects: Objects, plan: Plan, wanted: Wanted, known: Mapping[str, Found]) -> list[Found]:
    """Objects that the question names by their id."""
    found: list[Found] = []
    for id in dict.fromkeys([*_IDS.findall(plan.query), plan.query]):
        record = None if " " in id else objects.record(id)
        if record is not None and wanted.allows(record):
            one = known.get(id) or Found(object=record)
            one.lexical += _TITLE
            one.terms = list(dict.fromkeys([id, *one.terms]))
            found.append(one)
    return found


def _nodes(objects: Objects, plan: Plan, wanted: Wanted) -> tuple[list[Found], list[Found]]:
    """Nodes that the question names, by id or name, and nodes that it names in part."""
    words = [word for word in plan.words if (len(word) > 2 or not word.isascii()) and len(word) <= _LONGEST_NAMED]
    if not words or not wanted.allows_nodes:
        return [], []
    by_id = [objects.node(id) for id in _IDS.findall(plan.query) if id.startswith("node:")]
    listed = objects.memory.entities(space=objects.space, words=words, limit=_MOST_NODES)
    found: dict[str, tuple[float, Found]] = {}
    for node in (*(node for node in by_id if node is not None), *listed):
        if not wanted.allows(node):
            continue
        share = 1.0 if node.id in plan.query else _share_named(plan, node)
        if share < _IN_PART:
            continue
        names = "\n".join([node.name, *node.aliases]).casefold()
        score = _word_score(plan, node.name.casefold(), f"{names}\n{(node.description or '').casefold()}")
        score += _TITLE if node.id in plan.query else 0.0
        terms = matched_terms(plan.terms, names)
        found[node.id] = share, Found(object=node, lexical=score, terms=terms)
    ranked = sorted(found.values(), key=lambda each: -each[1].lexical)
    return [one for share, one in ranked if share >= 1], [one for share, one in ranked if share < 1]


def _share_named(plan: Plan, node: Entity) -> float:
    """1 where the question says a whole name of the node, or nothing but a part of one; else how much of it does."""
    names = [split_terms(name.casefold()) for name in (node.name, *node.aliases)]
    if any(tokens and all(token in plan.words for token in tokens) for tokens in names):
        return 1.0
    tokens = [token for each in names for token in each]
    return sum(any(token.startswith(word) for token in tokens) for word in plan.words) / len(plan.words)


def _by_synonyms(objects: Objects, plan: Plan, wanted: Wanted, known: set[str], max_items: int) -> list[Found]:
    """The kinds of objects that the question speaks of and, where little was found, words that mean the same."""
    if not plan.synonyms:
        return []
    likely = _of_likely_kinds(objects, plan, wanted, max_items) if plan.asks_for_kinds or not known else []
    worded = _by_other_words(objects, plan, wanted) if len(known) + len(likely) < max_items else []
    held, found = set(known), list[Found]()
    for record in (*likely, *worded):
        if record.id in held or not wanted.allows(record):
            continue
        held.add(record.id)
        terms = matched_terms(plan.synonyms, record.text[:_SCANNED], title_of(record), type_of(record), record.kind)
        found.append(Found(object=record, lexical=_IN_METADATA, terms=terms))
    return found


def _by_other_words(objects: Objects, plan: Plan, wanted: Wanted) -> list[Record]:
    hits = objects.memory.recall(
        " ".join(plan.synonyms), space=objects.space, limit=_FEWEST_LOOKED_AT, fold=False, touch=False, wait=0.0,
        **wanted.engine_filters(),
    )  # fmt: skip
    return [objects.owner(hit.record) or hit.record for hit in hits if hit.why.keyword > 0]


def _of_likely_kinds(objects: Objects, plan: Plan, wanted: Wanted, max_items: int) -> list[Record]:
    """The newest objects of the kinds that the question seems to ask for."""
    types, kinds = plan.inferred.get("object_types", ()), plan.inferred.get("kinds", ())
    sought = [*kinds, *(type_ for type_ in types if type_ in (ACTIVITY, WORK_ITEM))]
    sought += CATALOGUE_KINDS if types == (SOURCE, NODE) else ()
    if not sought or (wanted.object_types and not set(types) & set(wanted.object_types)):
        return []
    statuses = wanted.statuses or plan.inferred.get("statuses", ())
    return objects.memory.list(
        space=objects.space, kinds=sought, order="updated", limit=max_items,
        statuses=list(dict.fromkeys(map(record_status, statuses))),
    )  # fmt: skip


# Ranks


def _fuse(first: Sequence[Found], rest: Sequence[Found], later: Sequence[Found]) -> list[Found]:
    """Gives every object its rank in each stream that found it, and sorts by the sum of what these ranks are worth."""
    phrased = [one for one in rest if one.lexical >= _PHRASE_IN_SUMMARY]
    best = max((one.score for one in rest), default=0.0)
    worded = [
        one
        for one in rest
        if one.lexical < _PHRASE_IN_SUMMARY and one.keyword > 0 and (one.score >= _STRONG * best or one.vector < _NEAR)
    ]
    exact = sorted([*first, *phrased], key=lambda one: -int(one.lexical / _PHRASE_IN_SUMMARY))
    said = [*exact, *worded]
    _rank("lexical", said)
    reached = [one for one in rest if one.graph >= _CLOSE and not one.ranks]
    _rank("graph", sorted(reached, key=lambda one: -one.graph), after=len(said))
    _rank("lexical", later, after=len(said) + len(reached))
    _rank("semantic", [one for one in rest if one.vector >= _NEAR])
    order = {id(one): place for place, one in enumerate([*first, *rest, *later])}
    placed = [one for one in (*first, *rest, *later) if one.ranks]
    return sorted(placed, key=lambda one: (-one.rank_score, order[id(one)]))


def _rank(stream: str, found: Sequence[Found], *, after: int = 0) -> None:
    for rank, one in enumerate(found, after + 1):
        one.ranks[stream] = rank


def view_found(one: Found) -> Item:
    """An object as search shows it, with all that is known of how it was found."""
    return replace(
        view_item(one.object),
        score=round(1000 * one.rank_score, 6),
        rank_score=round(one.rank_score, 6),
        lexical_score=round(one.lexical, 4),
        semantic_score=round(one.vector, 4),
        matched_terms=one.terms[:16],
        retrieval_sources=list(one.ranks),
        retrieval_ranks=one.ranks,
        matched_chunks=one.chunks or UNSET,
    )
