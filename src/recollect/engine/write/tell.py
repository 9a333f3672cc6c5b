"""What becomes of one new statement, beside what is known already?

It is stored, takes the place of a record where the caller says so, and is answered with what says nearly this or
something else of the same thing. That is found by words alone: nobody waits for a model.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from heapq import nlargest

import msgspec
from msgspec import Struct

from recollect.engine.core import Core, find, records_of
from recollect.engine.write.govern import supersede_one
from recollect.engine.write.remember import count_terms, make_room, put_of, remember_all, said_beside
from recollect.errors import InvalidInput, StoreError
from recollect.retrieve.restate import (
    LONGEST,
    Statement,
    differ,
    may_resemble,
    most_alike,
    rarity,
    read_statement,
)
from recollect.store.base import Edit, View
from recollect.store.terms import hash_term
from recollect.types import NOT_KNOWLEDGE, Already, Draft, Filter, Receipt, Record

MOST_TOLD = 3
_MOST_TERMS = 64
_MOST_READ = 24
_MOST_HELD = 200  # of the records that hold a word, the newest: it says no less where more hold it


def tell(
    core: Core,
    draft: Draft,
    space: str,
    *,
    alike: Sequence[str] = (),
    anywhere: bool = False,
    replaces: str | None = None,
    compare: bool = True,
) -> Receipt:
    """Stores a draft in one transaction, with what it replaces, and says what was known already."""
    counted = count_terms(draft.title, draft.text, said_beside(draft))
    with core.store.write(actor=core.actor) as edit:
        old = None if replaces is None else _replaced(edit, replaces, space)
        make_room(edit, space, [draft])
        [receipt] = remember_all(core, edit, [draft], space, [counted], alike=alike, anywhere=anywhere)
        if compare and old is None and receipt.outcome == "deduplicated":
            receipt = _renew(edit, receipt, draft)
        elif old is not None and receipt.id is not None:
            receipt = _put_in_place(edit, receipt, old, draft.reason)
    if receipt.entries:
        core.written()
    if not compare or receipt.id is None or receipt.already:
        return receipt
    try:
        with core.store.read() as view:
            record = view.get(Record, space, receipt.id)
            return receipt if record is None else msgspec.structs.replace(receipt, already=find_already(view, record))
    except StoreError:
        return receipt  # it is stored, and whoever hears of an error would think that it is not


def _replaced(edit: Edit, id: str, space: str) -> Record:
    if not edit.spaces([space]):
        raise InvalidInput("replaces", f"there is no record with id {id!r} in space {space!r}: the space is new")
    return find(edit, Record, id, space)


def _put_in_place(edit: Edit, receipt: Receipt, old: Record, reason: str | None) -> Receipt:
    """The new record stands where an old one stood, which is kept. Undoing the one brings the other back."""
    if receipt.id == old.id:
        raise InvalidInput("replaces", f"{old.id} says exactly this already")
    new = find(edit, Record, receipt.id or "", old.space)
    entries = supersede_one(edit, old, new, told_replaced(new.id, reason))
    entries = [*receipt.entries, *entries]
    return msgspec.structs.replace(receipt, entries=tuple(entries), entry=receipt.entry or next(iter(entries), None))


def told_replaced(by: str, reason: str | None = None) -> str:
    """How the journal says that one thing took the place of another."""
    return f"replaced by {by}" if reason is None else f"replaced by {by}: {reason}"


def _renew(edit: Edit, receipt: Receipt, draft: Draft) -> Receipt:
    """A text that is stored already, and was contradicted since, is said again: from now on it is the newer one."""
    held = find(edit, Record, receipt.id or "", receipt.space)
    already = find_already(edit, held)
    said = draft.event_time or edit.now
    if not any(other.differs and held.event_time < other.date <= said for other in already):
        return msgspec.structs.replace(receipt, already=already)
    again = msgspec.structs.replace(held, event_time=said)
    entry = edit.apply([put_of(edit, again, "restate", held, reason=draft.reason)])[0].entry
    reason = "the same text was stored before something else was said of it; from now on it counts as said again"
    return msgspec.structs.replace(receipt, already=already, reason=reason, entry=entry, entries=(entry,))


def find_already(view: View, record: Record) -> tuple[Already, ...]:
    """The records that say nearly what one says, or something else of the same thing; the most alike first."""
    if record.kind in NOT_KNOWLEDGE or len(record.text) > LONGEST:
        return ()
    new = read_statement(record.text)
    held = _held(view, record.space, new)
    weights = {word: rarity(max(len(versions) - 1, 1)) for word, versions in held.items()}  # it is in the index itself
    olds = {
        other.version: read_statement(other.text)
        for other, shared in _candidates(view, record, held, weights)
        if may_resemble(new, other.text, weights, shared)
    }
    best = most_alike(new, olds, weights, MOST_TOLD)
    told = records_of(view, best) if best else []
    return tuple(
        Already(id=one.id, text=one.text, date=one.event_time, differs=differ(new, olds[version]))
        for one, version in zip(told, best, strict=True)
    )


class _Said(Struct, frozen=True):
    """As much of a record as is compared."""

    version: int
    id: str
    text: str
    project: str | None
    user: str | None


def _held(view: View, space: str, new: Statement) -> dict[str, list[int]]:
    """Which versions hold each word of a statement; of those that many hold, the newest."""
    hashes = {word: hash_term(word) for word in sorted(new.words)[:_MOST_TERMS]}
    held = view.mentions(space, list(hashes.values()), _MOST_HELD)
    return {word: held[hash] for word, hash in hashes.items()}


def _candidates(
    view: View, record: Record, held: dict[str, list[int]], weights: dict[str, float]
) -> list[tuple[_Said, tuple[float, int]]]:
    """Statements that share the most telling words with one, and are of no other project or person.

    Each with how much it shares at most: of a word that many hold, any may be one of the older holders.
    """
    weighed: defaultdict[int, float] = defaultdict(float)
    counted: Counter[int] = Counter()
    for word, versions in held.items():
        weight = weights[word]
        counted.update(versions)
        for version in versions:
            weighed[version] += weight
    best = nlargest(_MOST_READ + 1, zip(weighed.values(), weighed, strict=True))
    common = [weights[word] for word, versions in held.items() if len(versions) >= _MOST_HELD]
    where = Filter(spaces=(record.space,), without_kinds=NOT_KNOWLEDGE, versions=tuple(version for _, version in best))
    return [
        (other, (weighed[other.version] + sum(common), counted[other.version] + len(common)))
        for other in (view.select(_Said, where) if best else ())
        if other.id != record.id and len(other.text) <= LONGEST and _together(other, record)
    ]


def _together(one: _Said, other: Record) -> bool:
    pairs = ((one.project, other.project), (one.user, other.user))
    return all(mine is None or theirs is None or mine == theirs for mine, theirs in pairs)
