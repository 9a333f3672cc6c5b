"""A memory in a scratch folder, with a clock that a test can set."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from tests.pgserver import store_of

import recollect
from recollect import Memory, Settings
from recollect.embed import bundled
from recollect.engine.embedding import semantics
from recollect.engine.embedding.semantics import WAIT_SECONDS, Semantics
from recollect.engine.read import recall

# How long a machine takes says nothing of what it computes.
settings.register_profile("untimed", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

_AMPLE = 10.0  # seconds
_ANSWERS = 4_000
_open_session = bundled.open_session
_IN_MEMORY, _ROOM = Path("/dev/shm"), 4 << 30
NOON = datetime(2026, 5, 10, 12, 0, 0, tzinfo=UTC)


def pytest_configure() -> None:
    """Scratch folders are in memory where there is room: a disk takes milliseconds to say that a commit is on it, which
    no test of a process that is killed needs. A `TMPDIR` that somebody has set stays.
    """
    if "TMPDIR" not in os.environ and _IN_MEMORY.is_dir() and shutil.disk_usage(_IN_MEMORY).free > _ROOM:
        os.environ["TMPDIR"] = str(_IN_MEMORY)
        tempfile.tempdir = None


class Clock:
    """Goes on by `step` at every look; a test may also set it."""

    def __init__(self, now: datetime = NOON, step: timedelta = timedelta(milliseconds=1)) -> None:
        self.now = now
        self.step = step

    def __call__(self) -> datetime:
        self.now += self.step
        return self.now

    def advance(self, **by: float) -> datetime:
        self.now += timedelta(**by)
        return self.now


@pytest.fixture(autouse=True)
def unhurried(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recall takes its time on a busy machine, so that what it finds is the same on any, but where a test is
    `hurried`: it asks what is left out when time is short.
    """
    if request.node.get_closest_marker("hurried") is None:
        monkeypatch.setattr(semantics, "_WHOLE", _AMPLE)
        monkeypatch.setattr(semantics, "_SLOW", _AMPLE)
        monkeypatch.setattr(recall, "FEW_SECONDS", _AMPLE)
        monkeypatch.setattr(Semantics, "time_for_vectors", lambda _, wait: _AMPLE if wait == WAIT_SECONDS else wait)
    else:
        monkeypatch.setattr(Remembering, "run", Remembering.run_anew)  # who has little time must need some


class Remembering:
    """A model's session that answers what it was asked before as it did: the same texts are read in many tests."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._ask = lru_cache(_ANSWERS)(self._run)

    def _run(self, outputs: tuple[str, ...] | None, *given: tuple[str, str, tuple[int, ...], bytes]) -> list[Any]:
        inputs = {name: np.frombuffer(data, kind).reshape(shape) for name, kind, shape, data in given}
        return self._session.run(None if outputs is None else list(outputs), inputs)

    def run_anew(self, outputs: Sequence[str] | None, inputs: Mapping[str, Any]) -> list[Any]:
        return self._session.run(outputs, inputs)

    def run(self, outputs: Sequence[str] | None, inputs: Mapping[str, Any]) -> list[Any]:
        given = ((name, one.dtype.str, one.shape, one.tobytes()) for name, one in inputs.items())
        return [one.copy() for one in self._ask(None if outputs is None else tuple(outputs), *given)]


@pytest.fixture(scope="session", autouse=True)
def models() -> Iterator[None]:
    """What was loaded for one test stays for the next, and what it answered: a process of tests opens hundreds of
    memories, and each measures the model that it takes up on the same texts.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundled, "_MODELS", {})
        patch.setattr(bundled, "open_session", lambda path: Remembering(_open_session(path)))
        yield


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def open_memory(tmp_path: Path, clock: Clock) -> Iterator[Callable[..., Memory]]:
    """Opens the scratch store as often as asked; everything is closed at the end."""
    opened: list[Memory] = []
    numbers = count(1)

    def make(*, embedder: str = "none", home: Path | None = None, **more: object) -> Memory:
        home = home or tmp_path / "home"
        settings = Settings(home=home, store=store_of(home), embedder=embedder, embed_threads=1, embed_delay=600.0)
        chosen: dict[str, object] = {"clock": clock, "new_id": lambda: f"r{next(numbers):04}", **more}
        opened.append(recollect.open(settings=settings, **chosen))  # type: ignore[arg-type]  # passed on as given
        return opened[-1]

    yield make
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    """A memory that searches by keywords alone."""
    return open_memory()


@pytest.fixture
def semantic(open_memory: Callable[..., Memory]) -> Memory:
    """A memory with the bundled model."""
    return open_memory(embedder="bundled")
