"""How does what is believed come to stand, fall and give way?

Every change here is one entry of the journal for each record that changes, all in one transaction, and each can be
undone by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec import Struct

from recollect.engine.core import Core, find
from recollect.engine.parse import (
    MAX_LABEL,
    parse_count,
    parse_days,
    parse_labels,
    parse_limit,
    parse_optional_time,
    parse_share,
    parse_space,
)  # fmt: skip
from recollect.engine.write.grounds import (
    EvidenceState,
    Sources,
    cites,
    gather_same,
    is_knowledge,
    lack_of_evidence,
    rivals,
    stands,
    unite,
)  # fmt: skip
from recollect.engine.write.remember import put_of
from recollect.engine.write.revise import ends_at
from recollect.engine.write.taken_back import take_back
from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.fields import Moment
from recollect.store.base import Edit, View
from recollect.types import (
    DEFAULT_SPACE,
    HIDDEN_STATUSES,
    NOT_KNOWLEDGE,
    VOUCHED,
    Filter,
    Grounds,
    Receipt,
    Record,
    Status,
)

_PROMOTABLE: tuple[Status, ...] = ("active", "candidate", "contested", "stale")
_RANK: dict[Status, int] = {"active": 3, "candidate": 2, "stale": 1}
_STALE = "not verified for {} days"


class Archived(Struct, frozen=True, kw_only=True):
    """What became of an archived source: the records that rested on it alone are stale, others on it in part."""

    receipt: Receipt
    stale_ids: tuple[str, ...] = ()
    partial_ids: tuple[str, ...] = ()


class Merged(Struct, frozen=True, kw_only=True):
    """Records that claimed the same became one: those `merged` are superseded by `kept`. No entries: a dry run."""

    kept: str
    merged: tuple[str, ...]
    entries: tuple[int, ...] = ()


class Round(Struct, frozen=True, kw_only=True):
    """Records whose status a round of upkeep changed, with an entry of the journal for each. No entries: a dry run."""

    ids: tuple[str, ...] = ()
    entries: tuple[int, ...] = ()


class Bar(Struct, frozen=True, kw_only=True):
    """What a candidate must reach to be promoted without anybody's word."""

    confidence: float = 0.75
    evidence: int = 1


def parse_bar(min_confidence: float, min_evidence: int) -> Bar:
    return Bar(
        confidence=parse_share(min_confidence, "min_confidence"),
        evidence=parse_count(min_evidence, "min_evidence", least=0, most=1_000),
    )


def _put(edit: Edit, new: Record, old: Record, verb: str, reason: str | None) -> int:
    return edit.apply([put_of(edit, new, verb, old, reason=reason)])[0].entry


def _receipt(record: Record, entries: Sequence[int], status: Status, reason: str | None) -> Receipt:
    return Receipt(
        outcome="stored", id=record.id, space=record.space, reason=reason, entry=entries[0], status=status,
        entries=tuple(entries),
    )  # fmt: skip


def _unchanged(record: Record) -> Receipt:
    return Receipt(
        outcome="deduplicated", id=record.id, space=record.space, reason="nothing would change", status=record.status
    )


# One by one


def promote(core: Core, id: str, space: str | None, reason: str, *, by_hand: bool = False) -> Receipt:
    """Makes a record active: someone looked at it and vouches for it. What is active already is verified anew.

    What a person keeps `by_hand` needs no evidence beside that; what is done on the page is.
    """
    with core.store.write(actor=core.actor) as edit:
        old = find(edit, Record, id, space)
        if old.status not in _PROMOTABLE:
            raise Conflict(f"{id} is {old.status}; only what is {', '.join(_PROMOTABLE)} can be promoted")
        problem = _unfounded(edit, old)
        looked_at = problem is not None and (by_hand or core.by_hand)  # whoever reads and keeps it vouches for it
        if problem is not None and not looked_at:
            raise InvalidInput("grounds.evidence", problem)
        vouched = msgspec.structs.replace(old, trust="human_curated") if looked_at else old
        entry = _put(edit, _verified(vouched, edit.now), old, "promote", reason)
    core.written()
    return _receipt(old, [entry], "active", reason)


