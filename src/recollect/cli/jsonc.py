"""How is one value set, added or taken out in a JSON file that belongs to somebody else?

By changing the letters of that value and no others: order, indentation and (where the format has them) comments and
trailing commas stay as they are. What cannot be done so is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recollect.errors import RecollectError
from recollect.types import Json

_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_COMMENT = re.compile(r"//|/\*")
_NOTED = re.compile(r'"(?:\\.|[^"\\])*"|(//[^\n]*|/\*.*?\*/)', re.DOTALL)  # strings, and comments outside of them
_MEMBER_INDENT = re.compile(r"\n([ \t]*)\Z")
_decoder = json.JSONDecoder()


class Unreadable(RecollectError):
    """The text is not JSON."""

    code = "config_error"

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(f"line {line}: {problem}")


class Uneditable(RecollectError):
    """The text is JSON, but the value cannot be set without harm."""

    code = "config_error"


class Member(NamedTuple):
    """A member of an object: its key, and where the key and the value stand in the text."""

    key: str
    key_start: int
    value: Node


class Node(NamedTuple):
    """A value, and where it stands in the text. `members` are those of an object, `items` those of a list."""

    value: Json
    start: int
    end: int
    members: tuple[Member, ...] | None = None
    trailing_comma: bool = False
    items: tuple[Node, ...] | None = None

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Where each member or item begins and ends."""
        if self.members is not None:
            return [(member.key_start, member.value.end) for member in self.members]
        return [(item.start, item.end) for item in self.items or ()]


class Reader:
    """Reads JSON and remembers where everything stands; `lenient` takes comments and trailing commas too."""

    def __init__(self, text: str, *, lenient: bool) -> None:
        self._text = text
        self._lenient = lenient

    def read(self) -> Node:
        node = self._value(self._skip(0))
        rest = self._skip(node.end)
        if rest < len(self._text):
            raise self._wrong("something follows the end", rest)
        return node

    def _wrong(self, problem: str, at: int) -> Unreadable:
        return Unreadable(problem, self._text.count("\n", 0, at) + 1)

    def _skip(self, at: int) -> int:
        match = _BLANK.match(self._text, at)
        if match is None:
            return at
        if not self._lenient and (comment := _COMMENT.search(match.group())):
            raise self._wrong("a comment, which this file may not have", at + comment.start())
        return match.end()

    def _value(self, at: int) -> Node:
        match self._text[at : at + 1]:
            case "{":
                return self._object(at)
            case "[":
                return self._array(at)
            case _:
                return self._scalar(at)

    def _scalar(self, at: int) -> Node:
        try:
            value, end = _decoder.raw_decode(self._text, at)
        except json.JSONDecodeError as error:
            raise self._wrong(error.msg.lower(), error.pos) from error
        except ValueError as error:  # a number of more digits than Python reads
            raise self._wrong("a number is too long", at) from error
        return Node(value, at, end)

    def _object(self, start: int) -> Node:
        members: list[Member] = []
        at = self._skip(start + 1)
        trailing = False
        while self._text[at : at + 1] != "}":
            if members and not trailing:
                raise self._wrong("expected a comma or }", at)
            key = self._scalar(at)
            colon = self._skip(key.end)
            if not isinstance(key.value, str) or self._text[colon : colon + 1] != ":":
                raise self._wrong('expected "name": value', at)
            value = self._value(self._skip(colon + 1))
            members.append(Member(key.value, at, value))
            at, trailing = self._after(value.end, "}")
        found = {member.key: member.value.value for member in members}
        return Node(found, start, at + 1, tuple(members), trailing)

    def _array(self, start: int) -> Node:
        items: list[Node] = []
        at = self._skip(start + 1)
        trailing = False
        while self._text[at : at + 1] != "]":
            if items and not trailing:
                raise self._wrong("expected a comma or ]", at)
            items.append(self._value(at))
            at, trailing = self._after(items[-1].end, "]")
        return Node([item.value for item in items], start, at + 1, None, trailing, tuple(items))

    def _after(self, end: int, close: str) -> tuple[int, bool]:
        """Where the next element (or the end) stands, and whether a comma came before it."""
        at = self._skip(end)
        if self._text[at : at + 1] != ",":
            return at, False
        at = self._skip(at + 1)
        if self._text[at : at + 1] == close and not self._lenient:
            raise self._wrong("a comma before the end, which this file may not have", at)
        return at, True


def read_json(text: str, *, lenient: bool) -> Json:
    return Reader(text, lenient=lenient).read().value


def set_value(text: str, path: Sequence[str], value: Json, *, lenient: bool) -> str:
    """The text with the value at a path of keys set, objects on the way made where they are missing."""
    root = Reader(text, lenient=lenient).read()
    node, depth = root, 0
    while True:
        if node.members is None:
            where = ".".join(path[:depth]) or "the file"
            raise Uneditable(f"{where} is not an object")
        member = next((one for one in reversed(node.members) if one.key == path[depth]), None)
        if member is None:
            for key in reversed(path[depth + 1 :]):
                value = {key: value}
            new = _insert(text, node, f"{json.dumps(path[depth])}: ", value, root)
            break
        node, depth = member.value, depth + 1
        if depth == len(path):
            if _COMMENT.search(_without_strings(text[node.start : node.end])):
                raise Uneditable(f"{'.'.join(path)} holds a comment that would be lost")
            new = text[: node.start] + _render(value, _indent_at(text, member.key_start), text, root) + text[node.end :]
            break
    return new


