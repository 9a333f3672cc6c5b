"""What do the models cost: wordpieces in every recall, and reading closely in a deep one?

The same store is asked with the vectors of its wordpieces and without them, by turns, in a process that is held to one
core. How many texts the model takes in is compared with the stock model, where its file is given.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

from bench.start import environment
from bench.stores import drafts, filled, open_quiet
from bench.table import Cell, Plan, Table, median, quantile, within
from bench.texts import questions, texts

RECORDS = 10_000
LIMIT_MORE_MS = 5.0
LIMIT_BYTES = 50.0
LIMIT_SHARE = 0.9
LIMIT_DEEP_MS = 350.0
_SEED = 11
_ROUNDS = 3


def _home(plan: Plan, count: int) -> Path:
    """A store of chat turns with the vectors of the real model, filled once."""
    from recollect.embed.bundled import BundledEmbedder

    home = plan.folder / f"model-{count}"
    if not (home / "filled").exists():
        with open_quiet(home, BundledEmbedder()) as memory:
            memory.remember_many(list(drafts(count, _SEED)))
            memory.embed_waiting()
        (home / "filled").touch()
    return home


def run(plan: Plan) -> list[Table]:
    count = min(RECORDS, max(plan.sizes))
    home = _home(plan, count)
    told = _on_one_core(home, plan, count)
    rows = [*_recall_rows(told), *_size_rows(plan, home, count), *_speed_rows(told), *_deep_rows(plan, home, count)]
    columns = (f"{count:,} chat turns", "p50 or value", "p90", "limit", "holds")
    left_out = "" if plan.stock else " Without `--stock FILE` there is no stock model to compare with."
    note = "Questions are new each time: the model's time is included. Deep recall runs on two threads." + left_out
    return [Table("model", columns, tuple(rows), note)]


def _recall_rows(told: dict[str, list[float]]) -> list[tuple[Cell, ...]]:
    more = median(told["with"]) - median(told["without"])
    return [
        ("recall, one core, ms", median(told["with"]), quantile(told["with"], 0.9), None, None),
        ("the same without wordpieces, ms", median(told["without"]), quantile(told["without"], 0.9), None, None),
        ("what wordpieces add, ms", more, None, f"≤ {LIMIT_MORE_MS:.0f}", within(more <= LIMIT_MORE_MS)),
    ]


def _size_rows(plan: Plan, home: Path, count: int) -> list[tuple[Cell, ...]]:
    """Bytes of a wordpiece by itself, and by how much the file is larger than one with vectors alone."""
    from recollect.embed.bundled import MODEL_FOLDER
    from recollect.embed.wordpiece import WordPiece

    tokenizer = WordPiece((MODEL_FOLDER / "vocab.txt").read_text("utf-8").split("\n")[:-1])
    pieces = sum(len(tokenizer.encode(text, 256).ids) for text in texts(count, _SEED))
    with closing(sqlite3.connect(home / "recollect.db")) as db:
        kept: int = db.execute("SELECT sum(length(tokens)) FROM tokens JOIN signs USING(vector)").fetchone()[0]
    alone = filled(plan.folder, f"model-alone-{count}", {"x" * _SEED: count})
    larger = (home / "recollect.db").stat().st_size - (alone / "recollect.db").stat().st_size
    each = kept / pieces
    return [
        ("wordpieces of a turn", pieces / count, None, None, None),
        ("bytes of a wordpiece", each, None, f"≤ {LIMIT_BYTES:.0f}", within(each <= LIMIT_BYTES)),
        ("the same by the size of the file", larger / pieces, None, None, None),
    ]


def _speed_rows(told: dict[str, list[float]]) -> list[tuple[Cell, ...]]:
    ours, stock = told["embed"], told["stock"]
    if not stock:
        return [("texts per second, one core", 1e3 / median(ours), None, None, None)]
    share = median(stock) / median(ours)
    return [
        ("texts per second, one core", 1e3 / median(ours), None, None, None),
        ("texts per second by the stock model", 1e3 / median(stock), None, None, None),
        ("share of the stock model's", share, None, f"≥ {LIMIT_SHARE}", within(share >= LIMIT_SHARE)),
    ]


def _deep_rows(plan: Plan, home: Path, count: int) -> list[tuple[Cell, ...]]:
    from bench.recall import clock
    from recollect.embed.bundled import BundledEmbedder

    given = questions(2 * plan.questions, count, _SEED)
    usual: list[float] = []
    deep: list[float] = []
    with open_quiet(home, BundledEmbedder()) as memory:
        memory.recall(given[0], deep=True)  # loads both models
        for one, other in zip(given[1::2], given[2::2], strict=False):
            usual.append(clock(lambda one=one: memory.recall(one)))
            deep.append(clock(lambda other=other: memory.recall(other, deep=True)))
    holds = within(median(deep) <= LIMIT_DEEP_MS)
    return [
        ("recall, ms", median(usual), quantile(usual, 0.9), None, None),
        ("deep recall, the best 20 read, ms", median(deep), quantile(deep, 0.9), f"≤ {LIMIT_DEEP_MS:.0f}", holds),
    ]


def _on_one_core(home: Path, plan: Plan, count: int) -> dict[str, list[float]]:
    command = [sys.executable, "-m", "bench.model", str(home), str(_ROUNDS * plan.questions), str(count)]
    command += ["--stock", str(plan.stock.resolve())] if plan.stock else []
    single = {**environment(), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    root = Path(__file__).parents[1]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=single, cwd=root)
    return json.loads(done.stdout)


def _by_turns(home: Path, asked: Sequence[str]) -> dict[str, list[float]]:
    """Milliseconds of recalls of one store with the vectors of wordpieces, and without."""
    from bench.recall import clock
    from recollect.embed.bundled import BundledEmbedder

    class Alone(BundledEmbedder):
        """The same model under the same name, as one that gives a vector for each text and nothing else."""

        @property
        def token_dim(self) -> int:
            return 0

    took: dict[str, list[float]] = {"with": [], "without": []}
    with open_quiet(home, BundledEmbedder(threads=1)) as full, open_quiet(home, Alone(threads=1)) as bare:
        for memory in (full, bare):
            memory.recall("a question that loads the model")
        for question in asked:
            took["with"].append(clock(lambda question=question: full.recall(question)))
            took["without"].append(clock(lambda question=question: bare.recall(question)))
    return took


def _embedding(stock: Path | None, given: Sequence[str]) -> dict[str, list[float]]:
    """Milliseconds for each text, by our model and by the stock one, by turns."""
    import numpy as np

    from bench.recall import clock
    from recollect.embed.bundled import MODEL_FOLDER, BundledEmbedder, open_session
    from recollect.embed.wordpiece import WordPiece

    ours = BundledEmbedder(threads=1)
    act: dict[str, Callable[[str], object]] = {"embed": lambda text: ours.embed_tokens([text])}
    if stock is not None:
        session = open_session(stock)
        tokenizer = WordPiece((MODEL_FOLDER / "vocab.txt").read_text("utf-8").split("\n")[:-1])
        act["stock"] = lambda text: session.run(
            None, {"input_ids": np.array([tokenizer.encode(text, 256).ids], np.int64)}
        )[0][0].mean(axis=0)
    took: dict[str, list[float]] = {"embed": [], "stock": []}
    for name in act:
        act[name](given[0])
    for text in given:
        for name, embed in act.items():
            took[name].append(clock(lambda embed=embed, text=text: embed(text)))
    return took


def main() -> None:
    """What is measured on one core, as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.model", description=main.__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("questions", type=int)
    parser.add_argument("records", type=int)
    parser.add_argument("--stock", type=Path)
    options = parser.parse_args()
    if sys.platform == "linux":
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    told = _by_turns(options.home, questions(options.questions, options.records, _SEED))
    told |= _embedding(options.stock, list(islice(texts(options.records, _SEED), 2 * options.questions)))
    print(json.dumps(told))


if __name__ == "__main__":
    main()
