"""Does a memory back itself up, are its copies good, and do they stay few?"""

from __future__ import annotations

import os
import shlex
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conftest import Clock

import recollect
from recollect import ConfigError, InvalidInput, Memory, NotAStore, Settings, StoreDamaged
from recollect.engine.care import backups
from recollect.engine.care.backups import (
    advice,
    back_up,
    backups_in,
    backups_of,
    failures,
    known_backups,
    last_good,
    last_problem,
    parse_command,
)
from recollect.engine.care.schedule import Scheduler, backup_tasks


@pytest.fixture
def backed(tmp_path: Path, clock: Clock) -> Callable[..., Memory]:
    def make(**settings: object) -> Memory:
        given: dict[str, object] = {"home": tmp_path / "home", "embedder": "none", **settings}
        return recollect.open(settings=Settings(**given), clock=clock)  # type: ignore[arg-type]  # as given

    return make


def days(folder: Path) -> list[str]:
    return [f"{one.at:%m-%d}" for one in backups_in(folder)]


def test_a_month_of_backups_leaves_a_week_and_one_of_each_week_before(
    backed: Callable[..., Memory], tmp_path: Path, clock: Clock
) -> None:
    with backed(backup_schedule="0 3 * * *", backup_keep=3) as memory:
        memory.remember("Ada wrote the first program.")
        scheduled = Scheduler(memory, backup_tasks(memory), clock=clock)
        for _ in range(30):
            clock.advance(days=1)
            assert scheduled.look() == ["backup"]
            assert scheduled.look() == []
    found = days(tmp_path / "home" / "backups")
    assert found == ["06-09", "06-08", "06-07", "05-31", "05-24"]
    copy = tmp_path / "home" / "backups" / Path(backups_in(tmp_path / "home" / "backups")[0].path).name
    recollect.restore(copy, tmp_path / "back")
    with recollect.open(tmp_path / "back") as memory:
        assert [record.text for record in memory.list()] == ["Ada wrote the first program."]


def test_a_service_that_was_off_at_its_hour_backs_up_when_it_starts(
    backed: Callable[..., Memory], tmp_path: Path, clock: Clock
) -> None:
    with backed() as memory:
        memory.remember("Ada wrote the first program.")
        assert Scheduler(memory, backup_tasks(memory), clock=clock).look() == ["backup"]
        clock.advance(hours=1)
        assert Scheduler(memory, backup_tasks(memory), clock=clock).look() == []
    assert len(backups_in(tmp_path / "home" / "backups")) == 1


def test_a_command_is_given_each_copy_and_its_failure_is_told(
    backed: Callable[..., Memory], tmp_path: Path, clock: Clock
) -> None:
    python = shlex.quote(sys.executable)
    taken = tmp_path / "taken.db"
    copying = f"import shutil, sys; shutil.copy(sys.argv[1], {str(taken)!r})"
    with backed(
        backup_folder=str(tmp_path / "far"), backup_command=f"{python} -c {shlex.quote(copying)} {{path}}"
    ) as one:
        one.remember("Ada wrote the first program.")
        done = back_up(one.core)
        assert taken.read_bytes() == Path(done.path).read_bytes()
        assert Path(done.path).parent == tmp_path / "far"
    failing = f"{python} -c \"import sys; sys.exit('no such bucket')\""
    clock.advance(days=1)
    with backed(backup_folder=str(tmp_path / "far"), backup_command=failing) as two:
        with pytest.raises(ConfigError, match="ended with 1: no such bucket; the copy is at"):
            back_up(two.core)
        assert failures(two.core)[0].startswith("the last backup failed: backup_command: ")
    with backed(backup_folder=str(tmp_path / "far")) as three:
        clock.advance(days=1)
        back_up(three.core)
        assert failures(three.core) == []
        assert advice(three.core) == []
        clock.now += timedelta(days=4)
        assert advice(three.core)[0].startswith("the last backup is of 2026-05-12")


def test_what_a_command_says_of_its_secrets_is_told_nowhere(backed: Callable[..., Memory]) -> None:
    said = "401 for https://ada:Tr0ub4dor-x9@backup.example.com (token=ghp_16C7e42F292c6912E7710c838347Ae178B4a)"
    failing = f"{shlex.quote(sys.executable)} -c {shlex.quote(f'import sys; sys.exit({said!r})')}"
    with backed(backup_command=failing) as memory:
        memory.remember("Ada wrote the first program.")
        with pytest.raises(ConfigError, match=r"ended with 1: 401 for https://ada:\[masked"):
            back_up(memory.core)
        (told,) = failures(memory.core)
    assert [secret for secret in ("Tr0ub4dor-x9", "ghp_16C7") if secret in told] == []
    with pytest.raises(ConfigError, match=r"^backup_command: cannot be read: No closing quotation$"):
        parse_command("rclone --password='hunter2 {path}")


