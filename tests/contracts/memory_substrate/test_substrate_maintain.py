"""Does memory_maintain keep memory in order, only where it is told to, and so that it can be undone?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Clock
from tests.contracts.memory_substrate.conftest import Substrate

from recollect.contracts.memory_substrate.maintain import MAINTAIN

MUTATING = [
    "configure", "repair", "promote_candidates", "merge_duplicates", "resolve_duplicates", "archive_source",
    "decay_stale", "cycle",
]  # fmt: skip
APPLY = {"apply": True}
KUZU = ("Use Kuzu as the local graph backend", "Kuzu is the selected local graph backend for lightweight prototypes.")
KUZU_AGAIN = ("Kuzu remains the local graph backend", "The local prototype graph backend should stay on Kuzu.")


def maintain(table: Substrate, mode: str, given: Any = None, options: Any = None) -> Any:
    return table.use("maintain", mode, given, options)


def twins(table: Substrate) -> list[str]:
    return [table.know(*said, kind="decision", status="active") for said in (KUZU, KUZU_AGAIN)]


def claim(table: Substrate, source: str, **more: Any) -> str:
    given: dict[str, Any] = {
        "memory_source": "agent_inferred", "confidence": 0.9, "subject_refs": ["node:x"],
        "evidence_refs": [{"source_id": source, "segment_id": "seg-1"}],
        "payload": {"subject": "node:x", "predicate": "language", "value": "python", "object": None, "metadata": {}},
    }  # fmt: skip
    return table.know("The language is Python", **{**given, **more})


@pytest.fixture
def source(table: Substrate, tmp_path: Path) -> str:
    return table.ingest(tmp_path / "guide.md", "# Guide\n\nIt is written in Python.\n")


def status(table: Substrate, id: str) -> str:
    record = table.memory.get(id)
    assert record is not None
    return record.status


@pytest.mark.parametrize("mode", MUTATING)
def test_a_mode_that_changes_memory_must_be_confirmed(table: Substrate, mode: str) -> None:
    given = {
        "resolve_duplicates": {"outcome": "contest", "knowledge_ids": ["a", "b"], "reason": "r"},
        "archive_source": {"source_id": "src:x", "reason": "r"},
    }.get(mode, {})
    for options in (None, {}, {"apply": False}):
        told = table.refuse("maintain", mode, given, options)
        assert "args.options.apply" in told
        assert "options.apply=true" in told
    assert table.memory.last_entry() == 0


@pytest.mark.parametrize("mode", sorted(set(MAINTAIN) - set(MUTATING)))
def test_other_modes_need_no_confirmation(table: Substrate, mode: str) -> None:
    assert maintain(table, mode)["result_type"]


@pytest.mark.parametrize(
    ("mode", "count"),
    [
        ("promote_candidates", "promoted"),
        ("merge_duplicates", "merged"),
        ("decay_stale", "decayed"),
        ("repair", "repaired"),
    ],
)
def test_nothing_to_do_is_a_success(table: Substrate, mode: str, count: str) -> None:
    answer = maintain(table, mode, {}, APPLY)
    assert (answer["status"], answer[count], answer["patch_id"], answer["audit_event_ids"]) == ("noop", 0, None, [])


def test_backends_are_recorded_and_the_engine_that_serves_is_named(table: Substrate) -> None:
    answer = maintain(table, "configure", {"graph_backend": "file", "semantic_backend": "lancedb"}, APPLY)
    assert answer["result_type"] == "maintain_configure_result"
    assert answer["config"] == {"graph_backend": "file", "semantic_backend": "lancedb"}
    assert answer["engines"]["graph"]["serving"] == "recollect"
    second = maintain(table, "configure", {"graph_backend": "kuzu"}, APPLY)
    assert second["config"] == {"graph_backend": "kuzu", "semantic_backend": "lancedb"}
    space, _ = table.memory.describe_space("default")
    assert space.metadata["memory_substrate"] == second["config"]


@pytest.mark.parametrize(
    ("mode", "given", "options", "told"),
    [
        ("configure", {"graph_backend": "neo4j"}, APPLY, "Input should be 'file' or 'kuzu'"),
        ("configure", {"semantic_backend": "faiss"}, APPLY, "args.input_data.semantic_backend"),
        ("reindex", {}, {"graph_backend": "neo4j"}, "args.options.graph_backend"),
        ("report", {}, APPLY, "args.options.apply\n  Extra inputs are not permitted"),
        ("report", {"min_confidence": 2}, None, "less than or equal to 1"),
        ("report", {"reference_time": "some day"}, None, "args.input_data.reference_time"),
        ("decay_stale", {"stale_after_days": -1}, APPLY, "args.input_data.stale_after_days"),
        ("audit", {}, {"max_items": 0}, "greater than or equal to 1"),
        ("archive_source", {"source_id": "src:gone", "reason": "r"}, APPLY, "Source not found: src:gone"),
        ("archive_source", {"source_id": "src:gone"}, APPLY, "args.input_data.reason\n  Field required"),
        ("archive_source", {"source_id": "src:gone", "reason": ""}, APPLY, "at least 1 character"),
        ("purge", {}, APPLY, "Unsupported memory_maintain mode: purge"),
    ],
)
def test_a_wrong_call_of_upkeep_says_what_is_wrong(
    table: Substrate, mode: str, given: Any, options: Any, told: str
) -> None:
    assert told in table.refuse("maintain", mode, given, options)


def test_candidates_that_are_sure_and_evidenced_are_promoted(table: Substrate, source: str) -> None:
    id = claim(table, source)
    assert maintain(table, "promote_candidates", {"min_evidence": 2}, APPLY)["promoted"] == 0
    answer = maintain(table, "promote_candidates", {"min_confidence": 0.8}, APPLY)
    assert (answer["status"], answer["promoted"], answer["promoted_knowledge_ids"]) == ("completed", 1, [id])
    assert status(table, id) == "active"


def test_claims_that_say_the_same_become_one(table: Substrate, source: str) -> None:
    ids = [claim(table, source), claim(table, source, scope_refs=["scope:b"])]
    assert maintain(table, "merge_duplicates", {}, APPLY)["merged"] == 0
    said = {"subject": "node:x", "predicate": "language", "value": "python"}
    put_away = table.memory.revise(ids[0], status="archived")
    table.memory.revise(ids[1], grounds={"scopes": ["scope:project", "scope:b"], "claim": said})
    table.memory.undo(put_away)
    answer = maintain(table, "merge_duplicates", {}, APPLY)
    assert (answer["merged"], answer["groups"][0]["kept_knowledge_id"]) == (1, ids[0])
    assert status(table, ids[1]) == "superseded"


def test_what_was_not_verified_for_long_is_stale(table: Substrate, source: str, clock: Clock) -> None:
    id = claim(table, source)
    maintain(table, "promote_candidates", {}, APPLY)
    late = clock.now.replace(year=2027).isoformat()
    assert maintain(table, "decay_stale", {}, APPLY)["decayed"] == 0
    given = {"reference_time": "2026-05-11", "stale_after_days": None}
    assert maintain(table, "decay_stale", given, APPLY)["decayed"] == 0
    answer = maintain(table, "decay_stale", {"reference_time": late, "stale_after_days": 30}, APPLY)
    assert (answer["decayed"], answer["decayed_knowledge_ids"]) == (1, [id])


def test_a_cycle_with_a_wrong_time_does_nothing(table: Substrate, source: str) -> None:
    id = claim(table, source)
    assert "\nargs.input_data.reference_time\n" in table.refuse("maintain", "cycle", {"reference_time": "soon"}, APPLY)
    assert status(table, id) == "candidate"


def test_nothing_is_stale_before_the_first_year(table: Substrate, source: str) -> None:
    claim(table, source)
    early = {"reference_time": "0001-01-01T00:00:00Z", "stale_after_days": 30}
    assert table.use("maintain", "report", early)["stale_candidate_ids"] == []
    assert maintain(table, "decay_stale", early, APPLY)["decayed"] == 0


def test_a_cycle_promotes_merges_and_decays(table: Substrate, source: str) -> None:
    id = claim(table, source)
    given = {
        "min_confidence": 0.75, "min_evidence": 1, "reference_time": "2026-04-28T00:00:00+00:00",
        "stale_after_days": 30,
    }  # fmt: skip
    answer = maintain(table, "cycle", given, APPLY)
    assert (answer["status"], answer["promoted"], answer["merged"], answer["decayed"]) == ("completed", 1, 0, 0)
    assert len(answer["patch_ids"]) == answer["applied_operations"] == len(answer["audit_event_ids"]) == 1
    assert status(table, id) == "active"


def test_an_archived_source_makes_what_rests_on_it_alone_stale(table: Substrate, source: str, tmp_path: Path) -> None:
    other = table.ingest(tmp_path / "more.md", "# More\n\nPython it is.\n")
    alone = claim(table, source)
    both = [{"source_id": id, "segment_id": "seg-1"} for id in (source, other)]
    mixed = table.know("Two saw it", evidence_refs=both)
    given = {"source_id": source, "reason": "Retired because the import captured local agent state."}
    answer = maintain(table, "archive_source", given, APPLY)
    assert answer["archived_source_id"] == source
    assert (answer["stale_knowledge_ids"], answer["partially_affected_knowledge_ids"]) == ([alone], [mixed])
    assert (status(table, source), status(table, alone), status(table, mixed)) == ("archived", "stale", "candidate")
    assert maintain(table, "archive_source", given, APPLY)["status"] == "noop"


def test_the_newer_of_two_soft_duplicates_can_take_the_place_of_the_older(table: Substrate) -> None:
    older, newer = twins(table)
    given = {
        "outcome": "supersede", "knowledge_ids": [older, newer], "canonical_knowledge_id": newer,
        "reason": "Reviewed the soft duplicate candidate and selected the newer scoped decision.",
    }  # fmt: skip
    answer = maintain(table, "resolve_duplicates", given, APPLY)
    assert (answer["outcome"], answer["resolved"], answer["status"]) == ("supersede", 2, "completed")
    assert (status(table, older), status(table, newer)) == ("superseded", "active")
    assert f"{older} is superseded" in table.refuse("maintain", "resolve_duplicates", given, APPLY)


def test_both_can_be_kept_once_they_are_told_apart(table: Substrate) -> None:
    ids = twins(table)
    given = {
        "outcome": "keep_both", "knowledge_ids": ids, "reason": "Same phrasing, but different project scopes.",
        "updates": [
            {"knowledge_id": ids[0], "scope_refs": ["scope:project-a"]},
            {"knowledge_id": ids[1], "scope_refs": ["scope:project-b"], "summary": "Project b stays on Kuzu."},
        ],
    }  # fmt: skip
    maintain(table, "resolve_duplicates", given, APPLY)
    page = table.query("page", {"id": ids[1]})["object"]
    assert (page["scope_refs"], page["summary"], page["status"]) == (
        ["scope:project-b"], "Project b stays on Kuzu.", "active",
    )  # fmt: skip
    assert maintain(table, "report")["soft_duplicate_candidates"] == []


def test_unclear_duplicates_can_be_contested(table: Substrate) -> None:
    ids = twins(table)
    maintain(table, "resolve_duplicates", {"outcome": "contest", "knowledge_ids": ids, "reason": "unclear"}, APPLY)
    assert [status(table, id) for id in ids] == ["contested", "contested"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"outcome": "supersede"}, "args.input_data.canonical_knowledge_id"),
        ({"outcome": "keep_both"}, "args.input_data.updates"),
        ({"outcome": "keep_both", "updates": [{"knowledge_id": "know:x", "summary": "s"}]}, "updates.0.knowledge_id"),
        ({"updates": [{"knowledge_id": "know:x", "summary": "s"}]}, "args.input_data.updates"),
        ({"outcome": "merge"}, "Input should be 'supersede', 'keep_both' or 'contest'"),
        ({"reason": " "}, "args.input_data.reason"),
        ({"knowledge_ids": ["know:gone", "know:other"]}, "Knowledge not found: know:gone"),
        ({"knowledge_ids": ["know:gone"]}, "at least 2 items"),
    ],
)
def test_a_resolution_that_cannot_be_is_refused(table: Substrate, change: dict[str, Any], told: str) -> None:
    given = {"outcome": "contest", "knowledge_ids": twins(table), "reason": "r", **change}
    last = table.memory.last_entry()
    assert told in table.refuse("maintain", "resolve_duplicates", given, APPLY)
    assert table.memory.last_entry() == last


def test_what_is_no_soft_duplicate_cannot_be_resolved(table: Substrate) -> None:
    ids = [twins(table)[0], table.know("Deploy on Fridays", "Releases go out on Friday mornings.")]
    told = table.refuse(
        "maintain", "resolve_duplicates", {"outcome": "contest", "knowledge_ids": ids, "reason": "r"}, APPLY
    )
    assert "not a current soft duplicate candidate" in told


def test_references_that_lead_nowhere_are_found_and_repaired(table: Substrate, source: str) -> None:
    id = claim(table, source)
    assert maintain(table, "structure")["counts"] == {"error": 0, "warning": 0, "info": 0}
    made = next(change for change in table.memory.journal(limit=100) if change.object_id == source)
    table.memory.undo(made.entry)
    (issue,) = maintain(table, "structure")["issues"]
    assert (issue["kind"], issue["object_id"], issue["ref"]) == ("missing_reference", id, source)
    answer = maintain(table, "repair", {}, APPLY)
    assert (answer["repaired"], answer["removed_references"]) == (
        1, [{"object_id": id, "field": "evidence_refs", "ref": source}],
    )  # fmt: skip
    assert set(answer["derived_indexes"]) == {"graph", "lexical", "semantic"}
    assert maintain(table, "structure")["status"] == "ok"


def test_derived_indexes_are_made_anew(table: Substrate, source: str) -> None:
    answer = maintain(table, "reindex", {}, {"graph_backend": "kuzu", "semantic_backend": "lancedb"})
    assert (answer["status"], answer["projection_count"]) == ("completed", 2)
    assert answer["engines"]["graph"] == {
        "requested": "kuzu", "serving": "recollect", "note": "the store's own relations and references",
    }  # fmt: skip
    assert [item["id"] for item in table.search("guide")] == [source]


@pytest.mark.usefixtures("source")
def test_the_audit_shows_every_id_that_answers_carry(table: Substrate) -> None:
    older, newer = twins(table)
    given = {
        "outcome": "supersede",
        "knowledge_ids": [older, newer],
        "canonical_knowledge_id": newer,
        "reason": "newer",
    }
    carried = maintain(table, "resolve_duplicates", given, APPLY)["audit_event_ids"]
    events = {event["id"]: event for event in maintain(table, "audit")["events"]}
    assert set(carried) <= set(events)
    ended = events[carried[0]]
    assert (ended["object_id"], ended["operation"], ended["actor"]) == (older, "supersede", "tester")
    assert (ended["before"]["status"], ended["after"]["status"]) == ("active", "superseded")
    assert "newer" in ended["reason"]
    assert len(maintain(table, "audit", {}, {"max_items": 2})["events"]) == 2
    assert {event["object_type"] for event in events.values()} == {"space", "source", "segment", "knowledge"}


def test_every_change_of_a_round_can_be_undone_by_its_audit_id(table: Substrate, source: str) -> None:
    ids = [claim(table, source), *twins(table)]
    before = [status(table, id) for id in ids]
    carried: list[str] = maintain(table, "cycle", {}, APPLY)["audit_event_ids"]
    given = {"outcome": "contest", "knowledge_ids": ids[1:], "reason": "unclear"}
    carried += maintain(table, "resolve_duplicates", given, APPLY)["audit_event_ids"]
    carried += maintain(table, "archive_source", {"source_id": source, "reason": "r"}, APPLY)["audit_event_ids"]
    assert len(carried) == 5
    for id in reversed(carried):
        table.memory.undo(int(id.removeprefix("aud:"), 16))
    assert [status(table, id) for id in ids] == before
    assert status(table, source) == "active"
    assert sum(event["undone"] for event in maintain(table, "audit")["events"]) == 5
