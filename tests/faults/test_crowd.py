"""Does a crowd that connects and says nothing keep others from being served?"""

from __future__ import annotations

import re
import resource
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.faults.spoken import SOURCE

HALF = b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
HANDLES = 256


def test_three_hundred_half_sent_headers_leave_stdio_and_the_next_caller_served(tmp_path: Path) -> None:
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({HANDLES}, {HANDLES}));"
    program = f"{limited} import sys; sys.path.insert(0, {SOURCE!r}); from recollect.cli import main; sys.exit(main())"
    arguments = ["serve", "--as", "trusty-memory", "--home", str(tmp_path), "--http", "127.0.0.1:0"]
    server = subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    assert server.stderr is not None
    assert server.stdin is not None
    assert server.stdout is not None
    crowd: list[socket.socket] = []
    try:
        found = re.search(rb"http://127.0.0.1:(\d+)", server.stderr.readline())
        assert found is not None
        there = ("127.0.0.1", int(found[1]))
        server.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        server.stdin.flush()
        assert b'"result"' in server.stdout.readline()
        for _ in range(300):
            crowd.append(socket.create_connection(there, 60))
            crowd[-1].sendall(HALF)
        refused = [_first(client) for client in crowd[-200:]]
        assert sum(said.startswith(b"HTTP/1.1 503") for said in refused) >= 20
        assert all(said[:12] in (b"", b"HTTP/1.1 503") for said in refused)  # b"": closed while they still spoke
        server.stdin.write(b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
        server.stdin.flush()
        assert b'"id":2' in server.stdout.readline()
        for client in crowd:
            client.close()
        while not _first(caller := _ask(there)).startswith(b"HTTP/1.1 200"):
            caller.close()  # until the server has seen that the others left
        caller.close()
    finally:
        server.kill()
        server.communicate()
        for client in crowd:
            client.close()


@pytest.mark.parametrize("path", ["/mcp", "/api/records"])
def test_a_body_that_says_it_is_endless_is_refused_before_it_comes(tmp_path: Path, path: str) -> None:
    program = f"import sys; sys.path.insert(0, {SOURCE!r}); from recollect.cli import main; sys.exit(main())"
    arguments = ["up", "--home", str(tmp_path), "--http", "127.0.0.1:0"]
    server = subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert server.stdout is not None
    try:
        found = re.search(rb"http://127.0.0.1:(\d+)", server.stdout.readline())
        assert found is not None
        with socket.create_connection(("127.0.0.1", int(found[1])), 60) as client:
            client.sendall(
                f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                "Accept: application/json, text/event-stream\r\nContent-Length: 9999999999\r\n\r\n".encode()
            )
            assert client.recv(100).startswith(b"HTTP/1.1 413 ")
    finally:
        server.kill()
        server.communicate()


def _ask(there: tuple[str, int]) -> socket.socket:
    caller = socket.create_connection(there, 60)
    caller.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return caller


def _first(client: socket.socket) -> bytes:
    try:
        return client.recv(100)
    except (ConnectionError, TimeoutError):
        return b""


@pytest.fixture(autouse=True)
def enough_handles() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 1_000:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4_096, hard), hard))
