"""What does a server remember of a client between two of its requests?

A session is one connection of the protocol, and the streams on which something was said. Nobody has to end a session:
one that says nothing and listens to nothing no longer counts as open after a while, though it can go on, and ends after
a day; a client that has very many loses the one that it used least lately. All of this lives in an event loop alone.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from time import monotonic

from recollect.engine.grant import Grant
from recollect.serve.message import INVALID_REQUEST, Problem
from recollect.serve.protocol import Connection

MOST_SESSIONS = 500
"""Of one token, or of all who need none."""
SILENT_SECONDS = 30 * 60.0
"""After so long without a word a client has probably left without saying so."""
IDLE_SECONDS = 24 * 60 * 60.0
"""A laptop may sleep over night; whoever comes later begins anew."""
KEPT_STREAMS = 16
KEPT_MESSAGES = 256
KEPT_BYTES = 4 * 1024 * 1024
"""So much of a stream can be heard again; of more, the last."""


class Stream:
    """Messages in the order in which they are said. One without a name cannot be taken up again."""

    def __init__(self, name: int | None = None) -> None:
        self.name = name
        self.finished = False
        self.only_answer: bytes | None = None
        """The answer, as long as it is all that was said."""
        self._said = 0
        self._bytes = 0
        self._kept: deque[tuple[int, bytes]] = deque()
        self._changed = asyncio.Event()

    def put(self, message: bytes, *, last: bool = False) -> None:
        if self.finished:
            return
        self._said += 1
        self._bytes += len(message)
        self._kept.append((self._said, message))
        self.only_answer = message if last and self._said == 1 else None
        while len(self._kept) > 1 and (len(self._kept) > KEPT_MESSAGES or self._bytes > KEPT_BYTES):
            self._bytes -= len(self._kept.popleft()[1])
        self._changed.set()

    def finish(self) -> None:
        self.finished = True
        self._changed.set()

    def mark(self, number: int) -> bytes:
        """By what a client says how far it got."""
        return b"%d-%d" % (self.name or 0, number)

    def since(self, after: int) -> Iterator[tuple[int, bytes]]:
        return iter([(number, message) for number, message in self._kept if number > after])

    async def more(self, after: int, seconds: float) -> bool:
        """Waits until there is more, or it is over; False where neither happens in time."""
        while self._said <= after and not self.finished:
            self._changed.clear()
            try:
                async with asyncio.timeout(seconds):
                    await self._changed.wait()
            except TimeoutError:
                return False
        return True

    async def first(self, seconds: float, left: asyncio.Task[None] | None) -> None:
        """Waits until something is said, it is over, or the client has left; not for ever."""
        waiting = asyncio.create_task(self.more(0, seconds))
        await asyncio.wait({waiting, left} if left is not None else {waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()


class Session:
    """One client that said `initialize`."""

    def __init__(self, id: str, grant: Grant, contract: str, connection: Connection) -> None:
        self.id = id
        self.grant = grant
        self.contract = contract
        self.connection = connection
        self.calls = 0
        self.listeners = 0
        """Streams that somebody hears just now."""
        self.used = 0.0
        self._streams: OrderedDict[int, Stream] = OrderedDict()
        self._opened = 0
        self._own: Stream | None = None

    def open_stream(self) -> Stream:
        """A stream that can be heard again for as long as it is among the last ones, or still goes on."""
        self._opened += 1
        stream = self._streams[self._opened] = Stream(self._opened)
        over = [name for name, one in self._streams.items() if one.finished]
        for name in over[: max(len(self._streams) - KEPT_STREAMS, 0)]:
            del self._streams[name]
        return stream

    def drop(self, stream: Stream) -> None:
        """What was said on it has been heard as a whole."""
        self._streams.pop(stream.name or 0, None)

    def own_stream(self) -> Stream:
        """The stream for what belongs to no request. There is one: whoever had it before is sent away."""
        if self._own is not None:
            self._own.finish()
        self._own = self.open_stream()
        return self._own

    def find_stream(self, mark: str) -> tuple[Stream, int] | None:
        name, _, number = mark.partition("-")
        if not (name.isascii() and name.isdigit() and number.isascii() and number.isdigit() and len(mark) < 40):
            return None
        stream = self._streams.get(int(name))
        return None if stream is None else (stream, int(number))

    def close(self) -> None:
        self.connection.end_input()
        self.connection.cancel_all()
        for stream in self._streams.values():
            stream.finish()

    def leave(self) -> None:
        """The server ends: nothing more is heard, but what is under way is still answered on its stream."""
        self.connection.end_input()
        if self._own is not None:
            self._own.finish()


class Sessions:
    """All sessions of a server, those of each grant apart."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._of: dict[str, OrderedDict[str, Session]] = {}

    def __len__(self) -> int:
        return sum(len(sessions) for sessions in self._of.values())

    def add(self, grant: Grant, contract: str, connection: Connection) -> Session:
        mine = self._of.setdefault(grant.id, OrderedDict())
        while len(mine) >= MOST_SESSIONS:
            idle = next((one for one in mine.values() if one.calls == 0), next(iter(mine.values())))
            self.end(idle)
        session = Session(secrets.token_urlsafe(24), grant, contract, connection)
        session.used = self._clock()
        mine[session.id] = session
        return session

    def find(self, grant: Grant, contract: str, id: str | None) -> Session | Problem:
        """A session of this client with this contract, or what to answer where there is none."""
        if id is None:
            why = "Invalid Request: the header Mcp-Session-Id is missing; send initialize first"
            return Problem(INVALID_REQUEST, why)
        mine = self._of.get(grant.id, OrderedDict())
        session = mine.get(id)
        if session is None or session.contract != contract:
            return Problem(INVALID_REQUEST, "Session not found: it has ended; send initialize again")
        mine.move_to_end(id)
        session.used = self._clock()
        session.connection.count_as_open()
        return session

    def tidy(self) -> None:
        """No longer counts as open who has been silent for long, and ends who has been for very long."""
        now = self._clock()
        for session in [session for sessions in self._of.values() for session in sessions.values()]:
            if session.calls or session.listeners:
                session.used = now
            elif now - session.used >= IDLE_SECONDS:
                self.end(session)
            elif now - session.used >= SILENT_SECONDS:
                session.connection.count_as_open(False)

    def end(self, session: Session) -> None:
        mine = self._of.get(session.grant.id, OrderedDict())
        mine.pop(session.id, None)
        if not mine:
            self._of.pop(session.grant.id, None)
        session.close()

    def leave(self) -> None:
        for sessions in tuple(self._of.values()):
            for session in tuple(sessions.values()):
                session.leave()
