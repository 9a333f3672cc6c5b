"""How are many files read and parsed at once?

In processes of their own, which take errands on standard input: a parser that crashes or hangs over some file takes
down its own process alone, and the file is named. A few files are read in this process, since it takes longer to start
another.
"""

from __future__ import annotations

import gc
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from recollect.engine.intake import reading
from recollect.engine.intake.reading import FAILED, Errand, ReadFile
from recollect.engine.loop import Loop
from recollect.errors import SourceError

FEW_FILES = 12
MOST_WORKERS = 4
_AT_ONCE = 8  # files that a process is given together
_AHEAD = 12  # handfuls that each process may be ahead of who writes what they made of them
_PATIENCE = 60.0  # seconds, for the files that a process was given together
_PREFIX = 4  # bytes that say how long a message is


def read_files(root: Path, errands: Sequence[Errand], stop: threading.Event) -> Iterator[ReadFile]:
    """The files in the order in which they are done; ends early when it is told to stop."""
    if len(errands) <= FEW_FILES or not sys.executable:
        for errand in errands:
            if stop.is_set():
                return
            yield reading.read_file(root, errand)
    else:
        yield from _Readers(root, errands, stop).files()


_encode = msgspec.msgpack.Encoder().encode
_decode_errands = msgspec.msgpack.Decoder(tuple[str, tuple[Errand, ...]]).decode
_decode_files = msgspec.msgpack.Decoder(tuple[ReadFile, ...]).decode


def _send(pipe: IO[bytes], message: bytes) -> None:
    pipe.write(len(message).to_bytes(_PREFIX, "big") + message)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes | None:
    head = pipe.read(_PREFIX)
    if len(head) < _PREFIX:
        return None
    size = int.from_bytes(head, "big")
    body = pipe.read(size)
    return body if len(body) == size else None


def work() -> None:
    """The whole life of a reading process: it ends when its input does."""
    gc.disable()  # nothing here goes in circles, and what lives long is a vocabulary
    while (message := _receive(sys.stdin.buffer)) is not None:
        root, errands = _decode_errands(message)
        _send(sys.stdout.buffer, _encode([reading.read_file(Path(root), errand) for errand in errands]))


class _Readers:
    """Some processes, each with a thread that gives it files and takes what it made of them."""

    def __init__(self, root: Path, errands: Sequence[Errand], stop: threading.Event) -> None:
        self._root = root
        self._stop = stop
        self._errands: queue.SimpleQueue[Sequence[Errand]] = queue.SimpleQueue()
        for start in range(0, len(errands), _AT_ONCE):
            self._errands.put(errands[start : start + _AT_ONCE])
        self._count = min(MOST_WORKERS, os.cpu_count() or 1, -(-len(errands) // _AT_ONCE))
        self._done: queue.Queue[tuple[ReadFile, ...] | None] = queue.Queue(maxsize=_AHEAD * self._count)
        self._over = threading.Event()

    def files(self) -> Iterator[ReadFile]:
        readers = [Loop(f"recollect-reader-{i}", self._feed) for i in range(self._count)]
        for reader in readers:
            reader.wake()
        left = len(readers)
        try:
            while left and not self._stop.is_set():
                try:
                    batch = self._done.get(timeout=0.1)
                except queue.Empty:
                    continue
                left -= batch is None
                yield from batch or ()
        finally:
            self._over.set()
            for reader in readers:
                reader.stop(5)
        for reader in readers:
            if reader.problem is not None:
                raise SourceError(f"{self._root} could not be read to its end: {reader.problem}") from reader.problem

    def _feed(self) -> None:
        process: subprocess.Popen[bytes] | None = None
        try:
            while not self._over.is_set():
                try:
                    errands = self._errands.get_nowait()
                except queue.Empty:
                    return
                if process is None:
                    process = _start()
                answer = self._ask(process, errands)
                if answer is None:
                    _end(process)
                    process = None
                    answer = self._one_by_one(errands)
                self._hand_over(answer)
        finally:
            if process is not None:
                _end(process)
            self._hand_over(None)

    def _hand_over(self, answer: tuple[ReadFile, ...] | None) -> None:
        while not self._over.is_set():
            try:
                self._done.put(answer, timeout=0.1)
            except queue.Full:
                continue
            return

    def _ask(self, process: subprocess.Popen[bytes], errands: Sequence[Errand]) -> tuple[ReadFile, ...] | None:
        """What a process makes of some files; None if it died or took too long, which ends it too."""
        assert process.stdin is not None
        assert process.stdout is not None
        watchdog = Loop("recollect-watchdog", process.kill, delay=_PATIENCE)
        watchdog.wake()
        try:
            _send(process.stdin, _encode((str(self._root), list(errands))))
            answer = _receive(process.stdout)
        except OSError:
            return None
        finally:
            watchdog.end()
        return None if answer is None else _decode_files(answer)

    def _one_by_one(self, errands: Sequence[Errand]) -> tuple[ReadFile, ...]:
        """Finds out which file it was that a process did not survive."""
        found: list[ReadFile] = []
        for errand in errands:
            if self._over.is_set():
                break
            process = _start()
            answer = self._ask(process, [errand])
            _end(process)
            found += answer or (ReadFile(errand.path, problem=FAILED),)
        return tuple(found)


def _program() -> str:
    """What a reading process runs: this very program, wherever this process has it from."""
    return f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import work; work()"


def _start() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _program()]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(BrokenPipeError), process:  # what could not be said to a process that has ended
        process.kill()
