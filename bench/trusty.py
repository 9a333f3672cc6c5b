"""How long do palaces take at 10,000 drawers, beside the targets that the contract's origin has set itself?

The models' own time is left out: vectors of questions are known before the clock runs, and the time that a model reads
the best hits of a deep recall is taken off; a line of its own has it in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.recall import asked, clock
from bench.stores import filled, open_quiet, stand_in
from bench.table import Cell, Plan, Table, median, quantile, within
from recollect.contracts.trusty_memory.palaces import Palaces
from recollect.embed.rerank import Reranker

DRAWERS = 10_000
PALACE = "palace"
_TIMES_BETTER = 5
_TARGETS = {"L0 and L1": 5.0, "recall, top 10": 50.0, "deep recall, top 50": 150.0}
"""Milliseconds; each is to be beaten five times."""


def run(plan: Plan) -> list[Table]:
    count = min(DRAWERS, max(plan.sizes))
    home = filled(plan.folder, f"palace-{count}", {PALACE: count})
    with open_quiet(home, stand_in()) as memory:
        memory.set_identity(PALACE, "The memory of a benchmark.")
        palaces = Palaces(memory, PALACE)
        watch = _Watch(memory.semantics.reranker())
        rows = [
            _row(name, values, _TARGETS.get(name)) for name, values in _measure(palaces, plan, count, watch).items()
        ]
        rows.append(_row("a dream", [clock(lambda: memory.dream(PALACE, dry_run=True)) for _ in range(3)], 5_000.0))
    columns = ("at 10,000 drawers", "ms, median", "ms, 90 %", "target, ms", "a fifth of it holds")
    note = f"{count:,} drawers. The last line's target is the budget of a cycle; it has no fifth to hold."
    return [Table("trusty", columns, tuple(rows), note)]


class _Watch:
    """Adds up the milliseconds that a reranker reads."""

    def __init__(self, reranker: Reranker) -> None:
        self.spent = 0.0
        self._read = reranker.score
        reranker.score = self._score  # type: ignore[method-assign]

    def _score(self, question: str, texts: Sequence[str]) -> object:
        scores: list[object] = []
        self.spent += clock(lambda: scores.append(self._read(question, texts)))
        return scores[0]


def _measure(palaces: Palaces, plan: Plan, count: int, watch: _Watch) -> dict[str, list[float]]:
    given = asked(plan.questions, PALACE, count)
    calls: dict[str, Callable[[str], object]] = {
        "L0 and L1": lambda _: palaces.essentials(None),
        "recall, top 10": lambda question: palaces.recall(None, question, 10),
        "deep recall, top 50": lambda question: palaces.recall(None, question, 50, deep=True),
        "list, 50": lambda _: palaces.list_drawers(None),
    }
    for question in given:
        palaces.recall(None, question)
    taken: dict[str, list[float]] = {}
    for name, call in calls.items():
        for question in [*given] * plan.repeats:
            before = watch.spent
            whole = clock(lambda call=call, question=question: call(question))
            taken.setdefault(name, []).append(whole - (watch.spent - before))
            if watch.spent > before:
                taken.setdefault(f"{name}, the reading in it", []).append(whole)
    return taken


def _row(name: str, values: Sequence[float], target: float | None) -> tuple[Cell, ...]:
    middle = median(values)
    judged = target is not None and name in _TARGETS
    holds = within(middle <= target / _TIMES_BETTER) if judged and target is not None else None
    return name, middle, quantile(values, 0.9), target, holds
