"""What must something be, to keep a memory?

A store keeps two kinds of things. Canonical: spaces, records, entities, relations and the journal, every one of
them as versions that are never overwritten. Derived: terms, names and vectors, which can be made again from the
canonical ones. Reads happen inside one consistent `View`; changes inside one `Edit`, which is a transaction.

An Edit excludes every other Edit of the same store, whichever process or machine has it. So the journal's order is
total: whoever remembers the last entry that they saw has missed nothing before it, what was looked for and not found
can be written, and the place after the last is free. Everything is asked in few calls, each of which may be one round
trip to another machine.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Generic, Literal, Protocol, Self, TypeVar, overload

import msgspec
from msgspec import Struct

from recollect.store.ops import MOST_COUNTED, Done, EvictionRule, FadingRule, Lexis, Op, Thing
from recollect.store.search import Findings, Model, NearMatch, Pick, Vector, Waiting, WordMatch
from recollect.types import (
    DOING_KINDS,
    Act,
    Change,
    Claim,
    Entity,
    Filter,
    Grounds,
    Metadata,
    Order,
    Record,
    Relation,
    Space,
    Status,
    Trust,
)  # fmt: skip

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T", bound=Record | Entity | Relation)
V = TypeVar("V")
S = TypeVar("S")
U = TypeVar("U")
N = TypeVar("N", str, int)
By = Literal["kind", "session", "project", "room", "tag", "day", "claim", "list"]
"""What records are counted by; a `day` is the number of that on which one was stored, from 1970.

A `list` is that of a session's messages, which also names those that are gone."""


def normal_name(name: str) -> str:
    """The form in which names are compared: case and spacing do not matter."""
    return " ".join(name.casefold().split())


def claim_ref(kind: str, claim: Claim) -> str:
    """What all claims of one kind about the same subject and predicate have in common."""
    said = msgspec.json.encode((kind, claim.subject, claim.predicate))
    return f"claim:{hashlib.sha256(said).hexdigest()[:32]}"


def refs_of(record: Record | Outline) -> list[str]:
    """By what a record can be found through what it rests on, or was made of."""
    grounds = record.grounds
    if grounds is None:
        return _sources_of(record) if record.kind == SUMMARY else []
    refs = [f"evidence:{item.source}" for item in grounds.evidence]
    refs += [f"subject:{subject}" for subject in grounds.subjects]
    refs += [f"scope:{scope}" for scope in grounds.scopes]
    if grounds.claim is not None:
        refs += [claim_ref(record.kind, grounds.claim), f"subject:{grounds.claim.subject}"]
        refs += [] if grounds.claim.object is None else [f"object:{grounds.claim.object}"]
    if record.kind in DOING_KINDS:
        doing = record.metadata if isinstance(record, Record) else record.doing or {}
        refs += [f"named:{name}" for _, name in named_in(doing)]
    return list(dict.fromkeys([*refs, *_sources_of(record)]))


SUMMARY = "summary"
"""The kind of records that say what others say, in fewer words."""
MADE_OF = "made_of:"
"""What a ref begins with that names a record which a summary was made of. Old versions are found by it, too."""
NAMING = ("source_memory_ids", "summary_of")
"""Under which names the metadata of a summary tells what it was made of."""


def made_of(record: Record | Outline) -> list[str]:
    """The ids of the records that a summary was made of, as far as it names them."""
    if record.kind != SUMMARY or not isinstance(record, Record):
        return []
    named = (record.metadata.get(name) for name in NAMING)
    return [id for some in named if isinstance(some, list | tuple) for id in some if isinstance(id, str)]


def _sources_of(record: Record | Outline) -> list[str]:
    return list(dict.fromkeys(f"{MADE_OF}{id}" for id in made_of(record)))


def named_in(doing: Metadata) -> Iterator[tuple[str, str]]:
    """The other objects that an activity or a work item names in its metadata: in lists, and by `…_ref`."""
    for field, value in doing.items():
        if isinstance(value, str):
            yield from [(field, value)] if field.endswith("_ref") else ()
        elif isinstance(value, Sequence):
            yield from ((field, item) for item in value if isinstance(item, str))


# Shapes: what may be asked of a version, without all the rest


class Outline(Struct, frozen=True, gc=False):
    """What upkeep needs to know of a live record, without its text. Times are microseconds since 1970.

    `heading` is the title or the beginning of the text, `location` and `fingerprint` are a source's, `doing` is the
    metadata of an activity or a work item.
    """

    version: int
    id: str
    kind: str
    heading: str
    status: Status
    trust: Trust
    confidence: float
    created_at: int
    valid_from: int | None
    valid_until: int | None
    superseded_by: str | None
    location: str | None
    fingerprint: str | None
    doing: Metadata | None
    grounds: Grounds | None


