"""How do entities and relations come to be, and what do they say?"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, cast

import msgspec
from msgspec import Struct, field

from recollect.engine.core import Core, forgotten_among, records_of, within
from recollect.engine.graph.named import find, names_of, require, resolve
from recollect.engine.parse import parse_label, parse_metadata, parse_optional, parse_space
from recollect.engine.write.remember import derive_lexis, ensure_space, texts_in
from recollect.engine.write.screen import Screen, told_refused
from recollect.errors import InvalidInput, NotFound
from recollect.ingest.entities import mentions, unspaced
from recollect.ingest.secrets import told_in
from recollect.store.base import Edit, Entities, Ident, Lexis, Relations, View, normal_name
from recollect.store.ops import Op, Put, Retire
from recollect.store.terms import hash_term, is_pair, terms
from recollect.types import CATALOGUE_KINDS, DEFAULT_SPACE, Entity, Filter, Json, Metadata, Record, Relation

_WALKED = 10_000  # entities that a walk visits at most
_SPELLED = 500  # records that are looked through for a name that nobody stated

Direction = Literal["outgoing", "incoming", "both"]


class Fact(Struct, frozen=True, kw_only=True):
    """A relation with the names of its ends, as people read it."""

    subject: str
    predicate: str
    object: str
    relation: Relation


class Neighborhood(Struct, frozen=True, kw_only=True):
    """What a walk from one entity reached; the start is the first entity, at distance 0."""

    start: Entity
    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    distances: Mapping[str, int]


def put_entity(
    core: Core, name: str, space: str, fields: Mapping[str, object], id: str | None, *, by_user: bool = False
) -> Entity:
    """Makes an entity, or adds to the one that is known by that id or name; with `by_user`, to the user's own."""
    with core.store.write(actor=core.actor) as edit:
        ensure_space(edit, space)
        found = find(edit, space, id or name)
        known = next((one for one in found if not by_user or one.user == fields.get("user")), None)
        if known is None:
            return _new_entity(core, edit, space, name, id, fields)
        return _described(edit, known, fields, [name], _mapping(fields.get("metadata")))


def name_one(
    core: Core, edit: Edit, name: str, space: str, fields: Mapping[str, object], id: str | None = None
) -> tuple[Entity, bool]:
    """Makes an entity in a transaction that is under way, or adds to the one of that name what it does not say yet.

    Answers the entity, and whether it is new; then it has the `id` that is given.
    """
    known = resolve(edit, space, name)
    if known is None:
        return _new_entity(core, edit, space, name, id, {k: v for k, v in fields.items() if v is not None}), True
    missing = {k: v for k, v in fields.items() if v is not None and getattr(known, k) is None}
    return _described(edit, known, missing, [name], _mapping(missing.get("metadata"))), False


def _described(
    edit: Edit, known: Entity, fields: Mapping[str, object], names: Sequence[str], properties: Mapping[str, object]
) -> Entity:
    """An entity with more said of it, and other names and properties beside its own."""
    aliases = _join_aliases(known, [*names, *_texts(fields.get("aliases"))])
    metadata = {**known.metadata, **properties}
    new = msgspec.structs.replace(known, **{**fields, "aliases": aliases, "metadata": metadata})
    return known if new == known else describe(edit, known, new)


def describe(edit: Edit, known: Entity, new: Entity) -> Entity:
    """Says more of an entity that is known."""
    entity = _put_entity(edit, new, "describe", known)
    relink(edit, known.space, [alias for alias in new.aliases if alias not in known.aliases])
    return entity


def joined(known: Entity, other: Entity) -> Entity:
    """An entity with what another says of the same thing; where both say something, what it says itself."""
    said = {name: getattr(known, name) or getattr(other, name) for name in ("type", "description")}
    metadata = {**other.metadata, **known.metadata}
    return msgspec.structs.replace(known, **said, aliases=_join_aliases(known, other.aliases), metadata=metadata)


def _join_aliases(known: Entity, names: Sequence[str]) -> tuple[str, ...]:
    """The aliases of an entity and names that are new to it."""
    return tuple(dict.fromkeys(name for name in (*known.aliases, *names) if name != known.name))


def _texts(value: object) -> Sequence[str]:
    return value if isinstance(value, tuple) else ()  # pyright: ignore[reportUnknownVariableType] -- parsed labels


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}  # pyright: ignore[reportUnknownVariableType] -- parsed JSON


