"""How do several processors answer at once, where one process is held to one of them?

Recalls that come one after the other are answered here. Where one always finds another under way, a second process is
started that has the same store open and nothing else: no model (it is handed what the model saw of the question) and no
say in who may ask. What it cannot answer, or not in time, is answered here. It ends when it has nothing to do for a
while, and with the process that started it.

Both ends are this program, over pipes that nobody else has: so what is said is pickled, and comes out as it went in.
"""

from __future__ import annotations

import os
import select
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from recollect.engine.loop import Loop
from recollect.engine.pipes import PREFIX, program, send
from recollect.retrieve.context import pack_context
from recollect.store.search import Model
from recollect.types import Hit, Query, Recall, Signals
from recollect.version import __version__

if TYPE_CHECKING:
    from recollect.engine.embedding.vectors import QueryVector

QUEUED, ALONE = 50, 3
"""When so many more recalls found another under way than did not, each of which counts for three, one process is too
few: three of four must have to wait for each other, for a while.
"""
SEATS = 2
"""So many questions one reader is given: it need not wait for the next when it has answered one."""
HUNG_SECONDS = 3.0
"""A reader that takes longer for an answer is not waited for."""
OPENING_SECONDS = 30.0
"""So long it may take for its first, which nobody waits for."""
MOST_BYTES = 32_000
"""A longer question is answered here: a pipe may not take it at once, where nobody listens."""
PAUSE_SECONDS = 10.0
"""After one has failed, no other is started for so long."""


_GONE = (OSError, EOFError, ValueError)


class Handover(Struct, frozen=True, eq=False):
    """All that an answer depends on beside the store: what the owner's model saw, and what it knows of what waits."""

    query: Query
    facts: bool
    now: datetime
    model: Model | None
    seen: QueryVector | None
    waiting: int
    problem: str | None


class Reply(Struct, frozen=True):
    """What a reader answers."""

    hits: tuple[Hit, ...]
    signals: Signals


class NotTheirs(Struct, frozen=True):
    """What it answers where a model must read something first: so it is with all questions to those spaces."""


class _Reader:
    """A process that reads, and the seats at it, each for one question at a time."""

    def __init__(self, home: Path, vectors_mb: int | None) -> None:
        self.seats = [_Seat(self) for _ in range(SEATS)]
        import subprocess  # of those alone who have another process read

        theirs = [seat.theirs for seat in self.seats]
        command = program("recollect.engine.read.reader", "work", str(home), vectors_mb, __version__, theirs)
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-c", command], pass_fds=[end for both in theirs for end in both],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except OSError:
            for seat in self.seats:
                seat.close()
            raise
        finally:
            for end in (end for both in theirs for end in both):
                os.close(end)

    def end(self) -> None:
        """Whoever waits for it no longer does."""
        self.process.kill()
        self.process.wait()


class _Seat:
    """Two pipes. Whoever has the seat closes it, where its reader is no more."""

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        (there_in, here_out), (here_in, there_out) = os.pipe(), os.pipe()
        self.theirs = there_in, there_out
        self._out, self._in = open(here_out, "wb"), open(here_in, "rb", buffering=0)  # noqa: SIM115  `close` closes them
        self._coming = select.poll()
        self._coming.register(here_in, select.POLLIN)

    def ask(self, asked: Handover, seconds: float) -> Reply | NotTheirs | None:
        """The answer; None where it failed this time. Any of `_GONE` tells that the reader is no more."""
        import pickle  # of those alone who have another process read

        end = time.monotonic() + seconds
        try:
            message = pickle.dumps(asked, pickle.HIGHEST_PROTOCOL)
            if len(message) > MOST_BYTES:
                return None
            send(self._out, message)
            return pickle.loads(self._receive(self._receive_size(end), end))
        except pickle.PickleError as error:
            raise ValueError("what is said to a reader, or what it says, cannot be read") from error

    def _receive_size(self, end: float) -> int:
        return int.from_bytes(self._receive(PREFIX, end), "big")

    def _receive(self, size: int, end: float) -> bytes:
        """So many bytes, where they come in time."""
        found = bytearray()
        while len(found) < size:
            if not self._coming.poll(max(end - time.monotonic(), 0) * 1e3):
                raise TimeoutError("the reader takes too long")
            some = self._in.read(size - len(found))
            if not some:
                raise EOFError("the reader is gone")
            found += some
        return bytes(found)

    def close(self) -> None:
        for end in (self._out, self._in):
            try:
                end.close()
            except OSError:
                continue  # what was not sent yet goes nowhere


