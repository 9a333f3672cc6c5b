"""Is what was done in one go shown as one, and taken back as one?"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from recollect import Act, Conflict, Memory, NotFound, StoreFull
from recollect.store.base import Edit


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    return open_memory()


def texts(memory: Memory) -> set[str]:
    return {record.text for record in memory.list(valid_only=False, limit=1_000)}


def write_folder(folder: Path, count: int) -> Path:
    folder.mkdir()
    for number in range(count):
        (folder / f"note{number}.md").write_text(f"# Note {number}\n\nThe lamp in room {number} is green.\n")
    return folder


def test_a_folder_is_one_act_however_many_transactions_it_took(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.engine.intake.sync.BATCH_PIECES", 3)
    memory.remember("It rains.")
    memory.ingest_folder(write_folder(tmp_path / "notes", 12))
    act, before, space = memory.acts()
    changes = memory.journal(act=act)
    assert (act.verb, act.count, act.last) == ("ingest", len(changes), changes[0].entry)
    assert len({change.at for change in changes}) > 1
    assert (before.verb, before.about, before.count, space.verb) == ("remember", "It rains.", 1, "create")
    assert memory.acts(before=act.entry) == [before, space]


def test_a_folder_of_documents_and_code_is_one_act(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.engine.intake.sync.BATCH_PIECES", 3)
    folder = write_folder(tmp_path / "notes", 4)
    for number in range(8):
        (folder / f"lamp{number}.py").write_text(f"def light_{number}():\n    return {number}\n")
    memory.ingest_project(folder)
    act, space = memory.acts()
    kinds = {one.kind for one in memory.list(limit=100)}
    assert (act.verb, act.count, space.verb) == ("ingest", len(memory.journal(act=act, limit=1_000)), "create")
    assert {"code"} < kinds
    (folder / "lamp0.py").write_text("def light_0():\n    return 'off'\n")
    memory.ingest_project(folder)
    assert [one.count for one in memory.acts()][:2] == [1, act.count]
    memory.undo(memory.acts()[1])


def test_an_act_is_taken_back_as_a_whole_and_so_is_that(memory: Memory, tmp_path: Path) -> None:
    memory.remember("It rains.")
    memory.ingest_folder(write_folder(tmp_path / "notes", 250))
    full, [act, *_] = texts(memory), memory.acts()
    receipt = memory.undo(act)
    assert (texts(memory), receipt.reason) == ({"It rains."}, f"took back {act.count} changes of entry {act.entry}")
    undoing, undone, *_ = memory.acts()
    assert (undoing.verb, undoing.count, undone.undone_by) == ("undo", act.count, undoing.entry)
    memory.undo(undoing)
    assert texts(memory) == full
    assert [one.undone_by is not None for one in memory.acts()][:3] == [False, True, False]


def test_an_act_of_more_entries_than_one_transaction_takes_is_taken_back_whole(memory: Memory) -> None:
    with memory.core.store.joined(in_steps=True):
        for part in range(3):
            memory.remember_many([{"text": f"Leaf {part}.{n} of the album."} for n in range(450)], space="album")
            memory.remember(f"Something else, meanwhile: {part}.", space="other")
    act = next(one for one in memory.acts(space="album") if one.count > 1)
    done = memory.undo(act, whole=True)
    assert (memory.count(space="album"), memory.count(space="other")) == (0, 3)
    assert f"took back {act.count} changes" in (done.reason or "")
    memory.undo(done, whole=True)
    assert memory.count(space="album") == 1350
    assert next(one for one in memory.acts(space="album") if one.entry == act.entry).undone_by is None


def test_any_entry_of_an_act_stands_for_itself_or_for_all_of_it(memory: Memory) -> None:
    receipts = memory.remember_many([{"text": f"Lamp {number} is green."} for number in range(3)])
    memory.undo(receipts[1])
    assert texts(memory) == {"Lamp 0 is green.", "Lamp 2 is green."}
    assert memory.acts()[1].undone_by is None
    memory.undo(receipts[2], whole=True)
    assert texts(memory) == set()
    with pytest.raises(Conflict, match="was undone already"):
        memory.undo(receipts[0], whole=True)
    with pytest.raises(NotFound):
        memory.undo(999, whole=True)


def test_what_was_changed_since_stays_and_is_named(memory: Memory) -> None:
    receipts = memory.remember_many([{"text": f"Lamp {number} is green."} for number in range(3)])
    memory.ingest("# One\n\nfirst\n\n# Two\n\nsecond", source="page")
    memory.ingest("# One\n\nfirst\n\n# Two\n\nthird", source="page")
    kept = receipts[0].id or ""
    memory.forget(kept)
    told = memory.undo(receipts[0], whole=True).reason or ""
    assert told.startswith(f"took back 2 changes of entry {receipts[0].entry}; 1 stay, of {kept}: ")
    assert {"Lamp 1 is green.", "Lamp 2 is green."}.isdisjoint(texts(memory))
    assert next(act for act in memory.acts() if act.entry == receipts[0].entry).undone_by is None


def test_an_undone_index_is_read_again_when_the_project_is_indexed(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    for name in "abc":
        (tmp_path / "code" / f"{name}.py").write_text(f"def {name}():\n    return {name!r}\n")
    memory.index_project(tmp_path / "code")
    held = texts(memory)
    act = memory.acts(limit=1)[0]
    memory.undo(act)
    assert (act.verb, texts(memory)) == ("ingest", set())
    memory.index_project(tmp_path / "code")
    assert texts(memory) == held


def test_evictions_and_dreams_are_acts_with_a_name(memory: Memory) -> None:
    memory.remember_many([{"text": f"Lamp {number} is green."} for number in range(5)])
    memory.evict(cap=2)
    act = memory.acts(limit=1)[0]
    assert (act.verb, act.reason, dict(act.verbs)) == ("evict", "3 to archive", {"evict": 4})
    memory.undo(act)
    assert len(texts(memory)) == 5
    memory.dream()
    assert memory.acts(limit=1)[0].verb == "dream"


def test_acts_are_of_one_space_and_one_thread(memory: Memory) -> None:
    with memory.core.store.joined(in_steps=True):
        for space in ("one", "other", "one"):
            memory.remember(f"Something of {space}, {len(memory.journal())}.", space=space)
    assert [(act.space, act.count) for act in memory.acts() if act.verb == "remember"] == [("other", 1), ("one", 2)]
    assert [act.space for act in memory.acts(space="other")] == ["other", "other"]
    assert all(isinstance(act, Act) for act in memory.acts())


def test_an_act_that_was_rolled_back_never_began(memory: Memory) -> None:
    memory.remember("It rains.")
    with memory.core.store.joined(in_steps=True):
        with pytest.raises(RuntimeError), memory.core.store.joined():
            memory.remember("Never to be seen.")
            raise RuntimeError
        memory.remember("It snows.")
        memory.remember("It thaws.")
    assert [(act.about, act.count) for act in memory.acts()][:2] == [("It snows.", 2), ("It rains.", 1)]


def test_an_undoing_that_was_broken_off_is_gone_on_with(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.remember("It rains.")
    memory.remember_many([{"text": f"Lamp {number} is green."} for number in range(12)])
    act = memory.acts(limit=1)[0]
    monkeypatch.setattr("recollect.engine.care.undo._AT_ONCE", 5)
    write, begun = memory.core.store.write, 0

    def write_twice(**given: str | None) -> AbstractContextManager[Edit]:
        nonlocal begun
        begun += 1
        if begun > 2:
            raise StoreFull("the disk is full")
        return write(actor=given["actor"])

    with monkeypatch.context() as broken, pytest.raises(StoreFull):
        broken.setattr(memory.core.store, "write", write_twice)
        memory.undo(act)
    assert len(texts(memory)) == 3
    assert memory.undo(act).reason == f"took back 2 changes of entry {act.entry}"
    assert texts(memory) == {"It rains."}
    assert [change.verb for change in memory.journal(limit=100)].count("undo") == 12
