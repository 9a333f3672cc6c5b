"""How long does a question take while vectors are still to be computed?

Each store is filled and asked at once: the model has had no time for it, and the background computes beside the
questions. The model itself is loaded before, as a server has it loaded.
"""

from __future__ import annotations

import random
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

import recollect
from bench.remember import fresh
from bench.table import Plan, Table, quantile, within
from bench.texts import questions
from recollect import Memory

LIMIT_MS = 300.0
_SAID = (
    "the gateway keeps sessions in Redis and the worker writes invoices to disk before every deploy on Friday".split()
)


def _notes(count: int) -> Callable[[Memory], str]:
    def fill(memory: Memory) -> str:
        dice = random.Random(7)
        memory.remember_many([{"text": f"Note {i}: {' '.join(dice.choices(_SAID, k=40))}"} for i in range(count)])
        return f"{count:,} notes"

    return fill


def _documents(memory: Memory) -> str:
    files = sorted((Path(__file__).parents[1] / "docs").glob("*.md"))[:12]
    for file in files:
        memory.ingest_file(file)
    return f"{len(files)} Markdown files"


def _code(memory: Memory) -> str:
    library = Path(sysconfig.get_paths()["stdlib"])
    chunks = files = 0
    for package in ("asyncio", "email", "json", "http", "urllib", "logging"):
        status = memory.index_project(library / package)
        files, chunks = files + status.total_files, chunks + status.total_chunks
    return f"{files} source files ({chunks:,} chunks)"


def _megabyte(memory: Memory) -> str:
    dice = random.Random(7)
    memory.remember("The long report.\n" + " ".join(dice.choices(_SAID, k=170_000)))
    return "one record of 1 MB"


def run(plan: Plan) -> list[Table]:
    fills = [_notes(40)] if plan.tiny else [_notes(5_000), _documents, _code, _megabyte]
    rows = tuple(_measure(plan, fill) for fill in fills)
    columns = ("what waits", "first ms", "p50 ms", "p99 ms", "most ms", "waiting before", "after", "within 300 ms")
    return [Table("recall-waiting", columns, rows)]


def _measure(plan: Plan, fill: Callable[[Memory], str]) -> tuple[str | float | int, ...]:
    asked = questions(plan.questions, 1_000)
    with recollect.open(fresh(plan.folder / "waiting")) as memory:
        memory.remember("The model is loaded by this.")
        memory.recall("what is loaded?")
        memory.embed_waiting()
        what = fill(memory)
        before = memory.count_waiting()
        took: list[float] = []
        for at in range(3 * len(asked)):
            started = time.perf_counter()
            memory.recall(f"{asked[at % len(asked)]} {at}")
            took.append((time.perf_counter() - started) * 1e3)
        after = memory.count_waiting()
    last = quantile(took, 0.99)
    return what, took[0], quantile(took, 0.5), last, max(took), before, after, within(last <= LIMIT_MS)
