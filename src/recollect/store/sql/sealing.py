"""How do rows that were written by an earlier release come to have a checksum?

In the background, some at a time. When none is left that is noted, so that nobody looks for them again: whatever is
written since has one.
"""

from __future__ import annotations

from recollect.store.base import Thing
from recollect.store.sql.database import Database, Row
from recollect.store.sql.seal import NOTED, SPACES, seal, seal_row
from recollect.store.sql.shapes import TABLES, select_things

_AT_ONCE = 500
_KEYED = {**dict.fromkeys(TABLES.values(), "version"), "spaces": "no", "journal": "entry"}
_DONE = "INSERT INTO shelves VALUES(0, 'sealed', 'all', 'true') ON CONFLICT(space_no, shelf, key) DO NOTHING"
_IS_DONE = "SELECT 1 FROM shelves WHERE space_no = 0 AND shelf = 'sealed'"


def count_unsealed(db: Database) -> int:
    """How many canonical rows have no checksum."""
    if db.rows(_IS_DONE):
        return 0
    counts = (f"SELECT count(*) AS n FROM {table} WHERE checksum IS NULL" for table in _KEYED)
    return int(db.rows(f"SELECT sum(n) FROM ({' UNION ALL '.join(counts)}) AS counted")[0][0])


class Sealing:
    """Goes once through the tables of a store, as far as that was not done before."""

    def __init__(self) -> None:
        self._left = dict(_KEYED)
        self._after = 0
        self._found: list[Row] = []

    def look(self, db: Database) -> bool:
        """Finds the next rows without a checksum. False when there is nothing left to do."""
        if self._left and db.rows(_IS_DONE):
            self._left.clear()
        self._found = []
        for table, key in list(self._left.items()):
            self._found = _unsealed(db, table, key, self._after)
            if self._found:
                return True
            if len(self._left) == 1:
                return True  # that all are done is to be noted
            self._turn(table)
        return False

    def write(self, db: Database) -> None:
        """Writes the checksums of what was found, or that nothing was."""
        table, key = next(iter(self._left.items()))
        if not self._found:
            db.run(_DONE, ())
            self._turn(table)
            return
        db.many(f"UPDATE {table} SET checksum = ? WHERE {key} = ? AND checksum IS NULL", self._found)
        self._after = self._found[-1][1]

    def _turn(self, table: str) -> None:
        del self._left[table]
        self._after = 0


def _unsealed(db: Database, table: str, key: str, after: int) -> list[Row]:
    """The checksums and keys of some rows that have none."""
    ends = f"WHERE {table}.{key} > ? AND {table}.checksum IS NULL ORDER BY {table}.{key} LIMIT ?"
    types: dict[str, type[Thing]] = {name: type_ for type_, name in TABLES.items()}
    if table in types:
        rows = db.rows(f"{select_things(types[table], stated=True)} {ends}", (after, _AT_ONCE))
        return [(seal_row(types[table], row), row[0]) for row in rows]
    columns = NOTED if table == "journal" else SPACES
    rows = db.rows(f"SELECT {', '.join(columns)} FROM {table} {ends}", (after, _AT_ONCE))
    return [(seal(row), row[0]) for row in rows]
