"""Which object does an id mean, and which objects may a read show?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from recollect.contracts.memory_substrate import view as v
from recollect.contracts.memory_substrate.schemas import Filters
from recollect.engine.memory import Memory
from recollect.engine.write.govern import cited_texts, citing
from recollect.engine.write.grounds import EvidenceState, source_id
from recollect.errors import InvalidInput, NotFound
from recollect.types import CATALOGUE_KINDS, HIDDEN_STATUSES, STATUSES, Entity, Record

_MOST_CITING = 1_000
_PLURALS = {
    "object_types": "object_type", "kinds": "kind", "statuses": "status", "node_ids": "node_id",
    "source_ids": "source_id",
}  # fmt: skip


class Objects:
    """Looks objects of one space up, each once. It lives as long as one call."""

    def __init__(self, memory: Memory, space: str) -> None:
        self.memory = memory
        self.space = space
        self._owners: dict[str, Record | None] = {}

    def find(self, id: str) -> v.Object | None:
        return self.record(id) or self.node(id) or self._named(id)

    def require(self, id: str) -> v.Object:
        found = self.find(id)
        if found is None:
            raise NotFound(f"Object not found: {id}")
        return found

    def knowledge(self, id: str) -> Record:
        found = self.record(id)
        if found is None or v.type_of(found) != v.KNOWLEDGE:
            raise NotFound(f"Knowledge not found: {id}")
        return found

    def record(self, id: str) -> Record | None:
        """The record of an id; words that cannot be an id are the id of nothing."""
        try:
            return self.memory.get(id, space=self.space)
        except InvalidInput:
            return None

    def node(self, id: str) -> Entity | None:
        try:
            entity = self.memory.neighbors(id, space=self.space, depth=0).start
        except (InvalidInput, NotFound):
            return None
        return entity if entity.id == id else None

    def _named(self, id: str) -> Entity | None:
        """A node or a scope that is there by being named: in a claim, as a subject, as a scope, as a reference."""
        if id.partition(":")[0] in v.RECORD_PREFIXES:
            return None
        naming = self.naming(id, _MOST_CITING)
        if not naming:
            return None
        since, last = min(one.created_at for one in naming), max(one.recorded_at for one in naming)
        kind = "scope" if any(id in one.grounds.scopes for one in naming if one.grounds) else v.STUB
        name = id.partition(":")[2] if id.startswith(("node:", "scope:")) else id
        return Entity(id=id, space=self.space, name=name or id, type=kind, created_at=since, recorded_at=last)

    def owner(self, record: Record) -> Record | None:
        """The source that a record is a segment of, if it is one of a source that is known."""
        if record.kind not in v.SEGMENT_KINDS or record.source is None:
            return None
        if record.source not in self._owners:
            found = self.record(source_id(record.source))
            self._owners[record.source] = found if found is not None and found.kind in CATALOGUE_KINDS else None
        return self._owners[record.source]

    def segments(self, source: Record, limit: int) -> list[Record]:
        """Segments of a source, in order."""
        if source.source is None:
            return []
        return self.memory.list(
            space=self.space, source=source.source, kinds=v.SEGMENT_KINDS, valid_only=False, order="position",
            limit=limit,
        )  # fmt: skip

    def evidence(self, record: Record) -> list[tuple[EvidenceState, Record | None]]:
        """What has become of what a record rests on, and its texts: what moved within its source is followed."""
        return cited_texts(self.memory.core, record)

    def rivals(self, record: Record) -> list[Record]:
        """The live records that claim something else of the same subject and predicate."""
        claims = record.grounds is not None and record.grounds.claim is not None
        return self.memory.contradictions(record.id, space=self.space) if claims else []

    def naming(self, id: str, limit: int, *hows: str) -> list[Record]:
        """Live records that name an id in one of some ways, or in any."""
        refs = [f"{how}:{id}" for how in hows or ("evidence", "subject", "object", "scope", "named")]
        try:
            return citing(self.memory.core, refs, space=self.space, limit=min(limit, _MOST_CITING))
        except InvalidInput:  # words that cannot be an id are the id of nothing
            return []


class Wanted(Struct, frozen=True, kw_only=True):
    """Filters, read: an empty tuple means "any". `within` are the ids that nodes and sources leave, None being all."""

    object_types: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    node_ids: tuple[str, ...] = ()
    source_ids: tuple[str, ...] = ()
    within: frozenset[str] | None = None

    def view(self) -> dict[str, list[str]]:
        """The filters that were given, each in its plural form."""
        return {name: list(values) for name in _PLURALS if (values := getattr(self, name))}

    def allows_type(self, object_type: str) -> bool:
        return not self.object_types or object_type in self.object_types

    @property
    def allows_nodes(self) -> bool:
        """Nodes have no status but active, and rest on no source."""
        statuses = not self.statuses or "active" in self.statuses
        return self.allows_type(v.NODE) and statuses and not self.source_ids

    def allows(self, thing: v.Object) -> bool:
        """May this be shown as an object of its own?"""
        if self.within is not None and thing.id not in self.within:
            return False
        if self.kinds and v.kind_of(thing) not in self.kinds:
            return False
        if isinstance(thing, Entity):
            return not self.node_ids or thing.id in self.node_ids
        if not self.allows_type(v.type_of(thing)):
            return False
        if self.statuses:
            return v.shown_status(thing) in self.statuses or thing.status in self.statuses
        return thing.status not in HIDDEN_STATUSES

    def engine_filters(self) -> dict[str, Any]:
        """What the engine can leave out already; the rest is left out when objects are made of records."""
        put_away = any(v.record_status(word) in HIDDEN_STATUSES for word in self.statuses)
        filters: dict[str, Any] = {"catalogue": True, "valid_only": not put_away}
        if self.statuses:
            words = [v.record_status(word) for word in self.statuses]
            with_sources = ["active"] if self.allows_type(v.SOURCE) else []
            filters["statuses"] = list(dict.fromkeys([*words, *with_sources]))
        without: list[str] = []
        if not self.allows_type(v.SOURCE):
            without += CATALOGUE_KINDS
            without += () if self.allows_type(v.KNOWLEDGE) else v.SEGMENT_KINDS
        without += [kind for kind in (v.ACTIVITY, v.WORK_ITEM) if not self.allows_type(kind)]
        if self.object_types and v.KNOWLEDGE not in self.object_types:
            kept = [*CATALOGUE_KINDS, *v.SEGMENT_KINDS, v.ACTIVITY, v.WORK_ITEM]
            filters["kinds"] = [kind for kind in kept if kind not in without] or list(CATALOGUE_KINDS)
        elif without:
            filters["without_kinds"] = without
        return filters


def read_filters(objects: Objects, given: Filters | None, place: str) -> Wanted:
    """Filters with singular and plural forms joined; a type or status that does not exist is an error."""
    if given is None:
        return Wanted()
    lists: Mapping[str, tuple[str, ...]] = {
        many: tuple(dict.fromkeys(one for one in (getattr(given, single), *getattr(given, many)) if one is not None))
        for many, single in _PLURALS.items()
    }
    known = {"object_types": v.OBJECT_TYPES, "statuses": STATUSES}
    for name, words in lists.items():
        for word in words:
            problem = "contains a NUL character; remove it" if "\0" in word else None
            if name in known and v.record_status(word) not in known[name]:
                problem = f"Input should be one of {', '.join(known[name])}"
            if problem is not None:
                raise InvalidInput(f"{place}.{_given_as(given, name, word)}", problem)
    return Wanted(**lists, within=_within(objects, lists["node_ids"], lists["source_ids"]))


def _given_as(given: Filters, name: str, word: str) -> str:
    """Where a word of a filter stands: in its singular field, or in which place of the plural one."""
    single = _PLURALS[name]
    return single if getattr(given, single) == word else f"{name}.{getattr(given, name).index(word)}"


def _within(objects: Objects, nodes: Sequence[str], sources: Sequence[str]) -> frozenset[str] | None:
    """The ids that filters by node and source leave; None where there are no such filters."""
    about = frozenset(id for node in nodes for id in _about(objects, node))
    resting = frozenset(id for source in sources for id in _resting_on(objects, source))
    if nodes and sources:
        return about & resting
    return about if nodes else resting if sources else None


def _about(objects: Objects, node: str) -> set[str]:
    """The node, and what names it: in a claim, as its subject, or by mentioning it."""
    found = {node, *(record.id for record in objects.naming(node, _MOST_CITING, "subject", "object"))}
    if objects.node(node) is None:
        return found
    mentioning = objects.memory.mentioning(node, space=objects.space, limit=_MOST_CITING)
    return found | {(objects.owner(record) or record).id for record in mentioning}


def _resting_on(objects: Objects, source: str) -> set[str]:
    """The source, and what it is evidence for."""
    return {source, *(record.id for record in objects.naming(source, _MOST_CITING, "evidence"))}
