"""Does what SQLite keeps in memory shrink when there is less, whoever took it away?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from things import drop_space, erase, put, record, retire, vector

from recollect.engine.core import utc_now
from recollect.store.ops import Fade, FadingRule, Lexis, Note
from recollect.store.search import Findings, Pick, Vector
from recollect.store.sqlite import SqliteStore
from recollect.store.sqlite.cache import Blobs, Halves
from recollect.types import Filter, Record

MANY = 300  # more than a small space has


@pytest.fixture
def stores(tmp_path: Path) -> tuple[SqliteStore, SqliteStore]:
    """Two handles of one store, as two processes have them."""
    return SqliteStore(tmp_path / "s.db", utc_now), SqliteStore(tmp_path / "s.db", utc_now)


def seen(version: int) -> Vector:
    return vector(version, version % 64, (version * 7) % 64, tokens=2)


def fill(store: SqliteStore, space: str) -> list[Record]:
    with store.write() as edit:
        model = edit.adopt("m", 64, bytes(256), 0.1, 0.05)
        records = [put(edit, record(f"r{n}", space=space)) for n in range(MANY)]
        edit.put_vectors(model.no, [one.version for one in records], [seen(one.version) for one in records])
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


def test_what_is_kept_of_single_vectors_goes_once_a_part_of_a_matrix_is_stale(
    stores: tuple[SqliteStore, SqliteStore],
) -> None:
    store, other = stores
    records = fill(store, "a")
    asked = Pick(np.array([one.version for one in records[50:]], dtype=np.int64))

    def told_by_vectors(of: SqliteStore) -> list[list[float]]:
        search(of, "a")
        question = seen(7)
        with of.read() as view:
            model = view.models()[0].no
            found = view.signals({"a": asked}, None, model=model, vector=question.numbers, tokens=question.tokens)["a"]
        assert found.late is not None
        return [np.nan_to_num(one, nan=-2.0).tolist() for one in (found.cosine, found.late.worth, found.late.best)]

    assert told_by_vectors(store) == told_by_vectors(other)
    kept = store._shared().halves(1, 64)
    assert len(kept._held[0]) == MANY - 50
    with other.write() as edit:
        for one in records[100:200]:
            erase(edit, one)
    assert told_by_vectors(store) == told_by_vectors(other)
    assert (len(kept._held[0]), kept._held[1].shape) == (MANY - 150, (MANY - 150, 64))
    assert len(store._shared().tokens._kept) == MANY - 150


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


def test_what_was_asked_for_in_parts_is_told_as_what_is_asked_for_at_once(
    stores: tuple[SqliteStore, SqliteStore],
) -> None:
    store, other = stores
    lexis = [Lexis({n % 7 + 1: n % 3 + 1, 100 + n: 2}, ()) for n in range(MANY)]
    with store.write() as edit:
        made = [record(f"r{n}", space="a", session=f"s{n // 5}", position=n % 5) for n in range(MANY)]
        versions = [put(edit, one, some).version for one, some in zip(made, lexis, strict=True)]
    terms = (1, 3, 107)

    def ask(of: SqliteStore, some: Sequence[int]) -> Findings:
        with of.read() as view:
            return view.signals({"a": Pick(np.array(some, dtype=np.int64))}, Filter(), terms=terms)["a"]

    for part in (versions[200:], versions[50:230], versions[:1]):
        ask(store, part)
    kept, fresh = ask(store, versions), ask(other, versions)
    assert kept.versions.tolist() == fresh.versions.tolist() == versions
    assert kept.tf.tolist() == fresh.tf.tolist() == [[one.terms.get(term, 0) for term in terms] for one in lexis]
    assert kept.length.tolist() == [sum(one.terms.values()) for one in lexis]
    assert [set(kept.terms_of(row).tolist()) for row in range(MANY)] == [set(one.terms) for one in lexis]
    together = kept.group[:, None] == kept.group[None, :]
    assert np.array_equal(together, np.repeat(np.repeat(np.eye(MANY // 5, dtype=np.bool_), 5, 0), 5, 1))


def test_who_holds_a_word_is_asked_anew_once_its_space_has_changed(stores: tuple[SqliteStore, SqliteStore]) -> None:
    store, other = stores
    with store.write() as edit:
        first = [put(edit, record(f"r{n}", space="a"), Lexis({7: 1, 100 + n: 1}, ())) for n in range(MANY)]

    def holding(of: SqliteStore, *terms: int) -> list[int]:
        with of.read() as view:
            return view.words(["a"], terms, Filter(), None)["a"].versions.tolist()

    assert holding(store, 7) == [one.version for one in first]
    with store.read() as before:
        with other.write() as edit:
            erase(edit, first[0])
            new = put(edit, record("new", space="a"), Lexis({7: 1}, ()))
        now = [one.version for one in (*first[1:], new)]
        assert holding(store, 7) == holding(other, 7) == now
        assert before.words(["a"], [7], Filter(), None)["a"].versions.tolist() == [one.version for one in first]
    assert holding(store, 100, 7) == now


def test_what_a_vector_does_not_have_is_asked_for_once() -> None:
    asked: list[int] = []

    def read(numbers: Sequence[int]) -> dict[int, bytes]:
        asked.extend(numbers)
        return {number: b"x" * number for number in numbers if number % 2}

    blobs = Blobs(1_000)
    for some in ([1, 2, 3], [2, 3, 4], [4, 1]):
        assert blobs.get(some, read) == [b"x" * number if number % 2 else None for number in some]
    assert asked == [1, 2, 3, 4]
    blobs.drop(np.array([2, 9]))
    assert blobs.get([2, 1], read) == [None, b"x"]
    assert asked == [1, 2, 3, 4, 2]


def test_numbers_of_vectors_are_the_same_whether_kept_or_read_and_unknown_ones_are_left_out() -> None:
    every = np.random.default_rng(1).standard_normal((100, 4)).astype(np.float16)
    asked: list[int] = []

    def read(numbers: Sequence[int]) -> tuple[list[int], bytes]:
        asked.extend(numbers)
        there = [number for number in sorted(numbers) if number < 100]
        return there, every[there].tobytes()

    halves = Halves(60 * 8, 4)  # room for 60 of them
    for some in ([5, 3, 200, 9], [9, 40, 5], list(range(30, 90)), [3, 99, 31]):
        found, there = halves.get(np.array(some), read)
        assert there.tolist() == [number < 100 for number in some]
        assert found.tolist() == every[[number for number in some if number < 100]].tolist()
    assert asked[:5] == [5, 3, 200, 9, 40]
