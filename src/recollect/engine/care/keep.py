"""How is a memory kept safe: copied, brought back, saved from damage, made small?"""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

from msgspec import Struct

from recollect.config import Settings, load_settings
from recollect.engine.care import rebuild
from recollect.engine.core import Core, utc_now
from recollect.engine.embedding.semantics import Semantics
from recollect.engine.parse import begin, parse_flag
from recollect.errors import InvalidInput, NotAStore
from recollect.store.base import Changes, Unsealed
from recollect.store.choose import backup_store, open_store, repair_store, restore_store
from recollect.store.kept import Copied, Repaired

_AHEAD = timedelta(hours=1)
APART = timedelta(minutes=5)
"""How far the clocks of those who serve one memory may be from each other."""
_MOST = 100_000
_EXPORT = "`recollect import` an export (.jsonl), as the backups are that a store in a database server makes by itself"
_ONLY_DERIVED = "run `recollect reindex`"


class Compacted(Struct, frozen=True, kw_only=True):
    """How large the store was and is, in bytes."""

    before: int
    after: int


def parse_path(path: str | os.PathLike[str]) -> Path:
    text = os.fspath(path)
    if not text.strip() or "\0" in text:
        raise InvalidInput("path", f"{text!r} names no file")
    found = Path(text).expanduser().absolute()
    try:
        found.exists()
    except OSError as error:
        raise InvalidInput("path", f"{begin(str(found))} cannot be read: {error.strerror}") from error
    return found


def backup(core: Core, path: str | os.PathLike[str]) -> Copied:
    """Copies the memory as it is at this moment, while others may read and write, and reads the copy back."""
    _need_a_file(core.settings, "pg_dump copies it")
    return backup_store(core.settings.home, parse_path(path), core.clock())


def restore(
    path: str | os.PathLike[str], folder: str | os.PathLike[str] | None = None, *, over: bool = False
) -> Copied:
    """Makes a backup the machine's memory, or that of a folder.

    It is read from its first row to its last before anything is changed. A memory that is there already is an error
    or, with `over`, kept aside in a folder beside it; nobody may have it open then.
    """
    settings = load_settings(folder)
    _need_a_file(settings, f"pg_restore brings back a dump, and {_EXPORT}")
    try:
        return restore_store(settings.home, parse_path(path), utc_now(), over=parse_flag(over, "over"))
    except NotAStore as error:
        raise NotAStore(f"{error}; {_EXPORT}") from error


def unsealed(core: Core) -> int:
    """How many rows of an earlier release have no checksum yet; they get one while the memory is open."""
    with core.store.read() as view:
        return view.count(Unsealed())


def compact(core: Core) -> Compacted:
    """Makes the store as small as it can be. Others can read meanwhile; who wants to write waits."""
    before = core.store.size()
    core.store.settle("all")
    return Compacted(before=before, after=core.store.size())


def repair(settings: Settings) -> Repaired:
    """Saves what can be saved of a damaged memory, and makes what is derived anew. Nothing canonical is dropped."""

    def problems() -> list[str]:
        store = open_store(settings.home, utc_now)
        try:
            return [line for line in store.check() if not line.endswith(_ONLY_DERIVED)]
        finally:
            store.close()

    _need_a_file(settings, "its own tools mend it")
    done = repair_store(settings.home, problems, utc_now())
    store = open_store(settings.home, utc_now)
    try:
        if done.kept_aside is not None or list(store.check()):
            core = Core(store, settings, actor="repair")
            rebuild.reindex(core, Semantics(core, None), None)
    finally:
        store.close()
    return done


def _need_a_file(settings: Settings, instead: str) -> None:
    if settings.store is not None:
        raise InvalidInput("store", f"is kept in a database server: {instead}")


def odd_times(core: Core) -> list[str]:
    """Entries that are dated ahead of this machine's clock: it was wrong when they were written, or is now."""
    now = core.clock()
    with core.store.read() as view:
        found = view.journal(Changes(later_than=now + _AHEAD), limit=_MOST)
    if not found:
        return []
    latest = max(change.at for change in found)
    many = "1 entry of the journal is" if len(found) == 1 else f"{len(found):,} entries of the journal are"
    return [
        f"{many} dated ahead of this machine's clock, up to {latest:%Y-%m-%d} (the first is entry {found[0].entry}):"
        f" the clock was wrong when they were written, or is wrong now ({now:%Y-%m-%d %H:%M} UTC)"
    ]
