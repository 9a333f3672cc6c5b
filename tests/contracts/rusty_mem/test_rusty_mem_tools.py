"""What the six tools do."""

from __future__ import annotations

import json
import re

import pytest
from tests.conftest import Clock
from tests.contracts.rusty_mem.conftest import Collections

from recollect.embed.count import token_counter
from recollect.engine.read.by_signal import search_vectors

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
GATEWAY = "The gateway validates tokens with RS256."
NO_TIMESTAMP = "must be an RFC3339 timestamp like 2025-01-31T09:30:00Z, not"
EVER = {"start": "2000-01-01T00:00:00Z", "end": "2100-01-01T00:00:00+02:00"}


def document(count: int) -> str:
    return "\n\n".join(f"Chapter {n} is about machine {n}. " + f"It has part {n} and more. " * 30 for n in range(count))


def test_a_search_answers_with_every_documented_field(semantic_table: Collections) -> None:
    table = semantic_table
    table.call("push", text=GATEWAY, tags=["auth"], source_uri="notes.md", project_id="api", memory_type="procedural")
    table.call("push", text="The cafeteria has soup on Mondays.", project_id="api")
    answer = table.call("search", query_text="how are tokens validated?", project_id="api", limit=1)
    (hit,) = answer["results"]
    assert UUID.fullmatch(hit.pop("id"))
    assert 0.25 <= hit.pop("score") <= 1
    assert re.fullmatch(r"2026-05-10T12:00:0\d\.\d+Z", hit.pop("timestamp"))
    assert hit == {
        "text": GATEWAY, "project_id": "api", "memory_type": "procedural", "tags": ["auth"],
        "source_uri": "notes.md",
    }  # fmt: skip
    context = answer.pop("context")
    assert re.search(rf"^- \[{UUID.pattern}\] \(.* · agent inferred, notes\.md\) {GATEWAY}$", context, re.MULTILINE)
    del answer["results"]
    assert answer == {
        "collection": "rusty-mem", "limit": 1, "score_threshold": 0.25, "scoreThreshold": 0.25,
        "used_filters": {"project_id": "api", "collection": "rusty-mem", "limit": 1, "score_threshold": 0.25},
    }  # fmt: skip


def test_the_context_cites_every_result_by_its_id(table: Collections) -> None:
    for number in range(4):
        table.call("push", text=f"Machine {number} needs oil.")
    answer = table.call("search", query_text="machine oil", score_threshold=0)
    assert len(answer["results"]) == 4
    for result in answer["results"]:
        assert re.search(rf"^- \[{result['id']}\] \(.*\) {result['text']}$", answer["context"], re.MULTILINE)


def test_a_search_that_finds_nothing_has_no_context(table: Collections) -> None:
    answer = table.call("search", query_text="anything at all")
    assert answer["results"] == []
    assert "context" not in answer


def test_other_names_of_arguments_are_understood(table: Collections) -> None:
    table.call("push", text=GATEWAY, project="api", type="episodic")
    answer = table.call("search", query_text="gateway tokens", project="api", type="Episodic", k=3, tags=None)
    assert [result["text"] for result in answer["results"]] == [GATEWAY]
    assert answer["used_filters"] == {
        "project_id": "api", "memory_type": "episodic", "collection": "rusty-mem", "limit": 3, "score_threshold": 0.25,
    }  # fmt: skip
    both = table.call("search", query_text="x", k=3, limit=7, project="other", project_id="api")
    assert (both["limit"], both["used_filters"]["project_id"]) == (7, "api")


def test_tags_filter_by_any_and_a_single_one_may_stand_alone(table: Collections) -> None:
    table.call("push", text="Tea is hot.", tags=["a", " b "])
    table.call("push", text="Tea is cold.", tags="c")
    assert table.found("tea", tags=["b", "x"]) == ["Tea is hot."]
    assert table.found("tea", tags="c") == ["Tea is cold."]
    assert table.found("tea", tags=["a", "c"]) == ["Tea is cold.", "Tea is hot."]
    used = table.call("search", query_text="tea", tags=" c ")["used_filters"]
    assert used["tags"] == ["c"]


