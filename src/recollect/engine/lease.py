"""How is a piece of work kept to one process at a time?

By a lock that the operating system holds on a file: it ends with the process that took it, however that ends.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from recollect.errors import Conflict, ReadOnlyStore

if sys.platform == "win32":
    import msvcrt

    def _lock(fd: int) -> None:
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def lease(path: Path, work: str) -> Generator[None]:
    """Holds a file while the body runs, or raises `Conflict` where somebody else holds it."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise ReadOnlyStore(f"{path} cannot be opened: {error.strerror}") from error
    try:
        try:
            _lock(fd)
        except OSError as error:
            raise Conflict(f"{work} is under way elsewhere") from error
        yield
    finally:
        os.close(fd)
