"""Who computes vectors, with which model, and when?

Nothing is loaded before something semantic is asked. While a newly chosen model still computes the vectors of a store,
the one that was used before goes on answering, if it runs on this machine: so a change of model is never felt.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal
from weakref import ref

from msgspec import Struct

from recollect.embed.base import Embedder
from recollect.embed.choose import REMOTE, choose_embedder, describe_embedder, embedder_named
from recollect.engine.core import Core
from recollect.engine.embedding.later import look_again
from recollect.engine.embedding.pace import PACE, Lately
from recollect.engine.embedding.precedence import Precedence
from recollect.engine.loop import Loop, keep
from recollect.engine.sight import Sight
from recollect.errors import EmbedderError, ReadOnlyStore, StoreBusy, StoreFull
from recollect.store.base import View
from recollect.types import Filter, Record

if TYPE_CHECKING:
    from recollect.embed.rerank import Reranker
    from recollect.engine.embedding.vectors import Vectors

WAIT_SECONDS = 0.15
"""So long a recall has vectors computed that are still missing, at most."""
_WHOLE = 0.27  # seconds, for the vectors and the answer itself: it is to be there within 300 ms
_LEAST_WAIT, _LAST = 0.03, 0.06  # seconds, for vectors in any case, and for what comes after reading began last
_REST = 0.03  # seconds, for that where no vectors were waited for
_SLOW = 0.08  # seconds for one text that is read
_AT_ONCE = 0.03  # seconds, for the vector of what is being stored
_LAST_STEP = 30  # seconds, for a model that is at work when the process is to end: that would end with an abort else
_NOT_TAKEN_UP = (
    "searched by keywords alone: this database role may use a model once the owner of the store's tables has;"
    " `recollect embed` does that"
)
_PATIENCE = 256  # records; with more missing, another model that is complete answers instead


class EmbeddingState(Struct, frozen=True, kw_only=True):
    """What is known of the embedder without loading it. `hits`, `misses` and `size` are of the questions' vectors."""

    state: Literal["idle", "loading", "ready", "failed", "none"]
    model: str | None = None
    dim: int | None = None
    stored_dim: int | None = None
    hits: int = 0
    misses: int = 0
    size: int = 0


class Effort(Struct, frozen=True):
    """How long a model has worked in this process, and on how many texts."""

    model: str
    seconds: float
    texts: int


class Ready(Struct, frozen=True):
    """Vectors to search with (None: keywords alone), how many records still miss them, and why there are none.

    Where some still wait, an answer that is to be there soon has read whatever it reads by the moment `by`.
    """

    vectors: Vectors | None
    waiting: int = 0
    problem: str | None = None
    by: float | None = None


class Behind(Struct, frozen=True):
    """How many records have no vector yet, and how long that will take, as far as it is known."""

    waiting: int
    seconds: float | None = None


