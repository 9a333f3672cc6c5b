"""What is told of a new statement later, once there are vectors?

Where no model was loaded when something was remembered, it was compared with others by words alone. When the background
has computed its vector it is looked at again; what is found then, and was not told at once, stands on a shelf for some
days, for whoever asks how the memory is.
"""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from msgspec import Struct

from recollect.engine.core import Core
from recollect.engine.parse import parse_limit, parse_space
from recollect.engine.write.tell import UNTOLD, find_already
from recollect.retrieve.change import differs, read_said
from recollect.store.base import Shelf, View
from recollect.types import DEFAULT_SPACE, Already, Filter, Record

if TYPE_CHECKING:
    from recollect.engine.embedding.vectors import Vectors

_KEPT = timedelta(days=7)
_MOST_LOOKED_AT = 100  # of a space at once, the newest
_SECONDS = 1.0  # for one look: nobody waits


class ToldLater(Struct, frozen=True, kw_only=True):
    """A record that was stored, and what it says nearly the same as, or something else of the same thing."""

    id: str
    text: str
    date: datetime
    already: tuple[Already, ...]


class Found(Struct, frozen=True):
    """When it was found, and the versions of the older records; of their texts nothing is kept here."""

    at: datetime
    versions: tuple[int, ...]


_FOUND = Shelf("told_later", Found)


def look_again(core: Core, vectors: Vectors, stop: threading.Event | None = None) -> None:
    """Compares by vectors what was compared by words alone."""
    with core.store.read() as view:
        spaces = [space.name for space in view.spaces()]
        waiting = {space: untold for space in spaces if (untold := view.kept(UNTOLD, space=space))}
    for space, untold in waiting.items():
        if stop is not None and stop.is_set():
            return
        vectors.warm()
        newest = sorted(untold, key=lambda id: untold[id], reverse=True)[:_MOST_LOOKED_AT]
        found = {id: Found(core.clock(), others) for id in newest if (others := _compare(core, vectors, space, id))}
        with core.store.write(actor=core.actor) as edit:
            edit.keep(UNTOLD, dict.fromkeys(untold), space=space)
            if found:
                old = {id: None for id, one in edit.kept(_FOUND, space=space).items() if _is_over(one, core.clock())}
                edit.keep(_FOUND, {**old, **found}, space=space)


def _compare(core: Core, vectors: Vectors, space: str, id: str) -> tuple[int, ...]:
    """The versions that came before a record, and only vectors tell of them."""
    with core.store.read() as view:
        record = view.get(Record, space, id)
        sight = None if record is None else vectors.see(record, _SECONDS)
        if record is None or sight is None:
            return ()
        told = {one.id for one in find_already(view, record)}
        found = [one for one in find_already(view, record, lambda _: sight) if one.id not in told]
        others = [view.get(Record, space, one.id) for one in found if one.date <= record.event_time]
        return tuple(one.version for one in others if one is not None)


def told_later(core: Core, *, space: str = DEFAULT_SPACE, limit: int = 10) -> list[ToldLater]:
    """Records of the last week that were stored while no model was loaded, and turned out later, by their vectors, to
    say nearly what another says or something else of the same thing; the latest first, without what was settled since.
    """
    home, most = parse_space(space), parse_limit(limit)
    with core.store.read() as view:
        kept = view.kept(_FOUND, space=home)
        latest = sorted(kept, key=lambda id: kept[id].at, reverse=True)
        found = (_settle(view, home, id, kept[id]) for id in latest if not _is_over(kept[id], core.clock()))
        return [one for one in found if one is not None][:most]


def _settle(view: View, space: str, id: str, found: Found) -> ToldLater | None:
    """What is left to be told of a record: nothing where it, or what it was compared with, is no longer what it was."""
    record = view.get(Record, space, id)
    if record is None or not _stands(record):
        return None
    others = [one for one in view.select(Record, Filter(spaces=(space,), versions=found.versions)) if _stands(one)]
    said = read_said(record.text)
    already = tuple(
        Already(id=one.id, text=one.text, date=one.event_time, differs=differs(said, read_said(one.text)))
        for one in others
    )
    return ToldLater(id=id, text=record.text, date=record.event_time, already=already) if already else None


def _stands(record: Record) -> bool:
    return record.status not in ("superseded", "archived") and record.superseded_by is None


def _is_over(found: Found, now: datetime) -> bool:
    return now - found.at > _KEPT