def test_an_empty_list_of_tags_says_nothing_wherever_it_stands(table: Collections) -> None:
    happened = {"memory_type": "episodic", "tags": ["a"]}
    table.call("push", text="Tea is hot.", **happened)
    assert table.call("push", text="Tea is hot.", memory_type="episodic", tags=[])["skippedDuplicates"] == 1
    assert table.found("tea", tags=["a"]) == table.found("tea", tags=[]) == table.found("tea") == ["Tea is hot."]
    assert "tags" not in table.call("search", query_text="tea", tags=[])["used_filters"]
    assert len(table.call("summarize", time_range=EVER, tags=[])["source_memory_ids"]) == 1


def test_times_filter_by_either_bound_or_both(table: Collections, clock: Clock) -> None:
    table.call("push", text="Tea on the first day.")
    clock.advance(days=2)
    table.call("push", text="Tea on the third day.")
    both = ["Tea on the first day.", "Tea on the third day."]
    assert table.found("tea", time_range={"start": "2026-05-11T00:00:00Z"}) == both[1:]
    assert table.found("tea", time_range={"end": "2026-05-11T00:00:00-07:00"}) == both[:1]
    assert table.found("tea", time_range={"start": "2026-05-10T00:00:00Z", "end": "2026-05-13T00:00:00Z"}) == both
    echoed = table.call("search", query_text="tea", time_range={"end": "2026-05-11T00:00:00-07:00"})["used_filters"]
    assert echoed["time_range"] == {"end": "2026-05-11T00:00:00-07:00"}


def test_projects_and_collections_are_apart(table: Collections) -> None:
    table.call("push", text="Tea in api.", project_id=" api ")
    table.call("push", text="Tea at home.", project_id="")
    table.call("push", text="Tea elsewhere.", collection="other")
    assert table.found("tea") == ["Tea at home."]
    assert table.found("tea", project_id="api") == ["Tea in api."]
    assert table.found("tea", collection="other") == ["Tea elsewhere."]
    assert table.call("get-collections") == {"collections": ["other", "rusty-mem"]}


def test_a_score_threshold_leaves_weak_matches_out(semantic_table: Collections) -> None:
    soup = "The cafeteria has soup on Mondays."
    semantic_table.call("push", text=soup)
    assert semantic_table.call("search", query_text="token validation in the gateway")["results"] == []
    question = "when is there soup?"
    assert [hit["text"] for hit in semantic_table.call("search", query_text=question)["results"]] == [soup]
    assert semantic_table.call("search", query_text=question, score_threshold=1.0)["results"] == []


NOTES = (
    "the mail relay was down from 9 to 11 because its certificate had expired",
    "lunch is served at noon in the canteen",
    "the printer on floor three needs toner", "Sofia took over the payroll from Marek in March",
    "the office dog is afraid of thunder", "backups are copied to the vault in Zurich every night",
)  # fmt: skip
ASKED = (
    "why was email unavailable?", "when can I eat?", "what is out of ink?", "who pays the salaries now?",
    "which animal does not like storms?", "where are copies of our data kept?",
)  # fmt: skip


def test_a_general_question_is_answered_by_a_brief_that_no_threshold_shortens(table: Collections) -> None:
    table.call("push", text="TODO: paint the fence.")
    table.call("push", text="Always lock the shed.")
    found = table.call("search", query_text="what do you know about this project?", score_threshold=0.9)
    assert [result["text"] for result in found["results"]] == ["Always lock the shed.", "TODO: paint the fence."]
    assert {round(result["score"], 2) for result in found["results"]} == {0.5}


