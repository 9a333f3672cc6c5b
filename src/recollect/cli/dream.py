"""How does a person have a memory put in order now?"""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.cli.options import AsJson, Home, OnlySpace
from recollect.cli.output import many, one_line, put, put_json, say
from recollect.cli.place import open_to_read
from recollect.cli.write import command_to_replace
from recollect.engine.care.dream import Dream
from recollect.engine.memory import Memory


def dream(
    space: OnlySpace = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what would be done.")] = False,
    budget: Annotated[float, typer.Option("--budget", metavar="SECONDS", help="The time for each space.")] = 60.0,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Put the memory in order: merge what says the same, check the keyword index, count what has faded.

    Only what differs in nothing is merged, and the newer stays; what is merely alike is shown, and left to you.
    A server that speaks trusty-memory does so by itself when a space has been idle for five minutes. Every merge is in
    the journal, and `recollect undo` takes it back.

    \b
    Example:
      recollect dream --space work --dry-run
    """
    done: list[Dream] = []
    with open_to_read(home, {"dreams": []}, as_json=as_json) as memory:
        for name in [one.name for one in memory.spaces()] if space is None else [space]:
            done.append(memory.dream(name, budget_seconds=budget, dry_run=dry_run))
            if not as_json:
                _put_dream(memory, done[-1])
    if as_json:
        put_json({"dreams": done})


def _put_dream(memory: Memory, done: Dream) -> None:
    merged = "would be merged" if done.dry_run else "merged"
    put(
        f"{done.space}: {many(done.records, 'record')}, {len(done.merges):,} {merged},"
        f" {done.refreshed:,} index entries mended, {done.decayed:,} faded ({done.seconds:.1f} s)"
    )
    for merge in done.merges:
        record = memory.get(merge.merged, space=done.space)
        put(f"  {merge.merged} → {merge.kept}  {'' if record is None else one_line(record.text, 80)}")
        if merge.entry is not None:
            say(f"  take back: recollect undo {merge.entry}")
    if done.alike:
        put(f"  {many(len(done.alike), 'pair')} left to you: alike, but not quite the same")
    for pair in done.alike:
        from recollect.engine.write.tell import (  # brings in the stemmers: only where something is alike
            adds_nothing,
            may_stand_instead,
        )

        texts: list[str] = []
        for mark, id in (("older", pair.older), ("newer", pair.newer)):
            record = memory.get(id, space=done.space)
            texts.append("" if record is None else record.text)
            put(f"  {mark} {id}  {one_line(texts[-1], 100)}")
        if adds_nothing(texts[1], texts[0]):
            say(f"  the newer says no more; if one is enough: {command_to_replace(pair.newer, pair.older)}")
        elif may_stand_instead(texts[1], texts[0]):
            say(f"  if the newer takes its place: {command_to_replace(pair.older, pair.newer)}")
    if not done.finished:
        say(f"{done.space}: the time was over before everything was looked at; run it again")
