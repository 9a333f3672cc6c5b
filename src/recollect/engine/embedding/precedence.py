"""Who goes first where recalls and work in the background want the same processors?"""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager

_PATIENCE = 0.5  # seconds; where somebody is always being answered, the background still takes a step so often


class Precedence:
    """Whoever is being answered goes before the background, which looks between two steps whether it is its turn."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._answering = 0

    @contextmanager
    def answering(self) -> Generator[None]:
        """Somebody waits for an answer as long as this lasts."""
        with self._changed:
            self._answering += 1
        try:
            yield
        finally:
            with self._changed:
                self._answering -= 1
                self._changed.notify_all()

    def give_way(self) -> None:
        """Waits until nobody is being answered, but not for ever."""
        with self._changed:
            self._changed.wait_for(lambda: not self._answering, _PATIENCE)
