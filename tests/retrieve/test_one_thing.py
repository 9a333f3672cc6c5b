"""Which texts are found to read the same but for one thing, and which are a series of many?"""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest

from pairs_of_texts import DOUBLES, FAR_APART
from recollect.retrieve.one_thing import differ_in_one_thing

NOTES = Path(__file__).parents[2] / "training" / "notes.jsonl.gz"


def found(*texts: str) -> list[tuple[str, str]]:
    return [(texts[one], texts[other]) for one, other in differ_in_one_thing([(None, text) for text in texts])]


@pytest.mark.parametrize("pair", [*FAR_APART, ("The car is in New York.", "The car is in Paris.")])
def test_two_that_differ_in_one_thing_are_found_among_others(pair: tuple[str, str]) -> None:
    others = ("The cat sleeps on the warm stone.", "Der Hund schläft.", "今天下雨。", "Backups run at night.")
    assert found(*others[:2], pair[0], *others[2:], pair[1]) == [pair]


@pytest.mark.parametrize(
    "pair",
    [
        *DOUBLES[:3],  # which become one
        ("The cat sleeps on the warm stone.", "The dog barks at the warm stove."),
        ("We deploy on Fridays at noon.", "Nobody has deployed since the freeze began."),
        ("Tea", "Coffee"),
    ],
)
def test_what_says_the_same_or_differs_in_more_is_not_found(pair: tuple[str, str]) -> None:
    assert found(*pair) == []


def test_what_stands_in_different_places_is_not_compared() -> None:
    one, other = FAR_APART[0]
    assert differ_in_one_thing([("kitchen", one), ("attic", other)]) == []


def test_of_a_series_only_what_speaks_of_the_same_thing_is_found() -> None:
    rooms = [f"Room {number} has {2 + number % 2} beds" for number in range(40)]
    weights = [f"Weight on 2026-03-{day:02}: {70 + day % 4}.{day % 9} kg" for day in range(1, 31)]
    names = "Ana Ben Cem Dov Eli Fay Gil Hal Ina Jon Kai Lea".split()
    likes = [f"{name} likes {'tea jazz chess'.split()[at % 3]}" for at, name in enumerate(names)]
    twice = ("Room 12 has 2 beds", "Room 12 has no beds")
    assert found(*rooms, *weights, *likes, twice[1]) == [twice]


def test_ten_thousand_texts_of_one_form_bring_no_pairs_and_little_is_held() -> None:
    texts = [
        (None, f"fact {number} about topic {number % 50} is kept at {number * 7 % 101}") for number in range(10_000)
    ]
    tracemalloc.start()
    pairs = differ_in_one_thing(texts)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert pairs == []
    assert peak < 40_000_000


def test_it_ends_when_it_is_told_to() -> None:
    assert differ_in_one_thing([(None, text) for text in FAR_APART[0]], lambda: True) == []


def test_in_notes_as_people_keep_them_hardly_any_pair_is_found() -> None:
    with gzip.open(NOTES, "rt", encoding="utf-8") as lines:
        stores = [[note["text"] for note in json.loads(line)["notes"]] for line in lines]
    assert sum(map(len, stores)) > 8_000
    assert sum(len(found(*texts)) for texts in stores) <= 5
