"""How does a server on the web live beside the one on stdio, in one process and on one engine?

The socket listens from the start, so that a port that is taken is known before anything else happens. What serves it
is loaded in a thread of its own: the client on stdio does not wait for that.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.contracts.route import Web
from recollect.serve.address import Address, address_of, listen
from recollect.serve.admission import admission
from recollect.serve.log import Log

if TYPE_CHECKING:
    from recollect.serve.http import HttpServer

HEAD_START_SECONDS = 0.3
"""So long, at most, the client on stdio has the process for itself: it waits for its first answer."""

COURTESY_SECONDS = 1.0
"""At the end a running call may take so long before it is asked to stop."""


class Companion:
    """A contract's addresses on the web, served until `stop`."""

    def __init__(self, web: Callable[[], Web], address: Address, *, token: str | None, log: Log) -> None:
        self._web = web
        self._admission = admission(address, token)
        self._log = log
        self._listener: socket.socket = listen(address)
        self._lock = threading.Lock()
        self._server: HttpServer | None = None
        self._stopping = False
        self._go = threading.Event()
        self._fail: Callable[[str], None] = lambda _: None
        self._thread = threading.Thread(target=self._run, name="recollect-http", daemon=True)

    @property
    def url(self) -> str:
        return f"http://{address_of(self._listener)}"

    def start(self, fail: Callable[[str], None]) -> None:
        """Begins to serve. `fail` is called if that ends before it should."""
        self._fail = fail
        self._log.tell(f"HTTP on {self.url}")
        self._thread.start()

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
        self._thread.join(COURTESY_SECONDS)
        if self._thread.is_alive() and self._server is not None:
            self._server.cancel_calls()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._serve()
        except Exception as error:  # noqa: BLE001  the top of a transport
            self._log.fault("the HTTP server failed", error)
        finally:
            self._listener.close()
            if not self._stopping:
                self._fail("the HTTP server ended")

    def _serve(self) -> None:
        self._go.wait(HEAD_START_SECONDS)
        if self._stopping:
            return
        from recollect.serve.http import HttpServer  # the libraries that only it needs

        server = HttpServer(self._web(), self._admission, self._log)
        with self._lock:
            self._server = server
            stopping = self._stopping
        if stopping:
            server.stop()
        else:
            server.run(self._listener)
