"""In which order do records come?"""

from __future__ import annotations

from recollect.store.sql.database import Database
from recollect.store.sql.moment import is_stamped
from recollect.types import Order

_ORDERS: dict[Order, str] = {
    "newest": "records.created_at DESC, records.version DESC",
    "oldest": "records.created_at, records.version",
    "important": "records.importance DESC, records.created_at DESC, records.version DESC",
    "position": "records.session NULLS FIRST, records.source NULLS FIRST, records.position, records.version",
    "updated": "records.version DESC",
    "latest": "records.event_time DESC, records.version DESC",
    "earliest": "records.event_time, records.version",
}
_BEGUN = """coalesce((SELECT min(begun.version) FROM records AS begun WHERE begun.id = records.id
    AND begun.space_no = records.space_no AND begun.retired_at IS NOT NULL),records.version)"""
"""The first version of a record: with those the journal tells which was stored first, whatever the clock said."""
_BY_THE_JOURNAL: dict[Order, str] = {
    "newest": f"{_BEGUN} DESC, records.version DESC",
    "oldest": f"{_BEGUN}, records.version",
}


def say_order(db: Database, order: Order) -> str:
    """How an order is said. Where the clock was wrong, dates do not tell what was stored first."""
    return _BY_THE_JOURNAL[order] if order in _BY_THE_JOURNAL and is_stamped(db) else _ORDERS[order]
