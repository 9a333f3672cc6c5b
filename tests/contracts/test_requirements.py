"""Is everything that a contract asks for shown by a test, and does every test of it show something?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.contracts.requirement import SECTIONS, find_tests, rows_of

HERE = Path(__file__).parent
TESTS, ROOT = HERE.parent, HERE.parents[1]
CONTRACTS = sorted({path.parent.name for path in HERE.glob("*/requirements*.py")})


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


@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize("section", SECTIONS)
def test_users_are_told_something_in_every_section_in_whole_sentences(contract: str, section: str) -> None:
    told = [text for row in rows_of(contract) if (text := getattr(row, section))]
    assert told
    assert [text for text in told if not (text[0].isupper() or text[0] == "`") or text[-1] != "."] == []


def test_pages_and_snapshots_are_those_of_the_tables() -> None:
    command = [sys.executable, "tools/write_contracts.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
