"""A memory in a scratch folder, with a clock that a test can set."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

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


@pytest.fixture(scope="session", autouse=True)
def models() -> Iterator[None]:
    """What was loaded for one test stays for the next: a process of tests opens hundreds of memories."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundled, "_MODELS", {})
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
