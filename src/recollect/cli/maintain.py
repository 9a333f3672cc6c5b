"""How does a person have a memory let go of what is no longer of use?"""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer

from recollect.cli.options import AsJson, Home, OnlySpace
from recollect.cli.output import many, put, put_json, say
from recollect.cli.place import open_to_read
from recollect.cli.unasked import read_duration
from recollect.engine.care import lifecycle
from recollect.engine.care.lifecycle import Maintained
from recollect.engine.memory import Memory
from recollect.errors import InvalidInput

maintain = typer.Typer(
    help="""Keep the memory in shape: evict what is stale, let fade what nobody uses, merge what says the same.

\b
Example:
  recollect maintain evict --dry-run
""",
    no_args_is_help=True,
)
_NONE: dict[str, list[Maintained]] = {"runs": []}
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only tell what would be done.")]


@maintain.command("evict")
def evict(
    space: OnlySpace = None,
    max_age: Annotated[
        float, typer.Option("--max-age", metavar="DAYS", help="What is older and unimportant is stale.")
    ] = lifecycle.MAX_AGE.days,
    min_importance: Annotated[
        float, typer.Option("--min-importance", metavar="SHARE", help="What is less important, and old, is stale.")
    ] = lifecycle.MIN_IMPORTANCE,
    cap: Annotated[
        int, typer.Option("--cap", metavar="COUNT", help="A space keeps so many, the most important ones.")
    ] = lifecycle.CAP,
    delete: Annotated[bool, typer.Option("--delete", help="Forget them for good instead of archiving them.")] = False,
    dry_run: DryRun = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Take out what is stale, hardly believed, or beyond what a space may hold. The journal can bring it back.

    \b
    Example:
      recollect maintain evict --space work --max-age 90 --dry-run
    """
    if not 0 <= max_age < 1e6:
        raise InvalidInput("--max-age", f"must be a number of days from 0 to 1,000,000, not {max_age:g}")
    with open_to_read(home, _NONE, as_json=as_json) as memory:
        done = memory.evict(
            space=space, max_age=timedelta(days=max_age), min_importance=min_importance, cap=cap, delete=delete,
            dry_run=dry_run,
        )  # fmt: skip
        memory.sweeping.finish()
    _put(done, "evicted", as_json=as_json, undoable=not delete)


@maintain.command("consolidate")
def consolidate(
    space: OnlySpace = None,
    decay_rate: Annotated[
        float, typer.Option("--decay-rate", metavar="SHARE", help="The share of its confidence that each loses.")
    ] = lifecycle.DECAY_RATE,
    dry_run: DryRun = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Lower the confidence of what was not used for seven days, down to 0.1. The journal can take it back.

    \b
    Example:
      recollect maintain consolidate --space work
    """
    with open_to_read(home, _NONE, as_json=as_json) as memory:
        done = memory.consolidate(space=space, decay_rate=decay_rate, dry_run=dry_run)
    _put(done, "faded", as_json=as_json)


@maintain.command("thin")
def thin(
    older_than: Annotated[
        str,
        typer.Option("--older-than", metavar="TIME", help="What ended so long ago goes: 90d, 12h; 0d is all."),
    ],
    space: OnlySpace = None,
    dry_run: DryRun = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Remove old history for good: superseded texts, archived records and their entries. This cannot be undone.

    What holds now stays. What was known before then can no longer be asked for (--as-of), nor undone.

    \b
    Example:
      recollect maintain thin --older-than 90d --dry-run
    """
    age = read_duration(older_than, "--older-than", unit=None, least=0)
    with open_to_read(home, _NONE, as_json=as_json) as memory:
        done = memory.thin(older_than=age, space=space, dry_run=dry_run)
    _put(done, "removed", as_json=as_json, undoable=False, noun="old version")


@maintain.command("merge")
def merge(
    space: OnlySpace = None,
    budget: Annotated[float, typer.Option("--budget", metavar="SECONDS", help="The time for each space.")] = 60.0,
    dry_run: DryRun = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Make one of records that say the same. Every merge is in the journal, and can be undone.

    \b
    Example:
      recollect maintain merge --space work --dry-run
    """
    with open_to_read(home, {"merges": []}, as_json=as_json) as memory:
        names = [one.name for one in memory.spaces()] if space is None else [space]
        told = [_merge(memory, name, budget, dry_run=dry_run, quiet=as_json) for name in names]
    if as_json:
        put_json({"merges": told})


def _merge(memory: Memory, name: str, budget: float, *, dry_run: bool, quiet: bool) -> dict[str, object]:
    merges, finished = memory.merge(name, budget_seconds=budget, dry_run=dry_run)
    if not quiet:
        put(f"{name}: {many(len(merges), 'record')} {'would be merged' if dry_run else 'merged'}")
        for one in merges:
            put(f"  {one.merged} → {one.kept}")
            if one.entry is not None:
                say(f"  take back: recollect undo {one.entry}")
        if not finished:
            say(f"{name}: the time was over before everything was looked at; run it again")
    return {"space": name, "merges": merges, "finished": finished, "dry_run": dry_run}


def _put(done: list[Maintained], verb: str, *, as_json: bool, undoable: bool = True, noun: str = "record") -> None:
    if as_json:
        put_json({"runs": done})
        return
    for one in done:
        told = f"would be {verb}" if one.dry_run else verb
        put(f"{one.space}: {many(one.count, noun)} {told} ({one.seconds:.1f} s)")
        if one.entry is not None and undoable:
            say(f"  take back: recollect undo {one.entry}")
