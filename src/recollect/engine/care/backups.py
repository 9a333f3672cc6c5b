"""How does a memory back itself up while it is served, and when did that last go well?

At the moments that a schedule names, a copy is made and read back from its first row to its last before it has its
name: whatever is called a backup was one. Of a store in a database server the copy is an export. Copies are rotated:
the newest stay, and of earlier weeks one each. A command that the user names is given each copy, to take it elsewhere.
It has an hour, and is ended with the service; what becomes of it says nothing of the copy, which stays and is rotated.
Several stores may have one folder: the names of their copies tell them apart.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from recollect import parts, private
from recollect.config import Settings
from recollect.engine.care import keep
from recollect.engine.core import Core
from recollect.errors import ConfigError, ReadOnlyStore, RecollectError, StoreError
from recollect.ingest.secrets import mask_secrets
from recollect.ingest.walk_files import is_text
from recollect.store.base import Shelf
from recollect.store.choose import is_taken, read_back
from recollect.store.kept import Copied

if TYPE_CHECKING:
    from subprocess import Popen

FOLDER = "backups"
_NAME = re.compile(r"^recollect-(\d{8}-\d{6})((?:-[0-9a-f]{6})?)\.(db|jsonl)$")
_WEEKS = 4
_COMMAND_SECONDS = 3_600.0
_LOOK_SECONDS = 0.2
_END_SECONDS = 1.0
_SAID = 4_000
_STALE = timedelta(days=3)
_STATE = Shelf("backups", str)
_PROBLEM = "problem"
_HANDED = "handed over at"
_BY_HAND = "by hand:"
_MOST_BY_HAND = 10


class Backup(Struct, frozen=True, kw_only=True):
    """A copy that was read back: where it is, when it was made, and how large it is."""

    path: str
    at: datetime
    bytes: int


class Substitute(Struct, frozen=True, kw_only=True):
    """The newest copy that can take the place of a store: what it holds, whether something is in that place, and what
    is wrong with newer ones. `backup` is None where none can.
    """

    backup: Backup | None = None
    versions: int = 0
    taken: bool = False
    spoilt: list[str] = []


class Backed(Struct, frozen=True, kw_only=True):
    """What a run did: the copy, and how many earlier ones it removed."""

    path: str
    bytes: int
    removed: int = 0
    seconds: float = 0.0


def folder_of(settings: Settings) -> Path:
    """Where backups go."""
    return Path(settings.backup_folder).expanduser() if settings.backup_folder else settings.home / FOLDER


def backups_of(settings: Settings) -> list[Backup]:
    """All that there are of a store, the newest first."""
    return backups_in(folder_of(settings), _mark_of(settings))


def backups_in(folder: Path, mark: str = "") -> list[Backup]:
    """All with a mark that there are in a folder, the newest first."""
    try:
        paths = list(folder.iterdir())
    except OSError:
        return []
    made = [_backup_at(path, mark) for path in paths]
    return sorted((one for one in made if one is not None), key=lambda one: one.at, reverse=True)


def known_backups(core: Core) -> list[Backup]:
    """All that there are of a store, those included that somebody made elsewhere by hand, the newest first."""
    there = [_sized(path, at) for path, at in _by_hand(core)]
    known = {one.path: one for one in [*there, *backups_of(core.settings)] if one is not None}
    return sorted(known.values(), key=lambda one: one.at, reverse=True)


def last_good(core: Core) -> Backup | None:
    """The newest that there is of a store, but for those dated in the future: nobody knows of when they are."""
    now = core.clock()
    return next((one for one in known_backups(core) if not _is_ahead(one, now)), None)


def find_substitute(settings: Settings) -> Substitute | None:
    """What can take the place of a store that cannot be opened; None where there are no copies of it."""
    if settings.store is not None:
        return None
    here = [one for folder in _folders_in(settings.home) for one in backups_in(folder)]
    known = {os.path.realpath(one.path): one for one in [*here, *backups_of(settings)]}
    found = sorted(known.values(), key=lambda one: one.at, reverse=True)
    spoilt: list[str] = []
    for one in found:
        if not one.path.endswith(".db"):
            continue
        try:
            held = read_back(Path(one.path))
        except RecollectError as error:
            spoilt.append(str(error))
        else:
            return Substitute(backup=one, versions=held.records, taken=is_taken(settings.home), spoilt=spoilt)
    return Substitute(spoilt=spoilt) if spoilt else None


def _folders_in(home: Path) -> list[Path]:
    """Where in a memory's folder copies may lie, beside those of a schedule: somebody may have made some by hand."""
    try:
        return [home, *(path for path in sorted(home.iterdir()) if path.is_dir())]
    except OSError:
        return []


