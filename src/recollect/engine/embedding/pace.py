"""How fast are vectors computed?"""

from __future__ import annotations

from recollect.store.base import Shelf

PACE = Shelf("pace", float)
"""How many seconds the vectors of one record took lately, by model: a process that has just begun knows it too."""

_NEW = 0.3  # is what the last few records count for


def blend(before: float | None, now: float) -> float:
    """The pace with what it was just now. Factors are averaged: once ten times as slow does not double it."""
    return now if before is None else before ** (1 - _NEW) * now**_NEW
