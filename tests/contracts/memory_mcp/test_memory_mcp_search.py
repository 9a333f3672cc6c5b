"""Three searches, and what weights, graph and z-scores make of them."""

from __future__ import annotations

import pytest

from recollect.types import Filter

NOTES = [f"Note {number} about gardening and the weather of that day." for number in range(12)]


def only(**weights: float) -> dict[str, float]:
    return {"vector_weight": 0, "bm25_weight": 0, "ppr_weight": 0, **weights}


def test_search_goes_by_meaning_alone(semantic_table) -> None:
    table = semantic_table
    [cat, _] = table.store("The cat sleeps on the radiator.", "Invoices are paid in thirty days.")
    found = table.call("search", query="Where does the kitten nap?")
    assert next(hit["id"] for hit in found["results"]) == cat
    assert [hit["score"] for hit in found["results"]] == sorted(
        (hit["score"] for hit in found["results"]), reverse=True
    )
    assert found["count"] == 2


def test_search_text_goes_by_words_and_loads_no_model(semantic_table) -> None:
    table = semantic_table
    [_, bill] = table.store("The cat sleeps on the radiator.", "Invoices are paid in thirty days.")
    assert table.ids("search_text", query="invoices to be paid") == [bill]
    assert table.ids("search_text", query="kitten") == []
    assert table.memory.semantics.state().state == "idle"


def test_recall_echoes_what_each_signal_says(semantic_table) -> None:
    table = semantic_table
    [ana, *_] = table.store("Ana leads the Atlas project.", *NOTES)
    best = table.call("recall", query="Who leads the Atlas project?")["results"][0]
    [by_vector] = table.call("search", query="Who leads the Atlas project?", limit=1)["results"]
    [by_words] = table.call("search_text", query="Who leads the Atlas project?", limit=1)["results"]
    assert best["id"] == ana == by_vector["id"] == by_words["id"]
    assert (best["vector_score"], best["bm25_score"]) == (by_vector["score"], by_words["score"])
    assert best["ppr_score"] > 0
    assert (best["file_path"], best["start_line"], best["end_line"]) == (None, None, None)


def test_a_weight_of_zero_switches_its_signal_off(semantic_table) -> None:
    table = semantic_table
    [cat, _, bill] = table.store(
        "The cat sleeps on the radiator.", "Tea is at five.", "The word kitten stands on an invoice for steel."
    )
    asked = {"query": "Where does the kitten nap?"}
    assert table.ids("recall", **asked, **only(bm25_weight=1)) == [bill]
    [first, *_] = table.call("recall", **asked, **only(vector_weight=1))["results"]
    assert (first["id"], first["bm25_score"], first["ppr_score"]) == (cat, 0, 0)
    assert table.call("recall", **asked, **only(vector_weight=1))["subgraph_nodes"] == 0
    assert table.ids("recall", **asked, **only()) == []


def test_weights_decide_the_order(semantic_table) -> None:
    table = semantic_table
    [cat, words] = table.store(
        "The cat sleeps on the radiator.", "Nap, kitten: two words that the dictionary explains."
    )
    asked = {"query": "Where does the kitten nap?"}
    by_words = table.ids("recall", **asked, vector_weight=0.1, bm25_weight=0.9, ppr_weight=0)
    assert by_words[0] == words
    assert set(by_words) == {cat, words}


def test_the_graph_finds_what_neither_words_nor_vectors_would(semantic_table) -> None:
    table = semantic_table
    [_, far, *_] = table.store("Ana leads the Atlas project.", "The pumps in Cellar Nine fail every spring.", *NOTES)
    atlas, borealis, cellar = (
        table.call("create_entity", name=name)["id"] for name in ("Atlas", "Borealis", "Cellar Nine")
    )
    table.call("create_relation", from_entity=atlas, to_entity=borealis, relation_type="depends_on")
    table.call("create_relation", from_entity=borealis, to_entity=cellar, relation_type="hosted_in")
    asked = {"query": "Who leads the project?"}
    assert far not in table.ids("recall", **asked, ppr_weight=0)
    found = table.call("recall", **asked)
    [hit] = [hit for hit in found["results"] if hit["id"] == far]
    assert (hit["bm25_score"], hit["ppr_score"] > 0) == (0, True)
    assert found["subgraph_nodes"] >= 5  # two memories and the three entities between them


def test_graph_weight_alone_starts_at_the_words(table) -> None:
    [ana, far] = table.store("Ana leads the Atlas project.", "In spring the Atlas team was late, and Atlas too.")
    found = table.call("recall", query="who leads?", **only(ppr_weight=1))
    assert [hit["id"] for hit in found["results"]] == [ana, far]
    assert [hit["bm25_score"] for hit in found["results"]] == [0, 0]


def test_what_was_superseded_leads_to_its_successor(table) -> None:
    [old, middle, new] = table.store("The office is in Porto.", "It is in Faro.", "Everyone works from home.")
    table.call("invalidate", id=old, superseded_by=middle)
    table.call("invalidate", id=middle, superseded_by=new)
    assert table.ids("search_text", query="Where is the office?") == []
    found = table.call("recall", query="Where is the office?")
    assert [(hit["id"], hit["bm25_score"]) for hit in found["results"]] == [(new, 0)]
    assert found["subgraph_nodes"] >= 3


@pytest.mark.parametrize("tool", ["search", "search_text", "recall"])
def test_searches_see_only_what_is_valid_now(semantic_table, tool: str) -> None:
    table = semantic_table
    [gone, held] = table.store("The office is in Porto.", "The office is closed on Mondays.")
    table.call("invalidate", id=gone)
    assert table.ids(tool, query="Where is the office?") == [held]


