"""Which entity does a name mean?"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.engine.core import Core
from recollect.engine.parse import parse_label, parse_space
from recollect.errors import NotFound
from recollect.store.base import Entities, View, normal_name
from recollect.store.terms import fold_letters
from recollect.types import DEFAULT_SPACE, Entity

_LOOKED_AT = 50_000  # entities
_IN_TWO_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


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


def meant(core: Core, entity: str, *, space: str = DEFAULT_SPACE, field: str = "entity", plainly: bool = False) -> str:
    """The id of the entity that people mean by a name, however they write it; the name itself if nobody has it.

    Where nobody has it and it may be written `plainly`, one whose name is the same without diacritics.
    """
    ref, home = parse_label(entity, field), parse_space(space)
    with core.store.read() as view:
        found = find(view, home, ref, any_case=True) or (_spelled_alike(view, home, ref) if plainly else [])
    return found[0].id if found else ref


def _spelled_alike(view: View, space: str, name: str) -> list[Entity]:
    wanted = _ways_to_write(name)
    every = view.entities(Entities(space=space), limit=_LOOKED_AT)
    return [one for one in every if any(not wanted.isdisjoint(_ways_to_write(said)) for said in names_of(one))]


def _ways_to_write(name: str) -> frozenset[str]:
    """A name without diacritics, and with the two letters that German writes in their place."""
    words = normal_name(name).split()
    german = [word.translate(_IN_TWO_LETTERS) for word in words]
    return frozenset(" ".join(map(fold_letters, some)) for some in (words, german))


def resolve(view: View, space: str, ref: str) -> Entity | None:
    """The first of the entities that an id, a name or an alias means."""
    return next(iter(find(view, space, ref)), None)


def _perhaps(view: View, space: str, ref: str) -> str:
    """The name that somebody may have meant who has mistyped it."""
    from difflib import get_close_matches  # of those alone who ask for what there is not

    names = {
        name.casefold(): name
        for one in view.entities(Entities(space=space), limit=_LOOKED_AT)
        for name in names_of(one)
    }
    near = get_close_matches(ref.casefold(), list(names), 1)
    return f"; did you mean {names[near[0]]!r}?" if near else ""


def require(view: View, space: str, ref: str) -> Entity:
    entity = resolve(view, space, ref)
    if entity is None:
        raise NotFound(f"there is no entity {ref!r} in space {space!r}{_perhaps(view, space, ref)}")
    return entity
