"""How does a memory put itself in order while nobody needs it?

One cycle works on one space, within a budget of time, and can be cancelled at any moment: whatever it has done by then
is done. Records that say the same become one, and those that are only alike are left to be looked at. What the keyword
index says of records is checked against their texts. What has faded is counted, and the foremost records are found
anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from threading import Event
from typing import TYPE_CHECKING, cast

import msgspec
from msgspec import Struct

from recollect.engine.care.conflicts import conflicts_in
from recollect.engine.care.one_thing import nearly_the_same
from recollect.engine.core import Core, as_one_act, last_entry, records_of, space_of, taking
from recollect.engine.parse import parse_space
from recollect.engine.write.remember import derive_lexis, put_of
from recollect.errors import EmbedderError
from recollect.retrieve.importance import effective_importance
from recollect.retrieve.same import depends_on_its_day, say_the_same
from recollect.store.base import MOST_COUNTED, Changes, Lexis, Shelf, View, Weight
from recollect.store.ops import Note
from recollect.types import CATALOGUE_KINDS, DEFAULT_SPACE, Change, Filter, Record, least_trust

if TYPE_CHECKING:
    from recollect.engine.embedding.vectors import Vectors

ACTOR = "dreamer"
NEAR = 0.85  # the cosine from which on two texts are compared word by word
_ABOVE_FLOOR = 0.84  # of the way from strangers to sameness, for models whose cosines all lie high
_FOR_VECTORS = 0.6  # of the budget may go into vectors that are missing
_FOR_MERGING = 0.8  # and so much of it is over before nothing more is looked for that reads nearly the same
_BATCH = 200
_MOST_ALIKE = 100
_SAME = ("kind", "memory_type", "room", "project", "user", "role", "title")
_HOLDS = ("valid_from", "valid_until")
_DAY = timedelta(days=1)
_DAY_MICROS = 86_400e6
_MOST_SPACES = 1_000_000


class Merge(Struct, frozen=True, kw_only=True):
    """Two records that say the same became one: `merged` is superseded by `kept`. Undoing `entry` brings it back."""

    kept: str
    merged: str
    cosine: float
    entry: int | None = None


class Alike(Struct, frozen=True, kw_only=True):
    """Two records that look alike and do not say quite the same: whether one replaces the other is for you to say.

    The cosine is 0 where no model can compare them, and they read the same but for one thing.
    """

    older: str
    newer: str
    cosine: float


class Review(Struct, frozen=True, kw_only=True):
    """Two records that look alike, side by side; a `conflict` are two that were one, and were changed apart."""

    older: Record
    newer: Record
    cosine: float
    conflict: bool = False


class Dream(Struct, frozen=True, kw_only=True):
    """What one cycle of consolidation did in a space. Not `finished` means that time ran out, or it was cancelled.

    `alike` are pairs that were left for you to look at: `Memory.review` shows both texts.
    """

    space: str
    at: datetime
    seconds: float
    records: int
    merges: tuple[Merge, ...] = ()
    alike: tuple[Alike, ...] = ()
    refreshed: int = 0
    decayed: int = 0
    finished: bool = True
    dry_run: bool = False


class Cycle(Struct, frozen=True, kw_only=True):
    """What a cycle leaves for the next one: what it did, and how far it has seen."""

    dream: Dream
    entry: int = 0
    through: int = 0
    """The newest version whose words were checked."""


_CYCLES, _LAST = Shelf("dream", Cycle), "last"


class Watch:
    """Says when a cycle must end: its time is over, or somebody does not want it any more."""

    def __init__(self, seconds: float, cancelled: Callable[[], bool], monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._cancelled = cancelled
        self._start = monotonic()
        self._seconds = seconds

    @property
    def elapsed(self) -> float:
        return self._monotonic() - self._start

    def over(self, share: float = 1.0) -> bool:
        return self._cancelled() or self.elapsed >= share * self._seconds


class _Enough(Event):
    """A watch, in the form in which the computing of vectors is stopped."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self._watch = watch

    def is_set(self) -> bool:
        return self._watch.over(_FOR_VECTORS)


