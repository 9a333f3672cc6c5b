"""What must follow from the versions of a store, and what is asked of it, whichever way a database does it?

`Derived` (`sql/derived.py`) hears of every version that is written and passes it on. Words, vectors and the search over
both are each database's own, since they must be fast; here is what they have to be able to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from recollect.store.base import Lexis, N
from recollect.store.search import Findings, Model, NearMatch, Pick, Vector, WordMatch
from recollect.types import Entity, Filter, Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Entry(NamedTuple):
    """A new live version. `same_as` is the version whose text it shares, be it replaced or come back; 0: none."""

    space_no: int
    record: Record
    lexis: Lexis
    same_as: int = 0


class Words(Protocol):
    """Which versions hold a term or mention a name, as one transaction sees them."""

    def mentions(self, space_no: int, names: Sequence[N], most: int | None = None) -> dict[N, list[int]]:
        """The live versions that mention each name, or hold a term, oldest first; the newest, where there are more."""
        ...

    def lexis(self, versions: Sequence[int]) -> dict[int, Lexis]: ...
    def names(self, spaces: Sequence[str], phrases: Sequence[str], text: str) -> dict[str, list[str]]:
        """Of each space that knows names at all: those among the phrases, or in a text without word boundaries."""
        ...

    def put(self, entries: Sequence[tuple[int, int, Lexis]]) -> None:
        """Takes in versions that have just been written: space, number and terms of each."""
        ...

    def retire(self, entries: Sequence[tuple[int, int]]) -> None:
        """Has live versions (space and number of each) stand with the old ones."""
        ...

    def erase(self, entries: Sequence[tuple[int, int, bool]], *, for_good: bool = True) -> None:
        """Takes versions out: space, number and whether it is live, of each. For good, or to put them in otherwise."""
        ...

    def put_space(self, space_no: int) -> None: ...
    def drop_space(self, space_no: int) -> None:
        """Forgets a space, whose versions were erased before."""
        ...

    def put_names(self, space_no: int, entity: Entity) -> None: ...
    def drop_names(self, space_no: int, entity: str) -> None: ...
    def drop_all_names(self) -> None: ...
    def has_evicted(self) -> bool:
        """Does anything wait to be retired? Where that is not known for sure, it may."""
        ...

    def look_for_evicted(self) -> None:
        """Hears that something was evicted or retired in this transaction."""
        ...

    def count(self, space_no: int, records: int = 0, length: int = 0, *, gone: int = 0) -> None:
        """Hears that a space changed: by how many records and terms, and how many versions left its present."""
        ...

    def begin(self, rules: int, *, anew: bool) -> int:
        """Begins to make the next index by some rules, or goes on. Answers up to which version it is."""
        ...

    def make(self, live: Sequence[tuple[int, int, Lexis]], old: Sequence[tuple[int, int, Lexis]]) -> tuple[int, int]:
        """Takes some more versions into the next index, in their order. Answers how many it has of how many."""
        ...

    def put_in_use(self) -> None:
        """Replaces the index by the next one, which is complete."""
        ...

    def tend(self) -> None:
        """Keeps the index quick to read: a bounded piece of work."""
        ...

    def finish(self) -> None:
        """Writes what was put off until the end of a transaction."""
        ...


class Vectors(Protocol):
    """Which vectors each version has, and which versions still wait for one."""

    def models(self) -> list[Model]: ...
    def may_wait(self) -> bool:
        """False where it is known without a look that no version waits."""
        ...

    def waiting(self, model: int, spaces: Sequence[int] | None, limit: int, among: Sequence[int] | None) -> list[int]:
        """Versions (of some spaces, or None: of all) without a vector of a model, as they are to come."""
        ...

    def count_waiting(self, model: int | None, spaces: Sequence[int] | None, among: Sequence[int] | None) -> int:
        """How many versions wait for a vector of a model, or (None) of the model that is most complete."""
        ...

    def put(self, entries: Sequence[tuple[int, Record, int]]) -> None:
        """Vectors of an unchanged text are copied, those of a new one queued: space, record and the version whose text
        it shares (0: none), of each. What only lists others has none.
        """
        ...

    def retire(self, versions: Sequence[int]) -> None: ...
    def erase(self, versions: Sequence[int]) -> None: ...
    def drop_space(self, space_no: int) -> None: ...
    def drop_strays(self) -> None:
        """Removes what belongs to no version."""
        ...

    def adopt(self, name: str, dim: int, mean: bytes, floor: float, spread: float) -> Model:
        """Takes up a model: every version is queued to get vectors of it."""
        ...

    def read(self, model: int, versions: Sequence[int]) -> list[Vector]:
        """The vectors of a model that some versions have, those of each in their order."""
        ...

    def make_index(self, model: Model) -> None:
        """Makes what lets the vectors of a model be searched quickly, where a store has such a thing."""
        ...

    def drop_index(self, model: Model) -> None:
        """Does without it for a while: many vectors go in sooner, and it is made once of all of them."""
        ...

    def put_vectors(self, model: int, versions: Sequence[int], vectors: Sequence[Vector]) -> Counter[int]:
        """Stores the vectors of versions that were waiting; versions that no longer wait are left alone.

        What they had of the model before goes. Answers the spaces that changed, and how many vectors went in each.
        """
        ...

    def drop_vectors(self, keep_model: str | None) -> int:
        """Forgets the vectors of every model but one."""
        ...

    def queue_all(self) -> None:
        """Has every version wait for vectors; those that it has answer until then."""
        ...


class Search(Protocol):
    """What one snapshot answers of words and vectors; `View` says what each question means."""

    def words(
        self, spaces: Sequence[str], terms: Sequence[int], where: Filter, most: int | None, *, exact: bool, every: bool
    ) -> dict[str, WordMatch]: ...
    def near(
        self, spaces: Sequence[str], model: int, vector: NDArray[np.float32], where: Filter, most: int, *, exact: bool
    ) -> dict[str, NearMatch]: ...
    def signals(
        self,
        picks: Mapping[str, Pick],
        where: Filter,
        terms: Sequence[int],
        model: int | None,
        vector: NDArray[np.float32] | None,
    ) -> dict[str, Findings]: ...
    def compare(
        self,
        picks: Mapping[str, Pick],
        model: int | None,
        vector: NDArray[np.float32] | None,
        tokens: NDArray[np.float32] | None,
        *,
        alike: bool,
    ) -> dict[str, Findings]:
        """What the vectors of a model tell of some versions, and nothing else."""
        ...

    def pairs(
        self, space: str, model: int, least: float, where: Filter, stop: Callable[[], bool]
    ) -> list[tuple[int, int, float]]: ...
