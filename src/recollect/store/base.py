"""What must something be, to keep a memory?

A store keeps two kinds of things. Canonical: spaces, records, entities, relations and the journal, every one of
them as versions that are never overwritten. Derived: terms, names and vectors, which can be made again from the
canonical ones. Reads happen inside one consistent `View`; changes inside one `Edit`, which is a transaction.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from recollect.types import (
    Change,
    Claim,
    Entity,
    Filter,
    Grounds,
    Message,
    Metadata,
    Order,
    Record,
    Relation,
    Session,
    Space,
    SpaceStats,
    Spending,
    Status,
    Trust,
)  # fmt: skip

Thing = Record | Entity | Relation
T = TypeVar("T", bound=Record | Entity | Relation)
V = TypeVar("V")


def normal_name(name: str) -> str:
    """The form in which names are compared: case and spacing do not matter."""
    return " ".join(name.casefold().split())


MOST_COUNTED = 255
"""How often a term can count in one version: a store keeps the count in a byte."""


class Lexis(Struct, frozen=True):
    """What the keyword index knows of one version: how often each term occurs, and the names it mentions.

    Terms are kept as 32-bit hashes, so that no forgotten word can be read out of an index.
    """

    terms: Mapping[int, int]
    names: tuple[str, ...] = ()

    @property
    def length(self) -> int:
        counts = self.terms.values()
        if max(counts, default=0) <= MOST_COUNTED:
            return sum(counts)
        return sum(min(count, MOST_COUNTED) for count in counts)


def claim_ref(kind: str, claim: Claim) -> str:
    """What all claims of one kind about the same subject and predicate have in common."""
    said = msgspec.json.encode((kind, claim.subject, claim.predicate))
    return f"claim:{hashlib.sha256(said).hexdigest()[:32]}"


def refs_of(record: Record) -> list[str]:
    """By what a live record can be found through its grounds."""
    grounds = record.grounds
    if grounds is None:
        return []
    refs = [f"evidence:{item.source}" for item in grounds.evidence]
    refs += [f"subject:{subject}" for subject in grounds.subjects]
    refs += [f"scope:{scope}" for scope in grounds.scopes]
    if grounds.claim is not None:
        refs.append(claim_ref(record.kind, grounds.claim))
    return list(dict.fromkeys(refs))


class Outline(Struct, frozen=True, gc=False):
    """What upkeep needs to know of a live record, without its text. Times are microseconds since 1970.

    `location` and `fingerprint` are a source's; `metadata` is that of an activity or a work item alone.
    """

    version: int
    id: str
    kind: str
    title: str
    status: Status
    trust: Trust
    confidence: float
    created_at: int
    valid_from: int | None
    valid_until: int | None
    superseded_by: str | None
    location: str | None
    fingerprint: str | None
    metadata: Metadata | None
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


Traits: TypeAlias = tuple[int, int, float, float, str]
"""What the worth of a version is told by: its number, event time (in microseconds), importance, confidence and text."""


class Weight(NamedTuple):
    """What decides how important a version is."""

    version: int
    importance: float
    event_time: int
    accesses: int


class Tally(Struct, frozen=True):
    """How many live records a space has, and how many terms they hold together."""

    records: int = 0
    length: int = 0


class Model(Struct, frozen=True):
    """An embedding model that the store holds vectors of, with what is needed to compare its cosines.

    `mean` is the centre that sign bits are taken around; `floor` and `spread` are mean and standard deviation of the
    cosine between unrelated texts.
    """

    no: int
    name: str
    dim: int
    mean: bytes
    floor: float
    spread: float


class Vector(Struct, frozen=True):
    """One piece of one version: its sign bits, its float16 numbers and, of some models, the bytes of its wordpieces."""

    version: int
    bits: bytes
    half: bytes
    tokens: bytes = b""


class FadingRule(Struct, frozen=True, kw_only=True):
    """Which records lose some of their confidence: those that nobody used since a moment, down to a floor."""

    kinds: tuple[str, ...]
    unused_since: datetime
    rate: float
    floor: float


class EvictionRule(Struct, frozen=True, kw_only=True):
    """Which records leave: old and unimportant ones, hardly believed ones, the least important beyond a cap."""

    kinds: tuple[str, ...]
    older_than: datetime
    min_importance: float
    min_confidence: float
    cap: int


class Run(Struct, frozen=True):
    """One run of upkeep in a space, by its entry in the journal; `later` is the last one like it that still stands."""

    entry: int
    space: str
    verb: str
    undone: bool
    later: int | None


class Shelf(Struct, Generic[V], frozen=True):
    """A named list of small values, each under a key, of a space or of the whole store: bookkeeping, not memory."""

    name: str
    type: type[V]


class View(Protocol):
    """One consistent look at the store."""

    def kept(self, shelf: Shelf[V], *, space: str | None = None, keys: Sequence[str] | None = None) -> dict[str, V]:
        """What stands on a shelf, by key and in the order of keys (all of it, or what stands under some)."""
        ...

    def spaces(self) -> list[Space]: ...
    def space(self, name: str) -> Space | None: ...
    def tally(self, space: str) -> Tally: ...
    def lexis_version(self) -> int: ...
    def stats(self, space: str) -> SpaceStats: ...

    def get(self, type_: type[T], space: str, id: str, as_of: datetime | None = None) -> T | None: ...
    def whereabouts(self, type_: type[Thing], id: str) -> list[str]: ...
    def version(self, type_: type[T], version: int) -> T | None: ...
    def scan(self, filter: Filter, order: Order, limit: int, offset: int = 0) -> list[Record]: ...
    def count(self, filter: Filter) -> int: ...
    def distinct(self, field: Literal["project", "tags"], filter: Filter) -> list[str]: ...
    def weights(self, filter: Filter) -> list[Weight]: ...
    def held(self, space: str, hashes: Sequence[str]) -> set[str]: ...
    def twin(self, record: Record, alike: Sequence[str] = (), *, anywhere: bool = False) -> str | None: ...
    def texts(self, versions: Sequence[int]) -> dict[int, str]: ...
    def sessions(self, space: str, limit: int, offset: int = 0) -> list[Session]: ...
    def citing(self, space: str, refs: Sequence[str], limit: int) -> list[Record]: ...
    def shared_refs(self, space: str, prefix: str) -> list[str]: ...
    def outlines(self, space: str) -> list[Outline]: ...
    def pieces(self, space: str) -> list[tuple[str, int, bytes]]: ...
    def segment(
        self, space: str, source: str, *, position: int | None = None, hash: str | None = None
    ) -> Record | None: ...
    def listed_sessions(self, space: str, limit: int) -> list[Session]: ...
    def messages(self, space: str, session: str) -> list[Message]: ...

    def named(self, space: str, name: str) -> list[Entity]: ...
    def entities(
        self, space: str, limit: int, offset: int = 0, *, words: Sequence[str] = (), newest_first: bool = False
    ) -> list[Entity]: ...
    def knows_names(self, space: str) -> bool: ...
    def known_names(self, space: str, phrases: Sequence[str], text: str) -> list[str]: ...
    def relations(
        self, space: str, ids: Sequence[str], *, outgoing: bool, as_of: datetime | None, active: bool = True
    ) -> list[Relation]: ...
    def links(
        self, space: str, ids: Sequence[str], *, outgoing: bool, as_of: datetime | None, limit: int
    ) -> list[tuple[str, str, float]]: ...

    def all_links(self, space: str) -> list[tuple[str, str]]: ...
    def count_facts(self, space: str) -> int: ...

    def journal(
        self,
        *,
        space: str | None = None,
        object_id: str | None = None,
        after: int = 0,
        newest_first: bool = False,
        limit: int = 1000,
    ) -> list[Change]: ...
    def entry(self, entry: int) -> Change | None: ...
    def last_changes(self, besides: str) -> list[Change]: ...
    def last_entry(self) -> int: ...

    def postings(self, space: str, term: int, *, old: bool = False) -> list[int]: ...
    def mentions(self, space: str, name: str) -> list[int]: ...
    def lexis(self, versions: Sequence[int]) -> dict[int, Lexis]: ...
    def term_blobs(self, versions: Sequence[int]) -> list[tuple[int, bytes]]: ...
    def glances(self, space: str, versions: Sequence[int], filter: Filter) -> list[Glance]: ...
    def traits(self, space: str, versions: Sequence[int], filter: Filter) -> list[Traits]: ...
    def allowed(self, space: str, filter: Filter) -> list[int]: ...
    def latest(self, space: str, count: int) -> list[int]: ...
    def records(self, versions: Sequence[int]) -> list[Record]: ...

    def models(self) -> list[Model]: ...
    def signs(self, model: int, space: str, after: int, *, old: bool = False) -> list[tuple[int, int, bytes]]: ...
    def halves(self, vectors: Sequence[int]) -> Mapping[int, bytes]: ...
    def vectors_of(self, model: int, versions: Sequence[int]) -> list[tuple[int, bytes]]: ...
    def tokens_of(self, model: int, versions: Sequence[int]) -> list[tuple[int, bytes]]: ...
    def waiting(self, model: int, space: str | None, limit: int) -> list[Record]: ...
    def count_waiting(self, model: int | None, space: str | None) -> int: ...

    def ledger(self, days: int) -> list[Spending]: ...
    def spending(self, day: str, provider: str) -> Spending: ...
    def counters(self, prefix: str) -> dict[str, int]: ...

    def fading(self, space: str, rule: FadingRule) -> list[int]: ...
    def evictable(self, space: str, rule: EvictionRule) -> tuple[list[int], list[str]]: ...
    def run(self, entry: int) -> Run | None: ...
    def moved(self, run: int, after: int, limit: int) -> list[int]: ...


class Edit(View, Protocol):
    """A transaction. Everything in it happens, or nothing does; every canonical change is journalled."""

    @property
    def now(self) -> datetime:
        """When this transaction happens: later than any before it."""
        ...

    def keep(
        self, shelf: Shelf[V], items: Mapping[str, V | None], *, space: str | None = None, only: bool = False
    ) -> None:
        """Puts values on a shelf; None takes one off. With `only`, whatever else stood there goes."""
        ...

    def put_space(self, space: Space) -> Space: ...
    def drop_space(self, name: str) -> int: ...
    def put(
        self,
        thing: T,
        *,
        verb: str,
        before: T | None = None,
        lexis: Lexis | None = None,
        reason: str | None = None,
        undoes: int | None = None,
    ) -> tuple[T, int]: ...
    def retire(self, thing: Thing, *, verb: str, reason: str | None = None, undoes: int | None = None) -> int: ...
    def erase(self, record: Record, *, reason: str | None = None) -> int: ...
    def erase_segments(self, source: Record, kind: str, *, reason: str | None = None) -> list[int]: ...
    def relink(self, version: int, lexis: Lexis) -> None: ...
    def note(self, space: str, verb: str, reason: str | None = None) -> int: ...
    def tidy(self) -> None: ...
    def touch(self, touches: Mapping[tuple[str, str], int], at: datetime) -> None: ...
    def next_position(self, space: str, session: str | None, source: str | None) -> int: ...

    def erase_project(self, space: str, id: str, most: int) -> int: ...

    def spend(self, more: Spending) -> None: ...
    def count_up(self, name: str, by: int) -> None: ...
    def set_counter(self, name: str, value: int) -> None: ...

    def put_messages(self, space: str, session: str, messages: Sequence[Message]) -> None: ...
    def begin_run(self, space: str, verb: str, reason: str | None = None) -> int: ...
    def fade(self, run: int, versions: Sequence[int], rule: FadingRule) -> int: ...
    def evict(
        self, run: int, space: str, versions: Sequence[int], ids: Sequence[str], reason: str | None = None
    ) -> int: ...
    def sweep(self, most: int) -> int: ...
    def undo_fading(self, run: int) -> int: ...
    def end_run(self, run: int) -> None: ...
    def claim(self, task: str, slot: datetime) -> bool: ...

    def adopt(self, name: str, dim: int, mean: bytes, floor: float, spread: float) -> Model: ...
    def put_vectors(self, model: int, versions: Sequence[int], vectors: Sequence[Vector]) -> None: ...
    def drop_vectors(self, keep_model: str | None) -> int: ...
    def rebuild(
        self, derive: Callable[[Record], Lexis], version: int, progress: Callable[[int, int], None], *, vectors: bool
    ) -> int: ...


class Store(Protocol):
    """Where a memory is kept."""

    @property
    def location(self) -> str: ...

    def read(self) -> AbstractContextManager[View]: ...
    def write(self, *, actor: str | None = None) -> AbstractContextManager[Edit]: ...
    def check(self) -> Iterator[str]:
        """What is wrong with the store, one sentence each; nothing when all is well."""
        ...

    def scrub(self) -> bool:
        """Removes what erased things left behind on disk; False where other readers kept it from doing so."""
        ...

    def size(self) -> int: ...
    def close(self) -> None: ...


__all__ = [
    "MOST_COUNTED",
    "Edit",
    "EvictionRule",
    "FadingRule",
    "Glance",
    "Lexis",
    "Model",
    "Outline",
    "Run",
    "Shelf",
    "Store",
    "T",
    "Tally",
    "Thing",
    "Traits",
    "V",
    "Vector",
    "View",
    "Weight",
    "claim_ref",
    "normal_name",
    "refs_of",
]  # fmt: skip
