"""Is a session given the same things unasked, whether or not a server has a model loaded?"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from tests.conftest import Clock

from recollect import Memory
from recollect.engine.read.unasked import Unasked

NOTES = {
    "The staging database runs on port 5433.": "which port does staging's database use?",
    "Deploys of the gateway happen on Tuesdays at 10:00.": "when do we deploy the gateway?",
    "Mira owns the billing schema.": "I need to change a column in billing, whom do I ask?",
    "The retry limit of the payment queue is five.": "how many retries does the payment queue allow?",
    "We use pnpm, never npm, in the web folder.": "install the dependencies of the web folder please",
    "Feature flags live in config/flags.yaml.": "add a feature flag for the new checkout",
    "The on-call phone is +49 171 5550142.": "what is the number of the on-call phone?",
    "Logs of the worker go to the bucket acme-logs-eu.": "where can I find the worker's logs?",
    "Integration tests need Docker running.": "the integration tests fail to start, why?",
    "The API rate limit is 600 requests per minute.": "what's our API rate limit?",
    "Anna is on vacation until August 14.": "can Anna review this next week?",
    "Backups run nightly at 02:15 to Backblaze.": "where do the backups go?",
    "Our invoices are numbered by year and quarter.": "how are invoices numbered?",
    "The design system's primary colour is #0055aa.": "which primary colour should the button have?",
    "Migrations must never be edited after they were merged.": "I want to edit the migration from last week",
    "The customer Nordwind pays in Swedish kronor.": "which currency does Nordwind pay in?",
    "Release notes are written by Jonas.": "who writes the release notes?",
    "The frontend is built with Vite 5.": "what do we build the frontend with?",
    "The session token expires after 30 minutes.": "after how long does a session token expire?",
    "Sentry's project is called acme-web-prod.": "what is the name of our Sentry project?",
    "The coffee machine is descaled on the first Monday of a month.": "when is the coffee machine descaled?",
}
BESIDE = ("I will look into it.", "Fine, go ahead.", "Thanks!", "The tests of the gateway and the worker pass now.")


def tell(memory: Memory, how: str) -> None:
    for number, note in enumerate(NOTES):
        if how == "remembered":
            memory.remember(note)
            continue
        said = ("Good morning.", BESIDE[number % 4], note, BESIDE[(number + 1) % 4])
        messages = [
            {
                "role": "assistant" if at % 2 else "user",
                "content": text,
                "created_at": f"2026-05-01T10:{number:02}:0{at}Z",
            }
            for at, text in enumerate(said)
        ]
        memory.capture_said(messages, session=f"s{number}")


@pytest.mark.parametrize("waits", [False, True], ids=["with vectors", "while vectors wait"])
@pytest.mark.parametrize(("how", "least"), [("remembered", 19), ("captured", 18)])
def test_a_loaded_model_withholds_nothing_that_a_hook_alone_gives(
    open_memory: Callable[..., Memory], how: str, least: int, waits: bool
) -> None:
    memory = open_memory(embedder="bundled")
    tell(memory, how)
    if not waits:
        memory.embed_waiting()
    memory.recall("is the model loaded?")
    alone = Unasked(memory.core)
    by_words = [note for note, asked in NOTES.items() if note in alone.give_answers(asked, session="x").text]
    by_model = [note for note, asked in NOTES.items() if note in memory.unasked.give_answers(asked, session="x").text]
    assert set(by_words) <= set(by_model)
    assert (len(by_words) >= 13, len(by_model) >= (13 if waits else least)) == (True, True)


@pytest.mark.parametrize("how", ["remembered", "captured"])
def test_a_server_without_a_model_gives_just_what_a_hook_gives(open_memory: Callable[..., Memory], how: str) -> None:
    memory = open_memory(embedder="none")
    tell(memory, how)
    alone = Unasked(memory.core)
    assert [alone.give_answers(asked).ids for asked in NOTES.values()] == [
        memory.unasked.give_answers(asked).ids for asked in NOTES.values()
    ]


def test_a_statement_is_as_likely_to_answer_as_without_the_message_it_was_drawn_from(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory(embedder="bundled")
    tell(memory, "captured")
    memory.embed_waiting()
    note, asked = next(iter(NOTES.items()))
    best = memory.recall(asked).hits[0]
    assert (best.record.text, best.record.kind, len(best.folded)) == (note, "fact", 1)
    assert best.score > 0.9
    assert best.score > max(hit.score for hit in memory.recall(asked, fold=False).hits)


CHANGED = {
    "what is the retry limit of the payment queue?": (
        "The retry limit of the payment queue is five.", "The retry limit of the payment queue is nine."
    ),
    "when does the nightly backup of the ledger run?": (
        "The nightly backup of the ledger runs at 22:00.", "The nightly backup of the ledger runs at 23:30."
    ),
    "who is the treasurer of the chess club?": (
        "Oluf is the treasurer of the chess club.", "Ravi is now the treasurer of the chess club."
    ),
    "which port does the metrics exporter listen on?": (
        "The metrics exporter listens on port 9102.", "The metrics exporter listens on port 9200."
    ),
}  # fmt: skip


@pytest.mark.parametrize("loaded", [False, True], ids=["by words", "with the model"])
@pytest.mark.parametrize("before", ["a note", "a message", "an agent's message"])
def test_what_was_corrected_is_not_given_without_its_correction(
    open_memory: Callable[..., Memory], clock: Clock, before: str, loaded: bool
) -> None:
    memory = open_memory(embedder="bundled" if loaded else "none")
    for number, (older, newer) in enumerate(CHANGED.values()):
        if before == "a note":
            memory.remember(older)
        else:
            role = "user" if before == "a message" else "assistant"
            said = {"role": role, "content": f"Sure. {older}", "created_at": f"2026-05-0{number + 1}T10:00:00Z"}
            memory.capture_said([{"role": "user", "content": "Good morning."}, said], session=f"s{number}")
        clock.now += timedelta(days=30)
        memory.remember(newer)
    if loaded:
        memory.embed_waiting()
    for asked, (older, newer) in CHANGED.items():
        text = memory.unasked.give_answers(asked, session="x").text
        assert (newer in text, older in text) == (True, False), text


@pytest.mark.parametrize(
    ("older", "newer", "asked"),
    [
        ("Our Python version is 3.10.", "We moved to Python 3.12 last month.", "which Python version do we use?"),
        ("We use Jest for tests.", "We've upgraded to Vitest for tests.", "what do we use for tests?"),
    ],
)
def test_what_was_changed_in_words_of_a_change_is_not_given_without_it(
    memory: Memory, clock: Clock, older: str, newer: str, asked: str
) -> None:
    memory.remember(older)
    clock.now += timedelta(days=30)
    memory.remember(newer)
    text = memory.unasked.give_answers(asked).text
    assert (newer in text, older in text) == (True, False), text


def test_a_correction_in_other_words_takes_the_place_of_what_the_prompt_finds(memory: Memory, clock: Clock) -> None:
    memory.remember("The retry limit of the payment queue is five.")
    clock.now += timedelta(days=1)
    for number in range(30):
        memory.remember(
            f"The retry limit of the payment queue was looked at by reviewer number {number} in full detail."
        )
    newer = memory.remember("Payment queue: retry limit nine.").id
    assert memory.unasked.give_answers("is the limit of five right, that of the retry?").ids[:1] == (newer,)
