"""How does a contract become a worker of a running iii engine?

Through the published SDK, which keeps the connection up and registers the functions again whenever it had to connect
anew. It is an extra: without it there is a clear word on how to get it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

from recollect.contracts.tool import Contract, Tool
from recollect.engine.loop import Loop
from recollect.errors import ConfigError, InvalidInput
from recollect.serve.functions import Functions, Problem
from recollect.serve.log import Log

NAME = "recollect"
AT_ONCE = 8
JOIN_SECONDS = 1.0
HOW_TO_GET_IT = "--iii-engine needs the iii SDK: pip install 'recollect[iii]'"


class _Client(Protocol):
    """What is used of the SDK's client."""

    def register_function(
        self, id: str, handler: Callable[[Any], Awaitable[object]], *, description: str
    ) -> object: ...
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
        self._functions = Functions(contract, log)
        self._log = log
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="recollect-worker")
        self._client: _Client | None = None
        self._lock = threading.Lock()
        self._stopping = False
        self._loop = Loop("recollect-engine", self._run)

    def start(self, fail: Callable[[str], None]) -> None:  # noqa: ARG002  the seam's shape: the SDK never gives up
        self._log.tell(f"iii worker of {self._url}")
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

    def _register(self, client: _Client, id: str, tool: Tool[Any]) -> None:
        async def answer(data: object) -> object:
            loop = asyncio.get_running_loop()
            outcome = await loop.run_in_executor(self._pool, self._functions.invoke, id, data)
            if isinstance(outcome.error, Problem):
                raise InvocationFailed(outcome.error.message)
            return outcome.result

        client.register_function(id, answer, description=tool.description)


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
