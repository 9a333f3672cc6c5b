"""How does a process that has nothing of its own put one question to whoever has the memory open?

A hook is such a process. It carries one line as a relay would, and ends. Nothing here is slow to import.
"""

from __future__ import annotations

import _socket
import os
from time import monotonic

from recollect.light import TYPE_CHECKING
from recollect.serve.meeting import Meeting
from recollect.serve.relay import MARK, REFUSED

if TYPE_CHECKING:
    from collections.abc import Mapping

_CHUNK = 64 * 1024
_META = "io.modelcontextprotocol/"


def ask_tool(meeting: Meeting, name: str, arguments: Mapping[str, str | float | None], seconds: float) -> str | None:
    """What a tool of the native contract answers; None where nobody serves. Raises TimeoutError where it takes longer.

    Whoever serves may have done what was asked also where the answer comes too late, unless it is told until when.
    """
    import json  # most who look find nobody

    until = monotonic() + seconds
    peer = meeting.connect()
    if peer is None:
        return None
    meta = {f"{_META}protocolVersion": "2026-07-28", f"{_META}clientCapabilities": dict[str, str]()}
    given = {key: value for key, value in arguments.items() if value is not None}
    params = {"name": name, "arguments": given, "_meta": meta}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    hello = json.dumps({"character": meeting.character, "contract": "native"})
    try:
        answer = _carry(peer, f"{hello}\n{MARK.decode()}1 {os.urandom(8).hex()} {line}\n".encode(), until)
    finally:
        peer.close()
    result = None if answer is None else json.loads(answer).get("result")
    if result is None or result.get("isError"):
        return None
    return "".join(part["text"] for part in result["content"])


def _carry(peer: _socket.socket, said: bytes, until: float) -> bytes | None:
    """The answer to the line with number 1; None where the other end does not want to, or is gone."""
    try:
        peer.settimeout(max(until - monotonic(), 0.001))
        peer.sendall(said)
        coming = b""
        while True:
            *lines, coming = coming.split(b"\n")
            for line in lines:
                if line == REFUSED:
                    return None
                if line.startswith(MARK + b"1 "):
                    return line[len(MARK) + 2 :]
            peer.settimeout(max(until - monotonic(), 0.001))
            chunk = peer.recv(_CHUNK)
            if not chunk:
                return None
            coming += chunk
    except TimeoutError:
        raise
    except OSError:
        return None
