"""What is the project called that somebody works on in a folder?

As its remote or its folder is called; and where another project has that name already, with as much before it as tells
the two apart. Which is which stands on a shelf: whoever first stored something has the plain name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from recollect.engine.core import Core
from recollect.ingest.worktree import Workplace, find_workplace, remote_name
from recollect.store.base import Shelf, View

_FOLDER, _REMOTE, _NAME = "folder:", "remote:", "name:"


class Belonging(Struct, frozen=True):
    """The project that a folder, a remote or a name stands for; of a folder also the remote that it had."""

    project: str
    remote: str | None = None


class NamedProject(Struct, frozen=True):
    """A project, and the remotes that it has, or else the folders."""

    name: str
    places: tuple[str, ...]


_BELONGINGS = Shelf("workplaces", Belonging)


def project_at(view: View, folder: str | os.PathLike[str], *, plain: bool) -> str | None:
    """What the project of a folder is called; None where there is none.

    A plain folder counts where somebody is known to have worked on it, and any other if it is to.
    """
    place = find_workplace(folder)
    return None if place is None else _named(place, _known(view, place), plain)


def claim_project(core: Core, folder: str | os.PathLike[str], *, plain: bool) -> str | None:
    """The same for whoever stores something of it: from then on no other project is called so."""
    place = find_workplace(folder)
    if place is None:
        return None
    with core.store.read() as view:
        known = _known(view, place)
        name = _named(place, known, plain)
        if name is None or all(known.get(key) == settled for key, settled in _settling(place, name)):
            return name
    with core.store.write(actor=core.actor) as edit:
        name = _called(place, _known(edit, place))
        edit.keep(_BELONGINGS, dict(_settling(place, name)))
    return name


def named_projects(core: Core) -> list[NamedProject]:
    """The projects that something was stored of from their folders, and which remotes or folders each has."""
    with core.store.read() as view:
        kept = view.kept(_BELONGINGS)
    names = sorted({settled.project for settled in kept.values()})
    return [NamedProject(name, _places(kept, name, _REMOTE) or _places(kept, name, _FOLDER)) for name in names]


def _places(kept: Mapping[str, Belonging], name: str, sort: str) -> tuple[str, ...]:
    return tuple(key[len(sort) :] for key, one in kept.items() if one.project == name and key.startswith(sort))


def _known(view: View, place: Workplace) -> dict[str, Belonging]:
    """All that is settled about a place, and about names that it may have."""
    above = [f"{_FOLDER}{folder}" for folder in Path(place.folder).parents] if place.plain else []
    names = [f"{_NAME}{name}" for name in place.names()]
    return view.kept(_BELONGINGS, keys=[*(key for key, _ in _settling(place, "")), *above, *names])


def _settling(place: Workplace, name: str) -> Iterator[tuple[str, Belonging]]:
    yield f"{_FOLDER}{place.folder}", Belonging(name, place.remote)
    yield f"{_NAME}{name}", Belonging(name)
    if place.remote is not None:
        yield f"{_REMOTE}{place.remote.casefold()}", Belonging(name)


def _named(place: Workplace, known: Mapping[str, Belonging], plain: bool) -> str | None:
    if place.plain and not plain and not any(key.startswith(_FOLDER) for key in known):
        return None
    return _called(place, known)


def _called(place: Workplace, known: Mapping[str, Belonging]) -> str:
    remote = None if place.remote is None else known.get(f"{_REMOTE}{place.remote.casefold()}")
    if remote is not None:
        return remote.project
    here = known.get(f"{_FOLDER}{place.folder}")
    if here is not None and _is_the_same(place.remote, here.remote):
        return here.project
    if place.plain:  # who works in a folder of a project works on that project
        above = (known.get(f"{_FOLDER}{folder}") for folder in Path(place.folder).parents)
        found = next((one for one in above if one is not None), None)
        if found is not None:
            return found.project
    *_, longest = names = list(place.names())
    return next((name for name in names if f"{_NAME}{name}" not in known), longest)


def _is_the_same(remote: str | None, before: str | None) -> bool:
    """Is a repository the one that was in its folder before? One that has moved is called as it was."""
    return remote is None or before is None or remote_name(remote) == remote_name(before)
