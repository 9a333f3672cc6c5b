"""A real `recollect serve` process, spoken to in bytes by a client of our own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import recollect

SOURCE = str(Path(recollect.__file__).parents[1])


class Spoken:
    """A server and its only client. Messages that were not asked for are kept in `told`."""

    def __init__(
        self, home: Path, *arguments: str, log: Path | None = None, program: str | None = None,
        folder: Path | None = None, **variables: str,
    ) -> None:  # fmt: skip
        self.home = home
        self._log = None if log is None else log.open("wb")
        started = ["-m", "recollect.cli"] if program is None else ["-c", program]
        self.popen = subprocess.Popen(
            [sys.executable, *started, "serve", "--home", str(home), *arguments],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log or subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": SOURCE, "RECOLLECT_EMBEDDER": "none", **variables},
        )
        self._last = 0
        self.told: list[dict[str, Any]] = []
        self.answers: dict[int, dict[str, Any]] = {}
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        self.welcome = self.ask("initialize", client)["result"]
        self.tell("notifications/initialized")

    def tell(self, method: str, params: object = None) -> None:
        self._send({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})

    def begin(self, method: str, params: object = None) -> int:
        """Asks without waiting for the answer; says the request's id."""
        self._last += 1
        self._send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params or {}})
        return self._last

    def wait(self, request: int) -> dict[str, Any]:
        assert self.popen.stdout is not None
        while request not in self.answers:
            line = self.popen.stdout.readline()
            assert line, "the server ended"
            message = json.loads(line)
            if "id" in message and "method" not in message:
                self.answers[message["id"]] = message
            else:
                self.told.append(message)
        return self.answers.pop(request)

    def ask(self, method: str, params: object = None) -> dict[str, Any]:
        return self.wait(self.begin(method, params))

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]

    def _send(self, message: object) -> None:
        self.send(json.dumps(message).encode())

    def send(self, line: bytes) -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.write(line + b"\n")
        self.popen.stdin.flush()

    def end(self) -> int:
        """Closes its input and waits until it is gone; a server that does not go is killed."""
        for stream in (self.popen.stdin, self.popen.stdout):
            if stream is not None:
                stream.close()
        try:
            return self.popen.wait(60)
        finally:
            self.popen.kill()
            self.popen.wait()
            if self._log is not None:
                self._log.close()
