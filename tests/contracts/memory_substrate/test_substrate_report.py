"""Does a report tell what somebody should look at, and change nothing?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Clock
from tests.contracts.memory_substrate.conftest import Substrate
from tests.contracts.memory_substrate.test_substrate_maintain import APPLY, claim, twins

CARE = {
    "min_confidence": 0.75, "min_evidence": 1, "reference_time": "2026-04-28T00:00:00+00:00", "stale_after_days": 30,
}  # fmt: skip


@pytest.fixture
def source(table: Substrate, tmp_path: Path) -> str:
    return table.ingest(tmp_path / "guide.md", "# Guide\n\nIt is written in Python.\n")


def report(table: Substrate, **given: Any) -> Any:
    return table.use("maintain", "report", {**CARE, **given})


def test_a_report_of_an_empty_memory_is_empty(table: Substrate) -> None:
    answer = report(table)
    assert answer["result_type"] == "maintain_report"
    assert set(answer["counts"].values()) == {0}
    assert (answer["left_out"], answer["warnings"], table.memory.last_entry()) == ({}, [], 0)


def test_candidates_are_told_apart_by_their_evidence(table: Substrate, source: str) -> None:
    ready = claim(table, source)
    wanting = table.know("A guess", memory_source="agent_inferred", confidence=0.8)
    table.know("A wild guess", memory_source="agent_inferred", confidence=0.1)
    answer = report(table)
    assert (answer["promote_candidate_ids"], answer["low_evidence_candidate_ids"]) == ([ready], [wanting])
    assert answer["counts"]["promote_candidates"] == answer["counts"]["low_evidence_candidates"] == 1


def test_evidence_that_changed_no_longer_promotes(table: Substrate, source: str, tmp_path: Path) -> None:
    id = claim(table, source)
    assert report(table)["promote_candidate_ids"] == [id]
    table.ingest(tmp_path / "guide.md", "# Guide\n\nIt is written in Rust by now.\n")
    answer = report(table)
    assert (answer["promote_candidate_ids"], answer["low_evidence_candidate_ids"]) == ([], [id])
    assert table.use("maintain", "promote_candidates", {}, APPLY)["promoted"] == 0


def test_what_rests_on_text_that_changed_is_named_even_if_it_is_active(
    table: Substrate, source: str, tmp_path: Path
) -> None:
    cited = [{"source_id": source, "segment_id": "seg-1"}]
    id = table.know("It is Python", status="active", evidence_refs=cited)
    table.know("Somebody says so", status="active")
    assert report(table)["changed_evidence_ids"] == []
    table.ingest(tmp_path / "guide.md", "# Guide\n\nIt is written in Rust by now.\n")
    answer = report(table)
    assert (answer["changed_evidence_ids"], answer["counts"]["changed_evidence"]) == ([id], 1)
    table.ingest(tmp_path / "guide.md", "# Preface\n\nNew.\n\n# Guide\n\nIt is written in Python.\n")
    assert report(table)["changed_evidence_ids"] == []


def test_what_was_verified_long_ago_is_a_stale_candidate(table: Substrate) -> None:
    id = table.know("It holds", status="active", last_verified_at="2026-01-01T00:00:00+00:00")
    assert report(table)["stale_candidate_ids"] == [id]
    assert report(table, stale_after_days=365)["stale_candidate_ids"] == []


def test_a_report_names_what_would_decay(table: Substrate, clock: Clock) -> None:
    verified = table.know("It holds", status="active", last_verified_at="2026-01-01")
    made = table.know("Nobody looked at it since")
    late = {"reference_time": clock.now.replace(year=2027).isoformat()}
    told = report(table, **late)["stale_candidate_ids"]
    assert sorted(told) == sorted([verified, made])
    assert sorted(table.use("maintain", "decay_stale", late, APPLY)["decayed_knowledge_ids"]) == sorted(told)


def test_a_soft_duplicate_comes_with_a_resolution_that_works(table: Substrate) -> None:
    ids = twins(table)
    (entry,) = report(table)["soft_duplicate_candidates"]
    assert set(entry) == {
        "object_ids", "score", "reasons", "review_guidance", "suggested_resolution", "next_actions",
    }  # fmt: skip
    assert (sorted(entry["object_ids"]), entry["reasons"]) == (
        sorted(ids), ["title_overlap", "summary_overlap", "same_kind"],
    )  # fmt: skip
    assert entry["review_guidance"]["outcomes"][0] == {
        "action": "supersede", "tool": "memory_maintain", "mode": "resolve_duplicates",
    }  # fmt: skip
    advised = entry["suggested_resolution"]
    assert advised["input_data"]["canonical_knowledge_id"] == ids[1]
    table.use("maintain", advised["mode"], advised["input_data"], advised["options"])
    assert report(table)["soft_duplicate_candidates"] == []


def test_a_concept_candidate_comes_with_knowledge_that_can_be_stored(table: Substrate, tmp_path: Path) -> None:
    text = "# Guide\n\nThe Context Pack comes first.\n\n## Context Pack\n\nA Context Pack holds decisions.\n"
    source = table.ingest(tmp_path / "guide.md", text)
    answer = report(table)
    (candidate,) = answer["concept_candidates"]
    assert (candidate["title"], candidate["candidate_type"]) == ("Context Pack", "concept")
    given = candidate["suggested_memory"]["input_data"]
    assert (given["memory_source"], given["status"], given["scope_refs"]) == ("agent_inferred", "candidate", [source])
    assert given["evidence_refs"][0]["source_id"] == source
    assert {one["action"] for one in candidate["review_guidance"]["outcomes"]} == {
        "remember_as_concept", "remember_as_procedure", "remember_as_decision", "merge_with_existing", "skip_candidate",
    }  # fmt: skip
    stored = table.use("remember", "knowledge", given)
    assert stored["status"] == "candidate"
    assert report(table)["concept_candidates"] == []


def test_facts_that_cannot_all_hold_are_issues(table: Substrate, source: str) -> None:
    payload = {"subject": "node:x", "predicate": "language", "value": "rust"}
    ids = [claim(table, source), claim(table, source, payload=payload, scope_refs=["scope:b"])]
    ended = table.know("It held once", status="active", valid_until="2026-01-01T00:00:00+00:00")
    for name in ("Graph DB", "graph-db"):
        table.memory.entity(name, id=f"node:{name}")
    issues = {issue["kind"]: issue for issue in report(table)["fact_check_issues"]}
    assert set(issues) == {"relationship_mismatch", "similar_entity_name", "stale_fact"}
    assert issues["stale_fact"]["object_id"] == ended
    assert issues["relationship_mismatch"]["object_ids"] == sorted(ids)
    assert (issues["relationship_mismatch"]["subject"], issues["relationship_mismatch"]["predicate"]) == (
        "node:x", "language",
    )  # fmt: skip


def test_the_health_of_the_graph_has_counts_and_four_insights(table: Substrate, source: str) -> None:
    claim(table, source)
    alone = table.know("Nobody knows it")
    health = report(table)["graph_health"]
    assert health["canonical_counts"] == {"sources": 1, "knowledge": 2, "nodes": 0, "relations": 2}
    assert health["backend_counts"] == {"sources": 1, "knowledge": 2}
    assert health["missing_from_backend"] == {"sources": 0, "knowledge": 0}
    insights = health["insights"]
    assert set(insights) == {"isolated_nodes", "sparse_clusters", "bridge_nodes", "weakly_connected_scopes"}
    assert [node["id"] for node in insights["isolated_nodes"]] == [alone]
    assert insights["weakly_connected_scopes"][0]["scope_ref"] == "scope:project"
    assert (health["backend"], health["engine"]) == (None, "recollect")
    table.use("maintain", "configure", {"graph_backend": "kuzu"}, APPLY)
    assert report(table)["graph_health"] == {**health, "backend": "kuzu"}


@pytest.mark.parametrize(
    ("said", "stubs"),
    [
        ({"payload": {"subject": "node:harbour", "predicate": "open", "value": True}}, 1),
        ({"payload": {"subject": "node:harbour", "predicate": "next_to", "object": "node:mill"}}, 2),
        ({"subject_refs": ["node:harbour", "the mill", "scope:town"]}, 3),
        ({"subject_refs": [f"know:{'0' * 32}"]}, 0),
        ({}, 0),
    ],
)
def test_what_is_only_named_is_part_of_the_graphs_health(table: Substrate, said: dict[str, Any], stubs: int) -> None:
    id = table.know("The harbour", **said)
    health = report(table)["graph_health"]
    assert health["stub_nodes"] == stubs
    assert [node["id"] for node in health["insights"]["isolated_nodes"]] == ([] if stubs else [id])
    assert (health["counts"]["nodes"], health["canonical_counts"]["nodes"]) == (1 + stubs, 0)


def test_long_lists_are_cut_and_what_was_left_out_is_counted(table: Substrate) -> None:
    for at in range(60):
        table.know(f"Guess number {at}", memory_source="agent_inferred", confidence=0.9)
    answer = report(table)
    assert len(answer["low_evidence_candidate_ids"]) == 50
    assert (answer["counts"]["low_evidence_candidates"], answer["left_out"]["low_evidence_candidate_ids"]) == (60, 10)


def test_a_report_changes_nothing(table: Substrate, source: str) -> None:
    claim(table, source)
    twins(table)
    last = table.memory.last_entry()
    assert report(table) == report(table)
    assert table.memory.last_entry() == last
