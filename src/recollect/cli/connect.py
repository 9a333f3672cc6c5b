"""How does a person add Recollect to an agent's client, and take it out again?"""

from __future__ import annotations

import difflib
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct
from msgspec.structs import replace

from recollect.cli.bytecode import told_slow
from recollect.cli.clients import (
    CLIENTS,
    PRIVATE,
    SHARED,
    Client,
    decode_settings,
    drop_settings,
    edit_settings,
    launch_command,
    look_into,
    read_settings,
    write_settings,
)  # fmt: skip
from recollect.cli.connections import find_ours
from recollect.cli.jsonc import Unreadable, has_comments, read_json, says_the_same
from recollect.cli.made_folders import drop_made, missing_above, note_made
from recollect.cli.options import AsJson, Home, Usage, Yes, confirm
from recollect.cli.output import clean, is_terminal, put, put_json, say
from recollect.cli.place import own_home
from recollect.cli.wiring import WIRINGS, Wiring
from recollect.config import client_folders, load_settings, named_home
from recollect.contracts.registry import CONTRACTS
from recollect.engine.core import utc_now
from recollect.engine.hook_log import DISCONNECTED, FILE, HookCall, log_call
from recollect.engine.parse import parse_label, parse_space
from recollect.errors import ConfigError
from recollect.types import DEFAULT_SPACE

ClientName = Annotated[
    str,
    typer.Argument(
        metavar="CLIENT", help="claude (Claude Code), claude-desktop, codex, cursor, vscode, gemini or opencode."
    ),
]
OfProject = Annotated[
    bool, typer.Option("--project", help="Only for the project in this folder, not for all of yours.")
]

FIRST_SCREEN = """
From the next session of {title} on:
  at its start    it is given what matters of the project, at most 800 tokens
  at a prompt     it is given what most likely answers, at most five records{prompt}
  after a turn    what was said is kept, without the output of tools

  see it       recollect watch                    live; recollect hook --preview "a prompt" tries it out
  correct it   recollect revise ID "…"            or recollect forget ID, recollect undo
  stop it      recollect pause --for 2h           or for good: recollect disconnect {name}
""".strip("\n")


class Edit(Struct, frozen=True):
    """A file that is to change: what it holds, and what it shall hold (None: the file goes).

    What it `keeps` stays beside it: the text without ours, of one that is not of our own making.
    """

    path: Path
    data: bytes | None
    old: str
    new: str | None
    mode: int
    keeps: str | None = None

    @property
    def changes(self) -> bool:
        return self.data is not None if self.new is None else self.new != self.old

    @property
    def diff(self) -> str:
        lines = (self.new or "").splitlines()
        title = f"{self.path} ({'gone' if self.new is None else 'new'})"
        return "\n".join(difflib.unified_diff(self.old.splitlines(), lines, str(self.path), title, n=3, lineterm=""))


