"""How does a person see what a memory holds as a whole, how it is, and what waits for a word?"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from msgspec import UNSET

from recollect.contracts.api import values as v
from recollect.contracts.tool import Call
from recollect.engine.care.backups import advice, failures, known_backups
from recollect.engine.care.inbox import PILES, Settled, Waiting, inbox, settle
from recollect.engine.hook_log import last_calls
from recollect.engine.memory import Memory
from recollect.engine.read.acts import actors_of, beginnings
from recollect.engine.read.stats import Group, SpaceTally, grouped, hints_of, tally
from recollect.engine.read.unasked import Steering
from recollect.types import Space
from recollect.version import __version__

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_NAMES = 200
_MOST_BACKUPS = 10


def status(params: v.Nothing, call: Call) -> v.StatusView:
    memory, grant = call.memory, call.grant
    spaces = memory.spaces()
    tallies = {space.name: tally(memory.core, space=space.name) for space in spaces}
    return v.StatusView(
        version=__version__,
        entry=memory.last_entry(),
        spaces=tuple(spaces),
        records={name: held.records for name, held in tallies.items()},
        first=next((one.at for one in memory.journal(newest_first=False, limit=1)), None),
        me=v.Me(name=grant.name, scope=grant.scope, spaces=grant.spaces),
        model=_model(memory, tallies.values()),
        problems=tuple(memory.semantics.problems),
    )


def _model(memory: Memory, tallies: Iterable[SpaceTally]) -> v.Model:
    state = memory.semantics.state()
    waiting = sum(one.records - one.vectors for one in tallies)
    return v.Model(
        embedder=memory.settings.embedder, state=state.state, name=state.model, dim=state.dim,
        waiting=waiting if state.state != "none" else 0,
    )  # fmt: skip


def health(params: v.Check, call: Call) -> v.Health:
    memory, started, owned = call.memory, time.perf_counter(), _owns(call)
    problems = [
        *(memory.check() if owned and params.check else ()),
        *memory.semantics.problems,
        *(failures(memory.core) if owned else ()),
    ]
    took = round((time.perf_counter() - started) * 1e3, 1) if owned and params.check else None
    spaces = memory.spaces()
    stats = [memory.describe_space(space.name)[1] for space in spaces]
    tallies = {space.name: tally(memory.core, space=space.name) for space in spaces}
    return v.Health(
        store=memory.location if owned else None, bytes=memory.size() if owned else None, problems=tuple(problems),
        notes=(*memory.core.notes, *(advice(memory.core) if owned else ())),
        checked_ms=took, model=_model(memory, tallies.values()), spaces=tuple(stats),
        records={name: held.records for name, held in tallies.items()}, clients=_clients(memory) if owned else (),
        actors=tuple(actors(v.InSpaceOrAll(), call)), grown=_grown(memory),
        injected=tuple(memory.unasked.injected(30)) if owned else (),
        spending=tuple(memory.spending()) if owned else (),
        paused_until=memory.unasked.paused_until() if owned else None,
        backups=tuple(known_backups(memory.core)[:_MOST_BACKUPS]) if owned else (),
    )  # fmt: skip


def _clients(memory: Memory) -> tuple[v.Client, ...]:
    called = [v.Client(name=one.name, by="calls", last=one.last, open=one.open, calls=one.calls)
              for one in memory.callers.all()]  # fmt: skip
    hooked = [v.Client(name=name, by="hooks", last=call.at, problem=call.problem)
              for name, call in last_calls(memory.settings.home).items()]  # fmt: skip
    return (*called, *hooked)


def actors(params: v.InSpaceOrAll, call: Call) -> list[v.Actor]:
    found = actors_of(call.memory.core, params.space)
    return [v.Actor(name=one.key, changes=one.count, last=one.last) for one in found]


def _grown(memory: Memory) -> tuple[v.Grown, ...]:
    days: Counter[int] = Counter()
    for space in memory.spaces():
        days.update({int(one.key): one.count for one in grouped(memory.core, space.name, "day")})
    return tuple(
        v.Grown(day=(_EPOCH + timedelta(days=day)).date().isoformat(), records=days[day]) for day in sorted(days)
    )


def _owns(call: Call) -> bool:
    """Does the owner ask, who is told of all that is done?"""
    return call.grant.owns


def spaces(params: v.Nothing, call: Call) -> list[v.SpaceView]:
    return [_space(call.memory, one, owned=_owns(call)) for one in call.memory.spaces()]


def space(params: v.OneSpace, call: Call) -> v.SpaceView:
    return _space(call.memory, call.memory.describe_space(params.name)[0], owned=_owns(call))


def _space(memory: Memory, space: Space, *, owned: bool) -> v.SpaceView:
    core, name = memory.core, space.name
    hints = hints_of(core, name)
    return v.SpaceView(
        space=space,
        records=tally(memory.core, space=name).records,
        stats=memory.describe_space(name)[1],
        rooms=tuple(
            v.Room(name=one.key, records=one.count, last=one.last, hints=hints.get(one.key, ()))
            for one in grouped(core, name, "room")[:_MOST_NAMES]
        ),
        projects=_counts(grouped(core, name, "project")),
        kinds=_counts(grouped(core, name, "kind")),
        tags=_counts(grouped(core, name, "tag")),
        steering=memory.unasked.steering(space=name) if owned else None,
    )


def _counts(groups: list[Group]) -> tuple[v.Count, ...]:
    most = sorted((one for one in groups if one.key), key=lambda one: -one.count)[:_MOST_NAMES]
    return tuple(v.Count(name=one.key, records=one.count, last=one.last) for one in most)


def create_space(params: v.NewSpace, call: Call) -> Space:
    return call.memory.create_space(params.name, description=params.description)


def steer(params: v.Steer, call: Call) -> Steering:
    call.memory.describe_space(params.name)
    names = Steering.__struct_fields__
    changes = {name: value for name in names if (value := getattr(params, name)) is not UNSET}
    return call.memory.unasked.steer(space=params.name, **changes)


def journal(params: v.ListChanges, call: Call) -> v.Changed:
    found = call.memory.journal(space=params.space, before=params.before, act=params.act, limit=params.limit + 1)
    shown = found[: params.limit]
    about = {str(entry): begins for entry, begins in beginnings(call.memory.core, shown).items()}
    return v.Changed(changes=tuple(shown), next=shown[-1].entry if len(found) > params.limit else None, about=about)


def acts(params: v.ListActs, call: Call) -> v.Done:
    found = call.memory.acts(
        space=params.space, actor=params.actor, project=params.project, before=params.before, limit=params.limit + 1
    )
    shown = found[: params.limit]
    return v.Done(acts=tuple(shown), next=shown[-1].entry if len(found) > params.limit else None)


def matters(params: v.ListMatters, call: Call) -> list[Waiting]:
    piles = params.piles or PILES
    return list(inbox(call.memory.core, params.space, piles=piles, limit=params.limit, after=params.after))


def answer(params: v.Answer, call: Call) -> Settled:
    return settle(call.memory.core, params.key, params.answer, space=params.space, keep=params.keep)
