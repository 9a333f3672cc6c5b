"""The ledger, the counters, and what is different among records: in every store."""

from __future__ import annotations

from things import put, record
from things import space as space_named

from recollect.store.base import Lexis, Shelf, Store
from recollect.types import Filter, Spending


def test_a_day_of_a_provider_adds_up(store: Store) -> None:
    def spend(day: str, provider: str, calls: int, spent: float) -> None:
        with store.write() as edit:
            edit.spend(Spending(day=day, provider=provider, calls=calls, tokens_in=10, tokens_out=calls, spent=spent))

    spend("2026-05-01", "ollama", 1, 0.0)
    spend("2026-05-02", "openai", 1, 0.5)
    spend("2026-05-02", "openai", 1, 0.25)
    spend("2026-05-02", "anthropic", 0, 0.0)  # set aside and given back
    with store.read() as view:
        both = Spending(day="2026-05-02", provider="openai", calls=2, tokens_in=20, tokens_out=2, spent=0.75)
        assert view.spending("2026-05-02", "openai") == both
        assert view.spending("2026-05-03", "openai") == Spending(day="2026-05-03", provider="openai")
        assert view.ledger(1) == [both]
        assert [one.provider for one in view.ledger(5)] == ["openai", "ollama"]


def test_counters_count_on(store: Store) -> None:
    for _ in range(2):
        with store.write() as edit:
            edit.count_up("a.documents", 3)
            edit.set_counter("a.size", 7)
            edit.count_up("b_documents", 1)
    with store.read() as view:
        assert view.counters("a.") == {"a.documents": 6, "a.size": 7}
        assert view.counters("b%") == {}
        assert len(view.counters("")) == 3


def test_different_projects_and_tags_are_listed_once(store: Store) -> None:
    rows = [("api", ("b", "a")), ("api", ("a",)), (None, ("c",))]
    with store.write() as edit:
        for number, (project, tags) in enumerate(rows):
            put(edit, record(f"r{number}", space="s", project=project, tags=tags), Lexis({1: 1}))
    with store.read() as view:
        assert view.distinct("project", Filter(spaces=("s",))) == ["", "api"]
        assert view.distinct("tags", Filter(spaces=("s",), projects=("api",))) == ["a", "b"]
        assert view.distinct("tags", Filter(spaces=("s",), projects=("", "other"))) == ["c"]
        assert view.distinct("tags", Filter(spaces=("nowhere",))) == []


NUMBERS: Shelf[int] = Shelf("numbers", int)


def test_a_shelf_keeps_values_by_key_for_the_store_and_for_each_space(store: Store) -> None:
    with store.write() as edit:
        edit.put_space(space_named("work"))
        edit.keep(NUMBERS, {"b": 2, "a": 1})
        edit.keep(NUMBERS, {"a": 10}, space="work")
        edit.keep(NUMBERS, {"b": None, "c": 3})
    with store.read() as view:
        assert list(view.kept(NUMBERS).items()) == [("a", 1), ("c", 3)]
        assert view.kept(NUMBERS, space="work") == {"a": 10}
        assert view.kept(NUMBERS, keys=["c", "d"]) == {"c": 3}
        assert view.kept(NUMBERS, space="none") == {}


def test_a_shelf_is_replaced_whole_and_goes_with_its_space(store: Store) -> None:
    with store.write() as edit:
        edit.put_space(space_named("work"))
        edit.keep(NUMBERS, {"a": 1, "b": 2}, space="work")
        edit.keep(NUMBERS, {"c": 3}, space="work", only=True)
    with store.read() as view:
        assert view.kept(NUMBERS, space="work") == {"c": 3}
    with store.write() as edit:
        edit.drop_space("work")
        edit.put_space(space_named("work"))
    with store.read() as view:
        assert view.kept(NUMBERS, space="work") == {}
