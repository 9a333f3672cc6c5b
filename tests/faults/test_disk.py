"""Is a store that cannot be written still whole, readable, and clear about why?"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import recollect
from recollect import Memory, ReadOnlyStore, Settings, StoreFull
from recollect.engine.care.keep import repair

Start = Callable[..., "subprocess.Popen[str]"]
NOBODY = "65534"

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs to act as another user")


@pytest.fixture
def full(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """A memory with something in it, whose file cannot grow by another page."""
    settings = Settings(home=home, embedder="none")
    with recollect.open(settings=settings) as memory:
        memory.remember("The gateway validates tokens.", id="a")
        pages = sqlite3.connect(home / "recollect.db")
        most = pages.execute("PRAGMA page_count").fetchone()[0]
        pages.close()
    real = sqlite3.connect

    def connect(*args: object, **options: object) -> sqlite3.Connection:
        connection = real(*args, **options)  # type: ignore[call-overload]
        connection.execute(f"PRAGMA max_page_count = {most}")
        return connection

    monkeypatch.setattr("recollect.store.sqlite.sqlite3.connect", connect)
    with recollect.open(settings=settings) as memory:
        yield memory


def test_a_full_store_refuses_to_write_reads_on_and_is_unchanged(full: Memory) -> None:
    before = full.journal()
    for _ in range(2):
        with pytest.raises(StoreFull, match=r"the disk that holds .*recollect\.db is full; nothing was changed"):
            full.remember("x" * 100_000)
        with pytest.raises(StoreFull):
            full.remember_many([{"text": f"{number} " + "word " * 1_000} for number in range(50)])
    assert full.journal() == before
    assert [hit.record.id for hit in full.recall("gateway")] == ["a"]
    assert full.check() == []


def test_a_full_store_answers_by_keywords_when_vectors_cannot_be_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recollect.open(settings=Settings(home=home, embed_threads=1, embed_delay=600.0)) as memory:
        memory.remember("The gateway validates tokens.", id="a")

        def fail(*_: object, **__: object) -> None:
            raise StoreFull("the disk is full")

        monkeypatch.setattr("recollect.store.sqlite.SqliteStore.write", fail)
        answer = memory.recall("gateway")
        assert [hit.record.id for hit in answer] == ["a"]
        assert "the disk is full" in str(answer.signals.problem)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    path = tmp_path / "disk"
    path.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "recollect", str(path)], capture_output=True
    ).returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield path
    subprocess.run(["umount", "-l", str(path)], check=True)


@root_only
def test_a_disk_that_runs_full_stops_the_writer_with_a_clear_error(start: Start, disk: Path) -> None:
    output = start("fill", disk / "home", "w0").communicate()[0].splitlines()
    written = [line for line in output if line.isdigit()]
    code, message = output[len(written) + 1].split("\t")
    assert (code, "is full; nothing was changed" in message) == ("store_full", True)
    assert output[len(written) + 2 :] == [f"count {len(written)}", "found 5"]
    assert len(written) > 5
    again = start("touch", disk / "home", "w1").communicate()[0].splitlines()
    assert again[:2] == ["open", f"read {len(written)}"]


@root_only
@pytest.mark.parametrize("free", [5_000, 60_000])
def test_a_disk_without_room_for_an_upgrade_is_told_as_full_and_leaves_the_store_as_it_was(
    disk: Path, free: int
) -> None:
    file = disk / "recollect.db"
    shutil.copyfile(Path(__file__).parents[1] / "store" / "stores" / "format_1.db", file)
    room = os.statvfs(disk)
    (disk / "filling").write_bytes(bytes(room.f_bavail * room.f_frsize - free))
    with pytest.raises(StoreFull, match="is full; nothing was changed"):
        recollect.open(settings=Settings(home=disk, embedder="none"))
    (disk / "filling").unlink()
    with recollect.open(settings=Settings(home=disk, embedder="none")) as memory:
        assert ("gateway" in {record.id for record in memory.list()}, memory.check()) == (True, [])


@root_only
@pytest.mark.parametrize("free", [60, 250, 400])
def test_a_repair_on_a_disk_without_room_changes_nothing_and_says_so(disk: Path, free: int) -> None:
    settings, store = Settings(home=disk / "home", embedder="none"), disk / "home" / "recollect.db"
    with recollect.open(settings=settings) as memory:
        memory.remember("The gateway validates tokens.", id="a")
    content = store.read_bytes().replace(b"gateway val", b"gatevay val")
    store.write_bytes(content)
    there = sorted(store.parent.iterdir())
    (disk / "film").write_bytes(bytes(1_000_000 // 4096 * 4096 - len(content) - free * 1_000))
    with pytest.raises(StoreFull, match="is not repaired, and nothing was changed: what a repair writes beside it"):
        repair(settings)
    assert sorted(store.parent.iterdir()) == there
    assert store.read_bytes() == content
    (disk / "film").unlink()
    assert repair(settings).set_aside == 1


@root_only
def test_a_full_disk_is_told_by_the_copy_that_was_to_be_there(disk: Path, home: Path) -> None:
    (disk / "film").write_bytes(bytes(900_000))
    with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
        memory.remember("The gateway validates tokens.", id="a")
        with pytest.raises(StoreFull, match=f"the disk that holds {disk}/copy.db is full"):
            memory.backup(disk / "copy.db")


def test_a_forgetting_that_was_done_is_not_denied_when_the_disk_is_full_afterwards(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
        memory.remember("The gateway validates tokens.", id="a")

        def fail(_: object) -> bool:
            raise StoreFull("the disk is full")

        monkeypatch.setattr("recollect.store.sqlite.SqliteStore._empty_log", fail)
        receipt = memory.forget("a")
        assert (receipt.removed, bool(receipt.pending)) == (("a",), True)
        assert memory.get("a") is None
        monkeypatch.undo()
        assert memory.core.store.settle("erased")


def reach(path: Path) -> None:
    """Lets other users come as far as a folder; pytest keeps its folders to itself."""
    for parent in path.parents:
        if parent.stat().st_uid == os.geteuid() and parent.is_relative_to(tempfile.gettempdir()):
            parent.chmod(parent.stat().st_mode | 0o055)


@root_only
@pytest.mark.parametrize(("folder", "file"), [(0o755, 0o644), (0o777, 0o444), (0o777, 0o600), (0o700, 0o666)])
def test_a_store_that_may_not_be_written_is_refused_or_only_read(
    start: Start, home: Path, folder: int, file: int
) -> None:
    with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
        memory.remember("one")
    reach(home)
    home.chmod(folder)
    (home / "recollect.db").chmod(file)
    before = (home / "recollect.db").read_bytes()
    output = start("touch", home, "two", NOBODY).communicate()[0].splitlines()
    assert output[-1].startswith("read_only_store\t")
    assert str(home) in output[-1]
    assert "Traceback" not in "".join(output)
    assert (home / "recollect.db").read_bytes() == before


@root_only
def test_a_folder_that_may_not_be_made_is_refused(start: Start, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o755)
    reach(closed)
    output = start("touch", closed / "below", "x", NOBODY).communicate()[0]
    assert output.startswith(f"read_only_store\t{closed / 'below'} cannot be made: Permission denied")
    assert list(closed.iterdir()) == []


def test_a_log_that_was_cut_off_costs_only_what_it_held(home: Path) -> None:
    settings = Settings(home=home, embedder="none")
    memory = recollect.open(settings=settings)
    memory.remember("one", id="a")
    kept = {path.name: path.read_bytes() for path in home.iterdir()}
    memory.close()
    log = kept["recollect.db-wal"]
    for cut in (0, 31, len(log) // 2, len(log) - 1):
        for path in home.iterdir():
            path.unlink()
        (home / "recollect.db").write_bytes(kept["recollect.db"])
        (home / "recollect.db-wal").write_bytes(log[:cut])
        with recollect.open(settings=settings) as again:
            assert again.check() == []
            assert again.count() in (0, 1)
            assert again.remember("two").stored


def test_a_file_of_garbage_behind_a_good_header_is_damaged_not_empty(home: Path) -> None:
    settings = Settings(home=home, embedder="none")
    with recollect.open(settings=settings) as memory:
        memory.remember_many([{"text": f"note {number} " * 30} for number in range(300)])
    path = home / "recollect.db"
    content = bytearray(path.read_bytes())
    content[4096 : len(content)] = os.urandom(len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(recollect.StoreError, match="damaged"), recollect.open(settings=settings) as memory:
        memory.list()
    assert path.read_bytes() == content


@root_only
def test_a_memory_on_a_disk_that_can_only_be_read_says_how_to_go_on_and_that_is_so(disk: Path, tmp_path: Path) -> None:
    settings = Settings(home=disk / "home", embedder="none")
    with recollect.open(settings=settings) as memory:
        memory.remember("The gateway validates tokens.", id="a")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    with pytest.raises(ReadOnlyStore, match="copy its folder to another disk, and name that with --home"):
        recollect.open(settings=settings)
    with pytest.raises(ReadOnlyStore):
        repair(settings)
    shutil.copytree(disk / "home", tmp_path / "elsewhere")
    with recollect.open(settings=Settings(home=tmp_path / "elsewhere", embedder="none")) as memory:
        assert [record.id for record in memory.list()] == ["a"]
        assert memory.check() == []
