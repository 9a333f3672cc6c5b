"""How are objects connected, and how is that known?

Relations between nodes are stated. All other connections are read off what an object says of itself: the fields that
refer to others, its evidence, and its structured claim. Each link carries a schema that says where it comes from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from recollect.contracts.memory_substrate.view import (
    ACTIVITY,
    KNOWLEDGE,
    NODE,
    PREFIXES,
    SOURCE,
    WORK_ITEM,
    list_in,
    mapping_in,
    text_in,
    type_of,
)
from recollect.types import Claim, Grounds, Json, Record, Relation

SCHEMA_VERSION = 1
_CLAIMED = "structured_payload"
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
    return _TYPES.get(id.partition(":")[0], KNOWLEDGE)


def link_of(relation: Relation) -> Link:
    """A stated relation between two nodes."""
    schema = RelationSchema(
        derivation="canonical_relation", origin_object_type="relation", origin_object_id=relation.id,
        origin_field="relation", source_object_type=NODE, target_object_type=NODE,
    )  # fmt: skip
    return Link(
        source_id=relation.subject, target_id=relation.object, relation=relation.predicate, id=relation.id,
        relation_schema=schema,
    )  # fmt: skip


def link(
    origin: Record,
    target: str,
    relation: str,
    field: str,
    derivation: str = "field_reference",
    *,
    source: str | None = None,
    target_type: str | None = None,
) -> Link:
    """What a field of a record says of its connection, or of that of another object, with a target."""
    schema = RelationSchema(
        derivation=derivation, origin_object_type=type_of(origin), origin_object_id=origin.id, origin_field=field,
        source_object_type=type_of(origin) if source is None else type_by_id(source),
        target_object_type=target_type or type_by_id(target),
    )  # fmt: skip
    return Link(source_id=source or origin.id, target_id=target, relation=relation, relation_schema=schema)


def links_of(record: Record) -> list[Link]:
    """All that a record says of its connections, each once."""
    found = [link for link in _links(record) if link.target_id != link.source_id]
    return list({(link.source_id, link.target_id, link.relation): link for link in reversed(found)}.values())[::-1]


def _links(record: Record) -> Iterator[Link]:
    grounds, is_doing = record.grounds or Grounds(), type_of(record) in (ACTIVITY, WORK_ITEM)
    yield from _claim_links(record, grounds.claim)
    for subject in grounds.subjects:
        about = ("related_to", "related_node_refs") if is_doing else ("about", "subject_refs")
        yield link(record, subject, *about)
    for evidence in grounds.evidence:
        rests = ("uses_source", "source_refs") if is_doing else ("supported_by", "evidence_refs", "evidence_ref")
        yield link(record, evidence.source, *rests, target_type=SOURCE)
    for field in _REFERENCES:
        for ref in _texts(record.metadata, field):
            yield link(record, ref, field.removesuffix("_refs"), field)
    if type_of(record) == SOURCE:
        for node in _texts(mapping_in(record.metadata, "payload"), "node_ids"):
            yield link(record, node, "describes", "payload.node_ids", target_type=NODE)
    parent = text_in(record.metadata, "parent_ref")
    if parent is not None:
        yield link(record, parent, "child_of", "parent_ref")
    if record.superseded_by is not None:
        yield link(record, record.superseded_by, "superseded_by", "superseded_by")


def _texts(fields: Mapping[str, Json], name: str) -> list[str]:
    return [ref for ref in list_in(fields, name) if isinstance(ref, str)]


def _claim_links(record: Record, claim: Claim | None) -> Iterator[Link]:
    if claim is None:
        return
    subject = claim.subject if _is_id(claim.subject) else None
    if subject is not None:
        yield link(record, subject, "about", "payload.subject", _CLAIMED)
    if claim.object is not None and _is_id(claim.object):
        yield link(record, claim.object, claim.predicate, "payload.object", _CLAIMED, source=subject)


def _is_id(ref: str) -> bool:
    return ":" in ref and ref.partition(":")[0] in _TYPES
