"""What the list of tools says, and what the server says of itself."""

from __future__ import annotations

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


def test_the_status_loads_nothing(semantic_table) -> None:
    table = semantic_table
    assert table.call("get_status")["embedding"] == {
        "status": "ready", "model": "recollect-minilm-2-int8", "dimensions": 384,
        "cache_stats": {"hits": 0, "misses": 0, "size": 0},
    }  # fmt: skip
    assert table.memory.embedding().state == "idle"
    table.store("Tea is at five.")
    table.call("search", query="tea")
    assert table.memory.embedding().state == "ready"
