"""How does a person change what a memory holds?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli import show
from recollect.cli.options import (
    SETTABLE,
    AnySpace,
    AsJson,
    Home,
    OnlySpace,
    Reason,
    RecordId,
    SpaceName,
    Usage,
    ValidFrom,
    ValidUntil,
    Words,
    Yes,
    confirm,
    read_text,
    with_options,
)  # fmt: skip
from recollect.cli.output import day, many, one_line, put, put_answer, put_json, say, tell_error
from recollect.cli.place import asked_space, claimed_here, open_or_fail, open_or_make, open_to_read
from recollect.cli.progress import reporting
from recollect.engine.graph.link import as_stored
from recollect.engine.graph.named import meant
from recollect.errors import InvalidInput, NotFound
from recollect.fields import REVISABLE
from recollect.types import DEFAULT_SPACE, Already, Receipt

if TYPE_CHECKING:
    from recollect.engine.care.forget import Forgotten
    from recollect.engine.memory import Memory

_LAST_ACTS = 5


@with_options(SETTABLE.values())
def remember(
    given: Mapping[str, object],
    text: Words = None,
    replaces: Annotated[
        str | None, typer.Option("--replaces", metavar="ID", help="The record that this takes the place of.")
    ] = None,
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="Of no project, also inside the repository of one.")
    ] = False,
    space: SpaceName = DEFAULT_SPACE,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Store a text. It is safe on disk when this returns.

    Inside a git repository it belongs to that project (the name of its remote, else of its folder).

    The same text in the same place is not stored twice: the answer is then the id that holds it. What says nearly this,
    or something else of the same thing, is shown; with the command that settles it, unless the two speak of two things.

    \b
    Examples:
      recollect remember "The gateway validates tokens with RS256." --tag auth
      recollect remember "Tokens are checked with ES256." --replaces k3v9x2m4q8ab
      git log -1 --format=%B | recollect remember --project gateway --kind commit
    """
    fields = {"trust": "user_declared", **given}
    with open_or_make(home) as memory:
        here = None if everywhere or "project" in given else claimed_here(memory)
        if here is not None:
            fields["project"] = here
        is_new = space != DEFAULT_SPACE and space not in {one.name for one in memory.spaces()}
        receipt = memory.remember(read_text(text), space=space, replaces=replaces, **fields)  # pyright: ignore[reportArgumentType] -- parsed by the engine
        told = [] if receipt.id is None else list(already_lines(memory, receipt.already, receipt.id, receipt.space))
    code = answer(receipt, as_json=as_json, done="stored" if replaces is None else f"replaced {replaces} by")
    if not as_json and receipt.id is not None:
        if is_new:
            say(f"  the space {space} is new")
        if here is not None and receipt.stored:
            say(f"  of the project {here}; --everywhere keeps it for all")
        for line in told:
            say(line)
    return code


def already_lines(memory: Memory, already: Sequence[Already], id: str, space: str) -> Iterator[str]:
    """What was known before a record, and the command that puts the later of both in the place of the earlier: never
    one that says no more in the place of one that does, nor one that speaks of another thing.
    """
    if not already:
        return
    from recollect.engine.write.tell import (  # brings in the stemmers: only where something is alike
        adds_nothing,
        may_stand_instead,
        told_beside,
    )

    stored = memory.get(id, space=space)
    for one in already:
        text = "" if stored is None else stored.text
        yield f"{told_beside(text, one)} {one.id} ({day(one.date)}): {one_line(one.text, 100)}"
        is_earlier = _begins(memory, id, space, one.date) < _begins(memory, one.id, space, one.date)
        if not one.differs and adds_nothing(text, one.text):
            yield f"  it says no more than that; if one is enough: {command_to_replace(id, one.id)}"
        elif not may_stand_instead(*((one.text, text) if is_earlier else (text, one.text))):
            continue
        elif is_earlier:
            yield f"  if that took its place: {command_to_replace(id, one.id)}"
        else:
            yield f"  if it takes its place: {command_to_replace(one.id, id)}"


def _begins(memory: Memory, id: str, space: str, otherwise: datetime) -> datetime:
    """Since when does a record hold, or when did what it tells of happen?"""
    record = memory.get(id, space=space)
    return otherwise if record is None else record.valid_from or record.event_time


def command_to_replace(older: str, newer: str | None) -> str:
    """What a person types to say that a record holds in another's place; it can be undone."""
    return f"recollect forget {older} --superseded-by {newer}"


