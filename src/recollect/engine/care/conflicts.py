"""Which records were one, and were changed apart?"""

from __future__ import annotations

from recollect.store.base import Edit, Shelf, View
from recollect.types import HIDDEN_STATUSES, Record

_CONFLICTS = Shelf("conflicts", str)
"""By the id of a record that was kept beside another: the id of that other."""


def note_conflict(edit: Edit, space: str, id: str, of: str) -> bool:
    """A record holds what another one was changed to elsewhere. False where that is known."""
    if edit.kept(_CONFLICTS, keys=(id,), space=space).get(id) == of:
        return False
    edit.keep(_CONFLICTS, {id: of}, space=space)
    return True


def conflicts_in(view: View, space: str) -> list[tuple[Record, Record]]:
    """Pairs of what kept the id and what was kept beside it, as far as both still stand and differ."""
    found: list[tuple[Record, Record]] = []
    for id, of in view.kept(_CONFLICTS, space=space).items():
        pair = view.get(Record, space, of), view.get(Record, space, id)
        kept, beside = pair
        if kept is None or beside is None or kept.text == beside.text:
            continue
        if kept.status not in HIDDEN_STATUSES and beside.status not in HIDDEN_STATUSES:
            found.append((kept, beside))
    return found
