"""How are entities, and what is stated between them, looked at?"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from recollect.contracts.api import values as v
from recollect.contracts.api.reading import next_of
from recollect.contracts.tool import Call
from recollect.engine.graph.link import Stored, as_stored, by_time
from recollect.engine.graph.named import meant
from recollect.engine.memory import Memory
from recollect.engine.parse import parse_optional_time
from recollect.types import Entity, Relation

_MOST = 50
_MOST_DRAWN = 20_000
_WINDOW = 1_000


def entities(params: v.ListEntities, call: Call) -> v.Entities:
    found = call.memory.entities(
        space=params.space, words=params.words, limit=params.limit + 1, offset=params.cursor
    )  # fmt: skip
    return v.Entities(entities=tuple(found[: params.limit]), next=next_of(found, params.limit, params.cursor))


def explore(params: v.Explore, call: Call) -> v.Explored:
    memory, space = call.memory, params.space
    when: dict[str, Any] = {"as_of": params.as_of, "true_at": params.true_at}
    about = meant(memory.core, params.entity, space=space, plainly=True)
    mentions = memory.mentioning(about, space=space, limit=_MOST, **when)
    then = parse_optional_time(params.as_of, "as_of")
    if not any(then is None or one.created_at <= then for one in memory.find_entities(about, space=space)):
        return v.Explored(name=params.entity, mentioned_in=tuple(mentions))
    around = memory.neighbors(about, space=space, depth=params.depth, **when)
    everything = memory.facts(about, space=space, as_of=params.as_of, active=False)
    holding = memory.facts(about, space=space, **when)
    at = parse_optional_time(params.true_at or params.as_of, "true_at") or memory.core.clock()
    told = by_time(everything, holding, at)
    return v.Explored(
        name=around.start.name,
        entity=around.start,
        facts=told.holding[:_MOST],
        past=told.past[:_MOST],
        coming=told.coming[:_MOST],
        near=around.entities[1 : _MOST + 1],
        relations=around.relations[: 2 * _MOST],
        mentioned_in=tuple(mentions),
    )


def draw(params: v.Draw, call: Call) -> v.Drawn:
    """The entities with most relations, and all that is stated between them: as it is known now, or was then."""
    memory, space, then = call.memory, params.space, parse_optional_time(params.as_of, "as_of")
    held = memory.facts(space=space, as_of=params.as_of, active=True)
    stated = memory.facts(space=space, as_of=params.as_of, active=False) if params.past else held
    now = {fact.relation.version for fact in held}
    names = {end: name for fact in stated for end, name in _ends(fact.relation, fact.subject, fact.object)}
    degrees = Counter(end for fact in stated for end, _ in _ends(fact.relation, "", ""))
    chosen = {id for id, _ in degrees.most_common(params.limit)}
    lone, total = _known(memory, space, then, params.limit)
    named = {entity.id: entity for entity in lone}
    for entity in lone:
        if len(chosen) < params.limit:
            chosen.add(entity.id)
            names.setdefault(entity.id, entity.name)
    edges = [
        v.Edge(
            id=one.id, subject=one.subject, predicate=one.predicate, object=one.object, valid_from=one.valid_from,
            valid_until=one.valid_until, holds=one.version in now,
        )
        for one in (fact.relation for fact in stated[:_MOST_DRAWN])
        if one.subject in chosen and one.object in chosen
    ]  # fmt: skip
    nodes = [_node(id, names[id], named.get(id), degrees[id]) for id in sorted(chosen)]
    first = min((fact.relation.valid_from for fact in stated), default=None)
    return v.Drawn(nodes=tuple(nodes), edges=tuple(edges), total=total, first=first)


def _known(memory: Memory, space: str, then: datetime | None, limit: int) -> tuple[list[Entity], int]:
    """So many of the entities that are known, the newest of them, and how many there are in all; or that were then."""
    if then is None:
        total = memory.describe_space(space)[1].entities if memory.has_space(space) else 0
        return memory.entities(space=space, limit=limit), total
    known: list[Entity] = []
    while window := memory.entities(space=space, newest_first=False, limit=_WINDOW, offset=len(known)):
        known += window
        if window[-1].created_at > then:
            break
    known = [entity for entity in known if entity.created_at <= then]
    return known[-limit:], len(known)


def _node(id: str, name: str, entity: Entity | None, degree: int) -> v.Node:
    kind, since = (entity.type, entity.created_at) if entity else (None, None)
    return v.Node(id=id, name=name, type=kind, degree=degree, since=since)


def _ends(relation: Relation, subject: str, object: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (relation.subject, subject), (relation.object, object)


def relate(params: v.NewRelation, call: Call) -> Stored:
    relation = call.memory.relate(
        params.subject, params.predicate, params.object, space=params.space, replaces=params.replaces,
        confidence=params.confidence,
    )  # fmt: skip
    return as_stored(call.memory.core, relation)
