"""How long does an agent wait for its memory's hooks?

Hooks are spawned as a client spawns them, by a small process of its own (`bench/spawner.py`): what a child is said to
have taken at most would otherwise be what this process takes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import recollect
from bench.start import environment
from bench.stores import filled
from bench.table import Plan, Table, median, quantile, within
from bench.texts import questions

SIZE = 10_000
LIMIT_MB = 60.0
_SPAWNER = Path(__file__).parent / "spawner.py"
_MAIN = "import sys; from recollect.cli import main; sys.exit(main())"
_TURN = "Decision: we keep the retry limit of the {} queue at five."


def spawn(
    home: Path, event: str, inputs: Sequence[Mapping[str, object]], scratch: str | None = None
) -> list[tuple[float, float, float]]:
    """Calls a hook with each of some inputs: seconds until its end, those of a processor, and megabytes at most."""
    command = [sys.executable, "-c", _MAIN, "hook", "claude", event, "--home", str(home)]
    jobs = {"command": command, "inputs": [json.dumps(one) for one in inputs]}
    done = subprocess.run(
        [sys.executable, "-S", str(_SPAWNER)], input=json.dumps(jobs).encode(), capture_output=True, check=True,
        env={**environment(), **({} if scratch is None else {"TMPDIR": scratch})},
    )  # fmt: skip
    return json.loads(done.stdout)


def events(plan: Plan, home: Path, count: int, *, first: int = 0) -> dict[str, list[dict[str, object]]]:
    """What a client tells at the start of sessions, with prompts, and at the end of turns."""
    transcript = home / "transcript.jsonl"
    lines = [_line(number) for number in range(200)]
    transcript.write_text("".join(lines), "utf-8")
    base: dict[str, object] = {"transcript_path": str(transcript), "cwd": str(plan.folder)}
    asked = questions(40, among=SIZE, seed=len("default"))
    return {
        "SessionStart": [{**base, "session_id": f"s{n}", "source": "startup"} for n in range(first, first + count)],
        "UserPromptSubmit": [
            {**base, "session_id": f"p{n}", "prompt": asked[n % len(asked)]} for n in range(first, first + count)
        ],
        "Stop": [{**base, "session_id": f"t{n}"} for n in range(first, first + count)],
    }


def _line(number: int) -> str:
    said = {"role": "user" if number % 2 else "assistant", "content": _TURN.format(number)}
    return json.dumps({
        "type": said["role"], "sessionId": "t", "uuid": f"u{number}", "message": said,
        "timestamp": f"2026-05-10T10:{number // 60:02}:{number % 60:02}Z", "cwd": "/",
    }) + "\n"  # fmt: skip


def run(plan: Plan) -> list[Table]:
    size = min(SIZE, max(plan.sizes))
    home = filled(plan.folder, f"hooks-{size}", {"default": size})
    count = 2 if plan.tiny else 40 if plan.quick else 200
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(Path(recollect.__file__).parent)], check=True)
    told = events(plan, home, count)
    taken = {event: spawn(home, event, inputs) for event, inputs in told.items()}
    limits = {"SessionStart": (150, 300), "UserPromptSubmit": (600, 600), "Stop": (100, None)}
    rows = [_row(f"{event}, a process", taken[event], *limits[event]) for event in told]
    later = events(plan, home, count, first=10_000)
    rows.append(_row("UserPromptSubmit, beside a server", beside_server(home, later), 250, None))
    rows.append(_row("a prompt, asked of a running server", ask_server(home, told["UserPromptSubmit"]), 250, None))
    bare = spawn_bare(count)
    boot, work = median([took for took, _, _ in bare]) * 1e3, median([worked for _, worked, _ in bare]) * 1e3
    rows.append(("python -c pass", boot, None, None, None, work, None, None, None))
    columns = ("hook", "p50 ms", "limit", "p99 ms", "limit", "CPU ms", "MB at most", "limit", "holds")
    note = (
        f"{count:,} spawns of each, in a store of {size:,}. A process loads no model, the server has it. CPU ms is what"
        " a processor worked for them, whatever else it did meanwhile. What a turn is read by is done before the next."
    )
    return [Table("hooks", columns, tuple(rows), note)]


def beside_server(home: Path, told: Mapping[str, Sequence[Mapping[str, object]]]) -> list[tuple[float, float, float]]:
    """Prompts to hooks of a machine on which an agent has its server running."""
    with running(home):
        return spawn(home, "UserPromptSubmit", told["UserPromptSubmit"])


def ask_server(home: Path, inputs: Sequence[Mapping[str, object]]) -> list[tuple[float, float, float]]:
    """Has a server answer prompts that has its model loaded: seconds of each; what the server takes is not a hook's."""
    with running(home) as server:
        taken: list[tuple[float, float, float]] = []
        for one in inputs:
            arguments = {"prompt": one["prompt"], "session": f"server-{one['session_id']}"}
            began = time.perf_counter()
            _ask(server, "tools/call", {"name": "hook", "arguments": arguments})
            taken.append((time.perf_counter() - began, 0.0, 0.0))
    return taken


@contextmanager
def running(home: Path) -> Generator[subprocess.Popen[bytes]]:
    """A server that has its model loaded."""
    command = [sys.executable, "-c", _MAIN, "serve", "--home", str(home)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()) as server:
        _ask(server, "initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"},
        })  # fmt: skip
        _ask(server, "tools/call", {"name": "recall", "arguments": {"query": "What about the model?"}})
        yield server
        assert server.stdin is not None
        server.stdin.close()


def _ask(server: subprocess.Popen[bytes], method: str, params: Mapping[str, object]) -> None:
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n")
    server.stdin.flush()
    told = json.loads(server.stdout.readline())
    if "result" not in told or told["result"].get("isError"):
        raise SystemExit(f"{method} was answered with {told}")


def _row(name: str, taken: Sequence[tuple[float, float, float]], p50: float, p99: float | None) -> tuple[Any, ...]:
    times = [took * 1e3 for took, _, _ in taken]
    worked = median([one for _, one, _ in taken]) * 1e3
    most = max(memory for _, _, memory in taken)
    middle, late = median(times), quantile(times, 0.99)
    own = most > 0
    holds = middle <= p50 and (p99 is None or late <= p99) and (not own or most <= LIMIT_MB)
    return (
        name, middle, f"≤ {p50}", late, None if p99 is None else f"≤ {p99}", worked if own else None,
        most if own else None, f"≤ {LIMIT_MB:.0f}" if own else None, within(holds),
    )  # fmt: skip


def spawn_bare(count: int) -> list[tuple[float, float, float]]:
    jobs = {"command": [sys.executable, "-c", "pass"], "inputs": [""] * count}
    done = subprocess.run(
        [sys.executable, "-S", str(_SPAWNER)], input=json.dumps(jobs).encode(), capture_output=True, check=True
    )
    return json.loads(done.stdout)
