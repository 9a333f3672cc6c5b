"""How does cost grow with the number of records?"""

from __future__ import annotations

import itertools
from pathlib import Path

from bench.remember import timed
from bench.stores import filled, open_quiet, stand_in
from bench.table import Cell, Plan, Table, median
from bench.texts import texts
from recollect.types import DEFAULT_SPACE

_ADDED = itertools.count(1_000)


def run(plan: Plan) -> list[Table]:
    """Uses what the section `recall` measured; where that has not run, it runs first."""
    if "recall" not in plan.series:
        from bench.recall import by_size

        by_size(plan)
    for size in plan.sizes:
        plan.series.setdefault("remember", []).append((size, _writes(plan, size)))
    values = {name: dict(points) for name, points in plan.series.items()}
    rows: list[tuple[Cell, ...]] = []
    for size in plan.sizes:
        rows.append((size, *(values[name][size] for name in ("recall", "bare scan", "own scan", "remember"))))
        rows[-1] += (values["kB per record"][size],)
    columns = ("records", "recall p50 ms", "bare scan ms", "our scan ms", "remember/s", "kB per record on disk")
    return [Table("growth", columns, tuple(rows), "`remember` is one durable write at a time, p50.")]


def _writes(plan: Plan, size: int) -> float:
    """Durable writes per second, one at a time, into a store that holds so much already. The store keeps its size."""
    home = filled(plan.folder, f"many-{size}", {DEFAULT_SPACE: size})
    given = list(texts(max(plan.writes // 8, 5), seed=next(_ADDED)))
    kept: list[str] = []

    with open_quiet(home, stand_in()) as memory:

        def write(text: str) -> None:
            kept.append(memory.remember(text).id or "")

        took = timed(write, given)
        for id in kept:
            memory.forget(id)
    return 1 / median(took)


def draw(plan: Plan, path: Path) -> None:
    """The plot: milliseconds of reading on the left, writes per second on the right."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "recollect"  # the same figures give the same file
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for name, style in (("recall", "o-"), ("bare scan", "s--"), ("own scan", "^:")):
        label = {"recall": "recall (p50)", "bare scan": "bare numpy scan", "own scan": "our scan"}[name]
        left.loglog(*zip(*plan.series[name], strict=True), style, label=label)
    left.set(title="A question", xlabel="records in the space", ylabel="milliseconds")
    right.semilogx(*zip(*plan.series["remember"], strict=True), "o-", label="remember, durable")
    right.set(title="A write", xlabel="records in the store", ylabel="per second")
    right.set_ylim(bottom=0)
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
