"""What stands above a Markdown text, between two lines of dashes?

A small part of YAML is read: texts, numbers, truths and lists of texts, which is what notes carry. A line that is more
than that is kept as the text that it is.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from recollect.types import Json

_FENCE = "---"


def split_front_matter(text: str) -> tuple[dict[str, Json], str]:
    """The fields above a text, and the text itself."""
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines or lines[0].rstrip() != _FENCE:
        return {}, text
    end = next((place for place, line in enumerate(lines[1:], 1) if line.rstrip() in (_FENCE, "...")), None)
    if end is None:
        return {}, text
    return _fields(lines[1:end]), "\n".join(lines[end + 1 :]).lstrip("\n")


def _fields(lines: list[str]) -> dict[str, Json]:
    fields: dict[str, Json] = {}
    name = ""
    for line in lines:
        item = line.strip()
        if line[:1] in (" ", "-") and item.startswith("- ") and name:
            held = fields.get(name)
            fields[name] = [*(held if isinstance(held, list) else []), _value(item[2:])]
            continue
        key, colon, rest = line.partition(":")
        if line[:1] in (" ", "#", "-") or not colon or not key.strip():
            continue
        name = key.strip()
        fields[name] = _value(rest)
    return fields


def _value(text: str) -> Json:
    said = text.strip()
    if said[:1] in ('"', "[", "{"):
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
    """`[one, two]`, as people write it."""
    if not said.endswith("]"):
        return said
    return [part.strip().strip("\"'") for part in said[1:-1].split(",") if part.strip()]


def render_front_matter(fields: Mapping[str, Json]) -> str:
    """Fields as lines between dashes; what YAML could take for something else is quoted."""
    lines = [_FENCE]
    for name, value in fields.items():
        if isinstance(value, list | tuple) and value:
            lines += [f"{name}:", *(f"  - {_scalar(one)}" for one in value)]
        else:
            lines.append(f"{name}:" if value is None else f"{name}: {_scalar(value)}")
    return "\n".join([*lines, _FENCE, ""])


def put_on_top(data: bytes, fields: Mapping[str, Json]) -> bytes:
    """A file with some fields at its top, above those that it has; all else is as it was, byte by byte."""
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    mark = _MARK if data.startswith(_MARK) else b""
    body = data.removeprefix(_MARK)
    lines = render_front_matter(fields).encode().split(b"\n")[1:-2]
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
