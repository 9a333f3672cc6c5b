"""Whose is a space, and where do its files lie?"""

from __future__ import annotations

from pathlib import Path

from recollect.engine.core import Core, existing
from recollect.engine.parse import parse_space, parse_string
from recollect.engine.places import identity_of, keep_identity, make_place
from recollect.engine.write.screen import screen_text
from recollect.types import DEFAULT_SPACE


def folder(core: Core, *, space: str = DEFAULT_SPACE) -> Path:
    """The folder for files of a space that exists; it is made if it is missing."""
    return make_place(core.settings.home, existing(core, space))


def identity(core: Core, *, space: str = DEFAULT_SPACE) -> str:
    """What `identity.txt` in a space's folder says of whom the space belongs to; empty where there is none."""
    name = parse_space(space)
    with core.store.read() as view:
        there = view.spaces([name])
    return identity_of(core.store, core.settings.home, name) if there else ""


def set_identity(core: Core, text: str, *, space: str = DEFAULT_SPACE) -> None:
    """Writes `identity.txt` of a space that exists; an empty text removes it."""
    name, said = existing(core, space), screen_text(parse_string(text, "text"))
    with core.store.joined(), core.store.write(actor=core.actor):  # a file is for nobody to write who may not write
        keep_identity(core.store, name, said)
