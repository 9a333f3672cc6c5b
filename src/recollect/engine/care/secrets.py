"""Which secrets does a memory hold already, and how do they leave it?

What came in before secrets were recognised, or into a space that allows them, is looked for in every version. Masking
leaves a record its id, its place and what else it says; versions before are removed for good, since they said more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from recollect.engine.core import Core, as_one_act, named_spaces
from recollect.engine.erased import all_of
from recollect.engine.graph.link import mask_object
from recollect.engine.settle import note_erased, scrub
from recollect.engine.write.remember import content_hash, derive_lexis
from recollect.engine.write.screen import Screen
from recollect.fields import Spaces
from recollect.store.base import Edit, Entities, Relations, View
from recollect.store.ops import EraseThing, Put, Retire, Rewrite, Thing
from recollect.types import Entity, Filter, Record, Relation

_READ = 500  # versions at once
_REASON = "a secret was masked; earlier versions were removed"


class KeptSecret(Struct, frozen=True, kw_only=True):
    """Something that holds secrets: which, of what kind they are, and in how many versions."""

    space: str
    type: str
    id: str
    kinds: tuple[str, ...]
    versions: int = 1
    current: bool = True
    """Does the version that holds now have one?"""


class Looked(Struct, frozen=True):
    """The records that hold secrets in some versions of a space; `last` is the last of these where more follow, and
    `unseen` says how many.
    """

    found: tuple[KeptSecret, ...]
    last: int | None = None
    unseen: int = 0


def kept_secrets(core: Core, *, space: Spaces = None) -> list[KeptSecret]:
    """What holds keys, tokens or passwords, records in any of their versions. Nothing is changed."""
    spaces = named_spaces(core, space)
    with core.store.read() as view:
        return [found for space in spaces for found in (*_records(view, space)[0], *_things(view, space))]


def look_for_secrets(core: Core, space: str, *, after: int = 0, most: int) -> Looked:
    """Looks through at most so many versions after one."""
    with core.store.read() as view:
        found, last = _records(view, space, after, most)
        unseen = 0 if last is None else view.count(_versions(space, last))
    return Looked(tuple(found), last if unseen else None, unseen)


def _versions(space: str, after: int) -> Filter:
    return Filter(spaces=(space,), past=True, valid_only=False, after=after)


def _records(view: View, space: str, after: int = 0, most: int | None = None) -> tuple[list[KeptSecret], int | None]:
    """Who holds secrets in the versions after one, and the last that was looked at where there may be more."""
    screen = Screen(view, space, "mask")
    kinds: dict[str, list[str]] = {}
    versions: dict[str, int] = {}
    current: set[str] = set()
    seen, last = 0, None
    while batch := view.select(Record, _versions(space, after), limit=_READ):
        after = batch[-1].version
        for record in batch:
            told = screen.take(record)[1]
            if told:
                kinds.setdefault(record.id, []).extend(told)
                versions[record.id] = versions.get(record.id, 0) + 1
                held = view.get(Record, space, record.id)
                current |= {record.id} if held is not None and held.version == record.version else set()
        seen += len(batch)
        if most is not None and seen >= most:
            last = after
            break
    found = [
        KeptSecret(
            space=space,
            type="record",
            id=id,
            kinds=tuple(dict.fromkeys(told)),
            versions=versions[id],
            current=id in current,
        )
        for id, told in kinds.items()
    ]
    return found, last


def _things(view: View, space: str) -> Iterator[KeptSecret]:
    entities = view.entities(Entities(space=space))
    facts = view.relations(Relation, Relations(space=space, active=False))
    names = {one.id: one.name for one in entities}
    told: dict[str, list[Relation]] = {}
    for fact in facts:
        told.setdefault(fact.object, []).append(fact)
    screen = Screen(view, space, "mask")
    for fact in facts:  # before their ends, whose names tell what they hold
        if kinds := _masked_fact(screen, fact, names)[1]:
            yield KeptSecret(space=space, type="relation", id=fact.id, kinds=kinds)
    for entity in entities:
        if kinds := _masked_entity(screen, entity, told.get(entity.id, ()), names)[1]:
            yield KeptSecret(space=space, type="entity", id=entity.id, kinds=kinds)


def _masked_entity(
    screen: Screen, entity: Entity, facts: Sequence[Relation], names: Mapping[str, str]
) -> tuple[Entity, tuple[str, ...]]:
    """An entity without secrets, also one that only the facts tell whose object it is: somebody's password, say."""
    kept, kinds = screen.take(entity)
    for fact in facts:
        name, told = mask_object(screen, names.get(fact.subject, ""), fact.predicate, kept.name)
        kept, kinds = msgspec.structs.replace(kept, name=name), tuple(dict.fromkeys((*kinds, *told)))
    return kept, kinds


