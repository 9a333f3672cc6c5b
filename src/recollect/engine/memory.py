"""What can be done with a memory?

`Memory` puts the rooms of the engine together: every surface, from the command line to a protocol, is a shell over its
methods. Each room has a class of them (`methods.py`). A method parses what it is given, does its work in one
transaction, and answers with frozen values.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from types import TracebackType
from typing import Self

from recollect.config import Settings, load_settings
from recollect.embed.base import Embedder
from recollect.engine.callers import Callers
from recollect.engine.care import lifecycle, rebuild
from recollect.engine.care.dream import Idleness
from recollect.engine.care.keep import parse_path
from recollect.engine.care.methods import Caring
from recollect.engine.core import Core, random_id, utc_now
from recollect.engine.embedding.methods import Embedding
from recollect.engine.embedding.semantics import Semantics
from recollect.engine.graph.methods import Relating
from recollect.engine.intake.methods import Indexing, Ingesting
from recollect.engine.intake.results import Imported, came_to_nothing
from recollect.engine.loop import Loop, keep
from recollect.engine.parse import parse_space
from recollect.engine.read.foremost import Foremost
from recollect.engine.read.methods import Reading
from recollect.engine.read.readers import Readers
from recollect.engine.settle import Settling
from recollect.engine.start import open_core
from recollect.engine.write.methods import Writing
from recollect.engine.write.touches import Touches
from recollect.errors import InvalidInput
from recollect.store.choose import look_at


def open_memory(
    folder: str | os.PathLike[str] | None = None,
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    actor: str | None = "library",
    clock: Callable[[], datetime] = utc_now,
    new_id: Callable[[], str] = random_id,
) -> Memory:
    """Opens the machine's memory, or the one in a folder or at the URL of a database, which is made if it is missing.

    `embedder` is used in place of the one that the settings choose.
    """
    if settings is not None and folder is not None:
        raise InvalidInput("folder", "is already in the settings; give one or the other")
    if embedder is not None and not hasattr(embedder, "embed"):
        raise InvalidInput("embedder", "must have a method `embed`; one of ours is chosen by Settings(embedder=...)")
    chosen = settings or load_settings(folder)
    core = open_core(chosen, actor=actor, clock=clock, new_id=new_id)
    try:
        return Memory(core, embedder, fresh=rebuild.freshen(core))
    except BaseException:
        core.store.close()
        raise


def import_(
    path: str | os.PathLike[str],
    folder: str | os.PathLike[str] | None = None,
    *,
    origin: str | None = None,
    space: str | None = None,
    dry_run: bool = False,
    passphrase: str | None = None,
) -> list[Imported]:
    """Takes an export, or what another program kept, into the machine's memory or that of a folder or URL.

    Where there is no memory yet, none is made for what cannot be taken over.
    """
    from recollect.engine.care.arrive import Manner, rehearse  # only when it is asked for

    settings = load_settings(folder)
    if not look_at(settings.home, settings.store).there:
        named = None if space is None else parse_space(space)
        asked = Manner(space=named, dry_run=dry_run, passphrase=passphrase or settings.passphrase)
        tried = rehearse(parse_path(path), origin, asked)
        if tried is not None and (dry_run or came_to_nothing(tried)):
            return tried
    with open_memory(settings=settings) as memory:
        return memory.import_(path, origin=origin, space=space, dry_run=dry_run, passphrase=passphrase)


class Memory(Writing, Relating, Embedding, Reading, Ingesting, Caring):
    """An open memory. Safe to share between threads; other processes may have the same one open."""

    def __init__(self, core: Core, embedder: Embedder | None = None, *, fresh: bool = True) -> None:
        self.core = core
        self.touches = Touches(core)
        self.semantics = Semantics(core, embedder)
        self.asked = {}
        self.readers = Readers(core.settings.home, core.settings.vectors_mb)
        self.callers = Callers(core.clock)
        self.idleness = Idleness(core, self.asked)
        self.sweeping = lifecycle.Sweeping(core)
        self.sweeping.look()
        self._settling = Settling(core)
        self._settling.look()
        self._freshening = Loop(
            "recollect-index", lambda: rebuild.freshen_all(core, self._freshening.stopping), failed=keep
        )
        if not fresh:
            self._freshening.wake()
        self._foremost = Foremost(core)
        self._indexing = Indexing()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, type_: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends background work and lets go of the file. Everything acknowledged is already safe on disk."""
        if self._indexing.projects is not None:
            self._indexing.projects.stop()
        self.readers.stop()
        self.semantics.stop()
        self.sweeping.stop()
        self._settling.stop()
        self._freshening.stop(1)
        try:
            self.touches.stop()
        finally:
            self.core.store.close()

    def acting_as(
        self, actor: str | None, *, new_id: Callable[[], str] | None = None, by_hand: bool | None = None
    ) -> Memory:
        """The same memory, with its changes journalled under another name (and ids of another form for what is new).

        `by_hand`: a person does them. Where that is not said, the owner's name tells it, and no guest's.
        """
        core = self.core
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.core = Core(core.store, core.settings, actor=actor, clock=core.clock, new_id=new_id or core.new_id)
        other.core.on_write, other.core.client, other.core.eyes = core.on_write, core.client, core.eyes
        other.core.known_as = core.known_as
        if by_hand is not None or core.known_as is not None:
            other.core.by_hand = bool(by_hand)
        return other

    @property
    def location(self) -> str:
        """Where the store is."""
        return self.core.store.site.location

    @property
    def settings(self) -> Settings:
        """What the memory was opened with."""
        return self.core.settings
