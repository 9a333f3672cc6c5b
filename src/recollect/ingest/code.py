"""Where does a source file fall apart into records?

Every function and method is a chunk, with the comment that documents it. A class (struct, trait, module) is a chunk of
its own: whole where it is short, else as an outline. What belongs to no definition is cut into windows at blank lines.
Broken code is no obstacle: what the parser makes of it is taken, and the rest is windows.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from recollect.ingest.grammars import LANGUAGES, is_parsed, language_of, load_grammar
from recollect.ingest.text import split_sections

if TYPE_CHECKING:
    from tree_sitter import Node

WINDOW_CHARS = 1600
"""How long a window is at most, unless a single line is longer."""
LONGEST_FUNCTION = 12_000
"""A longer function is cut into windows, or at the definitions inside it."""
WHOLE_CLASS = 1_000
"""A class up to this size is kept as it stands; of a longer one an outline is made."""
OUTLINE_CHARS = 4_000
_LEAST_LETTERS = 12
_DEEPEST_NAME = 8
_DEEPEST = 40  # definitions inside each other; what lies deeper is part of the one above

_WRAPPERS = {
    "decorated_definition", "export_statement", "lexical_declaration", "variable_declaration", "expression_statement",
    "template_declaration", "ambient_declaration", "type_declaration", "linkage_specification",
}  # fmt: skip
_WRAPS_ONE = {"lexical_declaration", "variable_declaration", "type_declaration", "linkage_specification"}
_FUNCTIONS = {"function", "method"}
_NOT_OWNERS = {"module", "function", "method", "macro", "type"}
_NAMES = {"qualified_identifier", "operator_name", "destructor_name"}
_LETTER = re.compile(r"\w")
_SHORT = 2_000  # characters, over which no parser takes long
_LEAST_SAID = 0.2  # letters and digits among all that is no space: of 6,000 files of programs the least had 0.33
_LONGEST_LINE = 8_000  # characters; over a line that makes no sense a parser takes time that grows as its square
_parsing = threading.Lock()


class Chunk(Struct, frozen=True, array_like=True):
    """A part of a file: what it is, what it is called (and inside of what), its text and its lines, from 1."""

    text: str
    first_line: int
    last_line: int
    chunk_type: str
    name: str = ""
    title: str = ""


class Defined(Struct, frozen=True):
    """A definition by its kind, its name inside of what holds it (`Class.method`), and its lines, from 1."""

    kind: str
    name: str
    line_start: int
    line_end: int


class _Definition(Struct):
    """A definition on its way to become chunks: `label` is its name as the code spells it, lines count from 0."""

    kind: str
    label: str
    span: tuple[int, int]
    first: int
    last: int
    inner: list[_Definition] = []
    path: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return re.split(r"::|\.(?!\.)", self.label)[-1].strip()


def split_file(path: str, text: str) -> tuple[str, list[Chunk]]:
    """The language of a file and its chunks, in the order of their lines."""
    language = language_of(path, text)
    if language == "markdown":
        return language, [
            Chunk(section.text, section.first_line, section.last_line, "section",
                  section.headings[-1] if section.headings else "", " › ".join(section.headings))
            for section in split_sections(text)
        ]  # fmt: skip
    lines = _split_lines(text)
    if not is_parsed(language):
        return language, list(_windows(lines, 0, len(lines), "text"))
    found = _definitions(text, lines, language)
    return language, sorted(_chunks(lines, found), key=lambda chunk: (chunk.first_line, -chunk.last_line))


def parse_definitions(text: str, language: str, see: Callable[[Node], None]) -> list[Defined]:
    """The named definitions of a text, outer ones before those inside them; `see` is shown the tree's root."""
    found: list[Defined] = []
    waiting = list(reversed(_definitions(text, _split_lines(text), language, see)))
    while waiting:
        one = waiting.pop()
        name = ".".join(part for part in one.path if part)
        if name:
            found.append(Defined(one.kind, name, one.first + 1, one.last + 1))
        waiting.extend(reversed(one.inner))
    return found


