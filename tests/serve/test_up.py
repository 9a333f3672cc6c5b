"""The service: a real process of `recollect up`, and clients that speak the protocol to it over HTTP."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client

from recollect.contracts.registry import CONTRACTS
from recollect.errors import ENDING

ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
META = "io.modelcontextprotocol/"
HANG_GUARD_SECONDS = 60
NEW = "2026-07-28"
OLD = "2025-11-25"


class Up:
    """A running service."""

    def __init__(self, home: Path, *more: str, **variables: str) -> None:
        self.home = home
        environment = {**os.environ, "RECOLLECT_EMBEDDER": "none", "RECOLLECT_HOME": str(home), **variables}
        self.popen = subprocess.Popen(
            [sys.executable, "-m", "recollect.cli", "up", "--http", "127.0.0.1:0", *more],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
        )  # fmt: skip
        assert self.popen.stdout is not None
        self.first = self.popen.stdout.readline().decode()
        found = re.search(r"https?://[\w.]+:\d+", self.first)
        assert found is not None, self.popen.communicate()
        self.url = found[0].replace("0.0.0.0", "127.0.0.1")
        self.web = httpx.Client(base_url=self.url, timeout=HANG_GUARD_SECONDS, headers=ACCEPT)

    def post(self, method: str, params: dict[str, Any], path: str = "/mcp", **headers: str) -> httpx.Response:
        message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        return self.web.post(path, json=message, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def initialize(self, path: str = "/mcp", **headers: str) -> str:
        params = {"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
        answer = self.post("initialize", params, path, **headers)
        assert answer.json()["result"]["protocolVersion"] == OLD
        return answer.headers["mcp-session-id"]

    def alone(self, method: str, params: dict[str, Any], path: str = "/mcp", **headers: str) -> httpx.Response:
        """A request of the era without sessions, with the headers that belong to it unless others are given."""
        meta = {META + "protocolVersion": NEW, META + "clientCapabilities": dict[str, str]()}
        name = params.get("name", params.get("uri"))
        usual = {"mcp_protocol_version": NEW, "mcp_method": method, **({"mcp_name": name} if name else {})}
        sent = {key: value for key, value in {**usual, **headers}.items() if value}
        return self.post(method, {**params, "_meta": meta}, path, **sent)

    def close(self) -> None:
        self.web.close()
        self.popen.kill()
        self.popen.communicate()


Start = Callable[..., Up]


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One service that many tests share."""
    server = Up(tmp_path_factory.mktemp("up"))
    yield server
    server.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[Up] = []

    def begin(*more: str) -> Up:
        started.append(Up(tmp_path / "home", *more))
        return started[-1]

    yield begin
    for server in started:
        server.close()


# The official client


@pytest.mark.parametrize("mode", [NEW, "legacy"])
@pytest.mark.parametrize("contract", CONTRACTS)
def test_the_official_client_lists_the_tools_of_every_contract(up: Up, contract: str, mode: str) -> None:
    async def run() -> list[str]:
        async with Client(f"{up.url}/mcp/{contract}", mode=mode) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    listed = up.alone("tools/list", {}, f"/mcp/{contract}").json()["result"]["tools"]
    assert anyio.run(run) == [tool["name"] for tool in listed] != []


@pytest.mark.parametrize("mode", [NEW, "legacy", "auto"])
def test_what_one_client_stores_another_recalls(up: Up, mode: str) -> None:
    async def run() -> str:
        async with Client(f"{up.url}/mcp", mode=mode) as client:
            stored = await client.call_tool("remember", {"text": f"The {mode} gate opens at nine."})
        async with Client(f"{up.url}/mcp/native", mode=mode) as client:
            found = await client.call_tool("recall", {"query": f"when does the {mode} gate open"})
        assert stored.structured_content is not None
        return stored.structured_content["id"] if str(stored.structured_content["id"]) in str(found) else ""

    assert anyio.run(run)


def test_a_key_in_a_header_has_a_change_made_once(up: Up) -> None:
    asked = [{"name": "remember", "arguments": {"text": f"The {name} gate is locked."}} for name in ("north", "south")]
    session = up.initialize()
    first = up.alone("tools/call", asked[0], idempotency_key="gate-1").json()["result"]
    again = up.post("tools/call", asked[0], mcp_session_id=session, idempotency_key="gate-1").json()["result"]
    assert again["structuredContent"] == first["structuredContent"]
    refused = up.alone("tools/call", asked[1], idempotency_key="gate-1").json()["result"]
    assert "was used for another call" in refused["content"][0]["text"]


# Sessions


def test_a_session_is_opened_used_and_ended(up: Up) -> None:
    session = up.initialize()
    assert up.post("ping", {}, mcp_session_id=session).json() == {"jsonrpc": "2.0", "id": 7, "result": {}}
    notice = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert up.web.post("/mcp", json=notice, headers={"mcp-session-id": session}).status_code == 202
    assert up.web.delete("/mcp", headers={"mcp-session-id": session}).status_code == 204
    gone = up.post("ping", {}, mcp_session_id=session)
    assert (gone.status_code, gone.json()["error"]["message"][:17]) == (404, "Session not found")


