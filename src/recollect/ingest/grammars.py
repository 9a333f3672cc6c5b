"""Which languages are parsed, and what counts as a definition in each of them?

A language is a grammar, a query whose captures name the kinds of definitions, and the marks that comments begin with.
Grammars are loaded when a file of their language comes along. Those of the five most used languages come along with
Recollect, the others with its extra `languages`: without it, files of those are cut into windows, which is told.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from tree_sitter import Parser, Query


EXTRA = "languages"


class Language(Struct, frozen=True):
    """How one language is read. `grammar` is a module and the function in it that answers the grammar."""

    grammar: tuple[str, str]
    definitions: str
    comments: tuple[str, ...] = ("//", "/*")


_C_TYPES = """
(struct_specifier body: (_)) @struct (union_specifier body: (_)) @union (enum_specifier body: (_)) @enum
(type_definition) @type (preproc_function_def) @macro (function_definition) @function
"""
_JS = """
(function_declaration) @function (generator_function_declaration) @function (class_declaration) @class
(method_definition) @method
(variable_declarator value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator value: (class)) @class
(assignment_expression left: (member_expression) right: [(function_expression) (arrow_function)]) @function
"""
_JS_MARKS = ("//", "/*", "@")
_JS_FIELD = "(field_definition value: [(arrow_function) (function_expression)]) @method"
_TS = """
(public_field_definition value: [(arrow_function) (function_expression)]) @method
(abstract_class_declaration) @class (interface_declaration) @interface (type_alias_declaration) @type
(enum_declaration) @enum (internal_module) @module (module) @module
"""

LANGUAGES: dict[str, Language] = {
    "python": Language(
        ("tree_sitter_python", "language"),
        "(function_definition) @function (class_definition) @class",
        ("#",),
    ),
    "javascript": Language(("tree_sitter_javascript", "language"), _JS + _JS_FIELD, _JS_MARKS),
    "typescript": Language(("tree_sitter_typescript", "language_typescript"), _JS + _TS, _JS_MARKS),
    "tsx": Language(("tree_sitter_typescript", "language_tsx"), _JS + _TS, _JS_MARKS),
    "rust": Language(
        ("tree_sitter_rust", "language"),
        """(function_item) @function (impl_item) @impl (struct_item) @struct (enum_item) @enum (union_item) @union
        (trait_item) @trait (mod_item body: (_)) @module (macro_definition) @macro (type_item) @type""",
        ("//", "/*", "#["),
    ),
    "go": Language(
        ("tree_sitter_go", "language"),
        """(function_declaration) @function (method_declaration) @method (type_spec type: (struct_type)) @struct
        (type_spec type: (interface_type)) @interface (type_spec) @type (type_alias) @type""",
    ),
    "java": Language(
        ("tree_sitter_java", "language"),
        """(class_declaration) @class (interface_declaration) @interface (enum_declaration) @enum
        (record_declaration) @class (annotation_type_declaration) @interface (method_declaration) @method
        (constructor_declaration) @method (compact_constructor_declaration) @method""",
    ),
    "c": Language(("tree_sitter_c", "language"), _C_TYPES),
    "cpp": Language(
        ("tree_sitter_cpp", "language"),
        _C_TYPES + "(class_specifier body: (_)) @class (namespace_definition) @module (alias_declaration) @type",
    ),
    "ruby": Language(
        ("tree_sitter_ruby", "language"),
        "(method) @method (singleton_method) @method (class) @class (module) @module",
        ("#",),
    ),
    "php": Language(
        ("tree_sitter_php", "language_php"),
        """(function_definition) @function (method_declaration) @method (class_declaration) @class
        (interface_declaration) @interface (trait_declaration) @trait (enum_declaration) @enum""",
        ("//", "/*", "#"),
    ),
    "csharp": Language(
        ("tree_sitter_c_sharp", "language"),
        """(class_declaration) @class (struct_declaration) @struct (interface_declaration) @interface
        (enum_declaration) @enum (record_declaration) @class (method_declaration) @method
        (constructor_declaration) @method (destructor_declaration) @method (operator_declaration) @method
        (namespace_declaration) @module (delegate_declaration) @type""",
    ),
    "kotlin": Language(
        ("tree_sitter_kotlin", "language"),
        """(class_declaration) @class (object_declaration) @object (companion_object) @object
        (function_declaration) @function (secondary_constructor) @method""",
    ),
    "swift": Language(
        ("tree_sitter_swift", "language"),
        """(class_declaration) @class (protocol_declaration) @protocol (function_declaration) @function
        (init_declaration) @method (deinit_declaration) @method""",
    ),
    "scala": Language(
        ("tree_sitter_scala", "language"),
        """(class_definition) @class (object_definition) @object (trait_definition) @trait (enum_definition) @enum
        (function_definition) @function (given_definition) @function""",
    ),
    "shell": Language(("tree_sitter_bash", "language"), "(function_definition) @function", ("#",)),
}  # fmt: skip

_BY_SUFFIX = {
    ".py": "python", ".pyi": "python", ".pyw": "python", ".js": "javascript", ".mjs": "javascript",
    ".cjs": "javascript", ".jsx": "javascript", ".ts": "typescript", ".mts": "typescript", ".cts": "typescript",
    ".tsx": "tsx", ".rs": "rust", ".go": "go", ".java": "java", ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp",
    ".cxx": "cpp", ".c++": "cpp", ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp", ".h++": "cpp", ".ipp": "cpp",
    ".inl": "cpp", ".rb": "ruby", ".rake": "ruby", ".gemspec": "ruby", ".php": "php", ".phtml": "php", ".cs": "csharp",
    ".kt": "kotlin", ".kts": "kotlin", ".swift": "swift", ".scala": "scala", ".sc": "scala", ".sh": "shell",
    ".bash": "shell", ".zsh": "shell", ".ksh": "shell", ".bats": "shell",
    # Languages without a parser here: their files are cut into windows.
    ".md": "markdown", ".markdown": "markdown", ".mdx": "markdown", ".rst": "rst", ".txt": "text", ".json": "json",
    ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".ini": "ini", ".cfg": "ini", ".html": "html", ".htm": "html",
    ".css": "css", ".scss": "css", ".less": "css", ".sql": "sql", ".xml": "xml", ".vue": "vue", ".svelte": "svelte",
    ".lua": "lua", ".pl": "perl", ".pm": "perl", ".r": "r", ".jl": "julia", ".ex": "elixir", ".exs": "elixir",
    ".erl": "erlang", ".hs": "haskell", ".ml": "ocaml", ".mli": "ocaml", ".clj": "clojure", ".dart": "dart",
    ".zig": "zig", ".nim": "nim", ".m": "objective-c", ".mm": "objective-c", ".ps1": "powershell", ".tf": "terraform",
    ".proto": "protobuf", ".graphql": "graphql", ".gradle": "groovy", ".groovy": "groovy", ".cmake": "cmake",
}  # fmt: skip
_BY_NAME = {
    "makefile": "make", "gnumakefile": "make", "dockerfile": "docker", "cmakelists.txt": "cmake", "rakefile": "ruby",
    "gemfile": "ruby", "vagrantfile": "ruby", "jenkinsfile": "groovy",
}  # fmt: skip
_INTERPRETERS = {
    "python": "python", "sh": "shell", "bash": "shell", "zsh": "shell", "ksh": "shell", "dash": "shell",
    "ruby": "ruby", "node": "javascript", "php": "php", "perl": "perl", "lua": "lua",
}  # fmt: skip
_CPP_HEADER = ("class ", "namespace ", "template<", "template <", "public:", "std::", "constexpr ")


def language_of(path: str, text: str) -> str:
    """The language of a file by its name, or by its first line where the name does not tell; else "text"."""
    place = PurePosixPath(path)
    suffix = place.suffix.lower()
    named = _BY_NAME.get(place.name.lower()) or _BY_SUFFIX.get(suffix)
    if named == "c" and suffix == ".h" and any(mark in text for mark in _CPP_HEADER):
        return "cpp"
    return named or _by_first_line(text) or "text"


def _by_first_line(text: str) -> str | None:
    if not text.startswith("#!"):
        return None
    words = text.partition("\n")[0][2:200].replace("/", " ").split()
    for word in words:
        known = _INTERPRETERS.get(word.rstrip("0123456789."))
        if known is not None:
            return known
    return None


@cache
def is_parsed(language: str) -> bool:
    """Is there a parser of a language here?"""
    return language in LANGUAGES and importlib.util.find_spec(LANGUAGES[language].grammar[0]) is not None


def told_unparsed(paths: Iterable[str]) -> dict[str, int]:
    """How many files would be read better with a package more, and with which; by what is to be said of them."""
    languages = Counter(language_of(path, "") for path in paths)
    return {
        f'{language}, cut without its parser (pip install "recollect[{EXTRA}]")': count
        for language, count in sorted(languages.items())
        if language in LANGUAGES and not is_parsed(language)
    }


@cache
def load_grammar(name: str) -> tuple[Parser, Query]:
    """The parser of a language, and the query that finds its definitions. Not to be shared between threads."""
    import tree_sitter

    module, function = LANGUAGES[name].grammar
    pointer: object = getattr(importlib.import_module(module), function)()
    language = tree_sitter.Language(pointer)
    return tree_sitter.Parser(language), tree_sitter.Query(language, LANGUAGES[name].definitions)
