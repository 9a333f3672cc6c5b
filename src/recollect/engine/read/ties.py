"""What does a record hang together with, beside what it rests on?"""

from __future__ import annotations

from recollect.engine.core import Core
from recollect.store.base import Entities
from recollect.types import Entity, Filter, Record


def replaced_by(core: Core, record: Record) -> list[Record]:
    """The records that one has taken the place of."""
    with core.store.read() as view:
        return view.select(Record, Filter(spaces=(record.space,), superseded_by=(record.id,), valid_only=False))


def entities_in(core: Core, record: Record) -> list[Entity]:
    """The entities that a record names."""
    with core.store.read() as view:
        names = tuple({name for lexis in view.terms([record.version]).values() for name in lexis.names})
        return view.entities(Entities(space=record.space, names=names)) if names else []
