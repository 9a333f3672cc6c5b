"""A trusty-memory server in a process of its own, and palaces without one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from recollect import Memory
from recollect.contracts.trusty_memory.palaces import Palaces

GUARD_SECONDS = 60


class Server:
    """`recollect serve --as trusty-memory`, spoken to in lines."""

    def __init__(self, home: Path, *arguments: str, embedder: str = "none", **environment: str) -> None:
        command = [sys.executable, "-m", "recollect.cli", "serve", "--as", "trusty-memory", "--home", str(home)]
        given = {**os.environ, "RECOLLECT_EMBEDDER": embedder, **environment}
        self.process = subprocess.Popen(
            [*command, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=given
        )
        self._numbers = count(1)

    def send(self, *messages: bytes | dict[str, Any]) -> None:
        assert self.process.stdin is not None
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().decode().removesuffix("\n")

    def ask(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """The whole answer to one request."""
        number = next(self._numbers)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, **({} if params is None else {"params": params})})
        answer = json.loads(self.line())
        assert answer["id"] == number
        return answer

    def initialize(self, version: str = "2024-11-05") -> Any:
        client = {"name": "open-mpm", "version": "1.0.0"}
        given = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        return self.ask("initialize", given)["result"]

    def call(self, tool: str, **arguments: Any) -> Any:
        """What a tool answers; it must be one text part that holds JSON, and nothing else."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert list(result) == ["content"]
        (part,) = result["content"]
        assert list(part) == ["type", "text"]
        return json.loads(part["text"])

    def fail(self, tool: str, **arguments: Any) -> tuple[int, str]:
        error = self.ask("tools/call", {"name": tool, "arguments": arguments})["error"]
        assert list(error) == ["code", "message"]
        return error["code"], error["message"]

    def finish(self) -> tuple[int, bytes, bytes]:
        """Closes its input: the exit code, and what it still said and logged."""
        out, err = self.process.communicate(timeout=GUARD_SECONDS)
        return self.process.returncode, out, err


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers on the store of one test, and leaves none behind."""
    started: list[Server] = []

    def start(*arguments: str, **more: str) -> Server:
        started.append(Server(tmp_path / "home", *arguments, **more))
        return started[-1]

    yield start
    for server in started:
        server.process.kill()
        server.process.communicate()


@pytest.fixture
def palaces(memory: Memory) -> Palaces:
    """Palaces of a memory that searches by words alone, with ids that can be foreseen."""
    numbers = count(1)
    return Palaces(memory, "home", new_id=lambda: f"00000000-0000-4000-8000-{next(numbers):012}")


@pytest.fixture
def semantic_palaces(semantic: Memory) -> Palaces:
    return Palaces(semantic, "home")
