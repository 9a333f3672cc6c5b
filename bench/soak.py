"""Does a memory stay as small and as quick after a long day? `python -m bench.soak --minutes 30`.

Three processes live a day of three agents on one store, as fast as it lets them: messages of a session are captured,
questions asked, things remembered, documents brought in, facts stated, records revised and forgotten, spaces put in
order, old records evicted, sessions compacted, and lists read as the page reads them. The store is full to its cap
before they begin, and what comes in is evicted again, facts that held longest ago among it; history is kept for the
last 3,000 acts, and what is older is thinned, as a service does where it is told to: so everything should stay as it
is. With `--history 0` all of it is kept. Each minute memory, files, latencies and the number of records are measured.
What the second half says is held against limits, and decides the exit code.

With a folder in `SOAK_LOOK`, each process writes there, now and then, of what it is made.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from datetime import timedelta
from functools import partial
from itertools import accumulate
from multiprocessing.queues import Queue
from pathlib import Path
from typing import NamedTuple, TypeAlias

import recollect
from bench.soak_look import look
from bench.texts import texts
from recollect import Memory, RecollectError, Settings
from recollect.engine.read.stats import tally
from recollect.engine.write.sessions import compact_session
from recollect.errors import StoreBusy
from recollect.serve.heaps import Heap

AGENTS = 3
CAP = 1_500
MOST_FACTS = 20
"""So many facts about one person are kept, of which one holds: what held once is knowledge, which no thinning takes."""
MOST_KB = 0.3
"""So much memory may come for each act, in all processes together: 9 MB for such a day."""
WARM_UP = 30_000
"""After so many acts what is kept to be at hand again is full, and memory is judged: before, it fills."""
MOST_TIMES = 1.3
"""So many times as large a file, or as slow a recall, is still the same: others use the machine, too."""
MOST_FILE = 1.1
"""The same for the file of a store whose history is bounded: of what is gone, one short mark stays."""
MOST_LOG = 128.0
"""MB of the log, which grows while somebody always reads, and is written into the file from 32 on."""
ERRORS = 2.0
"""So many standard errors to either side a slope may be another one."""
LOOK, LOOK_EVERY = "SOAK_LOOK", 250
_FEWEST = 3  # rows of a quarter
WEIGHTS = {
    "capture": 30,
    "recall": 40,
    "remember": 5,
    "list": 8,
    "ingest": 4,
    "relate": 5,
    "revise": 5,
    "forget": 3,
    "dream": 1,
    "evict": 2,
    "compact": 2,
}


HISTORY = 3_000
"""For so many acts history is kept: a tenth of such a day, or less. It is thinned ten times in that time."""
Told: TypeAlias = tuple[int, str, float, int]
"""An act: the agent, what it did, how long that took, and how much memory its process has."""


def act(memory: Memory, chance: random.Random, what: str, said: list[str], agent: int) -> None:
    """One thing that an agent, a person or the schedule does."""
    text = f"{chance.choice(said)} ({chance.randrange(10**6)})"
    if what == "capture":
        memory.ingest_conversation([{"role": "user", "content": text}], session=f"day{chance.randrange(40)}-{agent}")
    elif what == "recall":
        memory.recall(chance.choice(said)[:80], limit=8)
    elif what == "remember":
        memory.remember(text)
    elif what == "list":
        memory.list(limit=50, order="newest")
        tally(memory.core)
    elif what == "ingest":
        memory.ingest(
            f"# Notes\n\n{text}\n\n## More\n\n{chance.choice(said)}\n", source=f"doc{chance.randrange(30)}.md"
        )
    elif what == "relate":
        relate(memory, f"Person {chance.randrange(50)}", f"Project {chance.randrange(50)}")
    elif what in ("revise", "forget"):
        found = memory.list(limit=20, offset=chance.randrange(200))
        if found and what == "revise":
            memory.revise(chance.choice(found).id, text)
        elif found:
            memory.forget(chance.choice(found).id)
    elif what == "dream":
        memory.dream(budget_seconds=1.0)
    elif what == "evict":
        memory.evict(cap=CAP, delete=True)
    else:
        compact_session(
            memory.core,
            lambda texts, dates: memory.condense(texts, dates=dates, max_words=60),
            f"day{chance.randrange(40)}-{agent}",
            threshold=30,
            keep_recent=5,
        )


def relate(memory: Memory, person: str, project: str) -> None:
    """States a fact, which ends the one before it, and forgets what held longest ago once there are too many."""
    memory.relate(person, "works on", project)
    known = sorted(memory.facts(person, active=False), key=lambda fact: fact.relation.valid_from, reverse=True)
    for fact in known[MOST_FACTS:]:
        memory.forget_fact(fact.relation.id)


def live(home: Path, agent: int, until: float, told: Queue[Told], different: int) -> None:
    """One agent's day; every act is told with how long it took, and how much memory the process has.

    Every other act is of a thing that was not yet asked or not yet remembered, until all were: what is kept of words
    and questions to be at hand again is full then, long before the second half.
    """
    chance, said = random.Random(agent), list(texts(different))
    names, weights = list(WEIGHTS), list(WEIGHTS.values())
    heap, looked, acts = Heap(), os.environ.get(LOOK, ""), 0  # a heap as every process has that serves
    new = [(what, text) for text in said for what in ("remember", "recall")]
    chance.shuffle(new)
    with recollect.open(settings=Settings(home=home, embed_threads=1)) as memory:
        while time.time() < until:
            what, among = chance.choices(names, weights)[0], said
            if new and acts % 2:
                what, text = new.pop()
                among = [text]
            began = time.perf_counter()
            try:
                act(memory, chance, what, among, agent)
            except RecollectError as error:
                what = f"refused {error.code}"
            told.put((agent, what, time.perf_counter() - began, resident()))
            acts += 1
            if looked and acts % LOOK_EVERY == 0:
                with Path(looked, f"agent{agent}.jsonl").open("a", encoding="utf-8") as lines:
                    lines.write(look(acts) + "\n")
    heap.stop()


def resident() -> int:
    """How much memory this process has, in bytes."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


