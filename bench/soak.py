"""Does a memory stay as small and as quick after a long day? `python -m bench.soak --minutes 30`.

Three processes live a day of three agents on one store, as fast as it lets them: messages of a session are captured,
questions asked, documents brought in, facts stated, records revised and forgotten, spaces put in order, old records
evicted, sessions compacted, and lists read as the page reads them. The store is full to its cap before they begin, and
what comes in is evicted again, so that everything should stay as it is. Each minute memory, files and latencies are
measured. What the second half says is held against limits, and decides the exit code.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from multiprocessing.queues import Queue
from pathlib import Path

import recollect
from bench.texts import texts
from recollect import Memory, RecollectError, Settings
from recollect.serve.heaps import Heap

AGENTS = 3
CAP = 1_500
MOST_KB = 0.3
"""So much memory may come for each act, in all processes together: 9 MB for such a day."""
MOST_TIMES = 1.3
"""So many times as large a file, or as slow a recall, is still the same: others use the machine, too."""
_FEWEST = 3  # rows of a quarter
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
    heap = Heap()  # as every process has that serves
    with recollect.open(settings=Settings(home=home, embed_threads=1)) as memory:
        while time.time() < until:
            what = chance.choices(names, weights)[0]
            began = time.perf_counter()
            try:
                act(memory, chance, what, said, agent)
            except RecollectError as error:
                what = f"refused {error.code}"
            told.put((agent, what, time.perf_counter() - began, resident()))
    heap.stop()


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
    steady = is_steady(rows, tell)
    return steady and not problems and all(one.exitcode == 0 for one in agents)


def is_steady(rows: Sequence[tuple[int, float, float, float]], tell: Callable[[str], None]) -> bool:
    """Did nothing grow in the second half? How fast acts follow each other is the machine's doing, so memory is held
    against their number; the last quarter of files and latencies is compared with the one before it.
    """
    half = rows[len(rows) // 2 :]
    before, last = half[: len(half) // 2], half[len(half) // 2 :]
    if len(before) < _FEWEST:
        tell(f"too few rows to judge: {len(rows)}, and it takes {4 * _FEWEST}")
        return False
    so_far = [float(sum(row[0] for row in half[: n + 1])) for n in range(len(half))]
    each = statistics.linear_regression(so_far, [row[2] for row in half]).slope * 1e3
    found = {"memory, kB for each act": (each, MOST_KB)}
    for name, column in (("recall p50, last quarter to the one before", 1), ("file, likewise", 3)):
        held = [statistics.median(row[column] for row in part) for part in (before, last)]
        found[name] = held[1] / max(held[0], 1e-9), MOST_TIMES
    for name, (value, most) in found.items():
        tell(f"second half: {name}: {value:+.2f}, at most {most}: {'steady' if value <= most else 'GROWS'}")
    return all(value <= most for value, most in found.values())


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
        "--texts", type=int, default=500,
        help="how many different things are said and asked: of more, what is kept to be at hand again fills for longer",
    )  # fmt: skip
    given = parser.parse_args()
    sys.exit(0 if soak(given.minutes, given.every, given.texts, lambda line: print(line, flush=True)) else 1)
