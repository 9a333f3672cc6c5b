"""The functions of agentos, over MCP and over the iii protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.contracts.clients import Table

from recollect import Memory
from recollect.contracts.agentos.table import agentos_contract


class Functions(Table):
    """Functions by their ids, without `memory::`."""

    def __call__(self, function: str, **data: Any) -> Any:
        return self.call(self.contract.functions[f"memory::{function}"], **data)

    def refuse(self, function: str, **data: Any) -> Any:
        return self.fail(self.contract.functions[f"memory::{function}"], **data)

    def say(self, *contents: str, roles: str = "ua", session: str = "s", agent: str = "a") -> list[str]:
        """Stores messages of a session, spoken in turns."""
        names = {"u": "user", "a": "assistant", "s": "system"}
        return [
            self("store", agentId=agent, content=text, role=names[roles[at % len(roles)]], sessionId=session)["id"]
            for at, text in enumerate(contents)
        ]


@pytest.fixture(params=["mcp", "iii"])
def transport(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def table(memory: Memory, connect: Callable[..., Any]) -> Functions:
    return connect(agentos_contract(memory), Functions)


@pytest.fixture
def semantic_table(semantic: Memory, connect: Callable[..., Any]) -> Functions:
    return connect(agentos_contract(semantic), Functions)


@pytest.fixture
def usual() -> dict[str, Any]:
    return {"arguments": ("--as", "agentos"), "version": "2024-11-05", "environment": {"RECOLLECT_EMBEDDER": "none"}}
