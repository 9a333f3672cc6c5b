"""The contract as a client meets it: over stdio, over the iii protocol, or as a table over a memory with a clock."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from websockets.sync.client import ClientConnection, connect

from recollect import Memory
from recollect.contracts.agentos.table import agentos_contract
from recollect.contracts.tool import Call, Contract
from recollect.errors import RecollectError

GUARD_SECONDS = 60


class Table:
    """The functions on a memory, without a transport."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.contract: Contract = agentos_contract(memory)
        self._tools = {tool.name: tool for tool in self.contract.tools}

    def __call__(self, function: str, **data: Any) -> Any:
        tool = self._tools[self.contract.functions[f"memory::{function}"]]
        return msgspec.json.decode(msgspec.json.encode(tool.call(tool.parse(data), Call("tester"))))

    def fail(self, function: str, **data: Any) -> str:
        with pytest.raises(RecollectError) as caught:
            self(function, **data)
        return str(caught.value)

    def say(self, *contents: str, roles: str = "ua", session: str = "s", agent: str = "a") -> list[str]:
        """Stores messages of a session, spoken in turns."""
        names = {"u": "user", "a": "assistant", "s": "system"}
        return [
            self("store", agentId=agent, content=text, role=names[roles[at % len(roles)]], sessionId=session)["id"]
            for at, text in enumerate(contents)
        ]


@pytest.fixture
def table(memory: Memory) -> Table:
    return Table(memory)


@pytest.fixture
def semantic_table(semantic: Memory) -> Table:
    return Table(semantic)


class Server:
    """`recollect serve --as agentos` in a process of its own, with a socket for the iii protocol beside stdio."""

    def __init__(self, home: Path, *more: str) -> None:
        command = [sys.executable, "-m", "recollect.cli", "serve", "--as", "agentos", "--home", str(home), *more]
        pipe = subprocess.PIPE
        environment = {**os.environ, "RECOLLECT_EMBEDDER": "none"}
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment)
        assert self.process.stderr is not None
        self.url = self.process.stderr.readline().decode().partition(" on ")[2].strip() if "--iii" in more else ""
        self.number = 0

    def ask(self, method: str, **params: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def connect(self, path: str = "", **more: Any) -> ClientConnection:
        return connect(f"{self.url}{path}", open_timeout=GUARD_SECONDS, **more)

    def close(self) -> int:
        self.process.communicate(timeout=GUARD_SECONDS)
        return self.process.returncode


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    started: list[Server] = []

    def start(*more: str) -> Server:
        started.append(Server(tmp_path / "home", *more))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.close()
