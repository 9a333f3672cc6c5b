"""Is a backup whole whatever happens while it is made, and does it come back as it was?"""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.faults.conftest import no_file_above

import recollect
from recollect import (
    Conflict,
    Memory,
    NotAStore,
    NotFound,
    ReadOnlyStore,
    Settings,
    StoreBusy,
    StoreDamaged,
    StoreError,
    parts,
)

Start = Callable[..., "subprocess.Popen[str]"]


def opened(home: Path) -> Memory:
    return recollect.open(settings=Settings(home=home, embedder="none"))


def everything(memory: Memory) -> tuple[object, ...]:
    return memory.list(limit=10_000), memory.journal(limit=10_000), memory.entities(), memory.spaces()


def filled(home: Path) -> Memory:
    memory = opened(home)
    memory.remember_many([{"text": f"note {number}"} for number in range(50)])
    memory.relate("Ada", "wrote", "notes")
    memory.revise(memory.list(limit=1)[0].id, "another text")
    return memory


def test_a_backup_made_while_others_write_holds_everything_acknowledged_before_it(start: Start, home: Path) -> None:
    writer = start("write", home, "w0")
    assert writer.stdout is not None
    said = [writer.stdout.readline() for _ in range(30)][1:]
    with opened(home) as memory:
        copied = memory.backup(home.parent / "copy.db")
        assert memory.backup(home.parent).path.endswith(".db")
    writer.kill()
    assert stat.S_IMODE(Path(copied.path).stat().st_mode) == 0o600
    recollect.restore(copied.path, home.parent / "again")
    with opened(home.parent / "again") as again:
        assert all(again.get(line.split("\t")[0]) is not None for line in said)
        assert again.check() == []
    assert not [path for path in home.parent.iterdir() if path.name.startswith(".")]


def test_a_restored_memory_is_what_was_copied_and_can_be_written(home: Path, tmp_path: Path) -> None:
    with filled(home) as memory:
        before = everything(memory)
        path = memory.backup(tmp_path / "copy.db").path
    restored = recollect.restore(path, tmp_path / "again")
    assert restored.kept_aside is None
    with opened(tmp_path / "again") as again:
        assert everything(again) == before
        assert again.recall("another text")[0].record.text == "another text"
        assert again.remember("more").stored
        assert again.check() == []


def test_a_memory_that_is_there_is_replaced_only_when_asked_and_kept_aside(home: Path, tmp_path: Path) -> None:
    with filled(home) as memory:
        path = memory.backup(tmp_path / "copy.db").path
        later = memory.remember("written after the copy").id
        with pytest.raises(Conflict, match="with --over it is kept aside"):
            recollect.restore(path, home)
        with pytest.raises(StoreBusy, match="is in use"):
            recollect.restore(path, home, over=True)
        assert not (home / "recollect.db.new").exists()
    aside = recollect.restore(path, home, over=True).kept_aside
    with opened(home) as memory:
        assert later is not None
        assert memory.get(later) is None
        assert memory.count() == 50
    recollect.restore(Path(str(aside), "recollect.db"), home, over=True)
    with opened(home) as memory:
        assert memory.get(later) is not None


def test_a_backup_is_never_written_over_and_needs_a_store(home: Path, tmp_path: Path) -> None:
    with filled(home) as memory:
        memory.backup(tmp_path / "copy.db")
        with pytest.raises(Conflict, match="is there already"):
            memory.backup(tmp_path / "copy.db")
    with pytest.raises(NotFound, match="there is no backup"):
        recollect.restore(tmp_path / "none.db", home)


