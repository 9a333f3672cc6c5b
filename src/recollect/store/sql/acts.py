"""Which entries of the journal belong together?

An act is what one thread does in one space, in one transaction or in the several that it says are one. Its first entry
names it, and the others refer to that.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager


class Acts(threading.local):
    """The first entry, by space, of what each thread is doing."""

    def __init__(self) -> None:
        self.first: dict[str, int] = {}
        self._depth = 0

    @contextmanager
    def one(self) -> Generator[None]:
        """Whatever is written meanwhile is one act. What was taken back with its transaction never began."""
        before = dict(self.first)
        self._depth += 1
        try:
            yield
        except BaseException:
            self.first.clear()
            self.first.update(before)
            raise
        finally:
            self._depth -= 1
            if not self._depth:
                self.first.clear()
