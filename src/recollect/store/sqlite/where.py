"""How does a Filter become a condition in SQL?"""

from __future__ import annotations

from datetime import datetime

from recollect.store.sqlite.rows import to_json, to_micros
from recollect.types import HIDDEN_STATUSES, Filter

Condition = tuple[str, list[object]]

NOT_EVICTED = "NOT EXISTS (SELECT 1 FROM evicted WHERE evicted.version = records.version)"
"""What was evicted has left the present, though it is retired only later."""

_COLUMNS = {
    "kinds": "kind", "memory_types": "memory_type", "sessions": "session",
    "projects": "project", "users": "user", "sources": "source", "ids": "id",
}  # fmt: skip


def known_at(table: str, as_of: datetime | None, *, by_version: bool = False) -> Condition:
    """The versions that held at a moment of recorded time (None: now).

    `by_version` says that rows are chosen by their version, so that SQLite should not look for another index.
    """
    of_records = table == "records"
    if as_of is None:
        held = f"{'+' if by_version else ''}{table}.retired_at IS NULL"
        return (f"{held} AND {NOT_EVICTED}" if of_records else held), []
    moment = to_micros(as_of)
    held = f"{table}.recorded_at <= ? AND ({table}.retired_at IS NULL OR {table}.retired_at > ?)"
    if not of_records:
        return held, [moment, moment]
    gone = f"{NOT_EVICTED[:-1]} AND evicted.at <= ?)"
    return f"{held} AND {gone}", [moment, moment, moment]


def true_at(table: str, moment: int) -> Condition:
    return (
        f"({table}.valid_from IS NULL OR {table}.valid_from <= ?)"
        f" AND ({table}.valid_until IS NULL OR {table}.valid_until > ?)",
        [moment, moment],
    )


def _held_at(moment: int, now: int) -> Condition:
    """What was true at a moment, as far as is known now. Something put away at an unknown time is left out."""
    hidden = one_of("records.status", HIDDEN_STATUSES)
    return (
        "coalesce(records.valid_from, records.created_at) <= ?"
        " AND (records.valid_until IS NULL OR records.valid_until > ?)"
        f" AND NOT ({hidden[0]} AND coalesce(records.valid_until > ?, 1))",
        [moment, moment, *hidden[1], now],
    )


def after_all(beginning: str) -> str:
    """The first text after all those that begin so."""
    return beginning[:-1] + chr(ord(beginning[-1]) + 1)


def one_of(column: str, values: tuple[str, ...]) -> Condition:
    return f"{column} IN ({','.join('?' * len(values))})", list(values)


def _one_or_none(column: str, values: tuple[str, ...]) -> Condition:
    """One of some values; "" among them stands for rows that have none."""
    if "" not in values:
        return one_of(column, values)
    named, listed = one_of(column, values)
    return f"({named} OR {column} IS NULL)", listed


def record_condition(filter: Filter, now: int, *, by_version: bool = False) -> Condition:
    """Everything in a filter but its spaces, for a row of `records`."""
    parts = [known_at("records", filter.as_of, by_version=by_version)]
    for name, column in _COLUMNS.items():
        values: tuple[str, ...] = getattr(filter, name)
        if values:
            parts.append(_one_or_none(f"{'+' if by_version else ''}records.{column}", values))
    if filter.below is not None:
        parts.append(("records.source >= ? AND records.source < ?", [filter.below, after_all(filter.below)]))
    if filter.rooms:
        parts.append(one_of("coalesce(records.room, '')", filter.rooms))
    if filter.tags:
        sql = "EXISTS(SELECT 1 FROM json_each(records.tags) AS tag JOIN json_each(?) AS wanted USING(value))"
        parts.append((sql, [to_json(filter.tags)]))
    if filter.since is not None:
        parts.append(("records.event_time >= ?", [to_micros(filter.since)]))
    if filter.until is not None:
        parts.append(("records.event_time <= ?", [to_micros(filter.until)]))
    if filter.statuses:
        parts.append(one_of("records.status", filter.statuses))
    elif filter.valid_only and filter.valid_at is None:
        hidden = one_of("records.status", HIDDEN_STATUSES)
        parts.append((f"NOT ({hidden[0]})", hidden[1]))
    if filter.governed:
        parts.append(("records.grounds IS NOT NULL", []))
    if filter.without_kinds:
        named = one_of("records.kind", filter.without_kinds)
        parts.append((f"NOT ({named[0]})", named[1]))
    if filter.without_sources:
        named = one_of("records.source", filter.without_sources)
        parts.append((f"(records.source IS NULL OR NOT ({named[0]}))", named[1]))
    if filter.valid_at is not None:
        parts.append(_held_at(to_micros(filter.valid_at), now))
    elif filter.valid_only:
        parts.append(true_at("records", now if filter.as_of is None else to_micros(filter.as_of)))
    return " AND ".join(sql for sql, _ in parts), [value for _, values in parts for value in values]