def test_questions_in_other_words_are_answered_at_the_default_threshold(semantic_table: Collections) -> None:
    for note in NOTES:
        semantic_table.call("push", text=note)
    found = [semantic_table.call("search", query_text=question)["results"] for question in ASKED]
    first = [results[0]["text"] if results else None for results in found]
    assert sum(text == note for text, note in zip(first, NOTES, strict=True)) >= 5
    scores = [[result["score"] for result in results] for results in found]
    assert all(some == sorted(some, reverse=True) for some in scores)
    assert min(score for some in scores for score in some) >= 0.25
    few = [semantic_table.call("search", query_text=question, score_threshold=0.99)["results"] for question in ASKED]
    assert sum(map(len, few)) < sum(map(len, found))


def test_no_memory_whose_cosine_reaches_the_threshold_is_left_out(semantic_table: Collections) -> None:
    for note in NOTES:
        semantic_table.call("push", text=note)
    for question in ASKED:
        near = search_vectors(semantic_table.memory, question, space="rusty-mem", limit=5)
        shown = semantic_table.call("search", query_text=question, limit=50)["results"]
        scores = {result["id"]: result["score"] for result in shown}
        assert all(scores[hit.record.id] >= round(hit.score, 4) for hit in near if hit.score >= 0.25)


def test_of_a_long_answer_the_texts_are_cut_and_the_context_is_whole(table: Collections) -> None:
    table.call("push", text=document(60))
    asked = {"query_text": "machine part", "limit": 50, "score_threshold": 0.0}
    result = table.ask("tools/call", name="search", arguments=asked)
    answer = json.loads(result["content"][0]["text"])
    assert len(result["content"][0]["text"].encode()) <= 25_000
    assert answer["note"].startswith("Cut to stay below 25 KB: long texts (")
    assert (answer["context"].startswith("<recollect>"), answer["context"].endswith("</recollect>")) == (True, True)
    assert set(re.findall(r"\[([-0-9a-f]{36})\]$", answer["context"], re.M)) <= {hit["id"] for hit in answer["results"]}


def test_chunks_that_are_nearly_alike_are_all_answered(table: Collections) -> None:
    for word in ("red", "green", "blue"):
        table.call("push", text=f"The quick brown fox jumps over the lazy dog near the {word} river bank today.")
    assert len(table.call("search", query_text="quick brown fox")["results"]) == 3


def test_a_document_is_cut_by_tokens_and_nothing_of_it_is_lost(table: Collections) -> None:
    text = document(40)
    answer = table.call("push", text=text)
    count = answer["chunksIndexed"]
    assert answer == {
        "status": "ok", "collection": "rusty-mem", "chunksIndexed": count, "chunkSize": 512, "inserted": count,
        "updated": 0, "skippedDuplicates": 0,
    }  # fmt: skip
    chunks = [record.text for record in table.memory.list(space="rusty-mem", order="oldest", limit=500)]
    sizes = [token_counter()(chunk) for chunk in chunks]
    assert len(chunks) == count > 10
    assert 256 <= min(sizes) <= max(sizes) <= answer["chunkSize"]
    assert "".join("".join(chunks).split()) == "".join(text.split())


def test_the_same_chunk_is_not_stored_twice_in_a_project(table: Collections) -> None:
    text = document(10)
    count = table.call("push", text=text, tags=["a"])["inserted"]
    again = table.call("push", text=text, tags=["a"])
    assert (again["inserted"], again["updated"], again["skippedDuplicates"]) == (0, 0, count)
    silent = table.call("push", text=text)  # nothing is said of tags, so nothing changes
    assert (silent["updated"], silent["skippedDuplicates"]) == (0, count)
    tagged = table.call("push", text=text, tags=["b"])
    assert (tagged["updated"], tagged["skippedDuplicates"]) == (count, 0)
    sourced = table.call("push", text=text, source_uri="book.md")
    assert (sourced["updated"], sourced["chunksIndexed"]) == (count, count)
    assert table.call("push", text=text, project_id="other")["inserted"] == count
    record = table.memory.list(space="rusty-mem", project="default", limit=1)[0]
    assert (record.tags, record.source) == (("b",), "book.md")


