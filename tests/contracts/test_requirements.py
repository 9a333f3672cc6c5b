"""Is everything that a contract asks for shown by a test, and does every test of it show something?"""

from __future__ import annotations

import ast
import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.contracts.requirement import Requirement

HERE = Path(__file__).parent
TESTS, ROOT = HERE.parent, HERE.parents[1]
CONTRACTS = sorted({path.parent.name for path in HERE.glob("*/requirements*.py")})


def find_tests(*files: Path) -> Counter[str]:
    return Counter(
        node.name
        for file in files
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def rows_of(contract: str) -> list[Requirement]:
    tables = sorted((HERE / contract).glob("requirements*.py"))
    return [row for table in tables for row in runpy.run_path(str(table))["REQUIREMENTS"]]


@pytest.mark.parametrize("contract", CONTRACTS)
def test_every_row_names_tests_and_every_test_is_in_a_row(contract: str) -> None:
    rows, own = rows_of(contract), find_tests(*(HERE / contract).glob("test_*.py"))
    assert all(row.source and row.behaviour and row.tests for row in rows)
    named = {name for row in rows for name in row.tests}
    assert {name for name in named if "::" not in name} == set(own)
    assert max(own.values()) == 1
    elsewhere = [name.split("::") for name in named if "::" in name]
    assert [name for file, name in elsewhere if name not in find_tests(TESTS / file)] == []


@pytest.mark.parametrize("contract", CONTRACTS)
def test_no_requirement_is_stated_twice(contract: str) -> None:
    stated = [(row.source, row.behaviour) for row in rows_of(contract)]
    assert len(stated) == len(set(stated))


def test_pages_and_snapshots_are_those_of_the_tables() -> None:
    command = [sys.executable, "tools/write_contracts.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
