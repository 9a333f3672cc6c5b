"""Which entity does a name mean?"""

from __future__ import annotations

from recollect.errors import NotFound
from recollect.store.base import Entities, View, normal_name
from recollect.types import Entity


def names_of(entity: Entity) -> list[str]:
    return [entity.name, *entity.aliases]


def find(view: View, space: str, ref: str, *, any_case: bool = False) -> list[Entity]:
    """The entities that an id, a name or an alias means, letter by letter: names before aliases, nobody's first.

    With `any_case`, where nothing is called just so, those whose names differ in case and spacing alone.
    """
    by_id = view.get(Entity, space, ref)
    if by_id is not None:
        return [by_id]
    named = view.entities(Entities(space=space, names=(ref,)))
    exact = [entity for entity in named if ref in names_of(entity)]
    found = named if any_case and not exact else exact
    return sorted(found, key=lambda one: (normal_name(one.name) != normal_name(ref), one.name != ref, bool(one.user)))


def resolve(view: View, space: str, ref: str) -> Entity | None:
    """The first of the entities that an id, a name or an alias means."""
    return next(iter(find(view, space, ref)), None)


def require(view: View, space: str, ref: str) -> Entity:
    entity = resolve(view, space, ref)
    if entity is None:
        raise NotFound(f"there is no entity {ref!r} in space {space!r}")
    return entity