def test_memories_and_code_are_merged_by_z_scores(semantic_table) -> None:
    table = semantic_table
    remember = table.memory.remember
    for at in range(4):
        locator = {"path": f"gate{at}.py", "start_line": at + 1, "end_line": at + 5, "language": "python"}
        text = f"def open_gate_{at}(token): return token" if at else "def check_token_signature(token): verify(token)"
        remember(text, kind="code", project="gate", tags=["python"], locator=locator)
    table.store("Token signatures are checked at the gate.", *NOTES)
    asked = {"query": "How is the signature of a token checked?", "include_code": True}
    found = table.call("recall", **asked)
    first = {hit["source"]: hit for hit in reversed(found["results"])}
    assert {hit["source"] for hit in found["results"][:2]} == {"memory", "code"}
    assert first["code"]["file_path"] == "gate0.py"
    assert (first["code"]["start_line"], first["code"]["end_line"]) == (1, 5)
    assert min(hit["score"] for hit in found["results"]) < 0 < found["results"][0]["score"]  # around a mean of 0
    assert (found["memories_count"] + found["code_count"], found["code_count"] > 0) == (len(found["results"]), True)
    code_alone = table.call("recall", **asked, include_memories=False)
    assert (code_alone["memories_count"], min(hit["score"] for hit in code_alone["results"]) > 0) == (0, True)
    assert table.ids("recall", **asked, include_memories=False, project_id="gate")
    assert table.ids("recall", query="token", project_id="other", language="Latin") == table.ids(
        "recall", query="token"
    )
    told = table.fail("recall", **asked, include_memories=False, project_id="other")
    assert told == "project_id: there is no project 'other'; there are: gate"
    assert table.ids("recall", **asked, include_memories=False, language="rust") == []
    assert table.ids("recall", **asked, include_memories=False, language="python", project_id="gate") != []
    assert table.call("recall", query="token", include_memories=False)["results"] == []


def test_recall_goes_on_without_a_model_and_search_says_that_there_is_none(table) -> None:
    [id] = table.store("Tea is at five.")
    assert table.ids("recall", query="tea") == [id]
    assert table.fail("search", query="tea") == "Embedding service not ready. Please try again."
    assert table.call("get_status")["embedding"]["status"] == "error"


@pytest.mark.parametrize(
    ("text", "question"),
    [("ჩაი ხუთ საათზეა", "როდის არის ჩაი"), ("Թեյը ժամը հինգին է", "Թեյը երբ է"), ("ᏗᎦᏟᏍᏗ ᎠᎹ ᎢᎦ", "ᎠᎹ ᎢᎦ")],
)
def test_a_question_in_a_script_that_the_model_cannot_read_goes_by_words(semantic_table, text, question) -> None:
    wanted, _ = semantic_table.store(text, "The harbour is closed.")
    hits = semantic_table.call("search", query=question)["results"]
    assert [hit["id"] for hit in hits] == [wanted]
    assert 0 < hits[0]["score"] <= 1


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Берлин столица Германии.", "столица Германии"),
        ("Берлин столица Германии.", "Что за столица у Германии?"),
        ("ჩაი ხუთ საათზეა Atlas", "When is tea with Atlas?"),
        ("Թեյը ժամը հինգին է, K-411", "what does K-411 say?"),
    ],
)
def test_a_memory_that_the_model_cannot_read_is_found_by_words_beside_those_it_can(
    semantic_table, text, question
) -> None:
    wanted, *others = semantic_table.store(text, "The harbour is closed.", "Мы храним ключи за дверью, так удобно.")
    hits = semantic_table.call("search", query=question)["results"]
    assert hits[0]["id"] == wanted
    assert {hit["id"] for hit in hits} == {wanted, *others}
    assert 0 < hits[0]["score"] <= 1


def test_functions_that_are_nearly_alike_are_all_found(semantic_table) -> None:
    table = semantic_table
    body = "    ledger = open_ledger('harbour')\n    return ledger.rows_of(name)\n"
    for name in ("ship", "crew", "cargo", "berth"):
        text = f"def rows_of_{name}(name):\n{body}"
        table.memory.remember(text, kind="code", project="port", tags=["python"])
    found = table.call("search_code", query="rows of the harbour ledger")
    assert sorted(hit["content"].split("(")[0] for hit in found["results"]) == [
        "def rows_of_berth", "def rows_of_cargo", "def rows_of_crew", "def rows_of_ship",
    ]  # fmt: skip
    assert all(0 <= hit["score"] <= 1 for hit in found["results"])


def test_a_search_for_memories_does_not_wait_for_the_vectors_of_code(semantic_table) -> None:
    table = semantic_table
    ids = table.store("The relay broke.", "Lunch is at noon.")
    for number in range(40):  # newer than the memories: they would come first
        table.memory.remember(f"def part_{number}(): return {number}", kind="code", project="mill", tags=["python"])
    before = table.memory.semantics.behind(Filter(spaces=("default",), kinds=("code",))).waiting
    assert table.ids("search", query="the relay has a fault")[0] == ids[0]
    assert table.ids("recall", query="the relay has a fault")[0] == ids[0]
    assert (before, table.memory.semantics.behind(Filter(spaces=("default",), kinds=("code",))).waiting) == (40, 40)
    assert table.memory.semantics.behind(Filter(spaces=("default",))).waiting == 40


def test_an_empty_space_is_searched_in_vain(semantic_table) -> None:
    for tool in ("search", "search_text", "recall"):
        assert semantic_table.ids(tool, query="anything at all") == []
    assert semantic_table.call("recall", query="anything")["subgraph_nodes"] == 0
