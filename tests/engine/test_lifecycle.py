"""Does what is no longer of use leave, and can it be brought back?"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest

from recollect import Conflict, InvalidInput, NotFound
from recollect.engine.care.lifecycle import KINDS, Sweeping, _begin
from recollect.engine.read.by_signal import search_keywords, search_vectors
from recollect.engine.write import touches
from recollect.store.base import Changes, EvictionRule
from recollect.store.ops import Evict
from recollect.types import Filter


def fill(memory, count=10, **more):
    return [memory.remember(f"Note number {n} about tea", importance=n / 10, **more).id for n in range(count)]


def test_what_was_evicted_is_nowhere_in_the_present_and_in_the_past_as_before(memory, clock):
    ids = fill(memory)
    before = clock.now
    done = memory.evict(cap=4)
    assert [(one.space, one.verb, one.count, one.dry_run) for one in done] == [("default", "evict", 6, False)]
    for _ in range(2):  # before and after it is really retired
        assert [memory.get(id) is None for id in ids] == [True] * 6 + [False] * 4
        assert memory.count() == 4
        assert len(memory.list()) == 4
        assert memory.describe_space()[1].records == 4
        assert len(memory.recall("tea", limit=20)) == 4
        assert len(search_keywords(memory, "tea", limit=20)) == 4
        assert len(memory.list(as_of=before)) == 10
        assert len(memory.recall("tea", limit=20, as_of=before)) == 10
        assert memory.history(ids[0])[-1].change.verb == "evict"
        memory.sweeping.finish()
    assert memory.check() == []


def test_a_run_is_taken_back_as_a_whole(memory):
    ids = fill(memory)
    run = memory.evict(cap=4)[0]
    memory.undo(run.entry, reason="too much")
    assert sorted(record.id for record in memory.list()) == sorted(ids)
    assert len(memory.recall("tea", limit=20)) == 10
    assert [change.verb for change in memory.journal(limit=1)] == ["undo"]
    with pytest.raises(Conflict, match="taken back already"):
        memory.undo(run.entry)
    memory.sweeping.finish()
    assert memory.check() == []


def test_one_evicted_record_is_brought_back_by_its_own_entry(memory):
    ids = fill(memory)
    run = memory.evict(cap=4)[0]
    entry = memory.history(ids[2])[-1].change
    memory.undo(entry)
    assert memory.get(ids[2]).text == "Note number 2 about tea"
    memory.undo(run.entry)
    assert memory.count() == 10


def test_the_vectors_of_what_returns_need_not_be_computed_again(semantic):
    fill(semantic)
    semantic.embed_waiting()
    run = semantic.evict(cap=4)[0]
    semantic.undo(run.entry)
    assert semantic.count_waiting() == 0
    assert len(search_vectors(semantic, "tea", limit=20)) == 10


def test_an_id_that_was_evicted_can_be_used_again_at_once(memory):
    memory.remember("Dull", id="x", importance=0.0)
    memory.evict(max_age=timedelta(0), min_importance=0.5)
    assert memory.remember("Other", id="x").stored
    assert memory.get("x").text == "Other"
    assert memory.check() == []


def test_deleting_leaves_nothing(memory):
    ids = fill(memory)
    run = memory.evict(cap=9, delete=True)[0]
    assert run.count == 1
    assert memory.history(ids[0])[-1].change.verb == "forget"
    with pytest.raises(Conflict, match="can be brought back"):
        memory.undo(run.entry)
    assert memory.check() == []


def test_a_dry_run_counts_and_changes_nothing(memory, clock):
    fill(memory)
    clock.advance(days=40)
    entry = memory.last_entry()
    assert [one.count for one in memory.evict(cap=3, dry_run=True)] == [7]
    assert [one.count for one in memory.consolidate(dry_run=True)] == [10]
    assert memory.last_entry() == entry


def test_documents_and_code_are_not_evicted(memory, clock):
    memory.ingest("# Title\n\nA section about tea.", source="a.md", importance=0.0)
    memory.remember("def tea(): ...", kind="code", importance=0.0)
    clock.advance(days=400)
    assert [one.count for one in memory.evict(cap=0)] == [0]
    assert [one.count for one in memory.consolidate()] == [0]


def test_what_has_faded_is_told_everywhere_and_taken_back(memory, clock):
    id = memory.remember("Tea at five", confidence=0.8).id
    clock.advance(days=8)
    run = memory.consolidate(decay_rate=0.5)[0]
    assert memory.get(id).confidence == pytest.approx(0.4)
    assert memory.list()[0].confidence == pytest.approx(0.4)
    assert memory.recall("tea")[0].why.confidence == pytest.approx(0.4)
    later = memory.consolidate(decay_rate=0.5)
    assert later[0].count == 0  # it was recalled
    memory.undo(run.entry)
    assert memory.get(id).confidence == 0.8


def test_what_is_told_today_of_long_ago_fades_no_sooner_than_what_happens_today(memory, clock):
    long_ago = clock.now - timedelta(days=900)
    old = [memory.remember(f"Once there were {n} cups of tea", event_time=long_ago).id for n in range(20)]
    new = memory.remember("Tea at five").id
    coming = memory.remember("Tea with the queen", event_time=clock.now + timedelta(days=30)).id
    clock.advance(days=6)
    assert [one.count for one in memory.consolidate(decay_rate=0.5)] == [0]
    memory.revise(old[0], "Once there was no tea")
    clock.advance(days=2)
    memory.consolidate(decay_rate=0.5)
    assert {memory.get(id).confidence for id in [*old[1:], new]} == {0.5}
    assert {memory.get(id).confidence for id in (old[0], coming)} == {1.0}


def test_what_is_told_today_of_long_ago_is_not_evicted_as_old(memory, clock):
    long_ago, coming = clock.now - timedelta(days=2_500), clock.now + timedelta(days=60)
    old = [memory.remember(f"In the {n}th year of tea", event_time=long_ago, importance=0.1).id for n in range(20)]
    waiting = memory.remember("Tea with the queen", event_time=coming, importance=0.1).id
    assert [one.count for one in memory.evict()] == [0]
    clock.advance(days=20)
    memory.revise(old[0], "In the first year of tea")
    clock.advance(days=11)
    assert [one.count for one in memory.evict()] == [19]
    assert {record.id for record in memory.list()} == {old[0], waiting}
    clock.advance(days=60)
    assert [one.count for one in memory.evict()] == [2]


def test_beyond_the_cap_what_was_stored_first_leaves_first_whenever_it_happened(memory, clock):
    for n in range(10):
        memory.remember(f"Cup {n}")
    clock.advance(days=1)
    long_ago = clock.now - timedelta(days=2_500)
    told = [memory.remember(f"Cup {n} of long ago", event_time=long_ago).id for n in range(10)]
    assert [one.count for one in memory.evict(cap=10)] == [10]
    assert {record.id for record in memory.list(limit=20)} == set(told)


def test_runs_of_fading_are_taken_back_last_first(memory, clock):
    id = memory.remember("Tea at five").id
    clock.advance(days=8)
    first, second = (memory.consolidate(decay_rate=0.5)[0] for _ in range(2))
    with pytest.raises(Conflict, match=f"again in entry {second.entry}"):
        memory.undo(first.entry)
    memory.undo(second.entry)
    assert memory.get(id).confidence == 0.5
    memory.undo(first.entry)
    assert memory.get(id).confidence == 1.0


def test_a_revision_neither_refreshes_nor_states_what_has_faded(memory, clock):
    id = memory.remember("Tea at five").id
    clock.advance(days=8)
    memory.consolidate(decay_rate=0.5)
    changed = memory.revise(id, "Tea at six")
    assert memory.get(id).confidence == 0.5
    memory.undo(changed)
    assert (memory.get(id).text, memory.get(id).confidence) == ("Tea at five", 0.5)
    sure = memory.revise(id, confidence=0.9)
    assert memory.get(id).confidence == 0.9
    clock.advance(days=8)
    memory.consolidate(decay_rate=0.5)
    memory.undo(sure)
    assert memory.get(id).confidence == 1.0


def test_upkeep_of_one_space_leaves_the_others_alone(memory, clock):
    fill(memory, space="a")
    fill(memory, space="b")
    clock.advance(days=8)
    assert [(one.space, one.count) for one in memory.evict(space="a", cap=3)] == [("a", 7)]
    assert [(one.space, one.count) for one in memory.consolidate(space=["b"])] == [("b", 10)]
    assert [one.count for one in memory.evict(space=["a", "b"], cap=3)] == [0, 7]
    memory.delete_space("a")
    assert memory.check() == []


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda m: m.evict(min_importance=2), "min_importance"),
        (lambda m: m.evict(cap=-1), "cap"),
        (lambda m: m.evict(delete="yes"), "delete"),
        (lambda m: m.consolidate(decay_rate=-0.1), "decay_rate"),
    ],
)
def test_what_is_wrong_with_upkeep_is_named(memory, call, field):
    memory.remember("something")
    with pytest.raises(InvalidInput) as caught:
        call(memory)
    assert caught.value.field == field


def test_upkeep_of_a_space_that_is_not_there_is_an_error(memory):
    with pytest.raises(NotFound, match="nowhere"):
        memory.evict(space="nowhere")


def test_another_process_sees_what_was_evicted_at_once(open_memory):
    one, other = open_memory(), open_memory()
    fill(one)
    one.evict(cap=4)
    assert other.count() == 4
    one.sweeping.finish()
    other.reindex()
    assert other.count() == 4
    assert other.check() == []


def test_what_was_changed_since_a_run_looked_is_not_evicted(memory):
    ids = fill(memory, 4)
    rule = EvictionRule(kinds=KINDS, older_than=memory.core.clock(), min_importance=1.0, min_confidence=0.1, cap=10)
    store = memory.core.store
    with store.read() as view:
        due = view.due("default", rule)
    assert sorted(due.ids) == sorted(ids)
    memory.revise(ids[0], text="Other words")
    memory.forget(ids[1])
    with store.write() as edit:
        run = _begin(edit, "default", "evict", "2 to archive")
        op = Evict(run=run, space="default", versions=due.versions, ids=due.ids)
        assert [done.count for done in edit.apply([op, op])] == [2, 0]
        gone = edit.select(int, Filter(run=run, past=True, valid_only=False))
        assert sorted(gone) == sorted(memory_version(edit, id) for id in ids[2:])
    assert [record.text for record in memory.list()] == ["Other words"]
    memory.undo(run)
    assert sorted(record.id for record in memory.list()) == sorted([ids[0], *ids[2:]])
    assert memory.check() == []


def memory_version(view, id):
    return view.journal(Changes(object_id=id), limit=1)[0].after


def test_what_is_swept_leaves_the_counts_and_the_words_as_a_rebuild_would(memory):
    fill(memory, session="s")
    memory.evict(cap=5)
    memory.sweeping.finish()
    with memory.core.store.read() as view:
        before = view.words(["default"], [], Filter(), None)["default"]
    memory.reindex()
    with memory.core.store.read() as view:
        after = view.words(["default"], [], Filter(), None)["default"]
        assert (after.records, after.length) == (before.records, before.length)
        assert before.records == 5
    assert memory.check() == []


def test_what_a_process_that_ended_too_soon_left_is_swept_by_the_next_that_opens(open_memory, monkeypatch):
    memory = open_memory()
    fill(memory)
    with monkeypatch.context() as patch:
        patch.setattr(Sweeping, "wake", lambda _: None)  # it ended before it came to that
        memory.evict(cap=4)
        memory.close()
    with open_memory() as again:
        again.sweeping.finish()
        with again.core.store.read() as view:
            assert view.count(Filter(evicted=True, past=True, valid_only=False)) == 0
            assert view.words(["default"], [], Filter(), None)["default"].records == 4
        assert again.check() == []


def test_a_recall_does_not_wait_for_somebody_who_writes(open_memory, monkeypatch):
    monkeypatch.setattr(touches, "_FLUSH_SECONDS", 0.0)  # so every recall is a reason to write how often it was
    memory = open_memory()
    memory.remember("The gateway validates tokens.", id="a")
    with closing(sqlite3.connect(memory.settings.home / "recollect.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert [hit.record.id for hit in memory.recall("gateway")] == ["a"]
        assert [hit.record.id for hit in memory.recall("gateway")] == ["a"]
        other.execute("ROLLBACK")
    memory.close()
    assert open_memory().get("a").access_count == 2
