"""Of what is a process of the soak made? What the system, the C library, SQLite and Python count, in a line of JSON."""

from __future__ import annotations

import ctypes
import ctypes.util
import gc
import json
import sys
from collections import Counter
from functools import lru_cache
from pathlib import Path

from recollect.store.terms import CACHED_WORDS, PerWord

_FIELDS = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
_KINDS = 25
_Cached = type(lru_cache(lambda: None))


class _Heap(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in _FIELDS]


def mapped() -> dict[str, int]:
    """kB of this process by the system's count."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]
    held = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return {name: held[name] for name in ("Rss", "Pss", "Anonymous", "Private_Dirty")}


def heap() -> dict[str, int]:
    """kB that the C library took from the system, has given out, and has free; and what it maps piece by piece."""
    library = ctypes.CDLL(None)
    library.mallinfo2.restype = _Heap
    found = library.mallinfo2()
    return {
        "taken": found.arena >> 10,
        "used": found.uordblks >> 10,
        "free": found.fordblks >> 10,
        "large": found.hblkhd >> 10,
    }


def pages() -> int:
    """kB that SQLite has taken of that: pages, statements and what it sorts."""
    library = ctypes.CDLL(ctypes.util.find_library("sqlite3"))
    library.sqlite3_memory_used.restype = ctypes.c_int64
    return library.sqlite3_memory_used() >> 10


def kinds() -> dict[str, int]:
    """How many objects there are of the commonest types, of those that Python looks through for circles."""
    return dict(Counter(type(one).__name__ for one in gc.get_objects()).most_common(_KINDS))


def caches() -> dict[str, list[int]]:
    """What is kept to be at hand again: how many, of how many at most; of words, in all lists of them together."""
    found: dict[str, list[int]] = {}
    # By their type, and not by isinstance: that asks a weak proxy for what it stands for, which may be gone.
    words = [one for one in gc.get_objects() if issubclass(type(one), PerWord)]
    found["words"] = [sum(len(one) + len(one._before) for one in words), len(words) * CACHED_WORDS]
    for one in gc.get_objects():
        if issubclass(type(one), _Cached) and one.__module__.startswith("recollect."):
            info = one.cache_info()
            if info.maxsize is not None and info.currsize:
                found[f"{one.__module__}.{one.__name__}"] = [info.currsize, info.maxsize]
    return found


def look(acts: int) -> str:
    found = {
        "acts": acts,
        **mapped(),
        **heap(),
        "sqlite": pages(),
        "blocks": sys.getallocatedblocks(),
        "objects": len(gc.get_objects()),
    }
    return json.dumps({**found, "caches": caches(), "kinds": kinds()})
