"""What the list of tools says, and what the server says of itself."""

from __future__ import annotations

from pathlib import Path

NAMES = """store_memory get_memory update_memory delete_memory list_memories search search_text recall create_entity
create_relation get_related get_valid get_valid_at invalidate index_project search_code get_index_status list_projects
delete_project get_status reset_all_memory""".split()


def test_the_tools_are_these_in_this_order(table) -> None:
    tools = table.contract.tools
    assert [tool.name for tool in tools] == NAMES
    reads = {tool.name for tool in tools if tool.annotations.read_only}
    assert reads == {name for name in NAMES if name.startswith(("get_", "list_", "search", "recall"))}
    removes = {tool.name for tool in tools if tool.annotations.destructive}
    assert removes == {"delete_memory", "delete_project", "reset_all_memory"}


def test_structured_content_says_the_same_as_the_text(serve) -> None:
    server = serve()
    result = server.ask("tools/call", name="list_projects", arguments={})
    assert result["content"] == [{"type": "text", "text": '{"projects":[],"count":0}'}]
    assert result.get("structuredContent", {"projects": [], "count": 0}) == {"projects": [], "count": 0}


def test_the_model_is_ready_when_it_has_worked_and_asking_has_it_loaded(semantic_table) -> None:
    table = semantic_table
    assert table.memory.embedding().state == "idle"
    status = table.call("get_status")
    assert (status["status"], status["embedding"]) == ("healthy", {
        "status": "loading", "model": "recollect-minilm-2-int8", "dimensions": 384,
        "cache_stats": {"hits": 0, "misses": 0, "size": 0},
    })  # fmt: skip
    while (state := table.call("get_status")["embedding"]["status"]) == "loading":
        assert table.memory.embedding().state in ("loading", "ready")
    assert (state, table.memory.embedding().state) == ("ready", "ready")


def test_a_dead_embedder_is_told_wherever_it_is_needed(serve, tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    server = serve(RECOLLECT_EMBEDDER="ollama", RECOLLECT_EMBED_MODEL="m", RECOLLECT_EMBED_URL="http://127.0.0.1:9")
    id = server.call("store_memory", content="Tea is at five.")["id"]
    assert server.fail("search", query="tea") == "Embedding service not ready. Please try again."
    status = server.call("get_status")
    assert (status["status"], status["embedding"]["status"]) == ("degraded", "error")
    assert server.fail("index_project", path=str(tmp_path / "code")) == "Embedding service not ready. Please try again."
    assert server.call("list_projects")["count"] == 0
    assert [hit["id"] for hit in server.call("recall", query="tea")["results"]] == [id]
    assert [hit["id"] for hit in server.call("search_text", query="tea")["results"]] == [id]
