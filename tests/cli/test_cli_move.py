"""Does a person who moves a memory learn that it arrived?"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.pgserver import store_url


def test_a_memory_is_moved_to_a_database_and_answers_there(shell: Any, tmp_path: Path) -> None:
    old, url = str(tmp_path / "old"), store_url(tmp_path, "moved")
    kept = shell.remember("The harbour gate opens at six.", "--home", old)
    done = shell("move", "--from", old, "--to", url)
    assert (done.code, done.err.count("\n")) == (0, 1)
    assert "moved 1 version of records" in done.out
    assert "equal: 1 spaces, 1 records, 2 journal" in done.out
    assert "rows:" not in done.err
    found = shell.json("recall", "harbour gate", "--store", url)
    assert [hit["record"]["id"] for hit in found["hits"]] == [kept]


def test_a_target_that_is_half_filled_is_not_called_writable_and_is_not_moved_on(shell: Any, tmp_path: Path) -> None:
    old, half = str(tmp_path / "old"), str(tmp_path / "half")
    for home in (old, half):
        shell.remember("The harbour gate opens at six.", "--home", home)
    with closing(sqlite3.connect(tmp_path / "half" / "recollect.db")) as file, file:
        file.execute("INSERT INTO shelves VALUES(0, 'index', 'unfinished', '1')")
    found = shell("doctor", "--home", half)
    assert found.code == 1
    assert "cannot be opened" in found.out
    assert "writable" not in found.out
    refused = shell("move", "--from", half, "--to", str(tmp_path / "new"))
    assert (refused.code, (tmp_path / "new").exists()) == (1, False)
    assert "is being filled by a move itself" in refused.err


def test_doctor_on_a_database_advises_what_copies_one(shell: Any, tmp_path: Path) -> None:
    url = store_url(tmp_path, "advised")
    shell.remember("The harbour gate opens at six.", "--store", url)
    assert "`recollect export FOLDER` or pg_dump makes one now" in " ".join(shell("doctor", "--store", url).out.split())


@pytest.mark.parametrize("words", [("list",), ("serve",), ("remember", "x"), ("up",)])
def test_two_places_for_one_store_are_refused(shell: Any, tmp_path: Path, words: tuple[str, ...]) -> None:
    refused = shell(*words, "--store", "postgresql://me@nowhere/d", "--home", str(tmp_path / "here"))
    assert (refused.code, refused.err) == (
        2, "error: --store: and --home both say where the store is; give one of them\n",
    )  # fmt: skip
    assert not (tmp_path / "here").exists()


def test_a_target_that_is_taken_is_an_error_of_one_line(shell: Any, tmp_path: Path) -> None:
    old, new = str(tmp_path / "old"), str(tmp_path / "new")
    for home in (old, new):
        shell.remember("The harbour gate opens at six.", "--home", home)
    refused = shell("move", "--from", old, "--to", new)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith(f"error: {new}/recollect.db holds a memory already")
    assert shell("move", "--from", old).code == 2
