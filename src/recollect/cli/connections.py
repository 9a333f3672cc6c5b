"""Where in a client's files is this program, and what takes it out of them?"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from recollect.cli.clients import CLIENTS, Client, Found, look_into
from recollect.cli.jsonc import read_json
from recollect.cli.output import say
from recollect.cli.toml import read_toml
from recollect.cli.wiring import WIRINGS, join_words
from recollect.config import ClientFolders, client_folders
from recollect.errors import RecollectError


class Ours(Struct, frozen=True, kw_only=True):
    """Something of ours in a client's file: a server by its name, hooks, or a plugin that brings both."""

    kind: Literal["server", "hooks", "plugin"]
    what: str
    path: str
    project: bool
    command: str
    """What takes it out."""
    programs: tuple[str, ...] = ()
    """What the client starts for it."""


class _FileOf(Protocol):
    def __call__(self, folders: ClientFolders, *, project: bool) -> Path: ...


class _Plugin(Struct, frozen=True, kw_only=True):
    """Where a client notes that our plugin is installed: under a key of a file, or by a folder."""

    file: _FileOf
    key: str | None = None
    toml: bool = False
    command: str

    def is_on(self, text: str) -> bool:
        if not text.strip():
            return False
        root = read_toml(text) if self.toml else read_json(text, lenient=True)
        listed = root.get(self.key or "") if isinstance(root, Mapping) else None
        noted = listed.get("recollect@recollect", False) if isinstance(listed, Mapping) else False
        return noted.get("enabled", True) is True if isinstance(noted, Mapping) else noted is True


def _folder(name: str) -> _FileOf:
    def below(folders: ClientFolders, *, project: bool) -> Path:
        return (Path.cwd() if project else folders.home) / name

    return below


_PLUGINS: Mapping[str, _Plugin] = {
    "claude": _Plugin(
        file=WIRINGS["claude"].file, key="enabledPlugins", command="claude plugin uninstall recollect@recollect"
    ),
    "codex": _Plugin(
        file=CLIENTS["codex"].file, key="plugins", toml=True, command="codex plugin remove recollect@recollect"
    ),
    "cursor": _Plugin(file=_folder(".cursor/plugins/local/recollect"), command="remove that folder"),
    "gemini": _Plugin(file=_folder(".gemini/extensions/recollect"), command="gemini extensions uninstall recollect"),
}


def find_ours(client: Client, *, project: bool) -> list[Ours]:
    """What of ours a client has for this user, or for the project in this folder."""
    if project and client.project_file is None:
        return []
    undo = ["recollect", "disconnect", client.name, *(["--project"] if project else [])]
    found: list[Ours] = []
    for path in _files(client.file, project=project):
        for name, program, as_written in peek(path, lambda text: _servers(client, text), []):
            command = join_words(undo if as_written else [*undo, "--name", name])
            programs = () if program is None else (program,)
            found.append(
                Ours(
                    kind="server",
                    what=f"the server {name}",
                    path=str(path),
                    project=project,
                    command=command,
                    programs=programs,
                )
            )
    wiring = WIRINGS.get(client.name)
    if wiring is not None:
        found += [
            Ours(
                kind="hooks",
                what="hooks",
                path=str(path),
                project=project,
                command=join_words(undo),
                programs=tuple(peek(path, wiring.programs, [])),
            )
            for path in _files(wiring.file, project=project)
            if peek(path, wiring.holds, False)
        ]
    plugin = _PLUGINS.get(client.name)
    if plugin is not None:
        command = plugin.command
        found += [
            Ours(kind="plugin", what="the plugin", path=str(path), project=project, command=command)
            for path in _files(plugin.file, project=project)
            if (path.is_dir() if plugin.key is None else peek(path, plugin.is_on, False))
        ]
    return found


def _servers(client: Client, text: str) -> list[tuple[str, str | None, bool]]:
    """Servers that start us: what each is called, what starts it, and whether it is as we write it."""
    as_written = client.servers(text)
    return [(name, client.program(text, name), name in as_written) for name in client.mentioned(text)]


def told_gone(client: Client) -> str | None:
    """What is wrong where a client starts a program that is not there: nothing of ours works in it then.

    A name alone is looked for where the client looks, which need not be where we do.
    """
    ours = [*find_ours(client, project=False), *find_ours(client, project=True)]
    gone = [(one, program) for one in ours for program in one.programs if _is_gone(program)]
    if not gone:
        return None
    places = ", and ".join(f"{one.what} in {one.path} ({program})" for one, program in gone)
    again = "--project" if all(one.project for one, _ in gone) else ""
    hooks = "--auto" if any(one.kind == "hooks" for one, _ in gone) else ""
    command = " ".join(word for word in ("recollect connect", client.name, hooks, again) if word)
    return f"{client.title} starts a program that is not there: {places}; `{command}` writes where it is now"


def _is_gone(program: str) -> bool:
    return Path(program).name != program and shutil.which(program) is None


def told_twice(client: Client) -> str | None:
    """What is wrong where a session of a client has our hooks, or our tools, twice."""
    ours = [*find_ours(client, project=False), *find_ours(client, project=True)]
    hooked = [one for one in ours if one.kind != "server"]
    plugged = [one for one in ours if one.kind == "plugin"]
    twice = hooked if len(hooked) > 1 else ours if plugged and len(ours) > 1 else []
    if not twice:
        return None
    places = ", and ".join(f"{one.what} in {one.path} (to take it out: {one.command})" for one in twice)
    return f"{client.title} is connected twice, so that a session is given the same twice: {places}"


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
