"""How is it counted that records were recalled, without a write for every read?"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable

from recollect.engine.core import Core
from recollect.engine.loop import Loop
from recollect.errors import ReadOnlyStore, RecollectError, StoreBusy, StoreFull, StoreLost

_FLUSH_SECONDS = 5.0
_MOST_JUDGED = 32  # questions in that time: judging them takes a few milliseconds each

Touched = Iterable[tuple[str, str]]


class Touches:
    """Counts in memory, and writes the counts now and then and when the memory is closed.

    They are bookkeeping: a crash may lose the last few seconds of them, and nothing else. A thread of its own writes
    them, so that no read waits for somebody else's write. Where it is still to be judged whether what was shown is an
    answer at all, that thread judges it too; of very many questions at once only the last are.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._counts: Counter[tuple[str, str]] = Counter()
        self._later: deque[Callable[[], Touched]] = deque(maxlen=_MOST_JUDGED)
        self._flushed = time.monotonic()
        self._lock = threading.Lock()
        self._flushing = threading.Lock()
        self._loop = Loop("recollect-touches", self.flush)

    def add(self, touched: Touched) -> None:
        with self._lock:
            self._counts.update(touched)
        self._note()

    def add_later(self, judge: Callable[[], Touched]) -> None:
        """Counts what `judge` will say was recalled, when the counts are written."""
        with self._lock:
            self._later.append(judge)
        self._note()

    def _note(self) -> None:
        with self._lock:
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
            judges = list(self._later)
            self._later.clear()
            self._flushed = time.monotonic()
        for judge in judges:
            try:
                counts.update(judge())
            except RecollectError:  # such as a model that is away: who cannot be judged is not counted
                continue
        if not counts:
            return
        try:
            with self._core.store.write(actor=self._core.actor) as edit:
                edit.touch(counts, self._core.clock())
        except (StoreFull, StoreBusy, StoreLost, ReadOnlyStore):
            with self._lock:
                self._counts.update(counts)
