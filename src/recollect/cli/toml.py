"""How is one table set in a TOML file that belongs to somebody else?

The standard library reads TOML and does not write it, and comments must stay: so only the lines of our own table are
changed, and what comes out is read again and compared with what was meant.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence

from recollect.cli.jsonc import Uneditable, Unreadable
from recollect.types import Json

_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_HEADER = re.compile(r"\s*\[")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def read_toml(text: str) -> dict[str, Json]:
    try:
        return tomllib.loads(text)
    except ValueError as error:  # of what is no TOML, and of a number of thousands of digits
        line = _LINE.search(str(error))
        problem = _LINE.sub("", str(error)).strip().lower()
        raise Unreadable(problem, int(line.group(1)) if line else text.count("\n") + 1) from error


def set_table(text: str, path: Sequence[str], values: Mapping[str, Json]) -> str:
    """The text with some values of a table set; all else stays, letter for letter."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    start = next((i for i, line in enumerate(lines) if _is_header(line, path)), None)
    if start is None:
        body = "".join(f"{key} = {_render(value)}{newline}" for key, value in values.items())
        gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
        new = f"{text}{gap}[{'.'.join(_key(part) for part in path)}]{newline}{body}"
    else:
        for key, value in values.items():
            _set_key(lines, start, key, f"{key} = {_render(value)}{newline}")
        new = "".join(lines)
    if not _holds(text, new, path, values):
        raise Uneditable(f"{'.'.join(path)} is written in a way that cannot be changed safely")
    return new


def remove_table(text: str, path: Sequence[str]) -> str:
    """The text without a table and those in it, and without the empty line before it."""
    lines = text.splitlines(keepends=True)
    start = next((i for i, line in enumerate(lines) if _is_header(line, path)), None)
    if start is None:
        raise Uneditable(f"{'.'.join(path)} is written in a way that cannot be taken out safely")
    end = start + 1
    while end < len(lines) and (not _HEADER.match(lines[end]) or _is_header(lines[end], path, within=True)):
        end += 1
    while end > start + 1 and not lines[end - 1].strip() and end < len(lines):
        end -= 1  # what stands between our table and the next belongs to that one
    begin = start - 1 if start and not lines[start - 1].strip() else start
    new = "".join([*lines[:begin], *lines[end:]])
    meant = read_toml(text)
    _drop(meant, path)
    if read_toml(new) != meant:
        raise Uneditable(f"{'.'.join(path)} is written in a way that cannot be taken out safely")
    return new


def _drop(values: dict[str, Json], path: Sequence[str]) -> None:
    """Takes a table out of its parent, which goes as well where nothing else is in it."""
    inner = values.get(path[0])
    if len(path) > 1 and isinstance(inner, dict):
        _drop(inner, path[1:])
    if len(path) == 1 or not inner:
        values.pop(path[0], None)


def _is_header(line: str, path: Sequence[str], *, within: bool = False) -> bool:
    """Is a line the header of a table, or of one `within` it?"""
    parts = r"\s*\.\s*".join(f"(?:{re.escape(part)}|\"{re.escape(part)}\"|'{re.escape(part)}')" for part in path)
    more = r"\s*\..*" if within else r"\s*"
    return re.fullmatch(rf"\s*\[\s*{parts}{more}\]\s*(?:#.*)?", line.rstrip("\r\n")) is not None


def _set_key(lines: list[str], start: int, key: str, written: str) -> None:
    """Replaces a key's line (or lines) below a header, or adds one right below it."""
    at = start + 1
    while at < len(lines) and not _HEADER.match(lines[at]):
        if re.match(rf"\s*(?:{key}|\"{key}\"|'{key}')\s*=", lines[at]):
            end = _end_of_value(lines, at)
            if read_toml("".join(lines[at:end])) != read_toml(written):
                lines[at:end] = [written]
            return
        at += 1
    lines.insert(start + 1, written)


def _end_of_value(lines: Sequence[str], start: int) -> int:
    """The line after a value, which may go over several."""
    for end in range(start + 1, len(lines) + 1):
        try:
            tomllib.loads("".join(lines[start:end]))
        except tomllib.TOMLDecodeError:
            continue
        return end
    return start + 1


def _holds(old: str, new: str, path: Sequence[str], values: Mapping[str, Json]) -> bool:
    """Does the new text say what was meant, and nothing else?"""
    try:
        found = tomllib.loads(new)
    except tomllib.TOMLDecodeError:
        return False
    meant = read_toml(old)
    table = meant
    for part in path:
        inner = table.setdefault(part, {})
        if not isinstance(inner, dict):
            return False
        table = inner
    table.update(values)
    return found == meant


def _key(part: str) -> str:
    return part if _BARE_KEY.fullmatch(part) else json.dumps(part, ensure_ascii=False)


def _render(value: Json) -> str:
    """Texts and lists of texts are written alike in JSON and in TOML."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
