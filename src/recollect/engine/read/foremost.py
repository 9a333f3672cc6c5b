"""Which records of a space are the most important ones now?

Importance changes with every hour, so no index can hold it. The foremost few of a space are kept in memory instead:
what the journal says was changed since is looked at again, and now and then the whole space is weighed anew.
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct

from recollect.engine.core import Core, last_entry, records_of, space_of
from recollect.retrieve.importance import effective_importance
from recollect.store.base import Changes, View, Weight
from recollect.types import CATALOGUE_KINDS, HIDDEN_STATUSES, Filter, Record

MOST_KEPT = 64  # more than anybody asks for at once, so that a few can drop out before all are weighed again
_MOST_CHANGES = 256
_FRESH = timedelta(minutes=10)
_DAY = timedelta(days=1)


class Standing(Struct, frozen=True):
    """A record and its importance at one moment."""

    record: Record
    importance: float


class _Held(Struct, frozen=True):
    """The foremost records of a space, as of a journal entry; `all` says that there are no others."""

    entry: int
    at: datetime
    records: tuple[Record, ...]
    all: bool


def importance_of(record: Record, now: datetime) -> float:
    return effective_importance(record.importance, (now - record.event_time) / _DAY, record.access_count)


def rank_standing(view: View, filter: Filter, now: datetime, limit: int) -> list[Standing]:
    """The most important records that a filter lets through, by looking at all of them."""
    micros = int(now.timestamp() * 1e6)
    day = _DAY.total_seconds() * 1e6

    def key(weight: Weight) -> tuple[float, int, int]:
        value = effective_importance(weight.importance, (micros - weight.event_time) / day, weight.accesses)
        return value, weight.event_time, weight.version

    best = heapq.nlargest(limit, view.select(Weight, filter), key=key)
    return _sorted(records_of(view, [weight.version for weight in best]), now)


def _sorted(records: Iterable[Record], now: datetime) -> list[Standing]:
    """The most important first; of equals the newest."""
    weighed = [Standing(record, importance_of(record, now)) for record in records]
    weighed.sort(key=lambda one: (-one.importance, -one.record.event_time.timestamp(), -one.record.version))
    return weighed


class Foremost:
    """The foremost records of every space that was asked about."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._spaces: dict[tuple[str, tuple[str, ...]], _Held] = {}
        self._lock = threading.Lock()

    def of(self, space: str, limit: int, without: tuple[str, ...] = CATALOGUE_KINDS) -> list[Standing]:
        """The `limit` (at most 64) most important records of a space that hold now and are of no such kind."""
        now = self._core.clock()
        with self._core.store.read() as view:
            held = self._spaces.get((space, without))
            entry = last_entry(view)
            if held is None or not held.at <= now < held.at + _FRESH:
                held = self._anew(view, space, without, now, entry)
            elif held.entry != entry:
                held = self._renewed(view, space, without, held, now, entry)
            found = [one for one in _sorted(held.records, now) if one.record.is_valid_at(now)]
            if len(found) < limit and not held.all:
                held = self._anew(view, space, without, now, entry)
                found = _sorted(held.records, now)
        with self._lock:
            self._spaces[space, without] = held
        return found[:limit]

    def drop(self, space: str) -> None:
        """Has a space weighed anew when it is next asked about."""
        with self._lock:
            for key in [key for key in self._spaces if key[0] == space]:
                del self._spaces[key]

    def _anew(self, view: View, space: str, without: tuple[str, ...], now: datetime, entry: int) -> _Held:
        if space_of(view, space) is None:
            return _Held(entry, now, (), all=True)
        weighed = rank_standing(view, Filter(spaces=(space,), without_kinds=without), now, MOST_KEPT)
        return _Held(entry, now, tuple(one.record for one in weighed), all=len(weighed) < MOST_KEPT)

    def _renewed(
        self, view: View, space: str, without: tuple[str, ...], held: _Held, now: datetime, entry: int
    ) -> _Held:
        changes = view.journal(Changes(after=held.entry), limit=_MOST_CHANGES + 1)
        mine = {change.object_id for change in changes if change.space == space}
        if len(changes) > _MOST_CHANGES or any(c.object_type == "space" and c.verb == "drop" for c in changes):
            return self._anew(view, space, without, now, entry)
        kept = [record for record in held.records if record.id not in mine]
        ids = tuple(sorted(mine))
        changed = view.select(Record, Filter(spaces=(space,), ids=ids, valid_only=False)) if ids else []
        kept += [record for record in changed if record.status not in HIDDEN_STATUSES and record.kind not in without]
        if not held.all and len(kept) < MOST_KEPT // 2:
            return self._anew(view, space, without, now, entry)
        foremost = [one.record for one in _sorted(kept, now)]
        known = {record.version for record in held.records}
        while foremost and not held.all and foremost[-1].version not in known:
            foremost.pop()  # it stands below the last that is known to be among the foremost: others may stand above it
        return _Held(entry, held.at, tuple(foremost[:MOST_KEPT]), all=held.all and len(foremost) < MOST_KEPT)
