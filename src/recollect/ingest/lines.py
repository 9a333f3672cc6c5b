"""How is a file read that has a JSON object on each line, while a program still writes to it?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from mmap import mmap
from typing import TypeVar

import msgspec

from recollect.forms import decode_foreign

T = TypeVar("T")

BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding raises over what is no JSON, no text, or nested too deep."""

Data = bytes | mmap
"""What a file holds: in memory, or, of a large one, to be read from the file line by line."""

_ESCAPES = re.compile(
    rb"\\\\|(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


def mend(data: bytes) -> bytes:
    """The same without a byte order mark, and without halves of characters, as cutting text at a length leaves them."""
    whole = data.removeprefix(b"\xef\xbb\xbf")
    if b"\\ud" not in whole and b"\\uD" not in whole:
        return whole
    return _ESCAPES.sub(lambda found: found.group() if found.group(2) is None else b"\\ufffd", whole)


def mend_whole(data: Data) -> Data:
    """The same for a file that is no list of lines: those are mended one by one, so that a large one is not copied."""
    lines = data[:1] == b"{" and data.find(b"\n{") >= 0
    if lines or (not any(found.group(2) for found in _ESCAPES.finditer(data)) and data[:3] != b"\xef\xbb\xbf"):
        return data
    return mend(data[:])


def each_line(data: Data) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        yield data[at:end]
        at = end + 1


def objects_of(data: Data, type_: type[T]) -> Iterator[T]:
    """The objects of a file with one a line, but for those of another shape: programs add kinds of lines all the time.

    A last line that is only half there is still being written.
    """
    broken: Exception | None = None
    first = True
    for line in each_line(data):
        if not line.strip():
            continue
        if broken is not None:  # and this was not the last
            raise broken
        try:
            found = decode_foreign(mend(line), type_)
        except msgspec.ValidationError:
            continue
        except BROKEN as error:
            if first:
                raise
            broken = error
        else:
            yield found
        finally:
            first = False
