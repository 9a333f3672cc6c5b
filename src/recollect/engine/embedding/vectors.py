"""How do records get their vectors, and questions theirs?

Vectors are derived. They are computed in the background after a write; a question that comes sooner has what promises
most computed first, as far as there is time, so that what was just stored is found. Nothing here runs before it is
needed.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from msgspec import Struct

from recollect.embed.base import Embedder, TokenEmbedder
from recollect.embed.calibrate import calibrate
from recollect.engine.core import Core, records_of
from recollect.engine.embedding.pace import PACE, Lately, blend
from recollect.engine.embedding.precedence import Precedence
from recollect.engine.known import note_embedded
from recollect.engine.sight import Sight
from recollect.errors import StoreBusy
from recollect.ingest.face import face_of
from recollect.ingest.pieces import called, cut_pieces
from recollect.store.base import View
from recollect.store.search import Model, Vector
from recollect.types import Filter, Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BATCH = 32  # records that are written together
_MOST_PIECES = 64  # of a batch that has more than one record
_MOST_BEGUN = 128  # texts that are kept in mind between two steps
_FAR, _HERE = 16, 4  # pieces of one step of the background: by a server's model, by one on this machine
_IN_A_HURRY = 2  # pieces of one step while somebody waits
_LONG_STEP = 1_000  # characters of a step that a model on this machine takes: long pieces go two by two, or one by one
_EACH = 150  # characters that the model could have read in the time that a piece takes however short it is
_LONG = 4_000  # characters; longer texts come last while somebody waits
_LEAST_PATIENCE = 0.02  # seconds that writing may wait for others, however late it is
_MOST_WRITING = 0.06  # seconds that are left for writing at most: on a slow disk there is time for the model, too
_REMEMBERED_QUERIES = 512  # 7 kB each: a service has many who ask

Progress = Callable[[int, int], None]


class QueryVector(Struct, frozen=True, eq=False):
    """A question as the model sees it: its vector (zeros: unreadable) and, of some models, those of its wordpieces."""

    vector: NDArray[np.float32]
    tokens: NDArray[np.float32] | None = None


class Sighted(Protocol):
    """What sees questions: a model, and what came of each."""

    def model(self) -> Model: ...
    def query(self, text: str) -> QueryVector: ...


class _Begun:
    """A text that is shown to the model piece by piece: its pieces, and what came of the first of them."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self.pieces = pieces
        self.seen: list[tuple[NDArray[np.float32], NDArray[np.float32] | None]] = []

    @property
    def left(self) -> int:
        return len(self.pieces) - len(self.seen)


