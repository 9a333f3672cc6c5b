"""How does a person add Recollect to an agent's client?"""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.clients import (
    CLIENTS,
    PRIVATE,
    SHARED,
    Client,
    decode_settings,
    launch_command,
    plan_settings,
    read_settings,
    write_settings,
)  # fmt: skip
from recollect.cli.options import AsJson, Home, Usage, Yes, confirm
from recollect.cli.output import clean, is_terminal, put, put_json, say
from recollect.config import client_folders, load_settings, named_home
from recollect.contracts.registry import CONTRACTS
from recollect.engine.parse import parse_label, parse_space
from recollect.types import DEFAULT_SPACE


def connect(
    client: Annotated[
        str, typer.Argument(metavar="CLIENT", help="claude (Claude Code), claude-desktop, codex, cursor or vscode.")
    ],
    project: Annotated[
        bool, typer.Option("--project", help="Only for the project in this folder, not for all of yours.")
    ] = False,
    print_only: Annotated[bool, typer.Option("--print", help="Only print what to add; change nothing.")] = False,
    contract: Annotated[
        str, typer.Option("--as", metavar="CONTRACT", help="The vocabulary that the server will speak.")
    ] = "native",
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What the client will call it.")] = "recollect",
    space: Annotated[
        str, typer.Option("--space", metavar="NAME", help="The space that the client will use.")
    ] = DEFAULT_SPACE,
    yes: Yes = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Add Recollect to a client's MCP settings.

    Shows the change first and asks. Everything else in the file stays as it is, the first old version is kept beside
    it as .bak, and doing it twice changes nothing.

    \b
    Examples:
      recollect connect claude
      recollect connect vscode --project --space work
      recollect connect codex --print
    """
    chosen = CLIENTS.get(client)
    if chosen is None:
        raise Usage(f"there is no client {client!r}; there are: {', '.join(CLIENTS)}")
    if contract not in CONTRACTS:
        raise Usage(f"there is no contract {contract!r}; there are: {', '.join(CONTRACTS)}")
    server = parse_label(name, "name", longest=64)
    command = _command(contract, parse_space(space), home)
    path = chosen.file(client_folders(), project=project)
    if print_only:
        say(f"for {path}:")
        put(chosen.snippet(server, command).rstrip("\n"))
    else:
        _connect(chosen, path, server, command, mode=SHARED if project else PRIVATE, yes=yes, as_json=as_json)
    here = named_home()
    if home is None and here is not None:
        say(f"note: RECOLLECT_HOME is set here, and {chosen.title} may not see it; to pin that store: --home {here}")


def _command(contract: str, space: str, home: str | None) -> list[str]:
    command = [*launch_command(), "serve"]
    command += [] if contract == "native" else ["--as", contract]
    command += [] if space == DEFAULT_SPACE else [CONTRACTS[contract].scope, space]
    if home is None:
        return command
    settings = load_settings(home)
    return command + (["--home", str(settings.home)] if settings.store is None else ["--store", settings.store])


def _connect(
    client: Client, path: Path, server: str, command: list[str], *, mode: int, yes: bool, as_json: bool
) -> None:
    data = read_settings(path)
    old = decode_settings(path, data)
    new = plan_settings(client, path, old, server, command)
    diff = "\n".join(
        difflib.unified_diff(old.splitlines(), new.splitlines(), str(path), f"{path} (new)", n=3, lineterm="")
    )
    if new != old:
        if not as_json:
            _put_diff(diff)
        if not confirm(f"Write this to {path}?", yes=yes):
            say("nothing was changed")
            raise typer.Exit(1)
        kept = write_settings(path, new, data, mode=mode)
        if kept is not None:
            say(f"the old file is kept as {kept}")
    if as_json:
        put_json({"client": client.name, "file": str(path), "changed": new != old, "diff": diff})
    elif new == old:
        put(f"already connected: {path}")
    else:
        put(f"connected: restart {client.title}, and it has a memory")


def _put_diff(diff: str) -> None:
    """The change, in colour on a terminal."""
    if not is_terminal(sys.stdout):
        put(diff)
        return
    from rich.console import Console
    from rich.text import Text

    styles = {"+": "green", "-": "red", "@": "cyan"}
    for line in diff.splitlines():
        Console(highlight=False).print(Text(clean(line), style=styles.get(line[:1], "")), soft_wrap=True)
