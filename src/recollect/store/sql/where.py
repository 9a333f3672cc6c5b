"""How does a Filter become a condition in SQL?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import msgspec

from recollect.store.sql.database import Condition, Database, Dialect
from recollect.store.sql.horizon import require_known
from recollect.store.sql.moment import stamp_of
from recollect.store.sql.rows import to_micros
from recollect.types import HIDDEN_STATUSES, Filter

NOT_EVICTED = "NOT EXISTS (SELECT 1 FROM evicted WHERE evicted.version = records.version)"
"""What was evicted has left the present, though it is retired only later."""

Rule = Callable[[Any], Condition]


def known_at(db: Database, table: str, as_of: datetime | None, *, looked_up: bool = False) -> Condition:
    """The versions that held at a moment of recorded time (None: now).

    `looked_up` says that rows are found by something narrower, so that no index of live versions is wanted.
    """
    of_records = table == "records"
    if as_of is None:
        return _known_now(db.dialect, table, looked_up=looked_up), []
    moment = stamp_of(db, as_of)
    lived = f"{table}.recorded_at <= ? AND ({table}.retired_at IS NULL OR {table}.retired_at > ?)"
    if not of_records:
        return lived, [moment, moment]
    gone = f"{NOT_EVICTED[:-1]} AND evicted.at <= ?)"
    return f"{lived} AND {gone}", [moment, moment, moment]


@cache
def _known_now(dialect: Dialect, table: str, *, looked_up: bool) -> str:
    retired = f"{table}.retired_at"
    lives = f"{dialect.unindexed(retired) if looked_up else retired} IS NULL"
    return f"{lives} AND {NOT_EVICTED}" if table == "records" else lives


def true_at(table: str, moment: int) -> Condition:
    """What is true at a moment. What had begun or ended when it was written has, wherever the clock is now."""
    return _true_at(table), [moment, moment]


@cache
def _true_at(table: str) -> str:
    begun, ended = f"{table}.valid_from", f"{table}.valid_until"
    return (
        f"({begun} IS NULL OR {begun} <= ? OR {begun} <= {table}.recorded_at)"
        f" AND ({ended} IS NULL OR ({ended} > ? AND {ended} > {table}.recorded_at))"
    )


def within_period(table: str, moment: int) -> Condition:
    """What its period says of a moment, whenever it was written."""
    begun, ended = f"{table}.valid_from", f"{table}.valid_until"
    return f"({begun} IS NULL OR {begun} <= ?) AND ({ended} IS NULL OR {ended} > ?)", [moment, moment]


def _held_at(moment: int, now: int) -> Condition:
    """What was true at a moment, as far as is known now. Something put away at an unknown time is left out; what had
    ended when it happened, and does not say since when it held, held until then.
    """
    return (
        "(coalesce(records.valid_from, records.event_time) <= ?"
        " OR (records.valid_from IS NULL AND records.valid_until <= records.event_time))"
        " AND (records.valid_until IS NULL OR records.valid_until > ?)"
        f" AND NOT ({_HIDDEN[0]} AND (records.valid_until IS NULL OR records.valid_until > ?))",
        [moment, moment, *_HIDDEN[1], now],
    )


def after_all(beginning: str) -> str:
    """The first text after all those that begin so."""
    return beginning[:-1] + chr(ord(beginning[-1]) + 1)


def one_of(column: str, values: Sequence[object]) -> Condition:
    if not values:
        return "1 = 0", []
    return f"{column} IN ({','.join('?' * len(values))})", list(values)


_HIDDEN = one_of("records.status", HIDDEN_STATUSES)
_SHOWN: Condition = (f"NOT ({_HIDDEN[0]})", _HIDDEN[1])


def none_of(column: str, values: Sequence[object]) -> Condition:
    named, listed = one_of(column, values)
    return f"({column} IS NULL OR NOT ({named}))", listed


def every(conditions: Sequence[Condition]) -> Condition:
    return " AND ".join([sql for sql, _ in conditions]), [value for _, values in conditions for value in values]


# One rule for each field of a filter


def _text(column: str) -> Rule:
    """One of some texts; "" among them stands for rows that have none."""

    def rule(values: tuple[str, ...]) -> Condition:
        named, listed = one_of(column, values)
        return (f"({named} OR {column} IS NULL)" if "" in values else named), listed

    return rule


def _moment(column: str, sign: str) -> Rule:
    return lambda moment: (f"{column} {sign} ?", [to_micros(moment)])


def _plain(sql: str) -> Rule:
    """A condition with one value or, for a flag, none."""
    return lambda value: (sql, [value] if "?" in sql else [])


@cache
def _rules(dialect: Dialect) -> Mapping[str, Rule]:
    """How each field of a filter is checked; `refs` and what is said of time have functions of their own."""
    return {
        "versions": lambda versions: dialect.among("records.version", versions),
        "ids": lambda ids: dialect.among("records.id", ids),
        "kinds": _text("records.kind"),
        "memory_types": _text("records.memory_type"),
        "sessions": _text("records.session"),
        "projects": _text("records.project"),
        "users": _text('records."user"'),
        "sources": _text("records.source"),
        "rooms": lambda rooms: one_of("coalesce(records.room, '')", rooms),
        "statuses": lambda statuses: one_of("records.status", statuses),
        "tags": lambda tags: dialect.shares("records.tags", tags),
        "superseded_by": lambda ids: one_of("records.superseded_by", ids),
        "hashes": lambda hashes: one_of("records.hash", [bytes.fromhex(hash) for hash in hashes]),
        "run": _plain("records.version IN (SELECT version FROM moved WHERE run = ?)"),
        "evicted": _plain("records.version IN (SELECT version FROM evicted)"),
        "after": _plain("records.version > ?"),
        "position": _plain("records.position = ?"),
        "since": _moment("records.event_time", ">="),
        "until": _moment("records.event_time", "<="),
        "below": lambda text: ("records.source >= ? AND records.source < ?", [text, after_all(text)]),
        "governed": _plain("records.grounds IS NOT NULL"),
        "without_kinds": lambda kinds: none_of("records.kind", kinds),
        "without_sources": lambda sources: none_of("records.source", sources),
    }


_BY_VERSION = ("versions", "refs", "run", "evicted")
"""By these a few versions are found: what else a filter says is only checked of them."""
_USUAL = msgspec.structs.astuple(Filter())


def record_condition(
    db: Database, filter: Filter, numbers: Sequence[int] | None, now: int, *, looked_up: bool = False
) -> Condition:
    """Everything in a filter, for a row of `records`; `numbers` are those of its spaces (None: all).

    `looked_up` says that rows are found by something else than their space.
    """
    dialect = db.dialect
    given = zip(Filter.__struct_fields__, msgspec.structs.astuple(filter), _USUAL, strict=True)
    said = {name: value for name, value, usual in given if value is not usual and value != usual}
    by_version = not said.keys().isdisjoint(_BY_VERSION)
    parts = [_of_spaces(dialect, "records", numbers, looked_up=by_version or looked_up)]
    require_known(db, filter.as_of, numbers)
    if not filter.past:
        parts.append(known_at(db, "records", filter.as_of, looked_up=by_version))
    elif "sources" in said and not by_version:
        parts.append(_now_and_before(every([parts[0], _text("records.source")(said.pop("sources"))])))
    rules = _rules(dialect)
    for name in said:
        if name in rules:
            sql, values = rules[name](said[name])
            hinted = (by_version or "hashes" in said) and name not in ("hashes", *_BY_VERSION)
            parts.append((dialect.unindexed(sql) if hinted and sql.startswith("records.") else sql, values))
    if filter.refs is not None:
        parts.append(_citing(dialect, filter.refs, numbers))
    return every([*parts, *_validity(filter, now)])


def is_plain(filter: Filter) -> bool:
    """Does a filter ask for no more than spaces, kinds, and what holds now?"""
    return filter == Filter(
        spaces=filter.spaces, valid_only=filter.valid_only, kinds=filter.kinds, without_kinds=filter.without_kinds
    )


def first_of_each(conditions: Sequence[Condition], order: str, most: int) -> Condition:
    """What comes first of each of some conditions: whatever comes first of all of them is among it."""
    ends = f"ORDER BY {order} LIMIT ?) AS first"
    lists = [f"SELECT version FROM (SELECT records.version FROM records WHERE {sql} {ends}" for sql, _ in conditions]
    values = [value for _, own in conditions for value in (*own, most)]
    return f"records.version IN ({' UNION ALL '.join(lists)})", values


def _now_and_before(condition: Condition) -> Condition:
    """The same of every version, said so that live ones and others are each found by an index of their own."""
    sql, values = condition
    return f"(({sql} AND records.retired_at IS NULL) OR ({sql} AND records.retired_at IS NOT NULL))", [*values, *values]


def _of_spaces(dialect: Dialect, table: str, numbers: Sequence[int] | None, *, looked_up: bool = False) -> Condition:
    if numbers is None:
        return "1 = 1", []
    column = f"{table}.space_no"
    return one_of(dialect.unindexed(column) if looked_up else column, numbers)


def _citing(dialect: Dialect, refs: Sequence[str], numbers: Sequence[int] | None) -> Condition:
    sql, values = every([_of_spaces(dialect, "refs", numbers), dialect.among("refs.ref", refs)])
    return f"records.version IN (SELECT refs.version FROM refs WHERE {sql})", values


def _validity(filter: Filter, now: int) -> list[Condition]:
    if filter.true_at is not None:
        return [_held_at(to_micros(filter.true_at), now)]
    if not filter.valid_only:
        return []
    true = true_at("records", now if filter.as_of is None else to_micros(filter.as_of))
    return [true] if filter.statuses else [_SHOWN, true]
