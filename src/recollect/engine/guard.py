"""How is a memory kept to what somebody may see and do?

A guarded store stands before the real one and hands out guarded views: of a space that a grant does not name there is
nothing, no record, no name, no entry and no count. So every use case, and every contract over it, is kept to the grant
without knowing of it. What reaches past the store (files, models, counts of what was recalled) is guarded here as well.
What is not known here is refused.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, MutableMapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from msgspec.structs import replace

from recollect.engine.core import Core
from recollect.engine.embedding.semantics import Behind, EmbeddingState, Ready, Semantics
from recollect.engine.grant import Grant, Scope
from recollect.engine.intake.methods import Indexing
from recollect.engine.memory import Memory
from recollect.engine.read.foremost import Foremost
from recollect.engine.read.unasked import Unasked
from recollect.engine.write.touches import Touched, Touches
from recollect.errors import Forbidden
from recollect.store import ops
from recollect.store.base import (
    Acts,
    Changes,
    Due,
    Edit,
    Entities,
    Extent,
    Lexis,
    Relations,
    Sessions,
    Shelf,
    Site,
    Store,
    Turn,
    Unsealed,
    View,
)
from recollect.store.ops import Done, Op
from recollect.types import DEFAULT_SPACE, Act, Change, Filter, Space

if TYPE_CHECKING:
    from recollect.engine.care.dream import Dream
    from recollect.engine.embedding.vectors import Progress, Vectors

OWNERS = (
    "ingest_file", "ingest_folder", "ingest_project", "ingest_transcript", "is_transcript", "ingest_repo",
    "index_project", "capture", "capture_said", "seen_from", "claim_project",
    "backup", "export", "import_", "sync",
)  # fmt: skip
"""What reads or writes files of the machine that the memory is on: for its owner alone."""
OF_ALL = ("spending",)
"""What tells of all spaces together: for whoever sees all of them."""
WHOLE_STORE = ("adopt", "put_vectors", "drop_vectors", "rebuild")
"""What concerns all spaces at once."""
_TOLD = frozenset({"index", "pace", "erased", "answers", "paused"})
"""Shelves of the whole store that tell nothing of any space; an answer is found by who has its key alone."""
_COUNTED_ON = _TOLD | {"counters", "ledger", "slots", "loose answers"}
"""What a change adds to, whoever makes it, and which is not shown."""


def guarded(memory: Memory, grant: Grant) -> Memory:
    """The same memory, as far as a grant reaches."""
    core = memory.core
    other = GuardedMemory.__new__(GuardedMemory)
    other.__dict__.update(memory.__dict__)
    other.core = Core(
        _GuardedStore(core.store, grant), core.settings, actor=core.actor, clock=core.clock, new_id=core.new_id
    )
    other.core.on_write, other.core.client, other.core.eyes = core.on_write, grant.id, core.eyes
    other.core.known_as, other.core.by_hand = grant.name or None, False
    other.semantics = cast("Semantics", _GuardedSemantics(memory.semantics, grant))
    other.touches = cast("Touches", _GuardedTouches(memory.touches, grant))
    other.asked = cast("dict[str, datetime]", _GuardedAsked(memory.asked, grant))
    other.grant = grant
    other._foremost = Foremost(other.core)  # pyright: ignore[reportPrivateUsage]  it keeps what its store shows
    other._indexing = Indexing()  # pyright: ignore[reportPrivateUsage]
    return other


class GuardedMemory(Memory):
    """A memory that somebody else than its owner works on."""

    grant: Grant

    def close(self) -> None:
        """It is not theirs to close."""

    def __getattribute__(self, name: str) -> Any:
        if name in OWNERS:
            raise Forbidden("this reaches files of the machine, for its owner alone; hand in the text itself")
        if name in OF_ALL:
            _require_all(super().__getattribute__("grant"))
        return super().__getattribute__(name)

    def dream(self, space: str = DEFAULT_SPACE, **named: Any) -> Dream:
        if not named.get("dry_run"):
            _require_scope(self.grant, "write")
        return super().dream(space, **named)

    @property
    def unasked(self) -> Unasked:
        return cast("Unasked", _GuardedUnasked(super().unasked, self.grant))


def _require_all(grant: Grant) -> None:
    if grant.spaces is not None or not grant.allows("admin"):
        raise Forbidden("this concerns all spaces, and is for whoever sees all of them with the scope admin")


def _require_scope(grant: Grant, scope: Scope) -> None:
    if not grant.allows(scope):
        raise Forbidden(f"this token may not {_DOES[scope]}; its scope is {grant.scope}", scope=scope)


_DOES: Mapping[Scope, str] = {"read": "read", "write": "write", "admin": "drop a space"}


_SHARED = (
    "reranker", "reranker_if_open", "reranker_within", "open_together", "read_by", "time_for_vectors", "answers",
    "warm", "can_embed", "problem", "problems", "wanted", "go_on", "resume", "precedence", "proven", "awake", "see",
    "patient",
)  # fmt: skip


class _GuardedSemantics:
    """The models of a memory. They are shared by all; how much waits for them is told of the grant's spaces alone."""

    def __init__(self, semantics: Semantics, grant: Grant) -> None:
        self._semantics = semantics
        self._grant = grant

    def __getattr__(self, name: str) -> Any:
        if name in _SHARED:
            return getattr(self._semantics, name)
        raise AttributeError(name)

    def load(self) -> Vectors | None:
        return self._guard(self._semantics.load())

    @property
    def loaded(self) -> Vectors | None:
        return self._guard(self._semantics.loaded)

    def _guard(self, vectors: Vectors | None) -> Vectors | None:
        return None if vectors is None else cast("Vectors", _GuardedVectors(vectors, self._grant))

    def ready(
        self,
        spaces: Sequence[str] | None,
        wait: float,
        promising: Callable[[], Sequence[int]],
        where: Filter | None = None,
        began: float | None = None,
    ) -> Ready:
        found = self._semantics.ready(_seen(self._grant, spaces), wait, promising, _narrow(self._grant, where), began)
        return replace(found, vectors=self._guard(found.vectors))

    def ready_already(self, view: View, spaces: Sequence[str] | None) -> Ready | None:
        found = self._semantics.ready_already(view, _seen(self._grant, spaces))
        return None if found is None else replace(found, vectors=self._guard(found.vectors))

    def behind(self, where: Filter) -> Behind:
        narrow = _narrow(self._grant, where)
        return Behind(0) if narrow is None else self._semantics.behind(narrow)

    def state(self) -> EmbeddingState:
        """How often others asked the same is not told."""
        state = self._semantics.state()
        return state if self._grant.spaces is None else replace(state, hits=0, misses=0, size=0)


