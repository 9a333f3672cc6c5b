"""A real server process, spoken to in bytes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

FIXTURE = Path(__file__).with_name("fixture_server.py")
HANG_GUARD_SECONDS = 60


class Process:
    """The fixture server, with its standard streams in our hands."""

    def __init__(self, *arguments: str) -> None:
        self.popen = subprocess.Popen(
            [sys.executable, str(FIXTURE), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def send(self, *messages: bytes | dict[str, Any]) -> None:
        assert self.popen.stdin is not None
        for message in messages:
            line = message if isinstance(message, bytes) else msgspec.json.encode(message)
            self.popen.stdin.write(line + b"\n")
        self.popen.stdin.flush()

    def receive(self) -> Any:
        assert self.popen.stdout is not None
        return msgspec.json.decode(self.popen.stdout.readline())

    def finish(self) -> tuple[list[Any], str]:
        """Close its input; what it still said, and its log. It must end well."""
        out, err = self.popen.communicate(timeout=HANG_GUARD_SECONDS)
        assert self.popen.returncode == 0, err.decode()
        return [msgspec.json.decode(line) for line in out.splitlines()], err.decode()


@pytest.fixture
def start() -> Iterator[Callable[..., Process]]:
    """Starts fixture servers and leaves none behind."""
    started: list[Process] = []

    def begin(*arguments: str) -> Process:
        started.append(Process(*arguments))
        return started[-1]

    yield begin
    for process in started:
        process.popen.kill()
        process.popen.wait()
        for stream in (process.popen.stdin, process.popen.stdout, process.popen.stderr):
            assert stream is not None
            stream.close()
