"""When does a transaction happen, if the clock may jump?

Entries are ordered by their numbers, and their times are those of the clock. What a version was written and retired at
is ordered as well, since `as_of` reads by it: while the clock is behind the last entry, versions are stamped as far
ahead of it as that entry was. A clock that is a little behind is given the time after the last entry instead.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from recollect.errors import StoreDamaged, WrongClock
from recollect.store.sql.database import Database
from recollect.store.sql.rows import to_micros, to_moment

EARLIEST, LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
_LATEST = to_micros(datetime(9000, 1, 1, tzinfo=UTC))
"""A stamp may be ahead of all clocks, by as much as one was wrong."""
_A_LITTLE = 3_600_000_000
"""Microseconds by which two clocks of one store may differ without anybody calling it a jump."""


class Last(NamedTuple):
    """When the last entry was written by the clock, and its stamp where that is another."""

    at: int
    stamp: int | None

    @property
    def ahead(self) -> int:
        """By how much stamps are ahead of the clock."""
        return 0 if self.stamp is None else self.stamp - self.at


class Moment(NamedTuple):
    """When a transaction happens: by the clock, and by the stamp that orders versions."""

    at: datetime
    stamp: int

    @property
    def noted(self) -> int | None:
        """The stamp, where the journal has to keep it."""
        return None if self.stamp == to_micros(self.at) else self.stamp


def last_moment(db: Database) -> Last | None:
    rows = db.rows("SELECT at, stamp FROM journal ORDER BY entry DESC LIMIT 1")
    if not rows:
        return None
    at, stamp = rows[0]
    if not is_possible(at, stamp):
        raise StoreDamaged(
            "the last entry of the journal is of no time that there can be; run `recollect doctor --repair`, which sets"
            " it aside"
        )
    return Last(at, stamp)


def is_possible(at: object, stamp: object) -> bool:
    """Can an entry be of this time, with this stamp (one of an early release has none)?"""
    return all(isinstance(one, int) and 0 <= one <= _LATEST for one in (at, at if stamp is None else stamp))


def next_moment(last: Last | None, now: datetime) -> Moment:
    """The moment after all before it."""
    if not EARLIEST <= now < LATEST:
        raise WrongClock(f"this machine's clock says {now:%Y-%m-%d}, which cannot be right; set it and try again")
    clock = to_micros(now)
    if last is None:
        return Moment(now, clock)
    order = last.at if last.stamp is None else last.stamp
    if clock > order:
        return Moment(now, clock)
    if order - clock <= _A_LITTLE:
        return Moment(to_moment(order + 1), order + 1)
    return Moment(now, max(order + 1, clock + last.ahead))


def look(last: Last | None, now: datetime) -> datetime:
    """When a look at the store happens: no earlier than what was just written, or that would not hold yet."""
    if last is None:
        return now
    behind = last.at - to_micros(min(max(now, EARLIEST), LATEST))
    return to_moment(last.at) if 0 < behind <= _A_LITTLE else now


def is_stamped(db: Database) -> bool:
    """Was the clock ever behind what had been written before?"""
    if db.stamped is not None:
        return db.stamped
    return bool(db.rows("SELECT 1 FROM journal WHERE stamp IS NOT NULL LIMIT 1"))


def stamp_of(db: Database, moment: datetime) -> int:
    """What orders versions up to a moment of the clock: that of the last entry that was written by then."""
    micros = to_micros(moment)
    if not is_stamped(db):
        return micros
    sql = "SELECT coalesce(stamp, at) FROM journal WHERE at <= ? ORDER BY entry DESC LIMIT 1"
    return next((stamp for (stamp,) in db.rows(sql, (micros,))), micros)


def shift_of(db: Database) -> tuple[int, int] | None:
    """From which stamp on versions are stamped ahead of the clock, and by how much; None where they are not."""
    last = last_moment(db)
    if last is None or not last.ahead:
        return None
    sql = "SELECT min(stamp) FROM journal WHERE stamp IS NOT NULL AND stamp - at >= ?"
    return db.rows(sql, (last.ahead - _A_LITTLE,))[0][0], last.ahead
