"""What does the soak call steady? Not how a run of it ends: that takes half an hour."""

from __future__ import annotations

import json
import random
import sys

import pytest
from bench.soak import MOST_KB, WEIGHTS, Row, act, is_steady, slope_of
from bench.soak_look import look

from recollect import Memory


def rows(kb: float, wobble: float = 0.0, **other: float) -> list[Row]:
    """Thirty minutes of 2,000 acts each, whose memory grows by so much for each act, and wobbles by so many MB."""
    base = {"recall": 20.0, "file": 20.0, "log": 30.0, "records": 1_500, "versions": 3_000}
    return [
        Row(acts=2_000, memory=450 + 2 * kb * n + wobble * (-1) ** (n // 2), **(base | other))  # type: ignore[arg-type]
        for n in range(30)
    ]


@pytest.mark.parametrize(
    ("run", "steady"),
    [
        (rows(0.0, 1.0), True),
        (rows(-0.5), True),
        (rows(MOST_KB * 0.3, 1.0), True),
        (rows(MOST_KB * 1.1), False),
        (rows(MOST_KB * 0.9, 20.0), False),
        ([row._replace(memory=450.0 + min(n, 14)) for n, row in enumerate(rows(0.0))], True),
        ([row._replace(acts=1_000) for row in rows(0.0)], False),
        (rows(0.0, log=200.0), False),
        ([row._replace(file=20.0 + 0.2 * n) for n, row in enumerate(rows(0.0))], True),
        ([row._replace(file=20.0 + 2 * n) for n, row in enumerate(rows(0.0))], False),
        ([row._replace(records=1_500 if n < 23 else 2_500) for n, row in enumerate(rows(0.0))], False),
        ([row._replace(versions=3_000 if n < 23 else 2_000) for n, row in enumerate(rows(0.0))], False),
        (rows(0.0)[:9], False),
    ],
)
def test_a_day_is_steady_where_nothing_of_its_second_half_grows_beyond_its_limit(run: list[Row], steady: bool) -> None:
    told: list[str] = []
    assert is_steady(run, told.append) is steady, told
    assert any("GROWS" in line or "too few" in line for line in told) is not steady


@pytest.mark.parametrize("what", WEIGHTS)
def test_an_agent_can_do_each_act_of_the_day(memory: Memory, what: str) -> None:
    chance, said = random.Random(7), ["The gateway checks tokens.", "Tea is brewed at eighty degrees."]
    for _ in range(40):
        act(memory, chance, "capture", said, 1)
    act(memory, chance, what, said, 1)
    assert not memory.check()


def test_a_slope_is_told_with_what_it_may_err_by() -> None:
    assert slope_of([1, 2, 3, 4], [2, 4, 6, 8]) == pytest.approx((2.0, 0.0))
    slope, spread = slope_of([1, 2, 3, 4, 5, 6], [2, 5, 5, 9, 9, 13])
    assert slope == pytest.approx(2.03, abs=0.01)
    assert 0.4 < spread < 0.8


@pytest.mark.skipif(sys.platform != "linux", reason="what is counted is counted by Linux")
def test_a_process_tells_of_what_it_is_made() -> None:
    found = json.loads(look(7))
    assert found["acts"] == 7
    assert found["Anonymous"] > found["used"] > 0
    assert found["kinds"]["function"] > 100
    held, most = found["caches"]["words"]
    assert 0 <= held <= most
