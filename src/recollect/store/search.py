"""What is asked of the words and vectors of a store, and what does it answer?

The store answers which versions hold words and which lie near a vector, and then what can be said of these candidates:
each of it for many spaces in one call, and never by handing out an index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


VECTORS_MB = 16
"""So many megabytes of vectors are kept in memory where nothing else is said, to be compared again."""


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


class Vector(Struct, frozen=True, eq=False):
    """One piece of one version: its vector and, of some models, a vector for each of its wordpieces.

    One that was read from a store has the signs that it has there, eight in a byte: they were made of more exact
    numbers than those that are kept.
    """

    version: int
    numbers: NDArray[np.float32]
    tokens: NDArray[np.float32] | None = None
    signs: bytes | None = None


class Waiting(Struct, frozen=True):
    """How many versions wait for vectors, and which of them are to come first."""

    count: int
    versions: Sequence[int] = ()


class WordMatch(Struct, frozen=True, eq=False):
    """The versions of a space that hold words: the heaviest, if there were `more` than were asked for.

    `df` says of each term how many versions hold it, `records` and `length` how many live records the space has and how
    many terms they hold together.
    """

    versions: NDArray[np.int64]
    df: NDArray[np.float64]
    records: int
    length: int
    more: bool = False


class NearMatch(Struct, frozen=True, eq=False):
    """The pieces of a space that lie nearest to a vector: their numbers, and the version that each belongs to.

    A store that has compared them as closely as they are ever compared tells their cosines, too.
    """

    versions: NDArray[np.int64]
    pieces: NDArray[np.int64]
    more: bool = False
    cosines: NDArray[np.float64] | None = None


class Pick(Struct, frozen=True, eq=False):
    """Versions of one space that are to be looked at. Of those that `near` brought in, only its pieces are compared."""

    versions: NDArray[np.int64]
    near: NearMatch | None = None


class TokenMatch(Struct, frozen=True, eq=False):
    """How well the wordpieces of versions match, a row for each: those of the best piece (NaN: it has none).

    `best` says which piece that is, `pieces` of how many.
    """

    worth: NDArray[np.float64]
    best: NDArray[np.int64]
    pieces: NDArray[np.int64]


class HeldTerms(Struct, frozen=True, eq=False):
    """The different terms of versions: those of each stand together in `hashes`, from where they begin to their end."""

    hashes: NDArray[np.uint32]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]


class Findings(Struct, frozen=True, eq=False):
    """What can be said of versions, a row of each array for each of them. What was not asked is zero.

    tf: how often each term occurs. length: how many terms there are. cosine: that of the best piece, NaN for none.
    group: a number for session or source, -1 for none; position: the place in it. event_time: microseconds since 1970.
    since: the same, of when it began to hold. replaced: whether another record has taken its place. code: whether it is
    a piece of code. late: how well wordpieces match, where that was asked.
    alike: the cosines of all with each other (0: one of both has no vector), where that was asked. held: their terms,
    where a filter was given.
    """

    versions: NDArray[np.int64]
    tf: NDArray[np.float64]
    length: NDArray[np.float64]
    cosine: NDArray[np.float64]
    group: NDArray[np.int64]
    position: NDArray[np.int64]
    event_time: NDArray[np.int64]
    since: NDArray[np.int64]
    importance: NDArray[np.float64]
    confidence: NDArray[np.float64]
    replaced: NDArray[np.bool_]
    code: NDArray[np.bool_]
    late: TokenMatch | None = None
    alike: NDArray[np.float64] | None = None
    held: HeldTerms | None = None

    def terms_of(self, row: int) -> NDArray[np.uint32]:
        """The different terms that a version holds."""
        assert self.held is not None, "whoever asks of candidates gave a filter"
        return self.held.hashes[self.held.begins[row] : self.held.ends[row]]
