"""How does a store do upkeep: fading, and eviction?

A run changes many rows and must not hold others up, so each function here is one bounded step of it. What a step
changes is checked again in the step itself: others may have written since the run looked.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.store.base import Due, EvictionRule, FadingRule
from recollect.store.sql.database import Condition, Database
from recollect.store.sql.rows import to_micros
from recollect.store.sql.shapes import ACCESSES, CONFIDENCE, FADED
from recollect.store.sql.where import NOT_EVICTED, one_of
from recollect.types import HIDDEN_STATUSES

_FROM = f" FROM records{ACCESSES}{FADED}"


def _present(db: Database, kinds: tuple[str, ...], now: int) -> Condition:
    """Live records of some kinds that still hold; they may be looked up by their versions."""
    kind, hidden = one_of("records.kind", kinds), one_of("records.status", HIDDEN_STATUSES)
    live = f"{db.dialect.unindexed('records.retired_at')} IS NULL"
    sql = f"{live} AND {kind[0]} AND NOT ({hidden[0]}) AND {NOT_EVICTED}"
    return f"{sql} AND (records.valid_until IS NULL OR records.valid_until > ?)", [*kind[1], *hidden[1], now]


def _beginning(db: Database) -> str:
    """Since when a version grows old: what is told today of long ago is not old yet, nor is what is yet to come."""
    return db.dialect.larger("records.recorded_at", "records.event_time")


# Fading


def _is_fading(db: Database, rule: FadingRule, now: int) -> Condition:
    """What was neither told nor recalled since a moment, and has confidence to lose."""
    present, values = _present(db, rule.kinds, now)
    used = db.dialect.larger("coalesce(accesses.last, 0)", _beginning(db))
    return f"{present} AND {used} <= ? AND {CONFIDENCE} > ?", [*values, to_micros(rule.unused_since), rule.floor]


def find_fading(db: Database, number: int, rule: FadingRule, now: int) -> Due:
    """The versions that a run would fade, oldest first."""
    fading, values = _is_fading(db, rule, now)
    sql = f"SELECT records.version{_FROM} WHERE records.space_no = ? AND {fading}"
    return Due(tuple(sorted(db.columns(["version"], sql, (number, *values))[0])))


def fade(db: Database, run: int, versions: Sequence[int], rule: FadingRule, now: int) -> int:
    """Lowers the confidence of those among some versions that the rule still means. Answers how many."""
    fading, values = _is_fading(db, rule, now)
    chosen, listed = db.dialect.among("records.version", versions)
    lowered = db.dialect.larger("?", f"{CONFIDENCE} * ?")
    done = db.change(
        f"INSERT INTO moved SELECT ?, records.version, {CONFIDENCE}, {lowered}{_FROM} WHERE {chosen} AND {fading}",
        (run, rule.floor, 1.0 - rule.rate, *listed, *values),
    )
    chosen, listed = db.dialect.among("version", versions)
    db.run(
        f"INSERT INTO faded SELECT version, now FROM moved WHERE run = ? AND {chosen}"
        " ON CONFLICT(version) DO UPDATE SET confidence = excluded.confidence",
        (run, *listed),
    )
    return done


def unfade(db: Database, run: int) -> int:
    """Gives versions the confidence back that they had before a run, where nothing else changed it since."""
    done = db.change(
        "UPDATE faded SET confidence = moved.was FROM moved"
        " WHERE moved.run = ? AND moved.version = faded.version AND faded.confidence = moved.now",
        (run,),
    )
    db.run(
        "DELETE FROM faded WHERE version IN (SELECT version FROM moved WHERE run = ?)"
        " AND confidence = (SELECT confidence FROM records WHERE records.version = faded.version)",
        (run,),
    )
    return done


def stated_confidences(db: Database, versions: Sequence[int]) -> dict[int, float]:
    """What those versions state that have faded since."""
    chosen, listed = db.dialect.among("faded.version", versions)
    sql = "SELECT faded.version, records.confidence FROM faded JOIN records ON records.version = faded.version"
    return dict(db.rows(f"{sql} WHERE {chosen}", listed))


def hand_on_fading(db: Database, successors: Sequence[tuple[int, int]]) -> None:
    """A record that has faded is no fresher for having a new version. Pairs of the new version and the old."""
    db.many("UPDATE faded SET version = ? WHERE version = ?", successors)


# Eviction


def find_evictable(db: Database, number: int, rule: EvictionRule, now: int) -> Due:
    """Versions and ids of what a run would evict: stale, or hardly believed; then the least important beyond the cap.

    They come by id, so that neighbours in the journal's index are written together.
    """
    present, values = _present(db, rule.kinds, now)
    stale = f"({_beginning(db)} < ? AND records.importance < ?) OR {CONFIDENCE} < ?"
    of_rule = (to_micros(rule.older_than), rule.min_importance, rule.min_confidence)
    each = (
        f"SELECT records.id, records.version, records.importance, {_beginning(db)} AS told,"
        f" CASE WHEN {stale} THEN 1 ELSE 0 END AS gone{_FROM} WHERE records.space_no = ? AND {present}"
    )
    ranked = (
        "SELECT id, version, count(*) OVER () AS total, sum(gone) OVER () AS stale,"
        f" row_number() OVER (ORDER BY gone DESC, importance, told, version) AS place FROM ({each}) AS each"
    )
    leaving = f"place <= {db.dialect.larger('stale', 'total - ?')} ORDER BY id"
    versions, ids = db.columns(
        ["version", "id"],
        f"SELECT id, version FROM ({ranked}) AS ranked WHERE {leaving}",
        (*of_rule, number, *values, rule.cap),
    )
    return Due(tuple(versions), tuple(ids))


def find_present(db: Database, number: int, versions: Sequence[int], ids: Sequence[str]) -> list[tuple[str, int]]:
    """Those of some versions that are still in the present: id and number of each.

    They are found by their ids, in an index that holds all that is needed here.
    """
    named, listed = db.dialect.among("records.id", ids)
    chosen, numbers = db.dialect.among(db.dialect.unindexed("records.version"), versions)
    rows = db.rows(
        "SELECT records.id, records.version FROM records"
        f" WHERE {named} AND space_no = ? AND retired_at IS NULL AND {chosen} AND {NOT_EVICTED}",
        (*listed, number, *numbers),
    )
    return [(row[0], row[1]) for row in rows]


def mark_evicted(db: Database, run: int, versions: Sequence[int], at: int) -> None:
    """Has versions leave the present. That they are retired comes later, since it costs much more."""
    ordered = sorted(versions)
    db.many("INSERT INTO moved VALUES(?, ?, NULL, NULL)", [(run, version) for version in ordered])
    db.many("INSERT INTO evicted VALUES(?, ?)", [(version, at) for version in ordered])


def read_evicted(db: Database, where: str, values: Sequence[object], limit: int | None = None) -> list[tuple[int, int]]:
    """Space and version of what is evicted and still to be retired."""
    sql = "SELECT records.space_no, evicted.version FROM evicted CROSS JOIN records"
    sql += f" WHERE records.version = evicted.version AND {where} ORDER BY evicted.version"
    if limit is not None:
        sql, values = f"{sql} LIMIT ?", [*values, limit]
    return [(row[0], row[1]) for row in db.rows(sql, values)]


def retire_evicted(db: Database, versions: Sequence[int]) -> None:
    """Gives versions their end as of when they were evicted."""
    chosen, listed = db.dialect.among("records.version", versions)
    db.run(
        f"UPDATE records SET retired_at = evicted.at FROM evicted WHERE evicted.version = records.version AND {chosen}",
        listed,
    )
    chosen, listed = db.dialect.among("version", versions)
    db.run(f"DELETE FROM evicted WHERE {chosen}", listed)
