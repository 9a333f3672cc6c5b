"""When are vectors computed that nobody has asked for yet?"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.errors import RecollectError

if TYPE_CHECKING:
    from recollect.engine.embedding.vectors import Vectors


class Background:
    """Computes vectors some seconds after the last write, in a thread of its own that ends with the memory.

    A failure (an endpoint that is down, say) is kept in `problem` and tried again after the next write; nothing is
    lost, since the records stay queued.
    """

    def __init__(self, vectors: Callable[[], Vectors | None], delay: float) -> None:
        self._vectors = vectors
        self._delay = delay
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self.problem: RecollectError | None = None

    def wake(self) -> None:
        with self._lock:
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(target=self._run, name="recollect-vectors", daemon=True)
                self._thread.start()
        self._wake.set()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait()
            while self._wake.is_set() and not self._stop.is_set():
                self._wake.clear()
                self._stop.wait(self._delay)
            if not self._stop.is_set():
                self._catch_up()

    def _catch_up(self) -> None:
        try:
            vectors = self._vectors()
            if vectors is not None:
                vectors.catch_up(stop=self._stop)
            self.problem = None
        except RecollectError as error:
            self.problem = error

    def stop(self) -> None:
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(timeout=1)
