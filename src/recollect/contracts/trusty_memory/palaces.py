"""What can be done with palaces, rooms and drawers, on an engine that knows spaces and records?

A palace is a space, a drawer is a record. Every answer is a frozen value with the documented fields in the documented
order; tools and routes only wrap them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec import Struct

from recollect.contracts.tool import view
from recollect.engine.care.identity import folder, identity
from recollect.engine.core import random_uuid
from recollect.engine.graph.link import Fact
from recollect.engine.memory import Memory
from recollect.engine.parse import MAX_LIMIT, parse_space
from recollect.engine.read.foremost import importance_of
from recollect.errors import InvalidInput, NotFound, RecollectError
from recollect.types import Hit, Record, Relation

GENERAL = "General"
IDENTITY_ID = "00000000-0000-0000-0000-000000000000"
"""What stands for the identity text where a drawer's id is due."""
IMPORTANCE = 0.5
TOP_K = 10
LISTED = 50
MOST_LISTED = 100_000

_ESSENTIAL = 15  # drawers of the first layer
_ESSENTIAL_SHARE = 0.15  # of its importance is what a drawer scores that nothing but its importance brought in
_DEEP_SECONDS = 0.1  # for a deep recall with what is read in it; its document says 0.15 with all around it
_PIECES = ("code", "document")  # of what others indexed or ingested: no drawers, unless their room is asked for
_UUID = re.compile(r"(?:urn:uuid:)?\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?")


class Stored(Struct, frozen=True):
    drawer_id: str
    palace: str
    status: str = "stored"


class Found(Struct, frozen=True):
    """One row of a recall; `layer` is the one that gave it its score."""

    drawer_id: str
    content: str
    score: float
    layer: int
    tags: tuple[str, ...]
    importance: float


class Recalled(Struct, frozen=True):
    palace: str
    query: str
    results: tuple[Found, ...]


class Drawer(Struct, frozen=True):
    drawer_id: str
    content: str
    importance: float
    tags: tuple[str, ...]
    created_at: str


class Drawers(Struct, frozen=True):
    palace: str
    drawers: tuple[Drawer, ...]


class Deleted(Struct, frozen=True):
    status: str
    drawer_id: str
    palace: str


class Created(Struct, frozen=True):
    palace_id: str
    status: str = "created"


class PalaceNames(Struct, frozen=True):
    palaces: tuple[str, ...]


class PalaceInfo(Struct, frozen=True):
    id: str
    name: str
    drawer_count: int
    data_dir: str


class Asserted(Struct, frozen=True):
    status: str = "asserted"


class Triple(Struct, frozen=True):
    subject: str
    predicate: str
    object: str
    valid_from: str
    valid_to: str | None
    confidence: float
    provenance: str | None


class Triples(Struct, frozen=True):
    subject: str
    triples: tuple[Triple, ...]


class NoPalace(InvalidInput):
    """A call names no palace, and the server was started without one."""

    def __init__(self) -> None:
        super().__init__("palace", "is required: the server has no default palace")


class MalformedId(InvalidInput):
    """What should be a drawer's id cannot be one."""


class NoSuchPalace(NotFound):
    """A palace is to be read that is not there."""

    def __init__(self, name: str) -> None:
        super().__init__(f"open palace {name}: there is no palace of that name; palace_create makes one")


class Refused(RecollectError):
    """The memory would not take a text."""

    code = "refused"


def parse_uuid(text: str) -> str | None:
    """The usual form of a UUID that is written in any of its forms; None for what is none."""
    match = _UUID.fullmatch(text.lower())
    return None if match is None else "-".join(match.groups())


def render_time(moment: datetime) -> str:
    """RFC 3339 in whole seconds. Only for reading: nothing is ordered by it."""
    return f"{moment:%Y-%m-%dT%H:%M:%S}Z"


