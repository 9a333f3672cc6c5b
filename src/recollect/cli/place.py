"""Which memory does a command work on, and what does it do when there is none?"""

from __future__ import annotations

from pathlib import Path

from recollect.cli.output import say
from recollect.config import load_settings
from recollect.engine.memory import Memory, open_memory
from recollect.errors import NotFound
from recollect.store.choose import store_path

ACTOR = "cli"


def store_file(home: str | None) -> Path:
    return store_path(load_settings(home).home)


def open_or_make(home: str | None) -> Memory:
    """For commands that write something new."""
    return open_memory(settings=load_settings(home), actor=ACTOR)


def open_if_there(home: str | None) -> Memory | None:
    """For commands that read: nothing is made where nothing is."""
    file = store_file(home)
    if not file.exists():
        say(f"no memory yet at {file.parent}")
        return None
    return open_or_make(home)


def open_or_fail(home: str | None) -> Memory:
    """For commands about something that must be there already."""
    file = store_file(home)
    if not file.exists():
        raise NotFound(f"no memory yet at {file.parent}")
    return open_or_make(home)
