"""What is told of single versions of a large space, and how long does it stay true?

A question looks at some hundred candidates, and the next one at many of the same. What was read of them holds until
their space changes, however it does. All of it is read in one row: between two rows SQLite lets other threads run, and
waits for its turn again.
"""

from __future__ import annotations

import sqlite3
from typing import Any, TypeAlias, cast

import msgspec

from recollect.store.sql.database import Condition
from recollect.store.sql.findings import TOLD, TOLD_BY
from recollect.store.sqlite.database import gather_blobs, part_blobs
from recollect.store.sqlite.images import BEGINS, ENDS, IS_HIDDEN
from recollect.types import Filter

_decode = msgspec.json.Decoder(list[Any]).decode
_COLUMNS = (*TOLD, IS_HIDDEN, BEGINS, ENDS, "records.kind")
_READ = f"""
    SELECT {gather_blobs("lexis.terms")}, {", ".join(f"json_group_array({column})" for column in _COLUMNS)}{TOLD_BY}"""


Told: TypeAlias = tuple[
    int, str | None, str | None, int, int, float, float, int, bytes,
    int, int, int, str,
]  # fmt: skip
"""One version: what ranking is told of it (`TOLD`, and its terms), and what decides whether a plain filter lets it
through: whether it is hidden, from and until when it is true, its kind. A plain tuple, which needs no care later.
"""
COLUMNS = len(TOLD) + 5


def read_told(connection: sqlite3.Connection, condition: Condition) -> list[Told]:
    """What is told of all versions that a condition lets through."""
    lengths, held, *columns = connection.execute(f"{_READ} WHERE {condition[0]}", condition[1]).fetchone()
    decoded = [_decode(column) for column in columns]
    decoded.insert(len(TOLD), part_blobs(lengths, held))
    return cast("list[Told]", list(zip(*decoded, strict=True)))


def lets_through(filter: Filter, told: Told, now: int) -> bool:
    """Does a plain filter let a live version through?"""
    hidden, begins, ends, kind = told[-4:]
    if filter.valid_only and (hidden or not begins <= now < ends):
        return False
    return kind not in filter.without_kinds and (not filter.kinds or kind in filter.kinds)