class _GuardedUnasked:
    """What sessions would be given of the grant's spaces. To give or to steer it is for who sees all of them."""

    def __init__(self, unasked: Unasked, grant: Grant) -> None:
        self._unasked = unasked
        self._grant = grant

    def __getattr__(self, name: str) -> Any:
        if name not in ("preview", "steering", "paused_until"):
            _require_all(self._grant)
        return getattr(self._unasked, name)


class _GuardedVectors:
    """The vectors of a model, of the spaces of a grant."""

    def __init__(self, vectors: Vectors, grant: Grant) -> None:
        self._vectors = vectors
        self._grant = grant

    def __getattr__(self, name: str) -> Any:
        if name in ("embedder", "model", "query", "worked", "is_taken_up"):
            return getattr(self._vectors, name)
        raise AttributeError(name)

    def catch_up(
        self,
        spaces: Sequence[str] | None = None,
        *,
        seconds: float | None = None,
        progress: Progress | None = None,
        stop: threading.Event | None = None,
    ) -> int:
        return self._vectors.catch_up(_seen(self._grant, spaces), seconds=seconds, progress=progress, stop=stop)

    def missing(self, spaces: Sequence[str] | None = None, where: Filter | None = None) -> int:
        narrow = _narrow(self._grant, where)
        if where is not None and narrow is None:
            return 0
        return self._vectors.missing(_seen(self._grant, spaces), narrow)


