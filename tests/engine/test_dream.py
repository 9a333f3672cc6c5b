"""Dreaming: what is merged and what is not, and who may dream when."""

from __future__ import annotations

import multiprocessing
import tracemalloc
from collections.abc import Callable, Sequence
from datetime import timedelta
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pairs_of_texts import DIFFERENT, DOUBLES, FAR_APART
from recollect import Conflict, EmbedderError, Memory, Settings
from recollect.engine.care.dream import ACTOR, last_dream
from recollect.engine.care.dreamer import Dreamer
from recollect.engine.core import utc_now
from recollect.engine.memory import open_memory as open_anywhere
from recollect.store.choose import open_store
from recollect.store.similar import differing_bits, near_rows

SAME = (
    "The deploy of the gateway happens every Tuesday morning.",
    "The deploy of the gateway happens each Tuesday morning.",
)


def test_near_identical_records_become_one_with_all_tags(semantic: Memory) -> None:
    minor = semantic.remember(SAME[0], tags=["a"], importance=0.8).id
    major = semantic.remember(SAME[1], tags=["b"], importance=0.3).id
    semantic.remember("The cat sleeps on the warm stone.")
    done = semantic.dream()
    assert [(merge.kept, merge.merged) for merge in done.merges] == [(major, minor)]
    assert done.merges[0].cosine >= 0.9
    assert (done.records, done.finished, semantic.count()) == (3, True, 2)
    kept, gone = semantic.get(major or ""), semantic.get(minor or "")
    assert kept is not None
    assert (kept.text, kept.tags, kept.importance) == (SAME[1], ("b", "a"), 0.8)
    assert gone is not None
    assert (gone.status, gone.superseded_by) == ("superseded", major)


def test_a_merge_is_in_the_journal_and_undoing_it_holds(semantic: Memory) -> None:
    for text in SAME:
        semantic.remember(text)
    (merge,) = semantic.dream().merges
    change = next(change for change in semantic.journal() if change.entry == merge.entry)
    assert (change.verb, change.actor, change.object_id) == ("merge", ACTOR, merge.merged)
    assert change.reason is not None
    assert merge.kept in change.reason
    assert merge.entry is not None
    semantic.undo(merge.entry)
    assert semantic.count() == 2
    assert semantic.dream().merges == ()
    assert semantic.count() == 2


def test_the_newest_stays_and_what_is_only_alike_is_shown_side_by_side(semantic: Memory) -> None:
    older = semantic.remember(SAME[0]).id
    newer = semantic.remember(SAME[1]).id
    other = semantic.remember("The deploy of the gateway happens every Thursday morning.").id
    done = semantic.dream()
    assert [(merge.kept, merge.merged) for merge in done.merges] == [(newer, older)]
    assert [record.id for record in semantic.list()] == [other, newer]
    assert [(pair.older.id, pair.newer.id) for pair in semantic.review()] == [(newer, other)]
    semantic.forget(newer or "")
    assert semantic.review() == []


def test_of_pairs_that_differ_in_one_thing_none_is_joined_and_doubles_are(semantic: Memory) -> None:
    for number, (one, other) in enumerate((*DIFFERENT, *DOUBLES)):
        for text in (one, other):
            semantic.remember(text, room=f"pair {number}")
    merges = semantic.dream(budget_seconds=600).merges
    joined = {semantic.get(merge.merged).text: semantic.get(merge.kept).text for merge in merges}  # type: ignore[union-attr]
    assert joined.items() <= set(DOUBLES)
    assert len(joined) >= 0.7 * len(DOUBLES)  # some are less near to the bundled model, or unreadable


def shown(memory: Memory) -> set[tuple[str, str]]:
    return {(pair.older.text, pair.newer.text) for pair in memory.review()}


@pytest.mark.parametrize("embedder", ["bundled", "none"])
def test_what_differs_in_one_thing_is_shown_however_far_apart_a_model_sees_it(
    open_memory: Callable[..., Memory], embedder: str
) -> None:
    memory = open_memory(embedder=embedder)
    for number, texts in enumerate(FAR_APART):
        memory.remember_many([{"text": text, "room": f"pair {number}"} for text in texts])
    done = memory.dream(budget_seconds=600)
    assert done.merges == ()
    assert shown(memory) == set(FAR_APART)
    assert [pair.cosine for pair in done.alike] == sorted((pair.cosine for pair in done.alike), reverse=True)


def test_of_pairs_that_differ_in_one_thing_hardly_one_is_not_shown(semantic: Memory) -> None:
    for number, texts in enumerate(DIFFERENT):
        semantic.remember_many([{"text": text, "room": f"pair {number}"} for text in texts], space=f"{number % 3}")
    for space in "012":  # a review has no more than a hundred
        semantic.dream(space, budget_seconds=600)
    seen = {(pair.older.text, pair.newer.text) for space in "012" for pair in semantic.review(space)}
    assert len(set(DIFFERENT) - seen) <= 8, set(DIFFERENT) - seen