@as_one_act
def dream(
    core: Core,
    vectors: Vectors | None,
    space: str,
    *,
    budget_seconds: float,
    dry_run: bool,
    cancelled: Callable[[], bool],
    monotonic: Callable[[], float] = time.monotonic,
) -> Dream:
    """One cycle in a space. Raises `Conflict` where another process is at it."""
    with taking(core, f"a dream of {space!r}", "dream", space):
        watch = Watch(budget_seconds, cancelled, monotonic)
        with core.store.read() as view:
            before = last_cycle(view, space)
            seen = last_entry(view)
            records = view.count(Filter(spaces=(space,), without_kinds=CATALOGUE_KINDS))
        merges: list[Merge] = []
        alike: list[Alike] = []
        failed = False
        try:
            if vectors is not None:
                merges, alike = _merge(core, vectors, space, watch, dry_run=dry_run)
            if len(alike) < _MOST_ALIKE:
                alike += _but_for_one_thing(core, vectors, space, watch, merges)[: _MOST_ALIKE - len(alike)]
        except EmbedderError:
            failed = True  # the rest can be done without a model; the next cycle tries again
        through, refreshed = _refresh(core, space, 0 if before is None else before.through, watch, dry_run=dry_run)
        at = core.clock()
        done = Dream(
            space=space, at=at, records=records, merges=tuple(merges), alike=tuple(alike), refreshed=refreshed,
            decayed=_count_decayed(core, space, None if before is None else before.dream.at, at),
            finished=not failed and not watch.over(), dry_run=dry_run, seconds=round(watch.elapsed, 3),
        )  # fmt: skip
        if not dry_run:
            _keep(core, Cycle(dream=done, entry=seen, through=through))
    return done


@as_one_act
def merge(
    core: Core, vectors: Vectors, space: str, *, budget_seconds: float, dry_run: bool
) -> tuple[list[Merge], bool]:
    """Only the merging of a cycle. Answers the merges, and whether all was looked at."""
    with taking(core, f"a dream of {space!r}", "dream", space):
        watch = Watch(budget_seconds, lambda: False, time.monotonic)
        return _merge(core, vectors, space, watch, dry_run=dry_run)[0], not watch.over()


def last_dream(core: Core, *, space: str = DEFAULT_SPACE) -> Dream | None:
    """What the last cycle in a space did, whoever ran it."""
    with core.store.read() as view:
        last = last_cycle(view, parse_space(space))
    return None if last is None else last.dream


def last_cycle(view: View, space: str) -> Cycle | None:
    """What the last cycle left; None where there was none."""
    return view.kept(_CYCLES, space=space).get(_LAST)


def _keep(core: Core, cycle: Cycle) -> None:
    done = cycle.dream
    told = f"{len(done.merges)} merged, {done.refreshed} refreshed, {done.decayed} decayed"
    with core.store.write(actor=ACTOR) as edit:
        if space_of(edit, done.space) is not None:
            edit.apply([Note(space=done.space, verb="dream", reason=told)])
            edit.keep(_CYCLES, {_LAST: cycle}, space=done.space)


class Idleness:
    """Which spaces have been left alone? The journal is only gone through again when it has grown.

    `asked` says when each space was last asked something, by this process.
    """

    def __init__(self, core: Core, asked: Mapping[str, datetime]) -> None:
        self._core = core
        self._asked = asked
        self._entry = -1
        self._changes: dict[str, Change] = {}

    def due(self, idle_seconds: float) -> list[str]:
        """The spaces that are due for a cycle, the longest idle first."""
        with self._core.store.read() as view:
            entry = last_entry(view)
            if entry != self._entry:
                changes = view.journal(Changes(last_besides=ACTOR), limit=_MOST_SPACES)
                self._changes = {change.space: change for change in changes}
                self._entry = entry
            spaces = {space.name for space in view.spaces()}
            idle, now = timedelta(seconds=idle_seconds), self._core.clock()
            changes = sorted((c for c in self._changes.values() if c.space in spaces), key=lambda change: change.at)
            return [change.space for change in changes if self._is_due(view, change, now, idle)]

    def _is_due(self, view: View, change: Change, now: datetime, idle: timedelta) -> bool:
        """Idle for so long, and changed since the last cycle; or that one was not finished, or is a day old."""
        if now - max(change.at, self._asked.get(change.space, change.at)) < idle:
            return False
        last = last_cycle(view, change.space)
        if last is None or change.entry > last.entry:
            return True
        return now - last.dream.at >= (_DAY if last.dream.finished else idle)


# Merging


