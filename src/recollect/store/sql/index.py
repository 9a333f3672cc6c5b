"""What must follow from the versions of a store, whichever way a database does it?

Whoever writes versions says so here, and nothing else needs to know what is derived of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from recollect.store.base import Lexis
from recollect.types import Entity, Record


class Entry(NamedTuple):
    """A new live version. `same_as` is the version whose text it shares, be it replaced or come back; 0: none."""

    space_no: int
    record: Record
    lexis: Lexis
    same_as: int = 0


class Index(Protocol):
    """Words, names, vectors and refs, as one transaction sees them."""

    def put(self, entries: Sequence[Entry]) -> None: ...
    def retire(self, entries: Sequence[tuple[int, int]]) -> None:
        """Versions have left the present: space and number of each."""
        ...

    def erase(self, entries: Sequence[tuple[int, int, bool]]) -> None:
        """Versions are gone for good: space, number and whether it was live, of each."""
        ...

    def evict(self, space_no: int, count: int) -> None:
        """So many versions of a space were marked as evicted; they are retired later."""
        ...

    def fade(self, space_no: int) -> None:
        """Some versions of a space are believed more or less than before."""
        ...

    def look_for_evicted(self) -> None:
        """Versions have ceased to wait for being retired."""
        ...

    def put_space(self, space_no: int) -> None: ...
    def drop_space(self, space_no: int) -> None:
        """A space goes, and all of its versions; asked before they are gone."""
        ...

    def put_entity(self, space_no: int, entity: Entity) -> None: ...
    def retire_entity(self, space_no: int, entity: Entity) -> None: ...
