"""What was done in a memory, one act at a time?"""

from __future__ import annotations

import msgspec

from recollect.store.base import Acts, Shelf, View
from recollect.types import Act

UNDONE = Shelf("undone", int)
"""By which entry an act was taken back as a whole, under its first entry, in its space."""


def list_acts(view: View, space: str | None, before: int | None, limit: int) -> list[Act]:
    """The acts of a space or of all, the newest first."""
    acts = view.journal(Acts(space=space, before=before), newest_first=True, limit=limit)
    undone = {name: view.kept(UNDONE, space=name) for name in {act.space for act in acts}}
    return [msgspec.structs.replace(act, undone_by=undone[act.space].get(str(act.entry))) for act in acts]
