"""The iii protocol, spoken in frames to a real server."""

# pyright: basic
from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.serve.iii import GUARD_SECONDS, Server, invoke, receive
from websockets.exceptions import ConnectionClosed, InvalidStatus

from recollect.cli.flags import III_ADDRESS, fill_in


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    started = Server(tmp_path / "home", "--iii", "127.0.0.1:0")
    yield started
    started.close()


def test_a_client_is_registered_and_its_invocations_are_answered(server) -> None:
    with server.connect() as client:
        hello = receive(client)
        assert (hello["type"], len(hello["worker_id"])) == ("workerregistered", 36)
        invoke(client, "memory::store", {"agentId": "a", "content": "Tea is at five."}, id="first")
        stored = receive(client)
        assert stored == {
            "type": "invocationresult", "invocation_id": "first", "function_id": "memory::store",
            "result": {"id": stored["result"]["id"], "stored": True, "deduplicated": False},
        }  # fmt: skip
        invoke(client, "memory::recall", {"agentId": "a", "query": "tea"}, id=7)
        found = receive(client)
        assert found["invocation_id"] == 7
        assert [one["content"] for one in found["result"]] == ["Tea is at five."]


def test_an_invocation_with_a_key_is_done_once_and_answered_the_same_after_a_restart(tmp_path) -> None:
    data = {"agentId": "a", "content": "Tea is at five.", "_meta": {"recollect/idempotencyKey": "k-1"}}
    told: list[object] = []
    for _ in range(2):
        server = Server(tmp_path / "home", "--iii", "127.0.0.1:0")
        with server.connect() as client:
            receive(client)
            for _ in range(2):
                invoke(client, "memory::store", data)
                told.append(receive(client)["result"])
        server.process.kill()
        server.close()
    assert told == [{"id": told[0]["id"], "stored": True, "deduplicated": False}] * 4


def test_failures_have_a_code_and_a_sentence(server) -> None:
    with server.connect() as client:
        receive(client)
        invoke(client, "memory::nothing", {})
        answer = receive(client)
        assert (answer["error"]["code"], "result" in answer) == ("function_not_found", False)
        for data, message in (({}, "content: is required"), ([1], "data: must be an object, not list")):
            invoke(client, "memory::store", data)
            assert receive(client)["error"] == {"code": "invocation_failed", "message": message}
        client.send(
            '{"type":"invokefunction","invocation_id":"s","function_id":"memory::store","data":{"content":"\\ud800"}}'
        )
        stray = "content: is not Unicode text (it holds half of a surrogate pair)"
        assert receive(client)["error"] == {"code": "invocation_failed", "message": stray}


def test_who_gives_no_id_gets_no_answer_but_what_was_asked_for_is_done(server) -> None:
    with server.connect() as client:
        receive(client)
        message = {"type": "invokefunction", "function_id": "memory::store", "data": {"content": "Said in passing."}}
        client.send(json.dumps(message))
        client.send(json.dumps({**message, "invocation_id": None}))
        found: list[object] = []
        while not found:
            invoke(client, "memory::recall", {"query": "passing"})
            answer = receive(client)
            assert answer["function_id"] == "memory::recall"
            found = answer["result"]
        assert len(found) == 1


def test_all_else_is_heard_and_left_alone(server) -> None:
    with server.connect() as client:
        receive(client)
        for kind in ("registerfunction", "unregisterfunction", "registertrigger", "registerservice", "unheard-of"):
            client.send(json.dumps({"type": kind, "id": "x"}))
        for frame in ("nonsense", "[1]", "null", "{}", b"\x00\xff", '{"type":7}'):
            client.send(frame)
        client.send('{"type":"ping"}')
        assert receive(client) == {"type": "pong"}