class Vectors:
    """The embedder's side of a memory: the model, and the vectors that queries already have."""

    def __init__(self, core: Core, embedder: Embedder, precedence: Precedence | None = None) -> None:
        self._core = core
        self._precedence = precedence or Precedence()
        self.embedder = embedder
        self._by_token = embedder if isinstance(embedder, TokenEmbedder) else None
        self._model: Model | None = None
        self._queries: OrderedDict[str, QueryVector] = OrderedDict()
        self.query_hits = self.query_misses = 0
        self._at_once = _FAR if getattr(embedder, "remote", False) else _HERE
        self._begun: dict[int, _Begun] = {}
        self._pace, self._writing = Lately(), Lately()
        self._warm = False
        self.worked = False
        """Has the model made something of a text yet, in this process?"""
        self.seconds, self.texts = 0.0, 0
        """So long the model has worked, and on so many texts."""
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

    def is_taken_up(self) -> bool:
        """Does the store know the model?"""
        if self._model is not None:
            return True
        with self._core.store.read() as view:
            return any(model.name == self.embedder.name for model in view.models())

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
        began = time.monotonic()
        if self._by_token is not None and self._by_token.token_dim:
            seen = self._by_token.embed_tokens(texts, query=query)
        else:
            seen = self.embedder.embed(texts, query=query), list["NDArray[np.float32]"]()
        self.worked = True
        with self._lock:
            self.seconds += time.monotonic() - began
            self.texts += len(texts)
        return seen

    def see(self, record: Record, seconds: float) -> Sight | None:
        """A record as the model sees its beginning, where that takes no longer than some seconds. It is not kept: until
        the background has come to it, a record waits for its vector as the others of its time do.
        """
        piece = pieces_of(record)[0]
        left = seconds - self._pace.most * (len(piece) + _EACH)
        if not self._warm or self._model is None:
            return None
        if left <= 0 or not self._embedding.acquire(timeout=left):
            self._pace.doubt()
            return None
        try:
            [vector] = self._see([piece])[0]
        finally:
            self._embedding.release()
        return Sight(self._model, vector) if vector.any() else None

    def try_out(self) -> None:
        """Has the model read something, so that it is loaded, or fails."""
        self._see(["Is the model there?"], query=True)

    @property
    def remembered_queries(self) -> int:
        return len(self._queries)

    # Completing

    @property
    def is_warm(self) -> bool:
        """Is the model loaded, and known to the store?"""
        return self._warm

    def warm(self) -> None:
        """Has the model loaded and known to the store, which takes its time once and is no work on texts."""
        if not self._warm:
            self.model()
            self.try_out()
            self._warm = True

    def catch_up(
        self,
        spaces: Sequence[str] | None = None,
        *,
        seconds: float | None = None,
        progress: Progress | None = None,
        stop: threading.Event | None = None,
    ) -> int:
        """Computes all missing vectors (of some spaces, or all), step by step. Answers how many still miss.

        Records come before documents and documents before code, the newest of each first, and of a few the shortest
        where there are only some `seconds`; between two steps whoever is being answered goes first.
        """
        self._look_again()
        model = self.model()
        left = self._count(model, spaces)
        done, total = 0, left
        deadline = None if seconds is None else time.monotonic() + seconds
        while left and not (stop and stop.is_set()) and (deadline is None or time.monotonic() < deadline):
            completed = self._complete_batch(model, spaces, stop, deadline)
            if completed is None:
                return left
            done += completed
            left -= completed
            if left <= 0 or not completed:  # others write and compute too; counting costs as much as is waiting
                left = self._count(model, spaces)
            if progress is not None:
                progress(min(done, total), total)
        if not left and spaces is None:
            with self._lock:
                self._begun.clear()  # others have written what is left of it
        if not left:
            note_embedded(self._core, spaces)
        return left

    def hurry(
        self, spaces: Sequence[str] | None, first: Sequence[int], deadline: float, where: Filter | None = None
    ) -> int:
        """Computes what promises most, until a moment of the monotonic clock. Answers how many versions still miss.

        `first` are versions in the order in which they are wanted; then come those that `catch_up` would begin with.
        Long texts come last and go on where the last one who was in a hurry left them. Nobody is waited for: what
        cannot be written in time is kept for the next who writes, and room is left for as long as writing took lately.
        """
        self._look_again()
        model = self.model()
        done: list[int] = []
        until = deadline - min(self._writing.most, _MOST_WRITING)
        with self._core.store.read() as view:
            wanted = view.waiting(model.no, spaces, len(first), among=first).versions if first else ()
            waiting = view.waiting(model.no, spaces, _BATCH, where)
            self._forget_written(view, model)
            order = dict.fromkeys([*sorted(wanted, key=list(first).index), *waiting.versions])
            postponed: list[Record] = []
            for record in (one for version in order for one in records_of(view, [version])):
                if len(record.text) > _LONG:
                    postponed.append(record)
                elif self._finish(record, until):
                    done.append(record.version)
                else:
                    break
        done += [record.version for record in postponed if self._finish(record, until)]
        began = time.monotonic()
        if not done or began > deadline:
            return waiting.count
        written = self._write(model, done, patience=max(until - began, _LEAST_PATIENCE))
        self._writing.note(time.monotonic() - began)
        return waiting.count - written

    def _forget_written(self, view: View, model: Model) -> None:
        """Others may have written what was begun here; once there is much of it, that is looked for."""
        begun = tuple(self._begun)
        if len(begun) < _BATCH:
            return
        left = set(view.waiting(model.no, None, len(begun), among=begun).versions)
        with self._lock:
            for version in begun:
                if version not in left:
                    self._begun.pop(version, None)

    def are_complete(self, view: View, spaces: Sequence[str] | None) -> bool:
        """Is the model loaded, and has every version of some spaces its vectors?"""
        if not self._warm or not self._still_known(view):
            return False
        return not view.waiting(self.model().no, spaces).count

    def missing(self, spaces: Sequence[str] | None = None, where: Filter | None = None) -> int:
        """How many versions (of some spaces, or all; that a filter lets through) have no vector yet."""
        with self._core.store.read() as view:
            if self._still_known(view):
                return view.waiting(self.model().no, spaces, where=where).count
        return self._count(self.model(), spaces, where)

    def _count(self, model: Model, spaces: Sequence[str] | None, where: Filter | None = None) -> int:
        with self._core.store.read() as view:
            return view.waiting(model.no, spaces, where=where).count

    def _complete_batch(
        self, model: Model, spaces: Sequence[str] | None, stop: threading.Event | None, deadline: float | None
    ) -> int | None:
        """The next few records, with all their pieces; none if it was stopped, by a deadline those that have all. None
        where nothing that waits can be read: in a damaged store that is of no space.
        """
        with self._core.store.read() as view:
            waiting = view.waiting(model.no, spaces, _BATCH).versions
            records = records_of(view, waiting)
        if waiting and not records:
            return None
        if deadline is not None:
            records.sort(key=lambda record: len(record.text))
        spent, loaded = 0.0, self.worked
        begun: dict[int, _Begun] = {}
        for record in records:
            begun[record.version] = self._begin(record)
            if sum(one.left for one in begun.values()) > _MOST_PIECES:
                break
        while not (stop and stop.is_set()):
            if deadline is not None and time.monotonic() >= deadline:
                return self._write(model, [version for version, one in begun.items() if not one.left])
            with self._embedding:
                began = time.monotonic()
                if not self._step(list(begun.values()), self._at_once):
                    return self._write(model, list(begun), spent=spent if loaded else None)
                spent += time.monotonic() - began
            self._precedence.give_way()
        return 0

    def _begin(self, record: Record) -> _Begun:
        """What is known of a record's pieces, so far."""
        begun = self._begun.get(record.version) or _Begun(pieces_of(record))
        with self._lock:
            self._begun[record.version] = begun
            while len(self._begun) > _MOST_BEGUN:
                self._begun.pop(next(iter(self._begun)))
        return begun

    def _finish(self, record: Record, deadline: float) -> _Begun | None:
        """Computes pieces of one record as long as there is time; None while it has not all.

        Another thread may have written them by then, and may even have begun anew.
        """
        begun = self._begin(record)
        while begun.left:
            left = deadline - self._pace.most * _work_of(self._next([begun], _IN_A_HURRY)) - time.monotonic()
            if left <= 0 or not self._embedding.acquire(timeout=left):
                self._pace.doubt()
                return None
            try:
                self._step([begun], _IN_A_HURRY)
            finally:
                self._embedding.release()
        return begun

    def _step(self, begun: Sequence[_Begun], most: int) -> int:
        """Shows the next few pieces of some texts to the model; answers how many there were."""
        began = time.monotonic()
        some = self._next(begun, most)
        if some:
            rows, tokens = self._see([piece for _, piece in some])
            for at, (one, _) in enumerate(some):
                one.seen.append((rows[at], tokens[at] if tokens else None))
            self._pace.note((time.monotonic() - began) / _work_of(some))
        return len(some)

    def _next(self, begun: Sequence[_Begun], most: int) -> list[tuple[_Begun, str]]:
        """The pieces of the next step: fewer where they are long, so that whoever waits for its end waits no longer."""
        some = [(one, piece) for one in begun for piece in one.pieces[len(one.seen) :][:most]][:most]
        if most == _FAR:
            return some  # a server takes as long for one as for many
        length = count = 0
        for _, piece in some:
            length += len(piece)
            if count and length > _LONG_STEP * most / _IN_A_HURRY:
                break
            count += 1
        return some[:count]

    def _write(
        self, model: Model, versions: Sequence[int], *, patience: float | None = None, spent: float | None = None
    ) -> int:
        """Writes the vectors of versions that have all of theirs; answers how many versions that were.

        With patience, nothing is written while others write for longer than that. How many seconds were spent on
        them is kept as the model's pace, without what others took meanwhile.
        """
        found = [(version, one) for version in versions if (one := self._begun.get(version)) is not None]
        vectors = [Vector(version, *seen) for version, one in found for seen in one.seen if seen[0].any()]
        if found:
            try:
                with self._core.store.write(actor=self._core.actor, patience=patience) as edit:
                    edit.put_vectors(model.no, [version for version, _ in found], vectors)
                    if spent:
                        before = edit.kept(PACE, keys=[model.name]).get(model.name)
                        edit.keep(PACE, {model.name: blend(before, spent / len(found))})
            except StoreBusy:
                if patience is None:
                    raise
                return 0
        with self._lock:
            for version, _ in found:
                self._begun.pop(version, None)
        return len(found)


def _work_of(some: Sequence[tuple[_Begun, str]]) -> int:
    """How much pieces ask of the model, in characters."""
    return sum(len(piece) + _EACH for _, piece in some)


def pieces_of(record: Record) -> list[str]:
    """What of a record is shown to the model: its text in pieces, each below the title that it is found by, if any.

    Of code its face comes first: what its name, its place and its comment say.
    """
    pieces = cut_pieces(record.text)
    heading = called(record)
    pieces = pieces if heading is None else [f"{heading}\n{piece}" for piece in pieces]
    if record.kind != "code":
        return pieces
    face = face_of(record.title or "", str((record.locator or {}).get("path", "")), record.text)
    return [face, *pieces] if face else pieces
