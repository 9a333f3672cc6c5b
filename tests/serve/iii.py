"""A server that speaks the iii protocol, in a process of its own, and the SDKs that talk to it."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

GUARD_SECONDS = 60
SDKS = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "get_sdks.py"))


def sdk(name: str, *arguments: str) -> Path:
    """The folder of an SDK; the test is skipped, saying why, where it cannot be installed."""
    try:
        return SDKS[name](*arguments)
    except SDKS["Unavailable"] as error:
        pytest.skip(str(error))


class Server:
    """`recollect serve --as agentos` with more options."""

    def __init__(self, home: Path, *more: str, path: Path | None = None, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "recollect.cli", "serve", "--as", "agentos", "--home", str(home), *more],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=with_path({**os.environ, "RECOLLECT_EMBEDDER": "none", **environment}, path),
        )  # fmt: skip
        self.log: str | None = None
        assert self.process.stderr is not None
        self.told = self.process.stderr.readline().strip()

    @property
    def url(self) -> str:
        return self.told.partition(" on ")[2]

    def connect(self, path: str = "", **more: Any) -> ClientConnection:
        return connect(f"{self.url}{path}", open_timeout=GUARD_SECONDS, **more)

    def leave(self) -> None:
        """Closes standard input, which is how a client says that it is done."""
        if self.process.stdin is not None:
            self.process.stdin.close()
            self.process.stdin = None

    def close(self) -> tuple[int, str]:
        self.leave()
        if self.process.poll() is not None and self.log is not None:
            return self.process.returncode, self.log
        _, self.log = self.process.communicate(timeout=GUARD_SECONDS)
        return self.process.returncode, self.log


def with_path(environment: dict[str, str], path: Path | None) -> dict[str, str]:
    if path is None:
        return environment
    joined = [environment.get("PYTHONPATH", ""), str(path)]
    return {**environment, "PYTHONPATH": os.pathsep.join(part for part in joined if part)}


def invoke(client: ClientConnection, function: str, data: object, id: object = "1") -> None:
    message = {"type": "invokefunction", "invocation_id": id, "function_id": function, "data": data}
    client.send(json.dumps(message))


def receive(client: ClientConnection) -> Any:
    return json.loads(client.recv(timeout=GUARD_SECONDS))
