"""Does memory_ingest capture evidence as its document says, and decide nothing?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.contracts.memory_substrate.conftest import Substrate

WARNING = (
    "Repository contains local/agent state entries that may not belong in memory: .codex, .worktrees. They are excluded"
    " from the clean repo ingest unless options.force=true is used."
)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "concept-repo"
    (root / "src").mkdir(parents=True)
    (root / "README.md").write_text(
        "# Concept Repo\n\nContext Pack is what agents load first.\n\n"
        "## Context Pack\n\nThe Context Pack holds decisions.\n\n## Current Todo\n\nNothing.\n"
    )
    (root / "src" / "main.py").write_text("import os\n\n\nclass Pack:\n    def build(self):\n        return {}\n")
    return root


@pytest.fixture
def unclean(repo: Path) -> Path:
    (repo / ".codex").mkdir()
    (repo / ".codex" / "session.json").write_text("{}")
    (repo / ".worktrees").mkdir()
    return repo


def ingest(table: Substrate, repo: Path, *, force: bool | None = None, **given: Any) -> Any:
    return table.use("ingest", "repo", {"path": str(repo), **given}, None if force is None else {"force": force})


def test_a_clean_repository_is_captured(table: Substrate, repo: Path) -> None:
    answer = ingest(table, repo, exclude_patterns=[".codex", ".worktrees"])
    assert (answer["result_type"], answer["status"]) == ("repo_ingest_result", "completed")
    assert answer["requires_decision"] is False
    assert answer["applied_operations"] == len(answer["audit_event_ids"]) > 0
    assert answer["patch_id"].removeprefix("patch:") == answer["audit_event_ids"][0].removeprefix("aud:")
    assert (answer["pending_decisions"], answer["excluded_by_preflight"], answer["warnings"]) == ([], [], [])
    assert answer["node_ids"][0].startswith("node:")


def test_state_of_agents_is_left_out_until_somebody_decides(table: Substrate, unclean: Path) -> None:
    answer = ingest(table, unclean)
    assert (answer["status"], answer["requires_decision"]) == ("completed_with_pending_decisions", True)
    assert answer["excluded_by_preflight"] == answer["suggested_exclude_patterns"] == [".codex", ".worktrees"]
    assert answer["pending_decisions"][0] == {
        "path": ".codex",
        "kind": "local_agent_state",
        "reason": "Repository contains local/agent state that may not belong in durable memory.",
        "suggested_action": "exclude",
    }
    assert answer["warnings"] == [WARNING]
    source = table.memory.get(answer["source_id"])
    assert source is not None
    assert source.metadata["payload"]["top_level_entries"] == ["README.md", "src"]  # type: ignore[index,call-overload]


def test_an_unchanged_repository_is_a_noop_where_its_preflight_passes(table: Substrate, unclean: Path) -> None:
    pending, last = ingest(table, unclean), table.memory.last_entry()
    again = ingest(table, unclean)
    assert (again["status"], again["applied_operations"]) == ("completed_with_pending_decisions", 0)
    assert (again["reason"], table.memory.last_entry()) == ("repo_fingerprint_unchanged", last)
    assert ingest(table, unclean, exclude_patterns=[".worktrees", ".codex"])["status"] == "completed"
    noop = ingest(table, unclean, exclude_patterns=[".codex", ".worktrees"])
    assert {name: noop[name] for name in (
        "result_type", "status", "requires_decision", "patch_id", "source_id", "applied_operations", "audit_event_ids",
        "projection_count", "reason", "pending_decisions", "excluded_by_preflight", "suggested_exclude_patterns",
        "warnings",
    )} == {
        "result_type": "repo_ingest_result", "status": "noop", "requires_decision": False, "patch_id": None,
        "source_id": pending["source_id"], "applied_operations": 0, "audit_event_ids": [], "projection_count": 0,
        "reason": "repo_fingerprint_unchanged", "pending_decisions": [], "excluded_by_preflight": [],
        "suggested_exclude_patterns": [], "warnings": [],
    }  # fmt: skip


def test_other_patterns_are_no_noop(table: Substrate, repo: Path) -> None:
    ingest(table, repo)
    assert ingest(table, repo, exclude_patterns=["docs"])["status"] == "completed"
    assert ingest(table, repo, include_patterns=["*.md"])["counts"]["code_files"] == 0


def test_state_of_agents_is_taken_in_when_forced(table: Substrate, unclean: Path) -> None:
    answer = ingest(table, unclean, force=True)
    assert (answer["status"], answer["requires_decision"]) == ("completed", False)
    assert answer["suggested_exclude_patterns"] == [".codex", ".worktrees"]
    assert "force=true was used" in answer["warnings"][0]


def test_the_map_has_the_indexes_of_the_document(table: Substrate, repo: Path) -> None:
    page = table.query("page", {"id": ingest(table, repo)["source_id"]}, {"max_items": 10})
    payload = page["object"]["payload"]
    assert [one["path"] for one in payload["code_index"]] == ["src/main.py"]
    assert {"language", "line_count", "hash"} <= payload["code_index"][0].keys()
    (module,) = payload["code_modules"]
    assert (module["imports"], module["classes"], module["functions"]) == (["os"], ["Pack"], ["Pack.build"])
    assert module["symbols"][0] == {"name": "Pack", "kind": "class", "line_start": 4, "line_end": 6}
    assert [one["path"] for one in payload["doc_index"]] == ["README.md"]
    section = payload["document_sections"][1]
    assert (section["heading"], section["heading_path"]) == ("Context Pack", ["Concept Repo", "Context Pack"])
    assert section["locator"] == {"kind": "line", "path": "README.md", "line_start": 5, "line_end": 7}


def test_adapter_and_freshness_say_how_evidence_was_captured(table: Substrate, repo: Path) -> None:
    metadata = table.query("page", {"id": ingest(table, repo)["source_id"]})["object"]["metadata"]
    assert set(metadata["adapter"]) == {
        "name", "version", "mode", "supported_modes", "declared_transformations", "default_privacy_class",
        "origin_classification",
    }  # fmt: skip
    assert set(metadata["freshness"]) == {"checked_at", "is_current", "fingerprint"}


def test_terms_that_may_deserve_a_memory_are_told_in_brief(table: Substrate, repo: Path) -> None:
    answer = ingest(table, repo)
    told = answer["memory_suggestions"]
    (candidate,) = told["concept_candidates"]
    assert candidate["suggested_memory"] == {
        "mode": "knowledge", "kind": "concept", "status": "candidate",
        "input_data_available_from": "memory_maintain report",
    }  # fmt: skip
    assert (candidate["title"], candidate["detail"], candidate["candidate_type"]) == (
        "Context Pack",
        "compact",
        "concept",
    )
    assert candidate["evidence_refs"][0] == {"source_id": answer["source_id"], "segment_id": "seg-1"}
    assert set(candidate) == {
        "kind", "detail", "candidate_type", "title", "score", "occurrences", "ranking_signals", "evidence_refs",
        "evidence_ref_count", "object_ref_count", "suggested_memory", "review_guidance", "omitted_fields",
        "next_actions",
    }  # fmt: skip
    assert told["candidate_diagnostics"] == {
        "skipped": [{"title": "Current Todo", "reason": "document_artifact", "occurrences": 1}],
        "counts": {"skipped": 1, "eligible": 1, "returned": 1},
    }
    assert told["counts"] == {"concept_candidates": 1, "concept_candidates_available": 1}
    assert told["next_actions"] == [
        "review_concept_candidates",
        "run_memory_maintain_report_for_cross_source_candidates",
        "call_memory_remember_if_durable",
    ]


def test_ingest_hands_over_to_the_agent(table: Substrate, repo: Path) -> None:
    answer = ingest(table, repo)
    handoff = answer["memory_suggestions"]["agent_extraction"]
    assert (handoff["protocol"], handoff["source_id"], handoff["resource"]) == (
        "agent_extraction.v1", answer["source_id"], "memory://agent-playbook",
    )  # fmt: skip
    assert handoff["required_steps"] == [
        "inspect_source", "query_existing_memory", "prepare_durable_candidates", "commit_reviewed_memory",
    ]  # fmt: skip
    assert table.query("recent", {}, {"filters": {"object_type": "knowledge"}})["items"] == []


@pytest.mark.parametrize("mode", ["file", "markdown"])
def test_a_file_is_captured_in_segments_with_locators(table: Substrate, tmp_path: Path, mode: str) -> None:
    path = tmp_path / "guide.md"
    path.write_text("---\ntitle: Guide\n---\n\n# Guide\n\nOpening.\n\n## Install\n\nRun it.\n")
    answer = table.use("ingest", mode, {"path": str(path)})
    assert (answer["result_type"], answer["status"], answer["warnings"]) == ("source_ingest_result", "completed", [])
    assert table.use("ingest", mode, {"path": str(path)})["status"] == "noop"
    page = table.query("page", {"id": answer["source_id"]}, {"include_segments": True, "max_items": 10})
    assert len(page["segments"]) == answer["segment_count"]
    if mode == "markdown":
        install = page["segments"][-1]["locator"]
        assert (install["heading_path"], install["line_start"], install["line_end"]) == (["Guide", "Install"], 9, 11)


def test_a_conversation_is_captured_message_by_message(table: Substrate) -> None:
    message = {
        "role": "user", "content": "Remember that project X uses Kuzu.", "name": "optional-speaker",
        "created_at": "2026-04-28T00:00:00+00:00", "metadata": {},
    }  # fmt: skip
    given = {
        "title": "Memory design discussion",
        "messages": [message],
        "origin": {"host": "codex", "project": "memory-substrate"},
    }
    answer = table.use("ingest", "conversation", given)
    assert (answer["segment_count"], answer["source_kind"]) == (1, "conversation")
    assert answer["source_id"] == table.use("ingest", "conversation", given)["source_id"]
    assert table.memory.segments(answer["source_id"])[0].text == message["content"]


def test_a_conversation_that_was_forgotten_stays_so_when_it_is_captured_again(table: Substrate) -> None:
    said = [{"role": "user", "content": text, "created_at": f"2026-04-28T00:00:0{n}+00:00"}
            for n, text in enumerate(("Project X uses Kuzu.", "And Redis."))]  # fmt: skip
    given = {"title": "Design", "messages": said}
    source = table.use("ingest", "conversation", given)["source_id"]
    for left in (["And Redis."], []):
        table.memory.forget(table.memory.segments(source)[0].id)
        again = table.use("ingest", "conversation", given)
        assert [one.text for one in table.memory.list(kinds=["message"])] == left
        assert (again["source_id"], again["status"], again["warnings"]) == (
            source, "noop", [f"Forgotten here, and left out: {2 - len(left)}."],
        )  # fmt: skip


def test_a_page_of_a_private_address_is_refused(table: Substrate) -> None:
    assert "127.0.0.1" in table.refuse("ingest", "web", {"url": "http://127.0.0.1:1/page"})


@pytest.mark.parametrize(
    ("mode", "given", "options", "told"),
    [
        ("repo", {}, None, "args.input_data.path\n  Field required"),
        ("repo", {"path": "/nowhere/at/all"}, None, "/nowhere/at/all"),
        ("repo", {"path": "/tmp", "exclude_patterns": ["./"]}, None, "args.input_data.exclude_patterns.0"),
        ("repo", {"path": "/tmp", "root": "/"}, None, "args.input_data.root\n  Extra inputs are not permitted"),
        ("file", {"path": "/tmp/x"}, {"force": True}, "args.options.force\n  Extra inputs are not permitted"),
        ("pdf", {"path": "/nowhere/at/all.pdf"}, None, "/nowhere/at/all.pdf"),
        ("web", {"url": "ftp://example.com"}, None, "args.input_data.url"),
        ("conversation", {"title": "T", "messages": []}, None, "args.input_data.messages"),
        ("conversation", {"title": "T", "messages": [{"role": "user"}]}, None, "messages.0.content\n  Field required"),
        ("folder", {}, None, "Unsupported memory_ingest mode: folder"),
    ],
)
def test_a_wrong_ingest_says_what_is_wrong(table: Substrate, mode: str, given: Any, options: Any, told: str) -> None:
    assert told in table.refuse("ingest", mode, given, options)


def test_long_lists_of_an_answer_are_cut_and_counted(table: Substrate, tmp_path: Path) -> None:
    root = tmp_path / "large"
    root.mkdir()
    for at in range(120):
        (root / f"m{at}.py").write_text(f"x = {at}\n")
    answer = ingest(table, root)
    assert len(answer["audit_event_ids"]) == 100
    assert answer["applied_operations"] == 100 + answer["audit_event_ids_omitted"]
