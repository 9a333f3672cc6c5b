"""Which folders of notes is a space kept in step with, and which may it be?"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from pathlib import Path

from recollect.engine.care.note_files import NoteFiles
from recollect.engine.care.note_pages import KnownFile
from recollect.engine.core import Core
from recollect.errors import InvalidInput
from recollect.ingest.walk_files import is_text
from recollect.store.base import Edit, Shelf, View

FOLDERS = Shelf("vaults", str)
"""The folders that a space is kept in step with, by the names of their shelves."""


def shelf_of(folder: Path) -> Shelf[KnownFile]:
    try:
        there = folder.is_dir()
    except OSError as error:
        raise InvalidInput("folder", f"{folder} cannot be read: {error.strerror}") from error
    if not there:
        raise InvalidInput("folder", f"{folder} is not a folder")
    if not is_text(str(folder.resolve())):
        raise InvalidInput("folder", f"{str(folder)!a} cannot be kept in step: its name is not UTF-8")
    return Shelf(f"vault:{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]}", KnownFile)


def forget_files(edit: Edit, space: str, ids: Collection[str]) -> list[str]:
    """Forgets what the files of some records are called. Answers the folders that hold them until their next sync.

    What a file said stays known as a hash: by that its folder is told a note that nobody changed, which is removed,
    from one that was written since.
    """
    folders: list[str] = []
    for name, folder in edit.kept(FOLDERS, space=space).items():
        shelf = Shelf(name, KnownFile)
        known = edit.kept(shelf, space=space, keys=list(ids))
        if known:
            edit.keep(shelf, {id: KnownFile("", one.hash) for id, one in known.items()}, space=space)
            folders.append(folder)
    return folders


def require_own(core: Core, folder: Path, space: str, shelf: Shelf[KnownFile]) -> None:
    """A folder is in step with one space, and so is all that lies in it: two would take each other's notes."""
    with core.store.read() as view:
        for one in view.spaces():
            if one.name != space and view.kept(shelf, space=one.name):
                raise InvalidInput(
                    "space", f"{folder} is kept in step with the space {one.name!r}; take another folder"
                )
            _require_apart(view, folder, one.name)


def _require_apart(view: View, folder: Path, space: str) -> None:
    """Of two folders that are in step neither lies in the other. One that was moved away since then counts no more."""
    place = folder.resolve()
    for name, kept in view.kept(FOLDERS, space=space).items():
        other = Path(kept)
        if place not in other.parents and other not in place.parents:
            continue
        if NoteFiles(other).is_there(".") and view.kept(Shelf(name, KnownFile), space=space):
            lies, way = ("lies in", "it") if other in place.parents else ("holds", "that one")
            raise InvalidInput(
                "folder",
                f"{folder} {lies} {other}, which is kept in step with the space {space!r}; take another folder, or move"
                f" {way} out first",
            )
