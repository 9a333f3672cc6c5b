"""Is everything that the contract asks for shown by a test, and served as its table says?"""

from __future__ import annotations

import ast
import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = Path(__file__).parents[3]
TABLES = sorted(path.name for path in HERE.glob("requirements*.py"))


def find_tests(files: tuple[str, ...]) -> Counter[str]:
    return Counter(
        node.name
        for file in files
        for node in ast.parse((HERE / file).read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


@pytest.mark.parametrize("table", TABLES)
def test_every_row_names_tests_and_every_test_is_in_a_row(table: str) -> None:
    held = runpy.run_path(str(HERE / table))
    rows, tests = held["REQUIREMENTS"], find_tests(held["FILES"])
    assert all(row.source and row.behaviour and row.tests for row in rows)
    assert {name for row in rows for name in row.tests} == set(tests)
    assert max(tests.values()) == 1


def test_the_page_and_the_snapshot_are_those_of_the_table() -> None:
    command = [sys.executable, "tools/write_contracts.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
