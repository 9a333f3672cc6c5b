"""Are records weighed by exactly the sum that is documented, however they are found?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from recollect import Memory
from recollect.engine.read.appraise import keywords_of
from recollect.engine.read.by_signal import appraise
from recollect.store.search import Pick
from recollect.types import Filter, Record

WEEK = 168 * 3600
LONG = "Rivers carry sand. " * 200


def filled(memory: Memory, count: int) -> Memory:
    """Records of different worth, some of several pieces."""
    drafts = [
        {"text": f"Note {n} on {('tea', 'the HARBOUR', 'roughly tea', 'maps')[n % 4]}. {LONG if n % 50 == 7 else ''}"}
        for n in range(count)
    ]
    memory.remember_many([{**draft, "importance": (n * 7 % 10) / 10} for n, draft in enumerate(drafts)])
    memory.embed_waiting()
    return memory


@pytest.fixture
def many(open_plain: Callable[..., Memory]) -> Memory:
    """More records than are looked at as a whole."""
    return filled(open_plain("tea", "harbour"), 260)


def weighed(memory: Memory, question: str) -> dict[str, float]:
    """The documented sum of every record, from nothing but the records and their vectors."""
    embedder = memory.semantics._given
    asked = embedder.embed([question], query=True)[0]
    words = keywords_of(question)
    now = memory.core.clock()
    found: dict[str, float] = {}
    with memory.core.store.read() as view:
        for record in memory.list(limit=1000):
            age = (now - record.event_time).total_seconds()
            share = sum(word in record.text.lower() for word in words) / len(words)
            picks = {record.space: Pick(np.array([record.version]))}
            cosine = float(view.signals(picks, None, model=1, vector=asked)[record.space].cosine[0])
            worth = 0.1 * 0.5 ** (age / WEEK) + 0.1 * record.importance + 0.05 * record.confidence
            found[record.id] = 0.5 * cosine + 0.25 * share + worth
    return found


@pytest.mark.parametrize("question", ["Where is the tea?", "harbour, maps!", "note 17"])
def test_every_score_is_the_documented_sum(many: Memory, question: str) -> None:
    for _ in range(2):  # the second time with vectors that are at hand
        found = appraise(many, question, limit=10)
        expected = weighed(many, question)
        assert [one.score for one in found] == pytest.approx([expected[one.record.id] for one in found], abs=1e-5)
        assert [one.score for one in found] == sorted([one.score for one in found], reverse=True)


@pytest.mark.parametrize("question", ["Where is the tea?", "harbour, maps!", "note 17"])
def test_in_a_small_space_the_best_of_all_are_found(open_plain: Callable[..., Memory], question: str) -> None:
    memory = filled(open_plain("tea", "harbour"), 150)
    found = appraise(memory, question, limit=10)
    best = sorted(weighed(memory, question).values(), reverse=True)[:10]
    assert [one.score for one in found] == pytest.approx(best, abs=1e-5)


def test_what_left_is_not_found_by_vectors_that_are_still_at_hand(many: Memory) -> None:
    best = appraise(many, "Where is the tea?", limit=3)
    many.forget(best[0].record.id)
    many.evict(cap=230)
    again = {one.record.id for one in appraise(many, "Where is the tea?", limit=230)}
    assert best[0].record.id not in again
    assert again <= {record.id for record in many.list(limit=1000)}


def test_a_revised_text_is_weighed_by_its_own_vector(many: Memory) -> None:
    best = appraise(many, "Where is the tea?", limit=1)[0].record
    many.revise(best.id, text="Clouds move on")
    after = {one.record.id: one for one in appraise(many, "Where is the tea?", limit=260)}
    assert after[best.id].cosine < 0.7
    assert after[best.id].keywords == 0.0


def test_what_came_last_is_weighed_though_no_list_brings_it_in(many: Memory) -> None:
    newest = [many.remember(f"Grey paint {n}.", importance=1.0).id for n in range(3)]
    many.embed_waiting()
    found = [one.record.id for one in appraise(many, "Where is the tea?", limit=48)]
    expected = weighed(many, "Where is the tea?")
    best = sorted(expected, key=lambda id: -expected[id])[:48]
    assert set(newest) & set(best) == set(newest) & set(found)
    with many.core.store.read() as view:
        found = view.select(Record, Filter(spaces=("default",)), "newest", 3)
        assert [record.id for record in found] == newest[::-1]
