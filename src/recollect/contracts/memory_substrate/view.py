"""How is what the engine holds spoken of in this vocabulary?

Sources, activities, work items and knowledge are records, nodes are entities. Segments of a source are records too,
which show as parts of their source; without one they show as knowledge of their own kind.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeAlias, cast

from msgspec import UNSET, Struct, UnsetType

from recollect.engine.write.grounds import segment_id
from recollect.types import CATALOGUE_KINDS, Entity, Evidence, Grounds, Json, Record, Status

Object: TypeAlias = Record | Entity

OBJECT_TYPES = ("source", "node", "knowledge", "activity", "work_item")
SOURCE, NODE, KNOWLEDGE, ACTIVITY, WORK_ITEM = OBJECT_TYPES
SEGMENT_KINDS = ("document", "message", "code")
"""Kinds of records that show as parts of a source, where there is one."""
PREFIXES: Mapping[str, str] = {
    SOURCE: "src", NODE: "node", KNOWLEDGE: "know", ACTIVITY: "act", WORK_ITEM: "work",
}  # fmt: skip
RECORD_PREFIXES = tuple(prefix for type_, prefix in PREFIXES.items() if type_ != NODE)
_TYPES = {prefix: object_type for object_type, prefix in PREFIXES.items()}
STUB = "stub"
"""The kind of a node that is named and of which nothing else is known."""
TITLE_CHARS = 160
SUMMARY_CHARS = 240
_ID_BYTES = 16
_STATUS_WORDS: Mapping[str, Status] = {
    "finalized": "active", "pending": "open", "resolved": "done", "closed": "done",
}  # fmt: skip
"""Words for a status that only this vocabulary has, and what the engine calls it."""


def show(thing: object, fields: str, **more: object) -> dict[str, object]:
    """What an answer shows of a value: fields by their names, or `name:other` where this vocabulary has another."""
    pairs = [(name, other or name) for name, _, other in (field.partition(":") for field in fields.split())]
    return {other: getattr(thing, name) for name, other in pairs} | more


# Ids


def mint_id(object_type: str) -> str:
    """A new id of an object, or of a context pack: its prefix and 32 hexadecimal digits."""
    return f"{PREFIXES.get(object_type, object_type)}:{os.urandom(_ID_BYTES).hex()}"


def type_by_id(id: str) -> str:
    """What an id seems to be the id of; what is no id names a node."""
    return _TYPES.get(id.partition(":")[0], NODE)


def patch_id(entries: Sequence[int]) -> str | None:
    """The id of a write, which is that of its first journal entry; None where nothing was written."""
    return f"patch:{min(entries):032x}" if entries else None


def audit_id(entry: int) -> str:
    return f"aud:{entry:032x}"


# Words


def record_status(word: str) -> str:
    """A status as the engine knows it, of a word that may be this vocabulary's alone."""
    return _STATUS_WORDS.get(word, word)


def shown_status(thing: Object) -> str:
    """The word that the status was given in, as long as the record still has that status. Nodes are always active."""
    if isinstance(thing, Entity):
        return "active"
    word = thing.metadata.get("status")
    return word if isinstance(word, str) and _STATUS_WORDS.get(word) == thing.status else thing.status


def type_of(thing: Object) -> str:
    """Which of the five types of objects it is."""
    if isinstance(thing, Entity):
        return NODE
    if thing.kind in CATALOGUE_KINDS:
        return SOURCE
    return thing.kind if thing.kind in (ACTIVITY, WORK_ITEM) else KNOWLEDGE


def kind_of(thing: Object) -> str:
    """What sort of source, node, activity, work item or knowledge it is."""
    if isinstance(thing, Entity):
        return thing.type or NODE
    if thing.kind in CATALOGUE_KINDS:
        return text_in(thing.metadata, "source_kind") or "file"
    if thing.kind in (ACTIVITY, WORK_ITEM):
        return text_in(thing.metadata, "kind") or thing.kind
    return thing.kind


def title_of(thing: Object) -> str:
    """The name or title, or the first line of a record that has none."""
    if isinstance(thing, Entity):
        return thing.name
    if thing.title:
        return thing.title
    first = next((line.strip() for line in thing.text.splitlines() if line.strip()), thing.id)
    return clip(first, TITLE_CHARS)


def summary_of(thing: Object) -> str:
    """What it says; of a source, what its payload calls its summary, if it does."""
    if isinstance(thing, Entity):
        return thing.description or ""
    if thing.kind in CATALOGUE_KINDS:
        return text_in(mapping_in(thing.metadata, "payload"), "summary") or thing.text
    return thing.text


def clip(text: str, chars: int) -> str:
    """A text of at most so many characters; three dots say that there was more."""
    return text if len(text) <= chars else f"{text[: max(chars - 3, 0)].rstrip()}..."


def text_in(fields: Mapping[str, Json], name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) else None


