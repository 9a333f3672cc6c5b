"""What is known of the files and folders that were brought in?

It is bookkeeping, on shelves beside the records that came of the files: what has not changed is not read again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from recollect.engine.core import Core, is_taken
from recollect.store.base import Shelf, View
from recollect.types import FileProblem, Record

ProjectState = Literal["pending", "indexing", "completed", "failed"]


class Known(Struct, frozen=True, omit_defaults=True):
    """A file as it was when it was last read. Times: `mtime` in nanoseconds, `read_at` in microseconds.

    `count` says how many chunks or sources came of it, `made` which by their fingerprints where they have some, and
    `problem` why none did. `reader` is what read it: another may find more in it.
    """

    size: int
    mtime: int
    read_at: int
    hash: str
    count: int = 0
    made: tuple[str, ...] = ()
    problem: str | None = None
    reader: str = ""


class IndexedProject(Struct, frozen=True, kw_only=True):
    """A folder of source code, and how far its index is. `base` is how many files were done when the run began.

    `completed_at` is when the last file was read, `embedded_at` when every chunk had its vector.
    """

    id: str
    space: str
    path: str
    created_at: datetime
    state: ProjectState = "pending"
    total: int = 0
    done: int = 0
    base: int = 0
    chunks: int = 0
    started_at: datetime | None = None
    completed_at: datetime | None = None
    embedded_at: datetime | None = None
    problem: str | None = None
    skipped: Mapping[str, int] = {}
    problems: tuple[FileProblem, ...] = ()


PROJECTS = Shelf("projects", IndexedProject)
"""The projects of a space, by id."""
DOCUMENTS = Shelf("documents", Known)
"""The documents and transcripts of a space, by their place."""


def key_of(path: str) -> str:
    """A whole path as it is known: with `/`, wherever that is."""
    return path.replace(os.sep, "/")


def file_of(source: Record) -> Mapping[str, object]:
    """What a source says of its file: its size and times, and of a transcript also its path."""
    file = source.metadata.get("file")
    return file if isinstance(file, Mapping) else {}


def code_files(project: str) -> Shelf[Known]:
    """The files of a project, by their path below its folder."""
    return Shelf(f"code:{project}", Known)


def read_projects(view: View) -> list[IndexedProject]:
    """The projects of all spaces."""
    return [one for space in view.spaces() for one in view.kept(PROJECTS, space=space.name).values()]


def unfinished_projects(core: Core) -> list[IndexedProject]:
    """The projects of all spaces whose last run did not end: its process was killed, or closed on the way.

    Indexing their folder again goes on with it.
    """
    with core.store.read() as view:
        begun = [project for project in read_projects(view) if project.state == "indexing"]
    return [project for project in begun if not is_taken(core.store.turn(project.space, project.id))]


def note_embedded(core: Core, spaces: Sequence[str] | None = None) -> None:
    """Every vector (of some spaces) is there: writes down since when, for each project whose run ended before."""

    def unsaid(view: View) -> list[IndexedProject]:
        ended = [one for one in read_projects(view) if one.state == "completed" and one.embedded_at is None]
        return [one for one in ended if spaces is None or one.space in spaces]

    with core.store.read() as view:
        if not unsaid(view):
            return
    with core.store.write(actor=core.actor) as edit:
        for project in unsaid(edit):
            whole = replace(project, embedded_at=edit.now)
            edit.keep(PROJECTS, {project.id: whole}, space=project.space)
