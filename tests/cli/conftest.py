"""How do the tests type commands?"""

from __future__ import annotations

import io
import json
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from recollect.cli import main


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


class Shell:
    """Runs commands in this process, each on the store of one test, and catches what they print."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch
        self.home = home
        self.store = home / "store"

    def __call__(self, *args: str, stdin: str | bytes = "") -> Outcome:
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8"))
        self._capsys.readouterr()
        code = main(list(args))
        caught = self._capsys.readouterr()
        return Outcome(code, caught.out, caught.err)

    def json(self, *args: str, stdin: str = "") -> Any:
        outcome = self(*args, "--json", stdin=stdin)
        assert outcome.code == 0, outcome.err
        return json.loads(outcome.out)

    def remember(self, text: str, *options: str) -> str:
        """Stores a text and answers its id."""
        return self.json("remember", text, *options)["id"]


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    """A person with an empty home folder, in UTC, who searches by words alone: no model has to be loaded."""
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "APPDATA", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)  # which is in no repository
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setenv("RECOLLECT_HOME", str(tmp_path / "store"))
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    return Shell(capsys, monkeypatch, tmp_path)
