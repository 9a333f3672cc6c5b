"""Shelves, and what is different among records: in every store."""

from __future__ import annotations

from things import drop_space, make_space, put, record
from things import space as space_named

from recollect.store.base import By, Lexis, Shelf, Store, View
from recollect.types import Filter


def keys(view: View, where: Filter, by: By) -> list[str]:
    return [group.key for group in view.count(where, by=by)]


def test_different_projects_and_tags_are_listed_once(store: Store) -> None:
    rows = [("api", ("b", "a")), ("api", ("a",)), (None, ("c",))]
    with store.write() as edit:
        for number, (project, tags) in enumerate(rows):
            put(edit, record(f"r{number}", space="s", project=project, tags=tags), Lexis({1: 1}))
    with store.read() as view:
        assert keys(view, Filter(spaces=("s",)), "project") == ["", "api"]
        assert keys(view, Filter(spaces=("s",), projects=("api",)), "tag") == ["a", "b"]
        assert keys(view, Filter(spaces=("s",), projects=("", "other")), "tag") == ["c"]
        assert keys(view, Filter(spaces=("nowhere",)), "tag") == []


NUMBERS: Shelf[int] = Shelf("numbers", int)


def test_a_shelf_keeps_values_by_key_for_the_store_and_for_each_space(store: Store) -> None:
    with store.write() as edit:
        make_space(edit, space_named("work"))
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
        make_space(edit, space_named("work"))
        edit.keep(NUMBERS, {"a": 1, "b": 2}, space="work")
        edit.keep(NUMBERS, {"c": 3}, space="work", only=True)
    with store.read() as view:
        assert view.kept(NUMBERS, space="work") == {"c": 3}
    with store.write() as edit:
        drop_space(edit, "work")
        make_space(edit, space_named("work"))
    with store.read() as view:
        assert view.kept(NUMBERS, space="work") == {}
