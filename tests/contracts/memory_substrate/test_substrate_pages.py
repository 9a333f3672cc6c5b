"""One object and what belongs to it: page, expand, graph and recent."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

GUIDE = "# Operations\n\nThe gateway listens on 8080.\n\n## Backups\n\nCopies are kept for thirty days.\n"


def test_a_page_is_compact_unless_all_is_asked_for(table: Any) -> None:
    id = table.know("Gateway port", "The gateway listens on 8080. " * 40)
    page = table.use("query", "page", {"id": id})
    assert (page["result_type"], page["object_type"], page["detail"]) == ("page", "knowledge", "compact")
    assert len(page["object"]["summary"]) == 360
    assert page["truncated"]["summary"] == {"returned_chars": 360, "total_chars": 1160}
    assert len(table.query("page", {"id": id}, {"snippet_chars": 40})["object"]["summary"]) == 40
    full = table.query("page", {"id": id}, {"detail": "full"})
    assert (full["detail"], len(full["object"]["summary"])) == ("full", 1160)


def test_segments_stand_beside_the_object_when_asked_for(table: Any, tmp_path: Path) -> None:
    source = table.ingest(tmp_path / "ops.md", GUIDE)
    assert "segments" not in table.query("page", {"id": source})
    page = table.query("page", {"id": source}, {"include_segments": True, "max_items": 10})
    assert [segment["segment_id"] for segment in page["segments"]] == ["seg-1", "seg-2"]
    second = page["segments"][1]
    assert set(second) == {"segment_id", "title", "locator", "hash", "excerpt"}
    assert second["locator"]["heading_path"] == ["Operations", "Backups"]
    assert second["hash"] == hashlib.sha256(second["excerpt"].encode()).hexdigest()
    assert page["object"]["metadata"]["adapter"]["mode"] == "markdown"
    assert page["object"]["metadata"]["freshness"]["is_current"] is True
    cut = table.query("page", {"id": source}, {"include_segments": True, "max_items": 1, "snippet_chars": 40})
    assert [len(segment["excerpt"]) <= 40 for segment in cut["segments"]] == [True]
    assert cut["truncated"]["segments"] == {"returned": 1, "total": 2}


def test_the_page_of_a_repo_is_never_full(table: Any, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(GUIDE, "utf-8")
    for number in range(5):
        (tmp_path / f"part{number}.py").write_text("def run() -> None:\n    return None\n", "utf-8")
    source = table.use("ingest", "repo", {"path": str(tmp_path)})["source_id"]
    full = table.use("query", "page", {"id": source}, {"detail": "full"})
    assert (full["result_type"], full["status"]) == ("page_unavailable", "unsupported")
    compact = table.query("page", {"id": source}, {"max_items": 2})
    assert compact["object"]["kind"] == "repo"
    assert len(compact["object"]["payload"]["code_index"]) == 2
    assert compact["truncated"]["payload.code_index"] == {"returned": 2, "total": 5}


def test_an_object_is_expanded_to_what_it_rests_on_and_what_rests_on_it(table: Any, tmp_path: Path) -> None:
    source = table.ingest(tmp_path / "ops.md", GUIDE)
    node = table.memory.entity("Backups").id
    evidence = [{"source_id": source, "segment_id": "seg-2"}]
    known = table.know("Retention", "Thirty days.", evidence_refs=evidence, subject_refs=[node])
    answer = table.use("query", "expand", {"id": known}, {"max_items": 10})
    assert (answer["result_type"], answer["root_id"]) == ("expanded_context", known)
    assert [(item["id"], item.get("relation")) for item in answer["items"]] == [
        (known, None), (node, "about"), (source, "supported_by"),
    ]  # fmt: skip
    (segment,) = answer["source_segments"]
    assert (segment["source_id"], segment["segment_id"]) == (source, "seg-2")
    back = table.query("expand", {"id": source}, {"snippet_chars": 40})
    assert known in [item["id"] for item in back["items"]]
    assert [segment["segment_id"] for segment in back["source_segments"]] == ["seg-1", "seg-2"]
    assert all(len(segment["excerpt"]) <= 40 for segment in back["source_segments"])
    assert "source_segments" not in table.query("expand", {"id": source}, {"include_segments": False})
    assert len(table.query("expand", {"id": known}, {"max_items": 2})["items"]) == 2


def test_a_graph_tells_where_each_edge_comes_from(table: Any) -> None:
    repo, kuzu = (table.memory.entity(name, id=f"node:{mark * 32}").id for name, mark in (("Repo", "a"), ("Kuzu", "b")))
    table.memory.relate("Repo", "ships_with", "Kuzu", replaces=False)
    claim = {"subject": repo, "predicate": "uses", "object": kuzu}
    id = table.know("Repo uses Kuzu", payload=claim, subject_refs=[repo])
    answer = table.query("graph", {"id": id}, {"max_items": 20})
    assert {node["id"] for node in answer["nodes"]} == {id, repo, kuzu, "scope:project"}
    edge = next(edge for edge in answer["edges"] if edge["relation"] == "uses")
    assert (edge["source_id"], edge["target_id"]) == (repo, kuzu)
    assert edge["relation_schema"] == {
        "version": 1, "derivation": "structured_payload", "origin_object_type": "knowledge", "origin_object_id": id,
        "origin_field": "payload.object", "source_object_type": "node", "target_object_type": "node",
    }  # fmt: skip
    around = table.query("graph", {"id": repo})
    derivations = {edge["relation_schema"]["derivation"] for edge in around["edges"]}
    assert {"canonical_relation", "structured_payload"} <= derivations
    assert {node["id"] for node in around["nodes"]} == {repo, kuzu, id}
    assert len(table.query("graph", {"id": repo}, {"max_items": 2})["nodes"]) == 2


def test_recent_objects_are_those_that_were_changed_last(table: Any, tmp_path: Path) -> None:
    first, second = table.know("First"), table.know("Second")
    source = table.ingest(tmp_path / "ops.md", GUIDE)
    table.use("remember", "promote", {"knowledge_id": first, "reason": "verified"})
    node = table.memory.entity("Gateway").id
    answer = table.use("query", "recent", {}, {"max_items": 20})
    assert answer["result_type"] == "recent"
    assert [item["id"] for item in answer["items"]] == [node, first, source, second]
    active = {"filters": {"object_type": "knowledge", "status": "active"}}
    assert [item["id"] for item in table.query("recent", {}, active)["items"]] == [first]
    of_kind = {"filters": {"kinds": ["markdown"]}}
    assert [item["id"] for item in table.query("recent", {}, of_kind)["items"]] == [source]


def test_recent_objects_are_found_behind_many_segments(table: Any, tmp_path: Path) -> None:
    known = table.know("First")
    text = "\n".join(f"## Part {number}\n\nSentence {number} of the guide.\n" for number in range(300))
    source = table.ingest(tmp_path / "long.md", text)
    assert [item["id"] for item in table.query("recent", {}, {"max_items": 5})["items"]] == [source, known]
