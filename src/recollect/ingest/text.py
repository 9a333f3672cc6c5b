"""Where does a document fall apart into records?

A section is what stands below one heading (of Markdown; a plain text has one section). Headings inside fenced code
do not count. A section that is too long is cut at paragraphs, then lines, then sentences.
"""

from __future__ import annotations

import re

from msgspec import Struct

SECTION_CHARS = 1600

_HEADING = re.compile(r"#{1,6}\s+(?=\S)")
_CLOSING = re.compile(r"(?<=\s)#+$|^#+$")
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_BREAKS = ("\n\n", "\n", ". ", "。", " ")


class Section(Struct, frozen=True):
    """A part of a document: the headings above it, its text, and the lines it stands on (from 1)."""

    headings: tuple[str, ...]
    text: str
    first_line: int
    last_line: int


def split_sections(text: str, limit: int = SECTION_CHARS) -> list[Section]:
    """The sections of a document, in order, none blank and none longer than the limit."""
    lines = text.splitlines(keepends=True)
    found: list[Section] = []
    path: list[tuple[int, str]] = []
    start, fence = 0, ""
    for number, line in enumerate(lines):
        fence = _fence_after(fence, line)
        heading = "" if fence else _heading(line)
        if heading:
            found += _cut(lines, start, number, path, limit)
            level = len(line) - len(line.lstrip("#"))
            path = [*(step for step in path if step[0] < level), (level, heading)]
            start = number
    return found + _cut(lines, start, len(lines), path, limit)


def _heading(line: str) -> str:
    """The words of a heading; empty where a line is none. Closing marks do not belong to it."""
    match = _HEADING.match(line)
    return _CLOSING.sub("", line[match.end() :].strip()).strip() if match else ""


def _fence_after(fence: str, line: str) -> str:
    """The mark of the code fence that is open after a line; empty where none is."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    if not fence:
        return match.group(1)
    closes = match.group(1).startswith(fence) and not line.strip().strip(fence[0])
    return "" if closes else fence


def _cut(lines: list[str], start: int, end: int, path: list[tuple[int, str]], limit: int) -> list[Section]:
    rest = "".join(lines[start:end])
    line = start + 1
    headings = tuple(title for _, title in path)
    found: list[Section] = []
    while rest:
        size = len(rest) if len(rest) <= limit else _break_at(rest, limit)
        piece, rest = rest[:size], rest[size:]
        last = line + piece.count("\n") - piece.endswith("\n")
        if piece.strip():
            found.append(Section(headings, piece.strip("\n"), line, last))
        line += piece.count("\n")
    return found


def _break_at(text: str, limit: int) -> int:
    for mark in _BREAKS:
        at = text.rfind(mark, limit // 2, limit)
        if at >= 0:
            return at + len(mark)
    return limit
