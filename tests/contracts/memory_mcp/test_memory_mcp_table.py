"""What the list of tools says, and what the server says of itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.contracts.clients import Server
from tests.contracts.memory_mcp.conftest import Memories
from tests.pgserver import store_of

import recollect
from loopback import Loopback, Reply, serve_loopback
from recollect import Settings
from recollect.contracts.memory_mcp.table import memory_mcp_contract

NAMES = """store_memory get_memory update_memory delete_memory list_memories search search_text recall create_entity
create_relation get_related get_valid get_valid_at invalidate index_project search_code get_index_status list_projects
delete_project get_status reset_all_memory""".split()


NOT_READY = "Embedding service not ready. Please try again."


@pytest.fixture
def embeds() -> Iterator[Loopback]:
    with serve_loopback() as server:
        server.answer = lambda body: {"embeddings": [[len(text), ord(text[0]), 2.0] for text in body["input"]]}
        yield server


def test_the_tools_are_these_in_this_order(table: Memories) -> None:
    tools = table.contract.tools
    assert [tool.name for tool in tools] == NAMES
    reads = {tool.name for tool in tools if tool.annotations.read_only}
    assert reads == {name for name in NAMES if name.startswith(("get_", "list_", "search", "recall"))}
    removes = {tool.name for tool in tools if tool.annotations.destructive}
    assert removes == {"delete_memory", "delete_project", "reset_all_memory"}


def test_structured_content_says_the_same_as_the_text(serve: Callable[..., Server]) -> None:
    server = serve()
    result = server.ask("tools/call", name="list_projects", arguments={})
    assert result["content"] == [{"type": "text", "text": '{"projects":[],"count":0}'}]
    assert result.get("structuredContent", {"projects": [], "count": 0}) == {"projects": [], "count": 0}


def test_the_model_is_ready_when_it_has_worked_and_asking_has_it_loaded(semantic_table: Memories) -> None:
    table = semantic_table
    assert table.memory.semantics.state().state == "idle"
    status = table.call("get_status")
    assert (status["status"], status["embedding"]) == ("healthy", {
        "status": "loading", "model": "recollect-minilm-5-int8", "dimensions": 384,
        "cache_stats": {"hits": 0, "misses": 0, "size": 0},
    })  # fmt: skip
    while (state := table.call("get_status")["embedding"]["status"]) == "loading":
        assert table.memory.semantics.state().state in ("loading", "ready")
    assert (state, table.memory.semantics.state().state) == ("ready", "ready")


def test_a_dead_embedder_is_told_wherever_it_is_needed(serve: Callable[..., Server], tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    id = serve(RECOLLECT_EMBEDDER="none").call("store_memory", content="Tea is at five.")["id"]
    server = serve(RECOLLECT_EMBEDDER="ollama", RECOLLECT_EMBED_MODEL="m", RECOLLECT_EMBED_URL="http://127.0.0.1:9")
    for tool, arguments in (
        ("store_memory", {"content": "Coffee is at nine."}),
        ("update_memory", {"id": id, "content": "Tea is at six."}),
        ("search", {"query": "tea"}),
        ("index_project", {"path": str(tmp_path / "code")}),
    ):
        assert server.fail(tool, **arguments) == NOT_READY
    status = server.call("get_status")
    assert (status["status"], status["embedding"]["status"], status["memories_count"]) == ("degraded", "error", 1)
    assert server.call("list_projects")["count"] == 0
    assert server.call("update_memory", id=id, content="Tea is at five.", metadata={"a": 1})["metadata"] == {"a": 1}
    assert [hit["id"] for hit in server.call("recall", query="tea")["results"]] == [id]
    assert [hit["id"] for hit in server.call("search_text", query="tea")["results"]] == [id]
    assert server.fail("store_memory", content="") == "content: must have 1 to 102,400 bytes, not 0"


@pytest.mark.parametrize("away", [Reply(status=404), Reply(status=400, body=b"no"), Reply(body=b"{}")])
def test_who_tries_again_stores_as_soon_as_the_embedder_answers(
    connect: Callable[..., Memories], tmp_path: Path, embeds: Loopback, away: Reply
) -> None:
    embeds.script = [away, away]
    kept = Settings(home=tmp_path, store=store_of(tmp_path), embedder="ollama", embed_model="m", embed_url=embeds.url)
    with recollect.open(settings=kept) as memory:
        table = connect(memory_mcp_contract(memory), Memories)
        assert [table.fail("store_memory", content="Tea is at five.") for _ in range(2)] == [NOT_READY] * 2
        assert table.call("list_memories")["total"] == 0
        id = table.call("store_memory", content="Tea is at five.")["id"]
        assert table.call("get_status")["embedding"]["status"] == "ready"
        assert table.call("update_memory", id=id, content="Tea is at six.")["content"] == "Tea is at six."
        assert table.call("list_memories")["total"] == 1


def test_a_server_without_an_embedder_is_degraded_and_stores_by_words(serve: Callable[..., Server]) -> None:
    server = serve(RECOLLECT_EMBEDDER="none")
    id = server.call("store_memory", content="Tea is at five.")["id"]
    status = server.call("get_status")
    assert (status["status"], status["embedding"]["status"], status["memories_count"]) == ("degraded", "error", 1)
    assert [hit["id"] for hit in server.call("search_text", query="tea")["results"]] == [id]
