"""What was done in a memory, one act at a time?"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.engine.core import Core, records_of
from recollect.store.base import Acts, Changes, Group, Shelf, View
from recollect.types import Act, Change

UNDONE = Shelf("undone", int)
"""By which entry an act was taken back as a whole, under its first entry, in its space."""
_BEGINNING = 120  # characters


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


def beginnings(core: Core, changes: Sequence[Change]) -> dict[int, str]:
    """How the records begin that some changes are about, by entry: as each left it, or as it was before it went."""
    named = {one.entry: (one.space, one.after or one.before) for one in changes if one.object_type == "record"}
    versions = {entry: (space, version) for entry, (space, version) in named.items() if version is not None}
    wanted = sorted({version for _, version in versions.values()})
    with core.store.read() as view:
        found = records_of(view, wanted) if wanted else []
    told = {(one.space, one.version): " ".join((one.title or one.text).split())[:_BEGINNING] for one in found}
    return {entry: told[meant] for entry, meant in versions.items() if meant in told}
