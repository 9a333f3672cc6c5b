"""Is a question for what was, of some time, or about somebody answered by that?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest
from tests.conftest import Clock

from recollect import Memory

NOW = datetime(2026, 11, 15, 14, 30, tzinfo=UTC)
CHANGED = [
    ("Our family doctor is Dr. Weiss, in Marktstraße 4.", "Our family doctor is Dr. Adeyemi."),
    ("The shop is open Tuesday to Saturday, 10 to 18.", "From June on the shop is open Monday to Friday, 9 to 17."),
    ("Our internet provider is Nordnetz, 50 Mbit for 30 euros.", "Our internet provider is Telkom, for 40 euros."),
    ("Der Vermieter ist Herr Krause.", "Der Vermieter ist Frau Yıldız."),
    ("Henrike is the treasurer of the chess club.", "Oluf is the new treasurer of the chess club."),
    ("We buy honey from Imkerei Holm, 6 euros a jar.", "We buy honey from Imkerei Sörensen, 7 euros a jar."),
]
TOLD = {
    "2026-04-14": "The doctor said that Lotte's knee needs rest for three weeks.",
    "2026-09-20": "The doctor said that the blood values are fine and to come back in a year.",
    "2026-03-22": "In the garden I pruned the apple tree and sowed peas.",
    "2026-05-12": "A late frost in the garden killed the tomatoes.",
    "2026-03-30": "Booked the flight to Lisbon for July with TAP, 320 euros.",
    "2026-07-14": "In Lisbon Lotte lost her passport on the tram and we went to the embassy.",
    "2025-10-02": "The car was repaired by Hansen for 410 euros: new brakes.",
    "2026-11-03": "The car was repaired by Hansen for 95 euros: a headlight.",
    "2026-02-12": "Before a trip only the windows must be closed.",
    "2026-10-12": "Before a trip the plants must be watered and the gas turned off.",
}


@pytest.fixture
def changed(open_memory: Callable[..., Memory]) -> Memory:
    """Six things that changed, of which the later says that it replaces the earlier; and some that were only told."""
    memory = open_memory(embedder="bundled", clock=Clock(NOW))
    for before, after in CHANGED:
        old = memory.remember(before, event_time="2026-02-03T10:00:00Z")
        memory.remember(after, event_time="2026-06-01T10:00:00Z", replaces=old.id)
    for day, text in TOLD.items():
        memory.remember(text, event_time=f"{day}T10:00:00Z")
    return memory


def first_hits(memory: Memory, questions: Sequence[str]) -> dict[str, str]:
    return {asked: memory.recall(asked, limit=3).hits[0].record.text for asked in questions}


def test_what_was_replaced_answers_a_question_for_the_past(changed: Memory) -> None:
    asked = {
        "who was our doctor before Dr. Adeyemi?": CHANGED[0][0],
        "when was the shop open before June?": CHANGED[1][0],
        "what was our internet provider before Telkom?": CHANGED[2][0],
        "wer war früher unser Vermieter?": CHANGED[3][0],
        "who was treasurer before Oluf?": CHANGED[4][0],
        "which internet provider did we have previously?": CHANGED[2][0],
    }
    assert first_hits(changed, list(asked)) == asked
    [old, *_] = changed.recall("who was our doctor before Dr. Adeyemi?").hits
    assert (old.record.status, old.record.valid_until) == ("superseded", datetime(2026, 6, 1, 10, tzinfo=UTC))
    assert "superseded · until 2026-06-01" in changed.recall("who was our doctor before Dr. Adeyemi?").context


def test_what_held_at_a_time_that_is_over_answers_a_question_of_that_time(changed: Memory) -> None:
    asked = {
        "which internet provider did we have in March?": CHANGED[2][0],
        "who was the treasurer of the chess club in April?": CHANGED[4][0],
        "where did we buy honey in February?": CHANGED[5][0],
        "where did we buy honey in August?": CHANGED[5][1],
        "who was our family doctor in 2025?": CHANGED[0][1],  # nobody knows; the older one is of 2026 as well
        "which internet provider did we have in July?": CHANGED[2][1],
    }
    assert first_hits(changed, list(asked)) == asked


def test_what_was_changed_after_a_time_was_not_so_yet_however_soon_and_in_whichever_words(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory(embedder="bundled", clock=Clock(NOW))
    for text, told in (
        ("We drive a blue Skoda Octavia.", "2026-02-12"),
        ("We sold the Skoda and bought an electric Kia Niro.", "2026-09-05"),
        ("Access logs are kept for 30 days.", "2026-02-22"),
        ("Since the audit, access logs are kept for 90 days.", "2026-06-03"),
        ("Ella wears shoe size 32.", "2026-01-20"),
        ("Ella wears shoe size 33 now.", "2026-05-02"),
    ):
        memory.remember(text, event_time=told)
    asked = {
        "Which car did we have in July?": "We drive a blue Skoda Octavia.",
        "Which car did we have in October?": "We sold the Skoda and bought an electric Kia Niro.",
        "How long were access logs kept in May?": "Access logs are kept for 30 days.",
        "What shoe size did Ella have in April?": "Ella wears shoe size 32.",
    }
    assert first_hits(memory, list(asked)) == asked


def test_what_is_said_to_have_held_at_a_time_answers_a_question_of_that_time(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory(embedder="bundled", clock=Clock(NOW))
    for text, begins, ends in (
        ("The CEO is Dana.", "2020-01-01", "2024-12-31"),
        ("The CEO is Luis.", "2025-01-01", None),
        ("The office is in Basel.", "2026-01-01", "2026-06-30"),
        ("The office is in Zug.", "2026-07-01", None),
        ("The cat is called Momo.", None, None),
    ):
        memory.remember(text, valid_from=begins, valid_until=ends)
    asked = {
        "who was CEO in 2022?": "The CEO is Dana.",
        "where was the office in February?": "The office is in Basel.",
        "where was the office in August?": "The office is in Zug.",
        "who is the CEO?": "The CEO is Luis.",
        "where is the office?": "The office is in Zug.",
    }
    assert first_hits(memory, list(asked)) == asked


def test_facts_that_held_at_a_time_are_recalled_by_true_at(memory: Memory) -> None:
    memory.relate("Zoe", "works_at", "Acme", valid_from="2024-01-01")
    memory.relate("Zoe", "works_at", "Globex", valid_from="2026-05-01")
    for moment, place in ((None, "Globex"), ("2025-03", "Acme"), ("2026-06", "Globex")):
        hits = memory.recall("where does Zoe work", true_at=moment).hits
        assert [hit.record.text for hit in hits] == [f"Zoe works at {place}"]


def test_of_notes_that_came_together_without_a_time_the_later_is_the_newer(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(embedder="bundled", clock=Clock(NOW))
    memory.remember_many(
        [{"text": text} for pair in zip(*CHANGED, strict=True) for text in pair] + [{"text": t} for t in TOLD.values()]
    )
    asked = {
        "who is our family doctor?": CHANGED[0][1],
        "what is our internet provider?": CHANGED[2][1],
        "wer ist der Vermieter?": CHANGED[3][1],
        "who is the treasurer of the chess club?": CHANGED[4][1],
        "where do we buy honey?": CHANGED[5][1],
    }
    assert first_hits(memory, list(asked)) == asked


def test_other_questions_see_only_what_holds(changed: Memory) -> None:
    asked = [
        "who is our doctor?",
        "when is the shop open?",
        "who is the treasurer?",
        "what must be done before a trip?",
    ]
    found = {question: changed.recall(question, limit=20).hits for question in asked}
    assert {hit.record.status for hits in found.values() for hit in hits} == {"active"}
    assert found[asked[3]][0].record.text == TOLD["2026-10-12"]


def test_what_was_put_away_or_is_yet_to_hold_answers_no_question_for_the_past(memory: Memory) -> None:
    old = memory.remember("The dentist was Dr. Brandt before that.", kind="source", source="/docs/old.md")
    memory.archive_source(old.id or "", reason="a bad import")
    memory.remember("The dentist will be Dr. Okafor.", valid_from="2031-01-01T00:00:00Z")
    memory.remember("The dentist is Dr. Lindqvist.")
    texts = [hit.record.text for hit in memory.recall("who was the dentist before?", catalogue=True).hits]
    assert texts == ["The dentist is Dr. Lindqvist."]


def test_what_is_replaced_held_until_its_successor_began(changed: Memory) -> None:
    for moment, place in (("2026-05-01", 0), ("2026-08-01", 1)):
        held = changed.list(true_at=moment, limit=50)
        assert {record.text for record in held} >= {pair[place] for pair in CHANGED}
        assert {record.text for record in held}.isdisjoint({pair[1 - place] for pair in CHANGED})


def test_an_end_is_never_before_the_beginning_nor_after_now(memory: Memory) -> None:
    old = memory.remember("The gym is in Ostend.", event_time="2026-05-01T00:00:00Z")
    new = memory.remember("The gym is in Westend.", event_time="2026-01-01T00:00:00Z", replaces=old.id)
    ended = memory.history(old.id or "")[-1].record
    assert ended is not None
    assert ended.valid_until is not None
    assert ended.valid_until > datetime(2026, 5, 1, tzinfo=UTC)
    later = memory.remember("The gym is in Nordend.", event_time="2031-01-01T00:00:00Z")
    memory.invalidate(new.id or "", superseded_by=later.id)
    gone = memory.history(new.id or "")[-1].record
    assert gone is not None
    assert gone.valid_until is not None
    assert gone.valid_until.year < 2031


def test_a_time_in_a_question_prefers_what_is_of_that_time(changed: Memory) -> None:
    asked = {
        "what did the doctor say in April?": TOLD["2026-04-14"],
        "what did the doctor say in September?": TOLD["2026-09-20"],
        "what did I do in March in the garden?": TOLD["2026-03-22"],
        "what happened in the garden in May 2026?": TOLD["2026-05-12"],
        "what happened in Lisbon in July?": TOLD["2026-07-14"],
        "what was repaired on the car in 2025?": TOLD["2025-10-02"],
        "what was repaired on the car this month?": TOLD["2026-11-03"],
        "was sagte der Arzt im April?": TOLD["2026-04-14"],
        "was passierte im Juli in Lissabon?": TOLD["2026-07-14"],
        "qu'est-ce que the doctor a dit en avril ?": TOLD["2026-04-14"],
        "¿qué dijo the doctor en septiembre?": TOLD["2026-09-20"],
        "what is planned for July?": TOLD["2026-03-30"],
    }
    found = first_hits(changed, list(asked))
    assert sum(found[question] == text for question, text in asked.items()) >= len(asked) - 1
    of_april = {hit.record.text: hit.why.period for hit in changed.recall("what did the doctor say in April?").hits}
    assert (of_april[TOLD["2026-04-14"]], of_april[TOLD["2026-09-20"]]) == (1.0, 0.0)
    assert changed.recall("what did the doctor say?").hits[0].why.period is None


def test_a_name_that_is_asked_for_is_not_overtaken_by_something_newer(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(embedder="bundled", clock=Clock(NOW))
    for before, after in CHANGED:
        memory.remember(before, event_time="2026-02-03T10:00:00Z")
        memory.remember(after, event_time="2026-06-01T10:00:00Z")
    asked = {
        "anything about Henrike": CHANGED[4][0],
        "tell me about Imkerei Holm": CHANGED[5][0],
        "what do you know about Dr. Weiss?": CHANGED[0][0],
        "was weißt du über Herrn Krause?": CHANGED[3][0],
        "tell me about Nordnetz": CHANGED[2][0],
        "what do we know about Oluf?": CHANGED[4][1],
    }
    assert first_hits(memory, list(asked)) == asked


LISTED = """
what happened in July?|was war im Juli los?|que s'est-il passé en juillet ?|¿qué pasó en julio?
cosa è successo a luglio?|o que aconteceu em julho?|wat gebeurde er in juli?
что было в июле?|七月发生了什么？|7月に何があった？
"""


@pytest.mark.parametrize("question", [one for line in LISTED.split("\n") for one in line.split("|") if one])
def test_whatever_happened_in_a_month_is_listed_in_ten_languages(
    question: str, open_memory: Callable[..., Memory]
) -> None:
    memory = open_memory(embedder="none", clock=Clock(NOW))
    for day, text in TOLD.items():
        memory.remember(text, event_time=f"{day}T10:00:00Z")
    assert [hit.record.text for hit in memory.recall(question).hits] == [TOLD["2026-07-14"]]


def test_what_happened_yesterday_is_counted_from_the_memorys_own_clock(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(embedder="none", clock=Clock(datetime(2026, 7, 15, 12, tzinfo=UTC)))
    for day, text in TOLD.items():
        memory.remember(text, event_time=f"{day}T10:00:00Z")
    for question in ("what happened yesterday?", "was ist gestern passiert?", "¿qué pasó ayer?", "昨天发生了什么？"):
        assert [hit.record.text for hit in memory.recall(question).hits] == [TOLD["2026-07-14"]]


SINCE_CHANGED = {
    "What did a season ticket cost in May?": ("Season ticket: 95.", "Season tickets are 110 now."),
    "Who was treasurer in March?": ("Treasurer is Gordon Tull.", "Gordon resigned, Ife Balogun does the money."),
    "which Postgres did qz-main have in February?": ("qz-main: Postgres 14.", "Moved qz-main to Postgres 16."),
    "what was my hourly rate last year?": ("Hourly rate 38 euros.", "My hourly rate is 42 from spring on."),
}


def test_what_was_told_after_a_time_does_not_stand_before_what_was_so_then(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(embedder="bundled", clock=Clock(NOW))
    for asked, (before, after) in SINCE_CHANGED.items():
        memory.remember(before, event_time="2025-11-20T10:00:00Z" if "last year" in asked else "2026-02-10T10:00:00Z")
        memory.remember(after, event_time="2026-09-12T10:00:00Z")
    memory.embed_waiting()
    assert first_hits(memory, list(SINCE_CHANGED)) == {asked: before for asked, (before, _) in SINCE_CHANGED.items()}
    assert memory.recall("which Postgres does qz-main have?").hits[0].record.text == "Moved qz-main to Postgres 16."


@pytest.mark.parametrize(
    ("asked", "before", "after", "since"),
    [
        ("where did we sit before May?", "Office: Mill Lane 7, top floor", "We sit in Quay Street now", "2026-05-01"),
        ("where did we sit before May?", "Office: Mill Lane 7, top floor", "We sit in Quay Street now", "2026-05-04"),
        ("who ran the library before March?", "Library is run by Jo", "Library is run by Kim", "2026-03-01"),
        ("where was the forum hosted before 2026?", "The forum is at Netcup", "The forum is at Hetzner", "2026-01-01"),
    ],
)
def test_what_is_told_from_a_day_on_is_not_of_the_time_before_it(
    open_memory: Callable[..., Memory], asked: str, before: str, after: str, since: str
) -> None:
    memory = open_memory(embedder="bundled", clock=Clock(NOW))
    memory.remember(before, event_time="2025-10-08")
    memory.remember(after, event_time=since)
    memory.embed_waiting()
    best, *others = memory.recall(asked).hits
    assert best.record.text == before
    assert all(hit.score < best.score / 2 and not hit.why.period for hit in others)


@pytest.mark.parametrize(
    "asked", ["where did we live two years ago?", "wo haben wir vor zwei Jahren gewohnt?", "两年前我们住在哪里?"]
)
def test_years_ago_is_that_year_and_no_day_of_it(open_memory: Callable[..., Memory], asked: str) -> None:
    memory = open_memory(embedder="bundled", clock=Clock(NOW))
    for year, street in ((2023, "Quay Street"), (2024, "Mill Lane"), (2025, "Harbour Row")):
        memory.remember(f"We live at {street}, 我们住在那里, wir wohnen dort.", event_time=f"{year}-03-04T10:00:00Z")
    assert "Mill Lane" in memory.recall(asked).hits[0].record.text
    assert "Mill Lane" in memory.recall("what happened two years ago?").hits[0].record.text


def test_what_tells_of_a_change_once_a_time_was_over_was_not_so_then(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(embedder="bundled", clock=Clock(NOW))
    memory.remember("The padlock of the shed opens with 4417.", event_time="2026-01-05T10:00:00Z")
    memory.remember("Shed padlock code was changed after the break-in, 9052 now.", event_time="2026-04-02T10:00:00Z")
    for text in TOLD.values():
        memory.remember(text, event_time="2026-01-20T10:00:00Z")
    memory.embed_waiting()
    first = first_hits(memory, ["what was the code of the shed padlock in February?", "shed padlock code"])
    assert [text.split()[-1] for text in first.values()] == ["4417.", "now."]
    assert first_hits(memory, ["what was the code of the shed padlock in May?"]).popitem()[1].endswith("9052 now.")
