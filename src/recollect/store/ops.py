"""What can be done to what a store keeps?

An operation is a value. A list of them is handed to `Edit.apply`, which does them in order and answers for each what
came of it. Operations of one kind that stand together are written together, so whoever has many hands them in at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, TypeAlias

from msgspec import Struct

from recollect.types import Entity, Filter, Message, Record, Relation, Space

Thing: TypeAlias = Record | Entity | Relation

MOST_COUNTED = 255
"""How often a term can count in one version: a store keeps the count in a byte."""


GONE = ("forget", "thin")
"""What the journal says of an object that was removed for good: so much stays of it, and nothing else."""


class Lexis(Struct, frozen=True, gc=False):
    """What the keyword index knows of one version: how often each term occurs, and the names it mentions.

    Terms are kept as 32-bit hashes, so that no forgotten word can be read out of an index.
    """

    terms: Mapping[int, int]
    names: tuple[str, ...] = ()

    @property
    def length(self) -> int:
        counts = self.terms.values()
        length = sum(counts)
        if length <= MOST_COUNTED or max(counts) <= MOST_COUNTED:
            return length
        return sum(min(count, MOST_COUNTED) for count in counts)


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


Historic = Literal["record", "entity", "relation", "entry"]
"""What history is made of: versions of objects, and entries of the journal that are about none."""


class ThinningRule(Struct, frozen=True, kw_only=True):
    """Which history goes: versions whose end lies at or before a moment, or entries until then that tell of none."""

    until: datetime
    of: Historic


class Put(Struct, frozen=True, gc=False, kw_only=True):
    """Writes a new version. `before` is the version that it takes the place of, which must hold still.

    A record that is put `last` stands after all others of its session, or else of its source.
    """

    thing: Thing
    verb: str
    before: Thing | None = None
    lexis: Lexis | None = None
    last: bool = False
    reason: str | None = None
    undoes: int | None = None


class Retire(Struct, frozen=True, gc=False, kw_only=True):
    """Takes an object out of the present without a successor; its versions stay."""

    thing: Thing
    verb: str
    reason: str | None = None
    undoes: int | None = None


class Brought(Struct, frozen=True, kw_only=True):
    """A version that another store has made: until when it held there, and what its journal says of how it came."""

    thing: Thing
    verb: str
    actor: str | None = None
    reason: str | None = None
    lexis: Lexis | None = None
    retired_at: datetime | None = None


class Bring(Struct, frozen=True, kw_only=True):
    """Writes versions of one object that another store has made, one after the other, with an entry for each.

    They keep their times, unless they come `after` a version that this store has: what it did not know then, it knows
    since now. Where the last of them was retired, `end` says how.
    """

    versions: tuple[Brought, ...]
    after: Thing | None = None
    end: Brought | None = None


class Erase(Struct, frozen=True, kw_only=True):
    """Removes for good all versions of the records that a filter lets through, and everything derived from them.

    The filter names one space; with `past`, records count that are in the present no more. `most` is how many.
    """

    where: Filter
    reason: str | None = None
    most: int | None = None


class EraseThing(Struct, frozen=True, kw_only=True):
    """Removes an entity or a relation for good, with all of its versions."""

    thing: Entity | Relation
    reason: str | None = None


class Rewrite(Struct, frozen=True, kw_only=True):
    """Gives a record a new version and removes all before it for good: they said what was forgotten since."""

    record: Record
    lexis: Lexis
    reason: str | None = None


class Unsay(Struct, frozen=True, kw_only=True):
    """Takes reasons out of a space's journal that quote what is forgotten. All else of their entries stays."""

    space: str
    reasons: tuple[str, ...]


class Note(Struct, frozen=True, kw_only=True):
    """Writes into the journal that something was done in a space, which changes nothing by itself."""

    space: str
    verb: str
    reason: str | None = None


class PutSpace(Struct, frozen=True):
    """Makes a space, or gives an existing one a new description and metadata."""

    space: Space


class DropSpace(Struct, frozen=True):
    """Removes a space with all that is in it. The journal keeps only that it was there."""

    name: str


class PutMessages(Struct, frozen=True, kw_only=True):
    """Gives a session another list of messages, or `more` of them; new records of it are listed by themselves."""

    space: str
    session: str
    messages: tuple[Message, ...]
    more: bool = False


class Fade(Struct, frozen=True, kw_only=True):
    """Lowers the confidence of those among some versions that a rule still means."""

    run: int
    space: str
    versions: tuple[int, ...]
    rule: FadingRule


class Unfade(Struct, frozen=True, kw_only=True):
    """Gives back the confidence that a run has lowered, where nothing else has changed it since."""

    run: int
    space: str


class Evict(Struct, frozen=True, kw_only=True):
    """Takes some records out of the present, each with an entry of its own; their versions stay."""

    run: int
    space: str
    versions: tuple[int, ...]
    ids: tuple[str, ...]
    reason: str | None = None


class Sweep(Struct, frozen=True):
    """Retires some of what was evicted, with all that is derived of it. Nothing is counted when all are."""

    most: int


class Thin(Struct, frozen=True, kw_only=True):
    """Removes some history of a space for good: old versions with what is derived of them, or entries, by number.

    What was known before `until` cannot be told from then on, and is refused. Of an object that nothing is left of, the
    journal keeps that it was there, and by which verb it left.
    """

    space: str
    until: datetime
    of: Historic
    numbers: tuple[int, ...] = ()


Op: TypeAlias = (
    Put | Retire | Bring | Erase | EraseThing | Rewrite | Unsay | Note | PutSpace | DropSpace | PutMessages
    | Fade | Unfade | Evict | Sweep | Thin
)  # fmt: skip


class Done(Struct, frozen=True, gc=False, kw_only=True):
    """What came of an operation: its entries in the journal, how many objects it touched, and what was written."""

    entries: tuple[int, ...] = ()
    count: int = 1
    thing: Thing | None = None

    @property
    def entry(self) -> int:
        return self.entries[0]


__all__ = [
    "GONE", "MOST_COUNTED", "Bring", "Brought", "Done", "DropSpace", "Erase", "EraseThing", "Evict",
    "EvictionRule", "Fade", "FadingRule", "Historic", "Lexis", "Note", "Op", "Put", "PutMessages", "PutSpace",
    "Retire", "Rewrite", "Sweep", "Thin", "Thing", "ThinningRule", "Unfade", "Unsay",
]  # fmt: skip
