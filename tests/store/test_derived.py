"""What must every store do? The derived half: terms, names and vectors, and making them again."""

from __future__ import annotations

from things import drop_space, entity, erase, make_space, put, record, retire, space, vector, write

from recollect.store.base import Edit, Entities, Lexis, Model, Store, Tally

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
        second, _ = write(edit, record("a", "new"), verb="revise", before=first, lexis=TWO)
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
        second, _ = write(edit, record("a", "new"), verb="revise", before=first, lexis=TWO)
    with store.read() as view:
        assert view.mentions("default", "New  York") == []
        assert view.mentions("default", "ADA") == [second.version]


def test_relinking_gives_a_live_version_other_names_and_leaves_old_ones_alone(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a"), ONE)
        second, _ = write(edit, record("a", "new"), verb="revise", before=first, lexis=TWO)
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
        second, _ = write(edit, record("a", "new"), verb="revise", before=first, lexis=TWO)
        third = put(edit, record("b"), ONE)
        fourth = put(edit, record("c"), ONE)
        retire(edit, third, verb="remove")
        assert edit.tally("default").records == 2
        erase(edit, second)
        assert edit.tally("default") == Tally(1, ONE.length)
        erase(edit, fourth)
        assert edit.tally("default") == Tally(0, 0)
    assert list(store.check()) == []


def test_dropping_a_space_takes_its_index_along_and_no_one_elses(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        gone, kept = put(edit, record("a", space="gone"), ONE), put(edit, record("a"), ONE)
        write(edit, entity("e", "Ada", space="gone"), verb="name")
        edit.put_vectors(model.no, [gone.version, kept.version], [vector(gone.version), vector(kept.version)])
        assert drop_space(edit, "gone") == 1
        make_space(edit, space("gone"))
    with store.read() as view:
        assert view.postings("gone", 7) == []
        assert view.entities(Entities(space="gone", names=("ada",))) == []
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
        second, _ = write(edit, record("a", importance=1.0), verb="revise", before=first)
        assert edit.vectors_of(model.no, [second.version]) == [(second.version, b"\1" * 128)]
        assert [version for _, version, _ in edit.signs(model.no, "default", 0)] == [second.version]
        assert edit.count_waiting(model.no, None) == 0
        third, _ = write(edit, record("a", "other text"), verb="revise", before=second)
        assert [one.version for one in edit.waiting(model.no, None, 9)] == [third.version]
        fourth, _ = write(edit, record("a", "other text", room="r"), verb="revise", before=third)
        assert {one.version for one in edit.waiting(model.no, None, 9)} == {third.version, fourth.version}


def test_vectors_of_old_versions_stand_apart(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        first, late = put(edit, record("a")), put(edit, record("b"))
        edit.put_vectors(model.no, [first.version], [vector(first.version)])
        retire(edit, first, verb="remove")
        retire(edit, late, verb="remove")
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
        erase(edit, seen)
        erase(edit, waiting)
        assert edit.halves(numbers) == {}
        assert edit.signs(model.no, "default", 0) == []
        assert edit.count_waiting(model.no, None) == 0


def test_rebuilding_makes_all_that_is_derived_again_and_reports_how_far_it_is(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        first = put(edit, record("a"), ONE)
        second, _ = write(edit, record("a", "new"), verb="revise", before=first, lexis=ONE)
        write(edit, entity("e", "Ada"), verb="name")
        edit.put_vectors(model.no, [second.version], [vector(second.version)])
    steps: list[tuple[int, int]] = []
    with store.write() as edit:
        assert edit.rebuild(lambda _: TWO, 7, lambda done, total: steps.append((done, total)), vectors=True) == 2
    assert steps[-1] == (2, 2)
    with store.read() as view:
        assert view.postings("default", 8) == [second.version]
        assert view.postings("default", 8, old=True) == [first.version]
        assert view.mentions("default", "ada") == [second.version]
        assert view.entities(Entities(space="default", names=("ada",))) != []
        assert view.signs(model.no, "default", 0) == []
        assert view.count_waiting(model.no, None) == 2
    assert list(store.check()) == []


def test_nothing_derived_is_asked_of_a_space_that_is_not_there(store: Store) -> None:
    with store.read() as view:
        assert view.mentions("nowhere", "ada") == []
        assert view.known_names("nowhere", ["ada"], "ada") == []


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