def test_a_series_of_things_does_not_fill_the_review(semantic: Memory) -> None:
    rooms = [f"Room {number} is cleaned by {name}" for number, name in enumerate("Ana Ben Cem Dov Eli Fay".split() * 4)]
    semantic.remember_many([{"text": text} for text in (*rooms, "The price includes tax", "The price excludes tax")])
    semantic.dream(budget_seconds=600)
    far = [pair for pair in semantic.review() if pair.cosine < 0.85]
    assert [pair.older.text for pair in far] == ["The price includes tax"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"text": "The service listens on port 8080."}, {"text": "The service listens on port 9090."}),
        ({"text": "The cache is enabled for this tenant."}, {"text": "The cache is not enabled for this tenant."}),
        ({"text": SAME[0], "room": "Ops"}, {"text": SAME[1]}),
        ({"text": SAME[0], "session": "chat"}, {"text": SAME[1], "session": "chat"}),
        ({"text": SAME[0], "source": "a.md"}, {"text": SAME[1], "source": "a.md"}),
        ({"text": SAME[0], "project": "x"}, {"text": SAME[1], "project": "y"}),
        ({"text": SAME[0], "status": "open"}, {"text": SAME[1], "status": "open"}),
    ],
)
def test_what_says_or_is_something_else_is_left_alone(semantic: Memory, one: Any, other: Any) -> None:
    for draft in (one, other):
        semantic.remember(**draft)
    assert semantic.dream().merges == ()


