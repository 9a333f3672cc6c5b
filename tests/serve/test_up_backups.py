"""Does a service back its memory up at its times, keep few copies, and tell when one cannot be taken elsewhere?"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.serve.up import Service

import recollect
from recollect import Settings
from recollect.engine.care.backups import backups_in

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe with a name tells of each copy")


def settle(home: Path, command: str) -> None:
    home.mkdir()
    words = " ".join(map(shlex.quote, [sys.executable, "-c", command, "{path}"]))
    (home / "config.toml").write_text(
        f'backup_schedule = "every 1s"\nbackup_keep = 2\nbackup_command = {json.dumps(words)}\n', "utf-8"
    )
    with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
        memory.remember("Ada wrote the first program.")


def test_a_service_writes_verifies_rotates_and_hands_over_its_backups(tmp_path: Path) -> None:
    home, told = tmp_path / "home", tmp_path / "told"
    os.mkfifo(told)
    settle(home, f"import sys; open({str(told)!r}, 'w').write(sys.argv[1] + '\\n')")
    service = Service(home)
    try:
        copies = [Path(told.read_text().strip()) for _ in range(4)]
        shown = service.web.get("/api/health").json()["backups"][0]["path"]
    finally:
        service.close()
    assert len(set(copies)) == 4
    assert Path(shown).name >= copies[-1].name
    left = [Path(one.path) for one in backups_in(home / "backups")]
    assert len(left) <= 3  # the newest two, and what was not rotated yet
    assert copies[0] not in left
    recollect.restore(left[0], tmp_path / "back")
    with recollect.open(settings=Settings(home=tmp_path / "back", embedder="none")) as memory:
        assert [record.text for record in memory.list()] == ["Ada wrote the first program."]
        assert memory.check() == []


def test_a_backup_that_cannot_be_taken_elsewhere_is_told_in_the_log_by_doctor_and_on_the_page(tmp_path: Path) -> None:
    home = tmp_path / "home"
    settle(home, "import sys; sys.exit('no such bucket')")
    service = Service(home)
    try:
        assert service.popen.stderr is not None
        said = next(line for line in service.popen.stderr if b"backup" in line).decode()
        shown = service.web.get("/api/health").json()["problems"]
    finally:
        service.close()
    doctor = [sys.executable, "-m", "recollect.cli", "doctor", "--home", str(home), "--json"]
    done = subprocess.run(doctor, capture_output=True, check=False, env={**os.environ, "RECOLLECT_EMBEDDER": "none"})
    assert done.returncode == 1
    for told in ([said], shown, json.loads(done.stdout)["problems"]):
        assert any("ended with 1: no such bucket; the copy is at" in one for one in told), told
