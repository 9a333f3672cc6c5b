"""What is refused, and in which words."""

from __future__ import annotations

import pytest

WRONG = [
    ("store_memory", {}, "content: is required"),
    ("store_memory", {"content": None}, "content: is required"),
    ("store_memory", {"content": 5}, "content: "),
    ("store_memory", {"content": "x", "memory_type": "vague"}, "memory_type: "),
    ("store_memory", {"content": "x", "metadata": "no"}, "metadata: "),
    ("store_memory", {"content": "<recollect>again</recollect>"}, "content: "),
    ("store_memory", {"content": "a\0b"}, "content: "),
    ("store_memory", {"content": "x", "user_id": "u" * 2_000}, "user_id: "),
    ("store_memory", {"content": "x", "metadata": {"a": "m" * 70_000}}, "metadata: "),
    ("get_memory", {}, "id: is required"),
    ("get_memory", {"id": "nowhere"}, "Memory not found: nowhere"),
    ("get_memory", {"id": ""}, "Memory not found: "),
    ("update_memory", {"id": "nowhere", "content": "x"}, "Memory not found: nowhere"),
    ("list_memories", {"limit": 0}, "limit: "),
    ("list_memories", {"limit": 101}, "limit: "),
    ("list_memories", {"offset": -1}, "offset: "),
    ("search", {"query": "x", "limit": 51}, "limit: "),
    ("search_text", {"query": "x", "limit": 0}, "limit: "),
    ("search_text", {"query": "  "}, "query: "),
    ("recall", {"query": "x", "limit": 51}, "limit: "),
    ("recall", {"query": "x", "vector_weight": -1}, "vector_weight: "),
    ("create_entity", {"name": ""}, "name: "),
    ("create_entity", {"name": "Ana", "entity_type": "a\nb"}, "entity_type: "),
    ("recall", {"query": "x", "bm25_weight": -1}, "bm25_weight: "),
    ("get_index_status", {"project_id": ""}, "Project not found: "),
    ("get_related", {"entity_id": "x", "depth": 4}, "depth: "),
    ("get_related", {"entity_id": "x", "depth": 0}, "depth: "),
    ("get_related", {"entity_id": "x", "direction": "up"}, "direction: "),
    ("get_valid", {"limit": 101}, "limit: "),
    ("get_valid_at", {"timestamp": "2026-01-06T12:00:00Z", "limit": 0}, "limit: "),
    ("search_code", {"query": "x", "limit": 51}, "limit: "),
    ("get_index_status", {"project_id": "nowhere"}, "Project not found: nowhere"),
    ("index_project", {"path": "/nowhere/at/all"}, "Invalid path: /nowhere/at/all"),
]


@pytest.mark.parametrize(("tool", "arguments", "told"), WRONG)
def test_what_is_wrong_is_named(table, tool: str, arguments: dict[str, object], told: str) -> None:
    assert table.fail(tool, **arguments).startswith(told)


def test_a_project_must_be_a_folder(table, tmp_path) -> None:
    file = tmp_path / "file.py"
    file.write_text("x = 1")
    assert table.fail("index_project", path=str(file)) == f"Invalid path: {file}"
    assert table.call("delete_project", project_id="nowhere") == {"chunks_deleted": 0}


def test_indexing_that_takes_long_answers_with_the_counts_so_far(table, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("recollect.contracts.memory_mcp.code.INDEX_SECONDS", 0.0)
    folder = tmp_path / "slow"
    folder.mkdir()
    for number in range(30):
        (folder / f"part{number}.py").write_text(f"def part_{number}():\n    return {number}\n")
    answered = table.call("index_project", path=str(folder))
    assert answered["project_id"] == "slow"
    assert answered["files_indexed"] <= 30
    table.memory.index_project(folder)  # waits for what goes on in the background
    status = table.call("get_index_status", project_id="slow")
    assert (status["status"], status["indexed_files"], status["progress_percent"]) == ("completed", 30, 100.0)


def test_a_store_that_fails_is_told_in_one_sentence(table) -> None:
    table.store("Tea is at five.")
    table.memory.close()
    for tool, arguments in (("list_memories", {}), ("store_memory", {"content": "x"}), ("get_status", {})):
        assert table.fail(tool, **arguments) == "Database error. Please try again."


def test_errors_reach_a_client_as_results(serve) -> None:
    server = serve()
    assert server.fail("get_memory", id="nowhere") == "Memory not found: nowhere"
    assert "limit" in server.fail("search", query="x", limit=51)
    assert server.call("delete_memory", id="nowhere") == {"deleted": False}
    assert server.call("invalidate", id="nowhere") == {"invalidated": False}