def _new_entity(core: Core, edit: Edit, space: str, name: str, id: str | None, fields: Mapping[str, object]) -> Entity:
    entity = Entity(id=id or core.new_id(), space=space, name=name, created_at=edit.now, recorded_at=edit.now)
    aliases = _join_aliases(entity, _texts(fields.get("aliases")))
    entity = _put_entity(edit, msgspec.structs.replace(entity, **{**fields, "aliases": aliases}), "name")
    relink(edit, space, names_of(entity))
    return entity


def _put_entity(edit: Edit, entity: Entity, verb: str, before: Entity | None = None) -> Entity:
    kept = Screen(edit, entity.space).require(entity, "name")
    return cast("Entity", edit.apply([Put(thing=kept, verb=verb, before=before)])[0].thing)


def relink(edit: Edit, space: str, names: Sequence[str]) -> None:
    """Records that mention a name are linked to it where it is one of an entity's, and else by its looks alone."""
    for name in dict.fromkeys(map(normal_name, names)):
        if edit.names([space], [name]).get(space):
            _link_records(edit, space, name)
        else:
            for record in records_of(edit, edit.mentions(space, [name])[name]):
                edit.relink(record.version, derive_lexis(edit, record))


def _link_records(edit: Edit, space: str, name: str) -> None:
    """Records that mention a name which has just become known are linked to it."""
    versions = sorted(_may_mention(edit, space, name) - set(edit.mentions(space, [name])[name]))
    known = edit.terms(versions)
    for record in records_of(edit, versions):
        if mentions(record.text, name):
            lexis = known[record.version]
            edit.relink(record.version, Lexis(lexis.terms, (*lexis.names, name)))


def _may_mention(edit: Edit, space: str, name: str) -> set[int]:
    """The versions that hold all terms of a name.

    Within a script without spaces a lone character stands in other pairs than in the name, and some names have no
    terms at all: then every version may.
    """
    wanted = [term for term in terms(name) if not unspaced(name) or (is_pair(term) and len(term) > 1)]
    if not wanted:
        every = edit.words([space], (), Filter(valid_only=False), None, every=True)
        return set(every[space].versions.tolist()) if space in every else set()
    lists = sorted(edit.mentions(space, [hash_term(term) for term in set(wanted)]).values(), key=len)
    return set(lists[0]).intersection(*map(set, lists[1:]))


class Statement(Struct, frozen=True, kw_only=True):
    """A fact to be stated: its ends by name or id, and all that is said of it. Without a start it begins now.

    Where it has an `id` of its own, it is the same as the fact of that id, whatever became of that.
    """

    id: str | None = None
    subject: str
    predicate: str
    object: str
    weight: float = 1.0
    confidence: float = 1.0
    provenance: str | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    metadata: Metadata = field(default_factory=dict[str, Json])


def relate(
    core: Core, stated: Statement, space: str, *, replaces: bool, again: bool = False, make: bool = True
) -> Relation:
    """States a fact. With `replaces`, the facts of the same subject and predicate that hold then end where it begins,
    and it ends where the next of them does, unless it says itself until when it holds.

    Ends that are not known yet are made; without `make` they are an error.
    """
    with core.store.write(actor=core.actor) as edit:
        if not make:
            for ref in (stated.subject, stated.object):
                require(edit, space, ref)
        ensure_space(edit, space)
        return relate_one(core, edit, stated, space, replaces=replaces, again=again)[0]


def relate_one(
    core: Core, edit: Edit, stated: Statement, space: str, *, replaces: bool, again: bool = False
) -> tuple[Relation, bool]:
    """States a fact in a transaction that is under way. Answers the relation, and whether it is new."""
    known = None if stated.id is None else edit.get(Relation, space, stated.id)
    if known is not None:
        return known, False
    stated, masked = _masked(edit, stated, space)
    subject = resolve(edit, space, stated.subject) or _new_entity(core, edit, space, stated.subject, None, {})
    object = _masked_end(edit, subject, stated) if masked else resolve(edit, space, stated.object)
    ends = (subject, object or _new_entity(core, edit, space, stated.object, None, {}))
    start = stated.valid_from or edit.now
    if stated.valid_until is not None and stated.valid_until <= start:
        raise InvalidInput("valid_until", "must be later than valid_from")
    held = [
        fact
        for fact in edit.relations(Relation, Relations(space=space, subjects=(ends[0].id,), active=False))
        if fact.predicate == stated.predicate and (fact.valid_until is None or fact.valid_until > start)
    ]
    relation = Relation(
        id=stated.id or core.new_id(), space=space, subject=ends[0].id, predicate=stated.predicate, object=ends[1].id,
        weight=stated.weight, confidence=stated.confidence, provenance=stated.provenance, valid_from=start,
        valid_until=stated.valid_until or (_next_start(held, start) if replaces else None), metadata=stated.metadata,
        created_at=edit.now, recorded_at=edit.now,
    )  # fmt: skip
    relation = Screen(edit, space).require(relation, "metadata")
    same = next((fact for fact in held if _says_the_same(fact, relation, explicit_start=stated.valid_from)), None)
    if same is not None and not again:
        return same, False
    ended = _ended_at(held, start, f"replaced by {relation.id}") if replaces else []
    done = edit.apply([*ended, Put(thing=relation, verb="relate")])
    return cast("Relation", done[-1].thing), True


