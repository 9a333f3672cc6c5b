"""Does a whole memory arrive in another store, whatever keeps each, and however often the move is killed?"""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conftest import NOON, Clock
from tests.engine.test_reindex import live_a_little
from tests.pgserver import store_url

import recollect
from recollect import Conflict, InvalidInput, Memory, NotFound, Settings, StoreBusy
from recollect.engine.care.identity import identity, set_identity
from recollect.store.canonical import CANONICAL

QUESTIONS = ("who wrote the compiler?", "Ada", "東京", "what did Babbage build?", "the countess", "notes of a city")
APART = " WHERE shelf NOT IN ('files', 'index', 'move')"
DERIVED = {
    "refs", "names", "made_by", "tallies", "lexis", "words", "models", "signs", "halves", "tokens", "queue",
}  # fmt: skip
KILLED = """
import os, signal, sys, recollect
def report(stage, done, total):
    if stage == sys.argv[3] and (stage != "rows" or done > total // 2):
        os.kill(os.getpid(), signal.SIGKILL)
recollect.move(sys.argv[1], sys.argv[2], report=report)
"""


def open_at(place: Path | str, embedder: str = "none", clock: Clock | None = None) -> Memory:
    home, url = (place, None) if isinstance(place, Path) else (Path("/nowhere"), place)
    settings = Settings(home=home, store=url, embedder=embedder, embed_threads=1, embed_delay=600)
    return recollect.open(settings=settings, clock=clock or Clock(NOON + timedelta(days=30)))


def fill(home: Path, embedder: str = "none") -> None:
    """A memory in a file that has lived: every table of it holds something."""
    clock = Clock()
    with open_at(home, embedder, clock) as memory:
        live_a_little(memory)
        set_identity(memory.core, "Ada's notes.", space="other")
        memory.recall("Ada")
        clock.advance(days=10)
        memory.consolidate()
        memory.embed_waiting()


def rows_of(home: Path) -> dict[str, list[tuple[object, ...]]]:
    """All that is canonical in a file, and the numbers that come next."""
    with closing(sqlite3.connect(home / "recollect.db")) as db:
        found = {
            table.name: db.execute(
                f"SELECT * FROM {table.name}{APART if table.name == 'shelves' else ''} ORDER BY {', '.join(table.key)}"
            ).fetchall()
            for table in CANONICAL
        }
        numbers = f"SELECT * FROM sqlite_sequence WHERE name NOT IN {('signs', 'models')} ORDER BY 1"
        return {**found, "numbers": db.execute(numbers).fetchall()}


def answers(place: Path | str) -> list[list[tuple[str, float]]]:
    with open_at(place, "bundled") as memory:
        assert memory.count_waiting() == 0
        assert memory.check() == []
        return [[(hit.record.id, round(hit.score, 3)) for hit in memory.recall(one, deep=True)] for one in QUESTIONS]


def test_a_memory_goes_to_postgresql_and_back_with_nothing_lost_and_nothing_embedded_again(tmp_path: Path) -> None:
    home, back, url = tmp_path / "home", tmp_path / "back", store_url(tmp_path)
    fill(home, "bundled")
    said = answers(home)
    before = rows_of(home)
    there = recollect.move(home, url)
    again = recollect.move(url, back)
    assert (there.digest, there.rows, there.vectors) == (again.digest, again.rows, again.vectors)
    assert there.rows == {table: len(rows) for table, rows in before.items() if table != "numbers"}
    assert there.vectors > 10
    assert [name for name, rows in before.items() if not rows] == ["evicted"]
    assert rows_of(back) == before
    with open_at(url) as memory, open_at(back) as other:
        assert identity(memory.core, space="other") == identity(other.core, space="other") == "Ada's notes."
        assert [past.record for past in memory.history("a")] == [past.record for past in other.history("a")]
    assert answers(url) == said
    assert answers(back) == said


