"""How does a person change what a memory holds?"""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.cli.options import (
    AnySpace,
    AsJson,
    Home,
    Reason,
    RecordId,
    SpaceName,
    Words,
    Yes,
    confirm,
    read_metadata,
    read_text,
    read_time,
)  # fmt: skip
from recollect.cli.output import many, one_line, put, put_json, say
from recollect.cli.place import open_if_there, open_or_fail, open_or_make
from recollect.cli.progress import reporting
from recollect.errors import InvalidInput, NotFound
from recollect.types import DEFAULT_SPACE, Receipt

SetTags = Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag; may be repeated.")]
SetMeta = Annotated[
    list[str] | None, typer.Option("--meta", metavar="KEY=VALUE", help="Anything else to keep with it; repeatable.")
]


def _label(name: str, help: str) -> typer.models.OptionInfo:
    return typer.Option(f"--{name}", metavar=name.rsplit("-", 1)[-1].upper(), help=help)


SetKind = Annotated[str | None, _label("kind", "What it is: memory, note, decision, …")]
SetType = Annotated[str | None, _label("type", "episodic (happened), semantic (is so) or procedural (how to).")]
SetTitle = Annotated[str | None, _label("title", "What it is called.")]
SetRole = Annotated[str | None, _label("role", "Who said it.")]
SetRoom = Annotated[str | None, _label("room", "A place inside the space.")]
SetSession = Annotated[str | None, _label("session", "The conversation that it belongs to.")]
SetProject = Annotated[str | None, _label("project", "The project that it belongs to.")]
SetUser = Annotated[str | None, _label("user", "The person that it belongs to.")]
SetSource = Annotated[str | None, _label("source", "Where it comes from: a path, an address.")]
SetStatus = Annotated[str | None, _label("status", "active, open, done, archived, …")]
SetImportance = Annotated[float | None, typer.Option("--importance", metavar="0..1", help="How much it matters.")]
SetConfidence = Annotated[float | None, typer.Option("--confidence", metavar="0..1", help="How sure it is.")]
SetTime = Annotated[str | None, typer.Option("--time", metavar="TIME", help="When it happened (else now).")]
ValidFrom = Annotated[str | None, typer.Option("--valid-from", metavar="TIME", help="Since when it is true.")]
ValidUntil = Annotated[str | None, typer.Option("--valid-until", metavar="TIME", help="Until when it is true.")]


