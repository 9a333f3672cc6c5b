"""How are files read and parsed that others wrote, many of them at once?

In processes of their own, which take errands on standard input and have limits of time and memory: a parser that
crashes, hangs or grows over some file takes down its own process alone, and the file is named. What is small and plain
is read in this process, since it takes longer to start another.
"""

from __future__ import annotations

import gc
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from recollect.engine.intake import reading
from recollect.engine.intake.reading import FAILED, Errand, ReadFile
from recollect.engine.loop import Loop
from recollect.engine.pipes import program, receive, send
from recollect.errors import Cancelled, SourceError
from recollect.forms import unpacker

FEW_FILES = 12
MOST_WORKERS = 4
SECONDS, BYTES_A_SECOND = 30, 1_000_000
"""So long one file may take, and a second more for so many bytes of it."""
TOO_LONG = f"took longer to be read than {SECONDS} seconds and another for each megabyte"
MOST_MEMORY = 1536 * 1024 * 1024
"""Bytes of address space that a process may have."""
_AT_ONCE = 8  # files that a process is given together
_AHEAD = 100  # files that each process may be ahead of who writes what they made of them
_LARGE = 1_000_000  # bytes of a file after which what it left behind is swept up
_DEATH_OF_PARENT = 1  # as prctl calls it
_ALARM = 14  # the signal


def read_files(root: Path, errands: Sequence[Errand], stopped: Callable[[], bool]) -> Iterator[ReadFile]:
    """The files in the order in which they are done; ends early when it is told to stop."""
    few = len(errands) <= FEW_FILES or not sys.executable
    here = [errand for errand in errands if few and (reading.is_light(root, errand) or not sys.executable)]
    for errand in here:
        if stopped():
            return
        yield reading.read_file(root, errand)
    elsewhere = [errand for errand in errands if errand not in here] if here else errands
    if elsewhere:
        yield from _Readers(root, elsewhere, stopped).files()


def read_alone(root: Path, errand: Errand, cancelled: Callable[[], bool]) -> ReadFile:
    """What is in one file. What is wrong with it is an error."""
    for file in read_files(root, [errand], cancelled):
        if file.problem is not None:
            raise SourceError(file.problem if errand.path in file.problem else f"{errand.path}: {file.problem}")
        return file
    raise Cancelled(f"{errand.path} was not read to its end: the caller withdrew the request")


_encode = msgspec.msgpack.Encoder().encode
_decode_errands = unpacker(tuple[str, tuple[Errand, ...]])
_decode_file = unpacker(ReadFile)


def work() -> None:
    """The whole life of a reading process: it ends when its input does, or who started it."""
    gc.disable()  # little here goes in circles, and what lives long is a vocabulary
    _keep_within_limits()
    while (message := receive(sys.stdin.buffer)) is not None:
        root, errands = _decode_errands(message)
        for errand in errands:
            _set_alarm(SECONDS + _size(Path(root), errand) // BYTES_A_SECOND)
            file = _read(Path(root), errand)
            _set_alarm(0)
            send(sys.stdout.buffer, _encode(file))
            if file.size > _LARGE:
                del file
                gc.collect()


def _read(root: Path, errand: Errand) -> ReadFile:
    try:
        return reading.read_file(root, errand)
    except MemoryError:
        gc.collect()
        return ReadFile(errand.path, problem=f"needs more than {MOST_MEMORY // 1024**2:,} MB of memory to be read")


def _size(root: Path, errand: Errand) -> int:
    try:
        return len(errand.body or b"") or (root / errand.path).stat().st_size
    except OSError:
        return 0  # which reading it will tell


def _keep_within_limits() -> None:
    if sys.platform == "win32":
        return
    import resource  # which other systems have not

    for what, most in ((resource.RLIMIT_AS, MOST_MEMORY), (resource.RLIMIT_CORE, 0)):
        with suppress(OSError, ValueError):  # a system that does not know such a limit, or has set a lower one
            resource.setrlimit(what, (most, most))
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_DEATH_OF_PARENT, signal.SIGKILL)


def _set_alarm(seconds: int) -> None:
    """The system ends this process when the time is over, whatever it does just then."""
    if sys.platform != "win32":
        signal.alarm(seconds)


class _Readers:
    """Some processes, each with a thread that gives it files and takes what it made of them."""

    def __init__(self, root: Path, errands: Sequence[Errand], stopped: Callable[[], bool]) -> None:
        self._root = root
        self._stopped = stopped
        self._errands: queue.SimpleQueue[Sequence[Errand]] = queue.SimpleQueue()
        for start in range(0, len(errands), _AT_ONCE):
            self._errands.put(errands[start : start + _AT_ONCE])
        self._count = min(MOST_WORKERS, os.cpu_count() or 1, -(-len(errands) // _AT_ONCE))
        self._done: queue.Queue[ReadFile | None] = queue.Queue(maxsize=_AHEAD * self._count)
        self._over = threading.Event()
        self._processes: set[subprocess.Popen[bytes]] = set()

    def files(self) -> Iterator[ReadFile]:
        readers = [Loop(f"recollect-reader-{i}", self._feed) for i in range(self._count)]
        for reader in readers:
            reader.wake()
        left = len(readers)
        try:
            while left and not self._stopped():
                try:
                    file = self._done.get(timeout=0.1)
                except queue.Empty:
                    continue
                if file is None:
                    left -= 1
                else:
                    yield file
        finally:
            self._over.set()
            for process in tuple(self._processes):
                process.kill()
            for reader in readers:
                reader.stop(5)
        for reader in readers:
            if reader.problem is not None:
                raise SourceError(f"{self._root} could not be read to its end: {reader.problem}") from reader.problem

    def _feed(self) -> None:
        process: subprocess.Popen[bytes] | None = None
        left: Sequence[Errand] = ()
        try:
            while not self._over.is_set():
                if not left:
                    try:
                        left = self._errands.get_nowait()
                    except queue.Empty:
                        return
                process = process or self._begin()
                done = self._ask(process, left)
                if done < len(left):
                    why = self._end(process)
                    process = None
                    self._hand_over(ReadFile(left[done].path, problem=why))
                    done += 1
                left = left[done:]
        finally:
            if process is not None:
                self._end(process)
            self._hand_over(None)

    def _hand_over(self, file: ReadFile | None) -> None:
        while not self._over.is_set():
            try:
                self._done.put(file, timeout=0.1)
            except queue.Full:
                continue
            return

    def _ask(self, process: subprocess.Popen[bytes], errands: Sequence[Errand]) -> int:
        """Hands over what a process makes of some files. Answers how many those are: the next, it did not survive."""
        assert process.stdin is not None
        assert process.stdout is not None
        done = 0
        with suppress(OSError):  # it ended before it heard of them
            send(process.stdin, _encode((str(self._root), list(errands))))
        while done < len(errands) and (answer := receive(process.stdout)) is not None:
            self._hand_over(_decode_file(answer))
            done += 1
        return done

    def _begin(self) -> subprocess.Popen[bytes]:
        process = _start()
        self._processes.add(process)
        if self._over.is_set():
            process.kill()
        return process

    def _end(self, process: subprocess.Popen[bytes]) -> str:
        """Ends a process that has not ended by itself. Answers why it did."""
        with suppress(BrokenPipeError), process:  # what could not be said to a process that has ended
            process.kill()  # which says nothing to one that has ended, but is not waited for yet
        self._processes.discard(process)
        return TOO_LONG if process.returncode == -_ALARM else FAILED


def _program() -> str:
    return program(__name__, "work")


def _start() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _program()]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
