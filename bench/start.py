"""How long does a client wait for its server, and how much memory does the server take until it is asked something?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.table import Plan, Table, median, within

LIMIT_RATIO = 1 / 4
LIMIT_MB = 40
_OURS = (sys.executable, "-m", "recollect.cli", "serve", "--home")
_PEER = (sys.executable, "-m", "bench.peer_server")
_HELLO = (
    {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)  # fmt: skip


def environment() -> dict[str, str]:
    """This process's, in which a child finds the same modules, compiled as those of a program that is installed."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def resident_mb(pid: int) -> float:
    shown = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return int(shown.stdout) / 1024


def spawn(command: Sequence[str]) -> tuple[float, float]:
    """Seconds from the spawn to the answer to tools/list, and megabytes resident at that moment."""
    started = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b"".join(json.dumps(message).encode() + b"\n" for message in _HELLO))
        server.stdin.flush()
        while line := server.stdout.readline():
            if json.loads(line).get("id") == 2:
                break
        took = time.perf_counter() - started
        memory = resident_mb(server.pid)
        server.stdin.close()
    return took, memory


def run(plan: Plan) -> list[Table]:
    home = plan.folder / "start"
    ours: list[tuple[float, float]] = []
    peer: list[tuple[float, float]] = []
    bare: list[float] = []
    spawn((*_OURS, str(home)))  # makes the store, and the compiled modules of both
    spawn(_PEER)
    for _ in range(plan.repeats):
        ours.append(spawn((*_OURS, str(home))))
        peer.append(spawn(_PEER))
        bare.append(_bare_python())
    seconds, megabytes = median([took for took, _ in ours]), median([memory for _, memory in ours])
    peer_seconds, peer_megabytes = median([took for took, _ in peer]), median([memory for _, memory in peer])
    ratio = seconds / peer_seconds
    rows = (
        ("recollect serve", seconds * 1e3, ratio, "≤ 0.25", within(ratio <= LIMIT_RATIO), megabytes, "< 40",
         within(megabytes < LIMIT_MB)),
        ("minimal server of the official SDK", peer_seconds * 1e3, 1.0, None, None, peer_megabytes, None, None),
        ("python -c pass", median(bare) * 1e3, median(bare) / peer_seconds, None, None, None, None, None),
    )  # fmt: skip
    columns = ("process", "ms to tools/list", "× the SDK", "limit", "holds", "MB", "limit", "holds")
    return [Table("start", columns, rows, f"Medians of {plan.repeats} spawns of each, in turn.")]


def _bare_python() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True, cwd=Path(sys.prefix))
    return time.perf_counter() - started
