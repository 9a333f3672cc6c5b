"""In which folder does whoever asks work?

A path that does not begin at the root means a file of theirs. Where one process answers the clients of others, that is
not the folder of this process.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_FOLDER: ContextVar[str | None] = ContextVar("folder", default=None)


@contextmanager
def work_in(folder: str | None) -> Generator[None]:
    """Paths that this thread is given meanwhile are meant in a folder; None is that of the process."""
    before = _FOLDER.set(folder)
    try:
        yield
    finally:
        _FOLDER.reset(before)


def meant_path(path: str | os.PathLike[str]) -> Path:
    """The path that is meant, from the root."""
    return Path(_FOLDER.get() or os.getcwd()) / Path(path).expanduser()
