"""Is every requirement shown by a test, and does every test file of the contract show one?"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from .requirements import HERE, REQUIREMENTS, Requirement

TESTS = Path(__file__).parents[2]


def functions(file: Path) -> set[str]:
    tree = ast.parse(file.read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("row", REQUIREMENTS, ids=lambda row: row.source[:60])
def test_a_requirement_is_linked_to_a_test_that_is_there(row: Requirement) -> None:
    file, _, name = row.test.partition("::")
    assert name.startswith("test_")
    assert name in functions(TESTS / file)
    assert row.source
    assert row.behaviour


def test_every_test_file_of_the_contract_shows_a_requirement() -> None:
    linked = {row.test.partition("::")[0] for row in REQUIREMENTS}
    files = {f"{HERE}/{file.name}" for file in Path(__file__).parent.glob("test_*.py")}
    assert files - linked == {f"{HERE}/{Path(__file__).name}"}


def test_no_requirement_is_stated_twice() -> None:
    stated = [(row.source, row.behaviour) for row in REQUIREMENTS]
    assert len(stated) == len(set(stated))
