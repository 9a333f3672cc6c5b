"""What was done in a memory, one act at a time?"""

from __future__ import annotations

import msgspec

from recollect.engine.core import Core
from recollect.store.base import Acts, Changes, Group, Shelf, View
from recollect.types import Act

UNDONE = Shelf("undone", int)
"""By which entry an act was taken back as a whole, under its first entry, in its space."""


def list_acts(view: View, where: Acts, limit: int) -> list[Act]:
    """Some acts, the newest first."""
    acts = view.journal(where, newest_first=True, limit=limit)
    undone = {name: view.kept(UNDONE, space=name) for name in {act.space for act in acts}}
    return [msgspec.structs.replace(act, undone_by=undone[act.space].get(str(act.entry))) for act in acts]


def actors_of(core: Core, space: str | None) -> list[Group]:
    """Who changed something in a space or in any: how often, and when first and last; the busiest first."""
    found: dict[str, Group] = {}
    with core.store.read() as view:
        for name in [space] if space is not None else [one.name for one in view.spaces()]:
            for one in view.count(Changes(space=name), by="actor"):
                known = found.get(one.key, Group(one.key, 0, one.first, one.last))
                found[one.key] = Group(
                    one.key, known.count + one.count, min(known.first, one.first), max(known.last, one.last)
                )
    return sorted(found.values(), key=lambda one: -one.count)
