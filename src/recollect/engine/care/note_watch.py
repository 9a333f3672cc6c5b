"""How are a folder of Markdown and a space kept in step while somebody works on either?"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from recollect.engine.care.note_files import NoteFiles, is_hidden, is_note
from recollect.engine.care.vault import NoNotes, sync
from recollect.engine.core import Core, last_entry, wait_for_store
from recollect.engine.intake.results import Synced
from recollect.engine.intake.watching import changes_in
from recollect.errors import InvalidInput

T = TypeVar("T")

_LOOKS_EVERY_MS = 1_000
_TOGETHER_MS = 1_600  # changes that come so close are one


def follow(
    core: Core, folder: Path, space: str, stop: threading.Event, tell: Callable[[str], None]
) -> Iterator[Synced]:
    """Syncs whenever either side has changed, until it is told to stop. A store that is away is waited for, and so are
    notes that all are; that is told."""
    from watchfiles import Change

    def entry() -> int:
        with core.store.read() as view:
            return last_entry(view)

    seen = wait_for_store(entry, tell, stop.wait)
    looks = changes_in(
        folder, lambda path: is_note(Path(path).name), is_hidden, stop,
        every_ms=_LOOKS_EVERY_MS, debounce_ms=_TOGETHER_MS, raise_interrupt=True,
    )  # fmt: skip
    away = waits = False
    for changes in _told(looks, folder):
        gone = any(how is Change.deleted and not Path(path).exists() for how, path in changes)
        if gone and not waits:
            waits = True  # an editor that saves puts another in its place; what is missing is archived
            continue
        now = wait_for_store(entry, tell, stop.wait)
        if away and (changes or not any(NoteFiles(folder).notes())):
            continue  # those that come back one by one are waited for until it is quiet: what is missing is archived
        if not (away or waits or changes or now != seen):
            continue
        waits = False
        try:
            done = wait_for_store(lambda: sync(core, folder, space), tell, stop.wait)
        except NoNotes as error:
            away = True
            tell(f"waiting for the notes: {error.problem}")
            continue
        if away:
            tell("the notes are back")
        away = False
        yield done
        seen = wait_for_store(entry, tell, stop.wait)


def _told(looks: Iterator[T], folder: Path) -> Iterator[T]:
    """The same; where the folder cannot be watched, an error that says so."""
    try:
        yield from looks
    except OSError as error:
        raise InvalidInput("folder", f"{folder} cannot be watched: {error}") from error
