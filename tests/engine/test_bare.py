"""Does what says nothing beyond a question's words, or only asks, stand behind what answers it?"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recollect import Memory

ASKED = [  # (what answers, what names the matter alone, the question)
    ("We keep the sailing boat at pier 7, and Ruud has the second key.", "the boat?", "where do we keep the boat?"),
    ("Fibre from Nordnet, 500 Mbit; the router is in the hall.", "## Internet", "which internet provider do we have?"),
    ("Insurance for the car runs with Helvetia, 640 a year.", "Car insurance", "what does the car insurance cost?"),
    ("Mira cannot eat hazelnuts; a biscuit put her in hospital.", "Mira's allergy", "what is Mira's allergy?"),
    ("The deploy goes out with `make ship` from release.", "Notes on the deploy", "how do we deploy?"),
    ("Grandma turns 90 on the 4th of May; we meet at the Swan.", "Grandma's birthday.", "when is grandma's birthday?"),
    ("Die Miete wird am 3. abgebucht, 1140 Euro warm.", "Zur Miete", "wie hoch ist die Miete?"),
    ("La reunión semanal es los martes a las diez.", "Sobre la reunión", "¿cuándo es la reunión?"),
    ("L'abbonamento della palestra scade a settembre.", "Palestra:", "quando scade la palestra?"),
    ("Ключ от дачи лежит под третьим горшком.", "О ключе от дачи", "где лежит ключ от дачи?"),
    ("猫的兽医是王医生,周六也开门。", "关于猫的兽医", "猫的兽医是谁?"),
    ("洗濯機の保証は2027年3月まで。", "洗濯機の保証について", "洗濯機の保証はいつまでですか?"),
]
STORED = [  # (what answers, a question that was stored, what is asked)
    ("The router's code is on the fridge.", "what is the router's code", "what's the code of the router?"),
    (
        "Der Schlüssel zum Keller hängt hinter der Tür.",
        "wo liegt der Kellerschlüssel",
        "wo ist der Schlüssel zum Keller?",
    ),
    ("Standup is at 9:30 in the small room.", "when is standup", "what time is standup?"),
    ("La clé du garage est chez Mme Roux.", "où est la clé du garage", "où se trouve la clé du garage ?"),
    ("Ключ от дачи лежит под третьим горшком.", "где лежит ключ от дачи", "где ключ от дачи?"),
    ("De fiets staat in de schuur.", "waar staat de fiets", "waar is de fiets?"),
    ("O carro está na oficina do Rui.", "onde está o carro", "onde ficou o carro?"),
    ("We deploy with make ship from the release branch.", "how do we deploy to production", "how do we deploy?"),
    ("The rent is 940 a month.", "how much is the rent", "how much rent do we pay?"),
    ("燃えるゴミは火曜日に出す。", "燃えるゴミはいつ", "燃えるゴミの日はいつですか?"),
]
TOLD = [  # (what answers in the question's own words, another, the question)
    ("Mira is allergic to nuts.", "Petra is allergic to cats.", "is Mira allergic to nuts?"),
    ("Tom owns the ladder.", "The ladder was lent in June to Jon.", "does Tom own the ladder?"),
    ("The heating is on.", "The heating costs 80 a month.", "is the heating on?"),
]


def test_what_only_names_the_matter_stands_behind_what_answers(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(embedder="bundled")
    right = [first_of(memory, asked, answer, bare) == answer for answer, bare, asked in ASKED]
    assert sum(right) >= len(ASKED) - 1


def test_a_stored_question_without_a_mark_stands_behind_what_answers(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(embedder="bundled")
    right = [first_of(memory, asked, answer, stored) == answer for answer, stored, asked in STORED]
    assert sum(right) >= len(STORED) - 1


@pytest.mark.parametrize(("answer", "other", "asked"), TOLD)
def test_yes_or_no_is_answered_in_the_words_of_the_question(
    open_memory: Callable[..., Memory], answer: str, other: str, asked: str
) -> None:
    assert first_of(open_memory(embedder="bundled"), asked, answer, other) == answer


def first_of(memory: Memory, asked: str, *texts: str) -> str:
    """What stands first in a space of its own."""
    memory.remember_many([{"text": text} for text in (*texts, "The printer needs cartridge 304XL.")], space=asked)
    memory.embed_waiting()
    return memory.recall(asked, space=asked).hits[0].record.text
