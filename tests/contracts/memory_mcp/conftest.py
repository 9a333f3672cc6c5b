"""The contract as a client meets it: in a process of its own, or as a table over a memory with a clock."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recollect import Memory
from recollect.contracts.memory_mcp.table import memory_mcp_contract
from recollect.contracts.tool import Answer, Call, Contract
from recollect.errors import RecollectError

GUARD_SECONDS = 60


class Server:
    """`recollect serve` in a process of its own."""

    def __init__(self, home: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "recollect.cli", "serve", "--home", str(home), *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.number = 0
        about = {"name": "tester", "version": "1"}
        self.hello = self.ask("initialize", protocolVersion="2024-11-05", capabilities={}, clientInfo=about)

    def ask(self, method: str, **params: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while (answer := json.loads(self.process.stdout.readline())).get("id") != self.number:
            assert "method" in answer
        return answer["result"]

    def call(self, tool: str, **arguments: Any) -> Any:
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), result
        return json.loads(result["content"][0]["text"])

    def fail(self, tool: str, **arguments: Any) -> str:
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert result["isError"] is True
        assert [part["type"] for part in result["content"]] == ["text"]
        return str(result["content"][0]["text"])

    def close(self) -> int:
        self.process.communicate(timeout=GUARD_SECONDS)
        return self.process.returncode


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers on one store; `--as memory-mcp` unless told otherwise."""
    started: list[Server] = []

    def start(*arguments: str) -> Server:
        started.append(Server(tmp_path / "home", *(arguments or ("--as", "memory-mcp"))))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.close()


class Table:
    """The tools of the contract on a memory, without a transport."""

    def __init__(self, memory: Memory, space: str = "default") -> None:
        self.memory = memory
        self.contract: Contract = memory_mcp_contract(memory, space=space)
        self._tools = {tool.name: tool for tool in self.contract.tools}

    def call(self, tool: str, **arguments: Any) -> Any:
        found = self._tools[tool]
        answer = found.call(found.parse(arguments), Call("tester"))
        assert not isinstance(answer, Answer | str)
        return msgspec.json.decode(msgspec.json.encode(answer))

    def fail(self, tool: str, **arguments: Any) -> str:
        try:
            answer = self.call(tool, **arguments)
        except RecollectError as error:
            return self.contract.failure(tool, error).message
        raise AssertionError(f"{tool} answered {answer}")

    def ids(self, tool: str, **arguments: Any) -> list[str]:
        """The ids of what a tool finds, in its order."""
        answer = self.call(tool, **arguments)
        found = [each["id"] for each in answer.get("results", answer.get("memories"))]
        return [id if isinstance(id, str) else id["id"]["String"] for id in found]

    def store(self, *contents: str, **more: Any) -> list[str]:
        return [self.call("store_memory", content=content, **more)["id"] for content in contents]


@pytest.fixture
def table(memory: Memory) -> Table:
    """By keywords alone."""
    return Table(memory)


@pytest.fixture
def semantic_table(semantic: Memory) -> Table:
    """With the bundled model."""
    return Table(semantic)


@pytest.fixture
def other_space(memory: Memory) -> Table:
    """The same memory, bound to another space."""
    return Table(memory, "elsewhere")
