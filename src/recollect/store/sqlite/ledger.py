"""How are the ledger of language models and the counters kept in SQLite?"""

from __future__ import annotations

import sqlite3

from recollect.store.sqlite.rows import Row
from recollect.types import Spending

_MILLIONTHS = 1_000_000


def read_ledger(connection: sqlite3.Connection, days: int) -> list[Spending]:
    """The rows of the last so many days on which anything was asked, the newest first."""
    rows = connection.execute(
        "SELECT day, provider, calls, tokens_in, tokens_out, spent FROM ledger WHERE calls > 0 AND day IN"
        " (SELECT DISTINCT day FROM ledger WHERE calls > 0 ORDER BY day DESC LIMIT ?) ORDER BY day DESC, provider",
        (days,),
    ).fetchall()
    return [_to_spending(row) for row in rows]


def _to_spending(row: Row) -> Spending:
    day, provider, calls, tokens_in, tokens_out, spent = row
    return Spending(
        day=day, provider=provider, calls=calls, tokens_in=tokens_in, tokens_out=tokens_out, spent=spent / _MILLIONTHS
    )


def read_spending(connection: sqlite3.Connection, day: str, provider: str) -> Spending:
    row = connection.execute(
        "SELECT day, provider, calls, tokens_in, tokens_out, spent FROM ledger WHERE day = ? AND provider = ?",
        (day, provider),
    ).fetchone()
    return Spending(day=day, provider=provider) if row is None else _to_spending(row)


def add_spending(connection: sqlite3.Connection, more: Spending) -> None:
    """Adds to a day of a provider; what was set aside and not used is taken off by numbers below 0."""
    connection.execute(
        "INSERT INTO ledger VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT(day, provider) DO UPDATE SET"
        " calls = calls + excluded.calls, tokens_in = tokens_in + excluded.tokens_in,"
        " tokens_out = tokens_out + excluded.tokens_out, spent = spent + excluded.spent",
        (more.day, more.provider, more.calls, more.tokens_in, more.tokens_out, round(more.spent * _MILLIONTHS)),
    )


def read_counters(connection: sqlite3.Connection, prefix: str) -> dict[str, int]:
    rows = connection.execute("SELECT name, value FROM counters WHERE substr(name, 1, ?) = ?", (len(prefix), prefix))
    return dict(rows.fetchall())


def add_to_counter(connection: sqlite3.Connection, name: str, by: int) -> None:
    connection.execute(
        "INSERT INTO counters VALUES(?, ?) ON CONFLICT(name) DO UPDATE SET value = value + excluded.value", (name, by)
    )


def set_counter(connection: sqlite3.Connection, name: str, value: int) -> None:
    connection.execute("INSERT OR REPLACE INTO counters VALUES(?, ?)", (name, value))
