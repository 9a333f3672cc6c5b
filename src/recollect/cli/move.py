"""How does a person move a memory from a folder to a database, or back?"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from recollect.cli.options import AsJson
from recollect.cli.output import is_terminal, many, put, put_json, say
from recollect.cli.progress import Report, reporting
from recollect.engine.care import move as moving
from recollect.engine.care.move import Moved

Source = Annotated[str, typer.Option("--from", metavar="URL|FOLDER", help="Where the memory is.")]
Target = Annotated[str, typer.Option("--to", metavar="URL|FOLDER", help="Where it is to be: nothing may be there yet.")]


def move(source: Source, target: Target, as_json: AsJson = False) -> None:
    """Copy a whole memory into another folder or database, with its history and its vectors, and prove that it arrived.

    The memory that is moved stays as it is. If the move is ended before it is done, the same command goes on with it.
    Let nothing write to either meanwhile.

    \b
    Example:
      recollect move --from ~/.local/share/recollect --to postgresql://me@host/db
    """
    if is_terminal(sys.stderr):
        with reporting() as report:
            done = _moved(source, target, report)
    else:
        done = _moved(source, target, None)
    if as_json:
        put_json(done)
        return
    put(f"moved {many(done.rows['records'], 'version')} of records from {done.source} to {done.target}")
    put(f"equal: {', '.join(f'{count:,} {table}' for table, count in done.rows.items() if count)}")
    put(f"sha256 over all rows: {done.digest}")
    if done.resumed:
        say("this went on with a move that had not been finished")
    say(f"vectors copied: {done.vectors:,}. Use it by --store, RECOLLECT_STORE or store in config.toml")


def _moved(source: str, target: str, report: Report | None) -> Moved:
    return moving.move(source, target, report=report)
