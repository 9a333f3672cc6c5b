"""How does a server on a socket live beside the one on stdio, in one process and on one engine?

The socket listens from the start, so that a port that is taken is known before anything else happens. What serves it
is loaded in a thread of its own: the client on stdio does not wait for that.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from recollect.engine.loop import Loop
from recollect.serve.address import Address, address_of, listen
from recollect.serve.admission import Admission, admission
from recollect.serve.log import Log
from recollect.serve.stdio import Beside

HEAD_START_SECONDS = 0.3
"""So long, at most, the client on stdio has the process for itself: it waits for its first answer."""

COURTESY_SECONDS = 1.0
"""At the end a running call may take so long before it is asked to stop."""


class SocketServer(Protocol):
    """What serves a socket: `run` returns after `stop`, and `cancel_calls` asks running calls to end."""

    def run(self, listener: socket.socket) -> None: ...
    def stop(self) -> None: ...
    def cancel_calls(self) -> None: ...


class Kind(NamedTuple):
    """A way to be reached: what it is called, the scheme of its addresses, and the option that asks for it."""

    name: str
    scheme: str
    option: str


HTTP = Kind("HTTP", "http", "--http")
III = Kind("iii", "ws", "--iii")


class Companion:
    """A contract on a socket, served until `stop` by what `make` loads."""

    def __init__(
        self,
        make: Callable[[Admission, Log], SocketServer],
        address: Address,
        *,
        token: str | None,
        log: Log,
        kind: Kind = HTTP,
    ) -> None:
        self._make = make
        self._kind = kind
        self._admission = admission(address, token, kind.option)
        self._log = log
        self._listener: socket.socket = listen(address, kind.option)
        self._lock = threading.Lock()
        self._server: SocketServer | None = None
        self._stopping = False
        self._go = threading.Event()
        self._fail: Callable[[str], None] = lambda _: None
        self._loop = Loop(f"recollect-{kind.name.lower()}", self._run)

    @property
    def url(self) -> str:
        return f"{self._kind.scheme}://{address_of(self._listener)}"

    def start(self, fail: Callable[[str], None]) -> None:
        """Begins to serve. `fail` is called if that ends before it should."""
        self._fail = fail
        self._log.tell(f"{self._kind.name} on {self.url}")
        self._loop.wake()

    def hurry(self) -> None:
        """The client on stdio has its first answer: nothing is to be waited for any more."""
        self._go.set()

    def stop(self) -> None:
        """Asks for the end."""
        with self._lock:
            self._stopping = True
            server = self._server
        self._go.set()
        if server is not None:
            server.stop()

    def join(self) -> None:
        """Waits until nothing runs any more."""
        if not self._loop.wait(COURTESY_SECONDS) and self._server is not None:
            self._server.cancel_calls()
        self._loop.wait()

    def _run(self) -> None:
        try:
            self._serve()
        except Exception as error:  # noqa: BLE001  the top of a transport
            self._log.fault(f"the {self._kind.name} server failed", error)
        finally:
            self._listener.close()
            if not self._stopping:
                self._fail(f"the {self._kind.name} server ended")

    def _serve(self) -> None:
        self._go.wait(HEAD_START_SECONDS)
        if self._stopping:
            return
        server = self._make(self._admission, self._log)
        with self._lock:
            self._server = server
            stopping = self._stopping
        if stopping:
            server.stop()
        else:
            server.run(self._listener)


class Together:
    """Several ways to be reached, which begin and end as one."""

    def __init__(self, parts: Sequence[Beside]) -> None:
        self._parts = parts

    def start(self, fail: Callable[[str], None]) -> None:
        for part in self._parts:
            part.start(fail)

    def hurry(self) -> None:
        for part in self._parts:
            part.hurry()

    def stop(self) -> None:
        for part in self._parts:
            part.stop()

    def join(self) -> None:
        for part in self._parts:
            part.join()
