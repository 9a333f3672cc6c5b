"""What becomes of a file whose language needs a package more?"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Memory
from recollect.ingest import grammars
from recollect.ingest.code import split_file

JAVA = "class Till {\n  int price(int net) {\n    return net * 2;\n  }\n}\n"
TOLD = 'java, cut without its parser (pip install "recollect[languages]")'


@pytest.fixture
def _no_java(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine without the extra."""
    known = grammars.LANGUAGES["java"]
    missing = grammars.Language(("tree_sitter_that_is_not_there", "language"), known.definitions)
    monkeypatch.setitem(grammars.LANGUAGES, "java", missing)
    grammars.is_parsed.cache_clear()
    yield
    monkeypatch.undo()
    grammars.is_parsed.cache_clear()


@pytest.mark.usefixtures("_no_java")
def test_without_its_parser_a_file_is_cut_into_windows_and_the_index_says_what_is_missing(
    memory: Memory, tmp_path: Path
) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "Till.java").write_text(JAVA)
    language, chunks = split_file("Till.java", JAVA)
    assert (language, [chunk.chunk_type for chunk in chunks]) == ("java", ["text"])
    status = memory.index_project(folder, wait=60)
    assert (status.state, status.indexed_files, status.skipped) == ("completed", 1, {TOLD: 1})
    assert "price" in memory.search_code("price of the till").hits[0].record.text


def test_five_languages_come_along_and_the_others_are_named_in_the_extra() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    extra = {name.partition(">")[0] for name in project["optional-dependencies"][grammars.EXTRA]}
    base = {name.partition(">")[0] for name in project["dependencies"] if name.startswith("tree-sitter-")}
    assert base == {f"tree-sitter-{name}" for name in ("python", "javascript", "typescript", "go", "rust")}
    every = {language.grammar[0].replace("_", "-") for language in grammars.LANGUAGES.values()}
    assert base | extra == every
