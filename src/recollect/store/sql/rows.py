"""How does a value become a row of SQLite, and a row a value again?"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias, cast

import msgspec

from recollect.store.base import MOST_COUNTED, Lexis
from recollect.types import (
    Change,
    Claim,
    Entity,
    Evidence,
    Grounds,
    Json,
    MemoryType,
    Record,
    Relation,
    Space,
    Status,
    Trust,
)  # fmt: skip

Row: TypeAlias = tuple[Any, ...]  # what the sqlite3 module hands out

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_encode = msgspec.json.Encoder().encode
_decode_tags = msgspec.json.Decoder(tuple[str, ...]).decode
_decode = msgspec.json.Decoder(dict[str, object]).decode

RECORD_COLUMNS = (
    "id", "kind", "memory_type", "title", "text", "role", "room", "session", "position", "project", "user",
    "tags", "source", "locator", "importance", "confidence", "status", "trust", "event_time", "created_at",
    "recorded_at", "valid_from", "valid_until", "superseded_by", "hash", "metadata", "grounds",
)  # fmt: skip
ENTITY_COLUMNS = (
    "id", "name", "type", "description", "aliases", "user", "metadata", "created_at", "recorded_at",
)  # fmt: skip
RELATION_COLUMNS = (
    "id", "subject", "predicate", "object", "weight", "confidence", "provenance", "valid_from", "valid_until",
    "metadata", "created_at", "recorded_at",
)  # fmt: skip
CHANGE_COLUMNS = (
    "entry", "at", "space", "verb", "object_type", "object_id", "before", "after", "actor", "reason", "undoes",
)  # fmt: skip


def to_micros(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


def to_moment(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


def _micros_or_none(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def _moment_or_none(micros: int | None) -> datetime | None:
    return None if micros is None else to_moment(micros)


def to_json(value: object) -> str:
    return _encode(value).decode()


def _metadata(text: str) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", _decode(text)) if text != "{}" else {}


def record_row(record: Record) -> Row:
    return (
        record.id, record.kind, record.memory_type, record.title, record.text, record.role, record.room,
        record.session, record.position, record.project, record.user,
        to_json(record.tags) if record.tags else "[]", record.source,
        None if record.locator is None else to_json(record.locator), record.importance, record.confidence,
        record.status, record.trust, to_micros(record.event_time), to_micros(record.created_at),
        to_micros(record.recorded_at), _micros_or_none(record.valid_from), _micros_or_none(record.valid_until),
        record.superseded_by, bytes.fromhex(record.content_hash),
        to_json(record.metadata) if record.metadata else "{}",
        None if record.grounds is None else to_json(record.grounds),
    )  # fmt: skip


def to_record(row: Row) -> Record:
    """A row of version, space, RECORD_COLUMNS, access count and last access."""
    return Record(
        version=row[0], space=row[1], id=row[2], kind=row[3], memory_type=cast("MemoryType", row[4]), title=row[5],
        text=row[6], role=row[7], room=row[8], session=row[9], position=row[10], project=row[11], user=row[12],
        tags=() if row[13] == "[]" else _decode_tags(row[13]), source=row[14],
        locator=None if row[15] is None else _metadata(row[15]), importance=row[16], confidence=row[17],
        status=cast("Status", row[18]), trust=cast("Trust", row[19]), event_time=to_moment(row[20]),
        created_at=to_moment(row[21]), recorded_at=to_moment(row[22]), valid_from=_moment_or_none(row[23]),
        valid_until=_moment_or_none(row[24]), superseded_by=row[25], content_hash=row[26].hex(),
        metadata=_metadata(row[27]), grounds=None if row[28] is None else to_grounds(row[28]),
        access_count=row[29] or 0, last_access=_moment_or_none(row[30]),
    )  # fmt: skip


class _Grounds(msgspec.Struct):
    """Grounds as JSON holds them: what a claim's value or a locator looks like is anyone's."""

    scopes: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    evidence: tuple[dict[str, Any], ...] = ()
    claim: dict[str, Any] | None = None
    verified_at: datetime | None = None


_decode_grounds = msgspec.json.Decoder(_Grounds).decode


def to_grounds(text: str) -> Grounds:
    raw = _decode_grounds(text)
    return Grounds(
        scopes=raw.scopes,
        subjects=raw.subjects,
        evidence=tuple(Evidence(**item) for item in raw.evidence),
        claim=None if raw.claim is None else Claim(**raw.claim),
        verified_at=raw.verified_at,
    )


def entity_row(entity: Entity) -> Row:
    return (
        entity.id, entity.name, entity.type, entity.description, to_json(entity.aliases), entity.user,
        to_json(entity.metadata), to_micros(entity.created_at), to_micros(entity.recorded_at),
    )  # fmt: skip


def to_entity(row: Row) -> Entity:
    return Entity(
        version=row[0], space=row[1], id=row[2], name=row[3], type=row[4], description=row[5],
        aliases=_decode_tags(row[6]), user=row[7], metadata=_metadata(row[8]), created_at=to_moment(row[9]),
        recorded_at=to_moment(row[10]),
    )  # fmt: skip


def relation_row(relation: Relation) -> Row:
    return (
        relation.id, relation.subject, relation.predicate, relation.object, relation.weight, relation.confidence,
        relation.provenance, to_micros(relation.valid_from), _micros_or_none(relation.valid_until),
        to_json(relation.metadata), to_micros(relation.created_at), to_micros(relation.recorded_at),
    )  # fmt: skip


def to_relation(row: Row) -> Relation:
    return Relation(
        version=row[0], space=row[1], id=row[2], subject=row[3], predicate=row[4], object=row[5], weight=row[6],
        confidence=row[7], provenance=row[8], valid_from=to_moment(row[9]), valid_until=_moment_or_none(row[10]),
        metadata=_metadata(row[11]), created_at=to_moment(row[12]), recorded_at=to_moment(row[13]),
    )  # fmt: skip


def to_space(row: Row) -> Space:
    return Space(name=row[0], description=row[1], created_at=to_moment(row[2]), metadata=_metadata(row[3]))


def to_change(row: Row) -> Change:
    return Change(
        entry=row[0], at=to_moment(row[1]), space=row[2], verb=row[3], object_type=row[4], object_id=row[5],
        before=row[6], after=row[7], actor=row[8], reason=row[9], undoes=row[10],
    )  # fmt: skip


def lexis_row(lexis: Lexis) -> tuple[bytes, str]:
    """Sorted term hashes as uint32, then their counts as bytes; names as JSON."""
    terms = sorted(lexis.terms)
    try:
        counts = bytes(map(lexis.terms.__getitem__, terms))
    except ValueError:  # a count that no byte holds, which only long texts have
        counts = bytes([min(lexis.terms[term], MOST_COUNTED) for term in terms])
    return array("I", terms).tobytes() + counts, to_json(lexis.names) if lexis.names else "[]"


def to_lexis(terms: bytes, names: str) -> Lexis:
    count = len(terms) // 5
    hashes = array("I", terms[: 4 * count])
    return Lexis(dict(zip(hashes, terms[4 * count :], strict=True)), _decode_tags(names))
