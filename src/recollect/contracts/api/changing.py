"""How does a person change what a memory holds?"""

from __future__ import annotations

from msgspec import UNSET

from recollect.contracts.api import values as v
from recollect.contracts.api.reading import record
from recollect.contracts.tool import Call
from recollect.engine.care.forget import Forgotten
from recollect.errors import Conflict, InvalidInput
from recollect.retrieve.brief import PINNED
from recollect.types import Receipt, Trust

BY_HAND = "by hand"
_CARRIED = ("kind", "memory_type", "title", "room", "session", "project", "user", "tags", "importance")


def remember(params: v.NewRecord, call: Call) -> Receipt:
    v.check_order(params.valid_from, params.valid_until, "valid_from", "valid_until", apart=True)
    moments = {"event_time": params.event_time, "valid_from": params.valid_from, "valid_until": params.valid_until}
    return call.memory.remember(
        params.text, space=params.space, session=params.session, role=params.role, replaces=params.replaces,
        trust=_trust(call),
        **{name: moment for name, moment in moments.items() if moment is not None}, **params.given(),
    )  # fmt: skip


def revise(params: v.Revise, call: Call) -> Receipt:
    fields = params.given()
    if params.text is UNSET and not fields.keys() - {"reason"}:
        old = record(v.NamedThen(id=params.id, space=params.space), call)
        return Receipt(outcome="deduplicated", id=old.id, space=old.space, reason="nothing was given to be changed")
    return call.memory.revise(params.id, params.text, space=params.space, **fields)


def replace(params: v.Replace, call: Call) -> Receipt:
    old = record(v.NamedThen(id=params.id, space=params.space), call)
    if old.text == params.text:
        raise Conflict(f"{old.id} says exactly this already")
    carried = {name: getattr(old, name) for name in _CARRIED}
    return call.memory.remember(
        params.text,
        space=old.space,
        replaces=old.id,
        reason=params.reason,
        compare=False,
        trust=_trust(call),
        **carried,
    )


def _trust(call: Call) -> Trust:
    """Whose word a text is: what is written on the page a person says, and programs speak for themselves."""
    return "user_declared" if call.memory.core.by_hand else "agent_inferred"


def pin(params: v.Named, call: Call) -> Receipt:
    old = record(v.NamedThen(id=params.id, space=params.space), call)
    return call.memory.revise(old.id, space=old.space, tags=_unpinned(old.tags) + PINNED[:1], reason="pinned")


def unpin(params: v.Named, call: Call) -> Receipt:
    old = record(v.NamedThen(id=params.id, space=params.space), call)
    return call.memory.revise(old.id, space=old.space, tags=_unpinned(old.tags), reason="no longer pinned")


def _unpinned(tags: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(tag for tag in tags if tag.casefold() not in PINNED)


def end(params: v.End, call: Call) -> Receipt:
    return call.memory.invalidate(
        params.id, space=params.space, reason=params.reason, superseded_by=params.superseded_by
    )


def promote(params: v.Because, call: Call) -> Receipt:
    try:
        return call.memory.promote(params.id, space=params.space, reason=params.reason or BY_HAND)
    except InvalidInput as error:
        raise Conflict(error.problem) from error


def contest(params: v.Because, call: Call) -> Receipt:
    return call.memory.contest(params.id, space=params.space, reason=params.reason or BY_HAND)


def forget(params: v.Because, call: Call) -> Forgotten:
    return call.memory.forget(params.id, space=params.space, reason=params.reason)


def undo(params: v.Undo, call: Call) -> v.Undone:
    """The newest first, so that what was built upon something goes before it."""
    done = [
        call.memory.undo(entry, whole=params.whole, reason=params.reason)
        for entry in sorted(params.entries, reverse=True)
    ]
    return v.Undone(entries=tuple(entry for one in done for entry in one.entries), reason=done[-1].reason)
