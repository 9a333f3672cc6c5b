"""How are objects connected, and how is that known?

Relations between nodes are stated. All other connections are read off what an object says of itself: the fields that
refer to others, its evidence, and its structured claim. Each link carries a schema that says where it comes from.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from recollect.contracts.memory_substrate.view import (
    NODE,
    OBJECT_TYPES,
    PREFIXES,
    SOURCE,
    list_in,
    mapping_in,
    text_in,
    type_of,
)
from recollect.types import Json, Record, Relation

SCHEMA_VERSION = 1
_REFERENCES = (
    "related_work_item_refs", "related_knowledge_refs", "produced_object_refs", "owner_refs", "depends_on",
    "blocked_by", "child_refs",
)  # fmt: skip
_TYPES = {prefix: object_type for object_type, prefix in PREFIXES.items()}


class RelationSchema(Struct, frozen=True, kw_only=True):
    """Where a link comes from; `derivation` is one of four words."""

    version: int = SCHEMA_VERSION
    derivation: str
    origin_object_type: str
    origin_object_id: str
    origin_field: str
    source_object_type: str
    target_object_type: str


class Link(Struct, frozen=True, kw_only=True):
    """One connection, from one object to another."""

    source_id: str
    target_id: str
    relation: str
    relation_schema: RelationSchema
    id: str | None = None


def type_by_id(id: str) -> str:
    """What an id seems to be the id of; ids of other contracts' records are those of knowledge."""
    return _TYPES.get(id.partition(":")[0], OBJECT_TYPES[2])


def link_of(relation: Relation) -> Link:
    """A stated relation between two nodes."""
    return Link(
        source_id=relation.subject, target_id=relation.object, relation=relation.predicate, id=relation.id,
        relation_schema=RelationSchema(
            derivation="canonical_relation", origin_object_type="relation", origin_object_id=relation.id,
            origin_field="relation", source_object_type=NODE, target_object_type=NODE,
        ),
    )  # fmt: skip


def links_of(record: Record) -> list[Link]:
    """All that a record says of its connections, each once."""
    found = [link for link in _links(record) if link.target_id != link.source_id]
    return list({(link.source_id, link.target_id, link.relation): link for link in reversed(found)}.values())[::-1]


def _links(record: Record) -> Iterator[Link]:
    own_type, grounds = type_of(record), record.grounds
    is_doing = own_type in ("activity", "work_item")
    if grounds is not None:
        if grounds.claim is not None:
            yield from _claim_links(record)
        for subject in grounds.subjects:
            field = "related_node_refs" if is_doing else "subject_refs"
            yield _link(record, subject, "related_to" if is_doing else "about", "field_reference", field)
        for evidence in grounds.evidence:
            if is_doing:
                yield _link(record, evidence.source, "uses_source", "field_reference", "source_refs", SOURCE)
            else:
                yield _link(record, evidence.source, "supported_by", "evidence_ref", "evidence_refs", SOURCE)
    for field in _REFERENCES:
        for ref in list_in(record.metadata, field):
            if isinstance(ref, str):
                yield _link(record, ref, field.removesuffix("_refs"), "field_reference", field)
    for node in list_in(mapping_in(record.metadata, "payload"), "node_ids") if own_type == SOURCE else ():
        if isinstance(node, str):
            yield _link(record, node, "describes", "field_reference", "payload.node_ids", NODE)
    parent = text_in(record.metadata, "parent_ref")
    if parent is not None:
        yield _link(record, parent, "child_of", "field_reference", "parent_ref")
    if record.superseded_by is not None:
        yield _link(record, record.superseded_by, "superseded_by", "field_reference", "superseded_by")


def _claim_links(record: Record) -> Iterator[Link]:
    claim = record.grounds.claim if record.grounds is not None else None
    if claim is None:
        return
    if _is_id(claim.subject):
        yield _link(record, claim.subject, "about", "structured_payload", "payload.subject")
    if claim.object is not None and _is_id(claim.object):
        if _is_id(claim.subject):
            schema = _schema(record, "structured_payload", "payload.object", claim.subject, claim.object)
            yield Link(
                source_id=claim.subject, target_id=claim.object, relation=claim.predicate, relation_schema=schema
            )
        else:
            yield _link(record, claim.object, claim.predicate, "structured_payload", "payload.object")


def _is_id(ref: Json) -> bool:
    return isinstance(ref, str) and ref.partition(":")[0] in _TYPES and ":" in ref


def _link(record: Record, target: str, relation: str, derivation: str, field: str, type_: str | None = None) -> Link:
    schema = RelationSchema(
        derivation=derivation, origin_object_type=type_of(record), origin_object_id=record.id, origin_field=field,
        source_object_type=type_of(record), target_object_type=type_ or type_by_id(target),
    )  # fmt: skip
    return Link(source_id=record.id, target_id=target, relation=relation, relation_schema=schema)


def _schema(record: Record, derivation: str, field: str, source: str, target: str) -> RelationSchema:
    return RelationSchema(
        derivation=derivation, origin_object_type=type_of(record), origin_object_id=record.id, origin_field=field,
        source_object_type=type_by_id(source), target_object_type=type_by_id(target),
    )  # fmt: skip
