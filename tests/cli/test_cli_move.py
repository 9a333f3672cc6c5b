"""Does a person who moves a memory learn that it arrived?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


def test_a_target_that_is_taken_is_an_error_of_one_line(shell: Any, tmp_path: Path) -> None:
    old, new = str(tmp_path / "old"), str(tmp_path / "new")
    for home in (old, new):
        shell.remember("The harbour gate opens at six.", "--home", home)
    refused = shell("move", "--from", old, "--to", new)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith(f"error: {new}/recollect.db holds a memory already")
    assert shell("move", "--from", old).code == 2
