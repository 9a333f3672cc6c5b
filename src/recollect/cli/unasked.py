"""How does a person see, try out and stop what happens unasked?"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Annotated

import typer
from msgspec import Struct

from recollect.cli import show
from recollect.cli.clients import CLIENTS
from recollect.cli.connections import find_ours
from recollect.cli.options import AsJson, Home, SpaceName, Usage
from recollect.cli.output import day, many, minute, one_line, put, put_answer, put_json, say
from recollect.cli.place import open_if_there, open_or_make, own_home
from recollect.cli.write import already_lines
from recollect.engine.core import utc_now, wait_for_store
from recollect.engine.embedding.later import ToldLater, told_later
from recollect.engine.hook_log import HookCall, last_calls, read_calls
from recollect.engine.memory import Memory
from recollect.engine.read.unasked import FOREVER, Given, Injected, Steering
from recollect.engine.workplaces import NamedProject, named_projects
from recollect.types import CATALOGUE_KINDS, DEFAULT_SPACE, Change

_DURATION = re.compile(r"([0-9]+)\s*(m|min|h|d)?", re.I)
_UNITS = {"m": "minutes", "min": "minutes", "h": "hours", "d": "days"}
_SHOWN = 100  # signs of what was kept
_SESSION_SIGNS = 8  # of what clients call a session: enough to tell two of them apart


class Connected(Struct, frozen=True, kw_only=True):
    """How a client is connected for this user or for the project in this folder, and when it last called."""

    client: str
    server: bool
    hooks: bool
    plugin: bool = False
    project: bool = False
    """Only for the project in this folder."""
    last: HookCall | None = None

    @property
    def how(self) -> str:
        all_ways = (("server", self.server), ("hooks", self.hooks), ("plugin", self.plugin))
        ways = [name for name, there in all_ways if there]
        if not ways:
            return "elsewhere: in another project or by a plugin, or no longer"
        return " and ".join(ways) + (" of this project" if self.project else "")


def hook(
    preview: Annotated[
        str | None, typer.Option("--preview", metavar="PROMPT", help="Show what a session would be given.")
    ] = None,
    client: Annotated[str | None, typer.Argument(metavar="CLIENT", help="The client that calls.")] = None,
    event: Annotated[str | None, typer.Argument(metavar="EVENT", help="The event, as the client spells it.")] = None,
    project: Annotated[
        str | None, typer.Option("--project", metavar="NAME", help="The project (else that of this folder).")
    ] = None,
    space: SpaceName = DEFAULT_SPACE,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Answer a client's hook, or show with --preview what a session would be given.

    You rarely type this: `recollect connect CLIENT --auto` has the client call it, with JSON on stdin. Called so it
    always exits with 0 and says nothing when there is nothing to say.

    \b
    Examples:
      recollect hook --preview "which database does billing use?"
      recollect hook claude UserPromptSubmit < event.json
    """
    if preview is None or client is not None or event is not None:
        raise Usage('name a client and an event, or --preview "a prompt"')
    memory = open_if_there(home)
    start = answers = Given(reason="there is no memory yet")
    if memory is not None:
        with memory:
            folder = str(Path.cwd())
            start = memory.unasked.give_brief(space=space, project=project, folder=folder)
            answers = memory.unasked.give_answers(preview, space=space, project=project, folder=folder)
    if as_json:
        put_json({"start": start, "prompt": answers})
        return
    for title, given in (("At the start of a session", start), ("With this prompt", answers)):
        show.put_heading(f"{title}: {many(given.tokens, 'token')}, {many(len(given.ids), 'record')}")
        put(given.text or f"nothing: {given.reason}")


