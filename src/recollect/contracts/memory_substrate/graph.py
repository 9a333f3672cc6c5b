"""What stands around an object?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from recollect.contracts.memory_substrate import schemas as s
from recollect.contracts.memory_substrate.answers import answer
from recollect.contracts.memory_substrate.links import Link, link, link_of, links_of
from recollect.contracts.memory_substrate.objects import Objects
from recollect.contracts.memory_substrate.view import (
    NODE,
    SOURCE,
    TITLE_CHARS,
    Object,
    clip,
    kind_of,
    shown_status,
    title_of,
    type_of,
)  # fmt: skip
from recollect.contracts.tool import Call
from recollect.types import HIDDEN_STATUSES, Entity, Record

_EDGES_PER_NODE = 4
_LOOKED_AT = 4  # times as many links as objects are asked for, since some lead nowhere
_MOST_READ = 1_000


class Around(Struct, frozen=True):
    """The objects next to one, nearest in kind first, the links between them, and by which each was reached."""

    objects: list[Object]
    links: list[Link]
    relations: dict[str, str]


def around(objects: Objects, thing: Object, most: int) -> Around:
    """Up to so many objects that an object refers to, or that refer to it."""
    found: dict[str, Object] = {}
    links: list[Link] = []
    relations: dict[str, str] = {}
    for each, known in _links(objects, thing, most):
        new = [end for end in (each.source_id, each.target_id) if end != thing.id and end not in found]
        if len(new) > 1 or (new and len(found) >= most):
            continue
        for end in new:
            reached = known if known is not None and known.id == end else objects.find(end)
            if reached is None or (isinstance(reached, Record) and reached.status in HIDDEN_STATUSES):
                break
            found[end] = reached
            relations[end] = each.relation
        else:
            links.append(each)
    return Around(list(found.values()), links, relations)


def _links(objects: Objects, thing: Object, most: int) -> Iterator[tuple[Link, Object | None]]:
    """The links of an object, with the object at the other end where it is known already."""
    read = min(max(_LOOKED_AT * most, 1), _MOST_READ)
    if isinstance(thing, Entity):
        yield from _links_of_node(objects, thing, read)
        return
    for each in sorted(links_of(thing), key=lambda one: thing.id not in (one.source_id, one.target_id)):
        yield each, None
    for record in objects.citing([f"evidence:{thing.id}", f"subject:{thing.id}"], read):
        for each in links_of(record):
            if thing.id in (each.source_id, each.target_id):
                yield each, record
    if thing.grounds is not None and thing.grounds.claim is not None:
        for rival in objects.memory.contradictions(thing.id, space=objects.space)[:read]:
            conflict = ("conflicts_with", "payload.predicate", "structured_payload")
            yield link(thing, rival.id, *conflict, target_type=type_of(rival)), rival


def _links_of_node(objects: Objects, node: Entity, read: int) -> Iterator[tuple[Link, Object | None]]:
    near = objects.memory.neighbors(node.id, space=objects.space, depth=1)
    entities = {entity.id: entity for entity in near.entities}
    for relation in near.relations[:read]:
        other = relation.object if relation.subject == node.id else relation.subject
        yield link_of(relation), entities.get(other)
    seen: set[str] = set()
    for record in objects.citing([f"subject:{node.id}"], read):
        seen.add(record.id)
        for each in links_of(record):
            if node.id in (each.source_id, each.target_id):
                yield each, record if record.id in (each.source_id, each.target_id) else None
    for record in objects.memory.mentioning(node.id, space=objects.space, limit=read):
        owner = objects.owner(record)
        shown = owner or record
        if shown.id not in seen:
            seen.add(shown.id)
            field = "segments" if type_of(shown) == SOURCE else "summary"
            yield link(shown, node.id, "mentions", field, target_type=NODE), shown


class GraphNode(Struct, frozen=True, kw_only=True):
    id: str
    object_type: str
    kind: str
    title: str
    status: str


def graph(objects: Objects, given: s.ById, options: s.GraphOptions, call: Call) -> dict[str, object]:
    """One step around an object: nodes, the object itself first, and edges."""
    thing = objects.require(given.id)
    most = options.max_items or s.DEFAULT_ITEMS
    near = around(objects, thing, most - 1)
    nodes = [_view(each) for each in (thing, *near.objects)]
    types = {node.id: node.object_type for node in nodes}
    edges = [_typed(one, types) for one in near.links if one.source_id in types and one.target_id in types]
    return answer("graph", {"root_id": given.id, "nodes": nodes, "edges": edges[: _EDGES_PER_NODE * most]})


def _typed(link: Link, types: Mapping[str, str]) -> Link:
    """A link whose ends are of the types that they really are: an id alone tells it only where it was minted here."""
    ends = {"source_object_type": types[link.source_id], "target_object_type": types[link.target_id]}
    return replace(link, relation_schema=replace(link.relation_schema, **ends))


def _view(thing: Object) -> GraphNode:
    return GraphNode(
        id=thing.id, object_type=type_of(thing), kind=kind_of(thing), title=clip(title_of(thing), TITLE_CHARS),
        status=shown_status(thing),
    )  # fmt: skip
