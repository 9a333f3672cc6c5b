"""The published iii SDKs as clients: what users of agentos have installed must work unchanged."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.serve.iii import GUARD_SECONDS, SDKS, Server, sdk

OLDEST = """
import asyncio, json, sys
from iii import III

async def main():
    client = III(sys.argv[1])
    await client.connect()
    stored = await client.trigger("memory::store", {"agentId": "a", "content": "Tea is at five.", "role": "user"})
    found = await client.trigger("memory::recall", {"agentId": "a", "query": "tea"})
    try:
        await client.trigger("memory::nothing", {})
        problem = None
    except Exception as error:
        problem = str(error)
    print(json.dumps([stored["stored"], [one["content"] for one in found], "function_not_found" in problem]))
    await client.shutdown()

asyncio.run(main())
"""
NEWER = """
import json, sys
from iii import InitOptions, register_worker

client = register_worker(sys.argv[1], InitOptions(otel={"enabled": False}))
ask = lambda id, **data: client.trigger({"function_id": id, "payload": data})
stored = ask("memory::store", agentId="a", content="Tea is at five.", role="user")
found = ask("memory::recall", agentId="a", query="tea")
try:
    ask("memory::nothing")
    problem = None
except Exception as error:
    problem = str(error)
print(json.dumps([stored["stored"], [one["content"] for one in found], "function_not_found" in problem]))
client.shutdown()
"""
NODE = """
import { registerWorker } from 'iii-sdk'
const client = registerWorker(process.argv[2], { otel: { enabled: false } })
const ask = (id, data) => client.trigger({ function_id: id, payload: data })
const stored = await ask('memory::store', { agentId: 'a', content: 'Tea is at five.', role: 'user' })
const found = await ask('memory::recall', { agentId: 'a', query: 'tea' })
let problem = ''
try { await ask('memory::nothing', {}) } catch (error) { problem = JSON.stringify(error) + String(error) }
console.log(JSON.stringify([stored.stored, found.map((one) => one.content), problem.includes('function_not_found')]))
await client.shutdown()
process.exit(0)
"""
EXPECTED = '[true, ["Tea is at five."], true]'


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    started = Server(tmp_path / "home", "--iii", "127.0.0.1:0")
    yield started
    assert started.close()[0] == 0


@pytest.mark.parametrize("version", SDKS["PYTHON_VERSIONS"])
def test_the_python_sdk_stores_and_recalls(server, version) -> None:
    environment = {**os.environ, "PYTHONPATH": str(sdk("python_sdk", version))}
    program = OLDEST if version == "0.3.0" else NEWER
    done = subprocess.run(
        [sys.executable, "-c", program, server.url], env=environment, capture_output=True, text=True,
        timeout=GUARD_SECONDS,
    )  # fmt: skip
    assert done.stdout.strip().splitlines()[-1:] == [EXPECTED], done.stderr


def test_the_node_sdk_stores_and_recalls(server) -> None:
    folder = sdk("node_sdk")
    program = folder / "client.mjs"
    program.write_text(NODE)
    done = subprocess.run(
        [SDKS["node"](), str(program), server.url], cwd=folder, capture_output=True, text=True, timeout=GUARD_SECONDS
    )
    assert done.stdout.strip().splitlines()[-1:] == [EXPECTED.replace(", ", ",")], done.stderr
