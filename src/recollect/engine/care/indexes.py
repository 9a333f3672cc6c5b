"""Does what is derived hold all that follows from what is canonical?

Nothing is taken on trust: the records of a space are read, and both indexes are asked for each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from recollect.engine.care.rebuild import is_fresh
from recollect.engine.care.upkeep import outlines_of, type_of
from recollect.engine.core import Core
from recollect.engine.parse import parse_space
from recollect.store.base import View
from recollect.store.refs import refs_of
from recollect.types import DEFAULT_SPACE, Filter

_AT_ONCE = 2_000


class Indexes(Struct, frozen=True, kw_only=True):
    """What the indexes of a space should hold, and what they do hold.

    `records` are those that have words, `worded` those of them that the keyword index knows; `fresh` where it was made
    by today's rules. `referring` counts the objects that refer to others, by type, and `followed` those of them whose
    references can be followed back.
    """

    records: int
    worded: int
    fresh: bool
    referring: Mapping[str, int]
    followed: Mapping[str, int]


def compare_indexes(core: Core, space: str = DEFAULT_SPACE) -> Indexes:
    """Asks the indexes of a space for everything that they should hold."""
    space = parse_space(space)
    with core.store.read() as view:
        versions = view.select(int, Filter(spaces=(space,), valid_only=False))
        cuts = range(0, len(versions), _AT_ONCE)
        worded = sum(len(view.terms(versions[start : start + _AT_ONCE])) for start in cuts)
        referring, followed = _references(view, space)
        return Indexes(
            records=len(versions), worded=worded, fresh=is_fresh(view), referring=referring, followed=followed
        )


def _references(view: View, space: str) -> tuple[Counter[str], Counter[str]]:
    """How many objects of each type refer to others, and of how many the index knows every sort of reference."""
    sorts: dict[str, tuple[set[str], set[int]]] = {}
    types: dict[int, str] = {}
    for one in outlines_of(view, space):
        for ref in refs_of(one):
            refs, versions = sorts.setdefault(ref.partition(":")[0], (set(), set()))
            refs.add(ref)
            versions.add(one.version)
            types[one.version] = type_of(one)
    lost: set[int] = set()
    for refs, versions in sorts.values():
        found = Filter(spaces=(space,), refs=tuple(refs), valid_only=False)
        lost |= versions.difference(view.select(int, found))
    return Counter(types.values()), Counter(type_ for version, type_ in types.items() if version not in lost)
