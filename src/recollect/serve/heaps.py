"""From how many heaps do the threads of a server take their memory, and when does it go back?"""

from __future__ import annotations

import sys

_SETTINGS = {
    -8: 1,  # M_ARENA_MAX: heaps
    -3: 256 * 1024,  # M_MMAP_THRESHOLD: bytes; from here on, what is asked for is no part of a heap
    -1: 8 * 1024 * 1024,  # M_TRIM_THRESHOLD: bytes that may lie free at its end, so that the next call has them at once
}
"""The numbers by which the C library of Linux knows its settings, and what they are set to."""


def share_heap() -> None:
    """Has threads share one heap, where each would get one of its own and keep what it once needed; and has what is
    large go back as soon as it is free.

    A process that serves ten clients has twenty threads, of which hardly two work at a time. And left to itself, the
    library puts ever larger pieces into the heap, between which what stays keeps room from going back: a process that
    serves for days would grow by that alone.
    """
    if sys.platform != "linux":
        return
    import ctypes  # which numpy brings along anyway, once something is asked

    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):  # another C library has one heap anyway
        for setting, value in _SETTINGS.items():
            library.mallopt(setting, value)
