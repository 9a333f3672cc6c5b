"""Which history is old enough to go, and what must stay of it?

A version goes whose end lies at or before a horizon. The last one of an object stays where something refers to that
object, though it has left the present. An entry goes with the version that it led to, unless it was taken back by one
that stays; one that says that an object is gone leaves a mark of that, unless the object is there again. Of one that
began an act of which others stay no more is left than that it did. A store is known by its first entry, and its time
by the last.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from recollect.store.base import Due, Thing
from recollect.store.marks import (
    BUCKETS,
    FORGET,
    LOOSE_FORGOTTEN,
    LOOSE_LEFT,
    Bucket,
    Mark,
    forgotten_at,
    joined_marks,
    keys_of,
    loose_marks,
    marks_in,
    with_marks,
)
from recollect.store.ops import GONE, Historic
from recollect.store.refs import MADE_OF
from recollect.store.sql.database import Condition, Database, Row
from recollect.store.sql.shapes import TABLES
from recollect.store.sql.shelves import read_shelf
from recollect.types import Entity, Record, Relation

TYPES: Mapping[Historic, type[Thing]] = {"record": Record, "entity": Entity, "relation": Relation}
_REFERRING: Mapping[type[Thing], tuple[str, ...]] = {
    Record: ("evidence:", "named:", MADE_OF), Entity: ("subject:", "object:"), Relation: (),
}  # fmt: skip
_NAMING: Mapping[type[Thing], tuple[str, ...]] = {
    Record: (
        "SELECT provenance FROM relations WHERE space_no = ? AND provenance IS NOT NULL",
        "SELECT superseded_by FROM records WHERE space_no = ? AND superseded_by IS NOT NULL AND retired_at IS NULL",
    ),
    Entity: ("SELECT subject FROM relations WHERE space_no = ?", "SELECT object FROM relations WHERE space_no = ?"),
    Relation: (),
}
_BETWEEN = "entry > (SELECT min(entry) FROM journal) AND entry < (SELECT max(entry) FROM journal)"
_WHEN = "coalesce(stamp, at)"
OF_SPACES = ("create", "describe", "drop")
"""What the journal says of spaces, and never goes."""
_TELLS_OF_NO_VERSION = f"before IS NULL AND after IS NULL AND (object_type <> 'space' OR verb NOT IN {OF_SPACES})"
_SAYS_GONE = f"object_type <> 'space' AND verb IN {GONE} AND (verb = 'forget' OR reason IS NOT NULL)"


def find_old(db: Database, space: str, number: int, of: Historic, stamp: int) -> Due:
    """The numbers of versions or entries that are to go; those of one object, or of one act, stand together."""
    if of == "entry":
        rows = db.rows(
            f"SELECT entry, object_type, object_id, {_SAYS_GONE} FROM journal WHERE space = ? AND {_WHEN} <= ?"
            f" AND {_BETWEEN} AND {_TELLS_OF_NO_VERSION} ORDER BY act IS NULL, entry",
            (space, stamp),
        )
        back = {
            (noun, id)
            for noun, type_ in TYPES.items()
            for id in still_there(db, type_, number, [id for _, one, id, gone in rows if gone and one == noun])
        }
        return Due(tuple(entry for entry, noun, id, gone in rows if not gone or (noun, id) not in back))
    type_ = TYPES[of]
    table = TABLES[type_]
    later = f"SELECT 1 FROM {table} AS later WHERE later.id = {table}.id AND later.space_no = {table}.space_no AND"
    rows = db.rows(
        f"SELECT version, id, EXISTS({later} later.retired_at IS NULL) OR EXISTS({later} later.retired_at > ?)"
        f" FROM {table} WHERE space_no = ? AND retired_at IS NOT NULL AND retired_at <= ? ORDER BY id, version",
        (stamp, number, stamp),
    )
    last = {id: version for version, id, stays in rows if not stays}
    referred = _referred(db, type_, number, last.keys())
    kept = {last[id] for id in referred}
    return Due(tuple(version for version, _, _ in rows if version not in kept))


def _referred(db: Database, type_: type[Thing], number: int, ids: Collection[str]) -> set[str]:
    """Those of some objects that something else names."""
    if not ids:
        return set()
    named = {name for sql in _NAMING[type_] for (name,) in db.rows(sql, (number,))}
    chosen, values = db.dialect.among("ref", [f"{kind}{id}" for kind in _REFERRING[type_] for id in ids])
    refs = db.rows(f"SELECT DISTINCT ref FROM refs WHERE space_no = ? AND {chosen}", (number, *values))
    return (named | {ref.partition(":")[2] for (ref,) in refs}).intersection(ids)


def still_there(db: Database, type_: type[Thing], number: int, ids: Sequence[str]) -> dict[str, set[int]]:
    """The versions that some objects have, of those that have any."""
    chosen, values = db.dialect.among("id", ids)
    left: dict[str, set[int]] = {}
    for retired in ("IS NULL", "IS NOT NULL"):  # each has an index of its own
        sql = f"SELECT id, version FROM {TABLES[type_]} WHERE {chosen} AND space_no = ? AND retired_at {retired}"
        for id, version in db.rows(sql, (*values, number)):
            left.setdefault(id, set()).add(version)
    return left


def entries_of(
    db: Database, of: Historic, space: str, ids: Sequence[str], left: Mapping[str, Collection[int]], stamp: int
) -> list[int]:
    """The entries about some objects that tell of no version which is `left`."""
    chosen, values = db.dialect.among("object_id", ids)
    rows = db.rows(
        f"SELECT entry, object_id, verb, coalesce(after, before), undoes, {_WHEN} <= ? AND {_BETWEEN} FROM journal"
        f" WHERE {chosen} AND object_type = ? AND space = ? ORDER BY entry DESC",
        (stamp, *values, of, space),
    )
    undone: set[int] = set()
    old: list[int] = []
    for entry, id, verb, version, undoes, may_go in rows:
        held = left.get(id, ())
        if may_go and version not in held and entry not in undone and verb not in GONE and not (
            verb == "merge" and held  # by that it is known that its text may stand in another
        ):  # fmt: skip
            old.append(entry)
        elif undoes is not None:
            undone.add(undoes)
    return old


def marks_of(db: Database, number: int, entries: Sequence[int]) -> dict[str, Bucket | None]:
    """The buckets that change once some entries go: of those that say that an object is gone it stays that it was
    forgotten and when, or how it left before it went with its history.
    """
    chosen, values = db.dialect.among("entry", entries)
    sql = f"SELECT object_type, object_id, verb, at, reason FROM journal WHERE {chosen} AND {_SAYS_GONE} ORDER BY entry"
    rows = db.rows(sql, values)
    left = {(noun, id): Mark(reason or verb) for noun, id, verb, _, reason in rows if verb != FORGET}
    marks = left | {(noun, id): forgotten_at(at) for noun, id, verb, at, _ in rows if verb == FORGET}
    near = read_shelf(db, number, BUCKETS, keys_of(id for _, id in marks))
    while True:
        changed = with_marks(near, marks)
        beyond = [key for key in changed if key not in near]
        there = read_shelf(db, number, BUCKETS, beyond) if beyond else {}
        if not there:
            return changed
        near |= there  # a part that marks go to is there already, where one of its siblings was lost


def marked(db: Database, number: int) -> list[tuple[str, str, str, str | None]]:
    """All marks of a space, as the entries that they stand for: verb, noun, id and reason."""
    loose = loose_marks(read_shelf(db, number, LOOSE_FORGOTTEN), read_shelf(db, number, LOOSE_LEFT))
    marks = joined_marks(loose, marks_in(read_shelf(db, number, BUCKETS)))
    return [
        (FORGET, noun, id, None) if verb == FORGET else ("thin", noun, id, verb)
        for (noun, id), (verb, _) in sorted(marks.items())
    ]


def ways_out(db: Database, of: Historic, space: str, ids: Sequence[str]) -> dict[str, str]:
    """How each of some objects left the present, but for those that did by undoing the import that they came by: who
    imports such a one again wants it, and so nothing is to say that it was there.
    """
    chosen, values = db.dialect.among("journal.object_id", ids)
    rows = db.rows(
        "SELECT journal.object_id, journal.verb, journal.after IS NULL AND begun.verb = 'import' FROM journal"
        " LEFT JOIN journal AS undone ON undone.entry = journal.undoes"
        " LEFT JOIN journal AS begun ON begun.entry = undone.act"
        f" WHERE {chosen} AND journal.object_type = ? AND journal.space = ? ORDER BY journal.entry",
        (*values, of, space),
    )
    last = {id: (verb, undone) for id, verb, undone in rows}
    return {id: verb for id, (verb, undone) in last.items() if not undone}


def begun_by(db: Database, entries: Sequence[int]) -> set[int]:
    """Those of some entries with which an act began that has others left."""
    parts: Condition = db.dialect.among("act", entries)
    rest: Condition = db.dialect.among("entry", entries)
    rows: list[Row] = db.rows(
        f"SELECT DISTINCT act FROM journal WHERE {parts[0]} AND NOT ({rest[0]})", (*parts[1], *rest[1])
    )
    return {act for (act,) in rows}
