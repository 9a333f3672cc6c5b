"""Is it noticed when the files of a store are not what they should be, or are taken away while it is open?"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

import recollect
from recollect import InvalidInput, Memory, NotAStore, RecollectError, Settings, StoreError, StoreReplaced
from recollect.engine.care.identity import identity, set_identity
from recollect.engine.hook_log import HookCall, log_call
from recollect.store.sqlite import turn
from recollect.store.sqlite.log import FRAME_HEAD, HEAD

PAGE = 4_096


def opened(home: Path) -> Memory:
    return recollect.open(settings=Settings(home=home, embedder="none"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in this file system")
def test_a_pipe_in_the_place_of_a_store_is_refused_and_not_waited_for(home: Path) -> None:
    home.mkdir()
    os.mkfifo(home / "recollect.db")
    with pytest.raises(NotAStore, match="a pipe"):
        opened(home)


def back_up(memory: Memory, home: Path) -> None:
    memory.backup(home.parent / "backup.db")


def open_again(_: Memory, home: Path) -> None:
    opened(home).close()


def take_in(memory: Memory, home: Path) -> None:
    with pytest.raises(InvalidInput, match="the store itself"):
        memory.import_(home / "recollect.db")
    with pytest.raises(InvalidInput, match="the store itself"):
        memory.ingest_file(home / "recollect.db")


@pytest.mark.parametrize("look", [back_up, open_again, take_in])
def test_who_looks_at_an_open_store_does_not_give_up_its_locks(
    home: Path, look: Callable[[Memory, Path], None]
) -> None:
    """A process that closed the file had no locks on it any more, and the next one to end removed its log."""
    with opened(home) as memory:
        memory.remember("the first", id="first")
        look(memory, home)
        words = ["remember", "the second", "--id", "second", "--home", str(home)]
        for _ in range(2):
            subprocess.run([sys.executable, "-m", "recollect.cli", *words], capture_output=True, check=True)
        assert (home / "recollect.db-wal").exists()
        assert memory.get("second") is not None
        memory.remember("the third", id="third")
    with opened(home) as memory:
        assert {record.id for record in memory.list()} == {"first", "second", "third"}


def test_a_copy_of_an_idle_store_without_its_log_holds_everything(home: Path, tmp_path: Path) -> None:
    with opened(home) as memory:
        memory.remember_many([{"text": f"note {number}"} for number in range(20)])
        assert memory._settling._loop.wait(30)
        (tmp_path / "copy").mkdir()
        shutil.copy(home / "recollect.db", tmp_path / "copy" / "recollect.db")
    with opened(tmp_path / "copy") as copy:
        assert copy.count() == 20
        assert copy.check() == []


def test_a_file_that_says_nothing_but_that_its_log_has_everything_is_not_taken_for_a_new_store(home: Path) -> None:
    """An earlier release made its store like that, and a copy of the file alone opened as an empty memory."""
    home.mkdir()
    connection = sqlite3.connect(home / "recollect.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    with pytest.raises(StoreError, match="was copied without its log"):
        opened(home)


def test_a_store_whose_log_was_removed_is_not_written_to(home: Path) -> None:
    with opened(home) as memory:
        memory.remember("one")
        memory.core.store.settle()
        memory.remember("two")
        kept = {path.name: path.read_bytes() for path in home.iterdir() if path.is_file()}
    for name in ("recollect.db", "recollect.db-last"):
        with (home / name).open("r+b") as file:
            file.truncate()
            file.write(kept[name])
    (home / "recollect.db-wal").unlink(missing_ok=True)
    with pytest.raises(StoreError, match=r"lacks its newest entries \(3 to 3\): its log \(recollect.db-wal\)"):
        opened(home)
    (home / "recollect.db-wal").write_bytes(kept["recollect.db-wal"])
    with opened(home) as memory:
        assert {record.text for record in memory.list()} == {"one", "two"}


def test_a_log_without_its_store_is_not_taken_for_a_new_store(home: Path) -> None:
    with opened(home) as memory:
        memory.remember("one")
        log = (home / "recollect.db-wal").read_bytes()
    (home / "recollect.db").unlink()
    (home / "recollect.db-wal").write_bytes(log)
    for problem in ("is gone", "is empty"):
        with pytest.raises(StoreError, match=rf"{problem}, but its log is still there \(recollect\.db-wal\)"):
            opened(home)
        (home / "recollect.db").touch()


def test_a_write_after_the_file_was_deleted_or_replaced_is_not_acknowledged(home: Path, tmp_path: Path) -> None:
    with opened(tmp_path / "other") as other:
        other.remember("another memory")
    with opened(home) as memory:
        memory.remember("one")
        (home / "recollect.db").rename(tmp_path / "away.db")
        with pytest.raises(StoreReplaced, match="was deleted while it was open"):
            memory.remember("two")
        shutil.copy(tmp_path / "other" / "recollect.db", home / "recollect.db")
        with pytest.raises(StoreReplaced, match="was replaced by another file"):
            memory.remember("three")
        with pytest.raises(StoreReplaced):
            memory.list()
        (tmp_path / "away.db").rename(home / "recollect.db")
        assert memory.remember("four").stored
        assert {record.text for record in memory.list()} == {"one", "four"}


def test_a_file_that_is_replaced_in_the_middle_of_a_write_is_noticed_before_the_answer(
    home: Path, tmp_path: Path
) -> None:
    with opened(home) as memory:
        memory.remember("one")
        with pytest.raises(StoreReplaced), memory.core.store.write():
            (home / "recollect.db").rename(tmp_path / "away.db")


@pytest.mark.parametrize("settled", [True, False])
@pytest.mark.parametrize(("part", "how"), [(0, "was emptied"), (2, "was cut off")])
def test_a_write_after_the_file_was_emptied_or_cut_off_in_place_is_not_acknowledged(
    home: Path, part: int, how: str, settled: bool
) -> None:
    with opened(home) as memory:
        memory.remember_many([{"text": f"Note {number} about the harbour."} for number in range(300)])
        memory.core.store.settle()
        for number in range(3 - 3 * settled):
            memory.remember(f"Note {number} that stands in the log.")
        file = home / "recollect.db"
        os.truncate(file, file.stat().st_size // 4096 * part // 4 * 4096)
        log = (home / "recollect.db-wal").read_bytes()
        with pytest.raises(StoreReplaced, match=rf"{how} while it was open; nothing was kept there.*restore a backup"):
            memory.remember("after that")
        assert (home / "recollect.db-wal").read_bytes() == log


def test_a_file_that_was_cut_off_is_noticed_however_long_its_log_is(home: Path) -> None:
    with opened(home) as memory:
        for number in range(40):
            memory.remember(f"Note {number} that stands in the log.")
        file = home / "recollect.db"
        assert (home / "recollect.db-wal").stat().st_size > file.stat().st_size
        os.truncate(file, file.stat().st_size // 8192 * 4096)
        for _ in range(2):
            with pytest.raises(StoreReplaced, match="was cut off while it was open"):
                memory.remember("after that")


def test_a_file_that_is_emptied_in_the_middle_of_a_write_is_noticed_before_the_answer(home: Path) -> None:
    with opened(home) as memory:
        memory.remember("one")
        with pytest.raises(StoreReplaced, match="was emptied"), memory.core.store.write():
            os.truncate(home / "recollect.db", 0)


def test_a_file_that_others_make_smaller_is_written_on(home: Path) -> None:
    """Step by step, as pages become free, and by a process that compacts it."""
    with opened(home) as memory, opened(home) as other:
        held = 0
        for round_ in range(2):
            memory.remember_many([{"text": f"{number} tides. " * 6_000, "id": f"n{number}"} for number in range(20)])
            memory.core.store.settle()
            before = sum(path.stat().st_size for path in home.glob("recollect.db*"))  # some may still be in its log
            with memory.core.store.joined():
                for number in range(20):
                    memory.forget(f"n{number}")
            if round_ % 2:
                command = [sys.executable, "-m", "recollect.cli", "compact", "--home", str(home)]
                subprocess.run(command, capture_output=True, check=True)
            while not other.core.store.settle():
                assert memory.remember(f"meanwhile {held}").stored
                held += 1
            assert (home / "recollect.db").stat().st_size < before // 2
            assert memory.remember(f"after round {round_}").stored
        assert held > 0
        assert memory.count() == held + 2


def test_what_was_committed_is_not_denied_because_the_file_beside_it_cannot_be_written(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise OSError(5, "Input/output error")

    with opened(home) as memory:
        with monkeypatch.context() as broken:
            broken.setattr("recollect.store.sqlite.file.os.pwrite", fail)
            assert memory.remember("The lamp is green.").stored
        assert memory.remember("The lamp is blue.").stored
    with opened(home) as again:
        assert again.count() == 2


def test_a_turn_that_is_given_back_meanwhile_is_had_at_the_first_try(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(home) as memory:
        other, mine = memory.core.store.turn("work"), memory.core.store.turn("work")
        assert other.take()
        real = turn._lock

        def lock(file: int) -> bool:
            other.release()  # after this one has opened the file, and before it locks it
            return real(file)

        monkeypatch.setattr(turn, "_lock", lock)
        assert mine.take()
        mine.release()


def test_a_copy_of_a_store_without_its_log_is_noticed_wherever_it_is_put(home: Path, tmp_path: Path) -> None:
    with opened(home) as memory:
        memory.remember("one")
        memory.core.store.settle()
        memory.remember("two")
        for place, names in (("lost", ("", "-last")), ("whole", ("", "-last", "-wal"))):
            (tmp_path / place).mkdir()
            for name in names:
                shutil.copy(home / f"recollect.db{name}", tmp_path / place)
    with pytest.raises(
        StoreError, match=r"lacks its newest entries \(3 to 3\): its log \(recollect.db-wal\) was removed"
    ):
        opened(tmp_path / "lost")
    with opened(tmp_path / "whole") as memory:
        assert memory.count() == 2
    for name in ("recollect.db", "recollect.db-wal", "recollect.db-last"):
        (tmp_path / "lost" / name).unlink(missing_ok=True)
    with opened(tmp_path / "lost") as memory:  # another store begins there
        assert memory.remember("three").entry == 2


def test_a_log_whose_store_is_gone_is_named_by_commands_that_only_read(home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / "recollect.db-wal").write_bytes(b"x" * 4096)
    for command in (["list"], ["recall", "anything"], ["stats"]):
        done = subprocess.run(
            [sys.executable, "-m", "recollect.cli", *command, "--home", str(home)], capture_output=True, check=False,
        )  # fmt: skip
        assert (done.returncode, b"its log is still there" in done.stderr) == (1, True), done


def test_a_folder_that_others_may_look_into_is_closed_though_hooks_wrote_there(home: Path) -> None:
    opened(home).close()
    (home / "hooks.jsonl").write_text("{}\n")
    home.chmod(0o755)
    with opened(home) as memory:
        assert any(str(home) in note and "now only you can" in note for note in memory.core.notes)
    assert home.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("emptied", [False, True])
def test_a_store_that_is_gone_is_not_begun_anew_where_its_mark_still_is(
    home: Path, tmp_path: Path, emptied: bool
) -> None:
    def run(*words: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "recollect.cli", *words, "--home", str(home)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    with opened(home) as memory:
        memory.remember("one")
        memory.backup(tmp_path / "backup.db")
    (home / "recollect.db").unlink()
    if emptied:
        (home / "recollect.db").touch()
        (home / "recollect.db-wal").touch()
    problem = "is empty" if emptied else "is gone"
    told = f"{problem}, but there was a memory in it: recollect.db-last says that entries up to 2 were written"
    for command in (["list"], ["remember", "two"], ["doctor"], ["doctor", "--repair"], ["serve"]):
        code, said = run(*command)
        assert (code, told in said, "recollect restore FILE" in said) == (1, True, True), said
    assert (home / "recollect.db").exists() == emptied
    assert run("restore", str(tmp_path / "backup.db"))[0] == 0
    with opened(home) as memory:
        assert [record.text for record in memory.list()] == ["one"]
        assert memory.remember("two").stored


def test_a_home_begins_anew_when_the_mark_is_gone_or_says_nothing(home: Path) -> None:
    opened(home).close()
    (home / "recollect.db").unlink()
    with opened(home) as memory:
        assert memory.remember("one").entry == 2
    for name in ("recollect.db", "recollect.db-last"):
        (home / name).unlink()
    with opened(home) as memory:
        assert memory.list() == []


def filled(home: Path, what: str, count: int) -> Path:
    with opened(home) as memory:
        memory.remember_many([{"text": f"{what} {n} says something of interest, {n * 7}"} for n in range(count)])
    return home / "recollect.db"


def killed(home: Path, to: Path) -> Path:
    """The files of a store as they lie there after a process was killed that had just written."""
    with opened(home) as memory:
        memory.remember("one more before the crash")
        shutil.copytree(home, to)
    return to / "recollect.db"


@pytest.mark.parametrize("count", [3, 200])
def test_a_log_of_another_store_is_not_written_into_the_file_that_was_put_there(
    home: Path, tmp_path: Path, count: int
) -> None:
    good = filled(tmp_path / "good", "backup", 200)
    filled(home, "crashed", count)
    store = killed(home, tmp_path / "left")
    shutil.copy(good, store)
    held = {path.name: path.read_bytes() for path in (store, store.with_name("recollect.db-wal"))}
    for _ in range(2):
        with pytest.raises(StoreError, match="do not belong together"):
            opened(store.parent)
    assert held == {name: (store.parent / name).read_bytes() for name in held}
    for ending in ("-wal", "-last"):
        store.with_name(f"recollect.db{ending}").unlink()
    with opened(store.parent) as memory:
        assert memory.count() == 200


def test_an_earlier_copy_is_not_joined_with_a_later_log(home: Path, tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.db"
    shutil.copy(filled(home, "first", 30), earlier)
    with opened(home) as memory:
        memory.remember_many([{"text": f"later {n} " + "word " * 300} for n in range(60)])
    store = killed(home, tmp_path / "left")
    shutil.copy(earlier, store)
    with pytest.raises(StoreError, match="do not belong together"):
        opened(store.parent)
    assert store.read_bytes() == earlier.read_bytes()


def test_a_log_that_was_left_by_a_crash_is_read_wherever_it_is_copied_with_its_file(home: Path, tmp_path: Path) -> None:
    filled(home, "note", 40)
    store = killed(home, tmp_path / "left")
    for folder in (tmp_path / "copied", tmp_path / "unmarked"):
        shutil.copytree(store.parent, folder)
        os.utime(folder / "recollect.db", (1_000_000_000, 1_000_000_000))
    (tmp_path / "unmarked" / "recollect.db-last").unlink()
    for folder in (store.parent, tmp_path / "copied", tmp_path / "unmarked"):
        with opened(folder) as memory:
            assert memory.count() == 41


def test_a_store_is_opened_wherever_the_disk_was_full_while_its_compacted_log_was_written_into_it(
    home: Path, tmp_path: Path
) -> None:
    store = home / "recollect.db"
    with opened(home) as memory:
        memory.remember_many([{"text": f"note {n} " + f"word{n} " * 300} for n in range(60)])
        for record in memory.list(limit=40):
            memory.forget(record.id)
        memory.remember_many([{"text": f"more {n} " + f"word{n} " * 300} for n in range(60)])
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("VACUUM")
        whole, log = store.read_bytes(), store.with_name("recollect.db-wal").read_bytes()
    size = HEAD + FRAME_HEAD
    pages = [log[at : at + PAGE] for at in range(size, len(log), FRAME_HEAD + PAGE)]
    for count in range(0, len(pages), 10):
        folder = tmp_path / f"written-{count}"
        folder.mkdir(mode=0o700)
        (folder / "recollect.db").write_bytes(b"".join(pages[:count]) + whole[count * PAGE :])
        (folder / "recollect.db-wal").write_bytes(log)
        with opened(folder) as memory:
            assert (memory.count(), memory.check()) == (80, [])


def test_a_write_after_the_log_was_removed_or_replaced_is_not_acknowledged(home: Path, tmp_path: Path) -> None:
    log = home / "recollect.db-wal"
    with opened(home) as memory:
        memory.remember("one")
        log.rename(tmp_path / "away")
        with pytest.raises(StoreReplaced, match=r"recollect\.db-wal, the log of the store, was removed"):
            memory.remember("two")
        shutil.copy(tmp_path / "away", log)
        with pytest.raises(StoreReplaced, match="was replaced by another file"):
            memory.remember("three")
        (tmp_path / "away").rename(log)
        assert memory.remember("four").stored
    with opened(home) as memory:
        assert {record.text for record in memory.list()} == {"one", "four"}


@pytest.mark.parametrize("left", [0, 5000])
def test_a_write_after_the_log_was_emptied_or_cut_off_is_not_acknowledged(home: Path, left: int) -> None:
    with opened(home) as memory:
        for n in range(30):
            memory.remember(f"record {n}")
        os.truncate(home / "recollect.db-wal", left)
        with pytest.raises(StoreError):
            memory.remember("this would be lost")


def test_a_log_that_others_begin_anew_is_written_on(home: Path) -> None:
    with opened(home) as memory, opened(home) as other:
        for n in range(3):
            memory.remember_many([{"text": f"note {n} {m}"} for m in range(20)])
            other.core.store.settle()
            assert (home / "recollect.db-wal").stat().st_size == 0
            with memory.core.store.joined():  # nothing is written, so no log is begun
                assert memory.count() == 21 * n + 20
            assert other.remember(f"short {n}").stored
        assert memory.remember("the last one").stored
        assert memory.count() == 64


@pytest.mark.parametrize("ending", ["-last", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_link_or_a_pipe_beside_the_store_is_refused_by_name(
    home: Path, tmp_path: Path, ending: str, kind: str
) -> None:
    filled(home, "note", 2)
    beside, foreign = home / f"recollect.db{ending}", tmp_path / "foreign.txt"
    beside.unlink(missing_ok=True)
    foreign.write_text("not ours")
    foreign.chmod(0o644)
    if kind == "link":
        beside.symlink_to(foreign)
    else:
        os.mkfifo(beside)
    with pytest.raises(StoreError, match=rf"recollect\.db{ending} is a link, a folder, a pipe or a device"):
        opened(home)
    assert (foreign.read_text(), foreign.stat().st_mode & 0o777) == ("not ours", 0o644)


def test_a_link_or_a_pipe_in_the_place_of_our_other_files_is_refused_by_name(home: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.txt"
    foreign.write_text("not ours")
    with opened(home) as memory:
        memory.remember("one")
        set_identity(memory.core, "I am Ada.", space="default")
        written = home / "spaces" / "default" / "identity.txt"
        written.unlink()
        os.mkfifo(written)
        with pytest.raises(RecollectError, match=r"identity\.txt cannot be read: it is a link, a folder, a pipe"):
            identity(memory.core)
    (home / "hooks.jsonl").symlink_to(foreign)
    with pytest.raises(OSError, match="it is a link"):
        log_call(home, HookCall(at=datetime.now(UTC), client="test", event="stop"))
    assert foreign.read_text() == "not ours"
