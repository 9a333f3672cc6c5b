"""May a record be kept with the grounds that it has, and as what?

Who hands in grounds is governed by them: evidence is looked up down to the segment, its locator and its hash; a claim
that is already made is refused, one that contradicts another is contested; and `active` has to be earned.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal, cast

import msgspec
from msgspec import Struct

from recollect.store.base import View
from recollect.store.refs import claim_ref, named_in
from recollect.types import (
    DOING_KINDS,
    HIDDEN_STATUSES,
    NOT_KNOWLEDGE,
    SEGMENT_KINDS,
    VOUCHED,
    Claim,
    Evidence,
    Filter,
    Grounds,
    Metadata,
    Record,
    SourceKind,
    least_trust,
)

_SEGMENT = re.compile(r"seg-([1-9]\d{0,8})")
_EVER = datetime.min.replace(tzinfo=UTC)
_MOST_CLAIMS = 1_000  # of one subject and predicate that are compared

EvidenceStanding = Literal["current", "changed", "missing", "archived"]


class EvidenceState(Struct, frozen=True, kw_only=True):
    """Is what a record rests on still there? `changed`: the source says something else by now.

    `segment` is where the text stands now; it may have moved within its source.
    """

    evidence: Evidence
    state: EvidenceStanding
    segment: str | None = None


class Refusal(Struct, frozen=True):
    """Which field of a record is at fault, and how."""

    field: str
    problem: str

    def __str__(self) -> str:
        return f"{self.field}: {self.problem}"


class Ruling(Struct, frozen=True, kw_only=True):
    """What becomes of a record: why it is refused, or how it is kept and which records it contradicts.

    `renews` is the stale record that it is kept as a new state of: what it claims is what that one claimed.
    """

    record: Record
    refusal: Refusal | None = None
    contradicts: tuple[str, ...] = ()
    renews: Record | None = None


def is_knowledge(record: Record) -> bool:
    """Does a record state what is so, and not just what was there or is to be done?"""
    return record.kind not in NOT_KNOWLEDGE


def judge(view: View, record: Record, before: Record | None = None) -> Ruling:
    """How a record with grounds is kept. `before` is what it was: only what has changed is looked at again."""
    if record.grounds is None:
        return Ruling(record=record)
    if is_knowledge(record):
        record = _earned(record, before)
        if refusal := _presumed(record, before) or lack_of_evidence(record):
            return Ruling(record=record, refusal=refusal)
    evidence = _check_evidence(view, record, before)
    if isinstance(evidence, Refusal):
        return Ruling(record=record, refusal=evidence)
    grounds = msgspec.structs.replace(record.grounds or Grounds(), evidence=evidence)
    return _judge_claim(view, msgspec.structs.replace(record, grounds=grounds), before)


def _earned(record: Record, before: Record | None) -> Record:
    """What an agent concluded is a candidate when it comes under these rules, until someone promotes it."""
    if record.status != "active" or record.trust != "agent_inferred":
        return record
    if before is not None and before.grounds is not None and before.trust == record.trust:
        return record
    return msgspec.structs.replace(record, status="candidate")


def _presumed(record: Record, before: Record | None) -> Refusal | None:
    """Would a revision make active what only someone's word may?"""
    if before is None or before.status == record.status:
        return None
    if record.status == "active" and record.trust == "agent_inferred":
        return Refusal("status", "what an agent concluded becomes active by promote, not by revise")
    return None


def lack_of_evidence(record: Record) -> Refusal | None:
    """Why an active record may not be active; None where it may."""
    if record.status != "active" or record.trust in VOUCHED or (record.grounds and record.grounds.evidence):
        return None
    return Refusal("grounds.evidence", f"an active record needs evidence unless its trust is {' or '.join(VOUCHED)}")


# Evidence


