"""Every example request of the contract, sent over stdio; the answers are compared byte for byte.

Only what cannot be foreseen is masked: ids, times, scores, and the folder of the test.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.contracts.clients import Server

FACT = "The API gateway validates JWT tokens using RS256."
MASKS = (
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "ID"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "TIME"),
    (re.compile(r'(?<=\\"score\\":)[\d.]+'), "SCORE"),
)


def call(number: int, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def result(number: int, text: str) -> str:
    content = f'{{"content":[{{"type":"text","text":{json.dumps(text)}}}]}}'
    return f'{{"jsonrpc":"2.0","id":{number},"result":{content}}}'


REMEMBER = call(
    10,
    "memory_remember",
    {"palace": "my-project", "text": FACT, "room": "Backend", "tags": ["auth", "jwt", "api-gateway"]},
)
TRANSCRIPT: tuple[tuple[dict[str, Any], str | None], ...] = (
    (
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2024-11-05",
                "capabilities": {},
                "clientInfo": {"name": "open-mpm", "version": "1.0.0"},
            },
        },
        '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},'
        '"serverInfo":{"name":"trusty-memory","version":"VERSION","default_palace":"my-project"}}}',
    ),
    ({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}}, None),
    (REMEMBER, result(10, '{"drawer_id":"ID","palace":"my-project","status":"stored"}')),
    (
        call(40, "memory_list", {"palace": "my-project", "room": "Backend", "tag": "auth", "limit": 20}),
        result(
            40,
            '{"palace":"my-project","drawers":[{"drawer_id":"ID","content":"' + FACT + '","importance":0.5,'
            '"tags":["auth","jwt","api-gateway"],"created_at":"TIME"}]}',
        ),
    ),
    (
        call(11, "memory_recall", {"palace": "my-project", "query": "How does token validation work?", "top_k": 5}),
        result(
            11,
            '{"palace":"my-project","query":"How does token validation work?","results":[{"drawer_id":"ID","content":"'
            + FACT
            + '","score":SCORE,"layer":2,"tags":["auth","jwt","api-gateway"],"importance":0.5}]}',
        ),
    ),
    (
        call(20, "palace_create", {"name": "client-acme", "description": "Memories for the Acme client engagement"}),
        result(20, '{"palace_id":"client-acme","status":"created"}'),
    ),
    (call(21, "palace_list", {}), result(21, '{"palaces":["client-acme","my-project"]}')),
    (
        call(
            30,
            "kg_assert",
            {
                "palace": "my-project",
                "subject": "auth-service",
                "predicate": "deployed_version",
                "object": "2.4.1",
                "confidence": 0.95,
                "provenance": "deploy-log-2026-05-10",
            },
        ),
        result(30, '{"status":"asserted"}'),
    ),
    (
        call(31, "kg_query", {"palace": "my-project", "subject": "auth-service"}),
        result(
            31,
            '{"subject":"auth-service","triples":[{"subject":"auth-service","predicate":"deployed_version",'
            '"object":"2.4.1","valid_from":"TIME","valid_to":null,"confidence":0.95,'
            '"provenance":"deploy-log-2026-05-10"}]}',
        ),
    ),
    (
        call(41, "memory_forget", {"palace": "my-project", "drawer_id": "a3f1c2d4-1234-5678-9abc-def012345678"}),
        result(41, '{"status":"deleted","drawer_id":"ID","palace":"my-project"}'),
    ),
    (
        call(42, "palace_info", {"palace": "my-project"}),
        result(42, '{"id":"my-project","name":"my-project","drawer_count":1,"data_dir":"HOME/spaces/my-project"}'),
    ),
    (
        {"jsonrpc": "2.0", "id": 50, "method": "foo"},
        '{"jsonrpc":"2.0","id":50,"error":{"code":-32601,"message":"Method not found: foo"}}',
    ),
    ({"jsonrpc": "2.0", "id": 51, "method": "ping"}, '{"jsonrpc":"2.0","id":51,"result":{}}'),
)


def masked(line: str, home: Path) -> str:
    for pattern, word in MASKS:
        line = pattern.sub(word, line)
    return line.replace(str(home), "HOME")


def test_every_example_is_answered_as_documented(serve: Callable[..., Server], tmp_path: Path) -> None:
    from recollect import __version__

    server = serve("--palace", "my-project", RECOLLECT_EMBEDDER="bundled")
    for request, expected in TRANSCRIPT:
        server.send(request)
        if expected is not None:
            assert masked(server.line(), tmp_path / "home") == expected.replace("VERSION", __version__)
    assert server.finish() == (0, b"", b"")


def test_the_example_of_deep_recall_has_the_same_shape(serve: Callable[..., Server]) -> None:
    server = serve(RECOLLECT_EMBEDDER="bundled")
    server.initialize()
    server.call("memory_remember", palace="my-project", text="The deployment reads its configuration from Consul.")
    answer = server.call("memory_recall_deep", palace="my-project", query="deployment configuration details", top_k=20)
    assert (answer["palace"], answer["query"]) == ("my-project", "deployment configuration details")
    (found,) = answer["results"]
    assert list(found) == ["drawer_id", "content", "score", "layer", "tags", "importance"]
    assert (found["layer"], found["tags"], found["importance"]) == (3, [], 0.5)


def test_the_documented_list_of_tools_is_sent_as_it_is(serve: Callable[..., Server]) -> None:
    server = serve()
    server.initialize()
    snapshot = json.loads(Path(__file__).with_name("tools.json").read_text("utf-8"))
    assert server.answer("tools/list") == {"jsonrpc": "2.0", "id": 2, "result": snapshot}
