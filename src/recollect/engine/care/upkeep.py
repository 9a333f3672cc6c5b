"""What in a space asks for somebody's care?

Nothing is changed here. One look at everything, in few columns, tells which candidates could be promoted, what is out
of date, what is there twice, what contradicts itself, and how well the graph holds together.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Literal

from msgspec import Struct, field

from recollect.engine.care.twins import Twins, find_twins
from recollect.engine.core import Core, records_of
from recollect.engine.parse import parse_days, parse_optional_time, parse_space
from recollect.engine.write.govern import Bar, parse_bar, stale_before
from recollect.engine.write.grounds import Sources, gather_same, said
from recollect.fields import Moment
from recollect.retrieve import health
from recollect.store.base import Entities, Link, Outline, Piece, Relations, View
from recollect.store.refs import named_in
from recollect.types import (
    DEFAULT_SPACE,
    HIDDEN_STATUSES,
    NOT_KNOWLEDGE,
    SEGMENT_KINDS,
    VOUCHED,
    Entity,
    Evidence,
    Filter,
)

MOST_LISTED = 50
STUB = "stub"
"""The kind of a thing that is named and of which nothing else is known."""
_RECORD = re.compile(r"(?:src|know|act|work):[0-9a-f]{32}$")  # the id of a record, which is there or is not
_MOST_READ = 5_000  # records whose claims are compared in full
_MOST_ENTITIES = 200_000
_SECOND = 1_000_000
_TELLING = "+#"  # C, C++ and C# are three

DoubtKind = Literal["similar_entity_name", "stale_fact", "relationship_mismatch"]


class Doubt(Struct, frozen=True, kw_only=True):
    """Something that cannot quite be as it is stored; somebody should look at it."""

    kind: DoubtKind
    ids: tuple[str, ...]
    subject: str | None = None
    predicate: str | None = None
    valid_until: datetime | None = None


class GraphNode(Struct, frozen=True, kw_only=True):
    """A node of a space's graph, in a line: an entity, or a record that is no piece of something else."""

    id: str
    kind: str
    title: str
    status: str = "active"
    degree: int = 0
    scopes: tuple[str, ...] = ()


class GraphHealth(Struct, frozen=True, kw_only=True):
    """How well the graph of a space holds together. Lists are cut to some length; `counts` has their full lengths.

    `stubs` are entities that something refers to and of which nothing but the name is known.
    """

    isolated: tuple[GraphNode, ...] = ()
    sparse: tuple[health.Cluster, ...] = ()
    bridges: tuple[GraphNode, ...] = ()
    weak_scopes: tuple[health.Scope, ...] = ()
    stubs: int = 0
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    objects: Mapping[str, int] = field(default_factory=dict[str, int])


