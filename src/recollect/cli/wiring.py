"""Where does each client keep its hooks, and how does it want ours written?

Ours are told from others by their command, which is as a whole of the form that we write. opencode has a script
instead, which is ours as a whole where it begins as ours does.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path

from msgspec import Struct

from recollect.cli import jsonc
from recollect.cli.clients import words_for_us
from recollect.cli.jsonc import Uneditable
from recollect.config import ClientFolders
from recollect.types import Json

_SECONDS = 5
"""After so long a client may end our hook: it has answered long before."""


_OPTIONS = ("--space", "--home", "--store")
_SHELL = re.compile(r"[;&|<>$`()\n]")
_TOOL = "hook"
_COMMAND = "const COMMAND = "  # of a script
_INPUT: Mapping[str, Json] = {
    "prompt": "${prompt}", "session": "${session_id}", "folder": "${cwd}", "event": "${hook_event_name}",
}  # fmt: skip
"""What a client fills in when it calls the tool."""


class Wiring(Struct, frozen=True, kw_only=True):
    """The hooks of one client: their file, their events, and how one is written."""

    client: str
    user_file: tuple[str, str]
    """The folder's name in `ClientFolders`, and the file in it."""
    project_file: str
    events: tuple[str, ...]
    grouped: bool = True
    """Hooks stand in groups, each with a matcher of its own."""
    lenient: bool = False
    script: bool = False
    """The file is ours alone."""
    frame: Mapping[str, Json] = {}
    """What the file must hold beside the hooks."""
    asks_server: str | None = None
    """The event with which the client can call a tool of a running server, so that no process is started."""

    def file(self, folders: ClientFolders, *, project: bool) -> Path:
        if project:
            return Path.cwd() / self.project_file
        base, name = self.user_file
        folder = Path(getattr(folders, base))
        if self.client == "claude" and folder == folders.home:
            folder /= ".claude"
        return folder / name

    def wired(self, text: str, command: Sequence[str], options: Sequence[str], server: str | None = None) -> str:
        """The text of a file with our hooks in it; equal to what came in when they already are.

        `server` is what the client calls our server, where it speaks the native contract: it answers what it can.
        """
        if self.script:
            if text.strip() and not self.holds(text):
                raise Uneditable("this is a plugin of somebody else; rename it, and connect again")
            return render_script(command, options)
        if not text.strip():
            hooks: dict[str, Json] = {event: [self.entry(event, command, options, server)] for event in self.events}
            return json.dumps({**self.frame, "hooks": hooks}, indent=2, ensure_ascii=False) + "\n"
        for event in self.events:
            wanted = self.entry(event, command, options, server)
            held = [_at(text, path[:3], lenient=self.lenient) for path in self._ours(text, event)]
            if held != [wanted]:
                text = jsonc.append_item(self._without(text, event), ["hooks", event], wanted, lenient=self.lenient)
        return text

    def unwired(self, text: str) -> str:
        """The text of a file without our hooks, and without what is empty for want of them."""
        if self.script:
            return "" if self.holds(text) else text
        for event in self._events(text):
            if not any(True for _ in self._ours(text, event)):
                continue
            text = self._without(text, event)
            for path in (["hooks", event], ["hooks"]):
                text = jsonc.remove_empty(text, path, lenient=self.lenient)
        return text

    def holds(self, text: str) -> bool:
        """Is any of our hooks in the text of a file?"""
        if self.script:
            return text.startswith(_script().partition("\n")[0])
        return any(True for event in self._events(text) for _ in self._ours(text, event))

    def programs(self, text: str) -> list[str]:
        """The programs that our hooks in the text of a file start."""
        if self.script:
            lines = [line for line in text.splitlines() if line.startswith(_COMMAND)] if self.holds(text) else []
            return [json.loads(line.removeprefix(_COMMAND))[0] for line in lines]
        held = [
            _at(text, path, lenient=self.lenient) for event in self._events(text) for path in self._ours(text, event)
        ]
        groups = [one.get("hooks", [one]) for one in held if isinstance(one, dict)]
        hooks = [hook for group in groups if isinstance(group, list) for hook in group if isinstance(hook, dict)]
        lines = [line for hook in hooks if isinstance(line := hook.get("command"), str)]
        return list(dict.fromkeys(words[0] for line in lines if (words := split_words(line))))

    def entry(
        self, event: str, command: Sequence[str], options: Sequence[str], server: str | None = None
    ) -> dict[str, Json]:
        """One hook, in the group that it stands in if it stands in one."""
        if server is not None and event == self.asks_server:
            asked: dict[str, Json] = {"type": "mcp_tool", "server": server, "tool": _TOOL, "input": self._input}
            return {"hooks": [{**asked, "timeout": _SECONDS}]}
        line = join_words([*command, "hook", self.client, event, *options])
        hook: dict[str, Json] = {"type": "command", "command": line}
        if self.client == "cursor":
            return {"command": line, "timeout": _SECONDS}
        if self.client == "gemini":
            hook = {"name": "recollect", **hook, "timeout": _SECONDS * 1_000}
        else:
            hook["timeout"] = _SECONDS
        return {"hooks": [hook]} if self.grouped else hook

    @property
    def _input(self) -> dict[str, Json]:
        return {**_INPUT, "client": self.client}

    def _events(self, text: str) -> list[str]:
        hooks = _at(text, ["hooks"], lenient=self.lenient) if text.strip() else None
        return list(hooks) if isinstance(hooks, dict) else []

    def _ours(self, text: str, event: str) -> Iterator[list[str | int]]:
        """The paths of our hooks of an event, the last first, so that each can be taken out by its path."""
        entries = _at(text, ["hooks", event], lenient=self.lenient)
        for place, entry in reversed(list(enumerate(entries if isinstance(entries, list) else []))):
            if not self.grouped:
                if self._is_ours(entry):
                    yield ["hooks", event, place]
                continue
            inner = entry.get("hooks") if isinstance(entry, dict) else None
            hooks = inner if isinstance(inner, list) else []
            ours = [at for at, hook in enumerate(hooks) if self._is_ours(hook)]
            if ours and len(ours) == len(hooks):
                yield ["hooks", event, place]
            else:
                yield from (["hooks", event, place, "hooks", at] for at in reversed(ours))

    def _is_ours(self, hook: Json) -> bool:
        if isinstance(hook, dict) and hook.get("type") == "mcp_tool":
            return hook.get("tool") == _TOOL and hook.get("input") == self._input
        line = hook.get("command") if isinstance(hook, dict) else None
        return isinstance(line, str) and self._is_our_command(line)

    def _is_our_command(self, line: str) -> bool:
        """Is a line as a whole what we could have written: no part of a longer one, and no other program's?"""
        words = split_words(line)
        match words_for_us(words):
            case ["hook", self.client, event, *options] if event.isalpha():
                in_form = all(name in _OPTIONS for name in options[::2]) and len(options) % 2 == 0
                return in_form and (shlex.join(words) == line or _SHELL.search(line) is None)
            case _:
                return False

    def _without(self, text: str, event: str) -> str:
        for path in self._ours(text, event):
            text = jsonc.remove(text, path, lenient=self.lenient)
        return text


