"""Is something older left out of a brief only for what took its place, and never for what names another thing?"""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.retrieve.displace import displaces, speaks_of_the_same

PAIRS = [line.split("|") for line in (Path(__file__).parent / "displaced.txt").read_text().splitlines()[1:]]
CHANGED = [(older, newer) for older, newer, kind in PAIRS if kind == "changed"]
ANOTHER = [(older, newer) for older, newer, kind in PAIRS if kind == "another"]


@pytest.mark.parametrize("pair", ANOTHER)
def test_what_names_another_thing_displaces_nothing_in_either_order(pair: tuple[str, str]) -> None:
    older, newer = pair
    assert not displaces(newer, older)
    assert not speaks_of_the_same(newer, older)
    assert not displaces(older, newer.replace("new ", ""))


def test_another_value_of_the_same_thing_displaces_the_one_before_nearly_always() -> None:
    assert len(CHANGED) >= 20
    assert [pair for pair in CHANGED if not speaks_of_the_same(pair[1], pair[0])] == []
    assert sum(displaces(newer, older) for older, newer in CHANGED) >= len(CHANGED) - 1
