"""How is a store copied while it is in use, and how does a copy become the store again?

A copy is one file without a log. It is read back before it gets its name: a file of that name is whole.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from recollect import parts, private
from recollect.errors import (
    Conflict,
    InvalidInput,
    NotAStore,
    NotFound,
    ReadOnlyStore,
    RecollectError,
    StoreDamaged,
    StoreError,
    StoreFull,
)
from recollect.store.kept import Copied
from recollect.store.sql.sound import broken_rows
from recollect.store.sqlite.connect import convert_error, damaged, format_of, is_unwritten, migrate
from recollect.store.sqlite.database import SqliteDatabase
from recollect.store.sqlite.file import all_of, beside, check_file, has_bytes, log_of, unwatched

_KEPT_BEFORE = 3
_COUNTED = ("records", "entities", "relations", "journal")


def backup(path: Path, target: Path, now: datetime) -> Copied:
    """Copies a store that others may be writing to. A folder, or a name without an ending, gets a file with a time."""
    check_file(path)
    if not path.exists():
        raise NotFound(f"there is no store at {path}")
    if target.is_dir() or (not target.suffix and not target.exists()):
        target = target / f"recollect-{now:%Y%m%d-%H%M%S}.db"
    if target.exists():
        raise Conflict(f"{target} is there already; name another file, or a folder")
    with _making(target) as part:
        with _telling(path, target, lambda what: damaged(path, what)):
            counts = _copy(path, part)
            found = _verify(part, path)
        if found != counts:
            raise StoreDamaged(f"the copy at {target} is not what was copied ({found}, not {counts}); nothing was kept")
    return _copied(target, found, None)


@contextmanager
def _making(target: Path) -> Generator[Path]:
    """A file beside the one that is to be, which takes its name when all went well."""
    try:
        private.make_folder(target.parent)
    except OSError as error:
        raise ReadOnlyStore(f"{target.parent} cannot be made: {error.strerror}; a copy is to go there") from error
    try:
        with parts.making(target) as part:
            private.make_file(part)
            yield part
            os.replace(part, target)
    except OSError as error:
        raise ReadOnlyStore(f"{target} cannot be written: {error.strerror}") from error
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise convert_error(error, target) from error


def _copy(path: Path, part: Path) -> dict[str, int]:
    """Copies one snapshot, and answers what it holds."""
    with closing(sqlite3.connect(path, isolation_level=None)) as source, closing(sqlite3.connect(part)) as copy:
        source.execute("BEGIN")
        if format_of(source, path) == 0:
            raise NotAStore(f"{path} is empty: it is no copy of a Recollect store")
        counts = _count(source)
        source.backup(copy)
        source.execute("ROLLBACK")
        copy.execute("PRAGMA journal_mode = DELETE")
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    return counts


def _count(connection: sqlite3.Connection) -> dict[str, int]:
    named = {"journal": "entries"}
    return {
        named.get(table, table): connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in _COUNTED
    }


def _verify(part: Path, path: Path) -> dict[str, int]:
    """Reads a copy from its first page to its last, and every canonical row of it. Answers what it holds."""
    with closing(sqlite3.connect(f"{part.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)) as found:
        migrate(found, path)  # a copy of an earlier release is read by today's rules
        problems = [line for (line,) in found.execute("PRAGMA integrity_check(5)") if line != "ok"]
        problems += broken_rows(SqliteDatabase(found))
        counts = _count(found)
    if problems:
        raise sqlite3.DatabaseError(problems[0].partition(";")[0])
    return counts


@contextmanager
def _telling(path: Path, target: Path, tell: Callable[[object], StoreDamaged]) -> Generator[None]:
    """Tells what is wrong with the file that is copied, whichever copy of it was read, or with the place of the copy:
    of both that alone is written to.
    """
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if isinstance(error, sqlite3.Error) and is_unwritten(error):
            raise _unwritten(error, target) from error
        found = convert_error(error, path)
        raise tell(error) if type(found) in (StoreDamaged, StoreError) else found from error


def _unwritten(error: sqlite3.Error, target: Path) -> RecollectError:
    found = convert_error(error, target)
    if isinstance(found, StoreFull):
        return found
    return ReadOnlyStore(f"{target} cannot be written: {error}; nothing was changed")


def _spoilt(source: Path, what: object) -> StoreDamaged:
    return StoreDamaged(f"{source} cannot be restored: the copy is damaged ({what}). Nothing was changed; name another")


def restore(path: Path, source: Path, now: datetime, *, over: bool) -> Copied:
    """Makes a copy the store. One that is there is kept aside, where that is asked for."""
    if not source.is_file():
        raise NotFound(f"there is no backup at {source}")
    if source.resolve() == path.resolve():
        raise InvalidInput("path", f"{source} is the store itself; name a backup")
    check_file(source)
    if is_taken(path) and not over:
        raise Conflict(f"there is a store at {path} already; with --over it is kept aside and replaced")
    fresh = beside(path, ".new")
    with _making(fresh) as part, _telling(source, path, lambda what: _spoilt(source, what)):
        _copy(source, part)
        found = _verify(part, source)
    try:
        aside = put_in_place(path, fresh, now, "replaced")
    except RecollectError:
        fresh.unlink(missing_ok=True)
        raise
    return _copied(path, found, aside)


def read_back(source: Path) -> Copied:
    """Reads a copy as a restore does, and changes nothing."""
    check_file(source)
    with (
        TemporaryDirectory(prefix="recollect-") as folder,
        _telling(source, Path(folder), lambda what: StoreDamaged(f"{source} is damaged ({what})")),
    ):
        part = Path(folder, source.name)
        _copy(source, part)
        found = _verify(part, source)
    return _copied(source, found, None)


def is_taken(path: Path) -> bool:
    """Is there anything in the place of a store that a restore would put aside?"""
    return any(has_bytes(one) for one in all_of(path)[:2])


def keep_before(path: Path, number: int, now: datetime) -> Path:
    """Copies a store as it is, before it is brought to a newer format. Only the last few such copies stay."""
    folder = path.parent / "backups"
    target = folder / f"before-upgrade-from-format-{number}-{now:%Y%m%d-%H%M%S}.db"
    with _making(target) as part:
        _copy(path, part)
        with closing(sqlite3.connect(f"{part.absolute().as_uri()}?mode=ro", uri=True)) as found:
            wrong = [line for (line,) in found.execute("PRAGMA integrity_check(1)") if line != "ok"]
        if wrong:
            raise StoreDamaged(
                f"{path} is damaged, and is not upgraded: {wrong[0]}; run `recollect doctor` of its release"
            )
    found = (one for one in folder.glob("before-upgrade-from-format-*.db") if one != target)
    earlier = sorted(found, key=lambda one: one.name[-18:])
    for one in earlier[: 1 - _KEPT_BEFORE]:  # the one just made stays, whatever the dates of others say
        one.unlink(missing_ok=True)
    return target


def _copied(path: Path, found: Mapping[str, int], aside: Path | None) -> Copied:
    return Copied(
        path=str(path), bytes=path.stat().st_size, records=found["records"], entities=found["entities"],
        relations=found["relations"], entries=found["entries"], kept_aside=None if aside is None else str(aside),
    )  # fmt: skip


def put_in_place(path: Path, fresh: Path, now: datetime, why: str) -> Path | None:
    """Gives another file the store's name. What had it is moved to a folder of its own, which is answered."""
    with unwatched(path) as mark:
        aside = path.with_name(f"recollect-{why}-{now:%Y%m%d-%H%M%S}")
        old = [one for one in (path, log_of(path)) if one.exists()]
        if old:
            private.make_folder(aside)
            for one in old:
                os.replace(one, aside / one.name)
        beside(path, "-shm").unlink(missing_ok=True)
        os.replace(fresh, path)
        os.ftruncate(mark, 0)
    return aside if old else None


def copied_with_its_log(path: Path, folder: Path) -> Path:
    """A store as it lies there, with its log, where it can be worked on."""
    copy = folder / path.name
    shutil.copyfile(path, copy)
    if log_of(path).exists():
        shutil.copyfile(log_of(path), log_of(copy))
    return copy
