"""Does what is evicted for good go as what is forgotten by hand does?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from recollect import Memory

SECRET = "xylophone"


def traces(folder: Path, *words: str) -> list[str]:
    """The files that hold a word."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [f"{word} in {file}" for file in files for word in words if word.encode() in file.read_bytes().lower()]


def test_what_is_evicted_for_good_takes_along_what_was_merged_and_what_was_made_of_it(
    open_plain: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = open_plain("vault")
    memory.remember(f"The {SECRET} vault is behind the picture.", id="b", importance=0.05)
    memory.remember(f"the {SECRET} vault is behind a picture.", id="a", importance=0.05)
    memory.remember("The garden needs water on every second evening in July.", id="c", importance=0.9)
    assert [merge.merged for merge in memory.dream().merges] == ["b"]
    summary = memory.summarize(strategy="extractive")
    assert SECRET in summary.text
    assert memory.evict(cap=2, delete=True, min_importance=0)[0].count == 2
    assert [past.record for past in memory.history("b")] == [None] * len(memory.history("b"))
    left = memory.get(summary.id)
    assert left is not None
    assert ("garden" in left.text, SECRET in left.text) == (True, False)
    memory.close()
    assert traces(tmp_path / "home", SECRET) == []