def bring_one(
    core: Core, edit: Edit, origin: str, stated: Statement, space: str, *, wherever: bool = False
) -> tuple[Relation | str, bool]:
    """States a fact that another program kept; all that it says is its id, so that it comes once. Where it stood is
    no part of that for one that is the same `wherever` it stands.

    Answers the relation, or its id where it was forgotten here for good; and whether it is new.
    """
    usual = _id_of_said(origin, stated)
    id = _id_of_said(origin, msgspec.structs.replace(stated, provenance=None)) if wherever else usual
    if gone := forgotten_among(edit, space, "relation", [usual, id]):
        return next(iter(gone)), False
    if edit.get(Relation, space, usual) is not None:  # as earlier releases called it
        id = usual
    return relate_one(core, edit, msgspec.structs.replace(stated, id=id), space, replaces=False)


def _id_of_said(origin: str, stated: Statement) -> str:
    return f"{origin}:{hashlib.sha256(msgspec.json.encode(stated)).hexdigest()[:20]}"


def mask_object(screen: Screen, subject: str, predicate: str, object: str) -> tuple[str, tuple[str, ...]]:
    """The object of a fact, masked where it is a secret, going by what the fact says that it is."""
    spoken = f"{subject} {predicate.replace('_', ' ')}"
    tried = (screen.value(name, object) for name in (predicate, spoken, spoken.removesuffix(" is")))
    return next((kept for kept in tried if kept[1]), (object, ()))


def _masked(edit: Edit, stated: Statement, space: str) -> tuple[Statement, bool]:
    """A fact without its object, wherever that is told, where it is a secret."""
    screen = Screen(edit, space)
    kept, kinds = mask_object(screen, stated.subject, stated.predicate, stated.object)
    if kinds and screen.policy == "reject":
        raise InvalidInput("object", told_refused(kinds))
    if not kinds:
        return stated, False
    told = {key: kept if value == stated.object else value for key, value in stated.metadata.items()}
    return msgspec.structs.replace(stated, object=kept, metadata=told), True


def _masked_end(edit: Edit, subject: Entity, stated: Statement) -> Entity | None:
    """What a subject was related to by the same fact before, where that was masked alike. To other subjects it says
    nothing: two secrets are not one because neither is shown."""
    asked = Relations(space=subject.space, subjects=(subject.id,), active=False)
    held = [fact.object for fact in edit.relations(Relation, asked) if fact.predicate == stated.predicate]
    found = (edit.get(Entity, subject.space, id) for id in held)
    return next((one for one in found if one is not None and one.name == stated.object), None)


class Stored(Relation, frozen=True, kw_only=True):
    """A fact as it was stored: `masked` are the kinds of secrets that were said with it and that it does not hold."""

    masked: tuple[str, ...] = ()


def as_stored(core: Core, relation: Relation) -> Stored:
    """A fact with the kinds of secrets that are masked in it."""
    with core.store.read() as view:
        ends = [view.get(Entity, relation.space, id) for id in (relation.subject, relation.object)]
    texts = texts_in([relation.predicate, relation.provenance, relation.metadata])
    masked = told_in(*(one.name for one in ends if one is not None), *texts)
    return Stored(**msgspec.structs.asdict(relation), masked=masked)


def _next_start(held: Sequence[Relation], start: datetime) -> datetime | None:
    """When the next fact begins after one that is stated for earlier."""
    return min((fact.valid_from for fact in held if fact.valid_from > start), default=None)


def _ended_at(held: Sequence[Relation], start: datetime, reason: str) -> list[Op]:
    """Facts that held before end; one that would begin at the same moment gives way altogether."""
    ops: list[Op] = []
    for fact in held:
        if fact.valid_from < start:
            ended = msgspec.structs.replace(fact, valid_until=start)
            ops.append(Put(thing=ended, verb="close", before=fact, reason=reason))
        elif fact.valid_from == start:
            ops.append(Retire(thing=fact, verb="close", reason=reason))
    return ops


