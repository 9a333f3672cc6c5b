"""Every tool as the contract shows it, through a real process with the real model."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.contracts.clients import Server, Table
from tests.pgserver import store_of

import recollect
from recollect import Settings, __version__
from recollect.contracts.memory_mcp.table import memory_mcp_contract

ID = re.compile(r"[a-z0-9]{20}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def test_the_server_says_who_it_is(serve: Callable[..., Server]) -> None:
    hello = serve().hello
    assert hello["serverInfo"] == {"name": "memory-mcp", "version": __version__}
    assert hello["protocolVersion"] == "2024-11-05"
    assert hello["capabilities"] == {"tools": {}}
    told = "AI agent memory server with knowledge graph and code search. 21 tools available."
    assert hello["instructions"] == told


def test_a_memory_lives_through_its_five_tools(serve: Callable[..., Server]) -> None:
    server = serve()
    id = server.call("store_memory", content="The gateway listens on 8080.")["id"]
    assert ID.fullmatch(id)
    held = server.call("get_memory", id=id)
    times = [held.pop(name) for name in ("event_time", "ingestion_time", "valid_from")]
    assert all(TIME.fullmatch(time) for time in times)
    assert held == {
        "id": {"tb": "memories", "id": {"String": id}}, "content": "The gateway listens on 8080.",
        "memory_type": "semantic", "valid_until": None, "importance_score": 1.0, "metadata": {},
    }  # fmt: skip
    changed = server.call("update_memory", id=id, content="The gateway listens on 9090.", metadata={"by": "ana"})
    assert (changed["content"], changed["metadata"]) == ("The gateway listens on 9090.", {"by": "ana"})
    assert server.call("list_memories") == {"memories": [changed], "total": 1, "limit": 20, "offset": 0}
    assert server.call("delete_memory", id=id) == {"deleted": True}
    assert server.call("list_memories") == {"memories": [], "total": 0, "limit": 20, "offset": 0}


def test_three_searches_find_a_memory_each_in_its_way(serve: Callable[..., Server]) -> None:
    server = serve()
    id = server.call("store_memory", content="The cat sleeps on the warm radiator.", memory_type="episodic")["id"]
    server.call("store_memory", content="Invoices are paid within thirty days.")
    while server.call("search", query="Anything?")["count"] < 2:  # on a busy machine vectors come a little later
        continue
    found = server.call("search", query="Where does the kitten like to nap?", limit=1)
    score = found["results"][0].pop("score")
    assert found == {
        "results": [{"id": id, "content": "The cat sleeps on the warm radiator.", "memory_type": "episodic"}],
        "count": 1, "query": "Where does the kitten like to nap?",
    }  # fmt: skip
    assert 0.2 < score < 1
    assert server.call("search_text", query="kitten") == {"results": [], "count": 0, "query": "kitten"}
    recalled = server.call("recall", query="radiator")
    fields = ["id", "content", "source", "score", "vector_score", "bm25_score", "ppr_score"]
    assert list(recalled["results"][0]) == [*fields, "file_path", "start_line", "end_line"]
    assert recalled["results"][0]["source"] == "memory"
    assert list(recalled) == ["results", "query", "subgraph_nodes", "memories_count", "code_count"]
    assert (recalled["memories_count"], recalled["code_count"]) == (len(recalled["results"]), 0)


def test_entities_are_made_related_and_found(serve: Callable[..., Server]) -> None:
    server = serve()
    ana = server.call("create_entity", name="Ana", entity_type="person", description=None, user_id=None)["id"]
    atlas = server.call("create_entity", name="Atlas", entity_type="project")["id"]
    made = server.call("create_relation", from_entity=ana, to_entity=atlas, relation_type="works_on", weight=0.5)
    related = server.call("get_related", entity_id=ana)
    assert [(one["id"], one["name"], one["entity_type"]) for one in related["entities"]] == [
        (atlas, "Atlas", "project")
    ]
    told = [(one["id"], one["from_entity"], one["to_entity"], one["weight"]) for one in related["relations"]]
    assert told == [(made["id"], ana, atlas, 0.5)]
    assert (related["entity_count"], related["relation_count"]) == (1, 1)
    assert all(ID.fullmatch(id) for id in (ana, atlas, made["id"]))


def test_time_is_asked_for_in_three_ways(serve: Callable[..., Server]) -> None:
    server = serve()
    id = server.call("store_memory", content="The office is in Porto.", user_id="ana")["id"]
    held = server.call("get_memory", id=id)
    assert server.call("get_valid", user_id="ana") == {"results": [held], "count": 1}
    assert server.call("invalidate", id=id, reason="moved") == {"invalidated": True}
    assert server.call("get_valid") == {"results": [], "count": 0}
    then = server.call("get_valid_at", timestamp=held["valid_from"])
    assert (then["count"], then["timestamp"]) == (1, held["valid_from"])
    before = server.call("get_valid_at", timestamp="2026-01-06T12:00:00Z")
    assert before == {"results": [], "count": 0, "timestamp": "2026-01-06T12:00:00Z"}


def test_code_is_indexed_found_counted_and_dropped(serve: Callable[..., Server], tmp_path: Path) -> None:
    server, folder = serve(), tmp_path / "my-project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "main.rs").write_text("/// Opens the gate.\nfn open_gate() -> bool {\n    true\n}\n")
    indexed = server.call("index_project", path=str(folder), watch=False)
    assert (indexed["project_id"], indexed["files_indexed"]) == ("my-project", 1)
    assert server.call("list_projects") == {"projects": ["my-project"], "count": 1}
    status = server.call("get_index_status", project_id="my-project")
    assert TIME.fullmatch(status.pop("started_at"))
    assert TIME.fullmatch(status.pop("completed_at"))
    assert status == {
        "project_id": "my-project", "status": "completed", "total_files": 1, "indexed_files": 1,
        "total_chunks": indexed["chunks_created"], "progress_percent": 100.0, "eta_seconds": None,
    }  # fmt: skip
    hit = server.call("search_code", query="open the gate", project_id="my-project")["results"][0]
    fields = ["id", "file_path", "content", "language", "start_line", "end_line", "chunk_type", "name", "score"]
    assert list(hit) == fields
    assert (hit["file_path"], hit["language"], hit["chunk_type"], hit["name"]) == (
        "src/main.rs", "rust", "function", "open_gate",
    )  # fmt: skip
    recalled = server.call("recall", query="open the gate", include_memories=False, include_code=True)["results"][0]
    place = (recalled["source"], recalled["file_path"], recalled["start_line"], recalled["end_line"])
    assert place == ("code", "src/main.rs", hit["start_line"], hit["end_line"])
    assert server.call("list_memories")["total"] == 0
    assert server.call("delete_project", project_id="my-project") == {"chunks_deleted": indexed["chunks_created"]}


def test_the_status_counts_and_the_reset_empties(serve: Callable[..., Server]) -> None:
    server = serve()
    server.call("store_memory", content="Tea is at five.")
    server.call("search", query="tea")
    server.call("search", query="tea")
    status = server.call("get_status")
    assert status == {
        "version": __version__, "status": "healthy", "memories_count": 1, "entities_count": 0,
        "code_chunks_count": 0, "db_dimension": 384,
        "embedding": {
            "status": "ready", "model": "recollect-minilm-5-int8", "dimensions": 384,
            "cache_stats": {"hits": 1, "misses": 1, "size": 1},
        },
    }  # fmt: skip
    refused = {"reset": False, "message": "Confirmation required. Set confirm=true to delete all data."}
    assert server.call("reset_all_memory", confirm=False) == refused
    assert server.call("reset_all_memory") == refused
    done = server.call("reset_all_memory", confirm=True)
    assert done == {"reset": True, "deleted": {"memories": 1, "entities": 0, "relations": 0, "code_chunks": 0}}
    assert server.call("get_status")["memories_count"] == 0


def test_the_status_says_how_many_records_wait_for_their_vectors(tmp_path: Path, connect: Callable[..., Any]) -> None:
    home = tmp_path / "home"
    with recollect.open(settings=Settings(home=home, store=store_of(home), embed_delay=600.0)) as memory:
        table = connect(memory_mcp_contract(memory), Table)
        memory.recall("is the model loaded?")
        for number in range(3):
            memory.remember(f"Tea {number} is at five.")
        assert table.call("get_status")["embedding"]["waiting"] == 3
        memory.embed_waiting()
        assert "waiting" not in table.call("get_status")["embedding"]