def test_copies_stay_few_while_the_command_fails(backed: Callable[..., Memory], tmp_path: Path, clock: Clock) -> None:
    failing = f"{shlex.quote(sys.executable)} -c \"import sys; sys.exit('the login has expired')\""
    with backed(backup_keep=2, backup_command=failing) as memory:
        memory.remember("Ada wrote the first program.")
        for _ in range(4):
            clock.advance(minutes=1)
            with pytest.raises(ConfigError, match="the login has expired"):
                back_up(memory.core)
        assert "the login has expired" in failures(memory.core)[0]
    assert len(backups_in(tmp_path / "home" / "backups")) == 2


def test_a_command_that_hangs_is_told_while_it_runs_and_ended_with_the_service(
    backed: Callable[..., Memory], tmp_path: Path
) -> None:
    os.mkfifo(pipe := tmp_path / "begun")
    hanging = f"import os, signal; open({str(pipe)!r}, 'w').write(str(os.getpid())); signal.pause()"
    stop = threading.Event()
    with backed(backup_command=f"{shlex.quote(sys.executable)} -c {shlex.quote(hanging)}") as memory:
        memory.remember("Ada wrote the first program.")
        with ThreadPoolExecutor(1) as pool:
            done = pool.submit(back_up, memory.core, stop.is_set)
            process = int(pipe.read_text())
            told = advice(memory.core)
            stop.set()
            with pytest.raises(ConfigError, match="was ended with the service; the copy is at"):
                done.result()
        assert told[0].startswith("backup_command was given a copy at 2026-05-10 12:00:00 UTC")
        assert advice(memory.core) == []
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert len(backups_in(tmp_path / "home" / "backups")) == 1


def test_a_command_has_a_deadline(backed: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backups, "_COMMAND_SECONDS", 0.0)
    hanging = f"{shlex.quote(sys.executable)} -c 'import signal; signal.pause()'"
    with backed(backup_command=hanging) as memory:
        memory.remember("Ada wrote the first program.")
        with pytest.raises(ConfigError, match="did not end within 0 seconds; the copy is at"):
            back_up(memory.core)


def test_a_damaged_store_gives_no_backup_and_says_so(backed: Callable[..., Memory], tmp_path: Path) -> None:
    import sqlite3

    with backed() as memory:
        memory.remember("Ada wrote the first program.")
        with sqlite3.connect(tmp_path / "home" / "recollect.db") as db:
            db.execute("UPDATE records SET text = 'Somebody else did.'")
        db.close()
        with pytest.raises(StoreDamaged):
            back_up(memory.core)
        assert "not as" in str(last_problem(memory.core))
    assert backups_in(tmp_path / "home" / "backups") == []


def test_a_copy_that_is_rotated_out_while_somebody_looks_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stays, goes = tmp_path / "recollect-20260510-030000.db", tmp_path / "recollect-20260509-030000.db"
    stays.write_bytes(b"1234")
    monkeypatch.setattr(Path, "iterdir", lambda _: iter([goes, stays]))
    assert [one.path for one in backups_in(tmp_path)] == [str(stays)]


def test_settings_that_make_no_sense_are_refused(backed: Callable[..., Memory]) -> None:
    with backed(backup_schedule="sometimes") as memory, pytest.raises(ConfigError, match="backup_schedule"):
        backup_tasks(memory)
    with backed(backup_command='"unclosed') as memory, pytest.raises(ConfigError, match="backup_command"):
        backup_tasks(memory)
    with backed(backup_schedule="off") as memory:
        assert backup_tasks(memory) == []


def test_stores_that_back_up_into_one_folder_keep_their_copies_apart(
    backed: Callable[..., Memory], tmp_path: Path, clock: Clock
) -> None:
    far = tmp_path / "far"
    given = {"backup_folder": str(far), "backup_keep": 1}
    with backed(**given) as memory, backed(**given, home=tmp_path / "other") as other:
        memory.remember("Ada wrote the first program.")
        other.remember("Of the other store.")
        clock.step = timedelta(0)
        kept = back_up(memory.core).path
        back_up(other.core)  # within the same second
        clock.advance(days=1)
        last = back_up(other.core).path
        assert [one.path for one in backups_of(memory.settings)] == [kept]
        assert [one.path for one in backups_of(other.settings)][:1] == [last]
        assert advice(memory.core) == []
        clock.advance(days=3)
        assert advice(memory.core)[0].startswith("the last backup is of 2026-05-10")
    recollect.restore(kept, tmp_path / "back")
    with recollect.open(tmp_path / "back") as memory:
        assert [record.text for record in memory.list()] == ["Ada wrote the first program."]


