"""How many connections are held and calls worked on at once, how long may each take to say what it wants, and who is
told that it is full?

A connection costs a file handle, and without a free one nothing works: no query, no import. So there is room for fewer
than the system would allow, and who comes when all is taken is told at once.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from recollect.errors import ENDING
from recollect.serve.admission import Refused

MOST_CONNECTIONS = 1_000
HEADER_SECONDS = 10.0
"""So long a client may take until what it asks for is known."""
BODY_SECONDS = 30.0
"""So long it may then take for what it sends along."""
MOST_CALLS = 64
"""So many calls are worked on at once; the others wait for their turn."""
LAST_SECONDS = 0.4
"""A call that was asked to end, since the server does, may take so long; then it is waited for no longer."""
LONG_SECONDS = 0.1
"""A call that takes longer no longer keeps others waiting."""

_WANTED_HANDLES = 4_096
_OWN_HANDLES = 100
_LINGER_SECONDS = 1.0  # so long one that is refused may still speak: to close on words unread would lose the answer
_LINGERING = 50

R = TypeVar("R")


class Room:
    """The connections of one server; lives in its event loop alone."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._inside: set[object] = set()
        self._leaving = 0

    def enter(self, one: object, transport: asyncio.Transport) -> bool:
        """Is there a place? If not, the other side is told so, and the connection ends."""
        if len(self._inside) < self.most:
            self._inside.add(one)
            return True
        transport.write(render_refusal(503, "Service Unavailable", f"{self.most} connections are open already"))
        if self._leaving >= _LINGERING:
            transport.close()
            return False
        self._leaving += 1
        asyncio.get_running_loop().call_later(_LINGER_SECONDS, self._close, transport)
        return False

    def leave(self, one: object) -> None:
        self._inside.discard(one)

    def _close(self, transport: asyncio.Transport) -> None:
        self._leaving -= 1
        transport.close()


class Places:
    """How many may listen at once; lives in an event loop alone."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._taken = 0

    def take(self) -> bool:
        """Keeps a place until it is given back; not if all are taken."""
        if self._taken >= self.most:
            return False
        self._taken += 1
        return True

    def give_back(self) -> None:
        self._taken -= 1


class Lanes:
    """The threads in which calls are worked on, each in its turn; lives in an event loop alone.

    One call more than there are processors runs at once, so that none of these is ever idle: others would only take
    them from each other, and each would hold memory of its own. One that takes long, because it waits for something,
    makes room for another meanwhile.
    """

    def __init__(self, most: int = MOST_CALLS) -> None:
        self._turns = anyio.CapacityLimiter(min((os.cpu_count() or 1) + 1, most))
        self._threads = anyio.CapacityLimiter(most)
        self._waiting: set[asyncio.Task[object]] = set()
        self._ended = False

    def end(self) -> None:
        """Has nobody wait any longer: the server ends, and whoever waits is told to ask again."""
        self._ended = True
        for task in tuple(self._waiting):
            task.cancel()

    async def run(self, call: Callable[[], R]) -> R:
        if self._ended:
            raise put_off()
        task = asyncio.current_task()
        assert task is not None, "calls come over an event loop"
        self._waiting.add(task)
        try:
            return await self._in_turn(call)
        except asyncio.CancelledError:
            if not self._ended:
                raise
            task.uncancel()
            raise put_off() from None
        finally:
            self._waiting.discard(task)

    async def _in_turn(self, call: Callable[[], R]) -> R:
        widened = False

        def widen() -> None:
            nonlocal widened
            widened = True
            self._turns.total_tokens += 1

        async with self._turns:
            timer = asyncio.get_running_loop().call_later(LONG_SECONDS, widen)
            try:
                return await anyio.to_thread.run_sync(call, limiter=self._threads)
            finally:
                timer.cancel()
                if widened:
                    self._turns.total_tokens -= 1


def put_off() -> Refused:
    """What is told to those who get no answer because the server ends."""
    return Refused(503, ENDING, {"Retry-After": "1"})


def room_for_connections() -> Room:
    """As many as the file handles of this process allow; their limit is raised where it can be."""
    return Room(max(8, min(MOST_CONNECTIONS, (_handles() - _OWN_HANDLES) // 2)))


def _handles() -> int:
    if sys.platform == "win32":
        return _WANTED_HANDLES
    import resource  # which other systems have not

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_HANDLES if hard == resource.RLIM_INFINITY else min(_WANTED_HANDLES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):
            return soft
    return wanted


def render_refusal(status: int, phrase: str, why: str) -> bytes:
    """A whole answer, for those to whom nothing can be said in another way."""
    body = b'{"error":"%s"}' % why.encode()
    lines = [f"HTTP/1.1 {status} {phrase}", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + body
