"""Do both engines answer alike? The same question on the same records has the same order, whichever keeps them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from tests.pgserver import shared_server, store_url
from tests.quality.test_everyday import ASKED, NOTES, cuts
from tests.store.wire import Wire
from things import make_space, record, space

import recollect
from recollect import Memory, Recall, Settings
from recollect.store.base import Lexis
from recollect.store.ops import Put
from recollect.store.postgres import PostgresStore
from recollect.store.search import Vector
from recollect.types import Filter

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
def test_everyday_questions_have_the_same_answers_in_the_same_order(
    memories: tuple[Memory, Memory], part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sqlite, postgres = memories
    monkeypatch.setattr("recollect.engine.read.recall.FEW_SECONDS", 600.0)  # as many are read on either
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
    memories: tuple[Memory, Memory], more: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    sqlite, postgres = memories
    monkeypatch.setattr("recollect.engine.read.recall.FEW_SECONDS", 600.0)  # as many are read on either
    for question in QUESTIONS:
        asked = {"space": "docs", **more}
        one, other = (memory.recall(question, **asked) for memory in (sqlite, postgres))  # type: ignore[arg-type]
        assert told(other) == told(one)


def test_what_was_known_at_a_moment_is_the_same_in_both(
    memories: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.engine.read.recall.FEW_SECONDS", 600.0)  # as many are read on either
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


def test_a_recall_takes_few_round_trips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a space that names no entities: facts, and walks along them, are asked for beside."""
    monkeypatch.setattr("recollect.engine.read.recall.is_worth_reading", lambda records: records < 0)  # as if large
    wire, trips = Wire(shared_server()), list[int]()
    with open_one(tmp_path, f"{wire.url}&schema=t_few_{tmp_path.parent.name[-8:].replace('-', '_')}") as memory:
        memory.remember_many([{"text": text} for text in paragraphs()[:210]], space="docs")
        memory.embed_waiting()
        for question in QUESTIONS:
            wire.turns = 0
            memory.recall(question, space="docs", touch=False)
            trips.append(wire.turns)
    wire.close()
    assert max(trips) <= MOST_TRIPS, trips


@pytest.mark.parametrize("way", ["index", "comparing"])
def test_the_nearest_are_found_in_spaces_that_are_any_part_of_all(tmp_path: Path, monkeypatch, way: str) -> None:
    monkeypatch.setattr("recollect.store.postgres.search.PostgresSearch._few", lambda _: 0 if way == "index" else 10**6)
    store = PostgresStore(store_url(tmp_path), lambda: datetime.now(UTC))
    noise = np.random.default_rng(3)
    topics = noise.normal(size=(60, 384))
    sizes = {"tiny": 15, "small": 150, "large": 1_500}
    held: dict[str, tuple[list[int], np.ndarray]] = {}
    with store.write() as edit:
        model = edit.adopt("m", 384, bytes(4 * 384), 0.0, 0.1)
        for name, size in sizes.items():
            make_space(edit, space(name))
            rows = (topics[np.arange(size) % 60] + 0.7 * noise.normal(size=(size, 384))).astype(np.float32)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            ops = [
                Put(thing=record(f"{name}{i}", space=name), verb="remember", lexis=Lexis({7: 1})) for i in range(size)
            ]
            versions = [done.thing.version for done in edit.apply(ops) if done.thing is not None]
            edit.put_vectors(model.no, versions, [Vector(v, row) for v, row in zip(versions, rows, strict=True)])
            held[name] = versions, rows
    questions = (topics[:10] + 0.3 * noise.normal(size=(10, 384))).astype(np.float32)
    with store.read() as view:
        for name, (versions, rows) in held.items():
            right = 0
            for question in questions:
                exact = {versions[at] for at in np.argsort(-(rows @ question))[:10]}
                found = view.near([name], model.no, question, Filter(), 200)[name]
                assert len(found.versions) == min(200, len(versions))
                right += len(exact & set(found.versions.tolist()))
            assert right >= 90, (name, right)
    store.close()
