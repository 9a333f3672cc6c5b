"""Claude Code, Codex and Gemini CLI themselves, and a model of theirs that says "ok" and keeps what it was asked."""

# pyright: basic
from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

SECONDS = 180
GET = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "get_sdks.py"))
_MESSAGE = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None}
_CLAUDE = (
    {"type": "message_start", "message": {**_MESSAGE, "usage": {"input_tokens": 1, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ok"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
    {"type": "message_stop"},
)
_SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ok"}]}
_CODEX = (
    {"type": "response.created", "response": {"id": "r"}},
    {"type": "response.output_item.done", "item": _SAID},
    {"type": "response.completed", "response": {"id": "r", "usage": {
        "input_tokens": 1, "input_tokens_details": None, "output_tokens": 1, "output_tokens_details": None,
        "total_tokens": 2,
    }}},
)  # fmt: skip
_GEMINI = {
    "candidates": [{"content": {"parts": [{"text": "ok"}], "role": "model"}, "finishReason": "STOP", "index": 0}],
    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
}  # fmt: skip


class Model:
    """A language model on loopback, and every request that it got."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        model = self

        class Answer(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                """Says nothing."""

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                model.asked.append(body)
                if "GenerateContent" in self.path:
                    text = f"data: {json.dumps(_GEMINI)}\n\n".encode()
                else:
                    events = _CODEX if "/responses" in self.path else _CLAUDE
                    text = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode()
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def model():
    one = Model()
    yield one
    one.close()


def installed(get: Callable[[], Path]) -> Path:
    """The folder of a client's program. Where it cannot be installed a test is skipped, but not in CI."""
    try:
        return get()
    except GET["Unavailable"] as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


class Client:
    """A client's own command line, for a user with an empty home, on whose PATH there is `recollect`."""

    def __init__(self, home: Path, folder: Path, program: str) -> None:
        self.home, self._program = home, folder / program
        own = home / "bin"
        own.mkdir(exist_ok=True)
        starter = own / "recollect"
        starter.write_text(f'#!/bin/sh\nexec {sys.executable} -m recollect.cli "$@"\n')
        starter.chmod(0o755)
        node = str(Path(GET["node"]()).parent)
        self._environment = {
            "PATH": os.pathsep.join([str(own), str(folder), node, os.environ["PATH"]]), "HOME": str(home),
            "CODEX_HOME": str(home / ".codex"), "RECOLLECT_HOME": str(home / "store"), "RECOLLECT_EMBEDDER": "none",
            "RECOLLECT_HOOK_SECONDS": "60", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        }  # fmt: skip
        (home / ".codex").mkdir(exist_ok=True)

    def __call__(self, *args: str, cwd: Path | None = None, **more: str) -> str:
        done = subprocess.run(
            [str(self._program), *args], cwd=cwd or self.home, env={**self._environment, **more}, timeout=SECONDS,
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout or done.stderr  # where Gemini CLI says everything

    def listen(self, settings: str) -> None:
        """Has what its hooks tell kept, each event in a file `told-EVENT.json` at home."""
        file, keeper = self.home / settings, self.home / "bin" / "keeper"
        keeper.write_text(f'#!/bin/sh\ntee {self.home}/told-"$3".json | {sys.executable} -m recollect.cli "$@"\n')
        keeper.chmod(0o755)
        file.write_text(re.sub(r'"command": "[^"]* hook ', f'"command": "{keeper} hook ', file.read_text()))

    def heard(self) -> dict[str, dict[str, object]]:
        found = sorted(self.home.glob("told-*.json"))
        return {path.stem.removeprefix("told-"): json.loads(path.read_text()) for path in found}

    def recollect(self, *args: str) -> str:
        command = [sys.executable, "-m", "recollect.cli", *args]
        done = subprocess.run(command, env=self._environment, cwd=self.home, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def claude(tmp_path):
    return Client(tmp_path, installed(GET["claude_code"]), "claude")


@pytest.fixture
def codex(tmp_path):
    return Client(tmp_path, installed(GET["codex"]), "codex")


@pytest.fixture
def gemini(tmp_path):
    """It asks which folders are trusted, and with what it may log in: both are answered in its settings."""
    own = tmp_path / ".gemini"
    own.mkdir()
    (own / "trustedFolders.json").write_text(json.dumps({str(tmp_path): "TRUST_FOLDER"}))
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False}}
    (own / "settings.json").write_text(json.dumps(settings))
    return Client(tmp_path, installed(GET["gemini"]), "gemini")
