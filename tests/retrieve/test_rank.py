"""Ranking and folding of scored candidates."""

from __future__ import annotations

import numpy as np

from recollect.retrieve.rank import fold_near_duplicates, rank_scores
from recollect.store.terms import terms

LONG = frozenset(
    terms(
        "We moved the weekly planning meeting from the small blue room on the second floor to the big hall by"
        " the kitchen, because more people of the sales team want to listen and ask questions about prices."
    )
)


def test_ranking_is_by_score_and_then_by_the_tie_key() -> None:
    order = rank_scores(np.array([0.2, 0.9, 0.2, 0.0]), ["b", "x", "a", "c"])
    assert order.tolist() == [1, 2, 0]


def test_ranking_leaves_out_what_is_below_the_floor() -> None:
    assert rank_scores(np.array([0.2, 0.9]), ["a", "b"], min_score=0.5).tolist() == [1]


def test_near_identical_texts_stand_behind_the_best_of_them() -> None:
    folded = fold_near_duplicates([2, 0, 1], [LONG, frozenset({"other", "text"}), LONG | {"again"}])
    assert folded == [(2, (0,)), (1, ())]


def test_texts_that_differ_in_a_number_are_both_shown() -> None:
    assert fold_near_duplicates([0, 1], [LONG | {"900"}, LONG | {"950"}]) == [(0, ()), (1, ())]


def test_texts_that_differ_in_some_words_are_both_shown() -> None:
    changed = LONG ^ frozenset(terms("blue green kitchen garden"))
    assert fold_near_duplicates([0, 1], [LONG, changed]) == [(0, ()), (1, ())]


def test_folding_ends_when_enough_is_shown() -> None:
    one, two, three = ({word} for word in ("one", "two", "three"))
    assert fold_near_duplicates([0, 1, 2, 3], [one, one, two, three], limit=2) == [(0, (1,)), (2, ())]


def test_short_texts_fold_only_when_their_terms_are_equal() -> None:
    tea, coffee = frozenset({"likes", "tea"}), frozenset({"likes", "coffee"})
    assert fold_near_duplicates([0, 1, 2], [tea, coffee, tea]) == [(0, (2,)), (1, ())]


def test_texts_without_terms_never_fold() -> None:
    assert fold_near_duplicates([0, 1], [frozenset(), frozenset()]) == [(0, ()), (1, ())]
