"""Is nothing taken out of what a session is given by a question, a doubt, or a rule that only looks like it?"""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.conftest import Clock

from recollect import Memory

ASKED = {
    "What port does the dev server listen on?": "The dev server listens on port 5173.",
    "Which database does billing use?": "Billing uses Postgres 16.",
    "when is Mira back from leave": "Mira is back from leave on Monday.",
    "Who owns the billing schema?": "Tomoko owns the billing schema.",
}


@pytest.mark.parametrize("captured", [False, True], ids=["noted", "captured"])
def test_a_question_that_was_captured_takes_no_answer_away(memory: Memory, clock: Clock, captured: bool) -> None:
    for told in ASKED.values():
        if captured:
            memory.capture_said([{"role": "user", "content": told}], session="first")
        else:
            memory.remember(told)
    without = {asked: memory.unasked.give_answers(asked, session="other").ids for asked in ASKED}
    assert sum(map(bool, without.values())) >= len(ASKED) - 1
    for number in range(3):
        clock.now += timedelta(days=1)
        for asked in ASKED:
            memory.capture_said([{"role": "user", "content": asked}], session=f"s{number}")
    memory.capture_said([{"role": "user", "content": "Maybe billing should use MySQL one day"}], session="doubt")
    for asked, told in ASKED.items():
        given = memory.unasked.give_answers(asked, session="other")
        assert not any(one in given.text for one in ASKED)
        if without[asked]:
            assert told in given.text
            assert next(line.record.text for line in memory.unasked.preview(asked).lines if line.given) == told
    hits = memory.recall("What did I ask of the database that billing uses?", limit=3)
    assert "Which database does billing use?" in [hit.record.text for hit in hits]


BESIDE = (
    "Never commit secrets to the repository.", "Never commit generated files to the repository.",
    "Always run the tests before a commit.", "Always run the linter before a commit.",
    "Always answer in German.", "Always answer in short sentences.",
    *(f"We decided that module m{number:02} is owned by team T{number:02}." for number in range(1, 9)),
)  # fmt: skip


def test_rules_of_like_form_are_all_in_the_brief_and_given_at_a_prompt(memory: Memory, clock: Clock) -> None:
    for rule in BESIDE:
        clock.now += timedelta(minutes=1)
        memory.remember(rule)
    brief = memory.unasked.give_brief().text
    assert [rule for rule in BESIDE if rule not in brief] == []
    given = memory.unasked.give_answers("What must I never commit to the repository?").text
    assert [rule for rule in BESIDE[:2] if rule not in given] == []
    assert BESIDE[6] in memory.unasked.give_answers("Which team owns module m01?").text


OF_TWO_THINGS = {
    "What is the alarm code at Millgate?": ("Alarm code at Millgate: 5518.", "Alarm code at Harbour Row: 7302."),
    "How long does the visa for Vietnam take?": (
        "Visa for Vietnam: apply online, takes 5 days.", "Visa for Tanzania: apply online, takes 15 days.",
    ),
    "Which watchdog timeout has Fern?": (
        "Watchdog timeout on Fern is 8 seconds.", "Moss watchdog changed to 20 seconds.",
    ),
    "How many frames has the Switch build?": (
        "The Switch build runs at 30 frames.", "The Xbox build runs at 60 frames from now on.",
    ),
}  # fmt: skip


def test_a_newer_note_of_another_thing_is_not_given_in_the_place_of_what_the_prompt_names(
    memory: Memory, clock: Clock
) -> None:
    for of_it, of_another in OF_TWO_THINGS.values():
        memory.remember(of_it)
        clock.now += timedelta(days=30)
        memory.remember(of_another)
    for asked, (of_it, _) in OF_TWO_THINGS.items():
        assert of_it in memory.unasked.give_answers(asked, session=asked).text
    brief = memory.unasked.give_brief().text
    assert [text for pair in list(OF_TWO_THINGS.values())[:2] for text in pair if text not in brief] == []


def test_a_question_that_was_noted_hides_nothing_in_a_brief(memory: Memory, clock: Clock) -> None:
    for told in ASKED.values():
        memory.remember(told, kind="decision")
    clock.now += timedelta(days=1)
    for asked in ASKED:
        memory.remember(asked)
    brief = memory.unasked.give_brief().text
    assert [told for told in ASKED.values() if told not in brief] == []


SET_ANEW = {
    "Always answer in German.": "Always answer in English.",
    "Always use tabs for indentation.": "Always use spaces for indentation.",
    "Always use npm for the web packages.": "Always use pnpm for the web packages.",
}


@pytest.mark.parametrize("captured", [False, True], ids=["noted", "captured"])
def test_of_two_rules_that_set_the_same_thing_the_newer_is_given(memory: Memory, clock: Clock, captured: bool) -> None:
    for number, rules in enumerate((SET_ANEW.keys(), SET_ANEW.values(), ["Always answer in short sentences."])):
        clock.now += timedelta(days=1)
        for rule in rules:
            if captured:
                memory.capture_said([{"role": "user", "content": rule}], session=f"{number}: {rule}")
            else:
                memory.remember(rule)
    brief = memory.unasked.give_brief().text
    assert [rule for rule in SET_ANEW if rule in brief] == []
    assert [rule for rule in (*SET_ANEW.values(), "Always answer in short sentences.") if rule not in brief] == []
    for asked, rule in {"In which language must I always answer?": "Always answer in German."}.items():
        assert rule not in memory.unasked.give_answers(asked).text
