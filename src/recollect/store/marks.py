"""What stays of things that are gone for good, once history tells of them no more?

What each was, how it left, and when it was forgotten. That is all of a store that grows without end, so it is kept
small: many marks stand together, in buckets by the hash of the id. One that is full is split by the next digit of the
hash; then all four parts are there, so that where an id belongs is always found by asking for the beginnings of its
hash. Marks that stand loose, each by itself, are of earlier releases, and stay.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, TypeAlias

from recollect.store.base import Shelf, View

Bucket: TypeAlias = dict[str, dict[str, int]]
"""Seconds by id, by what the things were and how they left, as in `record forget`."""
Marks: TypeAlias = "Mapping[tuple[str, str], Mark]"
"""By noun and id."""

BUCKETS = Shelf("gone", Bucket)
LOOSE_FORGOTTEN = Shelf("forgotten", int)
"""When something was forgotten, in microseconds, by noun and id."""
LOOSE_LEFT = Shelf("left", str)
"""By which verb something left the present that went with thinned history."""
_MOST = 36
"""So many marks of things with ids of usual length fill a quarter of a page: more would spill over into a page of
their own."""
_DEEPEST = 12
_DIGITS = "0123"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Mark(NamedTuple):
    """How something left, and when it was forgotten: by which full second since 1970, or 0 where it left otherwise."""

    verb: str
    second: int = 0

    @property
    def at(self) -> datetime:
        return _EPOCH + timedelta(seconds=self.second)


def forgotten_at(micros: int) -> Mark:
    return Mark("forget", -(-micros // 1_000_000))


def marks_of(view: View, space: str, noun: str, ids: Iterable[str]) -> dict[str, Mark]:
    """What stays of some things of one kind, by id, where something does."""
    asked = {f"{noun}:{id}": id for id in ids}
    if not asked:
        return {}
    held = dict(_marks_in(view.kept(BUCKETS, space=space, keys=keys_of(asked.values()))))
    found = {id: held[noun, id] for id in asked.values() if (noun, id) in held}
    forgotten = view.kept(LOOSE_FORGOTTEN, space=space, keys=list(asked))
    left = view.kept(LOOSE_LEFT, space=space, keys=list(asked))
    return {id: mark for (_, id), mark in loose_marks(forgotten, left).items()} | found


def loose_marks(forgotten: Mapping[str, int], left: Mapping[str, str]) -> dict[tuple[str, str], Mark]:
    """What the two shelves of earlier releases tell."""
    marks = {key: Mark(verb) for key, verb in left.items()} | {key: forgotten_at(at) for key, at in forgotten.items()}
    return {(key.partition(":")[0], key.partition(":")[2]): mark for key, mark in marks.items()}


def keys_of(ids: Iterable[str]) -> list[str]:
    """In which buckets some ids may stand."""
    return list(dict.fromkeys(key for id in ids for key in _keys(id)))


def marks_in(buckets: Mapping[str, Bucket]) -> dict[tuple[str, str], Mark]:
    """Everything that some buckets hold."""
    return dict(_marks_in(buckets))


def with_marks(buckets: Mapping[str, Bucket], marks: Marks) -> dict[str, Bucket | None]:
    """What changes where marks come into the buckets that they belong to; a later one takes the place of an earlier."""
    added: dict[str, dict[tuple[str, str], Mark]] = {}
    for (noun, id), mark in marks.items():
        home = next((key for key in reversed(_keys(id)) if key in buckets), "")
        added.setdefault(home, {})[noun, id] = mark
    changed: dict[str, Bucket | None] = {}
    for key, new in added.items():
        changed |= _spread(key, dict(_marks_in({key: buckets.get(key, {})})) | new)
    return changed


def _marks_in(buckets: Mapping[str, Bucket]) -> Iterator[tuple[tuple[str, str], Mark]]:
    for bucket in buckets.values():
        for told, ids in bucket.items():
            noun, _, verb = told.partition(" ")
            for id, second in ids.items():
                yield (noun, id), Mark(verb, second)


def _spread(key: str, marks: Marks) -> dict[str, Bucket | None]:
    if len(marks) <= _MOST or len(key) == _DEEPEST:
        return {key: _bucket(marks)}
    parts: dict[str, dict[tuple[str, str], Mark]] = {key + digit: {} for digit in _DIGITS}
    for (noun, id), mark in marks.items():
        parts[_hash(id)[: len(key) + 1]][noun, id] = mark
    spread: dict[str, Bucket | None] = {key: None}
    for part, its in parts.items():
        spread |= _spread(part, its)
    return spread


def _bucket(marks: Marks) -> Bucket:
    bucket: Bucket = {}
    for (noun, id), mark in sorted(marks.items()):
        bucket.setdefault(f"{noun} {mark.verb}", {})[id] = mark.second
    return bucket


def _keys(id: str) -> list[str]:
    hashed = _hash(id)
    return [hashed[:deep] for deep in range(_DEEPEST + 1)]


def _hash(id: str) -> str:
    number = int.from_bytes(hashlib.blake2b(id.encode(errors="surrogatepass"), digest_size=_DEEPEST // 4).digest())
    return "".join(_DIGITS[number >> 2 * place & 3] for place in range(_DEEPEST))
