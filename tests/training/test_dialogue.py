"""Do conversations suggest the right questions?"""

from __future__ import annotations

import pytest
from training.dialogue import Turn, ask_about, ask_again, ask_as_user, tell_as_chat


@pytest.mark.parametrize(
    ("asked", "answered", "question"),
    [
        ("Nice! What do you do for work?", "I paint houses for a living.", "What does Olga do for work?"),
        ("So, have you ever been to Peru?", "No, but I want to go.", "Has Olga ever been to Peru?"),
        ("What's your favorite season?", "I like the early spring best.", "What's Olga's favorite season?"),
        ("Do you want to play with my dog?", "I would love to do that.", "Does Olga want to play with Ravi's dog?"),
    ],
)
def test_a_question_to_the_other_speaker_is_asked_about_that_speaker(asked: str, answered: str, question: str) -> None:
    assert ask_again(Turn(0, "Ravi", asked), Turn(1, "Olga", answered)) == question


def test_small_talk_and_counter_questions_are_not_asked_again() -> None:
    ravi = Turn(0, "Ravi", "How are you doing today?")
    assert ask_again(ravi, Turn(1, "Olga", "I am fine, thank you.")) is None
    assert ask_again(Turn(0, "Ravi", "What do you cook on Sundays?"), Turn(1, "Olga", "Why?")) is None


def test_times_and_what_was_never_done_are_asked_about() -> None:
    turn = Turn(0, "Olga", "I visited my aunt in Lima last summer. I've never seen the desert.")
    assert ask_about(turn) == [
        "When did Olga visit their aunt in Lima?",
        "What did Olga do last summer?",
        "Has Olga ever seen the desert?",
    ]


def test_a_conversation_can_be_told_as_a_chat_with_an_assistant() -> None:
    assert tell_as_chat("Olga: I paint houses.", "Olga", "[May 3, 2024] ") == "[May 3, 2024] user: I paint houses."
    assert tell_as_chat("Ravi: How nice!", "Olga", "") == "assistant: How nice!"
    assert ask_as_user("What does Olga do for work?", "Olga") == "What do I do for work?"
    assert ask_as_user("What does Ravi do for work?", "Olga") is None
