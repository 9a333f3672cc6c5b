"""The server in a process of its own: who it is, what can be read, what it is told by its environment, and restarts."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.pgserver import store_of

from recollect.store.choose import shown_place

EVER = {"start": "2000-01-01T00:00:00Z", "end": "2100-01-01T00:00:00Z"}
RESOURCES = ["mcp://memory-types", "mcp://health", "mcp://projects", "mcp://settings", "mcp://usage"]


def test_the_server_says_who_it_is(serve) -> None:
    hello = serve().hello
    assert (hello["serverInfo"]["name"], hello["protocolVersion"]) == ("rusty-mem", "2025-06-18")
    assert hello["capabilities"] == {"tools": {}, "resources": {}}
    assert hello["instructions"] == (
        "Use this server to index, search, and summarize project memories for agents. Index source text, then retrieve "
        "concise context via semantic search with project/type/tag/time filters; summarize time‑bounded entries when "
        "needed."
    )


def test_there_are_five_documents_and_a_template(serve) -> None:
    server = serve()
    listed = server.ask("resources/list")["resources"]
    assert [resource["uri"] for resource in listed] == RESOURCES
    assert all(resource["mimeType"] == "application/json" and resource["description"] for resource in listed)
    (template,) = server.ask("resources/templates/list")["resourceTemplates"]
    assert template["uriTemplate"] == "mcp://{project_id}/tags"
    assert server.answer("resources/read", uri="mcp://nothing")["error"]["code"] == -32002


def test_the_documents_say_what_holds(serve, tmp_path) -> None:
    server = serve(RECOLLECT_EMBEDDER="bundled")
    assert server.read("mcp://memory-types") == {
        "memory_types": ["episodic", "semantic", "procedural"], "default": "semantic",
    }  # fmt: skip
    kept_at = shown_place(tmp_path / "home", store_of(tmp_path / "home"))
    health = {
        "embedding": {"provider": "bundled", "model": "recollect-minilm-5-int8", "dimension": 384},
        "qdrant": {
            "url": kept_at if "://" in kept_at else f"file://{kept_at}", "reachable": True,
            "defaultCollection": "rusty-mem", "defaultCollectionPresent": False,
        },
    }  # fmt: skip
    assert server.read("mcp://health") == health
    server.call("push", text="Tea.")
    assert server.read("mcp://health")["qdrant"]["defaultCollectionPresent"] is True
    assert server.read("mcp://settings") == {
        "search": {"default_limit": 5, "max_limit": 50, "default_score_threshold": 0.25},
    }  # fmt: skip


def test_projects_and_their_tags_can_be_read(serve) -> None:
    server = serve()
    assert server.read("mcp://projects") == {"projects": []}
    server.call("push", text="One.", project_id="repo-a", tags=["beta", "alpha"])
    server.call("push", text="Two.", tags=["gamma"])
    server.call("push", text="Three.", project_id="a/b", tags=["delta"])
    server.call("push", text="Four.", project_id="elsewhere", collection="other")
    server.call("push", text="Five.", project_id="repo-a", collection="other", tags=["omega"])
    assert server.read("mcp://projects") == {"projects": ["a/b", "default", "elsewhere", "repo-a"]}
    assert server.read("mcp://repo-a/tags") == {"project_id": "repo-a", "tags": ["alpha", "beta", "omega"]}
    assert server.read("mcp://default/tags") == {"project_id": "default", "tags": ["gamma"]}
    assert server.read("mcp://a%2Fb/tags") == {"project_id": "a/b", "tags": ["delta"]}
    assert server.read("mcp://nobody/tags") == {"project_id": "nobody", "tags": []}


def test_usage_is_served_word_for_word(serve) -> None:
    assert serve().read("mcp://usage") == {
        "title": "Rusty Memory MCP Usage",
        "policy": [
            "Do not paste or concatenate large documents in prompts.",
            "Index text with `push` first; use `search` to retrieve.",
            "Prefer filters: project_id, memory_type, tags, time_range.",
            "Keep query_text concise (<= 512 chars).",
            "Use summarize to consolidate episodic → semantic summaries.",
        ],
        "flows": [
            {
                "name": "Ingest & Retrieve",
                "steps": [
                    "push({ text, project_id?, memory_type?, tags? })",
                    "search({ query_text, project_id?, memory_type?, tags?, time_range? })",
                ],
            },
            {
                "name": "Summarize",
                "steps": [
                    "search episodic within time_range",
                    "summarize({ project_id, time_range, tags?, limit?, max_words? })",
                ],
            },
        ],
    }


def test_the_environment_sets_defaults_and_limits(serve) -> None:
    server = serve(
        QDRANT_COLLECTION_NAME="mine", SEARCH_DEFAULT_LIMIT="2", SEARCH_MAX_LIMIT="7",
        SEARCH_DEFAULT_SCORE_THRESHOLD="0.1", SUMMARIZATION_MAX_WORDS="12", EMBEDDING_DIMENSION="384",
    )  # fmt: skip
    answer = server.call("search", query_text="tea")
    assert (answer["collection"], answer["limit"], answer["score_threshold"]) == ("mine", 2, 0.1)
    assert server.fail("search", query_text="tea", limit=8) == (-32602, "`limit` must be between 1 and 7")
    server.call("push", text="Tea is at five. " * 3 + "Mira was hired in Berlin in June.", memory_type="episodic")
    made = server.call("summarize", time_range=EVER)
    assert (made["used_filters"]["limit"], made["used_filters"]["max_words"]) == (7, 12)
    assert len(made["summary"].split()) <= 12
    assert server.read("mcp://settings")["search"]["max_limit"] == 7
    search = server.ask("tools/list")["tools"][0]["inputSchema"]["properties"]
    assert (search["limit"]["maximum"], search["limit"]["default"], search["collection"]["default"]) == (7, 2, "mine")


@pytest.mark.parametrize(
    ("variable", "value"),
    [("SEARCH_MAX_LIMIT", "many"), ("SEARCH_DEFAULT_SCORE_THRESHOLD", "2"), ("SEARCH_DEFAULT_LIMIT", "60")],
)
def test_a_variable_that_cannot_be_used_is_named(tmp_path, monkeypatch, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)
    command = [sys.executable, "-m", "recollect.cli", "serve", "--home", str(tmp_path), "--as", "rusty-mem"]
    done = subprocess.run(command, input=b"", capture_output=True)
    assert done.returncode == 1
    assert f"{variable}={value}: " in done.stderr.decode()


def test_metrics_and_memories_survive_a_restart(serve) -> None:
    first = serve()
    first.call("push", text="The gateway validates tokens.")
    assert first.close() == 0
    second = serve()
    assert second.call("metrics") == {"documentsIndexed": 1, "chunksIndexed": 1, "lastChunkSize": 512}
    assert second.call("push", text="The gateway validates tokens.")["skippedDuplicates"] == 1
    assert second.call("metrics")["documentsIndexed"] == 2


def test_errors_are_of_the_protocol_with_their_code(serve) -> None:
    server = serve()
    assert server.fail("search", query_text="x", limit=99) == (-32602, "`limit` must be between 1 and 50")
    assert server.fail("nope") == (-32602, "Unknown tool: nope")
    assert server.call("metrics")["documentsIndexed"] == 0


def test_a_client_that_lends_its_model_writes_the_summary(serve) -> None:
    asked: list[object] = []

    def lend(params: object) -> object:
        asked.append(params)
        text = {"type": "text", "text": "Jon saved billing."}
        return {"result": {"role": "assistant", "content": text, "model": "lent-1"}}

    server = serve(lend=lend)
    server.call("push", text="Jon added 200 GB to billing.", memory_type="episodic")
    assert server.call("summarize", time_range=EVER)["strategy"] == "extractive"
    assert asked == []
    made = server.call("summarize", time_range=EVER, strategy="abstractive")
    assert (made["summary"], made["strategy"], made["provider"], made["model"]) == (
        "Jon saved billing.", "abstractive", "client", "lent-1",
    )  # fmt: skip
    assert "Jon added 200 GB" in json.dumps(asked)


def test_a_client_that_refuses_gets_chosen_sentences_and_is_told(serve) -> None:
    server = serve(lend=lambda _: {"error": {"code": -1, "message": "User rejected"}}, RECOLLECT_SUMMARIZER="client")
    server.call("push", text="Jon added 200 GB to billing.", memory_type="episodic")
    made = server.call("summarize", time_range=EVER)
    assert (made["strategy"], "provider" in made) == ("extractive", False)
    assert "User rejected" in made["note"]


def test_what_another_contract_stored_is_a_memory_of_the_default_project(table) -> None:
    table.memory.remember("Tea was remembered.", space="rusty-mem", memory_type="episodic")
    table.memory.remember("Tea was forgotten.", space="rusty-mem", id="gone")
    table.memory.forget("gone")
    table.memory.remember("Old tea.", space="rusty-mem", id="old")
    table.memory.invalidate("old")
    (found,) = table.call("search", query_text="tea", score_threshold=0)["results"]
    assert (found["text"], found["project_id"]) == ("Tea was remembered.", "default")
    assert len(table.call("summarize", time_range=EVER)["source_memory_ids"]) == 1
    assert table.found("tea", project_id="other") == []


NAMES = ["search", "push", "summarize", "get-collections", "new-collection", "metrics"]


def test_the_tools_are_these_in_this_order(table) -> None:
    tools = table.contract.tools
    assert [tool.name for tool in tools] == NAMES
    reads = {tool.name for tool in tools if tool.annotations.read_only}
    assert reads == {"search", "get-collections", "metrics"}
    assert all(tool.annotations.idempotent and not tool.annotations.destructive for tool in tools)
    assert all(set(tool.input_schema()) <= {"type", "properties", "required"} for tool in tools)
