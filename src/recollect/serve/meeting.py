"""Where do the processes of one memory find each other?

Beside the store: a lock that one of them has, however the one before ended, and the socket on which it listens. Both
are for their owner alone. They are named for all that two processes must have in common to be served by one of them
(release, settings, place of the package): others keep apart, each with an owner of its own. Nothing here is slow to
import.
"""

from __future__ import annotations

import _socket  # `socket` is this and a megabyte of names, in every relay
import os
import stat
import struct
from zlib import crc32

import recollect
from recollect.environment import character_of, place_of, shares
from recollect.light import TYPE_CHECKING
from recollect.version import __version__

if TYPE_CHECKING:
    import socket

try:
    import fcntl
except ImportError:  # where there are no such locks, every process is on its own
    fcntl = None

BACKLOG = 128
PREFIX = ".owner-"
"""What the names of our files begin with."""
_LONGEST = 100  # characters of a socket's address
_CONFIG = "config.toml"


class Claim:
    """The right to serve the others, and the socket on which they come."""

    def __init__(self, lock: int, listener: socket.socket, paths: tuple[str, str], character: str) -> None:
        self.listener = listener
        self.character = character
        self._lock = lock
        self._paths = paths

    def renew(self) -> None:
        """Listens again where somebody took the file of the socket away: without it nobody finds us."""
        if os.path.lexists(self._paths[0]) or not self._holds():
            return
        try:
            listener = _listen(self._paths[0])
        except OSError:
            return  # the folder is gone, say: those who are connected stay so
        self.listener.close()
        self.listener = listener

    def _holds(self) -> bool:
        """Is the right still ours? Not where the file of the lock was taken away: another may have made a new one."""
        return _is_same(self._lock, self._paths[1])

    def release(self) -> None:
        """Leaves it to another, and nothing behind."""
        if self._lock < 0:
            return
        for path in self._paths if self._holds() else ():  # while nobody else can have the right
            try:
                os.unlink(path)
            except OSError:
                continue
        self.listener.close()
        os.close(self._lock)
        self._lock = -1


class Meeting:
    """The lock and the socket of the processes of one character."""

    def __init__(self, folder: str, character: str) -> None:
        self.character = character
        self._folder = folder
        known = character.encode()
        name = f"{PREFIX}{crc32(known):08x}{crc32(known[::-1]):08x}"
        self._lock = os.path.join(folder, f"{name}.lock")
        self._socket = os.path.join(folder, f"{name}.sock")

    def claim(self) -> Claim | None:
        """The right to serve, if nobody has it."""
        lock = self._take_lock()
        if lock is None:
            return None
        try:
            if os.path.lexists(self._socket):
                os.unlink(self._socket)  # of one that was killed
            listener = _listen(self._socket)
        except OSError:
            os.close(lock)
            return None
        return Claim(lock, listener, (self._socket, self._lock), self.character)

    def _take_lock(self) -> int | None:
        assert fcntl is not None, "there is no meeting without locks"
        try:
            while True:
                flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
                lock = os.open(self._lock, flags, 0o600)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    if _is_same(lock, self._lock):
                        return lock
                except BaseException:
                    os.close(lock)
                    raise
                os.close(lock)  # the one who had it has taken it away: that file is no lock any more
        except OSError:
            return None

    def can_be_claimed(self) -> bool:
        """Could anybody serve here, now or later? Not where nothing may be written."""
        return os.access(self._folder, os.W_OK)

    def may_be_served(self) -> bool:
        """Was there somebody who serves? It may have been killed since."""
        return os.path.lexists(self._socket)

    def connect(self) -> _socket.socket | None:
        """A connection to whoever serves; None where nobody does, or somebody else than us."""
        peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            found = os.lstat(self._socket)
            if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
                raise PermissionError
            with _Short(self._folder, self._socket) as address:
                peer.connect(address)
            if not is_own(peer):
                raise PermissionError
        except OSError:
            peer.close()
            return None
        return peer


def _listen(path: str) -> socket.socket:
    """A socket at a place, for our user alone."""
    import socket  # whoever serves has loaded more than that

    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _Short(os.path.dirname(path), path) as address:
            listener.bind(address)
        os.chmod(path, 0o600)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def meeting_of(contract: str, home: str | None) -> Meeting | None:
    """Where those meet who serve the same memory in the same way; None where everybody is on their own."""
    if fcntl is None or not hasattr(_socket, "AF_UNIX") or not shares():
        return None
    folder, store = place_of(contract, home)
    folder = os.path.abspath(os.path.expanduser(folder))
    try:
        if not store:
            os.makedirs(folder, 0o700, exist_ok=True)
        configured = _configured(os.path.join(folder, _CONFIG))
    except OSError:
        return None
    if configured is None:
        return None
    package = os.path.dirname(recollect.__file__ or "")
    common = ("", __version__, package, store, character_of(), configured)
    return Meeting(folder, "\n".join(common))


def _configured(path: str) -> str | None:
    """What the settings' file says; None where it says that nothing is shared, or is no file."""
    if not os.path.isfile(path):
        return None if os.path.exists(path) else ""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except FileNotFoundError:
        return ""
    lines = [line.replace(" ", "") for line in text.splitlines()]
    return None if any(line.startswith(("shared='off'", 'shared="off"')) for line in lines) else text


def is_own(peer: _socket.socket) -> bool:
    """Is the other end a process of the same user? Where the system does not tell, the file's bits decide."""
    if not hasattr(_socket, "SO_PEERCRED"):
        return True
    told = peer.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, struct.calcsize("3i"))
    return struct.unpack("3i", told)[1] == os.geteuid()


def _is_same(lock: int, path: str) -> bool:
    try:
        found, named = os.fstat(lock), os.stat(path)
    except FileNotFoundError:
        return False
    return (found.st_dev, found.st_ino) == (named.st_dev, named.st_ino)


class _Short:
    """The address of a socket in a folder whose name may be longer than a socket's address can be."""

    def __init__(self, folder: str, path: str) -> None:
        self._path = path
        self._open = os.open(folder, os.O_RDONLY | os.O_CLOEXEC) if len(os.fsencode(path)) > _LONGEST else -1

    def __enter__(self) -> str:
        return self._path if self._open < 0 else f"/proc/self/fd/{self._open}/{os.path.basename(self._path)}"

    def __exit__(self, *_: object) -> None:
        if self._open >= 0:
            os.close(self._open)
