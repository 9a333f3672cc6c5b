"""Every rule of the wire, as bytes in and values out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from fixture_server import BARE, FULL
from hypothesis import given
from hypothesis import strategies as st
from tests.serve.conftest import Process

from recollect.contracts.tool import Annotations, Call, Contract, Tool
from recollect.serve.message import MAX_BYTES
from recollect.serve.protocol import STATEFUL_VERSIONS, Connection

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "newer", "version": "1"},
}
STAMP = {"io.modelcontextprotocol/serverInfo": {"name": "fixture", "version": "1.2.3"}}


def ask(method: str, params: Any = None, request_id: Any = 1) -> bytes:
    message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return msgspec.json.encode(message if params is None else {**message, "params": params})


def use(tool: str, arguments: Any = None, **more: Any) -> bytes:
    return ask("tools/call", {"name": tool, "arguments": arguments or {}, **more})


def result(value: Any, request_id: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "result": value}


def error(code: int, message: str, request_id: Any = 1, data: Any = None) -> dict[str, Any]:
    body = {"code": code, "message": message}
    return {"jsonrpc": "2.0", "id": request_id, "error": body if data is None else {**body, "data": data}}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}], **more}


def sentences(rules: list[tuple[str, bytes, Any]]) -> Any:
    return pytest.mark.parametrize(("line", "expected"), [rule[1:] for rule in rules], ids=[rule[0] for rule in rules])


ENVELOPE_RULES: list[tuple[str, bytes, Any]] = [
    (
        "malformed JSON is a parse error",
        b"{",
        error(-32700, "Parse error: Input data was truncated", None),
    ),
    (
        "bytes that are not UTF-8 are a parse error",
        b'{"jsonrpc":"2.0","id":1,"method":"\xff"}',
        error(-32700, "Parse error: not valid UTF-8", None),
    ),
    (
        "bottomless nesting is a parse error",
        b"[" * 100_000,
        error(-32700, "Parse error: nested too deeply", None),
    ),
    (
        "a number is not a message",
        b"7",
        error(-32600, "Invalid Request: a message is an object", None),
    ),
    (
        "another JSON-RPC is refused",
        b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
        error(-32600, 'Invalid Request: jsonrpc must be "2.0"'),
    ),
    (
        "no JSON-RPC at all is refused",
        b"{}",
        error(-32600, 'Invalid Request: jsonrpc must be "2.0"', None),
    ),
    (
        "a null id is refused",
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
        error(-32600, "Invalid Request: id must be a string or an integer", None),
    ),
    (
        "a broken number as id is refused",
        b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
        error(-32600, "Invalid Request: id must be a string or an integer", None),
    ),
    (
        "true as id is refused",
        b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
        error(-32600, "Invalid Request: id must be a string or an integer", None),
    ),
    (
        "a method that is not text is refused",
        b'{"jsonrpc":"2.0","id":1,"method":5}',
        error(-32600, "Invalid Request: method must be a string"),
    ),
    (
        "a request without a method is refused",
        b'{"jsonrpc":"2.0","id":1}',
        error(-32600, "Invalid Request: method must be a string"),
    ),
    (
        "params that are a list are refused",
        ask("tools/list", []),
        error(-32602, "Invalid params: params must be an object"),
    ),
    ("params that are null are none", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":null}', result({})),
    ("a string is an id", ask("ping", request_id="a-1"), result({}, "a-1")),
    ("a huge integer is an id", ask("ping", request_id=2**70), result({}, 2**70)),
    ("zero is an id", ask("ping", request_id=0), result({}, 0)),
    ("an answer to nothing is ignored", b'{"jsonrpc":"2.0","id":9,"result":{}}', None),
    ("an unknown notification is ignored", b'{"jsonrpc":"2.0","method":"notifications/x"}', None),
    ("a request without an id is ignored", b'{"jsonrpc":"2.0","method":"tools/list"}', None),
    (
        "a notification with odd params is ignored",
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}',
        None,
    ),
    (
        "cancelling what is not there is ignored",
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}',
        None,
    ),
    (
        "a batch is refused where the version has none",
        b"[" + ask("ping") + b"]",
        error(
            -32600,
            "Invalid Request: protocol version 2025-11-25 has no batches; send one message at a time",
            None,
        ),
    ),
    ("an empty batch is refused", b"[]", error(-32600, "Invalid Request: an empty batch", None)),
    (
        "an unknown method is named",
        ask("completion/complete"),
        error(-32601, "Method not found: completion/complete"),
    ),
    (
        "logging is not offered",
        ask("logging/setLevel", {"level": "debug"}),
        error(-32601, "Method not found: logging/setLevel"),
    ),
    (
        "a message without end is refused",
        b"7" * (MAX_BYTES + 1),
        error(-32600, "Message too large: the limit is 16777216 bytes", None),
    ),
]

CALL_RULES: list[tuple[str, bytes, Any]] = [
    (
        "a call is answered before any handshake, as text and as a value",
        use("add", {"a": 1, "b": 2}),
        result(text('{"sum":3}', structuredContent={"sum": 3})),
    ),
    ("a text is only a text", use("say", {"text": "hi"}), result(text("hi"))),
    ("NUL travels", use("say", {"text": "a\x00b"}), result(text("a\x00b"))),
    ("a list is only text before 2026", use("numbers"), result(text("[1,2,3]"))),
    (
        "a picture follows its text",
        use("picture"),
        result(
            {
                "content": [
                    {"type": "text", "text": "a picture"},
                    {"type": "image", "data": "cG5n", "mimeType": "image/png"},
                ]
            }
        ),
    ),
    (
        "half a surrogate pair in a result is replaced",
        use("odd"),
        result(text('{"half":"a\ufffdb","zero":"\\u0000"}', structuredContent={"half": "a\ufffdb", "zero": "\x00"})),
    ),
    (
        "half a surrogate pair in an argument names the field",
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{"text":"a\\ud800"}}}',
        result(text("text: is not Unicode text (it holds half of a surrogate pair)", isError=True)),
    ),
    ("an unknown tool is an error", use("nope"), error(-32602, "Unknown tool: nope")),
    ("a mistyped tool is told by its name", use("Odds"), error(-32602, "Unknown tool: Odds; did you mean odd?")),
    (
        "a tool without a name is an error",
        ask("tools/call", {}),
        error(-32602, "Invalid params: name must be a string"),
    ),
    (
        "arguments that are a list are an error",
        ask("tools/call", {"name": "add", "arguments": [1]}),
        error(-32602, "Invalid params: arguments must be an object"),
    ),
    ("a missing argument is named", use("add"), result(text("a: is required", isError=True))),
    (
        "a number out of range is named",
        use("add", {"a": 1, "b": -1}),
        result(text("b: must be at least 0, not -1", isError=True)),
    ),
    (
        "an unknown argument is named",
        use("add", {"a": 1, "c": 1}),
        result(text("c: unknown field (known: a, b)", isError=True)),
    ),
    (
        "a word that is not a choice is named",
        use("say", {"text": "x", "tone": "rude"}),
        result(text("tone: must be one of loud, plain, not 'rude'", isError=True)),
    ),
    ("a foreseen failure is told", use("fail"), result(text("Memory not found: 7", isError=True))),
    (
        "an unforeseen failure keeps its details",
        use("break"),
        result(text("Internal error in tool break; the server's log says more", isError=True)),
    ),
    (
        "meta that is not an object is refused",
        use("say", {"text": "x"}, _meta=[]),
        error(-32602, "Invalid params: _meta must be an object"),
    ),
]

DOCUMENT_RULES: list[tuple[str, bytes, Any]] = [
    (
        "resources are listed",
        ask("resources/list"),
        result(
            {
                "resources": [
                    {"uri": "mcp://health", "name": "Health", "mimeType": "application/json"},
                    {"uri": "mcp://blob", "name": "Blob", "mimeType": "image/png"},
                ]
            }
        ),
    ),
    (
        "templates are listed",
        ask("resources/templates/list", {"cursor": "anything"}),
        result(
            {
                "resourceTemplates": [
                    {"uriTemplate": "mcp://{project_id}/tags", "name": "Tags", "mimeType": "application/json"}
                ]
            }
        ),
    ),
    (
        "a value is read as JSON",
        ask("resources/read", {"uri": "mcp://health"}),
        result({"contents": [{"uri": "mcp://health", "text": '{"ok":true}', "mimeType": "application/json"}]}),
    ),
    (
        "bytes are read as a blob",
        ask("resources/read", {"uri": "mcp://blob"}),
        result({"contents": [{"uri": "mcp://blob", "blob": "AP8=", "mimeType": "image/png"}]}),
    ),
    (
        "a template's parts are decoded",
        ask("resources/read", {"uri": "mcp://a%20b/tags"}),
        result(
            {
                "contents": [
                    {
                        "uri": "mcp://a%20b/tags",
                        "text": '{"project_id":"a b","tags":[]}',
                        "mimeType": "application/json",
                    }
                ]
            }
        ),
    ),
    (
        "an unknown address is not found",
        ask("resources/read", {"uri": "mcp://x"}),
        error(-32002, "Resource not found: mcp://x", data={"uri": "mcp://x"}),
    ),
    (
        "a template's own refusal is told",
        ask("resources/read", {"uri": "mcp://nowhere/tags"}),
        error(-32602, "no project nowhere"),
    ),
    (
        "prompts are listed",
        ask("prompts/list"),
        result(
            {
                "prompts": [
                    {
                        "name": "greet",
                        "description": "Greet somebody.",
                        "arguments": [{"name": "who", "description": "Whom to greet", "required": True}],
                    }
                ]
            }
        ),
    ),
    (
        "a prompt is filled in",
        ask("prompts/get", {"name": "greet", "arguments": {"who": "Ada"}}),
        result(
            {
                "description": "Greet somebody.",
                "messages": [{"content": {"type": "text", "text": "Say hello to Ada."}, "role": "user"}],
            }
        ),
    ),
    (
        "a prompt's missing argument is named",
        ask("prompts/get", {"name": "greet"}),
        error(-32602, "who: is required"),
    ),
    ("an unknown prompt is named", ask("prompts/get", {"name": "x"}), error(-32602, "Unknown prompt: x")),
    (
        "a cursor that is not text is refused",
        ask("tools/list", {"cursor": 4}),
        error(-32602, "Invalid params: cursor must be a string"),
    ),
]

STATELESS_RULES: list[tuple[str, bytes, Any]] = [
    (
        "discovery tells versions, capabilities and instructions",
        ask("server/discover", {"_meta": META}),
        result(
            {
                "resultType": "complete",
                "ttlMs": 300000,
                "cacheScope": "private",
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
                "instructions": "Use it to test.",
                "_meta": STAMP,
            }
        ),
    ),
    (
        "discovery without the envelope names what is missing",
        ask("server/discover"),
        error(
            -32602,
            "Invalid params: _meta must carry io.modelcontextprotocol/protocolVersion, "
            "io.modelcontextprotocol/clientCapabilities",
        ),
    ),
    (
        "a half envelope names what is missing",
        ask("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}),
        error(-32602, "Invalid params: _meta must carry io.modelcontextprotocol/clientCapabilities"),
    ),
    (
        "a version that we do not speak is refused with those that we do",
        ask("tools/list", {"_meta": {**META, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}}),
        error(
            -32022,
            "Unsupported protocol version: 2031-01-01",
            data={"supported": ["2026-07-28"], "requested": "2031-01-01"},
        ),
    ),
    (
        "a version that is not text is refused",
        ask("tools/list", {"_meta": {**META, "io.modelcontextprotocol/protocolVersion": 7}}),
        error(-32602, "Invalid params: _meta.io.modelcontextprotocol/protocolVersion must be a string"),
    ),
    (
        "a call is complete and says who answered",
        use("add", {"a": 1, "b": 2}, _meta=META),
        result(
            {
                "resultType": "complete",
                **text('{"sum":3}', structuredContent={"sum": 3}),
                "_meta": STAMP,
            }
        ),
    ),
    (
        "any value may be structured",
        use("numbers", _meta=META),
        result({"resultType": "complete", **text("[1,2,3]", structuredContent=[1, 2, 3]), "_meta": STAMP}),
    ),
    (
        "the client is whoever this request says",
        use("whoami", _meta=META),
        result(
            {
                "resultType": "complete",
                **text('{"client":"newer"}', structuredContent={"client": "newer"}),
                "_meta": STAMP,
            }
        ),
    ),
    (
        "an unknown address is a wrong parameter",
        ask("resources/read", {"uri": "mcp://x", "_meta": META}),
        error(-32602, "Resource not found: mcp://x", data={"uri": "mcp://x"}),
    ),
    ("ping is gone", ask("ping", {"_meta": META}), error(-32601, "Method not found: ping")),
    (
        "the handshake is gone",
        ask("initialize", {"_meta": META}),
        error(-32601, "Method not found: initialize"),
    ),
]

RULES = ENVELOPE_RULES + CALL_RULES + DOCUMENT_RULES + STATELESS_RULES


def exchange(connection: Connection, line: bytes) -> Any:
    work = connection.receive(line)
    answer = None if work is None else connection.perform(work, lambda _: None)
    return None if answer is None else msgspec.json.decode(answer)


@sentences(RULES)
def test_rule(line: bytes, expected: Any) -> None:
    assert exchange(Connection(FULL), line) == expected


def test_a_real_process_keeps_the_rules_in_one_breath_and_in_order(start: Callable[..., Process]) -> None:
    rules = [(line, expected) for _, line, expected in RULES if b'"ping"' not in line]
    server = start()
    server.send(*(line for line, _ in rules))
    answers, log = server.finish()
    assert answers == [expected for _, expected in rules if expected is not None]
    assert "a secret detail" in log


@pytest.mark.parametrize("version", STATEFUL_VERSIONS)
def test_a_spoken_version_is_echoed(version: str) -> None:
    connection = Connection(FULL)
    answer = exchange(connection, ask("initialize", {"protocolVersion": version, "clientInfo": {"name": "c"}}))
    assert answer == result(
        {
            "protocolVersion": version,
            "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
            "serverInfo": {"name": "fixture", "version": "1.2.3"},
            "instructions": "Use it to test.",
        }
    )
    assert exchange(connection, use("whoami"))["result"]["structuredContent"] == {"client": "c"}


@pytest.mark.parametrize("version", ["2026-07-28", "1999-01-01", ""])
def test_any_other_version_gets_the_newest_that_shakes_hands(version: str) -> None:
    answer = exchange(Connection(FULL), ask("initialize", {"protocolVersion": version}))
    assert answer["result"]["protocolVersion"] == "2025-11-25"


def test_a_handshake_without_a_version_is_refused() -> None:
    expected = error(-32602, "Invalid params: protocolVersion must be a string")
    assert exchange(Connection(FULL), ask("initialize", {"capabilities": {}})) == expected


def test_both_eras_are_answered_on_one_connection() -> None:
    connection = Connection(FULL)
    exchange(connection, ask("initialize", {"protocolVersion": "2025-06-18"}))
    assert "resultType" in exchange(connection, ask("tools/list", {"_meta": META}))["result"]
    assert "resultType" not in exchange(connection, ask("tools/list"))["result"]


def test_a_batch_of_2025_03_26_is_answered_with_an_array() -> None:
    connection = Connection(FULL)
    exchange(connection, ask("initialize", {"protocolVersion": "2025-03-26"}))
    batch = [ask("ping", request_id="a"), b'{"jsonrpc":"2.0","method":"notifications/x"}', b"3"]
    assert exchange(connection, b"[" + b",".join(batch) + b"]") == [
        result({}, "a"),
        error(-32600, "Invalid Request: a message is an object", None),
    ]
    assert exchange(connection, b'[{"jsonrpc":"2.0","method":"notifications/x"}]') is None


def test_the_list_of_tools_is_what_the_table_says() -> None:
    tools = exchange(Connection(FULL), ask("tools/list"))["result"]["tools"]
    hints = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True}
    assert tools[0] == {
        "name": "add",
        "title": "Addition",
        "description": "Add two numbers.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "a": {"type": "integer", "description": "The first number"},
                "b": {"type": "integer", "description": "The second number", "minimum": 0, "default": 0},
            },
            "required": ["a"],
            "additionalProperties": False,
        },
        "outputSchema": {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]},
        "annotations": hints,
    }
    assert [tool["name"] for tool in tools] == [tool.name for tool in FULL.tools]


BARE_RULES: list[tuple[str, bytes, Any]] = [
    (
        "the handshake lists only what there is, and the extras",
        ask("initialize", {"protocolVersion": "2024-11-05"}),
        result(
            {
                "protocolVersion": "2024-11-05",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "bare", "version": "1.2.3", "default_palace": "mine"},
            }
        ),
    ),
    ("a result is text and nothing more", use("add", {"a": 1}), result(text('{"sum":1}'))),
    ("a failure has the contract's code", use("fail"), error(-32603, "fail: Memory not found: 7")),
    ("bad input has the contract's code", use("add"), error(-32603, "add: a: is required")),
    ("an unknown tool is told in the contract's words", use("x"), error(-32603, "unknown tool: x")),
    ("no resources, no method", ask("resources/list"), error(-32601, "Method not found: resources/list")),
    ("no prompts, no method", ask("prompts/get"), error(-32601, "Method not found: prompts/get")),
]


@sentences(BARE_RULES)
def test_rule_of_a_contract_with_its_own_forms(line: bytes, expected: Any) -> None:
    assert exchange(Connection(BARE), line) == expected


def test_progress_goes_to_those_who_asked_and_only_forward() -> None:
    def steps(params: dict[str, Any], call: Call) -> str:  # noqa: ARG001
        for done in (1, 1, 0.5, 2):
            call.progress(done, 2)
        return "done"

    tool = Tool(name="steps", description="", params=dict, call=steps, annotations=Annotations(), schema={})
    connection = Connection(Contract(name="c", tools=(tool,)))
    told: list[bytes] = []
    work = connection.receive(use("steps", _meta={"progressToken": "t"}))
    assert work is not None
    connection.perform(work, told.append)
    assert [msgspec.json.decode(line)["params"] for line in told] == [
        {"progressToken": "t", "progress": 1, "total": 2},
        {"progressToken": "t", "progress": 2, "total": 2},
    ]


def test_a_call_withdrawn_before_its_turn_is_neither_made_nor_answered() -> None:
    made: list[Any] = []
    tool = Tool(
        name="make",
        description="",
        params=dict,
        call=lambda given, _: made.append(given),
        annotations=Annotations(),
        schema={},
    )
    connection = Connection(Contract(name="c", tools=(tool,)))
    work = connection.receive(use("make"))
    assert work is not None
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    assert connection.receive(msgspec.json.encode(cancel)) is None
    assert connection.perform(work, lambda _: None) is None
    assert made == []
    assert exchange(connection, use("make", {"a": 1})) == result({"content": []})
    assert made == [{"a": 1}]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
NEARLY = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": st.integers() | JSON,
        "method": st.sampled_from(["tools/call", "tools/list", "initialize", "prompts/get"]) | JSON,
        "params": st.fixed_dictionaries(
            {}, optional={"name": st.just("add") | JSON, "arguments": JSON, "uri": JSON, "_meta": JSON}
        )
        | JSON,
    },
)


@given(st.binary() | (NEARLY | JSON | st.lists(NEARLY, max_size=2)).map(msgspec.json.encode))
def test_no_bytes_are_too_odd_to_be_answered_or_ignored(line: bytes) -> None:
    answer = exchange(Connection(FULL), line)
    assert answer is None or (answer["jsonrpc"], ("error" in answer) != ("result" in answer)) == ("2.0", True)


def test_a_table_that_cannot_be_written_out_is_an_internal_error() -> None:
    tool = Tool(name="odd", description="", params=int, call=lambda n, _: n, annotations=Annotations())
    answer = exchange(Connection(Contract(name="c", tools=(tool,))), ask("tools/list"))
    assert answer == error(-32603, "Internal error in tools/list; the server's log says more")
