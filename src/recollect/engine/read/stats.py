"""How much is there in a space?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from recollect.engine.core import Core
from recollect.errors import NotFound
from recollect.store.base import Changes, Entities, Ident, Relations, View
from recollect.types import CATALOGUE_KINDS, Change, Filter, SpaceStats

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_LATER = 10_000  # changes after those that are asked about; beyond, counts are those of now
_ENDING = ("forget", "invalidate", "merge", "evict")


class SpaceTally(Struct, frozen=True, kw_only=True):
    """The little about a space that is cheap to count: records and facts that hold now, and how many have vectors."""

    records: int
    facts: int
    vectors: int


def stats_of(view: View, space: str) -> SpaceStats:
    """Everything of a space that can be counted."""
    if not view.spaces([space]):
        raise NotFound(f"there is no space named {space!r}")
    live = Filter(spaces=(space,), valid_only=False)
    kinds = view.count(live, by="kind")
    newest = view.select(Ident, live, "newest", 1)
    return SpaceStats(
        space=space,
        records=sum(kind.count for kind in kinds),
        by_kind={kind.key: kind.count for kind in kinds},
        sessions=len(view.count(live, by="session")),
        entities=view.count(Entities(space=space)),
        relations=view.count(Relations(space=space, active=False)),
        waiting_for_vectors=view.waiting(None, [space]).count,
        newest=_EPOCH + timedelta(microseconds=newest[0].created_at) if newest else None,
    )


def tally_of(view: View, space: str) -> SpaceTally:
    """What a space holds now: records, facts, and how many of the records have a vector."""
    records = view.count(Filter(spaces=(space,), without_kinds=CATALOGUE_KINDS))
    embedded = max(records - view.waiting(None, [space]).count, 0) if view.models() else 0
    return SpaceTally(records=records, facts=view.count(Relations(space=space)), vectors=embedded)


class _Kind(Struct, frozen=True):
    version: int
    kind: str


class Counted(Struct, frozen=True):
    """A change, what it did to the number of records in its space (+1, -1 or 0), and how many those were then."""

    change: Change
    effect: int
    records: int


def count_back(core: Core, changes: Sequence[Change]) -> list[Counted]:
    """How many records there were in the space of each change right after it: those of now, less what came since."""
    with core.store.read() as view:
        later = view.journal(Changes(after=changes[-1].entry), limit=_MOST_LATER)
        spaces = view.spaces(list({change.space for change in changes}))
        counts = {space.name: tally_of(view, space.name).records for space in spaces}
        aside = _of_catalogue(view, [*changes, *later])
    counted: list[Counted] = []
    for change in reversed([*changes, *later]):
        effect, now = _effect(change, aside), counts.get(change.space, 0)
        counts[change.space] = max(now - effect, 0)
        counted.append(Counted(change, effect, now))
    return counted[::-1][: len(changes)]


def _of_catalogue(view: View, changes: Sequence[Change]) -> set[int]:
    """The versions among those of some changes that no count has: they say where records come from."""
    versions = {version for change in changes for version in (change.before, change.after) if version is not None}
    where = Filter(versions=tuple(versions), past=True, valid_only=False)
    kinds = view.select(_Kind, where) if versions else []
    return {one.version for one in kinds if one.kind in CATALOGUE_KINDS}


def _effect(change: Change, aside: set[int]) -> int:
    """Is a record there now that was not, or the other way round? One that is forgotten since has left no versions."""
    if change.object_type != "record" or {change.before, change.after} & aside:
        return 0
    if change.verb == "remember" or (change.before is None and change.after is not None):
        return 1
    return -1 if change.verb in _ENDING or (change.before is not None and change.after is None) else 0
