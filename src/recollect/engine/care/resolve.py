"""What follows from somebody's word on records that may say the same?"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from recollect.engine.care.twins import twins_among
from recollect.engine.core import Core, find
from recollect.engine.parse import parse_label, parse_labels, parse_space, parse_text
from recollect.engine.write.govern import Round, contest_one, supersede_one
from recollect.engine.write.remember import content_hash, put_of
from recollect.errors import Conflict, InvalidInput
from recollect.store.base import Edit
from recollect.types import DEFAULT_SPACE, HIDDEN_STATUSES, Grounds, Record

_MOST_IDS = 100


class Clarified(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a record is told from another that was taken for the same: by other words, or by where it holds."""

    id: str
    text: str | None = None
    scopes: tuple[str, ...] | None = None


class Resolution(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What somebody decided on records that may say the same.

    `supersede`: `canonical` stays and the others give way; `keep_both`: `updates` say how they differ; `contest`: it is
    not clear, and none of them should pass for true.
    """

    outcome: Literal["supersede", "keep_both", "contest"]
    ids: tuple[str, ...]
    reason: str
    canonical: str | None = None
    updates: tuple[Clarified, ...] = ()


def resolve_twins(core: Core, resolution: Resolution, *, space: str = DEFAULT_SPACE) -> Round:
    """Does what was decided, all of it or nothing. Only for records that may still be taken for each other."""
    ids, space = _check(resolution), parse_space(space)
    reason = f"{resolution.outcome}: {resolution.reason.strip()}"
    with core.store.write(actor=core.actor) as edit:
        records = [find(edit, Record, id, space) for id in ids]
        _require_twins(records)
        if resolution.outcome == "keep_both":
            entries = [_clarify(edit, space, update, reason) for update in resolution.updates]
        elif resolution.outcome == "contest":
            entries = [entry for record in records for entry in contest_one(edit, record, reason)]
        else:
            entries = _supersede(edit, space, ids, resolution.canonical or "", reason)
    core.written()
    return Round(ids=tuple(ids), entries=tuple(entries))


def _check(resolution: Resolution) -> list[str]:
    parse_label(resolution.reason.strip(), "reason")
    ids = list(parse_labels(resolution.ids, "ids", most=_MOST_IDS))
    if len(ids) < 2 or len(set(ids)) < len(ids):
        raise InvalidInput("ids", "must name at least two records, each once")
    if resolution.outcome == "supersede" and resolution.canonical not in ids:
        raise InvalidInput("canonical", "must be one of the ids: the record that stays")
    if resolution.outcome != "keep_both" and resolution.updates:
        raise InvalidInput("updates", f"are for keep_both alone: {resolution.outcome} would drop what they say")
    if resolution.outcome == "keep_both":
        if not resolution.updates:
            raise InvalidInput("updates", "must say how the records differ, by their text or their scopes")
        for number, update in enumerate(resolution.updates):
            _check_update(update, ids, f"updates[{number}]")
    return ids


def _check_update(update: Clarified, ids: list[str], place: str) -> None:
    if update.id not in ids:
        raise InvalidInput(f"{place}.id", "must be one of the ids")
    if update.text is None and update.scopes is None:
        raise InvalidInput(place, "must give a text or scopes")
    if update.text is not None:
        parse_text(update.text, f"{place}.text")
    if update.scopes is not None and not parse_labels(update.scopes, f"{place}.scopes"):
        raise InvalidInput(f"{place}.scopes", "must name at least one scope")


def _require_twins(records: list[Record]) -> None:
    """All of them hang together by pairs that may say the same, as they are now."""
    for record in records:
        if record.status in HIDDEN_STATUSES:
            raise Conflict(f"{record.id} is {record.status} already")
    reached = {records[0].id}
    pairs = [set(twins.ids) for twins in twins_among(records)]
    for _ in records:
        reached.update(id for pair in pairs if pair & reached for id in pair)
    if len(reached) < len(records):
        apart = ", ".join(sorted(record.id for record in records if record.id not in reached))
        raise InvalidInput("ids", f"are not a current soft duplicate candidate: {apart} and {records[0].id} differ")


def _supersede(edit: Edit, space: str, ids: list[str], canonical: str, reason: str) -> list[int]:
    entries: list[int] = []
    for id in ids:
        if id != canonical:
            old, new = find(edit, Record, id, space), find(edit, Record, canonical, space)
            entries += supersede_one(edit, old, new, reason)
    return entries


def _clarify(edit: Edit, space: str, update: Clarified, reason: str) -> int:
    old = find(edit, Record, update.id, space)
    text = old.text if update.text is None else update.text
    grounds = old.grounds or Grounds()
    scopes = grounds.scopes if update.scopes is None else tuple(dict.fromkeys(update.scopes))
    new = msgspec.structs.replace(
        old,
        text=text,
        content_hash=content_hash(text),
        grounds=msgspec.structs.replace(grounds, scopes=scopes, verified_at=edit.now),
    )
    return edit.apply([put_of(edit, new, "revise", old, reason=reason)])[0].entry
