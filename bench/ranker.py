"""What does the ranker take for 400 candidates, by itself?

Time of the thread alone, on the CPU: the best and the middle of many, by turns with the bare product of matrices as
large as those of the networks. A busy machine slows both, slow code only the ranker: how often the product fits into it
tells them apart. The limit is asked of the best.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from bench.table import Cell, Plan, Table, median, within
from recollect.retrieve.evidence import Evidence, Likeness
from recollect.retrieve.ranker import FEATURES, LIKE, judge, pair_neighbours
from recollect.store.product import multiply

CANDIDATES, LIMIT = 400, 0.5
_ROUNDS, _VARIANTS = 600, 8
_COMPARED = 200
_HIDDEN, _INNER, _NETWORKS = 64, 32, 3


def evidence(seed: int, *, grouped: bool, read: int) -> Evidence:
    """As a recall hands it over: wordpieces compared of the best half, the best few read, 32 beside each other."""
    chance, count = np.random.default_rng(seed), CANDIDATES
    near, late, deep = chance.normal(1.0, 1.8, count), np.full(count, np.nan), np.full(count, np.nan)
    order = np.argsort(-near)
    late[order[:_COMPARED]] = chance.uniform(0.3, 0.8, _COMPARED)
    deep[order[:read]] = chance.normal(-3.0, 3.0, read)
    group = np.sort(chance.integers(0, 30, count)) if grouped else np.full(count, -1)
    position = np.arange(count) if grouped else np.zeros(count, np.int64)
    beside = chance.random((LIKE, LIKE))
    return Evidence(
        covered=chance.random(count) * (chance.random(count) < 0.6), words=chance.random(count) / 2, near=near,
        late=late, deep=deep, length=chance.integers(5, 200, count).astype(float), group=group, position=position,
        time=chance.permutation(count).astype(float), like=Likeness(order[:LIKE], (beside + beside.T) / 2, beside),
        terms=6, pairs=0.0, records=900, named=np.zeros(count, np.int64), replaced=np.zeros(count, np.bool_),
        beside=pair_neighbours(group, position),
    )  # fmt: skip


def _product() -> Callable[[int], object]:
    """The networks' own multiplications and nothing else."""
    chance = np.random.default_rng(1)
    values = chance.random((CANDIDATES, len(FEATURES) + 1), np.float32)
    first = chance.random((_NETWORKS, values.shape[1], _HIDDEN), np.float32)
    second = chance.random((_NETWORKS, _HIDDEN, _INNER), np.float32)
    return lambda _: multiply(multiply(values, first), second)


def _judged(*, grouped: bool, read: int) -> Callable[[int], object]:
    given = [evidence(seed, grouped=grouped, read=read) for seed in range(_VARIANTS)]
    return lambda at: judge(given[at % _VARIANTS])


def measure(rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each, by turns."""
    acts = {
        "notes, nothing read": _judged(grouped=False, read=0),
        "notes, five read": _judged(grouped=False, read=5),
        "notes, twenty read": _judged(grouped=False, read=20),
        "a conversation, five read": _judged(grouped=True, read=5),
        "the bare product of its matrices": _product(),
    }
    took: dict[str, list[float]] = {name: [] for name in acts}
    for at in range(-_VARIANTS, rounds):
        for name, act in acts.items():
            started = time.thread_time_ns()
            act(at)
            if at >= 0:
                took[name].append((time.thread_time_ns() - started) / 1e6)
    return took


def _row(name: str, took: list[float], *, least: float) -> tuple[Cell, ...]:
    return name, min(took), median(took), min(took) / least, within(min(took) <= LIMIT)


def run(plan: Plan) -> list[Table]:
    took = measure(5 if plan.tiny else _ROUNDS)
    *ranked, bare = took
    rows = [_row(name, took[name], least=min(took[bare])) for name in ranked]
    rows.append((*_row(bare, took[bare], least=min(took[bare]))[:-1], None))
    columns = (f"{CANDIDATES} candidates", "best ms", "median ms", "× the product", f"≤ {LIMIT} ms")
    return [Table("ranker", columns, tuple(rows))]
