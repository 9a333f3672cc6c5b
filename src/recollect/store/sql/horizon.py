"""From when on is the history of a space whole?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from recollect.errors import InvalidInput
from recollect.forms import decoder
from recollect.store.base import THINNED, Horizon
from recollect.store.sql.database import Database
from recollect.store.sql.moment import stamp_of

_decode = decoder(Horizon)
_SELECT = "SELECT spaces.name, shelves.value FROM shelves JOIN spaces ON spaces.no = shelves.space_no"


def horizons(db: Database, numbers: Sequence[int] | None) -> dict[str, Horizon]:
    """Up to when the history of some spaces (None: of any) was thinned, by name, where it was."""
    chosen, values = ("1 = 1", []) if numbers is None else db.dialect.among("shelves.space_no", numbers)
    rows = db.rows(f"{_SELECT} WHERE shelves.shelf = ? AND {chosen}", (THINNED.name, *values))
    return {name: _decode(value) for name, value in rows}


def require_known(db: Database, as_of: datetime | None, numbers: Sequence[int] | None) -> None:
    """Refuses to tell what was known at a moment of which history has nothing left."""
    found = {} if as_of is None else horizons(db, numbers)
    if as_of is None or not found:
        return
    moment = stamp_of(db, as_of)
    for name, horizon in found.items():
        if moment < horizon.stamp:
            raise InvalidInput(
                "as_of",
                f"the history of the space {name!r} was thinned up to {horizon.until:%Y-%m-%d %H:%M} UTC: what was"
                " known before then cannot be told; true_at (--true-at) asks what held then, as far as is known now",
            )
