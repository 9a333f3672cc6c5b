"""How are many source files read and parsed at once?

In processes of their own, which take orders on standard input: a parser that crashes or hangs over some file takes
down its own process alone, and the file is named. A few files are read in this process, since it takes longer to start
another.
"""

from __future__ import annotations

import gc
import hashlib
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct

from recollect.engine.remember import count_terms
from recollect.ingest.code import split_file
from recollect.ingest.walk_files import looks_generated, read_source

GONE = "gone"
FEW_FILES = 12
MOST_WORKERS = 4
_AT_ONCE = 8  # files that a process is given together
_PATIENCE = 60.0  # seconds, for the files that a process was given together
_PREFIX = 4  # bytes that say how long a message is


class Order(Struct, frozen=True, array_like=True):
    """A file to be read. If its content still has that hash, it is not parsed again."""

    path: str
    hash: bytes


class ReadChunk(Struct, frozen=True, array_like=True):
    text: str
    first_line: int
    last_line: int
    chunk_type: str
    name: str
    title: str
    terms: Mapping[int, int]


class ReadFile(Struct, frozen=True, array_like=True):
    """What a file holds. `problem` says why it has no chunks; `same` that its content is what it was."""

    path: str
    hash: bytes = b""
    size: int = 0
    mtime: int = 0
    language: str = ""
    chunks: tuple[ReadChunk, ...] = ()
    problem: str | None = None
    same: bool = False


def read_file(root: Path, order: Order) -> ReadFile:
    """Reads and parses one file; whatever is wrong with it is said in its `problem`."""
    try:
        with (root / order.path).open("rb") as file:
            info = os.fstat(file.fileno())
            data = file.read()
    except FileNotFoundError:
        return ReadFile(order.path, problem=GONE)
    except OSError as error:
        return ReadFile(order.path, problem=f"cannot be read: {error.strerror}")
    seen = ReadFile(order.path, hashlib.blake2b(data, digest_size=16).digest(), len(data), info.st_mtime_ns)
    if seen.hash == order.hash:
        return msgspec.structs.replace(seen, same=True)
    try:
        text = read_source(data)
    except UnicodeDecodeError:
        return msgspec.structs.replace(seen, problem="not UTF-8")
    if text is None or looks_generated(order.path, text):
        return msgspec.structs.replace(seen, problem="binary" if text is None else "generated")
    return _parse(seen, text)


def _parse(seen: ReadFile, text: str) -> ReadFile:
    language, chunks = split_file(seen.path, text)
    return msgspec.structs.replace(
        seen,
        language=language,
        chunks=tuple(
            ReadChunk(
                chunk.text, chunk.first_line, chunk.last_line, chunk.chunk_type, chunk.name,
                chunk.title or seen.path, count_terms(chunk.title or seen.path, chunk.text),
            )
            for chunk in chunks
        ),
    )  # fmt: skip


def read_files(root: Path, orders: Sequence[Order], stop: threading.Event) -> Iterator[ReadFile]:
    """The files in the order in which they are done; ends early when it is told to stop."""
    if len(orders) <= FEW_FILES or not sys.executable:
        for order in orders:
            if stop.is_set():
                return
            yield read_file(root, order)
    else:
        yield from _Readers(root, orders, stop).files()


# In processes of their own

_encode = msgspec.msgpack.Encoder().encode
_decode_orders = msgspec.msgpack.Decoder(tuple[str, tuple[Order, ...]]).decode
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


def take_orders() -> None:
    """The whole life of a reading process: it ends when its input does."""
    gc.disable()  # nothing here goes in circles, and what lives long is a vocabulary
    while (message := _receive(sys.stdin.buffer)) is not None:
        root, orders = _decode_orders(message)
        _send(sys.stdout.buffer, _encode([read_file(Path(root), order) for order in orders]))


class _Readers:
    """Some processes, each with a thread that gives it files and takes what it made of them."""

    def __init__(self, root: Path, orders: Sequence[Order], stop: threading.Event) -> None:
        self._root = root
        self._stop = stop
        self._orders: queue.SimpleQueue[Sequence[Order]] = queue.SimpleQueue()
        for start in range(0, len(orders), _AT_ONCE):
            self._orders.put(orders[start : start + _AT_ONCE])
        self._count = min(MOST_WORKERS, os.cpu_count() or 1, -(-len(orders) // _AT_ONCE))
        self._done: queue.Queue[tuple[ReadFile, ...] | None] = queue.Queue(maxsize=2 * self._count)
        self._over = threading.Event()

    def files(self) -> Iterator[ReadFile]:
        threads = [
            threading.Thread(target=self._feed, name=f"recollect-reader-{i}", daemon=True) for i in range(self._count)
        ]
        for thread in threads:
            thread.start()
        left = len(threads)
        try:
            while left and not self._stop.is_set():
                batch = self._next()
                if batch is None:
                    left -= 1
                else:
                    yield from batch
        finally:
            self._over.set()
            for thread in threads:
                thread.join(timeout=5)

    def _next(self) -> tuple[ReadFile, ...] | None:
        while True:
            try:
                return self._done.get(timeout=0.1)
            except queue.Empty:
                if self._stop.is_set():
                    return ()

    def _feed(self) -> None:
        process: subprocess.Popen[bytes] | None = None
        try:
            while not self._over.is_set():
                try:
                    orders = self._orders.get_nowait()
                except queue.Empty:
                    return
                if process is None:
                    process = _start()
                answer = self._ask(process, orders)
                if answer is None:
                    _end(process)
                    process = None
                    answer = self._one_by_one(orders)
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

    def _ask(self, process: subprocess.Popen[bytes], orders: Sequence[Order]) -> tuple[ReadFile, ...] | None:
        """What a process makes of some files; None if it died or took too long, which ends it too."""
        assert process.stdin is not None
        assert process.stdout is not None
        watchdog = threading.Timer(_PATIENCE, process.kill)
        watchdog.daemon = True
        watchdog.start()
        try:
            _send(process.stdin, _encode((str(self._root), list(orders))))
            answer = _receive(process.stdout)
        except OSError:
            return None
        finally:
            watchdog.cancel()
        return None if answer is None else _decode_files(answer)

    def _one_by_one(self, orders: Sequence[Order]) -> tuple[ReadFile, ...]:
        """Finds out which file it was that a process did not survive."""
        found: list[ReadFile] = []
        for order in orders:
            if self._over.is_set():
                break
            process = _start()
            answer = self._ask(process, [order])
            _end(process)
            found += answer or (ReadFile(order.path, problem="its parser failed"),)
        return tuple(found)


def _program() -> str:
    """What a reading process runs: this very module, wherever this process has it from."""
    return f"import sys; sys.path[:] = {sys.path!r}; import recollect.engine.reading as r; r.take_orders()"


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _program()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            _close(pipe)
    process.wait()


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except BrokenPipeError:
        return  # what could not be said to a process that has ended
