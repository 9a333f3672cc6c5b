"""Is everything that the contract asks for shown by a test?"""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

HERE = Path(__file__).parent
LINKS = {"test_every_row_names_tests_and_every_test_is_in_a_row"}


def test_every_row_names_tests_and_every_test_is_in_a_row() -> None:
    rows = runpy.run_path(str(HERE / "requirements.py"))["REQUIREMENTS"]
    found = {
        node.name
        for path in HERE.glob("test_*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }
    named = {name for row in rows for name in row.tests}
    assert all(row.source and row.behaviour and row.tests for row in rows)
    assert named - found == set()
    assert found - named == LINKS
