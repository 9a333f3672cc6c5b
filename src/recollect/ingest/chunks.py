"""Where is a document cut, so that every part can be found, read and cited alone? (document_chunker.v1)

A part is what stands below one heading, and has at most 1,600 characters: a longer section is cut between paragraphs,
else between lines, and each later part repeats the last two lines of the one before. The front matter is a part of its
own. A fenced block is never cut: one that is too long for a part is one all the same, alone. A table is kept whole
where it fits. A line that is too long is cut within, and only there `columns` says which of its characters are meant.

A part's text is exactly its lines, joined by line feeds; blank lines between parts belong to none.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

CHUNKER = "document_chunker.v1"
CHUNK_CHARS = 1600
OVERLAP_LINES = 2
FRONTMATTER_LINES = 200

ChunkKind = Literal["frontmatter", "section", "text", "code"]

_SENTENCES = (". ", "! ", "? ", "。", "！", "？", "; ", ", ", " ")
_LINE_ENDS = re.compile(r"\r\n?")


class Chunk(Struct, frozen=True):
    """A part of a document: its exact text, its lines (from 1, the last included) and the headings above it."""

    text: str
    line_start: int
    line_end: int
    heading_path: tuple[str, ...] = ()
    kind: ChunkKind = "text"
    columns: tuple[int, int] | None = None
    """Of a part of one line: its first and last character, from 1."""


class _Heading(Struct, frozen=True):
    line: int
    level: int
    title: str


class _Blocks(Struct, frozen=True):
    """What a parser found: headings, and lines from..to (from 0, without the last) that belong together."""

    headings: tuple[_Heading, ...] = ()
    fences: tuple[tuple[int, int], ...] = ()
    tables: tuple[tuple[int, int], ...] = ()


class _Unit(Struct, frozen=True):
    """Lines that are not parted."""

    first: int
    end: int
    size: int
    fence: bool = False


def plain_lines(text: str) -> str:
    """A text whose lines all end in a line feed, whatever system it was written on."""
    return _LINE_ENDS.sub("\n", text) if "\r" in text else text


def chunk_markdown(text: str, limit: int = CHUNK_CHARS) -> list[Chunk]:
    """The parts of a Markdown document, in order. Lines are those of `plain_lines(text)`."""
    lines = plain_lines(text).split("\n")
    front = _frontmatter(lines)
    body = "\n".join(lines[front:])
    return [
        *_sections(lines, 0, front, _Blocks(), "frontmatter", limit),
        *_sections(lines, front, len(lines), _parse(body, front), "section", limit),
    ]


def chunk_text(text: str, limit: int = CHUNK_CHARS, headings: Sequence[tuple[int, int, str]] = ()) -> list[Chunk]:
    """The parts of a plain text, in order; who knows its headings gives line (from 0), level and title of each."""
    lines = plain_lines(text).split("\n")
    found = _Blocks(headings=tuple(_Heading(*heading) for heading in headings))
    return _sections(lines, 0, len(lines), found, "section", limit)


def headings_of(chunks: Sequence[Chunk]) -> list[str]:
    """Every heading that stands above some part, once, in order."""
    return list(dict.fromkeys(heading for chunk in chunks for heading in chunk.heading_path))


def _frontmatter(lines: Sequence[str]) -> int:
    """How many lines the front matter takes; 0 where there is none, or where it is not closed soon enough."""
    if lines[0].rstrip() != "---":
        return 0
    for number, line in enumerate(lines[1:FRONTMATTER_LINES], 2):
        if line.rstrip() in ("---", "..."):
            return number
    return 0


_SIGNS = {"table": "|", "blockquote": ">", "html_block": "<", "reference": "]:"}
"""What a text must hold for a rule to find anything in it."""


@cache
def _parser(idle: tuple[str, ...]) -> MarkdownIt:
    """A parser without some rules that would find nothing: they are tried on every line, which takes time."""
    from markdown_it import MarkdownIt  # only where there is Markdown to read

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])  # what stands within a line does not matter here
    return parser.disable(idle)


def _parse(body: str, offset: int) -> _Blocks:
    headings: list[_Heading] = []
    fences: list[tuple[int, int]] = []
    tables: list[tuple[int, int]] = []
    tokens = _parser(tuple(rule for rule, sign in _SIGNS.items() if sign not in body)).parse(body)
    for number, token in enumerate(tokens):
        if token.map is None:
            continue
        first, end = token.map[0] + offset, token.map[1] + offset
        if token.type == "heading_open" and token.level == 0:
            title = " ".join(tokens[number + 1].content.split())
            headings.append(_Heading(first, int(token.tag[1]), title))
        elif token.type == "fence":
            fences.append((first, end))
        elif token.type == "table_open":
            tables.append((first, end))
    return _Blocks(tuple(headings), tuple(fences), tuple(tables))


def _sections(lines: Sequence[str], start: int, end: int, blocks: _Blocks, kind: ChunkKind, limit: int) -> list[Chunk]:
    """The lines from..to in sections, one for each heading and one before them, each cut where it is too long."""
    found: list[Chunk] = []
    path: list[_Heading] = []
    marks = [heading.line for heading in blocks.headings]
    for first, last, heading in zip([start, *marks], [*marks, end], [None, *blocks.headings], strict=True):
        if heading is not None:
            path = [*(step for step in path if step.level < heading.level), heading]
        titles = tuple(step.title for step in path if step.title)
        named: ChunkKind = "text" if kind == "section" and heading is None else kind
        found += _cut(lines, first, last, blocks, titles, named, limit)
    return found


def _cut(
    lines: Sequence[str], start: int, end: int, blocks: _Blocks, path: tuple[str, ...], kind: ChunkKind, limit: int
) -> Iterator[Chunk]:
    start, end = _trim(lines, start, end)
    if start == end:
        return
    whole = "\n".join(lines[start:end])
    if len(whole) <= limit:
        yield Chunk(whole, start + 1, end, path, kind)
        return
    overlap = 0
    units = list(_units(lines, start, end, blocks, limit))
    place = 0
    while place < len(units):
        taken = _take(lines, units, place, overlap, limit)
        first, last = _trim(lines, units[place].first - overlap, units[taken - 1].end)
        alone = units[place] if taken == place + 1 else None
        if alone is not None and alone.size > limit and not alone.fence:
            yield from _cut_line(lines[alone.first], alone.first + 1, path, kind, limit)
            last = alone.first  # nothing of it is repeated
        else:
            text = "\n".join(lines[first:last])
            yield Chunk(text, first + 1, last, path, "code" if alone is not None and alone.size > limit else kind)
        place = next((at for at in range(taken, len(units)) if lines[units[at].first].strip()), len(units))
        overlap = _overlap(lines, units, place, last, limit)


def _trim(lines: Sequence[str], first: int, end: int) -> tuple[int, int]:
    """The same lines without blank ones at either end."""
    while first < end and not lines[first].strip():
        first += 1
    while end > first and not lines[end - 1].strip():
        end -= 1
    return first, end


def _units(lines: Sequence[str], start: int, end: int, blocks: _Blocks, limit: int) -> Iterator[_Unit]:
    fences, tables = _within(blocks.fences, start, end), _within(blocks.tables, start, end)
    line = start
    while line < end:
        last = fences.get(line, line + 1)
        if line not in fences and line in tables and _size(lines, line, tables[line]) <= limit:
            last = tables[line]
        yield _Unit(line, last, _size(lines, line, last), fence=line in fences)
        line = last


def _within(blocks: Sequence[tuple[int, int]], start: int, end: int) -> dict[int, int]:
    """Where the blocks that begin in some lines end, by their first line. Blocks are in order."""
    some = blocks[bisect_left(blocks, (start, 0)) : bisect_left(blocks, (end, 0))]
    return {first: min(last, end) for first, last in some}


def _size(lines: Sequence[str], first: int, end: int) -> int:
    return sum(map(len, lines[first:end])) + max(end - first - 1, 0)


def _take(lines: Sequence[str], units: Sequence[_Unit], place: int, overlap: int, limit: int) -> int:
    """Up to which unit (without it) a part goes that begins with the unit at `place`, after some repeated lines.

    It takes what fits, and gives back what stands after the last blank line, unless that were half of it.
    """
    before = units[place].first - overlap
    size = _size(lines, before, units[place].end)
    end = place + 1
    while end < len(units) and size + 1 + units[end].size <= limit:
        size += 1 + units[end].size
        end += 1
    if end == len(units):
        return end
    for cut in range(end, place + 1, -1):
        if size < limit // 2:
            break
        if not lines[units[cut].first].strip() or not lines[units[cut - 1].end - 1].strip():
            return cut
        size -= 1 + units[cut - 1].size
    return end


def _overlap(lines: Sequence[str], units: Sequence[_Unit], place: int, last: int, limit: int) -> int:
    """How many lines before the unit at `place` are repeated, so that two that say something are, if they fit."""
    if place == len(units) or units[place].size > limit:
        return 0
    begin = last
    for unit in reversed(units[max(place - limit, 0) : place]):
        if unit.first >= last:
            continue  # blank lines after the part
        if unit.fence or unit.end > unit.first + 1 or begin == last - OVERLAP_LINES:
            break
        if _size(lines, unit.first, units[place].end) > limit:
            break
        begin = unit.first
    return units[place].first - begin if begin < last else 0


def _cut_line(line: str, number: int, path: tuple[str, ...], kind: ChunkKind, limit: int) -> Iterator[Chunk]:
    """A line that is too long, in parts that end after a sentence, else after a word."""
    start = 0
    while start < len(line):
        end = len(line) if len(line) - start <= limit else _break_at(line, start, limit)
        text = line[start:end]
        if text.strip():
            yield Chunk(text, number, number, path, kind, (start + 1, end))
        start = end


def _break_at(line: str, start: int, limit: int) -> int:
    for mark in _SENTENCES:
        at = line.rfind(mark, start + limit // 2, start + limit)
        if at >= 0:
            return at + len(mark)
    return start + limit
