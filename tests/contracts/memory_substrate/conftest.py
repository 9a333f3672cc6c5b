"""The tools of memory-substrate: a mode, its input and its options, in the envelope that they travel in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.clients import Client, Server, Table

from recollect import Memory
from recollect.contracts.memory_substrate.table import memory_substrate_contract

GOVERNED = {"reason": "It guides later work.", "memory_source": "user_declared", "scope_refs": ["scope:project"]}
"""What everything that is created must say."""


def envelope(mode: str, given: Any, options: Any) -> dict[str, Any]:
    args = {"mode": mode, "input_data": {} if given is None else given}
    return args if options is None else {**args, "options": options}


def use(client: Client, tool: str, mode: str, given: Any = None, options: Any = None) -> Any:
    return client.call(f"memory_{tool}", args=envelope(mode, given, options))


class Substrate(Table):
    @property
    def space(self) -> str:
        return self.contract.space

    def use(self, tool: str, mode: str, given: Any = None, options: Any = None) -> Any:
        return use(self, tool, mode, given, options)

    def refuse(self, tool: str, mode: str, given: Any = None, options: Any = None) -> str:
        return self.fail(f"memory_{tool}", args=envelope(mode, given, options))

    def query(self, mode: str, given: Any = None, options: Any = None) -> Any:
        return self.use("query", mode, given, options)

    def search(self, query: str, **options: Any) -> list[Any]:
        return self.query("search", {"query": query}, options)["items"]

    def know(self, title: str, summary: str | None = None, **more: Any) -> str:
        """Stores knowledge and answers its id."""
        given = {"kind": "fact", "title": title, "summary": summary or f"{title}.", **GOVERNED, **more}
        return self.use("remember", "knowledge", given)["knowledge_id"]

    def ingest(self, path: Path, text: str, mode: str = "markdown") -> str:
        """Writes a file, ingests it and answers the id of its source."""
        path.write_text(text, "utf-8")
        return self.use("ingest", mode, {"path": str(path)})["source_id"]


class SubstrateServer(Server):
    def use(self, tool: str, mode: str, given: Any = None, options: Any = None) -> Any:
        return use(self, tool, mode, given, options)


@pytest.fixture
def table(memory: Memory, connect: Callable[..., Any]) -> Substrate:
    return connect(memory_substrate_contract(memory), Substrate)


@pytest.fixture
def semantic_table(semantic: Memory, connect: Callable[..., Any]) -> Substrate:
    return connect(memory_substrate_contract(semantic), Substrate)


@pytest.fixture
def other_space(memory: Memory, connect: Callable[..., Any]) -> Substrate:
    return connect(memory_substrate_contract(memory, space="elsewhere"), Substrate)


@pytest.fixture
def usual() -> dict[str, Any]:
    return {"arguments": ("--as", "memory-substrate"), "version": "2024-11-05", "kind": SubstrateServer}
