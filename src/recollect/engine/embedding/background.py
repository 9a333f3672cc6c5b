"""When is work done that nobody waits for?"""

from __future__ import annotations

import threading
from collections.abc import Callable

from recollect.errors import RecollectError


class Background:
    """Does its work some seconds after it was last woken, in a thread of its own that ends with the memory.

    A failure (an endpoint that is down, say) is kept in `problem`, and the work done once it is woken again: it must
    know by itself what is left.
    """

    def __init__(self, work: Callable[[threading.Event], object], delay: float, name: str) -> None:
        self._work = work
        self._delay = delay
        self._name = name
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self.problem: RecollectError | None = None

    def wake(self) -> None:
        with self._lock:
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
        self._wake.set()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait()
            while self._wake.is_set() and not self._stop.is_set():
                self._wake.clear()
                self._stop.wait(self._delay)
            if not self._stop.is_set():
                self._do()

    def _do(self) -> None:
        try:
            self._work(self._stop)
            self.problem = None
        except RecollectError as error:
            self.problem = error

    def stop(self) -> None:
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(timeout=1)
