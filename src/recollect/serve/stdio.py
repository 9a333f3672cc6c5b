"""How is a contract reached by a client that starts us as its child process?

Three threads: one reads lines, one does the work in the order it came, and the main one waits for the end,
so that a signal is heard at once whatever the others are at. Standard output belongs to the client: it is
moved out of everybody's reach first, and what others print goes to standard error.
"""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Callable, Iterator
from queue import Empty, Queue, SimpleQueue
from types import FrameType
from typing import Protocol

from recollect.contracts.tool import Contract
from recollect.engine.loop import Loop
from recollect.serve.log import Level, Log
from recollect.serve.message import MAX_BYTES
from recollect.serve.protocol import Connection, Work
from recollect.serve.relay import TOO_LARGE, Handed

CHUNK_BYTES = 64 * 1024
WAITING_LINES = 1024
"""So many requests may wait; beyond that we stop reading until one is done."""

COURTESY_SECONDS = 1.0
"""After a signal the running call may take so long before it is asked to stop."""

LAST_SECONDS = 0.4
"""So long it may then take to do so; whoever is left without an answer is told to ask again."""

PATIENCE_SECONDS = 1.7
"""After a signal the process ends within this time, whatever is still running."""

HEARING_SECONDS = 0.2
"""A signal is heard within this time, however unlucky its moment is."""

ALL_DONE = "all done"


class Beside(Protocol):
    """Another way to reach the same contract, which lives as long as this one."""

    def start(self, fail: Callable[[str], None]) -> None: ...
    def hurry(self) -> None:
        """The client here has an answer, so that nobody is kept waiting by what starts now."""
        ...

    def stop(self) -> None: ...
    def join(self) -> None: ...


def serve_stdio(
    contract: Contract,
    *,
    log_level: Level = "warning",
    on_close: Callable[[], None] | None = None,
    beside: Beside | None = None,
    handed: Handed | None = None,
) -> int:
    """Serve until the client closes its end or a signal comes. Returns the process's exit code.

    Standard input and output are taken for good: call it once, at the end of a process's life. What is `beside`
    ends with it, and the other way round. `on_close` runs when no call is running any more. What was `handed` over is
    what the client said to whoever served it before.
    """
    log = Log(log_level)
    try:
        source, sink = _claim(0), _claim(1)
    except OSError as error:
        log.write("error", f"standard input or output is not open ({error.strerror})")
        return 1
    code = _Server(Connection(contract, log), source, sink, log, beside, handed or Handed(None)).run()
    if on_close is not None:
        on_close()
    return code


def _claim(fd: int) -> int:
    """A private copy of a standard stream; its old number then leads to nothing, or to standard error."""
    private = os.dup(fd)
    if os.name == "posix":
        os.set_blocking(private, True)
    try:
        stand_in = os.dup(2) if fd == 1 else os.open(os.devnull, os.O_RDONLY)
    except OSError:
        stand_in = os.open(os.devnull, os.O_RDWR)
    os.dup2(stand_in, fd)
    os.close(stand_in)
    return private


def read_lines(fd: int, rest: bytes = b"", most: int = MAX_BYTES) -> Iterator[bytes | None]:
    """Lines without their ends; None for one beyond the limit, which is dropped as it comes. `rest` was read before."""
    held = bytearray(rest)
    skipping = False
    while chunk := os.read(fd, CHUNK_BYTES):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            if not skipping:
                yield bytes(held + end)
            held.clear()
            skipping = False
        if skipping:
            continue
        held += rest
        if len(held) > most:
            held.clear()
            skipping = True
            yield None
    if held:
        yield bytes(held)


