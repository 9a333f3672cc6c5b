"""Are stated facts found by their words, and mere mentions and stored questions kept in their place?"""

from __future__ import annotations

from recollect import Memory

FACTS = [
    ("auth-service", "deployed_version", "2.4.2", "which version of auth-service is deployed?"),
    ("Alice", "works_at", "Acme", "where does Alice work?"),
    ("Alice", "manages", "Bob", "who manages Bob?"),
    ("gateway", "depends-on", "Redis", "what does the gateway depend on?"),
    ("Lena", "lives_in", "Porto", "where does Lena live?"),
    ("invoice-worker", "reads_from", "orders-queue", "what does invoice-worker read from?"),
    ("Mühle Kessler", "liefert", "Roggenmehl", "was liefert Mühle Kessler?"),
    ("billing", "owned_by", "Tomasz", "who is billing owned by?"),
]
NOTES = [
    "The standup is at ten.", "Lunch with Bob was late.", "Alice has a new bicycle.", "Redis was slow on Monday.",
    "The gateway logs are rotated daily.", "Porto has good coffee.", "Acme sent a card.", "Tomasz is on holiday.",
]  # fmt: skip


def fill(memory: Memory) -> None:
    memory.remember_many([{"text": note} for note in NOTES])
    for subject, predicate, object, _ in FACTS:
        memory.relate(subject, predicate, object, replaces=False)


def test_facts_are_recalled_by_their_words(memory: Memory) -> None:
    fill(memory)
    first = 0
    for subject, _, object, question in FACTS:
        best = memory.recall(question)[0]
        first += best.record.kind == "fact" and subject in best.record.text and object in best.record.text
    assert first >= len(FACTS) - 1


def test_a_fact_scores_by_how_sure_it_is(memory: Memory) -> None:
    memory.relate("Mira", "likes", "tea", confidence=1.0)
    memory.relate("Mira", "likes", "chess", confidence=0.1, replaces=False)
    told = {hit.record.text: hit.score for hit in memory.recall("who likes tea?")}
    unsure = {hit.record.text: hit.score for hit in memory.recall("who likes chess?")}
    assert told["Mira likes tea"] == 0.9
    assert unsure["Mira likes chess"] == 0.09


def test_a_fact_that_no_longer_holds_is_not_recalled_but_is_by_as_of(memory: Memory) -> None:
    memory.relate("auth-service", "deployed_version", "2.4.1")
    before = memory.core.clock()
    memory.relate("auth-service", "deployed_version", "2.4.2")
    question = "which version of auth-service is deployed?"
    told = [hit.record.text for hit in memory.recall(question)]
    assert told == ["auth-service deployed version 2.4.2"]
    assert [hit.record.text for hit in memory.recall(question, as_of=before)] == ["auth-service deployed version 2.4.1"]
    assert not [hit for hit in memory.recall(question, tags=["x"]) if hit.record.kind == "fact"]
    assert not memory.recall(question, facts=False)


PAST = [
    ("where did Mira work in 2025?", "Mira works at Acme"),
    ("where did Mira work before?", "Mira works at Acme"),
    ("where did Mira use to work?", "Mira works at Acme"),
    ("where did Mira work in 2022?", "Mira works at Initech"),
    ("where does Mira work?", "Mira works at Globex"),
    ("where does Mira work now?", "Mira works at Globex"),
]


def test_a_question_for_what_was_once_is_answered_by_the_fact_that_held_then(memory: Memory) -> None:
    memory.relate("Mira", "works_at", "Initech", valid_from="2020", valid_until="2023-12-31")
    memory.relate("Mira", "works_at", "Acme", valid_from="2024-01-01", valid_until="2026-04-30")
    memory.relate("Mira", "works_at", "Globex", valid_from="2026-05-01", valid_until="2026-12-31")
    memory.relate("Mira", "works_at", "Umbrella", valid_from="2027-01-01")
    memory.relate("Mira", "lives_in", "Lyon", valid_from="2020")
    told = [[hit.record.text for hit in memory.recall(question)] for question, _ in PAST]
    assert [some[0] for some in told] == [answer for _, answer in PAST]
    assert not any("Umbrella" in text for some in told for text in some)
    [hit] = [hit for hit in memory.recall(PAST[0][0]) if "Acme" in hit.record.text]
    assert (hit.why.period, hit.record.valid_until is not None) == (1.0, True)


def test_mere_mentions_of_what_a_question_names_do_not_score_high(memory: Memory) -> None:
    fill(memory)
    asked = [
        "what does Alice think of jazz?",
        "is Redis older than Tomasz?",
        "how tall is Bob?",
        "Porto football results",
    ]
    for question in asked:
        assert all(hit.score < 0.5 for hit in memory.recall(question) if hit.record.kind != "fact"), question
        assert max((hit.why.graph for hit in memory.recall(question)), default=0.0) > 0


TALK = [
    ("Where do we keep the signing keys?", "The signing keys are in the vault under infra/keys."),
    ("What is the wifi password at the cabin?", "At the cabin the wifi password is heron-lake."),
    ("When does the nightly export start?", "The nightly export starts at 01:30."),
    ("Who owns the billing service?", "The billing service is owned by Tomasz."),
    ("How long are invoices kept?", "Invoices are kept for ten years."),
    ("Wie heißt unser Vermieter?", "Unser Vermieter heißt Herr Brandt."),
    ("Which port does the gateway use?", "The gateway uses port 8080."),
    ("Where is the spare key?", "The spare key is under the third flowerpot."),
]


def test_questions_that_were_stored_do_not_outrank_their_answers(semantic: Memory) -> None:
    for place, (question, _) in enumerate(TALK):
        semantic.remember(question, session=f"asked-{place}", role="user")
    for place, (_, answer) in enumerate(TALK):
        semantic.remember(answer, session=f"told-{place}", role="assistant")
    first = sum(semantic.recall(question)[0].record.text == answer for question, answer in TALK)
    assert first >= len(TALK) - 1
    assert sum(semantic.recall(question, limit=1)[0].record.text == answer for question, answer in TALK) == first
    asked = semantic.recall("what was the question about the wifi password?")
    assert any(hit.record.text.endswith("?") for hit in asked)
