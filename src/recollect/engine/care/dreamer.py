"""When does a memory that is being served put itself in order?

A thread looks now and then whether a space has been left alone for long enough, and then runs one cycle in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.engine.care.dream import Dream
from recollect.engine.loop import Loop
from recollect.errors import Conflict, NotFound, RecollectError

if TYPE_CHECKING:
    from recollect.engine.memory import Memory

IDLE_SECONDS = 300.0
BUDGET_SECONDS = 5.0
LOOK_SECONDS = 15.0
STOP_SECONDS = 2.0


class Dreamer:
    """Dreams in every space of a memory while it is idle. `tell` hears of each cycle, and of what went wrong."""

    def __init__(
        self,
        memory: Memory,
        *,
        idle_seconds: float = IDLE_SECONDS,
        look_seconds: float = LOOK_SECONDS,
        tell: Callable[[Dream | RecollectError], None] = lambda _: None,
    ) -> None:
        self._memory = memory
        self._idle = idle_seconds
        self._tell = tell
        self._loop = Loop("recollect-dream", self.look, delay=look_seconds, again=lambda: True, failed=tell)

    def start(self) -> None:
        self._loop.wake()

    def stop(self) -> bool:
        """Ends it within two seconds; what a cycle has done by then is done. False if it would not end."""
        return self._loop.stop(STOP_SECONDS)

    def look(self) -> list[Dream]:
        """Runs a cycle in every space that is due, and answers with what they did."""
        done: list[Dream] = []
        for space in self._memory.idleness.due(self._idle):
            if self._loop.stopping.is_set():
                break
            dreamt = self._dream(space)
            done += [] if dreamt is None else [dreamt]
        return done

    def _dream(self, space: str) -> Dream | None:
        try:
            done = self._memory.dream(space, budget_seconds=BUDGET_SECONDS, cancelled=self._loop.stopping.is_set)
        except (Conflict, NotFound):
            return None  # another process is at it, or has just deleted the space
        except RecollectError as error:
            self._tell(error)
            return None
        self._tell(done)
        return done
