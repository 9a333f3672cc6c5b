"""How does what was read of candidates become what ranking is told of them?

The same numbers come out of every database, since all of them are made here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import log1p
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recollect.store.distinct import distinct
from recollect.store.late import match_tokens
from recollect.store.search import Findings, HeldTerms, Model, TokenMatch
from recollect.store.similar import differing_bits, near_rows

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Pieces: TypeAlias = Mapping[int, NDArray[np.float32]]
"""The vectors of versions, a row for each piece."""

Terms: TypeAlias = tuple[NDArray[np.uint32], Ints, NDArray[np.uint8]]
"""The terms of some versions: the hash of each, the row that holds it, and how often."""

Rows: TypeAlias = NDArray[np.void] | Mapping[str, NDArray[Any]]
"""What is told of versions: a row of many columns for each, or the columns."""

PARTICULARS = {
    "version": "records.version", "session": "session", "source": "source", "position": "position",
    "event_time": "event_time", "importance": "importance",
    "since": "coalesce(valid_from, CASE WHEN valid_until < event_time THEN valid_until ELSE event_time END)",
    "confidence": "coalesce(faded.confidence, records.confidence)", "replaced": "superseded_by IS NOT NULL",
    "code": "records.kind = 'code'",
}  # fmt: skip
"""What is told of candidates beside their terms, and how it is read."""
READ_FROM = " FROM records LEFT JOIN faded ON faded.version = records.version"
WEIGHT = 2**32
"""What weights of terms are counted in parts of."""
_AT_A_TIME = 1_000  # pairs whose numbers are read together


def weigh_term(records: int, size: int) -> float:
    """What a term weighs that so many of all records hold: a whole number, so that sums of them can be equal."""
    return float(round(log1p((records - size + 0.5) / (size + 0.5)) * WEIGHT))


def find_in_all(lists: Sequence[Ints]) -> tuple[Ints, bool]:
    """The versions that stand in all of some lists, each of which has no version twice. Nothing is left out of them."""
    shortest, *others = sorted(lists, key=len)
    for one in others:
        shortest = np.intersect1d(shortest, one, assume_unique=True)
    return np.sort(shortest), False


def find_heaviest(lists: Sequence[Ints], sizes: Sequence[int], records: int, most: int | None) -> tuple[Ints, bool]:
    """The versions that hold most of the question's weight, which is the rarity of its words; of equals, the newest.

    Given are the versions for each word that may be found, and how many hold it in all. Tells also whether there are
    more of them.
    """
    every = np.concatenate(lists) if lists else np.zeros(0, dtype=np.int64)
    versions = distinct(every)
    if most is None or len(versions) <= most:
        return versions, False
    weights = np.repeat([weigh_term(records, size) for size in sizes], [len(one) for one in lists])
    scores = np.bincount(np.searchsorted(versions, every), weights)
    least = -np.partition(-scores, most - 1)[most - 1]
    above, equal = np.flatnonzero(scores > least), np.flatnonzero(scores == least)
    return versions[np.concatenate([above, equal[len(equal) - (most - len(above)) :]])], True


def number_groups(
    sessions: Iterable[str | None], sources: Iterable[str | None], known: dict[object, int] | None = None
) -> Ints:
    """A number for each session, or source where there is no session; -1 for neither. New ones become `known`."""
    number: dict[object, int] = {None: -1} if known is None else known
    both = zip(sessions, sources, strict=True)
    keys = [session if session is not None or source is None else (source,) for session, source in both]
    return np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.int64)


def unpack_terms(blobs: Sequence[bytes | None]) -> Terms:
    sizes = [0 if blob is None else len(blob) // 5 for blob in blobs]
    packed = [(blob or b"", 4 * size) for blob, size in zip(blobs, sizes, strict=True)]
    hashes = np.frombuffer(b"".join([blob[:end] for blob, end in packed]), dtype=np.uint32)
    times = np.frombuffer(b"".join([blob[end:] for blob, end in packed]), dtype=np.uint8)
    return hashes, np.repeat(np.arange(len(blobs)), sizes), times


def count_held(held: Terms, terms: NDArray[np.uint32], count: int) -> Floats:
    """How often each of so many rows holds each term."""
    hashes, owners, times = held
    tf = np.zeros((count, len(terms)))
    for column, term in enumerate(terms):
        at = np.flatnonzero(hashes == term)
        tf[owners[at], column] = times[at]
    return tf


def tell_all(
    rows: Rows, *, group: Ints, tf: Floats, length: Floats | None, cosine: Floats, held: HeldTerms
) -> Findings:
    """What is told of versions, given their `PARTICULARS`; where no terms count, all are of one length."""
    as_kept = np.ascontiguousarray  # nothing is copied that has its form already
    return Findings(
        versions=as_kept(rows["version"], np.int64),
        tf=tf,
        length=np.ones(len(tf)) if length is None else as_kept(length, np.float64),
        cosine=cosine,
        group=as_kept(group, np.int64),
        position=as_kept(rows["position"], np.int64),
        event_time=as_kept(rows["event_time"], np.int64),
        since=as_kept(rows["since"], np.int64),
        importance=as_kept(rows["importance"], np.float64),
        confidence=as_kept(rows["confidence"], np.float64),
        replaced=as_kept(rows["replaced"], np.bool_),
        code=as_kept(rows["code"], np.bool_),
        held=held,
    )


def tell_vectors(versions: Ints, cosine: Floats, late: TokenMatch | None, alike: Floats | None) -> Findings:
    """What the vectors of a model tell of versions, and nothing else."""
    none, nothing = np.zeros(len(versions)), np.zeros(len(versions), dtype=np.int64)
    untold = np.zeros(len(versions), dtype=np.bool_)
    return Findings(
        versions=versions, tf=np.zeros((len(versions), 0)), length=none, cosine=cosine, group=nothing, position=nothing,
        event_time=nothing, since=nothing, importance=none, confidence=none,
        replaced=untold, code=untold, late=late, alike=alike,
    )  # fmt: skip


def tell_alike(first: NDArray[np.float32]) -> Floats:
    """The cosine of each version's first piece, or zeros where there is none, with each other's."""
    return (first @ first.T).astype(np.float64)


# Wordpieces


def pack_pieces(said: Sequence[tuple[bytes, int]]) -> tuple[bytes, Ints, Ints]:
    """The wordpieces of some pieces, one after another: where each begins, and the row that it belongs to."""
    starts = np.cumsum([0, *(len(piece) for piece, _ in said)])[:-1]
    return b"".join([piece for piece, _ in said]), starts, np.array([row for _, row in said], dtype=np.int64)


def match_pieces(
    tokens: NDArray[np.float32], packed: tuple[bytes, Ints, Ints], count: int, rows: Ints | None = None
) -> TokenMatch:
    """What the wordpieces of so many rows are worth, by their best piece; of all rows, or some."""
    said, starts, owners = packed
    worth, best = np.full(count, np.nan), np.zeros(count, dtype=np.int64)
    pieces = np.bincount(owners, minlength=count)
    values = match_tokens(tokens, said, starts)
    if pieces.max(initial=0) == 1:
        worth[owners] = values
    else:
        seen = np.zeros(count, dtype=np.int64)
        for owner, value in zip(owners.tolist(), values.tolist(), strict=True):
            if not worth[owner] >= value:
                worth[owner], best[owner] = value, seen[owner]
            seen[owner] += 1
    if rows is None:
        return TokenMatch(worth, best, pieces)
    return TokenMatch(worth[rows], best[rows], pieces[rows])


# Pairs


def find_pairs(
    versions: Ints,
    bits: NDArray[np.uint64],
    model: Model,
    least: float,
    stop: Callable[[], bool],
    read: Callable[[Sequence[int]], Pieces],
) -> list[tuple[int, int, float]]:
    """Pairs of versions whose pieces are all near-identical, with the cosine of the least alike.

    Given are the version of each vector and its sign bits; `read` brings the numbers of those that may be near.
    """
    rows = near_rows(bits, differing_bits(least, model.floor, model.dim), stop)
    if rows is None:
        return []
    pairs = sorted({(int(a), int(b)) for a, b in np.sort(versions[rows], axis=1) if a != b})
    found: list[tuple[int, int, float]] = []
    for start in range(0, len(pairs), _AT_A_TIME):
        if stop():
            break
        some = pairs[start : start + _AT_A_TIME]
        found += _compare(some, read(sorted({version for pair in some for version in pair})))
    return sorted((pair for pair in found if pair[2] >= least), key=lambda pair: (-pair[2], pair[0], pair[1]))


def _compare(pairs: Sequence[tuple[int, int]], pieces: Pieces) -> Iterator[tuple[int, int, float]]:
    """Pairs that have as many pieces as each other, with the cosine of those that are least alike."""
    for one, other in pairs:
        a, b = pieces.get(one), pieces.get(other)
        if a is not None and b is not None and len(a) == len(b):
            norms = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
            yield one, other, float(((a * b).sum(axis=1) / np.maximum(norms, 1e-9)).min())
