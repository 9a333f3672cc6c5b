"""Values to put into a store, with everything filled in that a test does not speak of."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

import numpy as np

from recollect.store.base import Edit, Lexis, T, Thing
from recollect.store.ops import DropSpace, Erase, Put, PutSpace, Retire
from recollect.store.search import Vector
from recollect.types import Entity, Filter, Record, Relation, Space

THEN = datetime(2025, 1, 1, tzinfo=UTC)


def space(name: str = "default", **fields: object) -> Space:
    return Space(**{"name": name, "created_at": THEN, **fields})  # type: ignore[arg-type]


def record(id: str, text: str | None = None, **fields: object) -> Record:
    text = f"the text of {id}" if text is None else text
    given: dict[str, object] = {
        "id": id, "space": "default", "text": text, "event_time": THEN, "created_at": THEN, "recorded_at": THEN,
        "content_hash": hashlib.sha256(text.encode()).hexdigest(), **fields,
    }  # fmt: skip
    return Record(**given)  # type: ignore[arg-type]


def entity(id: str, name: str, **fields: object) -> Entity:
    given = {"id": id, "space": "default", "name": name, "created_at": THEN, "recorded_at": THEN, **fields}
    return Entity(**given)  # type: ignore[arg-type]


def relation(id: str, subject: str, predicate: str, object_: str, **fields: object) -> Relation:
    given: dict[str, object] = {
        "id": id, "space": "default", "subject": subject, "predicate": predicate, "object": object_,
        "valid_from": THEN, "created_at": THEN, "recorded_at": THEN, **fields,
    }  # fmt: skip
    return Relation(**given)  # type: ignore[arg-type]


def put(edit: Edit, thing: Record, lexis: Lexis | None = None) -> Record:
    """Remembers a record, in a space that is made where it is missing."""
    if not edit.spaces([thing.space]):
        make_space(edit, space(thing.space))
    return write(edit, thing, verb="remember", lexis=lexis)[0]


def write(edit: Edit, thing: T, **fields: object) -> tuple[T, int]:
    """Puts one thing, and answers it as it is kept and its entry."""
    (done,) = edit.apply([Put(thing=thing, **fields)])  # type: ignore[arg-type]
    return done.thing, done.entry  # type: ignore[return-value]


def retire(edit: Edit, thing: Thing, verb: str = "remove", reason: str | None = None) -> int:
    return edit.apply([Retire(thing=thing, verb=verb, reason=reason)])[0].entry


def erase(edit: Edit, record: Record, reason: str | None = None) -> int:
    where = Filter(spaces=(record.space,), ids=(record.id,), past=True)
    return edit.apply([Erase(where=where, reason=reason)])[0].entry


def make_space(edit: Edit, made: Space) -> Space:
    edit.apply([PutSpace(made)])
    return edit.spaces([made.name])[0]


def drop_space(edit: Edit, name: str) -> int:
    return edit.apply([DropSpace(name)])[0].count


def vector(version: int, *places: int, tokens: int = 0) -> Vector:
    """A vector of length 1 that lies along some of 64 directions, and as many wordpieces along the first of them."""
    numbers = np.zeros(64, dtype=np.float32)
    numbers[list(places) or [1]] = 1.0
    numbers /= np.linalg.norm(numbers)
    return Vector(version, numbers, np.eye(8, dtype=np.float32)[[(places or (1,))[0] % 8] * tokens] if tokens else None)
