"""What stays of things that are gone for good, once history tells of them no more?

What each was, how it left, and when it was forgotten. That is all of a store that grows without end, so it is kept
small: many marks stand together, in buckets by the hash of the id. One that is full is split by the next digit of the
hash; then all four parts are there, so that where an id belongs is always found by asking for the beginnings of its
hash. Marks that stand loose, each by itself, are of earlier releases, and stay.

The entries of the journal that marks stand for had a checksum each, and so a bucket has one: a mark that is lost, or is
another's, would let come back what was forgotten.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, TypeAlias, TypeVar
from zlib import crc32

import msgspec
from msgspec import Struct

from recollect.errors import StoreDamaged
from recollect.forms import decode
from recollect.store.base import Shelf, View


class Bucket(Struct, frozen=True, forbid_unknown_fields=True):
    """Seconds by id, by what the things were and how they left, as in `record forget`; and the checksum of all that and
    of where it stands."""

    held: Mapping[str, Mapping[str, int]]
    checksum: int


K = TypeVar("K")
Marks: TypeAlias = "Mapping[tuple[str, str], Mark]"
"""By noun and id."""

BUCKETS = Shelf("gone", Bucket)
LOOSE_FORGOTTEN = Shelf("forgotten", int)
"""When something was forgotten, in microseconds, by noun and id."""
LOOSE_LEFT = Shelf("left", str)
"""By which verb something left the present that went with thinned history."""
MARKS = (BUCKETS, LOOSE_FORGOTTEN, LOOSE_LEFT)
FORGET = "forget"
_MOST = 36
"""So many marks of things with ids of usual length fill a quarter of a page: more would spill over into a page of
their own."""
_DEEPEST = 12
_DIGITS = "0123"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = int((datetime(9999, 12, 31, tzinfo=UTC) - _EPOCH).total_seconds())
_NOUNS = ("record", "entity", "relation")
_encode = msgspec.msgpack.Encoder().encode


class Mark(NamedTuple):
    """How something left, and when it was forgotten: by which full second since 1970, or 0 where it left otherwise."""

    verb: str
    second: int = 0

    @property
    def at(self) -> datetime:
        return _EPOCH + timedelta(seconds=self.second)


def forgotten_at(micros: int) -> Mark:
    return Mark(FORGET, -(-micros // 1_000_000))


def marks_of(view: View, space: str, noun: str, ids: Iterable[str]) -> dict[str, Mark]:
    """What stays of some things of one kind, by id, where something does."""
    asked = {f"{noun}:{id}": id for id in ids}
    if not asked:
        return {}
    held = dict(_marks_in(view.kept(BUCKETS, space=space, keys=keys_of(asked.values()))))
    found = {id: held[noun, id] for id in asked.values() if (noun, id) in held}
    forgotten = view.kept(LOOSE_FORGOTTEN, space=space, keys=list(asked))
    left = view.kept(LOOSE_LEFT, space=space, keys=list(asked))
    loose = {id: mark for (_, id), mark in loose_marks(forgotten, left).items()}
    return joined_marks(loose, found)


def loose_marks(forgotten: Mapping[str, int], left: Mapping[str, str]) -> dict[tuple[str, str], Mark]:
    """What the two shelves of earlier releases tell."""
    for at in forgotten.values():
        if not _is_second(at // 1_000_000):
            raise _damaged(LOOSE_FORGOTTEN.name)
    marks = {key: Mark(verb) for key, verb in left.items()} | {key: forgotten_at(at) for key, at in forgotten.items()}
    return {(key.partition(":")[0], key.partition(":")[2]): mark for key, mark in marks.items()}


def joined_marks(earlier: Mapping[K, Mark], later: Mapping[K, Mark]) -> dict[K, Mark]:
    """A later mark takes the place of an earlier one, but what was ever forgotten stays so, however it left since."""
    kept = {of for of, mark in earlier.items() if mark.verb == FORGET and of in later and later[of].verb != FORGET}
    return {**earlier, **{of: mark for of, mark in later.items() if of not in kept}}


def keys_of(ids: Iterable[str]) -> list[str]:
    """In which buckets some ids may stand."""
    return list(dict.fromkeys(key for id in ids for key in _keys(id)))


def marks_in(buckets: Mapping[str, Bucket]) -> dict[tuple[str, str], Mark]:
    """Everything that some buckets hold."""
    return dict(_marks_in(buckets))


def is_as_written(shelf: str, key: str, value: str | bytes) -> bool:
    """Does what stands on a shelf under a key say what it said when it was written, where that is a mark of something?
    Of one that stands loose it is told whether it can be read.
    """
    try:
        if shelf == BUCKETS.name:
            return _is_sound(key, decode(value, Bucket))
        if shelf == LOOSE_FORGOTTEN.name:
            return _is_second(decode(value, int) // 1_000_000)
        return shelf != LOOSE_LEFT.name or bool(decode(value, str))
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError):
        return False


def missing_buckets(keys: Iterable[str]) -> list[str]:
    """Where a bucket should stand and none does: of the four parts of one that was split each is there, or was split
    again. Where no bucket is left, or the only one is gone, nothing tells of it.
    """
    held = [key for key in keys if len(key) <= _DEEPEST and not key.strip(_DIGITS)]
    there = {key[:deep] for key in held for deep in range(len(key) + 1)}
    split = {key[:deep] for key in held for deep in range(len(key))}
    return sorted(part for key in split for digit in _DIGITS if (part := key + digit) not in there)


def empty_bucket(key: str) -> Bucket:
    """What stands where marks were lost, so that there are four parts again."""
    return _bucket(key, {})


def most_lost(shelf: str) -> int:
    """How many marks something may have held on a shelf that cannot be read any more: as many as fit."""
    return _MOST if shelf == BUCKETS.name else int(shelf in (LOOSE_FORGOTTEN.name, LOOSE_LEFT.name))


def with_marks(buckets: Mapping[str, Bucket], marks: Marks) -> dict[str, Bucket | None]:
    """What changes where marks come into the buckets that they belong to. Where a bucket was lost its marks go to the
    one above; once that is split, a part of it may be there.
    """
    added: dict[str, dict[tuple[str, str], Mark]] = {}
    for (noun, id), mark in marks.items():
        home = next((key for key in reversed(_keys(id)) if key in buckets), "")
        added.setdefault(home, {})[noun, id] = mark
    changed: dict[str, Bucket | None] = {}
    there: dict[tuple[str, str], Mark] = {}
    for key, new in added.items():
        held = {key: buckets[key]} if key in buckets else {}
        for part, bucket in _spread(key, joined_marks(dict(_marks_in(held)), new)).items():
            if bucket is not None and part != key and part in buckets:
                there |= _marks_in({part: bucket})
            else:
                changed[part] = bucket
    now = {key: bucket for key, bucket in {**buckets, **changed}.items() if bucket is not None}
    return changed | (with_marks(now, there) if there else {})


def _marks_in(buckets: Mapping[str, Bucket]) -> Iterator[tuple[tuple[str, str], Mark]]:
    for key, bucket in buckets.items():
        if not _is_sound(key, bucket):
            raise _damaged(BUCKETS.name)
        for told, ids in bucket.held.items():
            noun, _, verb = told.partition(" ")
            for id, second in ids.items():
                yield (noun, id), Mark(verb, second)


def _spread(key: str, marks: Marks) -> dict[str, Bucket | None]:
    if len(marks) <= _MOST or len(key) == _DEEPEST:
        return {key: _bucket(key, marks)}
    parts: dict[str, dict[tuple[str, str], Mark]] = {key + digit: {} for digit in _DIGITS}
    for (noun, id), mark in marks.items():
        parts[_hash(id)[: len(key) + 1]][noun, id] = mark
    spread: dict[str, Bucket | None] = {key: None}
    for part, its in parts.items():
        spread |= _spread(part, its)
    return spread


def _bucket(key: str, marks: Marks) -> Bucket:
    held: dict[str, dict[str, int]] = {}
    for (noun, id), mark in sorted(marks.items()):
        held.setdefault(f"{noun} {mark.verb}", {})[id] = mark.second
    return Bucket(held, _checksum(key, held))


def _checksum(key: str, held: Mapping[str, Mapping[str, int]]) -> int:
    return crc32(_encode((key, sorted((told, sorted(ids.items())) for told, ids in held.items()))))


def _is_sound(key: str, bucket: Bucket) -> bool:
    """Is it what was written there, and can it be read? Its checksum alone tells nothing of who writes one himself."""
    for told, ids in bucket.held.items():
        noun, _, verb = told.partition(" ")
        if noun not in _NOUNS or not verb:
            return False
        if not all(_hash(id).startswith(key) and _is_second(second) for id, second in ids.items()):
            return False
    return bucket.checksum == _checksum(key, bucket.held)


def _is_second(second: int) -> bool:
    """Is it one of those that a calendar has? 0 stands for none."""
    return 0 <= second <= _LAST


def _damaged(shelf: str) -> StoreDamaged:
    return StoreDamaged(
        f"marks of what is gone for good ({shelf!r}) are not as they were written; run `recollect doctor`, which tells"
        " what is damaged and how to go on"
    )


def _keys(id: str) -> list[str]:
    hashed = _hash(id)
    return [hashed[:deep] for deep in range(_DEEPEST + 1)]


def _hash(id: str) -> str:
    number = int.from_bytes(hashlib.blake2b(id.encode(errors="surrogatepass"), digest_size=_DEEPEST // 4).digest())
    return "".join(_DIGITS[number >> 2 * place & 3] for place in range(_DEEPEST))
