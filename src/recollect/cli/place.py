"""Which memory does a command work on, and what does it do when there is none?"""

from __future__ import annotations

from pathlib import Path

import typer

from recollect.cli.output import put_json, say
from recollect.config import load_settings
from recollect.engine.core import missing_space
from recollect.engine.memory import Memory, open_memory
from recollect.environment import working_folder
from recollect.errors import ConfigError, NotFound, StoreError
from recollect.store.choose import Place, look_at, shown_place
from recollect.types import DEFAULT_SPACE

ACTOR = "cli"


def own_place(home: str | None) -> str:
    """The file or the address of the store."""
    settings = load_settings(home)
    return shown_place(settings.home, settings.store)


def is_address(url: str) -> bool:
    """Could a store be there, as far as its address tells?"""
    try:
        shown_place(Path(), url)
    except ConfigError:
        return False
    return True


def own_home(home: str | None) -> Path:
    """The folder of the store, or of the settings of one that is elsewhere."""
    return load_settings(home).home


def find_place(home: str | None) -> Place:
    settings = load_settings(home)
    return look_at(settings.home, settings.store)


def open_or_make(home: str | None) -> Memory:
    """For commands that write something new."""
    memory = open_memory(settings=load_settings(home), actor=ACTOR)
    for note in memory.core.notes:
        say(f"note: {note}")
    return memory


def open_to_read(home: str | None, nothing: object, *, as_json: bool) -> Memory:
    """For commands that read: where there is no memory, none is made; that is said, and `nothing` is the answer."""
    memory = open_if_there(home)
    if memory is None:
        if as_json:
            put_json(nothing)
        raise typer.Exit
    memory.semantics.patient = True  # nobody asks this process again
    return memory


def open_if_there(home: str | None) -> Memory | None:
    """For commands that have something to tell where there is no memory, too."""
    place = find_place(home)
    if not place.there:
        say(_missing(place))
        return None
    return open_or_make(home)


def _missing(place: Place) -> str:
    """A database that cannot be reached is no place without a memory."""
    if place.problem is not None and place.engine != "SQLite":
        raise StoreError(place.problem)
    return f"no memory yet at {place.shown}"


def asked_space(memory: Memory, space: str, *, all_spaces: bool = False) -> str | None:
    """The space that is meant, or None for all. One that is not there is an error, but for the first of a new store."""
    if all_spaces:
        return None
    if space != DEFAULT_SPACE and not memory.has_space(space):
        raise NotFound(missing_space(space, [one.name for one in memory.spaces()]))
    return space


def seen_here(memory: Memory) -> tuple[str | None, ...]:
    """The projects that are seen from the folder in which a command is typed, its own first; empty outside of any."""
    folder = working_folder()
    return () if folder is None else memory.seen_from(folder)


def claimed_here(memory: Memory) -> str | None:
    """The project of the folder in which a command is typed that stores something; None outside of any."""
    folder = working_folder()
    return None if folder is None else memory.claim_project(folder)


def open_or_fail(home: str | None) -> Memory:
    """For commands about something that must be there already."""
    place = find_place(home)
    if not place.there:
        raise NotFound(_missing(place))
    return open_or_make(home)
