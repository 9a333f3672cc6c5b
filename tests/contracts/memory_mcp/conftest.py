"""The tools of memory-mcp, by keywords alone, with the bundled model, and in a space of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.contracts.clients import Table

from recollect import Memory
from recollect.contracts.memory_mcp.table import memory_mcp_contract


class Memories(Table):
    def ids(self, tool: str, **arguments: Any) -> list[str]:
        """The ids of what a tool finds, in its order."""
        answer = self.call(tool, **arguments)
        found = [each["id"] for each in answer.get("results", answer.get("memories"))]
        return [id if isinstance(id, str) else id["id"]["String"] for id in found]

    def store(self, *contents: str, **more: Any) -> list[str]:
        return [self.call("store_memory", content=content, **more)["id"] for content in contents]


@pytest.fixture
def table(memory: Memory, connect: Callable[..., Any]) -> Memories:
    return connect(memory_mcp_contract(memory), Memories)


@pytest.fixture
def semantic_table(semantic: Memory, connect: Callable[..., Any]) -> Memories:
    return connect(memory_mcp_contract(semantic), Memories)


@pytest.fixture
def other_space(memory: Memory, connect: Callable[..., Any]) -> Memories:
    return connect(memory_mcp_contract(memory, space="elsewhere"), Memories)


@pytest.fixture
def usual() -> dict[str, Any]:
    return {"arguments": ("--as", "memory-mcp"), "version": "2024-11-05"}
