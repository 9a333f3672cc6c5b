"""A worker of an iii engine, by the published SDK: the engine here speaks the real protocol on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
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


def answer_of(worker: ServerConnection, function: str, data: object, **offers: Callable[[Any], Any]) -> Any:
    """What a function of the worker answers, while the engine serves what it offers itself (`_` stands for `::`)."""
    invoke(worker, function, data, id=f"call-{function}")
    while (message := receive(worker)).get("type") != "invocationresult" or message["function_id"] != function:
        if message.get("type") == "invokefunction" and message.get("invocation_id"):
            serve_offer(worker, message, offers)
    return message


def serve_offer(worker: ServerConnection, message: Any, offers: Mapping[str, Callable[[Any], Any]]) -> None:
    told = {"type": "invocationresult", **{key: message[key] for key in ("invocation_id", "function_id")}}
    offer = offers.get(message["function_id"].replace("::", "_"))
    if offer is None:
        outcome: Any = {"error": {"code": "function_not_found", "message": "Function not found"}}
    else:
        outcome = offer(message["data"])
    worker.send(json.dumps({**told, **outcome}))


def hold_session(worker: ServerConnection, session: str) -> None:
    for number in range(4):
        said = {"agentId": "a", "content": f"Deploy {number} of {session} went well.", "sessionId": session}
        assert answer_of(worker, "memory::store", said)["result"]["stored"]


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


FAILING = {
    "refuses": ({"error": {"code": "invocation_failed", "message": "the quota is spent"}}, "the quota is spent"),
    "says nothing": ({"result": {"content": None}}, "answered without a text in content"),
    "says no object": ({"result": "well"}, "answered str, not an object"),
    "is not there": (None, "Function not found"),
}


def test_compaction_has_the_engine_write_and_says_where_it_could_not(engine, tmp_path, memory) -> None:
    server = Server(tmp_path / "served", "--iii-engine", engine.url, path=sdk("python_sdk", "0.25.0"))
    worker, _ = engine.meet(len(agentos_contract(memory).functions))
    asked: list[Any] = []
    given = {"agentId": "a", "threshold": 2, "keepRecent": 1}

    def write(data: Any) -> Any:
        asked.append(data)
        return {"result": {"content": "All deploys went well.", "model": "haiku", "usage": {}}}

    hold_session(worker, "s")
    done = answer_of(worker, "memory::session::compact", {**given, "sessionId": "s"}, llm_complete=write)["result"]
    assert (done["summarized"], done["kept"], "note" in done) == (3, 1, False)
    assert [(one["model"]["model"], one["messages"][0]["role"]) for one in asked] == [("claude-haiku-4-5", "user")]
    assert "Deploy 2 of s went well." in asked[0]["messages"][0]["content"]
    found = answer_of(worker, "memory::recall", {"agentId": "a", "query": "all deploys"})["result"]
    assert {one["id"]: one["content"] for one in found}[done["summaryId"]] == "All deploys went well."
    for session, (outcome, why) in FAILING.items():
        offers = {} if outcome is None else {"llm_complete": lambda _, outcome=outcome: outcome}
        hold_session(worker, session)
        done = answer_of(worker, "memory::session::compact", {**given, "sessionId": session}, **offers)["result"]
        assert done["note"].startswith("extractive instead of abstractive: llm::complete of the engine")
        assert why in done["note"]
    assert server.close()[0] == 0


def test_vectors_are_the_engines_where_it_computes_some(engine, tmp_path, memory) -> None:
    topics = ({"dog", "barks", "kennel"}, {"ship", "harbour", "sails"}, {"bread", "oven", "baker"})
    asked: list[str] = []

    def embed(data: Any) -> Any:
        asked.append(data["text"])
        words = set(data["text"].lower().strip("?.").split())
        return {"result": {"embedding": [0.1 + len(topic & words) for topic in topics], "dim": len(topics)}}

    server = Server(
        tmp_path / "served", "--iii-engine", engine.url, path=sdk("python_sdk", "0.25.0"),
        RECOLLECT_EMBEDDER="bundled", RECOLLECT_EMBED_DELAY="3600",
    )  # fmt: skip
    worker, _ = engine.meet(len(agentos_contract(memory).functions))
    said = {
        "The dog is old.": "who barks?",
        "A ship came in.": "what sails?",
        "Fresh bread at six.": "what of the oven?",
    }
    for content in said:
        answer_of(worker, "memory::store", {"agentId": "a", "content": content}, embedding_generate=embed)
    for content, question in said.items():
        given = {"agentId": "a", "query": question}
        found = (
            answer_of(worker, "memory::recall", given, embedding_generate=embed)["result"] for _ in range(10)
        )  # a busy machine answers by words at first
        assert content in (one[0]["content"] for one in found)
    assert {*said, *said.values()} <= set(asked)
    assert server.close()[0] == 0


def test_without_the_sdk_it_says_how_to_get_it(tmp_path) -> None:
    code = (
        "import sys; sys.modules['iii'] = None\nfrom recollect.cli import main\n"
        f"sys.exit(main(['serve', '--as', 'agentos', '--home', {str(tmp_path)!r}, '--iii-engine', 'ws://127.0.0.1:1']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=GUARD_SECONDS)
    assert done.returncode == 1
    assert done.stderr == "error: --iii-engine needs the iii SDK: pip install 'recollect[iii]'\n"
