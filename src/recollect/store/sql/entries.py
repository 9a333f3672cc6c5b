"""Which entries of the journal are meant?"""

from __future__ import annotations

from recollect.store.base import Acts, Changes
from recollect.store.sql.database import Condition
from recollect.store.sql.rows import to_micros
from recollect.store.sql.where import one_of

_MOST = 2**62
_HOME = "records.space_no = (SELECT no FROM spaces WHERE spaces.name = journal.space)"
_WITH_PROJECT = f"""(
    EXISTS (SELECT 1 FROM records WHERE version = coalesce(journal.after, journal.before) AND project = ? AND {_HOME})
    OR EXISTS (SELECT 1 FROM journal AS part JOIN records ON version = coalesce(part.after, part.before)
        WHERE part.act = journal.entry AND part.space = journal.space AND project = ? AND {_HOME}))"""


def entries(where: Changes) -> list[Condition]:
    """Which entries of the journal are meant."""
    parts: list[Condition] = [("entry > ?", [where.after])]
    named = {"entry": where.entry, "space": where.space, "object_id": where.object_id}
    for column, value in named.items():
        if value is not None:
            parts.append((f"{column} = ?", [value]))
    if where.before is not None:
        parts.append(("entry < ?", [where.before]))
    if where.object_ids is not None:
        parts.append(one_of("object_id", where.object_ids))
    if where.act is not None:
        upto = _MOST if where.before is None else where.before
        among = "SELECT entry FROM journal WHERE act = ? AND entry > ? AND entry < ?"
        parts.append((f"entry IN (SELECT ? UNION ALL {among})", [where.act, where.act, where.after, upto]))
    if where.reasoned:
        parts.append(("reason IS NOT NULL", []))
    if where.later_than is not None:
        parts.append(("at > ?", [to_micros(where.later_than)]))
    if where.last_besides is not None:
        newest = "SELECT max(entry) FROM journal WHERE actor IS NULL OR actor <> ? GROUP BY space"
        parts.append((f"entry IN ({newest})", [where.last_besides]))
    return parts


def begun(where: Acts) -> list[Condition]:
    """The entries with which acts began, as far as they are meant."""
    parts: list[Condition] = [("act IS NULL", [])]
    if where.actor is not None:
        parts.append(("coalesce(actor, '') = ?", [where.actor]))
    if where.project is not None:
        parts.append((_WITH_PROJECT, [where.project] * 2))
    return parts
