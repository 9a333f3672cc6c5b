"""What is refused, and in which words."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from tests.contracts.clients import Server
from tests.contracts.memory_mcp.conftest import Memories

from recollect.engine.embedding.pace import PACE
from recollect.engine.loop import Loop, keep
from recollect.types import Filter

WRONG: list[tuple[str, dict[str, object], str]] = [
    ("store_memory", {}, "content: is required"),
    ("store_memory", {"content": None}, "content: is required"),
    ("store_memory", {"content": 5}, "content: "),
    ("store_memory", {"content": "x", "memory_type": "vague"}, "memory_type: "),
    ("store_memory", {"content": "x", "metadata": "no"}, "metadata: "),
    ("store_memory", {"content": "<recollect>again</recollect>"}, "content: "),
    ("store_memory", {"content": "a\0b"}, "content: "),
    ("store_memory", {"content": "x", "user_id": "u" * 2_000}, "user_id: "),
    ("store_memory", {"content": "x", "metadata": {"a": "m" * 70_000}}, "metadata: "),
    ("store_memory", {"content": "x", "metadata": json.loads('{"a":' * 300 + "1" + "}" * 300)}, "metadata: is nested"),
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
    ("index_project", {"path": ""}, "Invalid path: "),
    ("index_project", {"path": " \n"}, "Invalid path:  "),
    ("search_code", {"query": "x", "project_id": "nowhere"}, "project_id: there is no project 'nowhere'; none is"),
    ("recall", {"query": "x", "include_code": True, "language": "cobol"}, "language: nothing is written in 'cobol'"),
]


@pytest.mark.parametrize(("tool", "arguments", "told"), WRONG)
def test_what_is_wrong_is_named(table: Memories, tool: str, arguments: dict[str, object], told: str) -> None:
    assert table.fail(tool, **arguments).startswith(told)


def test_a_project_must_be_a_folder(table: Memories, tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    file.write_text("x = 1")
    assert table.fail("index_project", path=str(file)) == f"Invalid path: {file}"
    assert table.call("delete_project", project_id="nowhere") == {"chunks_deleted": 0}


def test_indexing_that_takes_long_answers_with_the_counts_so_far(
    table: Memories, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_languages_are_known_in_any_case_and_what_is_not_there_is_told(table: Memories, tmp_path: Path) -> None:
    for name, text in (("a.py", "def pour_tea():\n    return 1\n"), ("b.rs", "fn pour_tea() -> u8 {\n    1\n}\n")):
        folder = tmp_path / "kettle"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    table.call("index_project", path=str(folder))
    asked = {"query": "pour tea", "include_code": True, "include_memories": False}
    for language, path in (("rust", "b.rs"), ("Rust", "b.rs"), (" PYTHON ", "a.py")):
        assert [hit["file_path"] for hit in table.call("recall", language=language, **asked)["results"]] == [path]
    assert table.call("recall", language="Go", **asked)["results"] == []
    told = "language: nothing is written in 'Klingon'; there is code in: python, rust"
    assert table.fail("recall", language="Klingon", **asked) == told
    told = "project_id: there is no project 'Kettle'; there are: kettle"
    assert table.fail("recall", project_id="Kettle", **asked) == told
    assert table.fail("search_code", query="tea", project_id="Kettle") == told


def test_a_project_is_completed_when_its_vectors_are(
    semantic_table: Memories, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, folder = semantic_table, tmp_path / "mill"
    monkeypatch.setattr(table.memory.semantics, "_background", Loop("idle", lambda: None, delay=600.0, failed=keep))
    folder.mkdir()
    for number in range(40):
        (folder / f"part{number}.py").write_text(f"def grind_{number}():\n    return {number}\n")
    monkeypatch.setattr("recollect.contracts.memory_mcp.code.INDEX_SECONDS", 0.0)
    table.call("index_project", path=str(folder))
    table.memory.index_project(folder)  # until its files are read
    status = table.call("get_index_status", project_id="mill")
    assert (status["status"], status["indexed_files"], status["completed_at"]) == ("indexing", 40, None)
    assert (status["progress_percent"], status["eta_seconds"]) == (10.0, None)  # nothing was measured yet
    with table.memory.core.store.write(actor="test") as edit:
        edit.keep(PACE, {"recollect-minilm-5-int8": 0.5})
    waiting = table.memory.semantics.behind(Filter(spaces=("default",), projects=("mill",), kinds=("code",))).waiting
    status = table.call("get_index_status", project_id="mill")
    assert (status["eta_seconds"], waiting > 0) == (math.ceil(waiting / 2), True)
    assert status["progress_percent"] == round(100 * (0.1 + 0.9 * (1 - waiting / status["total_chunks"])), 1)
    assert "grind_7" in table.call("search_code", query="grind_7", limit=1)["results"][0]["content"]
    table.memory.embed_waiting()
    status = table.call("get_index_status", project_id="mill")
    assert (status["status"], status["progress_percent"], status["eta_seconds"]) == ("completed", 100.0, None)
    known = table.memory.project_status("mill")
    assert known.completed_at is not None
    assert known.embedded_at is not None
    assert datetime.fromisoformat(status["completed_at"]) == known.embedded_at > known.completed_at


def test_a_small_project_is_completed_when_indexing_answers(semantic_table: Memories, tmp_path: Path) -> None:
    (tmp_path / "mill.py").write_text("def grind():\n    return 1\n")
    project = semantic_table.call("index_project", path=str(tmp_path))["project_id"]
    assert semantic_table.call("get_index_status", project_id=project)["status"] == "completed"


def test_a_store_that_fails_is_told_in_one_sentence(table: Memories) -> None:
    table.store("Tea is at five.")
    table.memory.close()
    for tool, arguments in (("list_memories", {}), ("store_memory", {"content": "x"}), ("get_status", {})):
        assert table.fail(tool, **arguments) == "Database error. Please try again."


def test_errors_reach_a_client_as_results(serve: Callable[..., Server]) -> None:
    server = serve()
    assert server.fail("get_memory", id="nowhere") == "Memory not found: nowhere"
    assert "limit" in server.fail("search", query="x", limit=51)
    assert server.call("delete_memory", id="nowhere") == {"deleted": False}
    assert server.call("invalidate", id="nowhere") == {"invalidated": False}
