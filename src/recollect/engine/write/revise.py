"""How does what is known change, and how is a change taken back?"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime

import msgspec

from recollect.engine.care.lifecycle import find_run, undo_run
from recollect.engine.core import Core, find
from recollect.engine.graph.link import names_of, relink
from recollect.engine.intake.sources import segment_kind, source_kind_of
from recollect.engine.parse import check_period
from recollect.engine.write.grounds import judge
from recollect.engine.write.remember import content_hash, derive_lexis, put_of
from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.store.base import Changes, Edit, Thing, View
from recollect.store.ops import Erase, Put, Retire
from recollect.types import CATALOGUE_KINDS, Change, Entity, Filter, Past, Receipt, Record, Relation

REVISABLE = (
    "text", "kind", "memory_type", "title", "role", "room", "project", "user", "tags", "importance", "confidence",
    "status", "trust", "event_time", "valid_from", "valid_until", "source", "locator", "metadata",
    "grounds",
)  # fmt: skip
_ALONG = 1_000  # entries before one that can belong to it
_BOOKKEEPING = {"version", "recorded_at", "access_count", "last_access"}
_TYPES: Mapping[str, type[Thing]] = {"record": Record, "entity": Entity, "relation": Relation}


def revise(core: Core, id: str, space: str | None, fields: Mapping[str, object], reason: str | None) -> Receipt:
    """Writes a new version with some fields changed. A revision that changes nothing is not written."""
    with core.store.write(actor=core.actor) as edit:
        old = find(edit, Record, id, space)
        ruling = judge(edit, _replace(old, fields), old)
        if ruling.refusal is not None:
            raise InvalidInput(ruling.refusal.field, ruling.refusal.problem)
        new = ruling.record
        if _state(new) == _state(old):
            return Receipt(outcome="deduplicated", id=old.id, space=old.space, reason="nothing would change")
        entry = edit.apply([put_of(edit, new, "revise", old, reason=reason)])[0].entry
    core.written()
    return Receipt(
        outcome="stored", id=old.id, space=old.space, entry=entry, status=new.status, entries=(entry,),
        contested=ruling.contradicts,
    )  # fmt: skip


def _replace(old: Record, fields: Mapping[str, object]) -> Record:
    changes = dict(fields)
    if isinstance(text := changes.get("text"), str):
        changes["content_hash"] = content_hash(text)
    new = msgspec.structs.replace(old, **changes)
    check_period(new.valid_from, new.valid_until)
    return new


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
        if superseded_by is not None:
            if superseded_by == id:
                raise InvalidInput("superseded_by", "a record cannot supersede itself")
            find(edit, Record, superseded_by, old.space)
        ended = old.valid_until is not None and old.valid_until <= edit.now
        end = at or (old.valid_until if ended and old.valid_until else edit.now)  # what has ended did so then
        if old.valid_from is not None and end <= old.valid_from:
            raise InvalidInput("at", f"must be later than valid_from ({old.valid_from.isoformat()})")
        status = old.status if superseded_by is None else "superseded"
        new = msgspec.structs.replace(
            old, valid_until=end, superseded_by=superseded_by or old.superseded_by, status=status
        )
        entry = edit.apply([put_of(edit, new, "invalidate", old, reason=reason)])[0].entry
    return Receipt(
        outcome="stored", id=old.id, space=old.space, reason=reason, entry=entry, status=status, entries=(entry,)
    )


def forget(core: Core, id: str, space: str | None, reason: str | None) -> Receipt:
    """Removes a record for good: text, versions, index, vectors. Only the fact of it stays in the journal.

    A source goes with all of its segments: without them nothing would be forgotten.
    """
    with core.store.write(actor=core.actor) as edit:
        record = _anywhere(edit, id, space)
        home = Filter(spaces=(record.space,), past=True)
        ops = [Erase(where=msgspec.structs.replace(home, ids=(record.id,)), reason=reason)]
        if record.kind in CATALOGUE_KINDS and record.source is not None:
            kinds = (segment_kind(source_kind_of(record)),)
            pieces = msgspec.structs.replace(home, sources=(record.source,), kinds=kinds)
            ops.append(Erase(where=pieces, reason=reason))
        entries = [entry for done in edit.apply(ops) for entry in done.entries]
    kept = None if core.store.scrub() else "gone, but its bytes stay in the log until other processes finish reading"
    return Receipt(outcome="stored", id=id, space=record.space, reason=kept, entry=entries[0], entries=tuple(entries))


def _anywhere(view: View, id: str, space: str | None) -> Record:
    """The record, or its last version where it was taken out of the present: that can be forgotten too."""
    try:
        return find(view, Record, id, space)
    except NotFound:
        homes = view.homes(Record, id)
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
            for change in view.journal(Changes(object_id=id), limit=10_000)
            if change.object_type == "record" and space in (None, change.space)
        ]
        if not changes:
            where = "" if space is None else f" in space {space!r}"
            raise NotFound(f"there is no record with id {id!r}{where}")
        return [
            Past(
                change=change,
                record=None if change.after is None else view.get(Record, change.space, id, version=change.after),
            )
            for change in changes
        ]


def undo(core: Core, entry: int, reason: str | None) -> Receipt:
    """Takes back one change of the journal: whatever it set is set back, and later changes elsewhere stay."""
    with core.store.read() as view:
        change = next(iter(view.journal(Changes(entry=entry))), None)
        if change is None:
            raise NotFound(f"the journal has no entry {entry}")
        run = find_run(view, change)
    if run is not None:
        return undo_run(core, run, reason)
    with core.store.write(actor=core.actor) as edit:
        done = _undo(edit, change, reason)
        _relink(edit, change, done)
        reopened = [] if change.verb != "relate" else _reopen(edit, change, reason)
    core.written()
    return Receipt(outcome="stored", id=change.object_id, space=change.space, entry=done, entries=(done, *reopened))


def _reopen(edit: Edit, change: Change, reason: str | None) -> list[int]:
    """Brings back the facts that a fact had replaced, and that nothing else has changed since."""
    along = edit.journal(Changes(space=change.space, after=change.entry - _ALONG), limit=_ALONG)
    closed = [one for one in along if one.at == change.at and one.reason == f"replaced by {change.object_id}"]
    done: list[int] = []
    for one in closed:
        with suppress(Conflict):
            done.append(_undo(edit, one, reason))
    return done


def _relink(edit: Edit, change: Change, done: int) -> None:
    """After the names of an entity changed, records are linked to those that it has now and no others."""
    made = next(iter(edit.journal(Changes(entry=done))), None)
    versions = (change.before, change.after, *((made.before, made.after) if made else ()))
    if change.object_type == "entity":
        held = [edit.get(Entity, change.space, change.object_id, version=v) for v in versions if v is not None]
        relink(edit, change.space, [name for entity in held if entity is not None for name in names_of(entity)])


def _undo(edit: Edit, change: Change, reason: str | None) -> int:
    type_ = _TYPES.get(change.object_type)
    if type_ is None or (change.before is None and change.after is None):
        raise Conflict(f"entry {change.entry} ({change.verb} {change.object_id}) cannot be undone")
    before, after = (
        None if version is None else edit.get(type_, change.space, change.object_id, version=version)
        for version in (change.before, change.after)
    )
    current = edit.get(type_, change.space, change.object_id)
    if before is None:
        if current is None:
            raise Conflict(f"{change.object_id} is gone already; there is nothing to undo")
        return edit.apply([Retire(thing=current, verb="undo", reason=reason, undoes=change.entry)])[0].entry
    if current is None:
        if after is not None:
            raise Conflict(f"{change.object_id} is gone since entry {change.entry}; undo its removal first")
        restored: Thing = before
    else:
        if after is None:
            raise Conflict(f"{change.object_id} is back already; there is nothing to undo")
        stated = edit.get(type_, change.space, change.object_id, version=current.version)
        restored = _revert(change, before, after, current, stated or current)
    lexis = derive_lexis(edit, restored) if isinstance(restored, Record) else None
    undone = Put(thing=restored, verb="undo", before=current, lexis=lexis, reason=reason, undoes=change.entry)
    return edit.apply([undone])[0].entry


def _revert(change: Change, before: Thing, after: Thing, current: Thing, stated: Thing) -> Thing:
    """The present state with just what a change set put back, unless something else changed the same since.

    Versions are compared by what they state: that a record has faded is no change that anybody made.
    """
    changed = {name: value for name, value in _state(before).items() if value != _state(after)[name]}
    clashes = sorted(name for name in changed if _state(stated)[name] != _state(after)[name])
    if clashes:
        raise Conflict(
            f"{change.object_id}: {', '.join(clashes)} changed again after entry {change.entry};"
            " undo the later change first"
        )
    return msgspec.structs.replace(current, **changed)


def _state(thing: Thing) -> dict[str, object]:
    return {name: getattr(thing, name) for name in thing.__struct_fields__ if name not in _BOOKKEEPING}
