"""Is the file of a store what it should be, and still the one that was opened?

Beside the store lies a small file that says up to which entry the store was acknowledged. A store that has fewer lost
its log on the way, and is not written to before somebody has looked. Everyone who has the store open holds a lock on
that file, so that nobody puts another store in its place meanwhile.
"""

from __future__ import annotations

import os
import stat
import struct
import sys
import threading
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from recollect import private
from recollect.errors import NotAStore, ReadOnlyStore, StoreBusy, StoreError, StoreReplaced

if sys.platform != "win32":
    import fcntl

HEADER = b"SQLite format 3\0"
_PAGE_SIZE, _MODE = slice(16, 18), 18
_LOG_HEAD, _FRAME_HEAD = 32, 24  # bytes before a log, and before each page in it
_WITH_A_LOG = 2  # the mode of a database whose newest pages stand in a log
_MARK = struct.Struct("<QQQQ")  # device and number of the file, its last entry, and when its first was written
_EARLIER_MARK = struct.Struct("<QQQ")  # of releases that did not know a copy again
_LIVE: Counter[tuple[int, int]] = Counter()
"""The files that stores of this process have open."""
_LOOKING = threading.Lock()


def beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def log_of(path: Path) -> Path:
    return beside(path, "-wal")


def all_of(path: Path) -> list[Path]:
    """The files that make up a store."""
    return [path, log_of(path), beside(path, "-shm"), beside(path, "-last")]


_MOUNTS = Path("/proc/self/mountinfo")
_NETWORKS = frozenset(
    """9p afp afs beegfs ceph cifs coda davfs fuse.ceph fuse.glusterfs fuse.rclone fuse.s3fs fuse.sshfs glusterfs gpfs
    lustre ncpfs nfs nfs4 orangefs smb2 smb3 smbfs sshfs webdav""".split()
)


def network_of(path: Path, mounts: str) -> str | None:
    """The kind of the network file system that a path is on; None where it is on a disk of this machine."""
    best, kind = "", None
    for line in mounts.splitlines():
        words = line.split()
        if "-" not in words[6:]:
            continue
        point = words[4].replace("\\040", " ")
        inside = path == Path(point) or Path(point) in path.parents
        if inside and len(point) >= len(best):
            best, kind = point, words[words.index("-", 6) + 1]
    return kind if kind in _NETWORKS else None


def warn_of_network(path: Path) -> list[str]:
    """SQLite's locks do not hold between machines: who shares a file by a network may lose it."""
    try:
        found = network_of(path.resolve(), _MOUNTS.read_text("utf-8", "replace"))
    except OSError:
        found = None
    if found is None and not str(path).startswith("\\\\"):
        return []
    return [
        f"{path.parent} is on a network file system ({found or 'a share'}), where locks do not hold between machines:"
        " let one machine alone use it, or keep it on a local disk; `recollect sync` and PostgreSQL join several"
    ]


def read_head(path: Path) -> bytes | None:
    """How a file begins; None where a store of this process has it open, and has looked itself.

    Whoever closes a file gives up all locks that the process has on it, SQLite's as well: the next program to end would
    then take itself for the last one, and remove the log that we are still writing.
    """
    with _LOOKING:
        if _identity(path) in _LIVE:
            return None
        with path.open("rb") as file:
            return file.read(100)