def test_who_restores_an_export_hears_that_it_is_imported(memory: Memory, tmp_path: Path) -> None:
    memory.remember("Ada wrote the first program.")
    memory.export(tmp_path / "recollect-20260510-120000.jsonl")
    with pytest.raises(NotAStore, match="`recollect import` an export"):
        recollect.restore(tmp_path / "recollect-20260510-120000.jsonl", tmp_path / "back")
    with pytest.raises(InvalidInput, match="`recollect import` an export"), pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_STORE", "postgresql://localhost/none")
        recollect.restore(tmp_path / "recollect-20260510-120000.jsonl")


def test_a_backup_of_the_future_is_told_and_is_not_the_last_good_one(
    backed: Callable[..., Memory], clock: Clock
) -> None:
    with backed() as memory:
        memory.remember("Ada wrote the first program.")
        made, began = back_up(memory.core).path, clock.now
        clock.advance(days=1_000)
        ahead = back_up(memory.core).path
        clock.now = began + timedelta(days=1)
        last = last_good(memory.core)
        assert last is not None
        assert last.path == made
        (told,) = advice(memory.core)
        assert told.startswith(f"a backup is dated in the future, and not counted as the last one ({ahead})")
        clock.advance(days=3)
        assert advice(memory.core)[0].startswith("the last backup is of 2026-05-10")


def test_a_schedule_goes_on_after_a_clock_that_was_ahead(backed: Callable[..., Memory], clock: Clock) -> None:
    with backed() as memory:
        memory.remember("Ada wrote the first program.")
        began = clock.now
        clock.advance(days=1_000)
        assert Scheduler(memory, backup_tasks(memory), clock=clock).look() == ["backup"]
        clock.now = began
        assert Scheduler(memory, backup_tasks(memory), clock=clock).look() == ["backup"]
        assert Scheduler(memory, backup_tasks(memory), clock=clock).look() == []


def test_copies_of_the_future_take_the_place_of_no_new_one(backed: Callable[..., Memory], clock: Clock) -> None:
    with backed(backup_keep=1) as memory:
        memory.remember("Ada wrote the first program.")
        began = clock.now
        clock.advance(days=1_000)
        for _ in range(5):
            clock.advance(days=7)
            back_up(memory.core)
        ahead = [one.path for one in backups_of(memory.settings)]
        clock.now = began
        made = [back_up(memory.core).path for _ in range(3) if clock.advance(days=7)]
        assert [one.path for one in backups_of(memory.settings)] == [*ahead, *reversed(made)]


def test_what_was_just_made_stays_also_where_others_are_minutes_newer(
    backed: Callable[..., Memory], tmp_path: Path, clock: Clock
) -> None:
    folder = tmp_path / "home" / "backups"
    folder.mkdir(parents=True)
    (folder / f"recollect-{clock.now + timedelta(minutes=2):%Y%m%d-%H%M%S}.db").write_bytes(b"")
    with backed(backup_keep=1) as memory:
        memory.remember("Ada wrote the first program.")
        assert Path(back_up(memory.core).path).exists()


def test_copies_are_rotated_once_the_command_has_ended(
    backed: Callable[..., Memory], tmp_path: Path, clock: Clock
) -> None:
    seen = tmp_path / "seen"
    listing = f"import os, sys; open({str(seen)!r}, 'w').write(str(len(os.listdir(os.path.dirname(sys.argv[1])))))"
    with backed(backup_keep=1, backup_command=f"{shlex.quote(sys.executable)} -c {shlex.quote(listing)}") as memory:
        memory.remember("Ada wrote the first program.")
        for _ in range(2):
            clock.advance(minutes=1)
            back_up(memory.core)
        assert seen.read_text() == "2"
        assert len(backups_of(memory.settings)) == 1


def test_a_backup_that_somebody_makes_elsewhere_is_the_last_good_one_and_is_named_by_a_forget(
    backed: Callable[..., Memory], tmp_path: Path, clock: Clock
) -> None:
    with backed() as memory:
        memory.remember("Ada wrote the first program.", id="ada")
        for number in range(12):
            clock.advance(days=1)
            made = memory.backup(tmp_path / "disk" / f"{number}.db").path
        assert [Path(one.path).name for one in known_backups(memory.core)] == [f"{n}.db" for n in range(11, 1, -1)]
        clock.advance(days=4)
        back_up(memory.core)
        assert advice(memory.core) == []
        Path(known_backups(memory.core)[0].path).unlink()
        last = last_good(memory.core)
        assert last is not None
        assert last.path == made
        assert advice(memory.core)[0].startswith("the last backup is of 2026-05-22")
        Path(made).unlink()
        (tmp_path / "disk" / "10.db").rename(tmp_path / "kept.db")
        told = memory.forget("ada").pending
        assert f"what the backup {tmp_path / 'disk' / '9.db'} may hold of it; that stays until you delete it" in told[0]
        assert f"{made} may" not in told[0]