class Palaces:
    """The ten operations. `default` is the palace that is meant when none is named."""

    def __init__(self, memory: Memory, default: str | None = None, *, new_id: Callable[[], str] = random_uuid) -> None:
        self._memory = memory
        self._new_id = new_id
        self.default = default

    def acting_as(self, actor: str | None) -> Palaces:
        """The same palaces, with changes journalled under another name."""
        if actor is None:
            return self
        return Palaces(self._memory.acting_as(actor), self.default, new_id=self._new_id)

    # Drawers

    def remember(
        self,
        palace: str | None,
        text: str,
        room: str | None = None,
        tags: Sequence[str] | None = None,
        *,
        importance: float | None = None,
    ) -> Stored:
        """Stores a text; a text that the room holds already keeps its id and gains the tags."""
        name = self._named(palace)
        receipt = self._memory.remember(
            text,
            space=name,
            room=_stored_room(room),
            tags=tuple(tags or ()),
            importance=IMPORTANCE if importance is None else importance,
            id=self._new_id(),
            alike=("room",),
            compare=False,
        )
        if receipt.id is None:
            raise Refused(receipt.reason or "the text was not stored")
        if receipt.outcome == "deduplicated" and tags:
            self._add_tags(name, receipt.id, tags)
        folder(self._memory.core, space=name)
        return Stored(receipt.id, name)

    def _add_tags(self, palace: str, id: str, tags: Sequence[str]) -> None:
        held = self._memory.get(id, space=palace)
        if held is not None and not set(tags) <= set(held.tags):
            self._memory.revise(id, space=palace, tags=(*held.tags, *tags), reason="stored again with other tags")

    def recall(
        self,
        palace: str | None,
        query: str,
        top_k: int | None = None,
        *,
        deep: bool = False,
        room: str | None = None,
    ) -> Recalled:
        """What answers a question: the identity, then what the search found, best first, then what is important anyway.

        A deep one looks further, reads what it found, and shows near-duplicates where there is room for them.
        """
        name = self._existing(palace)
        count = _count(top_k, "top_k", TOP_K, MAX_LIMIT)
        rooms, pieces = ((), _PIECES) if room is None else (_filtered_rooms(room), ())
        hits = self._memory.recall(
            query,
            space=name,
            limit=count,
            deep=deep,
            deep_within=_DEEP_SECONDS,
            thorough=deep,
            facts=False,
            rooms=rooms,
            without_kinds=pieces,
        )
        found = self._unfold(hits, count) if deep else [(hit.record, hit.score) for hit in hits]
        rows = [self._row(record, score, 3 if deep else 2) for record, score in found]
        seen, weakest = {record.id for record, _ in found}, min((row.score for row in rows), default=1.0)
        share = 1.0 if hits.signals.brief else _ESSENTIAL_SHARE  # nobody asked: all is there for its importance
        essential = self._memory.foremost(space=name, rooms=rooms, without_kinds=pieces, limit=_ESSENTIAL)
        rows += [
            self._row(one.record, min(one.importance * share, weakest), 1)
            for one in essential
            if one.record.id not in seen
        ]
        return Recalled(name, query, (*self._identity(name), *rows[:count]))

    def _unfold(self, hits: Sequence[Hit], count: int) -> list[tuple[Record, float]]:
        """Hits, and beside each its near-duplicates, as far as that pushes no hit out."""
        found: list[tuple[Record, float]] = []
        free = count - len(hits)
        for hit in hits:
            twins = [self._memory.get(id, space=hit.record.space) for id in hit.folded[:free]]
            free -= len(twins)
            found += [(record, hit.score) for record in (hit.record, *twins) if record is not None]
        return found

    def _row(self, record: Record, score: float, layer: int) -> Found:
        importance = importance_of(record, self._memory.core.clock())
        return Found(record.id, record.text, round(score, 6), layer, record.tags, round(importance, 4))

    def _identity(self, palace: str) -> tuple[Found, ...]:
        text = identity(self._memory.core, space=palace)
        return (Found(IDENTITY_ID, text, 1.0, 0, (), 1.0),) if text else ()

    def list_drawers(
        self, palace: str | None, room: str | None = None, tag: str | None = None, limit: int | None = None
    ) -> Drawers:
        """Drawers, the most important first, and of equally important ones the newest."""
        name = self._existing(palace)
        found = self._memory.foremost(
            space=name,
            rooms=() if room is None else _filtered_rooms(room),
            tags=() if tag is None else (tag,),
            limit=_count(limit, "limit", LISTED, MOST_LISTED),
        )
        return Drawers(name, tuple(_drawer(one.record, one.importance) for one in found))

    def forget(self, palace: str | None, drawer_id: str) -> Deleted:
        """Deletes a drawer for good. One that is not there is as good as deleted."""
        name = self._existing(palace)
        id = drawer_id if self._memory.get(drawer_id, space=name) is not None else parse_uuid(drawer_id)
        if id is None:
            raise MalformedId("drawer_id", f"{drawer_id!r} is neither a UUID nor the id of a record in this palace")
        if id == IDENTITY_ID:
            raise InvalidInput("drawer_id", "stands for the identity text, which is no drawer; edit identity.txt")
        try:
            self._memory.forget(id, space=name)
        except NotFound:
            return Deleted("deleted", drawer_id, name)
        return Deleted("deleted", drawer_id, name)

    # Palaces

    def create(self, name: str, description: str | None = None) -> Created:
        """Makes a palace. One that exists is kept as it is, but for a new description."""
        made = self._memory.create_space(name, description=description).name
        folder(self._memory.core, space=made)
        return Created(made)

    def names(self) -> PalaceNames:
        return PalaceNames(tuple(space.name for space in self._memory.spaces()))

    def info(self, palace: str | None) -> PalaceInfo:
        name = self._existing(palace)
        return PalaceInfo(name, name, self._memory.count(space=name), str(folder(self._memory.core, space=name)))

    # Triples

    def state(
        self,
        palace: str | None,
        subject: str,
        predicate: str,
        object: str,
        confidence: float | None = None,
        provenance: str | None = None,
    ) -> Asserted:
        """States a fact from now on; what was stated of the same subject and predicate ends with it."""
        name = self._named(palace)
        self._memory.relate(
            subject,
            predicate,
            object,
            space=name,
            confidence=1.0 if confidence is None else confidence,
            provenance=provenance,
            again=True,
            metadata={"subject": subject, "object": object},
        )
        folder(self._memory.core, space=name)
        return Asserted()

    def triples(self, palace: str | None, subject: str) -> Triples:
        """What is stated of a subject and holds now."""
        found = self._memory.facts(subject, space=self._existing(palace))
        return Triples(subject, tuple(_triple(fact) for fact in found))

    # Inside

    def _named(self, palace: str | None) -> str:
        name = self.default if palace is None else palace
        if name is None:
            raise NoPalace
        return parse_space(name, "palace")

    def _existing(self, palace: str | None) -> str:
        name = self._named(palace)
        if not self._memory.has_space(name):
            raise NoSuchPalace(name)
        return name


