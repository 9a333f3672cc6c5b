"""Is every promise on the page held by a test that is there?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.fuzz.targets import TARGETS

ROOT = Path(__file__).parents[1]
FORMATS = {11: "eleven", 12: "twelve", 13: "thirteen", 14: "fourteen"}
PAGE = (ROOT / "docs" / "promises.md").read_text("utf-8")
ROWS = [
    [cell.strip() for cell in line.strip().strip("|").split("|")]
    for line in PAGE.partition("\n## How ")[0].splitlines()
    if line.startswith("| ") and not line.startswith("| promise")
]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_promise_is_held_by_a_test(row: list[str]) -> None:
    assert len(row) == 3, "a promise has its figures and its test"
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", row[2])
    assert named, f"no test holds: {row[0]}"
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text("utf-8"), f"{file} has no {test}"


def lines_of(folder: str) -> list[str]:
    return [line for path in (ROOT / folder).rglob("*.py") for line in path.read_text("utf-8").splitlines()]


def test_the_figures_at_the_top_of_the_page_are_those_of_the_tree() -> None:
    tests, product = lines_of("tests"), lines_of("src")
    told = re.search(r"- ([\d,]+) tests in ([\d,]+) lines, against ([\d,]+) lines of the product", PAGE)
    assert told is not None
    said = [int(figure.replace(",", "")) for figure in told.groups()]
    assert said == pytest.approx(
        [sum(line.startswith("def test_") for line in tests), len(tests), len(product)], rel=0.05
    )
    assert f"- {len(ROWS)} promises, each" in PAGE
    assert f"for all {len(TARGETS)} readers of foreign bytes" in PAGE
    formats = len(list((ROOT / "tests" / "store" / "stores").glob("format_*.db")))
    assert f"stores of all {FORMATS[formats]} formats" in PAGE
