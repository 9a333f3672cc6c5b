"""How is it counted that records were recalled, without a write for every read?"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable

from recollect.engine.core import Core
from recollect.engine.loop import Loop
from recollect.errors import ReadOnlyStore, StoreBusy, StoreFull

_FLUSH_SECONDS = 5.0


class Touches:
    """Counts in memory, and writes the counts now and then and when the memory is closed.

    They are bookkeeping: a crash may lose the last few seconds of them, and nothing else. A thread of its own writes
    them, so that no read waits for somebody else's write.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._counts: Counter[tuple[str, str]] = Counter()
        self._flushed = time.monotonic()
        self._lock = threading.Lock()
        self._flushing = threading.Lock()
        self._loop = Loop("recollect-touches", self.flush)

    def add(self, touched: Iterable[tuple[str, str]]) -> None:
        with self._lock:
            self._counts.update(touched)
            due = time.monotonic() - self._flushed >= _FLUSH_SECONDS
            if due:
                self._flushed = time.monotonic()
        if due:
            self._loop.wake()

    def flush(self) -> None:
        """Writes the counts, all that there are when it is called. Those that cannot be written now are kept waiting:
        nobody fails for their sake.
        """
        with self._flushing:
            self._write()

    def stop(self) -> None:
        """Writes the counts for the last time."""
        self._loop.stop()
        self.flush()

    def _write(self) -> None:
        with self._lock:
            counts, self._counts = self._counts, Counter()
            self._flushed = time.monotonic()
        if not counts:
            return
        try:
            with self._core.store.write(actor=self._core.actor) as edit:
                edit.touch(counts, self._core.clock())
        except (StoreFull, StoreBusy, ReadOnlyStore):
            with self._lock:
                self._counts.update(counts)
