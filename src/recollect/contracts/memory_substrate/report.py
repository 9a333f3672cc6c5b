"""What should somebody look at?

Everything in a report is advice. Its lists are cut, and `counts` says how long each would be; `left_out` names those
that were cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from recollect.contracts.memory_substrate import view as v
from recollect.contracts.memory_substrate.suggestions import diagnose, view_candidate
from recollect.engine.care.concepts import Concepts
from recollect.engine.care.twins import Twins
from recollect.engine.care.upkeep import Doubt, GraphHealth, Upkeep

MOST_TWINS = 20
"""Pairs that a report lists: each brings its guidance along, and a report should stay readable."""
_CHECKS = [
    "read_both_knowledge_items",
    "compare_scope_refs",
    "compare_evidence_refs",
    "decide_whether_meaning_is_same_distinct_or_conflicting",
]
_OUTCOMES = ("supersede", "keep_both", "contest")
_RESOLVE = {"tool": "memory_maintain", "mode": "resolve_duplicates"}
_SIZE = "node_count edge_count"
_NODE = "id kind title status degree scopes:scope_refs"
_ACTIONS = [
    "review_duplicate_pair",
    "choose_supersede_keep_both_or_contest",
    "call_memory_maintain_resolve_duplicates_if_actionable",
]
_DOUBTS: Mapping[str, tuple[str, list[str]]] = {
    "similar_entity_name": (
        "These nodes have names or aliases that differ in case, spacing or punctuation alone.",
        ["clarify_scope", "merge_if_same_entity", "keep_both_if_distinct"],
    ),
    "stale_fact": ("It is active, and the time in which it held is over.", ["verify", "supersede", "contest"]),
    "relationship_mismatch": (
        "These claims name the same subject and predicate and say different things of them.",
        ["review_evidence", "contest", "supersede", "keep_both_with_scopes"],
    ),
}
_COUNTED = {
    "promote_candidates": "promotable",
    "low_evidence_candidates": "low_evidence",
    "stale_candidates": "stale",
    "changed_evidence": "unsettled",
    "duplicate_groups": "duplicates",
    "soft_duplicate_candidates": "twins",
    "fact_check_issues": "doubts",
}


def report(found: Upkeep, concepts: Concepts, derived: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    """The data of a report."""
    counts = {name: found.counts.get(kept, 0) for name, kept in _COUNTED.items()}
    counts["concept_candidates"] = concepts.eligible
    lists: dict[str, list[object]] = {
        "promote_candidate_ids": list(found.promotable),
        "low_evidence_candidate_ids": list(found.low_evidence),
        "stale_candidate_ids": list(found.stale),
        "changed_evidence_ids": list(found.unsettled),
        "duplicate_groups": [list(group) for group in found.duplicates],
        "soft_duplicate_candidates": [_view_twins(twins) for twins in found.twins[:MOST_TWINS]],
        "fact_check_issues": [_view_doubt(doubt) for doubt in found.doubts],
        "concept_candidates": [view_candidate(concept) for concept in concepts.candidates],
    }
    left = {name: total - len(shown) for (name, shown), total in zip(lists.items(), counts.values(), strict=True)}
    return {
        **lists,
        "candidate_diagnostics": diagnose(concepts),
        "counts": counts,
        "left_out": {name: count for name, count in left.items() if count > 0},
        "graph_health": _view_health(found.graph, derived["graph"]),
        "derived_indexes": derived,
    }


def _view_twins(twins: Twins) -> dict[str, object]:
    chosen: dict[str, object] = {
        "outcome": "supersede",
        "knowledge_ids": twins.ids,
        "canonical_knowledge_id": twins.foremost,
        "reason": "Reviewed soft duplicate candidate and selected the canonical memory.",
    }
    return v.show(
        twins,
        "ids:object_ids score reasons",
        review_guidance={"required_checks": _CHECKS, "outcomes": [{"action": one, **_RESOLVE} for one in _OUTCOMES]},
        suggested_resolution={**_RESOLVE, "input_data": chosen, "options": {"apply": True}},
        next_actions=_ACTIONS,
    )


def _view_doubt(doubt: Doubt) -> dict[str, object]:
    summary, actions = _DOUBTS[doubt.kind]
    told = v.show(doubt, "kind ids:object_ids", severity="warning", summary=summary, next_actions=actions)
    if len(doubt.ids) == 1:
        told["object_id"] = doubt.ids[0]
    more = v.show(doubt, "subject predicate valid_until")
    return {**told, **{name: value for name, value in more.items() if value is not None}}


def _view_health(health: GraphHealth, index: Mapping[str, object]) -> dict[str, object]:
    """How the graph holds together. Nodes and relations are read where they are stored, so that only the index of
    references can lack something: what an object refers to cannot be followed back to it then.
    """
    missing = cast("Mapping[str, int]", index["missing_by_type"])
    indexed = {name: count for name, count in health.objects.items() if name != "nodes"}
    return {
        "status": "ok" if index["status"] == "current" else index["status"],
        "backend": index["backend"],
        "engine": index["engine"],
        "canonical_counts": {**health.objects, "relations": health.counts.get("relations", 0)},
        "backend_counts": {name: count - missing.get(name, 0) for name, count in indexed.items()},
        "missing_from_backend": {name: missing.get(name, 0) for name in indexed},
        "stub_nodes": health.stubs,
        "insights": {
            "isolated_nodes": [v.show(node, _NODE) for node in health.isolated],
            "sparse_clusters": [v.show(one, f"nodes:node_ids density {_SIZE}") for one in health.sparse],
            "bridge_nodes": [v.show(node, _NODE) for node in health.bridges],
            "weakly_connected_scopes": [
                v.show(one, f"scope:scope_ref nodes:sample_node_ids {_SIZE}") for one in health.weak_scopes
            ],
        },
        "counts": health.counts,
    }
