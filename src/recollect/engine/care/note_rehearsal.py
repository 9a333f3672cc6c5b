"""What would a sync of a folder of Markdown do, to the memory and to the folder?"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from recollect.engine.care.note_files import NoteFiles
from recollect.engine.care.note_folders import require_own, shelf_of
from recollect.engine.care.vault import Run
from recollect.engine.core import Core, joined
from recollect.engine.intake.results import Synced
from recollect.types import FileProblem


class Rehearsed(Struct, frozen=True, kw_only=True):
    """What a sync would do; `written` are the files that it would write, `removed` those that it would remove."""

    would: Synced
    written: tuple[str, ...]
    removed: tuple[str, ...]


class _Untouched(NoteFiles):
    """Files of which is only noted what would become of them."""

    def __init__(self, top: Path) -> None:
        super().__init__(top)
        self.written: dict[str, None] = {}
        self.removed: dict[str, None] = {}

    def write(self, path: str, data: bytes, was: bytes | None) -> bool:
        if path not in self.written and self.read(path) != was:
            return False
        if data != was:
            self.written[path] = None
        return True

    def remove(self, path: str, was: bytes) -> None:
        if self.read(path) == was:
            self.removed[path] = None

    def sweep(self) -> list[FileProblem]:
        return []


class _Over(Exception):
    """All is told; nothing of it is kept."""


def rehearse_sync(core: Core, folder: Path, space: str) -> Rehearsed:
    """Goes through all that a sync does, and takes it back."""
    shelf, files = shelf_of(folder), _Untouched(folder)
    require_own(core, folder, space, shelf)
    would: Synced | None = None
    try:
        with joined(core):
            would = Run(core, folder, space, shelf, files).run()
            raise _Over
    except _Over:
        assert would is not None
        return Rehearsed(would=would, written=tuple(files.written), removed=tuple(files.removed))
