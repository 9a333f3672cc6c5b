"""A real HTTP server on the loopback interface that says what a test tells it to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    path: str
    authorization: str | None
    body: Body
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Reply:
    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    hang_up: bool = False


@dataclass
class Loopback:
    """`script` is used up first, reply by reply; then `answer` makes one from each question."""

    url: str = ""
    script: list[Reply] = field(default_factory=list)
    answer: Callable[[Body], Body] = lambda _: {}
    asked: list[Asked] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    def reply(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        if self.script:
            return self.script.pop(0)
        return Reply(body=json.dumps(self.answer(asked.body)).encode())


def vector_of(text: str) -> list[float]:
    """A vector that tells texts apart, and is not of length 1."""
    return [float(len(text)), float(ord(text[0])), 2.0]


@contextmanager
def serve_loopback() -> Iterator[Loopback]:
    state = Loopback()

    class Speaker(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = state.reply(Asked(self.path, self.headers.get("authorization"), body, headers))
            if reply.hang_up:
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in {**reply.headers, "content-length": str(len(reply.body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: object) -> None:
            """Tests are silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Speaker) as server:
        state.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()
