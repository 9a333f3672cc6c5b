"""Do recalls count what they showed, as what they are: read only, and likely answers alone?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from recollect import Memory
from recollect.contracts.registry import CONTRACTS

ANSWER = "The mail relay was down because its certificate had expired."
OTHER = "Lunch is served at noon in the canteen."
QUESTION = "why was the mail relay down?"
RECALLS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "memory-mcp": (("search", "search_text", "recall"), {"query": QUESTION}),
    "rusty-mem": (("search",), {"query_text": QUESTION, "collection": "s", "score_threshold": 0.0}),
    "agentos": (("memory_recall",), {"query": QUESTION, "agentId": "s"}),
    "trusty-memory": (("memory_recall",), {"query": QUESTION, "palace": "s"}),
}


@pytest.mark.parametrize("contract", RECALLS)
def test_recalls_are_read_only_and_count_likely_answers_alone(
    contract: str, semantic: Memory, connect: Callable[..., Any]
) -> None:
    ids = [semantic.remember(text, space="s").id or "" for text in (ANSWER, OTHER)]
    table = connect(CONTRACTS[contract].make(semantic, "s"))
    tools, arguments = RECALLS[contract]
    hints = {tool["name"]: tool["annotations"]["readOnlyHint"] for tool in table.ask("tools/list")["tools"]}
    assert {hints[tool] for tool in tools} == {True}
    for tool in tools:
        table.call(tool, **arguments)
    semantic.touches.flush()
    counted = [record.access_count for id in ids if (record := semantic.get(id, space="s")) is not None]
    assert counted == [len(tools), 0]
