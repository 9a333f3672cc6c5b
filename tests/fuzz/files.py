"""What people keep and other programs write, each in its form: documents, code, settings of clients, what hooks say."""

from __future__ import annotations

import json
import tempfile
from contextlib import suppress
from pathlib import Path

import msgspec
from tests.faults.bombs import write_pdf

from recollect.cli import jsonc, toml
from recollect.cli.hook_forms import parse_event
from recollect.errors import InvalidInput, RecollectError
from recollect.ingest import trusty
from recollect.ingest.documents import parse_document
from recollect.ingest.ignore import parse_patterns
from recollect.ingest.symbols import outline_source

DOCUMENTS = (
    b"a.html\n<html><head><title>A</title></head><body><nav>x</nav><main><h1>A</h1><p>b <a href='/c'>d</a></p>"
    b"<table><tr><th>e<td>f</table><pre>g</pre><ul><li>h</ul></main></body></html>",
    b"a.md\n---\ntitle: x\n---\n# A\n\n> q\n\n```py\nx\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [ ] b\n",
    b"a.rst\nTitle\n=====\n\ntext\n\nMore\n----\n\n.. code::\n\n   x\n",
    b"a.org\n* A\n#+begin_src\nx\n#+end_src\n** B\ntext\n",
    b"a.adoc\n= A\n\n== B\n\ntext\n\n----\nx\n----\n",
    b"a.txt\nA text.\n\nOf two paragraphs.\n",
    b"a.ipynb\n"
    + json.dumps(
        {
            "cells": [
                {"cell_type": "markdown", "source": "# A\n"},
                {"cell_type": "code", "source": ["x = 1\n"], "outputs": [{"text": ["1"]}]},
            ],
            "nbformat": 4,
        }
    ).encode(),
)
CODE = (
    b"python\nclass A:\n    def b(self):\n        return 1\n",
    b"javascript\nexport class A { b() { return 1 } }\nconst c = () => 2\n",
    b"typescript\ninterface A { b: string }\nexport function c(d: A): void {}\n",
    b"rust\nimpl A { fn b(&self) -> u8 { 1 } }\nmod c;\n",
    b"go\npackage a\ntype B struct{}\nfunc (b B) C() int { return 1 }\n",
    b"java\npackage a; class B { int c() { return 1; } }\n",
    b"cpp\nnamespace a { class B { int c(); }; }\n",
    b"ruby\nmodule A\n  def b\n    1\n  end\nend\n",
    b"shell\na() {\n  echo b\n}\n",
)
HOOKS = tuple(
    f"{client}\n".encode() + json.dumps(told).encode()
    for client, told in (
        ("claude-code", {"session_id": "s", "cwd": "/a", "prompt": "x", "transcript_path": "/a/b.jsonl"}),
        ("cursor", {"conversation_id": "s", "workspace_roots": ["/a"], "prompt": "x"}),
        ("gemini-cli", {"sessionId": "s", "prompt": "x", "prompt_response": "y", "timestamp": "2026-01-01T00:00:00Z"}),
        ("opencode", {"session_id": "s", "messages": [{"role": "user", "content": "x"}], "source": "compact"}),
    )
)
TOML = (
    b'# mine\nmodel = "a"\n\n[mcp_servers.other]\ncommand = "b"\nargs = ["c"]\n',
    b'[mcp_servers.recollect]\ncommand = "recollect"\nargs = ["serve"]\n\n[mcp_servers.recollect.env]\nA = "b"\n',
)
JSONC = (
    b'{\n  // mine\n  "mcpServers": {\n    "other": {"command": "b"},\n  },\n}\n',
    b'{"mcpServers": {"recollect": {"command": "recollect", "args": ["serve"]}}, "hooks": []}',
)
PATTERNS = (b"*.log\n!keep.log\n/build/\n**/a/**/b\n[a-z]?[!0-9].c\n\\#x\nfoo/\n", b"a**b*c*d*e\n[[:alpha:]]*\n*/*/*\n")
DRAWERS = (
    b'{"id":"a","name":"p","description":"d"}\n',
    b'{"drawers":[{"drawer_id":"1","content":"x","room_type":"Backend","importance":0.5,"tags":["a"],'
    b'"created_at":"2026-01-01T00:00:00Z","access_count":2,"room_id":"42616367-6a73-6a00-0000-000000000000"}]}',
    b'[{"subject":"a","predicate":"b","object":"c","valid_from":"2026-01-01T00:00:00Z","valid_to":null}]',
)
_ENTRY = {"command": "recollect", "args": ["serve", "--space", "a"]}
_PATH = ("mcp_servers", "recollect")


