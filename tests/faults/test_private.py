"""Is what a memory holds for its owner alone, whatever the umask says and whatever was there before?"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect import Settings
from recollect.engine.care.identity import set_identity

pytestmark = pytest.mark.skipif(os.name != "posix", reason="other platforms have other rights")


def modes(home: Path) -> dict[str, str]:
    """The rights of a folder and of everything in it."""
    found = {str(path.relative_to(home)): path for path in (home, *home.rglob("*"))}
    return {name: oct(stat.S_IMODE(path.stat().st_mode)) for name, path in found.items()}


def is_closed(home: Path) -> bool:
    return set(modes(home).values()) <= {"0o600", "0o700"}


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o277])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.mark.usefixtures("umask")
def test_everything_that_is_made_is_for_its_owner_alone(home: Path) -> None:
    with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
        memory.remember("one", space="Spaß")
        set_identity(memory.core, "Somebody.", space="Spaß")
        with memory.core.store.turn("something"):
            assert {"recollect.db", "recollect.db-wal", "turns"} <= modes(home).keys()
            assert is_closed(home)


def test_a_store_that_others_could_read_is_closed_with_a_note(home: Path) -> None:
    settings = Settings(home=home, embedder="none")
    with recollect.open(settings=settings) as memory:
        memory.remember("one")
    home.chmod(0o755)
    (home / "recollect.db").chmod(0o644)
    listed = [sys.executable, "-m", "recollect.cli", "list", "--home", str(home)]
    source = {**os.environ, "PYTHONPATH": str(Path(recollect.__file__).parents[1])}
    done = subprocess.run(listed, capture_output=True, text=True, env=source)
    assert is_closed(home)
    assert "one" in done.stdout
    assert done.stderr.count("could be read by other users of this machine; now only you can") == 2
    again = subprocess.run(listed, capture_output=True, text=True, env=source)
    assert (again.stdout, again.stderr) == (done.stdout, "")


def test_a_folder_that_holds_more_than_a_memory_is_left_as_it_is_and_the_store_is_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "letter.txt").write_text("Dear all,")
    (tmp_path / "letter.txt").chmod(0o644)
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        memory.remember("one")
        found = modes(tmp_path)
    assert (found["."], found["letter.txt"], found["recollect.db"]) == ("0o755", "0o644", "0o600")
