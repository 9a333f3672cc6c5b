"""What does a process do that only reads?

It is started by another (`readers.py`) and answers its questions over some pipes, one at a time, from the same store.
"""

from __future__ import annotations

import gc
import os
import pickle
import select
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, NoReturn

from recollect.config import Settings
from recollect.engine.core import Core, utc_now
from recollect.engine.embedding.vectors import QueryVector
from recollect.engine.pipes import receive, send
from recollect.engine.read.readers import Handover, NotTheirs, Reply
from recollect.engine.read.recall import answer
from recollect.errors import RecollectError
from recollect.store.choose import open_store
from recollect.store.search import Model
from recollect.version import __version__

IDLE_SECONDS = 60.0
"""Who has nothing to do for so long ends."""


class _NotMine(Exception):
    """An answer for which a model must read something."""


class _Lent:
    """What the owner's model saw of one question."""

    def __init__(self, model: Model, seen: QueryVector) -> None:
        self._model, self._seen = model, seen

    def model(self) -> Model:
        return self._model

    def query(self, text: str) -> QueryVector:  # noqa: ARG002  the only one that is asked
        return self._seen


class _Reader:
    def __init__(self, home: Path, vectors_mb: int | None) -> None:
        self._now = utc_now()
        store = open_store(home, self._clock, vectors_mb=vectors_mb)
        self._core = Core(store, Settings(home=home), actor=None, clock=self._clock)

    def _clock(self) -> datetime:
        return self._now

    def answer(self, asked: Handover) -> Reply | NotTheirs | None:
        """None where it failed: then the owner finds out why."""
        self._now = asked.now
        vectors = None if asked.model is None or asked.seen is None else _Lent(asked.model, asked.seen)
        try:
            with self._core.store.read() as view:
                found = answer(
                    self._core, view, vectors, asked.query, reranker=_no_model, facts=asked.facts,
                    waiting=asked.waiting, problem=asked.problem,
                )  # fmt: skip
        except _NotMine:
            return NotTheirs()
        except RecollectError:
            return None
        return Reply(found.hits, found.signals)

    def close(self) -> None:
        self._core.store.close()


def _no_model() -> NoReturn:
    raise _NotMine


def work(home: str, vectors_mb: int | None, release: str, pipes: Sequence[tuple[int, int]]) -> None:
    """The whole life of a reader: it ends when it has nothing to do, or who started it is gone."""
    if release != __version__:  # another was installed meanwhile, which may know this store no longer
        return
    gc.freeze()
    seats = {asking: (os.fdopen(asking, "rb"), os.fdopen(told, "wb")) for asking, told in pipes}
    coming = select.poll()
    for asking in seats:
        coming.register(asking, select.POLLIN)
    reader = _Reader(Path(home), vectors_mb)
    try:
        while ready := coming.poll(IDLE_SECONDS * 1e3):
            if not all(_take(*seats[asking], reader.answer) for asking, _ in ready):
                return
    finally:
        reader.close()


def _take(asking: IO[bytes], telling: IO[bytes], answered: Callable[[Handover], object]) -> bool:
    """Answers one question; False where nobody asks any more."""
    message = receive(asking)
    if message is None:
        return False
    told = answered(pickle.loads(message))
    try:
        send(telling, pickle.dumps(told, pickle.HIGHEST_PROTOCOL))
    except OSError:
        return False
    return True
