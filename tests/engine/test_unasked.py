"""Is a brief that was made before given again only as long as it is still so?"""

# pyright: basic
from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from bench.keepers import excerpts
from bench.unasked import TASKS
from tests.conftest import Clock
from tests.engine.test_capture import SESSIONS

from recollect import Memory
from recollect.engine.read import brief
from recollect.engine.read.unasked import _SHOWN as SHOWN
from recollect.engine.read.unasked import Unasked

RULES = ("Never push to main.", "Always sign commits.", "Deploys happen on Tuesdays.")


@pytest.fixture
def given(memory: Memory) -> Unasked:
    """A memory of three rules, of which a session has had the brief."""
    for number, rule in enumerate(RULES):
        memory.remember(rule, kind="rule", id=f"r{number}")
    unasked = memory.unasked
    unasked.note_given(unasked.give_brief(), session="s")
    return unasked


def test_a_brief_is_not_made_twice_of_the_same_memory(given: Unasked, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    make = brief.make_brief
    monkeypatch.setattr(brief, "make_brief", lambda *args, **rest: made.append(args) or make(*args, **rest))
    again = given.give_brief()
    assert [rule in again.text for rule in RULES] == [True, True, True]
    assert (made, again.text) == ([], given.give_earlier().text)


@pytest.mark.parametrize("change", ["remember", "revise", "forget", "steer"])
def test_what_is_changed_is_in_the_next_brief(given: Unasked, memory: Memory, change: str) -> None:
    before = given.give_brief().text
    if change == "remember":
        memory.remember("Never log tokens.", kind="rule")
    elif change == "revise":
        memory.revise("r0", "Never push to release.")
    elif change == "forget":
        memory.forget("r0")
    else:
        given.steer(start_tokens=50)
    assert given.give_brief().text != before


def test_what_has_ended_meanwhile_is_not_given(given: Unasked, memory: Memory, clock: Any) -> None:
    memory.remember("The freeze lasts.", kind="rule", valid_until=clock.now + timedelta(hours=1))
    given.note_given(given.give_brief())
    assert "The freeze lasts." in given.give_brief().text
    clock.now += timedelta(hours=2)
    assert "The freeze lasts." not in given.give_brief().text


def test_what_was_forgotten_is_not_in_the_brief_of_before(given: Unasked, memory: Memory) -> None:
    memory.forget("r1")
    memory.remember("Never log tokens.", kind="rule")
    earlier = given.give_earlier()
    assert earlier.ids == ("r0", "r2") or earlier.ids == ("r2", "r0")
    assert RULES[1] not in earlier.text


def test_projects_have_briefs_of_their_own(memory: Memory) -> None:
    memory.remember("The shop uses HS256.", kind="rule", project="shop")
    memory.remember("The gateway uses RS256.", kind="rule", project="gateway")
    unasked = memory.unasked
    for project in ("shop", "gateway", None):
        unasked.note_given(unasked.give_brief(project=project))
    texts = [unasked.give_brief(project=project).text for project in ("shop", "gateway", None)]
    assert [("HS256" in text, "RS256" in text) for text in texts] == [(True, False), (False, True), (True, True)]


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("who is the treasurer of the chess club?", {"treasurer"}),
        ("what is the fee of the chess club?", {"fee new"}),
        ("when does the backup run?", {"backup new"}),
        ("when did the backup run before?", {"backup old", "backup new"}),
    ],
)
def test_a_prompt_is_given_what_answers_it_as_it_is_now(memory: Memory, prompt: str, expected: set[str]) -> None:
    told = {
        "treasurer": "Oluf is the treasurer of the chess club.",
        "fee old": "The fee of the chess club is 40 euros.",
        "fee new": "The fee of the chess club is 45 euros.",
        "room": "The chess club meets on Thursdays in the library.",
        "backup old": "The backup runs at 22:00.",
        "backup new": "The backup runs at 23:00.",
    }
    for id, text in told.items():
        memory.remember(text, id=id)
    assert set(memory.unasked.give_answers(prompt).ids) == expected
    assert {line.record.id for line in memory.unasked.preview(prompt).lines if line.given} == expected