def aside_in(home: Path) -> list[Path]:
    """What restores, repairs and upgrades have kept of a memory's stores, the newest last."""
    found = {path for form in (*_KEPT_ASIDE, f"{FOLDER}/before-upgrade-*.db") for path in home.glob(form)}
    return sorted(found, key=lambda path: (path.lstat().st_mtime, path))


def back_up_to(core: Core, path: str | os.PathLike[str]) -> Copied:
    """Makes a copy where somebody wants one, and notes where that is."""
    copied = keep.backup(core, path)
    held = [f"{_BY_HAND}{place}" for place, _ in _by_hand(core)]
    if is_text(copied.path):
        noted: dict[str, str | None] = dict.fromkeys(held[_MOST_BY_HAND - 1 :])
        noted[f"{_BY_HAND}{copied.path}"] = core.clock().isoformat()
        # the copy is made, also where no more can be written to the store
        with suppress(StoreError), core.store.write(actor=core.actor) as edit:
            edit.keep(_STATE, noted)
    return copied


def _by_hand(core: Core) -> list[tuple[Path, datetime]]:
    """Where copies were made by hand, and when, the newest first; some may be gone since."""
    with core.store.read() as view:
        held = view.kept(_STATE)
    made = [
        (Path(name.removeprefix(_BY_HAND)), datetime.fromisoformat(at))
        for name, at in held.items()
        if name.startswith(_BY_HAND)
    ]
    return sorted(made, key=lambda one: one[1], reverse=True)


def _sized(path: Path, at: datetime) -> Backup | None:
    try:
        return Backup(path=str(path), at=at, bytes=path.stat().st_size)
    except OSError:
        return None


def _is_ahead(backup: Backup, now: datetime) -> bool:
    return backup.at > now + keep.APART


def _mark_of(settings: Settings) -> str:
    """What the names of a store's copies end with where others may have theirs in the same folder."""
    if settings.backup_folder is None:
        return ""
    place = re.sub("//[^/@]*@", "//", settings.store) if settings.store else str(settings.home.resolve())
    return f"-{hashlib.sha256(place.encode('utf-8', 'surrogateescape')).hexdigest()[:6]}"


_KEPT_ASIDE = ("recollect-replaced-*", "recollect-damaged-*", "*.db.new")
"""What a restore or a repair put aside instead of deleting it."""


def copies_since(core: Core, moment: datetime) -> str | None:
    """Which copies may hold what was there at a moment, in words; None where there are none.

    What is left of copies whose processes were killed is removed.
    """
    settings, told = core.settings, list[str]()
    for folder in dict.fromkeys((folder_of(settings), settings.home / FOLDER, settings.home)):
        parts.sweep(folder)
        if unfinished := [path.name for path in parts.parts_in(folder)]:
            told.append(
                f"what {' and '.join(unfinished)} in {folder} may hold of it: a copy is being made there, or could not"
                " be finished or removed"
            )
    for folder in dict.fromkeys((folder_of(settings), settings.home / FOLDER)):  # where those before an upgrade are
        if backups := _since(moment, folder, ("recollect-[0-9]*", "before-upgrade-*")):
            count = "a backup" if len(backups) == 1 else f"{len(backups)} backups"
            told.append(
                f"what {count} in {folder} may hold of it; that stays until you delete them or newer ones take their"
                " place"
            )
    if aside := _since(moment, settings.home, _KEPT_ASIDE):
        told.append(
            f"what {' and '.join(aside)} in {settings.home} may hold of it; that was kept aside for you to delete"
        )
    told += [
        f"what the backup {path} may hold of it; that stays until you delete it"
        for path, at in _by_hand(core)
        if at >= moment and path.parent not in (folder_of(settings), settings.home / FOLDER) and not _is_gone(path)
    ]
    return "; and ".join(told) or None


