"""Are long answers sent once, and do they say what was left out of them?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from tests.pgserver import store_of

import recollect
from recollect import Memory, Settings
from recollect.contracts.fit import MOST_BYTES, fit
from recollect.contracts.registry import CONTRACTS
from recollect.contracts.tool import Annotations, Tool
from recollect.engine.graph.link import connect
from recollect.serve.catalog import render_answer
from recollect.serve.message import encode

Crowd = Callable[[int], Memory]
WORDS = "The harbour master keeps a ledger of every ship in the tower. "
BIG = {f"key{number}": ["value " * 20] * 10 for number in range(40)}
ASKED: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "memory-mcp": [
        ("search_text", {"query": "harbour ledger", "limit": 50}),
        ("recall", {"query": "harbour ledger", "limit": 50}),
        ("recall", {"query": "harbour ledger", "limit": 50, "include_code": True}),
        ("get_valid", {"limit": 100}),
        ("get_valid_at", {"timestamp": "2199-01-01T00:00:00Z", "limit": 100}),
        ("get_related", {"entity_id": "hub", "depth": 3, "direction": "both"}),
        ("search_code", {"query": "harbour crane", "limit": 50}),
    ],
    "rusty-mem": [
        ("search", {"query_text": "harbour ledger", "limit": 50, "collection": "s", "score_threshold": 0.0}),
        ("get-collections", {}),
    ],
    "agentos": [
        ("memory_recall", {"query": "harbour ledger", "agentId": "s", "limit": 50}),
        ("memory_kg_query", {"agentId": "s", "entityId": "hub", "depth": 2}),
        ("memory_session_list", {"agentId": "s"}),
    ],
    "trusty-memory": [
        ("memory_list", {"palace": "s", "limit": 500}),
        ("memory_recall", {"palace": "s", "query": "harbour ledger", "top_k": 500}),
        ("memory_recall_deep", {"palace": "s", "query": "harbour ledger", "top_k": 500}),
        ("kg_query", {"palace": "s", "subject": "hub"}),
        ("palace_list", {}),
    ],
}


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crowd]:
    """Makes memories with entries of some length, one of each: nobody changes them."""
    with ExitStack() as stack:

        @cache
        def make(repeated: int) -> Memory:
            home = tmp_path_factory.mktemp("crowd")
            memory = recollect.open(settings=Settings(home=home, store=store_of(home), embedder="none"))
            fill(stack.enter_context(memory))
            memory.remember_many([{"text": f"Entry {number}: {WORDS * repeated}"} for number in range(60)], space="s")
            return memory

        yield make


def fill(memory: Memory) -> None:
    """A space with hundreds of everything that tools list, and hundreds of spaces."""
    memory.remember_many(
        [
            {"text": f"Note {number}", "project": f"p{number} {'q' * 100}", "session": f"{number} {'s' * 150}"}
            for number in range(300)
        ],
        space="s",
    )
    memory.remember_many(
        [{"text": f"Tag {number}", "tags": [f"{number} {'t' * 90}"]} for number in range(300)], space="s"
    )
    memory.remember_many([{"text": f"Meta {number}", "metadata": BIG} for number in range(20)], space="s")
    code = [
        {"text": f"def harbour_crane_{n}():\n    return '{WORDS * 15}'", "kind": "code", "project": f"c{n} {'p' * 90}"}
        for n in range(300)
    ]
    memory.remember_many(code, space="s")
    targets = [(f"thing {number} {'k' * 60}", f"relates {number}") for number in range(400)]
    connect(memory.core, "hub", space="s", properties={"about": WORDS * 40}, relations=targets)
    for number in range(160):
        memory.create_space(f"space-{number:03}-{'n' * 180}")


def copy(value: Any) -> Any:
    """With nothing in it twice, as it is when it was read."""
    return msgspec.json.decode(msgspec.json.encode(value))


def sizes(value: Any) -> int:
    return len(msgspec.json.encode(value))


def test_the_longest_texts_are_cut_at_one_length_and_short_ones_stay() -> None:
    texts = ["short", WORDS * 10, WORDS * 300, "ünï\n" * 20_000]
    fitted, note = fit({"results": [{"id": n, "content": text} for n, text in enumerate(texts)]})
    shown = [each["content"] for each in fitted["results"]]
    assert (shown[:2], sizes(fitted) <= MOST_BYTES) == (texts[:2], True)
    assert shown[2].startswith(WORDS)
    assert shown[2].endswith(f" of {len(texts[2]):,} characters]")
    assert shown[3].endswith(f" of {len(texts[3]):,} characters]")
    assert fitted["note"] == note == "Cut to stay below 25 KB: long texts (2), each marked where it ends."


@pytest.mark.parametrize("long", [[25_000], [26_000], [900_000], [900_000, 40_000, 30_000], [13_000] * 9])
def test_cutting_long_texts_is_enough_where_the_rest_is_short(long: list[int]) -> None:
    texts = ["short", *("y" * size for size in long), "short too"]
    fitted, note = fit({"results": [{"content": text} for text in texts]})
    assert (len(fitted["results"]), sizes(fitted) <= MOST_BYTES) == (len(texts), True)
    assert note == f"Cut to stay below 25 KB: long texts ({len(long)}), each marked where it ends."


def test_a_list_of_many_short_things_ends_earlier_and_says_so() -> None:
    many = [{"id": f"id{n}", "content": WORDS} for n in range(1_000)]
    fitted, note = fit({"results": list(many), "count": 1_000, "note": "Mind this."})
    left = len(fitted["results"])
    assert fitted["results"] == many[:left]
    assert fitted["note"] == f"Mind this. {note}"
    assert note == f"Cut to stay below 25 KB: the last {1_000 - left} of 1,000 entries of `results`."
    assert MOST_BYTES * 0.9 < sizes(fitted) <= MOST_BYTES


def test_of_several_long_lists_each_ends_earlier() -> None:
    value = {"entities": [{"id": n} for n in range(4_000)], "relations": [{"from": n, "to": 0} for n in range(4_000)]}
    fitted, note = fit({**value, "entity_count": 4_000})
    shown = [len(fitted[name]) for name in value]
    assert (min(shown) > 500, MOST_BYTES * 0.9 < sizes(fitted) <= MOST_BYTES) == (True, True)
    assert note == (
        f"Cut to stay below 25 KB: the last {4_000 - shown[0]:,} of 4,000 entries of `entities`;"
        f" the last {4_000 - shown[1]:,} of 4,000 entries of `relations`."
    )


def test_a_page_keeps_every_entry_and_says_how_long_it_is() -> None:
    fitted, note = fit({"memories": [{"content": WORDS * 50, "metadata": copy(BIG)} for _ in range(100)]}, paged=True)
    assert (len(fitted["memories"]), note is None) == (100, False)
    kb = sizes({**fitted, "note": ""}) // 1000
    assert note == (
        "Cut: long texts (100), each marked where it ends; the end of `metadata` in 100 entries."
        f" Every entry of the page is here, {kb} KB in all."
    )
    assert MOST_BYTES < sizes(fitted) < 100 * 700
    assert fit({"memories": [WORDS] * 1_000}, paged=True) == ({"memories": [WORDS] * 1_000}, None)


def test_what_entries_hold_ends_earlier_before_entries_are_left_out() -> None:
    hub = {"id": "hub", "relations": [{"target": f"t{n}", "type": "r"} for n in range(900)]}
    others = [{"id": f"t{n}", "relations": [{"target": "hub", "type": "inverse:r"}]} for n in range(150)]
    fitted, note = fit([hub, *others])
    assert fitted[0]["relations"] == hub["relations"][: len(fitted[0]["relations"])]
    assert (len(fitted), [one["id"] for one in fitted[1:]]) == (151, [one["id"] for one in others])
    assert fitted[-1]["note"] == note == "Cut to stay below 25 KB: the end of `relations`."
    assert sizes(fitted) <= MOST_BYTES


def test_a_note_counts_what_is_shown_and_names_few_things() -> None:
    fitted, note = fit({"results": [{"content": WORDS * 20, "metadata": copy(BIG)} for _ in range(500)]})
    left = len(fitted["results"])
    assert note == (
        f"Cut to stay below 25 KB: long texts ({left}), each marked where it ends; the end of `metadata` in {left}"
        f" entries; the last {500 - left} of 500 entries of `results`."
    )
    assert sizes(fitted) <= MOST_BYTES
    many, told = fit({f"list{n}": [WORDS] * 40 for n in range(60)})
    assert (told or "").endswith("; and of 57 more.")
    assert sizes(many) <= MOST_BYTES


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=40) | st.text(max_size=20).map(lambda text: text * 200),
    lambda inner: st.lists(inner, max_size=60) | st.dictionaries(st.sampled_from("abcdefgh"), inner, max_size=8),
    max_leaves=60,
)


@settings(max_examples=20)
@given(st.dictionaries(st.sampled_from(["results", "entities", "metadata", "x"]), st.lists(JSON, max_size=30)))
def test_whatever_an_answer_holds_it_fits_and_says_so(answer: dict[str, Any]) -> None:
    grown = {key: entries * 40 for key, entries in answer.items()}
    fitted, note = fit(copy(grown))
    assert sizes(fitted) <= MOST_BYTES
    assert (note is None) is (sizes(grown) <= MOST_BYTES - 400)
    assert (fitted == grown) is (note is None)


@pytest.mark.parametrize("contract", ASKED)
@pytest.mark.parametrize("repeated", [20, 500])
def test_no_contract_answers_at_more_than_25_kb_or_sends_a_long_answer_twice(
    contract: str, repeated: int, crowd: Crowd, connect: Callable[..., Any]
) -> None:
    table = connect(CONTRACTS[contract].make(crowd(repeated), "s"))
    for tool, arguments in ASKED[contract]:
        result = table.ask("tools/call", name=tool, arguments=arguments)
        written = "".join(part["text"] for part in result["content"])
        assert len(written.encode()) <= MOST_BYTES, tool
        assert "Cut to stay below 25 KB" in written, tool
        assert "structuredContent" not in result, tool


@pytest.mark.parametrize("uri", ["mcp://projects", "mcp://default/tags"])
def test_a_document_that_is_a_long_list_ends_earlier_and_says_so(
    uri: str, crowd: Crowd, connect: Callable[..., Any]
) -> None:
    table = connect(CONTRACTS["rusty-mem"].make(crowd(20), "s"))
    [document] = table.ask("resources/read", uri=uri)["contents"]
    assert len(document["text"].encode()) <= MOST_BYTES
    assert json.loads(document["text"])["note"].startswith("Cut to stay below 25 KB: the last ")


def test_an_error_that_names_what_there_is_stays_short(crowd: Crowd, connect: Callable[..., Any]) -> None:
    table = connect(CONTRACTS["memory-mcp"].make(crowd(20), "s"))
    told = table.fail("search_code", query="a", project_id="nope")
    assert told.startswith("project_id: there is no project 'nope'; there are: ")
    assert told.endswith(" and 290 more")
    assert len(told) < 2_000


class Found(Struct):
    notes: list[str]


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("count", [2, 200])
def test_a_long_answer_is_structured_where_its_form_is_declared_and_else_text(declared: bool, count: int) -> None:
    value = Found([WORDS] * count)
    tool = Tool("notes", "", Found, lambda *_: value, Annotations(), returns=Found if declared else None)
    result = json.loads(encode(render_answer(value, tool, True, any_value=False)))
    text, written = result["content"][0]["text"], msgspec.to_builtins(value)
    assert ("structuredContent" in result) is (declared or count == 2)
    assert result.get("structuredContent", written) == written
    brief = f"{sizes(value):,} bytes, in structuredContent"
    assert text == (brief if declared and count > 2 else msgspec.json.encode(value).decode())
