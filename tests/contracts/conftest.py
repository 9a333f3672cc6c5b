"""The one way to reach a contract: `connect` to its table by each of its transports, `serve` it in a process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.clients import VERSION, Server, Table
from tests.pgserver import prepare

from recollect.contracts.tool import Contract


@pytest.fixture
def transport() -> str:
    """A contract with more than one way to reach its tools has all of them here, and its tests run over each."""
    return "mcp"


@pytest.fixture
def connect(transport: str) -> Callable[..., Any]:
    """Connects to a table. A contract's own kind of `Table` may be named, with what its tests say again and again."""

    def reach(contract: Contract, kind: type[Table] = Table) -> Table:
        return kind(contract, transport)

    return reach


@pytest.fixture
def usual() -> dict[str, Any]:
    """How a contract's servers are started: their options, their version (None: no greeting), their environment."""
    return {"arguments": (), "version": VERSION, "environment": {}}


@pytest.fixture
def serve(tmp_path: Path, usual: dict[str, Any]) -> Iterator[Callable[..., Any]]:
    """Starts servers on the store of one test, unless the environment names another, and leaves none behind."""
    started: list[Server] = []

    def start(*arguments: str, lend: Callable[[Any], Any] | None = None, **environment: str) -> Server:
        home = () if "RECOLLECT_HOME" in environment else ("--home", str(tmp_path / "home"))
        if home:
            prepare(tmp_path / "home")
        given = {**usual.get("environment", {}), **environment}
        kind = usual.get("kind", Server)
        started.append(kind(*usual.get("arguments", ()), *home, *arguments, lend=lend, **given))
        if (version := usual.get("version", VERSION)) is not None:
            started[-1].initialize(version)
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            assert server.close() == 0
