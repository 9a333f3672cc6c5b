"""How is a file of source code read and parsed?"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from recollect.engine.intake.workers import Order, Work, do_orders, take_orders
from recollect.engine.write.remember import count_terms
from recollect.ingest.code import split_file
from recollect.ingest.walk_files import looks_generated, read_source

GONE = "gone"


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
    return do_orders(root, orders, stop, _WORK)


def work() -> None:
    """The whole life of a process that reads source code."""
    take_orders(_WORK)


_WORK = Work(
    module=__name__,
    read=lambda root, order: read_file(root, order),
    decode=msgspec.msgpack.Decoder(tuple[ReadFile, ...]).decode,
    failed=lambda order: ReadFile(order.path, problem="its parser failed"),
)
