"""How many calls a second does the iii server answer, and does upkeep of a large space hold anybody up?

The server is a process of its own, reached over one WebSocket and over fifty. Upkeep runs in this process, on a space
that has to fade and then to shrink to a tenth, while a thread recalls and another process writes all the time.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

from websockets.asyncio.client import ClientConnection, connect

from bench.stores import open_quiet, stand_in
from bench.table import Plan, Table, quantile, within
from bench.texts import questions, texts
from recollect import Memory, Upkeep

SIZE = 10_000
LARGE = 100_000
CALLS_A_SECOND = 300
CLIENTS = 50
UPKEEP_SECONDS = 5.0
PAUSE_MS = 50.0
_AGENT = "agent"
_SEED = 5
_BATCH = 10_000
_WRITER = """
import sys, time, recollect
longest, wrote = 0.0, 0
settings = recollect.Settings(home=recollect.load_settings(sys.argv[1]).home, embedder="none")
with recollect.open(settings=settings) as memory:
    print("ready", flush=True)
    import threading
    done = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), done.set()), daemon=True).start()
    while not done.wait(0.005):
        began = time.perf_counter()
        memory.remember(f"Another process wrote this as number {wrote}.", space="elsewhere")
        longest, wrote = max(longest, time.perf_counter() - began), wrote + 1
print(longest * 1e3, wrote)
"""


def _fill(folder: Path, size: int) -> Path:
    """A store of an agent's memories, all of them old, none of them used, with vectors."""
    home = folder / f"agentos-{size}"
    if (home / "filled").exists():
        return home
    old = datetime.now(UTC) - timedelta(days=60)
    with open_quiet(home, stand_in()) as memory:
        rows = (
            {"text": text, "role": "user", "importance": 0.3 + 0.6 * (at % 10) / 10, "event_time": old}
            for at, text in enumerate(texts(size, _SEED))
        )
        while batch := list(islice(rows, _BATCH)):
            memory.remember_many(batch, space=_AGENT)
        memory.embed_waiting()
    (home / "filled").touch()
    return home


def _copy(home: Path) -> Path:
    copy = home.with_name(f"{home.name}-copy")
    shutil.rmtree(copy, ignore_errors=True)
    return Path(shutil.copytree(home, copy))


# Calls


class _Server:
    """`recollect serve --as agentos --iii` as a process, for as long as the body runs."""

    def __init__(self, home: Path) -> None:
        command = [sys.executable, "-m", "recollect.cli", "serve", "--as", "agentos", "--iii", "127.0.0.1:0"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "RECOLLECT_HOME": str(home), "RECOLLECT_EMBED_DELAY": "1000000"},
        )  # fmt: skip

    def __enter__(self) -> str:
        assert self._process.stderr is not None
        return self._process.stderr.readline().partition(" on ")[2].strip()

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


async def _ask(client: ClientConnection, question: str) -> None:
    data = {"agentId": _AGENT, "query": question, "limit": 10}
    call = {"type": "invokefunction", "invocation_id": question, "function_id": "memory::recall", "data": data}
    await client.send(json.dumps(call))
    answer = json.loads(await client.recv())
    assert answer["invocation_id"] == question, answer
    assert answer["result"], answer


async def _client(url: str, asked: Sequence[str]) -> list[float]:
    took: list[float] = []
    async with connect(url, compression=None) as client:
        await client.recv()
        for question in asked:
            began = time.perf_counter()
            await _ask(client, question)
            took.append((time.perf_counter() - began) * 1e3)
    return took


async def _calls(url: str, asked: Sequence[str], repeats: int) -> tuple[float, list[float], float, list[float]]:
    """Calls a second and milliseconds of each, over one connection and over many at once."""
    await _client(url, asked)  # their vectors are cached from here on
    began = time.perf_counter()
    one = await _client(url, list(asked) * repeats)
    alone = len(one) / (time.perf_counter() - began)
    began = time.perf_counter()
    many = await asyncio.gather(*(_client(url, asked) for _ in range(CLIENTS)))
    every = [ms for took in many for ms in took]
    return alone, one, len(every) / (time.perf_counter() - began), every


def _served(plan: Plan) -> Table:
    size = min(SIZE, max(plan.sizes))
    asked = questions(plan.questions, size, _SEED)
    with _Server(_copy(_fill(plan.folder, size))) as url:
        alone, one, together, every = asyncio.run(_calls(url, asked, max(plan.repeats, 3)))
    rows = (
        ("1 WebSocket", alone, quantile(one, 0.5), quantile(one, 0.99), within(alone >= CALLS_A_SECOND)),
        (f"{CLIENTS} WebSockets", together, quantile(every, 0.5), quantile(every, 0.99), within(True)),
    )
    note = f"Client and server share the machine; the limit is {CALLS_A_SECOND} calls a second over one WebSocket."
    columns = (f"memory::recall at {size:,}", "calls/s", "p50 ms", "p99 ms", "holds")
    return Table("agentos: calls", columns, rows, note)


# Upkeep


class _Recalling:
    """Recalls in a thread, and remembers the longest that one took."""

    def __init__(self, memory: Memory, asked: Sequence[str]) -> None:
        self._memory, self._asked = memory, asked
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.took: list[float] = []

    def __enter__(self) -> _Recalling:
        for question in self._asked:
            self._memory.appraise(question, space=_AGENT)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._done.wait(0.002):
            began = time.perf_counter()
            self._memory.appraise(self._asked[len(self.took) % len(self._asked)], space=_AGENT)
            self.took.append((time.perf_counter() - began) * 1e3)


def _run_upkeep(
    home: Path, asked: Sequence[str], work: Callable[[Memory], list[Upkeep]]
) -> tuple[int, float, list[float], list[float], float]:
    """How many, how long, what each recall took before and meanwhile, and the longest write of another process."""
    writer = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    with open_quiet(home, stand_in()) as memory:
        memory.remember("The other process writes here.", space="elsewhere")
        with _Recalling(memory, asked) as calm:
            time.sleep(1)
        writer.stdout.readline()
        with _Recalling(memory, asked) as recalling:
            began = time.perf_counter()
            done = work(memory)
            took = time.perf_counter() - began
        written, _ = writer.communicate()
        memory.finish_sweeping()
        assert memory.check() == []
    return sum(one.count for one in done), took, calm.took, recalling.took, float(written.split()[0])


def _upkeep(plan: Plan) -> Table:
    size = min(LARGE, max(plan.sizes))
    asked = questions(plan.questions, size, _SEED)
    works: dict[str, Callable[[Memory], list[Upkeep]]] = {
        "consolidate": lambda memory: memory.consolidate(space=_AGENT),
        "evict": lambda memory: memory.evict(space=_AGENT, cap=size // 10),
    }
    rows: list[tuple[object, ...]] = []
    for name, work in works.items():
        count, took, calm, busy, write = _run_upkeep(_copy(_fill(plan.folder, size)), asked, work)
        holds = took < UPKEEP_SECONDS and max(busy) < PAUSE_MS
        rows.append((name, count, took, quantile(calm, 0.99), quantile(busy, 0.99), max(busy), write, within(holds)))
    columns = (
        f"of {size:,}", "changed", "s", "recall p99 ms before", "p99 ms meanwhile", "longest ms", "longest write ms",
        "holds",
    )  # fmt: skip
    note = f"Limits: {UPKEEP_SECONDS:.0f} s, and no recall over {PAUSE_MS:.0f} ms. Another process writes meanwhile."
    return Table("agentos: upkeep", columns, tuple(rows), note)


def run(plan: Plan) -> list[Table]:
    return [_served(plan), _upkeep(plan)]