def _check_evidence(view: View, record: Record, before: Record | None) -> tuple[Evidence, ...] | Refusal:
    """The evidence with the hash of what it points at, or what is wrong with it. What was there before stays."""
    known = () if before is None or before.grounds is None else before.grounds.evidence
    checked: list[Evidence] = []
    for i, item in enumerate(record.grounds.evidence if record.grounds else ()):
        if item.source == record.id:
            return Refusal(f"grounds.evidence[{i}]", "a record cannot rest on itself")
        found = item if item in known else _check_one(view, record.space, item)
        if isinstance(found, str):
            return Refusal(f"grounds.evidence[{i}]", found)
        if found not in checked:
            checked.append(found)
    return tuple(checked)


def _check_one(view: View, space: str, item: Evidence) -> Evidence | str:
    source = view.get(Record, space, item.source)
    if source is None:
        return f"there is no source {item.source}"
    cited, where = source, item.source
    if item.segment is not None:
        where = f"{item.source}#{item.segment}"
        found = _segment(view, source, item.segment)
        if found is None:
            return f"there is no segment {where}"
        cited = found
    if item.locator is not None and not _located(item.locator, cited.locator or {}):
        return f"the locator does not match that of {where}"
    hash = hash_of(cited)
    if item.hash is not None and item.hash.lower() != hash:
        return f"the hash does not match that of {where}"
    return msgspec.structs.replace(item, hash=hash)


def _segment(view: View, source: Record, segment: str) -> Record | None:
    named = _SEGMENT.fullmatch(segment)
    if named is None or source.kind != "source" or source.source is None:
        return None
    return _piece(view, source.space, source.source, position=int(named[1]) - 1)


def _piece(view: View, space: str, location: str, **which: object) -> Record | None:
    """The piece of a source that stands in a place, or that has a text of some hash."""
    held = Filter(spaces=(space,), sources=(location,), kinds=SEGMENT_KINDS, valid_only=False)
    found = view.select(Record, msgspec.structs.replace(held, **which), "position", 1)
    return next(iter(found), None)


def cites(view: View, space: str, refs: Sequence[str], limit: int | None = None) -> list[Record]:
    """The live records that have any of some refs in their grounds, the newest version first."""
    return view.select(Record, Filter(spaces=(space,), refs=tuple(refs), valid_only=False), "updated", limit)


def references_of(record: Record) -> list[tuple[str, str]]:
    """The other objects that an activity or a work item names, each with the field that it stands in."""
    return list(named_in(record.metadata)) if record.kind in DOING_KINDS else []


def _located(said: Metadata, locator: Metadata) -> bool:
    """Does a locator agree with a segment's own in all that it says? A `line` may be any within the segment."""
    for name, value in said.items():
        if name == "line" and "line" not in locator:
            first, last = locator.get("line_start"), locator.get("line_end")
            if not (isinstance(first, int) and isinstance(last, int) and isinstance(value, int)):
                return False
            if not first <= value <= last:
                return False
        elif name not in locator or locator[name] != value:
            return False
    return True


def hash_of(cited: Record) -> str:
    """The hash of a segment's text; of a whole source, that of what it was made from."""
    fingerprint = cited.metadata.get("fingerprint") if cited.kind == "source" else None
    return fingerprint if isinstance(fingerprint, str) else cited.content_hash


