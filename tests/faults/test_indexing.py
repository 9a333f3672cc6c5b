"""Is a project indexed once and whole, whoever is killed on the way and however many try?"""

from __future__ import annotations

import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import recollect
from recollect import Memory, Settings
from recollect.engine.known import unfinished_projects

Start = Callable[..., "subprocess.Popen[str]"]
FILES, FUNCTIONS = 400, 25


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for i in range(FILES):
        path = root / f"part{i % 5}" / f"file{i}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"def function_{i}_{n}():\n    return {n}\n\n\n" for n in range(FUNCTIONS)))
    return root


@pytest.fixture
def reopened(home: Path) -> Iterator[Callable[[], Memory]]:
    opened: list[Memory] = []

    def reopen() -> Memory:
        opened.append(recollect.open(settings=Settings(home=home, embedder="none")))
        return opened[-1]

    yield reopen
    for memory in opened:
        memory.close()


def indexed_so_far(process: subprocess.Popen[str], least: int) -> int:
    """Follows what a process says until it has indexed that many files."""
    assert process.stdout is not None
    for line in process.stdout:
        words = line.split()
        if len(words) > 1 and words[1].isdigit() and int(words[1]) >= least:
            return int(words[1])
    raise AssertionError("it ended before")


def check_whole(memory: Memory) -> None:
    """Every file that has chunks has all of them, once; and the journal says how each came."""
    records = memory.list(kinds=["code"], limit=100_000)
    assert set(Counter(record.source for record in records).values()) <= {FUNCTIONS}
    assert len({(record.source, record.title) for record in records}) == len(records)
    changes = memory.journal(limit=100_000)
    assert {change.after for change in changes} >= {record.version for record in records}
    assert memory.check() == []


def test_a_killed_run_leaves_whole_files_and_the_next_goes_on(
    start: Start, home: Path, project: Path, reopened: Callable[[], Memory]
) -> None:
    process = start("index", home, str(project))
    done = indexed_so_far(process, 1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    memory = reopened()
    status = memory.project_status("project")
    assert (status.state, status.total_files) == ("pending", FILES)
    assert done <= status.indexed_files < FILES
    assert status.total_chunks == status.indexed_files * FUNCTIONS == memory.count(kinds=["code"])
    check_whole(memory)
    versions = {record.version for record in memory.list(kinds=["code"], limit=100_000)}
    assert [project.id for project in unfinished_projects(memory.core)] == ["project"]
    status = memory.index_project(project)
    assert unfinished_projects(memory.core) == []
    assert (status.state, status.indexed_files, status.total_chunks) == ("completed", FILES, FILES * FUNCTIONS)
    check_whole(memory)
    assert versions <= {record.version for record in memory.list(kinds=["code"], limit=100_000)}


def test_two_processes_index_a_project_once(
    start: Start, home: Path, project: Path, reopened: Callable[[], Memory]
) -> None:
    both = [start("index", home, str(project)) for _ in range(2)]
    said = [process.communicate()[0].splitlines()[-1] for process in both]
    assert said == [f"completed {FILES} {FILES * FUNCTIONS}"] * 2
    memory = reopened()
    check_whole(memory)
    assert memory.count(kinds=["code"]) == FILES * FUNCTIONS
    verbs = Counter(change.verb for change in memory.journal(limit=100_000))
    assert verbs == {"create": 1, "ingest": FILES * FUNCTIONS}


def test_whoever_waits_takes_over_from_a_process_that_is_killed(
    start: Start, home: Path, project: Path, reopened: Callable[[], Memory]
) -> None:
    first = start("index", home, str(project))
    indexed_so_far(first, 1)
    memory = reopened()
    assert memory.index_project(project, wait=0).state == "indexing"
    first.send_signal(signal.SIGKILL)
    assert memory.index_project(project).total_chunks == FILES * FUNCTIONS
    check_whole(memory)
