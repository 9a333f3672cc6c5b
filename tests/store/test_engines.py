"""Do both engines answer alike? The same question on the same records has the same order, whichever keeps them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from tests.pgserver import shared_server, store_url
from tests.quality.test_everyday import ASKED, NOTES, cuts
from tests.store.wire import Wire

import recollect
from recollect import Memory, Recall, Settings

DOCS = Path(__file__).parents[2] / "docs"
MOST_TRIPS = 8


def paragraphs() -> list[str]:
    """Every paragraph of our own pages that says something."""
    pages = (page.read_text("utf-8") for page in sorted(DOCS.glob("*.md")))
    found = [" ".join(part.split()) for page in pages for part in re.split(r"\n\s*\n", page)]
    return list(dict.fromkeys(part for part in found if 60 <= len(part) <= 2_000))


def open_one(home: Path, url: str | None) -> Memory:
    moments, ids = count(1), count(1)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    return recollect.open(
        settings=Settings(home=home, store=url, embed_threads=1, embed_delay=600.0),
        clock=lambda: start + timedelta(milliseconds=next(moments)),
        new_id=lambda: f"r{next(ids):05}",
    )


@pytest.fixture(scope="module")
def memories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, Memory]]:
    home = tmp_path_factory.mktemp("engines")
    both = open_one(home, None), open_one(home, store_url(home))
    for memory in both:
        for part, ids in cuts().items():
            drafts = [{"text": NOTES[id][1], "event_time": f"{NOTES[id][0]}T09:00:00Z"} for id in ids]
            memory.remember_many(drafts, space=part)
        memory.remember_many([{"text": text} for text in paragraphs()], space="docs")
        memory.relate("SQLite", "is kept in", "a file", space="docs")
        memory.relate("PostgreSQL", "is shared by", "machines", space="docs")
        memory.embed_waiting()
    yield both
    for memory in both:
        memory.close()


def told(answer: Recall) -> list[tuple[str, float]]:
    return [(hit.record.text, round(hit.score, 4)) for hit in answer]


@pytest.mark.parametrize("part", list(cuts()))
def test_everyday_questions_have_the_same_answers_in_the_same_order(memories: tuple[Memory, Memory], part: str) -> None:
    sqlite, postgres = memories
    for question in ASKED:
        assert told(postgres.recall(question, space=part)) == told(sqlite.recall(question, space=part))


QUESTIONS = (
    "how do I add a store?", "what happens when the disk is full?", "forgetting for good", "which vectors wait?",
    "journal undo", "how are duplicates found", "who may write at the same time?", "SQLite file format", "トークン",
    "lifecycle schedule of eviction", "what is the default address of the server?", "chunks of code",
)  # fmt: skip
ASKED_WITH: Sequence[dict[str, object]] = (
    {}, {"limit": 40}, {"fold": False}, {"thorough": True}, {"since": "2026-01-01T00:00:00.300Z"}, {"space": None},
    {"importance": 1.0, "recency": 0.5},
)  # fmt: skip


@pytest.mark.parametrize("more", ASKED_WITH, ids=str)
def test_questions_on_our_pages_have_the_same_answers_in_the_same_order(
    memories: tuple[Memory, Memory], more: dict[str, object]
) -> None:
    sqlite, postgres = memories
    for question in QUESTIONS:
        asked = {"space": "docs", **more}
        one, other = (memory.recall(question, **asked) for memory in (sqlite, postgres))  # type: ignore[arg-type]
        assert told(other) == told(one)


def test_what_was_known_at_a_moment_is_the_same_in_both(memories: tuple[Memory, Memory]) -> None:
    for memory in memories:
        gone = memory.recall("forgetting for good", space="docs").hits[0].record
        memory.invalidate(gone.id)
    moments = [memory.journal(limit=1)[0].at - timedelta(microseconds=1) for memory in memories]
    for question in QUESTIONS[:4]:
        one, other = (
            memory.recall(question, space="docs", as_of=moment)
            for memory, moment in zip(memories, moments, strict=True)
        )
        assert told(other) == told(one)


def test_a_recall_takes_few_round_trips(
    memories: tuple[Memory, Memory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.engine.read.recall.is_worth_reading", lambda records: records < 0)  # as if large
    _, postgres = memories
    wire = Wire(shared_server())
    schema = postgres.location.partition("schema=")[2]
    with open_one(tmp_path, f"{wire.url}&schema={schema}") as memory:
        memory.recall("warm", space="docs", touch=False)
        trips = []
        for question in (question for question in QUESTIONS if "SQLite" not in question):
            wire.turns = 0
            memory.recall(question, space="docs", touch=False)
            trips.append(wire.turns)
    wire.close()
    assert max(trips) <= MOST_TRIPS, trips
