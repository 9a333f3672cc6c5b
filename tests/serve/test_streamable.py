"""Streams of the protocol over HTTP: progress, what is asked of a client, streams that break off and are resumed."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import anyio
import httpx
import pytest
from fixture_server import FULL
from mcp import Client
from test_up import ACCEPT, HANG_GUARD_SECONDS, META, NEW, OLD
from tests.serve.listening import Listener

from recollect.engine.loop import Loop
from recollect.serve.address import Address, address_of, listen
from recollect.serve.admission import admission
from recollect.serve.http import HttpServer
from recollect.serve.log import Log
from recollect.serve.protocol import Connection
from recollect.serve.streamable import MOST_CALLS_EACH, Streamable

Headers = dict[str, str]


class Near:
    """The fixture's contract, served by this process."""

    def __init__(self) -> None:
        self._listener = listen(Address("127.0.0.1", 0))
        self.url = f"http://{address_of(self._listener)}/mcp"
        gate = admission(Address("127.0.0.1", 0), None)
        part = Streamable(lambda name, _: FULL if name == "native" else None, Log())
        self._server = HttpServer((part,), gate, Log())
        self._loop = Loop("near", lambda: self._server.run(self._listener))
        self._loop.wake()
        self.web = httpx.Client(timeout=HANG_GUARD_SECONDS, headers=ACCEPT)
        self._opened = ExitStack()

    def session(self, **capabilities: object) -> Headers:
        params = {"protocolVersion": OLD, "capabilities": capabilities, "clientInfo": {"name": "raw", "version": "1"}}
        answer = self.web.post(self.url, json=message("initialize", params))
        return {"mcp-session-id": answer.headers["mcp-session-id"]}

    def listen(self, method: str, headers: Headers, **more: Any) -> Listener:
        return Listener(self._opened.enter_context(self.web.stream(method, self.url, headers=headers, **more)))

    def call(self, headers: Headers, tool: str, **arguments: object) -> Listener:
        params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": 1}}
        return self.listen("POST", headers, json=message("tools/call", params))

    def close(self) -> None:
        self._opened.close()
        self.web.close()
        self._server.stop()
        self._server.cancel_calls()
        self._loop.wait()
        self._listener.close()


def message(method: str, params: object, id: int | None = 1) -> dict[str, object]:
    return {"jsonrpc": "2.0", "method": method, "params": params, **({} if id is None else {"id": id})}


@pytest.fixture
def near() -> Iterator[Near]:
    server = Near()
    yield server
    server.close()


def test_progress_comes_before_the_answer_and_each_has_its_mark(near: Near) -> None:
    heard = near.call(near.session(), "walk", steps=3)
    told = [heard.next() for _ in range(4)]
    assert [one["params"]["progress"] for one in told[:3]] == [1, 2, 3]
    assert told[3]["result"]["structuredContent"] == {"steps": 3}
    assert (heard.last_id.partition("-")[2], heard.next()) == ("4", None)


def test_a_stream_that_broke_off_is_heard_from_where_it_was(near: Near) -> None:
    session = near.session()
    whole = near.call(session, "walk", steps=5)
    whole.next()
    first = whole.next()
    whole.response.close()
    rest = near.listen("GET", {**session, "last-event-id": whole.last_id})
    told = [rest.next() for _ in range(4)]
    assert first["params"]["progress"] == 2
    assert [one["params"]["progress"] for one in told[:3]] == [3, 4, 5]
    assert told[3]["result"]["structuredContent"] == {"steps": 5}


@pytest.mark.parametrize("mark", ["99-1", "x", "1-", "-", "1" * 50])
def test_a_mark_of_no_known_stream_is_refused(near: Near, mark: str) -> None:
    answer = near.web.get(near.url, headers={**near.session(), "last-event-id": mark})
    assert answer.status_code == 400


def test_a_broken_stream_of_a_session_does_not_withdraw_the_call(near: Near) -> None:
    session = near.session()
    broken = near.call(session, "wait")
    broken.next()
    broken.response.close()
    resumed = near.listen("GET", {**session, "last-event-id": broken.last_id})
    near.web.post(near.url, headers=session, json=message("notifications/cancelled", {"requestId": 1}, None))
    assert resumed.next() is None  # it went on until it was withdrawn, and nothing is answered then


class Waited(io.StringIO):
    """What is printed, for one who waits for a certain word of it."""

    def __init__(self, wanted: str) -> None:
        super().__init__()
        self._wanted = wanted
        self.printed = threading.Event()

    def write(self, text: str, /) -> int:
        size = super().write(text)
        if self._wanted in self.getvalue():
            self.printed.set()
        return size


