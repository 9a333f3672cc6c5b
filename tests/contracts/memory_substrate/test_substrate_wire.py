"""The contract as its messages tell it: what was found wrong there, and several cases of each."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.memory_substrate.conftest import Substrate, SubstrateServer
from tests.pgserver import run_sql

GOVERNED = {"reason": "It guides later work.", "memory_source": "user_declared", "scope_refs": ["scope:project"]}
APPLY = {"apply": True}
GUIDE = "# Guide\n\nIt begins here.\n\n## Backups\n\nCopies are kept for thirty days.\n\n## Ports\n\nIt is 8080.\n"


@pytest.fixture
def wire(table: Substrate) -> Substrate:
    return table


def know(wire: Substrate, title: str, **more: Any) -> Any:
    given = {"kind": "fact", "title": title, "summary": f"{title}.", **GOVERNED, **more}
    return wire.use("remember", "knowledge", given)


def ingest(wire: Substrate, path: Path, text: str, mode: str = "markdown") -> str:
    path.write_text(text, "utf-8")
    return wire.use("ingest", mode, {"path": str(path)})["source_id"]


def work(wire: Substrate, title: str, **more: Any) -> str:
    given = {"kind": "task", "title": title, "summary": f"{title} soon.", **GOVERNED, **more}
    return wire.use("remember", "work_item", given)["object_id"]


def found(wire: Substrate, query: str, **options: Any) -> list[str]:
    return [item["id"] for item in wire.use("query", "search", {"query": query}, options)["items"]]


# The graph


@pytest.mark.parametrize(
    ("payload", "root", "edge"),
    [
        ({"subject": "node:harbour", "predicate": "depth", "value": 12}, "node:harbour", "about"),
        ({"subject": "node:harbour", "predicate": "lies_at", "object": "node:river"}, "node:river", "lies_at"),
        ({"subject": "the crane", "predicate": "lifts", "value": "40 t"}, "the crane", "about"),
        ({}, "scope:project", "in_scope"),
        ({"subject": "node:quay", "value": 3}, "node:quay", "about"),
        ({"predicate": "p", "object": "node:pier"}, "node:pier", "about"),
    ],
)
def test_what_is_only_named_is_a_node_that_can_be_asked_for(
    wire: Substrate, payload: Any, root: str, edge: str
) -> None:
    id = know(wire, "The harbour", payload=payload)["knowledge_id"]
    for asked in (root, id):
        graph = wire.use("query", "graph", {"id": asked})
        assert {root, id} <= {node["id"] for node in graph["nodes"]}
        assert edge in [each["relation"] for each in graph["edges"]]
    (node,) = [node for node in graph["nodes"] if node["id"] == root]
    assert (node["object_type"], node["kind"] in ("stub", "scope")) == ("node", True)
    assert id in [item["id"] for item in wire.use("query", "expand", {"id": root})["items"]]
    assert wire.use("query", "page", {"id": root})["object"]["id"] == root


def test_references_between_objects_are_edges_in_both_directions(wire: Substrate, tmp_path: Path) -> None:
    source = ingest(wire, tmp_path / "guide.md", GUIDE)
    first = work(wire, "Paint the hull", related_node_refs=["node:hull"], source_refs=[source])
    second = work(wire, "Launch", depends_on=[first], related_node_refs=["node:hull"])
    given = {
        "kind": "research",
        "title": "Survey",
        "summary": "Hull seen.",
        **GOVERNED,
        "produced_object_refs": [first],
    }
    survey = wire.use("remember", "activity", {**given, "artifact_refs": ["/out/hull.csv"]})["object_id"]
    file = wire.use("query", "graph", {"id": "/out/hull.csv"})
    assert [(edge["source_id"], edge["relation"]) for edge in file["edges"]] == [(survey, "artifact")]
    edges = wire.use("query", "graph", {"id": first}, {"max_items": 20})["edges"]
    assert {(second, first, "depends_on"), (survey, first, "produced_object"), (first, source, "uses_source")} <= {
        (edge["source_id"], edge["target_id"], edge["relation"]) for edge in edges
    }
    hull = wire.use("query", "graph", {"id": "node:hull"})
    assert {first, second} <= {node["id"] for node in hull["nodes"]}
    assert "Object not found: know:gone" in wire.fail(
        "memory_query", args={"mode": "graph", "input_data": {"id": "know:gone"}}
    )


# Evidence


@pytest.mark.parametrize("above", ["## News\n\nA section that was not there.\n\n", "## A\n\nOne.\n\n## B\n\nTwo.\n\n"])
def test_evidence_that_moved_is_followed_and_evidence_that_is_gone_is_told(
    wire: Substrate, tmp_path: Path, above: str
) -> None:
    path = tmp_path / "guide.md"
    source = ingest(wire, path, GUIDE)
    ref = {"source_id": source, "segment_id": "seg-2"}
    id = know(wire, "Retention", evidence_refs=[ref])["knowledge_id"]
    ingest(wire, path, GUIDE.replace("## Backups", f"{above}## Backups"))
    moved = wire.use("query", "expand", {"id": id})
    (segment,) = moved["source_segments"]
    assert ("thirty days" in segment["excerpt"], segment["segment_id"] != "seg-2") == (True, True)
    assert f"stands at {segment['segment_id']} now" in moved["warnings"][0]
    assert wire.use("maintain", "report")["changed_evidence_ids"] == []
    ingest(wire, path, GUIDE.replace("thirty days", "a year"))
    gone = wire.use("query", "expand", {"id": id})
    assert (gone["source_segments"], f"{source}#seg-2" in gone["warnings"][0]) == ([], True)
    assert wire.use("maintain", "report")["changed_evidence_ids"] == [id]
    (shown,) = wire.use("query", "page", {"id": id})["object"]["evidence_refs"]
    assert shown["state"] == "changed"


@pytest.mark.parametrize(
    ("later", "shown", "told"),
    [
        (GUIDE, ["seg-2"], "was archived."),
        (GUIDE.replace("## Backups", "## News\n\nNew.\n\n## Backups"), ["seg-3"], "was archived."),
        (GUIDE.replace("thirty days", "a year"), [], "was archived. The text that was cited is gone."),
    ],
)
def test_evidence_in_an_archived_source_is_the_text_that_was_cited_or_none(
    wire: Substrate, tmp_path: Path, later: str, shown: list[str], told: str
) -> None:
    source = ingest(wire, tmp_path / "guide.md", GUIDE)
    id = know(wire, "Retention", evidence_refs=[{"source_id": source, "segment_id": "seg-2"}])["knowledge_id"]
    ingest(wire, tmp_path / "guide.md", later)
    wire.use("maintain", "archive_source", {"source_id": source, "reason": "r"}, APPLY)
    answer = wire.use("query", "expand", {"id": id})
    assert [segment["segment_id"] for segment in answer["source_segments"]] == shown
    assert all("thirty days" in segment["excerpt"] for segment in answer["source_segments"])
    assert answer["warnings"][0].endswith(told)
    assert wire.use("query", "page", {"id": source})["object"]["metadata"]["freshness"]["is_current"] is False


@pytest.mark.parametrize("renewed_by", ["evidence", "user_declared", "human_curated"])
def test_a_stale_fact_is_renewed_by_new_evidence_or_by_somebodys_word(
    wire: Substrate, tmp_path: Path, renewed_by: str
) -> None:
    old, new = (ingest(wire, tmp_path / f"{name}.md", f"# {name}\n\nPort 8080.\n") for name in ("Old", "New"))
    payload = {"subject": "gateway", "predicate": "port", "value": 8080}
    said: dict[str, Any] = {"payload": payload, "memory_source": "agent_inferred"}
    id = know(wire, "Port", **said, evidence_refs=[{"source_id": old, "segment_id": "seg-1"}])["knowledge_id"]
    wire.use("maintain", "archive_source", {"source_id": old, "reason": "r"}, APPLY)
    told = wire.fail("memory_remember", args={"mode": "knowledge", "input_data": {
        "kind": "fact", "title": "Port", "summary": "Port.", **GOVERNED, **said,
    }})  # fmt: skip
    assert id in told
    assert "new evidence, or memory_source user_declared or human_curated, renews it" in told
    fresh = {"evidence_refs": [{"source_id": new, "segment_id": "seg-1"}]}
    again = know(wire, "Port again", **said | (fresh if renewed_by == "evidence" else {"memory_source": renewed_by}))
    status = "candidate" if renewed_by == "evidence" else "active"
    assert (again["knowledge_id"], again["status"]) == (id, status)
    page = wire.use("query", "page", {"id": id})["object"]
    vouched = "agent_inferred" if renewed_by == "evidence" else renewed_by
    assert (page["title"], page["status"], page["memory_source"]) == ("Port again", status, vouched)


# Conversations


def test_messages_keep_what_was_said_of_them_and_are_found_by_it(wire: Substrate) -> None:
    messages = [
        {
            "role": "user", "content": "It uses Kuzu.", "name": "Zuleika", "created_at": "2026-04-28T00:00:00+00:00",
            "metadata": {"channel": "backstage"},
        },
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "name": "Öz 北", "content": "Later.", "metadata": {"n": [1, {"deep": "quokka"}]}},
    ]  # fmt: skip
    given = {"title": "Talk", "messages": messages, "origin": {"host": "codex", "places": ["fathom-bay"]}}
    source = wire.use("ingest", "conversation", given)["source_id"]
    segments = wire.use("query", "page", {"id": source}, {"include_segments": True})["segments"]
    for segment, message in zip(segments, messages, strict=True):
        assert {name: segment.get(name) for name in message if name != "content"} == {
            name: value for name, value in message.items() if name != "content"
        }
        assert segment["excerpt"] == message["content"]
    for query in ("Zuleika", "Öz", "backstage", "quokka", "codex", "fathom-bay"):
        assert found(wire, query) == [source], query


# Search


def test_metadata_reasons_and_scopes_are_searched(wire: Substrate) -> None:
    know(wire, "Something else")
    expected = {
        "marmalade": know(wire, "A", reason="Because of the marmalade.")["object_id"],
        "larboard": know(wire, "B", scope_refs=["scope:larboard"])["object_id"],
        "quince": know(wire, "C", payload={"metadata": {"note": ["a quince"]}})["object_id"],
        "scope:larboard": "scope:larboard",
        "capstan": work(wire, "D", owner_refs=["capstan"]),
        "windlass": work(wire, "E", resolution="By the windlass."),
    }
    for query, id in expected.items():
        assert found(wire, query)[0] == id, query


def test_an_exact_id_or_path_stands_first(wire: Substrate, tmp_path: Path) -> None:
    sources = [ingest(wire, tmp_path / f"{name}.md", GUIDE.replace("8080", name)) for name in ("guide", "guide-two")]
    ids = [know(wire, f"guide.md and {number}", summary="It is about guide.md.")["object_id"] for number in range(4)]
    for path in (tmp_path / "guide.md", f"{tmp_path.name}/guide.md", "guide.md"):
        assert found(wire, str(path))[0] == sources[0], path
    assert found(wire, str(tmp_path / "guide-two.md"))[0] == sources[1]
    for id in ids:
        assert (found(wire, id)[0], found(wire, f"what does {id} say of guide.md?")[0]) == (id, id)


OPEN_WORK = (
    "list open work items", "unfinished tasks", "what is left to do", "What still needs to be done?", "todo", "待办项",
    "show me all open tasks", "outstanding work", "what remains to be done", "What’s left?", "what should I do next",
    "backlog", "action items", "which tasks are blocked or in progress?", "anything left to do?", "还有哪些任务",
)  # fmt: skip


@pytest.mark.parametrize("embedder", ["none", "bundled"])
def test_questions_for_open_work_find_it_whatever_else_holds_a_word(
    serve: Callable[..., SubstrateServer], embedder: str
) -> None:
    wire = serve(RECOLLECT_EMBEDDER=embedder)
    know(wire, "The list", summary="A list of items to do with the left wing, all of them unfinished, is open.")
    know(wire, "Work hours", summary="Open from nine; work items are counted monthly. The left wing is unfinished.")
    know(wire, "Old habits", summary="Tasks are tracked in a backlog, and what remains of them is to be done by June.")
    work(wire, "Old chores", status="done")
    wanted = {work(wire, "Caulk the seams"), work(wire, "Order rope", status="in_progress")}
    for query in OPEN_WORK:
        assert set(found(wire, query)[:2]) == wanted, query


@pytest.mark.parametrize(
    ("asked", "after"),
    [
        ("Which port does the gateway use?", ""),
        ("which port does the gateway use?", " Answer in one line. Be brief."),
        ("Why does v1.2 fail, e.g. at night?", " Thanks."),
        ("Who is Dr. Abara?", ""),
    ],
)
def test_a_prompt_in_one_paragraph_is_cut_at_its_sentences(wire: Substrate, asked: str, after: str) -> None:
    prompt = "You are a careful assistant. You follow the rules of the house. " * 8
    answer = wire.use("query", "search", {"query": f"{prompt}{asked}{after}"})
    assert (answer["query"], answer["query_sanitizer"]["method"]) == (asked, "question_sentence")


@pytest.mark.parametrize(
    "asked",
    ["Task: find the port of the gateway", "\n- **Task**: find the port of the gateway\n",
     "\n## Question\n\nfind the port of the gateway\n\n## Rules\n\nBe brief."],
)  # fmt: skip
def test_a_labelled_question_is_found_wherever_it_stands(wire: Substrate, asked: str) -> None:
    prompt = "You are a careful assistant. You follow the rules of the house. " * 8
    answer = wire.use("query", "search", {"query": f"{prompt}{asked}"})
    told = (answer["query"], answer["query_sanitizer"]["method"])
    assert told == ("find the port of the gateway", "labeled_line")


def test_a_context_shows_the_segment_that_matches_and_where_it_stands(wire: Substrate, tmp_path: Path) -> None:
    source = ingest(wire, tmp_path / "guide.md", GUIDE)
    pack = wire.use("query", "context", {"task": "how long are copies kept"})
    (item,) = [item for item in pack["items"] if item["id"] == source]
    (chunk,) = item["matched_chunks"]
    assert (chunk["segment_id"], "thirty days" in chunk["excerpt"]) == ("seg-2", True)
    assert chunk["locator"]["heading_path"] == ["Guide", "Backups"]
    for hint in pack["context_tiers"]["deep_search_hints"]:
        args = {name: hint[name] for name in ("mode", "input_data", "options")}
        assert wire.call(hint["tool"], args=args)["result_type"] == "expanded_context"


def test_each_stream_ranks_by_its_own_score_and_the_score_is_a_probability(serve: Callable[..., Any]) -> None:
    wire = serve()
    notes = (
        "Copies of the database are kept for a month.", "The cat sleeps.", "Backups are kept in Stockholm.",
        "Database passwords change every month.", "Old copies are thrown away.", "Invoices are kept for years.",
    )  # fmt: skip
    for number, note in enumerate(notes):
        know(wire, f"Note {number}", summary=note)
    for query in ("how long are database copies kept", "where do backups live", "what is thrown away"):
        items = wire.use("query", "search", {"query": query})["items"]
        assert items
        assert all(0 <= item["score"] <= 1 for item in items)
        for stream in ("lexical", "semantic"):
            held = sorted((item["retrieval_ranks"][stream], -item[f"{stream}_score"]) for item in items
                          if stream in item["retrieval_ranks"])  # fmt: skip
            assert [rank for rank, _ in held] == list(range(1, len(held) + 1))
            assert [score for _, score in held] == sorted(score for _, score in held)


def test_only_likely_answers_count_as_accessed(serve: Callable[..., Any], tmp_path: Path) -> None:
    wire = serve()
    likely = know(wire, "Gateway port", summary="The gateway listens on port 8080.")["object_id"]
    know(wire, "Cat", summary="The cat sleeps on the radiator near the gateway of the garden.")
    items = wire.use("query", "search", {"query": "which port does the gateway listen on?"})["items"]
    assert [item["id"] for item in items if item["score"] >= 0.5] == [likely]
    assert wire.close() == 0
    assert run_sql(tmp_path / "home", "SELECT id FROM accesses") == [(likely,)]


# Upkeep


def test_dangling_references_of_every_field_are_found_and_mended(wire: Substrate, tmp_path: Path) -> None:
    source = ingest(wire, tmp_path / "guide.md", GUIDE)
    gone, node = f"know:{'0' * 32}", f"node:{'0' * 32}"
    item = work(
        wire, "Haul", depends_on=[f"work:{'1' * 32}"], related_knowledge_refs=[gone], blocked_by=[f"work:{'2' * 32}"],
        parent_ref=f"work:{'3' * 32}", child_refs=["work:old"], source_refs=[source, f"src:{'0' * 32}"],
        related_node_refs=[node, "node:rope"], owner_refs=["ana", node],
    )  # fmt: skip
    given = {"kind": "research", "title": "S", "summary": "s", **GOVERNED, "produced_object_refs": [gone, item],
             "related_work_item_refs": [f"work:{'5' * 32}"]}  # fmt: skip
    wire.use("remember", "activity", given)
    know(wire, "Hoist", subject_refs=[node, "node:rope"], payload={"subject": node, "predicate": "p", "object": gone})
    issues = wire.use("maintain", "structure")["issues"]
    assert len(issues) == 13
    answer = wire.use("maintain", "repair", {}, APPLY)
    assert {one["field"] for one in answer["removed_references"]} == {
        "depends_on", "related_knowledge_refs", "blocked_by", "parent_ref", "child_refs", "source_refs",
        "related_node_refs", "produced_object_refs", "related_work_item_refs", "subject_refs", "owner_refs",
    }  # fmt: skip
    assert {one["field"] for one in issues} == {
        one["field"] for one in (*answer["removed_references"], *answer["unresolved_references"])
    }
    assert [one["field"] for one in answer["unresolved_references"]] == ["payload.subject", "payload.object"]
    page = wire.use("query", "page", {"id": item})["object"]
    assert (page["source_refs"], page["related_node_refs"], page["owner_refs"]) == ([source], ["node:rope"], ["ana"])
    assert wire.use("maintain", "repair", {}, APPLY)["status"] == "noop"


def test_repair_leaves_alone_what_other_trackers_and_people_are_called(wire: Substrate) -> None:
    named = {"depends_on": ["JIRA-12"], "blocked_by": ["the yard"], "child_refs": ["node:mast"], "owner_refs": ["ana"]}
    item = work(wire, "Haul", parent_ref="epic-1", **named)
    assert wire.use("maintain", "structure")["issues"] == []
    assert wire.use("maintain", "repair", {}, APPLY)["status"] == "noop"
    page = wire.use("query", "page", {"id": item})["object"]
    assert {name: page[name] for name in named} == named
    assert {"JIRA-12", "epic-1"} <= {node["id"] for node in wire.use("query", "graph", {"id": item})["nodes"]}


@pytest.mark.parametrize(("table", "index"), [("refs", "graph"), ("lexis", "lexical")])
def test_an_index_that_lost_something_says_so_until_it_is_made_anew(
    serve: Callable[..., Any], tmp_path: Path, table: str, index: str
) -> None:
    wire = serve(RECOLLECT_EMBEDDER="none")
    know(wire, "One")
    know(wire, "Two")
    before = wire.use("maintain", "report")
    assert before["derived_indexes"][index]["status"] == "current"
    assert wire.close() == 0
    run_sql(tmp_path / "home", f"DELETE FROM {table} WHERE version = (SELECT max(version) FROM records)")
    wire = serve(RECOLLECT_EMBEDDER="none")
    told = wire.use("maintain", "report")
    assert {name: told["derived_indexes"][index][name] for name in ("status", "records", "indexed", "missing")} == {
        "status": "incomplete", "records": 2, "indexed": 1, "missing": 1,
    }  # fmt: skip
    assert told["graph_health"]["missing_from_backend"] == {"knowledge": 1 if index == "graph" else 0}
    wire.use("maintain", "reindex")
    assert wire.use("maintain", "report")["derived_indexes"][index]["missing"] == 0


def test_a_page_names_the_opponents_of_a_contested_claim(wire: Substrate) -> None:
    claim = {"subject": "gateway", "predicate": "port"}
    ids = [know(wire, f"Port {port}", payload={**claim, "value": port})["knowledge_id"] for port in (1, 2, 3)]
    alone = know(wire, "Else", payload={**claim, "predicate": "host", "value": 1})["knowledge_id"]
    for id in ids:
        assert set(wire.use("query", "page", {"id": id})["object"]["conflicts_with"]) == set(ids) - {id}
    assert "conflicts_with" not in wire.use("query", "page", {"id": alone})["object"]


def test_a_change_that_the_audit_shows_can_be_undone_by_a_person(serve: Callable[..., Any], tmp_path: Path) -> None:
    wire = serve(RECOLLECT_EMBEDDER="none")
    policy = wire.ask("resources/read", uri="memory://policy")["contents"][0]["text"]
    assert "`recollect undo ENTRY`" in policy
    id = know(wire, "Deploys happen on Mondays")["object_id"]
    wire.use("remember", "contest", {"knowledge_id": id, "reason": "r"})
    entry = wire.use("maintain", "audit")["events"][0]["entry"]
    command = [sys.executable, "-m", "recollect.cli", "undo", str(entry), "--home", str(tmp_path / "home")]
    assert subprocess.run(command, capture_output=True).returncode == 0
    assert wire.use("query", "page", {"id": id})["object"]["status"] == "candidate"


# Input


@pytest.mark.parametrize(
    ("field", "value", "place"),
    [
        ("priority", "banana", "args.input_data.priority"),
        ("priority", 5, "args.input_data.priority"),
        ("related_node_refs", ["a\0"], "args.input_data.related_node_refs.0"),
        ("owner_refs", ["x" * 100_000], "args.input_data"),
        ("title", "a\0", "args.input_data.title"),
    ],
)
def test_what_is_wrong_with_a_work_item_is_told_once_and_where_it_stands(
    wire: Substrate, field: str, value: Any, place: str
) -> None:
    given = {"kind": "task", "title": "T", "summary": "s", **GOVERNED, field: value}
    alone = wire.fail("memory_remember", args={"mode": "work_item", "input_data": given})
    assert alone.splitlines()[1] == place
    entries = [{"mode": "work_item", "input_data": given}]
    batch = wire.fail("memory_remember", args={"mode": "batch", "input_data": {"entries": entries}})
    assert batch.splitlines()[1] == place.replace("args.input_data", "args.input_data.entries.0.input_data", 1)
    assert wire.use("query", "recent")["items"] == []


def test_names_are_compared_exactly(wire: Substrate) -> None:
    ids = [know(wire, f"About {name}", payload={"subject": name, "predicate": "p", "value": name})["knowledge_id"]
           for name in ("node:parse", "node:Parse", "node: parse")]  # fmt: skip
    for id, name in zip(ids, ("node:parse", "node:Parse", "node: parse"), strict=True):
        nodes = wire.use("query", "graph", {"id": name})["nodes"]
        assert {node["id"] for node in nodes} & set(ids) == {id}
        assert wire.use("query", "page", {"id": id})["object"]["status"] == "candidate"
    upper = ids[0].upper().replace("KNOW", "know")
    assert "Object not found" in wire.fail("memory_query", args={"mode": "page", "input_data": {"id": upper}})


# Evidence from pages and repositories

PAGE = """<html><head><title>Gateway ops</title></head><body><nav><a href="/">Home</a></nav><h1>Gateway</h1>
<p>Use <code>drain</code> first.</p><h2>Restart</h2><pre><code>systemctl restart gateway
  journalctl -u gateway</code></pre><table><tr><th>env</th><th>port</th></tr><tr><td>prod</td><td>8080</td></tr></table>
