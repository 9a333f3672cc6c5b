"""How does a person bring along what another program kept?"""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.options import AsJson, Home
from recollect.cli.output import many, put, put_json, say
from recollect.cli.place import find_place, open_or_make
from recollect.cli.progress import complete_vectors, reporting
from recollect.engine.intake.results import Imported
from recollect.engine.memory import Memory

imports = typer.Typer(
    help="""Bring along what another memory server kept. Its files are only read.

\b
Example:
  recollect import trusty-memory ~/.local/share/trusty-memory
""",
    no_args_is_help=True,
)


@imports.callback()
def root() -> None:
    """Holds the commands together: with one alone, typer would leave out its name."""


@imports.command("trusty-memory")
def trusty_memory(
    path: Annotated[str, typer.Argument(metavar="PATH", help="Its data folder, or the folder of one palace.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would come; keep nothing.")] = False,
    later: Annotated[
        bool, typer.Option("--later", help="Leave the vectors to the next recall instead of computing them now.")
    ] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Import the palaces of trusty-memory: drawers, triples and identity texts.

    Each palace becomes the space of its name. Ids, times, importance, rooms and tags stay; what is here already is
    not stored twice. Stop trusty-memory first, so that everything is in its files.

    \b
    Examples:
      recollect import trusty-memory ~/.local/share/trusty-memory --dry-run
      recollect import trusty-memory "$HOME/Library/Application Support/trusty-memory"
    """
    with _memory(home, dry_run=dry_run) as memory, reporting() as report:
        done = memory.import_trusty_memory(Path(path).expanduser(), dry_run=dry_run, progress=report)
        if not dry_run and not later and any(one.records for one in done):
            complete_vectors(memory, report)
    if as_json:
        put_json({"dry_run": dry_run, "palaces": done})
    else:
        for one in done:
            _put(one, "would come" if dry_run else "came")
    nothing = all(one.problems and not _something(one) for one in done)
    return 1 if nothing else 0


@imports.command("agentos")
def agentos(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A JSON file with `memories` and `sessions`.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would come; keep nothing.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Import memories and sessions of agentos. Each agent becomes the space of its name; ids and times stay.

    Lists of sessions come as they are. What is wrong with one, `memory::session::repair` mends.

    \b
    Example:
      recollect import agentos state.json --dry-run
    """
    with _memory(home, dry_run=dry_run) as memory:
        done = memory.import_agentos(Path(file).expanduser(), dry_run=dry_run)
    if as_json:
        put_json({"dry_run": dry_run, "agents": done})
        return
    for one in done:
        present = f"; {one.records_present:,} were here already" if one.records_present else ""
        put(f"{one.space}: {many(one.records, 'record')} {'would come' if dry_run else 'came'}{present}")
        for problem in one.problems:
            say(f"  {one.space}: {problem}")


@contextmanager
def _memory(home: str | None, *, dry_run: bool) -> Generator[Memory]:
    """The memory; where there is none yet, a dry run makes none."""
    if dry_run and not find_place(home).there:
        with tempfile.TemporaryDirectory() as folder, open_or_make(folder) as memory:
            yield memory
    else:
        with open_or_make(home) as memory:
            yield memory


def _something(one: Imported) -> bool:
    return bool(one.records or one.records_present or one.facts or one.facts_present or one.identity)


def _put(one: Imported, verb: str) -> None:
    parts = [many(one.records, "drawer"), many(one.facts, "triple")]
    if one.identity:
        parts.append("the identity text")
    present = one.records_present + one.facts_present
    put(f"{one.space}: {', '.join(parts)} {verb}" + (f"; {present:,} were here already" if present else ""))
    for problem in one.problems:
        say(f"  {one.space}: {problem}")