class Glance(Struct, frozen=True):
    """The little that ranking needs to know about a candidate, without its text."""

    version: int
    id: str
    session: str | None
    source: str | None
    position: int
    event_time: int
    importance: float
    confidence: float
    content_hash: bytes
    superseded_by: str | None


class Traits(Struct, frozen=True, gc=False):
    """What the worth of a version is told by."""

    version: int
    event_time: int
    importance: float
    confidence: float
    text: str


class Weight(Struct, frozen=True, gc=False):
    """What decides how important a version is."""

    version: int
    importance: float
    event_time: int
    accesses: int


class Piece(Struct, frozen=True, gc=False):
    """Which text stands where in a source."""

    source: str
    position: int
    content_hash: bytes


class Ident(Struct, frozen=True, gc=False):
    """Which record a version is of, and when that was made."""

    version: int
    id: str
    created_at: int


class Link(Struct, frozen=True, gc=False):
    """What a walk needs to know of a relation."""

    subject: str
    object: str
    weight: float


class Step(Struct, frozen=True, gc=False):
    """A relation that a walk came by, from the end that it was nearer to; or (hop -1) an entity there and its name."""

    hop: int
    near: str
    far: str
    weight: float


# Filters: which entities, relations and changes are meant. That for records is `types.Filter`.


class Walk(Struct, frozen=True, kw_only=True):
    """How far relations are followed from some entities: a hop begins at `widest` of what is new to the one before."""

    starts: tuple[str, ...]
    hops: int
    widest: int


class Entities(Struct, frozen=True, kw_only=True):
    """Entities of a space: by their ids, by names that they have, or by words that occur in one.

    `among` asks for several spaces, by names alone: those given, letter by letter, and those that occur in a `text`.
    """

    space: str = ""
    among: tuple[str, ...] | None = None
    text: str = ""
    ids: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    words: tuple[str, ...] = ()
    as_of: datetime | None = None


class Relations(Struct, frozen=True, kw_only=True):
    """Relations of a space: from or to some entities, and those alone that hold (`active`) or all that are stated.

    `as_of` asks what was known and held then, `true_at` what held then as it is known now. A `walk` goes on from hop to
    hop, and is asked for in the shape of a `Step`; a limit is that of a hop, each way.
    """

    space: str
    walk: Walk | None = None
    subjects: tuple[str, ...] | None = None
    objects: tuple[str, ...] | None = None
    as_of: datetime | None = None
    true_at: datetime | None = None
    active: bool = True


class Unsealed(Struct, frozen=True):
    """Rows that were written by an earlier release, and have no checksum yet."""


class Changes(Struct, frozen=True, kw_only=True):
    """Entries of the journal; those of an `act` are told by its first, those `later_than` a moment are dated so.

    `last_besides` asks for the last one of each space that an actor has not made, `reasoned` for those with a reason.
    """

    space: str | None = None
    object_id: str | None = None
    entry: int | None = None
    act: int | None = None
    later_than: datetime | None = None
    after: int = 0
    before: int | None = None
    last_besides: str | None = None
    reasoned: bool = False


class Acts(Struct, frozen=True, kw_only=True):
    """What was done in a space or in all, in acts that began before an entry."""

    space: str | None = None
    before: int | None = None


# Answers


class Group(Struct, frozen=True):
    """How many records have something in common, and when the first and the last of them happened."""

    key: str
    count: int
    first: datetime
    last: datetime


class Due(Struct, frozen=True):
    """What a run of upkeep would change; of what is evicted, also the ids."""

    versions: tuple[int, ...] = ()
    ids: tuple[str, ...] = ()


class Shelf(Struct, Generic[V], frozen=True):
    """A named list of small values, each under a key, of a space or of the whole store: bookkeeping, not memory."""

    name: str
    type: type[V]


INDEX = Shelf("index", int)
"""By which rules an index was made that is in use; and whether a store is still being filled."""
UNFINISHED = "unfinished"
"""Stands with the rules of indexes for as long as a move fills the store: nobody else works in it."""


