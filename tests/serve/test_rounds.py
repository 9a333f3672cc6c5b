"""What is asked of a client: may this be forgotten? In a session, and by calls that stand alone."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest
from test_tokens import run
from test_up import META, NEW, OLD, Up

ACCEPTED: dict[str, Any] = {"confirm": {"action": "accept", "content": {}}}
DECLINED: dict[str, Any] = {"confirm": {"action": "decline"}}


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    server = Up(tmp_path_factory.mktemp("rounds"))
    yield server
    server.close()


def alone(
    up: Up, name: str, arguments: dict[str, Any], can: tuple[str, ...] = ("elicitation",),
    headers: dict[str, str] | None = None, **more: Any,
) -> Any:  # fmt: skip
    meta: dict[str, Any] = {META + "protocolVersion": NEW, META + "clientCapabilities": {kind: {} for kind in can}}
    params: dict[str, Any] = {"name": name, "arguments": arguments, "_meta": meta, **more}
    usual = {"mcp_protocol_version": NEW, "mcp_method": "tools/call", "mcp_name": name}
    return up.post("tools/call", params, **usual, **(headers or {})).json()


def stored(up: Up, text: str) -> str:
    return alone(up, "remember", {"text": text})["result"]["structuredContent"]["id"]


def is_there(up: Up, id: str) -> bool:
    return "lamp" in json.dumps(alone(up, "explore", {"id": id})["result"])


def test_a_person_is_asked_before_something_goes_for_good(up: Up) -> None:
    id = stored(up, "The lamp in the hall is green.")
    asked = alone(up, "forget", {"id": id})["result"]
    assert asked["resultType"] == "input_required"
    assert "The lamp in the hall is green." in asked["inputRequests"]["confirm"]["params"]["message"]
    assert is_there(up, id)
    state = asked["requestState"]
    done = alone(up, "forget", {"id": id}, inputResponses=ACCEPTED, requestState=state)["result"]
    assert (done["resultType"], is_there(up, id)) == ("complete", False)


def test_who_says_no_keeps_it(up: Up) -> None:
    id = stored(up, "The lamp in the attic is red.")
    state = alone(up, "forget", {"id": id})["result"]["requestState"]
    kept = alone(up, "forget", {"id": id}, inputResponses=DECLINED, requestState=state)["result"]
    assert (kept["isError"], "did not say yes" in kept["content"][0]["text"]) == (True, True)
    assert is_there(up, id)


def test_an_answer_of_another_form_is_asked_for_again(up: Up) -> None:
    id = stored(up, "The lamp in the yard is blue.")
    for responses in ({"confirm": "yes"}, {"other": {"action": "accept"}}, {}):
        state = alone(up, "forget", {"id": id})["result"]["requestState"]
        again = alone(up, "forget", {"id": id}, inputResponses=responses, requestState=state)["result"]
        assert again["resultType"] == "input_required"


def test_who_answers_what_was_not_asked_is_asked(up: Up) -> None:
    id = stored(up, "The lamp in the shed is brown.")
    assert alone(up, "forget", {"id": id}, inputResponses=ACCEPTED)["result"]["resultType"] == "input_required"
    assert is_there(up, id)


def test_a_state_that_one_token_was_given_is_not_taken_from_another(up: Up) -> None:
    tokens = [run(up.home, "token", "create", "--all-spaces", "--scope", "admin").stdout.strip() for _ in range(2)]
    first, other = ({"authorization": f"Bearer {token}"} for token in tokens)
    id = stored(up, "The lamp in the tower is black.")
    state = alone(up, "forget", {"id": id}, headers=first)["result"]["requestState"]
    given = {"inputResponses": ACCEPTED, "requestState": state}
    for headers in (other, {}):
        assert alone(up, "forget", {"id": id}, headers=headers, **given)["error"]["code"] == -32602
    assert is_there(up, id)
    assert alone(up, "forget", {"id": id}, headers=first, **given)["result"]["resultType"] == "complete"


def test_a_client_that_cannot_ask_anybody_has_decided(up: Up) -> None:
    id = stored(up, "The lamp in the cellar is white.")
    assert alone(up, "forget", {"id": id}, can=())["result"]["resultType"] == "complete"
    assert not is_there(up, id)


def test_marking_as_no_longer_true_is_nothing_to_ask_about(up: Up) -> None:
    id = stored(up, "The lamp on the stairs is grey.")
    assert alone(up, "forget", {"id": id, "keep_history": True})["result"]["resultType"] == "complete"


def test_a_state_that_was_not_given_for_this_call_is_refused(up: Up) -> None:
    first, other = stored(up, "The first lamp is here."), stored(up, "The other lamp is there.")
    state = alone(up, "forget", {"id": first})["result"]["requestState"]
    sealed = bytearray(base64.urlsafe_b64decode(state))
    sealed[-3] ^= 1
    for id, given in (
        (other, state), (first, state + "AA"), (first, base64.urlsafe_b64encode(sealed).decode()), (first, "x"),
    ):  # fmt: skip
        refused = alone(up, "forget", {"id": id}, inputResponses=ACCEPTED, requestState=given)
        assert refused["error"]["code"] == -32602
    assert is_there(up, first)
    assert is_there(up, other)


def test_in_a_session_the_question_comes_on_the_calls_stream(up: Up) -> None:
    id = stored(up, "The lamp at the gate is yellow.")
    opening: dict[str, Any] = {"protocolVersion": OLD, "capabilities": {"elicitation": {}}}
    params = {**opening, "clientInfo": {"name": "c", "version": "1"}}
    session = {"mcp-session-id": up.post("initialize", params).headers["mcp-session-id"]}
    call = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "forget", "arguments": {"id": id}}}
    with up.web.stream("POST", "/mcp", json=call, headers=session) as stream:
        said = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: {"))
        asked = next(said)
        assert asked["method"] == "elicitation/create"
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": {}}}
        assert up.web.post("/mcp", json=answer, headers=session).status_code == 202
        assert next(said)["id"] == 5
    assert not is_there(up, id)
