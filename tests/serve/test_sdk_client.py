"""The official SDK's client, in every version of the protocol that it speaks."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
import mcp_types as types
import pytest
from mcp import Client, ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, KNOWN_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from tests.serve.conftest import FIXTURE

from recollect.serve.protocol import STATEFUL_VERSIONS, STATELESS_VERSIONS

SERVER = StdioServerParameters(command=sys.executable, args=[str(FIXTURE)], env=dict(os.environ))
WHO = types.Implementation(name="the-sdk", version="2")


@asynccontextmanager
async def connected(version: str) -> AsyncIterator[ClientSession]:
    """A session that is pinned to one version."""
    if version in MODERN_PROTOCOL_VERSIONS:
        async with Client(SERVER, mode=version, client_info=WHO) as client:
            yield client.session
        return
    async with stdio_client(SERVER) as (read, write), ClientSession(read, write, client_info=WHO) as session:
        params = types.InitializeRequestParams(
            protocol_version=version, capabilities=types.ClientCapabilities(), client_info=WHO
        )
        result = await session.send_request(types.InitializeRequest(params=params), types.InitializeResult)
        assert result.protocol_version == version
        session.adopt(result)
        await session.send_notification(types.InitializedNotification())
        yield session


def every_version(check: Callable[[ClientSession], Awaitable[None]]) -> Callable[[str], None]:
    """Runs a check once in each version."""

    async def run(version: str) -> None:
        async with connected(version) as session:
            await check(session)

    def test(version: str) -> None:
        anyio.run(run, version)

    return pytest.mark.parametrize("version", KNOWN_PROTOCOL_VERSIONS)(test)


def test_we_speak_every_version_that_the_sdk_knows() -> None:
    assert STATEFUL_VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS
    assert STATELESS_VERSIONS == MODERN_PROTOCOL_VERSIONS


@every_version
async def test_tools_are_listed_and_called(session: ClientSession) -> None:
    tools = (await session.list_tools()).tools
    assert tools[0].name == "add"
    assert tools[0].annotations is not None
    assert tools[0].annotations.read_only_hint is True
    called = await session.call_tool("add", {"a": 2, "b": 3})
    assert called.structured_content == {"sum": 5}
    assert [part.text for part in called.content if isinstance(part, types.TextContent)] == ['{"sum":5}']
    assert (await session.call_tool("whoami", {})).structured_content == {"client": "the-sdk"}


@every_version
async def test_failures_are_results_that_a_model_can_read(session: ClientSession) -> None:
    failed = await session.call_tool("add", {"a": "two"})
    assert failed.is_error
    assert failed.content == [types.TextContent(type="text", text="a: must be a whole number, not 'two'")]
    with pytest.raises(MCPError, match="Unknown tool: nope"):
        await session.call_tool("nope", {})


@every_version
async def test_progress_reaches_the_callback(session: ClientSession) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    await session.call_tool("walk", {"steps": 3}, progress_callback=hear)
    assert heard == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


@every_version
async def test_a_cancelled_call_frees_the_server_for_the_next(session: ClientSession) -> None:
    with anyio.CancelScope() as scope:

        async def stop(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001
            scope.cancel()

        await session.call_tool("wait", {}, progress_callback=stop)
    assert scope.cancelled_caught
    assert (await session.call_tool("add", {"a": 1})).structured_content == {"sum": 1}


@every_version
async def test_resources_and_prompts_are_read(session: ClientSession) -> None:
    assert [str(resource.uri) for resource in (await session.list_resources()).resources] == [
        "mcp://health",
        "mcp://blob",
    ]
    templates = (await session.list_resource_templates()).resource_templates
    assert [template.uri_template for template in templates] == ["mcp://{project_id}/tags"]
    contents = (await session.read_resource("mcp://health")).contents
    assert [part.text for part in contents if isinstance(part, types.TextResourceContents)] == ['{"ok":true}']
    assert [prompt.name for prompt in (await session.list_prompts()).prompts] == ["greet"]
    greeting = (await session.get_prompt("greet", {"who": "Ada"})).messages[0]
    assert greeting.content == types.TextContent(type="text", text="Say hello to Ada.")


@pytest.mark.parametrize("version", STATEFUL_VERSIONS)
def test_ping_is_answered(version: str) -> None:
    async def run() -> None:
        async with connected(version) as session:
            assert await session.send_ping() == types.EmptyResult()

    anyio.run(run)


@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
def test_a_client_that_chooses_for_itself_gets_the_newest_of_its_era(mode: str, version: str) -> None:
    async def run() -> None:
        async with Client(SERVER, mode=mode, client_info=WHO) as client:
            assert client.session.protocol_version == version
            assert client.server_info is not None
            assert client.server_info.name == "fixture"
            assert client.instructions == "Use it to test."
            assert (await client.call_tool("add", {"a": 4})).structured_content == {"sum": 4}

    anyio.run(run)
