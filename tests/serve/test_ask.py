"""The client's own model, asked over real pipes: lent, refused, too late, withdrawn, or not there."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

import anyio
import mcp_types as types
import msgspec
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.serve.conftest import FIXTURE, HANG_GUARD_SECONDS, Process

from recollect.contracts.tool import Cancellation
from recollect.errors import Cancelled, CompleterError
from recollect.serve.ask import Asking, sampler
from recollect.serve.message import Reply

Start = Callable[..., Process]


def greet(server: Process, **capabilities: Any) -> None:
    params = {
        "protocolVersion": "2025-06-18", "capabilities": capabilities,
        "clientInfo": {"name": "c", "version": "1"},
    }  # fmt: skip
    server.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
    assert server.receive()["id"] == 0


def lend(request_id: int, text: str) -> dict[str, Any]:
    params = {"name": "lend", "arguments": {"text": text}}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


def asked_for(server: Process, text: str = "hello") -> dict[str, Any]:
    """Starts a call that asks the client, and takes what it is asked."""
    greet(server, sampling={})
    server.send(lend(1, text))
    return server.receive()


def said(server: Process) -> Any:
    return server.receive()["result"]["structuredContent"]


def test_the_client_is_asked_in_the_form_that_the_protocol_has(start: Start) -> None:
    server = start()
    assert asked_for(server) == {
        "jsonrpc": "2.0", "id": "recollect-1", "method": "sampling/createMessage",
        "params": {
            "messages": [{"role": "user", "content": {"type": "text", "text": "hello"}}],
            "systemPrompt": "You repeat.", "maxTokens": 50,
        },
    }  # fmt: skip
    content = {"type": "text", "text": " hello back "}
    result = {"role": "assistant", "content": content, "model": "theirs", "stopReason": "endTurn"}
    server.send({"jsonrpc": "2.0", "id": "recollect-1", "result": result})
    assert said(server) == {"text": "hello back", "model": "theirs"}
    assert server.finish()[0] == []


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"error": {"code": -1, "message": "User rejected sampling request"}}, "User rejected sampling request"),
        ({"error": "no"}, "without saying why"),
        ({"result": {"role": "assistant", "content": {"type": "image", "data": ""}}}, "answered without a text"),
        ({"result": {"content": [{"type": "text", "text": " "}, 5]}}, "answered without a text"),
        ({"result": 7}, "answered without a text"),
    ],
)
def test_a_client_that_refuses_or_answers_nonsense_is_told_of(start: Start, answer: Any, words: str) -> None:
    server = start()
    id = asked_for(server)["id"]
    server.send({"jsonrpc": "2.0", "id": id, **answer})
    assert words in said(server)["text"]


def test_a_client_that_does_not_lend_its_model_is_not_asked(start: Start) -> None:
    server = start()
    greet(server, roots={})
    server.send(lend(1, "hello"))
    assert said(server) == {"text": None, "model": None}


def test_a_call_that_is_withdrawn_while_the_client_is_asked_ends_for_both(start: Start) -> None:
    server = start()
    id = asked_for(server)["id"]
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    told = server.receive()
    assert (told["method"], told["params"]["requestId"]) == ("notifications/cancelled", id)
    late = {"jsonrpc": "2.0", "id": id, "result": {"content": {"type": "text", "text": "late"}}}
    server.send(late, lend(2, "again"))
    assert server.receive()["id"] == "recollect-2"


def test_a_client_that_closes_its_end_is_not_waited_for(start: Start) -> None:
    server = start()
    asked_for(server)
    answers, _ = server.finish()
    assert [answer["result"]["structuredContent"]["text"] for answer in answers] == [
        "the client did not lend its model: it has closed its end of the connection"
    ]


def test_a_signal_ends_the_server_while_the_client_is_asked(start: Start) -> None:
    server = start()
    asked_for(server)
    server.popen.send_signal(signal.SIGTERM)
    assert server.popen.wait(HANG_GUARD_SECONDS) == 0


def test_other_messages_are_heard_while_the_client_is_asked(start: Start) -> None:
    server = start()
    id = asked_for(server)["id"]
    server.send({"jsonrpc": "2.0", "id": 9, "method": "ping"})
    assert server.receive() == {"jsonrpc": "2.0", "id": 9, "result": {}}
    server.send({"jsonrpc": "2.0", "id": id, "result": {"content": {"type": "text", "text": "at last"}}})
    assert said(server) == {"text": "at last", "model": None}


def test_a_client_that_never_answers_is_given_up_and_told_so() -> None:
    sent: list[dict[str, Any]] = []
    sample = sampler(Asking(seconds=0.0).asker(Cancellation(), lambda data: sent.append(msgspec.json.decode(data))))
    with pytest.raises(CompleterError, match="did not answer within 0 seconds"):
        sample("s", "p", 5)
    assert [message["method"] for message in sent] == ["sampling/createMessage", "notifications/cancelled"]


def test_many_calls_at_once_get_each_its_own_answer() -> None:
    asking, heard = Asking(), dict[str, str]()

    def answer(data: bytes) -> None:
        message = msgspec.json.decode(data)
        text = message["params"]["messages"][0]["content"]["text"]
        reply = Reply(message["id"], {"content": {"type": "text", "text": text.upper()}})
        threading.Thread(target=asking.settle, args=(reply,)).start()

    def call(word: str) -> None:
        heard[word] = sampler(asking.asker(Cancellation(), answer))("s", word, 5).text

    threads = [threading.Thread(target=call, args=(f"w{n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == {f"w{n}": f"W{n}" for n in range(8)}


def test_a_call_that_was_withdrawn_before_asks_and_stops() -> None:
    cancellation = Cancellation()
    cancellation.requested = True
    with pytest.raises(Cancelled):
        sampler(Asking().asker(cancellation, lambda _: None))("s", "p", 5)


def test_the_official_client_lends_its_model() -> None:
    async def run() -> None:
        seen: list[types.CreateMessageRequestParams] = []

        async def sampling(context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:  # noqa: ARG001  the SDK's shape
            seen.append(params)
            content = types.TextContent(type="text", text="from the SDK")
            return types.CreateMessageResult(role="assistant", content=content, model="sdk-model")

        server = StdioServerParameters(command=sys.executable, args=[str(FIXTURE)], env=dict(os.environ))
        async with (
            stdio_client(server) as (read, write),
            ClientSession(read, write, sampling_callback=sampling) as session,
        ):
            await session.initialize()
            answer = await session.call_tool("lend", {"text": "hello"})
            assert answer.structured_content == {"text": "from the SDK", "model": "sdk-model"}
        assert [(params.system_prompt, params.max_tokens) for params in seen] == [("You repeat.", 50)]

    anyio.run(run)
