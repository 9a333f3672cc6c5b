"""How does a person ask a memory?"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from itertools import count
from typing import Annotated, TypeVar

import msgspec
import typer

from recollect.cli import show
from recollect.cli.options import (
    ASKABLE,
    AllSpaces,
    AnySpace,
    AsJson,
    AsOf,
    Everywhere,
    Home,
    OnlySpace,
    Question,
    RecordId,
    SpaceName,
    TrueAt,
    read_question,
    with_options,
)  # fmt: skip
from recollect.cli.output import many, megabytes, one_line, put, put_json, say
from recollect.cli.place import asked_space, open_or_fail, open_to_read, seen_here
from recollect.engine.graph.link import by_time
from recollect.engine.graph.named import meant
from recollect.engine.memory import Memory
from recollect.engine.parse import parse_optional_time
from recollect.engine.read.brief import Noted
from recollect.engine.read.unheld import too_early
from recollect.engine.write.revise import numbered
from recollect.errors import InvalidInput, NotFound
from recollect.fields import Filters
from recollect.types import DEFAULT_SPACE, NOISE, Act, Change, Hit, Recall

S = TypeVar("S", Hit, Noted)
_NEWEST = 1_000  # records among which one of nearly the same id is looked for
_ALIKE = 0.9  # one letter of an id is wrong, missing or too many
_AFTERWARDS = 0.5
"""Seconds for vectors that wait, once the answer is there: a command has no background, and its model is loaded."""
_BY_DATE = {"newest": "latest", "oldest": "earliest"}
"""People mean the date that they see: when it happened, not when it was stored."""

Limit = Annotated[int, typer.Option("--limit", "-n", metavar="N", help="At most so many.")]


@with_options(ASKABLE.values())
def recall(
    given: Filters,
    query: Question = None,
    space: SpaceName = DEFAULT_SPACE,
    all_spaces: AllSpaces = False,
    everywhere: Everywhere = False,
    limit: Limit = 10,
    why: Annotated[bool, typer.Option("--why", help="Say which signals spoke for each hit.")] = False,
    deep: Annotated[bool, typer.Option("--deep", help="Read the best twenty closely; it takes a moment.")] = False,
    budget: Annotated[
        int | None, typer.Option("--budget", metavar="N", help="Print a block for a prompt, of at most N tokens.")
    ] = None,
    min_score: Annotated[
        float,
        typer.Option("--min-score", metavar="0..1", help="Leave out lower scores. Default: 0.", show_default=False),
    ] = NOISE,
    recency: Annotated[
        float,
        typer.Option("--recency", metavar="0..1", help="What the newest may gain. Default: 0.", show_default=False),
    ] = 0.0,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Ask the memory a question; the best answers come first.

    Without a question, or with a general one ("what should I know?"), this is `recollect brief`. Else
    a score above 0.5 most likely answers; below 0.25 most likely nothing that is stored does. Times are dates
    (2026-05-10, 2026-03), words (yesterday, last week, 3 days ago), local times (2026-05-10 14:30) or RFC 3339.
    Inside a git repository only that project and what is of none are asked, unless --everywhere says otherwise.

    \b
    Examples:
      recollect recall "how are tokens checked?"
      recollect recall "why did we leave Kafka?" --deep
      recollect recall deploy --since 2026-05-01 --tag ops --why
      recollect recall "what did we decide?" --budget 500
    """
    text = read_question(query)
    with open_to_read(home, {"hits": [], "context": "", "signals": None}, as_json=as_json) as memory:
        where = asked_space(memory, space, all_spaces=all_spaces)
        named = everywhere or all_spaces or "project" in given or "session" in given
        scope = () if named else seen_here(memory)
        if scope:
            given["project"] = scope
        answer = memory.recall(
            text, space=where, limit=limit, min_score=min_score, recency=recency, budget_tokens=budget, deep=deep,
            **given,
        )  # fmt: skip
        answer.hits = tuple(_numbered(memory, answer.hits))
        _put_recall(
            answer, why=why, budget=budget, with_space=all_spaces, as_json=as_json, scope=next(iter(scope), None),
        )  # fmt: skip
        if answer.waiting and not answer.signals.problem:
            memory.embed_waiting(space=where, seconds=_AFTERWARDS)