class _GuardedTouches:
    """Counts that what a grant sees was recalled."""

    def __init__(self, touches: Touches, grant: Grant) -> None:
        self._touches = touches
        self._grant = grant

    def add(self, touched: Touched) -> None:
        self._touches.add(key for key in touched if self._grant.sees(key[0]))

    def add_later(self, judge: Callable[[], Touched]) -> None:
        self._touches.add_later(lambda: [key for key in judge() if self._grant.sees(key[0])])

    def flush(self) -> None:
        self._touches.flush()


class _GuardedAsked(MutableMapping[str, datetime]):
    """When the spaces of a grant were last asked something."""

    def __init__(self, asked: dict[str, datetime], grant: Grant) -> None:
        self._asked = asked
        self._grant = grant

    def __getitem__(self, space: str) -> datetime:
        if not self._grant.sees(space):
            raise KeyError(space)
        return self._asked[space]

    def __setitem__(self, space: str, at: datetime) -> None:
        if self._grant.sees(space):
            self._asked[space] = at

    def __delitem__(self, space: str) -> None:
        raise KeyError(space)

    def __iter__(self) -> Iterator[str]:
        return iter([space for space in tuple(self._asked) if self._grant.sees(space)])

    def __len__(self) -> int:
        return len(list(iter(self)))


def _seen(grant: Grant, spaces: Sequence[str] | None) -> Sequence[str] | None:
    """Those of some spaces (None: of all) that a grant sees; None where that is every space there is."""
    return grant.spaces if spaces is None else [space for space in spaces if grant.sees(space)]


def _narrow(grant: Grant, where: Filter | None) -> Filter | None:
    """The filter within what is seen; None where nothing of it is."""
    if where is None or grant.spaces is None:
        return where
    spaces = tuple(space for space in where.spaces if grant.sees(space)) if where.spaces else grant.spaces
    return replace(where, spaces=spaces) if spaces else None


class _GuardedStore:
    """A store as far as a grant reaches."""

    def __init__(self, store: Store, grant: Grant) -> None:
        self._store = store
        self._grant = grant
        self.on_commit = store.on_commit

    @property
    def site(self) -> Site:
        about = self._store.site
        return about if self._grant.spaces is None else replace(about, notes=())

    @contextmanager
    def read(self) -> Generator[View]:
        with self._store.read() as view:
            yield cast("View", _GuardedView(view, self._grant))

    @contextmanager
    def write(self, *, actor: str | None = None, patience: float | None = None) -> Generator[Edit]:
        _require_scope(self._grant, "write")
        with self._store.write(actor=actor, patience=patience) as edit:
            yield cast("Edit", _GuardedEdit(edit, self._grant))

    def joined(self, *, in_steps: bool = False, of: Mapping[str, int] | None = None) -> AbstractContextManager[object]:
        return self._store.joined(in_steps=in_steps, of=of)

    def turn(self, *names: str, stop: threading.Event | None = None) -> Turn:
        return self._store.turn(*names, stop=stop)

    def follow(self, after: int, seconds: float, *, limit: int = 1000) -> list[Change]:
        until = time.monotonic() + seconds
        while changes := self._store.follow(after, max(until - time.monotonic(), 0.0), limit=limit):
            seen = [change for change in changes if self._grant.sees(change.space)]
            if seen:
                return seen
            after = changes[-1].entry
        return []

    def check(self) -> Iterator[str]:
        _require_all(self._grant)
        return self._store.check()

    def settle(self, what: Extent = "some") -> bool:
        if what == "all":
            _require_all(self._grant)
        return self._store.settle(what)

    def size(self) -> int:
        """Of all of it; how much of that is in some spaces is not known, and 0 is said to whoever sees only those."""
        return self._store.size() if self._grant.spaces is None else 0

    def close(self) -> None:
        """It is not theirs to close."""