def a_pdf() -> bytes:
    with tempfile.TemporaryDirectory(prefix="recollect-fuzz-") as folder:
        return write_pdf(Path(folder, "a.pdf"), operators=3).read_bytes()


def read_document(data: bytes) -> None:
    """A document whose first line is its name."""
    name, _, rest = data.partition(b"\n")
    parse_document(f"a{Path(name.decode('utf-8', 'replace').replace(chr(0), '')).suffix}", rest)


def read_pdf(data: bytes) -> None:
    parse_document("a.pdf", data)


def read_code(data: bytes) -> None:
    """A program whose first line is its language."""
    language, _, rest = data.partition(b"\n")
    known = {one.partition(b"\n")[0] for one in CODE}
    outline_source(rest.decode("utf-8", "replace"), language.decode() if language in known else "python")


def read_hook(data: bytes) -> None:
    """What a client tells its hook; its first line is which client."""
    client, _, rest = data.partition(b"\n")
    with suppress(ValueError):  # which the hook takes for a client that says nothing
        parse_event(client.decode("utf-8", "replace"), rest)


def edit_toml(data: bytes) -> None:
    """Our table is put into the settings of another program and taken out again: all else says what it said."""
    said = data.decode("utf-8", "replace")
    before = toml.read_toml(said)
    put_in = toml.set_table(said, _PATH, _ENTRY)
    assert toml.read_toml(put_in)["mcp_servers"]["recollect"]["command"] == "recollect"  # type: ignore[index,call-overload]
    after = toml.read_toml(toml.remove_table(put_in, _PATH))
    assert _others(after) == _others(before)


def edit_jsonc(data: bytes) -> None:
    """The same in JSON with comments."""
    said, path = data.decode("utf-8", "replace"), ("mcpServers", "recollect")
    before = jsonc.read_json(said, lenient=True)
    put_in = jsonc.set_value(said, path, _ENTRY, lenient=True)
    assert jsonc.read_json(put_in, lenient=True)["mcpServers"]["recollect"] == _ENTRY  # type: ignore[index,call-overload]
    after = jsonc.read_json(jsonc.remove(put_in, path, lenient=True), lenient=True)
    assert _others(after) == _others(before)


def _others(settings: object) -> object:
    """All that settings say but for ours, and for what is empty without it."""
    if not isinstance(settings, dict):
        return settings
    kept = {key: _others(value) for key, value in settings.items() if key != "recollect"}
    return {key: value for key, value in kept.items() if key not in ("mcpServers", "mcp_servers") or value}


def read_patterns(data: bytes) -> None:
    patterns = parse_patterns(tuple(data.decode("utf-8", "replace").splitlines()))
    for path in ("a/b/c.log", "build", "x" * 200, "a" * 50 + "/" + "b" * 50):
        patterns.decide(path, folder=False)
        patterns.decide(path, folder=True)


def read_drawers(data: bytes) -> None:
    with suppress(RecollectError):
        trusty.parse_palace(data)
    for row in trusty.parse_snapshot(data):
        for parse in (trusty.parse_drawer, trusty.parse_triple):
            with suppress(InvalidInput, msgspec.DecodeError):
                parse(row)
