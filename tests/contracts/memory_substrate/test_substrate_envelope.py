"""The envelope of every call, and what is told when it does not fit, through a real process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.memory_substrate.conftest import SubstrateServer

from recollect import __version__

EXTRA = "Extra inputs are not permitted"
MUTATING = (
    "configure", "repair", "promote_candidates", "merge_duplicates", "resolve_duplicates", "archive_source",
    "decay_stale", "cycle",
)  # fmt: skip
URIS = ["memory://policy", "memory://agent-playbook", "memory://mcp-api-summary"]


def test_the_server_says_who_it_is(serve: Callable[..., SubstrateServer]) -> None:
    hello = serve().hello
    assert hello["serverInfo"] == {"name": "memory-substrate", "version": __version__}
    assert set(hello["capabilities"]) == {"tools", "resources", "prompts"}
    for words in (
        "persistent agent memory",
        "tool search",
        "options.apply=true",
        "memory_query before memory_remember",
    ):
        assert words in hello["instructions"]


def test_four_tools_have_an_alternative_for_each_mode(serve: Callable[..., SubstrateServer]) -> None:
    tools = serve().ask("tools/list")["tools"]
    modes = {
        tool["name"]: [
            each["properties"]["mode"]["const"] for each in tool["inputSchema"]["properties"]["args"]["oneOf"]
        ]
        for tool in tools
    }
    assert modes == {
        "memory_ingest": ["repo", "file", "markdown", "web", "pdf", "conversation"],
        "memory_query": ["context", "expand", "page", "recent", "search", "graph"],
        "memory_remember": ["activity", "knowledge", "work_item", "promote", "supersede", "contest", "batch"],
        "memory_maintain": [
            "configure", "structure", "audit", "reindex", "repair", "promote_candidates", "merge_duplicates",
            "resolve_duplicates", "archive_source", "decay_stale", "cycle", "report",
        ],
    }  # fmt: skip
    assert "root" not in json.dumps([tool["inputSchema"] for tool in tools])
    reads = [tool["name"] for tool in tools if tool["annotations"]["readOnlyHint"]]
    assert reads == ["memory_query"]


def test_documents_and_prompts_can_be_read(serve: Callable[..., SubstrateServer]) -> None:
    server = serve()
    listed = server.ask("resources/list")["resources"]
    assert [resource["uri"] for resource in listed] == URIS
    for uri, words in zip(URIS, ("contested", "query expansion", "memory_maintain"), strict=True):
        (document,) = server.ask("resources/read", uri=uri)["contents"]
        assert document["mimeType"] == "text/markdown"
        assert words in document["text"]
    prompts = server.ask("prompts/list")["prompts"]
    assert [prompt["name"] for prompt in prompts] == ["memory_task_start", "memory_review"]
    start = server.ask("prompts/get", name="memory_task_start", arguments={"task": "查待办项"})
    assert "查待办项" in start["messages"][0]["content"]["text"]
    review = server.ask("prompts/get", name="memory_review", arguments={"outcome": "Kuzu stays"})
    assert "possible_duplicates" in review["messages"][0]["content"]["text"]


@pytest.mark.parametrize(
    ("tool", "args", "place"),
    [
        ("query", {"mode": "recent", "input_data": {}, "root": "/tmp/x"}, "args.root"),
        ("query", {"mode": "recent", "input_data": {"query": "x"}}, "args.input_data.query"),
        ("query", {"mode": "search", "input_data": {"query": "x"}, "options": {"detail": ""}}, "args.options.detail"),
        (
            "query", {"mode": "context", "input_data": {"task": "x"}, "options": {"snippet_chars": 80}},
            "args.options.snippet_chars",
        ),
        (
            "query", {"mode": "context", "input_data": {"task": "x", "scope": {"scope_refs": []}}},
            "args.input_data.scope.scope_refs",
        ),
        (
            "remember", {"mode": "promote", "input_data": {"knowledge_id": "know:1", "reason": "r", "status": "x"}},
            "args.input_data.status",
        ),
        ("maintain", {"mode": "report", "input_data": {}, "options": {"apply": True, "x": 1}}, "args.options.x"),
        ("ingest", {"mode": "markdown", "input_data": {"path": "/a", "deep": True}}, "args.input_data.deep"),
    ],
)  # fmt: skip
def test_a_field_that_nobody_knows_fails(table: Any, tool: str, args: dict[str, Any], place: str) -> None:
    told = table.fail(f"memory_{tool}", args=args)
    assert f"{place}\n  {EXTRA}" in told


SAID = {
    "kind": "fact", "title": "T", "summary": "S", "reason": "r", "memory_source": "imported", "scope_refs": ["scope:p"],
}  # fmt: skip
TALK = {"title": "Talk", "messages": [{"role": "user", "content": "Hello."}]}
NUL = "contains a NUL character"
NESTED: Any = json.loads("[" * 400 + "]" * 400)
INSIDE: list[tuple[str, str, dict[str, Any], str, str]] = [
    ("remember", "knowledge", {**SAID, "scope_refs": ["scope:p", " "]}, "scope_refs.1", "Input should not be blank"),
    ("remember", "knowledge", {**SAID, "subject_refs": ["\t"]}, "subject_refs.0", "Input should not be blank"),
    ("remember", "knowledge", {**SAID, "payload": {"subject": "a\0", "predicate": "p"}}, "payload.subject", NUL),
    ("remember", "knowledge", {**SAID, "payload": {"metadata": {"k": "y" * 70_000}}}, "payload", "is 70,046 bytes"),
    ("remember", "knowledge", {**SAID, "payload": {"metadata": {"k": NESTED}}}, "payload", "is nested more than 64"),
    ("remember", "activity", {**SAID, "actor": {"type": "user", "id": "a", "name": 5}}, "actor.name", "Input"),
    ("ingest", "conversation", {**TALK, "origin": {"k": NESTED}}, "origin", "is nested more than 64 levels deep"),
    ("remember", "knowledge", {**SAID, "payload": {"metadata": [1]}}, "payload.metadata", "Input should be a valid"),
    (
        "remember", "knowledge", {**SAID, "evidence_refs": [{"source_id": "src:a", "segment_id": "\0"}]},
        "evidence_refs.0.segment_id", NUL,
    ),
    (
        "remember", "batch", {"entries": [{"mode": "knowledge", "input_data": {**SAID, "title": "a\0"}}]},
        "entries.0.input_data.title", NUL,
    ),
    (
        "remember", "batch", {"entries": [{"mode": "activity", "input_data": {**SAID, "source_refs": [""]}}]},
        "entries.0.input_data.source_refs.0", "String should have at least 1 character",
    ),
    (
        "remember", "activity", {**SAID, "started_at": "2026-02-01", "ended_at": "2026-01-01"}, "ended_at",
        "Input should not be earlier than started_at",
    ),
    ("remember", "work_item", {**SAID, "related_node_refs": ["a\0"]}, "related_node_refs.0", NUL),
    ("ingest", "conversation", {**TALK, "messages": [{"role": "user", "content": "\0"}]}, "messages.0.content", NUL),
    (
        "ingest", "conversation",
        {**TALK, "messages": [*TALK["messages"], {"role": "a", "content": "b", "name": "\n"}]},
        "messages.1.name", "must not contain control characters",
    ),
    (
        "ingest", "conversation", {**TALK, "messages": [{"role": "\0", "content": "b", "name": "Ana"}]},
        "messages.0.role", NUL,
    ),
    ("ingest", "conversation", {**TALK, "origin": {"host": "y" * 70_000}}, "origin", "is 70,0"),
    ("query", "search", {"query": "a\0b"}, "query", NUL),
    ("query", "context", {"task": "x", "scope": {"object_type": "drawer"}}, "scope.object_type", "Input should be one"),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "mode", "given", "place", "problem"), INSIDE)
def test_what_is_wrong_inside_is_told_by_its_place_once(
    table: Any, tool: str, mode: str, given: dict[str, Any], place: str, problem: str
) -> None:
    told = table.refuse(tool, mode, given).splitlines()
    assert told[0] == f"Error executing tool memory_{tool}: 1 validation error for memory_{tool}"
    assert told[1] == f"args.input_data.{place}"
    assert told[2].startswith(f"  {problem}")
    assert table.memory.count(space=None) == 0


def test_everything_that_is_wrong_is_told_at_once(serve: Callable[..., SubstrateServer]) -> None:
    server = serve()
    given: dict[str, Any] = {"kind": "fact", "title": 5, "memory_source": "rumour", "scope_refs": [], "foo": 1}
    given["evidence_refs"] = [{}]
    told = server.fail("memory_remember", **{"args": {"mode": "knowledge", "input_data": given, "extra": 1}})
    assert told.splitlines() == [
        "Error executing tool memory_remember: 9 validation errors for memory_remember",
        "args.extra", f"  {EXTRA}",
        "args.input_data.foo", f"  {EXTRA}",
        "args.input_data.title", "  Input should be a valid string",
        "args.input_data.summary", "  Field required",
        "args.input_data.reason", "  Field required",
        "args.input_data.memory_source",
        "  Input should be 'user_declared', 'human_curated', 'agent_inferred', 'system_generated' or 'imported'",
        "args.input_data.scope_refs", "  List should have at least 1 item",
        "args.input_data.evidence_refs.0.source_id", "  Field required",
        "args.input_data.evidence_refs.0.segment_id", "  Field required",
    ]  # fmt: skip


def test_missing_parts_of_the_envelope_are_named(serve: Callable[..., SubstrateServer]) -> None:
    server = serve()
    assert "args\n  Field required" in server.fail("memory_query", **{})
    assert f"mode\n  {EXTRA}" in server.fail("memory_query", **{"mode": "recent", "input_data": {}})
    assert "args\n  Input should be a valid dictionary" in server.fail("memory_query", **{"args": 5})
    assert "args.mode\n  Field required" in server.fail("memory_query", **{"args": {"input_data": {}}})
    assert "args.input_data\n  Field required" in server.fail("memory_query", **{"args": {"mode": "recent"}})
    told = server.fail("memory_query", **{"args": {"mode": "recent", "input_data": []}})
    assert "args.input_data\n  Input should be a valid dictionary" in told


def test_an_unsupported_mode_is_a_clear_value_error(serve: Callable[..., SubstrateServer]) -> None:
    told = serve().fail("memory_remember", **{"args": {"mode": "forget", "input_data": {}}})
    assert "ValueError: Unsupported memory_remember mode: forget" in told
    assert "activity, knowledge, work_item, promote, supersede, contest, batch" in told


@pytest.mark.parametrize("mode", MUTATING)
def test_modes_that_change_memory_must_be_confirmed(table: Any, mode: str) -> None:
    for options in (None, {}, {"apply": False}, {"apply": "true"}):
        assert "args.options.apply\n  " in table.refuse("maintain", mode, {}, options)


def test_bounds_of_options_are_kept(table: Any) -> None:
    told = table.refuse("query", "page", {"id": "know:1"}, {"max_items": 0, "snippet_chars": 39, "detail": "all"})
    assert "args.options.max_items\n  Input should be greater than or equal to 1" in told
    assert "args.options.snippet_chars\n  Input should be greater than or equal to 40" in told
    assert "args.options.detail\n  Input should be 'compact' or 'full'" in told
    told = table.refuse("query", "page", {"id": "know:1"}, {"snippet_chars": 4001})
    assert "Input should be less than or equal to 4000" in told
    assert "args.options.semantic_backend\n  Input should be 'lancedb'" in table.refuse(
        "query", "search", {"query": "x"}, {"semantic_backend": "faiss"}
    )


def test_an_envelope_as_text_null_options_and_numbers_as_text_are_understood(
    serve: Callable[..., SubstrateServer],
) -> None:
    server = serve()
    as_text = json.dumps({"mode": "recent", "input_data": {}, "options": {"max_items": "3"}})
    spelled: tuple[Any, ...] = (as_text, {"mode": "recent", "input_data": {}, "options": None})
    for args in spelled:
        answer = server.call("memory_query", args=args)
        assert (answer["result_type"], answer["items"]) == ("recent", [])


@pytest.mark.parametrize("mode", ["page", "expand", "graph"])
def test_an_object_that_is_not_there_is_named(table: Any, mode: str) -> None:
    missing = f"know:{'0' * 32}"
    assert table.refuse("query", mode, {"id": missing}).endswith(f"Object not found: {missing}")


def test_the_root_of_the_origin_names_the_store_where_nothing_of_ours_does(
    serve: Callable[..., SubstrateServer], tmp_path: Path
) -> None:
    root, home = tmp_path / "root", tmp_path / "ours"
    server = serve(MEMORY_SUBSTRATE_ROOT=str(root), RECOLLECT_HOME="")
    assert server.use("query", "recent")["items"] == []
    assert server.close() == 0
    assert (root / "recollect.db").exists()
    serve(MEMORY_SUBSTRATE_ROOT=str(tmp_path / "unused"), RECOLLECT_HOME=str(home)).close()
    assert (home / "recollect.db").exists()
    assert not (tmp_path / "unused").exists()


def test_a_server_is_bound_to_the_space_that_it_is_given(serve: Callable[..., SubstrateServer]) -> None:
    given = {"kind": "fact", "title": "Port", "summary": "The port is 8080.", "reason": "r"}
    given |= {"memory_source": "user_declared", "scope_refs": ["scope:a"]}
    id = serve("--space", "work").use("remember", "knowledge", given)["object_id"]
    assert id in json.dumps(serve("--space", "work").use("query", "recent"))
    assert serve().use("query", "recent")["items"] == []
