"""How much does one service carry, and what do many agents cost that share one engine?

Everything is measured in real processes of `recollect up` and `recollect serve`, in one run: limits that are ratios
compare figures of the same minute. The client is one process of asyncio with bare HTTP, on the same processors.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.start import environment, resident_mb
from bench.stores import filled, open_quiet
from bench.table import Cell, Plan, Table, median, quantile, within
from bench.texts import questions

RECORDS = 100_000
CONNECTIONS = 32
LIMIT_RECALLS, LIMIT_READS, LIMIT_P99_MS = 200, 500, 250
LIMIT_GROWTH = 1.1
AGENTS, LIMIT_MEMORY, LIMIT_SLOWER, LIMIT_RELAY_MS = 10, 1.5, 3, 1
_QUESTIONS = 10  # times as many as elsewhere: their candidates do not all fit into what is kept in memory
_SECONDS, _SOAK_SECONDS, _MINUTE, _PACE = 10.0, 600.0, 60.0, 0.2
_NEW = "2026-07-28"
_MAIN = "import sys; from recollect.cli import main; sys.exit(main())"  # as the installed command has it
_META = "io.modelcontextprotocol/"


def run(plan: Plan) -> list[Table]:
    size = min(RECORDS, max(plan.sizes))
    home = filled(plan.folder, f"service-{size}", {"default": size})
    asked = questions(_QUESTIONS * plan.questions, size)  # each of the words of another text: no two are alike
    seconds = 0.5 if plan.tiny else _SECONDS
    with served(home) as (url, pid):
        warm_up(url, asked)
        carried = [carry(url, "recalls by MCP", [recall_request(text) for text in asked], seconds, LIMIT_RECALLS)]
        ids = some_ids(home)
        reads = [get_request(f"/api/records/{id}") for id in ids]
        carried.append(carry(url, "reads by REST", reads, seconds, LIMIT_READS))
        soaked, minutes = soak(url, pid, asked, seconds if plan.quick else _SOAK_SECONDS)
    load = Table(
        "service-load", ("what is asked", "a second", "p50 ms", "p99 ms", "limit", "within"), tuple(carried),
        f"{size:,} records, {CONNECTIONS} connections, {len(asked):,} different questions by turns, whose vectors are "
        "cached, after half as long of the same; the client and the process that reads on the same processors.",
    )  # fmt: skip
    told = f"MB after each minute: {', '.join(f'{mb:.0f}' for mb in minutes)}." if len(minutes) > 1 else ""
    steady = Table("service-soak", ("seconds", "MB before", "MB after", "requests", "limit", "within"), (soaked,), told)
    return [load, steady, agents(home, asked[: plan.questions], 2.0 if plan.quick else _SECONDS)]


@contextmanager
def served(home: Path) -> Generator[tuple[str, int]]:
    """The address of a service, and its process."""
    command = [sys.executable, "-m", "recollect.cli", "up", "--home", str(home), "--http", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=quiet(), text=True) as service:
        try:
            assert service.stdout is not None
            found = re.search(r"http://[\d.]+:\d+", service.stdout.readline())
            assert found is not None
            yield found[0], service.pid
        finally:
            service.terminate()


def quiet() -> dict[str, str]:
    """Nothing is computed in the background while something is measured."""
    return {**environment(), "RECOLLECT_EMBED_DELAY": "1000000"}


def some_ids(home: Path, count: int = 200) -> list[str]:
    with open_quiet(home) as memory:
        return [record.id for record in memory.list(limit=count)]


# One service, many connections


def recall_request(text: str) -> bytes:
    meta = {_META + "protocolVersion": _NEW, _META + "clientCapabilities": dict[str, str]()}
    params = {"name": "recall", "arguments": {"query": text, "limit": 5}, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    lines = [
        "POST /mcp HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json", f"Content-Length: {len(body)}",
        "Accept: application/json, text/event-stream", f"MCP-Protocol-Version: {_NEW}", "Mcp-Method: tools/call",
        "Mcp-Name: recall", "", "",
    ]  # fmt: skip
    return "\r\n".join(lines).encode() + body


def get_request(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()


def warm_up(url: str, asked: Sequence[str]) -> None:
    """Every question once: its vector is computed, and the index is in memory."""
    asyncio.run(ask_all(url, [recall_request(text) for text in asked], 1, None))


def carry(url: str, name: str, requests: Sequence[bytes], seconds: float, limit: int) -> tuple[Cell, ...]:
    asyncio.run(ask_all(url, requests, CONNECTIONS, seconds / 2))
    began = time.perf_counter()
    taken = asyncio.run(ask_all(url, requests, CONNECTIONS, seconds))
    rate = len(taken) / (time.perf_counter() - began)
    p99 = quantile(taken, 0.99)
    holds = within(rate >= limit and p99 < LIMIT_P99_MS)
    return name, rate, median(taken), p99, f"{limit} a second, p99 {LIMIT_P99_MS} ms", holds


async def ask_all(url: str, requests: Sequence[bytes], connections: int, seconds: float | None) -> list[float]:
    """How many milliseconds each answer took; each request once, or again and again for some seconds."""
    end = None if seconds is None else time.perf_counter() + seconds
    found = await asyncio.gather(*(ask_on(url, requests, at, end) for at in range(connections)))
    return [one for some in found for one in some]


async def ask_on(url: str, requests: Sequence[bytes], at: int, end: float | None) -> list[float]:
    place = urlsplit(url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    taken: list[float] = []
    while time.perf_counter() < end if end is not None else len(taken) < len(requests):
        began = time.perf_counter()
        writer.write(requests[(at + len(taken)) % len(requests)])
        await read_answer(reader)
        taken.append((time.perf_counter() - began) * 1e3)
    writer.close()
    return taken


async def read_answer(reader: asyncio.StreamReader) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(head.decode())
    length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    if length is not None:
        await reader.readexactly(int(length[1]))
        return
    while size := int(await reader.readline(), 16):  # an answer that took long comes as a stream
        await reader.readexactly(size + 2)
    await reader.readline()


def service_mb(pid: int) -> float:
    """What a service takes together with the processes that read for it."""
    shown = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return sum(resident_mb(int(one)) for one in [pid, *shown.stdout.split()])


def soak(url: str, pid: int, asked: Sequence[str], seconds: float) -> tuple[tuple[Cell, ...], list[float]]:
    """Does it hold more memory after a while than before? And how much after each minute?"""
    requests = [recall_request(text) for text in asked] + [get_request("/api/records?limit=5")]
    asyncio.run(ask_all(url, requests, CONNECTIONS, seconds / 4))
    before, count, minutes = service_mb(pid), 0, list[float]()
    while len(minutes) * _MINUTE < seconds:
        count += len(asyncio.run(ask_all(url, requests, CONNECTIONS, min(seconds, _MINUTE))))
        minutes.append(service_mb(pid))
    after = minutes[-1]
    row = seconds, before, after, count, f"{LIMIT_GROWTH} x", within(after <= LIMIT_GROWTH * before)
    return row, minutes


# Many agents, one engine


class Agent:
    """A `recollect serve` and its client."""

    def __init__(self, home: Path, **variables: str) -> None:
        self.popen = subprocess.Popen(
            [sys.executable, "-c", _MAIN, "serve", "--home", str(home)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env={**quiet(), **variables},
        )  # fmt: skip
        self._last = 0
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})

    def ask(self, method: str, params: dict[str, Any]) -> float:
        """How many milliseconds the answer took."""
        self._last += 1
        assert self.popen.stdin is not None
        assert self.popen.stdout is not None
        line = json.dumps({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}).encode()
        began = time.perf_counter()
        self.popen.stdin.write(line + b"\n")
        self.popen.stdin.flush()
        self.popen.stdout.readline()
        return (time.perf_counter() - began) * 1e3

    def recall(self, text: str) -> float:
        return self.ask("tools/call", {"name": "recall", "arguments": {"query": text, "limit": 5}})

    def mb(self) -> float:
        """What the process takes, each shared page as a part of it."""
        try:
            told = Path(f"/proc/{self.popen.pid}/smaps_rollup").read_text("utf-8")
            return int(told.partition("Pss:")[2].split()[0]) / 1024
        except OSError:
            return resident_mb(self.popen.pid)

    def close(self) -> None:
        self.popen.kill()
        self.popen.communicate()


def agents(home: Path, asked: Sequence[str], seconds: float) -> Table:
    with ExitStack() as opened:
        lone = Agent(home, RECOLLECT_SHARED="off")
        opened.callback(lone.close)
        for text in asked:
            lone.recall(text)
        alone, alone_mb = paced([lone], asked, seconds), lone.mb()
        lone.close()
        many = [Agent(home) for _ in range(AGENTS)]
        for one in reversed(many):
            opened.callback(one.close)
        for one in many:
            for text in asked:
                one.recall(text)
        together, together_mb = paced(many, asked, seconds), sum(one.mb() for one in many)
        relay_mb = median([one.mb() for one in many[1:]])
        direct, relayed = by_turns(many[0], many[1])
    slower = quantile(together, 0.95) / quantile(alone, 0.95)
    rows: tuple[tuple[Cell, ...], ...] = (
        ("MB of one agent alone", alone_mb, None, ""),
        (f"MB of {AGENTS} agents together", together_mb, f"{LIMIT_MEMORY} x one",
         within(together_mb <= LIMIT_MEMORY * alone_mb)),
        ("MB of a relay", relay_mb, None, ""),
        ("p95 ms of a recall, one agent", quantile(alone, 0.95), None, ""),
        (f"p95 ms of a recall, {AGENTS} agents", quantile(together, 0.95), f"{LIMIT_SLOWER} x one",
         within(slower <= LIMIT_SLOWER)),
        ("ms that a relay adds to a call", relayed - direct, f"{LIMIT_RELAY_MS} ms",
         within(relayed - direct <= LIMIT_RELAY_MS)),
    )  # fmt: skip
    note = f"Each agent asks {1 / _PACE:g} times a second. MB are proportional set sizes, where the system tells them."
    return Table("service-agents", ("", "measured", "limit", "within"), rows, note)


def paced(agents_: Sequence[Agent], asked: Sequence[str], seconds: float) -> list[float]:
    """How long recalls take when each agent asks so many times a second, all of them at once."""

    async def one(agent: Agent, at: int) -> list[float]:
        taken: list[float] = []
        end = time.perf_counter() + seconds
        await asyncio.sleep(_PACE * at / len(agents_))
        while time.perf_counter() < end:
            began = time.perf_counter()
            taken.append(await asyncio.to_thread(agent.recall, asked[(at + len(taken)) % len(asked)]))
            await asyncio.sleep(max(_PACE - (time.perf_counter() - began), 0))
        return taken

    async def every() -> list[float]:
        return [ms for some in await asyncio.gather(*(one(a, at) for at, a in enumerate(agents_))) for ms in some]

    return asyncio.run(every())


def by_turns(direct: Agent, relayed: Agent, turns: int = 300) -> tuple[float, float]:
    """The median of a call that costs nothing, of the owner's own client and through a relay, by turns."""
    found = [(direct.ask("ping", {}), relayed.ask("ping", {})) for _ in range(turns)]
    return median([one for one, _ in found]), median([two for _, two in found])