def remember(
    text: Words = None,
    space: SpaceName = DEFAULT_SPACE,
    tag: SetTags = None,
    kind: SetKind = None,
    type: SetType = None,
    title: SetTitle = None,
    role: SetRole = None,
    room: SetRoom = None,
    session: SetSession = None,
    project: SetProject = None,
    user: SetUser = None,
    source: SetSource = None,
    status: SetStatus = None,
    importance: SetImportance = None,
    confidence: SetConfidence = None,
    time: SetTime = None,
    valid_from: ValidFrom = None,
    valid_until: ValidUntil = None,
    meta: SetMeta = None,
    id: Annotated[str | None, typer.Option("--id", metavar="ID", help="The id to give it (else a new one).")] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Store a text. It is safe on disk when this returns.

    The same text in the same place is not stored twice: the answer is then the id that holds it.

    \b
    Examples:
      recollect remember "The gateway validates tokens with RS256." --tag auth
      git log -1 --format=%B | recollect remember --project gateway --kind commit
    """
    given: dict[str, object] = {
        "text": read_text(text), "tags": tag, "kind": kind, "memory_type": type, "title": title, "role": role,
        "room": room, "session": session, "project": project, "user": user, "source": source, "status": status,
        "importance": importance, "confidence": confidence, "event_time": read_time(time, "time"),
        "valid_from": read_time(valid_from, "valid_from"), "valid_until": read_time(valid_until, "valid_until"),
        "metadata": read_metadata(meta), "id": id, "trust": "user_declared",
    }  # fmt: skip
    draft = {name: value for name, value in given.items() if value is not None}
    with open_or_make(home) as memory:
        try:
            [receipt] = memory.remember_many([draft], space=space)
        except InvalidInput as error:
            raise InvalidInput(error.field.removeprefix("drafts[0]."), error.problem) from error
    return answer(receipt, as_json=as_json)


def answer(receipt: Receipt, *, as_json: bool, done: str = "stored") -> int:
    """Says what became of a write. Rejected means that it failed."""
    if as_json:
        put_json(receipt)
    elif receipt.outcome == "stored":
        put(f"{done} {receipt.id}" + ("" if receipt.entry is None else f" (entry {receipt.entry})"))
    elif receipt.outcome == "deduplicated":
        put(f"already there: {receipt.id}" if done == "stored" else f"{receipt.id}: {receipt.reason}")
    else:
        say(f"rejected: {receipt.reason}")
    return 1 if receipt.outcome == "rejected" else 0


def revise(
    id: RecordId,
    text: Words = None,
    tag: SetTags = None,
    kind: SetKind = None,
    type: SetType = None,
    title: SetTitle = None,
    role: SetRole = None,
    room: SetRoom = None,
    project: SetProject = None,
    user: SetUser = None,
    source: SetSource = None,
    status: SetStatus = None,
    importance: SetImportance = None,
    confidence: SetConfidence = None,
    time: SetTime = None,
    valid_from: ValidFrom = None,
    valid_until: ValidUntil = None,
    meta: SetMeta = None,
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
    given: dict[str, object] = {
        "tags": tag, "kind": kind, "memory_type": type, "title": title, "role": role, "room": room,
        "project": project, "user": user, "source": source, "status": status, "importance": importance,
        "confidence": confidence, "event_time": read_time(time, "time"),
        "valid_from": read_time(valid_from, "valid_from"), "valid_until": read_time(valid_until, "valid_until"),
        "metadata": read_metadata(meta) or None,
    }  # fmt: skip
    fields = {name: value for name, value in given.items() if value is not None}
    if text or not fields:
        fields["text"] = read_text(text)
    with open_or_fail(home) as memory:
        receipt = memory.revise(id, space=space, reason=reason, **fields)  # pyright: ignore[reportArgumentType] -- parsed by the engine
    return answer(receipt, as_json=as_json, done="revised")


def forget(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="The records' ids.")],
    soft: Annotated[
        bool, typer.Option("--soft", help="Only mark it as no longer true: history keeps it, and it can be undone.")
    ] = False,
    superseded_by: Annotated[
        str | None, typer.Option("--superseded-by", metavar="ID", help="With --soft: the record that replaces it.")
    ] = None,
    reason: Reason = None,
    yes: Yes = False,
    space: AnySpace = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Remove records for good: text, versions, index and links. This alone cannot be undone.

    A source takes everything along that came in with it.

    \b
    Examples:
      recollect forget k3v9x2m4q8ab
      recollect forget k3v9x2m4q8ab --soft --reason "we moved"
    """
    with open_or_fail(home) as memory:
        for id in ids:
            record = memory.get(id, space=space)
            if record is None:
                raise NotFound(f"there is no record with id {id!r}; nothing was forgotten")
            if not soft and not yes:
                say(f"{record.id}  {one_line(record.text, 100)}")
        if not soft and not confirm(f"Forget {many(len(ids), 'record')} for good?", yes=yes):
            say("nothing was forgotten")
            raise typer.Exit(1)
        receipts = [
            memory.invalidate(id, space=space, reason=reason, superseded_by=superseded_by)
            if soft
            else memory.forget(id, space=space, reason=reason)
            for id in ids
        ]
    if as_json:
        put_json({"receipts": receipts})
    else:
        for receipt in receipts:
            answer(receipt, as_json=False, done="no longer true:" if soft else "forgotten")


def undo(
    entry: Annotated[int, typer.Argument(metavar="ENTRY", help="The entry number, from journal or history.")],
    reason: Reason = None,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Take one change back. The undoing is a change too, and can itself be undone.

    \b
    Example:
      recollect journal
      recollect undo 17
    """
    with open_or_fail(home) as memory:
        receipt = memory.undo(entry, reason=reason)
    return answer(receipt, as_json=as_json, done=f"undone {entry}:")


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

    The fact of the same subject and predicate that holds now ends where this one begins, unless --also is given.

    \b
    Examples:
      recollect relate Alice works_at Acme --valid-from 2026-03-01
      recollect relate Alice knows Bob --also
    """
    with open_or_make(home) as memory:
        relation = memory.relate(
            subject, predicate, object, space=space, weight=weight, confidence=confidence, provenance=provenance,
            valid_from=read_time(valid_from, "valid_from"), valid_until=read_time(valid_until, "valid_until"),
            replaces=not also,
        )  # fmt: skip
    if as_json:
        put_json(relation)
    else:
        put(f"{subject} — {predicate} → {object} ({relation.id})")


def reindex(home: Home = None, as_json: AsJson = False) -> None:
    """Make the keyword index, the mentions and the vectors anew. What you stored is not touched.

    \b
    Example:
      recollect reindex
    """
    memory = open_if_there(home)
    count = 0
    if memory is not None:
        with memory, reporting() as report:
            count = memory.reindex(report)
    if as_json:
        put_json({"reindexed": count})
    elif memory is not None:
        put(f"reindexed {many(count, 'version')}")
