"""Does the recipe of docs/adding-a-contract.md work, word for word?"""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.clients import Server

from recollect import Memory
from recollect.contracts.tool import Contract

ROOT = Path(__file__).parents[2]
RECIPE = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "adding-a-contract.md").read_text("utf-8"), re.DOTALL)
SERVE = """
from pathlib import Path

import recollect
from notes import notes_contract
from recollect.serve.stdio import serve_stdio

memory = recollect.open(settings=recollect.Settings(home=Path({home!r}), embedder="none"))
memory.remember("Tea is at five.")
raise SystemExit(serve_stdio(notes_contract(memory), on_close=memory.close))
"""


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Memory], Contract]:
    assert RECIPE is not None
    (tmp_path / "notes.py").write_text(RECIPE[1])
    monkeypatch.syspath_prepend(str(tmp_path))
    return runpy.run_path(str(tmp_path / "notes.py"))["notes_contract"]


def test_it_has_a_schema_and_a_page(notes: Callable[[Memory], Contract], memory: Memory) -> None:
    contract = notes(memory)
    assert contract.input_schema(contract.tools[0]) == {
        "type": "object",
        "properties": {
            "words": {"type": "string", "minLength": 1, "description": "What to look for, in plain words"},
            "most": {
                "type": "integer", "minimum": 1, "maximum": 50, "default": 10, "description": "At most so many notes",
            },
        },
        "required": ["words"],
        "additionalProperties": False,
    }  # fmt: skip
    page = runpy.run_path(str(ROOT / "tools" / "write_contracts.py"))["page"]("notes", contract)
    assert "| `most` | integer 1..50 | `10` | At most so many notes |" in page


def test_its_habits_hold(notes: Callable[[Memory], Contract], memory: Memory, connect: Callable[..., Any]) -> None:
    memory.remember("Tea is at five.")
    table = connect(notes(memory))
    assert table.call("search", query="tea", most=1.0, words=None) == {"notes": ["Tea is at five."]}
    assert table.fail("search", words="tea", most=51) == "most: must be at most 50, not 51"


@pytest.mark.usefixtures("notes")
def test_it_is_served_over_stdio(tmp_path: Path) -> None:
    (tmp_path / "serve.py").write_text(SERVE.format(home=str(tmp_path / "home")))
    server = Server(program=(sys.executable, str(tmp_path / "serve.py")))
    assert server.initialize()["serverInfo"]["name"] == "notes"
    assert [tool["name"] for tool in server.ask("tools/list")["tools"]] == ["search"]
    assert server.call("search", words="When is tea?") == {"notes": ["Tea is at five."]}
    assert server.close() == 0
