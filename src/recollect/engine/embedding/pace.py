"""How fast are vectors computed?"""

from __future__ import annotations

from recollect.store.base import Shelf

PACE = Shelf("pace", float)
"""How many seconds the vectors of one record took lately, by model: a process that has just begun knows it too."""

_NEW = 0.3  # is what the last few records count for
_FADES, _DOUBTED = 0.9, 0.7  # of the longest is left the next time, and where it kept one from trying


def blend(before: float | None, now: float) -> float:
    """The pace with what it was just now. Factors are averaged: once ten times as slow does not double it."""
    return now if before is None else before ** (1 - _NEW) * now**_NEW


class Lately:
    """How long something took lately at most: whoever has a deadline leaves so much room for it.

    The longest fades with each time that it took less, so that what was slow once is not expected for ever.
    """

    def __init__(self) -> None:
        self.most = 0.0

    def note(self, took: float) -> None:
        self.most = max(took, self.most * _FADES)

    def doubt(self) -> None:
        """What was left undone for want of time may go faster than it did."""
        self.most *= _DOUBTED
