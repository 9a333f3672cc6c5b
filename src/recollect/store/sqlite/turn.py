"""What keeps two processes from doing the same work twice?

A lock that the operating system holds for a process, and takes back whenever and however that process ends.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

from recollect import private
from recollect.errors import ReadOnlyStore
from recollect.store.base import Turn


class FileTurn(Turn):
    """A turn that is a file, which whoever has it has locked."""

    def __init__(self, folder: Path, names: tuple[str, ...], stop: threading.Event | None = None) -> None:
        super().__init__(stop)
        self._path = folder / hashlib.blake2b("\0".join(names).encode(), digest_size=10).hexdigest()
        self._file: int | None = None

    @property
    def mine(self) -> bool:
        return self._file is not None

    def _try(self) -> bool:
        while True:
            try:
                private.make_folder(self._path.parent)
                file = private.open_file(self._path, os.O_RDWR | os.O_CREAT)
            except OSError as error:
                raise ReadOnlyStore(f"{self._path} cannot be opened: {error.strerror}") from error
            locked = _lock(file)
            if locked and _is_at(file, self._path):
                self._file = file
                return True
            os.close(file)
            if not locked:
                return False

    def release(self) -> None:
        """Gives the turn back. Its file goes while it is still locked, so that none is left of work that is over."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # such as that of Windows, where a file that is open stays
                os.unlink(self._path)
            os.close(file)


def _is_at(file: int, path: Path) -> bool:
    """Is this still the file of that name? Whoever had the turn may have removed it since it was opened."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> bool:
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
