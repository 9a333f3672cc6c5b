"""Which addresses are there under `/api/`, and how are they documented?

One table: parsing, routing, the document of OpenAPI and the page for readers follow from it. `/api/v1/` is
trusty-memory's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from recollect.contracts.api import caring, changing, graph, reading
from recollect.contracts.api import values as v
from recollect.contracts.route import Method, Route
from recollect.engine.care.forget import Along, Forgotten
from recollect.engine.care.inbox import Settled, Waiting
from recollect.engine.graph.link import Stored
from recollect.engine.read.brief import Brief
from recollect.engine.read.unasked import Steering
from recollect.types import Receipt, Record, Session, Space

ROOT = "/api"


def _route(
    method: Method, path: str, params: type[Any], call: Callable[..., object], returns: Any, about: str
) -> Route[Any]:
    return Route(method=method, path=ROOT + path, params=params, call=call, returns=returns, about=about)


ROUTES: tuple[Route[Any], ...] = (
    _route("GET", "/status", v.Nothing, caring.status, v.StatusView, "What this memory is and holds."),
    _route("GET", "/health", v.Check, caring.health, v.Health, "Whether everything is well, with sizes over time."),
    _route("GET", "/recall", v.Ask, reading.recall, v.Recalled, "The records that answer a question, best first."),
    _route("GET", "/brief", v.Briefing, reading.brief, Brief, "What is worth knowing before anything is asked."),
    replace(_route("POST", "/given", v.Prompt, reading.given, v.GivenView,
                   "What an agent would be given, why, and what was just below. Nothing is kept of it."), looks=True),
    _route("GET", "/records", v.ListRecords, reading.records, v.Records, "Records in order, window by window."),
    _route("POST", "/records", v.NewRecord, changing.remember, Receipt, "Store a text."),
    _route("GET", "/records/{id}", v.NamedThen, reading.record, Record, "One record, now or as it was known then."),
    _route("PATCH", "/records/{id}", v.Revise, changing.revise, Receipt, "Change a record; the old version stays."),
    _route("DELETE", "/records/{id}", v.Because, changing.forget, Forgotten,
           "Forget a record for good, with what was made of it."),
    _route("GET", "/records/{id}/along", v.Named, reading.along, Along, "What a forgetting would take along."),
    _route("GET", "/records/{id}/history", v.Named, reading.history, list[v.Step],
           "Every change of a record, oldest first, with its versions."),
    _route("GET", "/records/{id}/ties", v.Named, reading.ties, v.Ties,
           "What a record rests on, replaced, contradicts, names, and what rests on it."),
    _route("POST", "/records/{id}/replace", v.Replace, changing.replace, Receipt, "Put another text in its place."),
    _route("POST", "/records/{id}/pin", v.Named, changing.pin, Receipt, "Have every brief begin with it."),
    _route("POST", "/records/{id}/unpin", v.Named, changing.unpin, Receipt, "Take the pin out."),
    _route("POST", "/records/{id}/end", v.End, changing.end, Receipt, "Say that it no longer holds."),
    _route("POST", "/records/{id}/promote", v.Because, changing.promote, Receipt, "Vouch for it."),
    _route("POST", "/records/{id}/contest", v.Because, changing.contest, Receipt, "Say that it is in doubt."),
    _route("GET", "/sessions", v.ListSessions, reading.sessions, list[Session], "Sessions, the most recent first."),
    _route("GET", "/sessions/{session}", v.OneSession, reading.session, v.Records, "The messages of a session."),
    _route("GET", "/spaces", v.Nothing, caring.spaces, list[v.SpaceView], "Spaces, with their rooms."),
    _route("POST", "/spaces", v.NewSpace, caring.create_space, Space, "Make a space, or describe one anew."),
    _route("GET", "/spaces/{name}", v.OneSpace, caring.space, v.SpaceView, "One space, with its rooms."),
    _route("PATCH", "/spaces/{name}/steering", v.Steer, caring.steer, Steering,
           "What a space allows to happen unasked."),
    _route("GET", "/entities", v.ListEntities, graph.entities, v.Entities, "Entities, or those with a word in a name."),
    _route("GET", "/entities/{entity}", v.Explore, graph.explore, v.Explored, "Facts, neighbours and mentions."),
    _route("GET", "/graph", v.Draw, graph.draw, v.Drawn, "Entities and facts as a network."),
    _route("POST", "/relations", v.NewRelation, graph.relate, Stored, "State a fact between two named things."),
    _route("GET", "/acts", v.ListActs, caring.acts, v.Done, "What was done, in one line each, the newest first."),
    _route("GET", "/actors", v.InSpaceOrAll, caring.actors, list[v.Actor],
           "Who changed something, how often and when last; the busiest first."),
    _route("GET", "/journal", v.ListChanges, caring.journal, v.Changed, "What was changed, the newest first."),
    _route("POST", "/undo", v.Undo, changing.undo, v.Undone,
           "Take changes back, the newest first; or all that was done with each."),
    _route("GET", "/inbox", v.ListMatters, caring.matters, list[Waiting], "What waits for a person's word."),
    _route("POST", "/inbox", v.Answer, caring.answer, Settled, "Say what is to become of it."),
)  # fmt: skip
