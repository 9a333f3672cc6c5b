"""Where do files lie that belong to one space, and what stands in them?

Each space may have a folder below the store's: `spaces/<name>/`. Any name of a space has exactly one folder, on file
systems that ignore case, too: lower-case letters, digits, `-`, `_` and inner dots stand for themselves, every other
byte is written as `%xx`. What would be too long for a file system ends in a digest, and the name is kept inside.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from recollect import private
from recollect.errors import InvalidInput, NotFound, ReadOnlyStore
from recollect.store.base import Shelf, Store
from recollect.store.choose import OURS

SPACES = "spaces"
IDENTITY_FILE = "identity.txt"
NAME_FILE = "space.txt"
_EARLIER = ("dream.json", "dream.lock")  # what earlier releases kept there
MOST_IDENTITY_BYTES = 64_000
_FILES = Shelf("files", str)
"""What would lie in a space's folder, of a store that has none."""

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_.")
_LONGEST = 180  # characters of a folder's name: file systems take 255 bytes, and some tools less
_DIGEST = 24
_MARK = "~"  # stands in no escaped name
_DEVICES = frozenset(["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))])


def make_home(home: Path) -> list[str]:
    """The folder, for its owner alone. One that others may look into is closed, unless it holds more than a memory."""
    try:
        private.make_folder(home)
        opened = private.tighten(home) if private.holds_only(home, OURS) else []
        return [f"{folder} could be read by other users of this machine; now only you can" for folder in opened]
    except FileExistsError as error:
        raise InvalidInput("folder", f"{home} is a file; name the folder that should hold the store") from error
    except OSError as error:
        raise ReadOnlyStore(f"{home} cannot be made: {error.strerror}") from error


def folder_name(space: str) -> str:
    """The name of a space's folder: safe everywhere, and no two spaces share one."""
    data = space.encode()
    plain = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02x}" for byte in data)
    if plain.startswith(".") or plain.partition(".")[0] in _DEVICES:
        plain = f"%{data[0]:02x}{plain[1:]}"
    if plain.endswith("."):
        plain = f"{plain[:-1]}%2e"
    if len(plain) <= _LONGEST:
        return plain
    digest = hashlib.sha256(data).hexdigest()[:_DIGEST]
    return f"{plain[: _LONGEST - _DIGEST - 1].rstrip('%.')}{_MARK}{digest}"


def place_of(home: Path, space: str) -> Path:
    """Where a space's folder is, or would be."""
    return home / SPACES / folder_name(space)


def make_place(home: Path, space: str) -> Path:
    """The space's folder, made if it is missing."""
    place = place_of(home, space)
    try:
        private.make_folder(place.parent)
        private.make_folder(place)
        if _MARK in place.name and not (place / NAME_FILE).exists():
            _write(place / NAME_FILE, space)
    except OSError as error:
        raise ReadOnlyStore(f"{place} cannot be made: {error.strerror}") from error
    return place


def drop_place(home: Path, space: str) -> None:
    """Removes our own files of a space, and its folder unless a person keeps other files there."""
    place = place_of(home, space)
    for name in (IDENTITY_FILE, NAME_FILE, *_EARLIER):
        (place / name).unlink(missing_ok=True)
    try:
        place.rmdir()
    except OSError:
        return  # it was never made, or is not ours alone


def read_identity(home: Path, space: str) -> str:
    """The text that says who or what a space belongs to; empty where nobody has written one."""
    path = place_of(home, space) / IDENTITY_FILE
    try:
        data = private.read_file(path, MOST_IDENTITY_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror}") from error
    return data.decode("utf-8-sig", "replace").strip()


def write_identity(home: Path, space: str, text: str) -> None:
    """Sets the identity text; an empty one removes it."""
    _require_short(text)
    if text.strip():
        _write(make_place(home, space) / IDENTITY_FILE, text.strip() + "\n")
    else:
        (place_of(home, space) / IDENTITY_FILE).unlink(missing_ok=True)


def identity_of(store: Store, home: Path, space: str) -> str:
    """The identity text: what a store without a folder of its own keeps of it, else the file on this machine."""
    folder = store.site.folder
    if folder is None:
        with store.read() as view:
            kept = view.kept(_FILES, space=space, keys=[IDENTITY_FILE])
        if kept:
            return kept[IDENTITY_FILE]
    return read_identity(folder or home, space)


def keep_identity(store: Store, space: str, text: str) -> None:
    """Sets the identity text, which every machine that shares the store then has."""
    folder = store.site.folder
    if folder is not None:
        write_identity(folder, space, text)
        return
    _require_short(text)
    with store.write() as edit:
        edit.keep(_FILES, {IDENTITY_FILE: text.strip() or None}, space=space)


def require_other(store: Store, path: Path) -> None:
    """Refuses the file that the store itself is kept in: it is read by the store alone, whose locks are on it."""
    if store.site.folder is not None and path.exists() and path.samefile(store.site.location):
        raise InvalidInput("path", f"{path} is the store itself; `recollect export` writes what it holds")


def _require_short(text: str) -> None:
    if len(text.encode()) > MOST_IDENTITY_BYTES:
        raise InvalidInput("identity", f"must have at most {MOST_IDENTITY_BYTES:,} bytes")


def _write(path: Path, text: str) -> None:
    """The whole file or none of it, whoever reads meanwhile."""
    try:
        private.write_text(path, text)
    except OSError as error:
        raise ReadOnlyStore(f"{path} cannot be written: {error.strerror}") from error