def answer(receipt: Receipt, *, as_json: bool, done: str = "stored") -> int:
    """Says what became of a write. Rejected means that it failed."""
    if as_json:
        put_json(receipt)
    elif receipt.outcome == "stored":
        put(f"{done} {receipt.id}" + ("" if receipt.entry is None else f" (entry {receipt.entry})"))
        if receipt.masked:
            say(f"  {receipt.reason}; to keep such things: recollect spaces secrets {quote(receipt.space)} allow")
    elif receipt.outcome == "deduplicated":
        said = f"{receipt.id}: {receipt.reason}"
        plain = receipt.entry is None and not receipt.masked
        put(f"already there: {receipt.id if plain else said}" if done == "stored" else said)
    else:
        say(f"rejected: {receipt.reason}")
    return 1 if receipt.outcome == "rejected" else 0


@with_options(one for name, one in SETTABLE.items() if name in REVISABLE)
def revise(
    id: RecordId,
    given: Mapping[str, object],
    text: Words = None,
    reason: Reason = None,
    space: AnySpace = None,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Change a record: its text, or only the fields that are given. The old version stays in its history.

    \b
    Examples:
      recollect revise k3v9x2m4q8ab "The gateway validates tokens with ES256." --reason "changed in May"
      recollect revise k3v9x2m4q8ab --tag auth --tag keys
    """
    fields = dict(given)
    if text or not fields:
        fields["text"] = read_text(text)
        if not text and not str(fields["text"]).strip():
            raise Usage("nothing to change; give the new text, or an option with what is to change")
    with open_or_fail(home) as memory:
        receipt = memory.revise(id, space=space, reason=reason, **fields)  # pyright: ignore[reportArgumentType] -- parsed by the engine
    return answer(receipt, as_json=as_json, done="revised")


def forget(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="The records' ids.")],
    soft: Annotated[
        bool, typer.Option("--soft", help="Only mark it as no longer true: history keeps it, and it can be undone.")
    ] = False,
    superseded_by: Annotated[
        str | None,
        typer.Option("--superseded-by", metavar="ID", help="The record that holds instead; means --soft."),
    ] = None,
    reason: Reason = None,
    yes: Yes = False,
    space: AnySpace = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Remove records for good: text, versions, index and links. This alone cannot be undone.

    A source takes everything along that came in with it. The id of a fact or an entity, as `recall` and
    `explore` show them, removes that.

    \b
    Examples:
      recollect forget k3v9x2m4q8ab
      recollect forget k3v9x2m4q8ab --soft --reason "we moved"
      recollect forget k3v9x2m4q8ab --superseded-by m4q8abk3v9x2
    """
    soft = soft or superseded_by is not None
    if superseded_by in ids:
        raise InvalidInput("--superseded-by", "a record cannot take its own place; nothing was changed")
    with open_or_fail(home) as memory:
        for id in ids:
            record = memory.get(id, space=space)
            if record is None and soft:
                raise NotFound(f"there is no record with id {id!r}; nothing was forgotten")
            if record is None:
                memory.forgets(id, space=space)  # which says so where there is no fact by that id, either
            if not soft and not yes:
                say(f"{id}  {'a fact or an entity' if record is None else one_line(record.text, 100)}")
        if not soft and not confirm(f"Forget {many(len(ids), 'record')} for good?", yes=yes):
            say("nothing was forgotten")
            raise typer.Exit(1)
        ended = [
            memory.invalidate(id, space=space, reason=reason, superseded_by=superseded_by) for id in ids if soft
        ]  # fmt: skip
        gone = [_forget(memory, id, space, reason) for id in ids if not soft]
    if as_json:
        put_json({"receipts": [*ended, *gone]})
        return
    for receipt in ended:
        answer(receipt, as_json=False, done="no longer true:")
    for receipt in gone:
        answer(receipt, as_json=False, done="forgotten")
        _tell_along(receipt)


def _forget(memory: Memory, id: str, space: str | None, reason: str | None) -> Forgotten:
    """A record, or else what a fact or an entity is the id of."""
    try:
        return memory.forget(id, space=space, reason=reason)
    except NotFound:
        return memory.forget_fact(id, space=space, reason=reason)


def _tell_along(receipt: Forgotten) -> None:
    """What else went, what was rewritten, and what is still on disk."""
    for why, ids in receipt.along.items():
        put(f"  also removed ({why}): {', '.join(ids)}")
    if receipt.rewritten:
        put(f"  rewritten without it: {', '.join(receipt.rewritten)}")
    for left in receipt.pending:
        put(f"  still to go: {left}")


def undo(
    entry: Annotated[
        int | None, typer.Argument(metavar="[ENTRY]", help="The entry number, from journal or history.")
    ] = None,
    only: Annotated[
        bool, typer.Option("--only", help="Only this change, where others were made together with it.")
    ] = False,
    reason: Reason = None,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Take back what was done. The undoing is a change too, and can itself be undone.

    The entry that `recollect journal` shows stands for all that was done with it; any other stands for itself. Without
    one, what was done last is shown with its numbers, and nothing is changed.

    \b
    Examples:
      recollect undo
      recollect undo 17
      recollect undo 17 --only
    """
    if entry is None:
        return _put_last_acts(home, as_json=as_json)
    with open_or_fail(home) as memory:
        heads = memory.journal(act=entry, newest_first=False, limit=1)
        receipt = memory.undo(entry, whole=not only and bool(heads) and heads[0].act is None, reason=reason)
    if receipt.reason and not as_json:
        say(receipt.reason)
    return answer(receipt, as_json=as_json, done=f"undone {entry}:")


def _put_last_acts(home: str | None, *, as_json: bool) -> int:
    """What can be meant where nobody says what is to be undone."""
    with open_or_fail(home) as memory:
        acts = memory.acts(limit=_LAST_ACTS)
    if as_json:
        put_json({"acts": acts})
    else:
        show.put_acts(acts, with_space=True)
    told = "nothing was undone: say which entry, by its number (`recollect undo 17`); `recollect journal` shows more"
    if as_json:
        tell_error("usage", told, as_json=True)
    else:
        say(told)
    return 2


def relate(
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="A name or an entity's id.")],
    predicate: Annotated[str, typer.Argument(metavar="PREDICATE", help="What holds between them.")],
    object: Annotated[str, typer.Argument(metavar="OBJECT", help="A name or an entity's id.")],
    also: Annotated[
        bool, typer.Option("--also", help="Keep what was stated before; else the new fact replaces it.")
    ] = False,
    weight: Annotated[float, typer.Option("--weight", metavar="0..1", help="How strong the tie is.")] = 1.0,
    confidence: Annotated[float, typer.Option("--confidence", metavar="0..1", help="How sure it is.")] = 1.0,
    provenance: Annotated[str | None, typer.Option("--provenance", metavar="TEXT", help="How this is known.")] = None,
    valid_from: ValidFrom = None,
    valid_until: ValidUntil = None,
    space: SpaceName = DEFAULT_SPACE,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """State a fact about two entities; those that are not known yet are made.

    The fact of the same subject and predicate that holds then ends where this one begins, and this one where the next
    of them does, unless --also is given.

    \b
    Examples:
      recollect relate Alice works_at Acme --valid-from 2026-03-01
      recollect relate Alice knows Bob --also
    """
    with open_or_make(home) as memory:
        named = (("subject", subject), ("object", object))
        ends = [meant(memory.core, end, space=space, field=field) for field, end in named]
        relation = memory.relate(
            ends[0], predicate, ends[1], space=space, weight=weight, confidence=confidence, provenance=provenance,
            valid_from=valid_from, valid_until=valid_until,
            replaces=not also,
        )  # fmt: skip
        stored = as_stored(memory.core, relation)
    told = f"stored {stored.id}" if stored.masked else f"{subject} — {predicate} → {object} ({stored.id})"
    if stored.valid_until is not None and valid_until is None:
        told += f", until {stored.valid_until.date().isoformat()}, when the next begins"
    put_answer(stored, told, as_json=as_json)
    if stored.masked and not as_json:
        say(f"  masked before it was stored: {', '.join(stored.masked)}")


def embed(space: OnlySpace = None, home: Home = None, as_json: AsJson = False) -> None:
    """Compute the vectors that still wait, now. A running server does it by itself.

    \b
    Example:
      recollect embed
    """
    with open_to_read(home, {"embedded": 0, "waiting": 0}, as_json=as_json) as memory, reporting() as report:
        before = memory.count_waiting(space=space)
        if space is not None:
            asked_space(memory, space)
        left = memory.embed_waiting(lambda done, total: report("vectors", done, total), space=space)
    done = max(before - left, 0)
    told = f"computed the vectors of {many(done, 'record')}; {left or 'nothing'} waits"
    put_answer({"embedded": done, "waiting": left}, told, as_json=as_json)


def reindex(home: Home = None, as_json: AsJson = False) -> None:
    """Make the keyword index, the mentions and the vectors anew. What you stored is not touched.

    \b
    Example:
      recollect reindex
    """
    with open_to_read(home, {"reindexed": 0}, as_json=as_json) as memory, reporting() as report:
        count = memory.reindex(report)
    put_answer({"reindexed": count}, f"reindexed {many(count, 'version')}", as_json=as_json)