def brief(
    project: Annotated[
        str | None, typer.Option("--project", metavar="PROJECT", help="Of this project, and of none in particular.")
    ] = None,
    budget: Annotated[int, typer.Option("--budget", metavar="N", help="At most N tokens.")] = 800,
    limit: Limit = 50,
    space: SpaceName = DEFAULT_SPACE,
    all_spaces: AllSpaces = False,
    everywhere: Everywhere = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Say what is worth knowing: what is pinned, rules, decisions, open work, and what is most important now.

    Each line has its date and its id. What has the tag `pinned` always comes first. No model is loaded. Inside a git
    repository it is the brief of that project, unless another is named or --everywhere says otherwise.

    \b
    Examples:
      recollect brief
      recollect brief --project gateway --budget 400
    """
    with open_to_read(home, {"notes": [], "text": "", "left_out": 0}, as_json=as_json) as memory:
        where = asked_space(memory, space, all_spaces=all_spaces)
        if project is None and not everywhere and not all_spaces:
            project = next(iter(seen_here(memory)), None)
        made = memory.brief(space=where, project=project, budget_tokens=budget, limit=limit)
        notes = _numbered(memory, made.notes)
        nothing = "" if notes else _say_nothing(memory, where, narrowed=project is not None)
    if as_json:
        put_json({"notes": notes, "text": made.text, "left_out": made.left_out})
        return
    if made.notes:
        put(made.text)
    elif made.left_out:
        say(f"nothing fits into {many(budget, 'token')}")
    else:
        say(nothing)
    if made.left_out:
        say(f"{many(made.left_out, 'other record')} left out: recollect recall finds them, recollect list shows them")


def _numbered(memory: Memory, holding: Sequence[S]) -> list[S]:
    """Things that hold a record, with its version counted from 1, as people count."""
    records = numbered(memory.core, [one.record for one in holding])
    return [msgspec.structs.replace(one, record=record) for one, record in zip(holding, records, strict=True)]


def say_left_out_of(answer: Recall) -> None:
    """What an answer could not take into account."""
    if answer.signals.problem:
        say(f"warning: {answer.signals.problem}")
    if answer.waiting:
        some = many(answer.waiting, "record waits for its vector and was", "records wait for their vectors and were")
        say(f"{some} searched by words alone; `recollect embed` computes what waits")


def _put_recall(
    answer: Recall, *, why: bool, budget: int | None, with_space: bool, as_json: bool, scope: str | None
) -> None:
    if as_json:
        told = {"hits": answer.hits, "context": answer.context, "signals": answer.signals}
        put_json(told if scope is None else {**told, "scope": scope})
        return
    say_left_out_of(answer)
    doubt = None if answer.signals.brief and answer else show.doubt(answer)
    if budget is not None and answer and not answer.context:
        doubt = f"nothing found that fits into {many(budget, 'token')}"
    if doubt is not None:
        say(doubt)
    if scope is not None and (doubt is not None or not answer):
        say(f"asked of the project {scope} and of what is of none; --everywhere asks all projects")
    if (budget is not None or answer.signals.brief) and answer:
        if answer.context:
            put(answer.context)
    elif answer:
        show.put_hits(answer, why=why, with_space=with_space)
    if why and not answer.signals.brief:
        say(show.render_signals(answer.signals))


@with_options(ASKABLE.values())
def list_records(
    given: Filters,
    space: SpaceName = DEFAULT_SPACE,
    all_spaces: AllSpaces = False,
    limit: Limit = 20,
    offset: Annotated[int, typer.Option("--offset", metavar="N", help="Leave out the first N.")] = 0,
    order: Annotated[
        str,
        typer.Option(
            "--order",
            metavar="ORDER",
            help="newest, oldest (by the date shown), important, position or updated (changed last).",
        ),
    ] = "newest",
    past: Annotated[bool, typer.Option("--past", help="Also what is no longer (or not yet) true.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """List what is stored, the newest first, without searching.

    \b
    Examples:
      recollect list
      recollect list --session s-42 --order position
      recollect list --as-of 2026-05-01 --json
    """
    filters: Filters = {"valid_only": not past, **given}
    with open_to_read(home, {"records": [], "total": 0}, as_json=as_json) as memory:
        where = asked_space(memory, space, all_spaces=all_spaces)
        by = _BY_DATE.get(order, order)
        records = memory.list(space=where, order=by, limit=limit, offset=offset, **filters)
        total = memory.count(space=where, **filters)
        records = numbered(memory.core, records)
        early = None if records or "as_of" not in given else too_early(memory.core, given["as_of"])
        nothing = "" if records else _say_nothing(memory, where, narrowed=bool(given))
    if as_json:
        put_json({"records": records, "total": total})
    elif records:
        show.put_records(records, with_space=all_spaces, changed=order == "updated")
        if total > len(records):
            say(f"{offset + 1:,} to {offset + len(records):,} of {many(total, 'record')}")
    else:
        say(early or nothing)


def _say_nothing(memory: Memory, where: str | None, *, narrowed: bool) -> str:
    """Why nothing is shown: nothing is there, nothing fits, or what is there holds no longer or not yet."""
    if not memory.count(space=where, valid_only=False):
        in_space = "" if where in (None, DEFAULT_SPACE) else f" in the space {where!r}"
        return f"nothing stored{in_space} yet"
    return (
        "nothing stored that fits"
        if narrowed
        else "nothing stored that holds now; recollect list --past shows the rest"
    )


def show_record(
    id: RecordId, space: AnySpace = None, as_of: AsOf = None, home: Home = None, as_json: AsJson = False
) -> None:
    """Show one record in full.

    \b
    Examples:
      recollect show k3v9x2m4q8ab
      recollect show k3v9x2m4q8ab --as-of 2026-05-01
    """
    with open_or_fail(home) as memory:
        record = memory.get(id, space=space, as_of=as_of)
        if record is None:
            then = "" if as_of is None else f" as of {as_of}"
            raise NotFound(f"there is no record with id {id!r}{then}{_meant_id(memory, id, space)}")
        evidence = memory.evidence_state(record)
        [record] = numbered(memory.core, [record])
    if as_json:
        put_json(record)
    else:
        show.put_record(record, evidence)


def _meant_id(memory: Memory, id: str, space: str | None) -> str:
    """Says which of the newest records has nearly that id, where one does."""
    known = [one.id for one in memory.list(space=space, limit=_NEWEST, valid_only=False)]
    near = [one for one in difflib.get_close_matches(id.lower(), known, 1, _ALIKE) if one != id]
    return f"; did you mean {near[0]!r}?" if near else ""


def history(id: RecordId, space: AnySpace = None, home: Home = None, as_json: AsJson = False) -> None:
    """Show every change of a record, the oldest first, and what it said after each.

    The entry number in the first column is what `recollect undo` takes; what was done together has the same act.

    \b
    Example:
      recollect history k3v9x2m4q8ab
    """
    with open_or_fail(home) as memory:
        past = memory.history(id, space=space)
    numbers = count(1)  # every state is a version of its own
    past = [
        step if step.record is None
        else msgspec.structs.replace(step, record=msgspec.structs.replace(step.record, version=next(numbers)))
        for step in past
    ]  # fmt: skip
    if as_json:
        put_json({"history": past})
    else:
        show.put_history(past)


def journal(
    space: OnlySpace = None,
    limit: Limit = 20,
    before: Annotated[
        int | None, typer.Option("--before", metavar="ENTRY", help="Only what was done before this entry.")
    ] = None,
    entries: Annotated[bool, typer.Option("--entries", help="Every change by itself.")] = False,
    act: Annotated[
        int | None, typer.Option("--act", metavar="ENTRY", help="Every change of what began with this entry.")
    ] = None,
    after: Annotated[
        int, typer.Option("--after", metavar="ENTRY", help="With --entries: only changes after this entry.")
    ] = 0,
    oldest_first: Annotated[
        bool, typer.Option("--oldest-first", help="With --entries or --act: begin with the oldest.")
    ] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show what was done in the memory: what, when, by whom and why, the newest first.

    What was done in one go (a folder that was ingested, an index, a dream, an eviction) is one line, and `recollect
    undo` takes it back as one.

    \b
    Examples:
      recollect journal
      recollect journal --act 1200
      recollect journal --entries --after 1200 --oldest-first --json
    """
    singly = entries or act is not None
    if not singly and (after or oldest_first):
        raise InvalidInput("--after" if after else "--oldest-first", "needs --entries")
    if singly and before is not None:
        raise InvalidInput("--before", "is for acts; with --entries use --after")
    changes: list[Change] = []
    acts: list[Act] = []
    with open_to_read(home, {"changes" if singly else "acts": []}, as_json=as_json) as memory:
        if singly:
            changes = memory.journal(space=space, after=after, newest_first=not oldest_first, limit=limit, act=act)
        else:
            acts = memory.acts(space=space, before=before, limit=limit)
        if space is not None and not changes and not acts:  # of one that was deleted, what was done stays
            asked_space(memory, space)
    if as_json:
        put_json({"changes": changes} if singly else {"acts": acts})
    elif changes:
        show.put_changes(changes, with_space=space is None)
    elif acts:
        show.put_acts(acts, with_space=space is None)
    else:
        say("nothing changed")


def explore(
    entity: Annotated[str, typer.Argument(metavar="ENTITY", help="A name, an alias or an entity's id.")],
    space: SpaceName = DEFAULT_SPACE,
    depth: Annotated[int, typer.Option("--depth", metavar="N", help="How many steps to walk.")] = 1,
    direction: Annotated[str, typer.Option("--direction", metavar="WAY", help="outgoing, incoming or both.")] = "both",
    limit: Limit = 10,
    as_of: AsOf = None,
    true_at: TrueAt = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show what is known about someone or something: facts, neighbours, history, and who mentions it.

    \b
    Examples:
      recollect explore Alice
      recollect explore gateway --depth 2 --direction outgoing
      recollect explore Alice --true-at 2026-03
    """
    with open_or_fail(home) as memory:
        asked_space(memory, space)
        about = meant(memory.core, entity, space=space, plainly=True)
        mentions = memory.mentioning(about, space=space, limit=limit, as_of=as_of, true_at=true_at)
        try:
            around = memory.neighbors(
                about, space=space, depth=depth, direction=direction, as_of=as_of, true_at=true_at
            )
        except NotFound as error:
            if not mentions:
                early = None if as_of is None else too_early(memory.core, as_of)
                raise error if early is None else NotFound(early) from error
            around = None
        facts = memory.facts(about, space=space, as_of=as_of, true_at=true_at)
        ever = memory.facts(about, space=space, as_of=as_of, active=False)
        at = parse_optional_time(true_at or as_of, "true_at") or memory.core.clock()
    told = by_time(ever, facts, at)
    if as_json:
        named = {"facts": told.holding, "past_facts": told.past, "coming_facts": told.coming}
        put_json({"neighborhood": around, **named, "mentions": mentions})
    else:
        show.put_entity(entity, around, told, mentions)


def stats(space: OnlySpace = None, home: Home = None, as_json: AsJson = False) -> None:
    """Show how much is stored, space by space, how large the file is, and what language models were asked for.

    \b
    Example:
      recollect stats
    """
    with open_to_read(home, {"store": None, "bytes": 0, "spaces": [], "models": []}, as_json=as_json) as memory:
        names = [one.name for one in memory.spaces()] if space is None else [space]
        if space is not None:
            asked_space(memory, space)
        found = [memory.describe_space(name) for name in names]
        location, size = memory.location, memory.size()
        spent = memory.spending()
    if as_json:
        put_json({"store": location, "bytes": size, "spaces": [stats for _, stats in found], "models": spent})
        return
    if found:
        show.put_stats(found)
    if spent:
        show.put_spending(spent)
    say(f"{one_line(location)}: {megabytes(size)}")
