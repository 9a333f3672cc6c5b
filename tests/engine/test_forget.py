"""Is what was forgotten really nowhere?"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import recollect
from recollect import Memory, Settings
from recollect.types import Filter

SECRET = "Zqxvswordfish"
CJK = "鱻龘靐"


def traces(home: Path, *words: str) -> list[str]:
    """The files that hold a word, in any case, as UTF-8 or UTF-16."""
    found: list[str] = []
    for path in home.iterdir():
        content = path.read_bytes().lower()
        for word in words:
            if any(word.lower().encode(code) in content for code in ("utf-8", "utf-16-le")):
                found.append(f"{path.name}: {word}")
    return found


def confide(memory: Memory, space: str = "default") -> None:
    memory.remember(f'The "{SECRET} Code" opens {SECRET} {CJK}.', id="a", title=SECRET, tags=[SECRET], space=space)
    memory.revise("a", f"The code {SECRET} was changed {CJK}.", reason=f"not {SECRET}", space=space)
    memory.invalidate("a", reason=f"{SECRET} is over", space=space)
    for number in range(50):
        memory.remember(f"Harmless thing number {number}.", space=space)


def test_no_file_holds_a_word_of_what_was_forgotten(memory: Memory, tmp_path: Path) -> None:
    confide(memory)
    assert traces(tmp_path / "home", SECRET, CJK) != []
    memory.forget("a")
    assert traces(tmp_path / "home", SECRET, CJK, "opens") == []
    memory.reindex()
    memory.close()
    assert traces(tmp_path / "home", SECRET, CJK, "opens") == []


def test_no_file_holds_a_word_of_a_deleted_space(memory: Memory, tmp_path: Path) -> None:
    confide(memory, "private")
    memory.entity(SECRET, space="private", description=CJK)
    memory.relate(SECRET, "is", CJK, space="private", provenance=SECRET)
    memory.create_space("private", description=SECRET)
    memory.remember("Something public.")
    assert memory.delete_space("private") == 53
    assert traces(tmp_path / "home", SECRET, CJK) == []
    assert [space.name for space in memory.spaces()] == ["default"]
    assert memory.check() == []


def test_vectors_of_what_was_forgotten_are_gone(semantic: Memory) -> None:
    semantic.remember("The password is swordfish.", id="a")
    semantic.remember("Tea is made with hot water.", id="b")
    assert semantic.embed_waiting() == 0
    semantic.forget("a")
    with semantic.core.store.read() as view:
        (model,) = view.models()
        vector = np.ones(model.dim, dtype=np.float32)
        found = view.near(["default"], model.no, vector, Filter(valid_only=False), 100)["default"].versions
        assert found.tolist() == [record.version for record in semantic.list()]
    assert [hit.record.id for hit in semantic.recall("secret word to log in")] in ([], ["b"])


def test_a_second_handle_forgets_at_once(open_memory: Callable[..., Memory]) -> None:
    one, other = open_memory(), open_memory()
    one.remember("The password is swordfish.", id="a")
    assert other.recall("password")[0].record.id == "a"
    one.forget("a")
    assert list(other.recall("password")) == []
    assert other.get("a") is None


def test_a_reader_that_keeps_the_log_from_being_emptied_is_told_of(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.store.sqlite._BUSY_SECONDS", 0.01)
    home = tmp_path / "home"
    memory.close()
    with recollect.open(settings=Settings(home=home, embedder="none")) as again:
        again.remember(f"The code is {SECRET}.", id="a")
        with closing(sqlite3.connect(home / "recollect.db", isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM records").fetchall()
            receipt = again.forget("a")
        assert "bytes stay in the log" in str(receipt.reason)
        assert again.get("a") is None
        again.remember("Something else.", id="b")
        assert again.forget("b").reason is None
    assert traces(home, SECRET) == []
