"""Are records found by all that a filter can say, in whichever shape they are asked for?"""

from __future__ import annotations

from datetime import timedelta
from typing import get_args

import pytest
from things import THEN, erase, put, record, write

from recollect.errors import NotFound
from recollect.store.base import Group, Ident, Store, View
from recollect.store.refs import claim_ref
from recollect.types import Claim, Evidence, Filter, Grounds, Order, Record

CLAIM = Claim(subject="s", predicate="p", value=1)
GROUNDS = Grounds(scopes=("x",), subjects=("n",), evidence=(Evidence(source="src:1"),), claim=CLAIM)


def cites(view: View, *refs: str, space: str = "default", limit: int | None = None) -> list[Record]:
    return view.select(Record, Filter(spaces=(space,), refs=refs), "updated", limit)


def test_records_come_in_the_order_of_the_versions_asked_for(store: Store) -> None:
    with store.write() as edit:
        first, second = put(edit, record("a")), put(edit, record("b"))
    with store.read() as view:
        versions = (second.version, 999, first.version)
        assert view.select(Record, Filter(versions=versions)) == [second, first]
        assert view.select(Ident, Filter(versions=versions)) == [
            Ident(one.version, one.id, view.select(Ident, Filter(ids=(one.id,)))[0].created_at)
            for one in (second, first)
        ]
        assert view.select(Record, Filter(versions=())) == []
        assert view.get(Record, "default", "a", version=second.version) is None


@pytest.mark.parametrize("order", get_args(Order))
def test_every_order_goes_on_behind_the_last_record_of_a_window(store: Store, order: Order) -> None:
    day = timedelta(days=1)
    with store.write() as edit:
        for n in range(9):
            fields = {"importance": n % 3 / 2, "created_at": THEN + n // 2 * day, "event_time": THEN - n % 4 * day}
            put(edit, record(f"r{n}", session=None if n % 3 else f"s{n % 2}", position=n // 3, **fields))
        put(edit, record("elsewhere", space="other"))
    where = Filter(spaces=("default",))
    with store.read() as view:
        whole = view.select(Record, where, order)
        windows, last = list[Record](), None
        while window := view.select(Record, where, order, 2, beyond=last):
            windows += window
            last = window[-1].version
        assert windows == whole
        assert len(whole) == 9
        with pytest.raises(NotFound, match="begin it anew"):
            view.select(Record, where, order, 2, beyond=999)


def test_past_versions_are_selected_where_they_are_asked_for(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a", "one"))
        second, _ = write(edit, record("a", "two"), verb="revise", before=first)
    with store.read() as view:
        assert view.select(int, Filter()) == [second.version]
        assert sorted(view.select(int, Filter(past=True))) == [first.version, second.version]
        assert view.select(Record, Filter(past=True, after=first.version)) == [second]


def test_records_are_found_by_what_they_rest_on_and_claim(store: Store) -> None:
    with store.write() as edit:
        plain = put(edit, record("plain"))
        first = put(edit, record("a", kind="fact", grounds=GROUNDS))
        second = put(edit, record("b", kind="fact", grounds=Grounds(scopes=("x", "y"), claim=CLAIM)))
        put(edit, record("a", kind="fact", grounds=GROUNDS, space="other"))
    claimed = claim_ref("fact", CLAIM)
    with store.read() as view:
        assert cites(view, "evidence:src:1") == cites(view, "subject:n") == [first]
        assert cites(view, "scope:x", "scope:y") == [second, first]
        assert cites(view, "scope:x", limit=1) == [second]
        assert cites(view, claimed) == [second, first]
        assert view.count(Filter(spaces=("default",)), by="claim") == [Group(claimed, 2, THEN, THEN)]
        assert view.count(Filter(spaces=("other",)), by="claim") == [Group(claimed, 1, THEN, THEN)]
        assert cites(view, "scope:x", space="nowhere") == []
        assert view.select(Record, Filter(spaces=("default",), governed=True), "oldest", 10) == [first, second]
        assert plain.grounds is None


def test_only_live_versions_are_found_by_their_grounds(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a", grounds=GROUNDS))
        second, _ = write(edit, record("a", grounds=Grounds(scopes=("y",))), verb="revise", before=first)
    with store.read() as view:
        assert cites(view, "scope:x", "subject:n") == []
        assert cites(view, "scope:y") == [second]
    with store.write() as edit:
        erase(edit, second)
        assert cites(edit, "scope:y") == []
    assert list(store.check()) == []


def test_a_piece_of_a_source_is_found_by_its_place_and_by_its_text(store: Store) -> None:
    with store.write() as edit:
        put(edit, record("s", kind="source", source="f"))
        one = put(edit, record("a", kind="document", source="f", position=0))
        two = put(edit, record("b", kind="message", source="f", position=1))
        put(edit, record("c", "the text of a", kind="document", source="g", position=0))
    kinds = ("document", "message")
    with store.read() as view:
        assert view.select(Record, Filter(sources=("f",), kinds=kinds, position=0)) == [one]
        assert view.select(Record, Filter(sources=("f",), kinds=kinds, hashes=(two.content_hash,))) == [two]
        assert view.select(Record, Filter(sources=("f",), kinds=kinds, position=2)) == []
        assert view.select(Record, Filter(sources=("g",), kinds=kinds, hashes=(two.content_hash,))) == []


@pytest.mark.parametrize("order", ["newest", "oldest"])
@pytest.mark.parametrize("spaces", [(), ("a", "c", "none")])
def test_the_first_of_several_spaces_are_those_of_all_of_them_together(
    store: Store, order: Order, spaces: tuple[str, ...]
) -> None:
    with store.write() as edit:
        for n in range(30):
            put(edit, record(f"r{n}", space="abc"[n % 7 % 3], created_at=THEN + timedelta(hours=n * 11 % 30)))
    with store.read() as view:
        every = view.select(Record, Filter(spaces=spaces), order)
        assert view.select(Record, Filter(spaces=spaces), order, 7) == every[:7]
        assert view.select(Record, Filter(spaces=spaces), order, 5, 12) == every[12:17]
        assert view.select(Record, Filter(spaces=spaces), order, 4, beyond=every[5].version) == every[6:10]
        assert view.select(int, Filter(spaces=spaces), order, 3) == [one.version for one in every[:3]]