def append_item(text: str, path: Sequence[str], value: Json, *, lenient: bool) -> str:
    """The text with a value at the end of the list at a path of keys, which is made where it is missing."""
    root = Reader(text, lenient=lenient).read()
    node = _find(root, path)
    if node is None:
        return set_value(text, path, [value], lenient=lenient)
    if node.items is None:
        raise Uneditable(f"{'.'.join(path)} is not a list")
    return _insert(text, node, "", value, root)


def remove(text: str, path: Sequence[str | int], *, lenient: bool) -> str:
    """The text without the member or item at a path of keys and places; comments beside it stay."""
    root = Reader(text, lenient=lenient).read()
    holder = _find(root, path[:-1])
    keys = range(len(holder.items or ())) if holder is not None and holder.items is not None else None
    if holder is not None and holder.members is not None:
        keys = [member.key for member in holder.members]
    if holder is None or keys is None or path[-1] not in keys:
        return text
    spans, at = holder.spans, list(keys).index(path[-1])
    start, end = spans[at]
    if _COMMENT.search(_without_strings(text[start:end])):
        raise Uneditable(f"{'.'.join(map(str, path))} holds a comment that would be lost")
    if len(spans) == 1 and not _COMMENT.search(text[holder.start : start] + text[end : holder.end]):
        return text[: holder.start + 1] + text[holder.end - 1 :]
    if at == 0:
        if len(spans) > 1:
            return text[:start] + text[spans[1][0] :]
        after = _end_of_blank(text, end)  # a comma after the only one goes along, a comment before it stays
        return text[:start] + text[end:after] + text[after + (text[after] == ",") :]
    if at == len(spans) - 1 and holder.trailing_comma:  # the comma before it stays, and its own goes along
        after = _end_of_blank(text, end)
        return _joined(text[:start], text[end:after] + text[after + 1 :])
    before = spans[at - 1][1]
    comma = text.index(",", _end_of_blank(text, before))
    return text[:comma] + _joined(text[comma + 1 : start], text[end:])


def remove_empty(text: str, path: Sequence[str], *, lenient: bool) -> str:
    """The text without the object or list at a path of keys, if it holds nothing, nor a comment."""
    node = _find(Reader(text, lenient=lenient).read(), path)
    empty = node is not None and node.value in ({}, []) and not has_comments(text[node.start : node.end])
    return remove(text, path, lenient=lenient) if empty else text


def _joined(before: str, after: str) -> str:
    """Two parts of a text without the blanks between them, unless a comment that ends with its line would go on."""
    return (before.rstrip() if after.lstrip(" \t")[:1] in ("\r", "\n") or "//" not in before else before) + after


def _end_of_blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return at if match is None else match.end()


def _find(root: Node, path: Sequence[str | int]) -> Node | None:
    """The value at a path of keys and places."""
    node = root
    for part in path:
        if isinstance(part, int):
            found = node.items[part] if node.items is not None and part < len(node.items) else None
        else:
            found = next((one.value for one in reversed(node.members or ()) if one.key == part), None)
        if found is None:
            return None
        node = found
    return node


def _without_strings(text: str) -> str:
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', text)


def _indent_at(text: str, at: int) -> str | None:
    """The blanks before something that stands first on its line; None if it does not."""
    match = _MEMBER_INDENT.search(text, 0, at)
    return None if match is None else match.group(1)


def _unit(text: str, root: Node) -> str:
    """One step of indentation, as the file has it."""
    if root.members:
        return _indent_at(text, root.members[0].key_start) or "  "
    return "  "


def _insert(text: str, node: Node, label: str, value: Json, root: Node) -> str:
    """The text with one more member or item at the end of a value."""
    newline = "\r\n" if "\r\n" in text else "\n"
    close = node.end - 1
    spans = node.spans
    if spans and _indent_at(text, spans[0][0]) is None:
        written = f", {label}{json.dumps(value, ensure_ascii=False)}"
        return text[: spans[-1][1]] + written + text[spans[-1][1] :]
    if spans:
        indent = _indent_at(text, spans[-1][0])
        indent = indent if indent is not None else _indent_at(text, spans[0][0]) or ""
        outer = None
    else:
        outer = _line_indent(text, node.start)
        indent = outer + _unit(text, root)
    lead = text[: spans[-1][1]] if spans else text[: node.start + 1]
    gap = text[len(lead) : close].rstrip()
    comma = "," if spans and not node.trailing_comma else ""
    entry = f"{newline}{indent}{label}{_render(value, indent, text, root)}"
    entry += "," if node.trailing_comma else ""
    tail = text[len(lead) + len(gap) : close] if spans else f"{newline}{outer}"
    return f"{lead}{comma}{gap}{entry}{tail}{text[close:]}"


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _render(value: Json, indent: str | None, text: str, root: Node) -> str:
    """A value as JSON, in the style of its surroundings."""
    if indent is None:
        return json.dumps(value, ensure_ascii=False)
    newline = "\r\n" if "\r\n" in text else "\n"
    written = json.dumps(value, ensure_ascii=False, indent=_unit(text, root))
    return written.replace("\n", newline + indent)


def says_the_same(one: str, other: str) -> bool:
    """Do two texts hold the same values and comments, but for objects and lists that hold nothing?"""
    try:
        values = [_filled(read_json(text, lenient=True)) for text in (one, other)]
    except Unreadable:
        return False
    return values[0] == values[1] and _comments(one) == _comments(other)


def has_comments(text: str) -> bool:
    return bool(_comments(text))


def _comments(text: str) -> list[str]:
    return [found[1] for found in _NOTED.finditer(text) if found[1]]


def _filled(value: Json) -> Json:
    if isinstance(value, list):
        return [_filled(one) for one in value]
    if not isinstance(value, Mapping):
        return value
    return {name: kept for name, held in value.items() if (kept := _filled(held)) not in ({}, [])}
