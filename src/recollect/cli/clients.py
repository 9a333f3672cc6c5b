"""Where does each client keep its MCP servers, and how does it want one written?"""

from __future__ import annotations

import codecs
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from recollect.cli import jsonc, toml
from recollect.cli.jsonc import Uneditable, Unreadable
from recollect.config import ClientFolders
from recollect.errors import ConfigError, Conflict
from recollect.types import Json

PRIVATE = 0o600
SHARED = 0o666
Found = TypeVar("Found")


class Client(Struct, frozen=True, kw_only=True):
    """One kind of client: its files, and the way it writes a server down."""

    name: str
    title: str
    user_file: str
    """Below the folder that `base` names."""
    base: str
    project_file: str | None
    key: str
    typed: bool = False
    lenient: bool = False
    toml: bool = False
    listed: bool = False
    """Program and arguments stand in one list."""

    def file(self, folders: ClientFolders, *, project: bool) -> Path:
        if project and self.project_file is None:
            raise ConfigError(f"{self.title} has no settings of a project; leave out --project")
        named = (
            Path.cwd() / (self.project_file or "") if project else Path(getattr(folders, self.base)) / self.user_file
        )
        commented = named.with_suffix(".jsonc")
        return commented if self.listed and commented.exists() and not named.exists() else named

    def entry(self, command: Sequence[str]) -> dict[str, Json]:
        program, *args = command
        if self.listed:
            return {"type": "local", "command": list(command), "enabled": True}
        plain: dict[str, Json] = {"command": program, "args": args}
        return {"type": "stdio", **plain} if self.typed else plain

    def snippet(self, server: str, command: Sequence[str]) -> str:
        """What to paste into an empty file."""
        if self.toml:
            return toml.set_table("", [self.key, server], self.entry(command))
        return json.dumps({self.key: {server: self.entry(command)}}, indent=2, ensure_ascii=False) + "\n"

    def connected(self, text: str, server: str, command: Sequence[str]) -> str:
        """The text of a settings file with our server in it; equal to what came in when it already is."""
        if not text.strip():
            return self.snippet(server, command)
        held = self._held(text, server)
        entry = self.entry(command)
        if held is not None and all(held.get(name) == value for name, value in entry.items()):
            return text
        if self.toml:
            return toml.set_table(text, [self.key, server], entry)
        path = [self.key, server]
        if held is None:
            return self._checked(text, jsonc.set_value(text, path, entry, lenient=self.lenient), path, entry)
        for name, value in entry.items():
            if held.get(name) != value:
                changed = jsonc.set_value(text, [*path, name], value, lenient=self.lenient)
                text = self._checked(text, changed, [*path, name], value)
        return text

    def disconnected(self, text: str, server: str | None = None) -> str:
        """The text of a settings file without our servers, or without the one that is named.

        Equal to what came in where there is none.
        """
        names = self.servers(text) if server is None else [name for name in self.mentioned(text) if name == server]
        for name in names:
            text = self._without(text, name)
        return text

    def servers(self, text: str) -> list[str]:
        """The names of the servers in the text of a settings file that are as we write them."""
        return [name for name, words in self._commands(text) if (words_for_us(words) or ())[:1] == ["serve"]]

    def mentioned(self, text: str) -> list[str]:
        """The names of the servers that are called as ours is, or that start it in whatever form."""
        return [name for name, words in self._commands(text) if name == "recollect" or _starts_us(words)]

    def program(self, text: str, server: str) -> str | None:
        """The program that a server is started with."""
        return next((words[0] for name, words in self._commands(text) if name == server and words), None)

    def is_taken(self, text: str, server: str) -> bool:
        """Does a server of somebody else have the name?"""
        return server in self._servers(text) and server not in self.mentioned(text)

    def _commands(self, text: str) -> list[tuple[str, list[str]]]:
        """Each server, and the words that start it."""
        found: list[tuple[str, list[str]]] = []
        for name, held in self._servers(text).items():
            if isinstance(held, Mapping):
                words = [held.get("command"), *_words(held.get("command")), *_words(held.get("args"))]
                found.append((name, [word for word in words if isinstance(word, str)]))
        return found

    def _without(self, text: str, server: str) -> str:
        if self.toml:
            return toml.remove_table(text, [self.key, server])
        new = jsonc.remove(text, [self.key, server], lenient=self.lenient)
        return jsonc.remove_empty(new, [self.key], lenient=self.lenient)

    def _servers(self, text: str) -> Mapping[str, Json]:
        if not text.strip():
            return {}
        root = toml.read_toml(text) if self.toml else jsonc.read_json(text, lenient=self.lenient)
        servers = root.get(self.key) if isinstance(root, Mapping) else None
        return servers if isinstance(servers, Mapping) else {}

    def _held(self, text: str, server: str) -> Mapping[str, Json] | None:
        held = self._servers(text).get(server)
        return held if isinstance(held, Mapping) else None

    def _checked(self, old: str, new: str, path: Sequence[str], value: Json) -> str:
        """The new text, if it differs from the old in just the one value."""
        meant = jsonc.read_json(old, lenient=self.lenient)
        node = meant
        for part in path[:-1]:
            if not isinstance(node, dict):
                raise Uneditable(f"{'.'.join(path)} cannot be set safely")
            node = node.setdefault(part, {})
        if isinstance(node, dict):
            node[path[-1]] = value
        if jsonc.read_json(new, lenient=self.lenient) != meant:
            raise Uneditable(f"{'.'.join(path)} cannot be set safely")
        return new


