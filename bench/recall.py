"""How long does a question take, beside the least that any exhaustive search must do?

The peer is a bare scan: numpy counts the bits in which every vector of the same matrix differs from the query's, and
takes the best 200. It finds neither words nor dates and reads no record.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.start import environment
from bench.stores import filled, open_quiet, stand_in, stand_in_with_pieces
from bench.table import Cell, Plan, Table, median, quantile, within
from bench.texts import questions
from recollect import Memory
from recollect.store.sqlite.matrix import Matrix, sign_bits
from recollect.types import DEFAULT_SPACE

LIMIT_SCANS = 6
LIMIT_ALONE = 2
LIMIT_OPEN = 1.0
LIMIT_MB = 300
JUDGED = 100_000
_NEAREST = 200


def clock(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return (time.perf_counter() - started) * 1e3


def asked(count: int, space: str, among: int) -> list[str]:
    """Questions about what `filled` puts into a space."""
    return questions(count, among, len(space))


class Bare:
    """The straightforward scan over the sign bits of a store's vectors, and the engine's own beside it."""

    def __init__(self, home: Path) -> None:
        from recollect.engine.core import utc_now
        from recollect.store.sqlite import SqliteStore

        store = SqliteStore(home / "recollect.db", utc_now)
        with store.read() as view:
            model = view.models()[0]
        store.close()
        with closing(sqlite3.connect(home / "recollect.db")) as db:
            rows = db.execute("SELECT vector, version, bits FROM signs WHERE model > 0 ORDER BY vector").fetchall()
        self.bits: NDArray[np.uint64] = np.frombuffer(b"".join([row[2] for row in rows]), np.uint64).reshape(
            len(rows), -1
        )
        self.own = Matrix(self.bits.shape[1])
        self.own.extend(rows)
        self._mean = np.frombuffer(model.mean, dtype=np.float32)
        self._embedder = stand_in()

    def query(self, text: str) -> NDArray[np.uint64]:
        return sign_bits(self._embedder.embed([text]), self._mean)[0]

    def scan(self, query: NDArray[np.uint64]) -> NDArray[np.intp]:
        distance = np.bitwise_count(self.bits ^ query).sum(axis=1)
        return np.argpartition(distance, min(_NEAREST, len(distance) - 1))[:_NEAREST]


def measure(memory: Memory, bare: Bare, given: Sequence[str], rounds: int) -> tuple[list[float], ...]:
    """Milliseconds of recalls, bare scans and the engine's scans, by turns."""
    for question in given:
        memory.recall(question)  # its vector is cached from here on
    recalls: list[float] = []
    scans: list[float] = []
    own: list[float] = []
    for question in [*given] * rounds:
        query = bare.query(question)
        recalls.append(clock(lambda question=question: memory.recall(question)))
        scans.append(clock(lambda query=query: bare.scan(query)))
        own.append(clock(lambda query=query: bare.own.nearest(query, _NEAREST)))
    return recalls, scans, own


def by_size(plan: Plan) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for size in plan.sizes:
        home = filled(plan.folder, f"many-{size}", {DEFAULT_SPACE: size})
        bare = Bare(home)
        with open_quiet(home, stand_in()) as memory:
            given = asked(plan.questions, DEFAULT_SPACE, size)
            recalls, scans, own = measure(memory, bare, given, 1 if plan.quick else 3)
        ratio = median(recalls) / median(scans)
        judged = size == JUDGED
        rows.append(
            (size, median(recalls), quantile(recalls, 0.9), median(scans), median(own), ratio,
             "≤ 6" if judged else None, within(ratio <= LIMIT_SCANS) if judged else None)
        )  # fmt: skip
        for name, value in (("recall", median(recalls)), ("bare scan", median(scans)), ("own scan", median(own))):
            plan.series.setdefault(name, []).append((size, value))
        size_kb = (home / "recollect.db").stat().st_size / size / 1024
        plan.series.setdefault("kB per record", []).append((size, size_kb))
    columns = ("records", "p50 ms", "p90 ms", "bare scan ms", "our scan ms", "recall / bare", "limit", "holds")
    return Table("recall", columns, tuple(rows), "One space, the question's vector cached, all by turns in one run.")


