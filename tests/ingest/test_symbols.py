"""Are imports and definitions of source files read as a person would?"""

from __future__ import annotations

import pytest

from recollect.ingest.symbols import outline_source

SOURCES = {
    "python": ("import os, sys as s\nfrom a.b import c\nfrom . import x, y\n", ("os", "sys", "a.b", ".x", ".y")),
    "javascript": ("import R from 'r';\nexport { a } from './a';\nconst f = require('fs');\n", ("r", "./a", "fs")),
    "typescript": ('import { a } from "./b";\nexport const text = "import of goods";\n', ("./b",)),
    "rust": ("use std::io::{self, Read};\nextern crate foo;\n", ("std::io", "foo")),
    "go": ('package main\nimport (\n "fmt"\n x "net/http"\n)\n', ("fmt", "net/http")),
    "java": ("import java.util.List;\nimport static a.B.*;\nclass A {}\n", ("java.util.List", "a.B.*")),
    "c": ('#include <stdio.h>\n#include "a.h"\n', ("stdio.h", "a.h")),
    "ruby": ("require 'json'\nrequire_relative './a'\n", ("json", "./a")),
    "php": ("<?php\nuse App\\Models\\User;\nrequire_once 'x.php';\n", ("App\\Models\\User", "x.php")),
    "csharp": ("using System;\nusing X = A.B;\n", ("System", "A.B")),
    "kotlin": ("import a.b.C\nimport a.b.D as E\n", ("a.b.C", "a.b.D")),
    "swift": ("import Foundation\n", ("Foundation",)),
    "scala": ("import a.b.{C, D}\n", ("a.b",)),
    "shell": ("source ./lib.sh\n. other.sh\n", ("./lib.sh", "other.sh")),
}  # fmt: skip


@pytest.mark.parametrize("language", SOURCES)
def test_imports_are_found(language: str) -> None:
    text, imports = SOURCES[language]
    assert outline_source(text, language).imports == imports


def test_definitions_have_names_inside_of_what_holds_them_and_lines() -> None:
    text = "class Service:\n    def run(self):\n        return 1\n\n\ndef main():\n    pass\n"
    outline = outline_source(text, "python")
    assert [(one.kind, one.name, one.line_start, one.line_end) for one in outline.symbols] == [
        ("class", "Service", 1, 3),
        ("method", "Service.run", 2, 3),
        ("function", "main", 6, 7),
    ]
    assert outline.named("class") == ("Service",)
    assert outline.named("function", "method") == ("Service.run", "main")


def test_a_language_without_a_parser_has_an_empty_outline() -> None:
    outline = outline_source("body { color: red }", "css")
    assert (outline.imports, outline.symbols) == ((), ())


def test_broken_code_is_no_obstacle() -> None:
    assert outline_source("import os\nclass (:\n  def\n", "python").imports == ("os",)
