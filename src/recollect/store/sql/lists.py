"""Where does a record stand in the list of its session, or of its source?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import cast

from recollect.store.ops import Put
from recollect.store.sql.database import Database, Row
from recollect.store.sql.rows import to_micros
from recollect.types import Message, Record

_NEXT_PLACE = "SELECT coalesce(max(place), -1) + 1 FROM messages WHERE space_no = ? AND session = ?"
_IS_THERE = " OR ".join(  # one index has the live versions by their id and another the rest
    "EXISTS(SELECT 1 FROM records WHERE records.id = messages.id AND records.space_no = messages.space_no"
    f" AND records.retired_at {retired})"
    for retired in ("IS NULL", "IS NOT NULL")
)


class Lists:
    """The ends of lists, as one transaction sees them, and the messages in them."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._positions: dict[tuple[int, str, str], int] = {}
        self._places: dict[tuple[int, str], int] = {}

    def look_at(self, puts: Sequence[tuple[int, Put]]) -> None:
        """Finds out where the sessions and sources end that new records are put at the end of."""
        ends = [(number, *_list_of(cast("Record", op.thing))) for number, op in puts if op.last]
        lists = [key for key in dict.fromkeys(ends) if key[2] is not None and key not in self._positions]
        fresh = [(number, op.thing) for number, op in puts if op.before is None and not op.thing.version]
        new = [(number, cast("Record", thing).session) for number, thing in fresh]
        sessions = [key for key in dict.fromkeys(new) if key[1] is not None and key not in self._places]
        last = "SELECT coalesce(max(position), -1) FROM records WHERE space_no = ? AND {} = ? AND retired_at IS NULL"
        asked = [partial(self._db.rows, last.format(key[1]), (key[0], key[2])) for key in lists]
        asked += [partial(self._db.rows, _NEXT_PLACE, key) for key in sessions]
        found = [rows[0][0] for rows in self._db.together(asked)]
        self._positions |= zip(cast("list[tuple[int, str, str]]", lists), found[: len(lists)], strict=True)
        self._places |= zip(cast("list[tuple[int, str]]", sessions), found[len(lists) :], strict=True)

    def next_position(self, number: int, record: Record) -> int:
        """The place after the last record of a session, or of a source where there is no session."""
        column, value = _list_of(record)
        if value is None:
            return record.position
        key = (number, column, value)
        self._positions[key] += 1
        return self._positions[key]

    def put(self, records: Iterable[tuple[int, Record]]) -> None:
        """New records of a session stand at the end of its list."""
        self.append(
            (number, cast("str", record.session), Message(id=record.id, role=record.role, at=record.event_time))
            for number, record in records
        )

    def append(self, messages: Iterable[tuple[int, str, Message]]) -> None:
        rows: list[Row] = []
        for number, session, one in messages:
            key = (number, session)
            if key not in self._places:
                self._places[key] = self._db.rows(_NEXT_PLACE, key)[0][0]
            rows.append((*key, self._places[key], one.id, one.role, to_micros(one.at), one.flag))
            self._places[key] += 1
        self._db.many("INSERT INTO messages VALUES(?, ?, ?, ?, ?, ?, ?)", rows)

    def empty(self, number: int, session: str) -> None:
        self._db.run("DELETE FROM messages WHERE space_no = ? AND session = ?", (number, session))
        self._places[number, session] = 0

    def take_out(self, number: int, ids: Sequence[str]) -> None:
        """The list of a session keeps the places of what was erased, not who spoke; one that has nothing else goes."""
        named, values = self._db.dialect.among("id", ids)
        here = "space_no = ? AND session = ?"
        listing = self._db.rows(
            f"SELECT DISTINCT session FROM messages WHERE space_no = ? AND {named}", (number, *values)
        )
        for (session,) in listing:
            if self._db.rows(f"SELECT 1 FROM messages WHERE {here} AND ({_IS_THERE}) LIMIT 1", (number, session)):
                sql = f"UPDATE messages SET role = NULL WHERE {here} AND {named}"
                self._db.run(sql, (number, session, *values))
            else:
                self._db.run(f"DELETE FROM messages WHERE {here}", (number, session))
                self._places.pop((number, session), None)


def _list_of(record: Record) -> tuple[str, str | None]:
    """What a record has its place in: its session, or its source where it has none."""
    return ("session", record.session) if record.session is not None else ("source", record.source)
