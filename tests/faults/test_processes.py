"""Do processes that share a store lose, double or miss anything, even when they are killed?"""

from __future__ import annotations

import re
import shutil
import signal
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import recollect
from recollect import Memory, Settings

Start = Callable[..., "subprocess.Popen[str]"]


def lines(process: subprocess.Popen[str], count: int) -> list[str]:
    assert process.stdout is not None
    return [process.stdout.readline() for _ in range(count)]


def acknowledged(output: str) -> dict[str, str]:
    """Ids and texts of complete lines; a line that the end cut off was not acknowledged."""
    found = re.findall(r"^([a-z0-9]+)\t(Writer .*)\n", output, re.MULTILINE)
    return dict(found)


def check_journal(memory: Memory) -> None:
    """Every live record is the last state that the journal speaks of, and every entry follows from those before."""
    now: dict[str, int | None] = {}
    changes = memory.journal(newest_first=False, limit=100_000)
    assert [change.at for change in changes] == sorted(change.at for change in changes)
    for change in changes:
        if change.object_type == "record":
            assert now.get(change.object_id) == change.before
            now[change.object_id] = change.after
    live = {record.id: record.version for record in memory.list(valid_only=False, limit=100_000)}
    assert live == {id: version for id, version in now.items() if version is not None}


@pytest.mark.parametrize("seed", [3, 20])
def test_what_was_acknowledged_survives_the_killing_of_all_writers(start: Start, home: Path, seed: int) -> None:
    writers = [start("write", home, f"w{number}") for number in range(4)]
    said = ["".join(lines(writer, 1 + seed + 7 * number)) for number, writer in enumerate(writers)]
    for writer in writers:
        writer.send_signal(signal.SIGKILL)
    said = [early + writer.communicate()[0] for early, writer in zip(said, writers, strict=True)]
    promised = {id: text for output in said for id, text in acknowledged(output).items()}
    assert len(promised) >= 4 * seed
    with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
        records = memory.list(limit=100_000)
        held = {record.id: record.text for record in records}
        assert {id: held.get(id) for id in promised} == promised
        assert [text for text, count in Counter(record.text for record in records).items() if count > 1] == []
        batches = Counter(record.text.split(",")[0] for record in records if record.text.startswith("Batch"))
        assert set(batches.values()) <= {5}
        assert memory.check() == []
        check_journal(memory)
        positions = [record.position for record in memory.session("w0")]
        assert positions == list(range(len(positions)))


def test_many_processes_write_at_once_without_an_error_or_a_loss(start: Start, home: Path) -> None:
    writers = [start("some", home, f"w{number}") for number in range(6)]
    outputs = [writer.communicate()[0].split() for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 6
    assert all(output[0] == "open" and len(output) == 41 for output in outputs)
    with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
        assert memory.count() == 6 * 40 + 10
        assert {id for output in outputs for id in output[1:]} <= {record.id for record in memory.list(limit=1_000)}
        assert [record.position for record in memory.session("all")] == list(range(240))
        assert memory.check() == []
        check_journal(memory)


def test_a_write_of_another_process_is_seen_at_the_next_call(start: Start, home: Path) -> None:
    with recollect.open(settings=Settings(home=home, embed_threads=1, embed_delay=600.0)) as memory:
        memory.remember("Something to begin with.")
        assert memory.recall("what is said by a writer") is not None
        writer = start("write", home, "w0")
        said = lines(writer, 8)
        writer.kill()
        id, text = said[-1].rstrip("\n").split("\t")
        assert memory.get(id).text == text  # type: ignore[union-attr]
        assert id in {record.id for record in memory.list()}
        hits = {hit.record.id: hit for hit in memory.recall("an author states an item", limit=50)}
        assert hits[id].why.vector is not None
        assert memory.entity("w0 4").name == "Thing4"


def test_vectors_that_a_killed_process_left_behind_are_completed_by_the_next(start: Start, home: Path) -> None:
    with recollect.open(settings=Settings(home=home, embed_threads=1, embed_delay=600.0)) as memory:
        memory.recall("this brings the model in")
    writer = start("write", home, "w0")
    lines(writer, 12)
    writer.kill()
    writer.communicate()
    with recollect.open(settings=Settings(home=home, embed_threads=1, embed_delay=600.0)) as memory:
        assert memory.describe_space()[1].waiting_for_vectors >= 11
        answer = memory.recall("an author states an item", wait=60)
        assert answer.signals.waiting_for_vectors == 0
        assert all(hit.why.vector is not None for hit in answer)
        assert memory.describe_space()[1].waiting_for_vectors == 0
        assert memory.check() == []


def test_a_store_copied_while_it_was_written_to_is_as_if_killed(start: Start, home: Path, tmp_path: Path) -> None:
    writer = start("write", home, "w0")
    lines(writer, 20)
    writer.send_signal(signal.SIGSTOP)
    shutil.copytree(home, tmp_path / "copy", ignore=shutil.ignore_patterns("*-shm"))
    writer.kill()
    with recollect.open(settings=Settings(home=tmp_path / "copy", embedder="none")) as memory:
        assert memory.count() >= 19
        assert memory.check() == []
        check_journal(memory)


def test_a_lock_that_is_never_released_is_reported_as_busy(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.store.sqlite.BUSY_SECONDS", 0.05)
    with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
        memory.remember("one")
        with closing(sqlite3.connect(home / "recollect.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(recollect.StoreBusy, match="locked by another process"):
                memory.remember("two")
            assert [hit.record.text for hit in memory.recall("one")] == ["one"]
        assert memory.remember("two").stored