PROMPTS = {
    "when can I go shopping there?": "The shop is open Monday to Friday 9 to 17.",
    "when does the choir sing together?": "Choir rehearses on Wednesdays at 19:30 in the parish hall.",
    "what do we feed the dog?": "The dog eats salmon kibble, 60 grams twice a day.",
    "who looks at pull requests of the backend?": "Omar reviews all backend pull requests.",
    "who insures our car?": "The car is insured with Mapfre until June.",
    "who teaches Teo?": "Teo's teacher is Marta Rueda.",
    "where do backups go at night?": "Backups run nightly at 02:15 to Backblaze.",
    "what is the address of staging?": "Staging lives at 10.4.2.17.",
    "who does our taxes? the accountant?": "Our accountant is Ms. Petrov.",
    "how warm is the heating during the day?": "The heating is set to 21 degrees during the day.",
    "where do alerts show up?": "Alerts go to the Slack channel #ops.",
    "which day is the trash picked up?": "Trash is collected on Monday.",
    "where is the spare key hidden?": "The spare key is under the flower pot.",
    "what is Hannah's number?": "Hannah's phone number is 0171 555 0142.",
    "how long may customers send things back?": "Customers have 14 days to return an order.",
    "which dentist do we go to?": "Dr. Ferrand is our dentist.",
}