def mapping_in(fields: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    value = fields.get(name)
    return value if isinstance(value, Mapping) else {}


def list_in(fields: Mapping[str, Json], name: str) -> list[Json]:
    value = fields.get(name)
    return list(cast("Sequence[Json]", value)) if isinstance(value, list | tuple) else []


# Objects


class Item(Struct, frozen=True, kw_only=True):
    """An object in a few words. The last fields are what a search says of how it was found."""

    id: str
    object_type: str
    kind: str
    title: str
    status: str
    summary: str
    updated_at: datetime
    scope_refs: tuple[str, ...] | UnsetType = UNSET
    evidence_refs: list[Mapping[str, Json]] | UnsetType = UNSET
    relation: str | UnsetType = UNSET
    score: float | UnsetType = UNSET
    rank_score: float | UnsetType = UNSET
    lexical_score: float | UnsetType = UNSET
    semantic_score: float | UnsetType = UNSET
    matched_terms: list[str] | UnsetType = UNSET
    retrieval_sources: list[str] | UnsetType = UNSET
    retrieval_ranks: Mapping[str, int] | UnsetType = UNSET
    matched_chunks: list[Mapping[str, object]] | UnsetType = UNSET


def view_item(thing: Object) -> Item:
    return Item(
        id=thing.id, object_type=type_of(thing), kind=kind_of(thing), title=clip(title_of(thing), TITLE_CHARS),
        status=shown_status(thing), summary=clip(summary_of(thing), SUMMARY_CHARS), updated_at=thing.recorded_at,
    )  # fmt: skip


def view_evidence(evidence: Evidence) -> dict[str, Json]:
    told = cast("dict[str, Json]", show(evidence, "source:source_id segment:segment_id locator hash"))
    return {name: value for name, value in told.items() if value is not None}


def view_segment(record: Record, snippet_chars: int | None = None) -> dict[str, object]:
    """A segment of a source; without a limit its whole text. A message tells who said it and when, as it was given."""
    locator = record.locator or {}
    told: dict[str, object] = {
        "segment_id": segment_id(record),
        "title": clip(title_of(record), TITLE_CHARS),
        "locator": locator,
        "hash": record.content_hash,
        "excerpt": record.text if snippet_chars is None else clip(record.text, snippet_chars),
    }
    if record.kind == "message":
        told |= {name: locator[name] for name in ("role", "name", "created_at") if name in locator}
        told |= {"role": told.get("role", record.role), "metadata": record.metadata}
    return told


def view_object(thing: Object) -> dict[str, object]:
    """The whole of an object."""
    head: dict[str, object] = {
        "id": thing.id, "object_type": type_of(thing), "kind": kind_of(thing), "title": title_of(thing),
    }  # fmt: skip
    tail: dict[str, object] = {"created_at": thing.created_at, "updated_at": thing.recorded_at}
    said: dict[str, object] = {"summary": summary_of(thing), "status": shown_status(thing)}
    if isinstance(thing, Entity):
        return {**head, "name": thing.name, **said, "aliases": thing.aliases, "metadata": thing.metadata, **tail}
    if type_of(thing) == SOURCE:
        return {**head, **said, **_view_source(thing), **tail}
    own = _view_knowledge(thing) if type_of(thing) == KNOWLEDGE else _view_doing(thing)
    return {**head, **said, **own, **_view_governance(thing), **tail}


def _view_source(record: Record) -> dict[str, object]:
    kept = {name: mapping_in(record.metadata, name) for name in ("adapter", "freshness") if name in record.metadata}
    if record.status != "active" and "freshness" in kept:
        kept["freshness"] = {**kept["freshness"], "is_current": False}
    return {
        "origin": {"location": record.source, **mapping_in(record.metadata, "origin")},
        "identity_key": record.source,
        "fingerprint": record.metadata.get("fingerprint"),
        "payload": mapping_in(record.metadata, "payload"),
        "segment_count": record.metadata.get("segments", 0),
        "metadata": kept,
    }


def _view_knowledge(record: Record) -> dict[str, object]:
    grounds = record.grounds or Grounds()
    return {
        "subject_refs": grounds.subjects,
        "evidence_refs": [view_evidence(one) for one in grounds.evidence],
        "payload": payload_of(record),
        "valid_from": record.valid_from or record.created_at,
        **show(record, "confidence valid_until superseded_by"),
        "last_verified_at": grounds.verified_at,
    }


def payload_of(record: Record) -> dict[str, Json]:
    """The structured part of knowledge: its claim, and what else was given with it."""
    given = dict(mapping_in(record.metadata, "payload"))
    claim = None if record.grounds is None else record.grounds.claim
    if claim is None:
        return given
    return {**cast("dict[str, Json]", show(claim, "subject predicate value object")), **given}


def _view_governance(record: Record) -> dict[str, object]:
    return {
        "memory_source": record.trust,
        "scope_refs": (record.grounds or Grounds()).scopes,
        "reason": record.metadata.get("reason"),
    }


_OWN = ("kind", "status", "reason")
"""Entries of the metadata that show elsewhere."""


def _view_doing(record: Record) -> dict[str, object]:
    """An activity or a work item: its references, and its other fields as they were given."""
    grounds = record.grounds or Grounds()
    return {
        "related_node_refs": grounds.subjects,
        "source_refs": [evidence.source for evidence in grounds.evidence],
        **{name: value for name, value in record.metadata.items() if name not in _OWN},
    }
