"""How does a person write a memory out, so that anybody can read it?"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from recollect.cli.options import AsJson, Home, OnlySpace, Projects, Since, Until, Usage
from recollect.cli.output import is_terminal, many, put, put_json, say
from recollect.cli.place import open_or_fail
from recollect.config import load_settings
from recollect.engine.memory import Memory
from recollect.errors import NotFound
from recollect.types import Filter


def export(
    path: Annotated[
        str | None, typer.Argument(metavar="[PATH]", help="The file to make, or a folder for it (else stdout).")
    ] = None,
    space: OnlySpace = None,
    project: Projects = None,
    since: Since = None,
    until: Until = None,
    passphrase: Annotated[
        bool, typer.Option("--passphrase", help="Encrypt it: asks for a passphrase, or takes RECOLLECT_PASSPHRASE.")
    ] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Write the memory out as lines of JSON: every version, relation, source and entry of the journal.

    `recollect import` brings it back, equal in every row. Nothing else is needed to read it.

    \b
    Examples:
      recollect export memory.jsonl
      recollect export ~/backups --passphrase
      recollect export --space work --since 2026-01-01 | gzip > work.jsonl.gz
    """
    if path is None and as_json:
        raise Usage("--json tells of a file; name one, or leave --json out to have the lines themselves")
    secret = ask_passphrase(home, twice=True) if passphrase else None
    with open_or_fail(home) as memory:
        _need_held(memory, space, project)
        target = sys.stdout.buffer if path is None else path
        done = memory.export(target, space=space, project=project, since=since, until=until, passphrase=secret)
    if as_json:
        put_json(done)
        return
    tell = say if path is None else put
    versions, entries = done.lines.get("record", 0), done.lines.get("entry", 0)
    held = f"{many(versions, 'version')} of records, {many(entries, 'entry', 'entries')}"
    tell(f"wrote {held}{'' if done.path is None else f' to {done.path}'}{', encrypted' if done.encrypted else ''}")
    if not done.complete:
        say("this is a part of the memory: what was asked for, or what this database role sees")


def _need_held(memory: Memory, space: str | None, project: list[str] | None) -> None:
    """A name that no record has was mistyped, and an export of nothing helps nobody."""
    if not project:
        return
    from recollect.engine.read.unheld import tell_unheld  # only where a name is given

    where = Filter(spaces=() if space is None else (space,), projects=tuple(project))
    with memory.core.store.read() as view:
        unheld = tell_unheld(view, where)
    if unheld is not None:
        raise NotFound(unheld)


def ask_passphrase(home: str | None, *, twice: bool = False) -> str:
    """From the settings, or else from the person."""
    known = load_settings(home).passphrase
    if known is not None:
        return known
    if not is_terminal(sys.stdin):
        raise Usage("there is no terminal to ask for the passphrase on; set RECOLLECT_PASSPHRASE")
    return str(typer.prompt("Passphrase", hide_input=True, confirmation_prompt=twice, err=True))
