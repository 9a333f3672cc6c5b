"""How does a memory let go of what is no longer of use?

What nobody used for a week fades: its confidence is lowered, down to a floor. What is old and unimportant, hardly
believed, or beyond the number that a space may hold, is evicted: it leaves the present, and its versions stay in the
archive that history and undo read from. Both work on any space, in many small transactions, so that nobody who reads
or writes meanwhile has to wait. One entry of the journal names a run, and undoing that entry takes the run back.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct

from recollect.engine.core import Core
from recollect.engine.loop import Loop
from recollect.engine.write.remember import derive_lexis
from recollect.errors import Conflict, ReadOnlyStore, StoreBusy, StoreFull
from recollect.store.base import Edit, EvictionRule, FadingRule, Run
from recollect.types import Receipt, Record

KINDS = ("memory", "message", "summary")
"""What fades and is evicted. Documents, code and what is governed by rules of its own has another life."""

UNUSED = timedelta(days=7)
MAX_AGE = timedelta(days=30)
MIN_IMPORTANCE = 0.2
MIN_CONFIDENCE = 0.1
DECAY_RATE = 0.05
CAP = 10_000
_REST = 0.25  # of the time that a transaction took, so that others get their turn
_LONGEST_REST = 0.01  # seconds
_FADED, _EVICTED, _ERASED, _REVIVED, _SWEPT = 2_000, 1_500, 40, 40, 150  # rows of a transaction: 10 to 20 ms of work


class Maintained(Struct, frozen=True, kw_only=True):
    """What one run of upkeep did in a space; undoing `entry` takes all of it back. None: there was nothing to do."""

    space: str
    verb: Literal["evict", "fade"]
    count: int
    seconds: float
    entry: int | None = None
    dry_run: bool = False


def _portions(count: int, rows: int) -> Iterator[slice]:
    """Slices of so many items, with a rest after each: others want to write too."""
    for start in range(0, count, rows):
        began = time.monotonic()
        yield slice(start, start + rows)
        _rest(time.monotonic() - began)


def _rest(took: float) -> None:
    time.sleep(min(took * _REST, _LONGEST_REST))


def fade(
    core: Core, space: str, *, rate: float, dry_run: bool, cancelled: Callable[[], bool] = lambda: False
) -> Maintained:
    """Lowers the confidence of what was not used for a week by a share, but not below the floor."""
    began = time.monotonic()
    rule = FadingRule(kinds=KINDS, unused_since=core.clock() - UNUSED, rate=rate, floor=MIN_CONFIDENCE)
    with core.store.read() as view:
        versions = view.fading(space, rule) if rate > 0 else []
    run, count = None, len(versions)
    if versions and not dry_run:
        with core.store.write(actor=core.actor) as edit:
            run = edit.begin_run(
                space, "fade", f"{len(versions)} unused since {rule.unused_since:%Y-%m-%d}, by {rate:g}"
            )
        count = 0
        for portion in _portions(len(versions), _FADED):
            if cancelled():
                break
            with core.store.write(actor=core.actor) as edit:
                count += edit.fade(run, versions[portion], rule)
    return _upkeep(space, "fade", count, run, began, dry_run=dry_run)


def evict(
    core: Core,
    space: str,
    *,
    max_age: timedelta,
    min_importance: float,
    cap: int,
    dry_run: bool,
    delete: bool,
    cancelled: Callable[[], bool] = lambda: False,
    left: Callable[[Sequence[int]], None] = lambda _: None,
) -> Maintained:
    """Takes what is stale, hardly believed or beyond the cap out of a space. `left` hears which versions went."""
    began = time.monotonic()
    rule = EvictionRule(
        kinds=KINDS, older_than=_ago(core.clock(), max_age), min_importance=min_importance,
        min_confidence=MIN_CONFIDENCE, cap=cap,
    )  # fmt: skip
    with core.store.read() as view:
        versions, ids = view.evictable(space, rule)
    if dry_run or not versions:
        return _upkeep(space, "evict", len(versions), None, began, dry_run=dry_run)
    with core.store.write(actor=core.actor) as edit:
        run = edit.begin_run(space, "evict", f"{len(versions)} to {'delete' if delete else 'archive'}")
    count = 0
    for portion in _portions(len(versions), _ERASED if delete else _EVICTED):
        if cancelled():
            break
        leaving = versions[portion]
        with core.store.write(actor=core.actor) as edit:
            count += _erase(edit, leaving) if delete else edit.evict(run, space, leaving, ids[portion], f"run {run}")
        left(leaving)
    if delete:
        core.store.scrub()
    return _upkeep(space, "evict", count, run, began, dry_run=False)


def _ago(now: datetime, age: timedelta) -> datetime:
    """So long before now; what is older than time itself is nothing."""
    try:
        return now - age
    except OverflowError:
        return datetime.min.replace(tzinfo=now.tzinfo)


def _erase(edit: Edit, versions: Sequence[int]) -> int:
    found = edit.records(versions)
    for record in found:
        edit.erase(record, reason="evicted for good")
    return len(found)


def _upkeep(space: str, verb: str, count: int, run: int | None, began: float, *, dry_run: bool) -> Maintained:
    return Maintained(
        space=space, verb="fade" if verb == "fade" else "evict", count=count, entry=run, dry_run=dry_run,
        seconds=round(time.monotonic() - began, 3),
    )  # fmt: skip


# Taking back


def undo_run(core: Core, run: Run, reason: str | None) -> Receipt:
    """Takes a whole run back: what was evicted returns, what has faded has its confidence again."""
    if run.undone:
        raise Conflict(f"entry {run.entry} was taken back already")
    if run.later is not None and run.verb == "fade":
        raise Conflict(f"what faded in entry {run.entry} faded again in entry {run.later}; undo that first")
    count = _unfade(core, run) if run.verb == "fade" else _revive(core, run)
    with core.store.write(actor=core.actor) as edit:
        edit.end_run(run.entry)
        told = reason or f"took back entry {run.entry}: {count} {'restored' if run.verb == 'fade' else 'returned'}"
        done = edit.note(run.space, "undo", told)
    core.written()
    return Receipt(outcome="stored", id=run.space, space=run.space, reason=told, entry=done)


def _unfade(core: Core, run: Run) -> int:
    with core.store.write(actor=core.actor) as edit:
        return edit.undo_fading(run.entry)


def _revive(core: Core, run: Run) -> int:
    """Brings evicted records back as new versions, except where one of that id is there again."""
    count, after = 0, 0
    while True:
        began = time.monotonic()
        with core.store.write(actor=core.actor) as edit:
            moved = edit.moved(run.entry, after, _REVIVED)
            for version in moved:
                held = edit.version(Record, version)
                if held is not None and edit.get(Record, run.space, held.id) is None:
                    edit.put(held, verb="undo", lexis=derive_lexis(edit, held), undoes=run.entry)
                    count += 1
        if not moved:
            break
        after = moved[-1]
        _rest(time.monotonic() - began)
    if not count:
        raise Conflict(f"nothing that entry {run.entry} evicted can be brought back")
    return count


# Sweeping


class Sweeping:
    """Moves the words of what was evicted out of the live index, in the background, when there are any."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._loop = Loop("recollect-sweep", self._sweep)

    def wake(self) -> None:
        self._loop.wake()

    def finish(self) -> None:
        """Waits until everything is swept."""
        self._loop.wait()

    def stop(self) -> None:
        self._loop.stop(1)

    def _sweep(self) -> None:
        swept = 1
        while swept and not self._loop.stopping.is_set():
            began = time.monotonic()
            try:
                with self._core.store.write(actor=self._core.actor) as edit:
                    swept = edit.sweep(_SWEPT)
            except (StoreFull, StoreBusy, ReadOnlyStore):
                return  # what is left is swept after the next run
            self._loop.stopping.wait(time.monotonic() - began)  # nobody waits for this: half of the time is for others
