"""From how many heaps do the threads of a server take their memory?"""

from __future__ import annotations

import sys

_MOST_HEAPS, _ARENA_MAX = 1, -8  # the number by which the C library of Linux knows this setting


def share_heap() -> None:
    """Has threads share one heap, where each would get one of its own and keep what it once needed.

    A process that serves ten clients has twenty threads, of which hardly two work at a time.
    """
    if sys.platform != "linux":
        return
    import ctypes  # which numpy brings along anyway, once something is asked

    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):  # another C library has one heap anyway
        library.mallopt(_ARENA_MAX, _MOST_HEAPS)
