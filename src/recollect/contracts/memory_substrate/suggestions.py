"""What should somebody do with terms that may deserve a memory?

After an ingest they are told in brief; a report tells all of it, with the knowledge that they would become, ready to be
reviewed, rewritten and handed to memory_remember.
"""

from __future__ import annotations

from recollect.contracts.memory_substrate import view as v
from recollect.engine.care.concepts import Concept, Concepts

PROTOCOL = "agent_extraction.v1"
_CHECKS = [
    "read_evidence_refs",
    "query_existing_memory_for_title_and_synonyms",
    "choose_scope_refs_before_write",
    "rewrite_summary_from_evidence",
]
_OUTCOMES: dict[str, tuple[str, str | None, str | None]] = {
    "remember_as_concept": ("it names something that is used again and again with one meaning", "knowledge", "concept"),
    "remember_as_procedure": ("the evidence tells in which order something is done", "knowledge", "procedure"),
    "remember_as_decision": ("the evidence tells what was chosen, and instead of what", "knowledge", "decision"),
    "merge_with_existing": ("a query finds a memory that means the same", None, None),
    "skip_candidate": ("it is a title, a heading like many, a passing task, or hardly evidenced", None, None),
}
_CANDIDATE_ACTIONS = ["review_and_remember", "attach_evidence_refs", "skip_if_project_specific_noise"]
_HANDOFF = {
    "resource": "memory://agent-playbook",
    "summary": "Ingest captured evidence; agent analyzes it and uses memory_remember for durable writes.",
    "required_steps": [
        "inspect_source", "query_existing_memory", "prepare_durable_candidates", "commit_reviewed_memory",
    ],
    "remember_write_contract": {
        "required_fields": ["kind", "title", "summary", "reason", "memory_source", "scope_refs"],
        "recommended_fields": ["subject_refs", "evidence_refs", "payload", "confidence", "status"],
    },
    "next_actions": ["call_memory_remember_if_durable"],
}  # fmt: skip
NEXT_ACTIONS = [
    "review_concept_candidates",
    "run_memory_maintain_report_for_cross_source_candidates",
    "call_memory_remember_if_durable",
]


def suggest(found: Concepts, source_id: str) -> dict[str, object]:
    """What an ingest says of the terms in the source that it has just captured."""
    return {
        "concept_candidates": [_compact(concept) for concept in found.candidates],
        "agent_extraction": {"protocol": PROTOCOL, "source_id": source_id, **_HANDOFF},
        "candidate_diagnostics": diagnose(found),
        "counts": {"concept_candidates": len(found.candidates), "concept_candidates_available": found.eligible},
        "next_actions": NEXT_ACTIONS,
    }


def diagnose(found: Concepts) -> dict[str, object]:
    """What was passed over, and why."""
    counts = v.show(found, "skipped_count:skipped eligible", returned=len(found.candidates))
    return {"skipped": [v.show(one, "title reason occurrences") for one in found.skipped], "counts": counts}


def _view(concept: Concept, detail: str, memory: dict[str, object], **more: object) -> dict[str, object]:
    """What is told of a candidate in any case: what it is, why, and the knowledge that it would become."""
    return {
        "kind": "concept_candidate",
        "detail": detail,
        **v.show(concept, "type:candidate_type title score occurrences"),
        "ranking_signals": v.show(concept, "bonuses penalties adjustment:score_adjustment"),
        **v.show(concept, "evidence_count:evidence_ref_count object_count:object_ref_count"),
        "suggested_memory": {"mode": "knowledge", "kind": concept.kind, "status": "candidate", **memory},
        "next_actions": _CANDIDATE_ACTIONS,
        **more,
    }


def _compact(concept: Concept) -> dict[str, object]:
    return _view(
        concept,
        "compact",
        {"input_data_available_from": "memory_maintain report"},
        evidence_refs=[{"source_id": source, "segment_id": segment} for source, segment, _ in concept.evidence],
        review_guidance={"required_checks": _CHECKS, "outcome_actions": list(_OUTCOMES)},
        omitted_fields=["object_refs", "suggested_memory.input_data", "review_guidance.outcomes"],
    )


def view_candidate(concept: Concept) -> dict[str, object]:
    """All that there is to a candidate, with the knowledge that it would become once somebody has rewritten it."""
    evidence = [_evidence(one) for one in concept.evidence]
    memory: dict[str, object] = {
        "input_data": _input(concept, evidence),
        "editable_fields": ["summary", "reason", "scope_refs", "payload"],
    }
    return _view(
        concept,
        "full",
        memory,
        **v.show(concept, "key:normalized_key reasons source_count"),
        evidence_refs=evidence,
        object_refs=[{"object_type": "knowledge", "object_id": id} for id in concept.objects],
        review_guidance={"required_checks": _CHECKS, "outcomes": [_outcome(name) for name in _OUTCOMES]},
    )


def _evidence(one: tuple[str, str, object]) -> dict[str, object]:
    source, segment, locator = one
    told: dict[str, object] = {"source_id": source, "segment_id": segment}
    return told if locator is None else {**told, "locator": locator}


def _input(concept: Concept, evidence: list[dict[str, object]]) -> dict[str, object]:
    """What memory_remember would be given; it is taken as it stands, but the summary is to be written anew."""
    scopes = list(concept.scopes) or [str(one["source_id"]) for one in evidence[:1]] or ["scope:unsorted"]
    return v.show(
        concept,
        "kind title confidence",
        summary=f"Candidate {concept.type} '{concept.title}': replace this with what the cited evidence says of it.",
        reason=f"An agent reviewed candidate '{concept.title}' against its evidence and found it worth keeping.",
        memory_source="agent_inferred",
        scope_refs=scopes,
        evidence_refs=evidence,
        status="candidate",
    )


def _outcome(name: str) -> dict[str, object]:
    when, mode, kind = _OUTCOMES[name]
    told: dict[str, object] = {"action": name, "when": when}
    if mode is not None:
        return {**told, "tool": "memory_remember", "mode": mode, "kind": kind}
    return told if name == "skip_candidate" else {**told, "tool": "memory_maintain", "mode": "resolve_duplicates"}
