"""Can a memory be kept from growing for ever, without ever saying what is not so?"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import cast

import pytest
from tests.conftest import Clock
from tests.pgserver import store_url

import recollect
from recollect import Conflict, InvalidInput, Memory, NotFound, Settings
from recollect.engine.care.schedule import Scheduler, upkeep_tasks
from recollect.store.base import Changes

MONTH = timedelta(days=30)


@pytest.fixture(params=["postgres", "sqlite"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str | None:
    return store_url(tmp_path) if request.param == "postgres" else None


@pytest.fixture
def kept(place: str | None, tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    """A memory in either kind of store."""
    numbers = count(1)
    settings = Settings(home=tmp_path / "home", store=place, embedder="none")
    with recollect.open(settings=settings, clock=clock, new_id=lambda: f"r{next(numbers):04}") as memory:
        yield memory


def entries(memory: Memory) -> list[tuple[str, str]]:
    return [(one.verb, one.object_id) for one in memory.journal(limit=1_000, newest_first=False)]


def test_superseded_texts_and_their_entries_go_and_what_holds_stays(kept: Memory, clock: Clock) -> None:
    kept.remember("The first text about tea", id="a")
    kept.revise("a", "The second text about tea")
    kept.remember("Never touched since", id="b")
    clock.advance(days=60)
    later = kept.revise("a", "The third text about tea")
    clock.advance(days=20)
    kept.revise("a", "The fourth text about tea")
    assert [(one.verb, one.count, one.dry_run) for one in kept.thin(older_than=MONTH, dry_run=True)] == [
        ("thin", 1, True)
    ]
    done = kept.thin(older_than=MONTH)[0]
    assert (done.verb, done.count) == ("thin", 1)
    assert [step.record.text for step in kept.history("a") if step.record is not None] == [
        "The second text about tea", "The third text about tea", "The fourth text about tea",
    ]  # fmt: skip
    assert kept.history("a")[0].thinned is not None
    assert [step.change.verb for step in kept.history("b")] == ["remember"]
    assert kept.history("b")[0].thinned is None
    kept.undo(kept.history("a")[-1].change)
    kept.undo(later)
    assert kept.get("a").text == "The second text about tea"
    assert kept.check() == []


def test_what_was_known_before_the_horizon_is_refused_and_after_it_told(kept: Memory, clock: Clock) -> None:
    kept.remember("The first text about tea", id="a")
    kept.relate("Mira", "works_at", "Acme")
    early = clock.now
    clock.advance(days=60)
    kept.revise("a", "The second text about tea")
    clock.advance(days=60)
    later = clock.now - timedelta(days=20)
    kept.thin(older_than=MONTH)
    for ask in (
        lambda: kept.get("a", as_of=early),
        lambda: kept.list(as_of=early),
        lambda: kept.recall("tea", as_of=early),
        lambda: kept.facts("Mira", as_of=early),
        lambda: kept.neighbors("Mira", as_of=early),
    ):
        with pytest.raises(InvalidInput, match="thinned up to"):
            ask()
    assert kept.get("a", as_of=later).text == "The second text about tea"
    assert [hit.record.text for hit in kept.recall("tea", as_of=later)] == ["The second text about tea"]
    assert len(kept.facts("Mira", as_of=later)) == 1
    assert kept.list(true_at=early)


def test_an_act_before_the_horizon_is_not_undone_by_halves(kept: Memory, clock: Clock) -> None:
    first = kept.remember("The first text about tea", id="a")
    second = kept.revise("a", "The second text about tea")
    kept.revise("a", "The third text about tea")
    clock.advance(days=60)
    kept.thin(older_than=MONTH)
    with pytest.raises(Conflict, match="thinned up to"):
        kept.undo(kept.history("a")[-1].change)
    for gone in (first, second):
        with pytest.raises(NotFound, match="history was thinned, up to"):
            kept.undo(gone)
    assert kept.get("a").text == "The third text about tea"


def test_what_left_the_present_goes_for_good_and_an_old_export_does_not_bring_it_back(
    kept: Memory, clock: Clock, tmp_path: Path
) -> None:
    for number in range(6):
        kept.remember(f"Note number {number} about tea", id=f"n{number}", importance=number / 10)
    file = tmp_path / "before.jsonl"
    kept.export(file)
    run = kept.evict(cap=2)[0]
    kept.sweeping.finish()
    clock.advance(days=60)
    assert kept.thin(older_than=MONTH)[0].count == 4
    assert (kept.count(), kept.recall("tea", limit=20, valid_only=False)[0].record.id) == (2, "n5")
    with pytest.raises(NotFound):
        kept.undo(run.entry)
    assert [one for one in entries(kept) if one[1] == "n0"] == [("thin", "n0")]
    clock.advance(days=60)
    for _ in range(2):  # and once the journal says nothing of them any more
        done = kept.import_(file)[0]
        assert (done.records, sorted(done.forgotten)) == (0, ["n0", "n1", "n2", "n3"])
        kept.thin(older_than=MONTH)
    assert [one for one in entries(kept) if one[1] == "n0"] == []
    assert kept.remember("Another note of that id", id="n0").stored
    assert kept.check() == []


def test_what_something_refers_to_stays_as_it_was_last(kept: Memory, clock: Clock) -> None:
    for id in ("alone", "told", "cited"):
        kept.remember(f"{id}: tea is served at five", id=id, importance=0.1)
        kept.revise(id, f"{id}: tea is served at four")
    kept.relate("Mira", "drinks", "tea", provenance="told")
    summary = kept.summarize(strategy="extractive", limit=1)
    kept.evict(max_age=timedelta(0), min_importance=0.2)
    kept.sweeping.finish()
    assert (kept.count(), kept.get(summary.id) is not None) == (1, True)
    clock.advance(days=60)
    kept.thin(older_than=MONTH)
    assert [kept.history(id)[-2].record.text for id in ("cited", "told")] == [
        "cited: tea is served at four", "told: tea is served at four",
    ]  # fmt: skip
    assert {id for verb, id in entries(kept) if verb == "thin"} == {"alone", "default"}
    kept.forget(summary.id)
    kept.forget_fact(kept.facts("Mira")[0].relation.id)
    kept.thin(older_than=timedelta(days=29))
    assert {id for verb, id in entries(kept) if verb == "thin"} == {"cited", "told", "alone", "default"}
    assert kept.check() == []


def test_a_merge_that_somebody_took_back_is_not_made_again(kept: Memory, clock: Clock) -> None:
    kept.remember("The deploy is on Tuesday", id="a")
    kept.remember("The deploy is on Tuesday morning", id="b")
    merged = kept.supersede("a", "b", reason="the same")
    undone = kept.undo(merged)
    clock.advance(days=60)
    kept.thin(older_than=MONTH)
    with kept.core.store.read() as view:
        told = view.journal(Changes(object_id="a"))
    assert [(one.verb, one.undoes) for one in told][-1] == ("undo", merged.entry)
    assert merged.entry in {one.entry for one in told}
    assert undone.entry in {one.entry for one in told}


def test_of_what_was_forgotten_a_mark_stays_and_no_entry(kept: Memory, clock: Clock) -> None:
    for number in range(5):
        kept.remember(f"Secret {number}", id=f"s{number}")
        kept.revise(f"s{number}", f"Another secret {number}")
        kept.forget(f"s{number}")
    clock.advance(days=20)
    kept.thin(older_than=MONTH)
    assert {verb for verb, id in entries(kept) if id.startswith("s")} == {"remember", "revise", "forget"}
    clock.advance(days=20)
    kept.thin(older_than=MONTH)
    assert entries(kept) == [("create", "default"), ("thin", "default")]
    assert kept.check() == []


@pytest.mark.parametrize("dropped", [False, True])
def test_what_was_forgotten_before_the_horizon_does_not_come_back(
    kept: Memory, clock: Clock, tmp_path: Path, dropped: bool
) -> None:
    kept.remember("Tea at five", id="gone")
    kept.remember("Tea at four", id="here")
    kept.relate("Mira", "drinks", "tea")
    kept.export(tmp_path / "before.jsonl")
    (tmp_path / "notes").mkdir()
    kept.sync(tmp_path / "notes")
    shutil.copytree(tmp_path / "notes", tmp_path / "copy")
    kept.forget("gone")
    kept.forget_fact(kept.facts("Mira")[0].relation.id)
    kept.sync(tmp_path / "notes")
    clock.advance(days=60)
    kept.thin(older_than=MONTH)
    assert not {"gone", "Mira"}.intersection(id for _, id in entries(kept))
    if dropped:
        kept.delete_space("default")
    else:
        shutil.copytree(tmp_path / "copy", tmp_path / "notes", dirs_exist_ok=True)
        assert [one.problem for one in kept.sync(tmp_path / "notes").problems if "forgotten" in one.problem] != []
    [done] = kept.import_(tmp_path / "before.jsonl")
    assert (done.records, done.facts, "gone" in done.forgotten) == (int(dropped), 0, True)
    assert [one.id for one in kept.list()] == ["here"]
    assert kept.check() == []


def test_what_came_back_under_the_id_of_something_forgotten_is_there_as_any_other(
    kept: Memory, clock: Clock, tmp_path: Path
) -> None:
    kept.remember("Tea at five", id="a")
    kept.forget("a")
    clock.advance(days=60)
    kept.thin(older_than=MONTH)
    kept.remember("Tea at four", id="a")
    kept.export(tmp_path / "all.jsonl")
    [done] = kept.import_(tmp_path / "all.jsonl")
    assert (done.records, done.records_present, done.forgotten) == (0, 1, ())
    kept.forget("a")
    clock.advance(days=60)
    kept.thin(older_than=MONTH)
    assert kept.import_(tmp_path / "all.jsonl")[0].forgotten == ("a",)


def test_a_conversation_that_was_forgotten_goes_on_from_the_moment_of_that(
    kept: Memory, clock: Clock, tmp_path: Path
) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(talked("Green tea.", "Black tea."))
    kept.capture(file)
    [source] = kept.list(kinds=["source"])
    kept.forget(source.id)
    forgotten = clock.now
    clock.advance(days=60)
    kept.thin(older_than=MONTH)
    assert entries(kept)[0] == ("create", "default")
    kept.capture(file)
    assert kept.list(kinds=["message"]) == []
    later = json.loads(talked("White tea."))
    later["timestamp"] = (forgotten + timedelta(minutes=1)).isoformat()
    file.write_text(talked("Green tea.", "Black tea.") + json.dumps(later) + "\n")
    kept.capture(file)
    assert [one.text for one in kept.list(kinds=["message"])] == ["White tea."]


def test_runs_of_upkeep_and_notes_go_and_the_first_entry_stays(kept: Memory, clock: Clock) -> None:
    kept.remember("Tea at five", id="a")
    first = kept.journal(limit=1, newest_first=False)[0]
    for _ in range(3):
        clock.advance(days=10)
        kept.consolidate()
    clock.advance(days=60)
    kept.thin(older_than=MONTH)
    assert kept.journal(limit=1, newest_first=False) == [first]
    assert [verb for verb, _ in entries(kept)] == ["create", "remember", "thin"]
    assert kept.get("a").confidence < 1.0
    assert kept.thin(older_than=MONTH)[0].count == 0
    assert kept.check() == []


def test_an_export_of_what_is_left_comes_in_as_it_was(kept: Memory, clock: Clock, tmp_path: Path) -> None:
    for number in range(4):
        kept.remember(f"Note number {number}", id=f"n{number}")
        kept.revise(f"n{number}", f"Another note {number}")
        kept.relate(f"Person {number}", "knows", f"Person {number + 1}")
    kept.forget("n3")
    clock.advance(days=60)
    kept.thin(older_than=MONTH)
    written = io.BytesIO()
    kept.export(written)
    file = tmp_path / "all.jsonl"
    file.write_bytes(written.getvalue())
    again = io.BytesIO()
    with recollect.open(settings=Settings(home=tmp_path / "other", embedder="none"), clock=clock) as other:
        other.import_(file)
        with pytest.raises(InvalidInput, match="thinned up to"):
            other.list(as_of=clock.now - timedelta(days=59))
        other.export(again)
        assert other.check() == []
    assert again.getvalue() == written.getvalue()


def test_one_space_is_thinned_and_the_others_keep_all(kept: Memory, clock: Clock) -> None:
    for space in ("work", "home"):
        kept.remember("First", id="a", space=space)
        kept.revise("a", "Second", space=space)
    early = clock.now
    clock.advance(days=60)
    assert [(one.space, one.count) for one in kept.thin(older_than=MONTH, space="work")] == [("work", 1)]
    assert kept.list(space="home", as_of=early)[0].text == "Second"
    assert [len(kept.history("a", space=space)) for space in ("work", "home")] == [1, 2]
    kept.delete_space("work")
    assert kept.check() == []


def test_a_service_thins_by_itself_where_it_is_told_for_how_long_history_is_kept(tmp_path: Path, clock: Clock) -> None:
    for days in (None, 30):
        settings = Settings(home=tmp_path / str(days), embedder="none", history_days=days)
        with recollect.open(settings=settings, clock=clock) as memory:
            memory.remember("First", id="a")
            memory.revise("a", "Second")
            clock.advance(days=60)
            tasks = [task for task in upkeep_tasks(memory) if task.name == "thin"]
            done = Scheduler(memory, tasks, clock=clock).look()
            assert (done, len(memory.history("a"))) == ((["thin"], 1) if days else ([], 2))


def test_a_clock_that_was_wrong_makes_nothing_come_back_by_halves(kept: Memory, clock: Clock) -> None:
    now = clock.now
    clock.advance(days=400)
    kept.remember("First", id="a")
    wrong = kept.revise("a", "Second")
    clock.now = now
    clock.advance(days=1)
    kept.revise("a", "Third")
    clock.advance(days=60)
    kept.thin(older_than=MONTH)
    for entry in [one.entry for one in kept.journal(limit=100) if one.object_id == "a"] + [wrong.entry]:
        with pytest.raises((Conflict, NotFound), match="thinned"):
            kept.undo(entry)
    assert kept.get("a").text == "Third"
    assert kept.check() == []


def talked(*said: str) -> str:
    """A transcript as Claude Code writes it."""
    lines = [
        {"type": "user", "sessionId": "s1", "timestamp": f"2026-05-10T12:0{n}:00Z",
         "message": {"role": "user", "content": text}}
        for n, text in enumerate(said)
    ]  # fmt: skip
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_an_ingest_that_was_undone_comes_back_when_its_file_is_read_again(
    kept: Memory, clock: Clock, tmp_path: Path
) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(talked("Green tea.", "Black tea."))
    [first] = kept.ingest_transcript(file)
    kept.undo(first.entries[0], whole=True)
    clock.advance(days=60)
    assert kept.thin(older_than=timedelta(0))[0].count > 0
    clock.advance(days=1)
    kept.thin(older_than=timedelta(0))
    [again] = kept.ingest_transcript(file)
    assert (again.outcome, again.added, again.forgotten) == ("stored", 2, ())
    file.write_text(talked("Green tea.", "Black tea.", "White tea."))
    assert kept.ingest_transcript(file)[0].added == 1
    kept.forget(next(one.id for one in kept.list(kinds=["message"]) if one.text == "Black tea."))
    kept.thin(older_than=timedelta(0))
    file.write_text(talked("Green tea.", "Black tea.", "White tea.", "Red tea."))
    [last] = kept.ingest_transcript(file)
    assert (last.added, len(last.forgotten)) == (1, 1)
    assert {one.text for one in kept.list(kinds=["message"])} == {"Green tea.", "White tea.", "Red tea."}
    assert kept.check() == []


@pytest.mark.parametrize("thinned", [0, 1, 2])
def test_messages_that_were_evicted_stay_away_when_their_transcript_goes_on(
    kept: Memory, clock: Clock, tmp_path: Path, thinned: int
) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(talked("Green tea.", "Black tea."))
    kept.ingest_transcript(file)
    clock.advance(days=60)
    assert kept.evict(cap=1, min_importance=0.0)[0].count == 1
    kept.sweeping.finish()
    for times in range(thinned):
        clock.advance(days=60)
        assert kept.thin(older_than=MONTH)[0].count == (not times)
    file.write_text(talked("Green tea.", "Black tea.", "White tea."))
    [done] = kept.ingest_transcript(file)
    assert (done.added, len(done.forgotten)) == (1, 1)
    assert len(kept.list(kinds=["message"])) == 2
    assert kept.capture(file).messages == 0
    assert kept.check() == []


def test_an_import_that_was_undone_comes_back_when_it_is_made_again(kept: Memory, clock: Clock, tmp_path: Path) -> None:
    file = tmp_path / "other.jsonl"
    with recollect.open(settings=Settings(home=tmp_path / "other", embedder="none"), clock=clock) as other:
        other.remember("Tea is served at five", id="tea")
        other.revise("tea", "Tea is served at four")
        other.relate("Mira", "drinks", "tea")
        other.export(file)
    kept.remember("Here before", id="here")
    kept.import_(file)
    kept.undo(next(one.entry for one in kept.journal(limit=100) if one.verb == "import"), whole=True)
    assert (kept.count(), kept.facts("Mira")) == (1, [])
    clock.advance(days=60)
    assert kept.thin(older_than=timedelta(0))[0].count > 0
    clock.advance(days=1)
    kept.thin(older_than=timedelta(0))
    [done] = kept.import_(file)
    assert (done.records, done.facts, done.forgotten) == (1, 1, ())
    assert kept.get("tea").text == "Tea is served at four"
    assert kept.check() == []


@pytest.mark.parametrize(
    ("age", "told"), [(5, "not int"), ("90d", "not str"), (None, "not nothing"), (-MONTH, "-30 days")]
)
def test_an_age_that_is_none_is_refused_and_says_what_would_be_right(memory: Memory, age: object, told: str) -> None:
    with pytest.raises(InvalidInput, match=rf"older_than.*0 days \(0d\).*timedelta\(days=90\).*{told}"):
        memory.thin(older_than=cast("timedelta", age))
    with pytest.raises(InvalidInput, match=rf"max_age.*{told}"):
        memory.evict(max_age=cast("timedelta", age))


@pytest.mark.parametrize("chosen", [{}, {"space": "default"}, {"project": "tea"}])
def test_thinned_history_is_not_answered_as_whole_where_it_was_merged(
    kept: Memory, clock: Clock, tmp_path: Path, chosen: dict[str, str]
) -> None:
    kept.remember("The first text about tea", id="a", project="tea")
    kept.remember("Another text about tea", id="b", project="tea")
    kept.revise("a", "The second text about tea")
    early = clock.now
    clock.advance(days=60)
    kept.thin(older_than=MONTH)
    file = tmp_path / "thinned.jsonl"
    kept.export(file, **chosen)
    with recollect.open(settings=Settings(home=tmp_path / "other", embedder="none"), clock=clock) as other:
        other.remember("Here before", id="here")
        later = clock.now
        other.remember("Elsewhere", id="c", space="apart")
        other.import_(file)
        with pytest.raises(InvalidInput, match="thinned up to"):
            other.list(as_of=early, space="default")
        assert {one.id for one in other.list(as_of=later, space="default")} == {"a", "b", "here"}
        assert other.list(as_of=early, space="apart") == []
        assert other.check() == []


def test_an_older_export_does_not_overwrite_what_was_said_again_since_history_was_thinned(
    kept: Memory, clock: Clock, tmp_path: Path
) -> None:
    kept.remember("Tea is at five", id="a")
    kept.remember("Cake is at six", id="b")
    clock.advance(days=1)
    kept.revise("a", "Tea is at four")
    kept.evict(cap=1, min_importance=0.0)
    kept.sweeping.finish()
    gone = next(id for id in ("a", "b") if kept.get(id) is None)
    file = tmp_path / "older.jsonl"
    kept.export(file)
    clock.advance(days=1)
    kept.undo(next(one.entry for one in kept.journal(limit=9) if one.verb == "evict" and one.object_type == "space"))
    kept.revise("a", "Tea is at five")
    [done] = kept.import_(file)
    assert (done.newer, done.differing, kept.get(gone) is not None) == (0, (), True)
    clock.advance(days=60)
    assert kept.thin(older_than=MONTH)[0].count > 0
    before = {one.id: one.text for one in kept.list()}
    [done] = kept.import_(file)
    assert (done.records, done.newer, {one.id: one.text for one in kept.list()}) == (0, 0, before)
    assert before == {"a": "Tea is at five", "b": "Cake is at six"}
    assert {one.id for one in done.differing} <= {"a", "b"}
    assert kept.check() == []


def test_a_thinned_export_that_went_on_is_told_where_it_cannot_be_told_which_is_later(
    kept: Memory, clock: Clock, tmp_path: Path
) -> None:
    with recollect.open(settings=Settings(home=tmp_path / "other", embedder="none"), clock=clock) as other:
        other.remember("Tea is at five", id="a")
        other.revise("a", "Tea is at four")
        other.export(tmp_path / "early.jsonl")
        clock.advance(days=1)
        other.revise("a", "Tea is at five")
        clock.advance(days=60)
        other.thin(older_than=MONTH)
        other.export(tmp_path / "late.jsonl")
    kept.remember("Here before", id="here")
    kept.import_(tmp_path / "early.jsonl")
    [done] = kept.import_(tmp_path / "late.jsonl")
    assert [(one.here, one.there) for one in done.differing] == [("Tea is at four", "Tea is at five")]
    assert [one.thinned for one in done.differing] == [True]  # told as what cannot be told, not as a change of both


def test_what_was_changed_on_both_sides_since_history_was_thinned_is_told_as_that(
    kept: Memory, clock: Clock, tmp_path: Path
) -> None:
    kept.remember("Tea is at five", id="a")
    kept.remember("Cake is at six", id="b")
    kept.revise("a", "Tea is at four")
    clock.advance(days=60)
    kept.thin(older_than=MONTH)
    kept.export(tmp_path / "shared.jsonl")
    with recollect.open(settings=Settings(home=tmp_path / "other", embedder="none"), clock=clock) as other:
        other.remember("Here before", id="here")
        other.import_(tmp_path / "shared.jsonl")
        clock.advance(days=1)
        for memory, side in ((kept, "here"), (other, "there")):
            memory.revise("a", f"Tea is {side}")
        other.revise("b", "Cake is at seven")
        other.export(tmp_path / "other.jsonl", space="default")
    clock.advance(days=1)
    [done] = kept.import_(tmp_path / "other.jsonl")
    assert [(one.here, one.there, one.thinned) for one in done.differing] == [("Tea is here", "Tea is there", False)]
    assert (done.newer, kept.get("b").text) == (1, "Cake is at seven")


def test_a_thinned_memory_is_moved_as_it_is(kept: Memory, clock: Clock, tmp_path: Path) -> None:
    kept.remember("The first text about tea", id="a")
    kept.revise("a", "The second text about tea")
    kept.remember("Evicted", id="b", importance=0.1)
    kept.relate("Mira", "drinks", "tea")
    early = clock.now
    kept.evict(cap=1, min_importance=0.0)
    kept.sweeping.finish()
    clock.advance(days=60)
    kept.thin(older_than=MONTH)
    written = io.BytesIO()
    kept.export(written)
    settings = kept.core.settings
    kept.close()
    target = tmp_path / "moved" if settings.store is not None else store_url(tmp_path, "moved")
    recollect.move(settings.store or settings.home, target)
    moved = io.BytesIO()
    at = {"home": target} if isinstance(target, Path) else {"home": tmp_path, "store": target}
    with recollect.open(settings=Settings(**at, embedder="none"), clock=clock) as other:
        with pytest.raises(InvalidInput, match="thinned up to"):
            other.list(as_of=early)
        other.export(moved)
        assert other.check() == []
        assert other.thin(older_than=MONTH)[0].count == 0
    assert moved.getvalue() == written.getvalue()


@pytest.mark.parametrize("dated", [True, False])
@pytest.mark.parametrize("way", ["forget", "evict"])
def test_a_forgotten_message_stays_away_where_its_import_was_undone_and_history_thinned(
    kept: Memory, clock: Clock, tmp_path: Path, dated: bool, way: str
) -> None:
    times = [{"created_at": f"2026-01-01T10:00:0{n}Z"} if dated else {} for n in range(4)]
    said = [{"role": "user", "content": f"Tea number {n}", **at} for n, at in enumerate(times)]
    path = tmp_path / "talk.json"
    path.write_text(json.dumps({"messages": said, "id": "tea"}))
    kept.ingest_transcript(path)
    first, texts = kept.last_entry(), {one.id: one.text for one in kept.list(kinds=["message"])}
    if way == "forget":
        kept.forget(next(id for id, text in texts.items() if text == "Tea number 1"))
    else:
        kept.evict(cap=3, min_importance=0)
    (gone,) = {*texts} - {one.id for one in kept.list(kinds=["message"])}
    kept.undo(first, whole=True)
    for _ in range(2):
        clock.advance(days=60)
        kept.thin(older_than=MONTH)
    assert (kept.list(kinds=["message"]), kept.sessions(), kept.check()) == ([], [], [])
    for _ in range(2):
        (done,) = kept.ingest_transcript(path)
        assert done.forgotten == (gone,)
        held = {one.text for one in kept.list(kinds=["message"])}
        assert held == {*texts.values()} - {texts[gone]}
    assert kept.check() == []
