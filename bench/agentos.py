"""How many calls a second does the iii server answer, and does upkeep of a large space hold anybody up?

The server is a process of its own, reached over one WebSocket and over fifty; beside it stands a bare server of the
same WebSocket library, which sends back what it gets. Upkeep runs in this process, on a space that has to fade and then
to shrink to a tenth, while a thread recalls and another process writes all the time; both did so before it began, too.
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
from typing import NamedTuple

from websockets.asyncio.client import ClientConnection, connect

from bench.stores import open_quiet, stand_in
from bench.table import Cell, Plan, Table, quantile, within
from bench.texts import questions, texts
from recollect import Maintained, Memory
from recollect.engine.read.by_signal import appraise

SIZE = 10_000
LARGE = 100_000
CALLS_A_SECOND = 300
CLIENTS = 50
UPKEEP_SECONDS = 5.0
PAUSE_MS = 50.0
STARVED = 2.0  # times as long as the fastest client: so long none may need for the same questions
_AGENT = "agent"
_SEED = 5
_BATCH = 10_000
_CALM_SECONDS = 2.0
_WRITER = """
import sys, threading, time, recollect
settings = recollect.Settings(home=recollect.load_settings(sys.argv[1]).home, embedder="none")
asked = threading.Event()
threading.Thread(target=lambda: [asked.set() for _ in sys.stdin], daemon=True).start()
longest, wrote = 0.0, 0
with recollect.open(settings=settings) as memory:
    print("ready", flush=True)
    while True:
        if asked.wait(0.005):
            asked.clear()
            print(longest * 1e3, flush=True)
            longest = 0.0
        began = time.perf_counter()
        memory.remember(f"Another process wrote this as number {wrote}.", space="elsewhere")
        longest, wrote = max(longest, time.perf_counter() - began), wrote + 1
"""
_ECHO = """
import asyncio
from websockets.asyncio.server import serve

async def echo(client):
    await client.send("ready")
    async for frame in client:
        await client.send(frame)

