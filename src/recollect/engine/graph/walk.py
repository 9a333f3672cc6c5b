"""Which records does the graph lead to?

The graph of a space has entities and records as nodes. Relations join entities, mentions join records with the entities
that they name, and a superseded record is joined with its successor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from recollect.engine.core import Core, records_of, within
from recollect.engine.graph.named import find, names_of
from recollect.retrieve.graph import rank_nodes
from recollect.store.base import Entities, Glance, Link, Relations, Step, View, Walk, normal_name
from recollect.types import CATALOGUE_KINDS, Entity, Filter, Record

Node = int | tuple[str, str]  # a record's version, or ("entity", id), or ("name", a name that is no entity's)

_HOPS = 2
_DAMPING = 0.5
_MENTIONS_PER_NAME = 50
_FRONTIER = 200
_MOST_RELATIONS = 500  # of one step: what everything is related to leads nowhere in particular


def walk(
    view: View,
    space: str,
    *,
    names: Iterable[str],
    records: Mapping[int, float],
    as_of: datetime | None = None,
    true_at: datetime | None = None,
    through_records: bool = True,
    damping: float = _DAMPING,
) -> tuple[dict[int, float], int]:
    """Personalised PageRank from the names in a query and the records found so far.

    Without `through_records` the walk follows relations alone and ends at the records that mention what it reached,
    which costs much less; only from a superseded record it goes on to the successor. Answers a score per record version
    that the walk reached, and how many nodes the walked part of the graph has.
    """
    seeds: dict[Node, float] = {version: weight for version, weight in records.items()}
    seeds |= {node: 1.0 for name in names for node in _nodes(view, space, name)}
    edges = _edges(view, space, list(seeds), as_of, true_at, through_records=through_records)
    ranks = rank_nodes(edges, seeds, damping=damping, two_way=True, by_degree=True)
    return {node: rank for node, rank in ranks.items() if isinstance(node, int)}, len(ranks)


def walk_relations(
    view: View, space: str, seeds: Sequence[str], *, as_of: datetime | None = None, true_at: datetime | None = None
) -> dict[int, float]:
    """The same walk from some entities along relations alone, which a store answers in two questions."""
    far = Walk(starts=tuple(seeds), hops=_HOPS + 1, widest=_FRONTIER)
    where = Relations(space=space, as_of=as_of, true_at=true_at, walk=far)
    steps = view.relations(Step, where, newest_first=True, limit=_MOST_RELATIONS)
    named = [(step.near, step.far) for step in steps if step.hop < 0]
    mentioned = view.mentions(space, sorted({name for _, name in named}), _MENTIONS_PER_NAME)
    found: dict[tuple[Node, Node], float] = {}
    for step in steps[len(named) :]:
        start, end = ("entity", step.near), ("entity", step.far)
        if (end, start) not in found:
            found.setdefault((start, end), step.weight)
    for id, name in named:
        for version in mentioned[name][-_MENTIONS_PER_NAME:]:
            found.setdefault((("entity", id), version), 1.0)
    edges = [(start, end, weight) for (start, end), weight in found.items()]
    ranks = rank_nodes(edges, {("entity", id): 1.0 for id in seeds}, damping=_DAMPING, two_way=True, by_degree=True)
    return {node: rank for node, rank in ranks.items() if isinstance(node, int)}


def rank_records(
    core: Core, seeds: Sequence[str], space: str, *, limit: int, as_of: datetime | None
) -> list[tuple[Record, float]]:
    """The records nearest to seeds, each of which is the id of a record or what `resolve` understands."""
    with core.store.read() as view:
        known = {seed: view.get(Record, space, seed, as_of) for seed in seeds}
        names = [seed for seed, record in known.items() if record is None]
        records = {record.version: 1.0 for record in known.values() if record is not None}
        scores, _ = walk(view, space, names=names, records=records, as_of=as_of)
        held = view.select(int, within(Filter(as_of=as_of, without_kinds=CATALOGUE_KINDS), space, list(scores)))
        best = sorted(held, key=lambda version: (-scores[version], -version))[:limit]
        return [(record, scores[record.version]) for record in records_of(view, best)]


def _nodes(view: View, space: str, ref: str) -> list[Node]:
    """The entities that an id or a name means, in any case, or the name itself where records mention it."""
    found: list[Node] = [("entity", entity.id) for entity in find(view, space, ref, any_case=True)]
    return found or ([("name", normal_name(ref))] if view.mentions(space, [ref])[ref] else [])


def _edges(
    view: View,
    space: str,
    seeds: Sequence[Node],
    as_of: datetime | None,
    true_at: datetime | None,
    *,
    through_records: bool,
) -> list[tuple[Node, Node, float]]:
    """The part of the graph within a few hops of the seeds; every edge can be walked both ways."""
    found: dict[tuple[Node, Node], float] = {}
    seen: set[Node] = set(seeds)
    frontier = list(seeds)
    hops = 2 * _HOPS if through_records else _HOPS + 1  # a hop between records passes through an entity
    if not through_records and any(isinstance(seed, int) for seed in seeds):
        hops += 1  # a seed leads to an entity first
    for _ in range(hops):
        reached: list[Node] = []
        for start, end, weight in _around(view, space, frontier, as_of, true_at):
            if (end, start) not in found:
                found.setdefault((start, end), weight)
            if end not in seen:
                seen.add(end)
                if through_records or not isinstance(end, int) or isinstance(start, int):
                    reached.append(end)
        frontier = reached[:_FRONTIER]
        if not frontier:
            break
    return [(start, end, weight) for (start, end), weight in found.items()]


def _around(
    view: View, space: str, frontier: Sequence[Node], as_of: datetime | None, true_at: datetime | None
) -> Iterable[tuple[Node, Node, float]]:
    things = [node for node in frontier if not isinstance(node, int)]
    entities = [key for kind, key in things if kind == "entity"]
    for outgoing in (True, False):
        ends, none = tuple(entities), None
        where = Relations(
            space=space, subjects=ends if outgoing else none, objects=none if outgoing else ends, as_of=as_of,
            true_at=true_at,
        )  # fmt: skip
        for link in view.relations(Link, where, newest_first=True, limit=_MOST_RELATIONS):
            near, far = (link.subject, link.object) if outgoing else (link.object, link.subject)
            yield ("entity", near), ("entity", far), link.weight
    for thing in things:
        kind, key = thing
        for versions in view.mentions(space, [key] if kind == "name" else _names_of(view, space, key)).values():
            for version in versions[-_MENTIONS_PER_NAME:]:
                yield thing, version, 1.0
    yield from _from_records(view, space, [node for node in frontier if isinstance(node, int)], as_of)


def _names_of(view: View, space: str, id: str) -> list[str]:
    entity = view.get(Entity, space, id)
    return [] if entity is None else names_of(entity)


def _from_records(
    view: View, space: str, versions: Sequence[int], as_of: datetime | None
) -> Iterable[tuple[Node, Node, float]]:
    held = view.terms(versions)
    names = {name for lexis in held.values() for name in lexis.names}
    known = view.names([space], sorted(names)).get(space, [])
    entities = {name: [entity.id for entity in view.entities(Entities(space=space, names=(name,)))] for name in known}
    for version, lexis in held.items():
        for name in lexis.names:
            for id in entities.get(name, ()):
                yield version, ("entity", id), 1.0
            if name not in entities:
                yield version, ("name", name), 1.0
    for glance in view.select(Glance, within(Filter(as_of=as_of, valid_only=False), space, versions)):
        if glance.superseded_by is not None:
            successor = view.get(Record, space, glance.superseded_by)
            if successor is not None:
                yield glance.version, successor.version, 1.0
