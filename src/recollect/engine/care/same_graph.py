"""Which entities and facts of another memory are here under another id?

Two machines that hear of the same thing make an entity of it each. It is the same where name and user are, and nothing
says that it is of another type: what is stated of it there is stated here of the one that is here. A fact is the same
where it states the same, from the same moment on or, where none was named, from whenever it was told.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from recollect.engine.core import forgotten_among
from recollect.ingest.secrets import told_in
from recollect.store.base import Edit, Entities, Relations, Shelf
from recollect.types import Entity, Relation

_SAME = Shelf("same entities", str)
"""Which entity here is that of another memory, by the id that it has there: so that what was forgotten stays so."""
_STATED = ("predicate", "object", "weight", "confidence", "provenance", "valid_until", "metadata")


class SameGraph:
    """Finds what is here under another id. Entities are asked for before the relations that speak of them."""

    def __init__(self, comes: Callable[[str, str, str], bool]) -> None:
        """`comes` says whether the other memory holds a thing of this kind and id in this space, too."""
        self._comes = comes
        self._here: dict[tuple[str, str], str] = {}

    def find_entity(self, edit: Edit, entity: Entity) -> Entity | None:
        """The entity that is here for one of another memory. What is masked may be anything, and is none."""
        named = edit.entities(Entities(space=entity.space, names=(entity.name,)))
        same = (
            one for one in named if _is_called_the_same(one, entity) and not self._comes("entity", one.space, one.id)
        )
        found = None if told_in(entity.name) else next(same, None)
        if found is not None:
            self._here[entity.space, entity.id] = found.id
            if edit.kept(_SAME, space=entity.space, keys=[entity.id]) != {entity.id: found.id}:
                edit.keep(_SAME, {entity.id: found.id}, space=entity.space)
        return found

    def is_away(self, edit: Edit, entity: Entity) -> bool:
        """Was the one forgotten that stood here for it?"""
        here = edit.kept(_SAME, space=entity.space, keys=[entity.id]).get(entity.id)
        if here is None or not forgotten_among(edit, entity.space, "entity", [here]):
            return False
        self._here[entity.space, entity.id] = here
        return True

    def as_here(self, relation: Relation) -> Relation:
        """A relation of another memory between the entities that are here."""
        ends = (self._here.get((relation.space, id), id) for id in (relation.subject, relation.object))
        return msgspec.structs.replace(relation, **dict(zip(("subject", "object"), ends, strict=True)))

    def find_fact(self, edit: Edit, relation: Relation) -> Relation | None:
        """The fact here that states what one of another memory does, between entities that are here."""
        ends = Relations(space=relation.space, subjects=(relation.subject,), objects=(relation.object,), active=False)
        same = (one for one in edit.relations(Relation, ends) if _states_the_same(one, relation))
        return next((one for one in same if not self._comes("relation", one.space, one.id)), None)


def lacks_an_end(edit: Edit, relation: Relation) -> bool:
    """Was one of the entities forgotten here that a relation is about?"""
    gone = [id for id in (relation.subject, relation.object) if edit.get(Entity, relation.space, id) is None]
    return bool(gone and forgotten_among(edit, relation.space, "entity", gone))


def _is_called_the_same(here: Entity, there: Entity) -> bool:
    of_one_type = here.type == there.type or None in (here.type, there.type)
    return (here.name, here.user) == (there.name, there.user) and of_one_type


def _states_the_same(here: Relation, there: Relation) -> bool:
    by_itself = all(one.valid_from == one.created_at for one in (here, there))
    begins = by_itself or here.valid_from == there.valid_from
    return begins and all(getattr(here, name) == getattr(there, name) for name in _STATED)