def _split_lines(text: str) -> list[str]:
    """Lines as parsers and editors count them: parted by line feeds alone."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


# Finding definitions


def _definitions(
    text: str, lines: Sequence[str], language: str, see: Callable[[Node], None] | None = None
) -> list[_Definition]:
    """The outermost definitions of a file, each with those inside it."""
    from tree_sitter import QueryCursor

    if max(map(len, lines), default=0) > _LONGEST_LINE or _is_noise(text):
        return []
    source = text.encode()
    with _parsing:
        parser, query = load_grammar(language)
        tree = parser.parse(source)
        captures = QueryCursor(query).captures(tree.root_node)
        rows = [_to_definition(kind, node, language) for kind, nodes in captures.items() for node in nodes]
        if see is not None:
            see(tree.root_node)
    comments = LANGUAGES[language].comments
    seen: dict[tuple[int, int], _Definition] = {}
    for definition in rows:
        definition.last = min(definition.last, len(lines) - 1)
        definition.first = _first_of_comment(lines, definition.first, comments)
        if definition.span not in seen or seen[definition.span].kind == "type":
            seen[definition.span] = definition
    return _nest(list(seen.values()))


def _is_noise(text: str) -> bool:
    """Is a text hardly more than signs? A parser looks for sense in that for minutes, and nothing is defined there."""
    if len(text) < _SHORT:
        return False
    said = "".join(text.split())
    return sum(map(str.isalnum, said)) < _LEAST_SAID * len(said)


def _to_definition(kind: str, node: Node, language: str) -> _Definition:
    outer = node
    while (parent := outer.parent) is not None and parent.type in _WRAPPERS:
        if parent.type in _WRAPS_ONE and parent.named_child_count > 1:
            break
        outer = parent
    last = outer.end_point[0] - (outer.end_point[1] == 0 and outer.end_point[0] > outer.start_point[0])
    label = _name_of(node, language)
    span = (outer.start_byte, outer.end_byte)
    exact = "method" if kind == "function" and "::" in label else _kind_of(kind, node)
    return _Definition(exact, label, span, outer.start_point[0], last)


def _kind_of(kind: str, node: Node) -> str:
    """A capture's kind, made exact where one kind of node stands for several."""
    if kind != "class":
        return kind
    for child in node.children[:6]:
        if child.type in ("interface", "struct", "enum", "extension", "actor"):
            return {"actor": "class"}.get(child.type, child.type)
        if child.type == "modifiers" and b"enum" in (child.text or b"").split():
            return "enum"
    return kind


def _name_of(node: Node, language: str) -> str:
    """What a definition is called; empty where the code does not say."""
    if node.type == "impl_item":
        return _words(node.child_by_field_name("type"))
    if node.type == "method_declaration" and language == "go":
        return f"{_receiver(node)}.{_words(node.child_by_field_name('name'))}".lstrip(".")
    for field in ("name", "left", "property"):
        named = node.child_by_field_name(field)
        if named is not None:
            return _words(named)
    declared = node.child_by_field_name("declarator")
    if declared is not None:
        return _declared(declared)
    if node.type in ("init_declaration", "deinit_declaration", "companion_object", "secondary_constructor"):
        return {"init_declaration": "init", "deinit_declaration": "deinit", "companion_object": "Companion"}.get(
            node.type, "constructor"
        )
    for child in node.named_children:
        if child.type in ("type_identifier", "simple_identifier", "identifier", "word"):
            return _words(child)
    return ""


def _words(node: Node | None) -> str:
    if node is None or node.text is None:
        return ""
    return " ".join(node.text.decode("utf-8", "replace").split())[:200]


def _receiver(node: Node) -> str:
    """The type that a method of Go belongs to, without its pointer and its parameters."""
    text = _words(node.child_by_field_name("receiver")).strip("()")
    last = text.split("[")[0].split()
    return last[-1].lstrip("*") if last else ""


def _declared(node: Node) -> str:
    """The name inside a declarator of C: below pointers, parentheses and parameters."""
    for _ in range(_DEEPEST_NAME):
        inner = node.child_by_field_name("declarator")
        if inner is None:
            named = [child for child in node.named_children if "declarator" in child.type or "identifier" in child.type]
            if node.child_count == 0 or not named or node.type in _NAMES:
                break
            inner = named[0]
        node = inner
    return _words(node)


def _first_of_comment(lines: Sequence[str], first: int, marks: tuple[str, ...]) -> int:
    """The line where the comment begins that stands right above a definition; its own line where there is none."""
    at = first - 1
    while at >= 0:
        line = lines[at].strip()
        if line.endswith("*/") and "/*" in marks:
            while at >= 0 and "/*" not in lines[at]:
                at -= 1
            if at < 0 or not lines[at].lstrip().startswith("/*"):
                break
        elif not line.startswith(marks) or line.startswith("#!"):
            break
        first = at
        at -= 1
    return first