def _verified(record: Record, now: datetime) -> Record:
    grounds = msgspec.structs.replace(record.grounds or Grounds(), verified_at=now)
    return msgspec.structs.replace(record, status="active", grounds=grounds)


def _unfounded(view: View, record: Record) -> str | None:
    """Why nobody should take a record for true: it rests on nothing, or on nothing that is left."""
    refusal = lack_of_evidence(msgspec.structs.replace(record, status="active"))
    if refusal is not None:
        return f"{record.id}: {refusal.problem}"
    evidence = () if record.grounds is None else record.grounds.evidence
    if record.trust in VOUCHED or not evidence:
        return None
    sources = Sources(view, record.space)
    if all(sources.state(item).state in ("missing", "archived") for item in evidence):
        return f"{record.id}: nothing of what it rests on is left; give it other evidence first"
    return None


def supersede(core: Core, old_id: str, new_id: str, space: str | None, reason: str) -> Receipt:
    """Puts one record in the place of another. The new one becomes active where it may be."""
    if old_id == new_id:
        raise InvalidInput("new", "a record cannot supersede itself")
    with core.store.write(actor=core.actor) as edit:
        old = find(edit, Record, old_id, space)
        entries = supersede_one(edit, old, find(edit, Record, new_id, old.space), reason)
    if not entries:
        return _unchanged(old)
    core.written()
    return _receipt(old, entries, "superseded", reason)


def supersede_one(edit: Edit, old: Record, new: Record, reason: str) -> list[int]:
    """The same in a transaction that is under way. Answers the entries; none where it is so already."""
    if old.status == "superseded" and old.superseded_by == new.id:
        return []
    for record in (old, new):
        if record.status in HIDDEN_STATUSES:
            raise Conflict(f"{record.id} is {record.status} already")
    if old.valid_from is not None and old.valid_from >= edit.now:
        raise Conflict(f"{old.id} does not hold yet (from {old.valid_from.isoformat()}), so nothing can follow it")
    entries = [_put(edit, _ended(old, new.id, ends_at(old, new, edit.now)), old, "supersede", reason)]
    take_back(edit, old, now=new.text)
    if new.grounds is not None and new.status in _PROMOTABLE and _unfounded(edit, new) is None:
        entries.append(_put(edit, _verified(new, edit.now), new, "promote", f"supersedes {old.id}: {reason}"))
    return entries


def _ended(record: Record, by: str, end: datetime) -> Record:
    return msgspec.structs.replace(record, status="superseded", superseded_by=by, valid_until=end)


def contest(core: Core, id: str, space: str | None, reason: str) -> Receipt:
    """Says that a record is in doubt."""
    with core.store.write(actor=core.actor) as edit:
        old = find(edit, Record, id, space)
        entries = contest_one(edit, old, reason)
    if not entries:
        return _unchanged(old)
    core.written()
    return _receipt(old, entries, "contested", reason)


def contest_one(edit: Edit, old: Record, reason: str) -> list[int]:
    """The same in a transaction that is under way. Answers the entry; none where it is contested already."""
    if old.status == "contested":
        return []
    if old.status not in _PROMOTABLE:
        raise Conflict(f"{old.id} is {old.status}; only what is {', '.join(_PROMOTABLE)} can be contested")
    return [_put(edit, msgspec.structs.replace(old, status="contested"), old, "contest", reason)]


def archive_source(core: Core, id: str, space: str | None, reason: str) -> Archived:
    """Retires a source. What rested on it alone is stale; what rests on others too is named and left as it is."""
    with core.store.write(actor=core.actor) as edit:
        source = find(edit, Record, id, space)
        if source.kind != "source":
            raise NotFound(f"there is no source with id {id!r}: it is of kind {source.kind!r}")
        if source.status == "archived":
            return Archived(receipt=_unchanged(source))
        entry = _put(edit, msgspec.structs.replace(source, status="archived"), source, "archive", reason)
        left = leave_behind(edit, source, reason)
    core.written()
    receipt = _receipt(source, [entry, *left.entries], "archived", reason)
    return Archived(receipt=receipt, stale_ids=tuple(sorted(left.stale)), partial_ids=tuple(sorted(left.partial)))


