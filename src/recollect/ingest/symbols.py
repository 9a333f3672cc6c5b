"""What does a source file define, and what does it import?

The definitions are those that the file falls apart at (`code.py`); the imports are read from the same parser's tree. A
language without a parser has neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from recollect.ingest.code import Defined, parse_definitions
from recollect.ingest.grammars import is_parsed

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_IMPORTS = 60
MOST_SYMBOLS = 120
_LONGEST_NAME = 200
_DEEP = 4  # imports stand at the top of a file, inside a block or two at most

_IMPORTING = {
    "import_statement", "import_from_statement", "future_import_statement", "export_statement", "use_declaration",
    "extern_crate_declaration", "import_spec", "import_declaration", "preproc_include", "using_directive",
    "namespace_use_clause", "import", "import_header", "call", "call_expression", "lexical_declaration",
    "require_once_expression", "require_expression", "include_expression", "include_once_expression", "command",
}  # fmt: skip
_QUOTED = re.compile(r"""["'<]([^"'<>\n]+)["'>]""")
_REQUIRE = re.compile(r"""\b(?:require(?:_relative)?|load|import)\s*\(?\s*["']([^"'\n]+)["']""")
_SOURCED = re.compile(r"""^(?:source|\.)\s+["']?([^"'\s;]+)""")
_FROM = re.compile(r"^from\s+(\S+)\s+import\b")
_WORDS = {
    "import",
    "use",
    "using",
    "static",
    "extern",
    "crate",
    "pub",
    "typealias",
    "class",
    "struct",
    "func",
    "global",
}


class Outline(Struct, frozen=True):
    """The names that a file brings in and those that it defines, outermost first, as `Class.method`.

    `members` are what it takes out of packages, each of which may be a module too.
    """

    imports: tuple[str, ...] = ()
    symbols: tuple[Defined, ...] = ()
    members: tuple[str, ...] = ()

    def named(self, *kinds: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(symbol.name for symbol in self.symbols if symbol.kind in kinds))


def outline_source(text: str, language: str) -> Outline:
    """The outline of a text in a language; empty where the language is not parsed."""
    if not is_parsed(language):
        return Outline()
    found: list[str] = []
    members: list[str] = []
    symbols = parse_definitions(text, language, lambda root: found.extend(_imports(root, members)))
    imports = tuple(dict.fromkeys(found))[:MOST_IMPORTS]
    return Outline(imports, tuple(symbols[:MOST_SYMBOLS]), tuple(dict.fromkeys(members)))


def _imports(root: Node, members: list[str]) -> Iterator[str]:
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        if node.type in _IMPORTING and depth:
            yield from _brought_in(node)
            if node.type == "import_from_statement":
                members.extend(_members(_text(node)))
        if depth < _DEEP:
            stack.extend((child, depth + 1) for child in reversed(node.named_children))


def _brought_in(node: Node) -> Iterator[str]:
    """The modules that one statement names; none where it is no import after all."""
    text, kind = _text(node), node.type
    if kind in ("call", "call_expression", "lexical_declaration"):
        match = _REQUIRE.search(text) if "require" in text or "import" in text or "load" in text else None
        if match is not None and (kind != "lexical_declaration" or "require(" in text):
            yield match.group(1)[:_LONGEST_NAME]
    elif kind == "command":
        match = _SOURCED.match(text)
        if match is not None:
            yield match.group(1)[:_LONGEST_NAME]
    elif kind == "export_statement":
        head, mark, rest = text.rpartition(" from ")
        match = _QUOTED.search(rest) if mark and ("{" in head or "*" in head) else None
        if match is not None:
            yield match.group(1)[:_LONGEST_NAME]
    else:
        yield from _stated(text)


def _text(node: Node) -> str:
    """A statement on one line."""
    return " ".join((node.text or b"")[:2_000].decode("utf-8", "replace").split())


def _members(text: str) -> Iterator[str]:
    """What `from package import one, other` takes, by its full name."""
    match = _FROM.match(text)
    if match is not None:
        package = match.group(1)
        for name in text[match.end() :].strip(" ()").split(","):
            if name.strip():
                yield f"{package}{'' if package.endswith('.') else '.'}{name.strip().split(' ')[0]}"


def _stated(text: str) -> Iterator[str]:
    """What a statement that is surely an import brings in."""
    python = _FROM.match(text)
    if python is not None:
        package = python.group(1)
        yield from [package] if package.strip(".") else _members(text)  # what stands behind `from .` are modules
        return
    quoted = _QUOTED.findall(text)
    if quoted:
        yield from (name[:_LONGEST_NAME] for name in (quoted if "(" in text else quoted[-1:]))
        return
    words = text.rstrip(";").split(" ")
    while words and words[0] in _WORDS:
        words.pop(0)
    for part in " ".join(words).split(",") if "{" not in text else [" ".join(words)]:
        name = part.strip().split(" as ")[0].split(" = ")[-1].split("::{")[0].split(".{")[0].strip("\\ ;")
        if name:
            yield name[:_LONGEST_NAME]