def _is_gone(path: Path) -> bool:
    """Was it deleted? What was on a disk that is not here now was not."""
    return path.parent.is_dir() and not path.exists()


def _since(moment: datetime, folder: Path, forms: Sequence[str]) -> list[str]:
    """The names in a folder that have one of some forms and were written after a moment."""
    found: list[str] = []
    for path in (path for form in forms for path in folder.glob(form)):
        with suppress(FileNotFoundError):  # one was rotated out just now
            found += [path.name] if path.stat().st_mtime >= moment.timestamp() else []
    return sorted(found)


def _backup_at(path: Path, mark: str) -> Backup | None:
    """What a file is by its name; None where it is no backup of the store, or was rotated out just now."""
    named = _NAME.match(path.name)
    if named is None or named[2] != mark:
        return None
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return None
    at = datetime.strptime(named[1], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
    return Backup(path=str(path), at=at, bytes=size)


def back_up(core: Core, stopped: Callable[[], bool] = lambda: False) -> Backed:
    """Makes a copy, gives it to the command if there is one, and removes what is too old. What fails is noted."""
    try:
        done = _back_up(core, stopped)
    except RecollectError as error:
        _note(core, _PROBLEM, str(error))
        raise
    _note(core, _PROBLEM, None)
    return done


def _back_up(core: Core, stopped: Callable[[], bool]) -> Backed:
    settings, began = core.settings, core.clock()
    folder = folder_of(settings)
    try:
        private.make_folder(folder)
    except OSError as error:
        raise ReadOnlyStore(f"backup_folder: {folder} cannot be made: {error.strerror}") from error
    path, size = _copy(core, folder / f"recollect-{began:%Y%m%d-%H%M%S}{_mark_of(settings)}")
    try:
        if settings.backup_command:
            _note(core, _HANDED, f"{began:%Y-%m-%d %H:%M:%S} UTC")
            try:
                _hand_over(settings.backup_command, path, stopped)
            finally:
                _note(core, _HANDED, None)
    finally:
        found = [one for one in backups_of(settings) if not _is_ahead(one, began)]
        removed = _rotate(found, path, settings.backup_keep)
    return Backed(path=path, bytes=size, removed=removed, seconds=(core.clock() - began).total_seconds())


def _copy(core: Core, target: Path) -> tuple[str, int]:
    if core.settings.store is None:
        copied = keep.backup(core, target.with_suffix(".db"))
        return copied.path, copied.bytes
    from recollect.engine.care import export  # of those alone who keep a memory elsewhere

    path = target.with_suffix(".jsonl")
    export.export(core, path, None, None)
    try:
        export.verify(path)
    except RecollectError:
        path.unlink(missing_ok=True)
        raise
    return str(path), path.stat().st_size


def _hand_over(command: str, path: str, stopped: Callable[[], bool]) -> None:
    """Has the user's command take the copy elsewhere: `{path}` in it stands for the file."""
    words = parse_command(command)
    line = [word.replace("{path}", path) for word in words]
    if line == words:
        line.append(path)
    import subprocess  # of those alone who have such a command
    import tempfile

    where = f"the copy is at {path}"
    with tempfile.TemporaryFile() as told:
        try:
            running = subprocess.Popen(
                line, stdin=subprocess.DEVNULL, stdout=told, stderr=subprocess.STDOUT, start_new_session=True
            )
        except OSError as error:
            raise ConfigError(f"backup_command: {words[0]} could not be run: {error}; {where}") from error
        try:
            ended = _wait(running, stopped)
        finally:
            _end(running)
        if ended is None:
            why = "was ended with the service" if stopped() else f"did not end within {_COMMAND_SECONDS:,.0f} seconds"
            raise ConfigError(f"backup_command: {words[0]} {why}; {where}")
        told.seek(max(told.seek(0, os.SEEK_END) - _SAID, 0))
        said = told.read().decode(errors="replace").strip().splitlines()
    if ended:
        why = f": {mask_secrets(said[-1])[0][:200]}" if said else ""
        raise ConfigError(f"backup_command: {words[0]} ended with {ended}{why}; {where}")


def _wait(running: Popen[bytes], stopped: Callable[[], bool]) -> int | None:
    """What a command ended with; None where it took too long, or is to be ended."""
    until = time.monotonic() + _COMMAND_SECONDS
    while (ended := running.poll()) is None and not stopped() and time.monotonic() < until:
        time.sleep(_LOOK_SECONDS)
    return ended


def _end(running: Popen[bytes]) -> None:
    """Ends a command with all that it has started, politely at first."""
    for how in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        until = time.monotonic() + _END_SECONDS
        if running.poll() is None:
            _signal(running, how)
        while running.poll() is None and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS / 4)


