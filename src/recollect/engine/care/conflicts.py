"""Which records were one, and were changed apart?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from recollect.store.base import Edit, Shelf, View
from recollect.types import HIDDEN_STATUSES, Record

CONFLICT_OF = "conflict_of"
"""Under which name of its metadata a record that was kept beside another names that: with it, the pair goes wherever
the record goes, and is settled there once it is settled anywhere."""
_BESIDE = "kept_beside"
"""The same, once somebody has said that both stay."""
_CONFLICTS = Shelf("conflicts", str)
"""By the id of a record that was kept beside another: the id of that other."""


def note_conflict(edit: Edit, space: str, id: str, of: str) -> bool:
    """A record holds what another one was changed to elsewhere. False where that is known."""
    if edit.kept(_CONFLICTS, keys=(id,), space=space).get(id) == of:
        return False
    edit.keep(_CONFLICTS, {id: of}, space=space)
    return True


def unnoted(view: View, space: str, records: Iterable[Record]) -> dict[str, str]:
    """Those of some records that say themselves that they were kept beside another, and are not known for it."""
    told = {one.id: of for one in records if isinstance(of := one.metadata.get(CONFLICT_OF), str)}
    known = view.kept(_CONFLICTS, space=space, keys=list(told)) if told else {}
    return {id: of for id, of in told.items() if known.get(id) != of}


def may_stand_beside(one: Record, other: Record) -> bool:
    """Has somebody said that both of them stay?"""
    return one.metadata.get(_BESIDE) == other.id or other.metadata.get(_BESIDE) == one.id


def let_both_stand(records: Sequence[Record]) -> Record | None:
    """What becomes of the one of two that was kept beside the other when both stay; None where neither was."""
    ids = {one.id for one in records}
    for one in records:
        if one.metadata.get(CONFLICT_OF) in ids - {one.id}:
            metadata = {name: value for name, value in one.metadata.items() if name != CONFLICT_OF}
            return msgspec.structs.replace(one, metadata={**metadata, _BESIDE: one.metadata[CONFLICT_OF]})
    return None


def conflicts_in(view: View, space: str) -> list[tuple[Record, Record]]:
    """Pairs of what kept the id and what was kept beside it, as far as both still stand and differ."""
    found: list[tuple[Record, Record]] = []
    for id, of in view.kept(_CONFLICTS, space=space).items():
        pair = view.get(Record, space, of), view.get(Record, space, id)
        kept, beside = pair
        if kept is None or beside is None or kept.text == beside.text or beside.metadata.get(CONFLICT_OF) != of:
            continue
        if kept.status not in HIDDEN_STATUSES and beside.status not in HIDDEN_STATUSES:
            found.append((kept, beside))
    return found