def test_a_chunk_that_stands_twice_in_one_document_is_stored_once(table: Collections) -> None:
    part = " ".join(f"Sentence number {n} comes again." for n in range(50))
    answer = table.call("push", text=f"{part}\n\n{part}\n\n{part}")
    assert (answer["chunksIndexed"], answer["inserted"], answer["skippedDuplicates"]) == (3, 1, 2)
    assert table.memory.count(space="rusty-mem") == 1


def test_a_summary_consolidates_what_happened(table: Collections, clock: Clock) -> None:
    for text in ("Jon added 200 GB to billing.", "Mira was hired in Berlin."):
        table.call("push", text=text, memory_type="episodic", tags=["log"])
        clock.advance(days=1)
    table.call("push", text="Not an event.", tags=["log"])
    bounds = {"start": "2026-05-10T00:00:00Z", "end": "2026-05-12T00:00:00Z"}
    answer = table.call("summarize", time_range=bounds, tags="log")
    ids = [record.id for record in table.memory.list(space="rusty-mem", order="oldest", memory_types=["episodic"])]
    assert answer.pop("upserted_memory_id") == table.call("summarize", time_range=bounds)["upserted_memory_id"]
    assert answer == {
        "summary": "2026-05-10: Jon added 200 GB to billing.\n2026-05-11: Mira was hired in Berlin.",
        "source_memory_ids": ids, "strategy": "extractive",
        "used_filters": {
            "project_id": "default", "memory_type": "episodic", "tags": ["log"], "time_range": bounds,
            "collection": "rusty-mem", "limit": 50, "max_words": 250, "strategy": "auto",
        },
    }  # fmt: skip


def test_a_summary_is_semantic_keeps_its_sources_and_is_found(table: Collections) -> None:
    table.call("push", text="Jon added 200 GB to billing.", memory_type="episodic")
    made = table.call("summarize", time_range=EVER, max_words=20)
    (found,) = table.call("search", query_text="billing", memory_type="semantic", score_threshold=0)["results"]
    assert (found["id"], found["text"]) == (made["upserted_memory_id"], made["summary"])
    assert "source_uri" not in found
    record = table.memory.get(found["id"])
    assert record is not None
    assert record.metadata["source_memory_ids"] == made["source_memory_ids"]
    assert len(made["summary"].split()) <= 20


def test_more_memories_than_the_limit_of_the_server_are_capped(table: Collections) -> None:
    for number in range(60):
        table.call("push", text=f"On day {number} the gate was opened.", memory_type="episodic")
    for asked, used in ((100, 50), (10**9, 50), (None, 50), (7, 7)):
        answer = table.call("summarize", time_range=EVER, limit=asked)
        assert (answer["used_filters"]["limit"], len(answer["source_memory_ids"])) == (used, used)


def test_a_model_that_nobody_asks_is_told_in_a_note(table: Collections) -> None:
    table.call("push", text="Jon added 200 GB to billing.", memory_type="episodic")
    told = {
        (): "auto: gemma was not used, since no provider is named or configured",
        (("strategy", "extractive"),): "extractive asks no model: gemma was not used",
        (("provider", "none"),): "auto: gemma was not used, since no provider is named or configured",
    }
    for given, note in told.items():
        answer = table.call("summarize", time_range=EVER, model="gemma", **dict(given))
        assert (answer["note"], answer["strategy"], "model" in answer) == (note, "extractive", False)
    assert "note" not in table.call("summarize", time_range=EVER)


def test_summaries_of_one_scope_replace_each_other(table: Collections) -> None:
    made: list[str] = []
    for number in range(4):
        table.call("push", text=f"Release {number} went out.", memory_type="episodic", tags=["ops"])
        made.append(table.call("summarize", time_range=EVER, max_words=100 + number)["upserted_memory_id"])
    assert len(set(made)) == 1
    found = table.call("search", query_text="release", score_threshold=0.0, limit=50)["results"]
    assert (len(found), [hit["id"] for hit in found].count(made[0])) == (5, 1)


def test_a_summary_needs_memories(table: Collections) -> None:
    code, message = table.fail("summarize", time_range=EVER)
    assert code == -32602
    assert "no memories" in message


