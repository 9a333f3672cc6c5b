"""How is memory kept in order, and what does each step of it say?

What changes memory must be confirmed by options.apply. Every change is in the journal: its patch and audit ids are the
journal's entries, `audit` shows them, and each can be undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from msgspec.structs import replace

from recollect.contracts.memory_substrate import schemas as s
from recollect.contracts.memory_substrate.answers import MOST_SHOWN, answer, written
from recollect.contracts.memory_substrate.audit import audit, structure, view_broken
from recollect.contracts.memory_substrate.backends import configure, derived_indexes, engines
from recollect.contracts.memory_substrate.envelope import Mode, Modes, filled
from recollect.contracts.memory_substrate.objects import Objects
from recollect.contracts.memory_substrate.report import report
from recollect.contracts.tool import Call
from recollect.engine.care.concepts import concepts_of
from recollect.engine.care.mend import mend
from recollect.engine.care.resolve import Resolution, resolve_twins
from recollect.engine.care.upkeep import upkeep
from recollect.engine.parse import parse_iso_time
from recollect.engine.write.govern import decay_stale, merge_duplicates, promote_candidates
from recollect.errors import NotFound
from recollect.forms import convert
from recollect.types import CATALOGUE_KINDS, NOT_KNOWLEDGE


def _result(mode: str, entries: Sequence[int], **data: object) -> dict[str, object]:
    """What a round did; nothing at all is a success too."""
    status = "completed" if entries else "noop"
    return {"result_type": f"maintain_{mode}_result", "status": status, **written(entries), **data}


# Structural modes


def _reindex(objects: Objects, given: s.Nothing, options: s.ReindexOptions, call: Call) -> dict[str, object]:
    memory = objects.memory
    count = memory.reindex(lambda stage, done, total: call.progress(done, total, stage))
    data = {
        "status": "completed",
        "projection_count": count,
        "engines": engines(memory, options.graph_backend, options.semantic_backend),
        "derived_indexes": derived_indexes(objects),
    }
    return answer("maintain_reindex_result", data)


def _repair(objects: Objects, given: s.Nothing, options: s.Apply, call: Call) -> dict[str, object]:
    done = mend(objects.memory.core, objects.space)
    dropped = [view_broken(one) for one in done.broken if one.safe]
    left = [view_broken(one) for one in done.broken if not one.safe]
    return _result(
        "repair",
        done.entries,
        repaired=len(done.ids),
        repaired_object_ids=done.ids[:MOST_SHOWN],
        removed_references=dropped[:MOST_SHOWN],
        unresolved_references=left[:MOST_SHOWN],
        counts={"removed_references": len(dropped), "unresolved_references": len(left)},
        derived_indexes=derived_indexes(objects),
        warnings=[],
    )


# Lifecycle modes


def _given(inputs: s.Bar | s.Age | s.Care, kind: type[s.Bar | s.Age | s.Care]) -> dict[str, Any]:
    """What was given of some fields; the engine knows what holds where nothing was."""
    told = {name: getattr(inputs, name) for name in kind.__struct_fields__}
    return {
        name: parse_iso_time(value, name) if name == "at" else value
        for name, value in told.items()
        if value is not None
    }


def _promote(objects: Objects, given: s.Bar, options: s.Apply, call: Call) -> dict[str, object]:
    done = promote_candidates(objects.memory.core, objects.space, **_given(given, s.Bar))
    shown = done.ids[:MOST_SHOWN]
    return _result("promote_candidates", done.entries, promoted=len(done.ids), promoted_knowledge_ids=shown)


def _merge(objects: Objects, given: object, options: s.Apply, call: Call) -> dict[str, object]:
    done = merge_duplicates(objects.memory.core, objects.space)
    return _result(
        "merge_duplicates",
        [entry for group in done for entry in group.entries],
        merged=sum(len(group.merged) for group in done),
        groups=[{"kept_knowledge_id": one.kept, "merged_knowledge_ids": one.merged} for one in done[:MOST_SHOWN]],
    )


def _decay(objects: Objects, given: s.Age | s.Care, options: s.Apply, call: Call) -> dict[str, object]:
    done = decay_stale(objects.memory.core, objects.space, **_given(given, s.Age))
    shown = done.ids[:MOST_SHOWN]
    return _result("decay_stale", done.entries, decayed=len(done.ids), decayed_knowledge_ids=shown)


def _cycle(objects: Objects, given: s.Care, options: s.Apply, call: Call) -> dict[str, object]:
    """Promotes, merges, decays; each step is a write of its own, and an error in one leaves the earlier ones done."""
    steps = [step(objects, given, options, call) for step in (_promote, _merge, _decay)]
    counts = {name: step[name] for name, step in zip(("promoted", "merged", "decayed"), steps, strict=True)}
    return {
        "result_type": "maintain_cycle_result",
        "status": "completed",
        **counts,
        "patch_ids": [step["patch_id"] for step in steps if step["patch_id"]],
        "applied_operations": sum(cast("int", step["applied_operations"]) for step in steps),
        "audit_event_ids": [id for step in steps for id in cast("list[str]", step["audit_event_ids"])],
        "projection_count": sum(cast("int", step["projection_count"]) for step in steps),
    }


def _archive(objects: Objects, given: s.ArchiveInput, options: s.Apply, call: Call) -> dict[str, object]:
    source = objects.record(given.source_id)
    if source is None or source.kind not in CATALOGUE_KINDS:
        raise NotFound(f"Source not found: {given.source_id}")
    done = objects.memory.archive_source(given.source_id, space=objects.space, reason=filled(given.reason))
    return _result(
        "archive_source",
        done.receipt.entries,
        archived_source_id=given.source_id,
        stale_knowledge_ids=sorted(done.stale_ids)[:MOST_SHOWN],
        partially_affected_knowledge_ids=sorted(done.partial_ids)[:MOST_SHOWN],
        counts={"stale_knowledge": len(done.stale_ids), "partially_affected_knowledge": len(done.partial_ids)},
    )


def _resolve(objects: Objects, given: s.ResolveInput, options: s.Apply, call: Call) -> dict[str, object]:
    for id in given.ids:
        record = objects.record(id)
        if record is None or record.kind in NOT_KNOWLEDGE:
            raise NotFound(f"Knowledge not found: {id}")
    decided = replace(given, reason=filled(given.reason), updates=given.updates or [])
    resolution = convert(decided, Resolution, from_attributes=True)
    done = resolve_twins(objects.memory.core, resolution, space=objects.space)
    told = {"outcome": given.outcome, "resolved": len(done.ids), "knowledge_ids": done.ids}
    return _result("resolve_duplicates", done.entries, **told)


def _report(objects: Objects, given: s.Care, options: s.Nothing, call: Call) -> dict[str, object]:
    memory, space = objects.memory, objects.space
    found = upkeep(memory.core, space, **_given(given, s.Care))
    call.checkpoint()
    return answer("maintain_report", report(found, concepts_of(memory.core, space), derived_indexes(objects)))


MAINTAIN: Modes = {
    "configure": Mode(s.ConfigureInput, s.Apply, configure),
    "structure": Mode(s.Nothing, s.Nothing, structure),
    "audit": Mode(s.Nothing, s.Sized, audit),
    "reindex": Mode(s.Nothing, s.ReindexOptions, _reindex),
    "repair": Mode(s.Nothing, s.Apply, _repair),
    "promote_candidates": Mode(s.Bar, s.Apply, _promote),
    "merge_duplicates": Mode(s.Nothing, s.Apply, _merge),
    "resolve_duplicates": Mode(s.ResolveInput, s.Apply, _resolve),
    "archive_source": Mode(s.ArchiveInput, s.Apply, _archive),
    "decay_stale": Mode(s.Age, s.Apply, _decay),
    "cycle": Mode(s.Care, s.Apply, _cycle),
    "report": Mode(s.Care, s.Nothing, _report),
}
