"""How does a store become something that can be worked on?"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from recollect.config import Settings
from recollect.engine.core import Core, random_id, utc_now
from recollect.engine.places import make_home
from recollect.store.choose import look_at, open_store


def open_core(
    settings: Settings,
    *,
    actor: str | None,
    clock: Callable[[], datetime] = utc_now,
    new_id: Callable[[], str] = random_id,
) -> Core:
    """Opens a store, or makes it. Whoever opens it closes it (`core.store.close`)."""
    notes = make_home(settings.home) if settings.store is None else []
    store = open_store(settings.home, clock, settings.store, vectors_mb=settings.vectors_mb)
    core = Core(store, settings, actor=actor, clock=clock, new_id=new_id)
    core.notes = [*notes, *store.site.notes]
    return core


def open_present(settings: Settings, *, actor: str | None) -> Core | None:
    """Opens a store that is there already; None where there is none, and none is made."""
    return open_core(settings, actor=actor) if look_at(settings.home, settings.store).there else None