def test_telemetry_is_accepted_and_ignored(server) -> None:
    with server.connect("/otel") as client:
        client.send(b"OTLP\x00bytes")
        client.send('{"type":"ping"}')
        with pytest.raises(TimeoutError):
            client.recv(timeout=0.2)
    with server.connect("/otel/") as other, server.connect("/anything") as worker:
        assert receive(worker)["type"] == "workerregistered"
        other.ping().wait(GUARD_SECONDS)


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://localhost:3000", "http://[::1]evil.com", "http://localhost:1@evil.com"]
)
def test_no_page_is_let_in_without_a_token(server, origin) -> None:
    with pytest.raises(InvalidStatus) as caught, server.connect(additional_headers={"Origin": origin}):
        pytest.fail("it was let in")
    assert caught.value.response.status_code == 403


def test_a_page_on_this_machine_that_shows_the_token_is_let_in(tmp_path) -> None:
    server = Server(tmp_path / "home", "--iii", "127.0.0.1:0", "--token", "secret")
    shown = {"Origin": "http://localhost:3000", "Authorization": "Bearer secret"}
    with server.connect(additional_headers=shown) as client:
        assert receive(client)["type"] == "workerregistered"
    assert server.close()[0] == 0


def test_a_token_must_be_shown_where_one_is_set(tmp_path) -> None:
    server = Server(tmp_path / "home", "--iii", "127.0.0.1:0", "--token", "secret")
    with pytest.raises(InvalidStatus) as caught, server.connect():
        pytest.fail("it was let in")
    assert caught.value.response.status_code == 401
    with server.connect(additional_headers={"Authorization": "Bearer secret"}) as client:
        assert receive(client)["type"] == "workerregistered"
    assert server.close()[0] == 0


def test_fifty_clients_and_many_invocations_at_once(server) -> None:
    with ExitStack() as opened:
        clients = [opened.enter_context(server.connect()) for _ in range(50)]
        for at, client in enumerate(clients):
            receive(client)
            for number in range(10):
                invoke(client, "memory::store", {"agentId": f"a{at % 5}", "content": f"{at} said {number}"}, id=number)
        answers = [sorted(receive(client)["invocation_id"] for _ in range(10)) for client in clients]
        assert answers == [list(range(10))] * 50
        invoke(clients[0], "memory::recall", {"agentId": "a0", "query": "said", "limit": 1000})
        assert len(receive(clients[0])["result"]) == 100


def test_running_calls_are_answered_before_the_end(server) -> None:
    with server.connect() as client:
        receive(client)
        for number in range(20):
            invoke(client, "memory::store", {"content": f"Said at the end, number {number}"}, id=number)
        first = receive(client)
        server.leave()
        answers = [first]
        with pytest.raises(ConnectionClosed) as caught:
            while True:
                answers.append(receive(client))
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 1001
        assert all(answer["result"]["stored"] for answer in answers)
    assert server.close()[0] == 0


def test_an_address_need_not_be_given() -> None:
    assert fill_in(["serve", "--iii"]) == ["serve", "--iii", III_ADDRESS]
    assert fill_in(["serve", "--iii", "--space", "x"]) == ["serve", "--iii", III_ADDRESS, "--space", "x"]
    assert fill_in(["serve", "--iii", ":1"]) == ["serve", "--iii", ":1"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--iii", "nonsense"), "error: --iii: 'nonsense' is not an address"),
        (("--iii", "0.0.0.0:0"), "error: --iii: 0.0.0.0:0 can be reached from other machines"),
        (("--iii", "127.0.0.1:0", "--as", "memory-mcp"), "error: --iii: the contract memory-mcp has no functions"),
        (("--iii-engine", "http://x"), "error: --iii-engine: 'http://x' is not an address such as ws://"),
    ],
)
def test_what_cannot_be_served_is_an_error_that_names_the_option(tmp_path, arguments, told) -> None:
    server = Server(tmp_path / "home", *arguments)
    assert server.told.startswith(told)
    assert server.close()[0] == (1 if "0.0.0.0:0" in arguments else 2)
