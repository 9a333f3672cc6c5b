"""Which models will the answer to a question need?

It is told before anything is loaded, so that they are opened side by side. Where it cannot be told, none is named: what
is needed after all is opened then.
"""

from __future__ import annotations

from recollect.store.base import View
from recollect.types import Filter, Query

SMALL = 1_000
"""In a store of so many records the best few are read unasked."""
_LATIN = "\u024f"


def foresee(view: View, query: Query) -> tuple[bool, bool]:
    """Does it need the model of vectors, and the one that reads the question together with records?"""
    held = len(view.select(int, Filter(spaces=query.filter.spaces), limit=SMALL + 1))
    reads = held > 1 and (query.deep or held <= SMALL) and _is_mostly_latin(query.text)
    return held > 0, reads


def _is_mostly_latin(text: str) -> bool:
    """The vocabulary of the model that reads knows little else."""
    letters = [char for char in text if char.isalpha()]
    return 2 * sum(char > _LATIN for char in letters) <= len(letters)
