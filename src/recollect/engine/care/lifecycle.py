"""How does a memory let go of what is no longer of use?

What nobody used for a week fades: its confidence is lowered, down to a floor. What is old and unimportant, hardly
believed, or beyond the number that a space may hold, is evicted: it leaves the present, and its versions stay in the
archive that history and undo read from. Both work on any space, in many small transactions, so that nobody who reads
or writes meanwhile has to wait. One entry of the journal names a run, and undoing that entry takes the run back.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal

from msgspec import Struct

from recollect.engine.care.forget import Leaving
from recollect.engine.care.keep import APART
from recollect.engine.care.note_folders import forget_files
from recollect.engine.core import Core, as_one_act, records_of
from recollect.engine.intake.withheld import note_forgotten
from recollect.engine.known import DOCUMENTS
from recollect.engine.loop import Loop, keep
from recollect.engine.settle import note_erased, scrub
from recollect.engine.write.remember import put_of
from recollect.errors import Conflict
from recollect.store.base import Edit, EvictionRule, FadingRule, Ident, Shelf, View
from recollect.store.ops import Evict, Fade, Note, Sweep, Unfade
from recollect.types import Change, Filter, Receipt, Record

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
    """What one run of upkeep did in a space; undoing `entry` takes all of it back, but for history that was thinned.

    None: there was nothing to do. Of history, versions are counted.
    """

    space: str
    verb: Literal["evict", "fade", "thin"]
    count: int
    seconds: float
    entry: int | None = None
    dry_run: bool = False


def portions(count: int, rows: int) -> Iterator[slice]:
    """Slices of so many items, with a rest after each: others want to write too."""
    for start in range(0, count, rows):
        began = time.monotonic()
        yield slice(start, start + rows)
        _rest(time.monotonic() - began)


def _rest(took: float) -> None:
    time.sleep(min(took * _REST, _LONGEST_REST))


@as_one_act
def fade(
    core: Core, space: str, *, rate: float, dry_run: bool, cancelled: Callable[[], bool] = lambda: False
) -> Maintained:
    """Lowers the confidence of what was not used for a week by a share, but not below the floor."""
    began = time.monotonic()
    rule = FadingRule(kinds=KINDS, unused_since=core.clock() - UNUSED, rate=rate, floor=MIN_CONFIDENCE)
    with core.store.read() as view:
        versions = view.due(space, rule).versions if rate > 0 else ()
    run, count = None, len(versions)
    if versions and not dry_run:
        with core.store.write(actor=core.actor) as edit:
            unused = f"{len(versions)} unused since {rule.unused_since:%Y-%m-%d}, by {rate:g}"
            run = _begin(edit, space, "fade", unused)
        count = 0
        for portion in portions(len(versions), _FADED):
            if cancelled():
                break
            with core.store.write(actor=core.actor) as edit:
                count += edit.apply([Fade(run=run, space=space, versions=versions[portion], rule=rule)])[0].count
    return told(space, "fade", count, run, began, dry_run=dry_run)


@as_one_act
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
) -> Maintained:
    """Takes what is stale, hardly believed or beyond the cap out of a space."""
    began = time.monotonic()
    rule = EvictionRule(
        kinds=KINDS, older_than=ago(core.clock(), max_age), min_importance=min_importance,
        min_confidence=MIN_CONFIDENCE, cap=cap,
    )  # fmt: skip
    with core.store.read() as view:
        due = view.due(space, rule)
    versions, ids = due.versions, due.ids
    if dry_run or not versions:
        return told(space, "evict", len(versions), None, began, dry_run=dry_run)
    with core.store.write(actor=core.actor) as edit:
        run = _begin(edit, space, "evict", f"{len(versions)} to {'delete' if delete else 'archive'}")
    count = 0
    for portion in portions(len(versions), _ERASED if delete else _EVICTED):
        if cancelled():
            break
        leaving = versions[portion]
        with core.store.write(actor=core.actor) as edit:
            if delete:
                count += _erase(edit, space, leaving)
            else:
                op = Evict(run=run, space=space, versions=leaving, ids=ids[portion], reason=f"run {run}")
                count += edit.apply([op])[0].count
    if delete:
        scrub(core)
    return told(space, "evict", count, run, began, dry_run=False)


def ago(now: datetime, age: timedelta) -> datetime:
    """So long before now; what is older than time itself is nothing."""
    try:
        return now - age
    except OverflowError:
        return datetime.min.replace(tzinfo=now.tzinfo)


def _erase(edit: Edit, space: str, versions: tuple[int, ...]) -> int:
    """Forgets records as if each were forgotten by hand: with what was merged into them, and what was made of them."""
    leaving = Leaving(edit, space)
    leaving.follow(records_of(edit, versions))
    if leaving.removed:
        erased = leaving.erased()
        edit.keep(DOCUMENTS, dict.fromkeys(leaving.files), space=space)
        note_forgotten(edit, space, leaving.removed.values())
        forget_files(edit, space, [*leaving.removed, *leaving.rewritten])
        edit.apply(leaving.ops("evicted for good"))
        note_erased(edit, erased)
    return len(leaving.removed)


def told(
    space: str, verb: Literal["evict", "fade", "thin"], count: int, run: int | None, began: float, *, dry_run: bool
) -> Maintained:
    """What a run did that began then."""
    return Maintained(
        space=space, verb=verb, count=count, entry=run, dry_run=dry_run,
        seconds=round(time.monotonic() - began, 3),
    )  # fmt: skip


# Runs


class _Run(Struct, frozen=True):
    """A run as it is kept under its entry, in the space that it worked on."""

    verb: str
    undone: bool = False


RUNS = Shelf("runs", _Run)


class Run(Struct, frozen=True):
    """One run of upkeep in a space, by its entry in the journal; `later` is the last one like it that still stands."""

    entry: int
    space: str
    verb: str
    undone: bool
    later: int | None


def _begin(edit: Edit, space: str, verb: str, reason: str) -> int:
    """Notes that a run begins; its entry names it from then on."""
    entry = edit.apply([Note(space=space, verb=verb, reason=reason)])[0].entry
    edit.keep(RUNS, {str(entry): _Run(verb)}, space=space)
    return entry


def find_run(view: View, change: Change) -> Run | None:
    """The run that an entry of the journal is the beginning of, if it is."""
    kept = {int(key): run for key, run in view.kept(RUNS, space=change.space).items()}
    found = kept.get(change.entry)
    if found is None:
        return None
    later = (entry for entry, run in kept.items() if entry > change.entry and run.verb == found.verb)
    standing = max((entry for entry in later if not kept[entry].undone), default=None)
    return Run(change.entry, change.space, found.verb, found.undone, standing)


# Taking back


@as_one_act
def undo_run(core: Core, run: Run, reason: str | None) -> Receipt:
    """Takes a whole run back: what was evicted returns, what has faded has its confidence again."""
    if run.undone:
        raise Conflict(f"entry {run.entry} was taken back already")
    if run.later is not None and run.verb == "fade":
        raise Conflict(f"what faded in entry {run.entry} faded again in entry {run.later}; undo that first")
    count = _unfade(core, run) if run.verb == "fade" else _revive(core, run)
    with core.store.write(actor=core.actor) as edit:
        edit.keep(RUNS, {str(run.entry): _Run(run.verb, undone=True)}, space=run.space)
        said = reason or f"took back entry {run.entry}: {count} {'restored' if run.verb == 'fade' else 'returned'}"
        done = edit.apply([Note(space=run.space, verb="undo", reason=said)])[0].entry
    core.written()
    return Receipt(outcome="stored", id=run.space, space=run.space, reason=said, entry=done)


def _unfade(core: Core, run: Run) -> int:
    with core.store.write(actor=core.actor) as edit:
        return edit.apply([Unfade(run=run.entry, space=run.space)])[0].count


def _revive(core: Core, run: Run) -> int:
    """Brings evicted records back as new versions, except where one of that id is there again."""
    count, after = 0, 0
    while True:
        began = time.monotonic()
        with core.store.write(actor=core.actor) as edit:
            gone = edit.select(Ident, _of_run(run, after), limit=_REVIVED)
            back = _returning(edit, run, gone)
            edit.apply([put_of(edit, record, "undo", undoes=run.entry) for record in back])
        count += len(back)
        if not gone:
            break
        after = gone[-1].version
        _rest(time.monotonic() - began)
    if not count:
        raise Conflict(f"nothing that entry {run.entry} evicted can be brought back")
    return count


def _of_run(run: Run, after: int) -> Filter:
    return Filter(spaces=(run.space,), run=run.entry, after=after, past=True, valid_only=False)


def _returning(edit: Edit, run: Run, gone: Sequence[Ident]) -> list[Record]:
    """What was evicted, as it was stated, unless there is a record of that id again."""
    ids = tuple(one.id for one in gone)
    there = {one.id for one in edit.select(Ident, Filter(spaces=(run.space,), ids=ids, valid_only=False)) if ids}
    found = (edit.get(Record, run.space, one.id, version=one.version) for one in gone if one.id not in there)
    return list({record.id: record for record in found if record is not None}.values())


# Schedules

_SLOTS = Shelf("slots", int)
"""Which moment of a schedule was taken last, in microseconds since 1970."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def claim(core: Core, task: str, slot: datetime, now: datetime) -> bool:
    """Takes a slot of a schedule, unless it or a later one was taken, by whichever process.

    One that is yet to come was taken by a clock that was ahead, and keeps nobody from anything.
    """
    wanted, ahead = ((moment - _EPOCH) // timedelta(microseconds=1) for moment in (slot, now + APART))
    with core.store.write(actor=core.actor) as edit:
        if wanted <= edit.kept(_SLOTS, keys=(task,)).get(task, wanted - 1) <= ahead:
            return False
        edit.keep(_SLOTS, {task: wanted})
    return True


# Sweeping


class Sweeping:
    """Moves the words of what was evicted out of the live index, in the background, when there are any.

    What it cannot move (a full disk, a store in use, a server that is gone), whoever opens the store next does.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._loop = Loop("recollect-sweep", self._sweep, failed=keep)

    def look(self) -> None:
        """Begins where something is left: a process may have ended before it had swept all."""
        with self._core.store.read() as view:
            left = view.count(Filter(evicted=True, past=True, valid_only=False))
        if left:
            self.wake()

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
            with self._core.store.write(actor=self._core.actor) as edit:
                swept = edit.apply([Sweep(_SWEPT)])[0].count
            self._loop.stopping.wait(time.monotonic() - began)  # nobody waits for this: half of the time is for others
