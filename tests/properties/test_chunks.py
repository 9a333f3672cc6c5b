"""Does the chunker keep its promises on any Markdown?"""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from recollect.ingest.chunks import CHUNK_CHARS, OVERLAP_LINES, Chunk, chunk_markdown, chunk_text, plain_lines

words = st.text(st.sampled_from("ab é漢#`~|-> .*_\t"), max_size=60)
prose = st.builds(
    lambda word, count: (word + " ") * count, st.text("abc漢", min_size=1, max_size=9), st.integers(1, 60)
)
long_lines = st.builds(
    lambda word, count: word * count, st.sampled_from(["word ", "x", "Ein Satz. ", "漢"]), st.integers(300, 2_500)
)
marks = st.sampled_from([
    "# Top", "## Below", "###", "Setext", "===", "---", "```", "```python", "````", "~~~", "~~~~", "    indented",
    "> quoted", "> ```", "- item", "  ```", "1. one", "   ```", "| a | b |", "|---|---|", "| 1 | 2 |", "<!--", "-->",
    "<div>", "</div>", "...", "title: x", "", "", "\u2028", "\x0b", "a\rb", "c\r",
])  # fmt: skip
repeated = st.builds(lambda line, count: "\n".join([line] * count), st.one_of(marks, prose), st.integers(2, 250))
blocks = st.lists(st.one_of(marks, marks, words, prose, repeated, long_lines), max_size=40)
documents = st.builds(lambda parts, end: "\n".join(parts) + end, blocks, st.sampled_from(["", "\n", "\r\n"]))


def fences_of(text: str) -> list[tuple[int, int]]:
    """Lines (from 1, the last included) of the fenced blocks that a parser finds behind the front matter."""
    front = next((chunk.line_end for chunk in reversed(chunk_markdown(text)) if chunk.kind == "frontmatter"), 0)
    body = "\n".join(plain_lines(text).split("\n")[front:])
    tokens = MarkdownIt("commonmark").enable("table").parse(body)
    return [(t.map[0] + 1 + front, t.map[1] + front) for t in tokens if t.type == "fence" and t.map is not None]


def shown(chunk: Chunk, lines: list[str]) -> str:
    """What stands at the place that a chunk names."""
    text = "\n".join(lines[chunk.line_start - 1 : chunk.line_end])
    return text if chunk.columns is None else text[chunk.columns[0] - 1 : chunk.columns[1]]


@given(documents)
@settings(max_examples=150, deadline=None)
def test_every_chunk_is_what_stands_at_its_lines(text: str) -> None:
    lines = plain_lines(text).split("\n")
    for chunk in chunk_markdown(text):
        assert chunk.text == shown(chunk, lines)
        assert chunk.text.strip()


@given(documents)
@settings(max_examples=150, deadline=None)
def test_nothing_of_a_document_is_lost(text: str) -> None:
    lines = plain_lines(text).split("\n")
    covered: dict[int, list[tuple[int, int]]] = {}
    for chunk in chunk_markdown(text):
        for number in range(chunk.line_start, chunk.line_end + 1):
            covered.setdefault(number, []).append(chunk.columns or (1, len(lines[number - 1])))
    for number, line in enumerate(lines, 1):
        parts = sorted(covered.get(number, []))
        seen = {column for first, last in parts for column in range(first, last + 1)}
        assert all(not character.strip() for at, character in enumerate(line, 1) if at not in seen)


@given(documents)
@settings(max_examples=150, deadline=None)
def test_no_chunk_begins_or_ends_inside_a_fence(text: str) -> None:
    lines = plain_lines(text).split("\n")
    chunks = chunk_markdown(text)
    for first, last in fences_of(text):
        while last > first and not lines[last - 1].strip():
            last -= 1  # a fence that is never closed runs to the end; blank lines there belong to no chunk
        touching = [chunk for chunk in chunks if chunk.line_start <= last and chunk.line_end >= first]
        assert [(c.line_start, c.line_end) for c in touching if c.line_start > first or c.line_end < last] == []
        assert all(chunk.columns is None for chunk in touching)
        assert len(touching) == 1


@given(documents)
@settings(max_examples=150, deadline=None)
def test_chunks_are_bounded_but_for_a_fence_that_is_too_long_itself(text: str) -> None:
    fences = set(fences_of(text))
    for chunk in chunk_markdown(text):
        if len(chunk.text) > CHUNK_CHARS:
            assert chunk.kind == "code"
            assert any(first <= chunk.line_start and chunk.line_end <= last for first, last in fences)


@given(documents)
@settings(max_examples=100, deadline=None)
def test_chunks_stand_in_order_and_repeat_two_lines_at_most(text: str) -> None:
    chunks = chunk_markdown(text)
    for one, other in pairwise(chunks):
        if one.columns is not None and other.columns is not None and one.line_start == other.line_start:
            assert other.columns[0] > one.columns[1]
        else:
            assert other.line_end > one.line_end
            assert one.line_end - other.line_start + 1 <= OVERLAP_LINES


@given(documents)
@settings(max_examples=100, deadline=None)
def test_a_plain_text_is_cut_like_one_section(text: str) -> None:
    lines = plain_lines(text).split("\n")
    chunks = chunk_text(text)
    assert all(len(chunk.text) <= CHUNK_CHARS and chunk.text == shown(chunk, lines) for chunk in chunks)
    assert all(chunk.heading_path == () and chunk.kind == "text" for chunk in chunks)
