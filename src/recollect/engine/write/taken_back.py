"""Which messages say what somebody has taken back?

What was overheard rests on the message that it was drawn from. Where somebody corrects it, ends it or has it forgotten,
the message says it still: it stays, and answers who asks, below the correction; unasked it is given to nobody. A shelf
says of which messages that is so, and by which record; where the record says again what it said, it is so no longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from recollect.engine.write.grounds import Sources, is_knowledge, stands
from recollect.store.base import Edit, Shelf, View
from recollect.types import CAPTURED, Evidence, Filter, Grounds, Record

_FORGOTTEN = 0


class TakenBack(Struct, frozen=True):
    """Which records were drawn from a message, and which version of each was taken back (0: it was forgotten)."""

    by: Mapping[str, int]


_TAKEN_BACK = Shelf("taken back", TakenBack)


def drawn_from(view: View, record: Record) -> list[Record]:
    """The messages, captured while they were said, that a record rests on; and those that say just the same."""
    found = [message for _, message in _overheard(view, record)]
    if not found:
        return []
    same = Filter(spaces=(record.space,), kinds=("message",), hashes=(record.content_hash,), valid_only=False)
    repeated = [one for one in view.select(Record, same) if CAPTURED in one.metadata]
    return list({one.id: one for one in (*found, *repeated)}.values())


def other_grounds(view: View, record: Record) -> Grounds | None:
    """What a record rests on beside such messages; None where that is nothing. What claims something keeps its own."""
    away = [item for item, _ in _overheard(view, record)]
    if record.grounds is None or not away:
        return record.grounds
    left = tuple(item for item in record.grounds.evidence if item not in away)
    rest = replace(record.grounds, evidence=left, verified_at=None)
    return None if rest == Grounds() else rest if left else record.grounds


def _overheard(view: View, record: Record) -> list[tuple[Evidence, Record]]:
    if record.grounds is None or not is_knowledge(record):
        return []
    sources = Sources(view, record.space)
    cited = [(item, sources.cited(item)[1]) for item in record.grounds.evidence if item.segment is not None]
    return [(item, one) for item, one in cited if one is not None and CAPTURED in one.metadata]


def take_back(edit: Edit, record: Record, messages: Sequence[Record], *, forgotten: bool = False) -> None:
    """Keeps that what a record said, and these messages say, was taken back."""
    if not messages:
        return
    keys = [one.id for one in messages]
    held = edit.kept(_TAKEN_BACK, space=record.space, keys=keys)
    by = {record.id: _FORGOTTEN if forgotten else record.version}
    kept = {key: TakenBack({**(held[key].by if key in held else {}), **by}) for key in keys}
    edit.keep(_TAKEN_BACK, kept, space=record.space)


def taken_back(view: View, records: Iterable[Record]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Those among some records that say what was taken back, by space and id; with the ids of what took it back."""
    said: dict[str, list[str]] = {}
    for one in records:
        if one.kind == "message" and CAPTURED in one.metadata:
            said.setdefault(one.space, []).append(one.id)
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for space, ids in said.items():
        for id, kept in view.kept(_TAKEN_BACK, space=space, keys=ids).items():
            by = tuple(other for other, version in kept.by.items() if not _says_again(view, space, other, version))
            if by:
                found[space, id] = by
    return found


def _says_again(view: View, space: str, id: str, version: int) -> bool:
    """Does a record say what it said, as after an undo?"""
    was = None if version == _FORGOTTEN else view.get(Record, space, id, version=version)
    now = None if was is None else view.get(Record, space, id)
    return was is not None and now is not None and now.text == was.text and stands(now, view.now)
