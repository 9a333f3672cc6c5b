"""What do all use cases share?"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import wraps
from itertools import islice
from typing import Concatenate, ParamSpec, TypeVar

import msgspec

from recollect.config import Settings
from recollect.engine.parse import parse_filter, parse_space
from recollect.engine.sight import Eyes
from recollect.errors import Conflict, NotFound, StoreAway, StoreBusy, StoreError, StoreLost
from recollect.fields import Spaces
from recollect.store.base import Changes, Edit, S, Store, T, Turn, View
from recollect.store.marks import FORGET, marks_of
from recollect.store.ops import GONE
from recollect.types import Change, Filter, Record, Space

A = ParamSpec("A")
P = TypeVar("P")
R = TypeVar("R")

_FEW_LENGTHS, _MOST_LENGTHS = 5_000, 100_000
_MOST_CHANGES = 1_000_000
_IDS_AT_ONCE = 10_000
LET_GO = (FORGET, "evict")
"""By which verbs something leaves that is to stay away."""
AWAY_SECONDS = 5.0
"""So often a store that is away is looked for."""
FEW_WORDS = 2  # that tell something: as many as a text of six words has, at least
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_ID_LENGTH = 12
_TO_LETTER = bytes(_LETTERS[byte % 26] for byte in range(256))
_TO_CHARACTER = bytes((_LETTERS + b"0123456789")[byte % 36] for byte in range(256))


def utc_now() -> datetime:
    return datetime.now(UTC)


def random_id(length: int = _ID_LENGTH) -> str:
    """Twelve characters, a letter first: short enough to cite, and no two alike in practice (10^18 of them)."""
    noise = os.urandom(length)
    return (noise[:1].translate(_TO_LETTER) + noise[1:].translate(_TO_CHARACTER)).decode()


def random_uuid() -> str:
    """A random UUID (version 4)."""
    noise = bytearray(os.urandom(16))
    noise[6] = noise[6] & 0x0F | 0x40
    noise[8] = noise[8] & 0x3F | 0x80
    digits = noise.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


class Lengths:
    """How many words that tell something some versions have, at least: that never changes.

    What others `known` say is told, and nothing is learned: so for who sees versions that are not committed. Once it is
    known of twice as many as stood when that was last looked at, it is forgotten of those that left the present: else
    it would grow with everything that ever passed through.
    """

    def __init__(self, known: Lengths | None = None) -> None:
        self.learns = known is None
        self.words: dict[int, int] = {} if known is None else known.words
        self.longer = set[int]() if known is None else known.longer
        """Those that have more than a few."""
        self._room = _FEW_LENGTHS

    def learn(self, version: int, words: int) -> None:
        if not self.learns:
            return
        if len(self.words) > _MOST_LENGTHS:
            self._keep({})
        self.words[version] = words
        if words > FEW_WORDS:
            self.longer.add(version)

    def forget_gone(self, view: View) -> None:
        """Forgets versions that a view does not see any more, once there may be many of them."""
        if self.learns and len(self.words) > self._room:
            words, asked = self.words, Filter(versions=tuple(self.words), valid_only=False)
            self._keep({version: words[version] for version in view.select(int, asked)})

    def _keep(self, words: dict[int, int]) -> None:
        self.words, self.longer = words, {version for version, count in words.items() if count > FEW_WORDS}
        self._room = max(_FEW_LENGTHS, 2 * len(words))


PAGE = "page"
PERSONS = ("cli", PAGE)
"""Who acts where a person types commands, or clicks; everybody else is a program."""
PROGRAMS = frozenset({*PERSONS, "api", "mcp", "http", "schedule", "repair", "owner", "recollect"})
"""Names under which our own programs act: nobody else is called so."""


class Core:
    """The store, the clock, the source of ids, and who is acting."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        *,
        actor: str | None,
        clock: Callable[[], datetime] = utc_now,
        new_id: Callable[[], str] = random_id,
    ) -> None:
        self.store = store
        self.settings = settings
        self.actor = actor
        self.clock = clock
        self.new_id = new_id
        self.client = ""
        """Whose keys of changes these are; the owner's have no name before them."""
        self.by_hand = actor in PERSONS
        """Does a person act, who vouches for what is kept? Whoever is only called like one of our programs does not."""
        self.known_as: str | None = None
        """The name that whoever is acting was given, whatever they call themselves."""
        self.on_write: list[Callable[[], None]] = []
        self.lengths = Lengths()
        self.eyes: Eyes | None = None
        """What sees a text at once, where a model is loaded."""
        self.notes: list[str] = []
        """What a person should hear of how the memory was found."""

    def written(self) -> None:
        """Tells whoever waits for new records that there are some."""
        for notify in self.on_write:
            notify()


