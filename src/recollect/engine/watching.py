"""When has something in a folder changed that an index should know of?"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from recollect.ingest.walk_files import IGNORE_FILES, skip_name

QUIET_MS = 500
"""Changes that follow each other within this time are told of once."""
_LOOKS_EVERY_MS = 100


def watch_folder(root: Path, stop: threading.Event, ready: threading.Event) -> Iterator[None]:
    """Tells whenever files that could belong to a project have changed. Ends when told to, or with the folder."""
    from watchfiles import watch

    def matters(_: object, path: str) -> bool:
        try:
            parts = Path(path).relative_to(root).parts
        except ValueError:
            return False
        if not parts:
            return True
        if any(skip_name(part, folder=True) for part in parts[:-1]):
            return False
        return parts[-1] in IGNORE_FILES or not skip_name(parts[-1], folder=False)

    changes = watch(
        root, watch_filter=matters, debounce=QUIET_MS, step=50, stop_event=stop, rust_timeout=_LOOKS_EVERY_MS,
        yield_on_timeout=True, raise_interrupt=False,
    )  # fmt: skip
    try:
        for change in changes:
            ready.set()
            if change:
                yield
            if not root.is_dir():
                return
    except OSError:
        return  # the folder is gone, and so is what there was to watch