class _GuardedView:
    """A look at the spaces of a grant."""

    def __init__(self, view: View, grant: Grant) -> None:
        self._view: Any = view
        self._grant = grant

    def __getattr__(self, name: str) -> Any:
        if name in ("now", "models", "terms", "tend", "together", "roles"):
            return getattr(self._view, name)
        raise AttributeError(name)

    def _seen(self, spaces: Sequence[str]) -> list[str]:
        return [space for space in spaces if self._grant.sees(space)]

    def spaces(self, names: Sequence[str] | None = None, **named: Any) -> list[Space]:
        return [space for space in self._view.spaces(names, **named) if self._grant.sees(space.name)]

    def get(self, type_: Any, space: str, id: str, *more: Any, **named: Any) -> Any:
        return self._view.get(type_, space, id, *more, **named) if self._grant.sees(space) else None

    def select(self, shape: Any, where: Filter, *more: Any, **named: Any) -> list[Any]:
        narrow = _narrow(self._grant, where)
        return [] if narrow is None else self._view.select(shape, narrow, *more, **named)

    def count(
        self, where: Filter | Entities | Relations | Sessions | Unsealed | Changes, *by: Any, **named: Any
    ) -> Any:
        nothing: Any = [] if by or "by" in named else 0
        if isinstance(where, Changes):
            seen = self._grant.spaces is None or (where.space is not None and self._grant.sees(where.space))
            return self._view.count(where, *by, **named) if seen else nothing
        if isinstance(where, Unsealed):
            return self._view.count(where) if self._grant.spaces is None else 0
        if not isinstance(where, Filter):
            inside = self._where(where)
            return 0 if inside is None else self._view.count(inside)
        narrow = _narrow(self._grant, where)
        return nothing if narrow is None else self._view.count(narrow, *by, **named)

    def entities(self, where: Entities, **named: Any) -> list[Any]:
        narrow = self._where(where)
        return [] if narrow is None else self._view.entities(narrow, **named)

    def _where(self, where: Entities | Relations | Sessions) -> Entities | Relations | Sessions | None:
        """What is asked of a space that is seen, or of those of several that are; None where there is none."""
        if isinstance(where, Entities) and where.among is not None:
            seen = tuple(self._seen(where.among))
            return replace(where, among=seen) if seen else None
        return where if self._grant.sees(where.space) else None

    def relations(self, shape: Any, where: Relations, **named: Any) -> list[Any]:
        return self._view.relations(shape, where, **named) if self._grant.sees(where.space) else []

    def journal(
        self, where: Changes | Acts | None = None, *, newest_first: bool = False, limit: int = 1000
    ) -> list[Any]:  # fmt: skip
        asked = where or Changes()
        if self._grant.spaces is None:
            return self._view.journal(asked, newest_first=newest_first, limit=limit)
        spaces = self._grant.spaces if asked.space is None else self._seen([asked.space])
        found: list[Change | Act] = []
        for space in spaces:
            found += self._view.journal(replace(asked, space=space), newest_first=newest_first, limit=limit)
        found.sort(key=lambda one: one.entry, reverse=newest_first)
        return found[:limit]

    def kept(self, shelf: Shelf[Any], *, space: str | None = None, keys: Sequence[str] | None = None) -> dict[str, Any]:
        return self._view.kept(shelf, space=space, keys=keys) if self._shows(shelf, space, _TOLD) else {}

    def _shows(self, shelf: Shelf[Any], space: str | None, open_: frozenset[str]) -> bool:
        if space is not None:
            return self._grant.sees(space)
        return shelf.name in open_ or (self._grant.spaces is None and self._grant.allows("admin"))

    def due(self, space: str, rule: Any) -> Due:
        return self._view.due(space, rule) if self._grant.sees(space) else Due()

    def words(self, spaces: Sequence[str], *more: Any, **named: Any) -> Any:
        return self._view.words(self._seen(spaces), *more, **named)

    def near(self, spaces: Sequence[str], *more: Any, **named: Any) -> Any:
        return self._view.near(self._seen(spaces), *more, **named)

    def signals(self, picks: Mapping[str, Any], *more: Any, **named: Any) -> Any:
        seen = {space: pick for space, pick in picks.items() if self._grant.sees(space)}
        return self._view.signals(seen, *more, **named)

    def pairs(self, space: str, *more: Any) -> Any:
        return self._view.pairs(space, *more) if self._grant.sees(space) else []

    def mentions(self, space: str, names: Sequence[Any], *more: Any, **named: Any) -> Any:
        if not self._grant.sees(space):
            return {name: list[int]() for name in names}
        return self._view.mentions(space, names, *more, **named)

    def names(self, spaces: Sequence[str], *more: Any, **named: Any) -> Any:
        return self._view.names(self._seen(spaces), *more, **named)

    def waiting(self, model: int | None, spaces: Sequence[str] | None = None, *more: Any, **named: Any) -> Any:
        return self._view.waiting(model, _seen(self._grant, spaces), *more, **named)


