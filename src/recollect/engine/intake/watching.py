"""When has something in a folder changed that an index, or a memory that is in step with notes, should know of?

What watches for the system follows links to folders: into another tree, however large, or where nobody may look. So
where there are any, each folder that is none is watched by itself, and they are listed anew when one comes.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.ingest.walk_files import IGNORE_FILES, skip_name

if TYPE_CHECKING:
    from watchfiles.main import FileChange

QUIET_MS = 500
"""Changes are told of once nothing more has changed for this long."""
_PATIENCE_MS = 5_000  # where changes never end, they are told of this often
_LOOKS_EVERY_MS = 50


def changes_in(
    root: Path, matters: Callable[[str], bool], skips: Callable[[str], bool], stop: threading.Event,
    *, every_ms: int, debounce_ms: int, raise_interrupt: bool,
) -> Iterator[set[FileChange]]:  # fmt: skip
    """What changes in a folder and matters, as it does, and nothing now and then where nothing has changed. Folders
    whose name is one to be skipped are not looked into. Raises OSError where it cannot be watched.
    """
    from watchfiles import Change, watch

    came: set[FileChange] = set()
    while True:
        folders, linked = _folders(root, skips)
        if not folders:
            raise FileNotFoundError("there is no such folder")
        looks = watch(
            *(folders if linked else [root]), recursive=not linked, ignore_permission_denied=True, watch_filter=None,
            debounce=debounce_ms, step=debounce_ms // 2, stop_event=stop, rust_timeout=every_ms, yield_on_timeout=True,
            raise_interrupt=raise_interrupt,
        )  # fmt: skip
        try:
            for n, changes in enumerate(looks):
                meant = came | {(how, path) for how, path in changes if matters(path)}
                new = [path for how, path in changes if linked and how is Change.added and _is_new(path)]
                if linked and n == 0:  # what came between the list and the watch
                    new += [str(one) for one in set(_folders(root, skips)[0]).difference(folders)]
                came = {(Change.added, path) for path in new}
                if meant or not changes:
                    yield meant
                if came:
                    break
            else:
                return
        except RuntimeError as error:  # which it raises of all that the system says besides
            raise OSError(str(error)) from error


def _folders(root: Path, skips: Callable[[str], bool]) -> tuple[list[Path], bool]:
    """The folders in a folder, itself among them, and whether a link to one stands beside them."""
    found, linked = list[Path](), False
    for folder, names, _ in os.walk(root):
        found.append(Path(folder))
        linked = linked or any(os.path.islink(os.path.join(folder, name)) for name in names)
        names[:] = [name for name in names if not skips(name) and not os.path.islink(os.path.join(folder, name))]
    return found, linked


def _is_new(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def watch_folder(root: Path, stop: threading.Event, ready: threading.Event) -> Iterator[None]:
    """Tells whenever files that could belong to a project have changed. Ends when told to, with the folder, or where it
    cannot be watched."""
    looks = changes_in(
        root, lambda path: matters(root, path), lambda name: skip_name(name, folder=True) is not None, stop,
        every_ms=_LOOKS_EVERY_MS, debounce_ms=_LOOKS_EVERY_MS, raise_interrupt=False,
    )  # fmt: skip
    first = last = 0.0
    try:
        for changes in looks:
            ready.set()
            now = time.monotonic()
            if changes:
                first, last = first or now, now
            if first and ((now - last) * 1e3 >= QUIET_MS or (now - first) * 1e3 >= _PATIENCE_MS):
                first = 0.0
                yield
            if not root.is_dir():
                break
    except OSError:
        stop.wait(0)  # the folder is gone, and so is what there was to watch
    if not stop.is_set():
        yield


def matters(root: Path, path: str) -> bool:
    """Could a change of this path be one of the project's files, or of what is left out of it?"""
    try:
        *above, name = Path(path).relative_to(root).parts
    except ValueError:  # the root itself, or something outside of it
        return Path(path) == root
    if any(skip_name(part, folder=True) for part in above):
        return False
    if name in IGNORE_FILES:
        return True
    return skip_name(name, folder=False) is None and not (skip_name(name, folder=True) and Path(path).is_dir())
