"""Is a folder of documents brought in once and whole, whoever is killed on the way and however many try?"""

from __future__ import annotations

import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import recollect
from recollect import Memory, Settings

Start = Callable[..., "subprocess.Popen[str]"]
FILES, SECTIONS = 900, 6


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    root = tmp_path / "documents"
    for i in range(FILES):
        path = root / f"part{i % 5}" / f"page{i}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"# Heading {n}\nText {n} of page {i}.\n\n" for n in range(SECTIONS)))
    return root


def check_whole(memory: Memory) -> int:
    """Every source has all of its segments and none is without a source. Answers how many there are."""
    sources = {source.source for source in memory.sources(limit=100_000)}
    held = Counter(record.source for record in memory.list(kinds=["document"], limit=100_000))
    assert set(held) == sources
    assert set(held.values()) <= {SECTIONS}
    assert memory.check() == []
    return len(sources)


def test_a_killed_run_leaves_whole_documents_and_the_next_goes_on(start: Start, home: Path, documents: Path) -> None:
    process = start("ingest", home, str(documents))
    assert process.stdout is not None
    far = next(line for line in process.stdout if line.startswith("done") and int(line.split()[1]) > 0)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
        there = check_whole(memory)
        assert int(far.split()[1]) <= there < FILES
        again = memory.ingest_folder(documents)
        assert (again.stored, again.unchanged, again.updated) == (FILES - there, there, 0)
        assert check_whole(memory) == FILES


def test_two_processes_bring_in_a_folder_once(start: Start, home: Path, documents: Path) -> None:
    both = [start("ingest", home, str(documents)) for _ in range(2)]
    said = [process.communicate()[0].splitlines()[-1].split() for process in both]
    assert [words[0] for words in said] == ["completed", "completed"]
    assert sum(int(words[1]) for words in said) == FILES
    with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
        assert check_whole(memory) == FILES
        verbs = Counter(change.verb for change in memory.journal(limit=100_000))
        assert verbs == {"create": 1, "ingest": FILES * (SECTIONS + 1)}