def small_space(plan: Plan) -> Table:
    """A space that is a hundredth of its store, beside a store that holds nothing else."""
    large = min(max(plan.sizes), JUDGED)
    small = large // 100
    crowded = filled(plan.folder, f"crowded-{large}", {"a crowd": large - small, "small": small})
    alone = filled(plan.folder, f"alone-{small}", {"small": small})
    given = asked(plan.questions, "small", small)
    with open_quiet(crowded, stand_in()) as both, open_quiet(alone, stand_in()) as single:
        both.recall("a question to the crowd", space="a crowd")
        took: dict[str, list[float]] = {"crowded": [], "alone": []}
        for question in [*given, *given, *given, *given]:
            for name, memory in (("crowded", both), ("alone", single)):
                took[name].append(
                    clock(lambda memory=memory, question=question: memory.recall(question, space="small"))
                )
    crowd, lone = (took[name][len(given) :] for name in ("crowded", "alone"))
    ratio = median(crowd) / median(lone)
    rows = (
        (f"{small:,} records in a store of {large:,}", median(crowd), quantile(crowd, 0.9), ratio, "≤ 2",
         within(ratio <= LIMIT_ALONE)),
        (f"{small:,} records alone", median(lone), quantile(lone, 0.9), 1.0, None, None),
    )  # fmt: skip
    return Table("recall-space", ("a space of", "p50 ms", "p90 ms", "× alone", "limit", "holds"), rows)


def with_pieces(plan: Plan) -> Table:
    """The best candidates are compared with the question once more, wordpiece by wordpiece."""
    rows: list[tuple[Cell, ...]] = []
    for size in [size for size in plan.sizes if size in (10_000, JUDGED)] or plan.sizes[-1:]:
        pieces = stand_in_with_pieces()
        plain = filled(plan.folder, f"many-{size}", {DEFAULT_SPACE: size})
        whole = filled(plan.folder, f"pieces-{size}", {DEFAULT_SPACE: size}, pieces)
        given = asked(plan.questions, DEFAULT_SPACE, size)
        took: dict[str, list[float]] = {"with": [], "without": []}
        with open_quiet(whole, pieces) as both, open_quiet(plain, stand_in()) as single:
            for question in [*given, *given, *given]:
                for name, memory in (("with", both), ("without", single)):
                    took[name].append(clock(lambda memory=memory, question=question: memory.recall(question)))
        own, less = (took[name][len(given) :] for name in ("with", "without"))
        kilobytes = (whole / "recollect.db").stat().st_size / size / 1024
        rows.append((size, median(own), quantile(own, 0.9), median(less), median(own) / median(less), kilobytes))
    columns = ("records with wordpieces", "p50 ms", "p90 ms", "without, p50 ms", "×", "kB per record on disk")
    return Table("recall-pieces", columns, tuple(rows), "Both stores hold the same texts and are asked by turns.")


def first_recall(plan: Plan) -> Table:
    """A fresh process with the real model: from opening the store to its first answer, and what it then occupies."""
    size = min(max(plan.sizes), JUDGED)
    home = filled(plan.folder, f"many-{size}", {DEFAULT_SPACE: size})
    given = asked(30, DEFAULT_SPACE, size)
    told = [_in_fresh_process(home, given) for _ in range(max(plan.repeats // 3, 1))]
    opened, first = median([one["open"] for one in told]), median([one["first"] for one in told])
    resident, bare = median([one["resident"] for one in told]), median([one["model"] for one in told])
    rows = (
        ("open to first answer, s", opened + first, "≤ 1", within(opened + first <= LIMIT_OPEN)),
        ("of that, loading the model and its first text, s", median([one["load"] for one in told]), None, None),
        (f"resident after {len(given)} recalls, MB", resident, "≤ 300", within(resident <= LIMIT_MB)),
        ("resident with the model alone, MB", bare, None, None),
    )
    return Table("recall-first", (f"{size:,} records, the bundled model", "value", "limit", "holds"), rows)


_FRESH = """
import sys, time, json, subprocess, os
home, *asked = sys.argv[1:]
def resident():
    return int(subprocess.run(["ps", "-o", "rss=", "-p", str(os.getpid())], capture_output=True).stdout) / 1024
if home == "-":
    started = time.perf_counter()
    from recollect.embed.bundled import BundledEmbedder
    BundledEmbedder().embed([asked[0]])
    print(json.dumps({"load": time.perf_counter() - started, "model": resident()}))
else:
    import recollect
    started = time.perf_counter()
    memory = recollect.open(home)
    opened = time.perf_counter()
    memory.recall(asked[0])
    first = time.perf_counter()
    for question in asked:
        memory.recall(question)
    print(json.dumps({"open": opened - started, "first": first - opened, "resident": resident()}))
    memory.close()
"""


def _in_fresh_process(home: Path, given: Sequence[str]) -> dict[str, float]:
    told: dict[str, float] = {}
    for where in (str(home), "-"):
        command = [sys.executable, "-c", _FRESH, where, *given]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment())
        told |= json.loads(done.stdout)
    return told


def run(plan: Plan) -> list[Table]:
    return [by_size(plan), small_space(plan), first_recall(plan)]


def run_pieces(plan: Plan) -> list[Table]:
    return [with_pieces(plan)]