class Upkeep(Struct, frozen=True, kw_only=True):
    """What is to be done in a space. Every list is cut to some length; `counts` says how long it would be.

    `promotable` and `low_evidence` are candidates, `stale` was verified too long ago, `unsettled` rests on evidence
    that no longer says what it said; `duplicates` are groups of records that claim the same.
    """

    promotable: tuple[str, ...] = ()
    low_evidence: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    unsettled: tuple[str, ...] = ()
    duplicates: tuple[tuple[str, ...], ...] = ()
    twins: tuple[Twins, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    graph: GraphHealth
    counts: Mapping[str, int] = field(default_factory=dict[str, int])


def upkeep(
    core: Core,
    space: str = DEFAULT_SPACE,
    *,
    min_confidence: float = 0.75,
    min_evidence: int = 1,
    at: Moment = None,
    days: float = 30,
) -> Upkeep:
    """What asks for somebody's care in a space: candidates, stale records, duplicates, contradictions, its graph.

    The bar is for candidates; something is stale after so many days before a moment (None: now).
    """
    space, bar, days = parse_space(space), parse_bar(min_confidence, min_evidence), parse_days(days, "days")
    now = parse_optional_time(at, "at") or core.clock()
    with core.store.read() as view:
        outlines = outlines_of(view, space)
        knowledge = [one for one in outlines if one.kind not in NOT_KNOWLEDGE]
        standing = _Standing(view, space, outlines)
        ready, wanting = _candidates(knowledge, standing, bar)
        unsettled = _unsettled(knowledge, standing)
        stale = _outdated(knowledge, stale_before(now, days))
        duplicates = _duplicates(view, knowledge, now)
        twins = find_twins(view, knowledge)
        entities, links = _graph(view, space)
    doubts = [*_ended(knowledge, now), *_mismatches(knowledge, now), *_same_names(entities)]
    doubts.sort(key=lambda doubt: (doubt.kind, doubt.ids))
    return Upkeep(
        promotable=tuple(ready[:MOST_LISTED]),
        low_evidence=tuple(wanting[:MOST_LISTED]),
        stale=tuple(stale[:MOST_LISTED]),
        unsettled=tuple(unsettled[:MOST_LISTED]),
        duplicates=tuple(duplicates[:MOST_LISTED]),
        twins=tuple(twins[:MOST_LISTED]),
        doubts=tuple(doubts[:MOST_LISTED]),
        graph=_health([one for one in outlines if one.status not in HIDDEN_STATUSES], entities, links),
        counts={
            "promotable": len(ready), "low_evidence": len(wanting), "stale": len(stale), "twins": len(twins),
            "duplicates": len(duplicates), "doubts": len(doubts), "knowledge": len(knowledge),
            "unsettled": len(unsettled),
        },
    )  # fmt: skip


class InQuestion(Struct, frozen=True, kw_only=True):
    """What of a space's knowledge waits for somebody's word. For twins, `unseen` of the oldest were not compared."""

    stale: tuple[str, ...] = ()
    unsettled: tuple[str, ...] = ()
    duplicates: tuple[tuple[str, ...], ...] = ()
    twins: tuple[Twins, ...] = ()
    unseen: int = 0


def in_question(core: Core, space: str, *, most: int, days: float = 30) -> InQuestion:
    """What `upkeep` tells of stale and unsettled records and of duplicates, in a time that has a bound: only what has
    grounds is looked at for the first, and the `most` newest for the last.
    """
    now = core.clock()
    with core.store.read() as view:
        governed = view.select(Outline, _knowledge(space, governed=True), "oldest")
        sources = view.select(Outline, Filter(spaces=(space,), kinds=("source",), valid_only=False)) if governed else []
        newest = view.select(Outline, _knowledge(space), "newest", most)[::-1]
        return InQuestion(
            stale=tuple(_outdated(governed, stale_before(now, days))[:MOST_LISTED]),
            unsettled=tuple(_unsettled(governed, _Standing(view, space, sources))[:MOST_LISTED]),
            duplicates=tuple(_duplicates(view, governed, now)[:MOST_LISTED]),
            twins=tuple(find_twins(view, newest)[:MOST_LISTED]),
            unseen=view.count(_knowledge(space)) - len(newest),
        )


def _knowledge(space: str, *, governed: bool = False) -> Filter:
    return Filter(spaces=(space,), without_kinds=NOT_KNOWLEDGE, valid_only=False, governed=governed)


def outlines_of(view: View, space: str) -> list[Outline]:
    """The live records of a space that are no pieces of something else, oldest first."""
    whole = Filter(spaces=(space,), without_kinds=(*SEGMENT_KINDS, "code"), valid_only=False)
    return view.select(Outline, whole, "oldest")


def _graph(view: View, space: str) -> tuple[list[Entity], list[tuple[str, str]]]:
    """The entities of a space, and which of them relations that hold lead from and to."""
    links = view.relations(Link, Relations(space=space))
    entities = view.entities(Entities(space=space), limit=_MOST_ENTITIES)
    return entities, [(link.subject, link.object) for link in links]


# Candidates


def _candidates(knowledge: Sequence[Outline], standing: _Standing, bar: Bar) -> tuple[list[str], list[str]]:
    """Candidates that are sure enough: those with enough evidence that still says what it said, and the others."""
    sure = [
        one
        for one in knowledge
        if one.status == "candidate" and one.grounds is not None and one.confidence >= bar.confidence
    ]
    ready: list[str] = []
    wanting: list[str] = []
    for one in sure:
        evidence = one.grounds.evidence if one.grounds else ()
        enough = bar.evidence <= 0 or sum(map(standing.is_current, evidence)) >= bar.evidence
        (ready if enough and (evidence or one.trust in VOUCHED) else wanting).append(one.id)
    return ready, wanting


def _unsettled(knowledge: Sequence[Outline], standing: _Standing) -> list[str]:
    """What passes for true, or may come to, though a part of its evidence changed or is gone."""
    return [
        one.id
        for one in knowledge
        if one.status in ("active", "candidate", "contested")
        and one.grounds is not None
        and not all(map(standing.is_current, one.grounds.evidence))
    ]


class _Standing:
    """Whether evidence still says what it said, for all of a space at once. The segments are read when one is cited."""

    def __init__(self, view: View, space: str, outlines: Sequence[Outline]) -> None:
        self._view = view
        self._space = space
        self._sources = {one.id: one for one in outlines if one.kind == "source"}
        self._others = Sources(view, space)

    @cached_property
    def _pieces(self) -> tuple[dict[tuple[str, int], bytes], set[tuple[str, bytes]]]:
        """The hash of each segment by its place, and the hashes that each location holds."""
        held = Filter(spaces=(self._space,), kinds=SEGMENT_KINDS, valid_only=False)
        pieces = self._view.select(Piece, held)
        placed = {(piece.source, piece.position): piece.content_hash for piece in pieces}
        return placed, {(piece.source, piece.content_hash) for piece in pieces}

    def is_current(self, item: Evidence) -> bool:
        source = self._sources.get(item.source)
        if source is None:  # what is cited is no source, or nothing at all
            return self._others.state(item).state == "current"
        if source.status == "archived":
            return False
        if item.segment is None:
            return item.hash in (None, source.fingerprint)
        placed, held = self._pieces
        place = item.segment.removeprefix("seg-")
        stands = placed.get((source.location or "", int(place) - 1)) if place.isdigit() else None
        if item.hash is None:
            return stands is not None
        digest = bytes.fromhex(item.hash)
        return stands == digest or (source.location or "", digest) in held


def _outdated(knowledge: Sequence[Outline], limit: datetime) -> list[str]:
    """What `decay_stale` would mark."""
    made_before = _micros(limit)
    return [
        one.id
        for one in knowledge
        if one.status in ("active", "candidate")
        and one.grounds is not None
        and (one.created_at < made_before if one.grounds.verified_at is None else one.grounds.verified_at < limit)
    ]


# Claims


def _duplicates(view: View, knowledge: Sequence[Outline], now: datetime) -> list[tuple[str, ...]]:
    """Groups of live records that claim the same in scopes that overlap."""
    moment = _micros(now)
    by_claim: dict[object, list[Outline]] = {}
    for one in knowledge:
        claim = one.grounds.claim if one.grounds else None
        if claim is not None and one.status not in HIDDEN_STATUSES and _holds(one, moment):
            by_claim.setdefault((one.kind, said(claim)), []).append(one)
    versions = [one.version for group in by_claim.values() if len(group) > 1 for one in group]
    groups = gather_same(records_of(view, versions[:_MOST_READ]))
    return sorted(tuple(record.id for record in group) for group in groups)


def _micros(moment: datetime) -> int:
    return int(moment.timestamp() * _SECOND)


def _holds(one: Outline, moment: int) -> bool:
    return (one.valid_from is None or one.valid_from <= moment) and (
        one.valid_until is None or moment < one.valid_until
    )


def _ended(knowledge: Sequence[Outline], now: datetime) -> Iterator[Doubt]:
    """Facts that pass for active though the time in which they held is over."""
    moment = _micros(now)
    for one in knowledge:
        governed = one.grounds is not None or one.kind == "fact"
        if governed and one.status == "active" and one.valid_until is not None and one.valid_until < moment:
            until = datetime.fromtimestamp(one.valid_until / _SECOND, UTC)
            yield Doubt(kind="stale_fact", ids=(one.id,), valid_until=until)


def _mismatches(knowledge: Sequence[Outline], now: datetime) -> Iterator[Doubt]:
    """Claims of the same subject and predicate that say different things, whatever their scopes."""
    moment = _micros(now)
    claims: dict[tuple[str, str], list[tuple[Outline, object]]] = {}
    for one in knowledge:
        claim = one.grounds.claim if one.grounds else None
        if claim is not None and one.status not in HIDDEN_STATUSES and _holds(one, moment):
            claims.setdefault((claim.subject, claim.predicate), []).append((one, said(claim)))
    for (subject, predicate), stated in claims.items():
        if len(stated) > 1 and len({what for _, what in stated}) > 1:
            ids = tuple(sorted(one.id for one, _ in stated)[:MOST_LISTED])
            yield Doubt(kind="relationship_mismatch", ids=ids, subject=subject, predicate=predicate)


def _same_names(entities: Sequence[Entity]) -> Iterator[Doubt]:
    """Entities whose names differ in nothing but case, spacing and punctuation. Modules of code are told by paths."""
    named: dict[str, dict[str, None]] = {}
    for entity in entities:
        if entity.type != "module":
            for name in (entity.name, *entity.aliases):
                key = "".join(letter for letter in name.casefold() if letter.isalnum() or letter in _TELLING)
                if key:
                    named.setdefault(key, {})[entity.id] = None
    groups = dict.fromkeys(tuple(sorted(ids)) for ids in named.values() if len(ids) > 1)
    yield from (Doubt(kind="similar_entity_name", ids=ids[:MOST_LISTED]) for ids in groups)


# The graph


def graph_health(core: Core, space: str = DEFAULT_SPACE) -> GraphHealth:
    """How well the entities and objects of a space are connected: by relations, and by what they say of each other."""
    space = parse_space(space)
    with core.store.read() as view:
        outlines = [one for one in outlines_of(view, space) if one.status not in HIDDEN_STATUSES]
        return _health(outlines, *_graph(view, space))


def _health(outlines: Sequence[Outline], entities: Sequence[Entity], links: Sequence[tuple[str, str]]) -> GraphHealth:
    edges = list(links)
    nodes: dict[str, Outline | Entity | None] = {one.id: one for one in outlines}
    nodes.update((entity.id, entity) for entity in entities)
    named = {ref for one in outlines for ref in _named(one) if ref not in nodes}
    nodes.update(dict.fromkeys(sorted(named)))
    for one in outlines:
        edges += [(one.id, ref) for ref in _refs(one) if ref in nodes]
    made_by = ((entity.id, entity.metadata.get("source_id")) for entity in entities if entity.metadata)
    edges += [(id, source) for id, source in made_by if isinstance(source, str) and source in nodes]
    scopes = {one.id: one.grounds.scopes for one in outlines if one.grounds is not None}
    found = health.graph_health(list(nodes), edges, scopes)
    tally = Counter(map(type_of, outlines))
    return GraphHealth(
        isolated=tuple(_node(id, nodes[id], 0) for id in found.isolated),
        sparse=found.sparse,
        bridges=tuple(_node(id, nodes[id], degree) for id, degree in found.bridges),
        weak_scopes=found.weak_scopes,
        stubs=len(named) + sum(entity.type in (None, STUB) and not entity.description for entity in entities),
        counts=found.counts,
        objects={**tally, "nodes": len(entities)},
    )


def type_of(one: Outline) -> str:
    """What an outline counts as: knowledge, or what its kind says."""
    return "knowledge" if one.kind not in NOT_KNOWLEDGE else "sources" if one.kind == "source" else one.kind


def _refs(one: Outline) -> list[str]:
    """The ids that a record speaks of: its subjects, its evidence, both ends of its claim, and its references."""
    found = [] if one.superseded_by is None else [one.superseded_by]
    grounds = one.grounds
    if grounds is not None:
        found += grounds.subjects
        found += [item.source for item in grounds.evidence]
        if grounds.claim is not None:
            found += [grounds.claim.subject, grounds.claim.object or ""]
    return [*found, *(ref for _, ref in named_in(one.doing or {}))]


def _named(one: Outline) -> list[str]:
    """The things that a record speaks of by name: they are part of the graph, whether anybody made entities of them."""
    grounds = one.grounds
    if grounds is None:
        return []
    claim = grounds.claim
    ends = () if claim is None else (claim.subject, claim.object)
    return [ref for ref in (*grounds.subjects, *ends) if ref and not _RECORD.match(ref)]


def _node(id: str, thing: Outline | Entity | None, degree: int) -> GraphNode:
    if thing is None:
        return GraphNode(id=id, kind=STUB, title=id.removeprefix("node:"), degree=degree)
    if isinstance(thing, Entity):
        return GraphNode(id=thing.id, kind=thing.type or "node", title=thing.name, degree=degree)
    scopes = () if thing.grounds is None else thing.grounds.scopes
    return GraphNode(
        id=thing.id, kind=thing.kind, title=thing.heading, status=thing.status, degree=degree, scopes=scopes
    )
