"""What is in a file that somebody else may have put there?

A name may stand for a pipe on which nobody writes, a device that has no end, or a link to either: only a regular file
is opened, and no more of it is read than was asked for.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_NOT_REGULAR = "it is not a regular file"


def open_regular(path: Path, *, links: bool = True) -> BinaryIO:
    """A file to read from. What is no regular file (or, without `links`, a link to one) raises an OSError."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(path, flags if links else flags | getattr(os, "O_NOFOLLOW", 0)), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, _NOT_REGULAR, str(path))
    return file


def read_regular(path: Path, largest: int, *, links: bool = True) -> bytes:
    """What a file holds; one that holds more than `largest` bytes raises an OSError."""
    with open_regular(path, links=links) as file:
        data = file.read(largest + 1)
    if len(data) > largest:
        raise OSError(errno.EFBIG, f"it has more than {largest:,} bytes", str(path))
    return data