def test_a_session_belongs_to_one_contract(up: Up) -> None:
    session = up.initialize("/mcp/trusty-memory")
    assert up.post("ping", {}, mcp_session_id=session).status_code == 404
    assert up.post("ping", {}, "/mcp/trusty-memory", mcp_session_id=session).status_code == 200


def test_a_request_without_a_session_is_told_to_open_one(up: Up) -> None:
    answer = up.post("tools/list", {})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].endswith("send initialize first")


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (406, {"accept": "application/json"}),
        (415, {"content-type": "text/plain"}),
        (400, {"mcp-protocol-version": "1999-01-01"}),
        (403, {"origin": "https://evil.example"}),
        (403, {"host": "evil.example"}),
    ],
)
def test_what_cannot_be_meant_is_refused(up: Up, status: int, headers: dict[str, str]) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert up.web.post("/mcp", json=message, headers=headers).status_code == status


def test_sessions_that_nobody_ends_do_not_pile_up(up: Up) -> None:
    first = up.initialize()
    sessions = [up.initialize() for _ in range(1_000)]
    assert up.post("ping", {}, mcp_session_id=first).status_code == 404
    assert up.post("ping", {}, mcp_session_id=sessions[-1]).status_code == 200


def test_the_stream_of_a_session_ends_with_it_and_a_second_takes_its_place(up: Up) -> None:
    headers = {"mcp-session-id": up.initialize()}
    with up.web.stream("GET", "/mcp", headers=headers) as first:
        assert first.headers["content-type"].startswith("text/event-stream")
        with up.web.stream("GET", "/mcp", headers=headers) as second:
            assert first.read() == b""
            assert up.web.delete("/mcp", headers=headers).status_code == 204
            assert second.read() == b""


# Requests that stand alone


def test_discovery_needs_no_session(up: Up) -> None:
    found = up.alone("server/discover", {}).json()["result"]
    assert (found["supportedVersions"], found["resultType"]) == ([NEW], "complete")


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"mcp_method": "tools/call"}, -32020),
        ({"mcp_method": ""}, -32020),
        ({"mcp_protocol_version": OLD}, -32020),
        ({"mcp_name": "recall"}, -32020),
        ({"mcp_name": ""}, -32020),
    ],
)
def test_headers_must_say_what_the_body_says(up: Up, headers: dict[str, str], code: int) -> None:
    method = "tools/list" if "mcp_method" in headers else "tools/call"
    answer = up.alone(method, {} if method == "tools/list" else {"name": "status", "arguments": {}}, **headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


@pytest.mark.parametrize(
    ("method", "headers", "code"),
    [
        ("tools/call", {}, -32020),
        ("tools/call", {"mcp_method": "tools/list", "mcp_name": "status"}, -32020),
        ("tools/call", {"mcp_method": "tools/call", "mcp_name": "status"}, -32020),
        ("tools/call", {"mcp_method": "tools/call", "mcp_name": "remember"}, -32602),
        ("ping", {"mcp_method": "ping"}, -32602),
        ("initialize", {"mcp_method": "initialize"}, -32602),
    ],
)
def test_a_request_that_stands_alone_does_nothing_without_its_envelope(
    up: Up, method: str, headers: dict[str, str], code: int
) -> None:
    called = {"name": "remember", "arguments": {"text": "Nobody is to keep this zeppelin."}}
    params = {"tools/call": called, "initialize": {"protocolVersion": OLD, "capabilities": {}}}.get(method, {})
    answer = up.post(method, params, mcp_protocol_version=NEW, **headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    found = up.alone("tools/call", {"name": "recall", "arguments": {"query": "zeppelin"}})
    assert "Nobody is to keep" not in found.text


def test_a_name_may_come_in_base64(up: Up) -> None:
    assert up.alone("tools/call", {"name": "status"}, mcp_name="=?base64?c3RhdHVz?=").status_code == 200
    assert up.alone("tools/call", {"name": "status"}, mcp_name="=?base64?%%?=").status_code == 400


def test_unknown_methods_and_versions_have_a_status_of_their_own(up: Up) -> None:
    unknown = up.alone("no/such", {})
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, -32601)
    meta = {META + "protocolVersion": "2099-01-01", META + "clientCapabilities": dict[str, str]()}
    late = up.post("ping", {"_meta": meta}, mcp_protocol_version="2099-01-01", mcp_method="ping")
    assert (late.status_code, late.json()["error"]["code"]) == (400, -32022)


def test_there_is_nothing_to_get_without_a_session(up: Up) -> None:
    assert up.web.get("/mcp", headers={"mcp-protocol-version": NEW}).status_code == 405
    assert up.web.put("/mcp").headers["allow"] == "POST, GET, DELETE"
    assert up.web.post("/mcp/nope", json={}).status_code == 404


# The end


def test_a_signal_ends_it_and_what_was_stored_stays(start: Start, tmp_path: Path) -> None:
    server = start()
    server.alone("tools/call", {"name": "remember", "arguments": {"text": "The last word stays."}})
    with server.web.stream("GET", "/mcp", headers={"mcp-session-id": server.initialize()}) as listening:
        server.popen.send_signal(signal.SIGTERM)
        assert listening.read() == b""
    assert server.popen.wait(HANG_GUARD_SECONDS) == 0
    again = start()
    found = again.alone("tools/call", {"name": "recall", "arguments": {"query": "last word"}})
    assert "The last word stays." in found.text
    assert (tmp_path / "home").exists()


def begin(server: Up, path: str, said: object, **headers: str) -> HTTPConnection:
    """Asks without waiting for the answer."""
    connection = HTTPConnection(server.url.removeprefix("http://"), timeout=HANG_GUARD_SECONDS)
    connection.request("POST", path, json.dumps(said), {**ACCEPT, **headers})
    return connection


def test_calls_under_way_at_the_end_are_told_to_ask_again(start: Start, tmp_path: Path) -> None:
    server = start()
    assert server.web.post("/api/records", json={"text": "Acknowledged before."}).status_code == 200
    call = {"name": "remember", "arguments": {"text": "Held up."}}
    session = {"mcp-session-id": server.initialize(), "mcp-protocol-version": OLD}
    with ExitStack() as held:
        other = held.enter_context(closing(sqlite3.connect(tmp_path / "home" / "recollect.db", isolation_level=None)))
        other.execute("BEGIN IMMEDIATE")  # so that no call can end
        rest = held.enter_context(closing(begin(server, "/api/records", {"text": "Held up too."})))
        asked = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}
        tool = held.enter_context(closing(begin(server, "/mcp", asked, **session)))
        stream = tool.getresponse()  # which begins once the call has taken a while
        server.popen.send_signal(signal.SIGTERM)
        answer, told = rest.getresponse(), json.loads(stream.read().rpartition(b"data: ")[2])
        assert (answer.status, answer.headers["retry-after"]) == (503, "1")
        assert json.loads(answer.read())["error"] == ENDING
        assert told == {"jsonrpc": "2.0", "id": 7, "error": {"code": -32000, "message": ENDING}}
        assert server.popen.wait(HANG_GUARD_SECONDS) == 0
    listed = start().web.get("/api/records").text
    assert ("Acknowledged before." in listed, "Held up" in listed) == (True, False)