def _masked_fact(screen: Screen, fact: Relation, names: Mapping[str, str]) -> tuple[Relation, tuple[str, ...]]:
    """A fact without secrets; its object may stand in what was noted with it."""
    kept, kinds = screen.take(fact)
    said = names.get(fact.object, "")
    name, told = mask_object(screen, names.get(fact.subject, ""), fact.predicate, said)
    if not told or said not in kept.metadata.values():
        return kept, kinds
    noted = {key: name if value == said else value for key, value in kept.metadata.items()}
    return msgspec.structs.replace(kept, metadata=noted), tuple(dict.fromkeys((*kinds, *told)))


@as_one_act
def mask_kept(core: Core, found: Sequence[KeptSecret]) -> int:
    """Masks what `kept_secrets` has found; what is gone since is passed over. Answers how many things were masked.

    Versions before are removed for good; this cannot be undone.
    """
    count = 0
    with core.store.write(actor=core.actor) as edit:
        for space in dict.fromkeys(one.space for one in found):
            here = [one for one in found if one.space == space]
            erased = all_of(edit, space, [one.id for one in here])
            masked = [thing for one in here for thing in _mask(edit, one)]
            if masked:
                note_erased(edit, erased.but(masked))
            count += len(masked)
    if count:
        core.written()
        scrub(core)
    return count


def _mask(edit: Edit, one: KeptSecret) -> list[Thing]:
    """Masks a thing, and answers with what it is since; with nothing where it is gone."""
    return _mask_record(edit, one) if one.type == "record" else _mask_thing(edit, one)


def _mask_record(edit: Edit, one: KeptSecret) -> list[Thing]:
    held = edit.get(Record, one.space, one.id)
    every = Filter(spaces=(one.space,), ids=(one.id,), past=True, valid_only=False)
    last = held or next(iter(edit.select(Record, every)[::-1]), None)
    if last is None:
        return []
    kept = Screen(edit, one.space, "mask").take(last)[0]
    masked = msgspec.structs.replace(kept, content_hash=content_hash(kept.text))
    back = edit.apply([Rewrite(record=masked, lexis=derive_lexis(edit, masked), reason=_REASON)])[0].thing
    if held is None and back is not None:
        edit.apply([Retire(thing=back, verb="replace", reason=_REASON)])
    return [masked]


def _mask_thing(edit: Edit, one: KeptSecret) -> list[Thing]:
    type_ = Entity if one.type == "entity" else Relation
    held = edit.get(type_, one.space, one.id)
    if held is None:
        return []
    screen = Screen(edit, one.space, "mask")
    if isinstance(held, Entity):
        facts = edit.relations(Relation, Relations(space=one.space, objects=(held.id,), active=False))
        masked = _masked_entity(screen, held, facts, _names(edit, facts))[0]
    else:
        masked = _masked_fact(screen, held, _names(edit, [held]))[0]
    edit.apply([EraseThing(thing=held, reason=_REASON), Put(thing=masked, verb="rewrite", reason=_REASON)])
    return [masked]


def _names(view: View, facts: Sequence[Relation]) -> dict[str, str]:
    ends = {(fact.space, id) for fact in facts for id in (fact.subject, fact.object)}
    return {id: one.name for space, id in ends if (one := view.get(Entity, space, id)) is not None}
