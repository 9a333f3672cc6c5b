"""Does a file of a repository that was made to do harm keep its map from being made?"""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect import Cancelled, FileProblem, Settings
from recollect.engine.intake import workers

HANG = "re.match('(a*)*b', 'a' * 64)"  # in C, while it holds the interpreter


def set_trap(monkeypatch: pytest.MonkeyPatch, act: str) -> None:
    """Has the processes that read do something else over files that are called so; they have a second."""
    really: str = getattr(workers, "_program")()  # noqa: B009  it is private
    deed = (
        "import os, re, recollect.engine.intake.workers as w, recollect.engine.intake.reading as m;"
        "w.SECONDS = 1; real = m.read_file;"
        f"m.read_file = lambda root, order: {act} if 'trap' in order.path else real(root, order); work()"
    )
    monkeypatch.setattr(workers, "_program", lambda: really.replace("work()", deed))


def write_repository(folder: Path) -> Path:
    for number in range(20):
        (folder / f"part{number:02}.py").write_text(f"def part{number}():\n    return {number}\n")
    (folder / "trap.py").write_text("def caught():\n    return 'never'\n" * 2_000)
    (folder / "README.md").write_text("# A repository\n\nWith a trap in it.\n")
    return folder


@pytest.mark.parametrize(("act", "told"), [(HANG, workers.TOO_LONG), ("os._exit(1)", "its parser failed")])
def test_the_map_of_a_repository_is_made_without_the_file_that_hangs_or_kills_its_parser(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str, told: str
) -> None:
    set_trap(monkeypatch, act)
    (root := tmp_path / "repository").mkdir()
    with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
        done = memory.ingest_repo(write_repository(root))
        assert (done.counts["code_modules"], done.source.outcome) == (21, "stored")
        assert done.problems == (FileProblem(path="trap.py", problem=told),)
        assert memory.recall("part7", kinds=["document"])[0].record.title == "part07.py"


def test_whoever_withdraws_the_request_waits_for_no_parser(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_trap(monkeypatch, HANG)
    (root := tmp_path / "repository").mkdir()
    looks = 0

    def checkpoint() -> None:
        nonlocal looks
        looks += 1
        if looks > 40:  # all files were listed, and processes read them
            raise Cancelled("withdrawn")

    with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
        with pytest.raises(Cancelled):
            memory.ingest_repo(write_repository(root), checkpoint=checkpoint)
        assert memory.sources() == []
