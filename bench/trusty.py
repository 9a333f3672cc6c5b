"""How long do palaces take at 10,000 drawers, beside the targets that the contract's origin has set itself?

Vectors of questions are known before the clock runs; that a second model reads the best hits of a deep recall is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bench.recall import asked, clock
from bench.stores import filled, open_quiet, stand_in
from bench.table import Cell, Plan, Table, median, quantile, within
from recollect.contracts.trusty_memory.palaces import Palaces
from recollect.engine.care.identity import set_identity

DRAWERS = 10_000
PALACE = "palace"
_TARGETS = {"recall, top 10": (50.0, 5), "deep recall, top 50": (150.0, 1)}
"""Milliseconds, and how many times each is to be beaten."""


def run(plan: Plan) -> list[Table]:
    count = min(DRAWERS, max(plan.sizes))
    home = filled(plan.folder, f"palace-{count}", {PALACE: count})
    with open_quiet(home, stand_in()) as memory:
        set_identity(memory.core, "The memory of a benchmark.", space=PALACE)
        palaces = Palaces(memory, PALACE)
        rows = [_row(name, values, *_TARGETS.get(name, (None, 1))) for name, values in _measure(palaces, plan, count)]
        rows.append(_row("a dream", [clock(lambda: memory.dream(PALACE, dry_run=True)) for _ in range(3)], 5_000.0, 1))
    columns = ("at 10,000 drawers", "ms, median", "ms, 90 %", "target, ms", "to be beaten, times", "holds")
    note = f"{count:,} drawers. The last line's target is the budget of a cycle."
    return [Table("trusty", columns, tuple(rows), note)]


def _measure(palaces: Palaces, plan: Plan, count: int) -> Iterator[tuple[str, list[float]]]:
    given = asked(plan.questions, PALACE, count)
    calls: dict[str, Callable[[str], object]] = {
        "recall, top 10": lambda question: palaces.recall(None, question, 10),
        "deep recall, top 50": lambda question: palaces.recall(None, question, 50, deep=True),
        "list, 50": lambda _: palaces.list_drawers(None),
    }
    for question in given:
        palaces.recall(None, question)
    palaces.recall(None, given[0], deep=True)
    for name, call in calls.items():
        yield name, [clock(lambda call=call, question=question: call(question)) for question in [*given] * plan.repeats]


def _row(name: str, values: Sequence[float], target: float | None, times: int) -> tuple[Cell, ...]:
    slow = quantile(values, 0.9)
    holds = None if target is None else within(slow <= target / times)
    return name, median(values), slow, target, None if target is None else times, holds
