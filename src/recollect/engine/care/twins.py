"""Which records of a space may say the same as each other?

Comparing all with all is out of the question. Records that share rare terms are paired by the keyword index, the pairs
that share most are read, and only those are compared word by word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from msgspec import Struct

from recollect.engine.core import records_of
from recollect.engine.read.alike import LEFT_OUT, comparable
from recollect.engine.write.grounds import overlap
from recollect.retrieve.alike import ENOUGH, Likeness, likeness, score_alike
from recollect.store.base import Outline, View
from recollect.types import NOT_KNOWLEDGE, Record, Status

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

_MOST_TERMS = 64  # of one record: those with the smallest hashes, which is a fair sample of any text
_WIDEST = 256  # records that share a term, up to which all of them are paired; beyond it, neighbours are
_MOST_PAIRED = 600_000
_MOST_READ = 2_000  # pairs
_LEAST_SHARED = 0.15  # of the terms of two records, as far as they were counted
_RANK: dict[Status, int] = {"active": 3, "candidate": 2, "stale": 1}


class Twins(Struct, frozen=True, kw_only=True):
    """Two records that may say the same, and which of them should rather stay."""

    ids: tuple[str, str]
    score: float
    reasons: tuple[str, ...]
    foremost: str


def find_twins(view: View, outlines: Sequence[Outline]) -> list[Twins]:
    """The pairs that are alike enough to be looked at, the most alike first."""
    wanted = {outline.version: outline for outline in outlines if _comparable(outline)}
    pairs = [
        (one, other)
        for one, other in _paired(view, list(wanted))
        if overlap(wanted[one].grounds, wanted[other].grounds)
    ]
    versions = list(dict.fromkeys(version for pair in pairs for version in pair))
    read = {record.version: record for record in records_of(view, versions)}
    alike = {version: likeness(record) for version, record in read.items()}
    found = [twins for one, other in pairs if (twins := _twins(read[one], read[other], alike[one], alike[other]))]
    return sorted(found, key=lambda twins: (-twins.score, twins.ids))


def twins_among(records: Sequence[Record]) -> list[Twins]:
    """The pairs among some records that are alike enough to be looked at."""
    told = [(record, likeness(record)) for record in records if comparable(record)]
    return [
        twins
        for at, (one, own) in enumerate(told)
        for other, its in told[at + 1 :]
        if overlap(one.grounds, other.grounds) and (twins := _twins(one, other, own, its)) is not None
    ]


def _comparable(outline: Outline) -> bool:
    claims = outline.grounds is not None and outline.grounds.claim is not None
    return outline.kind not in NOT_KNOWLEDGE and not claims and outline.status not in LEFT_OUT


def _twins(one: Record, other: Record, own: Likeness, its: Likeness) -> Twins | None:
    score, reasons = score_alike(own, its)
    if score < ENOUGH:
        return None
    first, second = sorted((one, other), key=lambda record: (record.created_at, record.version))
    foremost = max(second, first, key=lambda record: (_RANK.get(record.status, 0), record.confidence))
    return Twins(ids=(first.id, second.id), score=score, reasons=reasons, foremost=foremost.id)


# Pairs that share rare terms


def _paired(view: View, versions: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of versions, those that share most of their terms first."""
    if len(versions) < 2:
        return
    import numpy as np  # only where there is something to compare

    rows = [(version, sorted(lexis.terms)[:_MOST_TERMS]) for version, lexis in view.terms(versions).items()]
    counts = np.array([len(hashes) for _, hashes in rows], dtype=np.int64)
    found = np.fromiter(chain.from_iterable(hashes for _, hashes in rows), np.uint64, counts.sum()) << np.uint64(32)
    found |= np.repeat(np.arange(len(rows), dtype=np.uint64), counts)  # term and owner in one number sort fastest
    found = np.unique(found)
    terms, owners = found >> np.uint64(32), (found & np.uint64(0xFFFFFFFF)).astype(np.int64)
    if not len(terms):
        return
    counts = np.bincount(owners, minlength=len(rows))
    starts = np.flatnonzero(np.concatenate(([True], terms[1:] != terms[:-1]))).astype(np.int64)
    sizes = np.diff(np.append(starts, len(terms)))
    keys = list(_pair_keys(owners, starts, sizes, len(rows)))
    if not keys:
        return
    pairs, shared = np.unique(np.concatenate(keys), return_counts=True)
    left, right = pairs // len(rows), pairs % len(rows)
    share = shared / (counts[left] + counts[right] - shared)
    best = np.argsort(-share, kind="stable")[:_MOST_READ]
    for at in best[share[best] >= _LEAST_SHARED].tolist():
        yield rows[int(left[at])][0], rows[int(right[at])][0]


def _pair_keys(owners: Numbers, starts: Numbers, sizes: Numbers, count: int) -> Iterator[Numbers]:
    """Pairs of owners of the same term as single numbers: rare terms first, until there are enough."""
    import numpy as np

    budget = _MOST_PAIRED
    size = 2
    for size in np.unique(sizes[(sizes > 1) & (sizes <= _WIDEST)]).tolist():
        groups = starts[sizes == size]
        one, other = np.triu_indices(size, 1)
        groups = groups[: max(budget // len(one), 0)]
        if not len(groups):
            break
        budget -= len(groups) * len(one)
        members = owners[groups[:, None] + np.arange(size)]
        yield (members[:, one] * count + members[:, other]).ravel()
    wide = np.repeat(sizes >= size, sizes) if len(sizes) else np.zeros(0, dtype=bool)
    group = np.repeat(np.arange(len(sizes)), sizes)
    at = np.flatnonzero(wide[:-1] & (group[1:] == group[:-1]))[:_MOST_PAIRED]
    yield owners[at] * count + owners[at + 1]