def check_file(path: Path) -> None:
    """Refuses what is no store, before SQLite touches it: it would wait for a pipe, and write over a short file."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        _check_orphan(path, "is gone")
        return
    except OSError as error:
        raise ReadOnlyStore(f"{path} cannot be opened: {error.strerror}") from error
    if not stat.S_ISREG(found.st_mode):
        raise NotAStore(f"{path} is not a Recollect store: it is a folder, a pipe or a device, and not a plain file")
    if not found.st_size:
        _check_orphan(path, "is empty")
        return
    try:
        head = read_head(path)
    except OSError as error:
        raise ReadOnlyStore(f"{path} cannot be opened: {error.strerror}") from error
    if not head:
        return
    if head[: len(HEADER)] != HEADER:
        raise NotAStore(f"{path} is not a Recollect store: it is not a database")
    if _is_hollow(head, found.st_size) and not has_bytes(log_of(path)):
        raise StoreError(
            f"{path} is empty: it was copied without its log ({log_of(path).name}), or the log was removed. Put the log"
            " back beside it, or restore a backup; if there was never anything in it, remove the file"
        )


def _check_orphan(path: Path, problem: str) -> None:
    """Refuses to begin anew where something beside the store says that there was one.

    A log tells what was changed in a store; without the store, nobody can read it.
    """
    log, fresh, mark = log_of(path), beside(path, ".new"), beside(path, "-last")
    if has_bytes(fresh):
        raise StoreError(
            f"{path} {problem}: a restore or repair was interrupted. Run it again, or rename {fresh.name} to it"
        )
    if has_bytes(log):
        raise StoreError(
            f"{path} {problem}, but its log is still there ({log.name}). Put the store back beside it, or restore a"
            " backup; to begin anew, move the log elsewhere"
        )
    if told := _last_told(mark):
        raise StoreError(
            f"{path} {problem}, but there was a memory in it: {mark.name} says that entries up to {told} were written."
            " It was deleted, emptied or moved away. Put it back, or restore a backup with `recollect restore FILE`;"
            f" to begin anew, remove {mark.name}"
        )


def is_there(path: Path) -> bool:
    """Is there a store, or what is left of one? Whoever opens that hears what it lacks."""
    return path.exists() or any(has_bytes(beside(path, ending)) for ending in ("-wal", ".new", "-last"))


def _last_told(mark: Path) -> int:
    """Up to which entry a store was acknowledged; 0 where nothing says so."""
    try:
        found = mark.read_bytes()
    except OSError:
        return 0
    return _read_mark(found)[2] if len(found) >= _EARLIER_MARK.size else 0


def _read_mark(found: bytes) -> tuple[int, ...]:
    return (_MARK if len(found) >= _MARK.size else _EARLIER_MARK).unpack_from(found)


def has_bytes(path: Path) -> bool:
    return _length(path) > 0


def _length(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _pages_in(log: Path, page_size: int) -> set[int]:
    """The numbers of the pages that stand in a log since it was last begun anew. SQLite has no locks on its file."""
    found = set[int]()
    try:
        with log.open("rb") as file:
            salt = file.read(_LOG_HEAD)[16:24]
            while len(frame := file.read(_FRAME_HEAD)) == _FRAME_HEAD and frame[8:16] == salt:
                found.add(int.from_bytes(frame[:4]))
                file.seek(page_size, os.SEEK_CUR)
    except OSError:
        return found
    return found


def _is_hollow(head: bytes, size: int) -> bool:
    """One page that says no more than that everything stands in a log."""
    page = int.from_bytes(head[_PAGE_SIZE]) or 4096
    return len(head) == 100 and head[_MODE] == _WITH_A_LOG and size <= page and int.from_bytes(head[60:64]) == 0


def close_to_others(path: Path) -> list[str]:
    """Has only its owner read the store. Answers a note on what stood open."""
    return [
        f"{found} could be read by other users of this machine; now only you can"
        for found in private.tighten(*all_of(path))
    ]


class Watched:
    """The file behind a store: is it still the one that was opened, and how far was it acknowledged?"""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stat_path, self._log = str(path), log_of(path)
        self._mark: int | None = None
        self._told = 0
        self._born = 0
        self._is_made = False
        self._length = 0
        self.identity = _identity(path)
        self._is_live = self.identity is not None
        if self.identity is not None:
            with _LOOKING:
                _LIVE[self.identity] += 1

    def open(self, read_extent: Callable[[], tuple[int, int]]) -> None:
        """Begins to watch a store, unless it has fewer entries than were acknowledged: here, or where it was copied
        from together with its mark.

        What was acknowledged is read before the first and the last entry are: others may be writing.
        """
        self._is_made = True
        try:
            self._mark = private.open_file(beside(self._path, "-last"), os.O_RDWR | os.O_CREAT)
        except OSError:
            return  # who may not write here has nothing to acknowledge
        if not _lock(self._mark, shared=True):
            raise StoreError(f"{self._path} is being repaired or restored; try again when that is done")
        found = os.pread(self._mark, _MARK.size, 0)
        self._born, last = read_extent()
        if len(found) < _EARLIER_MARK.size:
            return
        device, number, told, *born = _read_mark(found)
        if told > last and ((device, number) == self.identity or (self._born and born == [self._born])):
            raise StoreError(
                f"{self._path} lacks its newest entries ({last + 1} to {told}): its log ({log_of(self._path).name})"
                " was removed, cut off or not copied along, or an older copy was put in its place. Put the log back or"
                " restore a backup; to go on with what is there, run `recollect doctor --repair`"
            )

    def close(self) -> None:
        """Called when no connection to the file is left."""
        mark, self._mark = self._mark, None
        if mark is not None:
            os.close(mark)
        with _LOOKING:
            if self._is_live and self.identity is not None:
                _LIVE[self.identity] -= 1
                if not _LIVE[self.identity]:
                    del _LIVE[self.identity]
            self._is_live = False

    def check(self) -> None:
        """Raises where the file is no longer the one that was opened: what is written to it would be lost."""
        self._look()

    def check_length(self, pages: int, page_size: int) -> None:
        """Raises where the file was cut off. Asked within a transaction that writes: how many pages there are does not
        change then, and the log is not begun anew.

        A page that is not in the file is in the log: of one that became smaller that is read, and elsewhere the log
        must have room for it. Others may write the log into the file meanwhile, so the log is looked at first. One
        page, which holds SQLite's locks in a large file, is in neither.
        """
        seen, length = self._length, self._look()
        self._length = length
        if length >= pages * page_size:
            return
        if length < seen:
            logged = _pages_in(self._log, page_size)
            absent = sum(page not in logged for page in range(self._look() // page_size + 1, pages + 1))
        else:
            room = max(_length(self._log) - _LOG_HEAD, 0) // (page_size + _FRAME_HEAD)
            absent = pages - self._look() // page_size - room
        if absent > 1:
            self._length = seen
            raise self._replaced("was cut off")

    def _look(self) -> int:
        """The length of the file, which is still the one that was opened. Since it was made it is never empty."""
        try:
            found = os.stat(self._stat_path)
        except OSError:
            raise self._replaced("was deleted") from None
        if (found.st_dev, found.st_ino) != self.identity:
            raise self._replaced("was replaced by another file")
        if self._is_made and not found.st_size:
            raise self._replaced("was emptied")
        return found.st_size

    def _replaced(self, how: str) -> StoreReplaced:
        return StoreReplaced(
            f"{self._path} {how} while it was open; nothing was kept there. Put it back or restore a backup, and start"
            " this program again"
        )

    def acknowledge(self, last: int, born: Callable[[], int]) -> None:
        """Called when something was committed, and before anybody hears of it."""
        self.check()
        if self._mark is None or self.identity is None or last == self._told:
            return
        self._born = self._born or born()
        try:
            os.pwrite(self._mark, _MARK.pack(*self.identity, last, self._born), 0)
        except OSError:
            return  # what was committed is not denied for a mark that lags behind; the next write moves it on
        self._told = last


@contextmanager
def unwatched(path: Path) -> Generator[None]:
    """Nobody has the store open, and nobody opens it meanwhile. How far it was acknowledged is forgotten."""
    try:
        mark = private.open_file(beside(path, "-last"), os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise ReadOnlyStore(f"{path} cannot be written: {error.strerror}") from error
    try:
        if not _lock(mark, shared=False):
            raise StoreBusy(f"{path} is in use; end the agents and servers that have it open, and try again")
        os.ftruncate(mark, 0)
        yield
    finally:
        os.close(mark)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _lock(file: int, *, shared: bool) -> bool:
    if sys.platform == "win32":
        return True  # there, nobody can replace a file that somebody has open
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
