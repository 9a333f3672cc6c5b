"""What happens to a store that an earlier release wrote, or that lies where it should not?"""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import recollect
from recollect import ReadOnlyStore, Settings
from recollect.store.migrations import MIGRATIONS
from recollect.store.sqlite.file import network_of

STORES = Path(__file__).parent / "stores"


@pytest.mark.parametrize("number", range(1, len(MIGRATIONS)))
def test_a_store_is_kept_as_it_was_before_it_is_upgraded(tmp_path: Path, number: int) -> None:
    shutil.copy(STORES / f"format_{number}.db", tmp_path / "recollect.db")
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        assert any("is kept as it was in" in note for note in memory.core.notes)
        said = [record.text for record in memory.list(order="oldest")]
    (copy,) = (tmp_path / "backups").iterdir()
    assert copy.name.startswith(f"before-upgrade-from-format-{number}-")
    assert copy.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(copy)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (number,)
    recollect.restore(copy, tmp_path / "again")
    with recollect.open(settings=Settings(home=tmp_path / "again", embedder="none")) as memory:
        assert [record.text for record in memory.list(order="oldest")] == said
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        assert memory.core.notes == []
    assert len(list((tmp_path / "backups").iterdir())) == 1


def test_what_is_kept_before_an_upgrade_stays_where_others_are_of_the_future(tmp_path: Path) -> None:
    shutil.copy(STORES / "format_1.db", tmp_path / "recollect.db")
    (tmp_path / "backups").mkdir()
    for day in range(1, 4):
        (tmp_path / "backups" / f"before-upgrade-from-format-1-2999010{day}-120000.db").touch()
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")):
        made = [path for path in (tmp_path / "backups").iterdir() if "-2999" not in path.name]
    assert len(made) == 1
    assert len(list((tmp_path / "backups").iterdir())) == 3


def test_a_store_that_cannot_be_kept_before_its_upgrade_is_left_as_it_is(tmp_path: Path) -> None:
    shutil.copy(STORES / "format_5.db", tmp_path / "recollect.db")
    (tmp_path / "backups").write_text("a plain file")
    with pytest.raises(ReadOnlyStore, match="backups cannot be made: it is a file, and not a folder"):
        recollect.open(settings=Settings(home=tmp_path, embedder="none"))
    with closing(sqlite3.connect(tmp_path / "recollect.db")) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (5,)


def test_an_upgrade_that_is_killed_begins_anew(tmp_path: Path) -> None:
    shutil.copy(STORES / "format_1.db", tmp_path / "recollect.db")
    killed = (
        "import os, signal, sqlite3, sys, recollect\n"
        "from recollect.store.sqlite import connect\n"
        "connect.MIGRATIONS = (*connect.MIGRATIONS[:-1], (*connect.MIGRATIONS[-1], 'SELECT now_kill()'))\n"
        "plain = sqlite3.connect\n"
        "def linked(*args, **named):\n"
        "    db = plain(*args, **named)\n"
        "    db.create_function('now_kill', 0, lambda: os.kill(os.getpid(), signal.SIGKILL))\n"
        "    return db\n"
        "sqlite3.connect = linked\n"
        "recollect.open(sys.argv[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", killed, str(tmp_path)], capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        assert memory.check() == []
        assert [record.id for record in memory.list(order="oldest")] == ["gateway", "meeting"]


MOUNTS = """22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:35 / /home rw shared:2 - nfs4 server:/home rw
41 40 8:2 / /home/ada/disk rw shared:3 - ext4 /dev/sdb1 rw
42 22 0:36 / /mnt/my\\040share rw - fuse.sshfs ada@host: rw
43 22 0:37 / /mnt/a\\134b\\011c rw - cifs //host/share rw
44 22 0:38 / /data rw - autofs systemd-1 rw
45 44 0:39 / /data rw - nfs server:/data rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/x", None),
        ("/home/ada/x", "nfs4"),
        ("/home/ada/disk/x", None),
        ("/mnt/my share/x", "fuse.sshfs"),
        ("/homes", None),
        ("/mnt/a\\b\tc/x", "cifs"),
        ("/data/x", "nfs"),
    ],
)
def test_a_network_file_system_is_told_by_its_mount(path: str, kind: str | None) -> None:
    assert network_of(Path(path), MOUNTS) == kind


def test_a_store_on_a_network_is_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"22 1 8:1 / / rw - ext4 x rw\n40 22 0:35 / {tmp_path.resolve()} rw - nfs4 server:/home rw\n")
    monkeypatch.setattr("recollect.store.sqlite.file._MOUNTS", mounts)
    with recollect.open(settings=Settings(home=tmp_path / "home", embedder="none")) as memory:
        assert "is on a network file system (nfs4)" in memory.core.notes[0]
