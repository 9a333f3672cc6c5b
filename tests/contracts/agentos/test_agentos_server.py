"""The server as MCP clients and others meet it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.contracts.agentos.conftest import Functions
from tests.contracts.clients import Server

ROOT = Path(__file__).parents[3]
NAMES = """memory_store memory_recall memory_evict memory_consolidate memory_kg_add memory_kg_query memory_session_list
memory_session_compact memory_session_repair""".split()
LONG: list[tuple[str, dict[str, Any]]] = [
    ("recall", {"query": "ledger", "limit": 100}),
    ("session::list", {}),
    ("kg::query", {"entityId": "ledger"}),
    ("kg::query", {"entityId": "ledger", "depth": 0}),
]


def test_no_answer_is_longer_than_25_kb_and_a_list_says_in_its_last_entry_what_is_missing(table: Functions) -> None:
    for number in range(120):
        table("store", agentId="a", content=f"Ledger {number}: {'x' * 40 * number}", sessionId=f"{number} {'s' * 300}")
    relations = [{"target": f"ship:{number}", "type": "lists"} for number in range(900)]
    table("kg::add", agentId="a", entity={"id": "ledger", "relations": relations})
    for function, asked in LONG:
        found = table(function, agentId="a", **asked)
        size = len(json.dumps(found, separators=(",", ":"), ensure_ascii=False).encode())
        assert 20_000 < size <= 25_000
        assert found[-1]["note"].startswith("Cut to stay below 25 KB: ")
        assert [entry for entry in found[:-1] if "note" in entry] == []
        few = table(function, agentId="b", **asked)
        assert [entry for entry in few if "note" in entry] == []


def test_the_tools_are_these_in_this_order_with_honest_annotations(table: Functions) -> None:
    tools = table.contract.tools
    assert [tool.name for tool in tools] == NAMES
    assert list(table.contract.functions) == [
        "memory::store", "memory::recall", "memory::evict", "memory::consolidate", "memory::kg::add",
        "memory::kg::query", "memory::session::list", "memory::session::compact", "memory::session::repair",
    ]  # fmt: skip
    reads = {tool.name for tool in tools if tool.annotations.read_only}
    assert reads == {"memory_recall", "memory_kg_query", "memory_session_list"}
    assert [tool.name for tool in tools if tool.annotations.destructive] == ["memory_evict"]


def test_the_server_says_who_it_is_and_answers_in_json_text(serve: Callable[..., Server]) -> None:
    server = serve()
    hello = server.ask("initialize", protocolVersion="2024-11-05", capabilities={}, clientInfo={})
    assert (hello["serverInfo"]["name"], hello["protocolVersion"]) == ("agentos", "2024-11-05")
    made = server.ask("tools/call", name="memory_store", arguments={"content": "Tea is at five.", "agentId": "a"})
    assert json.loads(made["content"][0]["text"])["stored"] is True
    found = server.ask("tools/call", name="memory_recall", arguments={"query": "tea", "agentId": "a"})
    assert [one["content"] for one in json.loads(found["content"][0]["text"])] == ["Tea is at five."]
    wrong = server.ask("tools/call", name="memory_store", arguments={"role": "user"})
    assert (wrong["isError"], wrong["content"][0]["text"]) == (True, "content: is required")
    assert server.close() == 0


def test_what_is_stored_is_shared_with_other_contracts(table: Functions) -> None:
    table.memory.remember("Known from elsewhere.", space="a")
    assert [one["role"] for one in table("recall", agentId="a", query="elsewhere")] == ["user"]
    made = table("store", agentId="a", content="Known from here.")
    record = table.memory.get(made["id"])
    assert record is not None
    assert record.kind == "memory"
    table.memory.forget(made["id"])
    assert table("store", agentId="a", content="Known from here.")["stored"] is True