def _words(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


CLIENTS: Mapping[str, Client] = {
    client.name: client
    for client in (
        Client(
            name="claude", title="Claude Code", base="claude", user_file=".claude.json", project_file=".mcp.json",
            key="mcpServers", typed=True,
        ),
        Client(
            name="claude-desktop", title="Claude Desktop", base="apps",
            user_file="Claude/claude_desktop_config.json", project_file=None, key="mcpServers",
        ),
        Client(
            name="codex", title="Codex", base="codex", user_file="config.toml", project_file=".codex/config.toml",
            key="mcp_servers", toml=True,
        ),
        Client(
            name="cursor", title="Cursor", base="home", user_file=".cursor/mcp.json",
            project_file=".cursor/mcp.json", key="mcpServers", lenient=True,
        ),
        Client(
            name="vscode", title="VS Code", base="apps", user_file="Code/User/mcp.json",
            project_file=".vscode/mcp.json", key="servers", typed=True, lenient=True,
        ),
        Client(
            name="gemini", title="Gemini CLI", base="home", user_file=".gemini/settings.json",
            project_file=".gemini/settings.json", key="mcpServers", lenient=True,
        ),
        Client(
            name="opencode", title="opencode", base="xdg", user_file="opencode/opencode.json",
            project_file="opencode.json", key="mcp", lenient=True, listed=True,
        ),
    )
}  # fmt: skip


def launch_command() -> list[str]:
    """How another program starts this very Recollect: its executable by full path, or else this Python."""
    names = ("recollect.exe", "recollect") if os.name == "nt" else ("recollect",)
    for folder in dict.fromkeys((Path(sys.argv[0]).absolute().parent, Path(sys.executable).parent)):
        for name in names:
            if (folder / name).is_file() and os.access(folder / name, os.X_OK):
                return [str(folder / name)]
    return [sys.executable, "-m", "recollect.cli"]


def words_for_us(words: Sequence[str]) -> Sequence[str] | None:
    """What follows the program in a command such as `launch_command` begins; None in a command of any other form."""
    if list(words[1:3]) == ["-m", "recollect.cli"]:
        return words[3:]
    return words[1:] if words and _is_program(words[0]) else None


def _starts_us(words: Sequence[str]) -> bool:
    return "serve" in words and any(_is_program(word) or word == "recollect.cli" for word in words)


def _is_program(word: str) -> bool:
    return re.split(r"[/\\]", word)[-1] in ("recollect", "recollect.exe")


def read_settings(path: Path) -> bytes | None:
    """What a file holds; None where there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error


def decode_settings(path: Path, data: bytes | None) -> str:
    """The text of a file, without the mark that some editors begin one with: `write_settings` keeps it."""
    try:
        return "" if data is None else data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}, line {line}: not UTF-8 text; nothing was changed") from error


def look_into(path: Path, look: Callable[[str], Found]) -> Found:
    """What is seen in the text of a settings file, which is empty where there is no file."""
    return edit_settings(path, decode_settings(path, read_settings(path)), look)


def edit_settings(path: Path, text: str, edit: Callable[[str], Found], by_hand: str | None = None) -> Found:
    """What is made of the text of a file. Errors name it and, where known, the line, and what to add by hand."""
    try:
        return edit(text)
    except Unreadable as error:
        raise ConfigError(f"{path}, {error}; nothing was changed") from error
    except Uneditable as error:
        hint = "" if by_hand is None else f". Add this by hand:\n{by_hand}"
        raise ConfigError(f"{path}: {error}; nothing was changed{hint}") from error


def drop_settings(path: Path, old: bytes | None) -> None:
    """Removes a file that is ours alone, if it is still as it was read."""
    if read_settings(path) != old:
        raise Conflict(f"{path} was changed by somebody else just now; nothing was written, try again")
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(f"{path} cannot be removed: {error.strerror}") from error


def write_settings(path: Path, text: str, old: bytes | None, *, mode: int, keeps: str | None) -> Path | None:
    """Puts a new text in the place of an old one, at once or not at all.

    What is to be kept goes beside it, if nothing is kept there yet; the answer is where that was done now.
    """
    mark = codecs.BOM_UTF8 if old is not None and old.startswith(codecs.BOM_UTF8) else b""
    data = mark + text.encode()
    target = path.resolve()  # a link stays a link
    backup = target.with_name(f"{target.name}.bak")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        kept = None
        if old is not None:
            mode = stat.S_IMODE(target.stat().st_mode)
            if keeps is not None and not backup.exists():
                _write_new(backup, mark + keeps.encode(), mode)
                kept = backup
        fresh = target.with_name(f".{target.name}.{os.getpid()}.new")
        try:
            _write_new(fresh, data, mode, exact=old is not None)
            if read_settings(target) != old:
                raise Conflict(f"{path} was changed by somebody else just now; nothing was written, try again")
            os.replace(fresh, target)
            if kept is None and read_settings(backup) == data:
                backup.unlink()  # the file is as it was before we first wrote to it
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(f"{error.filename or path} cannot be written: {error.strerror}") from error
    return kept


def _write_new(path: Path, data: bytes, mode: int, *, exact: bool = True) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        if exact:
            os.chmod(path, mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
