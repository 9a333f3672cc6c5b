"""How does something go on in the background, and how does it end?

Every thread of the package is a `Loop`'s, and whoever made the loop ends it. It has a thread while there is something
to do, and none otherwise.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from recollect.engine.core import try_again
from recollect.errors import RecollectError

_MOST_DELAYS = 5  # who is woken again and again still gets to work


def shout(error: BaseException) -> None:
    """Tells of an error that nobody listens for as the system does: on standard error, with where it came from."""
    thread = threading.current_thread()
    threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, thread)))


def keep(error: RecollectError) -> None:
    """Says nothing: for loops whose `problem` their owner tells of."""


class Loop:
    """Does some work when it is woken, in a thread of its own, until its owner ends it.

    The work begins `delay` seconds after it was last woken (who is woken again and again still gets to work), and is
    done anew as long as `again` says so, whether it failed or not. It comes to the same however often it is done, and
    is done once more where the store's server was lost meanwhile. What it failed with is in `problem` until it
    succeeds; an error of ours is told to `failed`, any other is shouted. Work that takes long looks at `stopping` now
    and then.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[], object],
        *,
        delay: float = 0.0,
        again: Callable[[], bool] = lambda: False,
        failed: Callable[[RecollectError], None] = shout,
    ) -> None:
        self.name = name
        self.stopping = threading.Event()
        self.problem: Exception | None = None
        self._work = work
        self._delay = delay
        self._again = again
        self._failed = failed
        self._changed = threading.Condition()
        self._asked = False
        self._running = False
        self._thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """Is there something to do, or being done?"""
        return self._running

    def wake(self) -> None:
        """Has the work done: soon, or once more if it is being done right now. After the end this does nothing."""
        with self._changed:
            if self.stopping.is_set():
                return
            self._asked = True
            if not self._running:
                thread = threading.Thread(target=self._run, name=self.name, daemon=True)
                thread.start()
                self._thread, self._running = thread, True

    def wait(self, seconds: float | None = None) -> bool:
        """Waits until there is nothing left to do. False if that takes longer than it may."""
        with self._changed:
            thread = self._thread
        if thread is None or thread is threading.current_thread():
            return True
        thread.join(seconds)
        return not thread.is_alive()

    def end(self) -> None:
        """Has it end as soon as it can."""
        with self._changed:
            self.stopping.set()
            self._changed.notify_all()

    def stop(self, seconds: float | None = None) -> bool:
        """Ends it and waits for that. False if that takes longer than it may."""
        self.end()
        return self.wait(seconds)

    def _run(self) -> None:
        while self._is_due():
            try:
                try_again(self._work)
                self.problem = None
            except Exception as error:  # noqa: BLE001  the top of a thread: what is not ours is told of too
                self._tell(error)

    def _is_due(self) -> bool:
        """Waits for the moment to work; False when there is nothing to do any more."""
        with self._changed:
            due = self._asked = self._asked or self._again()
            latest = time.monotonic() + _MOST_DELAYS * self._delay
            while self._asked and not self.stopping.is_set():
                self._asked = False
                self._changed.wait_for(self.stopping.is_set, self._delay)
                if time.monotonic() > latest:
                    break
            self._running = due and not self.stopping.is_set()
            return self._running

    def _tell(self, error: Exception) -> None:
        self.problem = error
        if not isinstance(error, RecollectError):
            shout(error)
        elif not self.stopping.is_set():  # such as a store that was closed meanwhile: its owner knows
            self._failed(error)
