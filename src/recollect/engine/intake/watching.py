"""When has something in a folder changed that an index should know of?"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

from recollect.ingest.walk_files import IGNORE_FILES, skip_name

QUIET_MS = 500
"""Changes are told of once nothing more has changed for this long."""
_PATIENCE_MS = 5_000  # where changes never end, they are told of this often
_LOOKS_EVERY_MS = 50


def watch_folder(root: Path, stop: threading.Event, ready: threading.Event) -> Iterator[None]:
    """Tells whenever files that could belong to a project have changed. Ends when told to, or with the folder."""
    from watchfiles import watch

    looks = watch(
        root, watch_filter=lambda _, path: matters(root, path), debounce=_LOOKS_EVERY_MS, step=_LOOKS_EVERY_MS // 2,
        stop_event=stop, rust_timeout=_LOOKS_EVERY_MS, yield_on_timeout=True, raise_interrupt=False,
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
