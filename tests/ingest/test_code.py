"""Where does a source file fall apart?"""

from __future__ import annotations

import pytest
from samples import SAMPLES

from recollect.ingest.code import LONGEST_FUNCTION, WINDOW_CHARS, Chunk, split_file
from recollect.ingest.grammars import LANGUAGES, load_grammar

CUT = ("code", "text", "section")


def definitions(chunks: list[Chunk]) -> list[tuple[int, int, str, str, str]]:
    return [
        (chunk.first_line, chunk.last_line, chunk.chunk_type, chunk.name, chunk.title)
        for chunk in chunks
        if chunk.chunk_type not in CUT
    ]


@pytest.mark.parametrize("path", SAMPLES)
def test_definitions_are_found_with_their_names_comments_and_lines(path: str) -> None:
    text, expected = SAMPLES[path]
    language, chunks = split_file(path, text)
    assert language == ("tsx" if path.endswith(".tsx") else path.partition("/")[0])
    assert definitions(chunks) == expected


@pytest.mark.parametrize("path", SAMPLES)
def test_a_short_definition_is_kept_as_it_stands(path: str) -> None:
    text, _ = SAMPLES[path]
    lines = text.split("\n")
    for chunk in split_file(path, text)[1]:
        if chunk.chunk_type != "module":
            assert chunk.text == "\n".join(lines[chunk.first_line - 1 : chunk.last_line])


def test_every_language_has_a_sample() -> None:
    assert {split_file(path, text)[0] for path, (text, _) in SAMPLES.items()} == set(LANGUAGES)


@pytest.mark.parametrize("path", SAMPLES)
def test_broken_code_is_cut_into_something(path: str) -> None:
    text, _ = SAMPLES[path]
    for broken in (
        text[: len(text) // 2],
        text.replace("}", "").replace(")", ""),
        "}}}} (((( " + text,
        "\ufeff" + text,
    ):
        _, chunks = split_file(path, broken)
        count = len(broken.split("\n"))
        assert chunks
        assert all(1 <= chunk.first_line <= chunk.last_line <= count for chunk in chunks)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nonsense_in_any_language_is_survived(language: str) -> None:
    assert load_grammar(language) is load_grammar(language)
    path = next(path for path, (text, _) in SAMPLES.items() if split_file(path, text)[0] == language)
    for nonsense in ("", "\n\n", "\x00", "{" * 20_000, "((" * 5_000 + "x", "𝕏 ü 汉字 = 1\r\n", "'" * 999):
        assert isinstance(split_file(path, nonsense)[1], list)


def test_a_long_class_becomes_an_outline_and_its_methods() -> None:
    body = "".join(f"    def step_{i}(self):\n        return {'x' * 80}\n\n" for i in range(30))
    _, chunks = split_file("long.py", f'class Long:\n    """Many steps."""\n\n{body}')
    whole, *methods = chunks
    assert (whole.chunk_type, whole.first_line, whole.last_line) == ("class", 1, 92)
    assert '"""Many steps."""' in whole.text
    assert "def step_29(self): …" in whole.text
    assert "xxx" not in whole.text
    assert [method.title for method in methods] == [f"Long.step_{i}" for i in range(30)]


def test_a_very_long_function_is_cut_at_lines() -> None:
    body = "".join(f"    value_{i} = compute({i})\n" for i in range(1_000))
    _, chunks = split_file("long.py", f"def long():\n{body}")
    assert len(body) > LONGEST_FUNCTION
    assert {(chunk.chunk_type, chunk.name) for chunk in chunks} == {("function", "long")}
    assert [chunk.first_line for chunk in chunks[1:]] == [chunk.last_line + 1 for chunk in chunks[:-1]]
    assert (chunks[0].first_line, chunks[-1].last_line) == (1, 1_001)
    assert max(len(chunk.text) for chunk in chunks) <= WINDOW_CHARS


def test_code_outside_of_definitions_is_kept_in_windows() -> None:
    text = 'import first_thing\nimport second_thing\n\n\ndef f():\n    pass\n\n\nif __name__ == "__main__":\n    f()\n'
    _, chunks = split_file("run.py", text)
    assert [(chunk.first_line, chunk.last_line, chunk.chunk_type) for chunk in chunks] == [
        (1, 2, "code"),
        (5, 6, "function"),
        (9, 10, "code"),
    ]


def test_markdown_is_cut_at_its_headings() -> None:
    language, chunks = split_file("docs/a.md", "# One\n\nText.\n\n## Two\n\nMore.\n")
    assert language == "markdown"
    assert [(c.first_line, c.last_line, c.chunk_type, c.name, c.title) for c in chunks] == [
        (1, 4, "section", "One", "One"),
        (5, 7, "section", "Two", "One › Two"),
    ]


def test_other_text_is_cut_into_windows_that_lose_nothing() -> None:
    text = "\n".join(f"setting_{i}: a value that is written here" for i in range(200))
    language, chunks = split_file("config.yaml", text)
    assert language == "yaml"
    assert "\n".join(chunk.text for chunk in chunks) == text
    assert all(len(chunk.text) <= WINDOW_CHARS for chunk in chunks)


def test_a_million_characters_in_one_line_are_no_obstacle() -> None:
    _, chunks = split_file("one.js", "var a=[" + "12345678," * 110_000 + "0];")
    assert {(chunk.first_line, chunk.last_line) for chunk in chunks} == {(1, 1)}
    assert max(len(chunk.text) for chunk in chunks) <= 2 * WINDOW_CHARS


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("Makefile", "all:", "make"),
        ("tool", "#!/usr/bin/python3.12 -u\n", "python"),
        ("tool", "#!/bin/sh\n", "shell"),
        ("x.h", "struct a;", "c"),
        ("x.h", "class A;", "cpp"),
        ("x.unknown", "words", "text"),
        ("X.PY", "", "python"),
    ],
)
def test_a_language_is_told_by_name_or_first_line(path: str, text: str, language: str) -> None:
    assert split_file(path, text)[0] == language
