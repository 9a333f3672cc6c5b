"""Nothing leaves the machine: no library that Recollect loads keeps notes for its maker in a user's folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_RECALL = """
import recollect
with recollect.open(r"{home}") as memory:
    memory.remember("The gate is locked at nine.")
    memory.embed_waiting()
    assert memory.recall("when is the gate locked?", deep=True).hits
"""


def test_a_recall_leaves_nothing_in_the_users_folders(tmp_path: Path) -> None:
    user, home = tmp_path / "user", tmp_path / "memory"
    user.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "RECOLLECT_", "ORT_"))}
    told = subprocess.run(
        [sys.executable, "-c", _RECALL.format(home=home)], env={**kept, "HOME": str(user)}, capture_output=True,
        text=True, check=False, timeout=120,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    assert [path.relative_to(user).as_posix() for path in user.rglob("*")] == []