def test_abstractive_without_a_provider_says_how_to_configure_one(table: Collections) -> None:
    table.call("push", text="Jon added 200 GB.", memory_type="episodic")
    code, message = table.fail("summarize", time_range=EVER, strategy="abstractive")
    assert code == -32602
    assert message.startswith("`strategy` abstractive needs a language model: set RECOLLECT_SUMMARIZER to ollama")
    _, message = table.fail("summarize", time_range=EVER, strategy="abstractive", provider="ollama")
    assert "RECOLLECT_SUMMARIZER_MODEL" in message
    assert table.fail("summarize", time_range=EVER, strategy="abstractive", provider="none")[0] == -32602


def test_a_collection_is_made_once_and_only_with_the_embedders_dimension(semantic_table: Collections) -> None:
    table = semantic_table
    for _ in range(2):
        assert table.call("new-collection", name=" notes ") == {"status": "ok", "vectorSize": 384}
    assert table.call("new-collection", name="notes", vector_size=384.0) == {"status": "ok", "vectorSize": 384}
    assert table.call("get-collections") == {"collections": ["notes"]}
    assert table.fail("new-collection", name="more", vector_size=768) == (
        -32602, "`vector_size` must be 384, as the embedder gives; not 768",
    )  # fmt: skip
    assert table.call("get-collections") == {"collections": ["notes"]}


def test_metrics_count_documents_and_chunks(table: Collections) -> None:
    assert table.call("metrics") == {"documentsIndexed": 0, "chunksIndexed": 0, "lastChunkSize": None}
    count = table.call("push", text=document(10))["chunksIndexed"]
    table.call("push", text="Short.", collection="other")
    assert table.call("metrics") == {"documentsIndexed": 2, "chunksIndexed": count + 1, "lastChunkSize": 512}


