"""The contract as a client meets it: in a process of its own, or as a table over a memory with a clock."""

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

from recollect import Memory
from recollect.contracts.rusty_mem.params import Defaults
from recollect.contracts.rusty_mem.table import rusty_mem_contract
from recollect.contracts.tool import Call, Contract
from recollect.errors import RecollectError

GUARD_SECONDS = 60


class Server:
    """`recollect serve --as rusty-mem` in a process of its own. `lend` answers when its model is asked for."""

    def __init__(self, home: Path, *, environment: dict[str, str], lend: Callable[[Any], Any] | None) -> None:
        command = [sys.executable, "-m", "recollect.cli", "serve", "--home", str(home), "--as", "rusty-mem"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, **environment},
        )  # fmt: skip
        self.number = 0
        self._lend = lend
        offered = {} if lend is None else {"sampling": {}}
        about = {"name": "tester", "version": "1"}
        self.hello = self.ask("initialize", protocolVersion="2025-06-18", capabilities=offered, clientInfo=about)

    def _send(self, message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self, method: str, **params: Any) -> Any:
        """The whole message that answers a request."""
        assert self.process.stdout is not None
        self.number += 1
        self._send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while (answer := json.loads(self.process.stdout.readline())).get("id") != self.number or "method" in answer:
            if answer.get("method") == "sampling/createMessage":
                assert self._lend is not None
                self._send({"jsonrpc": "2.0", "id": answer["id"], **self._lend(answer["params"])})
        return answer

    def ask(self, method: str, **params: Any) -> Any:
        return self.answer(method, **params)["result"]

    def call(self, tool: str, **arguments: Any) -> Any:
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert result["structuredContent"] == json.loads(result["content"][0]["text"])
        return result["structuredContent"]

    def fail(self, tool: str, **arguments: Any) -> tuple[int, str]:
        error = self.answer("tools/call", name=tool, arguments=arguments)["error"]
        return error["code"], error["message"]

    def read(self, uri: str) -> Any:
        (content,) = self.ask("resources/read", uri=uri)["contents"]
        assert (content["uri"], content["mimeType"]) == (uri, "application/json")
        return json.loads(content["text"])

    def close(self) -> int:
        self.process.communicate(timeout=GUARD_SECONDS)
        return self.process.returncode


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers on one store."""
    started: list[Server] = []

    def start(*, lend: Callable[[Any], Any] | None = None, **environment: str) -> Server:
        started.append(Server(tmp_path / "home", environment={"RECOLLECT_EMBEDDER": "none", **environment}, lend=lend))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.close()


class Table:
    """The tools and documents of the contract on a memory, without a transport."""

    def __init__(self, memory: Memory, defaults: Defaults | None = None) -> None:
        self.memory = memory
        self.contract: Contract = rusty_mem_contract(memory, defaults)
        self._tools = {tool.name: tool for tool in self.contract.tools}

    def call(self, tool: str, **arguments: Any) -> Any:
        found = self._tools[tool]
        answer = found.call(found.parse(arguments), Call("tester"))
        return msgspec.json.decode(msgspec.json.encode(answer))

    def fail(self, tool: str, **arguments: Any) -> tuple[int | None, str]:
        try:
            answer = self.call(tool, **arguments)
        except RecollectError as error:
            failure = self.contract.failure(tool, error)
            return failure.code, failure.message
        raise AssertionError(f"{tool} answered {answer}")

    def found(self, query_text: str = "", **arguments: Any) -> list[str]:
        """The texts that a search finds, whatever they score."""
        answer = self.call("search", query_text=query_text, score_threshold=0.0, limit=50, **arguments)
        return sorted(result["text"] for result in answer["results"])


@pytest.fixture
def table(memory: Memory) -> Table:
    """By keywords alone."""
    return Table(memory)


@pytest.fixture
def semantic_table(semantic: Memory) -> Table:
    """With the bundled model."""
    return Table(semantic)