@pytest.mark.parametrize("part", [0.3, 0.5, 0.8])
def test_a_damaged_backup_is_refused_and_the_memory_stays_as_it_is(home: Path, tmp_path: Path, part: float) -> None:
    with filled(home) as memory:
        path = Path(memory.backup(tmp_path / "copy.db").path)
        before = everything(memory)
    content = bytearray(path.read_bytes())
    start = int(len(content) * part) // 4096 * 4096
    content[start : start + 8192] = b"\xa5" * 8192
    path.write_bytes(content)
    with pytest.raises(StoreDamaged):
        recollect.restore(path, home, over=True)
    path.write_bytes(content[:5000])
    with pytest.raises(StoreError):
        recollect.restore(path, home, over=True)
    path.write_text("Dear diary,")
    with pytest.raises(NotAStore):
        recollect.restore(path, home, over=True)
    with opened(home) as memory:
        assert everything(memory) == before


def test_what_is_no_backup_is_told_by_the_name_that_was_given(home: Path, tmp_path: Path) -> None:
    with opened(home) as memory:
        memory.remember("one")
        backup = Path(memory.backup(tmp_path / "good.db").path)
    spoilt, foreign = tmp_path / "spoilt.db", tmp_path / "foreign.db"
    data = backup.read_bytes()
    spoilt.write_bytes(data[:4096] + bytes(len(data) - 4096))
    with closing(sqlite3.connect(foreign)) as other:
        other.execute("CREATE TABLE songs(title)")
    with pytest.raises(StoreDamaged, match=r"spoilt\.db cannot be restored: the copy is damaged .*name another"):
        recollect.restore(spoilt, home, over=True)
    with pytest.raises(NotAStore, match=r"foreign\.db is a SQLite database, but not one of Recollect's"):
        recollect.restore(foreign, home, over=True)
    with opened(home) as memory:
        assert memory.count() == 1


def test_what_a_killed_backup_or_export_left_is_removed_by_the_next_one_into_that_folder(
    home: Path, tmp_path: Path
) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    far = tmp_path / "far"
    far.mkdir()
    foreign = [far / f".film.{gone.pid}.part", far / f"notes.{gone.pid}.part", far / f".copy.db.{os.getppid()}.part"]
    for path in foreign:
        path.write_text("Of somebody else, or being written.")

    def leave() -> None:
        (far / f".recollect-20260510-120000.db.{gone.pid}.part").write_bytes(b"SQLite format 3\0 and more")
        (far / f".monday.db.{gone.pid}.part").write_bytes(bytes(4096))
        (far / f".monday.db.{gone.pid}.part-journal").write_bytes(b"pages")
        (far / f".of.jsonl.{gone.pid}.part").write_bytes(b'{"recollect":{}}')
        (far / f".empty.jsonl.age.{os.getpid()}.part").touch()

    with filled(home) as memory:
        leave()
        copied = Path(memory.backup(far / "copy.db").path)
        assert sorted(far.iterdir()) == sorted([*foreign, copied])
        leave()
        memory.export(far / "out.jsonl")
        assert sorted(far.iterdir()) == sorted([*foreign, copied, far / "out.jsonl"])


def test_what_another_thread_of_the_process_is_writing_stays(home: Path, tmp_path: Path) -> None:
    with parts.making(tmp_path / "other.jsonl") as part, filled(home) as memory:
        part.touch()
        memory.backup(tmp_path / "copy.db")
        assert part.exists()
    assert not part.exists()


def test_a_copy_that_cannot_be_written_says_so_of_its_place_and_not_that_the_memory_is_damaged(
    home: Path, tmp_path: Path
) -> None:
    with filled(home) as memory:
        backup = memory.backup(tmp_path / "good.db").path
        for target in (tmp_path / "far" / "copy.db", tmp_path / "out.jsonl"):
            with no_file_above(20_000), pytest.raises(ReadOnlyStore, match=f"{target} cannot be written"):
                memory.backup(target) if target.suffix == ".db" else memory.export(target)
        assert memory.check() == []
    with no_file_above(20_000), pytest.raises(ReadOnlyStore, match=r"new/recollect\.db cannot be written"):
        recollect.restore(backup, tmp_path / "new")
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file() and home not in path.parents) == [
        "good.db"
    ]