def test_a_client_that_hangs_up_withdraws_a_call_that_stands_alone(near: Near, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Waited("noticed the cancellation")
    monkeypatch.setattr(sys, "stderr", log)
    meta = {META + "protocolVersion": NEW, META + "clientCapabilities": {}, "progressToken": 1}
    headers = {"mcp-protocol-version": NEW, "mcp-method": "tools/call", "mcp-name": "wait"}
    params = {"name": "wait", "arguments": {}, "_meta": meta}
    heard = near.listen("POST", headers, json=message("tools/call", params))
    assert heard.next()["method"] == "notifications/progress"
    assert heard.last_id == ""
    heard.response.close()
    assert log.printed.wait(HANG_GUARD_SECONDS)


def test_the_clients_model_is_asked_on_the_stream_of_the_call(near: Near) -> None:
    session = near.session(sampling={})
    heard = near.call(session, "lend", text="say this")
    asked = heard.next()
    assert asked["method"] == "sampling/createMessage"
    said = {"role": "assistant", "content": {"type": "text", "text": "this"}, "model": "m"}
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": said}
    assert near.web.post(near.url, headers=session, json=answer).status_code == 202
    assert heard.next()["result"]["structuredContent"] == {"text": "this", "model": "m"}


def test_too_many_calls_at_once_are_refused_and_others_are_not(near: Near) -> None:
    session = near.session()
    held = [near.call(session, "wait") for _ in range(MOST_CALLS_EACH)]
    assert [one.next()["method"] for one in held] == ["notifications/progress"] * MOST_CALLS_EACH
    late = near.web.post(near.url, headers=session, json=message("ping", {}))
    assert (late.status_code, late.headers["retry-after"]) == (429, "1")
    assert near.web.post(near.url, headers=near.session(), json=message("ping", {})).status_code == 200
    assert near.web.delete(near.url, headers=session).status_code == 204
    assert [one.next() for one in held] == [None] * MOST_CALLS_EACH


def test_a_body_that_is_too_large_is_refused(near: Near) -> None:
    answer = near.web.post(near.url, content=b" " * (16 * 1024 * 1024 + 1))
    assert answer.status_code == 413


@pytest.mark.parametrize("body", [b"{", b"[]", b"7", b'{"jsonrpc":"2.0","id":1}'])
def test_what_is_no_message_is_a_clean_error(near: Near, body: bytes) -> None:
    answer = near.web.post(near.url, headers={**near.session(), **ACCEPT}, content=body)
    assert answer.json()["error"]["code"] in (-32700, -32600)


def test_what_is_no_json_is_told_so_also_without_a_session(near: Near) -> None:
    answer = near.web.post(near.url, headers={**ACCEPT, "content-type": "application/json"}, content=b"{")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32700)


@pytest.mark.parametrize("mode", [NEW, "legacy"])
def test_the_official_client_hears_progress_and_cancels(near: Near, mode: str) -> None:
    heard: list[float] = []

    async def run() -> object:
        async with Client(near.url, mode=mode) as client:

            async def hear(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001
                heard.append(progress)

            await client.call_tool("walk", {"steps": 3}, progress_callback=hear)
            with anyio.CancelScope() as scope:

                async def stop(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001
                    scope.cancel()

                await client.call_tool("wait", {}, progress_callback=stop)
            return (await client.call_tool("add", {"a": 1})).structured_content

    assert anyio.run(run) == {"sum": 1}
    assert heard == [1, 2, 3]


def wanting(**notifications: object) -> dict[str, Any]:
    """A client of the era without sessions that wants to hear of changes."""
    headers = {"mcp-protocol-version": NEW, "mcp-method": "subscriptions/listen"}
    meta = {META + "protocolVersion": NEW, META + "clientCapabilities": {}}
    params = {"notifications": notifications, "_meta": meta}
    return {"headers": headers, "json": message("subscriptions/listen", params, 7)}


def test_who_wants_to_hear_of_changes_is_told_of_which_and_listens_until_the_end() -> None:
    server = Near()
    heard = server.listen("POST", **wanting(toolsListChanged=True))
    named = {"io.modelcontextprotocol/subscriptionId": 7}
    told = heard.next()
    assert told["method"] == "notifications/subscriptions/acknowledged"
    assert told["params"] == {"_meta": named, "notifications": {}}
    server._server.stop()
    assert heard.next() == {"jsonrpc": "2.0", "id": 7, "result": {"resultType": "complete", "_meta": named}}
    assert heard.next() is None
    server.close()


def test_who_begins_to_listen_when_the_server_ends_is_sent_away_likewise(monkeypatch: pytest.MonkeyPatch) -> None:
    server, perform = Near(), Connection.perform

    def end_meanwhile(*given: Any) -> bytes | None:
        answer = perform(*given)
        server._server.stop()
        return answer

    monkeypatch.setattr(Connection, "perform", end_meanwhile)
    heard = server.listen("POST", **wanting(toolsListChanged=True))
    assert heard.next()["method"] == "notifications/subscriptions/acknowledged"
    assert heard.next()["result"]["resultType"] == "complete"
    assert heard.next() is None
    server.close()


def test_who_says_not_what_to_listen_for_is_told_so(near: Near) -> None:
    wrong = wanting()
    wrong["json"]["params"]["notifications"] = "everything"
    answer = near.web.post(near.url, **wrong)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32602)
