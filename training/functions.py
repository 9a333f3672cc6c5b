"""Which functions of Python's own library say in a sentence what they do?"""

from __future__ import annotations

import ast
import random
import re
import sysconfig
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LEFT_OUT = {
    "test",
    "tests",
    "idlelib",
    "site-packages",
    "lib2to3",
    "turtledemo",
    "ensurepip",
    "__pycache__",
    "idle_test",
}
FORMS = ("{}", "{}", "python {}", "how to {} in python", "{} python")


@dataclass(frozen=True)
class Function:
    sentence: str
    code: str
    bare: str


def read_library() -> Iterator[Function]:
    """Every function of the standard library with a docstring whose first sentence has 4 to 20 words."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    seen: set[str] = set()
    for path in sorted(folder.rglob("*.py")):
        if LEFT_OUT.intersection(path.relative_to(folder).parts):
            continue
        for found in read_functions(path.read_text("utf-8", errors="ignore")):
            if found.sentence not in seen:
                seen.add(found.sentence)
                yield found


def read_functions(source: str) -> Iterator[Function]:
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(source)
    except SyntaxError:  # samples of broken code are kept in the library on purpose
        return
    for node in ast.walk(tree):
        doc = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
        if not doc or not isinstance(node, ast.FunctionDef) or len(node.body) < 2:
            continue
        sentence = re.split(r"(?<=[.!?])\s|\n\n", doc, maxsplit=1)[0]
        sentence = " ".join(sentence.split()).rstrip(".")
        if not 4 <= len(sentence.split()) <= 20 or ">>>" in sentence:
            continue
        code = ast.get_source_segment(source, node) or ""
        first = node.body[0]
        lines = code.split("\n")
        top = first.lineno - node.lineno
        bare = "\n".join(lines[:top] + lines[(first.end_lineno or first.lineno) - node.lineno + 1 :])
        if 60 <= len(code) <= 3000:
            yield Function(sentence, code, bare)


def show(function: Function, *, described: bool) -> str:
    return (function.code if described else function.bare)[:1100]


def ask(function: Function, chance: random.Random) -> str:
    """What somebody would type to find it: the sentence's words, without its ending on the verb."""
    words = function.sentence[0].lower() + function.sentence[1:]
    words = re.sub(r"^(return|print|get|set|check|test|create|make|remove|read|write)s\b", r"\1", words)
    return chance.choice(FORMS).format(words)
