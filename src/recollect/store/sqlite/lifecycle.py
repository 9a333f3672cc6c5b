"""How does a SQLite store do upkeep: fading, eviction, and the lists of sessions?

A run changes many rows and must not hold others up, so each statement here is one bounded step of it. What a step
changes is checked again in the step itself: others may have written since the run looked.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import cast

import msgspec

from recollect.store.base import EvictionRule, FadingRule, Moved, Run
from recollect.store.sqlite.rows import Row, to_json, to_micros, to_moment
from recollect.store.sqlite.where import one_of
from recollect.types import HIDDEN_STATUSES, Message, Session

_decode_ids = msgspec.json.Decoder(list[str]).decode
_decode_versions = msgspec.json.Decoder(list[int]).decode

_JOINED = (
    " FROM records LEFT JOIN accesses ON accesses.space_no = records.space_no AND accesses.id = records.id"
    " LEFT JOIN faded ON faded.space_no = records.space_no AND faded.id = records.id"
)
_CONFIDENCE = "coalesce(faded.confidence, records.confidence)"
_USED = "max(coalesce(accesses.last, 0), records.event_time)"


def _present(kinds: tuple[str, ...], now: int) -> tuple[str, list[object]]:
    """Live records of some kinds that still hold."""
    kind, hidden = one_of("records.kind", kinds), one_of("records.status", HIDDEN_STATUSES)
    sql = f"records.space_no = ? AND records.retired_at IS NULL AND {kind[0]} AND NOT ({hidden[0]})"
    sql += " AND (records.valid_until IS NULL OR records.valid_until > ?)"
    return sql, [*kind[1], *hidden[1], now]


# Fading


def find_fading(connection: sqlite3.Connection, number: int, rule: FadingRule, now: int) -> list[str]:
    """The ids of records that a run would fade."""
    present, values = _present(rule.kinds, now)
    sql = f"SELECT json_group_array(records.id){_JOINED} WHERE {present} AND {_USED} <= ? AND {_CONFIDENCE} > ?"
    row = connection.execute(sql, (number, *values, to_micros(rule.unused_since), rule.floor)).fetchone()
    return _decode_ids(row[0])


def fade(connection: sqlite3.Connection, number: int, run: int, ids: Sequence[str], rule: FadingRule, now: int) -> int:
    """Lowers the confidence of those among some records that the rule still means. Answers how many."""
    present, values = _present(rule.kinds, now)
    sql = f"INSERT INTO moved SELECT ?, ?, records.id, NULL, {_CONFIDENCE}, max(?, {_CONFIDENCE} * ?){_JOINED}"
    sql += f" WHERE records.id IN (SELECT value FROM json_each(?)) AND {present} AND {_USED} <= ? AND {_CONFIDENCE} > ?"
    done = connection.execute(
        sql,
        (
            run, number, rule.floor, 1.0 - rule.rate, to_json(ids), number, *values,
            to_micros(rule.unused_since), rule.floor,
        ),
    )  # fmt: skip
    connection.execute(
        "INSERT OR REPLACE INTO faded SELECT ?, id, now FROM moved"
        " WHERE run = ? AND id IN (SELECT value FROM json_each(?))",
        (number, run, to_json(ids)),
    )
    return done.rowcount


def unfade(connection: sqlite3.Connection, run: int) -> int:
    """Gives records the confidence back that they had before a run, where nothing else changed it since."""
    still = " FROM moved JOIN faded ON faded.space_no = moved.space_no AND faded.id = moved.id"
    still += " AND faded.confidence = moved.now WHERE moved.run = ?"
    rows: list[Row] = connection.execute(f"SELECT moved.space_no, moved.id, moved.was{still}", (run,)).fetchall()
    connection.executemany(
        "UPDATE faded SET confidence = ? WHERE space_no = ? AND id = ?", [(was, no, id) for no, id, was in rows]
    )
    connection.execute(
        "DELETE FROM faded WHERE (space_no, id) IN (SELECT moved.space_no, moved.id FROM moved JOIN records"
        " ON records.id = moved.id AND records.space_no = moved.space_no AND records.retired_at IS NULL"
        " WHERE moved.run = ?1 AND records.confidence = moved.was) AND confidence ="
        " (SELECT was FROM moved WHERE run = ?1 AND moved.id = faded.id)",
        (run,),
    )
    return len(rows)


def stated_confidence(connection: sqlite3.Connection, number: int, id: str, version: int) -> float | None:
    """What a version states where the record has faded since; None where it has not."""
    row = connection.execute(
        "SELECT records.confidence FROM faded JOIN records ON records.version = ?"
        " WHERE faded.space_no = ? AND faded.id = ?",
        (version, number, id),
    ).fetchone()
    return None if row is None else cast("float", row[0])


def drop_faded(connection: sqlite3.Connection, number: int, id: str) -> None:
    connection.execute("DELETE FROM faded WHERE space_no = ? AND id = ?", (number, id))


# Eviction


def find_evictable(connection: sqlite3.Connection, number: int, rule: EvictionRule, now: int) -> list[int]:
    """The versions that a run would evict: stale, or hardly believed; then the least important beyond the cap."""
    present, values = _present(rule.kinds, now)
    stale = f"(records.event_time < ? AND records.importance < ?) OR {_CONFIDENCE} < ?"
    of_rule = (to_micros(rule.older_than), rule.min_importance, rule.min_confidence)
    sql = f"SELECT json_group_array(records.version){_JOINED} WHERE {present} AND ({stale})"
    found = _decode_versions(connection.execute(sql, (number, *values, *of_rule)).fetchone()[0])
    total: int = connection.execute(
        f"SELECT count(*) FROM records WHERE {present}", (number, *values)
    ).fetchone()[0]  # fmt: skip
    beyond = total - len(found) - rule.cap
    if beyond > 0:
        sql = f"SELECT json_group_array(version) FROM (SELECT records.version AS version{_JOINED}"
        sql += f" WHERE {present} AND NOT ({stale}) ORDER BY records.importance, records.event_time, version LIMIT ?)"
        found += _decode_versions(connection.execute(sql, (number, *values, *of_rule, beyond)).fetchone()[0])
    return found


def take_out(
    connection: sqlite3.Connection, number: int, run: int, versions: Sequence[int], at: int
) -> tuple[int, int]:
    """Takes live versions out of the present. Answers how many there were, and how many terms they hold.

    Their words are left among the live ones, where they do no harm but cost a little, and are moved later.
    """
    listed = to_json(versions)
    chosen = "version IN (SELECT value FROM json_each(?))"
    live = f"SELECT version FROM records WHERE {chosen} AND space_no = {number} AND retired_at IS NULL"
    connection.execute(
        f"INSERT INTO moved SELECT ?, space_no, id, version, NULL, NULL FROM records WHERE version IN ({live})",
        (run, listed),
    )
    terms: list[Row] = connection.execute(f"SELECT terms FROM lexis WHERE version IN ({live})", (listed,)).fetchall()
    length = sum(sum(blob[4 * (len(blob) // 5) :]) for (blob,) in terms)
    connection.execute(f"INSERT OR IGNORE INTO unswept {live}", (listed,))
    connection.execute(f"UPDATE signs SET model = -model WHERE version IN ({live}) AND model > 0", (listed,))
    done = connection.execute(f"UPDATE records SET retired_at = ? WHERE version IN ({live})", (at, listed))
    return done.rowcount, length


def unswept(connection: sqlite3.Connection, limit: int) -> list[tuple[int, int]]:
    """Space numbers and versions whose words still stand among the live ones."""
    sql = "SELECT records.space_no, unswept.version FROM unswept JOIN records USING(version) LIMIT ?"
    return cast("list[tuple[int, int]]", connection.execute(sql, (limit,)).fetchall())


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


def read_moved(connection: sqlite3.Connection, entry: int, after: str, limit: int) -> list[Moved]:
    """What a run moved, by id; the next `limit` after one."""
    rows = connection.execute(
        "SELECT id, version, was FROM moved WHERE run = ? AND id > ? ORDER BY id LIMIT ?", (entry, after, limit)
    )
    return [Moved(*row) for row in rows]


# Sessions


def read_messages(connection: sqlite3.Connection, number: int | None, session: str) -> list[Message]:
    rows = connection.execute(
        "SELECT id, role, at, flag FROM messages WHERE space_no = ? AND session = ? ORDER BY place", (number, session)
    )
    return [Message(id=id, role=role, at=to_moment(at), flag=flag) for id, role, at, flag in rows]


def write_messages(connection: sqlite3.Connection, number: int, session: str, messages: Sequence[Message]) -> None:
    connection.execute("DELETE FROM messages WHERE space_no = ? AND session = ?", (number, session))
    add_messages(connection, number, session, 0, messages)


def add_messages(
    connection: sqlite3.Connection, number: int, session: str, place: int, messages: Sequence[Message]
) -> None:
    connection.executemany(
        "INSERT INTO messages VALUES(?, ?, ?, ?, ?, ?, ?)",
        [(number, session, place + i, one.id, one.role, to_micros(one.at), one.flag) for i, one in enumerate(messages)],
    )


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
