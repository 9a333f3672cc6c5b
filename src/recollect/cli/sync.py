"""How does a person keep a folder of Markdown and the memory in step?"""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import msgspec
import typer

from recollect.cli.options import AsJson, Home, SpaceName, Usage
from recollect.cli.output import many, one_line, put, put_json, say
from recollect.cli.place import find_place, open_or_make
from recollect.config import Settings
from recollect.engine.core import wait_for_store
from recollect.engine.intake.results import Synced
from recollect.engine.memory import Memory, open_memory
from recollect.errors import InvalidInput
from recollect.types import DEFAULT_SPACE, Record

_SHOWN = 10


def sync(
    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="The folder of Markdown; it is made if it is missing.")
    ],
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on: whenever either side changes, until you end it.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only tell what would be done on either side; nothing is changed.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Take in files that are there already without asking.")
    ] = False,
    space: SpaceName = DEFAULT_SPACE,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Keep a folder of Markdown and the memory in step: edits, new notes, renames and deletions on either side.

    What was changed on both sides is kept as both. With git, several machines share a memory this way. Files that are
    there already become notes once you say so, and get two lines at their top.

    \b
    Examples:
      recollect sync ~/notes
      recollect sync ~/notes --dry-run
      recollect sync ~/notes --space work --watch
    """
    place = Path(folder).expanduser().absolute()
    if dry_run:
        if watch:
            raise Usage("--dry-run tells what one sync would do; leave --watch out")
        return _rehearse(home, place, space, as_json=as_json)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput("folder", f"{place} cannot be a folder: {error.strerror}") from error
    with open_or_make(home) as memory:
        if not yes and not _may_take(memory, place, space):
            return 1
        done = memory.sync(place, space=space)
        _tell(done, _copies(memory, done), as_json=as_json)
        if watch:
            say(f"watching {place}; ctrl-c ends it")
            _follow(memory, place, space, as_json=as_json)
    return 1 if done.problems else 0


def _may_take(memory: Memory, place: Path, space: str) -> bool:
    """Shows which files would become notes, and asks whether they shall."""
    from recollect.engine.care.vault import foreign_files

    found = foreign_files(memory.core, place, space)
    if not found:
        return True
    _say_foreign(found, place, space)
    if not sys.stdin.isatty():
        say("nothing was changed: say --yes to take them in, or name a folder of your notes alone")
        return False
    return typer.confirm("Each gets its id and time in two lines at its top. Go on?")


def _say_foreign(found: Sequence[str], place: Path, space: str) -> None:
    say(f"{place}: {many(len(found), 'file')} would become {'a note' if len(found) == 1 else 'notes'} of {space}")
    for path in found[:_SHOWN]:
        say(f"  {path}")
    if len(found) > _SHOWN:
        say(f"  and {len(found) - _SHOWN:,} more")


def _rehearse(home: str | None, place: Path, space: str, *, as_json: bool) -> int:
    """Tells what a sync would do, also where there is no memory yet: then one is made for that, and goes again."""
    from recollect.engine.care.note_rehearsal import rehearse_sync
    from recollect.engine.care.vault import foreign_files

    with ExitStack() as stack:
        there = find_place(home).there
        own = home if there else stack.enter_context(TemporaryDirectory())
        memory = stack.enter_context(
            open_or_make(own) if there else open_memory(settings=Settings(home=Path(str(own))))
        )
        found = foreign_files(memory.core, place, space)
        done = rehearse_sync(memory.core, place, space)
    if as_json:
        put_json({"dry_run": True, **msgspec.to_builtins(done)})
        return 1 if done.would.problems else 0
    if found:
        _say_foreign(found, place, space)
    put(f"{space}: {_counted(done.would) or 'nothing to do'}{', if it is done' if _counted(done.would) else ''}")
    for verb, paths in (("would be written", done.written), ("would be removed", done.removed)):
        for path in paths[:_SHOWN]:
            put(f"  {path} {verb}")
        if len(paths) > _SHOWN:
            put(f"  and {len(paths) - _SHOWN:,} more {verb}")
    for id in done.would.conflicts:
        put(f"  {id.rpartition('~')[0]} was changed on both sides; the other would be kept as {id}")
    for problem in done.would.problems:
        say(f"  {problem.path}: {problem.problem}")
    return 1 if done.would.problems else 0


def _follow(memory: Memory, place: Path, space: str, *, as_json: bool) -> None:
    """Runs again when the folder has changed, or the memory has."""
    from recollect.engine.care.note_watch import follow  # brings in what watches

    stop = threading.Event()
    try:
        for done in follow(memory.core, place, space, stop, say):
            if done.changed or done.problems:
                _tell(done, wait_for_store(partial(_copies, memory, done), say), as_json=as_json)
    except KeyboardInterrupt:
        stop.set()


def _copies(memory: Memory, done: Synced) -> dict[str, Record | None]:
    """What was changed on both sides, as it is kept."""
    return {id: memory.get(id, space=done.space) for id in done.conflicts if id not in done.copied}


def _counted(done: Synced) -> str:
    parts = [
        f"{many(count, noun)} {verb}"
        for count, noun, verb in (
            (done.added, "note", "added"), (done.revised, "note", "revised"), (done.archived, "note", "archived"),
            (done.written, "file", "written"), (done.removed, "file", "removed"),
        )
        if count
    ]  # fmt: skip
    return ", ".join(parts)


def _tell(done: Synced, copies: Mapping[str, Record | None], *, as_json: bool) -> None:
    if as_json:
        put_json(done)
        return
    put(f"{done.space}: {_counted(done) or 'nothing to do'}")
    for id, (path, other) in done.copied.items():
        put(f"  {path} had the id of {other}; it is a note of its own now: {id}")
    for id, record in copies.items():
        of, text = id.rpartition("~")[0], "" if record is None else one_line(record.text, 100)
        if record is not None and record.status == "archived":
            put(f"  a merge made the file of {id} one with that of another note; {id} is archived: {text}")
        else:
            put(f"  {of} was changed on both sides; the other is kept as {id}: {text}")
    for problem in done.problems:
        say(f"  {problem.path}: {problem.problem}")
