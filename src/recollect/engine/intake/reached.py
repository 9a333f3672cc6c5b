"""How far was a transcript read?"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from recollect.store.base import Edit, Shelf, View


class Reached(Struct, frozen=True, kw_only=True):
    """How far a transcript was read, how it begins, and what stands before there: a file that says otherwise was cut
    short, or is another one.

    `until` is the moment of the last message that was read, or that a client told. `again` tells of messages without a
    time that were held when the file was begun anew, and have not come again yet: how many of each hash. `last` is what
    the client calls the last line, which tells nothing of what it says. `away` is when the last of those messages was
    said that had been forgotten or evicted when the file was begun. `confiding`: from where to where the pieces go that
    told something secret or private which none before them did, and which may be said again.
    """

    offset: int = 0
    head: str = ""
    head_bytes: int = 0
    session: str | None = None
    project: str | None = None
    until: datetime | None = None
    tail: str = ""
    tail_bytes: int = 0
    again: Mapping[str, int] = {}
    last: str | None = None
    space: str | None = None
    away: datetime | None = None
    confiding: tuple[tuple[int, int], ...] = ()

    def to_hear_again(self, late: int) -> list[tuple[int, int]]:
        """What is to be read once more to know what was told in confidence: where it was told, and at last the latest
        part of some length, which an answer may follow. Nothing where nothing was told.
        """
        start = max(self.offset - late, 0)
        return [*(one for one in self.confiding if one[0] < start), (start, self.offset)] if self.confiding else []


class _End(Struct, frozen=True):
    """What a client calls the last line of a transcript that was ingested."""

    last: str


REACHED = Shelf("captures", Reached)
_ENDS = Shelf("ends of transcripts", _End)
"""By session, in the space."""


def ends_of(view: View, space: str, but: str | None = None) -> set[str]:
    """The last lines of all transcripts that were read for a space, but for those of one session, as their clients
    call them. Of those that were ingested, they are kept once something of them is forgotten."""
    read = {
        one.last
        for one in view.kept(REACHED).values()
        if one.last is not None and one.space == space and one.session != but
    }
    return read | {end.last for session, end in view.kept(_ENDS, space=space).items() if session != but}


def keep_ends(edit: Edit, space: str, ends: Mapping[str, str]) -> None:
    """Keeps which lines some sessions that were ingested end with."""
    edit.keep(_ENDS, {session: _End(last) for session, last in ends.items()}, space=space)