class View(Protocol):
    """One consistent look at the store."""

    @property
    def now(self) -> datetime:
        """When this look or this transaction happens; an Edit is later than all before it."""
        ...

    @overload
    def together(self, one: Callable[[], S], other: Callable[[], U], /) -> tuple[S, U]: ...
    @overload
    def together(self, *asks: Callable[[], S]) -> Sequence[S]:
        """What some functions answer that ask this view, none of which needs what another answers.

        A store that is far away answers all of them in as many round trips as the longest takes; until it has its
        answers each may be called more than once, so they may do nothing but ask.
        """
        ...

    def spaces(
        self, names: Sequence[str] | None = None, *, holding: tuple[type[Thing], str] | None = None
    ) -> list[Space]:
        """All spaces by name, or those of some names that there are; of `holding` a type of objects and an id, those
        that have, or once had, one of that id."""
        ...

    def get(
        self, type_: type[T], space: str, id: str, as_of: datetime | None = None, *, version: int | None = None
    ) -> T | None:
        """An object as it is, as it was known at a moment, or as one version states it."""
        ...

    def select(
        self, shape: type[S], where: Filter, order: Order | None = None, limit: int | None = None, offset: int = 0
    ) -> list[S]:
        """Records, or as much of each as a shape has fields for; `int` asks for the numbers of versions alone.

        Without an order they come by version, or as `where.versions` lists them. `Message` asks for the lists of
        the sessions that a filter names.
        """
        ...

    @overload
    def count(self, where: Filter | Entities | Relations | Unsealed) -> int: ...
    @overload
    def count(self, where: Filter, by: By, limit: int | None = None, offset: int = 0) -> list[Group]:
        """How many there are; or how many of each, by key, and sessions and lists by their last moment."""
        ...

    def entities(
        self, where: Entities, *, newest_first: bool = False, limit: int | None = None, offset: int = 0
    ) -> list[Entity]: ...
    def relations(
        self, shape: type[S], where: Relations, *, newest_first: bool = False, limit: int | None = None
    ) -> list[S]:
        """Relations, or as much of each as a shape has fields for."""
        ...

    @overload
    def journal(self, where: Acts, *, newest_first: bool = False, limit: int = 1000) -> list[Act]: ...
    @overload
    def journal(
        self, where: Changes | None = None, *, newest_first: bool = False, limit: int = 1000
    ) -> list[Change]: ...
    def kept(self, shelf: Shelf[V], *, space: str | None = None, keys: Sequence[str] | None = None) -> dict[str, V]:
        """What stands on a shelf, by key and in the order of keys (all of it, or what stands under some)."""
        ...

    def due(self, space: str, rule: FadingRule | EvictionRule) -> Due:
        """What a run of upkeep would change."""
        ...

    # Derived

    def words(
        self,
        spaces: Sequence[str],
        terms: Sequence[int],
        where: Filter,
        most: int | None,
        *,
        exact: bool = False,
        every: bool = False,
    ) -> dict[str, WordMatch]:
        """Of each space that is there, the versions that hold most of the weight of some terms: rare ones weigh most.

        Old versions are among them where `where` looks back. Only with `exact` are those that it leaves out replaced by
        others; without, `signals` leaves them out. With `every`, versions that hold all terms; of no terms, that is all
        that `where` lets through.
        """
        ...

    def near(
        self,
        spaces: Sequence[str],
        model: int,
        vector: NDArray[np.float32],
        where: Filter,
        most: int,
        *,
        exact: bool = False,
    ) -> dict[str, NearMatch]:
        """Of each space that is there, the pieces that lie nearest to a vector; `where`, `exact` are as in `words`."""
        ...

    def signals(
        self,
        picks: Mapping[str, Pick],
        where: Filter | None,
        *,
        terms: Sequence[int] = (),
        model: int | None = None,
        vector: NDArray[np.float32] | None = None,
        tokens: NDArray[np.float32] | None = None,
        alike: bool = False,
    ) -> dict[str, Findings]:
        """What can be said of some versions of each space, of those that `where` lets through.

        Without `where`, of all of them in the order given, and no more than the vectors of a model tell.
        """
        ...

    def pairs(
        self, space: str, model: int, least: float, where: Filter, stop: Callable[[], bool]
    ) -> list[tuple[int, int, float]]:
        """Pairs of versions (the lesser first) whose pieces are all at least so near, with the least cosine of them.

        The nearest come first; nearly all there are, since not each is compared with each. Ends early when told to.
        """
        ...

    def terms(self, versions: Sequence[int]) -> dict[int, Lexis]:
        """What the keyword index knows of some versions."""
        ...

    def mentions(self, space: str, names: Sequence[N], most: int | None = None) -> dict[N, list[int]]:
        """The live versions that mention each of some names (or hold a term, given by its hash), oldest first.

        Of each, the newest where there are more than `most`.
        """
        ...

    def names(self, spaces: Sequence[str], phrases: Sequence[str] = (), text: str = "") -> dict[str, list[str]]:
        """Of each space that knows names of entities at all, those among some phrases, or anywhere in a text."""
        ...

    def models(self) -> list[Model]: ...
    def waiting(
        self,
        model: int | None,
        spaces: Sequence[str] | None = None,
        most: int = 0,
        where: Filter | None = None,
        *,
        among: Sequence[int] | None = None,
    ) -> Waiting:
        """How many versions (of some spaces, or all; that a filter lets through) have no vector of a model, and those
        that are to come first.

        That is records before documents before code, the newest of each first; `among` asks for some versions alone.
        Of no model in particular: of the one that is most complete; then the versions are not told.
        """
        ...


