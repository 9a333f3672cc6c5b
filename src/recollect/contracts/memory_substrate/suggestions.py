"""What should somebody do with terms that may deserve a memory?

After an ingest they are told in brief; a report tells all of it, with the knowledge that they would become, ready to be
reviewed, rewritten and handed to memory_remember.
"""

from __future__ import annotations

from recollect.types import Concept, Concepts

PROTOCOL = "agent_extraction.v1"
PLAYBOOK = "memory://agent-playbook"
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
NEXT_ACTIONS = [
    "review_concept_candidates",
    "run_memory_maintain_report_for_cross_source_candidates",
    "call_memory_remember_if_durable",
]


def suggest(found: Concepts, source_id: str) -> dict[str, object]:
    """What an ingest says of the terms in the source that it has just captured."""
    return {
        "concept_candidates": [_compact(concept) for concept in found.candidates],
        "agent_extraction": _handoff(source_id),
        "candidate_diagnostics": diagnose(found),
        "counts": {
            "concept_candidates": len(found.candidates),
            "concept_candidates_available": found.eligible,
        },
        "next_actions": list(NEXT_ACTIONS),
    }


def _handoff(source_id: str) -> dict[str, object]:
    return {
        "protocol": PROTOCOL,
        "source_id": source_id,
        "resource": PLAYBOOK,
        "summary": "Ingest captured evidence; agent analyzes it and uses memory_remember for durable writes.",
        "required_steps": [
            "inspect_source",
            "query_existing_memory",
            "prepare_durable_candidates",
            "commit_reviewed_memory",
        ],
        "remember_write_contract": {
            "required_fields": ["kind", "title", "summary", "reason", "memory_source", "scope_refs"],
            "recommended_fields": ["subject_refs", "evidence_refs", "payload", "confidence", "status"],
        },
        "next_actions": ["call_memory_remember_if_durable"],
    }


def diagnose(found: Concepts) -> dict[str, object]:
    """What was passed over, and why."""
    return {
        "skipped": [
            {"title": one.title, "reason": one.reason, "occurrences": one.occurrences} for one in found.skipped
        ],
        "counts": {"skipped": found.skipped_count, "eligible": found.eligible, "returned": len(found.candidates)},
    }


def _head(concept: Concept) -> dict[str, object]:
    return {
        "candidate_type": concept.type,
        "title": concept.title,
        "score": concept.score,
        "occurrences": concept.occurrences,
        "ranking_signals": {
            "bonuses": list(concept.bonuses),
            "penalties": list(concept.penalties),
            "score_adjustment": concept.adjustment,
        },
    }


def _compact(concept: Concept) -> dict[str, object]:
    return {
        "kind": "concept_candidate",
        "detail": "compact",
        **_head(concept),
        "evidence_refs": [{"source_id": source, "segment_id": segment} for source, segment, _ in concept.evidence],
        "evidence_ref_count": concept.evidence_count,
        "object_ref_count": concept.object_count,
        "suggested_memory": {
            "mode": "knowledge",
            "kind": concept.kind,
            "status": "candidate",
            "input_data_available_from": "memory_maintain report",
        },
        "review_guidance": {"required_checks": list(_CHECKS), "outcome_actions": list(_OUTCOMES)},
        "omitted_fields": ["object_refs", "suggested_memory.input_data", "review_guidance.outcomes"],
        "next_actions": list(_CANDIDATE_ACTIONS),
    }


def view_candidate(concept: Concept) -> dict[str, object]:
    """All that there is to a candidate, with the knowledge that it would become once somebody has rewritten it."""
    evidence = [_evidence(one) for one in concept.evidence]
    return {
        "kind": "concept_candidate",
        "detail": "full",
        **_head(concept),
        "normalized_key": concept.key,
        "reasons": list(concept.reasons),
        "evidence_refs": evidence,
        "evidence_ref_count": concept.evidence_count,
        "object_refs": [{"object_type": "knowledge", "object_id": id} for id in concept.objects],
        "object_ref_count": concept.object_count,
        "source_count": concept.source_count,
        "suggested_memory": {
            "mode": "knowledge",
            "kind": concept.kind,
            "status": "candidate",
            "input_data": _input(concept, evidence),
            "editable_fields": ["summary", "reason", "scope_refs", "payload"],
        },
        "review_guidance": {"required_checks": list(_CHECKS), "outcomes": [_outcome(name) for name in _OUTCOMES]},
        "next_actions": list(_CANDIDATE_ACTIONS),
    }


def _evidence(one: tuple[str, str, object]) -> dict[str, object]:
    source, segment, locator = one
    told: dict[str, object] = {"source_id": source, "segment_id": segment}
    return told if locator is None else {**told, "locator": locator}


def _input(concept: Concept, evidence: list[dict[str, object]]) -> dict[str, object]:
    """What memory_remember would be given; it is taken as it stands, but the summary is to be written anew."""
    scopes = list(concept.scopes) or [str(one["source_id"]) for one in evidence[:1]] or ["scope:unsorted"]
    return {
        "kind": concept.kind,
        "title": concept.title,
        "summary": f"Candidate {concept.type} '{concept.title}': replace this with what the cited evidence says of it.",
        "reason": f"An agent reviewed candidate '{concept.title}' against its evidence and found it worth keeping.",
        "memory_source": "agent_inferred",
        "scope_refs": scopes,
        "evidence_refs": evidence,
        "status": "candidate",
        "confidence": concept.confidence,
    }


def _outcome(name: str) -> dict[str, object]:
    when, mode, kind = _OUTCOMES[name]
    told: dict[str, object] = {"action": name, "when": when}
    if mode is not None:
        return {**told, "tool": "memory_remember", "mode": mode, "kind": kind}
    return told if name == "skip_candidate" else {**told, "tool": "memory_maintain", "mode": "resolve_duplicates"}
