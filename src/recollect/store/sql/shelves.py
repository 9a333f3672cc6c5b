"""What is kept on a shelf?"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.errors import StoreDamaged
from recollect.forms import decoder
from recollect.store.base import Shelf, V
from recollect.store.sql.database import Database


def read_shelf(db: Database, owner: int | None, shelf: Shelf[V], keys: Sequence[str] | None = None) -> dict[str, V]:
    """All that a space or a user keeps there, or what is kept under some keys."""
    sql, values = "SELECT key, value FROM shelves WHERE space_no = ? AND shelf = ?", [owner, shelf.name]
    if keys is not None:
        among, listed = db.dialect.among("key", keys)
        sql, values = f"{sql} AND {among}", [*values, *listed]
    decode = decoder(shelf.type)
    try:
        return {row[0]: decode(row[1]) for row in db.rows(f"{sql} ORDER BY key", values)}
    except (msgspec.DecodeError, TypeError) as error:
        raise StoreDamaged(
            f"what is kept as {shelf.name!r} cannot be read ({error}); run `recollect doctor`"
        ) from error
