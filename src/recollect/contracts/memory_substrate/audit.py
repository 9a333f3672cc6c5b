"""What was changed of late, and is what memory holds sound?"""

from __future__ import annotations

from recollect.contracts.memory_substrate import schemas as s
from recollect.contracts.memory_substrate import view as v
from recollect.contracts.memory_substrate.answers import answer
from recollect.contracts.memory_substrate.objects import Objects
from recollect.contracts.tool import Call
from recollect.engine.care import mend
from recollect.engine.care.mend import Audited, BrokenReference
from recollect.engine.memory import Memory
from recollect.types import Entity, Record, Relation

AUDIT_ITEMS = 100
MOST_ISSUES = 100
_TITLE_CHARS = 120
_FIELDS = {
    "grounds.evidence": "evidence_refs", "grounds.subjects": "subject_refs", "grounds.scopes": "scope_refs",
    "grounds.claim.subject": "payload.subject", "grounds.claim.object": "payload.object",
}  # fmt: skip


def audit(objects: Objects, given: s.Nothing, options: s.Sized, call: Call) -> dict[str, object]:
    """The newest changes of the space as audit events. `entry` is the number by which the journal undoes one."""
    events = mend.audit(objects.memory.core, space=objects.space, limit=options.max_items or AUDIT_ITEMS)
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
    told = v.show(
        change,
        "entry verb:operation object_id actor reason at:created_at",
        id=v.audit_id(change.entry),
        object_type=_type(one),
        before=_state(one.before),
        after=_state(one.after),
        undoable=change.object_type != "space" and (change.before or change.after) is not None,
        undone=change.entry in undone,
    )
    return told if change.undoes is None else {**told, "undoes": v.audit_id(change.undoes)}


def _type(one: Audited) -> str:
    change = one.change
    if change.object_type == "entity":
        return v.NODE
    held = one.after or one.before
    if isinstance(held, Record):
        return "segment" if held.kind in ("document", "message") and held.source is not None else v.type_of(held)
    return change.object_type


def _state(thing: Record | Entity | Relation | None) -> dict[str, object] | None:
    """A state in a line; None where there is none."""
    if thing is None:
        return None
    if isinstance(thing, Relation):
        said = f"{thing.subject} {thing.predicate} {thing.object}"
        return {"title": said, "kind": "relation", "version": thing.version}
    told: dict[str, object] = {"title": v.clip(v.title_of(thing), _TITLE_CHARS), "kind": v.kind_of(thing)}
    status = {"status": v.shown_status(thing)} if isinstance(thing, Record) else {}
    return {**told, **status, "version": thing.version}


def structure(objects: Objects, given: s.Nothing, options: s.Nothing, call: Call) -> dict[str, object]:
    """Whether the store is sound and every reference leads somewhere."""
    issues: list[dict[str, object]] = [
        {"severity": "error", "kind": "store_problem", "object_id": None, "summary": problem}
        for problem in objects.memory.check()
    ]
    for one in mend.mend(objects.memory.core, objects.space, dry_run=True).broken:
        told = view_broken(one)
        issues.append(
            {
                "severity": "warning",
                "kind": "missing_reference",
                **told,
                "summary": f"{one.id} refers to {one.ref}, which is not there ({told['field']}).",
                "next_actions": ["run_memory_maintain_repair"] if one.safe else ["review_reference"],
            }
        )
    counts = {
        severity: sum(issue["severity"] == severity for issue in issues) for severity in ("error", "warning", "info")
    }
    data: dict[str, object] = {
        "status": next((severity for severity in ("error", "warning") if counts[severity]), "ok"),
        "issues": issues[:MOST_ISSUES],
        "counts": counts,
        "objects": _count(objects.memory, objects.space),
    }
    left = len(issues) - MOST_ISSUES
    return answer("structure_report", data, [f"{left} more issues are not listed."] if left > 0 else [])


def view_broken(one: BrokenReference) -> dict[str, str]:
    """A reference that leads nowhere, by the name of its field here."""
    is_doing = one.id.startswith(("act:", "work:"))
    field = "related_node_refs" if is_doing and one.field == "grounds.subjects" else _FIELDS.get(one.field, one.field)
    return {"object_id": one.id, "field": field, "ref": one.ref}


def _count(memory: Memory, space: str) -> dict[str, object]:
    if not memory.has_space(space):
        return {"records": 0, "nodes": 0, "relations": 0, "by_kind": {}}
    return v.show(memory.describe_space(space)[1], "records entities:nodes relations by_kind")