def _nest(found: list[_Definition]) -> list[_Definition]:
    """Puts definitions inside those that hold them."""
    found.sort(key=lambda one: (one.span[0], -one.span[1]))
    outermost: list[_Definition] = []
    stack: list[_Definition] = []
    for one in found:
        while stack and stack[-1].span[1] < one.span[1]:
            stack.pop()
        if len(stack) >= _DEEPEST:
            continue
        outer = stack[-1] if stack else None
        if outer is not None and outer.kind == "type" and not one.inner:
            outer.kind = one.kind  # a typedef of C around the struct that it names
            continue
        if one.kind in _FUNCTIONS:
            one.kind = _kind_of_function(one, outer)
        one.path = (*(outer.path if outer else ()), one.label)
        (outer.inner if outer else outermost).append(one)
        stack.append(one)
    return outermost


def _kind_of_function(one: _Definition, outer: _Definition | None) -> str:
    """A function that belongs to something is a method; Ruby calls every function one."""
    if outer is None:
        return "method" if one.kind == "method" and one.name != one.label else "function"
    return "method" if outer.kind not in _NOT_OWNERS else one.kind


# Making chunks


def _chunks(lines: Sequence[str], found: list[_Definition]) -> Iterator[Chunk]:
    at = 0
    for one in found:
        if one.first > at:
            yield from _windows(lines, at, one.first, "code")
        yield from _chunks_of(lines, one)
        at = max(at, one.last + 1)
    yield from _windows(lines, at, len(lines), "code")


def _chunks_of(lines: Sequence[str], one: _Definition) -> Iterator[Chunk]:
    title = ".".join(name for name in one.path if name)
    size = sum(len(lines[at]) + 1 for at in range(one.first, one.last + 1))
    fits = size <= (LONGEST_FUNCTION if one.kind in _FUNCTIONS else WHOLE_CLASS)
    if fits and not (one.kind == "module" and one.inner):
        text = "\n".join(lines[one.first : one.last + 1])
        yield Chunk(text, one.first + 1, one.last + 1, one.kind, one.name, title)
    elif not one.inner:
        yield from _windows(lines, one.first, one.last + 1, one.kind, one.name, title)
    else:
        outline = _outline(lines, one)
        yield Chunk(outline[:OUTLINE_CHARS], one.first + 1, one.last + 1, one.kind, one.name, title)
        if len(outline) > OUTLINE_CHARS:
            yield from _between(lines, one, title)
    if one.kind not in _FUNCTIONS or not fits:
        for child in one.inner:
            yield from _chunks_of(lines, child)


def _outline(lines: Sequence[str], one: _Definition) -> str:
    """A class without the bodies of what is defined in it."""
    kept: list[str] = []
    at = one.first
    for child in one.inner:
        kept += lines[at : child.first]
        head = next((row for row in range(child.first, child.last + 1) if child.name in lines[row]), child.first)
        kept.append(lines[head][:300] + (" …" if child.last > head else ""))
        at = max(at, child.last + 1)
    kept += lines[at : one.last + 1]
    return "\n".join(line for line in kept if line.strip())


def _between(lines: Sequence[str], one: _Definition, title: str) -> Iterator[Chunk]:
    at = one.first
    for child in one.inner:
        yield from _windows(lines, at, child.first, one.kind, one.name, title)
        at = max(at, child.last + 1)
    yield from _windows(lines, at, one.last + 1, one.kind, one.name, title)


def _windows(lines: Sequence[str], start: int, end: int, kind: str, name: str = "", title: str = "") -> Iterator[Chunk]:
    """Lines in windows of at most some size, cut at the last blank line if there is one in the second half."""
    while start < end:
        size, stop, blank = 0, start, 0
        while stop < end and (stop == start or size + len(lines[stop]) < WINDOW_CHARS):
            size += len(lines[stop]) + 1
            if not lines[stop].strip() and size > WINDOW_CHARS // 2:
                blank = stop + 1
            stop += 1
        if stop < end and blank > start:
            stop = blank
        yield from _window(lines, start, stop, kind, name, title)
        start = stop


def _window(lines: Sequence[str], start: int, stop: int, kind: str, name: str, title: str) -> Iterator[Chunk]:
    """One window without the blank lines around it; a line that is too long by itself in several."""
    while start < stop and not lines[start].strip():
        start += 1
    while stop > start and not lines[stop - 1].strip():
        stop -= 1
    text = "\n".join(lines[start:stop])
    if len(_LETTER.findall(text[:400])) < _LEAST_LETTERS:
        return
    for at in range(0, len(text), 2 * WINDOW_CHARS):
        yield Chunk(text[at : at + 2 * WINDOW_CHARS], start + 1, stop, kind, name, title)
