"""How does what is known change?"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from datetime import datetime

import msgspec
from msgspec import Struct

from recollect.engine.core import Core, find
from recollect.engine.parse import check_period
from recollect.engine.write.grounds import judge
from recollect.engine.write.remember import content_hash, put_of
from recollect.engine.write.screen import ALL_PRIVATE, Screen, told_masked, told_refused
from recollect.engine.write.taken_back import other_grounds, take_back
from recollect.errors import InvalidInput, NotFound
from recollect.store.base import THINNED, Changes, Edit, Thing, View
from recollect.types import Change, Draft, Receipt, Record, least_trust

_MOST_CHANGES = 10_000
_BOOKKEEPING = {"version", "recorded_at", "access_count", "last_access"}


class Past(Struct, frozen=True, kw_only=True):
    """One step of a record's history: the change, and the state it led to (None: gone).

    Where steps before it are gone since history was thinned, the first one says up to when.
    """

    change: Change
    record: Record | None
    thinned: datetime | None = None


def revise(core: Core, id: str, space: str | None, fields: Mapping[str, object], reason: str | None) -> Receipt:
    """Writes a new version with some fields changed. A revision that changes nothing is not written."""
    with core.store.write(actor=core.actor) as edit:
        old = find(edit, Record, id, space)
        given, masked = _screened(edit, old, fields)
        by_person = core.by_hand
        wanted = _replace(old, given, by_person=by_person)
        ruling = judge(edit, vouched(edit, old, wanted, given, by_person=by_person), old)
        if ruling.refusal is not None:
            raise InvalidInput(ruling.refusal.field, ruling.refusal.problem)
        new = ruling.record
        if state_of(new) == state_of(old):
            return Receipt(outcome="deduplicated", id=old.id, space=old.space, reason="nothing would change")
        entry = edit.apply([put_of(edit, new, "revise", old, reason=reason)])[0].entry
        if new.text != old.text:
            take_back(edit, old, now=new.text)
    core.written()
    return Receipt(
        outcome="stored", id=old.id, space=old.space, entry=entry, status=new.status, entries=(entry,),
        contested=ruling.contradicts, masked=masked, reason=told_masked(masked) if masked else None,
    )  # fmt: skip


def _screened(edit: Edit, old: Record, fields: Mapping[str, object]) -> tuple[dict[str, object], tuple[str, ...]]:
    """The changes of a record as they may be kept, and the kinds of secrets that are masked in them."""
    screen = Screen(edit, old.space)
    new, masked = screen.take(msgspec.structs.replace(old, **fields))
    if masked and screen.policy == "reject":
        raise InvalidInput("text", told_refused(masked))
    if not new.text.strip():
        raise InvalidInput("text", ALL_PRIVATE)
    return {name: getattr(new, name) for name in fields}, masked


def _replace(old: Record, fields: Mapping[str, object], *, by_person: bool) -> Record:
    """The record with its changes. In words of an agent it can be trusted no further than an agent's words."""
    changes = dict(fields)
    if isinstance(text := changes.get("text"), str):
        changes["content_hash"] = content_hash(text)
        if text != old.text and "trust" not in changes and old.grounds is None and not by_person:
            changes["trust"] = least_trust(old.trust, "agent_inferred")
    new = msgspec.structs.replace(old, **changes)
    check_period(new.valid_from, new.valid_until)
    return new


def vouched(view: View, old: Record, new: Record, given: Container[str], *, by_person: bool) -> Record:
    """A candidate that a person changes, or anybody corrects that was only overheard, is a record like any other.

    It has the trust of whoever changed it, and in other words it no longer rests on the messages that it was drawn
    from: they say what it said.
    """
    grounds = old.grounds if new.text == old.text else other_grounds(view, old)
    changes: dict[str, object] = {} if grounds == old.grounds else {"grounds": grounds}
    if old.status == "candidate" and (by_person or (changes and grounds is None)):
        changes |= {"status": "active", "confidence": Draft(text=new.text).confidence}
        changes |= {"trust": "user_declared"} if by_person else {}
    return msgspec.structs.replace(new, **{name: value for name, value in changes.items() if name not in given})


