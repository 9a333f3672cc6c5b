"""When was a memory to take no notice?

A pause has a beginning and an end, and both are kept: what counts is when something was said, and not when it is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec import Struct

from recollect.store.base import Edit, Shelf, View

_PAUSED = Shelf("paused", datetime)
_NOW = "all"
"""Under this name stands until when it is paused now; under the moment at which a pause began, when that one ends."""
_EVER = datetime.min.replace(tzinfo=UTC)


class Pause(Struct, frozen=True):
    """From when to when nothing is kept."""

    since: datetime
    until: datetime

    def holds(self, moment: datetime) -> bool:
        return self.since <= moment < self.until


def paused_until(view: View, now: datetime) -> datetime | None:
    """Until when nothing happens unasked; None where it does."""
    until = view.kept(_PAUSED, keys=[_NOW]).get(_NOW)
    return until if until is not None and until > now else None


def read_pauses(view: View, now: datetime) -> list[Pause]:
    """All pauses that there were. Of one that an earlier release began, nobody knows since when it has been."""
    kept = view.kept(_PAUSED)
    current = kept.pop(_NOW, None)
    told = [Pause(datetime.fromisoformat(since), until) for since, until in kept.items()]
    if current is not None and current > now and not is_paused(told, now):
        told.append(Pause(_EVER, current))
    return told


def is_paused(pauses: Sequence[Pause], moment: datetime) -> bool:
    return any(pause.holds(moment) for pause in pauses)


def begin_pause(edit: Edit, until: datetime) -> None:
    """Begins a pause; one that is under way gets another end."""
    edit.keep(_PAUSED, {_NOW: until, _begun(edit) or edit.now.isoformat(): until})


def end_pause(edit: Edit) -> None:
    begun = _begun(edit)
    edit.keep(_PAUSED, {_NOW: None, **({} if begun is None else {begun: edit.now})})


def _begun(edit: Edit) -> str | None:
    """When the pause began that is under way; None where none is."""
    kept = edit.kept(_PAUSED).items()
    told = ((since, Pause(datetime.fromisoformat(since), until)) for since, until in kept if since != _NOW)
    return next((since for since, pause in told if pause.holds(edit.now)), None)
