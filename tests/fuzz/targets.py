"""What is fed with anything, and may only answer or refuse?

Each target takes bytes, and has some that it is meant for, to begin with.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from tests.fuzz import files, served, taken
from tests.ingest.test_elsewhere import CLAUDE_MEM

from recollect.cli import jsonc
from recollect.config import load_settings
from recollect.contracts.native import params as native
from recollect.contracts.schema import parse_params
from recollect.engine.care.schedule import parse_cron
from recollect.engine.intake.elsewhere import Files
from recollect.errors import RecollectError
from recollect.ingest import chunks, entities, pieces, secrets, text, token_chunks
from recollect.ingest.code import split_file
from recollect.ingest.elsewhere.found import Row
from recollect.ingest.elsewhere.origins import ORIGINS
from recollect.ingest.frontmatter import split_front_matter
from recollect.ingest.keepers import find_keepers
from recollect.ingest.transcripts import read_transcript
from recollect.ingest.vault import parse_page, render_page, sides_of
from recollect.retrieve.time_words import find_phrase
from recollect.serve import message
from recollect.serve.address import parse_address
from recollect.store import terms
from recollect.store.portable import NOUNS, parse_line, row_of

STORES = Path(__file__).parents[1] / "store" / "stores"
SAMPLES = Path(__file__).parents[1] / "ingest" / "elsewhere"


class Target(NamedTuple):
    """Something that is fed, and what it is meant for."""

    feed: Callable[[bytes], object]
    seeds: Sequence[bytes]
    pages: bool = False
    """Is it a file whose parts lie at fixed places, so that bytes are changed where they stand?"""


class _Held:
    """A file in memory, as an importer sees one."""

    place = "/held"

    def __init__(self, name: str, data: bytes) -> None:
        self.files: Sequence[str] = [name]
        self._data = data

    def head(self, name: str) -> bytes:  # noqa: ARG002  the seam's shape
        return self._data[:65_536]

    def read(self, name: str) -> bytes:  # noqa: ARG002
        return self._data

    def changed(self, name: str) -> datetime | None:  # noqa: ARG002
        return None

    def tables(self, name: str) -> frozenset[str]:  # noqa: ARG002
        return frozenset()

    def rows(self, name: str, table: str) -> Iterator[Row]:  # noqa: ARG002
        return iter(())


def _importer(name: str, file: str) -> Callable[[bytes], object]:
    origin = ORIGINS[name]

    def feed(data: bytes) -> None:
        held = _Held(file, data)
        with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # what its caller takes for damage
            if origin.fits(held):
                list(origin.read(held))

    return feed


def _database(name: str, file: str = "some.db") -> Callable[[bytes], object]:
    def feed(data: bytes) -> list[object]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, file)
            path.write_bytes(data)
            files = Files(path)
            return list(ORIGINS[name].read(files)) if ORIGINS[name].fits(files) else []

    return feed


def _export(data: bytes) -> None:
    spaces: dict[str, int] = {"default": 1}
    for number, line in enumerate(data.splitlines(), 1):
        noun, fields = parse_line(line, number)
        if noun in NOUNS:
            row_of(noun, fields, spaces, number)


def _transcript(data: bytes) -> None:
    read_transcript("a.jsonl", data)


def _vault(data: bytes) -> None:
    content = data.decode("utf-8", "replace")
    split_front_matter(content)
    with suppress(RecollectError):
        sides_of(content)
    page = parse_page(content)
    again = parse_page(render_page(page))
    said, told = ({name: value for name, value in one.fields.items() if value not in ([], {})} for one in (page, again))
    assert (again.id, again.text, told) == (page.id, page.text, said)


def _settings(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "config.toml").write_bytes(data)
        load_settings(folder, {})


def _text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "replace"))


def _arguments(data: bytes) -> None:
    given: object = msgspec.json.decode(data)
    if isinstance(given, dict):
        for params in _PARAMS:
            with suppress(RecollectError):
                parse_params(params, given)  # type: ignore[arg-type]  # whatever a client sends


_PARAMS: list[Any] = [one for one in vars(native).values() if isinstance(one, type) and issubclass(one, native.Params)]


def _json(*values: Any) -> list[bytes]:
    return [json.dumps(value).encode() for value in values]


def _unpacked(name: str) -> bytes:
    return gzip.decompress((SAMPLES / f"{name}.gz").read_bytes())


def _written(sql: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(sql)
        return db.serialize()


_MARKDOWN = [
    b"---\nid: a\ntitle: 'x'\ntags: [a, b]\nabout:\n  - \"[[Ada]]\"\n---\n\n# A\n\ntext [[B|c]]\n\n```py\nx\n```\n",
    b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> c\n",
    b"a\n\n- [method] x #y (z)\n- relates_to [[Q]]\n",
    b"> q\n\n| a | b |\n|-|-|\n| c | d |\n",
]
_TALK = _json(
    [
        {
            "uuid": "1",
            "name": "x",
            "chat_messages": [{"sender": "human", "text": "a", "created_at": "2026-01-01T00:00:00Z"}],
        }
    ],
    [
        {
            "id": "1",
            "title": "t",
            "mapping": {"a": {"message": {"author": {"role": "user"}, "content": {"parts": ["x"]}}, "children": []}},
        }
    ],
    {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "x"}]}, "sessionId": "s"},
)
_ACTIVITY = _json(
    [
        {
            "header": "Gemini Apps",
            "title": "Prompted x",
            "time": "2026-03-04T05:06:07Z",
            "safeHtmlItem": [{"html": "<p>a</p>"}],
        }
    ]
)
_MEM0 = _json({"results": [{"id": "1", "memory": "x", "user_id": "a", "hash": "h", "metadata": {}}]})
_MEMORY_SERVICE = _json({"memories": [{"content_hash": "h", "content": "x", "tags": ["a"]}]})
_CALL = _json(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "recall", "arguments": {"query": "x", "limit": 3}},
    },
    [{"jsonrpc": "2.0", "method": "notifications/initialized"}],
    {"jsonrpc": "2.0", "id": "a", "result": {}},
)

_SETTINGS = [
    b'embedder = "none"\nbackup_keep = 3\nhook_seconds = 0.2\n',
    b'store = "postgresql://me@host/db?schema=a"\ntoken = "abcdefghijklmnopqrstuvwxyz"\nrate = 2.5\nshared = "off"\n',
    b'backup_schedule = "0 3 * * *"\nbackup_command = "rclone copy {path} far:"\nbackup_folder = "~/far"\n',
]
_FRAMES = _json(
    {"type": "ping"},
    *(
        {"type": "invokefunction", "invocation_id": "1", "function_id": f"memory::{name}", "data": data}
        for name, data in (
            ("store", {"agentId": "a", "content": "It rains.", "role": "user", "sessionId": "s"}),
            ("recall", {"agentId": "a", "query": "rain", "limit": 3}),
            ("kg::add", {"entity": {"id": "a", "type": "person", "properties": {"b": [1]}, "relations": []}}),
            ("evict", {"maxAge": 1000, "minImportance": 0.1, "cap": 10}),
            ("session::compact", {"sessionId": "s", "threshold": 5, "keepRecent": 2}),
        )
    ),
)


def _request(line: str, body: Any = None, *headers: str) -> bytes:
    said = b"" if body is None else json.dumps(body).encode()
    more = ["Host: 127.0.0.1:3031", *headers, *([f"Content-Length: {len(said)}"] if said else [])]
    return "\r\n".join([f"{line} HTTP/1.1", *more, "", ""]).encode() + said


_PLAIN, _OURS = "Content-Type: application/json", "X-Recollect-Client: page"
_HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
_REQUESTS = [
    _request("GET /health"),
    _request("GET /ready"),
    _request("GET /metrics"),
    _request("GET /"),
    _request("GET /api/recall?q=lamp&limit=3&tags=a&tags=b"),
    _request("GET /api/records?limit=2&kinds=memory", None, "Accept: application/json"),
    _request("GET /api/records/lamp"),
    _request("POST /api/records", {"text": "It rains.", "tags": ["a"]}, _PLAIN, _OURS, "Idempotency-Key: k"),
    _request("PATCH /api/records/lamp", {"text": "The lamp is blue."}, _PLAIN, _OURS),
    _request("GET /api/v1/palaces"),
    _request("POST /api/v1/palaces/p/drawers", {"text": "It rains."}, _PLAIN),
    _request(
        "POST /mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _HELLO}, _PLAIN,
        "Accept: application/json, text/event-stream",
    ),
    _request(
        "POST /mcp/trusty-memory", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, _PLAIN,
        "Accept: application/json, text/event-stream", "Mcp-Session-Id: x",
    ),
    _request("POST /api/records", None, _PLAIN, "Transfer-Encoding: chunked") + b'c\r\n{"text":"a"}\r\n0\r\n\r\n',
    _request("OPTIONS /api/records", None, "Origin: http://localhost:3031"),
]  # fmt: skip

TARGETS: Mapping[str, Target] = {
    "protocol": Target(message.decode, _CALL),
    "http": Target(lambda data: served.web().feed(data), _REQUESTS),
    "iii frames": Target(lambda data: served.frames().feed(data), _FRAMES),
    "stores": Target(served.open_store, [path.read_bytes() for path in sorted(STORES.glob("*.db"))], pages=True),
    "arguments": Target(
        _arguments, _json({"query": "x", "limit": 5, "space": "a", "tags": ["b"], "since": "2026-01-01"})
    ),
    "address": Target(_text(parse_address), [b"127.0.0.1:3031", b"[::1]:80", b":1"]),
    "export": Target(_export, [taken.an_export()]),
    "vault": Target(_vault, _MARKDOWN),
    "markdown chunks": Target(_text(chunks.chunk_markdown), _MARKDOWN),
    "sections": Target(_text(text.split_sections), _MARKDOWN),
    "token chunks": Target(
        _text(lambda said: token_chunks.cut_chunks(said, lambda part: len(part) // 4 + 1)), _MARKDOWN
    ),
    "pieces": Target(_text(pieces.cut_pieces), _MARKDOWN),
    "names": Target(_text(entities.extract_names), _MARKDOWN),
    "terms": Target(_text(terms.terms), _MARKDOWN),
    "secrets": Target(
        _text(secrets.mask_secrets),
        [b"password = hunter2hunter2\nghp_16C7e42F292c6912E7710c838347Ae178B4a\n", b"-----BEGIN PRIVATE KEY-----\n"],
    ),
    "code": Target(_text(lambda said: split_file("a.py", said)), [b"class A:\n    def b(self):\n        return 1\n"]),
    "transcripts": Target(_transcript, _TALK),
    "settings": Target(_settings, _SETTINGS),
    "cron": Target(_text(lambda said: parse_cron(said, "x")), [b"0 3 * * *", b"*/5 1-4 1,2 * 0", b"off"]),
    "jsonc": Target(_text(lambda said: jsonc.read_json(said, lenient=True)), [b'{"a": 1, // c\n "b": [1,],}']),
    "server-memory": Target(
        _importer("server-memory", "memory.jsonl"), [(SAMPLES / "server-memory.jsonl").read_bytes()]
    ),
    "mem0": Target(
        _importer("mem0", "a.json"),
        _MEM0,
    ),
    "mcp-memory-service": Target(
        _importer("mcp-memory-service", "a.json"),
        _MEMORY_SERVICE,
    ),
    "basic-memory": Target(_importer("basic-memory", "a.md"), [b"---\npermalink: a\n---\n" + one for one in _MARKDOWN]),
    "chatgpt": Target(_importer("chatgpt", "conversations.json"), _TALK[1:2]),
    "claude": Target(_importer("claude", "conversations.json"), _TALK[:1]),
    "gemini": Target(_importer("gemini", "MyActivity.json"), _ACTIVITY),
    "imports": Target(
        taken.import_file,
        [
            b"all.jsonl\n" + taken.an_export(),
            b"memory.jsonl\n" + (SAMPLES / "server-memory.jsonl").read_bytes(),
            *(b"conversations.json\n" + one for one in _TALK[:2]),
            b"MyActivity.json\n" + _ACTIVITY[0],
            *(b"memories.json\n" + one for one in (*_MEM0, *_MEMORY_SERVICE)),
            *(b"note.md\n---\npermalink: a\n---\n" + one for one in _MARKDOWN),
        ],
    ),
    "sync folders": Target(taken.sync_folder, _MARKDOWN),
    "mem0 database": Target(_database("mem0"), [_unpacked("mem0-history.db")], pages=True),
    "palace database": Target(
        _database("mempalace", "knowledge_graph.sqlite3"), [_unpacked("knowledge_graph.sqlite3")], pages=True
    ),
    "drawers database": Target(_database("mempalace", "chroma.sqlite3"), [_unpacked("chroma.sqlite3")], pages=True),
    "memory-service database": Target(_database("mcp-memory-service"), [_unpacked("mms.db")], pages=True),
    "claude-mem database": Target(_database("claude-mem"), [_written(CLAUDE_MEM)], pages=True),
    "documents": Target(files.read_document, files.DOCUMENTS),
    "pdf": Target(files.read_pdf, [files.a_pdf()]),
    "outlines": Target(files.read_code, files.CODE),
    "hooks": Target(files.read_hook, files.HOOKS),
    "clients' toml": Target(files.edit_toml, files.TOML),
    "clients' json": Target(files.edit_jsonc, files.JSONC),
    "ignored files": Target(files.read_patterns, files.PATTERNS),
    "palace files": Target(files.read_drawers, files.DRAWERS),
    "keepers": Target(_text(lambda said: find_keepers(said, "user")), _MARKDOWN),
    "times": Target(
        _text(find_phrase), [b"what did we say last tuesday about it?", b"two weeks ago", b"vor drei Tagen"]
    ),
}
