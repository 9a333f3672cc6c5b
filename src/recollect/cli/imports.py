"""How does a person bring along what an export holds, or another program kept?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.export import ask_passphrase
from recollect.cli.options import AsJson, Home, Usage
from recollect.cli.output import many, one_line, put, put_json, say
from recollect.cli.place import find_place, open_or_make
from recollect.cli.progress import Report, complete_vectors, reporting
from recollect.engine.care.arrive import Manner, rehearse
from recollect.engine.care.export import is_encrypted
from recollect.engine.care.keep import parse_path
from recollect.engine.intake.results import Differing, Imported, came_to_nothing
from recollect.engine.parse import parse_space

_MOST_SHOWN = 20


def import_(
    given: Annotated[
        list[str],
        typer.Argument(metavar="[FROM] PATH", help="A file or folder, and which program wrote it if need be."),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would come; keep nothing.")] = False,
    later: Annotated[
        bool, typer.Option("--later", help="Leave the vectors to the next recall instead of computing them now.")
    ] = False,
    space: Annotated[
        str | None, typer.Option("--space", metavar="NAME", help="Where it belongs, if it does not say (else default).")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Bring along an export of Recollect, or what another program kept. Its files are only read.

    What it is, is told by its content. Nothing comes twice: what is here already stays as it is.

    \b
    Examples:
      recollect import memory.jsonl --dry-run
      recollect import chatgpt-export.zip --space talks
      recollect import trusty-memory ~/.local/share/trusty-memory
    """
    if len(given) > 2:
        raise Usage(f"give one file or folder, and before it at most one name: {' '.join(given)!r} has more")
    origin, path = (given[0], given[1]) if len(given) == 2 else (None, given[0])
    secret = ask_passphrase(home) if is_encrypted(Path(path).expanduser()) else None
    named = None if space is None else parse_space(space)
    with reporting() as report:
        asked = Manner(space=named, dry_run=dry_run, passphrase=secret, progress=report)
        tried = None if find_place(home).there else rehearse(parse_path(path), origin, asked)
        if tried is None or not (dry_run or came_to_nothing(tried)):
            done = _bring(home, path, origin, asked, None if later or dry_run else report)
        else:
            done = tried
    if as_json:
        put_json({"dry_run": dry_run, "spaces": done})
    else:
        for one in done:
            _put(one, "would come" if dry_run else "came")
        if not done:
            say(f"there is nothing in {path}")
    return 1 if came_to_nothing(done) else 0


def _bring(
    home: str | None, path: str, origin: str | None, asked: Manner, report_vectors: Report | None
) -> list[Imported]:
    """What came into the memory, which is made where there is none yet."""
    with open_or_make(home) as memory:
        done = memory.import_(
            path, origin=origin, space=asked.space, dry_run=asked.dry_run, passphrase=asked.passphrase,
            progress=asked.progress,
        )  # fmt: skip
        if report_vectors is not None and any(one.records or one.newer for one in done):
            complete_vectors(memory, report_vectors)
    return done


def _put(one: Imported, verb: str) -> None:
    parts = [many(one.records, "record"), many(one.facts, "fact")]
    parts += ["the identity text"] if one.identity else []
    put(f"{one.space}: {', '.join(parts)} {verb}{_beside(one)}")
    for differing in one.differing[:_MOST_SHOWN]:
        _say_differing(differing)
    if len(one.differing) > _MOST_SHOWN:
        say(f"  … and {len(one.differing) - _MOST_SHOWN:,} more; --json lists all")
    if one.forgotten:
        forgotten = len(one.forgotten)
        told = (
            "1 was forgotten here and stays so" if forgotten == 1 else f"{forgotten:,} were forgotten here and stay so"
        )
        say(f"  {told}: {_some(one.forgotten)}")
    if one.masked:
        say(f"  masked before it was stored: {', '.join(one.masked)}")
    for problem in one.problems:
        say(f"  {one.space}: {problem}")


def _say_differing(one: Differing) -> None:
    why = (
        "differs, and which is later cannot be told since history was thinned"
        if one.thinned
        else "was changed on both sides"
    )
    say(f"  {one.type} {one.id} {why}; what stands here is kept:")
    say(f"    here:  {one_line(one.here)}")
    if one.there != one.here:
        say(f"    there: {one_line(one.there)}")
    for name, (here, there) in one.fields.items():
        if here != one.here:
            say(f"    {name}: {one_line(here)} here, {one_line(there)} there")


def _beside(one: Imported) -> str:
    present = one.records_present + one.facts_present
    told = ((present, "here already"), (len(one.same), "so under another id"), (one.newer, "brought up to date"),
            (one.removed, "retired, no longer there"))  # fmt: skip
    return "".join(f"; {count:,} {'was' if count == 1 else 'were'} {words}" for count, words in told if count)


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_MOST_SHOWN]) + (", …" if len(ids) > _MOST_SHOWN else "")
