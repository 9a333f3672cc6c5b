"""Which records of a space read the same but for one thing, and lie too far from each other to be seen as alike?

"I have paid the rent" and "I haven't paid the rent" are further apart for a model than many a rephrasing. So pairs are
found by their words, and a model only says which of them speak of the same thing; where it cannot read them, or there
is none, their words have to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from recollect.engine.core import Core, records_of
from recollect.store.base import View
from recollect.store.search import Pick
from recollect.types import CATALOGUE_KINDS, Filter, Record

if TYPE_CHECKING:
    from recollect.engine.embedding.vectors import Vectors

FAR = 0.7
"""The cosine from which on two texts speak of the same thing that read the same but for one. Of 8,800 notes of 290
people no such pair lies further apart, and three lie between this and what is compared word by word."""
_FAR_ABOVE_FLOOR = 0.68  # of the way from strangers to sameness, for models whose cosines all lie high
_MOST_READ = 20_000  # records, the newest
_BATCH = 100  # pairs
_MOST = 100
UNKNOWN = 0.0
"""The cosine of two texts that no model can compare."""

_Pair = tuple[int, int, float]


class _Text(Struct, frozen=True, gc=False):
    """As much of a record as is read of all."""

    version: int
    text: str
    kind: str
    memory_type: str
    room: str | None
    project: str | None
    user: str | None
    role: str | None
    title: str | None
    session: str | None
    source: str | None


def nearly_the_same(
    core: Core, vectors: Vectors | None, space: str, near: float, stop: Callable[[], bool]
) -> Iterator[tuple[Record, Record, float]]:
    """Pairs of records that read the same but for one thing and are not as `near` as what is alike anyway; the nearest
    first, and last of all what no model can compare.
    """
    found = _find(core, vectors, space, near, stop)
    for start in range(0, len(found), _BATCH):
        some = found[start : start + _BATCH]
        with core.store.read() as view:
            read = records_of(view, sorted({version for pair in some for version in pair[:2]}))
        records = {record.version: record for record in read}
        for one, other, cosine in some:
            if one in records and other in records:  # neither was forgotten meanwhile
                yield records[one], records[other], cosine


def _find(core: Core, vectors: Vectors | None, space: str, near: float, stop: Callable[[], bool]) -> list[_Pair]:
    from recollect.retrieve.one_thing import differ_in_one_thing  # brings in numpy: only when there is dreaming

    with core.store.read() as view:
        texts = _read(view, space)
    pairs = differ_in_one_thing([(_place(one), one.text) for one in texts], stop)
    found: list[_Pair] = []
    for start in range(0, len(pairs), _BATCH):
        if stop() or len(found) >= _MOST:
            break
        some = [(texts[one].version, texts[other].version) for one, other in pairs[start : start + _BATCH]]
        if vectors is None:
            found += [(*pair, UNKNOWN) for pair in some]
        else:
            with core.store.read() as view:
                found += _measure(view, vectors, space, near, some)
    return sorted(found, key=lambda pair: -pair[2])[:_MOST]


def _read(view: View, space: str) -> list[_Text]:
    """The newest records that stand by themselves, the newest first."""
    where = Filter(spaces=(space,), statuses=("active",), without_kinds=CATALOGUE_KINDS)
    versions = view.select(int, where)
    if len(versions) > _MOST_READ:
        where = Filter(
            spaces=(space,), statuses=("active",), without_kinds=CATALOGUE_KINDS, after=versions[-_MOST_READ - 1]
        )
    return [one for one in reversed(view.select(_Text, where)) if one.session is None and one.source is None]


def _place(one: _Text) -> tuple[str | None, ...]:
    return one.kind, one.memory_type, one.room, one.project, one.user, one.role, one.title


def _measure(
    view: View, vectors: Vectors, space: str, near: float, pairs: Sequence[tuple[int, int]]
) -> Iterator[_Pair]:
    """Those pairs that speak of the same thing, as a model sees it, and those that it cannot compare."""
    import numpy as np  # a model has brought it in

    model = vectors.model()
    far = max(FAR, model.floor + _FAR_ABOVE_FLOOR * (1 - model.floor))
    versions = sorted({version for pair in pairs for version in pair})
    told = view.signals({space: Pick(np.array(versions, np.int64))}, None, model=model.no, alike=True).get(space)
    if told is None or told.alike is None:
        return
    row = {version: at for at, version in enumerate(told.versions.tolist())}
    lengths = np.sqrt(told.alike.diagonal())
    unread = lengths == 0.0
    waiting = bool(view.waiting(model.no, [space]).count)
    for one, other in pairs:
        a, b = row[one], row[other]
        if unread[a] or unread[b]:
            if not waiting:
                yield one, other, UNKNOWN
        else:
            cosine = round(float(told.alike[a, b] / (lengths[a] * lengths[b])), 4)
            if far <= cosine < near:
                yield one, other, cosine
