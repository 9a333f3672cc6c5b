"""What stands around an object, and how is that known?

Relations between nodes are stated. All other connections are read off what an object says of itself: the fields that
refer to others, its evidence, its scopes, and its structured claim. Each link carries a schema that says where it comes
from. A node or a scope that is only named is part of the graph as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from recollect.contracts.memory_substrate import schemas as s
from recollect.contracts.memory_substrate import view as v
from recollect.contracts.memory_substrate.answers import answer, fitting
from recollect.contracts.memory_substrate.objects import Objects
from recollect.contracts.tool import Call
from recollect.engine.write.grounds import references_of
from recollect.types import HIDDEN_STATUSES, Claim, Grounds, Record, Relation

SCHEMA_VERSION = 1
_CLAIMED = "structured_payload"
_RELATIONS = {"parent_ref": "child_of"}
_EDGES_PER_NODE = 4
_LOOKED_AT = 4  # times as many links as objects are asked for, since some lead nowhere
_MOST_READ = 1_000


class Link(Struct, frozen=True, kw_only=True):
    """One connection, from one object to another. Its schema says where it comes from, in one of four derivations."""

    source_id: str
    target_id: str
    relation: str
    relation_schema: dict[str, object]
    id: str | None = None


def _link(
    origin: Record | Relation, target: str, relation: str, field: str, derivation: str = "field_reference",
    *, source: str | None = None, id: str | None = None,
) -> Link:  # fmt: skip
    """What a field of a record says of its connection, or of that of another object, with a target.

    The types of its ends are those that their ids tell, until the objects are known.
    """
    type_ = v.type_of(origin) if isinstance(origin, Record) else "relation"
    schema: dict[str, object] = {
        "version": SCHEMA_VERSION, "derivation": derivation, "origin_object_type": type_,
        "origin_object_id": origin.id, "origin_field": field,
        "source_object_type": type_ if source is None else v.type_by_id(source),
        "target_object_type": v.type_by_id(target),
    }  # fmt: skip
    return Link(source_id=source or origin.id, target_id=target, relation=relation, relation_schema=schema, id=id)


def _stated(one: Relation) -> Link:
    """A stated relation between two nodes."""
    return _link(one, one.object, one.predicate, "relation", "canonical_relation", source=one.subject, id=one.id)


def links_of(record: Record) -> list[Link]:
    """All that a record says of its connections, each once."""
    found = [link for link in _links(record) if link.target_id != link.source_id]
    return list({(link.source_id, link.target_id, link.relation): link for link in reversed(found)}.values())[::-1]


def _links(record: Record) -> Iterator[Link]:
    grounds, is_doing = record.grounds or Grounds(), v.type_of(record) in (v.ACTIVITY, v.WORK_ITEM)
    yield from _claim_links(record, grounds.claim)
    for subject in grounds.subjects:
        about = ("related_to", "related_node_refs") if is_doing else ("about", "subject_refs")
        yield _link(record, subject, *about)
    for evidence in grounds.evidence:
        rests = ("uses_source", "source_refs") if is_doing else ("supported_by", "evidence_refs", "evidence_ref")
        yield _link(record, evidence.source, *rests)
    for field, ref in references_of(record):
        if field != "source_refs":  # those that are known are evidence
            yield _link(record, ref, _RELATIONS.get(field, field.removesuffix("_refs")), field)
    if v.type_of(record) == v.SOURCE:
        for node in v.list_in(v.mapping_in(record.metadata, "payload"), "node_ids"):
            yield _link(record, str(node), "describes", "payload.node_ids")
    if record.superseded_by is not None:
        yield _link(record, record.superseded_by, "superseded_by", "superseded_by")
    for scope in grounds.scopes:
        yield _link(record, scope, "in_scope", "scope_refs")


def _claim_links(record: Record, claim: Claim | None) -> Iterator[Link]:
    if claim is not None:
        yield _link(record, claim.subject, "about", "payload.subject", _CLAIMED)
        given = v.mapping_in(record.metadata, "payload").get("object", "")
        if claim.object is not None and isinstance(given, str):  # an end that is no word names nothing
            yield _link(record, claim.object, claim.predicate, "payload.object", _CLAIMED, source=claim.subject)
            yield _link(record, claim.object, "about", "payload.object", _CLAIMED)


class Around(Struct, frozen=True):
    """The objects next to one, nearest in kind first, the links between them, and by which each was reached."""

    objects: list[v.Object]
    links: list[Link]
    relations: dict[str, str]


def around(objects: Objects, thing: v.Object, most: int, *, scopes: bool = True) -> Around:
    """Up to so many objects that an object refers to, or that refer to it; its scopes among them, unless told not."""
    found: dict[str, v.Object] = {}
    links: list[Link] = []
    relations: dict[str, str] = {}
    for each, known in _links_around(objects, thing, most):
        new = [end for end in (each.source_id, each.target_id) if end != thing.id and end not in found]
        aside = not scopes and each.source_id == thing.id and each.relation == "in_scope"
        if aside or len(new) > 1 or (new and len(found) >= most):
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


def _links_around(objects: Objects, thing: v.Object, most: int) -> Iterator[tuple[Link, v.Object | None]]:
    """The links of an object, with the object at the other end where it is known already."""
    read = min(max(_LOOKED_AT * most, 1), _MOST_READ)
    if isinstance(thing, Record):
        for each in sorted(links_of(thing), key=lambda one: thing.id not in (one.source_id, one.target_id)):
            yield each, None
    elif thing.version:
        near = objects.memory.neighbors(thing.id, space=objects.space, depth=1)
        entities = {entity.id: entity for entity in near.entities}
        for relation in near.relations[:read]:
            other = relation.object if relation.subject == thing.id else relation.subject
            yield _stated(relation), entities.get(other)
    seen: set[str] = set()
    for record in objects.naming(thing.id, read):
        seen.add(record.id)
        for each in links_of(record):
            if thing.id in (each.source_id, each.target_id):
                yield each, record if record.id in (each.source_id, each.target_id) else None
    if isinstance(thing, Record):
        for rival in objects.rivals(thing)[:read]:
            yield _link(thing, rival.id, "conflicts_with", "payload.predicate", _CLAIMED), rival
    elif thing.version:
        for record in objects.memory.mentioning(thing.id, space=objects.space, limit=read):
            shown = objects.owner(record) or record
            if shown.id not in seen:
                seen.add(shown.id)
                field = "segments" if v.type_of(shown) == v.SOURCE else "summary"
                yield _link(shown, thing.id, "mentions", field), shown


def graph(objects: Objects, given: s.ById, options: s.GraphOptions, call: Call) -> dict[str, object]:
    """One step around an object: nodes, the object itself first, and edges."""
    thing = objects.require(given.id)
    most = options.max_items or s.DEFAULT_ITEMS
    near = around(objects, thing, most - 1)
    nodes = [v.show(v.view_item(each), "id object_type kind title status") for each in (thing, *near.objects)]

    def draw(count: int) -> dict[str, object]:
        types = {node["id"]: node["object_type"] for node in nodes[:count]}
        edges = [_typed(one, types) for one in near.links if one.source_id in types and one.target_id in types]
        return {"root_id": given.id, "nodes": nodes[:count], "edges": edges[: _EDGES_PER_NODE * count]}

    drawn = fitting(len(nodes), draw)
    left = len(nodes) - len(cast("list[object]", drawn["nodes"]))
    return answer("graph", drawn, [f"{left} more objects are connected with it."] if left else [])


def _typed(link: Link, types: Mapping[object, object]) -> Link:
    """A link whose ends are of the types that they really are: an id alone tells it only where it was minted here."""
    ends = {"source_object_type": types[link.source_id], "target_object_type": types[link.target_id]}
    return replace(link, relation_schema={**link.relation_schema, **ends})
