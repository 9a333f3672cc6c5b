"""A worker of an iii engine, by the published SDK: the engine here speaks the real protocol on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from queue import Queue
from typing import Any

import pytest
from tests.serve.iii import GUARD_SECONDS, Server, invoke, receive, sdk
from websockets.sync.server import ServerConnection, serve

from recollect.contracts.agentos.table import agentos_contract


class Engine:
    """What a worker sees of an engine: it is registered, says what functions it has, and is then asked for them."""

    def __init__(self) -> None:
        self.workers: Queue[ServerConnection] = Queue()
        self._done = threading.Event()
        self._server = serve(self._attend, "127.0.0.1", 0)
        self.url = f"ws://127.0.0.1:{self._server.socket.getsockname()[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _attend(self, worker: ServerConnection) -> None:
        worker.send(json.dumps({"type": "workerregistered", "worker_id": "w"}))
        self.workers.put(worker)
        self._done.wait()

    def meet(self, count: int) -> tuple[ServerConnection, set[str]]:
        """The next worker that connects, and the functions that it registers."""
        worker = self.workers.get(timeout=GUARD_SECONDS)
        found: set[str] = set()
        while len(found) < count:
            message = receive(worker)
            if message["type"] == "registerfunction":
                found.add(message["id"])
        return worker, found

    def close(self) -> None:
        self._done.set()
        self._server.shutdown()


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine()
    yield made
    made.close()


def answer_of(worker: ServerConnection, function: str, data: object) -> Any:
    invoke(worker, function, data, id=f"call-{function}")
    while (message := receive(worker)).get("type") != "invocationresult" or message["function_id"] != function:
        continue
    return message


def test_the_functions_are_registered_answer_and_come_back(engine, tmp_path, memory) -> None:
    functions = set(agentos_contract(memory).functions)
    server = Server(tmp_path / "served", "--iii-engine", engine.url, path=sdk("python_sdk", "0.25.0"))
    assert server.told.endswith(f"iii worker of {engine.url}")
    worker, registered = engine.meet(len(functions))
    assert registered == functions
    stored = answer_of(worker, "memory::store", {"agentId": "a", "content": "Tea is at five."})
    assert stored["result"]["stored"] is True
    wrong = answer_of(worker, "memory::recall", {"agentId": "a"})
    assert "query: is required" in wrong["error"]["message"]
    worker.close()  # the engine is started anew
    worker, registered = engine.meet(len(functions))
    assert registered == functions
    found = answer_of(worker, "memory::recall", {"agentId": "a", "query": "tea"})
    assert [one["content"] for one in found["result"]] == ["Tea is at five."]
    assert server.close()[0] == 0


def test_without_the_sdk_it_says_how_to_get_it(tmp_path) -> None:
    code = (
        "import sys; sys.modules['iii'] = None\nfrom recollect.cli import main\n"
        f"sys.exit(main(['serve', '--as', 'agentos', '--home', {str(tmp_path)!r}, '--iii-engine', 'ws://127.0.0.1:1']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=GUARD_SECONDS)
    assert done.returncode == 1
    assert done.stderr == "error: --iii-engine needs the iii SDK: pip install 'recollect[iii]'\n"
