"""How is memory kept in order, and what does each step of it say?

What changes memory must be confirmed by options.apply. Every change is in the journal: its patch and audit ids are the
journal's entries, `audit` shows them, and each can be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

from msgspec import Meta

from recollect.contracts.memory_substrate.answers import answer
from recollect.contracts.memory_substrate.audit import audit, structure
from recollect.contracts.memory_substrate.backends import configure, derived_indexes, engines
from recollect.contracts.memory_substrate.envelope import Modes, Problem, Rejected, read_moment
from recollect.contracts.memory_substrate.objects import Objects
from recollect.contracts.memory_substrate.report import report
from recollect.contracts.memory_substrate.schemas import GraphBackend, Moment, Nothing, Params, SemanticBackend
from recollect.contracts.memory_substrate.view import audit_ids, patch_id
from recollect.contracts.tool import Call
from recollect.engine.memory import Memory
from recollect.errors import InvalidInput, NotFound
from recollect.types import CATALOGUE_KINDS, NOT_KNOWLEDGE, Clarified, Resolution

TOOL = "memory_maintain"
MOST_SHOWN = 100
"""Ids that one answer lists of a kind; the rest is counted."""
AUDIT_ITEMS = 100
MIN_CONFIDENCE, MIN_EVIDENCE, STALE_AFTER_DAYS = 0.75, 1, 30.0

_Id = Annotated[str, Meta(min_length=1, max_length=200)]
_Reason = Annotated[str, Meta(min_length=1, max_length=1_000, description="Why; it is kept in the journal")]


class Apply(Params, frozen=True, kw_only=True):
    apply: Annotated[bool, Meta(description="Must be true: this mode changes memory")]


class ConfigureInput(Params, frozen=True, kw_only=True):
    graph_backend: Annotated[GraphBackend, Meta(description="Recorded; Recollect's own graph serves")] | None = None
    semantic_backend: Annotated[SemanticBackend, Meta(description="Recorded; Recollect's own vectors serve")] | None = (
        None
    )


class AuditOptions(Params, frozen=True, kw_only=True):
    max_items: Annotated[int, Meta(ge=1, le=1_000, description="At most so many events, the newest (100)")] | None = (
        None
    )


class ReindexOptions(Params, frozen=True, kw_only=True):
    graph_backend: GraphBackend | None = None
    semantic_backend: SemanticBackend | None = None
    apply: Annotated[bool, Meta(description="Not needed: nothing but derived data changes")] | None = None


_Confidence = Annotated[float, Meta(ge=0, le=1, description="Least confidence of a candidate (0.75)")]
_Evidence = Annotated[int, Meta(ge=0, le=1_000, description="Least pieces of evidence of a candidate (1)")]
_Time = Annotated[Moment, Meta(description="The moment to judge by, ISO 8601 (now)")]
_Days = Annotated[float, Meta(ge=0, le=36_500, description="Days without verification (30)")]


class Bar(Params, frozen=True, kw_only=True):
    min_confidence: _Confidence | None = None
    min_evidence: _Evidence | None = None


class Age(Params, frozen=True, kw_only=True):
    reference_time: _Time | None = None
    stale_after_days: _Days | None = None


class Care(Params, frozen=True, kw_only=True):
    min_confidence: _Confidence | None = None
    min_evidence: _Evidence | None = None
    reference_time: _Time | None = None
    stale_after_days: _Days | None = None


class Update(Params, frozen=True, kw_only=True):
    knowledge_id: _Id
    summary: Annotated[str, Meta(min_length=1, max_length=100_000)] | None = None
    scope_refs: Annotated[list[_Id], Meta(min_length=1, max_length=200)] | None = None


class ResolveInput(Params, frozen=True, kw_only=True):
    outcome: Annotated[
        Literal["supersede", "keep_both", "contest"],
        Meta(description="supersede: one stays; keep_both: tell them apart by updates; contest: none is trusted"),
    ]
    knowledge_ids: Annotated[list[_Id], Meta(min_length=2, max_length=100)]
    reason: _Reason
    canonical_knowledge_id: Annotated[_Id, Meta(description="With supersede: the one that stays")] | None = None
    updates: Annotated[list[Update], Meta(max_length=100, description="With keep_both: how they differ")] | None = None


class ArchiveInput(Params, frozen=True, kw_only=True):
    source_id: _Id
    reason: _Reason


MAINTAIN_MODES: Modes = {
    "configure": (ConfigureInput, Apply),
    "structure": (Nothing, Nothing),
    "audit": (Nothing, AuditOptions),
    "reindex": (Nothing, ReindexOptions),
    "repair": (Nothing, Apply),
    "promote_candidates": (Bar, Apply),
    "merge_duplicates": (Nothing, Apply),
    "resolve_duplicates": (ResolveInput, Apply),
    "archive_source": (ArchiveInput, Apply),
    "decay_stale": (Age, Apply),
    "cycle": (Care, Apply),
    "report": (Care, Nothing),
}


def maintain(memory: Memory, space: str, mode: str, input_data: Any, options: Any, call: Call) -> dict[str, object]:
    """Answers one call of memory_maintain. What the engine refuses is told by its place in the envelope."""
    try:
        return _MODES[mode](memory, space, input_data, options, call)
    except InvalidInput as error:
        raise Rejected(TOOL, [Problem(_place(error.field), error.problem)]) from error


_OWN_WORDS = {
    "ids": "knowledge_ids", "canonical": "canonical_knowledge_id", "text": "summary", "scopes": "scope_refs",
    "id": "knowledge_id", "at": "reference_time", "days": "stale_after_days",
}  # fmt: skip
"""What the engine calls fields, and what they are called here."""


def _place(field: str) -> str:
    words = field.replace("[", ".").replace("]", "").split(".")
    return ".".join(["args.input_data", *(_OWN_WORDS.get(word, word) for word in words)])


# Structural modes


def _configure(memory: Memory, space: str, given: ConfigureInput, options: Apply, call: Call) -> dict[str, object]:
    return configure(memory, space, given.graph_backend, given.semantic_backend)


def _structure(memory: Memory, space: str, given: Nothing, options: Nothing, call: Call) -> dict[str, object]:
    return structure(memory, space)


def _audit(memory: Memory, space: str, given: Nothing, options: AuditOptions, call: Call) -> dict[str, object]:
    return audit(memory, space, options.max_items or AUDIT_ITEMS)


def _reindex(memory: Memory, space: str, given: Nothing, options: ReindexOptions, call: Call) -> dict[str, object]:
    def progress(stage: str, done: int, total: int) -> None:
        call.progress(done, total, stage)

    count = memory.reindex(progress)
    return {
        "result_type": "maintain_reindex_result",
        "status": "completed",
        "projection_count": count,
        "engines": engines(memory, options.graph_backend, options.semantic_backend),
        "derived_indexes": derived_indexes(memory, space),
        "warnings": [],
    }


def _repair(memory: Memory, space: str, given: Nothing, options: Apply, call: Call) -> dict[str, object]:
    done = memory.mend(space)
    dropped = [one for one in done.broken if one.safe]
    left = [one for one in done.broken if not one.safe]
    return {
        "result_type": "maintain_repair_result",
        **_written(done.entries),
        "repaired": len(done.ids),
        "repaired_object_ids": list(done.ids[:MOST_SHOWN]),
        "removed_references": [{"object_id": one.id, "field": _field(one.field), "ref": one.ref} for one in dropped][
            :MOST_SHOWN
        ],
        "unresolved_references": [{"object_id": one.id, "field": _field(one.field), "ref": one.ref} for one in left][
            :MOST_SHOWN
        ],
        "counts": {"removed_references": len(dropped), "unresolved_references": len(left)},
        "derived_indexes": derived_indexes(memory, space),
        "warnings": [],
    }


def _field(name: str) -> str:
    return {"grounds.evidence": "evidence_refs", "grounds.subjects": "subject_refs"}.get(name, name)


# Lifecycle modes


def _written(entries: Sequence[int]) -> dict[str, object]:
    """What a round wrote; nothing at all is a success too."""
    told: dict[str, object] = {
        "status": "completed" if entries else "noop",
        "patch_id": patch_id(entries),
        "applied_operations": len(entries),
        "audit_event_ids": audit_ids(entries[:MOST_SHOWN]),
        "projection_count": len(entries),
    }
    left = len(entries) - MOST_SHOWN
    return {**told, "audit_event_ids_omitted": left} if left > 0 else told


def _listed(name: str, ids: Sequence[str]) -> dict[str, object]:
    return {name: list(ids[:MOST_SHOWN])}


class _Bar(TypedDict):
    min_confidence: float
    min_evidence: int


class _Age(TypedDict):
    at: datetime | None
    days: float


def _bar(given: Bar | Care) -> _Bar:
    return {
        "min_confidence": MIN_CONFIDENCE if given.min_confidence is None else given.min_confidence,
        "min_evidence": MIN_EVIDENCE if given.min_evidence is None else given.min_evidence,
    }


def _age(given: Age | Care) -> _Age:
    at = read_moment(TOOL, given.reference_time, "args.input_data.reference_time")
    return {"at": at, "days": STALE_AFTER_DAYS if given.stale_after_days is None else given.stale_after_days}


def _promote(memory: Memory, space: str, given: Bar | Care, options: Apply, call: Call) -> dict[str, object]:
    done = memory.promote_candidates(space, **_bar(given))
    return {
        "result_type": "maintain_promote_candidates_result",
        **_written(done.entries),
        "promoted": len(done.ids),
        **_listed("promoted_knowledge_ids", done.ids),
    }


def _merge(memory: Memory, space: str, given: object, options: Apply, call: Call) -> dict[str, object]:
    done = memory.merge_duplicates(space)
    return {
        "result_type": "maintain_merge_duplicates_result",
        **_written([entry for group in done for entry in group.entries]),
        "merged": sum(len(group.merged) for group in done),
        "groups": [
            {"kept_knowledge_id": group.kept, "merged_knowledge_ids": list(group.merged)} for group in done[:MOST_SHOWN]
        ],
    }


def _decay(memory: Memory, space: str, given: Age | Care, options: Apply, call: Call) -> dict[str, object]:
    done = memory.decay_stale(space, **_age(given))
    return {
        "result_type": "maintain_decay_stale_result",
        **_written(done.entries),
        "decayed": len(done.ids),
        **_listed("decayed_knowledge_ids", done.ids),
    }


def _cycle(memory: Memory, space: str, given: Care, options: Apply, call: Call) -> dict[str, object]:
    """Promotes, merges, decays; each step is a write of its own, and an error in one leaves the earlier ones done."""
    _age(given)  # a time that is none is told before anything is done
    steps = [step(memory, space, given, options, call) for step in (_promote, _merge, _decay)]
    counts = {name: step[name] for name, step in zip(("promoted", "merged", "decayed"), steps, strict=True)}
    ids = [id for step in steps for id in _texts(step["audit_event_ids"])]
    return {
        "result_type": "maintain_cycle_result",
        "status": "completed",
        **counts,
        "patch_ids": [step["patch_id"] for step in steps if step["patch_id"]],
        "applied_operations": sum(_number(step["applied_operations"]) for step in steps),
        "audit_event_ids": ids,
        "projection_count": sum(_number(step["projection_count"]) for step in steps),
    }


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] -- our own answers


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _archive(memory: Memory, space: str, given: ArchiveInput, options: Apply, call: Call) -> dict[str, object]:
    source = Objects(memory, space).record(given.source_id)
    if source is None or source.kind not in CATALOGUE_KINDS:
        raise NotFound(f"Source not found: {given.source_id}")
    done = memory.archive_source(given.source_id, space=space, reason=_reason(given.reason))
    return {
        "result_type": "maintain_archive_source_result",
        **_written(done.receipt.entries),
        "archived_source_id": given.source_id,
        **_listed("stale_knowledge_ids", sorted(done.stale_ids)),
        **_listed("partially_affected_knowledge_ids", sorted(done.partial_ids)),
        "counts": {
            "stale_knowledge": len(done.stale_ids),
            "partially_affected_knowledge": len(done.partial_ids),
        },
    }


def _reason(given: str) -> str:
    if not given.strip():
        raise InvalidInput("reason", "is blank; say why")
    return given.strip()


def _resolve(memory: Memory, space: str, given: ResolveInput, options: Apply, call: Call) -> dict[str, object]:
    objects = Objects(memory, space)
    for id in given.knowledge_ids:
        record = objects.record(id)
        if record is None or record.kind in NOT_KNOWLEDGE:
            raise NotFound(f"Knowledge not found: {id}")
    resolution = Resolution(
        outcome=given.outcome,
        ids=tuple(given.knowledge_ids),
        reason=_reason(given.reason),
        canonical=given.canonical_knowledge_id,
        updates=tuple(map(_clarified, given.updates or ())),
    )  # fmt: skip
    done = memory.resolve_twins(resolution, space=space)
    return {
        "result_type": "maintain_resolve_duplicates_result",
        **_written(done.entries),
        "outcome": given.outcome,
        "resolved": len(done.ids),
        "knowledge_ids": list(done.ids),
    }


def _clarified(one: Update) -> Clarified:
    scopes = None if one.scope_refs is None else tuple(one.scope_refs)
    return Clarified(id=one.knowledge_id, text=one.summary, scopes=scopes)


def _report(memory: Memory, space: str, given: Care, options: Nothing, call: Call) -> dict[str, object]:
    found = memory.upkeep(space, **_bar(given), **_age(given))
    call.checkpoint()
    return answer("maintain_report", report(found, memory.concepts(space), derived_indexes(memory, space)))


_MODES: Mapping[str, Callable[[Memory, str, Any, Any, Call], dict[str, object]]] = {
    "configure": _configure,
    "structure": _structure,
    "audit": _audit,
    "reindex": _reindex,
    "repair": _repair,
    "promote_candidates": _promote,
    "merge_duplicates": _merge,
    "resolve_duplicates": _resolve,
    "archive_source": _archive,
    "decay_stale": _decay,
    "cycle": _cycle,
    "report": _report,
}
