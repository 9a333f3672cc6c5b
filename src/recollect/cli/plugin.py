"""How does a person get plugins for clients that install such, without anything published?

One folder is a marketplace for Claude Code and for Codex, and holds a plugin for Cursor and an extension for Gemini as
well. All of them are made of the same parts: one description, one skill, the server, and the hooks of `connect --auto`.
They name `recollect` alone, so that they survive an upgrade and fit everybody in a team.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.jsonc import Unreadable, read_json
from recollect.cli.options import AsJson
from recollect.cli.output import put, put_json, say
from recollect.cli.wiring import WIRINGS
from recollect.errors import InvalidInput
from recollect.private import write_whole
from recollect.types import Json
from recollect.version import __version__

NAME = "recollect"
_PROGRAM = ("recollect",)
_DESCRIPTION = "One long-term memory for all of your AI agents: local, offline, with full history."
_ABOUT: Mapping[str, Json] = {
    "name": NAME, "version": __version__, "description": _DESCRIPTION, "author": {"name": "The Recollect authors"},
    "license": "Apache-2.0", "keywords": ["memory", "mcp", "recall"],
}  # fmt: skip
_SERVER: Mapping[str, Json] = {NAME: {"command": NAME, "args": ["serve"]}}
_NAMED_BY = {
    ".claude-plugin/": ".claude-plugin/marketplace.json", ".agents/": ".agents/plugins/marketplace.json",
    "claude/": "claude/.claude-plugin/plugin.json", "codex/": "codex/.codex-plugin/plugin.json",
    "cursor/": "cursor/.cursor-plugin/plugin.json", "gemini/": "gemini/gemini-extension.json",
}  # fmt: skip
"""The parts of the folder, and the file in each that says whose it is."""
_HOW = {
    "Claude Code": "claude plugin marketplace add {folder} && claude plugin install recollect@recollect",
    "Codex": "codex plugin marketplace add {folder} && codex plugin add recollect@recollect",
    "Cursor": "copy {folder}/cursor to ~/.cursor/plugins/local/recollect",
    "Gemini CLI": "gemini extensions install {folder}/gemini",
}


def plugin(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to write them; made if it is missing.")],
    as_json: AsJson = False,
) -> None:
    """Write plugins for Claude Code, Codex, Cursor and Gemini CLI: the server, its hooks and one skill.

    The folder is a marketplace that Claude Code and Codex install from. Writing them again, after an upgrade say,
    replaces what was written before, and nothing else: a marketplace or plugin of another name is refused.

    \b
    Example:
      recollect plugin ~/recollect-plugins
    """
    target = folder.expanduser().absolute()
    if target.exists() and not target.is_dir():
        raise InvalidInput("folder", f"{target} is a file; name the folder that should hold the plugins")
    files = render_plugins()
    _refuse_others(target, files)
    try:
        for name in sorted(files, key=lambda name: name not in _NAMED_BY.values()):
            _write(target / name, files[name])
    except OSError as error:
        raise InvalidInput("folder", f"{error.filename or target} cannot be written: {error.strerror}") from error
    if as_json:
        put_json({"folder": str(target), "files": sorted(files)})
        return
    put(f"written: {target}")
    for client, line in _HOW.items():
        put(f"  {client:<12} {line.format(folder=target)}")
    if shutil.which(NAME) is None:
        say("note: plugins name `recollect` alone, so that they fit everybody; here it is not on the PATH")


def _write(path: Path, text: str) -> None:
    """The whole file or none of it, and what names a part before the rest: a run that is killed is known as ours."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.encode(), shared=True, by=path.with_name(f".{path.name}.new"))


def _refuse_others(target: Path, files: Iterable[str]) -> None:
    """Overwrites nothing that is not of ours: in each part of the folder, the file that names it must name us."""
    named = {part: [name for name in files if name.startswith(part)] for part in _NAMED_BY}
    for part, manifest in _NAMED_BY.items():
        there = next((name for name in (manifest, *named[part]) if (target / name).exists()), None)
        if there is not None and not _is_of_us(target / manifest):
            wrong = "is not of recollect, and would be overwritten; nothing was written, name another folder"
            raise InvalidInput("folder", f"{target / there} {wrong}")


def _is_of_us(manifest: Path) -> bool:
    """Does a file call itself ours and, if it lists plugins, no other?"""
    try:
        held = read_json(manifest.read_text("utf-8-sig"), lenient=False)
    except (OSError, ValueError, Unreadable):
        return False
    if not isinstance(held, dict) or held.get("name") != NAME:
        return False
    listed = held.get("plugins", [{"name": NAME}])
    return isinstance(listed, list) and all(isinstance(one, dict) and one.get("name") == NAME for one in listed)


def render_plugins() -> dict[str, str]:
    """Every file by its path in the folder."""
    made: dict[str, Json | str] = {
        ".claude-plugin/marketplace.json": {
            "name": NAME, "owner": _ABOUT["author"], "metadata": {"description": _DESCRIPTION},
            "plugins": [{"name": NAME, "source": "./claude", "description": _DESCRIPTION, "version": __version__}],
        },
        ".agents/plugins/marketplace.json": {
            "name": NAME, "interface": {"displayName": "Recollect"},
            "plugins": [{
                "name": NAME, "source": {"source": "local", "path": "./codex"},
                "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"}, "category": "Productivity",
            }],
        },
        "claude/.claude-plugin/plugin.json": dict(_ABOUT),
        "claude/.mcp.json": {"mcpServers": dict(_SERVER)},
        "claude/hooks/hooks.json": _hooks("claude", f"plugin:{NAME}:{NAME}"),
        "codex/.codex-plugin/plugin.json": {
            **_ABOUT, "skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/hooks.json",
            "interface": {
                "displayName": "Recollect", "shortDescription": "Long-term memory, local and offline",
                "longDescription": _DESCRIPTION, "developerName": "The Recollect authors", "category": "Productivity",
                "capabilities": ["Read", "Write"], "defaultPrompt": ["What should I know about this project?"],
            },
        },
        "codex/.mcp.json": {"mcpServers": dict(_SERVER)},
        "codex/hooks/hooks.json": _hooks("codex", NAME),
        "cursor/.cursor-plugin/plugin.json": {
            **_ABOUT, "skills": "./skills/", "hooks": "./hooks/hooks.json", "mcpServers": "./mcp.json",
        },
        "cursor/mcp.json": {"mcpServers": dict(_SERVER)},
        "cursor/hooks/hooks.json": _hooks("cursor", None),
        "gemini/gemini-extension.json": {
            "name": NAME, "version": __version__, "description": _DESCRIPTION, "mcpServers": dict(_SERVER),
        },
        "gemini/hooks/hooks.json": _hooks("gemini", None),
    }  # fmt: skip
    skill = resources.files("recollect.cli").joinpath("plugins/SKILL.md").read_text("utf-8")
    made |= {f"{client}/skills/memory/SKILL.md": skill for client in ("claude", "codex", "cursor", "gemini")}
    return {name: text if isinstance(text, str) else _json(text) for name, text in made.items()}


def _hooks(client: str, server: str | None) -> str:
    return WIRINGS[client].wired("", _PROGRAM, (), server)


def _json(value: Json) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
