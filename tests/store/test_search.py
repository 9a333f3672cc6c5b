"""What must every store do? Words and vectors: what it answers about them, and making them again."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import numpy as np
import pytest
from things import drop_space, entity, erase, make_space, put, record, retire, space, vector, write

from recollect.errors import StoreBusy
from recollect.store.base import Edit, FadingRule, Lexis, Store, View
from recollect.store.ops import Evict, Fade, Note, Sweep
from recollect.store.search import Model, Pick
from recollect.types import Filter, Record

ONE = Lexis({7: 2, 4_000_000_000: 1}, ("ada", "new york"))
TWO = Lexis({7: 1, 8: 300}, ("ada",))
ALL = Filter(valid_only=False)
MakeStore = Callable[..., Store]


def adopt(edit: Edit, name: str = "m") -> Model:
    return edit.adopt(name, 64, bytes(256), 0.1, 0.05)


def revise(edit: Edit, before: Record, after: Record, lexis: Lexis | None = None) -> Record:
    return write(edit, after, verb="revise", before=before, lexis=lexis)[0]


def remove(edit: Edit, gone: Record) -> None:
    retire(edit, gone, verb="remove")


def evict(edit: Edit, *gone: Record) -> None:
    versions, ids = tuple(one.version for one in gone), tuple(one.id for one in gone)
    run = edit.apply([Note(space=gone[0].space, verb="evict")])[0].entry
    edit.apply([Evict(run=run, space=gone[0].space, versions=versions, ids=ids)])


def holding(view: View, *terms: int, space: str = "default", where: Filter = ALL) -> list[int]:
    found = view.words([space], terms, where, None, every=True)
    return sorted(found[space].versions.tolist()) if space in found else []


def nearest(
    view: View, model: Model, *places: int, most: int = 9, where: Filter = ALL, exact: bool = False
) -> list[int]:
    found = view.near(["default"], model.no, vector(0, *places).numbers, where, most, exact=exact)
    return found["default"].versions.tolist()


def cosine(view: View, model: Model, version: int, *places: int) -> float:
    picks = {"default": Pick(np.array([version]))}
    told = view.signals(picks, None, model=model.no, vector=vector(0, *places).numbers)
    return float(told["default"].cosine[0])


def fill(edit: Edit, count: int, **fields: object) -> list[Record]:
    """Records that share a term, each with one of its own."""
    return [put(edit, record(f"r{n}", **fields), Lexis({7: 1, 100 + n: 1})) for n in range(count)]


# Words


def test_terms_come_back_as_they_were_with_counts_up_to_a_byte(store: Store) -> None:
    with store.write() as edit:
        versions = [put(edit, record("a"), ONE).version, put(edit, record("b"), TWO).version]
    with store.read() as view:
        assert view.terms(versions) == {versions[0]: ONE, versions[1]: Lexis({7: 1, 8: 255}, ("ada",))}


def test_words_tell_live_versions_from_old_ones_and_spaces_apart(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a"), ONE)
        other = put(edit, record("a", space="other"), ONE)
    with store.write() as edit:
        second = revise(edit, first, record("a", "new"), TWO)
        then = edit.now - timedelta(microseconds=1)
    with store.read() as view:
        assert holding(view, 7) == [second.version]
        assert holding(view, 7, where=Filter(as_of=then)) == [first.version, second.version]
        assert holding(view, 4_000_000_000) == []
        assert holding(view, 7, space="other") == [other.version]
        assert holding(view, 7, space="nowhere") == []


@pytest.mark.parametrize("count", [12, 300])
def test_the_heaviest_are_those_that_hold_the_rarest_words(store: Store, count: int) -> None:
    with store.write() as edit:
        records = fill(edit, count)
    with store.read() as view:
        found = view.words(["default"], [7, 105, 106, 999], ALL, 2)["default"]
        assert sorted(found.versions.tolist()) == [records[5].version, records[6].version]
        assert (found.df.tolist(), found.records, found.length, found.more) == (
            [count, 1, 1, 0], count, 2 * count, True,
        )  # fmt: skip
        assert not view.words(["default"], [105], ALL, 2)["default"].more


@pytest.mark.parametrize("count", [12, 300])
def test_exactly_asked_a_filter_leaves_the_best_of_what_it_lets_through(store: Store, count: int) -> None:
    with store.write() as edit:
        model = adopt(edit)
        records = fill(edit, count)
        tagged = [put(edit, record(f"t{n}", tags=("t",)), Lexis({7: 1})).version for n in range(3)]
        versions = [one.version for one in records] + tagged
        edit.put_vectors(model.no, versions, [vector(one, 1 if one not in tagged else 2) for one in versions])
    where = Filter(tags=("t",))
    with store.read() as view:
        words = view.words(["default"], [7], where, 2, exact=True)["default"]
        assert words.more
        assert set(words.versions.tolist()) < set(tagged)
        assert set(nearest(view, model, 1, most=200, where=where, exact=True)) == set(tagged)


def test_many_spaces_are_answered_in_one_call_each_by_its_own_counts(store: Store) -> None:
    with store.write() as edit:
        for name in ("a", "b", "c"):
            for one in range(ord(name) - 96):
                put(edit, record(f"r{one}", space=name), ONE)
    with store.read() as view:
        found = view.words(["a", "b", "c", "nowhere"], [7], ALL, 9)
        assert {name: (one.records, one.df.tolist()) for name, one in found.items()} == {
            "a": (1, [1]), "b": (2, [2]), "c": (3, [3]),
        }  # fmt: skip


def test_mentions_are_found_by_name_and_only_of_live_versions(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a"), ONE)
        second = revise(edit, first, record("a", "new"), TWO)
    with store.read() as view:
        assert view.mentions("default", ["New  York", "ADA"]) == {"New  York": [], "ADA": [second.version]}
        assert view.mentions("default", [7, 4_000_000_000]) == {7: [second.version], 4_000_000_000: []}
        assert view.mentions("nowhere", ["ada"]) == {"ada": []}
        assert view.names(["default", "nowhere"], ["ada"], "ada") == {}


def test_relinking_gives_a_live_version_other_names_and_leaves_old_ones_alone(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a"), ONE)
        second = revise(edit, first, record("a", "new"), TWO)
        edit.relink(second.version, Lexis(TWO.terms, ("grace",)))
        edit.relink(first.version, Lexis({1: 1}, ("grace",)))
    with store.read() as view:
        assert view.mentions("default", ["ada", "grace"]) == {"ada": [], "grace": [second.version]}
        assert holding(view, 1, where=Filter(as_of=first.recorded_at)) == []
        assert view.words(["default"], [], ALL, None)["default"].length == 256


def test_the_counts_agree_with_the_live_records_after_every_kind_of_change(store: Store) -> None:
    def counted(view: View) -> tuple[int, int]:
        found = view.words(["default"], [], ALL, None)["default"]
        return found.records, found.length

    with store.write() as edit:
        first = put(edit, record("a"), ONE)
        second = revise(edit, first, record("a", "new"), TWO)
        third, fourth = put(edit, record("b"), ONE), put(edit, record("c"), ONE)
        remove(edit, third)
        assert counted(edit)[0] == 2
        erase(edit, second)
        assert counted(edit) == (1, ONE.length)
        erase(edit, fourth)
        assert counted(edit) == (0, 0)
    assert list(store.check()) == []


def test_dropping_a_space_takes_its_index_along_and_no_one_elses(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        gone, kept = put(edit, record("a", space="gone"), ONE), put(edit, record("a"), ONE)
        write(edit, entity("e", "Ada", space="gone"), verb="name")
        edit.put_vectors(model.no, [gone.version, kept.version], [vector(gone.version), vector(kept.version)])
    with store.read() as view:
        assert len(view.near(["gone"], model.no, vector(0).numbers, ALL, 9)["gone"].versions) == 1
    with store.write() as edit:
        assert drop_space(edit, "gone") == 1
        make_space(edit, space("gone"))
    with store.read() as view:
        assert holding(view, 7, space="gone") == []
        assert view.names(["gone"]) == {}
        assert holding(view, 7) == [kept.version]
        assert len(view.near(["gone"], model.no, vector(0).numbers, ALL, 9)["gone"].versions) == 0
        assert view.terms([gone.version, kept.version]) == {kept.version: ONE}
    assert list(store.check()) == []


# Vectors


def test_records_wait_before_documents_before_code_and_some_alone_can_be_asked_for(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        kinds = ("memory", "code", "document", "memory", "code")
        old, first, page, new, last = [put(edit, record(f"r{n}", kind=kind)).version for n, kind in enumerate(kinds)]
    with store.read() as view:
        assert view.waiting(model.no, None, 9).versions == [new, old, page, last, first]
        assert view.waiting(model.no, ["default"], 2).versions == [new, old]
        some = view.waiting(model.no, None, 9, among=[first, page, 10**6])
        assert (some.count, some.versions) == (2, [page, first])


def test_whoever_has_little_patience_does_not_wait_for_another_writer(store: Store) -> None:
    def try_to_write() -> None:
        with pytest.raises(StoreBusy), store.write(patience=0.01):
            raise AssertionError

    with store.write(), ThreadPoolExecutor(1) as pool:
        pool.submit(try_to_write).result(60)
    with store.write(patience=0.01) as edit:
        put(edit, record("a"))


def test_adopting_a_model_queues_all_that_is_there_and_all_that_comes(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a"))
        model = adopt(edit)
        assert adopt(edit) == model
        second = put(edit, record("b", space="other"))
    with store.read() as view:
        assert view.models() == [Model(model.no, "m", 64, bytes(256), 0.1, 0.05)]
        assert view.waiting(model.no, None, 9).versions == [second.version, first.version]
        assert view.waiting(model.no, ["other"], 9).versions == [second.version]
        assert view.waiting(model.no, ["default", "other", "nowhere"]).count == 2
        assert (view.waiting(model.no, ["default"]).count, view.waiting(None).count) == (1, 2)
        assert view.waiting(None, ["other"]).count == 1


def test_vectors_are_stored_once_and_only_for_versions_that_wait(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        kept = put(edit, record("a"))
        edit.put_vectors(model.no, [kept.version], [vector(kept.version, 1), vector(kept.version, 2)])
        edit.put_vectors(model.no, [kept.version, 999], [vector(kept.version, 3), vector(999)])
    with store.read() as view:
        assert nearest(view, model, 1) == [kept.version, kept.version]
        assert [round(cosine(view, model, kept.version, place), 3) for place in (1, 2, 3)] == [1, 1, 0]
        assert view.waiting(model.no).count == 0


def test_a_version_without_any_vector_no_longer_waits_once_it_was_seen(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        kept = put(edit, record("a"))
        edit.put_vectors(model.no, [kept.version], [])
        assert edit.waiting(model.no).count == 0
        assert np.isnan(cosine(edit, model, kept.version, 1))


@pytest.mark.parametrize("count", [20, 400])
def test_the_nearest_are_found_among_few_and_many(store: Store, count: int) -> None:
    with store.write() as edit:
        model = adopt(edit)
        versions = [one.version for one in fill(edit, count)]
        near = versions[3:8]
        edit.put_vectors(model.no, versions, [vector(one, *([1, 2, 3] if one in near else [20])) for one in versions])
    with store.read() as view:
        found = view.near(["default"], model.no, vector(0, 1, 2, 3).numbers, ALL, 200)["default"]
        assert set(near) <= set(found.versions.tolist())
        assert (len(found.versions), found.more) == (min(count, 200), count > 200)


def test_an_unchanged_text_inherits_its_vectors_and_a_changed_one_waits(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        first = put(edit, record("a"))
        edit.put_vectors(model.no, [first.version], [vector(first.version)])
        second = revise(edit, first, record("a", importance=1.0))
        assert nearest(edit, model, 1) == [second.version]
        assert edit.waiting(model.no).count == 0
        third = revise(edit, second, record("a", "other text"))
        assert edit.waiting(model.no, None, 9).versions == [third.version]
        fourth = revise(edit, third, record("a", "other text", room="r"))
        assert set(edit.waiting(model.no, None, 9).versions) == {third.version, fourth.version}


def test_vectors_of_old_versions_are_found_only_by_who_looks_back(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        first, late = put(edit, record("a")), put(edit, record("b"))
        edit.put_vectors(model.no, [first.version], [vector(first.version)])
    then = Filter(as_of=first.recorded_at)
    with store.read() as view:
        assert nearest(view, model, 1, where=then) == [first.version]
    with store.write() as edit:
        remove(edit, first)
        remove(edit, late)
        edit.put_vectors(model.no, [late.version], [vector(late.version)])
    with store.read() as view:
        assert nearest(view, model, 1) == []
        assert sorted(nearest(view, model, 1, where=then)) == [first.version, late.version]


def test_who_looks_back_finds_the_vectors_of_what_was_evicted_since(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        gone, kept = put(edit, record("a"), ONE), put(edit, record("b"), ONE)
        edit.put_vectors(model.no, [gone.version, kept.version], [vector(gone.version), vector(kept.version)])
    then = Filter(as_of=gone.recorded_at)
    with store.read() as view:
        assert sorted(nearest(view, model, 1, where=then)) == [gone.version, kept.version]
    with store.write() as edit:
        evict(edit, gone)
    for _ in range(2):  # marked, and then retired
        with store.read() as view:
            assert nearest(view, model, 1) == [kept.version]
            assert sorted(nearest(view, model, 1, where=then)) == [gone.version, kept.version]
            assert holding(view, 7, where=then) == [gone.version, kept.version]
        with store.write() as edit:
            edit.apply([Sweep(10)])


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
        assert nearest(edit, new, 1) == [kept.version]
        assert (edit.waiting(old.no).count, edit.waiting(new.no).count) == (0, 1)
    assert list(store.check()) == []


def test_vectors_that_are_renewed_answer_until_others_take_their_place(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        kept = put(edit, record("a"))
        edit.put_vectors(model.no, [kept.version], [vector(kept.version, 1)])
        edit.drop_vectors("m", renew=True)
        assert (nearest(edit, model, 1), edit.waiting(model.no).count) == ([kept.version], 1)
        edit.put_vectors(model.no, [kept.version], [vector(kept.version, 2)])
        assert nearest(edit, model, 1) == [kept.version]
        assert [round(cosine(edit, model, kept.version, place), 3) for place in (1, 2)] == [0, 1]


def test_erasing_takes_vectors_and_the_place_in_the_queue_along(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        seen, waiting = put(edit, record("a")), put(edit, record("b"))
        edit.put_vectors(model.no, [seen.version], [vector(seen.version)])
    with store.write() as edit:
        erase(edit, seen)
        erase(edit, waiting)
        assert nearest(edit, model, 1) == []
        assert np.isnan(cosine(edit, model, seen.version, 1))
        assert edit.waiting(model.no).count == 0


def test_pairs_that_are_near_identical_are_found_with_the_least_cosine_of_their_pieces(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        one, two, three = (put(edit, record(id)) for id in "abc")
        hidden = put(edit, record("d", status="archived"))
        edit.put_vectors(
            model.no, [one.version, two.version, three.version, hidden.version],
            [*(vector(kept.version, 1, 2) for kept in (one, two, hidden)), vector(three.version, 40)],
        )  # fmt: skip
    with store.read() as view:
        found = view.pairs("default", model.no, 0.9, Filter(statuses=("active",)), lambda: False)
        assert [(a, b, round(least, 3)) for a, b, least in found] == [(one.version, two.version, 1.0)]
        assert view.pairs("default", model.no, 0.9, Filter(), lambda: True) == []
        assert view.pairs("nowhere", model.no, 0.9, Filter(), lambda: False) == []


# Signals


@pytest.mark.parametrize("more", [0, 300])
def test_signals_tell_of_each_candidate_what_ranking_needs(store: Store, more: int) -> None:
    with store.write() as edit:
        model = adopt(edit)
        fill(edit, more)
        one = put(edit, record("a", session="s", position=3, importance=0.9, confidence=0.4), ONE)
        two = put(edit, record("b", kind="code", source="f", superseded_by="a"), TWO)
        hidden = put(edit, record("c", status="archived"), ONE)
        edit.put_vectors(model.no, [one.version], [vector(one.version, 1), vector(one.version, 2)])
    picks = {"default": Pick(np.array([one.version, two.version, hidden.version, 99_999]))}
    with store.read() as view:
        told = view.signals(picks, Filter(), terms=[7, 8, 9], model=model.no, vector=vector(0, 2).numbers)["default"]
    assert told.versions.tolist() == [one.version, two.version]
    assert (told.tf.tolist(), told.length.tolist()) == ([[2, 0, 0], [1, 255, 0]], [3, 256])
    assert np.allclose(told.cosine, [1, np.nan], equal_nan=True, atol=1e-3)
    assert (len(set(told.group.tolist())), min(told.group.tolist()) >= 0) == (2, True)
    assert (told.position.tolist(), told.replaced.tolist()) == ([3, 0], [False, True])
    assert told.code.tolist() == [False, True]
    assert (told.importance[0], told.confidence[0], told.late) == (0.9, 0.4, None)


@pytest.mark.parametrize("more", [0, 300])
def test_wordpieces_are_matched_by_the_best_piece_of_each_version(store: Store, more: int) -> None:
    with store.write() as edit:
        model = adopt(edit)
        fill(edit, more)
        one, two, none = (put(edit, record(id)) for id in "abc")
        edit.put_vectors(
            model.no, [one.version, two.version, none.version],
            [vector(one.version, 1, tokens=2), vector(one.version, 2, tokens=3), vector(two.version, 1, tokens=1),
             vector(none.version, 1)],
        )  # fmt: skip
    asked = np.eye(8, dtype=np.float32)[[2]]
    picks = {"default": Pick(np.array([two.version, one.version, none.version]))}
    with store.read() as view:
        late = view.signals(picks, None, model=model.no, tokens=asked)["default"].late
    assert late is not None
    assert np.allclose(late.worth, [0, 0.5, np.nan], equal_nan=True, atol=0.01)
    assert (late.best.tolist()[1], late.pieces.tolist()) == (1, [1, 2, 0])


def test_what_fades_is_told_as_it_is_believed_now(store: Store) -> None:
    with store.write() as edit:
        kept = put(edit, record("a", confidence=1.0), ONE)
    picks = {"default": Pick(np.array([kept.version]))}
    with store.read() as view:
        assert view.signals(picks, Filter())["default"].confidence.tolist() == [1.0]
    with store.write() as edit:
        run = edit.apply([Note(space="default", verb="fade")])[0].entry
        rule = FadingRule(kinds=(kept.kind,), unused_since=edit.now, rate=0.5, floor=0.1)
        op = Fade(run=run, space="default", versions=(kept.version,), rule=rule)
        assert edit.apply([op])[0].count == 1
    with store.read() as view:
        assert view.signals(picks, Filter())["default"].confidence.tolist() == [0.5]


# What others changed


@pytest.mark.parametrize("count", [20, 500])
@pytest.mark.parametrize("way", ["retire", "evict", "erase"])
def test_what_another_process_took_away_is_searched_no_more(make_store: MakeStore, count: int, way: str) -> None:
    store, other = make_store(), make_store()
    with store.write() as edit:
        model = adopt(edit)
        records = fill(edit, count)
        versions = [one.version for one in records]
        edit.put_vectors(model.no, versions, [vector(one) for one in versions])
    with store.read() as view:
        assert len(nearest(view, model, 1, most=1000)) == count
    with other.write() as edit:
        if way == "evict":
            evict(edit, *records[5:])
        for one in records[5:] if way != "evict" else ():
            remove(edit, one) if way == "retire" else erase(edit, one)
    with store.read() as view:
        assert nearest(view, model, 1, most=1000) == versions[:5]
    with other.write() as edit:
        late = put(edit, record("late"), ONE)
        edit.put_vectors(model.no, [late.version], [vector(late.version)])
    with store.read() as view:
        assert nearest(view, model, 1, most=1000) == [*versions[:5], late.version]


def test_a_transaction_that_fails_leaves_nothing_to_be_found(store: Store) -> None:
    with store.write() as edit:
        kept = put(edit, record("a"), ONE)
    with pytest.raises(KeyboardInterrupt), store.write() as edit:
        put(edit, record("b"), ONE)
        assert len(holding(edit, 7)) == 2
        raise KeyboardInterrupt
    with store.write() as edit:
        put(edit, record("c"), Lexis({9: 1}))
    with store.read() as view:
        assert holding(view, 7) == [kept.version]


# Making it anew


def rebuild(store: Store, lexis: Lexis, rules: int = 7, most: int = 2, *, anew: bool = False) -> list[tuple[int, int]]:
    """All steps to the end, each in a transaction of its own."""
    steps: list[tuple[int, int]] = []
    while not steps or steps[-1][0] != steps[-1][1]:
        with store.write() as edit:
            steps.append(edit.rebuild(lambda _: lexis, rules, most, anew=anew and not steps))
    return steps


def test_rebuilding_makes_the_words_again_and_reports_how_far_it_is(store: Store) -> None:
    with store.write() as edit:
        model = adopt(edit)
        first = put(edit, record("a"), ONE)
        second = revise(edit, first, record("a", "new"), ONE)
        third = put(edit, record("b"), ONE)
        write(edit, entity("e", "Ada"), verb="name")
        edit.put_vectors(model.no, [second.version], [vector(second.version)])
    assert rebuild(store, TWO) == [(2, 3), (3, 3)]
    with store.read() as view:
        assert holding(view, 8) == [second.version, third.version]
        assert first.version in holding(view, 8, where=Filter(as_of=first.recorded_at))
        assert view.mentions("default", ["ada"])["ada"] == [second.version, third.version]
        assert view.names(["default"], ["ada"]) == {"default": ["ada"]}
        assert nearest(view, model, 1) == [second.version]
    assert list(store.check()) == []


def test_the_old_words_answer_until_the_last_step(store: Store) -> None:
    with store.write() as edit:
        versions = [one.version for one in fill(edit, 5)]
        assert edit.rebuild(lambda _: TWO, 7, 2) == (2, 5)
    with store.read() as view:
        assert (holding(view, 7), holding(view, 8)) == (versions, [])
    rebuild(store, TWO)
    with store.read() as view:
        assert (holding(view, 8), holding(view, 103)) == (versions, [])


def test_a_rebuild_goes_on_where_another_process_was_killed(make_store: MakeStore) -> None:
    with make_store().write() as edit:
        fill(edit, 5)
        edit.rebuild(lambda _: TWO, 7, 2)
    assert rebuild(make_store(), TWO) == [(4, 5), (5, 5)]


def test_other_rules_begin_from_the_beginning(store: Store) -> None:
    with store.write() as edit:
        versions = [one.version for one in fill(edit, 5)]
        edit.rebuild(lambda _: ONE, 7, 4)
    assert rebuild(store, TWO, rules=8, most=9) == [(5, 5)]
    with store.read() as view:
        assert holding(view, 8) == versions


def test_what_is_written_during_a_rebuild_is_in_the_new_index_too(store: Store) -> None:
    with store.write() as edit:
        kept, revised, removed, erased, relinked = fill(edit, 5)
        edit.rebuild(lambda _: Lexis({7: 1, 50: 1}), 7, 5)
    with store.write() as edit:
        later = revise(edit, revised, record("r1", "new"), Lexis({7: 1}))
        remove(edit, removed)
        erase(edit, erased)
        edit.relink(relinked.version, Lexis({60: 1}, ("ada",)))
        put(edit, record("a", space="fresh"), ONE)
        put(edit, record("a", space="brief"), ONE)
        drop_space(edit, "brief")
    rebuild(store, Lexis({50: 1}))
    with store.read() as view:
        assert holding(view, 50) == [kept.version, later.version]
        assert holding(view, 60) == view.mentions("default", ["ada"])["ada"] == [relinked.version]
        assert len(holding(view, 50, space="fresh")) == 1
        assert view.words(["default"], [], ALL, None)["default"].records == 3
    assert list(store.check()) == []