def _merge(core: Core, vectors: Vectors, space: str, watch: Watch, *, dry_run: bool) -> tuple[list[Merge], list[Alike]]:
    """What was merged, and which pairs look alike and were not."""
    vectors.catch_up([space], stop=_Enough(watch))
    merges: list[Merge] = []
    alike: list[Alike] = []
    now: dict[str, Record] = {}  # by which record each of those is kept that were merged already
    for first, second, cosine in _near(core, vectors, space, watch):
        if watch.over():
            break
        one, other = now.get(first.id, first), now.get(second.id, second)
        if one.id == other.id or not comparable(one, other):
            continue
        merged, kept = _by_age(one, other)
        if not may_merge(one, other):
            alike.append(Alike(older=merged.id, newer=kept.id, cosine=cosine))
            continue
        done = Merge(kept=kept.id, merged=merged.id, cosine=cosine)
        if not dry_run:
            merge = _merge_two(core, kept, merged, cosine)
            if merge is None:
                continue
            kept, done = merge
        now |= {id: kept for id, held in now.items() if held.id == merged.id}
        now[kept.id] = now[merged.id] = kept
        merges.append(done)
    gone = {done.merged for done in merges}
    left = {(pair.older, pair.newer): pair for pair in reversed(alike) if gone.isdisjoint((pair.older, pair.newer))}
    return merges, list(reversed(left.values()))[:_MOST_ALIKE]


def _near(core: Core, vectors: Vectors, space: str, watch: Watch) -> Iterator[tuple[Record, Record, float]]:
    """Pairs of records whose vectors are near-identical, the nearest first."""
    with core.store.read() as view:
        where = Filter(statuses=("active",))
        best = view.pairs(space, vectors.model().no, _least(vectors), where, watch.over)
    for start in range(0, len(best), _BATCH):
        some = best[start : start + _BATCH]
        with core.store.read() as view:
            found = records_of(view, sorted({version for pair in some for version in pair[:2]}))
        records = {record.version: record for record in found}
        for one, other, cosine in some:
            if one in records and other in records:  # neither was forgotten meanwhile
                yield records[one], records[other], round(cosine, 4)


def _least(vectors: Vectors) -> float:
    """The cosine from which on two texts are compared word by word."""
    floor = vectors.model().floor
    return max(NEAR, floor + _ABOVE_FLOOR * (1 - floor))


def _but_for_one_thing(
    core: Core, vectors: Vectors | None, space: str, watch: Watch, merges: Sequence[Merge]
) -> list[Alike]:
    """Pairs that lie further apart, and read the same but for one thing. None of them is ever merged."""
    near = 1.0 if vectors is None else _least(vectors)
    gone = {done.merged for done in merges}
    found: list[Alike] = []
    for one, other, cosine in nearly_the_same(core, vectors, space, near, lambda: watch.over(_FOR_MERGING)):
        older, newer = _by_age(one, other)
        if comparable(one, other) and gone.isdisjoint((older.id, newer.id)):
            found.append(Alike(older=older.id, newer=newer.id, cosine=cosine))
    return found


def comparable(one: Record, other: Record) -> bool:
    """Do two records stand in the same place, each by itself? Where one has grounds, who judges them decides."""
    alone = all(record.session is None and record.source is None and record.grounds is None for record in (one, other))
    return alone and all(getattr(one, name) == getattr(other, name) for name in _SAME)


def may_merge(one: Record, other: Record) -> bool:
    """May one of two near-identical records stand for both? Only where nothing that they say differs."""
    if any(getattr(one, name) != getattr(other, name) for name in _HOLDS):
        return False
    if one.event_time.date() != other.event_time.date() and depends_on_its_day(one.text):
        return False
    return say_the_same(one.text, other.text)


def review(core: Core, space: str) -> list[Review]:
    """The pairs that the last cycle left to be looked at, as far as both still stand as they stood.

    Before them stand those that a sync found changed on both sides.
    """
    with core.store.read() as view:
        apart = conflicts_in(view, space)
        found = [Review(older=kept, newer=beside, cosine=1.0, conflict=True) for kept, beside in apart]
        cycle = last_cycle(view, space)
        for pair in () if cycle is None else cycle.dream.alike:
            older, newer = (view.get(Record, space, id) for id in (pair.older, pair.newer))
            if older is not None and newer is not None and {older.status, newer.status} == {"active"}:
                found.append(Review(older=older, newer=newer, cosine=pair.cosine))
    return found