def test_questions_are_answered_unasked_and_tasks_are_left_alone(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(embedder="bundled")
    lines = Path(__file__).with_name("changed.txt").read_text().splitlines()
    notes = dict.fromkeys(line.split("|")[0] for line in lines if line.endswith("|changed") and line.isascii())
    memory.remember_many([{"text": note} for note in notes])
    memory.embed_waiting()
    memory.recall("is the model loaded?")
    answered = [asked for asked, note in PROMPTS.items() if note in memory.unasked.give_answers(asked).text]
    tasks = [task for task in TASKS if memory.unasked.give_answers(task).text]
    assert len(answered) >= 13, PROMPTS.keys() - set(answered)
    assert len(tasks) <= 3, tasks


CAPTURED = {
    "What is the retry limit of the payments queue?": (
        "We must settle the payments queue today.", "Decision: the retry limit of the payments queue is five."
    ),
    "On which day does the gateway deploy?": (
        "Let us plan the gateway.", "Remember that the gateway deploys on Tuesdays."
    ),
    "Who owns the billing schema?": ("A question on the billing schema first.", "Mira owns the billing schema."),
    "Which port does the metrics exporter listen on?": (
        "The metrics exporter is down.", "Decision: the metrics exporter listens on port 9102."
    ),
}  # fmt: skip
IDLE = ("I will look.", "Fine, go ahead.", "Done.", "Thanks!", "You are welcome.", "Noted.")


@pytest.mark.parametrize("loaded", [False, True], ids=["by words", "with the model"])
def test_a_prompt_is_given_what_was_said_once_and_not_the_small_talk_beside_it(
    open_memory: Callable[..., Memory], loaded: bool
) -> None:
    memory = open_memory(embedder="bundled" if loaded else "none")
    for number, (first, told) in enumerate(CAPTURED.values()):
        said = [("user", first), ("assistant", IDLE[0]), ("user", told), *(("assistant", one) for one in IDLE[1:])]
        messages = [
            {"role": role, "content": text, "created_at": f"2026-05-{number + 1:02}T10:00:{at:02}Z"}
            for at, (role, text) in enumerate(said)
        ]
        memory.capture_said(messages, session=f"s{number}")
    if loaded:
        memory.embed_waiting()
    for prompt, (first, told) in CAPTURED.items():
        text = memory.unasked.give_answers(prompt, session="other").text
        lines = [line.partition(") ")[2] for line in text.splitlines() if line.startswith("- [")]
        core = told.partition("that ")[2] or told
        assert sum(core.casefold() in line.casefold() for line in lines) == 1, text
        assert not set(lines) & set(IDLE), text
        assert set(lines) <= {first, told, f"{core[:1].upper()}{core[1:]}"}, text


CORRECTED = (
    ("The metrics exporter listens on port 9102.", "The metrics exporter now listens on port 9300.", "9300",
     "Which port does the metrics exporter listen on?"),
    ("We deploy the gateway on Tuesdays.", "The gateway is deployed on Thursdays now.", "Thursdays",
     "On which day do we deploy the gateway?"),
    ("The staging database is db-stage-2.", "The staging database is db-stage-7 since Monday.", "db-stage-7",
     "What is the staging database?"),
)  # fmt: skip


BEGUN = ("", "Sure. ", "Good question. ", "Sure. I had a look at the files of the project. ")


@pytest.mark.parametrize("stored", [False, True], ids=["said", "stored"])
def test_what_was_corrected_since_is_not_given_however_the_old_message_begins(
    open_memory: Callable[..., Memory], stored: bool
) -> None:
    memory, told = open_memory(embedder="bundled"), ""
    for number, (role, before, (old, new, _, prompt)) in enumerate(product(("user", "assistant"), BEGUN, CORRECTED)):
        space = f"space-{number}"
        first = {"role": role, "content": before + old, "created_at": "2026-05-01T10:00:00Z"}
        memory.capture_said([first], session="s1", space=space)
        later = {"role": "user", "content": new, "created_at": "2026-05-02T10:00:00Z"}
        if stored:
            memory.remember(new, space=space)
        else:
            memory.capture_said([later], session="s2", space=space)
        memory.embed_waiting()
        told += memory.unasked.give_answers(prompt, session="other", space=space).text
    assert [old for old, *_ in CORRECTED if old in told] == []
    assert sum(told.count(value) for _, _, value, _ in CORRECTED) >= 2 * len(BEGUN) * len(CORRECTED) - 2


def test_an_agents_word_takes_the_place_of_nothing_that_somebody_stored(memory: Memory) -> None:
    memory.remember("The metrics exporter listens on port 9102.", event_time="2026-05-01T10:00:00Z")
    later = {
        "role": "assistant",
        "content": "Sure. The metrics exporter listens on port 9300.",
        "created_at": "2026-05-02T10:00:00Z",
    }
    memory.capture_said([later], session="s1")
    assert (
        "9102" in memory.unasked.give_answers("Which port does the metrics exporter listen on?", session="other").text
    )


def test_what_a_session_has_before_it_is_not_looked_for_unless_words_say_otherwise(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory(embedder="bundled")
    for note in (
        "German translations are maintained by Agnes in Weblate, do not edit de.po by hand.",
        "The query for free berths takes 70 ms since it has a partial index, 900 before.",
        "Reviews are back: reviewer 2 wants three-electrode data by May.",
        "Commit messages follow Conventional Commits, in English.",
    ):
        memory.remember(note)
    memory.embed_waiting()
    at_hand = (
        "translate this comment into French",
        "undo your last edit",
        "make this query faster",
        "review this diff",
    )
    assert [prompt for prompt in at_hand if memory.unasked.give_answers(prompt).text] == []
    assert memory.unasked.give_answers("does this commit message follow Conventional Commits?").ids


@pytest.mark.parametrize("prompt", ["go on", "Go ahead.", "please carry on", "keep going!"])
def test_who_only_has_it_go_on_asks_for_nothing(memory: Memory, prompt: str) -> None:
    memory.remember("Uploads go on and keep going straight to the bucket; go ahead and carry on.")
    assert memory.unasked.give_answers(prompt).text == ""


def test_what_a_session_was_shown_is_not_given_to_it_in_other_records(memory: Memory) -> None:
    told = "Decision: the retry limit of the queue is five."
    memory.capture_said([{"role": "user", "content": told, "created_at": "2026-05-01T10:00:00Z"}], session="s1")
    prompt = "What is the retry limit of the queue?"
    first = memory.unasked.give_answers(prompt, session="other")
    memory.unasked.note_given(first, session="other")
    assert len(first.ids) == 1
    assert memory.unasked.give_answers(prompt, session="other").text == ""


AROUND = "I looked at the dashboards again this morning and talked to the people upstairs, and it was fine. {} {}"
SAID_AMONG_OTHERS = {
    "What is the retry limit of the queue?": "We decided that the retry limit of the queue is five.",
    "Where does the staging database live?": "The staging database lives on db-stage-2.",
    "Which formatter do we use for Python?": "From now on we use ruff as the formatter for Python.",
    "Who owns the billing module?": "We agreed that Tom owns the billing module.",
    "When are invoices sent?": "Our invoices are always sent on the first of the month.",
}


def test_of_a_message_and_the_candidate_drawn_from_it_one_is_given_however_long_the_message_is(memory: Memory) -> None:
    for number, told in enumerate(SAID_AMONG_OTHERS.values()):
        text = AROUND.format(
            told, "Then the printer of the third floor broke, and we had lunch with the new colleagues."
        )
        memory.capture_said([{"role": "user", "content": text}], session=f"s{number}")
    memory.unasked.steer(threshold=0.01)
    counts: dict[str, int] = {}
    for asked, told in SAID_AMONG_OTHERS.items():
        first = memory.unasked.give_answers(asked, session=asked)
        counts[asked] = first.text.count(told)
        memory.unasked.note_given(first, session=asked)
        again = memory.unasked.give_answers(asked, session=asked)
        assert told not in again.text
    assert counts == dict.fromkeys(SAID_AMONG_OTHERS, 1)


def test_what_else_a_message_says_is_given_though_the_candidate_of_it_was_shown(memory: Memory) -> None:
    said = "We decided that the retry limit of the queue is five. The coffee machine is called Bertha by everyone."
    memory.capture_said([{"role": "user", "content": said}], session="s1")
    first = memory.unasked.give_answers("What is the retry limit of the queue?", session="other")
    memory.unasked.note_given(first, session="other")
    other = memory.unasked.give_answers("What is the coffee machine called by everyone?", session="other")
    assert "Bertha" in other.text
    assert first.text.count("retry limit of the queue is five") == 1


def test_what_says_more_is_given_rather_than_what_says_less(memory: Memory) -> None:
    memory.remember("Deploys of the gateway happen on Tuesdays.")
    memory.remember("Deploys of the gateway happen on Tuesdays and Fridays.")
    text = memory.unasked.give_answers("When do deploys of the gateway happen?").text
    assert "Tuesdays and Fridays" in text


def test_what_sessions_were_shown_is_let_go_of_in_time(memory: Memory, clock: Any) -> None:
    memory.remember("Never push to main.", kind="rule")
    for session in ("a", "b"):
        memory.unasked.note_given(memory.unasked.give_brief(resumed=session), session=session)
        clock.now += timedelta(days=31)
    with memory.core.store.read() as view:
        assert sorted(view.kept(SHOWN)) == ["b"]


def test_of_those_who_answer_a_session_at_one_moment_one_does_and_the_others_are_told(memory: Memory) -> None:
    end = memory.unasked.begin("s", "prompt", "Which queue?")
    assert end is not None
    others = [
        ("s", "prompt", "Which queue?"),
        ("s", "prompt", "Which?"),
        ("s", "start", ""),
        ("t", "prompt", "Which queue?"),
    ]
    begun = [memory.unasked.begin(*other) for other in others]
    assert [one is not None for one in begun] == [False, True, True, True]
    for one in (end, *begun):
        if one is not None:
            one()
    again = memory.unasked.begin("s", "prompt", "Which queue?")
    assert again is not None
    again()
    assert None not in [memory.unasked.begin(None, "prompt", "Which queue?") for _ in range(2)]


def test_a_session_that_was_compacted_has_its_brief_anew_but_not_twice_at_once(memory: Memory, clock: Clock) -> None:
    memory.remember("Releases are cut on Thursdays.", kind="decision")
    given: list[bool] = []
    for anew, seconds in ((None, 0), ("compact", 0), ("compact", 1), ("clear", 1), ("clear", 6)):
        clock.now += timedelta(seconds=seconds)
        brief = memory.unasked.give_brief(resumed="s", anew=anew)
        given.append(bool(brief.text))
        if brief.text:
            memory.unasked.note_given(brief, session="s", anew=anew)
    assert given == [True, True, False, True, True]


@pytest.mark.parametrize("project", ["gateway", None])
def test_a_prompt_is_told_what_is_of_a_project_and_what_holds_for_all(memory: Memory, project: str | None) -> None:
    memory.remember("Deploys of the gateway happen on Tuesdays.", project="gateway")
    memory.remember("The staging host is called stage-3.internal.")
    asked = ("When do deploys of the gateway happen?", "What is the staging host called?")
    own, shared = (memory.unasked.give_answers(one, project=project).text for one in asked)
    assert ("Tuesdays" in own, "· gateway ·" in own) == (True, True)
    assert ("stage-3" in shared, "gateway" in shared) == (True, False)


@pytest.mark.parametrize("waiting", ["what answers", "what does not"])
def test_prompts_are_answered_while_part_of_a_memory_waits_for_vectors(
    open_memory: Callable[..., Memory], waiting: str
) -> None:
    memory = open_memory(embedder="bundled")
    facts, others = [fact for fact, _ in SESSIONS], [one.messages[0].text for one in excerpts()][:40]
    first, second = (others, facts) if waiting == "what answers" else (facts, others)
    for text in first:
        memory.remember(text)
    memory.embed_waiting()
    for text in second:
        memory.remember(text)
    assert memory.count_waiting() > len(second) // 2
    given = {fact: memory.unasked.give_answers(question).text for fact, question in SESSIONS}
    assert sum(fact in text for fact, text in given.items()) >= 12
