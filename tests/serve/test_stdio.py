"""The life of the process: order, end of input, signals, and a client that goes away."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from tests.serve.conftest import HANG_GUARD_SECONDS, Process

from recollect.serve.message import MAX_BYTES
from recollect.serve.stdio import COURTESY_SECONDS, HEARING_SECONDS, PATIENCE_SECONDS

Start = Callable[..., Process]


def use(request_id: int, tool: str, arguments: Any = None, **more: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments or {}, **more}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


def running(server: Process, tool: str) -> None:
    """Start a call that does not end by itself, and see that it runs."""
    server.send(use(1, tool, _meta={"progressToken": 1}))
    assert server.receive()["method"] == "notifications/progress"


def cancel(request_id: int) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id}}


def test_pipelined_calls_are_answered_in_order_after_the_input_ended(start: Start) -> None:
    server = start()
    server.send(*(use(number, "add", {"a": number}) for number in range(200)))
    answers, log = server.finish()
    assert [answer["id"] for answer in answers] == list(range(200))
    assert [answer["result"]["structuredContent"]["sum"] for answer in answers] == list(range(200))
    assert log.endswith("closed in order\n")


def test_ping_is_answered_while_a_call_runs(start: Start) -> None:
    server = start()
    running(server, "wait")
    server.send({"jsonrpc": "2.0", "id": 2, "method": "ping"})
    assert server.receive() == {"jsonrpc": "2.0", "id": 2, "result": {}}
    server.send(cancel(1))
    assert server.finish()[0] == []


def test_a_cancelled_call_stops_and_is_not_answered(start: Start) -> None:
    server = start()
    running(server, "wait")
    server.send(cancel(1), use(2, "say", {"text": "next"}))
    assert server.receive()["id"] == 2
    answers, log = server.finish()
    assert answers == []
    assert "noticed the cancellation" in log


def test_what_a_tool_prints_does_not_reach_the_client(start: Start) -> None:
    server = start()
    server.send(use(1, "chatter"))
    answers, log = server.finish()
    assert [answer["id"] for answer in answers] == [1]
    assert "this must not reach the client" in log


def test_a_line_beyond_the_limit_is_refused_once_and_the_next_is_read(start: Start) -> None:
    server = start()
    server.send(b"x" * (MAX_BYTES * 3), use(2, "say", {"text": "still here"}))
    answers, _ = server.finish()
    assert [(answer["id"], answer.get("error", {}).get("code")) for answer in answers] == [
        (None, -32600),
        (2, None),
    ]


@pytest.mark.parametrize("ending", [b"\r\n", b"\n\n  \n", b""])
def test_line_ends_of_any_kind_and_blank_lines_do_not_matter(start: Start, ending: bytes) -> None:
    server = start()
    assert server.popen.stdin is not None
    server.popen.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}' + ending)
    assert server.finish()[0] == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


def test_nothing_heavy_is_imported_before_the_handshake() -> None:
    heavy = ["asyncio", "httpx", "logging", "numpy", "onnxruntime", "rich", "starlette", "typer", "uvicorn"]
    script = f"import sys, recollect.serve.stdio; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    assert found.stdout == "[]\n"


def test_no_input_at_all_ends_well(start: Start) -> None:
    answers, log = start().finish()
    assert answers == []
    assert log == "recollect info: ending: all done\nclosed in order\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_an_idle_server(start: Start, number: signal.Signals) -> None:
    server = start()
    server.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    server.receive()
    server.popen.send_signal(number)
    assert server.popen.wait(HANG_GUARD_SECONDS) == 0
    assert server.finish()[1].endswith("closed in order\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_asks_a_running_call_to_stop(start: Start, number: signal.Signals) -> None:
    server = start()
    running(server, "wait")
    server.popen.send_signal(number)
    assert server.popen.wait(HANG_GUARD_SECONDS) == 0
    log = server.finish()[1]
    assert "noticed the cancellation" in log
    assert log.endswith("closed in order\n")


def test_a_signal_ends_even_a_call_that_never_ends(start: Start) -> None:
    server = start()
    running(server, "stuck")
    server.popen.send_signal(signal.SIGTERM)
    assert server.popen.wait(HANG_GUARD_SECONDS) == 0


@pytest.mark.parametrize("tool", ["wait", "stuck"])
def test_whoever_has_no_answer_when_a_signal_comes_is_told_to_ask_again(start: Start, tool: str) -> None:
    server = start()
    running(server, tool)
    server.send(use(2, "say", {"text": "later"}), use(3, "say", {"text": "withdrawn"}), cancel(3))
    server.send({"jsonrpc": "2.0", "id": 4, "method": "ping"})
    assert server.receive()["id"] == 4  # so all was read
    server.popen.send_signal(signal.SIGTERM)
    answers, _ = server.finish()
    assert [(answer["id"], answer["error"]) for answer in answers] == [
        (number, {"code": -32000, "message": "The server is ending, and has no answer to this yet; ask again"})
        for number in (1, 2)
    ]


def test_the_time_that_a_signal_leaves_is_below_two_seconds() -> None:
    assert COURTESY_SECONDS < PATIENCE_SECONDS < 2 - HEARING_SECONDS


def test_a_client_that_stops_listening_ends_the_server_quietly(start: Start) -> None:
    server = start()
    assert server.popen.stdout is not None
    server.popen.stdout.close()
    server.send(use(1, "say", {"text": "anybody there?"}))
    assert server.popen.wait(HANG_GUARD_SECONDS) == 0
    assert server.popen.stderr is not None
    assert "Traceback" not in server.popen.stderr.read().decode()


def test_a_client_that_dies_leaves_no_server_behind(start: Start) -> None:
    server = start()
    running(server, "stuck")
    assert server.popen.stdin is not None
    assert server.popen.stdout is not None
    server.popen.stdin.close()
    server.popen.stdout.close()
    assert server.popen.wait(HANG_GUARD_SECONDS) == 0