def test_a_memory_goes_from_file_to_file_and_can_be_written_to_there(tmp_path: Path) -> None:
    fill(tmp_path / "old")
    before = rows_of(tmp_path / "old")
    recollect.move(tmp_path / "old", tmp_path / "new")
    assert rows_of(tmp_path / "new") == before
    with open_at(tmp_path / "new") as memory:
        receipt = memory.remember("The lighthouse has a new keeper.")
        assert memory.recall("lighthouse")[0].record.id == receipt.id
        memory.undo(memory.revise("claim", "Something else."))
        assert memory.check() == []


@pytest.mark.parametrize("stage", ["rows", "words", "vectors", "proof"])
def test_a_move_that_is_killed_goes_on_and_ends_as_if_it_had_not_been(tmp_path: Path, stage: str) -> None:
    home, url = tmp_path / "home", store_url(tmp_path, stage)
    fill(home, "bundled")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(home), url, stage], capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    with pytest.raises(StoreBusy, match="being filled by `recollect move`"):
        open_at(url)
    with pytest.raises(Conflict, match="is being filled from"):
        recollect.move(_other(tmp_path), url)
    done = recollect.move(home, url)
    assert done.resumed
    assert done.digest == recollect.move(home, tmp_path / "at once").digest
    assert answers(url) == answers(home)


def _other(tmp_path: Path) -> Path:
    with open_at(tmp_path / "other") as memory:
        memory.remember("Somebody else's.")
    return tmp_path / "other"


def test_what_changed_since_a_move_was_killed_is_noticed(tmp_path: Path) -> None:
    home, url = tmp_path / "home", store_url(tmp_path)
    fill(home, "bundled")
    subprocess.run([sys.executable, "-c", KILLED, str(home), url, "proof"], capture_output=True)
    with open_at(home, "bundled") as memory:
        memory.forget("long")
        memory.revise("b", "Ada and the countess are two.")
        memory.delete_space("other")
        memory.remember("The orchard is new.", space="orchard")
        memory.embed_waiting()
    assert recollect.move(home, url).digest == recollect.move(home, tmp_path / "at once").digest
    assert answers(url) == answers(home)


def test_a_memory_that_is_written_to_while_it_is_copied_is_not_called_equal(tmp_path: Path) -> None:
    home, target = tmp_path / "home", tmp_path / "new"
    fill(home)

    def write(stage: str, done: int, total: int) -> None:
        if stage == "words" and done == total:
            with open_at(home) as memory:
                memory.remember("Said in the middle of it.")

    with pytest.raises(Conflict, match="was changed 1 times while it was copied"):
        recollect.move(home, target, report=write)
    assert recollect.move(home, target).resumed
    assert rows_of(target) == rows_of(home)


def test_a_target_that_holds_a_memory_is_refused_and_left_alone(tmp_path: Path) -> None:
    fill(tmp_path / "old")
    held = _other(tmp_path)
    before = rows_of(held)
    with pytest.raises(Conflict, match="holds a memory already"):
        recollect.move(tmp_path / "old", held)
    assert rows_of(held) == before
    moved = recollect.move(tmp_path / "old", tmp_path / "new")
    assert not moved.resumed
    with pytest.raises(Conflict, match="holds a memory already"):
        recollect.move(tmp_path / "old", tmp_path / "new")


def test_a_move_from_nowhere_or_to_where_it_is_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no memory at"):
        recollect.move(tmp_path / "nothing", tmp_path / "new")
    fill(tmp_path / "old")
    with pytest.raises(InvalidInput, match=r"^to: is where the memory is already"):
        recollect.move(tmp_path / "old", tmp_path / "old")
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_every_table_of_a_store_is_moved_or_made_anew(tmp_path: Path) -> None:
    fill(tmp_path)
    with closing(sqlite3.connect(tmp_path / "recollect.db")) as db:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert {name for name in tables if not name.startswith(("sqlite_", "words_"))} == DERIVED | {
            table.name for table in CANONICAL
        }
        for table in CANONICAL:
            columns = {name for _, name, *_ in db.execute(f"PRAGMA table_info({table.name})")}
            assert columns == set(table.columns), table.name
