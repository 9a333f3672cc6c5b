"""The tools and documents of rusty-mem, by keywords alone and with the bundled model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.contracts.clients import Table

from recollect import Memory
from recollect.contracts.rusty_mem.table import rusty_mem_contract


class Collections(Table):
    def found(self, query_text: str = "", **arguments: Any) -> list[str]:
        """The texts that a search finds, whatever they score."""
        answer = self.call("search", query_text=query_text, score_threshold=0.0, limit=50, **arguments)
        return sorted(result["text"] for result in answer["results"])


@pytest.fixture
def table(memory: Memory, connect: Callable[..., Any]) -> Collections:
    return connect(rusty_mem_contract(memory), Collections)


@pytest.fixture
def semantic_table(semantic: Memory, connect: Callable[..., Any]) -> Collections:
    return connect(rusty_mem_contract(semantic), Collections)


@pytest.fixture
def usual() -> dict[str, Any]:
    return {"arguments": ("--as", "rusty-mem"), "environment": {"RECOLLECT_EMBEDDER": "none"}}
