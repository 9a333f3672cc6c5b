"""Is a hook compiled anew each time that it is called?

Python keeps what it compiles beside the sources, unless it may not write there or is told not to. Then each process
compiles all that it loads, which takes longer than a client waits for a hook.
"""

from __future__ import annotations

import os
import shlex
import sys
from importlib.util import cache_from_source, find_spec
from pathlib import Path

_LOADED = ("recollect.cli.hook", "recollect.engine.read.unasked", "recollect.engine.read.recall")


def told_slow() -> str | None:
    """What is wrong, and what helps; None where bytecode is there, or is kept with the next call."""
    found = {
        Path(cache_from_source(spec.origin))
        for name in _LOADED
        if (spec := find_spec(name)) is not None and spec.origin
    }
    missing = sorted(path for path in found if not path.exists())
    if not missing:
        return None
    folder = _nearest(missing[0])
    if not sys.dont_write_bytecode and os.access(folder, os.W_OK):
        return None
    why = "Python is told not to write it" if sys.dont_write_bytecode else f"{folder} cannot be written to"
    command = f"{shlex.quote(sys.executable)} -m compileall -q {shlex.quote(str(Path(__file__).parents[1]))}"
    return (
        f"there is no bytecode of Recollect, and {why}: every hook compiles its sources, which takes a second or more,"
        f" and gives a session nothing in its time; `{command}` by whoever may write there makes it once"
    )


def _nearest(path: Path) -> Path:
    """The folder that is there, in which a file or the folders above it would be made."""
    return next(folder for folder in path.parents if folder.is_dir())