class Fallout(Struct, frozen=True):
    """What rested on a source that is archived: on it alone, and on others too; and the entries this made."""

    stale: tuple[str, ...]
    partial: tuple[str, ...]
    entries: tuple[int, ...]


def leave_behind(edit: Edit, source: Record, reason: str) -> Fallout:
    """Marks as stale what rests on a source alone, in the transaction that archives it."""
    why = f"source {source.id} was archived: {reason}"
    stale: list[str] = []
    partial: list[str] = []
    entries: list[int] = []
    for record in cites(edit, source.space, [f"evidence:{source.id}"]):
        if not is_knowledge(record) or record.status in HIDDEN_STATUSES or record.grounds is None:
            continue
        if any(item.source != source.id for item in record.grounds.evidence):
            partial.append(record.id)
            continue
        stale.append(record.id)
        if record.status != "stale":
            entries.append(_put(edit, msgspec.structs.replace(record, status="stale"), record, "decay", why))
    return Fallout(tuple(stale), tuple(partial), tuple(entries))


# Looking


def evidence_state(core: Core, record: Record) -> list[EvidenceState]:
    """What has become of the evidence that a record rests on."""
    return [state for state, _ in cited_texts(core, record)]


def cited_texts(core: Core, record: Record) -> list[tuple[EvidenceState, Record | None]]:
    """The evidence that a record rests on, and the text that each piece of it cites, if that is still there."""
    if record.grounds is None:
        return []
    with core.store.read() as view:
        sources = Sources(view, record.space)
        return [sources.cited(item) for item in record.grounds.evidence]


def contradictions(core: Core, id: str, space: str | None) -> list[Record]:
    """The live records that claim something else of the same subject and predicate where a record does."""
    with core.store.read() as view:
        record = find(view, Record, id, space)
        claim = None if record.grounds is None else record.grounds.claim
        return [] if claim is None else rivals(view, record, claim)[1]


def citing(core: Core, refs: Sequence[str], *, space: str = DEFAULT_SPACE, limit: int = 100) -> list[Record]:
    """The records whose grounds name any of some refs (`evidence:ID`, `subject:ID`, `scope:NAME`), newest first."""
    named = parse_labels(refs, "refs", most=1_000, longest=MAX_LABEL)
    with core.store.read() as view:
        return cites(view, parse_space(space), named, parse_limit(limit))


def claim_duplicates(core: Core, space: str = DEFAULT_SPACE) -> list[list[Record]]:
    """Live records that claim the same in scopes that overlap, group by group, oldest first."""
    with core.store.read() as view:
        return _duplicates(view, parse_space(space), core.clock())


def _duplicates(view: View, space: str, now: datetime) -> list[list[Record]]:
    claims = view.count(Filter(spaces=(space,), valid_only=False), by="claim")
    shared = cites(view, space, [claim.key for claim in claims if claim.count > 1])
    held = sorted((r for r in shared if stands(r, now)), key=lambda record: (record.created_at, record.id))
    groups = gather_same(held)
    return sorted(groups, key=lambda group: (group[0].created_at, group[0].id))


def promotable(
    core: Core, space: str = DEFAULT_SPACE, *, min_confidence: float = 0.75, min_evidence: int = 1
) -> list[Record]:
    """The candidates that may be promoted: sure enough, and resting on enough that still says what it said."""
    bar = parse_bar(min_confidence, min_evidence)
    with core.store.read() as view:
        return _promotable(view, parse_space(space), bar)


def _promotable(view: View, space: str, bar: Bar) -> list[Record]:
    filter = Filter(spaces=(space,), statuses=("candidate",), governed=True, without_kinds=NOT_KNOWLEDGE)
    sources = Sources(view, space)
    return [
        record
        for record in view.select(Record, filter, "oldest")
        if record.confidence >= bar.confidence
        and record.grounds is not None
        and len(record.grounds.evidence) >= bar.evidence
        and sum(sources.state(item).state == "current" for item in record.grounds.evidence) >= bar.evidence
        and lack_of_evidence(msgspec.structs.replace(record, status="active")) is None
    ]


# Round by round


