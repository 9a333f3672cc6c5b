"""How are files and folders kept from other users of the machine?

What a memory holds is for its owner alone: files are made 0600 in folders that are 0700, whatever the umask says, and
what was made otherwise is tightened. Where a platform has no such bits, its own rules hold.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection
from pathlib import Path

_FILE, _FOLDER = 0o600, 0o700
_POSIX = os.name == "posix"


def make_folder(path: Path) -> None:
    """A folder for its owner alone, made if it is missing. Those above it are as the system makes them."""
    try:
        path.mkdir(mode=_FOLDER, parents=True)
    except FileExistsError as error:
        if not path.is_dir():
            raise FileExistsError(errno.EEXIST, "it is a file, and not a folder", str(path)) from error
    else:
        _set(path, _FOLDER)  # the umask may have taken more than it should


def make_file(path: Path) -> bool:
    """An empty file for its owner alone; False where there is one already."""
    try:
        os.close(open_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def open_file(path: Path, flags: int) -> int:
    """Opens a plain file, and makes it for its owner alone where the flags say that it is to be made.

    A link leads to a file of somebody else, and a pipe to nobody: neither is opened, changed or waited for.
    """
    try:
        file = os.open(path, flags | _CAREFULLY, _FILE)
    except OSError as error:
        if error.errno in _NOT_PLAIN:
            raise _not_plain(path) from error
        raise
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise _not_plain(path)
    if flags & os.O_CREAT and _POSIX:
        os.fchmod(file, _FILE)
    return file


_CAREFULLY = sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK"))
_NOT_PLAIN = (errno.ELOOP, errno.EMLINK, errno.ENXIO)


def _not_plain(path: Path) -> OSError:
    return OSError(errno.EINVAL, "it is a link, a folder, a pipe or a device, and not a plain file", str(path))


def is_plain(path: Path) -> bool:
    """Is it a file and nothing else, or not there at all?"""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return True


def read_file(path: Path, most: int = -1) -> bytes:
    """What stands in a plain file, or how it begins."""
    with open(open_file(path, os.O_RDONLY), "rb") as file:
        return file.read(most)


def write_text(path: Path, text: str) -> None:
    """The whole file or none of it, whoever reads meanwhile."""
    write_whole(path, text.encode())


def write_whole(path: Path, data: bytes, *, shared: bool = False, by: Path | None = None) -> None:
    """The same of bytes, which are on disk when the file has its name. One that is `shared` is as others make files.

    Until then it is called `by`.
    """
    beside = by or path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(beside, "wb") if shared else open(_opened(beside), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def _opened(path: Path) -> int:
    return open_file(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)


def runs_elsewhere(process: int) -> bool:
    """Is a process of that number alive, other than this one? Where a platform does not tell, it is."""
    if process == os.getpid():
        return False
    try:
        if _POSIX:
            os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def tighten(*paths: Path) -> list[Path]:
    """Closes what is there, is ours and stood open to others. Answers what that was."""
    return [path for path in paths if _is_open(path) and _set(path, _FOLDER if path.is_dir() else _FILE)]


def holds_only(folder: Path, names: Collection[str]) -> bool:
    """Is nothing in a folder but what begins with one of some names?"""
    try:
        return all(name.startswith(tuple(names)) for name in os.listdir(folder))
    except OSError:
        return False


def _is_open(path: Path) -> bool:
    """May others do anything with it, and is it ours to change?"""
    if not _POSIX:
        return False
    try:
        found = path.stat()
    except OSError:
        return False
    return bool(stat.S_IMODE(found.st_mode) & 0o077) and found.st_uid == os.geteuid()


def _set(path: Path, mode: int) -> bool:
    if not _POSIX:
        return False
    try:
        path.chmod(mode)
    except OSError:
        return False  # a file system that has no such bits
    return True