class _GuardedEdit(_GuardedView):
    """A transaction in the spaces of a grant."""

    def __getattr__(self, name: str) -> Any:
        if name in WHOLE_STORE:
            _require_all(self._grant)
            return getattr(self._view, name)
        return super().__getattr__(name)

    def apply(self, wanted: Sequence[Op]) -> list[Done]:
        for op in wanted:
            self._check(op)
        return self._view.apply(wanted)

    def keep(
        self, shelf: Shelf[Any], items: Mapping[str, Any], *, space: str | None = None, only: bool = False
    ) -> None:
        if space is not None:
            self._require(space)
        elif not self._shows(shelf, None, _COUNTED_ON):
            _require_all(self._grant)
        self._view.keep(shelf, items, space=space, only=only)

    def kept(self, shelf: Shelf[Any], *, space: str | None = None, keys: Sequence[str] | None = None) -> dict[str, Any]:
        """What is counted in all spaces is counted on from what it is."""
        return self._view.kept(shelf, space=space, keys=keys) if self._shows(shelf, space, _COUNTED_ON) else {}

    def touch(self, touches: Mapping[tuple[str, str], int], at: Any) -> None:
        self._view.touch({key: times for key, times in touches.items() if self._grant.sees(key[0])}, at)

    def relink(self, version: int, lexis: Lexis) -> None:
        if self.select(int, Filter(versions=(version,), past=True, valid_only=False)):
            self._view.relink(version, lexis)

    def _check(self, op: Op) -> None:
        match op:
            case ops.Put() | ops.Retire() | ops.EraseThing():
                self._require(op.thing.space)
            case ops.Rewrite():
                self._require(op.record.space)
            case ops.PutSpace():
                self._require(op.space.name)
            case ops.DropSpace() | ops.Thin():
                self._require(op.space if isinstance(op, ops.Thin) else op.name)
                _require_scope(self._grant, "admin")
            case ops.Erase():
                for space in op.where.spaces or ("",):
                    self._require(space)
            case ops.Note() | ops.PutMessages() | ops.Fade() | ops.Unfade() | ops.Evict() | ops.Unsay():
                self._require(op.space)
            case ops.Sweep():
                return  # it ends what was evicted before, wherever that was
            case _:  # pyright: ignore[reportUnnecessaryComparison]  one that is added later is not let through unseen
                _require_all(self._grant)

    def _require(self, space: str) -> None:
        if not self._grant.sees(space):
            reached = ", ".join(self._grant.spaces or ())
            raise Forbidden(f"this token does not reach the space {space!r}; it reaches: {reached}")
