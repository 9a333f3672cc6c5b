"""Does a memory stay as small and as quick after a long day? `python -m bench.soak --minutes 30`.

Three processes live a day of three agents on one store, as fast as it lets them: messages of a session are captured,
questions asked, documents brought in, facts stated, records revised and forgotten, spaces put in order, old records
evicted, sessions compacted, and lists read as the page reads them. The store is full to its cap before they begin, and
what comes in is evicted again, so that everything should stay as it is. Each minute memory, files and latencies are
measured.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing.queues import Queue
from pathlib import Path

import recollect
from bench.texts import texts
from recollect import Memory, RecollectError, Settings
from recollect.serve.heaps import share_heap

AGENTS = 3
CAP = 1_500
_WEIGHTS = {
    "capture": 30,
    "recall": 40,
    "list": 8,
    "ingest": 4,
    "relate": 5,
    "revise": 5,
    "forget": 3,
    "dream": 1,
    "evict": 2,
    "compact": 2,
}


def act(memory: Memory, chance: random.Random, what: str, said: list[str], agent: int) -> None:
    """One thing that an agent, a person or the schedule does."""
    text = f"{chance.choice(said)} ({chance.randrange(10**6)})"
    if what == "capture":
        memory.ingest_conversation([{"role": "user", "content": text}], session=f"day{chance.randrange(40)}-{agent}")
    elif what == "recall":
        memory.recall(chance.choice(said)[:80], limit=8)
    elif what == "list":
        memory.list(limit=50, order="newest")
        memory.tally()
    elif what == "ingest":
        memory.ingest(
            f"# Notes\n\n{text}\n\n## More\n\n{chance.choice(said)}\n", source=f"doc{chance.randrange(30)}.md"
        )
    elif what == "relate":
        memory.relate(f"Person {chance.randrange(50)}", "works on", f"Project {chance.randrange(50)}")
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
        memory.compact_session(f"day{chance.randrange(40)}-{agent}", threshold=30, keep_recent=5, max_words=60)


def live(home: Path, agent: int, until: float, told: Queue[tuple[int, str, float, int]], different: int) -> None:
    """One agent's day; every act is told with how long it took, and how much memory the process has."""
    chance, said = random.Random(agent), list(texts(different))
    names, weights = list(_WEIGHTS), list(_WEIGHTS.values())
    share_heap()  # as every process does that serves
    with recollect.open(settings=Settings(home=home, embed_threads=1)) as memory:
        while time.time() < until:
            what = chance.choices(names, weights)[0]
            began = time.perf_counter()
            try:
                act(memory, chance, what, said, agent)
            except RecollectError as error:
                what = f"refused {error.code}"
            told.put((agent, what, time.perf_counter() - began, resident()))


def resident() -> int:
    """How much memory this process has, in bytes."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def size_of(home: Path) -> int:
    return sum(path.stat().st_size for path in home.glob("recollect.db*"))


def soak(minutes: float, every: float, different: int, tell: Callable[[str], None]) -> bool:
    context = multiprocessing.get_context("spawn")
    told: Queue[tuple[int, str, float, int]] = context.Queue()
    rows: list[tuple[int, float, float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        watching = _filled(home)
        until = time.time() + minutes * 60
        agents = [context.Process(target=live, args=(home, n, until, told, different)) for n in range(AGENTS)]
        for one in agents:
            one.start()
        tell("minute  acts  recall p50  p95     memory of all  file     records")
        while time.time() < until:
            time.sleep(min(every * 60, max(until - time.time(), 0)))
            rows.append(_row(told, home, tell, len(rows) + 1, watching.tally().records))
        watching.close()
        for one in agents:
            one.join(60)
        with recollect.open(home) as memory:
            problems = memory.check()
    tell(f"check: {problems or 'all is well'}; exit codes {[one.exitcode for one in agents]}")
    half = rows[len(rows) // 2 :]
    tell(f"second half: memory grows by {_slope([row[2] for row in half]) / every:+.2f} MB a minute, all together")
    growth = [half[-1][n] / max(half[0][n], 1e-9) for n in (1, 2, 3)]
    tell(f"second half, last to first: recall p50 ×{growth[0]:.2f}, memory ×{growth[1]:.2f}, file ×{growth[2]:.2f}")
    return not problems and all(one.exitcode == 0 for one in agents)


def _slope(values: list[float]) -> float:
    """By how much values grow from one to the next."""
    return statistics.linear_regression(range(len(values)), values).slope if len(values) > 1 else 0.0


def _filled(home: Path) -> Memory:
    """A memory that holds as much as it may, with all vectors; it computes none itself."""
    with recollect.open(home) as memory:
        memory.remember_many([{"text": f"{text} ({n})"} for n, text in enumerate(texts(CAP))])
        memory.embed_waiting()
    return recollect.open(settings=Settings(home=home, embedder="none"))


def _row(
    told: Queue[tuple[int, str, float, int]], home: Path, tell: Callable[[str], None], n: int, records: int
) -> tuple[int, float, float, float]:
    seen: list[tuple[int, str, float, int]] = []
    while not told.empty():
        seen.append(told.get())
    recalls = sorted(seconds for _, what, seconds, _ in seen if what == "recall") or [0.0]
    refused = sum(what.startswith("refused") for _, what, _, _ in seen)
    last = {agent: held / 1e6 for agent, _, _, held in seen}
    memory = sum(last.values())
    middle, late = statistics.median(recalls) * 1e3, recalls[int(len(recalls) * 0.95) - 1] * 1e3
    file = size_of(home) / 1e6
    said = f"{n:>6}  {len(seen):>4}  {middle:>7.1f} ms  {late:>5.0f} ms  {memory:>9.0f} MB  {file:>5.1f} MB"
    tell(
        f"{said}  {records:>7,}  {refused} refused  {' + '.join(f'{held:.0f}' for _, held in sorted(last.items()))} MB"
    )
    return len(seen), middle, memory, file


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--every", type=float, default=1.0, help="minutes between two rows")
    parser.add_argument(
        "--texts", type=int, default=2_000,
        help="how many different things are said and asked: of few, what is kept to be at hand again is full soon",
    )  # fmt: skip
    given = parser.parse_args()
    sys.exit(0 if soak(given.minutes, given.every, given.texts, lambda line: print(line, flush=True)) else 1)
