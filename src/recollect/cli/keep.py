"""How does a person copy a memory, bring a copy back, and make the file small?"""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.cli.options import AsJson, Home
from recollect.cli.output import many, megabytes, put, put_answer, put_json, say
from recollect.cli.place import open_or_fail
from recollect.engine.care import keep


def backup(
    path: Annotated[str, typer.Argument(metavar="PATH", help="The file to make, or a folder for it.")],
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Copy the whole memory into one file, while agents go on using it. The copy is read back before it gets its name.

    \b
    Examples:
      recollect backup ~/backups
      recollect backup monday.db
    """
    with open_or_fail(home) as memory:
        copied = memory.backup(path)
    if as_json:
        put_json(copied)
    else:
        held = f"{many(copied.records, 'version')} of records, {many(copied.entries, 'entry', 'entries')}"
        put(f"copied to {copied.path} ({megabytes(copied.bytes)}: {held}), and read back")


def restore(
    path: Annotated[str, typer.Argument(metavar="PATH", help="The backup.")],
    over: Annotated[
        bool, typer.Option("--over", help="Replace the memory that is there; it is kept aside, in a folder beside it.")
    ] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Make a backup the memory again. It is read from its first row to its last before anything is changed.

    \b
    Examples:
      recollect restore ~/backups/recollect-20260510-120000.db
      recollect restore monday.db --over
    """
    restored = keep.restore(path, home, over=over)
    if as_json:
        put_json(restored)
        return
    put(f"restored {many(restored.records, 'version')} of records to {restored.path}")
    if restored.kept_aside is not None:
        say(f"what was there is kept in {restored.kept_aside}")


def compact(home: Home = None, as_json: AsJson = False) -> None:
    """Make the store's file as small as it can be. Space is given back by itself, too, a little at a time.

    \b
    Example:
      recollect compact
    """
    with open_or_fail(home) as memory:
        done = memory.compact()
    put_answer(done, f"{megabytes(done.before)} before, {megabytes(done.after)} now", as_json=as_json)
