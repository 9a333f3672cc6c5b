"""How is a memory asked, and how are its records looked at?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.contracts.api import values as v
from recollect.contracts.tool import Call
from recollect.engine.care.forget import Along
from recollect.engine.memory import Memory
from recollect.engine.read.brief import Brief
from recollect.engine.read.ties import entities_in, replaced_by
from recollect.engine.write.govern import citing
from recollect.errors import NotFound
from recollect.retrieve.context import estimate_tokens
from recollect.types import Record, Session

_MOST_TIES = 20
_AROUND = 1  # records before and after a piece of a source


def recall(params: v.Ask, call: Call) -> v.Recalled:
    answer = call.memory.recall(
        params.q,
        limit=params.limit,
        min_score=params.min_score,
        recency=params.recency,
        deep=params.deep,
        budget_tokens=params.budget_tokens,
        touch=params.touch,
        **params.filters(),
    )
    context = answer.context
    return v.Recalled(
        hits=answer.hits, signals=answer.signals, context=context, tokens=estimate_tokens(context) if context else 0
    )


def brief(params: v.Briefing, call: Call) -> Brief:
    return call.memory.brief(
        space=params.space or None, project=params.project, budget_tokens=params.budget_tokens, limit=params.limit
    )


def given(params: v.Prompt, call: Call) -> v.GivenView:
    unasked = call.memory.unasked
    return v.GivenView(
        preview=unasked.preview(params.prompt, space=params.space, project=params.project),
        steering=unasked.steering(space=params.space),
        paused_until=unasked.paused_until(),
    )


def records(params: v.ListRecords, call: Call) -> v.Records:
    where: dict[str, Any] = {
        "valid_only": not params.all, "catalogue": params.sources, "source": params.source or None, **params.filters(),
    }  # fmt: skip
    found = call.memory.list(order=params.order, limit=params.limit + 1, beyond=params.cursor or None, **where)
    shown = found[: params.limit]
    return v.Records(
        records=tuple(shown),
        next=shown[-1].version if len(found) > params.limit else None,
        total=call.memory.count(**where) if params.total else None,
    )


def next_of(found: Sequence[object], limit: int, cursor: int) -> int | None:
    """Where the next window begins, if one more was found than is shown."""
    return cursor + limit if len(found) > limit else None


def record(params: v.NamedThen, call: Call) -> Record:
    found = call.memory.get(params.id, space=params.space, as_of=params.as_of)
    if found is None:
        raise NotFound(f"there is no record with id {params.id!r}")
    return found


def history(params: v.Named, call: Call) -> list[v.Step]:
    return [v.Step(change=one.change, record=one.record) for one in call.memory.history(params.id, space=params.space)]


def along(params: v.Named, call: Call) -> Along:
    return call.memory.forgets(params.id, space=params.space)


def ties(params: v.Named, call: Call) -> v.Ties:
    memory, one = call.memory, record(v.NamedThen(id=params.id, space=params.space), call)
    claims = one.grounds is not None and one.grounds.claim is not None
    replaced = [] if one.superseded_by is None else [memory.get(one.superseded_by, space=one.space)]
    cited = citing(memory.core, [f"evidence:{one.id}", f"made_of:{one.id}"], space=one.space, limit=_MOST_TIES)
    return v.Ties(
        evidence=tuple(_evidence(memory, one)),
        contradicts=tuple(memory.contradictions(one.id, space=one.space)[:_MOST_TIES]) if claims else (),
        replaced=tuple(replaced_by(memory.core, one)[:_MOST_TIES]),
        replaced_by=next(iter(replaced), None),
        cited_by=tuple(cited),
        origin=_origin(memory, one),
        around=tuple(_around(memory, one)),
        entities=tuple(entities_in(memory.core, one)[:_MOST_TIES]),
    )


def _evidence(memory: Memory, one: Record) -> list[v.Evidenced]:
    found: list[v.Evidenced] = []
    for state in memory.evidence_state(one)[:_MOST_TIES]:
        source = memory.get(state.evidence.source, space=one.space)
        place = state.segment or state.evidence.segment
        segment = None
        if source is not None and source.kind == "source" and place is not None:
            number = place.removeprefix("seg-")
            pieces = memory.segments(source.id, space=one.space) if number.isdigit() else []
            segment = next((piece for piece in pieces if piece.position == int(number) - 1), None)
        found.append(v.Evidenced(state=state, source=source, segment=segment))
    return found


def _origin(memory: Memory, one: Record) -> Record | None:
    """The source that a record is a piece of."""
    if one.source is None or one.kind == "source":
        return None
    return next(iter(memory.sources(space=one.space, source=one.source, limit=1)), None)


def _around(memory: Memory, one: Record) -> list[Record]:
    """What stands before and after a piece of a source, or a message of a session."""
    whole: dict[str, Any] = {"session": one.session} if one.session is not None else {"source": one.source}
    if one.session is None and (one.source is None or one.kind != "document"):
        return []
    first = max(one.position - _AROUND, 0)
    near = memory.list(space=one.space, order="position", limit=2 * _AROUND + 1, offset=first, **whole)
    return [other for other in near if other.id != one.id]


def sessions(params: v.ListSessions, call: Call) -> list[Session]:
    return call.memory.sessions(space=params.space, limit=params.limit, offset=params.cursor)


def session(params: v.OneSession, call: Call) -> v.Records:
    found = call.memory.list(
        space=params.space, session=params.session, valid_only=False, order="position", limit=500
    )  # fmt: skip
    if not found:
        raise NotFound(f"there is no session {params.session!r} in space {params.space!r}")
    return v.Records(records=tuple(found))
