"""How does a SQLite store do upkeep: fading, eviction, and the lists of sessions?

A run changes many rows and must not hold others up, so each statement here is one bounded step of it. What a step
changes is checked again in the step itself: others may have written since the run looked.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import cast

import msgspec

from recollect.store.base import EvictionRule, FadingRule, Run
from recollect.store.sqlite.rows import Row, to_json, to_micros, to_moment
from recollect.store.sqlite.where import NOT_EVICTED, one_of
from recollect.types import HIDDEN_STATUSES, Message, Session

_decode_versions = msgspec.json.Decoder(list[int]).decode
_decode_ids = msgspec.json.Decoder(list[str]).decode

_JOINED = (
    " FROM records LEFT JOIN accesses ON accesses.space_no = records.space_no AND accesses.id = records.id"
    " LEFT JOIN faded ON faded.version = records.version"
)
_CONFIDENCE = "coalesce(faded.confidence, records.confidence)"
_USED = "max(coalesce(accesses.last, 0), records.event_time)"
_CHOSEN = "records.version IN (SELECT value FROM json_each(?))"


def _present(kinds: tuple[str, ...], now: int) -> tuple[str, list[object]]:
    """Live records of some kinds that still hold. The + lets SQLite go by version where it is told the versions."""
    kind, hidden = one_of("records.kind", kinds), one_of("records.status", HIDDEN_STATUSES)
    sql = f"+records.retired_at IS NULL AND {kind[0]} AND NOT ({hidden[0]}) AND {NOT_EVICTED}"
    sql += " AND (records.valid_until IS NULL OR records.valid_until > ?)"
    return sql, [*kind[1], *hidden[1], now]


# Fading


def _is_fading(rule: FadingRule, now: int) -> tuple[str, list[object]]:
    present, values = _present(rule.kinds, now)
    sql = f"{present} AND {_USED} <= ? AND {_CONFIDENCE} > ?"
    return sql, [*values, to_micros(rule.unused_since), rule.floor]


def find_fading(connection: sqlite3.Connection, number: int, rule: FadingRule, now: int) -> list[int]:
    """The versions that a run would fade, oldest first."""
    fading, values = _is_fading(rule, now)
    sql = f"SELECT json_group_array(records.version){_JOINED} WHERE records.space_no = ? AND {fading}"
    return sorted(_decode_versions(connection.execute(sql, (number, *values)).fetchone()[0]))


def fade(connection: sqlite3.Connection, run: int, versions: Sequence[int], rule: FadingRule, now: int) -> int:
    """Lowers the confidence of those among some versions that the rule still means. Answers how many."""
    fading, values = _is_fading(rule, now)
    sql = f"INSERT INTO moved SELECT ?, records.version, {_CONFIDENCE}, max(?, {_CONFIDENCE} * ?){_JOINED}"
    listed = to_json(versions)
    done = connection.execute(
        f"{sql} WHERE {_CHOSEN} AND {fading}", (run, rule.floor, 1.0 - rule.rate, listed, *values)
    )
    connection.execute(
        "INSERT OR REPLACE INTO faded SELECT version, now FROM moved"
        " WHERE run = ? AND version IN (SELECT value FROM json_each(?))",
        (run, listed),
    )
    return done.rowcount


def unfade(connection: sqlite3.Connection, run: int) -> int:
    """Gives versions the confidence back that they had before a run, where nothing else changed it since."""
    done = connection.execute(
        "UPDATE faded SET confidence = moved.was FROM moved"
        " WHERE moved.run = ? AND moved.version = faded.version AND faded.confidence = moved.now",
        (run,),
    )
    connection.execute(
        "DELETE FROM faded WHERE version IN (SELECT version FROM moved WHERE run = ?)"
        " AND confidence = (SELECT confidence FROM records WHERE records.version = faded.version)",
        (run,),
    )
    return done.rowcount


def stated_confidence(connection: sqlite3.Connection, version: int) -> float | None:
    """What a version states where it has faded since; None where it has not."""
    sql = "SELECT records.confidence FROM faded JOIN records USING(version) WHERE version = ?"
    row = connection.execute(sql, (version,)).fetchone()
    return None if row is None else cast("float", row[0])


def hand_on_fading(connection: sqlite3.Connection, version: int, successor: int) -> None:
    """A record that has faded is no fresher for having a new version."""
    connection.execute("UPDATE OR REPLACE faded SET version = ? WHERE version = ?", (successor, version))


# Eviction


def find_evictable(
    connection: sqlite3.Connection, number: int, rule: EvictionRule, now: int
) -> tuple[list[int], list[str]]:
    """Versions and ids of what a run would evict: stale, or hardly believed; then the least important beyond the cap.

    They come by id, so that neighbours in the journal's index are written together.
    """
    present, values = _present(rule.kinds, now)
    stale = f"(records.event_time < ? AND records.importance < ?) OR {_CONFIDENCE} < ?"
    of_rule = (to_micros(rule.older_than), rule.min_importance, rule.min_confidence)
    each = f"SELECT records.id, records.version, records.importance, records.event_time, ({stale}) AS gone{_JOINED}"
    ranked = (
        "SELECT id, version, count(*) OVER () AS total, sum(gone) OVER () AS stale,"
        " row_number() OVER (ORDER BY gone DESC, importance, event_time, version) AS place"
        f" FROM ({each} WHERE records.space_no = ? AND {present})"
    )
    leaving = f"SELECT id, version FROM ({ranked}) WHERE place <= max(stale, total - ?) ORDER BY id"
    row = connection.execute(
        f"SELECT json_group_array(version), json_group_array(id) FROM ({leaving})",
        (*of_rule, number, *values, rule.cap),
    ).fetchone()  # in one step, during which other threads can run
    return _decode_versions(row[0]), _decode_ids(row[1])


def mark_evicted(
    connection: sqlite3.Connection, note: tuple[int, str, str | None, str | None], number: int, run: int,
    versions: Sequence[int], ids: Sequence[str],
) -> int:  # fmt: skip
    """Has those versions leave the present that are still in it, each with an entry of its own. Answers how many.

    That they are retired comes later, since it costs much more. They are found by their ids, in an index that holds all
    that is needed here. `note` is when, where, who and why.
    """
    at, space, actor, reason = note
    last = connection.execute("SELECT coalesce(max(entry), 0) FROM journal").fetchone()[0]
    done = connection.execute(
        "INSERT INTO journal(at, space, verb, object_type, object_id, before, actor, reason)"
        " SELECT ?, ?, 'evict', 'record', records.id, version, ?, ? FROM json_each(?) AS chosen"
        " CROSS JOIN records ON records.id = chosen.value AND space_no = ? AND retired_at IS NULL"
        f" WHERE +{_CHOSEN} AND {NOT_EVICTED}",
        (at, space, actor, reason, to_json(ids), number, to_json(versions)),
    )
    noted = "FROM journal WHERE entry > ? ORDER BY before"
    connection.execute(f"INSERT INTO moved SELECT ?, before, NULL, NULL {noted}", (run, last))
    connection.execute(f"INSERT INTO evicted SELECT before, at {noted}", (last,))
    return done.rowcount


def read_evicted(connection: sqlite3.Connection, limit: int) -> list[Row]:
    """Space, version and moment of what is still to be retired."""
    sql = "SELECT records.space_no, evicted.version, evicted.at FROM evicted CROSS JOIN records USING(version)"
    return connection.execute(f"{sql} ORDER BY evicted.version LIMIT ?", (limit,)).fetchall()


def retire_evicted(connection: sqlite3.Connection, versions: Sequence[int]) -> None:
    """Gives versions their end as of when they were evicted."""
    listed = to_json(versions)
    connection.execute(
        "UPDATE records SET retired_at = evicted.at FROM evicted"
        f" WHERE evicted.version = records.version AND {_CHOSEN}",
        (listed,),
    )
    connection.execute("DELETE FROM evicted WHERE version IN (SELECT value FROM json_each(?))", (listed,))


# Runs


def put_run(connection: sqlite3.Connection, number: int, entry: int, verb: str) -> None:
    connection.execute("INSERT INTO runs(entry, space_no, verb) VALUES(?, ?, ?)", (entry, number, verb))


def read_run(connection: sqlite3.Connection, entry: int) -> Run | None:
    row = connection.execute(
        "SELECT runs.entry, spaces.name, runs.verb, runs.undone, (SELECT max(later.entry) FROM runs AS later"
        " WHERE later.space_no = runs.space_no AND later.verb = runs.verb AND later.entry > runs.entry"
        " AND NOT later.undone)"
        " FROM runs JOIN spaces ON spaces.no = runs.space_no WHERE runs.entry = ?",
        (entry,),
    ).fetchone()
    return None if row is None else Run(row[0], row[1], row[2], bool(row[3]), row[4])


def read_moved(connection: sqlite3.Connection, entry: int, after: int, limit: int) -> list[int]:
    """The versions that a run moved, in order; the next `limit` after one."""
    rows = connection.execute(
        "SELECT version FROM moved WHERE run = ? AND version > ? ORDER BY version LIMIT ?", (entry, after, limit)
    )
    return [version for (version,) in rows]


# Sessions


def read_messages(connection: sqlite3.Connection, number: int | None, session: str) -> list[Message]:
    rows = connection.execute(
        "SELECT id, role, at, flag FROM messages WHERE space_no = ? AND session = ? ORDER BY place", (number, session)
    )
    return [Message(id=id, role=role, at=to_moment(at), flag=flag) for id, role, at, flag in rows]


def write_messages(connection: sqlite3.Connection, number: int, session: str, messages: Sequence[Message]) -> None:
    connection.execute("DELETE FROM messages WHERE space_no = ? AND session = ?", (number, session))
    rows = [
        (number, session, place, one.id, one.role, to_micros(one.at), one.flag) for place, one in enumerate(messages)
    ]
    add_messages(connection, rows)


def add_messages(connection: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Rows of space, session, place, id, role, moment and flag."""
    connection.executemany("INSERT INTO messages VALUES(?, ?, ?, ?, ?, ?, ?)", rows)


def next_place(connection: sqlite3.Connection, number: int, session: str) -> int:
    sql = "SELECT coalesce(max(place), -1) + 1 FROM messages WHERE space_no = ? AND session = ?"
    return connection.execute(sql, (number, session)).fetchone()[0]


def read_listed(connection: sqlite3.Connection, number: int | None, space: str, limit: int) -> list[Session]:
    """Every session of a space by its list, the most recent first."""
    rows = connection.execute(
        "SELECT session, count(*), min(at), max(at) FROM messages WHERE space_no = ?"
        " GROUP BY session ORDER BY max(at) DESC, session LIMIT ?",
        (number, limit),
    )
    return [
        Session(id=id, space=space, messages=count, started_at=to_moment(first), last_at=to_moment(last))
        for id, count, first, last in rows
    ]


# Schedules


def claim_slot(connection: sqlite3.Connection, task: str, slot: int) -> bool:
    """Takes a slot of a schedule, unless it or a later one was taken."""
    done = connection.execute(
        "INSERT INTO slots VALUES(?, ?) ON CONFLICT DO UPDATE SET slot = excluded.slot WHERE slot < excluded.slot",
        (task, slot),
    )
    return done.rowcount == 1