async def main():
    async with serve(echo, "127.0.0.1", 0, compression=None) as server:
        print(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
        await server.serve_forever()

asyncio.run(main())
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


class _Echo:
    """A process that sends back every frame, for as long as the body runs."""

    def __enter__(self) -> str:
        self._process = subprocess.Popen([sys.executable, "-c", _ECHO], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()


def _is_answer(frame: str | bytes, question: str) -> bool:
    answer = json.loads(frame)
    return answer["invocation_id"] == question and bool(answer.get("result") or answer.get("data"))


async def _ask(client: ClientConnection, question: str) -> bool:
    data = {"agentId": _AGENT, "query": question, "limit": 10}
    call = {"type": "invokefunction", "invocation_id": question, "function_id": "memory::recall", "data": data}
    await client.send(json.dumps(call))
    return _is_answer(await client.recv(), question)


class _Client:
    """One connection that asks one question after the other: the milliseconds of each, and how many had no answer."""

    def __init__(self) -> None:
        self.took: list[float] = []
        self.unanswered = 0

    async def run(self, url: str, asked: Sequence[str]) -> None:
        async with connect(url, compression=None) as client:
            await client.recv()
            for question in asked:
                began = time.perf_counter()
                self.unanswered += not await _ask(client, question)
                self.took.append((time.perf_counter() - began) * 1e3)


async def _together(url: str, asked: Sequence[str], count: int) -> tuple[float, list[_Client]]:
    """So many clients at once: calls a second of all of them, and each of them."""
    clients = [_Client() for _ in range(count)]
    began = time.perf_counter()
    await asyncio.gather(*(client.run(url, asked) for client in clients))
    return sum(len(client.took) for client in clients) / (time.perf_counter() - began), clients


def _row(name: str, rate: float, clients: Sequence[_Client], holds: bool | None) -> tuple[Cell, ...]:
    every = [ms for client in clients for ms in client.took]
    totals = [sum(client.took) for client in clients]
    uneven = max(totals) / min(totals) if len(totals) > 1 else None
    return name, rate, quantile(every, 0.5), quantile(every, 0.99), uneven, None if holds is None else within(holds)


def _served(plan: Plan) -> Table:
    size, repeats = min(SIZE, max(plan.sizes)), max(plan.repeats, 3)
    asked = questions(plan.questions, size, _SEED)
    with _Server(_copy(_fill(plan.folder, size))) as url, _Echo() as bare:
        asyncio.run(_Client().run(url, asked))  # their vectors are cached from here on
        turns = [
            (asyncio.run(_together(url, asked, 1)), asyncio.run(_together(bare, asked, 1))) for _ in range(repeats)
        ]
        alone, one = sorted((ours for ours, _ in turns), key=lambda turn: turn[0])[repeats // 2]
        echo, sent = sorted((theirs for _, theirs in turns), key=lambda turn: turn[0])[repeats // 2]
        together, many = asyncio.run(_together(url, asked, CLIENTS))
    totals = [sum(client.took) for client in many]
    fair = max(totals) <= STARVED * min(totals) and not any(client.unanswered for client in many)
    rows = (
        _row("1 WebSocket", alone, one, alone >= CALLS_A_SECOND and not one[0].unanswered),
        _row(f"{CLIENTS} WebSockets", together, many, fair and together >= CALLS_A_SECOND),
        _row("1 WebSocket, sent back by a bare server", echo, sent, None),
    )
    note = (
        f"Clients and servers share the machine; over one WebSocket it is the median of {repeats} turns. Limits:"
        f" {CALLS_A_SECOND} calls a second, all answered, and no client takes {STARVED:g} times as long as another."
    )
    columns = (f"memory::recall at {size:,}", "calls/s", "p50 ms", "p99 ms", "slowest / fastest client", "holds")
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
            appraise(self._memory, question, space=_AGENT)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._done.wait(0.002):
            began = time.perf_counter()
            appraise(self._memory, self._asked[len(self.took) % len(self._asked)], space=_AGENT)
            self.took.append((time.perf_counter() - began) * 1e3)


class _Writing:
    """Another process that writes all the time. `longest` asks for the milliseconds of its longest write since."""

    def __init__(self, home: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> _Writing:
        self._read()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def longest(self) -> float:
        assert self._process.stdin is not None
        self._process.stdin.write("?\n")
        self._process.stdin.flush()
        return float(self._read())

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


class _Measured(NamedTuple):
    """How much an upkeep changed, in how many seconds, and the milliseconds of recalls and writes beside it."""

    changed: int
    seconds: float
    before: list[float]
    meanwhile: list[float]
    write_before: float
    write_meanwhile: float
    swept: float


def _run_upkeep(home: Path, asked: Sequence[str], work: Callable[[Memory], list[Maintained]]) -> _Measured:
    with open_quiet(home, stand_in()) as memory:
        memory.remember("The other process writes here.", space="elsewhere")
        with _Writing(home) as writing:
            with _Recalling(memory, asked) as calm:
                time.sleep(_CALM_SECONDS)
            write_before = writing.longest()
            with _Recalling(memory, asked) as recalling:
                began = time.perf_counter()
                done = work(memory)
                took = time.perf_counter() - began
            write_meanwhile = writing.longest()
        began = time.perf_counter()
        memory.sweeping.finish()
        swept = time.perf_counter() - began
        assert memory.check() == []
    count = sum(one.count for one in done)
    return _Measured(count, took, calm.took, recalling.took, write_before, write_meanwhile, swept)


def _upkeep(plan: Plan) -> Table:
    size = min(LARGE, max(plan.sizes))
    asked = questions(plan.questions, size, _SEED)
    works: dict[str, Callable[[Memory], list[Maintained]]] = {
        "consolidate": lambda memory: memory.consolidate(space=_AGENT),
        "evict": lambda memory: memory.evict(space=_AGENT, cap=size // 10),
    }
    rows: list[tuple[Cell, ...]] = []
    for name, work in works.items():
        found = _run_upkeep(_copy(_fill(plan.folder, size)), asked, work)
        rows.append(
            (
                name, found.changed, found.seconds, quantile(found.before, 0.5), max(found.before),
                quantile(found.meanwhile, 0.99), max(found.meanwhile), found.write_before, found.write_meanwhile,
                found.swept, within(found.seconds < UPKEEP_SECONDS and max(found.meanwhile) < PAUSE_MS),
            )
        )  # fmt: skip
    columns = (
        f"of {size:,}", "changed", "s", "recall p50 ms before", "longest", "p99 ms meanwhile", "longest",
        "longest write ms before", "meanwhile", "swept after, s", "holds",
    )  # fmt: skip
    note = f"Limits: {UPKEEP_SECONDS:.0f} s, and no recall over {PAUSE_MS:.0f} ms. Another process writes all the time."
    return Table("agentos: upkeep", columns, tuple(rows), note)


def run(plan: Plan) -> list[Table]:
    return [_served(plan), _upkeep(plan)]
