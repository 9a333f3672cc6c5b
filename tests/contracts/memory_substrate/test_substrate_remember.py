"""What is written by memory_remember, and which rules it obeys."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from recollect import Memory
from recollect.engine.parse import parse_time

GOVERNED = {"reason": "It guides later work.", "memory_source": "user_declared", "scope_refs": ["scope:project"]}
TEXT = "# Guide\n\nThe project is written in Python.\n\n## Tools\n\nRuff checks it.\n"


def fact(**more: Any) -> dict[str, Any]:
    return {"kind": "fact", "title": "Repo uses Python", "summary": "Primary language is Python.", **GOVERNED, **more}


def claim(value: Any, **more: Any) -> dict[str, Any]:
    node = f"node:{'a' * 32}"
    return fact(payload={"subject": node, "predicate": "primary_language", "value": value, "object": None}, **more)


def test_knowledge_as_the_contract_shows_it(table: Any, tmp_path: Path) -> None:
    source = table.ingest(tmp_path / "guide.md", TEXT)
    node = f"node:{'b' * 32}"
    given = claim(
        "python", reason="The detected language changes future repository work.", memory_source="agent_inferred",
        subject_refs=[node], evidence_refs=[{"source_id": source, "segment_id": "seg-1"}], confidence=0.8,
    )  # fmt: skip
    given["payload"]["metadata"] = {}
    answer = table.use("remember", "knowledge", given)
    id = answer["knowledge_id"]
    assert re.fullmatch(r"know:[0-9a-f]{32}", id)
    assert re.fullmatch(r"patch:[0-9a-f]{32}", answer.pop("patch_id"))
    (audit,) = answer.pop("audit_event_ids")
    assert re.fullmatch(r"aud:[0-9a-f]{32}", audit)
    assert answer == {
        "result_type": "remember_result", "object_type": "knowledge", "object_id": id, "knowledge_id": id,
        "status": "candidate", "applied_operations": 1, "projection_count": 1, "possible_duplicates": [],
    }  # fmt: skip
    page = table.query("page", {"id": id}, {"detail": "full"})["object"]
    assert page["evidence_refs"][0]["source_id"] == source
    assert (page["confidence"], page["subject_refs"], page["memory_source"]) == (0.8, [node], "agent_inferred")
    assert page["payload"]["value"] == "python"


def test_an_activity_and_a_work_item_as_the_contract_shows_them(table: Any, tmp_path: Path) -> None:
    source = table.ingest(tmp_path / "guide.md", TEXT)
    node = f"node:{'b' * 32}"
    activity = {"kind": "research", "title": "Repo walkthrough", "summary": "Captured reusable findings.", **GOVERNED}
    done = table.use("remember", "activity", {**activity, "source_refs": [source], "related_node_refs": [node]})
    assert (done["object_type"], done["status"]) == ("activity", "finalized")
    assert re.fullmatch(r"act:[0-9a-f]{32}", done["activity_id"])
    task = {"kind": "task", "title": "Review repo", "summary": "Track next step.", **GOVERNED, "source_refs": [source]}
    work = table.use("remember", "work_item", task)
    assert (work["object_id"], work["status"]) == (work["work_item_id"], "open")
    shown = table.query("page", {"id": work["object_id"]})["object"]
    assert (shown["kind"], shown["priority"], shown["source_refs"]) == ("task", "medium", [source])
    shown = table.query("page", {"id": done["object_id"]})["object"]
    assert (shown["kind"], shown["related_node_refs"], shown["status"]) == ("research", [node], "finalized")


def test_knowledge_is_a_candidate_without_confidence_unless_told(table: Any) -> None:
    id = table.use("remember", "knowledge", fact())["object_id"]
    shown = table.query("page", {"id": id})["object"]
    assert (shown["status"], shown["confidence"], shown["scope_refs"]) == ("candidate", 0.0, ["scope:project"])
    assert shown["reason"] == GOVERNED["reason"]


def test_what_an_agent_inferred_is_a_candidate_and_active_needs_evidence(table: Any, tmp_path: Path) -> None:
    source = table.ingest(tmp_path / "guide.md", TEXT)
    evidence = [{"source_id": source, "segment_id": "seg-1"}]
    inferred = fact(status="active", memory_source="agent_inferred", evidence_refs=evidence)
    assert table.use("remember", "knowledge", inferred)["status"] == "candidate"
    told = table.refuse("remember", "knowledge", fact(status="active", memory_source="imported"))
    assert "args.input_data.evidence_refs" in told
    assert table.use("remember", "knowledge", fact(status="active"))["status"] == "active"


def test_the_same_claim_is_rejected_and_the_one_that_stands_is_named(table: Any) -> None:
    first = table.use("remember", "knowledge", claim("python"))["object_id"]
    told = table.refuse("remember", "knowledge", claim("python", title="Again", summary="Said again."))
    assert "args.input_data.payload\n" in told
    assert "duplicate" in told
    assert first in told
    elsewhere = claim("python", scope_refs=["scope:other"])
    assert table.use("remember", "knowledge", elsewhere)["status"] == "candidate"


def test_another_value_for_the_same_subject_and_predicate_is_contested(table: Any) -> None:
    first = table.use("remember", "knowledge", claim("python"))["object_id"]
    second = table.use("remember", "knowledge", claim("rust"))
    assert (second["status"], second["conflicts_with"]) == ("contested", [first])
    edges = table.query("graph", {"id": second["object_id"]})["edges"]
    assert (first, "conflicts_with") in [(edge["target_id"], edge["relation"]) for edge in edges]


def test_similar_plain_knowledge_is_stored_and_told(table: Any) -> None:
    title = "Use Kuzu as the local graph backend"
    summary = "Kuzu is the selected local graph backend for lightweight prototypes."
    first = table.know(title, summary, kind="decision")
    given = {"kind": "decision", "title": "Kuzu remains the local graph backend", **GOVERNED, "payload": {}}
    given["summary"] = "The local prototype graph backend should stay on Kuzu."
    (alike,) = table.use("remember", "knowledge", given)["possible_duplicates"]
    assert alike.pop("score") >= 0.5
    assert alike == {
        "object_id": first, "reasons": ["title_overlap", "summary_overlap", "same_kind"], "title": title,
        "kind": "decision", "status": "candidate",
    }  # fmt: skip
    again = table.use("remember", "knowledge", given)
    assert len({first, again["object_id"], again["possible_duplicates"][0]["object_id"]}) == 3


def test_evidence_is_checked_down_to_locator_and_hash(table: Any, tmp_path: Path) -> None:
    source = table.ingest(tmp_path / "guide.md", TEXT)
    segment = table.query("page", {"id": source}, {"include_segments": True})["segments"][1]
    right = {"source_id": source, "segment_id": "seg-2", "locator": {"kind": "line", "line": 6}}
    table.use("remember", "knowledge", fact(evidence_refs=[{**right, "hash": segment["hash"]}]))
    wrong = [
        {"source_id": f"src:{'0' * 32}", "segment_id": "seg-1"},
        {"source_id": source, "segment_id": "seg-9"},
        {**right, "locator": {"kind": "line", "line": 99}},
        {**right, "hash": "0" * 64},
    ]
    for ref in wrong:
        told = table.refuse("remember", "knowledge", fact(evidence_refs=[right, ref]))
        assert "args.input_data.evidence_refs.1\n" in told
        assert ref["source_id"] in told
    assert len(table.query("recent", {}, {"filters": {"object_type": "knowledge"}})["items"]) == 1


def test_knowledge_is_promoted_contested_and_superseded(table: Any) -> None:
    old, new = table.know("Deploys happen on Mondays"), table.know("Deploys happen on Tuesdays")
    promoted = table.use("remember", "promote", {"knowledge_id": old, "reason": "verified"})
    assert (promoted["object_id"], promoted["status"], promoted["applied_operations"]) == (old, "active", 1)
    assert table.query("page", {"id": old})["object"]["last_verified_at"]
    contested = table.use("remember", "contest", {"knowledge_id": old, "reason": "conflicting source found"})
    assert contested["status"] == "contested"
    given = {"old_knowledge_id": old, "new_knowledge_id": new, "reason": "new evidence"}
    done = table.use("remember", "supersede", given)
    assert (done["old_knowledge_id"], done["new_knowledge_id"], done["old_status"]) == (old, new, "superseded")
    assert (done["object_id"], done["status"]) == (new, "active")
    assert table.query("page", {"id": old})["object"]["superseded_by"] == new
    assert [item["id"] for item in table.search("when do deploys happen")] == [new]


def test_a_lifecycle_write_needs_a_reason_and_knowledge_that_is_there(table: Any) -> None:
    id, missing = table.know("Deploys happen on Mondays"), f"know:{'0' * 32}"
    told = table.refuse("remember", "promote", {"knowledge_id": missing, "reason": "verified"})
    assert told.endswith(f"Knowledge not found: {missing}")
    assert "args.input_data.reason" in table.refuse("remember", "contest", {"knowledge_id": id, "reason": "  "})
    given = {"old_knowledge_id": id, "new_knowledge_id": id, "reason": "r"}
    assert "args.input_data.new_knowledge_id" in table.refuse("remember", "supersede", given)
    inferred = table.know("Deploys are slow", memory_source="agent_inferred")
    told = table.refuse("remember", "promote", {"knowledge_id": inferred, "reason": "verified"})
    assert f"args.input_data.knowledge_id\n  {inferred}: an active record needs evidence" in told


def test_a_batch_stores_all_entries(table: Any) -> None:
    entries = [
        {"mode": "knowledge", "input_data": claim(True, confidence=0.7)},
        {"mode": "work_item", "input_data": {**fact(), "kind": "task"}},
        {"mode": "activity", "input_data": {**fact(), "kind": "research"}},
    ]
    answer = table.use("remember", "batch", {"entries": entries})
    assert (answer["status"], answer["created"]) == ("completed", 3)
    assert [result["object_type"] for result in answer["results"]] == ["knowledge", "work_item", "activity"]
    assert len({result["patch_id"] for result in answer["results"]}) == 3


def test_a_batch_with_one_bad_entry_stores_nothing(table: Any) -> None:
    missing = [{"source_id": f"src:{'0' * 32}", "segment_id": "seg-1"}]
    good = {"mode": "knowledge", "input_data": fact()}
    refused = {"mode": "knowledge", "input_data": fact(evidence_refs=missing)}
    told = table.refuse("remember", "batch", {"entries": [good, refused]})
    assert "args.input_data.entries.1.input_data.evidence_refs.0\n" in told
    twice = [{"mode": "knowledge", "input_data": claim(1)}] * 2
    assert "args.input_data.entries.1.input_data.payload\n" in table.refuse("remember", "batch", {"entries": twice})
    unfit = [good, {"mode": "knowledge", "input_data": {"kind": "fact"}}, {"mode": "work_item", "input_data": {}}]
    told = table.refuse("remember", "batch", {"entries": unfit})
    assert "args.input_data.entries.1.input_data.title\n  Field required" in told
    assert "args.input_data.entries.2.input_data.kind\n  Field required" in told
    assert table.query("recent")["items"] == []


def test_a_batch_takes_only_entries_that_create(table: Any) -> None:
    entry = {"mode": "promote", "input_data": {"knowledge_id": "know:1", "reason": "r"}}
    told = table.refuse("remember", "batch", {"entries": [entry]})
    assert "args.input_data.entries.0.mode\n  Input should be 'activity', 'knowledge' or 'work_item'" in told
    assert table.use("remember", "batch", {"entries": []}) == {
        "result_type": "remember_batch_result", "status": "noop", "created": 0, "results": [],
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["source", "document", "activity", "work_item"])
def test_knowledge_cannot_be_of_a_kind_that_is_another_object(table: Any, kind: str) -> None:
    assert "args.input_data.kind\n" in table.refuse("remember", "knowledge", fact(kind=kind))


def test_blank_and_overlong_words_are_refused_where_they_stand(table: Any) -> None:
    assert "args.input_data.title\n  Input should not be blank" in table.refuse(
        "remember", "knowledge", fact(title=" ")
    )
    told = table.refuse("remember", "knowledge", fact(title="x" * 1001))
    assert "args.input_data.title\n  String should have at most 1000 characters" in told
    told = table.refuse("remember", "knowledge", fact(summary="nul \0 inside"))
    assert "args.input_data.summary\n" in told
    told = table.refuse(
        "remember", "knowledge", fact(valid_from="2026-05-02T00:00:00Z", valid_until="2026-05-01T00:00:00Z")
    )
    assert "args.input_data.valid_until\n" in told


def test_audit_ids_are_journal_entries_that_can_be_undone(table: Any, memory: Memory) -> None:
    id = table.know("Deploys happen on Mondays")
    answer = table.use("remember", "promote", {"knowledge_id": id, "reason": "verified"})
    entry = int(answer["audit_event_ids"][0].removeprefix("aud:"), 16)
    assert answer["patch_id"] == f"patch:{entry:032x}"
    change = next(change for change in memory.journal() if change.entry == entry)
    assert (change.object_id, change.verb, change.reason, change.actor) == (id, "promote", "verified", "tester")
    memory.undo(entry)
    assert table.query("page", {"id": id})["object"]["status"] == "candidate"


def test_an_actor_that_is_named_is_the_one_in_the_journal(table: Any, memory: Memory) -> None:
    table.use("remember", "knowledge", fact(actor={"type": "user", "id": "ana"}))
    assert memory.journal(limit=1)[0].actor == "user:ana"


def test_a_date_stands_for_its_midnight(table: Any) -> None:
    id = table.know("It held", valid_from="2026-01-01", valid_until="2026-02-01T00:00:00+01:00")
    held = table.query("page", {"id": id})["object"]
    assert (held["valid_from"], held["valid_until"]) == ("2026-01-01T00:00:00Z", "2026-01-31T23:00:00Z")
    task = table.use("remember", "work_item", fact(due_at="2026-03-01"))["object_id"]
    assert table.query("page", {"id": task})["object"]["due_at"] == "2026-03-01T00:00:00+00:00"
    told = table.refuse("remember", "activity", fact(started_at="some day"))
    assert "args.input_data.started_at\n  Input should be a time such as" in told


def test_a_month_and_words_name_a_time_as_everywhere(table: Any) -> None:
    id = table.know("It held", valid_from="2001-03", valid_until="last year")
    held = table.query("page", {"id": id})["object"]
    for name, given in (("valid_from", "2001-03"), ("valid_until", "last year")):
        assert parse_time(held[name], name) == parse_time(given, name)


def test_the_reason_of_a_write_stands_in_the_journal(table: Any) -> None:
    claim = {"subject": "node:repo", "predicate": "language"}
    first = table.use("remember", "knowledge", fact(reason="It was\nseen.", payload={**claim, "value": "go"}))
    second = table.use("remember", "knowledge", fact(reason="It was said.", payload={**claim, "value": "c"}))
    task = {"mode": "work_item", "input_data": fact(reason="Somebody must.")}
    table.use("remember", "batch", {"entries": [task]})
    events = table.use("maintain", "audit", {}, {"max_items": 3})["events"]
    assert [event["reason"] for event in reversed(events)] == [
        "It was seen.",
        f"It was said. (contradicts {first['object_id']})",
        "Somebody must.",
    ]
    assert second["conflicts_with"] == [first["object_id"]]
    assert "args.input_data.reason\n" in table.refuse("remember", "knowledge", fact(reason="nul \0 inside"))


def test_references_of_work_items_are_kept_and_followed(table: Any) -> None:
    known, other = table.know("Deploys happen on Mondays"), f"src:{'0' * 32}"
    task = {**fact(), "kind": "task", "related_knowledge_refs": [known], "source_refs": [other], "status": "resolved"}
    id = table.use("remember", "work_item", task)["object_id"]
    shown = table.query("page", {"id": id})["object"]
    assert (shown["related_knowledge_refs"], shown["source_refs"], shown["status"]) == ([known], [other], "resolved")
    assert [node["id"] for node in table.query("graph", {"id": id})["nodes"]] == [id, known, "scope:project"]
    found = table.query("recent", {}, {"filters": {"status": "resolved"}})["items"]
    assert [item["id"] for item in found] == [id]
    assert json.dumps(found).count("resolved") == 1
