"""Do both engines answer alike? The same question on the same records has the same order, whichever keeps them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
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
    """Every third paragraph of our own pages that says something."""
    pages = (page.read_text("utf-8") for page in sorted(DOCS.glob("*.md")))
    found = [" ".join(part.split()) for page in pages for part in re.split(r"\n\s*\n", page)]
    return list(dict.fromkeys(part for part in found if 60 <= len(part) <= 2_000))[::3]


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


Answer = list[tuple[str, float]]


def told(answer: Recall) -> Answer:
    return [(hit.record.text, hit.score) for hit in answer]


def alike(answer: Answer) -> list[Any]:
    """What is the same texts in the same order: the databases' sums differ in the last bits."""
    return [(text, pytest.approx(score, abs=1e-4)) for text, score in answer]


_answers: dict[tuple[str, str, str], Answer] = {}


def answered(memory: Memory, question: str, **more: Any) -> Answer:
    """What a memory of our pages, in which nothing changes meanwhile, answers: asked once for all tests."""
    key = (memory.location, question, str(more))
    if key not in _answers:
        _answers[key] = told(memory.recall(question, **{"space": "docs", **more}))
    return _answers[key]


@pytest.mark.parametrize("part", list(cuts()))
def test_everyday_questions_have_the_same_answers_in_the_same_order(
    memories: tuple[Memory, Memory], part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sqlite, postgres = memories
    monkeypatch.setattr("recollect.engine.read.recall.FEW_SECONDS", 600.0)  # as many are read on either
    for question in ASKED:
        assert told(postgres.recall(question, space=part)) == alike(told(sqlite.recall(question, space=part)))


def test_a_session_of_no_project_begins_with_the_same_brief_and_is_given_it_again(tmp_path: Path) -> None:
    given: list[list[str]] = []
    for url in (None, store_url(tmp_path)):
        with open_one(tmp_path / "home", url) as memory:
            memory.remember("Never push to main.", kind="rule", id="rule")
            unasked = memory.unasked
            first = unasked.give_brief()
            unasked.note_given(first, session="s")
            given.append([first.text, unasked.give_brief().text, unasked.give_earlier().text])
    assert given == [[given[0][0]] * 3] * 2
    assert "Never push to main." in given[0][0]


QUESTIONS = (
    "how do I add a store?", "what happens when the disk is full?", "forgetting for good", "which vectors wait?",
    "journal undo", "how are duplicates found", "who may write at the same time?", "SQLite file format", "トークン",
    "lifecycle schedule of eviction", "what is the default address of the server?", "chunks of code",
)  # fmt: skip
ASKED_WITH: Sequence[dict[str, Any]] = (
    {}, {"limit": 40}, {"fold": False}, {"thorough": True}, {"since": "2026-01-01T00:00:00.300Z"}, {"space": None},
    {"importance": 1.0, "recency": 0.5},
)  # fmt: skip


@pytest.mark.parametrize("more", ASKED_WITH, ids=str)
def test_questions_on_our_pages_have_the_same_answers_in_the_same_order(
    memories: tuple[Memory, Memory], more: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    sqlite, postgres = memories
    monkeypatch.setattr("recollect.engine.read.recall.FEW_SECONDS", 600.0)  # as many are read on either
    for question in QUESTIONS:
        assert answered(postgres, question, **more) == alike(answered(sqlite, question, **more))


@pytest.mark.parametrize(("source", "target"), [("file", "file"), ("file", "database"), ("database", "file")])
def test_a_memory_that_was_moved_has_the_same_answers_in_the_same_order(
    memories: tuple[Memory, Memory], tmp_path: Path, source: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.engine.read.recall.FEW_SECONDS", 600.0)
    before = memories[source == "database"]
    url = store_url(tmp_path) if target == "database" else None
    recollect.move(before.settings.store or before.settings.home, url or tmp_path)
    with open_one(tmp_path, url) as after:
        after.recall(QUESTIONS[0], space="docs")  # loads the model
        for question in QUESTIONS:
            for more in ASKED_WITH[:2]:
                expected = alike(answered(before, question, **more))
                assert told(after.recall(question, space="docs", **more)) == expected


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
        assert told(other) == alike(told(one))


ASKED_FOR: dict[str, dict[str, Any]] = {
    "a space": {"space": "docs"}, "all spaces": {"space": None}, "deep": {"space": "docs", "deep": True},
    "a moment": {"space": "docs", "as_of": datetime(2026, 1, 2, tzinfo=UTC)}, "no entities": {"space": "bare"},
    "a tag": {"space": "docs", "tags": ["page"]}, "thoroughly": {"space": "docs", "thorough": True, "fold": False},
    "nothing there": {"space": "nowhere"},
}  # fmt: skip


@pytest.fixture(scope="module")
def wired(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, Wire]]:
    """A memory of some pages, with entities in two of its spaces, whose round trips are counted.

    It does not settle meanwhile: where others use the server, that is tried again each second, on the same connection.
    """
    home, wire = tmp_path_factory.mktemp("wired"), Wire(shared_server())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("recollect.engine.settle._QUIET", 3600.0)
        opened = open_one(home, f"{wire.url}&schema={store_url(home).partition('schema=')[2]}")
    with opened as memory:
        for name, size in (("docs", 210), ("more", 40), ("bare", 40)):
            drafts = [{"text": text, "tags": ["page"]} for text in paragraphs()[:size]]
            memory.remember_many(drafts, space=name)
        for name in ("docs", "more"):
            for subject, object in (("SQLite", "file"), ("SQLite", "store"), ("store", "journal"), ("journal", "undo")):
                memory.relate(subject, "is kept in", object, space=name)
        memory.embed_waiting()
        memory.recall("the first loads the models", space="docs", deep=True, touch=False)
        yield memory, wire
    wire.close()


@pytest.mark.parametrize("kind", list(ASKED_FOR))
def test_a_recall_takes_at_most_eight_round_trips(wired: tuple[Memory, Wire], kind: str) -> None:
    memory, wire = wired
    trips: dict[str, list[int]] = {question: [] for question in QUESTIONS}
    for question in QUESTIONS * 3:  # what goes on in the background takes turns, too: at times, and not every time
        if min(trips[question], default=MOST_TRIPS + 1) > MOST_TRIPS:
            wire.cut(10**9, "after")
            memory.recall(question, touch=False, **ASKED_FOR[kind])
            trips[question].append(wire.longest)
    assert max(map(min, trips.values())) <= MOST_TRIPS, trips


@pytest.mark.parametrize(("given", "most"), [({}, 10), ({"session": "s"}, 12), ({"key": "k"}, 12)])
def test_a_remember_takes_few_round_trips(wired: tuple[Memory, Wire], given: dict[str, str], most: int) -> None:
    """Two of them are for what a loaded model sees beside words: what it changes may share none with it."""
    memory, wire = wired
    memory.remember("the space is there", space="notes")
    text, session = f"what is said in few turns with {given}", given.get("session")
    wire.cut(10**9, "after")
    if "key" in given:
        receipt = memory.once(given["key"], memory.remember, text, space="notes")
    else:
        receipt = memory.remember(text, space="notes", session=session)
    assert receipt.outcome == "stored"
    assert wire.turns <= most


@pytest.mark.parametrize("way", ["index", "comparing"])
def test_the_nearest_are_found_in_spaces_that_are_any_part_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr("recollect.store.postgres.search._COMPARED", 0 if way == "index" else 10**6)
    monkeypatch.setattr("recollect.store.postgres.search._PASSED_OVER", 0.0)
    store = PostgresStore(store_url(tmp_path), lambda: datetime.now(UTC))
    noise = np.random.default_rng(3)
    topics = noise.normal(size=(60, 384))
    sizes = {"tiny": 15, "small": 150, "large": 1_500}
    held: dict[str, tuple[list[int], NDArray[np.float32]]] = {}
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
                nearest: list[int] = np.argsort(-(rows @ question))[:10].tolist()
                exact = {versions[at] for at in nearest}
                found = view.near([name], model.no, question, Filter(), 200)[name]
                assert len(found.versions) >= min(200, len(versions))
                right += len(exact & set(found.versions.tolist()))
            assert right >= (97 if way == "index" else 100), (name, right)
    store.close()
