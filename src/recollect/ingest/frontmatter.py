"""What stands above a Markdown text, between two lines of dashes?

A small part of YAML is read: texts, numbers, truths and lists of texts, which is what notes carry, and the comments
behind them. What is more than that (blocks of text, fields in fields) is known as the lines that it is, and whether it
is can be asked. A # with a word behind it that stands where a value begins is no comment, but a tag as people write it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from recollect.types import Json

_FENCE = "---"
_FENCES = (_FENCE, "...")
_BLOCK = re.compile(r"[|>][0-9+-]{0,2}(?:\s+#.*)?")
_WORD_KEY = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\s:]+) *:(?!//)""")
_KEY = re.compile(_WORD_KEY.pattern + r"|[^\s:]+(?: +[^\s:]+){1,3} *:(?=\s|\Z)")
"""A field's name: a word, or a few. What has more before its colon is a sentence."""
_QUOTED = re.compile(r"""\"(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+'""")
_COMMENT = re.compile(r"[ \t]+#.*")
_REMARK = re.compile(r"#(?:[ \t].*)?")
_WITHIN = re.compile(rf"(?<=[\[{{,:])[ \t]*(?:{_QUOTED.pattern}|#[^ \t])|(?P<comment>[ \t]#)")
"""In a list or a mapping: what is quoted, a tag as people write it, and where a comment begins."""
_IN_FIELDS = re.compile(r"""\[|\{(?!\{)|[^\s"'\[{#][^"']*?:(?:\s|\Z)""")
"""How an item begins that is no text."""
_MERGED = "<<<<<<<"
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,17})?")
_PART = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]*)\s*(?:,|\Z)""")


class Entry(Struct, frozen=True):
    """A field as it stands there: its name and all of its lines. A comment, and what else is no field, has no name."""

    name: str
    lines: tuple[str, ...]

    def is_astray(self) -> bool:
        """Does it go on with a field, and there is none above it?"""
        return self.lines[0][:1] in (" ", "\t", "-")

    def value(self, *, numbers: bool = False) -> Json:
        """What it says, as far as that is read; numbers are texts unless they are asked for."""
        said = _value(self._first(), numbers=numbers)
        items = [_value(said, numbers=numbers) for said in self._items()]
        return [*(said if isinstance(said, list) else []), *items] if items else said

    def is_plain(self) -> bool:
        """Is all of it read: one line, or a list with a line for each?"""
        first, below = self._first(), [line for line in self.lines[1:] if not _is_aside(line)]
        if not below:
            return _BLOCK.fullmatch(first) is None
        return first[:1] in ("", "#") and all(_is_item(line) or _is_empty_item(line) for line in below)

    def is_open(self) -> bool:
        """Does it begin as a list, and is none?"""
        return self._first()[:1] == "[" and isinstance(self.value(), str)

    def is_mapping(self) -> bool:
        """Are there fields in it? `{{title}}` is a place that a template leaves for a text."""
        return self._first()[:1] == "{" and self._first()[:2] != "{{"

    def is_nested(self) -> bool:
        """Is there anything but texts in its list?"""
        first = self._first()
        parts = [found[1] for found in _PART.finditer(first[1:-1])] if first[:1] == "[" else []
        return any(_IN_FIELDS.match(said) is not None for said in (*parts, *self._items()))

    def asides(self) -> list[str]:
        """The comments on lines of their own in it."""
        return [line.strip() for line in self.lines[1:] if line.strip() and _is_aside(line)]

    def remarks(self) -> str:
        """The comments behind what it says."""
        said = (self.lines[0].partition(":")[2], *(line.strip()[2:] for line in self.lines[1:] if _is_item(line)))
        return " ".join(remark for one in said if (remark := _split_remark(one)[1]))

    def _first(self) -> str:
        return _split_remark(self.lines[0].partition(":")[2])[0]

    def _items(self) -> list[str]:
        return [_split_remark(line.strip()[2:])[0] for line in self.lines[1:] if _is_item(line)]


def _is_item(line: str) -> bool:
    return line[:1] in (" ", "-") and line.strip().startswith("- ")


def _is_empty_item(line: str) -> bool:
    return line[:1] in (" ", "-") and line.strip() == "-"


def _is_aside(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _split_remark(value: str) -> tuple[str, str]:
    """What stands behind a name or a dash, and the comment behind that."""
    said = value.strip()
    if "#" not in said:
        return said, ""
    if said[0] == "#":
        return ("", said) if _REMARK.fullmatch(said) else (said, "")
    if said[0] in "[{":
        within = (found.start() for found in _WITHIN.finditer(said) if found["comment"])
        end = next(within, len(said))
    else:
        quoted = _QUOTED.match(said)
        found = _COMMENT.match(said, quoted.end()) if quoted else _COMMENT.search(said)
        end = found.start() if found else len(said)
    return said[:end].strip(), said[end:].strip()


def split_front_matter(text: str) -> tuple[dict[str, Json], str]:
    """The fields above a text, and the text itself."""
    entries, body = split_entries(text)
    return {entry.name: entry.value() for entry in entries if entry.name}, body


def split_entries(text: str) -> tuple[list[Entry], str]:
    """The fields above a text as they stand there, and the text itself."""
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines or lines[0].rstrip() != _FENCE:
        return [], text
    end = next((place for place, line in enumerate(lines[1:], 1) if line.rstrip() in _FENCES), None)
    if end is None or not _hold_fields(lines[1:end]):
        return [], text
    return parse_entries(lines[1:end]), "\n".join(lines[end + 1 :]).lstrip("\n")


def _hold_fields(lines: Sequence[str]) -> bool:
    """Are lines between two of dashes fields, and no text between two rules? What comes first in them tells."""
    said = [line for line in lines if line.strip() and not line.startswith("#")]
    is_apart = bool(lines) and not lines[0].strip()
    if not said:
        return not is_apart or not any(line.strip() for line in lines)
    if said[0][0] in " \t-":  # of no field, as which it is told where there are some
        return any(map(_KEY.match, said))
    return (_WORD_KEY if is_apart else _KEY).match(said[0]) is not None or said[0].startswith(_MERGED)


def parse_entries(lines: Sequence[str]) -> list[Entry]:
    """Lines by the fields that they are of. Blank ones count only inside of a field."""
    found: list[list[str]] = []
    between: list[str] = []
    for line in lines:
        if not line.strip() or line.startswith("#"):
            between.append(line)
            continue
        if found and line[0] in " \t-":
            found[-1] += [*between, line]
        else:
            found += [*([aside] for aside in between if aside.strip()), [line]]
        between = []
    found += [[aside] for aside in between if aside.strip()]
    return [Entry(_name_of(first), (first, *more)) for first, *more in found]


def _name_of(line: str) -> str:
    name, colon, _ = line.partition(":")
    return name.strip() if colon and line[0] not in " \t-#" else ""


def _value(text: str, *, numbers: bool = False) -> Json:
    said = text.strip()
    if said[:1] in ('"', "[", "{") or (numbers and _NUMBER.fullmatch(said)):
        try:
            return msgspec.json.decode(said)
        except (msgspec.DecodeError, RecursionError):
            return _listed(said) if said[:1] == "[" else said
    if len(said) > 1 and said[0] == said[-1] == "'":
        return said[1:-1].replace("''", "'")
    if said in ("true", "false", "null", "", "~"):
        return {"true": True, "false": False}.get(said)
    return said


def _listed(said: str) -> Json:
    """`[one, "two, three"]`, as people write it."""
    if not said.endswith("]"):
        return said
    parts = [found[1].strip() for found in _PART.finditer(said[1:-1])]
    return [_unquoted(part) for part in parts if part]


def _unquoted(part: str) -> str:
    said = _value(part) if part[0] in "\"'" else part
    return said if isinstance(said, str) and said != part else part.strip("\"'")


def is_lines(text: str) -> bool:
    """May a text stand between the dashes, and be found there again as it is?"""
    lines = text.split("\n")
    entries = parse_entries(lines)
    again = [line for entry in entries for line in entry.lines]
    return (
        again == lines
        and not any(entry.is_astray() for entry in entries)
        and "\r" not in text
        and not any(line.rstrip() in _FENCES for line in lines)
    )


def render_lines(fields: Mapping[str, Json]) -> list[str]:
    """Fields as lines; what YAML could take for something else is quoted."""
    lines: list[str] = []
    for name, value in fields.items():
        if isinstance(value, list | tuple) and value:
            lines += [f"{name}:", *(f"  - {_scalar(one)}" for one in value)]
        else:
            lines.append(f"{name}:" if value is None else f"{name}: {_scalar(value)}")
    return lines


def render_front_matter(
    fields: Mapping[str, Json],
    more: Sequence[str] = (),
    last: Mapping[str, Json] | None = None,
    as_written: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Fields between lines of dashes, some `as_written` by somebody; below them lines that are there already, and below
    those the last fields.
    """
    lines = [line for name in fields for line in (as_written or {}).get(name) or render_lines({name: fields[name]})]
    return "\n".join([_FENCE, *lines, *more, *render_lines(last or {}), _FENCE, ""])


def put_on_top(data: bytes, fields: Mapping[str, Json]) -> bytes:
    """A file with some fields at its top, above those that it has; all else is as it was, byte by byte."""
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    mark = _MARK if data.startswith(_MARK) else b""
    body = data.removeprefix(_MARK)
    lines = [line.encode() for line in render_lines(fields)]
    first, _, rest = body.partition(b"\n")
    has_fields = first.rstrip() == _FENCE.encode() and split_front_matter(body.decode())[1] != body.decode()
    if has_fields:
        return mark + newline.join([_FENCE.encode(), *lines, b""]) + rest
    return mark + newline.join([_FENCE.encode(), *lines, _FENCE.encode(), b"", b""]) + body


_MARK = b"\xef\xbb\xbf"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-./()+")
_SPECIAL = frozenset(["true", "false", "null", "yes", "no", "on", "off", "~"])


def _scalar(value: Json) -> str:
    if isinstance(value, str):
        safe = value and value.strip() == value and set(value) <= _PLAIN and value[0].isalpha()
        return value if safe and value.lower() not in _SPECIAL else msgspec.json.encode(value).decode()
    return msgspec.json.encode(value).decode()
