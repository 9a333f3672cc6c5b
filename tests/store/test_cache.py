"""Does what SQLite keeps in memory shrink when there is less, whoever took it away?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from things import drop_space, erase, put, record, retire, vector

from recollect.engine.core import utc_now
from recollect.store.ops import Fade, FadingRule, Note
from recollect.store.search import Pick
from recollect.store.sqlite import SqliteStore
from recollect.types import Filter, Record

MANY = 300  # more than a small space has


@pytest.fixture
def stores(tmp_path: Path) -> tuple[SqliteStore, SqliteStore]:
    """Two handles of one store, as two processes have them."""
    return SqliteStore(tmp_path / "s.db", utc_now), SqliteStore(tmp_path / "s.db", utc_now)


def fill(store: SqliteStore, space: str) -> list[Record]:
    with store.write() as edit:
        model = edit.adopt("m", 64, bytes(256), 0.1, 0.05)
        records = [put(edit, record(f"r{n}", space=space)) for n in range(MANY)]
        edit.put_vectors(model.no, [one.version for one in records], [vector(one.version) for one in records])
    return records


def search(store: SqliteStore, *spaces: str) -> None:
    with store.read() as view:
        view.near(spaces, view.models()[0].no, vector(0).numbers, Filter(), 10)


def rows(store: SqliteStore) -> list[int]:
    return sorted(len(grown.matrix) for grown in store._shared()._matrices.values())


def test_a_matrix_shrinks_once_a_part_of_it_is_stale(stores: tuple[SqliteStore, SqliteStore]) -> None:
    store, other = stores
    records = fill(store, "a")
    search(store, "a")
    with other.write() as edit:
        for one in records[:20]:
            retire(edit, one, verb="remove")
    search(store, "a")
    assert rows(store) == [MANY]  # a few stale rows cost less than reading all
    with other.write() as edit:
        for one in records[20:100]:
            erase(edit, one)
    search(store, "a")
    assert rows(store) == [MANY - 100]


def test_what_is_kept_of_a_space_goes_with_it(stores: tuple[SqliteStore, SqliteStore]) -> None:
    store, other = stores
    fill(store, "a")
    fill(store, "b")
    search(store, "a", "b")
    assert rows(store) == [MANY, MANY]
    with other.write() as edit:
        drop_space(edit, "a")
    search(store, "b")
    assert rows(store) == [MANY]


def test_what_is_kept_of_a_model_goes_with_it(stores: tuple[SqliteStore, SqliteStore]) -> None:
    store, other = stores
    fill(store, "a")
    search(store, "a")
    with other.write() as edit:
        edit.drop_vectors(None)
        edit.adopt("other", 64, bytes(256), 0.1, 0.05)
    search(store, "a")
    assert rows(store) == [0]


def told(store: SqliteStore, records: list[Record], **filters: object) -> dict[int, float]:
    """The versions of which something is told, and how sure each is."""
    pick = Pick(np.array([one.version for one in records], dtype=np.int64))
    with store.read() as view:
        found = view.signals({"a": pick}, Filter(**filters))["a"]  # pyright: ignore[reportArgumentType]  any field
    return dict(zip(found.versions.tolist(), found.confidence.tolist(), strict=True))


def test_what_is_told_of_versions_is_true_again_after_others_changed_them(
    stores: tuple[SqliteStore, SqliteStore],
) -> None:
    store, other = stores
    first, second, *rest = fill(store, "a")
    assert len(told(store, [first, second, *rest])) == MANY
    with other.write() as edit:
        run = edit.apply([Note(space="a", verb="fade")])[0].entry
        rule = FadingRule(kinds=(second.kind,), unused_since=edit.now, rate=0.5, floor=0.1)
        edit.apply([Fade(run=run, space="a", versions=(second.version,), rule=rule)])
        retire(edit, first, verb="remove")
    after = told(store, [first, second, *rest])
    assert first.version not in after
    assert after[second.version] == second.confidence / 2
    assert len(after) == MANY - 1


def test_what_is_told_of_versions_is_told_to_whom_a_filter_lets_it(stores: tuple[SqliteStore, SqliteStore]) -> None:
    store, _ = stores
    records = fill(store, "a")
    assert len(told(store, records[:50])) == 50
    kind = records[0].kind
    assert not told(store, records, without_kinds=(kind,))
    assert not told(store, records, kinds=("code",))
    assert len(told(store, records, kinds=(kind, "code"))) == MANY
    assert len(told(store, records, sessions=("none",))) == 0
