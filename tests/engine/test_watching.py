"""Does a watched project follow its folder?"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect import InvalidInput, Memory
from recollect.engine.care.note_watch import follow
from recollect.engine.intake import projects, reading
from recollect.engine.intake.results import Synced
from recollect.engine.intake.watching import matters, watch_folder

GUARD_SECONDS = 60


def until(holds: Callable[[], bool]) -> None:
    """Waits for something that another thread brings about."""
    quiet = threading.Event()
    for _ in range(GUARD_SECONDS * 20):
        if holds():
            return
        quiet.wait(0.05)
    raise AssertionError("it did not happen")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "a.py").write_text("def first():\n    return 1\n")
    return tmp_path / "app"


def titles(memory: Memory) -> set[tuple[str | None, str | None]]:
    return {(record.source, record.title) for record in memory.list(kinds=["code"])}


def test_what_is_made_changed_renamed_and_deleted_is_followed(memory: Memory, root: Path) -> None:
    status = memory.index_project(root, watch=True)
    assert status.watching
    assert memory.projects()[0].watched
    (root / "sub").mkdir()
    (root / "sub" / "b.py").write_text("def second():\n    return 2\n")
    until(lambda: titles(memory) == {("a.py", "first"), ("sub/b.py", "second")})
    (root / "a.py").write_text("def changed():\n    return 1\n")
    until(lambda: titles(memory) == {("a.py", "changed"), ("sub/b.py", "second")})
    (root / "a.py").rename(root / "renamed.py")
    until(lambda: titles(memory) == {("renamed.py", "changed"), ("sub/b.py", "second")})
    (root / "sub" / "b.py").unlink()
    until(lambda: titles(memory) == {("renamed.py", "changed")})
    (root / ".gitignore").write_text("renamed.py\n")
    until(lambda: titles(memory) == set())
    assert memory.check() == []


def test_what_changes_after_a_run_has_read_it_is_followed_too(
    memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, go_on = threading.Event(), threading.Event()
    really = reading.read_file

    def linger(folder: Path, errand: reading.Errand) -> reading.ReadFile:
        file = really(folder, errand)
        read.set()
        go_on.wait(GUARD_SECONDS)
        return file

    def changes(folder: Path, stop: threading.Event, ready: threading.Event) -> Iterator[None]:
        ready.set()
        read.wait(GUARD_SECONDS)
        (folder / "a.py").write_text("def changed():\n    return 1\n")
        yield
        stop.wait(GUARD_SECONDS)

    monkeypatch.setattr(reading, "read_file", linger)
    monkeypatch.setattr(projects, "watch_folder", changes)
    memory.index_project(root, watch=True, wait=0)
    read.wait(GUARD_SECONDS)
    go_on.set()
    until(lambda: titles(memory) == {("a.py", "changed")})


def test_a_folder_that_is_deleted_ends_its_watch(memory: Memory, root: Path) -> None:
    memory.index_project(root, watch=True)
    shutil.rmtree(root)
    until(lambda: not memory.projects()[0].watched)
    status = memory.project_status("app")
    assert (status.watching, status.state) == (False, "failed")
    assert f"{root} cannot be read" in str(status.problem)


def test_a_watch_ends_with_the_memory(open_memory: Callable[..., Memory], root: Path) -> None:
    memory = open_memory()
    memory.index_project(root, watch=True)
    memory.close()
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("recollect-")] == []


def test_a_deleted_project_is_watched_no_longer(memory: Memory, root: Path) -> None:
    memory.index_project(root, watch=True)
    memory.delete_project("app")
    until(lambda: not [thread for thread in threading.enumerate() if thread.name == "recollect-watch-app"])
    assert memory.projects() == []


def test_changes_are_told_of_once_and_only_if_they_matter(root: Path) -> None:
    stop, ready = threading.Event(), threading.Event()
    told: list[None] = []
    thread = threading.Thread(target=lambda: told.extend(watch_folder(root, stop, ready)))
    thread.start()
    assert ready.wait(GUARD_SECONDS)
    (root / "node_modules").mkdir()
    (root / "node_modules" / "m.js").write_text("x")
    (root / "store.db-wal").write_text("x")
    (root / ".hidden").write_text("x")
    (root / "b.py").write_text("x = 1\n")
    (root / "c.py").write_text("x = 1\n")
    until(lambda: len(told) >= 1)
    stop.set()
    thread.join(GUARD_SECONDS)
    assert len(told) == 1


def test_only_what_could_be_indexed_matters(root: Path) -> None:
    (root / "build").mkdir()
    no = [".git/HEAD", "node_modules/a.js", "a.pyc", "x.lock", ".hidden", "build", "store.db"]
    assert [path for path in no if matters(root, f"{root}/{path}")] == []
    yes = ["a.py", "sub/b.py", ".gitignore", "sub/.memoryignore", "gone", "."]
    assert [path for path in yes if not matters(root, f"{root}/{path}")] == []
    assert not matters(root, "/elsewhere/a.py")


@pytest.fixture
def linked(root: Path, tmp_path: Path) -> Path:
    """A folder beside a link to where nobody may look, one to a folder of somebody else, and one to itself."""
    (tmp_path / "other" / "deep").mkdir(parents=True)
    (root / "other").symlink_to(tmp_path / "other")
    (root / "again").symlink_to(root)
    if Path("/proc/1/task").is_dir():
        (root / "closed").symlink_to("/proc/1")
    (root / "sub").mkdir()
    return root


def test_a_watch_follows_no_link_and_goes_into_folders_that_come(memory: Memory, linked: Path) -> None:
    assert memory.index_project(linked, watch=True).watching
    (linked / "sub" / "b.py").write_text("def second():\n    return 2\n")
    until(lambda: titles(memory) == {("a.py", "first"), ("sub/b.py", "second")})
    (linked / "new" / "inner").mkdir(parents=True)
    (linked / "new" / "inner" / "c.py").write_text("def third():\n    return 3\n")
    until(lambda: ("new/inner/c.py", "third") in titles(memory))
    (linked / "new" / "inner" / "d.py").write_text("def fourth():\n    return 4\n")
    until(lambda: ("new/inner/d.py", "fourth") in titles(memory))
    assert memory.projects()[0].watched
    shutil.rmtree(linked)
    until(lambda: not memory.projects()[0].watched)


def test_notes_beside_links_are_followed_and_what_is_behind_the_links_is_not(
    memory: Memory, linked: Path, tmp_path: Path
) -> None:
    stop, done = threading.Event(), list[Synced]()
    looks = follow(memory.core, linked, "default", stop, list[str]().append)
    thread = threading.Thread(target=lambda: done.extend(looks))
    thread.start()

    def is_noticed() -> bool:
        (linked / "sub" / "a.md").write_text("The first note.\n")
        return bool(memory.list())

    try:
        until(is_noticed)
        (tmp_path / "other" / "deep" / "x.md").write_text("A note of somebody else.\n")
        (linked / "new" / "inner").mkdir(parents=True)
        (linked / "new" / "inner" / "c.md").write_text("The third note.\n")
        until(lambda: any("third" in one.text for one in memory.list()))
        assert not [one for one in memory.list() if "somebody" in one.text]
    finally:
        stop.set()
        thread.join()


def test_a_folder_that_cannot_be_watched_is_told_in_one_line(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="none cannot be watched: there is no such folder"):
        list(follow(memory.core, tmp_path / "none", "default", threading.Event(), list[str]().append))
