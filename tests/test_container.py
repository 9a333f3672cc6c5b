"""Does the Dockerfile bring along what the package is built of, and ask a running service what it answers?"""

from __future__ import annotations

import fnmatch
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

from recollect.cli.app import app
from recollect.serve.http import OPEN

ROOT = Path(__file__).parents[1]


def instructions(name: str) -> list[list[str]]:
    """The words of each instruction of one kind, without its options; a line that goes on counts as one."""
    text = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line.removeprefix(f"{name} ") for line in text.splitlines() if line.startswith(f"{name} ")]
    return [
        [word for word in shlex.split(line) if not word.startswith("--")] for line in lines if "--from=" not in line
    ]


def test_everything_that_the_image_copies_is_there_and_not_ignored() -> None:
    sources = [source for words in instructions("COPY") for source in words[:-1]]
    ignored = (ROOT / ".dockerignore").read_text("utf-8").split()
    assert sources
    for source in sources:
        assert (ROOT / source).exists(), source
        assert not any(fnmatch.fnmatch(source, pattern) for pattern in ignored), source


def test_the_image_copies_all_that_the_package_is_built_of_and_asks_for_extras_that_there_are() -> None:
    told: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project, hatch = told["project"], told["tool"]["hatch"]
    needed = ["pyproject.toml", project["readme"], *project["license-files"], hatch["version"]["path"]]
    needed += hatch["build"]["targets"]["wheel"]["packages"]
    copied = [source for words in instructions("COPY") for source in words[:-1]]
    assert [one for one in needed if one.partition("/")[0] not in copied] == []
    extras = re.search(r"\.\[([\w,]+)\]", " ".join(instructions("RUN")[0]))
    assert extras is not None
    assert set(extras[1].split(",")) <= set(project["optional-dependencies"])


def test_the_image_serves_on_the_port_that_it_tells_and_asks_there_what_nobody_needs_a_token_for() -> None:
    (entry,), (command,), (port,) = (instructions(name) for name in ("ENTRYPOINT", "CMD", "EXPOSE"))
    words = [word.strip(",[]") for word in (*entry, *command)]
    assert words[0] == "recollect"
    assert words[1] in {one.name for one in app.registered_commands}
    assert f"0.0.0.0:{port[0]}" in words
    asked = re.search(r"http://127\.0\.0\.1:(\d+)/(\w+)", " ".join(instructions("HEALTHCHECK")[0]))
    assert asked is not None
    assert (asked[1], asked[2] in OPEN) == (port[0], True)
