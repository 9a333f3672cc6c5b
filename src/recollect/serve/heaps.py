"""From how many heaps do the threads of a server take their memory, and when does what is free go back?"""

from __future__ import annotations

import sys
import time

from recollect.engine.loop import Loop

_MOST_HEAPS, _ARENA_MAX = 1, -8  # the number by which the C library of Linux knows this setting
_EVERY_SECONDS = 60.0
_WORKED_SECONDS = 0.5  # of computing: after less, there is nothing to give back


class Heap:
    """One heap for all threads of a server, where each would get one of its own and keep what it once needed.

    A process that serves ten clients has twenty threads, of which hardly two work at a time. Each minute in which
    something was done, what lies free in the heap goes back, until this is stopped: left to itself, the C library gives
    back what is free at the end alone, and what stays for long comes to lie ever further behind.
    """

    def __init__(self) -> None:
        self._tending = Loop("recollect-heap", self._tend, delay=_EVERY_SECONDS, again=lambda: True)
        self._worked = 0.0
        if sys.platform != "linux":
            return
        import ctypes  # which numpy brings along anyway, once something is asked

        self._library = ctypes.CDLL(None)
        if hasattr(self._library, "mallopt"):  # another C library has one heap anyway
            self._library.mallopt(_ARENA_MAX, _MOST_HEAPS)
        if hasattr(self._library, "malloc_trim"):
            self._tending.wake()

    def give_back(self) -> None:
        """Has what is free go back to the system now, wherever it lies. It takes a few milliseconds."""
        self._library.malloc_trim(0)

    def stop(self) -> None:
        self._tending.stop()

    def _tend(self) -> None:
        if time.process_time() - self._worked > _WORKED_SECONDS:
            self.give_back()
            self._worked = time.process_time()
