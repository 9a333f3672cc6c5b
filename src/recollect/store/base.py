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

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Literal, Protocol, Self, TypeVar, overload

from msgspec import Struct

from recollect.store.ops import MOST_COUNTED, Done, EvictionRule, FadingRule, Lexis, Op, Thing, ThinningRule
from recollect.store.questions import (
    Acts,
    By,
    Changes,
    Due,
    Entities,
    Glance,
    Group,
    Horizon,
    Ident,
    Link,
    Outline,
    Piece,
    Relations,
    Sessions,
    Step,
    Traits,
    Unsealed,
    Walk,
    Weight,
)  # fmt: skip
from recollect.store.search import Findings, Model, NearMatch, Pick, Vector, Waiting, WordMatch
from recollect.types import (
    Act,
    Change,
    Entity,
    Filter,
    Order,
    Record,
    Relation,
    Space,
)  # fmt: skip

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T", bound=Record | Entity | Relation)
V = TypeVar("V")
S = TypeVar("S")
U = TypeVar("U")
N = TypeVar("N", str, int)


def normal_name(name: str) -> str:
    """The form in which names are compared: case and spacing do not matter."""
    return " ".join(name.casefold().split())


def names_of(entity: Entity) -> list[str]:
    """What an entity is looked up by."""
    return sorted({normal_name(name) for name in (entity.name, *entity.aliases)})


class Shelf(Struct, Generic[V], frozen=True):
    """A named list of small values, each under a key, of a space or of the whole store: bookkeeping, not memory.

    What is kept for the whole store is each user's own, where a store has several that it does not trust alike. One
    that is `of_all` is the same list for all of them, which the store's owner alone writes.
    """

    name: str
    type: type[V]
    of_all: bool = False


INDEX = Shelf("index", int, of_all=True)
"""By which rules an index was made that is in use; and whether a store is still being filled."""
THINNED = Shelf("thinned", Horizon)
"""Up to when the history of a space was thinned; there is one value, under no name."""
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
        self, shape: type[S], where: Filter, order: Order | None = None, limit: int | None = None, offset: int = 0,
        *, beyond: int | None = None,
    ) -> list[S]:  # fmt: skip
        """Records, or as much of each as a shape has fields for; `int` asks for the numbers of versions alone.

        Without an order they come by version, or as `where.versions` lists them; with one, from behind the place of a
        version on, if `beyond` names it. `Message` asks for the lists of
        the sessions that a filter names, or of all of them, and of the time that it names.
        """
        ...

    @overload
    def count(self, where: Filter | Entities | Relations | Sessions | Unsealed) -> int: ...
    @overload
    def count(self, where: Filter | Changes, by: By, limit: int | None = None, offset: int = 0) -> list[Group]:
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

    def due(self, space: str, rule: FadingRule | EvictionRule | ThinningRule) -> Due:
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

    def roles(self) -> Iterator[None]:
        """One step for each user whose own shelves can be changed here: in it, `keep` and `kept` mean those."""
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


_LOOKS_EVERY = 0.05  # seconds, while a turn is somebody else's


class Turn(ABC):
    """The right to work on something, which one process on one machine has at a time, however it ends."""

    def __init__(self, stop: threading.Event | None = None) -> None:
        self._stop = stop or threading.Event()

    def __enter__(self) -> Self:
        """Waits until nobody else has it, or until it is told to stop; then it may not be ours."""
        while not self._try() and not self._stop.wait(_LOOKS_EVERY):
            continue
        if not self.mine:
            self.release()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def take(self, patience: float = 0.0) -> bool:
        """Takes the turn if nobody has it, or whoever has it lets go within so many seconds."""
        until = time.monotonic() + patience
        while not self._try():
            if time.monotonic() >= until or self._stop.wait(_LOOKS_EVERY):
                self.release()
                break
        return self.mine

    @property
    @abstractmethod
    def mine(self) -> bool: ...
    @abstractmethod
    def _try(self) -> bool:
        """Takes the turn if nobody has it; what that needs may be kept for the next try."""

    @abstractmethod
    def release(self) -> None:
        """Gives the turn back, and whatever was kept for it."""


class Site(Struct, frozen=True):
    """What there is to say of a store: where it is, and what a person should hear of how it was found.

    In `folder` lie files that belong to it and that people may edit; None where all of it is elsewhere. One that is
    `limited` shows this user some of its spaces, and nothing of the others.
    """

    location: str
    folder: Path | None = None
    notes: tuple[str, ...] = ()
    limited: bool = False


Extent = Literal["erased", "some", "all"]
"""How much is done. `erased`: what erased things left behind on disk is removed. `some`: that, and a bounded piece of
giving room back, and of giving rows of earlier releases their checksums. `all`: the store is made as small as can be,
which takes as long as it takes; the others keep nobody waiting."""


class Store(Protocol):
    """Where a memory is kept."""

    on_commit: list[Callable[[], None]]
    """Told after every transaction."""

    @property
    def site(self) -> Site: ...
    def read(self) -> AbstractContextManager[View]: ...
    def write(self, *, actor: str | None = None, patience: float | None = None) -> AbstractContextManager[Edit]:
        """A transaction. Its entries of one space are one act.

        Who waits longer than `patience` seconds for other writers has `StoreBusy` instead.
        """
        ...

    def joined(self, *, in_steps: bool = False, of: Mapping[str, int] | None = None) -> AbstractContextManager[object]:
        """Makes one transaction, and so one act, of all that this thread reads and writes meanwhile.

        Done `in_steps` it is one act of as many transactions as it takes. It answers with its first entry by space, so
        far: whoever is handed that goes on with the same act in another thread.
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
    "INDEX", "MOST_COUNTED", "THINNED", "UNFINISHED", "Acts", "By", "Changes", "Done", "Due", "Edit", "Entities",
    "EvictionRule", "Extent", "FadingRule", "Glance", "Group", "Horizon", "Ident", "Lexis", "Link", "N", "Outline",
    "Piece", "Relations", "S", "Sessions", "Shelf", "Site", "Step", "Store", "T", "Thing", "ThinningRule", "Traits",
    "Turn", "Unsealed", "V", "View", "Walk", "Weight", "normal_name",
]  # fmt: skip
