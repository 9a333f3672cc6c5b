"""How do tests speak to a contract? As clients of a process over stdio, or of a table in this process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from recollect import Memory
from recollect.contracts.tool import Contract
from recollect.serve.functions import Functions
from recollect.serve.log import Log
from recollect.serve.message import encode
from recollect.serve.protocol import Connection

GUARD_SECONDS = 60
VERSION = "2025-06-18"
Message = dict[str, Any]


class Client:
    """What every client can do; `exchange` sends a request and brings the whole message that answers it."""

    def __init__(self, exchange: Callable[[Message], Message], lends: bool = False) -> None:
        self._exchange = exchange
        self._numbers = count(1)
        self._lends = lends
        self.hello: Any = None

    def initialize(self, version: str = VERSION) -> Any:
        offered = {"sampling": {}} if self._lends else {}
        about = {"name": "tester", "version": "1"}
        self.hello = self.ask("initialize", protocolVersion=version, capabilities=offered, clientInfo=about)
        return self.hello

    def answer(self, method: str, **params: Any) -> Any:
        """The whole message that answers a request."""
        return self._exchange({"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": params})

    def ask(self, method: str, **params: Any) -> Any:
        return self.answer(method, **params)["result"]

    def call(self, tool: str, **arguments: Any) -> Any:
        """What a tool answers: one text that holds JSON, and the same as structured content where there is any."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), result
        (part,) = result["content"]
        value = json.loads(part["text"])
        assert result.get("structuredContent", value) == value
        return value

    def fail(self, tool: str, **arguments: Any) -> Any:
        """The text of a result that is marked as an error, or the code and the message of an error."""
        answer = self.answer("tools/call", name=tool, arguments=arguments)
        if "error" in answer:
            return answer["error"]["code"], answer["error"]["message"]
        assert answer["result"]["isError"] is True, answer
        (part,) = answer["result"]["content"]
        return part["text"]

    def read(self, uri: str) -> Any:
        (content,) = self.ask("resources/read", uri=uri)["contents"]
        assert (content["uri"], content["mimeType"]) == (uri, "application/json")
        return json.loads(content["text"])


class Server(Client):
    """`recollect serve` in a process of its own, spoken to in lines. `lend` answers when its model is asked for."""

    def __init__(
        self,
        *arguments: str,
        lend: Callable[[Any], Any] | None = None,
        program: Sequence[str] = (sys.executable, "-m", "recollect.cli", "serve"),
        **environment: str,
    ) -> None:
        super().__init__(self._talk, lend is not None)
        pipe = subprocess.PIPE
        given = {**os.environ, **environment}
        self._said = b""
        self.process = subprocess.Popen([*program, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, env=given)
        self._lend = lend

    def send(self, *messages: bytes | Message) -> None:
        assert self.process.stdin is not None
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def line(self) -> str:
        """The next line that it says. What was read beyond it is kept here, where `finish` finds it too."""
        assert self.process.stdout is not None
        while b"\n" not in self._said and (more := os.read(self.process.stdout.fileno(), 65_536)):
            self._said += more
        line, _, self._said = self._said.partition(b"\n")
        return line.decode()

    def _talk(self, message: Message) -> Message:
        self.send(message)
        while (answer := json.loads(self.line())).get("id") != message["id"] or "method" in answer:
            assert "method" in answer, answer
            if answer["method"] == "sampling/createMessage":
                assert self._lend is not None
                self.send({"jsonrpc": "2.0", "id": answer["id"], **self._lend(answer["params"])})
        return answer

    def finish(self) -> tuple[int, bytes, bytes]:
        """Closes its input: the exit code, and what it still said and logged."""
        out, err = self.process.communicate(timeout=GUARD_SECONDS)
        return self.process.returncode, self._said + out, err

    def close(self) -> int:
        return self.finish()[0]


class Table(Client):
    """The tools of a contract on a memory with a clock, reached by messages of a protocol but without a process."""

    def __init__(self, contract: Contract, transport: str = "mcp") -> None:
        exchange = {"mcp": over_mcp, "iii": over_iii}[transport](contract)
        super().__init__(exchange)
        assert contract.memory is not None
        self.contract = contract
        self.memory: Memory = contract.memory
        if transport == "mcp":
            self.initialize()


def over_mcp(contract: Contract) -> Callable[[Message], Message]:
    connection = Connection(contract)

    def exchange(message: Message) -> Message:
        work = connection.receive(json.dumps(message).encode())
        assert work is not None
        return json.loads(connection.perform(work, lambda _: None) or b"")

    return exchange


def over_iii(contract: Contract) -> Callable[[Message], Message]:
    """Tools as functions; an outcome is handed on as the result of the tool would be."""
    functions = Functions(contract, Log())
    ids = {tool: id for id, tool in contract.functions.items()}

    def exchange(message: Message) -> Message:
        asked = json.loads(json.dumps(message["params"]))
        outcome = json.loads(encode(functions.invoke(ids[asked["name"]], asked["arguments"])))
        failed = "error" in outcome
        told = outcome["error"]["message"] if failed else json.dumps(outcome["result"])
        return {"result": {"content": [{"type": "text", "text": told}], "isError": failed}}

    return exchange