WRONG: list[tuple[str, dict[str, object], str]] = [
    ("search", {}, "`query_text` is required"),
    ("search", {"query_text": "  "}, "`query_text` must not be empty"),
    ("search", {"query_text": 5}, "`query_text` must be a string, not 5"),
    ("search", {"query_text": "x", "limit": 0}, "`limit` must be between 1 and 50"),
    ("search", {"query_text": "x", "limit": 51}, "`limit` must be between 1 and 50"),
    ("search", {"query_text": "x", "k": -1}, "`limit` must be between 1 and 50"),
    ("search", {"query_text": "x", "limit": "5"}, "`limit` must be an integer, not '5'"),
    ("search", {"query_text": "x", "limit": True}, "`limit` must be an integer, not True"),
    ("search", {"query_text": "x", "limit": 2.5}, "`limit` must be an integer, not 2.5"),
    ("search", {"query_text": "x", "score_threshold": 1.5}, "`score_threshold` must be between 0.0 and 1.0"),
    ("search", {"query_text": "x", "score_threshold": "high"}, "`score_threshold` must be a number, not 'high'"),
    (
        "search",
        {"query_text": "x", "memory_type": "vague"},
        "`memory_type` must be one of episodic|semantic|procedural",
    ),
    ("search", {"query_text": "x", "type": ""}, "`memory_type` must be one of episodic|semantic|procedural"),
    ("search", {"query_text": "x", "tags": ["a", " "]}, "`tags` must be an array of non-empty strings"),
    ("search", {"query_text": "x", "tags": ""}, "`tags` must be an array of non-empty strings"),
    ("search", {"query_text": "x", "tags": {"a": 1}}, "`tags` must be an array of non-empty strings"),
    ("search", {"query_text": "x", "tags": [5]}, "`tags` must be an array of non-empty strings"),
    ("search", {"query_text": "x", "time_range": {}}, "`time_range` must have `start`, `end` or both"),
    ("search", {"query_text": "x", "time_range": "today"}, "`time_range` must be an object"),
    *(
        ("search", {"query_text": "x", "time_range": {"start": text}}, f"`time_range.start` {NO_TIMESTAMP} {text!r}")
        for text in ("today", "last week", "whenever", "2025-01-31", "2025-01-31T09:30:00", "2025", "")
    ),
    ("summarize", {"time_range": {**EVER, "end": "tomorrow"}}, f"`time_range.end` {NO_TIMESTAMP} 'tomorrow'"),
    (
        "search",
        {"query_text": "x", "time_range": {"end": "2025-02-30T00:00:00Z"}},
        "`time_range.end` is not a real time",
    ),
    ("search", {"query_text": "x", "time_range": {"end": 5}}, "`time_range.end` must be an RFC3339 timestamp"),
    ("search", {"query_text": "x", "time_range": {"from": "x"}}, "`time_range.from` is not known"),
    (
        "search",
        {"query_text": "x", "time_range": {"start": "2026-02-01T00:00:00Z", "end": "2026-01-01T00:00:00Z"}},
        "`time_range.start` must not be later than `time_range.end`",
    ),
    ("search", {"query_text": "x", "collection": "nowhere"}, "`collection` does not exist: 'nowhere'"),
    ("search", {"query_text": "x", "collection": "n" * 300}, "`collection` must have 1 to 200 characters"),
    ("search", {"query_text": "x", "bogus": 1}, "`bogus` is not an argument here"),
    ("search", {"query_text": "x", "query": "x"}, "`query` is not an argument here"),
    ("push", {}, "`text` is required"),
    ("push", {"text": " \n"}, "`text` must not be empty"),
    ("push", {"text": "a\0b"}, "`text` contains a NUL character"),
    ("push", {"text": "<recollect>again</recollect>"}, "`text` this text was made by recall"),
    ("push", {"text": "x", "memory_type": "vague"}, "`memory_type` must be one of"),
    ("push", {"text": "x", "tags": ["t" * 300]}, "`tags[0]` must have 1 to 200 characters"),
    ("push", {"text": "x", "source_uri": "u" * 2000}, "`source_uri` must have 1 to 1000 characters"),
    ("push", {"text": "x", "project_id": "p" * 2000}, "`project_id` must have 1 to 1000 characters"),
    ("push", {"text": "x", "limit": 5}, "`limit` is not an argument here"),
    ("summarize", {}, "`time_range` is required"),
    ("summarize", {"time_range": {"start": "2026-01-01T00:00:00Z"}}, "`time_range` must have both `start` and `end`"),
    ("summarize", {"time_range": EVER, "limit": 0}, "`limit` must be greater than 0"),
    ("summarize", {"time_range": EVER, "max_words": 0}, "`max_words` must be greater than 0"),
    ("summarize", {"time_range": EVER, "strategy": "best"}, "`strategy` must be one of auto|abstractive|extractive"),
    ("summarize", {"time_range": EVER, "provider": "openai"}, "`provider` must be one of ollama|none"),
    ("summarize", {"time_range": EVER, "collection": "nowhere"}, "`collection` does not exist"),
    ("new-collection", {}, "`name` is required"),
    ("new-collection", {"name": "n", "vector_size": 0}, "`vector_size` must be greater than 0"),
    ("new-collection", {"name": "n" * 300}, "`name` must have 1 to 200 characters"),
    ("metrics", {"verbose": True}, "`verbose` is not an argument here"),
    ("get-collections", {"x": 1}, "`x` is not an argument here"),
]


@pytest.mark.parametrize(("tool", "arguments", "message"), WRONG)
def test_a_wrong_argument_is_named_in_backticks(
    table: Collections, tool: str, arguments: dict[str, object], message: str
) -> None:
    code, told = table.fail(tool, **arguments)
    assert code == -32602
    assert told.startswith(message)
    assert table.memory.count(space=None) == 0


def test_null_is_the_same_as_nothing(table: Collections) -> None:
    names = ("project_id", "memory_type", "tags", "time_range", "limit", "score_threshold", "collection")
    assert table.call("search", query_text="x", **dict.fromkeys(names)) == table.call("search", query_text="x")
    assert table.call("push", text="Tea.", **dict.fromkeys(names[:3]), source_uri=None)["inserted"] == 1
