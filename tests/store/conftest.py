"""Every kind of store, made empty; the conformance suite runs over each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.pgserver import store_url

from recollect.store.base import Store
from recollect.store.postgres import PostgresStore
from recollect.store.sqlite import SqliteStore

MakeStore = Callable[..., Store]
Maker = Callable[[Path, str, Callable[[], datetime]], Store]

STORES: dict[str, Maker] = {
    "postgres": lambda folder, name, clock: PostgresStore(store_url(folder, name), clock),
    "sqlite": lambda folder, name, clock: SqliteStore(folder / f"{name}.db", clock),
}


class Tick:
    """A clock that goes on by a second at every look, unless `step` says otherwise."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.step = timedelta(seconds=1)

    def __call__(self) -> datetime:
        self.now += self.step
        return self.now


@pytest.fixture
def tick() -> Tick:
    return Tick()


@pytest.fixture(params=sorted(STORES))
def make_store(request: pytest.FixtureRequest, tmp_path: Path, tick: Tick) -> Iterator[MakeStore]:
    """Opens a store by name: the same name is the same store, opened once more."""
    opened: list[Store] = []

    def make(name: str = "store") -> Store:
        opened.append(STORES[request.param](tmp_path, name, tick))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    return make_store()