class Sources:
    """Looks at evidence, and at each piece of it once."""

    def __init__(self, view: View, space: str) -> None:
        self._view = view
        self._space = space
        self._found: dict[str, Record | None] = {}
        self._pieces: dict[tuple[str, str | None, str | None], tuple[EvidenceState, Record | None]] = {}

    def state(self, item: Evidence) -> EvidenceState:
        """Is it still there, and does it say what it said?"""
        return self.cited(item)[0]

    def cited(self, item: Evidence) -> tuple[EvidenceState, Record | None]:
        """What has become of it, and the text that was cited, wherever in its source that stands by now."""
        key = (item.source, item.segment, item.hash)
        if key not in self._pieces:
            self._pieces[key] = self._look(item)
        found, text = self._pieces[key]
        return (found if found.evidence == item else msgspec.structs.replace(found, evidence=item)), text

    def _look(self, item: Evidence) -> tuple[EvidenceState, Record | None]:
        if item.source not in self._found:
            self._found[item.source] = self._view.get(Record, self._space, item.source)
        source = self._found[item.source]
        if source is None:
            return EvidenceState(evidence=item, state="missing"), None
        state, segment, text = self._look_into(source, item)
        put_away = source.status == "archived"
        return EvidenceState(evidence=item, state="archived" if put_away else state, segment=segment), text

    def _look_into(self, source: Record, item: Evidence) -> tuple[EvidenceStanding, str | None, Record | None]:
        """A text that merely moved within its source still says what it said."""
        if item.segment is None:
            return "current" if item.hash in (None, hash_of(source)) else "changed", None, None
        stands = _segment(self._view, source, item.segment)
        if stands is not None and item.hash in (None, stands.content_hash):
            return "current", item.segment, stands
        if item.hash is not None and source.source is not None:
            moved = _piece(self._view, self._space, source.source, hashes=(item.hash,))
            if moved is not None:
                return "current", segment_id(moved), moved
        return "missing" if stands is None else "changed", None, None


def source_id(location: str) -> str:
    """The same place always has the same id."""
    return f"src:{hashlib.sha256(location.encode()).hexdigest()[:32]}"


def segment_id(segment: Record) -> str:
    """What a piece of a source is called: `seg-1` is the first."""
    return f"seg-{segment.position + 1}"


# Claims


def _judge_claim(view: View, record: Record, before: Record | None) -> Ruling:
    claim = record.grounds.claim if record.grounds else None
    if claim is None or record.status in HIDDEN_STATUSES or (before is not None and not _says_anew(record, before)):
        return Ruling(record=record)
    same, other = rivals(view, record, claim)
    renews = same[-1] if before is None and same and all(rival.status == "stale" for rival in same) else None
    if same and (renews is None or not _brings_anew(record, renews)):
        ids = ", ".join(rival.id for rival in same)
        told = f"is a duplicate of what {ids} claims already"
        told += "" if renews is None else f", which is stale: new evidence, or trust {' or '.join(VOUCHED)}, renews it"
        return Ruling(record=record, refusal=Refusal("grounds.claim", told))
    kept = record if renews is None else _renewed(record, renews, view.now)
    if not other:
        return Ruling(record=kept, renews=renews)
    contested = msgspec.structs.replace(kept, status="contested")
    return Ruling(record=contested, contradicts=tuple(rival.id for rival in other), renews=renews)


def _brings_anew(record: Record, stale: Record) -> bool:
    """Does someone vouch for what is stale, or rest it on what it did not rest on?"""
    known = {(item.source, item.hash) for item in (stale.grounds or Grounds()).evidence}
    return record.trust in VOUCHED or any(
        (item.source, item.hash) not in known for item in (record.grounds or Grounds()).evidence
    )


def _renewed(record: Record, stale: Record, now: datetime) -> Record:
    """A stale record as it is now said: in the new words, on old grounds and new, by whoever vouches, verified now."""
    united = msgspec.structs.replace(record, **unite(record, [stale]))
    return msgspec.structs.replace(
        united,
        id=stale.id, created_at=stale.created_at, position=stale.position, access_count=stale.access_count,
        status="active" if record.trust in VOUCHED else record.status,
        trust=record.trust if record.trust in VOUCHED else united.trust,
        grounds=msgspec.structs.replace(united.grounds or Grounds(), verified_at=now),
    )  # fmt: skip


def _says_anew(record: Record, before: Record) -> bool:
    """Did a revision change what is claimed or where, or bring back what had been put away?"""
    if before.grounds is None or record.grounds is None or before.status in HIDDEN_STATUSES:
        return True
    grounds, held = record.grounds, before.grounds
    return (record.kind, grounds.claim, grounds.scopes) != (before.kind, held.claim, held.scopes)


