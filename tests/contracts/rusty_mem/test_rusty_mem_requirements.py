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
NAMES = ["search", "push", "summarize", "get-collections", "new-collection", "metrics"]


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
    assert reads == {"search", "get-collections", "metrics"}
    assert all(tool.annotations.idempotent and not tool.annotations.destructive for tool in tools)
    assert all(set(tool.input_schema()) <= {"type", "properties", "required"} for tool in tools)
