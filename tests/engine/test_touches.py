"""What counts as recalled: likely answers, by whichever way they were asked for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recollect import Memory
from recollect.engine.read.by_signal import appraise, search_keywords, search_vectors, weigh

NOTES = {
    "gym": "The choir rehearses in the old school gym on Thursdays.",
    "tuner": "Mr Abara tunes the piano twice a year for 80 in cash.",
    "robes": "Robes are dry-cleaned at Helmer's, ask for the club rate.",
    "coach": "For the festival in Lund we hire a coach from Blom Travel.",
    "cellar": "Ines keeps the key to the cellar of the parish hall.",
    "cat": "The cat sleeps on the warm printer.",
}
ASKED = {
    "who tunes the piano?": "tuner",
    "where does the choir rehearse on Thursdays?": "gym",
    "who keeps the key to the cellar?": "cellar",
}
WAYS: dict[str, Callable[[Memory, str], object]] = {
    "recall": lambda memory, question: memory.recall(question),
    "deep recall": lambda memory, question: memory.recall(question, deep=True),
    "vectors alone": search_vectors,
    "words alone": search_keywords,
    "given weights": lambda memory, question: weigh(memory, question, vector=0.4, keyword=0.3, graph=0.3),
    "fixed weights": appraise,
}


def count(memory: Memory) -> dict[str, int]:
    memory.touches.flush()
    return {record.id: record.access_count for record in memory.list() if record.access_count}


@pytest.mark.parametrize("way", WAYS)
def test_what_was_shown_counts_as_recalled_only_if_it_probably_answers(semantic: Memory, way: str) -> None:
    for id, text in NOTES.items():
        semantic.remember(text, id=id)
    semantic.embed_waiting()
    for question in (*ASKED, "how do submarines dive?", "what is the capital of Peru?"):
        WAYS[way](semantic, question)
    assert count(semantic) == dict.fromkeys(ASKED.values(), 1)


@pytest.mark.parametrize("way", ["recall", "words alone", "fixed weights"])
def test_without_vectors_it_counts_what_holds_most_of_the_words(memory: Memory, way: str) -> None:
    for id, text in NOTES.items():
        memory.remember(text, id=id)
    for question in ("piano tunes", "the gym of the moon landing in 1969", "cat printer"):
        WAYS[way](memory, question)
    assert count(memory) == {"tuner": 1, "cat": 1}


def test_of_very_many_questions_at_once_only_the_last_are_judged(semantic: Memory) -> None:
    for id, text in NOTES.items():
        semantic.remember(text, id=id)
    semantic.embed_waiting()
    for number in range(50):
        search_vectors(semantic, "who tunes the piano?" + " " * number)
    assert count(semantic) == {"tuner": 32}
