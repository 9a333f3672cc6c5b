"""May one of two texts stand for both, unasked?"""

from __future__ import annotations

import pytest

from pairs_of_texts import DIFFERENT, DOUBLES, LEFT_TO_REVIEW
from recollect.retrieve.same import depends_on_its_day, say_the_same


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_texts_that_differ_in_one_thing_do_not_say_the_same(one: str, other: str) -> None:
    assert not say_the_same(one, other)
    assert not say_the_same(other, one)


@pytest.mark.parametrize(("one", "other"), DOUBLES)
def test_doubles_say_the_same_whichever_comes_first(one: str, other: str) -> None:
    assert say_the_same(one, other)
    assert say_the_same(other, one)


@pytest.mark.parametrize(("one", "other"), LEFT_TO_REVIEW)
def test_a_mark_that_may_change_what_is_said_is_left_to_review(one: str, other: str) -> None:
    assert not say_the_same(one, other)


def test_a_text_says_nothing_of_another_without_words() -> None:
    assert not say_the_same("...", "!!!")


@pytest.mark.parametrize("text", ["I have a headache today.", "Gestern war es kalt.", "Ieri nulla.", "今天下雨。"])
def test_what_speaks_of_today_depends_on_its_day(text: str) -> None:
    assert depends_on_its_day(text)
    assert not depends_on_its_day("The office is closed on Mondays.")
