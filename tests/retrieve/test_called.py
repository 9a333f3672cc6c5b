"""Is a text about another thing than the one that a question calls by a number, a letter, a name or a way?"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recollect import Memory
from recollect.retrieve.called import speaks_of_another

OF_ANOTHER = [
    ("where is locker 12?", "Locker 12: blue padlock, third row.", "Locker 14 has a red padlock, first row."),
    ("who looks after bed C", "Bed C is looked after by Ines.", "Bed D is looked after by Tomas."),
    ("wer unterrichtet Klasse 3a?", "Klasse 3a unterrichtet Frau Timm.", "Die Klasse 3b unterrichtet Herr Ode."),
    ("where does Lea live?", "Lea lives in Basel.", "Lea's brother lives in Graz."),
    ("wo arbeitet Jonas?", "Jonas arbeitet bei der Bahn.", "Jonas' Schwester arbeitet bei der Post."),
    ("how old is Nuria?", "Nuria is nine years old.", "The dog of Nuria is four years old."),
    ("when does the ferry to Ystad leave?", "The ferry to Ystad leaves at 9:15.", "The ferry from Ystad is at 18:40."),
    ("where is our ladder?", "Our ladder hangs in the barn.", "The ladder of the Hansens hangs in their shed."),
    ("who is my tailor?", "My tailor is Ms. Oduya.", "Viktor's tailor is Mr. Brandt."),
    ("what does Mira's aunt collect?", "Mira's aunt collects stamps.", "Mira collects tram tickets."),
    ("what does the neighbours' cat eat?", "The neighbours' cat eats fish.", "Our cat eats chicken."),
    ("when does Lea's sister arrive?", "Lea's sister arrives at five.", "Lea arrives at six."),
    ("wann fährt der Zug nach Linz?", "Der Zug nach Linz fährt um 7:12.", "Der Zug von Linz fährt um 20:05."),
]
OF_THE_SAME = [
    ("where is the standup?", "Standup is in room 12.", "Standup is in room 14."),
    ("is it still channel 36?", "The access point is on channel 36.", "The access point is on channel 52."),
    ("who uses port 8080?", "The gateway uses port 8080.", "The gateway uses port 9090."),
    ("what did we decide in July?", "July: we hire two people.", "August: we hire one person."),
    ("who is Lea's brother?", "Lea's brother is Max.", "Lea's sister is Ida, her brother Moritz."),
    ("where is my passport?", "My passport is in the desk.", "The passport is in Dad's safe now."),
    ("when is Ida's party?", "Ida's party is in June.", "Ida's party is on 4 July, Jon's mother cannot come."),
    (
        "which evening must I keep free for the choir?",
        "The choir meets on Mondays.",
        "The women's choir meets on Tuesdays.",
    ),
    ("when is exam 1 in chemistry?", "Exam 1 in physics is on Monday.", "Exam 2 in chemistry is on Friday."),
    ("when do we go to Ystad?", "We go to Ystad in May.", "We go to Ystad in June, and come home from Malmö."),
]


@pytest.mark.parametrize(("question", "meant", "other"), OF_ANOTHER)
def test_what_is_called_otherwise_is_another_thing(question: str, meant: str, other: str) -> None:
    assert speaks_of_another(question, meant, other)
    assert not speaks_of_another(question, other, meant)


@pytest.mark.parametrize(("question", "meant", "other"), OF_THE_SAME)
def test_another_value_of_the_same_thing_is_not_another_thing(question: str, meant: str, other: str) -> None:
    assert not speaks_of_another(question, meant, other)


@pytest.mark.parametrize("limit", [1, 3, 10])
def test_a_newer_note_of_another_thing_leaves_the_one_that_is_asked_for_first_however_few_are_shown(
    open_memory: Callable[..., Memory], limit: int
) -> None:
    memory = open_memory(embedder="bundled")
    for _, meant, other in OF_ANOTHER:
        memory.remember(meant, event_time="2026-02-01T10:00:00Z")
        memory.remember(other, event_time="2026-08-01T10:00:00Z")
    memory.embed_waiting()
    first = {question: memory.recall(question, limit=limit).hits for question, _, _ in OF_ANOTHER}
    assert {question: hits[0].record.text for question, hits in first.items()} == {
        question: meant for question, meant, _ in OF_ANOTHER
    }
    assert {len(hits) for hits in first.values()} <= set(range(1, limit + 1))
