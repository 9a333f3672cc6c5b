"""A whole service, and one of the iii protocol, fed with bytes as if they came off a wire: without sockets."""

from __future__ import annotations

import asyncio
import atexit
import shutil
import tempfile
import traceback
from functools import cache
from pathlib import Path
from typing import Any

import h11
import msgspec
from uvicorn.server import ServerState

import recollect
from recollect import Memory, Settings
from recollect.contracts.registry import CONTRACTS
from recollect.serve import iii
from recollect.serve.address import Address
from recollect.serve.admission import admission
from recollect.serve.api import Api, Palaces
from recollect.serve.http import Health, HttpServer
from recollect.serve.iii import IiiServer
from recollect.serve.log import Log
from recollect.serve.page import Page
from recollect.serve.state import Journal, Metrics, Readiness
from recollect.serve.streamable import Streamable
from recollect.serve.up import Offered, guarding_of

HERE = Address("127.0.0.1", 3031)
_HANGS_SECONDS = 10


@cache
def memory() -> Memory:
    """The memory that all of them serve, which ends with the process."""
    folder = tempfile.mkdtemp(prefix="recollect-fuzz-")
    made = recollect.open(settings=Settings(home=Path(folder), embedder="none"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(made.close)
    made.remember("The lamp is green.", id="lamp")
    return made


class _Log(Log):
    """Keeps what nobody foresaw."""

    __slots__ = ("faults",)

    def __init__(self) -> None:
        super().__init__("error")
        self.faults: list[str] = []

    def fault(self, line: str, error: BaseException) -> None:
        self.faults.append(f"{line}\n{''.join(traceback.format_exception(error))}")

    def check(self) -> None:
        faults, self.faults = self.faults, []
        if faults:
            raise AssertionError(faults[0])


class _Wire(asyncio.Transport):
    """The other end of a connection, on which nobody is."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()
        self._closing = False

    def write(self, data: Any) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        self._closing = True

    def abort(self) -> None:
        self._closing = True

    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("127.0.0.1", 3031) if name in ("peername", "sockname") else default


class Web:
    """Everything that `recollect up` serves, from the bytes of a request to those of its answer."""

    def __init__(self) -> None:
        held, self._log = memory(), _Log()
        offered, protocol = Offered(held), Streamable(Offered(held), self._log)
        parts = (
            Health(), Readiness(held), Metrics(held, lambda: protocol.sessions), Journal(held, self._log), Page(),
            Api(offered.memory), Palaces(offered.palaces), protocol,
        )  # fmt: skip
        self._server = HttpServer(parts, guarding_of(held, HERE).gate, self._log)
        self._config = self._server._server.config
        self._config.load()
        self._loop = asyncio.new_event_loop()
        atexit.register(self._end)

    def _end(self) -> None:
        self._server.stop()
        self._loop.run_until_complete(self._loop.shutdown_default_executor())

    def feed(self, data: bytes) -> None:
        said = self._loop.run_until_complete(self._exchange(data))
        self._log.check()
        assert not said.startswith(b"HTTP/1.1 500"), said[:500]

    async def _exchange(self, data: bytes) -> bytes:
        """What is answered; a client that has said all it will say leaves, and nothing may go on for it."""
        wire, state = _Wire(), ServerState()
        made: Any = self._config.http_protocol_class
        protocol = made(config=self._config, server_state=state, app_state={}, _loop=self._loop)
        protocol.connection_made(wire)
        if data:  # nothing is what nobody is ever told of
            protocol.data_received(data)
        if protocol.conn.their_state not in (h11.SEND_BODY, h11.ERROR) and state.tasks:
            await asyncio.wait(state.tasks, timeout=1)
        protocol.connection_lost(None)
        if state.tasks:
            await asyncio.wait(state.tasks, timeout=_HANGS_SECONDS)
        assert not state.tasks, "a request goes on though its client is gone"
        return bytes(wire.written)


class Frames:
    """What comes in over the iii protocol, from the bytes of a frame to those of its answer."""

    def __init__(self) -> None:
        self._log = _Log()
        contract = CONTRACTS["agentos"].make(memory(), None)
        self._server = IiiServer(contract, admission(HERE, None, "--iii"), self._log)

    def feed(self, data: bytes) -> None:
        try:
            message = iii._decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            iii._refuse(data, error)
            return
        if message.type == "invokefunction":
            self._server._answer(message)
        self._log.check()


@cache
def web() -> Web:
    return Web()


@cache
def frames() -> Frames:
    return Frames()


def open_store(data: bytes) -> None:
    """A file that is said to be a store: opened, upgraded where it is old, checked and read; or refused."""
    with tempfile.TemporaryDirectory(prefix="recollect-fuzz-") as folder:
        Path(folder, "recollect.db").write_bytes(data)
        with recollect.open(settings=Settings(home=Path(folder), embedder="none")) as opened:
            opened.check()
            opened.list(limit=100)
            opened.recall("gateway")
