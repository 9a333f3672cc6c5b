"""What was changed of late, and is what memory holds sound?"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.contracts.memory_substrate.answers import answer
from recollect.contracts.memory_substrate.view import NODE, audit_id, clip, kind_of, shown_status, title_of, type_of
from recollect.engine.care import mend
from recollect.engine.care.mend import Audited
from recollect.engine.memory import Memory
from recollect.types import Change, Entity, Record, Relation

MOST_ISSUES = 100
_TITLE_CHARS = 120


def audit(memory: Memory, space: str, limit: int) -> dict[str, object]:
    """The newest changes of the space as audit events. `entry` is the number by which the journal undoes one."""
    events = mend.audit(memory.core, space=space, limit=limit)
    undone = {one.change.undoes for one in events if one.change.undoes is not None}
    return answer(
        "audit_report",
        {
            "events": [_event(one, undone) for one in events],
            "counts": {"returned": len(events), "last_entry": events[0].change.entry if events else 0},
        },
    )


def _event(one: Audited, undone: set[int]) -> dict[str, object]:
    change = one.change
    told: dict[str, object] = {
        "id": audit_id(change.entry),
        "entry": change.entry,
        "operation": change.verb,
        "object_type": _type(one),
        "object_id": change.object_id,
        "actor": change.actor,
        "reason": change.reason,
        "created_at": change.at,
        "before": _state(one.before),
        "after": _state(one.after),
        "undoable": change.object_type != "space" and (change.before or change.after) is not None,
        "undone": change.entry in undone,
    }
    return told if change.undoes is None else {**told, "undoes": audit_id(change.undoes)}


def _type(one: Audited) -> str:
    change: Change = one.change
    if change.object_type == "entity":
        return NODE
    held = one.after or one.before
    if isinstance(held, Record):
        return "segment" if held.kind in ("document", "message") and held.source is not None else type_of(held)
    return change.object_type


def _state(thing: Record | Entity | Relation | None) -> dict[str, object] | None:
    """A state in a line; None where there is none."""
    if thing is None:
        return None
    if isinstance(thing, Record):
        return {
            "title": clip(title_of(thing), _TITLE_CHARS),
            "kind": kind_of(thing),
            "status": shown_status(thing),
            "version": thing.version,
        }
    if isinstance(thing, Entity):
        return {"title": clip(thing.name, _TITLE_CHARS), "kind": thing.type or NODE, "version": thing.version}
    return {"title": f"{thing.subject} {thing.predicate} {thing.object}", "kind": "relation", "version": thing.version}


def structure(memory: Memory, space: str) -> dict[str, object]:
    """Whether the store is sound and every reference leads somewhere."""
    issues: list[dict[str, object]] = [
        {"severity": "error", "kind": "store_problem", "object_id": None, "summary": problem}
        for problem in memory.check()
    ]
    for one in mend.mend(memory.core, space, dry_run=True).broken:
        issues.append(
            {
                "severity": "warning",
                "kind": "missing_reference",
                "object_id": one.id,
                "summary": f"{one.id} refers to {one.ref}, which is not there ({one.field}).",
                "ref": one.ref,
                "next_actions": ["run_memory_maintain_repair"] if one.safe else ["review_reference"],
            }
        )
    counts = {
        severity: sum(issue["severity"] == severity for issue in issues) for severity in ("error", "warning", "info")
    }
    objects = _objects(memory, space)
    return answer(
        "structure_report",
        {"status": _verdict(counts), "issues": issues[:MOST_ISSUES], "counts": counts, "objects": objects},
        _left_out(issues),
    )


def _verdict(counts: dict[str, int]) -> str:
    return "error" if counts["error"] else "warning" if counts["warning"] else "ok"


def _left_out(issues: Sequence[object]) -> list[str]:
    left = len(issues) - MOST_ISSUES
    return [f"{left} more issues are not listed."] if left > 0 else []


def _objects(memory: Memory, space: str) -> dict[str, object]:
    if not memory.has_space(space):
        return {"records": 0, "nodes": 0, "relations": 0, "by_kind": {}}
    stats = memory.describe_space(space)[1]
    return {
        "records": stats.records,
        "nodes": stats.entities,
        "relations": stats.relations,
        "by_kind": dict(stats.by_kind),
    }
