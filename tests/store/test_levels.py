"""Can something be forgotten from a SQLite store however often?"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import recollect
from recollect import Memory, Settings
from recollect.store.sqlite import levels


def opened(home: Path) -> Memory:
    return recollect.open(settings=Settings(home=home, embedder="none"))


def listed(home: Path) -> bytes:
    with closing(sqlite3.connect(home / "recollect.db")) as connection:
        return levels._list_of(connection)


def count(block: bytes) -> int:
    return next(levels._numbers(block[4:]))


def test_an_index_gets_no_level_for_each_forgetting(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember_many([{"text": f"Note {n} of the harbour.", "id": f"n{n}"} for n in range(80)])
        for number in range(70):
            assert memory.forget(f"n{number}").pending == ()
        assert count(listed(tmp_path)) <= levels._MANY + 2
        assert (len(memory.recall("harbour", limit=50)), memory.check()) == (10, [])


@pytest.mark.parametrize("empty", [500, 1_990, 4_000])
def test_an_index_of_very_many_levels_is_read_and_written_again(tmp_path: Path, empty: int) -> None:
    with opened(tmp_path) as memory:
        memory.remember_many([{"text": f"Note {n} of the harbour.", "id": f"n{n}"} for n in range(80)])
        memory.forget("n0")
    before, segments, *rest = levels._numbers(listed(tmp_path)[4:])
    told = [before + empty, segments, rest[0], *[0, 0] * empty, *rest[1:]]
    block = listed(tmp_path)[:4] + b"".join(map(levels._varint, told))
    with closing(sqlite3.connect(tmp_path / "recollect.db", isolation_level=None)) as connection:
        connection.execute("UPDATE words_data SET block = ? WHERE id = 10", (block,))
    with opened(tmp_path) as memory:
        assert count(listed(tmp_path)) == levels._ENOUGH
        assert memory.remember("Another note of the harbour.").stored
        assert memory.forget("n1").pending == ()
        assert (len(memory.recall("harbour", limit=100)), memory.check()) == (79, [])


def test_numbers_are_written_as_they_were_read() -> None:
    numbers = [0, 1, 127, 128, 16_383, 16_384, 2**32, 2**56 - 1, 2**56, 2**63]
    assert list(levels._numbers(b"".join(map(levels._varint, numbers)))) == numbers