class Semantics:
    """The embedders of a memory, loaded when first needed, and the thread that computes in the background."""

    def __init__(self, core: Core, embedder: Embedder | None) -> None:
        self._core = core
        self._given = embedder
        self._loaded: dict[str, Vectors] = {}
        self._chosen: Vectors | None = None
        self._reranker: Reranker | None = None
        self._failed = False
        self.offered: Callable[[], Embedder | None] = lambda: None
        """Asked, before the bundled model is loaded, for what somebody who is connected computes vectors with."""
        self._lock = threading.Lock()
        self.precedence = Precedence()
        self.answers = Lately()
        """How long answers took whose vectors had been waited for."""
        self._background = Loop("recollect-vectors", self._catch_up, delay=core.settings.embed_delay, failed=keep)
        self._warming = Loop("recollect-model", self._try_out, failed=keep)
        self._opening = Loop("recollect-reranker", self._open_reranker, failed=keep)
        self._loading = Loop("recollect-bundled", self._open_bundled, failed=keep)
        self._foreseen = False
        self._loops = (self._background, self._warming, self._opening, self._loading)
        self._seeing_out = partial(_see_out, [ref(loop) for loop in self._loops])
        atexit.register(self._seeing_out)
        self.patient = False
        """Does whoever asks wait until the models are loaded, however long that takes? What an answer had no time for
        the next one has; but where a process answers only once, there is none.
        """
        core.on_write.append(self._wake)
        core.eyes = self

    def load(self) -> Vectors | None:
        """The vectors of the model that the settings choose. None also where this user may not take it up."""
        settings = self._core.settings
        if not self.wanted:
            return None
        with self._lock:
            if self._chosen is None:
                from recollect.engine.embedding.vectors import Vectors  # brings in numpy, and soon the model

                offered = self.offered() if self._given is None and settings.embedder == "bundled" else None
                embedder = self._given or offered or choose_embedder(
                    settings.embedder, model=settings.embed_model, url=settings.embed_url, key=settings.embed_key,
                    dim=settings.embed_dim, threads=settings.embed_threads,
                )  # fmt: skip
                self._chosen = None if embedder is None else Vectors(self._core, embedder, self.precedence)
            vectors = self._chosen
        if vectors is not None and self._core.store.site.limited and not vectors.is_taken_up():
            return None
        return vectors

    @property
    def loaded(self) -> Vectors | None:
        """The vectors of that model if it is loaded by now."""
        return self._chosen

    @property
    def awake(self) -> bool:
        """Is the model loaded, and on this machine?"""
        vectors = self._chosen
        return vectors is not None and vectors.is_warm and not getattr(vectors.embedder, "remote", False)

    def see(self, record: Record) -> Sight | None:
        """A record as the model sees it, where that is loaded and has the time at once."""
        vectors = self._chosen
        if vectors is None or not self.awake:
            return None
        try:
            with self.precedence.answering():
                return vectors.see(record, _AT_ONCE)
        except EmbedderError:
            return None  # the background will say so

    def reranker(self) -> Reranker:
        """The model that reads question and text together; opened when it is first asked."""
        from recollect.embed.rerank import Reranker  # brings in onnxruntime

        with self._lock:
            if self._reranker is None:
                self._reranker = Reranker(threads=self._core.settings.embed_threads)
            return self._reranker

    def reranker_if_open(self) -> Reranker | None:
        """The same for who cannot wait until it is opened, which is then done in the background, nor for one that is
        slow just now: beside other work it may be.
        """
        reranker = self.reranker()
        if not reranker.is_open:
            self._opening.wake()
        elif reranker.slowest <= _SLOW:
            return reranker
        else:
            reranker.slowest *= 0.9  # before long somebody tries again
        return None

    def reranker_within(self, until: float) -> Reranker | None:
        """The same for who can wait until a moment of `time.monotonic`."""
        reranker = self.reranker()
        if not reranker.is_open:
            self._opening.wake()
            self._opening.wait(max(until - time.monotonic(), 0.0))
        return reranker if reranker.is_open else None

    def open_together(self, needed: Callable[[], tuple[bool, bool]]) -> None:
        """Has what the first answer will need opened side by side: the model of vectors, and the one that reads. Later
        answers find them open, or open what they need themselves.
        """
        if self._foreseen or not self.wanted:
            return
        self._foreseen = True
        vectors, reranker = needed()
        if vectors and self._given is None and self._core.settings.embedder == "bundled":
            self._loading.wake()
        if reranker:
            self._opening.wake()

    def _open_reranker(self) -> None:
        from recollect.embed.files import RERANKER, read_ahead

        read_ahead(RERANKER)
        self.reranker().open()

    def _open_bundled(self) -> None:
        from recollect.embed.files import EMBEDDER, read_ahead

        read_ahead(EMBEDDER)
        from recollect.embed.bundled import BundledEmbedder  # brings in numpy and onnxruntime

        vectors = self.load()
        if vectors is not None and isinstance(vectors.embedder, BundledEmbedder):
            vectors.embedder.open()

    def ready(
        self,
        spaces: Sequence[str] | None,
        wait: float,
        promising: Callable[[], Sequence[int]],
        where: Filter | None = None,
        began: float | None = None,
    ) -> Ready:
        """Vectors of some spaces (None: all), as complete as `wait` seconds allow: first those that are `promising`.

        With a filter, of the records that it lets through: nobody waits for others. Who `began` before, at a moment of
        `time.monotonic`, has waited since then already, but where who asks is patient.
        """
        try:
            vectors = self.load()
            self._failed = False
            if vectors is None:
                return Ready(None, problem=_NOT_TAKEN_UP if self.wanted else None)
            vectors.warm()
            loaded = time.monotonic()
            began = loaded if began is None or self.patient else began
            deadline = max(began + wait, loaded + min(wait, _LEAST_WAIT))
            missing = vectors.missing(spaces, where)
            standby = self._standby(vectors, spaces) if missing > _PATIENCE else None
            with self.precedence.answering():
                if standby is not None:
                    if standby.missing(spaces, where):
                        standby.hurry(spaces, promising(), deadline, where)
                elif missing:
                    missing = vectors.hurry(spaces, promising(), deadline, where)
            if missing:
                self.go_on()
            return Ready(standby or vectors, missing, by=began + max(wait, _WHOLE) - _LAST)
        except EmbedderError as error:
            self._failed = True
            return Ready(None, 0, f"searched by keywords alone: {error}")
        except (StoreFull, StoreBusy, ReadOnlyStore) as error:
            return Ready(None, 0, f"searched by keywords alone: {error}")

    def time_for_vectors(self, wait: float) -> float:
        """As much of a usual wait as leaves room for what answers took lately. Who asks for more time gets it."""
        return wait if wait > WAIT_SECONDS else min(wait, max(_WHOLE - self.answers.most, _LEAST_WAIT))

    def read_by(self, began: float, wait: float) -> float:
        """When an answer that somebody `began` to wait for has read what it reads, where no vectors were waited for."""
        return began + max(wait, _WHOLE) - _REST

    def ready_already(self, view: View, spaces: Sequence[str] | None) -> Ready | None:
        """The same where nothing has to be loaded, computed or waited for."""
        if not self.wanted:
            return Ready(None)
        vectors = self._chosen
        return Ready(vectors) if vectors is not None and vectors.are_complete(view, spaces) else None

    def _standby(self, chosen: Vectors, spaces: Sequence[str] | None) -> Vectors | None:
        """Another model's vectors that are (almost) complete, if that model is on this machine."""
        from recollect.engine.embedding.vectors import Vectors  # loaded already: a standby stands beside a chosen one

        with self._core.store.read() as view:
            others = [model for model in view.models() if model.name != chosen.embedder.name]
        for model in others:
            with self._lock:
                if model.name not in self._loaded:
                    embedder = embedder_named(model.name)
                    if embedder is None:
                        continue
                    self._loaded[model.name] = Vectors(self._core, embedder, self.precedence)
            if self._loaded[model.name].missing(spaces) <= _PATIENCE:
                return self._loaded[model.name]
        return None

    def state(self) -> EmbeddingState:
        """What can be said of the embedder without loading anything."""
        if not self.wanted:
            return EmbeddingState(state="none")
        with self._core.store.read() as view:
            stored = view.models()
        vectors, settings = self._chosen, self._core.settings
        failed = self._failed or self._background.problem is not None
        ready = vectors is not None and vectors.worked
        loading = self._warming.running or self._loading.running or self._lock.locked()
        state = "failed" if failed else "ready" if ready else "loading" if loading else "idle"
        name, dim = describe_embedder(settings.embedder, model=settings.embed_model, dim=settings.embed_dim)
        known = {model.name: model.dim for model in stored}
        if vectors is None:
            return EmbeddingState(state=state, model=name, dim=dim, stored_dim=stored[-1].dim if stored else None)
        own = known.get(vectors.embedder.name)
        return EmbeddingState(
            state=state,
            model=vectors.embedder.name,
            dim=own or dim,
            stored_dim=own,
            hits=vectors.query_hits,
            misses=vectors.query_misses,
            size=vectors.remembered_queries,
        )

    def efforts(self) -> list[Effort]:
        """What the models that are loaded have done."""
        loaded = [*tuple(self._loaded.values()), *([] if self._chosen is None else [self._chosen])]
        return [Effort(one.embedder.name, one.seconds, one.texts) for one in loaded]

    def warm(self, seconds: float = 0.0) -> bool:
        """Has the model loaded and tried in the background, if there is one. Did it work within some seconds?"""
        if self.wanted:
            self._warming.wake()
        return self._warming.wait(seconds) and not self._failed

    @property
    def proven(self) -> bool:
        """Need nobody try it first? A model on this machine is there unless it failed; a server may be away."""
        if self._failed or self._background.problem is not None:
            return False
        vectors = self._chosen
        return self._core.settings.embedder not in REMOTE or (vectors is not None and vectors.worked)

    def can_embed(self, seconds: float = 0.0) -> bool:
        """Will what is stored now get a vector? Where that is not known, the model is tried, for some seconds at most.
        A memory that is to have no vectors lacks none.
        """
        return not self.wanted or self.proven or self.warm(seconds)

    def _try_out(self) -> None:
        try:
            vectors = self.load()
            if vectors is not None:
                vectors.try_out()
            self._failed = False
        except EmbedderError:
            self._failed = True
            raise
        if self._background.problem is not None:  # what waits is tried again, and tells if it fails again
            self._background.problem = None
            self._background.wake()

    def behind(self, where: Filter) -> Behind:
        """How many records of a filter have no vector of the chosen model yet; they are computed in the background."""
        vectors = self.load()
        if vectors is None:
            return Behind(0)
        name = vectors.embedder.name
        with self._core.store.read() as view:
            model = next((one for one in view.models() if one.name == name), None)
            count = view.count(where) if model is None else view.waiting(model.no, where.spaces, where=where).count
            pace = view.kept(PACE, keys=[name]).get(name)
        if count:
            self._background.wake()
        return Behind(count, None if pace is None else count * pace)

    @property
    def problem(self) -> str | None:
        """What the background work last failed with."""
        return None if self._background.problem is None else str(self._background.problem)

    @property
    def wanted(self) -> bool:
        """Are there to be vectors at all?"""
        return self._given is not None or self._core.settings.embedder != "none"

    @property
    def problems(self) -> list[str]:
        """What keeps the memory from working as it should right now; empty when nothing does."""
        return [] if self.problem is None else [f"vectors: {self.problem}"]

    def resume(self) -> None:
        """Goes on in the background with the vectors that others left to be computed. Nothing is loaded for it yet."""
        with self._core.store.read() as view:
            waits = view.waiting(None).count if view.models() else bool(view.spaces())
        if waits:
            self.go_on()

    def go_on(self) -> None:
        """Has the background compute what waits, if it does not already."""
        if self.wanted and not self._background.running:
            self._background.wake()

    def _wake(self) -> None:
        if self.wanted:
            self._background.wake()

    def _catch_up(self) -> None:
        """Computes what waits. If it fails, the records stay queued, and the next write has it tried again."""
        vectors = self.load()
        if vectors is not None:
            vectors.catch_up(stop=self._background.stopping)
            look_again(self._core, vectors, self._background.stopping)

    def stop(self) -> None:
        """Ends what goes on. A model that is at work is not waited for here, but before the process ends beneath it."""
        atexit.unregister(self._seeing_out)
        for loop in self._loops:
            loop.end()
        for loop in self._loops:
            if not loop.stop(1):
                atexit.register(loop.wait, _LAST_STEP)


def _see_out(loops: Sequence[ref[Loop]]) -> None:
    """A model that is opened or at work when the process ends is waited for also where nobody closed the memory."""
    for loop in [one for known in loops if (one := known()) is not None]:
        loop.end()
        loop.wait(_LAST_STEP)
