"""The contract as a client meets it: in a process of its own, or as a table over a memory with a clock."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recollect import Memory
from recollect.contracts.memory_substrate.table import memory_substrate_contract
from recollect.contracts.tool import Answer, Call, Contract
from recollect.errors import RecollectError

GUARD_SECONDS = 60
GOVERNED = {"reason": "It guides later work.", "memory_source": "user_declared", "scope_refs": ["scope:project"]}
"""What everything that is created must say."""


class Server:
    """`recollect serve --as memory-substrate` in a process of its own."""

    def __init__(self, *arguments: str, environment: Mapping[str, str]) -> None:
        command = [sys.executable, "-m", "recollect.cli", "serve", "--as", "memory-substrate", *arguments]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, env={**os.environ, **environment}, **pipes)
        self.number = 0
        about = {"name": "tester", "version": "1"}
        self.hello = self.ask("initialize", protocolVersion="2024-11-05", capabilities={}, clientInfo=about)["result"]

    def ask(self, method: str, **params: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while (answer := json.loads(self.process.stdout.readline())).get("id") != self.number:
            assert "method" in answer
        return answer

    def raw(self, tool: str, arguments: Any) -> Any:
        return self.ask("tools/call", name=tool, arguments=arguments)["result"]

    def call(self, tool: str, mode: str, given: Any = None, options: Any = None) -> Any:
        result = self.raw(f"memory_{tool}", {"args": envelope(mode, given, options)})
        assert not result.get("isError"), result
        return json.loads(result["content"][0]["text"])

    def fail(self, tool: str, arguments: Any) -> str:
        result = self.raw(f"memory_{tool}", arguments)
        assert result["isError"] is True
        assert [part["type"] for part in result["content"]] == ["text"]
        return str(result["content"][0]["text"])

    def close(self) -> int:
        self.process.communicate(timeout=GUARD_SECONDS)
        return self.process.returncode


def envelope(mode: str, given: Any, options: Any) -> dict[str, Any]:
    args = {"mode": mode, "input_data": {} if given is None else given}
    return args if options is None else {**args, "options": options}


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers on one store, unless the arguments or the environment name another."""
    started: list[Server] = []

    def start(*arguments: str, **environment: str) -> Server:
        home = () if environment else ("--home", str(tmp_path / "home"))
        started.append(Server(*home, *arguments, environment=environment))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.close()


class Table:
    """The tools of the contract on a memory, without a transport."""

    def __init__(self, memory: Memory, space: str = "default") -> None:
        self.memory = memory
        self.space = space
        self.contract: Contract = memory_substrate_contract(memory, space=space)
        self._tools = {tool.name: tool for tool in self.contract.tools}

    def call(self, tool: str, mode: str, given: Any = None, options: Any = None) -> Any:
        return self.send(f"memory_{tool}", {"args": envelope(mode, given, options)})

    def send(self, name: str, arguments: Any) -> Any:
        tool = self._tools[name]
        answer = tool.call(tool.parse(arguments), Call("tester"))
        assert not isinstance(answer, Answer | str)
        return msgspec.json.decode(msgspec.json.encode(answer))

    def query(self, mode: str, given: Any = None, options: Any = None) -> Any:
        return self.call("query", mode, given, options)

    def search(self, query: str, **options: Any) -> list[Any]:
        return self.query("search", {"query": query}, options)["items"]

    def fail(self, tool: str, mode: str, given: Any = None, options: Any = None) -> str:
        name = f"memory_{tool}"
        try:
            answer = self.send(name, {"args": envelope(mode, given, options)})
        except RecollectError as error:
            return self.contract.failure(name, error).message
        raise AssertionError(f"{name} answered {answer}")

    def know(self, title: str, summary: str | None = None, **more: Any) -> str:
        """Stores knowledge and answers its id."""
        given = {"kind": "fact", "title": title, "summary": summary or f"{title}.", **GOVERNED, **more}
        return self.call("remember", "knowledge", given)["knowledge_id"]

    def ingest(self, path: Path, text: str, mode: str = "markdown") -> str:
        """Writes a file, ingests it and answers the id of its source."""
        path.write_text(text, "utf-8")
        return self.call("ingest", mode, {"path": str(path)})["source_id"]


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
