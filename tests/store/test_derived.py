"""What must every store do? What records rest on, and pieces of a source."""

from __future__ import annotations

from things import put, record

from recollect.store.base import Store, claim_ref
from recollect.types import Claim, Evidence, Filter, Grounds, Record


def test_records_come_in_the_order_of_the_versions_asked_for(store: Store) -> None:
    with store.write() as edit:
        first, second = put(edit, record("a")), put(edit, record("b"))
    with store.read() as view:
        assert view.records([second.version, 999, first.version]) == [second, first]
        assert view.version(Record, 999) is None


CLAIM = Claim(subject="s", predicate="p", value=1)
GROUNDS = Grounds(scopes=("x",), subjects=("n",), evidence=(Evidence(source="src:1"),), claim=CLAIM)


def test_records_are_found_by_what_they_rest_on_and_claim(store: Store) -> None:
    with store.write() as edit:
        plain = put(edit, record("plain"))
        first = put(edit, record("a", kind="fact", grounds=GROUNDS))
        second = put(edit, record("b", kind="fact", grounds=Grounds(scopes=("x", "y"), claim=CLAIM)))
        put(edit, record("a", kind="fact", grounds=GROUNDS, space="other"))
    claimed = claim_ref("fact", CLAIM)
    with store.read() as view:
        assert view.citing("default", ["evidence:src:1"], 10) == view.citing("default", ["subject:n"], 10) == [first]
        assert view.citing("default", ["scope:x", "scope:y"], 10) == [second, first]
        assert view.citing("default", ["scope:x"], 1) == [second]
        assert view.citing("default", [claimed], 10) == [second, first]
        assert view.shared_refs("default", "claim:") == [claimed]
        assert view.shared_refs("default", "scope:") == ["scope:x"]
        assert view.shared_refs("other", "claim:") == []
        assert view.citing("nowhere", ["scope:x"], 10) == []
        assert view.scan(Filter(spaces=("default",), governed=True), "oldest", 10) == [first, second]
        assert plain.grounds is None


def test_only_live_versions_are_found_by_their_grounds(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a", grounds=GROUNDS))
        second, _ = edit.put(record("a", grounds=Grounds(scopes=("y",))), verb="revise", before=first)
    with store.read() as view:
        assert view.citing("default", ["scope:x", "subject:n"], 10) == []
        assert view.citing("default", ["scope:y"], 10) == [second]
    with store.write() as edit:
        edit.erase(second)
        assert edit.citing("default", ["scope:y"], 10) == []
    assert list(store.check()) == []


def test_a_segment_is_found_by_its_place_and_by_its_text(store: Store) -> None:
    with store.write() as edit:
        put(edit, record("s", kind="source", source="f"))
        one = put(edit, record("a", kind="document", source="f", position=0))
        two = put(edit, record("b", kind="message", source="f", position=1))
        put(edit, record("c", "the text of a", kind="document", source="g", position=0))
    with store.read() as view:
        assert view.segment("default", "f", position=0) == one
        assert view.segment("default", "f", hash=two.content_hash) == two
        assert view.segment("default", "f", position=2) is None
        assert view.segment("default", "g", hash=two.content_hash) is None