_CLAUDE = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact")
WIRINGS: Mapping[str, Wiring] = {
    wiring.client: wiring
    for wiring in (
        Wiring(
            client="claude", user_file=("claude", "settings.json"), project_file=".claude/settings.json",
            events=_CLAUDE, asks_server="UserPromptSubmit",
        ),
        Wiring(
            client="codex", user_file=("codex", "hooks.json"), project_file=".codex/hooks.json", events=_CLAUDE,
            asks_server="UserPromptSubmit",
        ),
        Wiring(
            client="cursor", user_file=("home", ".cursor/hooks.json"), project_file=".cursor/hooks.json",
            events=("sessionStart", "stop", "preCompact"), grouped=False, lenient=True, frame={"version": 1},
        ),
        Wiring(
            client="vscode", user_file=("home", ".copilot/hooks/recollect.json"),
            project_file=".github/hooks/recollect.json", events=_CLAUDE, grouped=False, frame={"version": 1},
        ),
        Wiring(
            client="gemini", user_file=("home", ".gemini/settings.json"), project_file=".gemini/settings.json",
            events=("SessionStart", "BeforeAgent", "AfterAgent", "PreCompress"), lenient=True,
        ),
        Wiring(
            client="opencode", user_file=("xdg", "opencode/plugins/recollect.js"),
            project_file=".opencode/plugins/recollect.js", events=(), script=True,
        ),
    )
}  # fmt: skip


def render_script(command: Sequence[str], options: Sequence[str]) -> str:
    """opencode's plugin: the words before an event, and in a list those after it."""
    words = json.dumps([*command, "hook", "opencode", list(options)], ensure_ascii=False)
    return _script().replace("__COMMAND__", words)


def _script() -> str:
    return resources.files("recollect.cli").joinpath("plugins/opencode.js").read_text("utf-8")


def join_words(words: Sequence[str]) -> str:
    """Words as one line for a shell."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def split_words(line: str) -> list[str]:
    """The words of a line for a shell; none where its quotes are open."""
    try:
        return [word.strip('"') for word in shlex.split(line, posix=False)] if os.name == "nt" else shlex.split(line)
    except ValueError:
        return []


def _at(text: str, path: Sequence[str | int], *, lenient: bool) -> Json:
    """The value at a path; None where there is none."""
    value = jsonc.read_json(text, lenient=lenient)
    for part in path:
        if isinstance(part, int):
            value = value[part] if isinstance(value, list) and part < len(value) else None
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value