def connect(
    client: ClientName,
    auto: Annotated[
        bool, typer.Option("--auto", help="Have sessions filled and kept unasked, by the client's hooks.")
    ] = False,
    project: OfProject = False,
    print_only: Annotated[bool, typer.Option("--print", help="Only print what to add; change nothing.")] = False,
    contract: Annotated[
        str, typer.Option("--as", metavar="CONTRACT", help="The vocabulary that the server will speak.")
    ] = "native",
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What the client calls it.")] = "recollect",
    space: Annotated[
        str, typer.Option("--space", metavar="NAME", help="The space that the client will use.")
    ] = DEFAULT_SPACE,
    yes: Yes = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Add Recollect to a client's MCP settings and, with --auto, to its hooks.

    Shows the change first and asks. Everything else in the files stays as it is, the first old version is kept beside
    each as .bak, and doing it twice changes nothing. `recollect disconnect` takes it back.

    \b
    Examples:
      recollect connect claude --auto
      recollect connect vscode --project --space work
      recollect connect codex --print
    """
    chosen = _client(client)
    if contract not in CONTRACTS:
        raise Usage(f"there is no contract {contract!r}; there are: {', '.join(CONTRACTS)}")
    wiring = _wiring(chosen) if auto else None
    server = parse_label(name, "name", longest=64)
    program = ["recollect"] if project else launch_command()
    served = [*program, *_serving(contract, parse_space(space)), *_place(home)]
    hooked = [*([] if space == DEFAULT_SPACE else ["--space", space]), *_place(home)]
    asked = server if contract == "native" else None
    path = chosen.file(client_folders(), project=project)
    if print_only:
        say(f"for {path}:")
        put(chosen.snippet(server, served).rstrip("\n"))
        if wiring is not None:
            say(f"for {wiring.file(client_folders(), project=project)}:")
            put(wiring.wired("", program, hooked, asked).rstrip("\n"))
    else:
        mode = SHARED if project else PRIVATE
        if look_into(path, lambda text: chosen.is_taken(text, server)):
            raise Usage(f"{path} has another server by the name {server!r}; nothing was changed, choose another --name")
        snippet = chosen.snippet(server, served)
        edits = [_plan(path, mode, lambda text: chosen.connected(text, server, served), snippet)]
        if wiring is not None:
            hooks_file = wiring.file(client_folders(), project=project)
            by_hand = None if wiring.script else wiring.wired("", program, hooked, asked)
            _add_hooks(edits, hooks_file, lambda text: wiring.wired(text, program, hooked, asked), by_hand, mode)
        ours = _taking_out(chosen, None, project=project)
        edits = [replace(edit, keeps=_of_others(edit, ours[edit.path], chosen)) for edit in edits]
        changed = _apply(edits, yes=yes, as_json=as_json)
        _put_json_if(as_json, chosen, edits)
        _tell_connected(chosen, wiring, path, changed=changed, as_json=as_json)
    _tell_notes(chosen, home, project=project)


def disconnect(
    client: ClientName,
    project: OfProject = False,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Only the server of this name (else all of ours).")
    ] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Take Recollect out of a client's MCP settings and hooks again.

    Shows the change first and asks. Only what `recollect connect` wrote is taken out; the memory itself stays. What of
    it is still there afterwards, for you or for the project in this folder, is told with what takes it out.

    \b
    Example:
      recollect disconnect claude
    """
    chosen = _client(client)
    mode = SHARED if project else PRIVATE
    edits = [_plan(path, mode, edit) for path, edit in _taking_out(chosen, name, project=project).items()]
    edits = [_or_gone(_as_before(edit, chosen), chosen) for edit in edits]
    changed = _apply(edits, yes=yes, as_json=as_json)
    if changed and not project:
        _note_disconnected(chosen)
    left = [*find_ours(chosen, project=False), *find_ours(chosen, project=True)]
    drop_made(own_home(None), [edit.path for edit in edits if edit.changes], [Path(one.path) for one in left])
    _put_json_if(as_json, chosen, edits, stays=left)
    _put_unless(as_json, _said_of(chosen, changed=changed, project=project, left=bool(left)))
    for one in [] if as_json else left:
        put(f"  {one.what} in {one.path}; to take it out: {one.command}")


def _said_of(client: Client, *, changed: bool, project: bool, left: bool) -> str:
    where = " in this project" if project else ""
    if not changed:
        return f"{client.title} was not connected{where}" + ("; this is there:" if left else "")
    if left:
        return f"disconnected{where}, but {client.title} still uses this memory:"
    return f"disconnected: {client.title} no longer uses this memory{where} once it is restarted"


def _note_disconnected(client: Client) -> None:
    """Has `doctor` and `status` speak of it no more. That this cannot be written undoes nothing, and is said."""
    home = own_home(None)
    try:
        if (home / FILE).exists():
            log_call(home, HookCall(at=utc_now(), client=client.name, event=DISCONNECTED, reason="by hand"))
    except OSError as error:
        say(f"note: the log of hooks cannot be written ({error.strerror}): `recollect doctor` may still tell of them")


def _client(name: str) -> Client:
    chosen = CLIENTS.get(name)
    if chosen is None:
        raise Usage(f"there is no client {name!r}; there are: {', '.join(CLIENTS)}")
    return chosen


def _wiring(client: Client) -> Wiring:
    wiring = WIRINGS.get(client.name)
    if wiring is None:
        raise Usage(f"{client.title} has no hooks; leave out --auto (clients that have: {', '.join(WIRINGS)})")
    return wiring


def _serving(contract: str, space: str) -> list[str]:
    words = ["serve", *([] if contract == "native" else ["--as", contract])]
    return words + ([] if space == DEFAULT_SPACE else [CONTRACTS[contract].scope, space])


def _place(home: str | None) -> list[str]:
    """Where the store is, for a client that may not see our environment."""
    if home is None:
        return []
    settings = load_settings(home)
    return ["--home", str(settings.home)] if settings.store is None else ["--store", settings.store]


def _plan(path: Path, mode: int, edit: Callable[[str], str], by_hand: str | None = None) -> Edit:
    data = read_settings(path)
    old = decode_settings(path, data)
    return Edit(path, data, old, edit_settings(path, old, edit, by_hand), mode)


def _add_hooks(edits: list[Edit], path: Path, wired: Callable[[str], str], by_hand: str | None, mode: int) -> None:
    """Adds the hooks to a plan: to the file that it already changes, or to one more."""
    for place, edit in enumerate(edits):
        if edit.path == path:
            both = edit_settings(path, edit.new or "", wired, by_hand)
            edits[place] = replace(edit, new=both)
            return
    edits.append(_plan(path, mode, wired, by_hand))


def _as_before(edit: Edit, client: Client) -> Edit:
    """Byte by byte what was there before we first wrote, where nobody has changed anything else since."""
    beside = _kept_beside(edit.path)
    kept = read_settings(beside)
    if not edit.changes or edit.new is None or kept is None:
        return edit
    before = decode_settings(beside, kept)
    if edit.path.suffix == ".toml":
        same = edit.new.strip() == before.strip()
    else:
        bare = _is_bare(edit.path, edit.new, client) and _is_bare(edit.path, before, client)
        same = bare or says_the_same(edit.new, before)
    return replace(edit, new=before) if same else edit


def _kept_beside(path: Path) -> Path:
    target = path.resolve()
    return target.with_name(f"{target.name}.bak")


def _taking_out(client: Client, server: str | None, *, project: bool) -> dict[Path, Callable[[str], str]]:
    """For each file that we write to, what takes out of its text what is ours."""
    wiring, path = WIRINGS.get(client.name), client.file(client_folders(), project=project)
    if wiring is None:
        return {path: lambda text: client.disconnected(text, server)}
    hooks = wiring.file(client_folders(), project=project)
    if hooks == path:
        return {path: lambda text: wiring.unwired(client.disconnected(text, server))}
    return {path: lambda text: client.disconnected(text, server), hooks: wiring.unwired}


def _of_others(edit: Edit, take_out: Callable[[str], str], client: Client) -> str | None:
    """What a file holds beside ours; None where that is nothing, and the file is of our own making."""
    try:
        rest = edit_settings(edit.path, edit.old, take_out)
    except ConfigError:
        return edit.old  # ours cannot be taken out of it without harm, such as to a comment in it
    return None if rest != edit.old and _is_bare(edit.path, rest, client) else rest


def _is_bare(path: Path, text: str, client: Client) -> bool:
    """Is there nothing in the text of a file but what we would have begun it with?"""
    if path.suffix not in (".json", ".jsonc") or not text.strip():
        return not text.strip()
    try:
        root = read_json(text, lenient=True)
    except Unreadable:
        return False
    wiring = WIRINGS.get(client.name)
    if not isinstance(root, dict) or has_comments(text):
        return False
    return not root if wiring is None else all(wiring.frame.get(key) == value for key, value in root.items())


def _or_gone(edit: Edit, client: Client) -> Edit:
    """A file that held nothing but ours, and that was not there before, goes as a whole."""
    bare = _is_bare(edit.path, edit.new or "", client)
    gone = edit.changes and bare and not _kept_beside(edit.path).exists()
    return replace(edit, new=None) if gone else edit


def _apply(edits: Sequence[Edit], *, yes: bool, as_json: bool) -> bool:
    """Shows what would change, asks, and changes it. Answers whether anything did."""
    due = [edit for edit in edits if edit.changes]
    if due:
        for edit in [] if as_json else due:
            _put_diff(edit.diff)
        if not confirm(f"Write this to {' and '.join(str(edit.path) for edit in due)}?", yes=yes):
            say("nothing was changed")
            raise typer.Exit(1)
    for edit in due:
        if edit.new is None:
            drop_settings(edit.path, edit.data)
            continue
        made = [folder for folder in missing_above(edit.path) if folder not in client_folders().named]
        kept = write_settings(edit.path, edit.new, edit.data, mode=edit.mode, keeps=edit.keeps)
        if kept is not None:
            say(f"the old file is kept as {kept}")
        note_made(own_home(None), made)
    return bool(due)


def _put_json_if(as_json: bool, client: Client, edits: Sequence[Edit], **more: object) -> None:
    if not as_json:
        return
    first, changed = edits[0], any(edit.changes for edit in edits)
    files = [{"file": str(edit.path), "changed": edit.changes, "diff": edit.diff} for edit in edits]
    told = {"client": client.name, "file": str(first.path), "changed": changed, "diff": first.diff, "files": files}
    put_json({**told, **more})


def _tell_connected(client: Client, wiring: Wiring | None, path: Path, *, changed: bool, as_json: bool) -> None:
    if not changed:
        _put_unless(as_json, f"already connected: {path}")
        return
    _put_unless(as_json, f"connected: restart {client.title}, and it has a memory")
    if wiring is not None and not as_json:
        prompt = "\n                  (not in Cursor, whose hooks cannot)" if client.name == "cursor" else ""
        put()
        put(FIRST_SCREEN.format(title=client.title, name=client.name, prompt=prompt))
        if (slow := told_slow()) is not None:
            put(f"\nNote: {slow}")
        if client.name == "codex":
            put("\nCodex asks once whether it may trust these hooks: say yes, or run /hooks in it.")


def _tell_notes(client: Client, home: str | None, *, project: bool) -> None:
    here = named_home()
    if home is None and here is not None:
        say(f"note: RECOLLECT_HOME is set here, and {client.title} may not see it; to pin that store: --home {here}")
    if project and shutil.which("recollect") is None:
        say("note: a project's file names `recollect` alone, so that it fits everybody; here it is not on the PATH")


def _put_unless(as_json: bool, line: str) -> None:
    if not as_json:
        put(line)


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
