"""How is a change taken back?

It stands above all that can change: an entity's names are linked anew, and a run of upkeep is taken back as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import msgspec

from recollect.engine.care.lifecycle import find_run, undo_run
from recollect.engine.core import Core
from recollect.engine.graph.link import relink
from recollect.engine.graph.named import names_of
from recollect.engine.write.remember import derive_lexis
from recollect.engine.write.revise import state_of
from recollect.engine.write.tell import told_replaced
from recollect.errors import Conflict, NotFound
from recollect.store.base import Changes, Edit, Thing, View
from recollect.store.ops import Put, Retire
from recollect.types import Change, Entity, Receipt, Record, Relation

_ALONG = 1_000  # entries before one that can belong to it
_TYPES: Mapping[str, type[Thing]] = {"record": Record, "entity": Entity, "relation": Relation}


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
        _refuse_twice(edit, change)
        done = _undo(edit, change, reason)
        _relink(edit, change, done)
        reopened = _reopen(edit, change, reason) if change.verb in ("relate", "remember") else []
    core.written()
    return Receipt(outcome="stored", id=change.object_id, space=change.space, entry=done, entries=(done, *reopened))


def _refuse_twice(edit: Edit, change: Change) -> None:
    """Says so where a change was taken back already, and that was not taken back in turn."""
    later = edit.journal(Changes(space=change.space, object_id=change.object_id, after=change.entry), limit=_ALONG)
    undone = {one.undoes: one.entry for one in later if one.undoes is not None}
    by = undone.get(change.entry)
    if by is not None and by not in undone:
        raise Conflict(f"entry {change.entry} was undone already, by entry {by}; undo {by} to have it again")


def _reopen(edit: Edit, change: Change, reason: str | None) -> list[int]:
    """Brings back what a fact or a record had replaced, and what nothing else has changed since."""
    along = edit.journal(Changes(space=change.space, after=change.entry - _ALONG), limit=2 * _ALONG)
    told = told_replaced(change.object_id)
    closed = [one for one in along if one.at == change.at and (one.reason or "").partition(":")[0] == told]
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
    if type_ is None or (change.before is None and change.after is None) or change.verb == "rewrite":
        raise Conflict(f"entry {change.entry} ({change.verb} {change.object_id}) cannot be undone{_why(edit, change)}")
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


def _why(view: View, change: Change) -> str:
    """Why nothing can be made of an entry any more."""
    if change.verb == "rewrite":
        return ": what was taken out then was forgotten for good"
    later = view.journal(Changes(object_id=change.object_id, space=change.space, after=change.entry - 1))
    for one in later:
        if one.verb == "forget":
            when = "by this entry" if one.entry == change.entry else f"in entry {one.entry}"
            return f": {change.object_id} was forgotten for good {when} ({one.at:%Y-%m-%d}), and nothing of it is left"
        if one.verb == "rewrite":
            return f": what {change.object_id} said then was forgotten for good in entry {one.entry}"
    return ""


def _revert(change: Change, before: Thing, after: Thing, current: Thing, stated: Thing) -> Thing:
    """The present state with just what a change set put back, unless something else changed the same since.

    Versions are compared by what they state: that a record has faded is no change that anybody made.
    """
    changed = {name: value for name, value in state_of(before).items() if value != state_of(after)[name]}
    clashes = sorted(name for name in changed if state_of(stated)[name] != state_of(after)[name])
    if clashes:
        raise Conflict(
            f"{change.object_id}: {', '.join(clashes)} changed again after entry {change.entry};"
            " undo the later change first"
        )
    return msgspec.structs.replace(current, **changed)
