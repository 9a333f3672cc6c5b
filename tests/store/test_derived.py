"""What must every store do? The derived half: terms, names and vectors, and making them again."""

from __future__ import annotations

import pytest
from things import entity, put, record, space, vector

from recollect.errors import NotFound
from recollect.store.base import Edit, Lexis, Model, Store, Tally, claim_ref
from recollect.types import Claim, Evidence, Filter, Grounds, Record

ONE = Lexis({7: 2, 4_000_000_000: 1}, ("ada", "new york"))
TWO = Lexis({7: 1, 8: 300}, ("ada",))


def adopt(edit: Edit, name: str = "m") -> Model:
    return edit.adopt(name, 64, bytes(256), 0.1, 0.05)


def test_lexis_comes_back_as_it_was_with_counts_up_to_a_byte(store: Store) -> None:
    with store.write() as edit:
        versions = [put(edit, record("a"), ONE).version, put(edit, record("b"), TWO).version]
    with store.read() as view:
        assert view.lexis(versions) == {versions[0]: ONE, versions[1]: Lexis({7: 1, 8: 255}, ("ada",))}
        assert sorted(version for version, _ in view.term_blobs(versions)) == versions


def test_postings_tell_live_versions_from_old_ones_and_spaces_apart(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a"), ONE)
        other = put(edit, record("a", space="other"), ONE)
        second, _ = edit.put(record("a", "new"), verb="revise", before=first, lexis=TWO)
    with store.read() as view:
        assert view.postings("default", 7) == [second.version]
        assert view.postings("default", 7, old=True) == [first.version]
        assert view.postings("default", 4_000_000_000) == []
        assert view.postings("default", 4_000_000_000, old=True) == [first.version]
        assert view.postings("other", 7) == [other.version]
        assert view.postings("nowhere", 7) == []


def test_mentions_are_found_by_name_and_only_of_live_versions(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a"), ONE)
        second, _ = edit.put(record("a", "new"), verb="revise", before=first, lexis=TWO)
    with store.read() as view:
        assert view.mentions("default", "New  York") == []
        assert view.mentions("default", "ADA") == [second.version]


def test_relinking_gives_a_live_version_other_names_and_leaves_old_ones_alone(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a"), ONE)
        second, _ = edit.put(record("a", "new"), verb="revise", before=first, lexis=TWO)
        edit.relink(second.version, Lexis(TWO.terms, ("grace",)))
        edit.relink(first.version, Lexis({1: 1}, ("grace",)))
    with store.read() as view:
        assert view.mentions("default", "ada") == []
        assert view.mentions("default", "grace") == [second.version]
        assert view.postings("default", 1, old=True) == []
        assert view.tally("default") == Tally(1, second_length(store))


def second_length(store: Store) -> int:
    with store.read() as view:
        live = view.postings("default", 7)
        return sum(lexis.length for lexis in view.lexis(live).values())


def test_the_tally_agrees_with_the_live_records_after_every_kind_of_change(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a"), ONE)
        second, _ = edit.put(record("a", "new"), verb="revise", before=first, lexis=TWO)
        third = put(edit, record("b"), ONE)
        fourth = put(edit, record("c"), ONE)
        edit.retire(third, verb="remove")
        assert edit.tally("default").records == 2
        edit.erase(second)
        assert edit.tally("default") == Tally(1, ONE.length)
        edit.erase(fourth)
        assert edit.tally("default") == Tally(0, 0)
    assert list(store.check()) == []


def test_dropping_a_space_takes_its_index_along_and_no_one_elses(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        gone, kept = put(edit, record("a", space="gone"), ONE), put(edit, record("a"), ONE)
        edit.put(entity("e", "Ada", space="gone"), verb="name")
        edit.put_vectors(model.no, [gone.version, kept.version], [vector(gone.version), vector(kept.version)])
        assert edit.drop_space("gone") == 1
        edit.put_space(space("gone"))
    with store.read() as view:
        assert view.postings("gone", 7) == []
        assert view.named("gone", "ada") == []
        assert view.postings("default", 7) == [kept.version]
        assert view.vectors_of(model.no, [gone.version]) == []
        assert view.signs(model.no, "gone", 0) == []
        assert view.lexis([gone.version, kept.version]) == {kept.version: ONE}
    assert list(store.check()) == []


def test_adopting_a_model_queues_all_that_is_there_and_all_that_comes(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a"))
        model = adopt(edit)
        assert adopt(edit) == model
        second = put(edit, record("b", space="other"))
    with store.read() as view:
        assert view.models() == [Model(model.no, "m", 64, bytes(256), 0.1, 0.05)]
        assert [one.version for one in view.waiting(model.no, None, 9)] == [second.version, first.version]
        assert view.waiting(model.no, "other", 9) == [second]
        assert (view.count_waiting(model.no, "default"), view.count_waiting(None, None)) == (1, 2)
        assert view.stats("other").waiting_for_vectors == 1


def test_vectors_are_stored_once_and_only_for_versions_that_wait(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        kept = put(edit, record("a"))
        edit.put_vectors(model.no, [kept.version], [vector(kept.version, 1), vector(kept.version, 2)])
        edit.put_vectors(model.no, [kept.version, 999], [vector(kept.version, 3), vector(999)])
    with store.read() as view:
        signs = view.signs(model.no, "default", 0)
        assert [(version, bits) for _, version, bits in signs] == [(kept.version, b"\1" * 8), (kept.version, b"\2" * 8)]
        assert view.signs(model.no, "default", signs[-1][0]) == []
        assert dict(view.halves([signs[0][0]])) == {signs[0][0]: b"\1" * 128}
        assert view.vectors_of(model.no, [kept.version]) == [(kept.version, b"\1" * 128), (kept.version, b"\2" * 128)]
        assert view.count_waiting(model.no, None) == 0


def test_a_version_without_any_vector_no_longer_waits_once_it_was_seen(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        kept = put(edit, record("a"))
        edit.put_vectors(model.no, [kept.version], [])
        assert edit.count_waiting(model.no, None) == 0


def test_an_unchanged_text_inherits_its_vectors_and_a_changed_one_waits(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        first = put(edit, record("a"))
        edit.put_vectors(model.no, [first.version], [vector(first.version)])
        second, _ = edit.put(record("a", importance=1.0), verb="revise", before=first)
        assert edit.vectors_of(model.no, [second.version]) == [(second.version, b"\1" * 128)]
        assert [version for _, version, _ in edit.signs(model.no, "default", 0)] == [second.version]
        assert edit.count_waiting(model.no, None) == 0
        third, _ = edit.put(record("a", "other text"), verb="revise", before=second)
        assert [one.version for one in edit.waiting(model.no, None, 9)] == [third.version]
        fourth, _ = edit.put(record("a", "other text", room="r"), verb="revise", before=third)
        assert {one.version for one in edit.waiting(model.no, None, 9)} == {third.version, fourth.version}


def test_vectors_of_old_versions_stand_apart(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        first, late = put(edit, record("a")), put(edit, record("b"))
        edit.put_vectors(model.no, [first.version], [vector(first.version)])
        edit.retire(first, verb="remove")
        edit.retire(late, verb="remove")
        edit.put_vectors(model.no, [late.version], [vector(late.version)])
    with store.read() as view:
        assert view.signs(model.no, "default", 0) == []
        assert [version for _, version, _ in view.signs(model.no, "default", 0, old=True)] == [
            first.version, late.version,
        ]  # fmt: skip
        assert len(view.vectors_of(model.no, [first.version, late.version])) == 2


def test_vectors_of_other_models_can_be_dropped(store: Store) -> None:
    with store.write() as edit:
        old, new = adopt(edit, "old"), adopt(edit, "new")
        kept = put(edit, record("a"))
        for model in (old, new):
            edit.put_vectors(model.no, [kept.version], [vector(kept.version)])
        put(edit, record("b"))
    with store.write() as edit:
        assert edit.drop_vectors("new") == 1
        assert [model.name for model in edit.models()] == ["new"]
        assert edit.vectors_of(old.no, [kept.version]) == []
        assert edit.vectors_of(new.no, [kept.version]) == [(kept.version, b"\1" * 128)]
        assert (edit.count_waiting(old.no, None), edit.count_waiting(new.no, None)) == (0, 1)
    assert list(store.check()) == []


def test_erasing_takes_vectors_and_the_place_in_the_queue_along(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        seen, waiting = put(edit, record("a")), put(edit, record("b"))
        edit.put_vectors(model.no, [seen.version], [vector(seen.version)])
        numbers = [number for number, _, _ in edit.signs(model.no, "default", 0)]
        edit.erase(seen)
        edit.erase(waiting)
        assert edit.halves(numbers) == {}
        assert edit.signs(model.no, "default", 0) == []
        assert edit.count_waiting(model.no, None) == 0


def test_rebuilding_makes_all_that_is_derived_again_and_reports_how_far_it_is(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        first = put(edit, record("a"), ONE)
        second, _ = edit.put(record("a", "new"), verb="revise", before=first, lexis=ONE)
        edit.put(entity("e", "Ada"), verb="name")
        edit.put_vectors(model.no, [second.version], [vector(second.version)])
    steps: list[tuple[int, int]] = []
    with store.write() as edit:
        assert edit.rebuild(lambda _: TWO, 7, lambda done, total: steps.append((done, total)), vectors=True) == 2
    assert steps[-1] == (2, 2)
    with store.read() as view:
        assert view.postings("default", 8) == [second.version]
        assert view.postings("default", 8, old=True) == [first.version]
        assert view.mentions("default", "ada") == [second.version]
        assert view.named("default", "ada") != []
        assert view.signs(model.no, "default", 0) == []
        assert view.count_waiting(model.no, None) == 2
    assert list(store.check()) == []


def test_records_come_in_the_order_of_the_versions_asked_for(store: Store) -> None:
    with store.write() as edit:
        first, second = put(edit, record("a")), put(edit, record("b"))
    with store.read() as view:
        assert view.records([second.version, 999, first.version]) == [second, first]
        assert view.version(Record, 999) is None


def test_nothing_derived_is_asked_of_a_space_that_is_not_there(store: Store) -> None:
    with pytest.raises(NotFound), store.write() as edit:
        edit.next_position("nowhere", "s", None)
    with store.read() as view:
        assert view.mentions("nowhere", "ada") == []
        assert view.known_names("nowhere", ["ada"], "ada") == []
        assert view.sessions("nowhere", 9) == []


def test_a_store_remembers_how_its_index_was_made_and_can_make_it_again_without_the_vectors(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        kept = put(edit, record("a"), ONE)
        edit.put_vectors(model.no, [kept.version], [vector(kept.version)])
        assert edit.lexis_version() == 0
        edit.rebuild(lambda _: TWO, 7, lambda _done, _total: None, vectors=False)
    with store.read() as view:
        assert view.lexis_version() == 7
        assert view.postings("default", 8) == [kept.version]
        assert len(view.signs(model.no, "default", 0)) == 1
        assert view.count_waiting(model.no, None) == 0


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
