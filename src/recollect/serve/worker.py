"""How does a contract become a worker of a running iii engine?

Through the published SDK, which keeps the connection up and registers the functions again whenever it had to connect
anew. It is an extra: without it there is a clear word on how to get it. What the engine offers itself is used in turn:
`llm::complete` writes summaries, and `embedding::generate` computes vectors.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Protocol, cast
from urllib.parse import urlsplit

from recollect.contracts.tool import Contract, Tool
from recollect.engine.loop import Loop
from recollect.errors import CompleterError, ConfigError, EmbedderError, InvalidInput, RecollectError
from recollect.serve.functions import Functions, Problem
from recollect.serve.log import Log
from recollect.types import Sampled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "recollect"
AT_ONCE = 8
JOIN_SECONDS = 1.0
COMPLETE, COMPLETE_SECONDS = "llm::complete", 60.0
EMBED, EMBED_SECONDS = "embedding::generate", 10.0
WRITER = {"provider": "anthropic", "model": "claude-haiku-4-5"}
"""Whom the contract's document has write summaries."""
HOW_TO_GET_IT = "--iii-engine needs the iii SDK: pip install 'recollect[iii]'"


class _Client(Protocol):
    """What is used of the SDK's client."""

    def register_function(
        self, id: str, handler: Callable[[Any], Awaitable[object]], *, description: str
    ) -> object: ...
    def trigger(self, request: dict[str, object]) -> object: ...
    def shutdown(self) -> None: ...


class InvocationFailed(Exception):
    """Carries a problem through the SDK, which sends its text to the engine."""


def check_engine(url: str) -> str:
    """The address of an engine, or an error that says what would be right."""
    try:
        parts = urlsplit(url)
        right = parts.scheme in ("ws", "wss") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        right = False
    if not right:
        raise InvalidInput("--iii-engine", f"{url!r} is not an address such as ws://127.0.0.1:49134")
    return url


class EngineWorker:
    """The functions of a contract in an engine, from `start` to `stop`."""

    def __init__(self, contract: Contract, url: str, log: Log) -> None:
        self._url = check_engine(url)
        self._connect = _load()
        self._functions = Functions(contract, log, self._complete)
        self._memory = contract.memory
        self._log = log
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="recollect-worker")
        self._client: _Client | None = None
        self._lock = threading.Lock()
        self._stopping = False
        self._loop = Loop("recollect-engine", self._run)

    def start(self, fail: Callable[[str], None]) -> None:  # noqa: ARG002  the seam's shape: the SDK never gives up
        self._log.tell(f"iii worker of {self._url}")
        if self._memory is not None and self._memory.settings.engine_embeddings:
            self._memory.semantics.offered = self._offer_embedder
        self._loop.wake()

    def hurry(self) -> None:
        """Nothing waits here for the client on stdio."""

    def stop(self) -> None:
        with self._lock:
            self._stopping = True
            client = self._client
        if client is not None:
            Loop("recollect-engine-end", client.shutdown).wake()

    def join(self) -> None:
        self._pool.shutdown(wait=False)
        self._functions.cancel_all()
        self._loop.wait(JOIN_SECONDS)

    def _run(self) -> None:
        """Connecting blocks until there is an engine, however long that takes; so it has a thread of its own."""
        try:
            client = self._connect(self._url)
            with self._lock:
                self._client = client
                stopping = self._stopping
            if stopping:
                client.shutdown()
                return
            for id, tool in self._functions.tools.items():
                self._register(client, id, tool)
        except Exception as error:  # noqa: BLE001  the top of a transport, and what the SDK raises is its own
            self._log.fault(f"the worker of {self._url} ended", error)

    # What the engine does for us

    def _ask(self, function: str, payload: object, seconds: float, failure: type[RecollectError]) -> dict[str, Any]:
        """What a function of the engine answers; whatever it fails with is a `failure` that names it."""
        client = self._client
        if client is None:
            raise failure(f"{function}: the engine is not connected")
        request = {"function_id": function, "payload": payload, "timeout_ms": int(seconds * 1000)}
        try:
            answer = client.trigger(request)
        except Exception as error:  # the SDK raises errors of its own, another set in each version
            raise failure(f"{function} of the engine failed: {error}") from error
        if not isinstance(answer, dict):
            raise failure(f"{function} of the engine answered {type(answer).__name__}, not an object")
        return cast("dict[str, Any]", answer)

    def _complete(self, system: str, prompt: str, max_tokens: int) -> Sampled:
        asked = {
            "model": {**WRITER, "maxTokens": max_tokens}, "systemPrompt": system,
            "messages": [{"role": "user", "content": prompt}],
        }  # fmt: skip
        answer = self._ask(COMPLETE, asked, COMPLETE_SECONDS, CompleterError)
        text, model = answer.get("content"), answer.get("model")
        if not isinstance(text, str):
            raise CompleterError(f"{COMPLETE} of the engine answered without a text in content")
        return Sampled(text, model if isinstance(model, str) else WRITER["model"])

    def _embed(self, text: str) -> list[float]:
        vector = self._ask(EMBED, {"text": text}, EMBED_SECONDS, EmbedderError).get("embedding")
        if not isinstance(vector, list) or not vector:
            raise EmbedderError(f"{EMBED} of the engine answered without numbers in embedding")
        return cast("list[float]", vector)

    def _offer_embedder(self) -> EngineEmbedder | None:
        """The engine's embedder if it has one, which a first text shows."""
        try:
            return EngineEmbedder(self._embed, len(self._embed("a first text")))
        except EmbedderError as error:
            self._log.write("info", f"iii: vectors are computed here: {error}")
            return None

    def _register(self, client: _Client, id: str, tool: Tool[Any]) -> None:
        async def answer(data: object) -> object:
            loop = asyncio.get_running_loop()
            outcome = await loop.run_in_executor(self._pool, self._functions.invoke, id, data)
            if isinstance(outcome.error, Problem):
                raise InvocationFailed(outcome.error.message)
            return outcome.result

        client.register_function(id, answer, description=tool.description)


class EngineEmbedder:
    """`embedding::generate` of an engine. Which model that is nobody says, so that it is known by its dimension."""

    def __init__(self, ask: Callable[[str], list[float]], dim: int) -> None:
        self._ask = ask
        self.dim = dim

    @property
    def name(self) -> str:
        return f"iii-{EMBED}-{self.dim}"

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002  the seam's
        import numpy as np  # only where vectors are asked for

        rows = [self._ask(text) for text in texts]
        if any(len(row) != self.dim for row in rows):
            raise EmbedderError(f"{EMBED} of the engine gave {self.dim} numbers before, and another count now")
        try:
            found = np.array(rows, np.float32).reshape(len(rows), self.dim)
        except (TypeError, ValueError) as error:
            raise EmbedderError(f"{EMBED} of the engine answered no numbers in embedding") from error
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)


def _load() -> Callable[[str], _Client]:
    """How to connect, by whichever version of the SDK is installed."""
    try:
        from iii import InitOptions, register_worker  # pyright: ignore -- an extra, which need not be installed
    except ImportError as error:
        raise ConfigError(HOW_TO_GET_IT) from error
    options = InitOptions(worker_name=NAME, otel={"enabled": False}, enable_metrics_reporting=False)  # pyright: ignore

    def connect(url: str) -> _Client:
        return cast("_Client", register_worker(url, options))

    return connect