<ol><li>drain</li><li>restart</li></ol><footer>Imprint</footer></body></html>"""


def test_a_short_page_keeps_headings_code_tables_and_lists(wire: Substrate, tmp_path: Path) -> None:
    source = ingest(wire, tmp_path / "ops.html", PAGE, "file")
    page = wire.use("query", "page", {"id": source}, {"include_segments": True, "snippet_chars": 1_000})
    text = "\n\n".join(segment["excerpt"] for segment in page["segments"])
    assert text == (
        "# Gateway\n\nUse `drain` first.\n\n## Restart\n\n```\nsystemctl restart gateway\n  journalctl -u gateway\n```"
        "\n\n| env | port |\n|---|---|\n| prod | 8080 |\n\n1. drain\n2. restart"
    )
    assert page["segments"][1]["locator"]["heading_path"] == ["Gateway", "Restart"]
    adapter = page["object"]["metadata"]["adapter"]
    assert (adapter["name"], "page_to_markdown" in adapter["declared_transformations"]) == ("html", True)


def test_a_repository_says_what_its_map_leaves_out(wire: Substrate, tmp_path: Path) -> None:
    root = tmp_path / "repo"
    for folder in ("docs", "node_modules/x", "data"):
        (root / folder).mkdir(parents=True)
    files = {"a.py": "x = 1\n", "logo.png": "\0", "secret.log": "s", ".gitignore": "*.log\n", "data/x.csv": "1,2\n"}
    for name, text in (files | {f"docs/{n}.md": f"# Page {n}\n\nText.\n" for n in range(305)}).items():
        (root / name).write_text(text, "utf-8")
    answer = wire.use("ingest", "repo", {"path": str(root), "exclude_patterns": ["data"]})
    assert answer["left_out"] == {
        "generated_folders": 1, "excluded_by_pattern": 1, "ignored_by_git": 1, "neither_code_nor_markdown": 2,
        "documents_beyond_cap": 5,
    }  # fmt: skip
    assert answer["warnings"] == ["The map is full and leaves out 5 documents; name folders by include_patterns."]
    assert (
        wire.use("ingest", "repo", {"path": str(root), "exclude_patterns": ["data"]})["left_out"] == answer["left_out"]
    )


MARKDOWN = """# Deck Plans