def _stored_room(room: str | None) -> str | None:
    """General is where everything is that is in no other room."""
    return None if room in (None, "", GENERAL) else room


def _filtered_rooms(room: str) -> tuple[str | None, ...]:
    return (None, GENERAL) if _stored_room(room) is None else (room,)


def _drawer(record: Record, importance: float) -> Drawer:
    created = render_time(record.event_time)
    return Drawer(record.id, record.text, round(importance, 4), record.tags, created)


def _triple(fact: Fact) -> Triple:
    relation = fact.relation
    return view(
        Triple, relation, subject=_spelled(relation, "subject", fact.subject), predicate=fact.predicate,
        object=_spelled(relation, "object", fact.object), valid_from=render_time(relation.valid_from),
        valid_to=None if relation.valid_until is None else render_time(relation.valid_until),
    )  # fmt: skip


def _spelled(relation: Relation, end: str, name: str) -> str:
    """The end of a triple as whoever stated it wrote it: entities are known by their first spelling."""
    written = relation.metadata.get(end)
    return written if isinstance(written, str) else name


def _count(value: int | None, field: str, usual: int, most: int) -> int:
    count = usual if value is None else value
    if not 1 <= count <= most:
        raise InvalidInput(field, f"must be from 1 to {most}, not {count}")
    return count
