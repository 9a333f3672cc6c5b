"""Two servers on one palace, and what is left when one is ended in the middle of its work."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.contracts.clients import Server
from tests.pgserver import store_of

import recollect
from recollect import Settings


def test_two_servers_on_one_palace_see_each_other_at_once(serve: Callable[..., Server]) -> None:
    one, other = serve("--palace", "shared"), serve("--palace", "shared")
    one.initialize()
    other.initialize()
    id = one.call("memory_remember", text="Ines has the key to the cellar.")["drawer_id"]
    assert other.call("memory_recall", query="Who has the key?")["results"][0]["drawer_id"] == id
    other.call("kg_assert", subject="key", predicate="held_by", object="Ines")
    assert one.call("kg_query", subject="key")["triples"][0]["object"] == "Ines"
    other.call("memory_forget", drawer_id=id)
    assert one.call("memory_list")["drawers"] == []
    assert one.finish()[0] == other.finish()[0] == 0


def test_both_write_at_once_and_nothing_is_lost(serve: Callable[..., Server]) -> None:
    servers = [serve("--palace", "shared") for _ in range(2)]
    for server in servers:
        server.initialize()
    for number in range(100):
        for name, server in enumerate(servers):
            arguments = {"text": f"Note {number} of {name}."}
            server.send(
                {"jsonrpc": "2.0", "id": f"w{number}", "method": "tools/call",
                 "params": {"name": "memory_remember", "arguments": arguments}}
            )  # fmt: skip
    for server in servers:
        assert all("result" in json.loads(server.line()) for _ in range(100))
    assert servers[0].call("palace_info")["drawer_count"] == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_under_load_loses_nothing_that_was_answered(
    serve: Callable[..., Server], tmp_path: Path, number: signal.Signals
) -> None:
    server = serve("--palace", "p")
    server.initialize()
    for count in range(1_500):
        server.send(
            {"jsonrpc": "2.0", "id": count, "method": "tools/call",
             "params": {"name": "memory_remember", "arguments": {"text": f"Note {count} is worth keeping."}}}
        )  # fmt: skip
    answered = [server.line() for _ in range(50)]
    server.process.send_signal(number)
    code, out, _ = server.finish()
    assert code == 0
    said = [json.loads(line) for line in answered + out.decode().splitlines()]
    answered = [one["result"] for one in said if "result" in one]
    assert {one["error"]["code"] for one in said if "error" in one} <= {-32000}  # whoever waited is told to ask again
    ids = {json.loads(one["content"][0]["text"])["drawer_id"] for one in answered}
    with recollect.open(
        settings=Settings(home=tmp_path / "home", store=store_of(tmp_path / "home"), embedder="none")
    ) as memory:
        kept = {record.id for record in memory.list(space="p", limit=10_000)}
        assert memory.check() == []
    assert len(ids) == len(answered)
    assert ids <= kept
    assert len(kept) <= len(ids) + 1  # the call that was running may be done without anybody having heard of it


def test_the_end_of_input_ends_the_server_after_its_work(serve: Callable[..., Server], tmp_path: Path) -> None:
    server = serve("--palace", "p")
    for count in range(30):
        server.send(
            {"jsonrpc": "2.0", "id": count, "method": "tools/call",
             "params": {"name": "memory_remember", "arguments": {"text": f"Note {count}."}}}
        )  # fmt: skip
    code, out, _ = server.finish()
    assert (code, len(out.splitlines())) == (0, 30)
    with recollect.open(
        settings=Settings(home=tmp_path / "home", store=store_of(tmp_path / "home"), embedder="none")
    ) as memory:
        assert memory.count(space="p") == 30
