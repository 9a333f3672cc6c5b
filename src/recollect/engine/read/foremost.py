"""Which records come first: the most important ones now, or the newest of some kind?

Importance changes with every hour, so no index can hold it, and none leads to the few of a rare kind in a large space.
The first few that a filter lets through are kept in memory instead: what the journal says was changed since is looked
at again, and now and then all of them are looked at anew.
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Literal

import msgspec
from msgspec import Struct

from recollect.engine.core import Core, last_entry, records_of, space_of
from recollect.retrieve.importance import effective_importance
from recollect.store.base import Changes, View, Weight
from recollect.types import CATALOGUE_KINDS, Filter, Record

MOST_KEPT = 64  # more than anybody asks for at once, so that a few can drop out before all are weighed again
Criterion = Literal["importance", "newest"]
_MOST_CHANGES = 256
_MOST_LISTS = 64
_FRESH = timedelta(minutes=10)
_DAY = timedelta(days=1)


class Standing(Struct, frozen=True):
    """A record and its importance at one moment."""

    record: Record
    importance: float


class _Held(Struct, frozen=True):
    """The first records of a list, as of a journal entry; `all` says that there are no others."""

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


def find_first(view: View, filter: Filter, order: Criterion, now: datetime, limit: int) -> list[Record]:
    """The first records that a filter lets through, by looking at all of them."""
    if order == "newest":
        return view.select(Record, filter, "newest", limit)
    return [one.record for one in rank_standing(view, filter, now, limit)]


def _in_order(records: Iterable[Record], order: Criterion, now: datetime) -> list[Record]:
    if order == "newest":
        return sorted(records, key=lambda one: (one.created_at, one.version), reverse=True)
    return [one.record for one in _sorted(records, now)]


class Foremost:
    """The first records of every list that was asked for."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._lists: dict[tuple[Filter, Criterion], _Held] = {}
        self._lock = threading.Lock()

    def of(self, space: str, limit: int, without: tuple[str, ...] = CATALOGUE_KINDS) -> list[Standing]:
        """The `limit` (at most 64) most important records of a space that hold now and are of no such kind."""
        now = self._core.clock()
        with self._core.store.read() as view:
            if space_of(view, space) is None:
                return []
            found = self.first(view, Filter(spaces=(space,), without_kinds=without), "importance", now, limit)
        return _sorted(found, now)

    def first(self, view: View, filter: Filter, order: Criterion, now: datetime, limit: int) -> list[Record]:
        """The first `limit` (at most 64) records that a filter, which names its spaces, lets through now.

        How often one was recalled meanwhile counts after some minutes.
        """
        if filter.as_of is not None or filter.true_at is not None or not filter.valid_only or not filter.spaces:
            return find_first(view, filter, order, now, limit)
        held = self._lists.get((filter, order))
        entry = last_entry(view)
        if held is None or not held.at <= now < held.at + _FRESH:
            held = _anew(view, filter, order, now, entry)
        elif held.entry != entry:
            held = _renewed(view, filter, order, held, now, entry)
        found = [one for one in _in_order(held.records, order, now) if one.is_valid_at(now)]
        if len(found) < limit and not held.all:
            held = _anew(view, filter, order, now, entry)
            found = list(held.records)
        with self._lock:
            self._lists.pop((filter, order), None)
            self._lists[filter, order] = held
            while len(self._lists) > _MOST_LISTS:
                del self._lists[next(iter(self._lists))]  # the one that was not asked for longest
        return found[:limit]

    def drop(self, space: str) -> None:
        """Has a space weighed anew when it is next asked about."""
        with self._lock:
            for key in [key for key in self._lists if space in key[0].spaces]:
                del self._lists[key]


def _anew(view: View, filter: Filter, order: Criterion, now: datetime, entry: int) -> _Held:
    found = find_first(view, filter, order, now, MOST_KEPT)
    return _Held(entry, now, tuple(found), all=len(found) < MOST_KEPT)


def _renewed(view: View, filter: Filter, order: Criterion, held: _Held, now: datetime, entry: int) -> _Held:
    changes = view.journal(Changes(after=held.entry), limit=_MOST_CHANGES + 1)
    mine = {change.object_id for change in changes if change.space in filter.spaces}
    if len(changes) > _MOST_CHANGES or any(c.object_type == "space" and c.verb == "drop" for c in changes):
        return _anew(view, filter, order, now, entry)
    kept = [record for record in held.records if record.id not in mine]
    kept += view.select(Record, msgspec.structs.replace(filter, ids=tuple(sorted(mine)))) if mine else []
    if not held.all and len(kept) < MOST_KEPT // 2:
        return _anew(view, filter, order, now, entry)
    foremost = _in_order(kept, order, now)
    known = {record.version for record in held.records}
    while foremost and not held.all and foremost[-1].version not in known:
        foremost.pop()  # it stands below the last that is known to be among the foremost: others may stand above it
    return _Held(entry, held.at, tuple(foremost[:MOST_KEPT]), all=held.all and len(foremost) < MOST_KEPT)