def rivals(view: View, record: Record, claim: Claim) -> tuple[list[Record], list[Record]]:
    """Those that claim the same where and when a record does, and those that claim something else, oldest first."""
    same: list[Record] = []
    other: list[Record] = []
    for held in reversed(cites(view, record.space, [claim_ref(record.kind, claim)], _MOST_CLAIMS)):
        if held.id == record.id or held.status in HIDDEN_STATUSES or not _at_once(held, record):
            continue
        if held.grounds is None or held.grounds.claim is None or not overlap(held.grounds, record.grounds):
            continue
        (same if said(held.grounds.claim) == said(claim) else other).append(held)
    return same, other


def _at_once(one: Record, other: Record) -> bool:
    """Was there, or will there be, a moment at which both are said to hold?"""
    ends = ((one.valid_until, other), (other.valid_until, one))
    return all(end is None or _start(late) < end for end, late in ends)


def _start(record: Record) -> datetime:
    """Since when a record holds; one that does not say since it was stored, if it had not ended by then."""
    if record.valid_from is not None:
        return record.valid_from
    ended = record.valid_until is not None and record.valid_until <= record.created_at
    return _EVER if ended else record.created_at


def stands(record: Record, now: datetime) -> bool:
    """Does a record hold, or has it been put away?"""
    return record.status not in HIDDEN_STATUSES and record.is_valid_at(now)


def overlap(one: Grounds | None, other: Grounds | None) -> bool:
    """Do two records hold in a scope that they share? One that names none holds everywhere."""
    scopes = () if one is None else one.scopes
    others = () if other is None else other.scopes
    return not scopes or not others or not set(scopes).isdisjoint(others)


def said(claim: Claim) -> tuple[str, str, bytes, str | None]:
    """A claim in a form in which two can be compared: the order of a mapping's keys says nothing."""
    return claim.subject, claim.predicate, msgspec.json.encode(claim.value, order="sorted"), claim.object


def gather_same(records: Sequence[Record]) -> list[list[Record]]:
    """Records that claim the same in scopes that overlap, from one to the next; who stands alone is left out."""
    by_claim: dict[object, list[Record]] = {}
    for record in records:
        if record.grounds is not None and record.grounds.claim is not None:
            by_claim.setdefault((record.kind, said(record.grounds.claim)), []).append(record)
    groups = [group for alike in by_claim.values() for group in _linked(alike)]
    return [group for group in groups if len(group) > 1]


def _linked(records: Sequence[Record]) -> list[list[Record]]:
    groups: list[list[Record]] = []
    for record in records:
        near = [group for group in groups if any(overlap(record.grounds, held.grounds) for held in group)]
        joined = [held for group in near for held in group]
        groups = [group for group in groups if group not in near]
        groups.append([*joined, record])
    return groups


def unite(winner: Record, others: Sequence[Record]) -> Mapping[str, object]:
    """What a record takes over from others that claim the same: their evidence, scopes, subjects and confidence."""
    held = [record.grounds for record in (winner, *others) if record.grounds is not None]
    evidence: dict[tuple[str, str | None], Evidence] = {}
    for item in (item for grounds in held for item in grounds.evidence):
        evidence.setdefault((item.source, item.segment), item)
    everywhere = any(not grounds.scopes for grounds in held)
    scopes = () if everywhere else tuple(dict.fromkeys(scope for grounds in held for scope in grounds.scopes))
    subjects = tuple(dict.fromkeys(subject for grounds in held for subject in grounds.subjects))
    verified = max((grounds.verified_at for grounds in held if grounds.verified_at is not None), default=None)
    own = winner.grounds or Grounds()
    return {
        "confidence": max(record.confidence for record in (winner, *others)),
        "trust": least_trust(*(record.trust for record in (winner, *others))),
        "grounds": msgspec.structs.replace(
            own, evidence=tuple(evidence.values()), scopes=scopes, subjects=subjects, verified_at=verified
        ),
    }


def segment_kind(source_kind: str) -> str:
    return "message" if source_kind == "conversation" else "document"


def source_kind_of(source: Record) -> SourceKind:
    return cast("SourceKind", source.metadata.get("source_kind", "file"))
