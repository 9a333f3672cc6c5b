"""Which cells of a table are passwords, going by what its first row calls their column?

Tables of Markdown (`| user | password |`), and lines with commas, semicolons or tabs between their cells.
"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.ingest.secret_values import is_told
from recollect.ingest.secret_words import EASTERN, PASSWORDS
from recollect.pattern import pattern_of

_SIGNS = "|\t;,"
_HEAD = pattern_of(rf"(?i)[\s*_\"'`]*(?:[\w-]{{1,20}}[ _-])?(?:pw|pass|{PASSWORDS}|{EASTERN})[\s*_\"'`]*")
_WORDS = "pass|pw|wort|woord|word|mdp|senha|contrase|hasł|парол|密|パス|비밀"
_NAMED = pattern_of(rf"[|\t;,][^|\t;,\n]{{0,24}}(?:{_WORDS})|(?:{_WORDS})[^|\t;,\n]{{0,12}}[|\t;,]")
_CELL = pattern_of(r"[\s*_\"'`]*(?P<secret>[^\s\"'`]{4,200}?)[\s*_\"'`]*")
_NAME = pattern_of(r"\s?[\w-]+(?: [\w-]+){0,2}")
_MOST_CELLS = 30


def table_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Where the passwords stand in the tables of a text."""
    sign, columns, count = "", frozenset[int](), 0
    at = 0
    for line in text.splitlines(keepends=True):
        cells = line.rstrip("\r\n").split(sign) if sign else []
        if not sign or len(cells) != count:
            sign, columns, count = _head(line.rstrip("\r\n"))
        else:
            yield from _in_row(cells, columns, at)
        at += len(line)


def _head(line: str) -> tuple[str, frozenset[int], int]:
    """What stands between the cells of a line, which of them calls its column passwords, and how many there are."""
    for sign in _SIGNS if _NAMED.search(line.lower()) else "":
        cells = line.split(sign)
        named = frozenset(place for place, cell in enumerate(cells) if _HEAD.fullmatch(cell))
        if named and 1 < len(cells) <= _MOST_CELLS and (sign == "|" or _are_names(cells)):
            return sign, named, len(cells)
    return "", frozenset(), 0


def _are_names(cells: list[str]) -> bool:
    """Are these what columns are called, and no list or call in code?"""
    return not cells[0][:1].isspace() and all(_NAME.fullmatch(cell) for cell in cells)


def _in_row(cells: list[str], columns: frozenset[int], at: int) -> Iterator[tuple[int, int]]:
    for place, cell in enumerate(cells):
        found = _CELL.fullmatch(cell) if place in columns else None
        if found is not None and is_told(found["secret"]):
            yield at + found.start("secret"), at + found.end("secret")
        at += len(cell) + 1


def may_have_table(lower: str) -> bool:
    """Could a text, in lower case, hold such a table? Most do not, and cost nothing else."""
    return "\n" in lower and _NAMED.search(lower) is not None
