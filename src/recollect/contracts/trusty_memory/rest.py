"""How are palaces reached over the web, and what do those who watch them hear?

The routes lie under `/api/v1/`. They answer with the values that the tools answer with, wherever both mean the same
thing; the few that have no tool answer with values of this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta, Struct

from recollect.contracts.route import Feed, News, Route, Web
from recollect.contracts.tool import Call, view
from recollect.contracts.trusty_memory.palaces import (
    LISTED,
    TOP_K,
    Asserted,
    Created,
    Deleted,
    Drawers,
    PalaceNames,
    Palaces,
    Recalled,
    Refused,
    Stored,
    Triples,
    parse_uuid,
    render_time,
)
from recollect.engine.care.dream import Dream, last_dream
from recollect.engine.memory import Memory
from recollect.engine.parse import MAX_LIMIT
from recollect.engine.read.stats import Counted, count_back, tally
from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.types import Change
from recollect.version import __version__

ROOT = "/api/v1"
MOST_SKIPPED = 90_000
FOLLOWED = 500
"""So many entries of the journal are told of at once."""

Limit = Annotated[int, Meta(ge=1, le=MAX_LIMIT)]


class Empty(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class OfPalace(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    palace: str


class NewPalace(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    description: str | None = None


class ListDrawers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    palace: str
    room: str | None = None
    tag: str | None = None
    limit: Limit = LISTED
    offset: Annotated[int, Meta(ge=0, le=MOST_SKIPPED)] = 0


class NewDrawer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The text is called `text`, as in the tool, or `content`, as in what is listed."""

    palace: str
    text: str | None = None
    content: str | None = None
    room: str | None = None
    tags: tuple[str, ...] = ()
    importance: Annotated[float, Meta(ge=0, le=1)] | None = None


class OneDrawer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    palace: str
    drawer_id: str