class _Undone(Exception):
    """Ends a transaction that was only tried."""


def transact(core: Core, work: Callable[[Edit], None], *, dry_run: bool) -> None:
    """One transaction; a dry run takes it back when all is counted."""
    try:
        with core.store.write(actor=core.actor) as edit:
            work(edit)
            if dry_run:
                raise _Undone
    except _Undone:
        return


class _Thread(threading.local):
    joined = False


_thread = _Thread()


@contextmanager
def joined(core: Core) -> Generator[None]:
    """Makes one transaction of all that this thread reads and writes meanwhile."""
    with core.store.joined():
        before, _thread.joined = is_joined(), True
        try:
            yield
        finally:
            _thread.joined = before


def is_joined() -> bool:
    """Is this thread in such a transaction, whose changes nobody else sees yet?"""
    return _thread.joined


Step = Callable[[int, int], None]
"""Is told how far a change is; what it raises takes all of the change back."""
_STEPS = 32


def stepping(items: Sequence[P], step: Step | None, stage: int = 0, stages: int = 1) -> Iterator[P]:
    """Things one by one, where all of them pass so many stages; now and then `step` is told how many are done."""
    return iter(items) if step is None else _stepping(items, step, stage, stages)


def _stepping(items: Sequence[P], step: Step, stage: int, stages: int) -> Iterator[P]:
    for place, item in enumerate(items):
        if place and place % _STEPS == 0:
            step((stage * len(items) + place) // stages, len(items))
        yield item


def parts(items: Iterable[P], size: int) -> Iterator[tuple[int, list[P]]]:
    """Things by so many at a time, each time with how many there were so far."""
    rest, done = iter(items), 0
    while part := list(islice(rest, size)):
        done += len(part)
        yield done, part


def find(view: View, type_: type[T], id: str, space: str | None) -> T:
    """The object of that id in a space, or in the only space that has one."""
    if space is None:
        held = [home.name for home in view.spaces(holding=(type_, id))]
        homes = [home for home in held if view.get(type_, home, id) is not None]
        if len(homes) > 1:
            raise Conflict(f"{id} is in several spaces ({', '.join(homes)}); say which with space=")
        space = homes[0] if homes else None
    found = None if space is None else view.get(type_, space, id)
    if found is None:
        where = "" if space is None else f" in space {space!r}"
        raise NotFound(f"there is no {type_.__name__.lower()} with id {id!r}{where}")
    return found


def missing_space(name: str, known: Sequence[str]) -> str:
    """What is said of a space that is not there."""
    return f"there is no space named {name!r}; there are: {', '.join(known) or 'none yet'}"


def existing(core: Core, space: str) -> str:
    """A space's name, where there is such a space."""
    label = parse_space(space, "name")
    with core.store.read() as view:
        if not view.spaces([label]):
            raise NotFound(missing_space(label, [one.name for one in view.spaces()]))
    return label


def named_spaces(core: Core, space: Spaces) -> list[str]:
    """One space, several, or (None) all, each of which there must be."""
    named = parse_filter(space=space).spaces
    if named:
        return [existing(core, name) for name in named]
    with core.store.read() as view:
        return [one.name for one in view.spaces()]


def as_one_act(work: Callable[Concatenate[Core, A], R]) -> Callable[Concatenate[Core, A], R]:
    """Work in several transactions whose entries in the journal, of one space, are one act."""

    @wraps(work)
    def done(core: Core, *args: A.args, **kwargs: A.kwargs) -> R:
        with core.store.joined(in_steps=True):
            return work(core, *args, **kwargs)

    return done


@contextmanager
def taking(core: Core, work: str, *names: str, patience: float = 0.0) -> Generator[None]:
    """Has the turn for something while the body runs; raises `Conflict` where somebody else has it for so long."""
    turn = core.store.turn(*names)
    if not turn.take(patience):
        raise Conflict(f"{work} is under way elsewhere")
    try:
        yield
    finally:
        turn.release()


def try_again(act: Callable[[], S]) -> S:
    """Does something that comes to the same however often it is done: once more, where the store's server was lost."""
    try:
        return act()
    except StoreLost:
        return act()


def wait_for_store(
    act: Callable[[], S], tell: Callable[[str], None], wait: Callable[[float], bool | None] = time.sleep
) -> S:
    """Does something that comes to the same however often it is done, once the store is there: for who goes on for
    days. That it is waited for is told once, and when that is over. Where to `wait` is to stop, the error is raised.
    """
    problem: StoreError | None = None
    while True:
        try:
            done = act()
        except (StoreAway, StoreBusy, StoreLost) as error:
            if problem is None:
                tell(f"waiting for the store: {error}")
            problem = error
            if wait(AWAY_SECONDS):
                raise
        else:
            if problem is not None:
                tell("the store is back")
            return done


def is_taken(turn: Turn) -> bool:
    """Does some process, perhaps this one, have the turn?"""
    taken = not turn.take()
    turn.release()
    return taken


def space_of(view: View, name: str) -> Space | None:
    """The space of that name, if there is one."""
    return next(iter(view.spaces([name])), None)


def last_entry(view: View) -> int:
    """The number of the journal's last entry; 0 where it has none."""
    return next((change.entry for change in view.journal(newest_first=True, limit=1)), 0)


def records_of(view: View, versions: Sequence[int]) -> list[Record]:
    """Versions in the order in which they are asked for, whether they still hold or not."""
    return view.select(Record, Filter(versions=tuple(versions), past=True, valid_only=False))


def forgotten_among(view: View, space: str, noun: str, ids: Iterable[str]) -> dict[str, datetime]:
    """Those of some ids whose record, entity or relation was ever forgotten for good, and is not there now; and when.

    What came under such an id later, and was undone or evicted then, changes nothing: who forgot it meant it. What was
    only undone or archived was not forgotten, also where nothing is left of it since history was thinned.
    """
    asked = list(dict.fromkeys(ids))
    last, forgotten = _told_of(view, space, noun, asked)
    gone = [id for id in asked if id not in last or last[id].after is None]
    marks = marks_of(view, space, noun, gone)
    found = {id: mark.at for id, mark in marks.items() if mark.verb == FORGET}
    return found | {id: forgotten[id] for id in gone if id in forgotten}


def ways_out(view: View, space: str, noun: str, ids: Iterable[str]) -> dict[str, str]:
    """By which verb the journal says last that some records, entities or relations left the present; for those that
    are gone, how they did before that, also where the journal says nothing of them any more. What was ever forgotten
    and is gone left by that.
    """
    asked = list(dict.fromkeys(ids))
    last = last_changes(view, space, noun, asked)
    ways = {id: (one.reason or one.verb) if one.verb == "thin" else one.verb for id, one in last.items()}
    marks = marks_of(view, space, noun, (id for id in asked if id not in last))
    forgotten = forgotten_among(view, space, noun, asked)
    return ways | {id: mark.verb for id, mark in marks.items()} | dict.fromkeys(forgotten, FORGET)


def forgotten_under(view: View, space: str, noun: str, id: str) -> datetime | None:
    """When something was last forgotten under an id that something else may have by now."""
    mark = marks_of(view, space, noun, [id]).get(id)
    journalled = _told_of(view, space, noun, [id])[1].get(id)
    return journalled or (mark.at if mark is not None and mark.verb == FORGET else None)


def let_go_among(view: View, space: str, noun: str, ids: Iterable[str]) -> frozenset[str]:
    """Those of some ids whose record, entity or relation was forgotten or evicted, and is not there now."""
    asked = list(dict.fromkeys(ids))
    last = last_changes(view, space, noun, asked)
    gone = [id for id in asked if id not in last or last[id].after is None]
    return frozenset(id for id, verb in ways_out(view, space, noun, gone).items() if verb in LET_GO)


def last_changes(view: View, space: str, noun: str, ids: Iterable[str]) -> dict[str, Change]:
    """What the journal says last of some records, entities or relations, by id."""
    return _told_of(view, space, noun, ids)[0]


def _told_of(view: View, space: str, noun: str, ids: Iterable[str]) -> tuple[dict[str, Change], dict[str, datetime]]:
    """What the journal says last of some things of one kind, and when it says last that they were forgotten."""
    asked, last, forgotten = tuple(dict.fromkeys(ids)), dict[str, Change](), dict[str, datetime]()
    for start in range(0, len(asked), _IDS_AT_ONCE):
        some = Changes(space=space, object_ids=asked[start : start + _IDS_AT_ONCE])
        changes = view.journal(some, limit=_MOST_CHANGES)
        last |= {change.object_id: change for change in changes if change.object_type == noun and tells(change)}
        forgotten |= {one.object_id: one.at for one in changes if one.object_type == noun and one.verb == FORGET}
    return last, forgotten


def tells(change: Change) -> bool:
    """Does an entry say anything of its object? Of what was forgotten, or went with thinned history, earlier releases
    left entries that say no more than that they began an act. A mark is later than such a one, and earlier than all
    others: as it was made nothing was left of its object, and what came since has versions, or says how it went.
    """
    if change.verb in GONE:
        return change.verb == FORGET or change.reason is not None
    return change.before is not None or change.after is not None


def within(filter: Filter, space: str, versions: Sequence[int]) -> Filter:
    """A filter that lets through some versions of one space alone."""
    return msgspec.structs.replace(filter, spaces=(space,), versions=tuple(versions))
