"""Where in a client's files is this program, and what takes it out of them?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from recollect.cli.clients import Client, Found, look_into
from recollect.cli.output import say
from recollect.cli.wiring import WIRINGS, join_words
from recollect.config import ClientFolders, client_folders
from recollect.errors import RecollectError


class Ours(Struct, frozen=True, kw_only=True):
    """Something of ours in a client's file: a server by its name, or hooks."""

    what: str
    path: str
    project: bool
    hooks: bool = False
    command: str
    """What takes it out."""


def find_ours(client: Client, *, project: bool) -> list[Ours]:
    """What of ours a client has for this user, or for the project in this folder."""
    if project and client.project_file is None:
        return []
    undo = ["recollect", "disconnect", client.name, *(["--project"] if project else [])]
    found: list[Ours] = []
    for path in _files(client.file, project=project):
        named, as_written = peek(path, lambda text: (client.mentioned(text), client.servers(text)), ([], []))
        for name in named:
            command = join_words(undo if name in as_written else [*undo, "--name", name])
            found.append(Ours(what=f"the server {name}", path=str(path), project=project, command=command))
    wiring = WIRINGS.get(client.name)
    if wiring is not None:
        found += [
            Ours(what="hooks", path=str(path), project=project, hooks=True, command=join_words(undo))
            for path in _files(wiring.file, project=project)
            if peek(path, wiring.holds, False)
        ]
    return found


class _FileOf(Protocol):
    def __call__(self, folders: ClientFolders, *, project: bool) -> Path: ...


def _files(file: _FileOf, *, project: bool) -> list[Path]:
    """The file, unless it is of a project and at once that of the user, whose home this folder is."""
    path, own = (file(client_folders(), project=one) for one in (project, False))
    return [] if project and path.resolve() == own.resolve() else [path]


def peek(path: Path, look: Callable[[str], Found], otherwise: Found) -> Found:
    """What is seen in a client's file. One that cannot be read is told of, and holds nothing that works."""
    try:
        return look_into(path, look)
    except RecollectError as error:
        say(f"note: {error}")
        return otherwise
