"""How do a process and one that it started speak with each other?"""

from __future__ import annotations

import sys
from typing import IO

PREFIX = 4
"""Bytes that say how long a message is."""


def send(pipe: IO[bytes], message: bytes) -> None:
    """One whole message."""
    pipe.write(len(message).to_bytes(PREFIX, "big") + message)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes | None:
    """The next whole message; None where the other end is gone."""
    head = pipe.read(PREFIX)
    if len(head) < PREFIX:
        return None
    size = int.from_bytes(head, "big")
    body = pipe.read(size)
    return body if len(body) == size else None


def program(module: str, function: str, *arguments: object) -> str:
    """What such a process runs: this very program, wherever this process has it from."""
    given = ", ".join(map(repr, arguments))
    return f"import sys; sys.path[:] = {sys.path!r}; from {module} import {function}; {function}({given})"
