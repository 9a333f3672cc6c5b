"""What memory_query search finds, by which streams, and how it says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

GOVERNED = {"reason": "r", "memory_source": "user_declared", "scope_refs": ["scope:project"]}
PROMPT = "You are a careful assistant. " * 20
GUIDE = """# Operations

The gateway listens on port 8080.

## Backups

Copies of the database are taken every night and kept for thirty days.

## 备份

数据库每天凌晨两点备份，保留三十天。
"""


def ids(items: list[Any]) -> list[str]:
    return [item["id"] for item in items]


LONG_QUESTIONS = {
    "one word": "x" * 200_000,
    "one word that asks": "x" * 200_000 + "?",
    "a label and much space": f"task: a{' ' * 200_000}b",
    "labels without end": "question " * 30_000,
    "labels that ask": "question: why " * 20_000 + "?",
    "marks alone": "?!." * 60_000,
    "lines without end": "\n" * 200_000 + "why is the tower closed?",
    "short sentences": "It is so. " * 20_000,
}


@pytest.mark.parametrize("text", LONG_QUESTIONS.values(), ids=LONG_QUESTIONS)
@pytest.mark.parametrize("mode", ["search", "context"])
def test_a_question_of_any_length_is_answered(table: Any, mode: str, text: str) -> None:
    told = table.query(mode, {"query" if mode == "search" else "task": text})["query_sanitizer"]
    assert told["original_length"] == len(text)
    assert told["clean_length"] <= 400


@pytest.mark.parametrize(
    ("text", "clean", "method"),
    [
        ("  Which   port? ", "Which port?", "passthrough"),
        (f"{PROMPT}\nTask: old words\nuser question: Which port?\n{PROMPT[:50]}", "Which port?", "labeled_line"),
        (f"{PROMPT}\n用户问题：哪个端口\n", "哪个端口", "labeled_line"),
        (f"{PROMPT} Is it on? Which port is it? {PROMPT}", "Which port is it?", "question_sentence"),
        (f"{PROMPT}端口是哪个？{PROMPT}", None, "question_sentence"),
        (PROMPT + "gateway port", None, "tail_truncation"),
        ("x" * 1_000, "x" * 400, "tail_truncation"),
    ],
)
def test_a_prompt_in_place_of_a_question_is_sanitized(table: Any, text: str, clean: str | None, method: str) -> None:
    answer = table.use("query", "search", {"query": text})
    told = answer["query_sanitizer"]
    assert (told["method"], told["original_length"]) == (method, len(text))
    assert told["clean_length"] == len(answer["query"]) <= 400
    assert clean is None or answer["query"] == clean
    assert told["was_sanitized"] is (method != "passthrough")
    assert len(answer["warnings"]) == told["was_sanitized"]
    context = table.use("query", "context", {"task": text})
    assert (context["task"], context["query_sanitizer"]) == (answer["query"], told)


def test_a_search_says_how_it_was_made(table: Any) -> None:
    table.know("Gateway port", "The gateway listens on 8080.")
    answer = table.use("query", "search", {"query": "gateway port"}, {"filters": {"object_type": "knowledge"}})
    assert (answer["result_type"], answer["query"]) == ("search_results", "gateway port")
    assert answer["normalized_terms"] == ["gateway port", "gateway", "port"]
    assert answer["applied_filters"] == {"object_types": ["knowledge"]}
    assert (answer["inferred_filters"], answer["suggested_retry_terms"], answer["warnings"]) == ({}, [], [])
    assert answer["semantic_backend"] is None
    (item,) = answer["items"]
    assert {"id", "object_type", "kind", "title", "summary", "status", "score"} <= set(item)
    assert (item["retrieval_sources"], item["retrieval_ranks"]) == (["lexical"], {"lexical": 1})
    assert item["matched_terms"] == ["gateway port", "gateway", "port"]


def test_ranks_are_fused_by_their_reciprocals(semantic_table: Any) -> None:
    for number in range(12):
        semantic_table.know(f"Service {number}", f"Service {number} stores backups of its database for {number} days.")
    semantic_table.know("Retention", "Old copies of data are thrown away after a month.")
    answer = semantic_table.use("query", "search", {"query": "how long are database backups kept"}, {"max_items": 20})
    assert answer["semantic_backend"].startswith("recollect:")
    scores = [item["rank_score"] for item in answer["items"]]
    assert scores == sorted(scores, reverse=True)
    for item in answer["items"]:
        assert set(item["retrieval_sources"]) == set(item["retrieval_ranks"]) <= {"lexical", "semantic", "graph"}
        fused = sum(1 / (60 + rank) for rank in item["retrieval_ranks"].values())
        assert item["rank_score"] == pytest.approx(fused, abs=1e-6)
        assert 0 <= item["score"] <= 1
    for stream in ("lexical", "semantic"):
        ranked = [item for item in answer["items"] if stream in item["retrieval_ranks"]]
        ranked.sort(key=lambda item: item["retrieval_ranks"][stream])
        assert [item["retrieval_ranks"][stream] for item in ranked] == list(range(1, len(ranked) + 1))
        own = [item[f"{stream}_score"] for item in ranked]
        assert own == sorted(own, reverse=True)


def test_the_score_of_a_source_is_that_of_its_likeliest_segment(semantic_table: Any, tmp_path: Path) -> None:
    said = {
        "how long are database copies kept?": "## Backups\n\nCopies of the database are kept for thirty days.",
        "which port does the gateway listen on?": "## Ports\n\nThe gateway listens on port 8080.",
        "on which day do we deploy?": "## Deploys\n\nWe deploy on Mondays, never after noon.",
        "who knows about billing?": "## People\n\nAna answers questions about billing.",
    }
    source = semantic_table.ingest(tmp_path / "guide.md", "\n\n".join(["# Guide", *said.values()]))
    semantic_table.know("Lunch", "We eat soup on Fridays.")
    memory = semantic_table.contract.memory
    memory.embed_waiting()
    for question, section in said.items():
        item = semantic_table.search(question)[0]
        (best, *_) = memory.recall(question, space=semantic_table.space, limit=5, fold=False).hits
        assert (item["id"], best.record.text) == (source, section)
        assert item["score"] == pytest.approx(best.score, abs=0.02)


def test_other_words_of_the_same_meaning_are_found_by_the_semantic_stream(semantic_table: Any) -> None:
    wanted = semantic_table.know("Nap", "The cat sleeps on the warm radiator.")
    semantic_table.know("Invoices", "Invoices are paid within thirty days.")
    found = semantic_table.search("Where does the kitten like to rest?")
    assert ids(found) == [wanted]
    assert found[0]["retrieval_sources"] == ["semantic"]
    assert 0.2 < found[0]["semantic_score"] < 1


def test_a_question_about_nothing_that_is_stored_finds_nothing(semantic_table: Any) -> None:
    semantic_table.know("Invoices", "Invoices are paid within thirty days.")
    answer = semantic_table.use("query", "search", {"query": "zebra migration in Africa"})
    assert answer["items"] == []
    assert answer["suggested_retry_terms"] == ["zebra", "migration", "africa"]
    assert semantic_table.search("   ") == []


def test_a_source_is_found_by_its_segments_which_are_shown(semantic_table: Any, tmp_path: Path) -> None:
    source = semantic_table.ingest(tmp_path / "ops.md", GUIDE)
    (found,) = semantic_table.search("For how long do we keep nightly copies?")
    assert (found["id"], found["object_type"], found["kind"]) == (source, "source", "markdown")
    chunk = found["matched_chunks"][0]
    segments = semantic_table.query("page", {"id": source}, {"include_segments": True})["segments"]
    held = {segment["segment_id"]: segment for segment in segments}[chunk["segment_id"]]
    assert (chunk["hash"], chunk["locator"]) == (held["hash"], held["locator"])
    assert "thirty days" in chunk["excerpt"]
    assert chunk["distance"] == pytest.approx(1 - chunk["semantic_score"], abs=1e-3)
    assert semantic_table.memory.get(chunk["chunk_id"]) is not None


def test_a_source_with_very_many_matches_hides_no_other_object(table: Any, tmp_path: Path) -> None:
    said = [{"role": "user", "content": f"Message {number} is about quokkas."} for number in range(700)]
    talk = table.use("ingest", "conversation", {"title": "Talk", "messages": said})["source_id"]
    told = "# Zoo\n\nOf many animals and, in passing, of quokkas it is told here, as of all others that live there.\n"
    pages = [table.ingest(tmp_path / f"{number}.md", told) for number in range(3)]
    known = table.know("Quokkas", "Somebody saw them.")
    assert set(ids(table.search("about quokkas"))) == {talk, *pages, known}


def test_a_source_far_down_in_folders_is_read_like_any_other(table: Any, tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["a-folder-with-a-long-name" * 4] * 4)
    deep.mkdir(parents=True)
    source = table.ingest(deep / "ops.md", GUIDE)
    assert ids(table.search("gateway port", filters={"source_id": source})) == [source]
    assert len(table.query("page", {"id": source}, {"include_segments": True})["segments"]) == 3
    assert len(table.query("expand", {"id": source})["source_segments"]) == 3


def test_scripts_without_spaces_are_searched_by_pairs(table: Any, tmp_path: Path) -> None:
    source = table.ingest(tmp_path / "ops.md", GUIDE)
    known = table.know("备份策略", "数据库备份保留三十天。")
    table.know("网关", "网关监听端口八千零八十。")
    answer = table.use("query", "search", {"query": "数据库备份"})
    assert ids(answer["items"]) == [known, source]
    assert answer["normalized_terms"] == ["数据库备份", "数据", "据库", "库备", "备份"]
    assert "备份" in answer["items"][1]["matched_terms"]


def test_what_answers_goes_before_a_repository_that_more_leads_to(semantic_table: Any, tmp_path: Path) -> None:
    root = tmp_path / "walrus"
    root.mkdir()
    told = "# Demo repo\n\nThis repo is a demo of things.\n\n## Use\n\nUse it well, in any language.\n"
    (root / "README.md").write_text(told, "utf-8")
    (root / "guide.md").write_text("# Guide\n\nHow to use the repo.\n", "utf-8")
    source = semantic_table.use("ingest", "repo", {"path": str(root)})["source_id"]
    known = semantic_table.know("Repo uses Python", "Primary language is Python.")
    found = semantic_table.search("what language does the repo use?")
    assert ids(found)[:2] == [known, source]
    for item in (*found, *semantic_table.search("walrus")):
        assert not {"lexical", "graph"} <= set(item["retrieval_ranks"])
        fused = sum(1 / (60 + rank) for rank in item["retrieval_ranks"].values())
        assert item["rank_score"] == pytest.approx(fused, abs=1e-6)


def test_a_phrase_in_a_title_goes_before_one_below_it(table: Any) -> None:
    below = table.know("Notes of the week", "Somebody mentioned the release checklist in passing, among other things.")
    titled = table.know("Release checklist", "Tag, build, publish and announce, in this order.")
    for number in range(5):
        table.know(f"Release {number}", f"Release {number} has no checklist of its own.")
    found = table.search("release checklist")
    assert ids(found)[:2] == [titled, below]
    assert found[0]["lexical_score"] > found[1]["lexical_score"]


def test_words_for_open_work_widen_the_search_and_hide_nothing(table: Any) -> None:
    task = {"kind": "task", "title": "Review the gateway", "summary": "Look at its timeouts.", **GOVERNED}
    work = table.use("remember", "work_item", task)["object_id"]
    done = table.use("remember", "work_item", {**task, "title": "Old", "status": "done"})["object_id"]
    told = table.know("How we use the todo list", "Every todo has an owner.")
    for query in ("待办项", "todo"):
        answer = table.use("query", "search", {"query": query})
        assert answer["inferred_filters"]["object_types"] == ["work_item"]
        assert answer["applied_filters"] == {}
        assert {"task", "work_item", "todo"} <= set(answer["normalized_terms"])
        assert work in ids(answer["items"])
        assert done not in ids(answer["items"])
    assert ids(table.search("todo"))[0] == told
    assert ids(table.search("todo owner"))[0] == told


def test_each_filter_leaves_what_it_names(table: Any, tmp_path: Path) -> None:
    source = table.ingest(tmp_path / "ops.md", GUIDE)
    node = table.memory.entity("Gateway", type="service", id=f"node:{'c' * 32}").id
    resting = table.know(
        "Gateway port", "The gateway port is 8080.", kind="decision", status="active", subject_refs=[node],
        evidence_refs=[{"source_id": source, "segment_id": "seg-1"}],
    )  # fmt: skip
    plain = table.know("Gateway owner", "Ana looks after the gateway.")
    task = {"kind": "chore", "title": "Restart the gateway", "summary": "On Friday.", **GOVERNED}
    work = table.use("remember", "work_item", task)["object_id"]
    assert set(ids(table.search("gateway"))) == {source, node, resting, plain, work}
    expected: list[tuple[dict[str, Any], set[str]]] = [
        ({"object_type": "source"}, {source}),
        ({"object_types": ["node", "work_item"]}, {node, work}),
        ({"object_type": "knowledge"}, {resting, plain}),
        ({"kind": "decision"}, {resting}),
        ({"kinds": ["chore", "markdown", "service"]}, {work, source, node}),
        ({"status": "open"}, {work}),
        ({"statuses": ["candidate"]}, {plain}),
        ({"source_id": source}, {source, resting}),
        ({"node_id": node, "object_types": ["knowledge"]}, {resting, plain}),
        ({"node_ids": [node], "source_ids": [source]}, {source, resting}),
        ({"node_id": f"node:{'d' * 32}"}, set()),
    ]
    for filters, wanted in expected:
        assert set(ids(table.search("gateway", filters=filters))) == wanted, filters


def test_filters_that_name_nothing_that_exists_are_errors(table: Any) -> None:
    told = table.refuse("query", "search", {"query": "x"}, {"filters": {"object_types": ["source", "drawer"]}})
    assert "args.options.filters.object_types.1\n  Input should be one of source, node" in told
    told = table.refuse("query", "context", {"task": "x", "scope": {"status": "fresh"}})
    assert "args.input_data.scope.status\n  Input should be one of active, candidate" in told
    told = table.refuse("query", "recent", {}, {"filters": {"kind": "fact", "kinds": ["fact", "a\0"]}})
    assert "args.options.filters.kinds.1\n  contains a NUL character" in told


def test_a_question_that_cannot_be_searched_for_is_an_error_at_its_place(table: Any) -> None:
    assert "args.input_data.query\n  contains a NUL" in table.refuse("query", "search", {"query": "a\0b"})
    assert "args.input_data.task\n  contains a NUL" in table.refuse("query", "context", {"task": "a\0b"})


def test_superseded_and_archived_objects_are_found_only_by_status(table: Any, tmp_path: Path) -> None:
    old, new = table.know("Deploys on Mondays"), table.know("Deploys on Tuesdays")
    table.use("remember", "supersede", {"old_knowledge_id": old, "new_knowledge_id": new, "reason": "r"})
    source = table.ingest(tmp_path / "ops.md", "# Deploys\n\nDeploys are slow.\n")
    table.use("maintain", "archive_source", {"source_id": source, "reason": "r"}, {"apply": True})
    assert ids(table.search("deploys")) == [new]
    assert ids(table.search("deploys", filters={"status": "superseded"})) == [old]
    assert ids(table.search("deploys", filters={"status": "archived"})) == [source]


def test_an_id_in_the_question_finds_its_object(table: Any) -> None:
    id = table.know("Gateway port", "The gateway listens on 8080.")
    other = table.know("Gateway owner", "Ana looks after the gateway.")
    assert ids(table.search(id)) == [id]
    assert ids(table.search(f"what does {other} say of the gateway"))[0] == other


def test_claims_are_found_by_what_they_say(table: Any) -> None:
    payload = {"subject": "the gateway", "predicate": "primary_language", "value": "fortran"}
    id = table.know("Observation", "Seen while reading.", payload=payload)
    assert ids(table.search("fortran")) == [id]
    assert ids(table.search("primary language of it")) == [id]


def test_nodes_are_found_by_a_part_of_their_name(table: Any) -> None:
    node = table.memory.entity("Payment Gateway", description="Takes cards.").id
    table.memory.entity("Warehouse")
    (found,) = table.search("gateway")
    assert (found["id"], found["object_type"], found["title"]) == (node, "node", "Payment Gateway")
    known = table.know("Cards", "We use the gateway of the north wing for cards.")
    assert ids(table.search("which gateway do we use for cards")) == [known]
    assert ids(table.search("who runs the payment gateway"))[0] == node


def test_records_that_relations_lead_to_are_found_by_the_graph_stream(table: Any) -> None:
    table.memory.entity("Gateway")
    table.memory.entity("Ana Silva")
    table.memory.relate("Gateway", "maintained_by", "Ana Silva")
    id = table.know("On call", "Ana Silva is on call this week.")
    found = {item["id"]: item for item in table.search("Gateway")}
    assert "graph" in found[id]["retrieval_sources"]
