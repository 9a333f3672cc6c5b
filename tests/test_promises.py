"""Is every promise on the page held by a test that is there?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROWS = [
    [cell.strip() for cell in line.strip().strip("|").split("|")]
    for line in (ROOT / "docs" / "promises.md").read_text("utf-8").partition("\n## How ")[0].splitlines()
    if line.startswith("| ") and not line.startswith("| promise")
]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_promise_is_held_by_a_test(row: list[str]) -> None:
    assert len(row) == 3, "a promise has its figures and its test"
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", row[2])
    assert named, f"no test holds: {row[0]}"
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text("utf-8"), f"{file} has no {test}"