class Edit(View, Protocol):
    """A transaction. Everything in it happens, or nothing does; every canonical change is journalled."""

    def apply(self, ops: Sequence[Op]) -> list[Done]:
        """Does operations in order, and answers for each what came of it."""
        ...

    def keep(
        self, shelf: Shelf[V], items: Mapping[str, V | None], *, space: str | None = None, only: bool = False
    ) -> None:
        """Puts values on a shelf; None takes one off. With `only`, whatever else stood there goes."""
        ...

    def touch(self, touches: Mapping[tuple[str, str], int], at: datetime) -> None:
        """Counts that records (by space and id) were recalled. This is bookkeeping, not a change of what is known."""
        ...

    # Derived

    def relink(self, version: int, lexis: Lexis) -> None: ...
    def tend(self) -> None:
        """Keeps what is derived quick to read: a bounded piece of work."""
        ...

    def adopt(self, name: str, dim: int, mean: bytes, floor: float, spread: float) -> Model: ...
    def put_vectors(self, model: int, versions: Sequence[int], vectors: Sequence[Vector]) -> None: ...
    def drop_vectors(self, keep_model: str | None, *, renew: bool = False) -> int:
        """Forgets the vectors of every model but one. To `renew` that one's, all versions wait for them once more."""
        ...

    def rebuild(
        self, derive: Callable[[Record], Lexis], rules: int, most: int, *, anew: bool = False
    ) -> tuple[int, int]:
        """Makes the keyword index anew, of the next so many versions. Answers how many are done, and of how many.

        The one in use answers until all are done, and is then replaced. A step goes on where the last one by the same
        rules ended, whoever made it, unless it is to begin `anew`.
        """
        ...


class Turn(Protocol):
    """The right to work on something, which one process on one machine has at a time, however it ends."""

    @property
    def mine(self) -> bool: ...
    def __enter__(self) -> Self:
        """Waits until nobody else has it, or until it is told to stop; then it may not be ours."""
        ...

    def __exit__(
        self, type_: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

    def take(self) -> bool:
        """Takes the turn if nobody has it."""
        ...

    def release(self) -> None: ...


class About(Struct, frozen=True):
    """What there is to say of a store: where it is, and what a person should hear of how it was found.

    In `folder` lie files that belong to it and that people may edit; None where all of it is elsewhere.
    """

    location: str
    folder: Path | None = None
    notes: tuple[str, ...] = ()


Extent = Literal["erased", "some", "all"]
"""How much is done. `erased`: what erased things left behind on disk is removed. `some`: that, and a bounded piece of
giving room back, and of giving rows of earlier releases their checksums. `all`: the store is made as small as can be,
which takes as long as it takes; the others keep nobody waiting."""


class Store(Protocol):
    """Where a memory is kept."""

    on_commit: list[Callable[[], None]]
    """Told after every transaction."""

    @property
    def about(self) -> About: ...
    def read(self) -> AbstractContextManager[View]: ...
    def write(self, *, actor: str | None = None, patience: float | None = None) -> AbstractContextManager[Edit]:
        """A transaction. Its entries of one space are one act.

        Who waits longer than `patience` seconds for other writers has `StoreBusy` instead.
        """
        ...

    def joined(self, *, in_steps: bool = False) -> AbstractContextManager[object]:
        """Makes one transaction, and so one act, of all that this thread reads and writes meanwhile.

        Done `in_steps` it is one act of as many transactions as it takes.
        """
        ...

    def turn(self, *names: str, stop: threading.Event | None = None) -> Turn:
        """The turn for something of these names; whoever waits for it is told when to stop."""
        ...

    def follow(self, after: int, seconds: float, *, limit: int = 1000) -> list[Change]:
        """What was changed after an entry, by whichever process; waits so long for it where there is nothing yet."""
        ...

    def check(self) -> Iterator[str]:
        """What is wrong with the store, one sentence each; nothing when all is well."""
        ...

    def settle(self, what: Extent = "some") -> bool:
        """Does what is best done when nobody writes. False: more is left."""
        ...

    def size(self) -> int: ...
    def close(self) -> None: ...


__all__ = [
    "INDEX",
    "MOST_COUNTED",
    "UNFINISHED",
    "About",
    "Acts",
    "By",
    "Changes",
    "Done",
    "Due",
    "Edit",
    "Entities",
    "EvictionRule",
    "Extent",
    "FadingRule",
    "Glance",
    "Group",
    "Ident",
    "Lexis",
    "Link",
    "N",
    "Outline",
    "Piece",
    "Relations",
    "S",
    "Shelf",
    "Store",
    "T",
    "Thing",
    "Traits",
    "Turn",
    "Unsealed",
    "V",
    "View",
    "Weight",
    "claim_ref",
    "named_in",
    "normal_name",
    "refs_of",
]  # fmt: skip
