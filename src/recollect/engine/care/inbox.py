"""What waits for a person's word, and what follows from it?

Candidates, contested records, likely duplicates, stale records, secrets, and records whose evidence has moved on. Each
is a matter with a few answers; every one is a change of the journal or, where a person says that all is well as it is,
a note on a shelf that holds for as long as none of the records changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Literal, get_args

import msgspec
from msgspec import Struct

from recollect.engine.care.conflicts import let_both_stand, may_stand_beside
from recollect.engine.care.dream import review
from recollect.engine.care.secrets import KeptSecret, Looked, look_for_secrets, mask_kept
from recollect.engine.care.upkeep import InQuestion, in_question
from recollect.engine.core import Core, existing, find, joined, named_spaces
from recollect.engine.parse import parse_choice, parse_count, parse_label, parse_limit
from recollect.engine.write.govern import contest_one, contradictions, promote, stale_before, supersede_one
from recollect.engine.write.remember import put_of
from recollect.engine.write.revise import invalidate
from recollect.errors import Conflict, NotFound
from recollect.store.base import Shelf, View
from recollect.types import DEFAULT_SPACE, Filter, Record, Status

Pile = Literal["candidates", "contested", "duplicates", "stale", "secrets", "evidence"]
Word = Literal["keep", "drop", "newer", "older", "both", "doubt", "mask", "leave", "again"]
PILES: tuple[Pile, ...] = get_args(Pile)
WORDS: tuple[Word, ...] = get_args(Word)
ANSWERS: Mapping[Pile, tuple[Word, ...]] = {
    "candidates": ("keep", "drop", "leave"),
    "contested": ("keep", "drop", "leave"),
    "duplicates": ("newer", "older", "both", "doubt"),
    "stale": ("keep", "drop", "leave"),
    "secrets": ("mask", "leave"),
    "evidence": ("keep", "doubt", "drop"),
}
"""What may be answered to each; `again`, which is always possible, brings back what was left."""
REASON = "said so in the inbox"
_STATUSES: Mapping[Pile, Status] = {"candidates": "candidate", "contested": "contested", "stale": "stale"}
_APART = "they were one, and were changed in two places"
_ALIKE = "they look alike, and do not say quite the same"
_MOST = 200  # of one pile
_AGED = 30  # days after which what nobody confirmed is stale
_COMPARED = 10_000  # records, the newest, among which those that say the same are looked for
_LOOKED_THROUGH = 10_000  # versions in which secrets are looked for at once


class Matter(Struct, frozen=True, kw_only=True):
    """Something that waits for a word. Of two alike the older comes first; `kinds` are those of secrets."""

    pile: Pile
    key: str
    records: tuple[Record, ...]
    note: str
    score: float | None = None
    kinds: tuple[str, ...] = ()


class Waiting(Struct, frozen=True, kw_only=True):
    """A pile: its first matters, and how many there are among what was looked at.

    `unseen` says how many records were not looked at (for secrets: versions); `next` is the version after which secrets
    are looked for next.
    """

    pile: Pile
    count: int
    answers: tuple[Word, ...]
    matters: tuple[Matter, ...] = ()
    unseen: int = 0
    next: int | None = None


class Settled(Struct, frozen=True, kw_only=True):
    """What an answer did: entries of the journal, which can be undone, or a note that nothing need be done."""

    key: str
    entries: tuple[int, ...] = ()
    left: bool = False
    undoable: bool = True


class Dismissal(Struct, frozen=True):
    """That a matter was left as it is, and in which versions."""

    versions: tuple[int, ...]


_DISMISSALS = Shelf("inbox", Dismissal)


class _Look:
    """What is looked at once for all piles of a space, when the first of them asks for it."""

    def __init__(self, core: Core, space: str, after: int) -> None:
        self.core, self.space, self._after = core, space, after

    @cached_property
    def question(self) -> InQuestion:
        return in_question(self.core, self.space, most=_COMPARED, days=_AGED)

    @cached_property
    def secrets(self) -> Looked:
        return look_for_secrets(self.core, self.space, after=self._after, most=_LOOKED_THROUGH)

    def unseen(self, pile: Pile) -> int:
        status = _STATUSES.get(pile)
        if status is not None:
            with self.core.store.read() as view:
                return max(view.count(Filter(spaces=(self.space,), statuses=(status,))) - _MOST, 0)
        return self.question.unseen if pile == "duplicates" else self.secrets.unseen if pile == "secrets" else 0


def inbox(
    core: Core, space: str | None = DEFAULT_SPACE, *, piles: Sequence[str] = PILES, limit: int = 50, after: int = 0
) -> tuple[Waiting, ...]:
    """What waits in a space (None: in all), pile by pile, in a time that has a bound: each pile says what it has not
    looked at.

    Secrets are looked for in versions `after` one, some thousands at a time; `next` says where to go on in a space.
    """
    if space is None:
        if after:
            raise Conflict("after goes with a space; name the one in which to go on looking for secrets")
        every = [inbox(core, name, piles=piles, limit=limit) for name in named_spaces(core, None)]
        return _together([pile for piles_ in every for pile in piles_], limit)
    name, most = existing(core, space), parse_limit(limit, most=_MOST)
    wanted: list[Pile] = [parse_choice(pile, "piles", PILES) for pile in piles]
    look = _Look(core, name, parse_count(after, "after", least=0, most=2**63 - 1))
    with core.store.read() as view:
        left = view.kept(_DISMISSALS, space=name)
    answer: list[Waiting] = []
    now = core.clock()
    for pile in wanted:
        found = [one for one in _matters(look, pile) if _became(pile, one.records, left.get(one.key), now) is None]
        answer.append(
            Waiting(
                pile=pile,
                count=len(found),
                answers=ANSWERS[pile],
                matters=tuple(found[:most]),
                unseen=look.unseen(pile),
                next=look.secrets.last if pile == "secrets" else None,
            )
        )
    return tuple(answer)


def _together(found: Sequence[Waiting], limit: int) -> tuple[Waiting, ...]:
    """The piles of several spaces as one each. Where to go on looking for secrets each space alone can tell."""
    piles: dict[Pile, Waiting] = {}
    for one in found:
        known = piles.get(one.pile, Waiting(pile=one.pile, count=0, answers=one.answers))
        piles[one.pile] = msgspec.structs.replace(
            known, count=known.count + one.count, matters=(*known.matters, *one.matters)[:limit],
            unseen=known.unseen + one.unseen,
        )  # fmt: skip
    return tuple(piles.values())


def _became(pile: Pile, records: Sequence[Record], left: Dismissal | None, now: datetime) -> str | None:
    """What became of a matter that waits no longer; None where it does."""
    if left is not None and left.versions == tuple(record.version for record in records):
        return "it was left as it is"
    if pile == "secrets":  # which may stand in what holds no longer, too
        return None
    for record in records:
        if record.superseded_by is not None:
            return f"{record.id} was superseded by {record.superseded_by}"
        if record.valid_until is not None and record.valid_until <= now:
            return f"{record.id} was ended"
    statuses = {record.status for record in records}
    if pile in ("duplicates", "evidence"):
        return "it was marked as in doubt" if statuses == {"contested"} else None
    if _STATUSES[pile] in statuses or (pile == "stale" and _is_aged(records[-1], now)):
        return None
    return f"it is {records[-1].status} by now"


def _is_aged(record: Record, now: datetime) -> bool:
    confirmed = record.created_at if record.grounds is None else record.grounds.verified_at or record.created_at
    return record.status in ("active", "candidate") and confirmed < stale_before(now, _AGED)


def _matters(look: _Look, pile: Pile) -> Iterable[Matter]:
    core, space = look.core, look.space
    if pile == "candidates":
        return _by_status(core, space, pile, "candidate", "an agent proposes to keep it")
    if pile == "contested":
        return _contested(core, space)
    if pile == "secrets":
        return _secrets(core, space, look.secrets)
    if pile == "duplicates":
        return _duplicates(core, space, look.question)
    if pile == "stale":
        marked = [*_by_status(core, space, pile, "stale", "what it rests on is gone, or nobody confirmed it for long")]
        known = {one.key for one in marked}
        aged = _named(core, space, pile, look.question.stale, "nobody confirmed it for a month")
        return [*marked, *(one for one in aged if one.key not in known)]
    return _named(core, space, pile, look.question.unsettled, "what it rests on says something else by now, or is gone")


def _by_status(core: Core, space: str, pile: Pile, status: Status, note: str) -> list[Matter]:
    with core.store.read() as view:
        where = Filter(spaces=(space,), statuses=(status,))
        return [_matter(pile, note, one) for one in view.select(Record, where, "newest", _MOST)]


def _contested(core: Core, space: str) -> Iterator[Matter]:
    """A record and what contradicts it are one matter, whichever of them is found first."""
    seen: set[str] = set()
    for one in _by_status(core, space, "contested", "contested", "it is in doubt"):
        record = one.records[0]
        if record.id in seen:
            continue
        rivals = contradictions(core, record.id, space) if record.grounds and record.grounds.claim else []
        seen.update(rival.id for rival in rivals)
        note = "they contradict each other" if rivals else one.note
        yield _matter("contested", note, *sorted((record, *rivals), key=_age))


def _duplicates(core: Core, space: str, looked: InQuestion) -> Iterator[Matter]:
    seen: set[frozenset[str]] = set()
    alike = [
        (one.older.id, one.newer.id, one.cosine, _APART if one.conflict else _ALIKE) for one in review(core, space)
    ]
    alike += [(*one.ids, one.score, "they say nearly the same") for one in looked.twins]
    alike += [(group[0], other, 1.0, "they claim the same") for group in looked.duplicates for other in group[1:]]
    with core.store.read() as view:
        for one, other, score, note in alike:
            pair = _records(view, space, (one, other))
            if len(pair) == 2 and frozenset((one, other)) not in seen and not may_stand_beside(*pair):
                seen.add(frozenset((one, other)))
                yield msgspec.structs.replace(_matter("duplicates", note, *sorted(pair, key=_age)), score=score)


def _named(core: Core, space: str, pile: Pile, ids: Sequence[str], note: str) -> list[Matter]:
    with core.store.read() as view:
        return [_matter(pile, note, record) for record in _records(view, space, ids)]


def _secrets(core: Core, space: str, looked: Looked) -> Iterator[Matter]:
    with core.store.read() as view:
        for one in looked.found:
            for record in _records(view, space, (one.id,)):
                where = "it holds" if one.current else "an earlier version holds"
                note = f"{where} what looks like a secret: {', '.join(one.kinds)}"
                yield msgspec.structs.replace(_matter("secrets", note, record), kinds=one.kinds)


def _records(view: View, space: str, ids: Sequence[str]) -> list[Record]:
    return [record for id in ids if (record := view.get(Record, space, id)) is not None]


def _matter(pile: Pile, note: str, *records: Record) -> Matter:
    return Matter(pile=pile, key=f"{pile}:{','.join(record.id for record in records)}", records=records, note=note)


def _age(record: Record) -> tuple[object, ...]:
    return (record.event_time, record.created_at, record.version)


# What follows from a word


def settle(
    core: Core,
    key: str,
    word: str,
    *,
    space: str | None = DEFAULT_SPACE,
    keep: str | None = None,
    by_hand: bool = False,
) -> Settled:
    """Does what a person answered to a matter; `keep` names the record that stays, where there are several. The space
    need be named only where several have records of those ids.

    What was answered already, or is no longer in question, is left as it is, and the Conflict says what became of it.

    Only whoever says so `by_hand`, or on the page, vouches for what rests on nothing else.
    """
    pile, ids = _parse_key(key)
    name = _space_of(core, ids[0]) if space is None else existing(core, space)
    said = parse_choice(word, "answer", WORDS)
    if said not in (*ANSWERS[pile], "again"):
        raise Conflict(f"{said} is no answer here; there are: {', '.join(ANSWERS[pile])}")
    if said == "mask":
        _require_waiting(core, name, key)
        mask_kept(core, [KeptSecret(space=name, type="record", id=id, kinds=()) for id in ids])
        return Settled(key=key, undoable=False)
    with joined(core):  # so that of two who answer at once one is told of the other
        records = _records_of(core, name, ids) if said == "again" else _require_waiting(core, name, key)
        if said == "both" and (apart := let_both_stand(records)) is not None:
            return _let_stand(core, key, records, apart)
        if said in ("leave", "both", "again"):
            return _note(core, name, key, records, left=said != "again")
        entries = _change(core, name, pile, records, said, keep, by_hand)
        if pile == "evidence" and said == "keep":
            _note(core, name, key, _records_of(core, name, ids), left=True)
        return Settled(key=key, entries=tuple(entries))


def _space_of(core: Core, id: str) -> str:
    with core.store.read() as view:
        return find(view, Record, id, None).space


def _records_of(core: Core, space: str, ids: Sequence[str]) -> list[Record]:
    with core.store.read() as view:
        return [find(view, Record, id, space) for id in ids]


def _require_waiting(core: Core, space: str, key: str) -> list[Record]:
    pile, ids = _parse_key(key)
    records = _records_of(core, space, ids)
    with core.store.read() as view:
        left = view.kept(_DISMISSALS, space=space, keys=[key]).get(key)
    became = _became(pile, records, left, core.clock())
    if became is not None:
        raise Conflict(f"this was answered already: {became}; nothing was changed")
    return records


def _parse_key(key: str) -> tuple[Pile, list[str]]:
    pile, colon, ids = parse_label(key, "key", longest=4_000).partition(":")
    if not colon or not ids or pile not in PILES:
        raise NotFound(f"there is no matter with key {key!r}")
    return parse_choice(pile, "key", PILES), ids.split(",")


def _change(
    core: Core, space: str, pile: Pile, records: Sequence[Record], said: Word, keep: str | None, by_hand: bool
) -> list[int]:
    if said in ("newer", "older") or (pile == "contested" and said == "keep" and len(records) > 1):
        stays = records[-1].id if said == "newer" else records[0].id if said == "older" else keep
        return _supersede(core, space, records, stays)
    if said == "doubt":
        with core.store.write(actor=core.actor) as edit:
            live = [find(edit, Record, record.id, space) for record in records]
            entries = [entry for record in live for entry in contest_one(edit, record, REASON)]
        core.written()
        return entries
    record = next((one for one in records if one.id == keep), records[-1])
    if said == "drop":
        receipt = invalidate(core, record.id, space, reason=REASON, superseded_by=None, at=None)
    else:
        receipt = promote(core, record.id, space, REASON, by_hand=by_hand)
    return list(receipt.entries)


def _supersede(core: Core, space: str, records: Sequence[Record], stays: str | None) -> list[int]:
    if stays not in {record.id for record in records}:
        raise Conflict(f"keep must name the record that stays: {', '.join(record.id for record in records)}")
    entries: list[int] = []
    with core.store.write(actor=core.actor) as edit:
        for record in records:
            if record.id != stays:
                old, new = find(edit, Record, record.id, space), find(edit, Record, stays, space)
                entries += supersede_one(edit, old, new, REASON)
    core.written()
    return entries


def _let_stand(core: Core, key: str, records: Sequence[Record], apart: Record) -> Settled:
    """Has both stand of what was changed on both sides: that is said in the record, and so to every machine."""
    before = next(one for one in records if one.id == apart.id)
    with core.store.write(actor=core.actor) as edit:
        entry = edit.apply([put_of(edit, apart, "revise", before, reason=REASON)])[0].entry
    core.written()
    return Settled(key=key, entries=(entry,))


def _note(core: Core, space: str, key: str, records: Sequence[Record], *, left: bool) -> Settled:
    versions = tuple(record.version for record in records)
    with core.store.write(actor=core.actor) as edit:
        edit.keep(_DISMISSALS, {key: Dismissal(versions) if left else None}, space=space)
    return Settled(key=key, left=left)
