"""Is the file of a store what it should be, and still the one that was opened?

Beside the store lies a small file that says up to which entry the store was acknowledged. A store that has fewer lost
its log on the way, and is not written to before somebody has looked. Everyone who has the store open holds a lock on
that file, so that nobody puts another store in its place meanwhile.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from recollect import private
from recollect.errors import NotAStore, ReadOnlyStore, StoreBusy, StoreError, StoreReplaced
from recollect.store.sqlite.log import FRAME_HEAD, HEAD, LogHead, check_log, read_log_head

if sys.platform != "win32":
    import fcntl

HEADER = b"SQLite format 3\0"
_PAGE_SIZE, _MODE = slice(16, 18), 18
_WITH_A_LOG = 2  # the mode of a database whose newest pages stand in a log
_MARK = struct.Struct("<QQQQQ")
"""Device and number of the file, its last entry, when its first was written, and when the file itself was."""
_EARLIER_MARKS = (struct.Struct("<QQQQ"), struct.Struct("<QQQ"))
_LEAST_MARK = _EARLIER_MARKS[-1].size
_LIVE: Counter[tuple[int, int]] = Counter()
"""The files that stores of this process have open."""
_LOOKING = threading.Lock()
_PATIENCE, _LOOK_SECONDS = 2.0, 0.01  # while somebody else looks whether a log belongs to its file


def beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def log_of(path: Path) -> Path:
    return beside(path, "-wal")


def all_of(path: Path) -> list[Path]:
    """The files that make up a store."""
    return [path, log_of(path), beside(path, "-shm"), beside(path, "-last")]


_MOUNTS = Path("/proc/self/mountinfo")
_ESCAPED = re.compile(r"\\([0-7]{3})")
"""How a blank, a tab, the end of a line and a backslash stand in that table."""
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
        point = _ESCAPED.sub(lambda found: chr(int(found[1], 8)), words[4])
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
    for ending in ("-journal", "-wal", "-shm", "-last"):
        if not private.is_plain(beside(path, ending)):
            raise NotAStore(
                f"{beside(path, ending)} is a link, a folder, a pipe or a device, and not a plain file; move it away"
            )
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
    if has_bytes(log_of(path)):
        _check_left_log(path, found)


def _check_left_log(path: Path, file: os.stat_result) -> None:
    """Looks whether a log belongs to its file, where nobody has them open and the file is not as it was left."""
    try:
        mark = private.open_file(beside(path, "-last"), os.O_RDWR)
    except FileNotFoundError:
        check_log(path, log_of(path))
        return
    except OSError:
        return  # who may not write here changes nothing
    try:
        if not _is_left(mark):
            return
        found = os.pread(mark, _MARK.size, 0)
        device, number, *_, written = _read_mark(found) if len(found) >= _LEAST_MARK else (0, 0, 0)
        if (device, number, written) != (file.st_dev, file.st_ino, file.st_mtime_ns):
            check_log(path, log_of(path))
    finally:
        os.close(mark)


def _is_left(mark: int) -> bool:
    """Has nobody the store open? Then nobody opens it while the mark is."""
    deadline = time.monotonic() + _PATIENCE
    while not _lock(mark, shared=False):
        if _lock(mark, shared=True) or time.monotonic() > deadline:
            return False
        time.sleep(_LOOK_SECONDS)
    return True


def _join(mark: int) -> bool:
    """Holds a lock on the mark with all others who have the store open."""
    deadline = time.monotonic() + _PATIENCE
    while not _lock(mark, shared=True):
        if time.monotonic() > deadline:
            return False
        time.sleep(_LOOK_SECONDS)
    return True


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
        found = private.read_file(mark)
    except OSError:
        return 0
    return _read_mark(found)[2] if len(found) >= _LEAST_MARK else 0


def _read_mark(found: bytes) -> tuple[int, ...]:
    return next(form for form in (_MARK, *_EARLIER_MARKS) if len(found) >= form.size).unpack_from(found)


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
            salt = file.read(HEAD)[16:24]
            while len(frame := file.read(FRAME_HEAD)) == FRAME_HEAD and frame[8:16] == salt:
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
        self._stat_path, self._log, self._stat_log = str(path), log_of(path), str(log_of(path))
        self._log_file: int | None = None
        self._log_known = (LogHead(is_log=False, salt=b""), 0)
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
        if not _join(self._mark):
            raise StoreError(f"{self._path} is being repaired or restored; try again when that is done")
        found = os.pread(self._mark, _MARK.size, 0)
        self._born, last = read_extent()
        self._open_log()
        if len(found) < _LEAST_MARK:
            return
        device, number, told, *more = _read_mark(found)
        if told > last and ((device, number) == self.identity or (self._born and more[:1] == [self._born])):
            raise StoreError(
                f"{self._path} lacks its newest entries ({last + 1} to {told}): its log ({log_of(self._path).name})"
                " was removed, cut off or not copied along, or an older copy was put in its place. Put the log back or"
                " restore a backup; to go on with what is there, run `recollect doctor --repair`"
            )

    def close(self) -> None:
        """Called when no connection to the file is left."""
        for held in (self._mark, self._log_file):
            if held is not None:
                os.close(held)
        self._mark = self._log_file = None
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
        self._check_log()
        seen, length = self._length, self._look().st_size
        self._length = length
        if length >= pages * page_size:
            return
        if length < seen:
            logged = _pages_in(self._log, page_size)
            absent = sum(page not in logged for page in range(self._look().st_size // page_size + 1, pages + 1))
        else:
            room = max(_length(self._log) - HEAD, 0) // (page_size + FRAME_HEAD)
            absent = pages - self._look().st_size // page_size - room
        if absent > 1:
            self._length = seen
            raise self._replaced("was cut off")

    def _look(self) -> os.stat_result:
        """The file, which is still the one that was opened. Since it was made it is never empty."""
        try:
            found = os.stat(self._stat_path)
        except OSError:
            raise self._replaced("was deleted") from None
        if (found.st_dev, found.st_ino) != self.identity:
            raise self._replaced("was replaced by another file")
        if self._is_made and not found.st_size:
            raise self._replaced("was emptied")
        return found

    def _open_log(self) -> None:
        """SQLite has the same file open until the store is closed, and has no locks on it."""
        try:
            self._log_file = private.open_file(self._log, os.O_RDONLY)
        except OSError:
            return  # of a store that is a link, it lies elsewhere
        self._log_identity = _of(os.fstat(self._log_file))

    def _check_log(self) -> None:
        """Raises where the log is no longer the one that was opened, or has lost what stood in it.

        It becomes shorter only when it is begun anew, and then begins otherwise. It may be empty: whoever writes all of
        it into the file empties it. What is written to one that somebody else emptied stands behind a hole.
        """
        if self._log_file is None:
            return
        while True:  # until nobody begins it anew while it is looked at
            head = os.pread(self._log_file, HEAD, 0)
            try:
                found = os.stat(self._stat_log)
            except OSError:
                raise self._lost_log("was removed") from None
            if os.pread(self._log_file, HEAD, 0) == head:
                break
        if _of(found) != self._log_identity:
            raise self._lost_log("was replaced by another file")
        log, (known, length) = read_log_head(head), self._log_known
        if found.st_size and (not log.is_log or (log == known and found.st_size < length)):
            raise self._lost_log("was emptied or cut off")
        self._log_known = (log, found.st_size)

    def _lost_log(self, how: str) -> StoreReplaced:
        return StoreReplaced(
            f"{self._log}, the log of the store, {how} while it was open; this was not kept, and what was written"
            " shortly before may be lost. End this program as usual, so that it writes what it still has, start it"
            " again and run `recollect doctor`"
        )

    def _replaced(self, how: str) -> StoreReplaced:
        return StoreReplaced(
            f"{self._path} {how} while it was open; nothing was kept there. Put it back or restore a backup, and start"
            " this program again"
        )

    def acknowledge(self, last: int, born: Callable[[], int]) -> None:
        """Called when something was committed, and before anybody hears of it."""
        file = self._look()
        self._check_log()
        if self._mark is None or self.identity is None or last == self._told:
            return
        self._born = self._born or born()
        try:
            os.pwrite(self._mark, _MARK.pack(*self.identity, last, self._born, file.st_mtime_ns), 0)
        except OSError:
            return  # what was committed is not denied for a mark that lags behind; the next write moves it on
        self._told = last


@contextmanager
def unwatched(path: Path) -> Generator[int]:
    """Nobody has the store open, and nobody opens it meanwhile. Gives the file that tells how far it was
    acknowledged.
    """
    try:
        mark = private.open_file(beside(path, "-last"), os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise ReadOnlyStore(f"{path} cannot be written: {error.strerror}") from error
    try:
        if not _lock(mark, shared=False):
            raise StoreBusy(f"{path} is in use; end the agents and servers that have it open, and try again")
        yield mark
    finally:
        os.close(mark)


@contextmanager
def forgotten(path: Path) -> Generator[None]:
    """How far a store was acknowledged is forgotten, unless what is done meanwhile fails."""
    with unwatched(path) as mark:
        told = os.pread(mark, _MARK.size, 0)
        os.ftruncate(mark, 0)
    try:
        yield
    except BaseException:
        with unwatched(path) as mark:
            os.pwrite(mark, told, 0)
        raise


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return _of(found)


def _of(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _lock(file: int, *, shared: bool) -> bool:
    if sys.platform == "win32":
        return True  # there, nobody can replace a file that somebody has open
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