def promote_candidates(
    core: Core,
    space: str = DEFAULT_SPACE,
    *,
    min_confidence: float = 0.75,
    min_evidence: int = 1,
    dry_run: bool = False,
) -> Round:
    """Promotes every candidate that is promotable, in one transaction."""
    bar, space = parse_bar(min_confidence, min_evidence), parse_space(space)
    if dry_run:
        with core.store.read() as view:
            return Round(ids=tuple(record.id for record in _promotable(view, space, bar)))
    reason = f"confidence at least {bar.confidence:g}, evidence at least {bar.evidence}"
    with core.store.write(actor=core.actor) as edit:
        found = _promotable(edit, space, bar)
        entries = [_put(edit, _verified(record, edit.now), record, "promote", reason) for record in found]
    core.written()
    return Round(ids=tuple(record.id for record in found), entries=tuple(entries))


def decay_stale(
    core: Core, space: str = DEFAULT_SPACE, *, days: float = 30, at: Moment = None, dry_run: bool = False
) -> Round:
    """Marks as stale what was verified, or else made, more than some days before a moment (None: now)."""
    space, days = parse_space(space), parse_days(days, "days")
    limit = stale_before(parse_optional_time(at, "at") or core.clock(), days)
    if dry_run:
        with core.store.read() as view:
            return Round(ids=tuple(record.id for record in _outdated(view, space, limit)))
    with core.store.write(actor=core.actor) as edit:
        found = _outdated(edit, space, limit)
        entries = [
            _put(edit, msgspec.structs.replace(old, status="stale"), old, "decay", _STALE.format(f"{days:g}"))
            for old in found
        ]
    core.written()
    return Round(ids=tuple(record.id for record in found), entries=tuple(entries))


def stale_before(now: datetime, days: float) -> datetime:
    """What was verified, or else made, before this moment is stale."""
    try:
        return now - timedelta(days=days)
    except OverflowError:  # the days before the first year: nothing is that old
        return datetime.min.replace(tzinfo=UTC)


def _outdated(view: View, space: str, limit: datetime) -> list[Record]:
    filter = Filter(spaces=(space,), statuses=("active", "candidate"), governed=True, without_kinds=NOT_KNOWLEDGE)
    return [
        record
        for record in view.select(Record, filter, "oldest")
        if record.grounds is not None and (record.grounds.verified_at or record.created_at) < limit
    ]


def merge_duplicates(core: Core, space: str = DEFAULT_SPACE, *, dry_run: bool = False) -> list[Merged]:
    """Makes one of the records that claim the same: the best founded stays and takes over what the others rest on."""
    space = parse_space(space)
    if dry_run:
        with core.store.read() as view:
            chosen = [_choose(group) for group in _duplicates(view, space, core.clock())]
        return [Merged(kept=kept.id, merged=tuple(one.id for one in others)) for kept, others in chosen]
    with core.store.write(actor=core.actor) as edit:
        done = [_merge(edit, *_choose(group)) for group in _duplicates(edit, space, edit.now)]
    core.written()
    return done


def _choose(group: Sequence[Record]) -> tuple[Record, list[Record]]:
    """The record that stays: the one that stands best, is surest, was verified last, and is oldest."""

    def standing(record: Record) -> tuple[int, float, float, float]:
        verified = None if record.grounds is None else record.grounds.verified_at
        return (
            _RANK.get(record.status, 0),
            record.confidence,
            0.0 if verified is None else verified.timestamp(),
            -record.created_at.timestamp(),
        )

    kept = max(group, key=standing)
    return kept, [record for record in group if record.id != kept.id]


def _merge(edit: Edit, kept: Record, others: Sequence[Record]) -> Merged:
    united = msgspec.structs.replace(kept, **unite(kept, others))
    entries: list[int] = []
    if united != kept:
        reason = f"took over from {', '.join(record.id for record in others)}"
        entries.append(_put(edit, united, kept, "revise", reason))
    for record in others:
        reason = f"claims the same as {kept.id}"
        entries.append(_put(edit, _ended(record, kept.id, ends_at(record, None, edit.now)), record, "merge", reason))
    return Merged(kept=kept.id, merged=tuple(record.id for record in others), entries=tuple(entries))