def _says_the_same(held: Relation, new: Relation, explicit_start: datetime | None) -> bool:
    """Is this fact already stated, in all that the caller said of it?"""
    if explicit_start is not None and held.valid_from != new.valid_from:
        return False
    fields = ("object", "weight", "confidence", "provenance", "valid_until", "metadata")
    return all(getattr(held, name) == getattr(new, name) for name in fields)


INVERSE = "inverse:"
"""A relation of this type and its opposite are one: whoever reads an entity sees the relations that lead to it so."""


def connect(
    core: Core,
    id: str,
    *,
    space: str = DEFAULT_SPACE,
    type: str | None = None,
    properties: Mapping[str, object] | None = None,
    relations: Sequence[tuple[str, str]] = (),
) -> Entity:
    """Makes an entity of an exact id or adds to it, and relates it to others: pairs of a target's id and a type.

    Targets that are not there yet are made. Nothing that others said of it is lost: properties join, and a relation
    that is known is not stated twice, from either end.
    """
    ties = [(parse_label(target, "target"), parse_label(kind, "type")) for target, kind in relations]
    given = parse_metadata({} if properties is None else properties, "properties")
    home, ref, named = parse_space(space), parse_label(id, "id", longest=200), parse_optional(type, "type")
    fields: dict[str, object] = {} if named is None else {"type": named}
    name = given.get("name")
    if isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME:
        fields["aliases"] = (name,)
    with core.store.write(actor=core.actor) as edit:
        ensure_space(edit, home)
        known = _exact(edit, home, ref)
        if known is None:
            entity = _new_entity(core, edit, home, ref, ref, {**fields, "metadata": dict(given)})
        else:
            entity = _described(edit, known, fields, (), given)
        for other, kind in ties:
            target = _exact(edit, home, other) or _new_entity(core, edit, home, other, other, {})
            if not _tied(edit, entity, kind, target):
                _put_relation(core, edit, entity, kind, target)
    return entity


_LONGEST_NAME = 200


def _exact(view: View, space: str, id: str) -> Entity | None:
    """The entity of that id, or that somebody else named just so."""
    return next((entity for entity in find(view, space, id) if id in (entity.id, entity.name)), None)


def _tied(view: View, entity: Entity, type: str, target: Entity) -> bool:
    """Is this relation stated, be it from the other end?"""
    there = view.relations(Relation, Relations(space=entity.space, subjects=(entity.id,)))
    back = view.relations(Relation, Relations(space=entity.space, objects=(entity.id,)))
    return any(r.object == target.id and r.predicate == type for r in there) or any(
        r.subject == target.id and f"{INVERSE}{r.predicate}" == type for r in back
    )


def _put_relation(core: Core, edit: Edit, entity: Entity, type: str, target: Entity) -> None:
    relation = Relation(
        id=core.new_id(), space=entity.space, subject=entity.id, predicate=type, object=target.id,
        valid_from=edit.now, created_at=edit.now, recorded_at=edit.now,
    )  # fmt: skip
    edit.apply([Put(thing=relation, verb="relate")])


def facts(
    core: Core,
    subject: str | None,
    space: str,
    *,
    predicate: str | None,
    as_of: datetime | None,
    true_at: datetime | None,
    active: bool,
) -> list[Fact]:
    """What is stated about a subject: what holds at a moment, or with `active=False` all that was ever stated."""
    with core.store.read() as view:
        if subject is None:
            starts = [entity.id for entity in view.entities(Entities(space=space), limit=_WALKED)]
        else:
            entity = resolve(view, space, subject)
            starts = [] if entity is None else [entity.id]
        where = Relations(space=space, subjects=tuple(starts), as_of=as_of, true_at=true_at, active=active)
        found = [relation for relation in view.relations(Relation, where) if predicate in (None, relation.predicate)]
        names = _names(view, space, {end for relation in found for end in (relation.subject, relation.object)}, as_of)
    return [Fact(subject=names[r.subject], predicate=r.predicate, object=names[r.object], relation=r) for r in found]


class ByTime(Struct, frozen=True):
    """Facts as they stand at a moment: those that hold, those that held before it, and those that are yet to hold."""

    holding: tuple[Fact, ...]
    past: tuple[Fact, ...]
    coming: tuple[Fact, ...]


def by_time(ever: Sequence[Fact], holding: Sequence[Fact], at: datetime) -> ByTime:
    """All that was ever stated, by what of it holds at a moment."""
    held = {fact.relation.version for fact in holding}
    others = [fact for fact in ever if fact.relation.version not in held]
    return ByTime(
        holding=tuple(fact for fact in ever if fact.relation.version in held),
        past=tuple(fact for fact in others if fact.relation.valid_from <= at),
        coming=tuple(fact for fact in others if fact.relation.valid_from > at),
    )