class Ask(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    palace: str
    q: str
    top_k: Limit = TOP_K
    deep: bool = False
    room: str | None = None


class OfSubject(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    palace: str
    subject: str


class NewTriple(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    palace: str
    subject: str
    predicate: str
    object: str
    confidence: Annotated[float, Meta(ge=0, le=1)] = 1.0
    provenance: str | None = None


class RunDream(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Without a palace, all of them have their turn."""

    palace: str | None = None
    dry_run: bool = False


class Totals(Struct, frozen=True):
    """How much there is, in all palaces together."""

    total_drawers: int
    total_vectors: int
    total_kg_triples: int


class Status(Struct, frozen=True):
    version: str
    palace_count: int
    default_palace: str | None
    data_root: str
    total_drawers: int
    total_vectors: int
    total_kg_triples: int


class Palace(Struct, frozen=True):
    """What the tool `palace_info` says, and a little more."""

    id: str
    name: str
    drawer_count: int
    data_dir: str
    description: str
    created_at: str
    vector_count: int
    kg_triple_count: int


class Dreamt(Struct, frozen=True):
    """What cycles of consolidation did, of several palaces together. Nothing is ever pruned or compacted away."""

    last_run_at: str | None = None
    merged: int = 0
    pruned: int = 0
    compacted: int = 0
    closets_updated: int = 0
    decayed: int = 0
    duration_ms: int = 0


class Connected(Struct, frozen=True, tag_field="type", tag="connected"):
    pass


class PalaceCreated(Struct, frozen=True, tag_field="type", tag="palace_created"):
    id: str
    name: str


class DrawerAdded(Struct, frozen=True, tag_field="type", tag="drawer_added"):
    palace_id: str
    drawer_id: str
    drawer_count: int


class DrawerDeleted(Struct, frozen=True, tag_field="type", tag="drawer_deleted"):
    palace_id: str
    drawer_id: str
    drawer_count: int


class DreamCompleted(Struct, frozen=True, tag_field="type", tag="dream_completed"):
    palace_id: str
    merged: int = 0
    pruned: int = 0
    compacted: int = 0
    closets_updated: int = 0
    decayed: int = 0
    duration_ms: int = 0


class StatusChanged(Struct, frozen=True, tag_field="type", tag="status_changed"):
    total_drawers: int
    total_vectors: int
    total_kg_triples: int


def trusty_web(memory: Memory, palaces: Palaces) -> Web:
    """The addresses of a memory's palaces, and the news of them."""
    return Web(routes=_Rest(memory, palaces).routes(), feed=_feed(memory), memory=memory)


class _Rest:
    """What the routes do."""

    def __init__(self, memory: Memory, palaces: Palaces) -> None:
        self._memory = memory
        self._palaces = palaces

    def routes(self) -> tuple[Route[Any], ...]:
        palace = f"{ROOT}/palaces/{{palace}}"
        return (
            Route(method="GET", path=f"{ROOT}/status", params=Empty, call=self.status),
            Route(method="GET", path=f"{ROOT}/palaces", params=Empty, call=self.names),
            Route(method="POST", path=f"{ROOT}/palaces", params=NewPalace, call=self.create),
            Route(method="GET", path=palace, params=OfPalace, call=self.info),
            Route(method="GET", path=f"{palace}/drawers", params=ListDrawers, call=self.list),
            Route(method="POST", path=f"{palace}/drawers", params=NewDrawer, call=self.remember),
            Route(method="DELETE", path=f"{palace}/drawers/{{drawer_id}}", params=OneDrawer, call=self.forget),
            Route(method="GET", path=f"{palace}/recall", params=Ask, call=self.recall),
            Route(method="GET", path=f"{palace}/kg", params=OfSubject, call=self.triples),
            Route(method="POST", path=f"{palace}/kg", params=NewTriple, call=self.state),
            Route(method="GET", path=f"{ROOT}/dream/status", params=Empty, call=self.dream_status),
            Route(method="POST", path=f"{ROOT}/dream/run", params=RunDream, call=self.run_dream, in_steps=True),
        )

    def _as(self, call: Call) -> Palaces:
        return self._palaces.acting_as(self._memory.core.known_as or call.client)

    def status(self, params: Empty, call: Call) -> Status:  # noqa: ARG002
        spaces = self._memory.spaces()
        return view(
            Status, _totals(self._memory), version=__version__, palace_count=len(spaces),
            default_palace=self._palaces.default, data_root=str(self._memory.settings.home),
        )  # fmt: skip

    def names(self, params: Empty, call: Call) -> PalaceNames:  # noqa: ARG002
        return self._palaces.names()

    def create(self, params: NewPalace, call: Call) -> Created:
        return self._as(call).create(params.name, params.description)

    def info(self, params: OfPalace, call: Call) -> Palace:  # noqa: ARG002
        info = self._palaces.info(params.palace)
        space, _ = self._memory.describe_space(info.id)
        totals = _counts(self._memory, info.id)
        return view(
            Palace, info, description=space.description, created_at=render_time(space.created_at),
            vector_count=totals.total_vectors, kg_triple_count=totals.total_kg_triples,
        )  # fmt: skip

    def list(self, params: ListDrawers, call: Call) -> Drawers:  # noqa: ARG002
        found = self._palaces.list_drawers(params.palace, params.room, params.tag, params.offset + params.limit)
        return Drawers(found.palace, found.drawers[params.offset :])

    def remember(self, params: NewDrawer, call: Call) -> Stored:
        if params.text is not None and params.content is not None:
            raise InvalidInput("content", "means the same as text; give one of them")
        text = params.content if params.text is None else params.text
        if text is None:
            raise InvalidInput("text", "is required")
        try:
            return self._as(call).remember(params.palace, text, params.room, params.tags, importance=params.importance)
        except Refused as error:
            raise InvalidInput("text", str(error)) from error

    def forget(self, params: OneDrawer, call: Call) -> Deleted:
        palace = self._palaces.info(params.palace).id
        ids = (params.drawer_id, parse_uuid(params.drawer_id))
        if ids[1] is not None and not any(id and self._memory.get(id, space=palace) for id in ids):
            raise NotFound(f"there is no drawer {params.drawer_id} in palace {palace}")
        return self._as(call).forget(palace, params.drawer_id)

    def recall(self, params: Ask, call: Call) -> Recalled:  # noqa: ARG002
        try:
            return self._palaces.recall(params.palace, params.q, params.top_k, deep=params.deep, room=params.room)
        except InvalidInput as error:
            raise InvalidInput("q" if error.field == "query" else error.field, error.problem) from error

    def triples(self, params: OfSubject, call: Call) -> Triples:  # noqa: ARG002
        return self._palaces.triples(params.palace, params.subject)

    def state(self, params: NewTriple, call: Call) -> Asserted:
        return self._as(call).state(
            params.palace, params.subject, params.predicate, params.object, params.confidence, params.provenance
        )

    def dream_status(self, params: Empty, call: Call) -> Dreamt:  # noqa: ARG002
        last = [last_dream(self._memory.core, space=space.name) for space in self._memory.spaces()]
        return _together([dream for dream in last if dream is not None])

    def run_dream(self, params: RunDream, call: Call) -> Dreamt:
        if params.palace is not None:
            return _together([self._dream(self._palaces.info(params.palace).id, params, call)])
        done: list[Dream] = []
        for space in self._memory.spaces():
            call.checkpoint()
            try:
                done.append(self._dream(space.name, params, call))
            except (Conflict, NotFound):  # it is dreaming already, in another process, or has just been deleted
                continue
        return _together(done)

    def _dream(self, palace: str, params: RunDream, call: Call) -> Dream:
        return self._memory.dream(palace, dry_run=params.dry_run, cancelled=lambda: call.cancelled)


def _together(dreams: Sequence[Dream]) -> Dreamt:
    return Dreamt(
        last_run_at=render_time(max(dream.at for dream in dreams)) if dreams else None,
        merged=sum(len(dream.merges) for dream in dreams),
        closets_updated=sum(dream.refreshed for dream in dreams),
        decayed=sum(dream.decayed for dream in dreams),
        duration_ms=round(1000 * sum(dream.seconds for dream in dreams)),
    )


def _counts(memory: Memory, space: str) -> Totals:
    """How much one palace holds."""
    count = tally(memory.core, space=space)
    return Totals(count.records, count.vectors, count.facts)


def _totals(memory: Memory) -> Totals:
    every = [_counts(memory, space.name) for space in memory.spaces()]
    return Totals(
        sum(one.total_drawers for one in every),
        sum(one.total_vectors for one in every),
        sum(one.total_kg_triples for one in every),
    )


# News


def _feed(memory: Memory) -> Feed:
    return Feed(
        hello=Connected(),
        last_entry=memory.last_entry,
        follow=lambda after, seconds: memory.follow(after, seconds, limit=FOLLOWED),
        tell=lambda changes: _tell(memory, changes),
    )


def _tell(memory: Memory, changes: Sequence[Change]) -> list[News]:
    """Each change in the contract's words, with the count of its moment, and at the end how much there is now."""
    told = [(one.change, _event(memory, one)) for one in count_back(memory.core, changes)]
    news = [News(change.entry, event) for change, event in told if event is not None]
    changed = view(StatusChanged, _totals(memory))
    return [*news, News(changes[-1].entry, changed)]


def _event(memory: Memory, counted: Counted) -> object:
    change = counted.change
    if change.object_type == "space" and change.verb == "create":
        return PalaceCreated(change.space, change.space)
    if change.object_type == "space" and change.verb == "dream":
        return _dream_completed(memory, change.space)
    if counted.effect == 0:
        return None
    kind = DrawerAdded if counted.effect > 0 else DrawerDeleted
    return kind(change.space, change.object_id, counted.records)


def _dream_completed(memory: Memory, space: str) -> DreamCompleted:
    dream = last_dream(memory.core, space=space) if memory.has_space(space) else None
    return DreamCompleted(space) if dream is None else view(DreamCompleted, _together([dream]), palace_id=space)