def _signal(running: Popen[bytes], how: signal.Signals) -> None:
    with suppress(ProcessLookupError):  # it has just ended
        if hasattr(os, "killpg"):
            os.killpg(running.pid, how)
        else:
            running.send_signal(how)


def parse_command(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"backup_command: cannot be read: {error}") from error  # what it holds may be a secret
    if not words:
        raise ConfigError("backup_command: is empty; leave it out, or name a program")
    return words


def _rotate(found: Sequence[Backup], made: str, keep: int) -> int:
    """Removes what was not just made, and is neither among the newest nor the newest of its week, four weeks back."""
    stay = {made, *(one.path for one in found[:keep])}
    weeks: dict[tuple[int, int], str] = {}
    for one in found:
        weeks.setdefault(one.at.isocalendar()[:2], one.path)
    stay |= set(list(weeks.values())[:_WEEKS])
    gone = [one for one in found if one.path not in stay]
    for one in gone:
        Path(one.path).unlink(missing_ok=True)
    return len(gone)


def _note(core: Core, name: str, told: str | None) -> None:
    with core.store.read() as view:
        held = view.kept(_STATE).get(name)
    if held != told:
        with core.store.write(actor=core.actor) as edit:
            edit.keep(_STATE, {name: told})


def last_problem(core: Core) -> str | None:
    """What the last attempt failed with, if it did."""
    with core.store.read() as view:
        return view.kept(_STATE).get(_PROBLEM)


def failures(core: Core) -> list[str]:
    """That the last attempt failed, and with what."""
    problem = last_problem(core)
    return [] if problem is None else [f"the last backup failed: {problem}"]


def advice(core: Core) -> list[str]:
    """What a person should hear of backups: that a command has not ended, that the last good one is old, or that some
    are dated in the future.
    """
    now = core.clock()
    last = last_good(core)
    with core.store.read() as view:
        since = view.kept(_STATE).get(_HANDED)
    told = [] if since is None else [f"backup_command was given a copy at {since}, and has not ended since"]
    if last is not None and now - last.at > _STALE:
        told.append(
            f"the last backup is of {last.at:%Y-%m-%d}: `recollect up` makes them by itself, `recollect backup"
            " FOLDER` makes one now"
        )
    return [*told, *_advise_dates([one for one in backups_of(core.settings) if _is_ahead(one, now)], now)]


def _advise_dates(ahead: Sequence[Backup], now: datetime) -> list[str]:
    if not ahead:
        return []
    count = "a backup is" if len(ahead) == 1 else f"{len(ahead)} backups are"
    return [
        f"{count} dated in the future, and not counted as the last one ({ahead[0].path}): this machine's clock was"
        f" wrong when they were made, or is wrong now ({now:%Y-%m-%d %H:%M} UTC); they stay until you delete them or"
        " their date has come"
    ]
