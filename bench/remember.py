"""How fast is something remembered, and does that ever wait for the model?"""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import recollect
from bench.stores import drafts, open_quiet, stand_in
from bench.table import Plan, Table, median, quantile, within
from bench.texts import texts

LIMIT_ONE = 1_000
LIMIT_BATCH = 10_000
_MODEL_BATCH = 32
_TURNS = 4  # ours and the peer's, by turns, so that a busy moment hits both


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def timed(act: Callable[[str], object], given: Sequence[str]) -> list[float]:
    """Seconds that each call took."""
    took: list[float] = []
    for one in given:
        started = time.perf_counter()
        act(one)
        took.append(time.perf_counter() - started)
    return took


def bare_store(path: Path) -> sqlite3.Connection:
    """The least that SQLite can do for a durable text: one table, a write-ahead log, a sync at every commit."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=60)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS texts(id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    return connection


def insert(connection: sqlite3.Connection, text: str) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO texts(text) VALUES(?)", (text,))
    connection.execute("COMMIT")


def one_at_a_time(plan: Plan) -> Table:
    home = fresh(plan.folder / "one")
    given = list(texts(plan.writes * 2, seed=11))
    part = max(plan.writes // _TURNS, 1)
    ours: list[float] = []
    bare: list[float] = []
    with open_quiet(home / "ours", stand_in()) as memory:
        memory.recall("anything")  # the model is known: every record is queued for it
        connection = bare_store(home / "bare.db")
        for start in range(0, plan.writes, part):
            turn = given[start : start + part]
            ours += timed(memory.remember, turn)
            bare += timed(lambda text: insert(connection, text), turn)
        connection.close()
    rate, peer = len(ours) / sum(ours), len(bare) / sum(bare)
    rows = (
        ("remember", rate, median(ours) * 1e3, quantile(ours, 0.99) * 1e3, "≥ 1,000/s", within(rate >= LIMIT_ONE)),
        ("bare SQLite, insert and commit", peer, median(bare) * 1e3, quantile(bare, 0.99) * 1e3, None, None),
        ("ratio", rate / peer, median(ours) / median(bare), None, None, None),
    )
    columns = ("one at a time, durable", "per second", "p50 ms", "p99 ms", "limit", "holds")
    return Table("remember-one", columns, rows, "Both with a sync at every commit, on the same disk, by turns.")


def in_batches(plan: Plan) -> Table:
    home = fresh(plan.folder / "batch")
    given = list(drafts(plan.batch, seed=12))
    rows: list[tuple[str | float | int | None, ...]] = []
    with open_quiet(home / "ours", stand_in()) as memory:
        memory.recall("anything")
        memory.remember_many(given[: plan.batch // 20])  # words that the language has are known by then
        for size in (100, 1_000, 10_000):
            took: list[float] = []
            for turn in range(3):
                space = f"{size}-{turn}"
                started = time.perf_counter()
                for start in range(0, plan.batch, size):
                    memory.remember_many(given[start : start + size], space=space)
                took.append(time.perf_counter() - started)
            rate = plan.batch / min(took)
            rows.append((f"{size:,} at once", rate, "≥ 10,000/s", within(rate >= LIMIT_BATCH)))
    connection = bare_store(home / "bare.db")
    started = time.perf_counter()
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany("INSERT INTO texts(text) VALUES(?)", [(draft["text"],) for draft in given])
    connection.execute("COMMIT")
    rows.append(("bare SQLite, all at once", plan.batch / (time.perf_counter() - started), None, None))
    connection.close()
    note = f"The best of three runs over {plan.batch:,} messages of 10 to 30 words, in sessions of 50."
    return Table("remember-batch", ("batches", "records per second", "limit", "holds"), tuple(rows), note)


def beside_the_model(plan: Plan) -> Table:
    """Latency while the real model works on a backlog in the background, and while it rests."""
    home = fresh(plan.folder / "beside")
    given = list(texts(plan.writes, seed=13))
    half = plan.writes // 2
    settings = recollect.Settings(home=home, embed_delay=0.0, embed_threads=1)
    with open_quiet(home) as memory:
        memory.remember_many([{"text": text} for text in texts(plan.writes * 4, seed=14)], space="backlog")
        idle = timed(memory.remember, given[:half])
    with recollect.open(settings=settings) as memory:
        memory.remember("The model wakes up.")
        while memory.count_waiting() == 0 or memory.count_waiting() > plan.writes * 5 - 64:
            time.sleep(0.05)  # until it is loaded and at work
        before = memory.count_waiting()
        busy = timed(memory.remember, given[half:])
        done = before + len(busy) - memory.count_waiting()
    late = quantile(busy, 0.99)
    batch = _MODEL_BATCH * sum(busy) / max(done, 1)
    rows = (
        ("the model rests", median(idle) * 1e3, quantile(idle, 0.99) * 1e3, max(idle) * 1e3, None, None),
        ("the model works", median(busy) * 1e3, late * 1e3, max(busy) * 1e3, "p99 < a batch", within(late < batch)),
        (f"a batch of {_MODEL_BATCH} texts in the model", batch * 1e3, None, None, None, None),
    )
    columns = ("remember while", "p50 ms", "p99 ms", "longest ms", "limit", "holds")
    note = f"{done} vectors were computed during {len(busy)} writes: they share a processor, but no write waits."
    return Table("remember-busy", columns, rows, note)


def run(plan: Plan) -> list[Table]:
    return [one_at_a_time(plan), in_batches(plan), beside_the_model(plan)]
