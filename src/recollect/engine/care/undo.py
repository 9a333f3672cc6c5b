"""How is a change taken back, and how a whole act?

It stands above all that can change: an entity's names are linked anew, a file whose chunks changed is read again when
its project is indexed next, and a run of upkeep is taken back as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

import msgspec

from recollect.engine.care.lifecycle import find_run, undo_run
from recollect.engine.core import Core, as_one_act
from recollect.engine.graph.link import relink
from recollect.engine.graph.named import names_of
from recollect.engine.known import code_files
from recollect.engine.read.acts import UNDONE
from recollect.engine.write.remember import derive_lexis
from recollect.engine.write.revise import state_of
from recollect.engine.write.tell import told_replaced
from recollect.errors import Conflict, NotFound
from recollect.store.base import THINNED, Changes, Edit, Horizon, Thing, View
from recollect.store.ops import Put, Retire
from recollect.types import Change, Entity, Filter, Receipt, Record, Relation

_ALONG = 1_000  # entries before one that can belong to it
_AT_ONCE = 500  # entries of the journal, of which those of an act are taken back in one transaction
_NAMED = 3
_TYPES: Mapping[str, type[Thing]] = {"record": Record, "entity": Entity, "relation": Relation}


def undo(core: Core, entry: int, reason: str | None, *, whole: bool = False) -> Receipt:
    """Takes back one change of the journal: whatever it set is set back, and later changes elsewhere stay.

    As a `whole`, the act that it is part of is taken back.
    """
    with core.store.read() as view:
        change = _entry(view, entry)
        if whole and change.act is not None:
            change = _entry(view, change.act)
        _require_whole(view, change)
        run = find_run(view, change)
        others = len(view.journal(Changes(space=change.space, act=change.entry, after=change.entry), limit=_ALONG))
    if run is not None:
        return undo_run(core, run, reason)
    if whole and others:
        return _undo_act(core, change, reason)
    with core.store.write(actor=core.actor) as edit:
        _refuse_twice(edit, change)
        op = _plan(edit, change, reason)
        done = edit.apply([op])[0].entry
        _after(edit, change, op, done)
        reopened = _reopen(edit, change, reason) if change.verb in ("relate", "remember") else []
        _note_undone(edit, change, done if change.act is None and others == len(reopened) else None)
    core.written()
    return Receipt(outcome="stored", id=change.object_id, space=change.space, entry=done, entries=(done, *reopened))


def _entry(view: View, entry: int) -> Change:
    change = next(iter(view.journal(Changes(entry=entry))), None)
    if change is None:
        spaces = [one.name for one in view.spaces()]
        thinned = [one.until for name in spaces for one in view.kept(THINNED, space=name).values()]
        why = f": history was thinned, up to {max(thinned):%Y-%m-%d %H:%M} UTC" if thinned else ""
        raise NotFound(f"the journal has no entry {entry}{why}")
    return change


def _require_whole(view: View, change: Change) -> None:
    """What came before a change may be gone where history was thinned up to a later moment."""
    thinned = view.kept(THINNED, space=change.space).get("")
    if thinned is not None and change.at <= thinned.until:
        raise _thinned(change, thinned)


def _thinned(change: Change, thinned: Horizon) -> Conflict:
    return Conflict(
        f"entry {change.entry} ({change.verb} {change.object_id}) cannot be undone: the history of the space"
        f" {change.space!r} was thinned up to {thinned.until:%Y-%m-%d %H:%M} UTC; revise or forget it instead"
    )


# A whole act


@as_one_act
def _undo_act(core: Core, first: Change, reason: str | None) -> Receipt:
    """Takes back the entries of an act, the last first, some at a time. What was changed again since stays as it is."""
    undoing = _Undoing(reason)
    with core.store.read() as view:
        upto = view.journal(Changes(space=first.space, act=first.entry), newest_first=True, limit=1)[0].entry + 1
    while upto > first.entry:
        begin = max(upto - _AT_ONCE, first.entry)
        with core.store.write(actor=core.actor) as edit:
            part = Changes(space=first.space, act=first.entry, after=begin - 1, before=upto)
            undoing.take(edit, edit.journal(part, newest_first=True, limit=_AT_ONCE))
            if begin == first.entry:
                _note_undone(edit, first, None if undoing.kept else undoing.first)
        upto = begin
    if undoing.first is None:
        raise undoing.refused or Conflict(f"all that entry {first.entry} began was undone already")
    core.written()
    return Receipt(
        outcome="stored", id=first.object_id, space=first.space, entry=undoing.first, entries=(undoing.first,),
        reason=undoing.told(first),
    )  # fmt: skip


class _Undoing:
    """What became so far of the entries of an act that is taken back."""

    def __init__(self, reason: str | None) -> None:
        self._reason = reason
        self.first: int | None = None
        self.done = 0
        self.kept: list[str] = []
        self.refused: Conflict | None = None

    def take(self, edit: Edit, changes: Sequence[Change]) -> None:
        """Takes changes of a space back, those of different objects in one go."""
        planned: dict[tuple[str, str], tuple[Change, Put | Retire]] = {}
        seen = _Seen(edit, changes)
        for change in changes:
            if change.object_type == "space":
                continue  # a note says what was done, and nothing else
            if (change.object_type, change.object_id) in planned:
                self._apply(edit, planned)
                seen = _Seen(edit, [one for one in changes if one.entry <= change.entry])
            if seen.is_undone(change):
                continue
            try:
                plan = _plan(edit, change, self._reason, seen.records)
                planned[change.object_type, change.object_id] = change, plan
            except Conflict as error:
                self.refused = self.refused or error
                self.kept.append(change.object_id)
        self._apply(edit, planned)

    def _apply(self, edit: Edit, planned: dict[tuple[str, str], tuple[Change, Put | Retire]]) -> None:
        for (change, op), done in zip(planned.values(), edit.apply([op for _, op in planned.values()]), strict=True):
            _after(edit, change, op, done.entry)
            self.first = done.entry if self.first is None else self.first
        self.done += len(planned)
        planned.clear()

    def told(self, act: Change) -> str:
        """What was done, and what stays."""
        told = f"took back {self.done} {'change' if self.done == 1 else 'changes'} of entry {act.entry}"
        if not self.kept:
            return told
        named = list(dict.fromkeys(self.kept))
        more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
        stay = f"{len(self.kept)} stay, of {', '.join(named[:_NAMED])}{more}"
        return f"{told}; {stay}: {self.refused}"


class _Seen:
    """What some changes of one space have led to by now: asked for all of them at once."""

    def __init__(self, edit: Edit, changes: Sequence[Change]) -> None:
        ids = tuple(dict.fromkeys(change.object_id for change in changes if change.object_type != "space"))
        self.records: dict[str, Record] = {}
        self._undone: dict[int, int] = {}
        if not ids:
            return
        space, first = changes[0].space, min(change.entry for change in changes)
        later = edit.journal(Changes(space=space, object_ids=ids, after=first), limit=_ALONG * len(ids))
        self._undone = {one.undoes: one.entry for one in later if one.undoes is not None}
        held = edit.select(Record, Filter(spaces=(space,), ids=ids, valid_only=False))
        self.records = {record.id: record for record in held}

    def is_undone(self, change: Change) -> bool:
        """Was it taken back, and that not taken back in turn?"""
        by = self._undone.get(change.entry)
        return by is not None and by not in self._undone


def _note_undone(edit: Edit, change: Change, by: int | None) -> None:
    """Notes by what a whole act was taken back; and where that was an undoing, what it had undone holds again."""
    marks: dict[str, int | None] = {} if by is None else {str(change.entry): by}
    if change.verb == "undo":
        undone = edit.kept(UNDONE, space=change.space)
        marks |= {act: None for act, entry in undone.items() if entry in (change.entry, change.act)}
    if marks:
        edit.keep(UNDONE, marks, space=change.space)


# One change


def _undone_by(edit: Edit, change: Change) -> int | None:
    """The entry that took a change back, unless that was taken back in turn."""
    later = edit.journal(Changes(space=change.space, object_id=change.object_id, after=change.entry), limit=_ALONG)
    undone = {one.undoes: one.entry for one in later if one.undoes is not None}
    by = undone.get(change.entry)
    return None if by in undone else by


def _refuse_twice(edit: Edit, change: Change) -> None:
    by = _undone_by(edit, change)
    if by is not None:
        raise Conflict(f"entry {change.entry} was undone already, by entry {by}; undo {by} to have it again")


def _after(edit: Edit, change: Change, op: Put | Retire, done: int) -> None:
    """What follows from a change that was taken back."""
    if change.object_type == "entity":
        _relink(edit, change, done)
    elif isinstance(op.thing, Record) and op.thing.kind == "code":
        _read_again(edit, op.thing)


def _read_again(edit: Edit, chunk: Record) -> None:
    """A file of a project no longer has the chunks that it is known to have, so it is read when that is indexed."""
    if chunk.project is None or chunk.source is None:
        return
    shelf = code_files(chunk.project)
    known = edit.kept(shelf, space=chunk.space, keys=[chunk.source]).get(chunk.source)
    if known is not None and known.hash:
        unread = msgspec.structs.replace(known, size=-1, hash="")
        edit.keep(shelf, {chunk.source: unread}, space=chunk.space)


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
    made = _entry(edit, done)
    versions = (change.before, change.after, made.before, made.after)
    held = [edit.get(Entity, change.space, change.object_id, version=v) for v in versions if v is not None]
    relink(edit, change.space, [name for entity in held if entity is not None for name in names_of(entity)])


def _undo(edit: Edit, change: Change, reason: str | None) -> int:
    return edit.apply([_plan(edit, change, reason)])[0].entry


def _plan(edit: Edit, change: Change, reason: str | None, held: Mapping[str, Record] | None = None) -> Put | Retire:
    """What takes a change back; `held` are the records of the moment, where those were read already."""
    type_ = _TYPES.get(change.object_type)
    if type_ is None or (change.before is None and change.after is None) or change.verb == "rewrite":
        raise Conflict(f"entry {change.entry} ({change.verb} {change.object_id}) cannot be undone{_why(edit, change)}")
    if held is not None and type_ is Record:
        current: Thing | None = held.get(change.object_id)
    else:
        current = edit.get(type_, change.space, change.object_id)
    before, after = (
        None if version is None or change.before is None
        else edit.get(type_, change.space, change.object_id, version=version)
        for version in (change.before, change.after)
    )  # fmt: skip
    if before is None and change.before is not None:  # it went by a clock that was wrong then
        raise _thinned(change, edit.kept(THINNED, space=change.space)[""])
    if before is None:
        if current is None:
            raise Conflict(f"{change.object_id} is gone already; there is nothing to undo")
        return Retire(thing=current, verb="undo", reason=reason, undoes=change.entry)
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
    return Put(thing=restored, verb="undo", before=current, lexis=lexis, reason=reason, undoes=change.entry)


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
