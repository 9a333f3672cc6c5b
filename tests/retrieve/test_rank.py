"""Folding of near-identical texts."""

from __future__ import annotations

from recollect.retrieve.rank import fold_near_duplicates
from recollect.store.terms import terms

LONG = frozenset(
    terms(
        "We moved the weekly planning meeting from the small blue room on the second floor to the big hall by"
        " the kitchen, because more people of the sales team want to listen and ask questions about prices."
    )
)


def fold(*texts: frozenset[str], numbers: tuple[str, ...] = (), limit: int = 10) -> list[tuple[int, tuple[int, ...]]]:
    given = numbers or ("",) * len(texts)
    return fold_near_duplicates(texts, lambda at: {given[at]}, limit)


def test_near_identical_texts_stand_behind_the_best_of_them() -> None:
    assert fold(LONG | {"again"}, LONG, frozenset({"other", "text"})) == [(0, (1,)), (2, ())]


def test_texts_that_differ_in_a_number_are_both_shown() -> None:
    assert fold(LONG, LONG, numbers=("900", "950")) == [(0, ()), (1, ())]


def test_texts_that_differ_in_some_words_are_both_shown() -> None:
    assert fold(LONG, LONG ^ frozenset(terms("blue green kitchen garden"))) == [(0, ()), (1, ())]


def test_folding_ends_when_enough_is_shown() -> None:
    one, two, three = (frozenset({word}) for word in ("one", "two", "three"))
    assert fold(one, one, two, three, limit=2) == [(0, (1,)), (2, ())]


def test_short_texts_fold_only_when_their_terms_are_equal() -> None:
    tea, coffee = frozenset({"likes", "tea"}), frozenset({"likes", "coffee"})
    assert fold(tea, coffee, tea) == [(0, (2,)), (1, ())]


def test_texts_without_terms_never_fold() -> None:
    assert fold(frozenset(), frozenset()) == [(0, ()), (1, ())]
