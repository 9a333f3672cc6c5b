"""Who calls a memory that this process has open, and when did each last?

Kept in memory, and counted since the process began: whoever wrote something is in the journal besides.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

_MOST = 500  # names; of more, those that called longest ago are dropped


class Caller(Struct, frozen=True, kw_only=True):
    """A client by its name: how many connections it has open, how often it called, and when last."""

    name: str
    last: datetime
    open: int = 0
    calls: int = 0


class Callers:
    """All who called. Safe to share between threads."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._known: dict[str, Caller] = {}

    def called(self, name: str) -> None:
        self._note(name, calls=1)

    def enter(self, name: str) -> None:
        """Somebody has opened a connection, and will `leave`."""
        self._note(name, open=1)

    def leave(self, name: str) -> None:
        with self._lock:
            known = self._known.get(name)
            if known is not None:
                self._known[name] = replace(known, open=max(known.open - 1, 0))

    def all(self) -> list[Caller]:
        """Those with open connections first, then whoever called last."""
        with self._lock:
            known = list(self._known.values())
        return sorted(known, key=lambda one: (one.open > 0, one.last), reverse=True)

    def _note(self, name: str, *, calls: int = 0, open: int = 0) -> None:
        now = self._clock()
        with self._lock:
            known = self._known.pop(name, None) or Caller(name=name, last=now)
            self._known[name] = replace(known, last=now, calls=known.calls + calls, open=known.open + open)
            if len(self._known) > _MOST:
                idle = next((key for key, one in self._known.items() if not one.open), next(iter(self._known)))
                del self._known[idle]
