"""Does what was forgotten or evicted stay away, however it came and however little history tells of it?"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Literal, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import Clock
from tests.pgserver import store_url

import recollect
from recollect import Memory, Settings, StoreDamaged
from recollect.engine.core import forgotten_among, ways_out
from recollect.store.marks import BUCKETS, Bucket
from recollect.store.sql.edit import SqlEdit
from recollect.store.sql.seal import NOTED, seal
from recollect.types import Change, Entity, Record, Relation

MONTH = timedelta(days=30)


@pytest.fixture(params=["postgres", "sqlite"])
def kept(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    place = store_url(tmp_path) if request.param == "postgres" else None
    settings = Settings(home=tmp_path / "home", store=place, embedder="none")
    numbers = count(1)
    with recollect.open(settings=settings, clock=clock, new_id=lambda: f"r{next(numbers):04}") as memory:
        yield memory


def together(memory: Memory, _: Path) -> None:
    memory.remember_many([{"text": f"Note {n} about tea", "id": f"n{n}", "importance": n / 10} for n in range(3)])


def from_files(memory: Memory, folder: Path) -> None:
    (folder / "notes").mkdir()
    for number in range(3):
        (folder / "notes" / f"n{number}.md").write_text(f"---\nid: n{number}\n---\n\nNote {number} about tea\n")
    memory.sync(folder / "notes")


def by_talk(memory: Memory, _: Path) -> None:
    memory.ingest_conversation([{"role": "user", "content": f"Tea number {n}, please"} for n in range(3)], session="s")


def by_a_fact(memory: Memory, _: Path) -> None:
    memory.relate("Mira", "drinks", "tea")
    memory.relate("Ugo", "drinks", "tea")


def begun(memory: Memory) -> Change:
    """What came first in an act of several."""
    changes = memory.journal(limit=1_000, newest_first=False)
    acts = {one.act for one in changes}
    return next(one for one in changes if one.entry in acts and one.object_type != "space")


def thin_twice(memory: Memory, clock: Clock) -> None:
    """Until the journal says nothing any more of what is gone."""
    for _ in range(2):
        clock.advance(days=60)
        memory.thin(older_than=MONTH)


def is_there(memory: Memory, change: Change) -> bool:
    types: dict[str, type[Record | Entity | Relation]] = {"record": Record, "entity": Entity, "relation": Relation}
    with memory.core.store.read() as view:
        return view.get(types[change.object_type], change.space, change.object_id) is not None


def forget(memory: Memory, gone: Change) -> None:
    (memory.forget if gone.object_type == "record" else memory.forget_fact)(gone.object_id)


def evict(memory: Memory, gone: Change) -> None:
    memory.revise(gone.object_id, importance=0.0)
    memory.evict(max_age=timedelta(0), min_importance=0.05)
    memory.sweeping.finish()


@pytest.mark.parametrize(
    ("come", "leave"),
    [
        (together, forget), (from_files, forget), (by_talk, forget), (by_a_fact, forget),
        (together, evict), (from_files, evict), (by_talk, evict),
    ],
)  # fmt: skip
def test_what_began_an_act_and_is_gone_does_not_come_back_once_history_is_thinned(
    kept: Memory, clock: Clock, tmp_path: Path,
    come: Callable[[Memory, Path], None], leave: Callable[[Memory, Change], None],
) -> None:  # fmt: skip
    kept.remember("Here before", id="before")
    come(kept, tmp_path)
    kept.export(tmp_path / "old.jsonl")
    if (tmp_path / "notes").exists():
        shutil.copytree(tmp_path / "notes", tmp_path / "copy")
    gone = begun(kept)
    leave(kept, gone)
    if (tmp_path / "notes").exists():
        kept.sync(tmp_path / "notes")
    clock.advance(days=1)
    kept.remember("Here after", id="after")
    thin_twice(kept, clock)
    assert gone.object_id not in {one.object_id for one in kept.journal(limit=1_000)}
    if (tmp_path / "copy").exists() and leave is forget:
        shutil.copytree(tmp_path / "copy", tmp_path / "notes", dirs_exist_ok=True)
        assert ["forgotten here" in one.problem for one in kept.sync(tmp_path / "notes").problems] == [True]
    [done] = kept.import_(tmp_path / "old.jsonl")
    assert gone.object_id in done.forgotten
    assert not is_there(kept, gone)
    assert kept.check() == []


def test_an_entry_that_an_earlier_release_left_of_what_is_gone_hides_no_mark(
    kept: Memory, clock: Clock, tmp_path: Path
) -> None:
    together(kept, tmp_path)
    kept.export(tmp_path / "old.jsonl")
    first = begun(kept)
    forget(kept, first)
    clock.advance(days=1)
    kept.remember("Here after", id="after")
    thin_twice(kept, clock)
    with kept.core.store.write() as edit:
        db = cast("SqlEdit", edit).database
        [row] = db.rows(f"SELECT {', '.join(NOTED)} FROM journal WHERE entry = ?", (first.entry,))
        left = {**dict(zip(NOTED, row, strict=True)), "object_type": "record", "object_id": first.object_id}
        db.run(
            "UPDATE journal SET object_type = 'record', object_id = ?, checksum = ? WHERE entry = ?",
            (first.object_id, seal([left[name] for name in NOTED]), first.entry),
        )
    assert ways_out_of(kept, first.object_id) == {first.object_id: "forget"}
    with kept.core.store.read() as view:
        assert list(forgotten_among(view, "default", "record", [first.object_id])) == [first.object_id]
    assert kept.import_(tmp_path / "old.jsonl")[0].forgotten == (first.object_id,)
    kept.remember("Tea once more", id=first.object_id)
    with kept.core.store.read() as view:
        assert forgotten_among(view, "default", "record", [first.object_id]) == {}
    assert kept.check() == []


@pytest.mark.parametrize(
    "then",
    [
        "remember undo thin", "thin remember undo", "thin remember undo thin", "remember evict thin",
        "thin remember evict", "thin remember evict thin",
    ],
)  # fmt: skip
@pytest.mark.parametrize("again", ["Tea at five", "Boats"])
def test_what_was_forgotten_stays_away_when_what_came_under_its_id_has_gone_too(
    kept: Memory, clock: Clock, tmp_path: Path, then: str, again: str
) -> None:
    kept.remember("Here before", id="before")
    kept.remember("Tea at five", id="a")
    (tmp_path / "notes").mkdir()
    kept.sync(tmp_path / "notes")
    shutil.copytree(tmp_path / "notes", tmp_path / "copy")
    kept.export(tmp_path / "old.jsonl")
    kept.forget("a")
    for step in then.split():
        clock.advance(days=1)
        if step == "remember":
            kept.remember(again, id="a", importance=0.0)
        elif step == "undo":
            kept.undo(kept.acts(limit=1)[0])
        elif step == "evict":
            kept.evict(max_age=timedelta(0), min_importance=0.05)
            kept.sweeping.finish()
        else:
            thin_twice(kept, clock)
    with kept.core.store.read() as view:
        assert list(forgotten_among(view, "default", "record", ["a", "before"])) == ["a"]
        assert ways_out(view, "default", "record", ["a"]) == {"a": "forget"}
    assert kept.import_(tmp_path / "old.jsonl")[0].forgotten == ("a",)
    kept.sync(tmp_path / "notes")
    shutil.copytree(tmp_path / "copy", tmp_path / "notes", dirs_exist_ok=True)
    assert ["forgotten here" in one.problem for one in kept.sync(tmp_path / "notes").problems] == [True]
    assert {one.id for one in kept.list()} == {"before"}
    assert kept.check() == []


def test_marks_that_are_not_as_written_are_told_by_either_store(kept: Memory, clock: Clock) -> None:
    kept.remember("Tea at five", id="a")
    kept.forget("a")
    clock.advance(days=60)
    kept.thin(older_than=MONTH)
    assert kept.check() == []
    with kept.core.store.write() as edit:
        assert list(edit.kept(BUCKETS, space="default")) == [""]
        edit.keep(BUCKETS, {"": Bucket({}, 0)}, space="default")
    [told] = kept.check()
    assert "marks of what was forgotten or evicted are not as written (space default)" in told
    with pytest.raises(StoreDamaged, match="marks of what is gone for good"):
        ways_out_of(kept, "a")


def ways_out_of(memory: Memory, id: str) -> dict[str, str]:
    with memory.core.store.read() as view:
        return ways_out(view, "default", "record", [id])


Step = tuple[Literal["remember", "forget", "evict", "thin", "export", "import"], frozenset[int]]
some = st.frozensets(st.integers(0, 4), min_size=1)
_TO_BEGIN: tuple[Step, ...] = (("remember", frozenset(range(5))), ("export", frozenset()))
_TO_THE_END: tuple[Step, ...] = (("thin", frozenset()), ("thin", frozenset()), ("import", frozenset()))
steps = st.lists(st.tuples(st.sampled_from(["remember", "forget", "evict", "thin", "export", "import"]), some))


@given(steps)
def test_no_old_export_brings_back_what_is_gone_whatever_was_done(done: list[Step]) -> None:
    """What is remembered anew under an id that something gone had is there again; by an import nothing is."""
    clock, gone = Clock(), set[str]()
    with tempfile.TemporaryDirectory() as folder:
        exports: list[Path] = []
        with recollect.open(settings=Settings(home=Path(folder) / "home", embedder="none"), clock=clock) as memory:
            for verb, numbers in [*_TO_BEGIN, *done, *_TO_THE_END]:
                clock.advance(days=1)
                ids = {f"n{n}" for n in numbers}
                here = {one.id for one in memory.list(ids=sorted(ids))} if ids else set[str]()
                if verb == "remember":
                    new = sorted(ids - here)
                    memory.remember_many([{"text": f"{id} about tea at {clock.now}", "id": id} for id in new])
                    gone.difference_update(new)
                elif verb == "forget":
                    for id in sorted(here):
                        memory.forget(id)
                    gone |= here
                elif verb == "evict":
                    for id in sorted(here):
                        memory.revise(id, importance=0.0)
                    memory.evict(max_age=timedelta(0), min_importance=0.05)
                    memory.sweeping.finish()
                    gone |= here
                elif verb == "thin":
                    memory.thin(older_than=timedelta(0))
                elif verb == "export":
                    exports.append(Path(folder) / f"{len(exports)}.jsonl")
                    memory.export(exports[-1])
                else:
                    for export in exports:
                        memory.import_(export)
                assert {one.id for one in memory.list(limit=100)} & gone == set()
            assert memory.check() == []
