"""Is everything that the contract asks for shown by a test, and served as its table says?"""

from __future__ import annotations

import ast
import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
ROOT = Path(__file__).parents[3]
LINKS = {"test_every_row_names_tests_and_every_test_is_in_a_row"}
NAMES = """store_memory get_memory update_memory delete_memory list_memories search search_text recall create_entity
create_relation get_related get_valid get_valid_at invalidate index_project search_code get_index_status list_projects
delete_project get_status reset_all_memory""".split()


def find_tests() -> Counter[str]:
    return Counter(
        node.name
        for path in HERE.glob("test_*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def test_every_row_names_tests_and_every_test_is_in_a_row() -> None:
    rows = runpy.run_path(str(HERE / "requirements.py"))["REQUIREMENTS"]
    named = {name for row in rows for name in row.tests}
    assert all(row.source and row.behaviour and row.tests for row in rows)
    assert named - set(find_tests()) == set()
    assert set(find_tests()) - named == LINKS
    assert max(find_tests().values()) == 1


def test_the_page_and_the_snapshot_are_those_of_the_table() -> None:
    command = [sys.executable, "tools/write_contracts.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_tools_are_these_in_this_order(table) -> None:
    tools = table.contract.tools
    assert [tool.name for tool in tools] == NAMES
    reads = {tool.name for tool in tools if tool.annotations.read_only}
    assert reads == {name for name in NAMES if name.startswith(("get_", "list_", "search", "recall"))}
    removes = {tool.name for tool in tools if tool.annotations.destructive}
    assert removes == {"delete_memory", "delete_project", "reset_all_memory"}


def test_structured_content_says_the_same_as_the_text(serve) -> None:
    server = serve()
    result = server.ask("tools/call", name="list_projects", arguments={})
    assert result["content"] == [{"type": "text", "text": '{"projects":[],"count":0}'}]
    assert result.get("structuredContent", {"projects": [], "count": 0}) == {"projects": [], "count": 0}


def test_the_status_loads_nothing(semantic_table) -> None:
    table = semantic_table
    assert table.call("get_status")["embedding"] == {
        "status": "ready", "model": "recollect-minilm-1-int8", "dimensions": 384,
        "cache_stats": {"hits": 0, "misses": 0, "size": 0},
    }  # fmt: skip
    assert table.memory.embedding().state == "idle"
    table.store("Tea is at five.")
    table.call("search", query="tea")
    assert table.memory.embedding().state == "ready"
