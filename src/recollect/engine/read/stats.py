"""How much is there in a space?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from msgspec import Struct

from recollect.errors import NotFound
from recollect.store.base import Entities, Ident, Relations, View
from recollect.types import CATALOGUE_KINDS, Filter, SpaceStats

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


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