class Row(NamedTuple):
    """What a minute came to; sizes are in MB, and of memory it is what the processes had in the middle of it."""

    acts: int
    recall: float
    memory: float
    file: float
    log: float
    records: int
    versions: int

    @property
    def each(self) -> float:
        """kB of the file for each version: what was revised or replaced stays as it was, for good."""
        return 1e3 * self.file / max(self.versions, 1)


def size_of(home: Path, ending: str = "") -> float:
    return sum(path.stat().st_size for path in home.glob(f"recollect.db{ending}")) / 1e6


class Thinning:
    """What a service does daily where it is told for how long history is kept, at the pace of this day.

    A day is so many acts, however fast they follow each other: history is kept for the last so many of them.
    """

    def __init__(self, memory: Memory, told: Queue[Told], kept: int) -> None:
        self._memory, self._told, self._kept = memory, told, kept
        self._moments: list[float] = []
        self._done = 0
        self.seconds = 0.0

    def wait(self, until: float) -> list[Told]:
        """Hears what is done, and thins now and then, until a moment."""
        seen: list[Told] = []
        while time.time() < until:
            while not self._told.empty():
                seen.append(self._told.get())
                self._moments.append(time.time())
            if self._kept and len(self._moments) > self._done + self._kept * 1.1:
                self._done = len(self._moments) - self._kept
                with suppress(StoreBusy):  # the next one goes on with it
                    age = timedelta(seconds=time.time() - self._moments[self._done])
                    self.seconds += sum(one.seconds for one in self._memory.thin(older_than=age))
            time.sleep(max(min(until - time.time(), 1.0), 0))
        return seen


def soak(minutes: float, every: float, different: int, history: int, tell: Callable[[str], None]) -> bool:
    context = multiprocessing.get_context("spawn")
    told: Queue[Told] = context.Queue()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        watching = _filled(home)
        until = time.time() + minutes * 60
        agents = [context.Process(target=live, args=(home, n, until, told, different)) for n in range(AGENTS)]
        for one in agents:
            one.start()
        tell("minute  acts  recall p50  p95     memory of all  file     log       records  versions")
        thinning = Thinning(watching, told, history)
        while time.time() < until:
            seen = thinning.wait(min(time.time() + every * 60, until))
            rows.append(_row(seen, home, tell, len(rows) + 1, tally(watching.core).records))
            if any(one.exitcode for one in agents):
                break
        watching.close()
        for one in agents:
            one.join(60)
        with recollect.open(home) as memory:
            problems = memory.check()
    tell(f"check: {problems or 'all is well'}; exit codes {[one.exitcode for one in agents]}")
    tell(f"history: kept for {f'{history:,}' if history else 'all'} acts; thinning took {thinning.seconds:.1f} s")
    steady = is_steady(rows, tell, MOST_FILE if history else MOST_TIMES)
    return steady and not problems and all(one.exitcode == 0 for one in agents)


