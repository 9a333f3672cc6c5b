"""What becomes of one new statement, beside what is known already?

It is stored, takes the place of a record where the caller says so, and is answered with what says nearly this or
something else of the same thing. Nobody waits for a model: that is found by words and, where one is loaded, by what it
sees. Where none is, a shelf says that it is to be looked at again once there are vectors (`embedding/later.py`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime
from heapq import nlargest

import msgspec
from msgspec import Struct

from recollect.engine.core import Core, find, records_of
from recollect.engine.sight import Sight
from recollect.engine.write.govern import supersede_one
from recollect.engine.write.remember import count_terms, make_room, put_of, remember_all, said_beside
from recollect.errors import InvalidInput, StoreError
from recollect.retrieve.change import Said, differs, read_said, worth_telling
from recollect.retrieve.restate import LONGEST, Statement, may_resemble, rarity
from recollect.store.base import Edit, Shelf, View
from recollect.store.search import Pick
from recollect.store.terms import hash_term
from recollect.types import NOT_KNOWLEDGE, Already, Draft, Filter, Receipt, Record

MOST_TOLD = 3
_MOST_TERMS = 64
_MOST_READ = 24
_MOST_HELD = 200  # of the records that hold a word, the newest: it says no less where more hold it
_MOST_NEAR = 6
UNTOLD = Shelf("untold", datetime)
"""The records of a space, and when they were stored, that no model has been asked about."""


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
    eyes = core.eyes if compare and _is_statement(draft.kind, draft.text) else None
    later = eyes is not None and eyes.wanted and not eyes.awake
    with core.store.write(actor=core.actor) as edit:
        old = None if replaces is None else _replaced(edit, replaces, space)
        make_room(edit, space, [draft])
        [receipt] = remember_all(core, edit, [draft], space, [counted], alike=alike, anywhere=anywhere)
        if compare and old is None and receipt.outcome == "deduplicated":
            receipt = _renew(edit, receipt, draft)
        elif old is not None and receipt.id is not None:
            receipt = _put_in_place(edit, receipt, old, draft.reason)
        elif later and receipt.stored and receipt.id is not None:
            edit.keep(UNTOLD, {receipt.id: edit.now}, space=space)
    if receipt.entries:
        core.written()
    if not compare or receipt.id is None or receipt.already:
        return receipt
    try:
        with core.store.read() as view:
            record = view.get(Record, space, receipt.id)
            if record is None:
                return receipt
            sight = None if eyes is None or later else eyes.see(record)
            already = find_already(view, record, sight)
        if eyes is not None and eyes.awake and sight is None and not later and receipt.stored:
            with core.store.write(actor=core.actor) as edit:  # it was too busy to look: that is made up for
                edit.keep(UNTOLD, {record.id: edit.now}, space=space)
        return msgspec.structs.replace(receipt, already=already)
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


def find_already(view: View, record: Record, sight: Sight | None = None) -> tuple[Already, ...]:
    """The records that say nearly what one says, or something else of the same thing; the most alike first."""
    if not _is_statement(record.kind, record.text):
        return ()
    if sight is not None and sight.model not in view.models():
        sight = None  # another process has taken up another model
    new = read_said(record.text)
    held = _held(view, record.space, new.statement)
    weights = {word: rarity(max(len(versions) - 1, 1)) for word, versions in held.items()}  # it is in the index itself
    near = [] if sight is None else _near(view, record, sight)
    candidates = _candidates(view, record, held, weights, near)
    nearness = {} if sight is None else _nearness(view, record.space, [one.version for one, _ in candidates], sight)
    nearest = max(nearness, key=lambda version: nearness[version], default=0)
    found: list[tuple[float, int, Said]] = []
    for other, shared in candidates:
        if not new.changing.changing and not may_resemble(new.statement, other.text, weights, shared):
            continue
        old = read_said(other.text)
        near_by = nearness.get(other.version)
        score = worth_telling(new, old, weights, near_by, nearest=other.version == nearest)
        if score:
            found.append((score, other.version, old))
    best = sorted(found, key=lambda one: one[:2], reverse=True)[:MOST_TOLD]
    told = records_of(view, [version for _, version, _ in best]) if best else []
    return tuple(
        Already(id=one.id, text=one.text, date=one.event_time, differs=differs(new, old))
        for one, (_, _, old) in zip(told, best, strict=True)
    )


def _is_statement(kind: str, text: str) -> bool:
    """Is something compared with others? What is no knowledge, or a document, is not."""
    return kind not in NOT_KNOWLEDGE and len(text) <= LONGEST


def _near(view: View, record: Record, sight: Sight) -> list[int]:
    """The versions that lie nearest to a record."""
    where = Filter(spaces=(record.space,), without_kinds=NOT_KNOWLEDGE)
    found = view.near([record.space], sight.model.no, sight.vector, where, _MOST_NEAR).get(record.space)
    return [] if found is None else list(dict.fromkeys(found.versions.tolist()))


def _nearness(view: View, space: str, versions: Sequence[int], sight: Sight) -> dict[int, float]:
    import numpy as np  # a model that sees has brought it in

    if not versions:
        return {}
    pick = Pick(np.array(sorted(versions), np.int64))
    told = view.signals({space: pick}, None, model=sight.model.no, vector=sight.vector)[space]
    pairs = zip(told.versions.tolist(), told.cosine.tolist(), strict=True)
    return {version: near for version, cosine in pairs if (near := sight.nearness(cosine)) is not None}


class _Told(Struct, frozen=True):
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
    view: View, record: Record, held: dict[str, list[int]], weights: dict[str, float], near: Sequence[int]
) -> list[tuple[_Told, tuple[float, int]]]:
    """Statements that share the most telling words with one, or lie near it, and are of no other project or person.

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
    versions = dict.fromkeys([*(version for _, version in best), *near])
    where = Filter(spaces=(record.space,), without_kinds=NOT_KNOWLEDGE, versions=tuple(versions))
    return [
        (other, (weighed[other.version] + sum(common), counted[other.version] + len(common)))
        for other in (view.select(_Told, where) if versions else ())
        if other.id != record.id and len(other.text) <= LONGEST and _together(other, record)
    ]


def _together(one: _Told, other: Record) -> bool:
    pairs = ((one.project, other.project), (one.user, other.user))
    return all(mine is None or theirs is None or mine == theirs for mine, theirs in pairs)
