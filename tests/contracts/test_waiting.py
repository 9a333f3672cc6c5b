"""Does any contract's search wait until every vector is there?

Texts above 16,000 characters get no vector while somebody waits, so that one such text always has none when a search
answers (a short one may have none either, on a busy machine): what it shows does not depend on how fast a machine is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from recollect import Memory
from recollect.contracts.registry import CONTRACTS

pytestmark = pytest.mark.hurried

LONG = "The harbour master keeps his ledger in the tower. " * 400 + "He named his parrot Quixotl."
SHORT = "Wednesday is market day."
QUESTION = "What has the name Quixotl?"
RECALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "memory-mcp": ("recall", {"query": QUESTION}),
    "rusty-mem": ("search", {"query_text": QUESTION, "collection": "shared", "score_threshold": 0.0}),
    "agentos": ("memory_recall", {"query": QUESTION, "agentId": "shared"}),
    "trusty-memory": ("memory_recall", {"query": QUESTION, "palace": "shared"}),
    "memory-substrate": ("memory_query", {"args": {"mode": "search", "input_data": {"query": QUESTION}}}),
}


@pytest.mark.parametrize("contract", RECALLS)
def test_a_search_answers_by_words_while_vectors_are_missing(
    contract: str, semantic: Memory, connect: Callable[..., Any]
) -> None:
    for text in (LONG, SHORT):
        semantic.remember(text, space="shared")
    tool, arguments = RECALLS[contract]
    answer = connect(CONTRACTS[contract].make(semantic, "shared")).call(tool, **arguments)
    assert "harbour master" in json.dumps(answer)
    assert semantic.describe_space("shared")[1].waiting_for_vectors >= 1