class Readers:
    """The readers of one memory: none, until `allow` says how many there may be. Safe for threads."""

    def __init__(self, home: Path, vectors_mb: int | None) -> None:
        self._home, self._vectors_mb = home, vectors_mb
        self._most = 0
        self._here = self._queued = 0
        self.answered = 0
        """How many recalls readers have answered."""
        self._free: list[_Seat] = []
        self._readers: list[_Reader] = []
        self._not_theirs: set[tuple[str, ...]] = set()
        self._example: Handover | None = None
        self._not_before = 0.0
        self._lock = threading.Lock()
        self._starting = Loop("recollect-reader", self._start)

    def allow(self, most: int) -> None:
        """From now on there may be so many; they are started when they are of use."""
        self._most = most if sys.executable and sys.platform != "win32" else 0

    @property
    def processes(self) -> list[int]:
        """The ids of those that there are."""
        with self._lock:
            return [reader.process.pid for reader in self._readers]

    def turn(self) -> Turn:
        """A place for one recall, from here until it is answered."""
        return Turn(self)

    def take(self) -> _Seat | None:
        """A reader's place for one that comes while another is answered here; None: it is answered here too."""
        with self._lock:
            self._queued = self._queued + 1 if self._here else max(self._queued - ALONE, 0)
            if self._here and self._free:
                return self._free.pop()
            self._here += 1
            return None

    def give_back(self, seat: _Seat | None) -> None:
        with self._lock:
            if seat is None:
                self._here -= 1
                return
            alive = seat.reader in self._readers
            if alive:
                self._free.append(seat)
        if not alive:
            seat.close()

    def wants_more(self) -> bool:
        return self._queued >= QUEUED and len(self._readers) < self._most and time.monotonic() >= self._not_before

    def begin(self, example: Handover) -> None:
        """Starts one more in the background, which answers a question that is answered here too before any other."""
        self._example, self._queued = example, 0
        self._starting.wake()

    def answer(self, seat: _Seat, asked: Handover) -> Recall | None:
        """What a reader answers; None where that is to be done here."""
        if asked.query.filter.spaces in self._not_theirs:
            return None
        try:
            told = seat.ask(asked, HUNG_SECONDS)
        except _GONE:
            self._drop(seat.reader)
            return None
        if isinstance(told, NotTheirs):
            self._not_theirs.add(asked.query.filter.spaces)
        if not isinstance(told, Reply):
            return None
        self.answered += 1
        return Recall(told.hits, partial(pack_context, budget_tokens=asked.query.budget_tokens), told.signals)

    def stop(self) -> None:
        """Ends all of them. Whoever waits for one is answered here."""
        self._most = 0
        self._starting.end()
        for reader in self._readers:
            self._drop(reader)
        self._starting.wait(HUNG_SECONDS)

    def _start(self) -> None:
        assert self._example is not None, "who has one started says for what"
        try:
            reader = _Reader(self._home, self._vectors_mb)
        except OSError:  # no process or no file more can be had: it goes on as it is
            self._not_before = time.monotonic() + PAUSE_SECONDS
            return
        with self._lock:
            self._readers.append(reader)
        Loop("recollect-reader-end", partial(self._await, reader)).wake()
        try:
            if self._most:
                reader.seats[0].ask(self._example, OPENING_SECONDS)
        except _GONE:
            self._drop(reader)
        self._not_theirs.clear()
        for seat in reader.seats:
            self.give_back(seat)
        if not self._most:  # it was told to stop meanwhile
            self._drop(reader)

    def _await(self, reader: _Reader) -> None:
        """One that had nothing to do ends by itself, and is no longer asked."""
        self._drop(reader, failed=reader.process.wait() != 0)

    def _drop(self, reader: _Reader, *, failed: bool = True) -> None:
        """Ends one that failed or hangs, or lets go of one that has ended."""
        with self._lock:
            known, unused = reader in self._readers, [seat for seat in self._free if seat.reader is reader]
            self._readers = [one for one in self._readers if one is not reader]
            self._free = [seat for seat in self._free if seat.reader is not reader]
        if known and failed:
            self._not_before = time.monotonic() + PAUSE_SECONDS
        if known:
            reader.end()
        for seat in unused:
            seat.close()


class Turn:
    """One recall: it is answered here, or has a reader's place."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers
        self._seat: _Seat | None = None

    def __enter__(self) -> Turn:
        self._seat = self._readers.take()
        return self

    def __exit__(self, *_: object) -> None:
        self._readers.give_back(self._seat)

    def answer(self, hand_over: Callable[[], Handover | None]) -> Recall | None:
        """What a reader answers, where it has one's place; None: it is to be answered here."""
        asked = hand_over() if self._seat is not None or self._readers.wants_more() else None
        if asked is None:
            return None
        if self._seat is not None:
            return self._readers.answer(self._seat, asked)
        self._readers.begin(asked)
        return None


def usual_readers() -> int:
    """How many there may be where nothing is said: one, where there is a processor for it."""
    return 1 if (os.cpu_count() or 1) > 1 else 0