def pause(
    duration: Annotated[
        str | None, typer.Option("--for", metavar="TIME", help="How long: 30m, 2h, 1d (else until `resume`).")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Have nothing captured and nothing injected for a while. What an agent asks for itself is still answered.

    \b
    Examples:
      recollect pause --for 2h
      recollect pause
    """
    until = None if duration is None else utc_now() + read_duration(duration)
    with open_or_make(home) as memory:
        moment = memory.unasked.pause(until)
    put_answer({"paused_until": moment}, f"paused {_until(moment)}; `recollect resume` ends it", as_json=as_json)


def resume(home: Home = None, as_json: AsJson = False) -> None:
    """End a pause: capture and inject again.

    \b
    Example:
      recollect resume
    """
    with open_or_make(home) as memory:
        memory.unasked.resume()
    put_answer({"paused_until": None}, "no longer paused", as_json=as_json)


def status(home: Home = None, as_json: AsJson = False) -> None:
    """Show what happens unasked: which clients are connected, when each last called, tokens injected per day, and
    which project is which; and which of the last week's records differ from others, as their vectors told later.

    \b
    Example:
      recollect status
    """
    memory = open_if_there(home)
    paused: datetime | None = None
    days: list[Injected] = []
    later: list[ToldLater] = []
    settle: dict[str, list[str]] = {}
    projects: list[NamedProject] = []
    steered: dict[str, Steering] = {}
    if memory is not None:
        with memory:
            projects = named_projects(memory.core)
            steered = {space.name: memory.unasked.steering(space=space.name) for space in memory.spaces()}
            paused, days = memory.unasked.paused_until(), memory.unasked.injected()
            for space in memory.spaces():
                for told in told_later(memory.core, space=space.name):
                    later.append(told)
                    settle[told.id] = list(already_lines(memory, told.already, told.id, space.name))
    clients = connected_clients(own_home(home))
    if as_json:
        found = {"injected": days, "projects": projects, "told_later": later}
        put_json({"paused_until": paused, "clients": clients, **found})
        return
    put(f"paused {_until(paused)}" if paused else "capturing and injecting")
    for space, allowed in steered.items():
        withheld = [name for name, wanted in (("capture", allowed.capture), ("inject", allowed.inject)) if not wanted]
        if withheld:
            put(f"  the space {space!r} does not {' or '.join(withheld)}; `recollect spaces steer {space}` changes it")
    put_clients(clients, own_home(home))
    if projects:
        show.put_heading("Projects")
        show.put_pairs({one.name: ", ".join(one.places) for one in projects})
    if days:
        show.put_heading("Given to sessions")
        columns = [show.Column("day"), show.Column("times", right=True), show.Column("tokens", right=True)]
        show.put_table(columns, ([one.day, f"{one.times:,}", f"{one.tokens:,}"] for one in days))
    if later:
        show.put_heading("Stored, and told later")
    for told in later:
        put(f"{told.id} ({day(told.date)}): {one_line(told.text, 100)}")
        for line in settle[told.id]:
            put(f"  {line}")


def watch(
    last: Annotated[int, typer.Option("--last", metavar="N", min=0, help="Begin with the last N events.")] = 10,
    seconds: Annotated[
        float | None, typer.Option("--for", metavar="SECONDS", min=0, help="End by itself (else with Ctrl-C).")
    ] = None,
    home: Home = None,
) -> None:
    """Show live what is captured and injected, in every session of every client on this machine.

    \b
    Example:
      recollect watch
    """
    folder = own_home(home)
    until = None if seconds is None else monotonic() + seconds

    def pause(seconds: float) -> bool:
        """Answers whether the end has come meanwhile."""
        sleep(seconds if until is None else max(min(seconds, until - monotonic()), 0.0))
        return until is not None and monotonic() >= until

    calls = list(read_calls(folder))
    for call in calls[len(calls) - min(last, len(calls)) :]:
        put(_call_line(call))
    with open_or_make(home) as memory:
        entry, seen = memory.last_entry(), calls[-1].at if calls else None
        while until is None or monotonic() < until:
            sys.stdout.flush()
            wait = 1.0 if until is None else max(min(1.0, until - monotonic()), 0.0)
            for change, line in wait_for_store(partial(_told, memory, entry, wait), say, pause):
                entry = change.entry
                if line is not None:
                    put(line)
            for call in read_calls(folder):
                if seen is None or call.at > seen:
                    seen = call.at
                    put(_call_line(call))


def _told(memory: Memory, entry: int, wait: float) -> list[tuple[Change, str | None]]:
    return [(change, change_line(memory, change)) for change in memory.follow(entry, wait)]


def change_line(memory: Memory, change: Change) -> str | None:
    """What a hook has kept, as people read it: each message and candidate, but not the session that they are of."""
    if change.actor is None or not change.actor.startswith("hook:"):
        return None
    record = memory.get(change.object_id, space=change.space) if change.object_type == "record" else None
    if record is not None and record.kind in CATALOGUE_KINDS:
        return None
    told = f"{change.verb} {change.object_type} {change.object_id}"
    if record is not None:
        shown = record.role or (record.kind if record.status == "active" else f"{record.kind}, {record.status}")
        told = f"{change.verb} [{record.id}] ({shown}) {one_line(record.text, _SHOWN)}"
    return f"{minute(change.at)}  {change.actor}  {told}"


def _call_line(call: HookCall) -> str:
    """One call, as people read it."""
    if call.problem:
        said = f"failed: {call.problem}"
    elif call.tokens:
        said = f"gave {many(call.records, 'record')}, {many(call.tokens, 'token')}"
    elif call.captured:
        said = f"kept {many(call.captured, 'message')}"
    else:
        said = f"nothing: {call.reason or 'there was nothing to say'}"
    session = None if call.session is None else f"session {call.session[:_SESSION_SIGNS]}"
    where = ", ".join(part for part in (call.project, session) if part)
    place = f"  [{where}]" if where else ""
    return f"{minute(call.at)}  {call.client} {call.event}{place}  {one_line(said)}  ({call.milliseconds} ms)"


def read_duration(text: str, option: str = "--for", *, unit: str | None = "m", least: int = 1) -> timedelta:
    """`30m`, `2h`, `1d`; a number alone means minutes, or whatever else its `unit` is, or nothing."""
    found = _DURATION.fullmatch(text.strip())
    if found is None or not least <= int(found[1]) <= 100_000 or (found[2] or unit) is None:
        raise Usage(f"{option}: {text!r} is no length of time; write 30m, 2h or 1d")
    return timedelta(**{_UNITS[(found[2] or unit or "m").lower()]: int(found[1])})


def connected_clients(home: Path) -> list[Connected]:
    """Every client that is connected for this user or for the project in this folder, or that has called."""
    calls = last_calls(home)
    found: list[Connected] = []
    for name, client in CLIENTS.items():
        own = find_ours(client, project=False)
        kinds = {one.kind for one in [*own, *find_ours(client, project=True)]}
        if kinds or name in calls:
            server, hooks, plugin = (kind in kinds for kind in ("server", "hooks", "plugin"))
            found.append(
                Connected(
                    client=name,
                    server=server,
                    hooks=hooks,
                    plugin=plugin,
                    project=bool(kinds) and not own,
                    last=calls.get(name),
                )
            )
    return found


def put_clients(clients: Sequence[Connected], home: Path) -> None:
    none = "never called" if home.is_dir() else f"whether it has called is noted once there is a store in {home}"
    show.put_heading("Clients")
    if not clients:
        put("none is connected; `recollect connect CLIENT --auto` does so")
        return
    show.put_pairs({
        CLIENTS[one.client].title: f"{one.how}; " + (none if one.last is None else _call_line(one.last))
        for one in clients
    })  # fmt: skip


def _until(moment: datetime) -> str:
    return "until you resume it" if moment.year == FOREVER else f"until {minute(moment)}"
