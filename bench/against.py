"""Is a change slower? Two source trees by turns, in one run: `python -m bench.against OLD/src [NEW/src]`.

Every figure is taken in a process of its own, old and new in turns, so that what else the machine does falls on both.
Printed is the median of each and their ratio. `--records` is how many the bundled model embeds before it is asked.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ASK = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}
WORK = """
import statistics, sys, tempfile, time
from pathlib import Path

import recollect
from recollect import Settings

what, records = sys.argv[1], int(sys.argv[2])
text = "Fact {0} about topic {1}: the harbour of city {2} was told at length by captain {3}."


def facts(count, start=0):
    return [{"text": text.format(n, n % 97, n % 1013, n % 31)} for n in range(start, start + count)]


def timed(act, times):
    took = []
    for turn in range(times):
        begun = time.perf_counter()
        act(turn)
        took.append(time.perf_counter() - begun)
    return statistics.median(took) * 1e3


with tempfile.TemporaryDirectory() as home:
    plain = Settings(home=Path(home), embedder="none")
    if what == "remember":
        with recollect.open(settings=plain) as memory:
            print(timed(lambda n: memory.remember(text.format(n, n, n, n)), 300))
    elif what == "batch":
        with recollect.open(settings=plain) as memory:
            print(timed(lambda n: memory.remember_many(facts(1_000, 1_000 * n)), 5))
    elif what == "spaces":
        with recollect.open(settings=plain) as memory:
            for space in range(100):
                memory.remember_many(facts(100, 100 * space), space=f"s{space}")
            print(timed(lambda n: memory.recall(f"what about topic {n} and city {n}?", space=None), 30))
    else:
        with recollect.open(home) as memory:
            memory.remember_many(facts(records))
            memory.embed_waiting()
            memory.recall("warm")
            asked = [f"what did captain {n} tell of city {n * 7}?" for n in range(40)]
            for question in asked:
                memory.recall(question)
            print(timed(lambda n: memory.recall(asked[n]), 40))
"""


def start(tree: Path) -> float:
    """Milliseconds from spawn to the answer to tools/list."""
    with tempfile.TemporaryDirectory() as home:
        begun = time.perf_counter()
        command = [sys.executable, "-m", "recollect.cli", "serve", "--home", home]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment(tree)
        ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            for message in (HELLO, ASK):
                server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            for _ in (HELLO, ASK):
                server.stdout.readline()
            took = time.perf_counter() - begun
            server.stdin.close()
            server.wait(timeout=20)
    return 1e3 * took


def work(tree: Path, what: str, records: int) -> float:
    command = [sys.executable, "-c", WORK, what, str(records)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=_environment(tree))
    return float(done.stdout)


def _environment(tree: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path, nargs="?", default=Path(__file__).parents[1] / "src")
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    measures = {
        "spawn to tools/list": lambda tree: start(tree),
        "remember, one by one": lambda tree: work(tree, "remember", 0),
        "remember, a batch of 1,000": lambda tree: work(tree, "batch", 0),
        "recall over 100 spaces of 100, keywords": lambda tree: work(tree, "spaces", 0),
        f"recall at {args.records:,}, bundled model": lambda tree: work(tree, "recall", args.records),
    }
    print("| milliseconds, median | old | new | new / old |\n|---|---|---|---|")
    for name, measure in measures.items():
        rounds = 1 if "bundled" in name else args.rounds * (4 if "spawn" in name else 1)
        found = [(measure(args.old), measure(args.new)) for _ in range(rounds)]
        old, new = (statistics.median(one) for one in zip(*found, strict=True))
        print(f"| {name} | {old:.2f} | {new:.2f} | {new / old:.2f} |", flush=True)


if __name__ == "__main__":
    main()