def test_a_dream_holds_few_of_the_records_that_look_alike(semantic: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.engine.care.dream._BATCH", 2)
    for pair in DOUBLES[:12]:  # of two projects, so that each stands for itself
        drafts = [{"text": text, "project": f"p{n}", "metadata": {"page": "x" * 60_000}} for n, text in enumerate(pair)]
        semantic.remember_many(drafts)
    semantic.embed_waiting()
    tracemalloc.start()
    done = semantic.dream(dry_run=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert done.records > 20
    assert peak < 2_200_000


def test_a_dry_run_changes_nothing(semantic: Memory) -> None:
    for text in SAME:
        semantic.remember(text)
    before = semantic.journal()
    done = semantic.dream(dry_run=True)
    assert (len(done.merges), done.merges[0].entry, done.dry_run) == (1, None, True)
    assert semantic.journal() == before
    assert last_dream(semantic.core) is None


def test_without_vectors_nothing_is_merged_and_the_rest_is_done(memory: Memory, clock: Any) -> None:
    for text in SAME:
        memory.remember(text)
    clock.advance(days=30)
    done = memory.dream()
    assert (done.merges, done.decayed, done.finished) == ((), 2, True)
    assert memory.dream().decayed == 0
    assert last_dream(memory.core) is not None


def test_what_is_told_today_of_long_ago_has_not_faded_at_the_first_dream(memory: Memory, clock: Any) -> None:
    for n in range(10):
        memory.remember(f"In year {n} tea was cheap", event_time=clock.now - timedelta(days=100 * n + 100))
    assert memory.dream().decayed == 0
    clock.advance(days=60)
    assert memory.dream().decayed > 0


def test_a_closet_that_differs_from_its_text_is_mended(memory: Memory) -> None:
    from recollect.store.base import Lexis

    id = memory.remember("The harbour crane needs grease.").id
    record = memory.get(id or "")
    assert record is not None
    with memory.core.store.write() as edit:
        edit.relink(record.version, Lexis({1: 1}))
    assert len(memory.recall("harbour crane")) == 0
    assert memory.dream().refreshed == 1
    assert memory.recall("harbour crane")[0].record.id == id
    assert memory.check() == []


def test_a_cycle_without_time_is_not_finished_and_the_next_goes_on(semantic: Memory) -> None:
    for text in SAME:
        semantic.remember(text)
    assert semantic.dream(budget_seconds=0).finished is False
    assert semantic.count() == 2
    assert semantic.dream().finished is True
    assert semantic.count() == 1


def test_a_cancelled_cycle_ends_at_its_next_step(semantic: Memory) -> None:
    for text in SAME:
        semantic.remember(text)
    looks: list[bool] = []

    def cancelled() -> bool:
        looks.append(True)
        return len(looks) > 3

    assert semantic.dream(cancelled=cancelled).finished is False
    assert semantic.count() == 2
    assert semantic.check() == []


class Broken:
    name = "broken"
    dim = 8

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:  # noqa: ARG002  the seam's shape
        raise EmbedderError("the endpoint is down")


def test_without_a_working_model_the_rest_is_done(tmp_path: Path) -> None:
    memory = open_anywhere(settings=Settings(home=tmp_path / "home"), embedder=Broken())
    memory.remember("a")
    done = memory.dream()
    memory.close()
    assert (done.merges, done.finished) == ((), False)


class Crowded:
    """The bundled model, as one to which even strangers are near."""

    name = "crowded"
    dim = 385

    def __init__(self, model: Any) -> None:
        self._model = model

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
        seen = np.asarray(self._model.embed(texts, query=query))
        return np.concatenate([0.5 * seen, np.full((len(seen), 1), 0.75**0.5, np.float32)], axis=1)


def test_to_a_model_whose_cosines_all_lie_high_as_little_is_alike_as_to_another(
    tmp_path: Path, semantic: Memory
) -> None:
    vectors = semantic.semantics.load()
    assert vectors is not None
    texts = [*FAR_APART[0], "The licence is MIT", "The licence is GPL", "I like tea", "I like jazz", *SAME]
    found: list[set[tuple[str, str]]] = []
    with open_anywhere(settings=Settings(home=tmp_path / "high"), embedder=Crowded(vectors.embedder)) as crowded:
        for memory in (semantic, crowded):
            memory.remember_many([{"text": text} for text in texts])
            assert len(memory.dream(budget_seconds=600).merges) == 1
            found.append(shown(memory))
    assert found == [{FAR_APART[0]}, {FAR_APART[0]}]


# Finding


def test_near_rows_are_found_among_ten_thousand() -> None:
    noise = np.random.default_rng(7)
    vectors = noise.standard_normal((10_000, 384)).astype(np.float32)
    vectors[5_000:5_100] = vectors[:100] + 0.28 * noise.standard_normal((100, 384)).astype(np.float32)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    bits = np.packbits(vectors > 0, axis=1).view(np.uint64)
    found = near_rows(bits, differing_bits(0.95, 0.0, 384), lambda: False)
    assert found is not None
    pairs = {(int(a), int(b)) for a, b in found}
    wanted = {(i, 5_000 + i) for i in range(100) if unit[i] @ unit[5_000 + i] >= 0.95}
    assert len(wanted) > 80
    assert wanted <= pairs
    assert len(pairs) < 1_000


def test_the_search_can_be_stopped() -> None:
    assert near_rows(np.zeros((10, 6), dtype=np.uint64), 5, lambda: True) is None
    assert near_rows(np.zeros((1, 6), dtype=np.uint64), 5, lambda: False) is not None


# When, and who


def test_a_space_is_due_when_it_was_left_alone_for_long_enough(memory: Memory, clock: Any) -> None:
    dreamer = Dreamer(memory)
    assert dreamer.look() == []
    memory.remember("a")
    clock.advance(seconds=299)
    assert dreamer.look() == []
    clock.advance(seconds=1)
    assert [done.space for done in dreamer.look()] == ["default"]
    clock.advance(hours=1)
    assert dreamer.look() == []
    clock.advance(days=1)
    assert len(dreamer.look()) == 1


def test_a_question_counts_as_use(memory: Memory, clock: Any) -> None:
    memory.remember("Tea is at four.")
    clock.advance(seconds=299)
    memory.recall("When is tea?")
    clock.advance(seconds=200)
    assert Dreamer(memory).look() == []
    clock.advance(seconds=100)
    assert len(Dreamer(memory).look()) == 1


def test_each_space_idles_by_itself(memory: Memory, clock: Any) -> None:
    memory.remember("a", space="quiet")
    clock.advance(seconds=300)
    memory.remember("b", space="busy")
    assert [done.space for done in Dreamer(memory).look()] == ["quiet"]


def test_the_thread_dreams_and_ends_when_it_is_told_to(memory: Memory, clock: Any) -> None:
    import threading

    memory.remember("a")
    clock.advance(seconds=400)
    heard = threading.Event()
    dreamer = Dreamer(memory, look_seconds=0.001, tell=lambda _: heard.set())
    dreamer.start()
    assert heard.wait(60)
    assert dreamer.stop() is True
    assert last_dream(memory.core) is not None


def test_a_dreamer_that_never_started_can_be_stopped(memory: Memory) -> None:
    assert Dreamer(memory).stop() is True


def _hold(home: Path, held: Event, release: Event) -> None:
    with open_store(home, utc_now).turn("dream", "default"):
        held.set()
        release.wait()


def test_only_one_process_dreams_of_a_space_and_a_crash_frees_it(memory: Memory, clock: Any) -> None:
    memory.remember("a")
    clock.advance(seconds=300)
    context = multiprocessing.get_context("spawn")
    held, release = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(memory.settings.home, held, release))
    other.start()
    assert held.wait(60)
    with pytest.raises(Conflict, match="elsewhere"):
        memory.dream()
    assert Dreamer(memory).look() == []
    other.kill()
    other.join()
    assert [done.space for done in Dreamer(memory).look()] == ["default"]


def test_two_memories_take_turns(open_memory: Callable[..., Memory], clock: Any) -> None:
    one, other = open_memory(), open_memory()
    one.remember("a")
    clock.advance(seconds=300)
    assert len(Dreamer(one).look()) == 1
    assert Dreamer(other).look() == []


def test_dreaming_of_a_space_that_is_deleted_meanwhile_leaves_nothing(tmp_path: Path) -> None:
    with open_anywhere(settings=Settings(home=tmp_path / "home", embedder="none")) as memory:
        memory.remember("a")

        def deleted_meanwhile() -> bool:
            if memory.has_space("default"):
                memory.delete_space("default")
            return False

        memory.dream(cancelled=deleted_meanwhile)
        assert memory.spaces() == []