def _by_age(one: Record, other: Record) -> tuple[Record, Record]:
    """The older, and the newer."""
    first, second = sorted((one, other), key=lambda record: (record.event_time, record.created_at, record.version))
    return first, second


def _merge_two(core: Core, kept: Record, merged: Record, cosine: float) -> tuple[Record, Merge] | None:
    """Merges in one transaction; None where one of them has changed, or somebody took such a merge back before."""
    with core.store.write(actor=ACTOR) as edit:
        for record in (kept, merged):
            held = edit.get(Record, record.space, record.id)
            if held is None or held.version != record.version or _taken_back(edit, record):
                return None
        if merged.valid_from is not None and merged.valid_from >= edit.now:
            return None
        united = msgspec.structs.replace(
            kept, tags=tuple(dict.fromkeys((*kept.tags, *merged.tags))),
            trust=least_trust(kept.trust, merged.trust), importance=max(kept.importance, merged.importance),
            confidence=max(kept.confidence, merged.confidence),
        )  # fmt: skip
        if united != kept:
            told = f"took the tags of {merged.id}, the greater weight and the lesser trust"
            op = put_of(edit, united, "revise", kept, reason=told)
            kept = cast("Record", edit.apply([op])[0].thing)
        ended = msgspec.structs.replace(merged, valid_until=edit.now, superseded_by=kept.id, status="superseded")
        reason = f"says the same as {kept.id} (cosine {cosine:.3f})"
        entry = edit.apply([put_of(edit, ended, "merge", merged, reason=reason)])[0].entry
    return kept, Merge(kept=kept.id, merged=merged.id, cosine=cosine, entry=entry)


def _taken_back(view: View, record: Record) -> bool:
    """Did somebody undo a merge of this record? Then it is to stand by itself."""
    changes = [change for change in view.journal(Changes(object_id=record.id)) if change.space == record.space]
    merges = {change.entry for change in changes if change.verb == "merge"}
    return any(change.undoes in merges for change in changes)


# Closets, and decay


def _refresh(core: Core, space: str, through: int, watch: Watch, *, dry_run: bool) -> tuple[int, int]:
    """Checks what the keyword index holds of versions that are new since the last cycle, and mends what is wrong."""
    with core.store.read() as view:
        versions = sorted(view.select(int, Filter(spaces=(space,), valid_only=False, after=through)))
    refreshed = 0
    for start in range(0, len(versions), _BATCH):
        if watch.over():
            return through, refreshed
        batch = versions[start : start + _BATCH]
        refreshed += _refresh_batch(core, batch, dry_run=dry_run)
        through = batch[-1]
    if not dry_run and versions and not watch.over():
        with core.store.write(actor=ACTOR) as edit:
            edit.tend()
    return through, refreshed


def _refresh_batch(core: Core, versions: Sequence[int], *, dry_run: bool) -> int:
    with core.store.read() as view:
        held = view.terms(versions)
        stale = [r.version for r in records_of(view, versions) if not _agrees(view, r, held)]
    if stale and not dry_run:
        with core.store.write(actor=ACTOR) as edit:
            for record in records_of(edit, stale):
                edit.relink(record.version, derive_lexis(edit, record))
    return len(stale)


def _agrees(view: View, record: Record, held: Mapping[int, Lexis]) -> bool:
    known = held.get(record.version)
    if known is None:
        return False
    wanted = derive_lexis(view, record)
    counted = {term: min(count, MOST_COUNTED) for term, count in wanted.terms.items()}
    return dict(known.terms) == counted and set(known.names) == set(wanted.names)


def _count_decayed(core: Core, space: str, since: datetime | None, now: datetime) -> int:
    """How many records matter less than they did at the last cycle, or else when they were stored."""
    then, today = (None if moment is None else int(moment.timestamp() * 1e6) for moment in (since, now))
    assert today is not None
    with core.store.read() as view:
        weights = view.select(Weight, Filter(spaces=(space,), without_kinds=CATALOGUE_KINDS))
    count = 0
    for weight in weights:
        start = max(weight.recorded_at, weight.event_time, then or 0)
        old, new = (
            effective_importance(weight.importance, (moment - weight.event_time) / _DAY_MICROS, weight.accesses)
            for moment in (start, today)
        )
        count += round(new, 2) < round(old, 2)
    return count
