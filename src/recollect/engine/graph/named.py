"""Which entity does a name mean?"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.engine.core import Core
from recollect.engine.parse import parse_label, parse_space
from recollect.errors import NotFound
from recollect.store.base import Entities, View, normal_name
from recollect.types import DEFAULT_SPACE, Entity


def names_of(entity: Entity) -> list[str]:
    return [entity.name, *entity.aliases]


def find(view: View, space: str, ref: str, *, any_case: bool = False) -> list[Entity]:
    """The entities that an id, a name or an alias means, letter by letter: names before aliases, nobody's first.

    With `any_case`, where nothing is called just so, those whose names differ in case and spacing alone.
    """
    by_id = view.get(Entity, space, ref)
    if by_id is not None:
        return [by_id]
    found = called(ref, view.entities(Entities(space=space, names=(ref,))), any_case=any_case)
    return sorted(found, key=lambda one: (normal_name(one.name) != normal_name(ref), one.name != ref, bool(one.user)))


def called(name: str, named: Sequence[Entity], *, any_case: bool) -> Sequence[Entity]:
    """Those of some entities that have just this name; with `any_case`, where none has, all of them."""
    exact = [entity for entity in named if name in names_of(entity)]
    return named if any_case and not exact else exact


def meant(core: Core, entity: str, *, space: str = DEFAULT_SPACE, field: str = "entity") -> str:
    """The id of the entity that people mean by a name, however they write it; the name itself if nobody has it."""
    ref = parse_label(entity, field)
    with core.store.read() as view:
        found = find(view, parse_space(space), ref, any_case=True)
    return found[0].id if found else ref


def resolve(view: View, space: str, ref: str) -> Entity | None:
    """The first of the entities that an id, a name or an alias means."""
    return next(iter(find(view, space, ref)), None)


def require(view: View, space: str, ref: str) -> Entity:
    entity = resolve(view, space, ref)
    if entity is None:
        raise NotFound(f"there is no entity {ref!r} in space {space!r}")
    return entity