def _names(view: View, space: str, ids: set[str], as_of: datetime | None) -> dict[str, str]:
    """Names of entities by id, as they were known at a moment; one that is gone is called by its id."""
    found = view.entities(Entities(space=space, ids=tuple(ids), as_of=as_of))
    return {id: id for id in ids} | {entity.id: entity.name for entity in found}


def neighbors(
    core: Core,
    ref: str,
    space: str,
    *,
    depth: int,
    direction: Direction,
    as_of: datetime | None,
    true_at: datetime | None,
) -> Neighborhood:
    """Everything within some steps of an entity, breadth first."""
    with core.store.read() as view:
        start = view.get(Entity, space, require(view, space, ref).id, as_of)
        if start is None:
            told = "ask with true_at for what held then, as known now"
            raise NotFound(f"the entity {ref!r} was not known yet in space {space!r}; {told}")
        distances = {start.id: 0}
        relations: dict[int, Relation] = {}
        frontier = [start.id]
        for distance in range(1, depth + 1):
            reached = _step(view, space, frontier, direction, as_of, true_at)
            relations |= {relation.version: relation for _, relation in reached}
            frontier = [end for end in dict.fromkeys(end for end, _ in reached) if end not in distances]
            distances |= dict.fromkeys(frontier, distance)
            if not frontier or len(distances) > _WALKED:
                break
        found = {one.id: one for one in view.entities(Entities(space=space, ids=tuple(distances), as_of=as_of))}
    return Neighborhood(
        start=start,
        entities=tuple(found[id] for id in distances if id in found),
        relations=tuple(relations.values()),
        distances=distances,
    )


def _step(
    view: View,
    space: str,
    ids: Sequence[str],
    direction: Direction,
    as_of: datetime | None,
    true_at: datetime | None,
) -> list[tuple[str, Relation]]:
    """The far ends of the relations that touch some entities."""
    found: list[tuple[str, Relation]] = []
    if direction != "incoming":
        where = Relations(space=space, subjects=tuple(ids), as_of=as_of, true_at=true_at)
        found += [(r.object, r) for r in view.relations(Relation, where)]
    if direction != "outgoing":
        where = Relations(space=space, objects=tuple(ids), as_of=as_of, true_at=true_at)
        found += [(r.subject, r) for r in view.relations(Relation, where)]
    return found


def mentioning(
    core: Core, ref: str, space: str, limit: int, *, as_of: datetime | None = None, true_at: datetime | None = None
) -> list[Record]:
    """The newest records that mention an entity, or just a name, in any case, and hold: now, or at a moment."""
    with core.store.read() as view:
        found = find(view, space, ref, any_case=True)
        names = names_of(found[0]) if found else [ref]
        versions = {version for some in view.mentions(space, names).values() for version in some}
        if not found:
            versions |= _spelled(view, space, ref)
        where = within(Filter(without_kinds=CATALOGUE_KINDS, true_at=true_at), space, list(versions))
        if as_of is None:
            return view.select(Record, where, "updated", limit)
        every = within(Filter(valid_only=False), space, list(versions))
        then = msgspec.structs.replace(
            where, versions=None, ids=tuple(one.id for one in view.select(Ident, every)), as_of=as_of
        )
        spoken = [normal_name(name) for name in names]
        known = view.select(Record, then, "updated") if then.ids else []
        return [record for record in known if any(name in normal_name(record.text) for name in spoken)][:limit]


def _spelled(view: View, space: str, name: str) -> set[int]:
    """The newest versions that hold a name with a capital, if only because a sentence begins with it."""
    held = view.mentions(space, [hash_term(term) for term in terms(name)]).values()
    versions = sorted(set[int].intersection(*map(set, held)), reverse=True)[:_SPELLED] if held else []
    where = within(Filter(valid_only=False), space, versions)
    records = view.select(Record, where) if versions else []
    return {record.version for record in records if record.kind != "code" and _is_named(record.text, name)}


def _is_named(text: str, name: str) -> bool:
    said, name = unicodedata.normalize("NFC", text), name.strip()
    if not mentions(said, name):
        said, name = (_without_marks(one) for one in (said, name))
        if not mentions(said, name):
            return False
    return unspaced(name) != "" or any(
        not found[0].islower() for found in re.findall(rf"(?i)(?<!\w){re.escape(name)}", said)
    )


def _without_marks(text: str) -> str:
    """A text without the marks that stand on letters: "Muller" of "Müller"."""
    apart = unicodedata.normalize("NFD", text)
    return "".join(char for char in apart if not unicodedata.combining(char))