def invalidate(
    core: Core,
    id: str,
    space: str | None,
    *,
    reason: str | None,
    superseded_by: str | None,
    at: datetime | None,
) -> Receipt:
    """Ends a record's validity; it stays readable by id, in history and by `as_of`."""
    with core.store.write(actor=core.actor) as edit:
        old = find(edit, Record, id, space)
        if superseded_by == id:
            raise InvalidInput("superseded_by", "a record cannot supersede itself")
        successor = None if superseded_by is None else find(edit, Record, superseded_by, old.space)
        end = at or ends_at(old, successor, edit.now)
        if old.valid_from is not None and end <= old.valid_from:
            raise InvalidInput("at", f"must be later than valid_from ({old.valid_from.isoformat()})")
        status = old.status if superseded_by is None else "superseded"
        new = msgspec.structs.replace(
            old, valid_until=end, superseded_by=superseded_by or old.superseded_by, status=status
        )
        entry = edit.apply([put_of(edit, new, "invalidate", old, reason=reason)])[0].entry
        take_back(edit, old, now=None if successor is None else successor.text)
    return Receipt(
        outcome="stored", id=old.id, space=old.space, reason=reason, entry=entry, status=status, entries=(entry,)
    )


def ends_at(old: Record, successor: Record | None, now: datetime) -> datetime:
    """When a record that is to hold no longer ceased to: now, or where something took its place, when that began.

    What has ended did so then, and nothing ends before it began.
    """
    end = now
    if successor is not None:
        begun = successor.valid_from or successor.event_time
        told = begun != successor.recorded_at  # else it is only when it was stored
        if told and (old.valid_from or old.event_time) < begun < now:
            end = begun
    return end if old.valid_until is None else min(old.valid_until, end)


def any_version(view: View, id: str, space: str | None) -> Record:
    """The record, or its last version where it was taken out of the present: that can be forgotten too."""
    try:
        return find(view, Record, id, space)
    except NotFound:
        homes = {home.name for home in view.spaces(holding=(Record, id))}
        for change in view.journal(Changes(object_id=id), newest_first=True):
            if change.object_type == "record" and change.space in homes and space in (None, change.space):
                kept = change.before if change.after is None else change.after
                record = None if kept is None else view.get(Record, change.space, id, version=kept)
                if record is not None:
                    return record
        raise


def history(core: Core, id: str, space: str | None) -> list[Past]:
    """Every change of a record, oldest first, with the state that each led to."""
    with core.store.read() as view:
        changes = [
            change
            for change in view.journal(Changes(object_id=id), limit=_MOST_CHANGES)
            if change.object_type == "record" and space in (None, change.space)
        ]
        if not changes:
            where = "" if space is None else f" in space {space!r}"
            raise NotFound(f"there is no record with id {id!r}{where}")
        first = changes[0]
        thinned = view.kept(THINNED, space=first.space).get("") if first.before is not None or not first.after else None
        return [
            Past(
                change=change,
                record=None if change.after is None else view.get(Record, change.space, id, version=change.after),
                thinned=thinned.until if thinned is not None and change is first else None,
            )
            for change in changes
        ]


def numbered(core: Core, records: Sequence[Record]) -> list[Record]:
    """Records with versions as people count them: of each record, from 1."""
    with core.store.read() as view:
        return [msgspec.structs.replace(record, version=_number(view, record)) for record in records]


def _number(view: View, record: Record) -> int:
    changes = view.journal(Changes(space=record.space, object_id=record.id), limit=_MOST_CHANGES)
    made = [one.after for one in changes if one.object_type == "record" and one.after is not None]
    return max(sum(version <= record.version for version in made), 1)


def state_of(thing: Thing) -> dict[str, object]:
    return {name: getattr(thing, name) for name in thing.__struct_fields__ if name not in _BOOKKEEPING}