class _Server:
    """The two streams of one client, and the work between them."""

    def __init__(
        self, connection: Connection, source: int, sink: int, log: Log, beside: Beside | None, handed: Handed
    ) -> None:
        self._connection = connection
        self._handed = handed
        self._source = source
        self._sink = sink
        self._log = log
        self._beside = beside
        self._code = 0
        self._work: Queue[Work | None] = Queue(WAITING_LINES)
        self._doing: Work | None = None
        self._ends: SimpleQueue[str] = SimpleQueue()
        self._sending = threading.Lock()
        self._stopping = False
        self._ending = False
        self._lost = False

    def run(self) -> int:
        """Returns when all work is done, or soon after a signal or the loss of the client."""
        for name in ("SIGTERM", "SIGINT", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), self._on_signal)
        worker = Loop("recollect-work", self._work_off)
        worker.wake()
        if self._beside is not None:
            self._beside.start(self._fail)
        Loop("recollect-read", self._read).wake()
        reason = self._wait()
        self._ending = True
        self._log.write("info", f"ending: {reason}")
        if reason != ALL_DONE or self._beside is not None:
            Loop("recollect-end", lambda: os._exit(self._code), delay=PATIENCE_SECONDS).wake()
        if reason != ALL_DONE:
            if self._work.empty():
                self._work.put(None)
            ending = Loop("recollect-last-words", lambda: self._put_off(worker))
            ending.wake()
        else:
            ending = worker
        if self._beside is not None:
            self._beside.stop()
        ending.wait()
        worker.wait()
        if self._beside is not None:
            self._beside.join()
        return self._code

    def _put_off(self, worker: Loop) -> None:
        """Ends what is under way, and has whoever is left without an answer told to ask again."""
        worker.wait(COURTESY_SECONDS)
        self._connection.end_all()
        worker.wait(LAST_SECONDS)
        left: list[Work | None] = [self._doing]
        while True:
            try:
                left.append(self._work.get_nowait())
            except Empty:
                break
        for work in left:
            if work is not None:
                self._refuse(work)
        self._work.put(None)

    def _refuse(self, work: Work) -> None:
        answer = self._connection.put_off(work)
        if answer is not None:
            self._send(answer)

    def _wait(self) -> str:
        """Why it ends.

        The wait times out now and then: on Windows only that lets a signal through, and elsewhere a signal that comes
        just before the wait begins would not be heard until it ends.
        """
        while True:
            try:
                return self._ends.get(timeout=HEARING_SECONDS)
            except Empty:
                continue

    def _fail(self, why: str) -> None:
        """What is beside us ended by itself, so we end too."""
        self._code = 1
        self._stopping = True
        self._ends.put(why)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  the seam's shape
        if self._ending:
            os._exit(self._code)
        self._stopping = True
        self._ends.put(f"signal {number}")

    def _read(self) -> None:
        try:
            self._go_on()
            for line in read_lines(self._source, self._handed.rest):
                if self._lost:
                    return
                self._take(line)
        finally:
            self._connection.end_input()
            self._work.put(None)
        self._watch_output()

    def _go_on(self) -> None:
        """Knows again who the client is, and takes what it has no answer to yet."""
        if self._handed.initialize is not None:
            opened = self._connection.receive(self._handed.initialize)
            if opened is not None:
                self._connection.perform(opened, self._send)  # its answer is known
        for said in self._handed.waiting:
            self._take(None if said.line == TOO_LARGE else said.line, said.key)

    def _watch_output(self) -> None:
        """After the end of input: a client that has closed our output too waits for nothing any more."""
        if hasattr(select, "poll"):
            watch = select.poll()
            watch.register(self._sink, 0)
            watch.poll()
            self._lose("both ends are closed")

    def _take(self, line: bytes | None, key: str | None = None) -> None:
        if line is None:
            self._work.put(self._connection.refuse_too_large())
        elif line.strip():
            work = self._connection.receive(line, key)
            if work is not None and self._stopping:
                self._refuse(work)
            elif work is not None and work.urgent:
                self._perform(work)
            elif work is not None:
                self._work.put(work)

    def _work_off(self) -> None:
        try:
            while not self._stopping and (work := self._work.get()) is not None:
                self._doing = work
                if not self._stopping:
                    self._perform(work)
                    self._doing = None
        finally:
            self._ends.put(ALL_DONE)

    def _perform(self, work: Work) -> None:
        answer = self._connection.perform(work, self._send)
        if answer is not None:
            self._send(answer)
            if self._beside is not None:
                self._beside.hurry()

    def _send(self, message: bytes) -> None:
        """One whole line, whoever else is sending. A client that is gone ends the server, not the call."""
        left = memoryview(message + b"\n")
        with self._sending:
            try:
                while left and not self._lost:
                    left = left[os.write(self._sink, left) :]
            except OSError as error:
                self._lose(error.strerror or "its end is closed")

    def _lose(self, why: str) -> None:
        self._lost = self._stopping = True
        self._ends.put(f"the client is gone ({why})")
