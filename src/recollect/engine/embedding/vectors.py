"""How do records get their vectors, and questions theirs?

Vectors are derived. They are computed in the background after a write, and whatever is missing is completed before a
semantic question is answered, so that what was just stored is found. Nothing here runs before it is needed.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from recollect.embed.base import Embedder, TokenEmbedder
from recollect.embed.calibrate import calibrate
from recollect.engine.core import Core
from recollect.engine.embedding.pace import PACE
from recollect.ingest.pieces import cut_pieces
from recollect.store.base import View
from recollect.store.search import Model, Vector
from recollect.types import Filter, Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BATCH = 32  # records that are written together
_MOST_PIECES = 64  # of a batch that has more than one record
_AT_ONCE = 16  # pieces that are handed to the model together
_BRIEF, _LONG = 8, 16_000  # pieces and characters of what is still computed while somebody waits
_REMEMBERED_QUERIES = 512

Progress = Callable[[int, int], None]


class QueryVector(Struct, frozen=True, eq=False):
    """A question as the model sees it: its vector (zeros: unreadable) and, of some models, those of its wordpieces."""

    vector: NDArray[np.float32]
    tokens: NDArray[np.float32] | None = None


class Vectors:
    """The embedder's side of a memory: the model, and the vectors that queries already have."""

    def __init__(self, core: Core, embedder: Embedder) -> None:
        self._core = core
        self.embedder = embedder
        self._model: Model | None = None
        self._queries: OrderedDict[str, QueryVector] = OrderedDict()
        self.query_hits = self.query_misses = 0
        self._warm = False
        self.worked = False
        """Has the model made something of a text yet, in this process?"""
        self._embedding = threading.Lock()
        self._lock = threading.Lock()

    def model(self) -> Model:
        """The model as the store knows it; a model that the store does not know yet is taken up."""
        if self._model is None:
            with self._core.store.read() as view:
                known = {model.name: model for model in view.models()}
            if self.embedder.name not in known:
                measured = calibrate(self.embedder)
                with self._core.store.write(actor=self._core.actor) as edit:
                    model = edit.adopt(
                        self.embedder.name, self.embedder.dim, measured.mean, measured.floor, measured.spread
                    )
                known[self.embedder.name] = model
            self._model = known[self.embedder.name]
        return self._model

    def _look_again(self) -> None:
        """Another process may have dropped the model, by a reindex with another embedder: then it is taken up anew."""
        with self._core.store.read() as view:
            self._still_known(view)

    def _still_known(self, view: View) -> bool:
        if self._model is not None and self._model not in view.models():
            self._model = None
        return self._model is not None

    def query(self, text: str) -> QueryVector:
        """A question as the model sees it; the same question is not computed twice."""
        with self._lock:
            if text in self._queries:
                self._queries.move_to_end(text)
                self.query_hits += 1
                return self._queries[text]
            self.query_misses += 1
        vectors, tokens = self._see([text], query=True)
        seen = QueryVector(vectors[0], tokens[0] if tokens else None)
        with self._lock:
            self._queries[text] = seen
            while len(self._queries) > _REMEMBERED_QUERIES:
                self._queries.popitem(last=False)
        return seen

    def _see(
        self, texts: Sequence[str], *, query: bool = False
    ) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
        """A vector for each text and, of a model that gives them, those of each text's wordpieces."""
        if isinstance(self.embedder, TokenEmbedder) and self.embedder.token_dim:
            seen = self.embedder.embed_tokens(texts, query=query)
        else:
            seen = self.embedder.embed(texts, query=query), list["NDArray[np.float32]"]()
        self.worked = True
        return seen

    def try_out(self) -> None:
        """Has the model read something, so that it is loaded, or fails."""
        self._see(["Is the model there?"], query=True)

    @property
    def remembered_queries(self) -> int:
        return len(self._queries)

    # Completing

    def catch_up(
        self,
        spaces: Sequence[str] | None = None,
        *,
        seconds: float | None = None,
        progress: Progress | None = None,
        stop: threading.Event | None = None,
        where: Filter | None = None,
    ) -> int:
        """Computes missing vectors (of some spaces, or all), for at most some seconds. Answers how many still miss.

        Those alone that a filter lets through, if there is one: who asks for memories does not wait for code.

        Who has a deadline takes the newest first, leaves long texts to others, and waits for nobody beyond it.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        self._look_again()
        model = self.model()
        left = self._count(model, spaces, where)
        done, total = 0, left
        while left and not (stop and stop.is_set()) and (deadline is None or time.monotonic() < deadline):
            if not self._embedding.acquire(timeout=-1 if deadline is None else max(deadline - time.monotonic(), 0.0)):
                break
            try:
                completed = self._complete_batch(model, spaces, stop, deadline, where)
            finally:
                self._embedding.release()
            done += completed
            if deadline is not None and not completed:
                break
            left -= completed
            if left <= 0 or not completed:  # others write and compute too; counting costs as much as is waiting
                left = self._count(model, spaces, where)
            if progress is not None:
                progress(min(done, total), total)
        return left

    def missing(self, spaces: Sequence[str] | None = None, where: Filter | None = None) -> int:
        """How many versions (of some spaces, or all; that a filter lets through) have no vector yet."""
        with self._core.store.read() as view:
            if self._still_known(view):
                return view.waiting(self.model().no, spaces, where=where).count
        return self._count(self.model(), spaces, where)

    def _count(self, model: Model, spaces: Sequence[str] | None, where: Filter | None) -> int:
        with self._core.store.read() as view:
            return view.waiting(model.no, spaces, where=where).count

    def _complete_batch(
        self,
        model: Model,
        spaces: Sequence[str] | None,
        stop: threading.Event | None,
        deadline: float | None,
        where: Filter | None,
    ) -> int:
        with self._core.store.read() as view:
            records = view.waiting(model.no, spaces, _BATCH, where).records
        began, loaded = time.monotonic(), self.worked
        done, vectors = self._see_some(records, stop) if deadline is None else self._see_short(records, stop, deadline)
        if done:
            with self._core.store.write(actor=self._core.actor) as edit:
                edit.put_vectors(model.no, done, vectors)
                if loaded:  # or the time would be that of loading
                    spent = (time.monotonic() - began) / len(done)
                    before = edit.kept(PACE, keys=[model.name]).get(model.name, spent)
                    edit.keep(PACE, {model.name: 0.7 * before + 0.3 * spent})
        return len(done)

    def _see_some(self, records: Sequence[Record], stop: threading.Event | None) -> tuple[list[int], list[Vector]]:
        """The first records, with the vectors of all their pieces; none if it was stopped."""
        pieces = _first_pieces(records)
        vectors = self._embed(pieces, stop) if pieces else None
        return ([], []) if vectors is None else (list(dict.fromkeys(version for version, _ in pieces)), vectors)

    def _see_short(
        self, records: Sequence[Record], stop: threading.Event | None, deadline: float
    ) -> tuple[list[int], list[Vector]]:
        """The short ones of some records, one after another, until the time is up."""
        done: list[int] = []
        vectors: list[Vector] = []
        for record in records:
            pieces = [(record.version, piece) for piece in pieces_of(record)] if len(record.text) < _LONG else []
            if not 0 < len(pieces) <= _BRIEF:
                continue
            began = time.monotonic()
            seen = self._embed(pieces, stop)
            if seen is None:
                break
            done.append(record.version)
            vectors += seen
            if not self._warm:  # the first text loads the model, which is no work on texts
                self._warm, deadline = True, deadline + time.monotonic() - began
            if time.monotonic() > deadline:
                break
        return done, vectors

    def _embed(self, pieces: Sequence[tuple[int, str]], stop: threading.Event | None) -> list[Vector] | None:
        """The vectors of some pieces; None if it was stopped, which it can be between a few of them."""
        parts: list[NDArray[np.float32]] = []
        tokens: list[NDArray[np.float32]] = []
        for start in range(0, len(pieces), _AT_ONCE):
            if stop is not None and stop.is_set():
                return None
            seen, said = self._see([piece for _, piece in pieces[start : start + _AT_ONCE]])
            parts.append(seen)
            tokens += said
        rows = np.concatenate(parts)
        return [
            Vector(version, rows[i], tokens[i] if tokens else None)
            for i, (version, _) in enumerate(pieces)
            if rows[i].any()
        ]


def _first_pieces(records: Sequence[Record]) -> list[tuple[int, str]]:
    """Versions and pieces of the first records, one at least: long ones are not all shown to the model at once."""
    found: list[tuple[int, str]] = []
    for record in records:
        pieces = pieces_of(record)
        if found and len(found) + len(pieces) > _MOST_PIECES:
            break
        found += [(record.version, piece) for piece in pieces]
    return found


def pieces_of(record: Record) -> list[str]:
    """What of a record is shown to the model: its text in pieces, each below the title if there is one."""
    pieces = cut_pieces(record.text)
    return pieces if record.title is None else [f"{record.title}\n{piece}" for piece in pieces]
