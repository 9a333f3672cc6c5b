"""Which paths do the lines of a `.gitignore` speak of, however they were written to make that hard to tell?

Lines are read as git reads them; the last that fits decides. Whoever wrote a repository wrote its patterns too, so each
is matched in time that grows as the pattern times the path and no faster: what stands between two stars has a fixed
length, hence its first place is as good as any later one, and is never given up again (`(?>…)`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

LONGEST_LINE = 4_096
"""Characters; no path is longer, so what a longer line names is not there."""
MOST_LINES = 10_000

_STAR = "*"
_ONE = "[^/]"
_ANY = "[^/]*"
_FOLDERS = "(?:[^/]+/)*?"
_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "digit": "0-9",
    "graph": r"\x21-\x7e", "lower": "a-z", "print": r"\x20-\x7e", "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r"\s", "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip


class _Line(Struct, frozen=True):
    """One pattern. A plain name is compared with the last part of a path, anything else with the whole of it."""

    ignores: bool
    folders: bool
    name: str | None
    form: re.Pattern[str] | None


class Patterns:
    """Lines in the order of their file."""

    def __init__(self, lines: Iterable[_Line]) -> None:
        self._lines = tuple(lines)[::-1]

    def decide(self, path: str, *, folder: bool) -> bool | None:
        """Is a path left out? None where no line speaks of it. What lies in a folder does not follow the folder."""
        last = path.rpartition("/")[2]
        for line in self._lines:
            if line.folders and not folder:
                continue
            if line.name == last if line.form is None else line.form.match(path):
                return line.ignores
        return None


@lru_cache(maxsize=64)
def parse_patterns(lines: Sequence[str]) -> Patterns:
    """The patterns of some lines; a line that is no pattern says nothing."""
    return Patterns(found for line in lines if (found := _parse(line)) is not None)


def _parse(line: str) -> _Line | None:
    text = _strip(line)
    if not text or text.startswith("#") or len(text) > LONGEST_LINE:
        return None
    ignores = not text.startswith("!")
    text = text if ignores else text[1:]
    folders = text.endswith("/")
    text = text[:-1] if folders else text
    anywhere = "/" not in text
    parts = _split(text.removeprefix("/"))
    if not text or parts is None:
        return None
    plain = text if anywhere and not set(text) & set("*?[\\") else None
    return _Line(ignores, folders, plain, None if plain else re.compile(_render(parts, anywhere=anywhere), re.DOTALL))


def _strip(line: str) -> str:
    """A line without the blanks at its end, but for one that a backslash keeps."""
    text = line.rstrip(" \r\n")
    lost = len(line) - len(text)
    escaped = (len(text) - len(text.rstrip("\\"))) % 2
    return text + " " if escaped and lost and line[len(text)] == " " else text


def _split(text: str) -> list[list[str]] | None:
    """The parts between slashes, each in marks: a star, or what stands for one character. None: it is none."""
    parts: list[list[str]] = [[]]
    at = 0
    while at < len(text):
        one = text[at]
        at += 1
        if one == "/":
            parts.append([])
        elif one == "*":
            parts[-1].append(_STAR)
        elif one == "?":
            parts[-1].append(_ONE)
        elif one == "[":
            found = _read_set(text, at)
            if found is None:
                return None
            mark, at = found
            parts[-1].append(mark)
        else:
            if one == "\\":
                if at == len(text):
                    return None
                one, at = text[at], at + 1
            parts[-1].append(re.escape(one))
    return parts


def _read_set(text: str, at: int) -> tuple[str, int] | None:
    """What stands in brackets from there on, and where it ends."""
    other = text[at : at + 1] in ("!", "^")
    at += other
    inside: list[str] = []
    first = at
    while at < len(text) and (text[at] != "]" or at == first):
        if text.startswith("[:", at):
            name, found, _ = text[at + 2 :].partition(":]")
            if not found or name not in _CLASSES:
                return None
            inside.append(_CLASSES[name])
            at += len(name) + 4
            continue
        begin, at = _read_one(text, at)
        if text[at : at + 1] == "-" and text[at + 1 : at + 2] not in ("", "]"):
            end, at = _read_one(text, at + 1)
            inside.append(f"{re.escape(begin)}-{re.escape(end)}" if begin <= end else re.escape(begin))
        else:
            inside.append(re.escape(begin))
    if at >= len(text):
        return None
    if not inside:
        return (_ONE if other else "(?!)"), at + 1
    return f"(?!/)[{'^' if other else ''}{''.join(inside)}]", at + 1


def _read_one(text: str, at: int) -> tuple[str, int]:
    return (text[at + 1], at + 2) if text[at] == "\\" and at + 1 < len(text) else (text[at], at + 1)


# As a regular expression


def _render(parts: Sequence[Sequence[str]], *, anywhere: bool) -> str:
    """Parts that follow one another make a run; between runs, `**` stands for any folders or none."""
    runs: list[list[Sequence[str]]] = [[], []] if anywhere else [[]]
    for part in parts:
        if len(part) > 1 and set(part) == {_STAR} and not anywhere:
            if runs[-1] or len(runs) == 1:
                runs.append([])
        else:
            runs[-1].append(part)
    *before, last = ["/".join(map(_render_part, run)) for run in runs]
    forms = [f"(?>{_FOLDERS if number else ''}{run}/)" for number, run in enumerate(before) if run]
    within = _FOLDERS if len(runs) > 1 else ""
    return "".join(forms) + (f"{within}{last}\\Z" if last else _ONE)


def _render_part(part: Sequence[str]) -> str:
    """One part of a path, found in the first place that will do and then held on to."""
    pieces: list[str] = []
    held = ""
    stars = 0
    for mark in part:
        if mark != _STAR:
            held += mark
        elif held or not stars:
            pieces.append(f"(?>{_ANY}?{held})" if stars else held)
            held = ""
            stars += 1
    tail = f"{_ANY}{held}" if stars else held
    return f"(?>{''.join(pieces)}{tail}(?=/|\\Z))"