def is_steady(rows: Sequence[Row], tell: Callable[[str], None], most_file: float = MOST_FILE) -> bool:
    """Did nothing grow in the second half? How fast acts follow each other is the machine's doing, so memory is held
    against their number, from the warm-up on, and has to be within its limit with what the slope may err by; the last
    quarter of everything else is compared with the one before it.
    """
    half = rows[len(rows) // 2 :]
    before, last = half[: len(half) // 2], half[len(half) // 2 :]
    if len(before) < _FEWEST:
        tell(f"too few rows to judge: {len(rows)}, and it takes {4 * _FEWEST}")
        return False
    steady = [_memory_stays(rows, tell)]
    log = max(row.log for row in half)
    steady.append(log <= MOST_LOG)
    tell(f"second half: log, MB at most: {log:.0f}, at most {MOST_LOG:.0f}: {_verdict(steady[-1])}")
    for name, column in (
        ("recall", "recall"),
        ("records", "records"),
        ("file", "file"),
        ("file for each version", "each"),
    ):
        held = [statistics.median(getattr(row, column) for row in part) for part in (before, last)]
        times = held[1] / max(held[0], 1e-9)
        most = most_file if column == "file" else MOST_TIMES
        steady.append(times <= most)
        tell(f"last quarter to the one before: {name}: {times:.2f}, at most {most}: {_verdict(steady[-1])}")
    return all(steady)


def _memory_stays(rows: Sequence[Row], tell: Callable[[str], None]) -> bool:
    """Does memory stay as it is in the second half, once what is kept to be at hand again is full?"""
    so_far = list(accumulate(float(row.acts) for row in rows))
    later = [place for place in range(len(rows) // 2, len(rows)) if so_far[place] >= WARM_UP]
    if len(later) < 2 * _FEWEST:
        tell(f"memory: too few acts to judge: {so_far[-1]:,.0f}, and {WARM_UP:,} are the beginning")
        return False
    each, spread = slope_of([so_far[place] for place in later], [1e3 * rows[place].memory for place in later])
    stays = each + spread <= MOST_KB
    told = f"{each:+.2f} ± {spread:.2f}, at most {MOST_KB}: {_verdict(stays)}"
    tell(f"second half, from act {so_far[later[0]]:,.0f} on: memory, kB for each act: {told}")
    return stays


def versions_of(home: Path) -> int:
    """How many versions a store keeps, those of before with those that stand."""
    with closing(sqlite3.connect(f"{(home / 'recollect.db').as_uri()}?mode=ro", uri=True)) as connection:
        return connection.execute("SELECT count(*) FROM records").fetchone()[0]


def slope_of(along: Sequence[float], held: Sequence[float]) -> tuple[float, float]:
    """How steep the line is that fits best, and by how much it may be another."""
    slope, start = statistics.linear_regression(along, held)
    beside = sum((one - start - slope * at) ** 2 for at, one in zip(along, held, strict=True)) / (len(held) - 2)
    middle = statistics.fmean(along)
    return slope, ERRORS * math.sqrt(beside / sum((at - middle) ** 2 for at in along))


def _verdict(steady: bool) -> str:
    return "steady" if steady else "GROWS"


def _filled(home: Path) -> Memory:
    """A memory that holds as much as it may, with all vectors; it computes none itself."""
    with recollect.open(home) as memory:
        memory.remember_many([{"text": f"{text} ({n})"} for n, text in enumerate(texts(CAP))])
        memory.embed_waiting()
    return recollect.open(settings=Settings(home=home, embedder="none"))


def _row(seen: Sequence[Told], home: Path, tell: Callable[[str], None], n: int, records: int) -> Row:
    recalls = sorted(seconds for _, what, seconds, _ in seen if what == "recall") or [0.0]
    refused = sum(what.startswith("refused") for _, what, _, _ in seen)
    each = [
        statistics.median([held for one, _, _, held in seen if one == agent] or [0]) / 1e6 for agent in range(AGENTS)
    ]
    late = recalls[int(len(recalls) * 0.95) - 1] * 1e3
    row = Row(
        len(seen),
        statistics.median(recalls) * 1e3,
        sum(each),
        size_of(home),
        size_of(home, "-wal"),
        records,
        versions_of(home),
    )
    said = f"{n:>6}  {row.acts:>4}  {row.recall:>7.1f} ms  {late:>5.0f} ms  {row.memory:>9.1f} MB  {row.file:>5.1f} MB"
    sizes = " + ".join(f"{held:.1f}" for held in each)
    tell(f"{said}  {row.log:>5.1f} MB  {records:>7,}  {row.versions:>8,}  {refused} refused  {sizes} MB")
    return row


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--every", type=float, default=1.0, help="minutes between two rows")
    parser.add_argument(
        "--texts", type=int, default=500,
        help="how many different things are said and asked: of more, what is kept to be at hand again fills for longer",
    )  # fmt: skip
    parser.add_argument("--history", type=int, default=HISTORY, help="for how many acts history is kept; 0: for ever")
    given = parser.parse_args()
    sys.exit(0 if soak(given.minutes, given.every, given.texts, given.history, partial(print, flush=True)) else 1)