[![build](https://x.y/b.svg)](https://x.y) See [the guide](guide.md), `deck`). It is a [`plan`](p.md) of "the deck".

## Watch Rota

The Watch Rota (`rota`) is kept by the mate. It is a `Watch Rota`; see ``code ` here`` and:

```python
Fancy Name = "Fancy Name" + `Fancy Name`
```

It Is A And Of The. It Is A And Of The. | `a` | `b`). And (`c` |

## Standing Orders

- **Standing Orders** hold for every Watch Rota. <b>Bold Words</b> <b>Bold Words</b>
"""


def test_concept_candidates_are_headings_and_terms_and_no_fragments(wire: Substrate, tmp_path: Path) -> None:
    (tmp_path / "plans.md").write_text(MARKDOWN, "utf-8")
    answer = wire.use("ingest", "markdown", {"path": str(tmp_path / "plans.md")})
    titles = [one["title"] for one in answer["memory_suggestions"]["concept_candidates"]]
    assert titles[0] == "Watch Rota"
    assert set(titles) <= {"Watch Rota", "Standing Orders", "Bold Words"}
    readme = wire.use("ingest", "markdown", {"path": str(Path(__file__).parents[3] / "README.md")})
    for one in readme["memory_suggestions"]["concept_candidates"]:
        assert not set('[](){}$"`|*') & set(one["title"]), one["title"]


LICENCE = """# Terms

THE SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS". See `tests/test_a.py::test_b`.

## Watch Rota

`yard install -g`, `GET /api/ropes`, `models/hull.onnx`. The Watch Rota binds all COPYRIGHT HOLDERS AND CONTRIBUTORS.

## Miscellaneous Chores

`yard install -g`, `GET /api/ropes`, `models/hull.onnx`, `tests/test_a.py::test_b`, the Miscellaneous Chores.
"""


def test_commands_paths_licences_and_headings_of_changelogs_are_no_concepts(wire: Substrate, tmp_path: Path) -> None:
    (tmp_path / "terms.md").write_text(LICENCE, "utf-8")
    answer = wire.use("ingest", "markdown", {"path": str(tmp_path / "terms.md")})
    told = answer["memory_suggestions"]
    assert [one["title"] for one in told["concept_candidates"]] == ["Watch Rota"]
    skipped = {one["title"]: one["reason"] for one in told["candidate_diagnostics"]["skipped"]}
    assert skipped["COPYRIGHT HOLDERS AND CONTRIBUTORS"] == "document_artifact"
    assert skipped["yard install -g"] == skipped["GET /api/ropes"] == "format_marker"


def test_patterns_that_fit_nothing_leave_the_map_as_it_was(wire: Substrate, tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo/a.md").write_text("# Anchors\n\nThere are two.\n", "utf-8")
    given = {"path": str(tmp_path / "repo")}
    source = wire.use("ingest", "repo", given)["source_id"]
    args = {"mode": "repo", "input_data": {**given, "include_patterns": ["*.rst"]}}
    assert wire.fail("memory_ingest", args=args).splitlines()[1:] == [
        "args.input_data.include_patterns", "  fits no code and no Markdown of this folder; nothing was stored",
    ]  # fmt: skip
    assert found(wire, "anchors") == [source]


def test_a_batch_a_pack_and_a_graph_point_at_nothing_that_was_left_out(wire: Substrate) -> None:
    made = {"reason": "r", "memory_source": "user_declared", "scope_refs": ["scope:yard"], "kind": "decision"}
    entries = [
        {"mode": "knowledge", "input_data": {**made, "title": f"Rope {n}", "summary": f"Rope {n} is hemp. " * 20}}
        for n in range(120)
    ]
    batch = wire.use("remember", "batch", {"entries": entries})
    assert (batch["created"], len(set(batch["object_ids"])), "note" in batch) == (120, 120, False)
    assert [one["object_id"] for one in batch["results"]] == batch["object_ids"][: -batch["results_omitted"]]
    pack = wire.use("query", "context", {"task": "which rope is hemp?"}, {"max_items": 100})
    shown = [item["id"] for item in pack["items"]]
    assert (pack["context_budget"]["returned_items"], pack["decisions"]["ids"]) == (len(shown), shown)
    assert pack["warnings"] == [f"{100 - len(shown)} more objects bear on it; ask for less at once."]
    graph = wire.use("query", "graph", {"id": "scope:yard"}, {"max_items": 100})
    nodes = {node["id"] for node in graph["nodes"]}
    assert ("note" in graph, 20 < len(nodes) < 100, len(graph["edges"])) == (False, True, len(nodes) - 1)


def test_what_was_written_is_there_for_another_process_and_after_a_restart(serve: Callable[..., Any]) -> None:
    first, second = (serve(RECOLLECT_EMBEDDER="none") for _ in range(2))
    text = "Schiffe fahren 船 \U0001f6a2 " + "лодка " * 1_500
    id = know(first, "Ship 船", summary=text, payload={"subject": "node:船", "predicate": "p", "value": "\U0001f6a2"})[
        "object_id"
    ]
    for wire in (second, serve(RECOLLECT_EMBEDDER="none")):
        page = wire.use("query", "page", {"id": id}, {"detail": "full"})["object"]
        assert (page["summary"], page["payload"]["value"]) == (text, "\U0001f6a2")
        assert id in [node["id"] for node in wire.use("query", "graph", {"id": "node:船"})["nodes"]]
