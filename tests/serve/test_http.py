"""HTTP beside stdio: real processes, a real HTTP client, and events that it listens to."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from tests.serve.conftest import HANG_GUARD_SECONDS
from tests.serve.listening import Listener

from recollect import Change, Memory
from recollect.contracts.route import Feed, News, Route, Web
from recollect.engine.loop import Loop
from recollect.errors import ConfigError, InvalidInput, StoreAway
from recollect.serve import http
from recollect.serve.address import Address, is_loopback, parse_address
from recollect.serve.address import listen as listen_on
from recollect.serve.admission import admission
from recollect.serve.capacity import Room
from recollect.serve.http import HttpServer
from recollect.serve.log import Log
from recollect.serve.message import MAX_BYTES
from recollect.serve.watch import WAITING_FRAMES, Frame, Watch, Watcher

FIXTURE = Path(__file__).with_name("fixture_web.py")
JSON = {"content-type": "application/json"}


class Server:
    """The fixture's process: its standard streams, and where it is on the web."""

    def __init__(self, home: Path, address: str = "127.0.0.1:0", *more: str) -> None:
        self.popen = subprocess.Popen(
            [sys.executable, str(FIXTURE), str(home), address, *more],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.popen.stderr is not None
        self.first = self.popen.stderr.readline().decode()
        found = re.search(r"http://\S+:(\d+)", self.first)
        self.url = found[0].replace("0.0.0.0", "127.0.0.1") if found else ""
        self.web = httpx.Client(
            base_url=self.url, timeout=HANG_GUARD_SECONDS, limits=httpx.Limits(max_connections=None)
        )

    def remember(self, text: str) -> str:
        """A call over stdio."""
        assert self.popen.stdin is not None
        assert self.popen.stdout is not None
        params = {"name": "remember", "arguments": {"text": text}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        self.popen.stdin.write(msgspec.json.encode(message) + b"\n")
        self.popen.stdin.flush()
        answer: Any = msgspec.json.decode(self.popen.stdout.readline())
        return answer["result"]["structuredContent"]["id"]

    def said(self, line: str) -> None:
        """Waits until its log says so."""
        assert self.popen.stderr is not None
        for said in iter(self.popen.stderr.readline, b""):
            if line in said.decode():
                return
        raise AssertionError(f"the server never said {line!r}")

    def finish(self) -> tuple[int, str]:
        """Its end after the end of its input: exit code, and the rest of its log."""
        _, err = self.popen.communicate(timeout=HANG_GUARD_SECONDS)
        return self.popen.returncode, err.decode()

    def close(self) -> None:
        self.web.close()
        self.popen.kill()
        self.popen.communicate()


Start = Callable[..., Server]
Listen = Callable[..., Listener]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[Server] = []

    def begin(*arguments: str) -> Server:
        started.append(Server(tmp_path / "home", *arguments))
        return started[-1]

    yield begin
    for server in started:
        server.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One process for all who only ask: what one of them was answered changes nothing for the next."""
    one = Server(tmp_path_factory.mktemp("asked") / "home")
    yield one
    one.close()


@pytest.fixture
def listen() -> Iterator[Listen]:
    with ExitStack() as stack:

        def begin(server: Server, **headers: str) -> Listener:
            stream = server.web.stream("GET", "/sse", headers={k.replace("_", "-"): v for k, v in headers.items()})
            return Listener(stack.enter_context(stream))

        yield begin


# Requests


def test_health_is_a_plain_ok(server: Server) -> None:
    answer = server.web.get("/health")
    assert (answer.status_code, answer.text) == (200, "ok")
    assert answer.headers["content-type"].startswith("text/plain")


def test_a_call_by_http_and_one_by_stdio_reach_the_same_engine(server: Server) -> None:
    by_http = server.web.post("/notes", json={"text": "one text"}).json()
    assert by_http == {"id": server.remember("one text")}


def test_a_part_of_the_path_is_decoded_after_the_path_is_split(server: Server) -> None:
    answer = server.web.get("/things/a%2Fb%20%C3%BC%3F?limit=5&deep=true")
    assert answer.json() == {"name": "a/b ü?", "limit": 5, "deep": True}


@pytest.mark.parametrize(
    ("request_line", "status", "error"),
    [
        ("GET /nowhere", 404, "there is nothing at /nowhere"),
        ("GET /things/", 404, "there is nothing at /things"),
        ("GET /things//", 404, "there is nothing at /things"),
        ("GET /things/a/b", 404, "there is nothing at /things/a/b"),
        ("DELETE /notes", 405, "DELETE is not possible here; possible: POST"),
        ("POST /health", 405, "POST is not possible here; possible: GET"),
        ("POST /sse", 405, "POST is not possible here; possible: GET"),
        ("OPTIONS /things/a", 405, "OPTIONS is not possible here; possible: GET"),
        ("GET /things/a?limit=51", 400, "limit: must be at most 50, not '51'"),
        ("GET /things/a?limit=x", 400, "limit: must be a whole number, not 'x'"),
        ("GET /things/a?size=1", 400, "size: unknown field (known: name, limit, deep)"),
        ("GET /things/a?name=b", 400, "name: is said by the address and cannot be given again"),
        ("GET /things/a?limit=1&limit=2", 400, "limit: is given twice"),
        ("GET /things/%ff", 400, "the address is not UTF-8"),
        (
            "GET /things/a?limit=%ff",
            400,
            "the query cannot be read: 'utf-8' codec can't decode byte 0xff",
        ),
        ("GET /fail/missing", 404, "there is no such thing"),
        ("GET /fail/conflict", 409, "it changed"),
        ("GET /fail/busy", 503, "someone else writes"),
        ("GET /fail/full", 507, "no room is left"),
        ("GET /fail/model", 503, "the model is missing"),
        ("GET /fail/ours", 500, "ours"),
        ("GET /fail/bug", 500, "internal error in GET /fail/bug; the server's log says more"),
    ],
)
def test_errors_have_a_status_and_a_sentence(server: Server, request_line: str, status: int, error: str) -> None:
    method, _, path = request_line.partition(" ")
    answer = server.web.request(method, path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    assert set(answer.json()) == {"error"}
    assert answer.json()["error"].startswith(error)
    assert (status == 405) == ("allow" in answer.headers)


@pytest.mark.parametrize(
    ("content", "headers", "status", "error"),
    [
        (b'{"text":"x"}', {"content-type": "text/plain"}, 415, "the body must be application/json, not text/plain"),
        (b'{"text":"x"}', {}, 415, "the body must be application/json, not of an unknown type"),
        (b"{", JSON, 400, "the body is not JSON: "),
        (b'{"text":"\xff"}', JSON, 400, "the body is not JSON: "),
        (b'{"text":"\\ud800"}', JSON, 400, "the body is not JSON: "),
        (b"[" * 100_000, JSON, 400, "the body is not JSON: "),
        (b"[]", JSON, 400, "the body must be a JSON object"),
        (b"", JSON, 400, "text: is required"),
        (b'{"text":"x","colour":1}', JSON, 400, "colour: unknown field (known: text, count)"),
        (b'{"text":"x","count":"1"}', JSON, 400, "count: must be a whole number, not '1'"),
        (b'{"text":" "}', JSON, 400, "text: "),
    ],
)
def test_a_body_is_a_json_object_with_known_fields(
    server: Server, content: bytes, headers: dict[str, str], status: int, error: str
) -> None:
    answer = server.web.post("/notes", content=content, headers=headers)
    assert (answer.status_code, answer.json()["error"][: len(error)]) == (status, error)


@pytest.mark.parametrize("size", [MAX_BYTES + 1, 3 * MAX_BYTES])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large_is_refused_and_the_server_goes_on(server: Server, size: int, chunked: bool) -> None:
    whole = b"x" * size
    content = iter([whole[at : at + 1_000_000] for at in range(0, size, 1_000_000)]) if chunked else whole
    answer = server.web.post("/notes", content=content, headers=JSON)
    assert answer.status_code == 413
    assert answer.json() == {"error": f"the body is too large: the limit is {MAX_BYTES} bytes"}
    assert server.web.get("/health").text == "ok"


def test_a_body_that_is_announced_as_too_large_is_refused_before_it_comes(server: Server) -> None:
    port = httpx.URL(server.url).port
    assert port is not None
    with socket.create_connection(("127.0.0.1", port), timeout=20) as wire:
        head = "POST /notes HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json"
        wire.sendall(f"{head}\r\nContent-Length: {MAX_BYTES + 1}\r\n\r\n".encode())
        heard = b"".join(iter(lambda: wire.recv(65536), b""))  # to the end: the connection is closed
    assert heard.startswith(b"HTTP/1.1 413 ")


def test_an_address_may_be_a_whole_url(server: Server) -> None:
    url = httpx.URL(server.url)
    assert url.port is not None
    with socket.create_connection(("127.0.0.1", url.port), timeout=20) as wire:
        wire.sendall(f"GET {url}/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        heard = b"".join(iter(lambda: wire.recv(65536), b""))
    assert (heard.startswith(b"HTTP/1.1 200 "), heard.endswith(b"ok")) == (True, True)


def test_a_fault_is_in_the_log_and_not_in_the_answer(server: Server) -> None:
    assert "secret" not in server.web.get("/fail/bug").text
    server.said("a secret in the traceback")


def test_head_answers_like_get_without_a_body(server: Server) -> None:
    assert (server.web.head("/health").status_code, server.web.head("/health").text) == (200, "")
    assert server.web.head("/things/a").status_code == 200
    assert server.web.head("/sse").status_code == 405


def test_what_is_not_http_does_not_harm_the_server(server: Server) -> None:
    port = int(server.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 400")
    assert server.web.get("/health").text == "ok"


# Who may ask


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "localhost:3031"}, 200),
        ({"host": "LOCALHOST"}, 200),
        ({"host": "[::1]:3031"}, 200),
        ({"host": "127.9.9.9"}, 200),
        ({"host": "evil.example"}, 403),
        ({"host": "evil.example:3031"}, 403),
        ({"host": "127.0.0.1.evil.example"}, 403),
        ({"host": "localhost.evil.example"}, 403),
        ({"host": ""}, 403),
        ({"host": "[::1]evil.com"}, 403),
        ({"host": "[::1]:80evil.com"}, 403),
        ({"host": "localhost:1@evil.com"}, 403),
        ({"host": "localhost:evil.com"}, 403),
        ({"origin": "http://[::1]evil.com"}, 403),
        ({"origin": "http://localhost:1@evil.com"}, 403),
        ({"origin": "http://localhost/evil"}, 403),
        ({"origin": "http://localhost:5173"}, 200),
        ({"origin": "https://127.0.0.1"}, 200),
        ({"origin": "http://[::1]:8080"}, 200),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "http://localhost@evil.example"}, 403),
        ({"origin": "file://localhost"}, 403),
        ({"origin": "null"}, 403),
    ],
)
def test_only_names_of_this_machine_are_answered(server: Server, headers: dict[str, str], status: int) -> None:
    web = server.web
    for path in ("/health", "/things/a"):
        assert web.get(path, headers=headers).status_code == status
    if status == 403:
        assert web.get("/sse", headers=headers).status_code == 403


def test_beyond_this_machine_nothing_is_served_without_a_token(start: Start) -> None:
    server = start("0.0.0.0:0")
    assert "set RECOLLECT_TOKEN" in server.first
    assert server.finish()[0] == 1


@pytest.mark.parametrize(("token", "length", "different"), [("x", 1, 1), ("ababababababababab", 18, 2)])
def test_a_token_that_can_be_guessed_is_refused_beyond_this_machine(
    start: Start, token: str, length: int, different: int
) -> None:
    server = start("0.0.0.0:0", token)
    told = f"the token has {length} characters, {different} of them different; it must have at least 16"
    assert told in server.first
    assert server.finish()[0] == 1


def test_with_a_token_every_request_but_health_must_show_it(start: Start) -> None:
    token = "s3cret" * 3
    web = start("0.0.0.0:0", token).web
    assert web.get("/health", headers={"host": "memory.example"}).text == "ok"
    wrong = ("", "Bearer wrong", f"Basic {token}", token, "Bearer", f"Bearer {token}2")
    for given, path in zip(wrong, ("/things/a", "/sse", "/nowhere") * 2, strict=True):
        answer = web.get(path, headers={"authorization": given})
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    shown = {"authorization": f"Bearer {token}", "host": "memory.example"}
    assert web.get("/things/a", headers=shown).status_code == 200


def test_a_token_that_is_set_counts_on_this_machine_too(start: Start) -> None:
    web = start("127.0.0.1:0", "s3cret").web
    assert web.get("/things/a").status_code == 401
    assert web.get("/things/a", headers={"authorization": "bearer s3cret"}).status_code == 200


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:3031", Address("127.0.0.1", 3031)),
        (":3031", Address("127.0.0.1", 3031)),
        ("localhost:0", Address("127.0.0.1", 0)),
        ("[::1]:3031", Address("::1", 3031)),
        ("[0:0::1]:3031", Address("::1", 3031)),
        ("0.0.0.0:80", Address("0.0.0.0", 80)),
    ],
)
def test_an_address_is_an_ip_and_a_port(text: str, address: Address) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize(
    "text", ["", "3031", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", ":65536", ":-1", "::1:80", "[127.0.0.1]:80",
             "example.org:80", "http://127.0.0.1:80", "127.1:80", ":٣"],
)  # fmt: skip
def test_what_is_no_address_is_told_with_examples(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"is not an address such as 127\.0\.0\.1:3031"):
        parse_address(text)


def test_loopback_is_more_than_one_address() -> None:
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "example.org", "", "localhost.example")))


def test_all_addresses_of_a_machine_are_not_loopback() -> None:
    with pytest.raises(ConfigError):
        admission(Address("::", 80), None)
    assert admission(Address("::1", 80), None).token is None


# Events


def test_the_first_event_says_connected(server: Server, listen: Listen) -> None:
    listener = listen(server)
    assert listener.response.headers["content-type"].startswith("text/event-stream")
    assert listener.next() == {"type": "connected"}


def test_changes_are_heard_by_whichever_way_they_came(start: Start, listen: Listen) -> None:
    server = start()
    listener = listen(server)
    listener.next()
    by_stdio = server.remember("by stdio")
    assert listener.next() == {"type": "remember", "id": by_stdio}
    by_http = server.web.post("/notes", json={"text": "by http"}).json()["id"]
    assert listener.next() == {"type": "remember", "id": by_http}
    by_another = start().remember("by another process")
    assert listener.next() == {"type": "remember", "id": by_another}


def test_what_happened_before_is_not_told_unless_it_is_asked_for(start: Start, listen: Listen) -> None:
    server = start()
    first = listen(server)
    first.next()
    server.remember("one")
    assert first.next()["type"] == "remember"
    missed = [server.remember("two"), server.remember("three")]
    fresh = listen(server)
    assert fresh.next() == {"type": "connected"}
    back = listen(server, last_event_id=first.last_id)
    assert back.next() == {"type": "connected"}
    assert [back.next()["id"], back.next()["id"]] == missed
    four = server.remember("four")
    assert fresh.next()["id"] == back.next()["id"] == four


def test_a_listener_that_left_can_come_again(start: Start) -> None:
    server = start()
    for number in range(3):
        with server.web.stream("GET", "/sse") as response:
            listener = Listener(response)
            assert listener.next() == {"type": "connected"}
            assert server.remember(f"note {number}") == listener.next()["id"]


@pytest.mark.parametrize("last", ["x", "-1", "1e9", "9" * 30, "999999999999"])
def test_a_last_event_id_that_makes_no_sense_does_no_harm(server: Server, listen: Listen, last: str) -> None:
    listener = listen(server, last_event_id=last)
    assert listener.next() == {"type": "connected"}
    assert server.remember(f"later than {last}") == listener.next()["id"]


def test_fifty_listeners_hear_everything_in_order(start: Start, listen: Listen) -> None:
    server = start()
    listeners = [listen(server) for _ in range(50)]
    assert all(listener.next() == {"type": "connected"} for listener in listeners)
    ids = [server.remember(f"note {number}") for number in range(20)]
    for listener in listeners:
        assert [listener.next()["id"] for _ in ids] == ids


def test_a_listener_that_reads_nothing_and_one_that_vanished_hold_nobody_up(start: Start, listen: Listen) -> None:
    server = start()
    port = int(server.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as lazy, socket.create_connection(("127.0.0.1", port)) as gone:
        for one in (lazy, gone):
            one.sendall(b"GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert gone.recv(1)
        gone.close()
        listener = listen(server)
        listener.next()
        ids = [server.remember(f"note {number}") for number in range(WAITING_FRAMES + 50)]
        assert [listener.next()["id"] for _ in ids] == ids


def test_a_listener_that_falls_too_far_behind_is_sent_away() -> None:
    async def fall_behind() -> list[bytes | None]:
        watcher = Watcher(lambda _: True)
        watcher.offer([Frame(1, None, b"early")])
        early = await watcher.next()
        watcher.offer([Frame(entry, "work", b"x") for entry in range(2, WAITING_FRAMES + 3)])
        return [early, await watcher.next()]

    assert asyncio.run(fall_behind()) == [b"early", None]


def followed(memory: Memory) -> Feed:
    return Feed(
        hello={},
        last_entry=memory.last_entry,
        follow=lambda after, seconds: memory.follow(after, seconds, limit=2),
        tell=lambda changes: [News(change.entry, change.verb) for change in changes],
    )


def test_a_listener_that_stops_leaves_nothing_behind(memory: Memory) -> None:
    watch = Watch(followed(memory), Log())

    async def listen_and_leave() -> tuple[int, int]:
        streams = [watch.stream() for _ in range(5)]
        for stream in streams:
            await anext(stream)
        there = len(watch)
        for stream in streams:
            await stream.aclose()
        return there, len(watch)

    assert asyncio.run(listen_and_leave()) == (5, 0)
    watch.close()


def test_a_journal_that_cannot_be_followed_for_a_while_is_followed_then_and_that_is_told_once(
    memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    memory.remember("before")
    feed, problems = followed(memory), iter([StoreAway("the server is away")] * 3)

    def follow(after: int, seconds: float) -> Sequence[Change]:
        for problem in problems:
            raise problem
        return feed.follow(after, seconds)

    watch = Watch(msgspec.structs.replace(feed, follow=follow), Log())

    async def listen() -> bytes:
        stream = watch.stream()
        await anext(stream)
        memory.remember("meanwhile")
        heard = await anext(stream)
        await stream.aclose()
        return heard

    assert asyncio.run(listen()) == b'id: 3\ndata: "remember"\n\n'
    watch.close()
    assert (list(problems), capsys.readouterr().err.count("the server is away")) == ([], 1)


def test_what_was_missed_comes_page_by_page_and_before_what_is_new(memory: Memory) -> None:
    for number in range(5):
        memory.remember(f"note {number}")
    watch = Watch(followed(memory), Log())

    async def come_back() -> list[bytes]:
        stream = watch.stream(after=1)
        heard = [await anext(stream) for _ in range(6)]
        memory.remember("later")
        heard.append(await anext(stream))
        await stream.aclose()
        return heard

    heard = asyncio.run(come_back())
    watch.close()
    assert heard[0] == b"data: {}\n\n"
    assert heard[1:] == [b'id: %d\ndata: "remember"\n\n' % entry for entry in range(2, 8)]


def test_an_address_is_declared_once() -> None:
    route = Route(method="GET", path="/x", params=dict[str, str], call=lambda _, __: None)
    feed = Feed(hello={}, last_entry=lambda: 0, follow=lambda _after, _seconds: (), tell=lambda _: ())
    with pytest.raises(ValueError, match="declared twice: GET /x"):
        Web(routes=(route, route), feed=feed)


# The life of the process


def test_it_ends_when_the_input_ends_and_listeners_are_sent_away(start: Start, listen: Listen) -> None:
    server = start()
    listeners = [listen(server) for _ in range(3)]
    assert [listener.next() for listener in listeners] == [{"type": "connected"}] * 3
    code, log = server.finish()
    assert (code, "Traceback" in log) == (0, False)
    assert [listener.next() for listener in listeners] == [None] * 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_on_a_signal(start: Start, listen: Listen, number: signal.Signals) -> None:
    server = start()
    listener = listen(server)
    listener.next()
    server.popen.send_signal(number)
    assert server.popen.wait(HANG_GUARD_SECONDS) == 0
    assert listener.next() is None


def test_input_may_end_before_the_web_is_ready(start: Start) -> None:
    code, log = start().finish()
    assert (code, "Traceback" in log) == (0, False)


@pytest.mark.parametrize("path", ["/wait", "/stuck"])
@pytest.mark.parametrize("how", ["end of input", "signal"])
def test_a_call_that_still_runs_does_not_keep_the_process(start: Start, path: str, how: str) -> None:
    server = start()
    port = int(server.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        server.said("waiting")
        if how == "signal":
            server.popen.send_signal(signal.SIGTERM)
        code, log = server.finish()
    assert code == 0
    assert ("noticed the cancellation" in log) == (path == "/wait")


def test_a_port_that_is_taken_is_told_and_ends_it(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server = start(f"127.0.0.1:{port}")
        assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in server.first
        assert server.finish()[0] == 1


def test_a_port_can_be_used_again_at_once(start: Start) -> None:
    first = start()
    assert first.web.get("/health").text == "ok"
    assert first.finish()[0] == 0
    again = start(first.url.removeprefix("http://"))
    assert again.web.get("/health").text == "ok"


# Slow ones, and many of them


class _Near:
    """A server in this process, whose limits a test may set."""

    def __init__(self, memory: Memory) -> None:
        self.listener = listen_on(Address("127.0.0.1", 0))
        web = Web(routes=(), feed=followed(memory))
        self._server = HttpServer(http.web_parts(web, Log()), admission(Address("127.0.0.1", 0), None), Log())
        self._loop = Loop("near", lambda: self._server.run(self.listener))
        self._loop.wake()
        self._open: list[socket.socket] = []

    def connect(self, said: bytes = b"") -> socket.socket:
        client = socket.create_connection(self.listener.getsockname(), HANG_GUARD_SECONDS)
        self._open.append(client)
        client.sendall(said)
        return client

    def close(self) -> None:
        for client in self._open:
            client.close()
        self._server.stop()
        self._loop.wait()
        self.listener.close()


@pytest.fixture
def near(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., _Near]]:
    opened: list[_Near] = []

    def begin(**limits: float) -> _Near:
        for name, value in limits.items():
            if name == "room":
                monkeypatch.setattr(http, "room_for_connections", lambda: Room(int(limits["room"])))
            else:
                monkeypatch.setattr(http, name, value)
        opened.append(_Near(memory))
        return opened[-1]

    yield begin
    for server in opened:
        server.close()


HALF = b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
WHOLE = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
SLOW_BODY = b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"


def test_a_header_that_does_not_end_is_given_up(near: Callable[..., _Near]) -> None:
    server = near(HEADER_SECONDS=1.0)
    silent, half = server.connect(), server.connect(HALF)
    second = server.connect(WHOLE)
    said = b""
    while not said.endswith(b"ok"):
        said += second.recv(200)
    assert said.startswith(b"HTTP/1.1 200")
    second.sendall(HALF)
    assert silent.recv(200).startswith(b"HTTP/1.1 408")
    assert half.recv(200).startswith(b"HTTP/1.1 408")
    assert second.recv(200).startswith(b"HTTP/1.1 408")


@pytest.mark.parametrize("request_line", [b"POST /x", b"GET /health"])
def test_a_body_that_does_not_end_is_given_up(near: Callable[..., _Near], request_line: bytes) -> None:
    server = near(BODY_SECONDS=0.05, PASS_OVER_SECONDS=0.05)
    client = server.connect(SLOW_BODY.replace(b"POST /x", request_line))
    assert b"".join(iter(lambda: client.recv(4_096), b"")).startswith(b"HTTP/1.1 ")  # and then it ends


def test_who_comes_when_all_places_are_taken_is_told_so_at_once(near: Callable[..., _Near]) -> None:
    server = near(room=8)
    held = [server.connect(HALF) for _ in range(8)]
    held[0].sendall(b"x\r\n\r\n")
    assert held[0].recv(200).startswith(b"HTTP/1.1 200")  # so all eight are inside
    late = server.connect(WHOLE)
    assert b"".join(iter(lambda: late.recv(4_096), b"")).startswith(b"HTTP/1.1 503 Service Unavailable")
    for client in held:
        client.shutdown(socket.SHUT_RDWR)
    while not server.connect(WHOLE).recv(200).startswith(b"HTTP/1.1 200"):
        continue  # until the server has seen that they left


def test_no_more_listeners_get_through_than_there_are_places(near: Callable[..., _Near]) -> None:
    server = near(room=60, MAX_WATCHERS=20)
    ask = b"GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n"
    clients = [server.connect(ask) for _ in range(40)]
    answers = [client.recv(12) for client in clients]
    assert (answers.count(b"HTTP/1.1 200"), answers.count(b"HTTP/1.1 503")) == (20, 20)
    for client in clients:
        client.close()
    while not (again := server.connect(ask)).recv(12).endswith(b"200"):
        again.close()  # until the server has seen that they left