def test_an_address_that_is_taken_is_told(up: Up, tmp_path: Path) -> None:
    taken = up.url.removeprefix("http://")
    command = [sys.executable, "-m", "recollect.cli", "up", "--home", str(tmp_path), "--http", taken]
    done = subprocess.run(command, capture_output=True, timeout=HANG_GUARD_SECONDS, check=False)
    assert (done.returncode, b"cannot listen" in done.stderr) == (1, True)


def test_what_to_paste_is_what_clients_read(start: Start) -> None:
    server = start()
    assert server.popen.stdout is not None
    lines = [server.popen.stdout.readline().decode() for _ in range(8)]
    assert json.loads("".join(lines))["mcpServers"]["recollect"] == {"type": "http", "url": f"{server.url}/mcp"}


def test_what_to_paste_elsewhere_has_a_name_and_a_header_for_the_token(tmp_path: Path) -> None:
    server = Up(tmp_path, "--http", "0.0.0.0:0", RECOLLECT_TOKEN="0123456789abcdef01")
    server.popen.send_signal(signal.SIGTERM)
    assert server.popen.stdout is not None
    text = server.popen.stdout.read().decode()
    server.close()
    entry, end = json.JSONDecoder().raw_decode(text[text.index("{") :])
    port = server.url.rpartition(":")[2]
    url = f"http://{socket.gethostname()}:{port}/mcp"
    told = {"type": "http", "url": url, "headers": {"Authorization": "Bearer TOKEN"}}
    assert entry == {"mcpServers": {"recollect": told}}
    assert "`recollect token create --space NAME" in text[end:]
    assert f"http://127.0.0.1:{port}/ (or `recollect open --http 127.0.0.1:{port}`)" in text
    assert "0123456789abcdef01" not in text


def test_a_client_that_says_half_a_request_keeps_nobody_waiting(up: Up) -> None:
    host, port = up.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), HANG_GUARD_SECONDS) as slow:
        slow.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        assert up.alone("tools/list", {}).status_code == 200


def test_a_body_whose_end_is_told_in_two_ways_is_refused_with_all_that_follows(up: Up) -> None:
    host, port = up.url.removeprefix("http://").split(":")
    hidden = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    said = b"POST /api/records HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 5\r\n"
    with socket.create_connection((host, int(port)), HANG_GUARD_SECONDS) as client:
        client.sendall(said + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden)
        heard = b"".join(iter(lambda: client.recv(65_536), b""))
    assert heard.count(b"HTTP/1.1 ") == 1
    assert heard.startswith(b"HTTP/1.1 400 ")
    assert b"exclude each other" in heard
