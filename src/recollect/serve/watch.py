"""How do those who watch hear of what changed, in this process and in others?

One thread follows the journal while anybody watches, and hands what it finds to the event loop. Each watcher has a
short queue of its own. One that does not keep up is sent away: when it comes back it says where it was, and hears
what it missed from the journal.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import NamedTuple, TypeAlias

from starlette.concurrency import run_in_threadpool

from recollect.contracts.route import Feed
from recollect.engine.loop import Loop
from recollect.errors import RecollectError
from recollect.serve.log import Log
from recollect.serve.message import encode
from recollect.types import Change

POLL_SECONDS = 0.15
KEEP_ALIVE_SECONDS = 15.0
KEEP_ALIVE = b": keep-alive\n\n"
WAITING_FRAMES = 256
"""A watcher that is so far behind is sent away."""

Sees: TypeAlias = Callable[[str], bool]


class Frame(NamedTuple):
    """News as they are sent, and who may see them."""

    entry: int
    space: str | None
    sent: bytes

    def is_for(self, sees: Sees) -> bool:
        return self.space is None or sees(self.space)


def frame(event: object, entry: int | None = None) -> bytes:
    """One server-sent event. Its id is the journal's entry, by which a watcher says how far it got."""
    mark = b"" if entry is None else b"id: %d\n" % entry
    return mark + b"data: " + encode(event) + b"\n\n"


class Watcher:
    """One client that listens: what is still to be sent to it. Lives in the event loop alone."""

    def __init__(self, sees: Sees) -> None:
        self.loop = asyncio.get_running_loop()
        self._sees = sees
        self.after = 0
        """It is told of later entries alone."""
        self._frames: asyncio.Queue[bytes | None] = asyncio.Queue(WAITING_FRAMES)

    def offer(self, frames: Sequence[Frame]) -> None:
        """Takes what stands for entries that it does not know yet, and may know."""
        for one in frames:
            if self._frames.full():
                self.end()
                return
            if one.entry > self.after and one.is_for(self._sees):
                self._frames.put_nowait(one.sent)

    def end(self) -> None:
        """What it has not taken by now it will not get."""
        while not self._frames.empty():
            self._frames.get_nowait()
        self._frames.put_nowait(None)

    async def next(self) -> bytes | None:
        """All frames that wait, or a sign of life when nothing happens; None when it is over."""
        try:
            async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                first = await self._frames.get()
        except TimeoutError:
            return KEEP_ALIVE
        waiting = [first]
        while waiting[-1] is not None and not self._frames.empty():
            waiting.append(self._frames.get_nowait())
        if waiting[-1] is None and len(waiting) > 1:
            self._frames.put_nowait(None)
        return b"".join(one for one in waiting if one is not None) or None


class Watch:
    """Everybody who watches one feed."""

    def __init__(self, feed: Feed, log: Log) -> None:
        self._feed = feed
        self._log = log
        self._watchers: set[Watcher] = set()
        self._position = 0
        self._lock = threading.Lock()
        self._complained = False
        self._loop = Loop(
            "recollect-watch", self._follow, delay=POLL_SECONDS, again=lambda: bool(self._watchers),
            failed=self._complain,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self._watchers)

    def close(self) -> None:
        """Sends everybody away. Nothing is read from the feed any more when this returns."""
        with self._lock:
            self._loop.end()
            for watcher in self._watchers:
                watcher.loop.call_soon_threadsafe(watcher.end)
        self._loop.wait()

    async def stream(
        self, after: int | None = None, sees: Sees = lambda _: True, most: int | None = None
    ) -> AsyncGenerator[bytes]:
        """What one watcher is sent of what it sees; with `after`, first what it missed since that entry: of the last
        `most` entries, or all.
        """
        watcher = Watcher(sees)
        try:
            await run_in_threadpool(self._join, watcher)
            yield frame(self._feed.hello)
            if after is not None and most is not None:
                after = max(after, watcher.after - most)
            while after is not None and after < watcher.after:
                after, frames = await run_in_threadpool(self._missed, after, watcher.after)
                for one in frames:
                    if one.is_for(sees):
                        yield one.sent
            while (one := await watcher.next()) is not None:
                yield one
        finally:
            self._leave(watcher)

    def _join(self, watcher: Watcher) -> None:
        """From here on the watcher is told everything, and nothing of before."""
        with self._lock:
            watcher.after = self._feed.last_entry()
            if not self._watchers:
                self._position = watcher.after
            self._watchers.add(watcher)
            if self._loop.stopping.is_set():
                watcher.loop.call_soon_threadsafe(watcher.end)
        self._loop.wake()

    def _leave(self, watcher: Watcher) -> None:
        with self._lock:
            self._watchers.discard(watcher)

    def _missed(self, after: int, until: int) -> tuple[int, list[Frame]]:
        """The next few entries until one, and how far they reach."""
        changes = [change for change in self._feed.follow(after, 0.0) if change.entry <= until]
        return (changes[-1].entry, self._frames(changes)) if changes else (until, [])

    def _frames(self, changes: Sequence[Change]) -> list[Frame]:
        return [Frame(news.entry, news.space, frame(news.event, news.entry)) for news in self._feed.tell(changes)]

    def _follow(self) -> None:
        """Tells everybody who watches what has happened since the last look."""
        if not self._watchers:
            return
        changes = self._feed.follow(self._position, POLL_SECONDS)
        self._complained = False
        if not changes:
            return
        frames = self._frames(changes)
        with self._lock:
            self._position = max(self._position, changes[-1].entry)
            if not self._loop.stopping.is_set():
                for watcher in self._watchers:
                    watcher.loop.call_soon_threadsafe(watcher.offer, frames)

    def _complain(self, error: RecollectError) -> None:
        """Such as a store that is busy, or away: the next look finds the same, and what lasts is told once."""
        if not self._complained:
            self._log.write("warning", f"the journal could not be followed: {error}")
        self._complained = True
