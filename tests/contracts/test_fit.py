"""Are long answers sent once, and do they say what was left out of them?"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from recollect import Memory
from recollect.contracts.fit import MOST_BYTES, fit
from recollect.contracts.registry import CONTRACTS
from recollect.contracts.tool import Annotations, Tool
from recollect.serve.catalog import render_answer
from recollect.serve.message import encode

WORDS = "The harbour master keeps a ledger of every ship in the tower. "
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "memory-mcp": ("recall", {"query": "harbour ledger", "limit": 50}),
    "rusty-mem": ("search", {"query_text": "harbour ledger", "limit": 50, "collection": "s", "score_threshold": 0.0}),
    "agentos": ("memory_recall", {"query": "harbour ledger", "agentId": "s", "limit": 50}),
    "trusty-memory": ("memory_list", {"palace": "s", "limit": 500}),
}


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


def test_a_page_keeps_every_entry() -> None:
    fitted, note = fit({"memories": [{"content": WORDS * 50} for _ in range(100)]}, paged=True)
    assert (len(fitted["memories"]), note is None) == (100, False)
    assert fit({"memories": [WORDS] * 1_000}, paged=True) == ({"memories": [WORDS] * 1_000}, None)


@pytest.mark.parametrize("contract", ASKED)
@pytest.mark.parametrize("repeated", [20, 500])
def test_no_contract_answers_at_more_than_25_kb_or_sends_a_long_answer_twice(
    contract: str, repeated: int, memory: Memory, connect: Callable[..., Any]
) -> None:
    for number in range(60):
        memory.remember(f"Entry {number}: {WORDS * repeated}", space="s")
    tool, arguments = ASKED[contract]
    table = connect(CONTRACTS[contract].make(memory, "s"))
    result = table.ask("tools/call", name=tool, arguments=arguments)
    written = "".join(part["text"] for part in result["content"])
    assert len(written.encode()) <= MOST_BYTES
    assert "Cut to stay below 25 KB" in written
    assert "structuredContent" not in result


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
