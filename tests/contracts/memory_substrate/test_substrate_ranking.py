"""Search by meaning: a set of notes asked in other words, its halves and quarters, by the real models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.contracts.memory_substrate.conftest import Substrate
from tests.contracts.trusty_memory.paraphrases import ASKED, DRAWERS

from recollect import Memory
from recollect.contracts.memory_substrate.table import memory_substrate_contract


@pytest.mark.parametrize("parts", [1, 2, 4])
def test_search_has_the_answer_first_nearly_as_often_as_the_engine(
    semantic: Memory, connect: Callable[..., Any], parts: int
) -> None:
    places = {key: f"part-{number % parts}" for number, key in enumerate(DRAWERS)}
    for key, (_, text) in DRAWERS.items():
        semantic.remember(text, space=places[key], id=key)
    semantic.embed_waiting()
    tables = {
        space: connect(memory_substrate_contract(semantic, space=space), Substrate) for space in set(places.values())
    }
    ours, theirs = [0, 0], [0, 0]
    for question, key in ASKED.items():
        found = [item["id"] for item in tables[places[key]].search(question)]
        by_engine = [hit.record.id for hit in semantic.recall(question, space=places[key], limit=3)]
        ours = [ours[0] + (key in found[:1]), ours[1] + (key in found[:3])]
        theirs = [theirs[0] + (key in by_engine[:1]), theirs[1] + (key in by_engine)]
    assert ours[0] >= theirs[0] - 3
    assert ours[1] >= theirs[1] - 2
