"""Does a brief say what is worth knowing, and no more than asked for?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest
from tests.conftest import NOON

from recollect import InvalidInput, Memory
from recollect.retrieve.context import estimate_tokens


def sections(memory: Memory, **asked: object) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for noted in memory.brief(**asked).notes:  # type: ignore[arg-type]  # passed on as given
        found.setdefault(noted.section, []).append(noted.record.text)
    return found


def fill(memory: Memory) -> None:
    memory.remember_many(
        [
            {"text": "Never log signed playback URLs."},
            {"text": "Mira prefers short answers.", "event_time": NOON - timedelta(days=400)},
            {"text": "Das Team deployt nie am Freitag."},
            {"text": "We decided to leave Kafka for NATS.", "event_time": NOON - timedelta(days=3)},
            {"text": "SQLite stays the default.", "kind": "decision", "event_time": NOON - timedelta(days=9)},
            {"text": "Move the billing tables.", "status": "open", "kind": "work_item"},
            {"text": "TODO: rotate the signing keys."},
            {"text": "The emergency number is 555-0199.", "tags": ["pinned"]},
            {"text": "The gateway runs in Frankfurt.", "importance": 0.9},
            {"text": "Lunch was late today.", "importance": 0.1},
            {"text": "Use pnpm in the shop.", "memory_type": "procedural", "project": "shop"},
            {"text": "Use cargo in the depot.", "memory_type": "procedural", "project": "depot"},
            {"text": "def main(): ...", "kind": "code"},
        ]
    )


def test_what_is_worth_knowing_stands_in_its_section(memory: Memory) -> None:
    fill(memory)
    assert sections(memory, project="shop") == {
        "pinned": ["The emergency number is 555-0199."],
        "rules": [
            "Use pnpm in the shop.",
            "Das Team deployt nie am Freitag.",
            "Never log signed playback URLs.",
            "Mira prefers short answers.",
        ],
        "decisions": ["We decided to leave Kafka for NATS.", "SQLite stays the default."],
        "open": ["TODO: rotate the signing keys.", "Move the billing tables."],
        "important": ["The gateway runs in Frankfurt.", "Lunch was late today."],
    }


def test_every_line_has_a_date_and_an_id_and_the_budget_is_kept(memory: Memory) -> None:
    fill(memory)
    memory.remember("The long one. " * 400, importance=1.0)
    for budget in (60, 120, 250, 800):
        brief = memory.brief(budget_tokens=budget)
        lines = [line for line in brief.text.splitlines() if line.startswith("- ")]
        assert estimate_tokens(brief.text) <= budget
        assert all(re.match(r"- \[\w+\] \(\d{4}-\d\d-\d\d.*\) \S", line) for line in lines)
        assert len(lines) == len(brief.notes) > 0
        assert brief.left_out == memory.count() - len(lines)
    assert len(memory.brief(limit=3).notes) == 3


def test_no_section_crowds_out_the_others(memory: Memory) -> None:
    memory.remember_many([{"text": f"Never touch the {name} table in production."} for name in map(str, range(200))])
    memory.remember_many([{"text": f"Pinned thing of the number {n}.", "tags": ["pinned"]} for n in range(60)])
    memory.remember("We decided to buy the harbour crane.")
    memory.remember("Order the crane.", status="open")
    assert {"pinned", "rules", "decisions", "open"} <= sections(memory, budget_tokens=400).keys()


@pytest.mark.parametrize("question", [None, "what should I know?", "Was weißt du über dieses Projekt?"])
def test_a_recall_that_asks_nothing_in_particular_gives_the_brief(memory: Memory, question: str | None) -> None:
    fill(memory)
    answer = memory.recall(question, budget_tokens=500, limit=20)
    assert answer.signals.brief
    assert answer.context == memory.brief(budget_tokens=500, limit=20).text
    assert [hit.record for hit in answer] == [noted.record for noted in memory.brief(budget_tokens=500, limit=20).notes]
    assert len(memory.recall(question, limit=2)) == 2
    assert not memory.recall("what should I know about Kafka?").signals.brief


def test_a_hit_of_a_brief_scores_its_importance_and_no_likelihood(memory: Memory) -> None:
    memory.remember("Always wear a helmet in the shed.", importance=0.3)
    memory.remember("The cat sleeps in the shed.", importance=0.8)
    told = memory.recall("what should I know?", min_score=0.95)
    assert [(hit.score, hit.why.importance) for hit in told] == [(0.3, 0.3), (0.8, 0.8)]


def test_a_general_question_keeps_to_its_filters(memory: Memory) -> None:
    fill(memory)
    assert [hit.record.text for hit in memory.recall("what do you know?", kinds=["decision"])] == [
        "SQLite stays the default."
    ]
    since = memory.recall(since=NOON - timedelta(days=4), until=NOON - timedelta(days=2))
    assert [hit.record.text for hit in since] == ["We decided to leave Kafka for NATS."]
    told = memory.recall("what do you know about this project?", project="depot", limit=50)
    assert {hit.record.project for hit in told} == {"depot", None}


def test_of_two_records_that_contradict_only_the_newer_is_told(memory: Memory) -> None:
    memory.remember("The gateway listens on port 8080.", importance=0.9)
    memory.remember("The gateway listens on port 9090.")
    assert sections(memory) == {"important": ["The gateway listens on port 9090."]}


def test_what_was_changed_since_is_told_as_it_is_now_though_there_is_no_room_for_both(memory: Memory) -> None:
    changed = {
        "My mother moved into the Lindenhof residence, room 212.": "My mother lives in Lindenhof residence, room 118.",
        "We decided that the gateway listens on port 8080.": "The gateway listens on port 9090 now.",
        "We switched the backup to Friday at 22:00.": "The backup runs on Sunday at 23:00 now.",
    }
    for before, after in changed.items():
        memory.remember(before, event_time=NOON - timedelta(days=90))
        memory.remember(after, event_time=NOON - timedelta(days=2), importance=0.1)
    memory.remember_many([{"text": f"The harbour has {n} cranes of type {n}.", "importance": 0.9} for n in range(80)])
    for budget in (150, 400, 800):
        text = memory.brief(budget_tokens=budget).text
        assert not [before for before in changed if before in text]
    assert sections(memory)["decisions"] == list(reversed(changed.values()))


def test_a_small_brief_has_rules_and_open_work_before_what_is_only_important(memory: Memory) -> None:
    memory.remember_many([{"text": f"Lotte wears shoes of size {n}.", "importance": 0.9} for n in (29, 31)])
    memory.remember("Never send invoices on a Sunday.")
    memory.remember("Call the plumber.", status="open")
    assert set(sections(memory, budget_tokens=100)) >= {"rules", "open"}


def test_what_had_to_be_done_once_is_no_rule(memory: Memory) -> None:
    once = ["Papa must lose one kilo.", "The tax must be paid in November.", "Das Gepäck muss extra gebucht werden."]
    rules = [
        "All commits must be signed.",
        "Rezepte müssen vor Freitag bestellt werden.",
        "Guests must not smoke here.",
    ]
    memory.remember_many([{"text": text} for text in (*once, *rules)])
    assert set(sections(memory)["rules"]) == set(rules)


def test_what_is_forbidden_is_a_rule_and_what_merely_is_not_so_is_none(memory: Memory) -> None:
    rules = [
        "Do not give the fitters the master key, they lose it.",
        "The cat is not allowed on the kitchen table.",
        "Candles are banned in the hall since the fire.",
        "Ask Ines first. Don't ring the landlord yourself.",
        "Der Hund darf im Laden nicht frei laufen.",
        "Rauchen ist auf dem Boot verboten.",
        "Il est interdit de laver les voitures dans la cour.",
        "Está prohibido aparcar delante del garaje.",
        "浴室内禁止吸烟。",
        "No glass bottles on board.",
        "No more rush jobs over a weekend.",
        "Gallery five is fragile. No flash, no tripods.",
        "Kein Patientendatum verlässt das Haus per E-Mail.",
        "Im Keller dürfen keine Farben stehen.",
        "Pas de vélos dans la cour.",
        "Geen honden in de winkel.",
    ]
    told = [
        "The plumber did not come on Monday.",
        "Blom's offer does not include the paint.",
        "Der Drucker geht nicht mehr.",
        "I don't know where the ladder is.",
        "No answer from the bank yet.",
        "Asked for a dog. No.",
        "Room 4 has no network socket.",
        "There was no longer any bread. No need to hurry.",
    ]
    memory.remember_many([{"text": text} for text in (*rules, *told)])
    assert set(sections(memory, limit=40, budget_tokens=4_000)["rules"]) == set(rules)


def test_rules_that_forbid_are_found_among_many_other_notes(memory: Memory) -> None:
    memory.remember("Do not sell the green bicycle.", importance=0.1)
    memory.remember_many(
        [{"text": f"Crate {n} holds apples of the kind {n * 7}.", "importance": 0.9} for n in range(90)]
    )
    assert sections(memory)["rules"] == ["Do not sell the green bicycle."]


def test_old_rules_are_not_crowded_out_of_a_brief_by_what_was_noted_since(memory: Memory) -> None:
    rules = [
        "Never send layered source files to a client; flattened pictures only.",
        "Do not lend the Bach originals to anybody, however well we know them.",
        "No calls before nine, and none at all on Sundays or on holidays.",
        "I am allergic to the old fixative; use the one in the blue can.",
        "Dana prefers to meet in the morning, best of all before the mail comes.",
        "Candles are banned in the hall since the curtain caught fire last year.",
        "Always ask Ines before money is spent on anything above two hundred.",
    ]
    since = [
        "The piano was tuned by Mr Abara.", "Blom Travel has coaches with fifty seats.", "Flyers come from Quickpress.",
        "Helmer cleans the robes.", "Gudrun lives above the bakery.", "Lights are in box 4.", "Amina sings the solo.",
        "The account is at the Harbour Bank.", "Tea is served in the foyer.", "Tickets cost twelve euros.",
        "Parking is behind the church.", "Beth writes the newsletter.", "Per looks after the website.", "Fauré opens.",
        "Microphones belong to Saint Mark.", "Oluf keeps the minutes.", "Chairs arrive on Thursday at noon.",
        "Programme paper is cream coloured.", "Applause is recorded by the radio.", "Nina paints the posters by hand.",
    ]  # fmt: skip
    memory.remember_many([{"text": text, "event_time": "2026-01-10"} for text in rules])
    memory.remember_many([{"text": text, "event_time": "2026-05-10"} for text in since])
    found = sections(memory)
    assert set(found["rules"]) == set(rules)
    assert len(found["important"]) >= 5


def test_a_store_of_conversations_alone_has_a_brief_too(memory: Memory) -> None:
    messages = [{"role": "user", "content": "I moved to Porto."}, {"role": "assistant", "content": "Noted."}]
    memory.ingest_conversation(messages, session="s1")
    assert "I moved to Porto." in memory.brief().text


def test_a_brief_of_nothing_is_empty_and_a_wrong_budget_is_an_error(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    assert (memory.brief().text, memory.brief().notes, memory.recall().context) == ("", (), "")
    with pytest.raises(InvalidInput, match="budget_tokens"):
        memory.brief(budget_tokens=0)


BOTH_HOLD = [
    ("The car is red.", "The car is in the garage."),
    ("Ana speaks Czech.", "Ana speaks Turkish."),
    ("Leo plays the cello.", "Leo plays chess."),
    ("Room 12 has a projector.", "Room 14 has a whiteboard."),
    ("There are 14 nodes in production.", "There are 16 nodes in staging."),
    ("The cabin is cold.", "The cabin is near Oslo."),
    ("Ruth owns the billing service.", "Ruth owns the search service."),
    ("Omar is allergic to nuts.", "Omar is allergic to pollen."),
    ("The parser supports YAML.", "The parser supports TOML."),
    ("The shop sells bread.", "The shop is closed."),
    ("We visited Rome.", "We visited Turin."),
    ("Ivo likes jazz.", "Ivo likes sailing."),
]


def test_two_statements_that_say_different_things_of_one_both_stand_in_a_brief(memory: Memory) -> None:
    for place, pair in enumerate(BOTH_HOLD):
        for text in pair:
            memory.remember(text, space=f"pair-{place}", compare=False)
        shown = {noted.record.text for noted in memory.brief(space=f"pair-{place}").notes}
        assert shown == set(pair)


@pytest.mark.parametrize(
    ("question", "section"),
    [
        ("what are the open todos?", "open"), ("was ist noch offen?", "open"), ("que reste-t-il à faire ?", "open"),
        ("which rules do we have?", "rules"), ("welche Regeln gelten?", "rules"), ("我们有哪些规则?", "rules"),
        ("what did we decide lately?", "decisions"), ("¿qué decidimos últimamente?", "decisions"),
        ("какие решения мы приняли?", "decisions"),
    ],
)  # fmt: skip
def test_a_question_for_one_section_is_answered_by_it(memory: Memory, question: str, section: str) -> None:
    fill(memory)
    answer = memory.recall(question)
    assert [hit.record.text for hit in answer] == sections(memory)[section]
    assert answer.signals.brief


@pytest.mark.parametrize(
    "question",
    ["what did we decide about Kafka?", "which rules apply to playback URLs?", "which tasks are Mira's?", "rules"],
)
def test_a_question_for_something_in_a_section_is_searched_for(memory: Memory, question: str) -> None:
    fill(memory)
    assert not memory.recall(question).signals.brief


def test_a_section_that_is_empty_is_searched_for(memory: Memory) -> None:
    memory.remember("The regulations are in the handbook; rulings too.")
    answer = memory.recall("which rules do we have?")
    assert (answer.signals.brief, len(answer)) == (False, 1)


def test_what_is_pinned_is_among_its_section_where_that_is_asked_for(memory: Memory) -> None:
    memory.remember("Never deploy on Fridays.", tags=["pinned"])
    assert [hit.record.text for hit in memory.recall("what are our rules?")] == ["Never deploy on Fridays."]


def test_numbered_lines_are_told_by_what_stands_above_them_and_shown_whole(memory: Memory) -> None:
    steps = [
        f"{at}. {text}"
        for at, text in enumerate(["Preheat the oven.", "Never open it early.", "We decided on rye."], 1)
    ]
    memory.remember("\n".join(steps))
    memory.remember("\n".join(["Rule for bread:", *steps]))
    long = [f"{at}) Step number {at} takes exactly {at * 7} minutes." for at in range(1, 30)]
    memory.remember("\n".join(long))
    assert set(sections(memory)) == {"important", "rules"}
    assert "\n".join(["Rule for bread:", *steps]) in sections(memory)["rules"]
    shown = next(noted.text for noted in memory.brief().notes if noted.record.text.startswith("1)"))
    assert shown.endswith("minutes. …")


CALLED = {
    "open": [
        "Open: who pays for the hall?", "Open points\n1. oven\n2. bench", "open question: which licence",
        "Next steps are the roof and the door", "To-do: call Ugo", "[open] gutter drips", "Next up: paint",
        "Offene Punkte: Dach, Tür", "Next: timber", "Offen ist noch die Rechnung", "Nächste Schritte: Dach",
        "Reste à faire : les rideaux", "Tareas pendientes: pagar la luz",
        "Fair\n- [x] cloth\n- [ ] card reader", "[ ] price tags", "Da fare: chiamare Ugo",
    ],
    "rules": [
        "Rules of the sauna: towel, quiet", "House rules: shoes off", "Policies: refunds within 14 days",
        "Our refund policy: 14 days", "Conventions: snake_case, tabs", "Guidelines for guests: knock first",
        "Regeln: Platz sauber verlassen", "Règles de la piscine : douche", "Las reglas del taller: limpiar al salir",
        "Le regole della casa: scarpe fuori", "As regras: silêncio", "De regels: fietsen in de schuur",
        "Правила бассейна: шапочка", "Non mangia mai carne",
    ],
    "important": [
        "Open Tuesdays 17–20", "Open from 9 to 5", "Open-air cinema starts at 21:30", "Open House on Sunday",
        "Next door lives Frau Quade", "Next standup is on Monday", "next of kin: Mara", "Next train 8:14",
        "Offen von 9 bis 17 Uhr", "Impfung am 12. Mai", "im Mai fahren wir nach Rom", "Le 8 mai est férié",
        "Geburtstag: 14 Mai 1961", "Mai 2027 läuft der Pass ab", "seit Mai wohnt Ugo hier",
        "Liability insurance: Concordia, policy 77-1203", "Life insurance policy with Alba", "car policy no. 44-812",
    ],
}  # fmt: skip


def test_what_is_called_a_rule_or_open_is_told_from_months_shops_and_insurers(memory: Memory) -> None:
    for section, texts in CALLED.items():
        for place, text in enumerate(texts):
            memory.remember(text, space=f"{section}-{place}")
            assert sections(memory, space=f"{section}-{place}") == {section: [text]}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("which rules do we have?", "Review rules: two approvals, small changes"),
        ("what are the house rules?", "House rules: shoes off, bed by nine"),
        ("welche Regeln haben wir?", "Regeln: Platz sauber verlassen, Licht aus"),
    ],
)
def test_of_rules_those_come_first_that_are_called_as_they_were_asked_for(
    memory: Memory, question: str, first: str
) -> None:
    memory.remember_many(
        [
            {"text": "House rules: shoes off, bed by nine", "event_time": NOON - timedelta(days=30)},
            {"text": "Regeln: Platz sauber verlassen, Licht aus", "event_time": NOON - timedelta(days=20)},
            {"text": "Review rules: two approvals, small changes", "event_time": NOON - timedelta(days=10)},
            {"text": "The landlord wants mail, not calls."},
            {"text": "Never open the kiln above 90 degrees."},
        ]
    )
    assert memory.recall(question)[0].record.text == first


NAMES = ("Halden", "Berg", "Stein", "Moreau")
SERVICES = ("orders", "billing", "search", "mail", "login", "report", "stock", "chat")


def test_open_work_and_decisions_that_differ_in_what_they_are_about_all_stand_in_a_brief(memory: Memory) -> None:
    work = [f"TODO: send the invoice to {name}." for name in NAMES]
    decided = [f"Decision: the {name} service is deployed on Tuesdays." for name in SERVICES]
    for text in (*work, *decided):
        memory.remember(text)
    assert sections(memory) == {"decisions": decided[::-1], "open": work[::-1]}
    assert {hit.record.text for hit in memory.recall("what is left to do?")} == set(work)


def test_a_note_that_says_more_is_not_left_out_for_a_newer_one_that_says_less(memory: Memory) -> None:
    both = ["TODO: send the yearly invoice for the boat house to Halden and Moreau.",
            "TODO: send the yearly invoice for the boat house to Halden."]  # fmt: skip
    for text in both:
        memory.remember(text)
    assert sections(memory) == {"open": both[::-1]}


@pytest.mark.parametrize("question", ["what is forbidden?", "what am I not allowed to do?", "Was ist hier verboten?"])
def test_what_is_forbidden_is_asked_of_the_rules_and_told_first(memory: Memory, question: str) -> None:
    for text in ("Anna likes jam.", "We never water at noon.", "No bonfires.", "Glyphosate is not allowed."):
        memory.remember(text)
    memory.remember("The cabin has a stove.")
    told = [hit.record.text for hit in memory.recall(question)]
    assert told == ["Glyphosate is not allowed.", "No bonfires.", "We never water at noon.", "Anna likes jam."]
    assert not memory.recall("what is forbidden in the cabin?").signals.brief


def test_in_a_small_brief_what_is_forbidden_stands_before_what_is_liked(memory: Memory) -> None:
    bans = ["Plot 14: no bonfires.", "Glyphosate is not allowed on the plots.", "Sprinklers are banned in August."]
    for text in bans:
        memory.remember(text)
    memory.remember_many([{"text": f"{name} likes {what}.", "kind": "preference"} for name, what in
                          zip("Anna Omar Ruth Ivo Mira Lena Jan Tom".split(),
                              "jam figs kale mint plums leeks peas beans".split(), strict=True)])  # fmt: skip
    memory.remember("Garlic planted on 12 October, never watered since.")
    told = [noted.record.text for noted in memory.brief(budget_tokens=300).notes]
    assert set(told[:3]) == set(bans)
    assert len(told) > 4
    assert not [text for text in told if text.startswith("Garlic")]


def test_where_no_open_work_is_known_that_is_said(memory: Memory) -> None:
    for text in ("The ferry to Vis leaves at nine.", "Work on the roof was done in May.", "Anna has a red boat."):
        memory.remember(text)
    told = memory.recall("what is still to do?")
    assert (len(told), told.signals.brief) == (0, False)
    assert (told.signals.problem or "").startswith("no open work is known")
    memory.remember("The tasks of the choir are sung in May.")
    memory.remember("We still need to do the tasks of the boat house.")
    assert [hit.record.text for hit in memory.recall("which tasks are open?")] == [
        "We still need to do the tasks of the boat house."
    ]


def test_a_brief_of_few_records_has_some_of_each_section(memory: Memory) -> None:
    for n, tool in enumerate(("saw", "drill", "lathe", "router", "sander", "grinder", "press", "torch")):
        memory.remember(f"Never touch the {tool} without gloves.")
        memory.remember(f"TODO: oil the {tool}.")
        memory.remember(f"Decided: the {tool} stands in bay {n}.")
        memory.remember(f"The {tool} was bought from Holm & Sons in 20{n + 10}.")
    sections = Counter(noted.section for noted in memory.brief(limit=10).notes)
    assert sections.total() == 10
    assert min(sections[section] for section in ("rules", "decisions", "open", "important")) >= 1
    assert sections["open"] >= 2


def test_open_work_comes_before_what_is_only_important_where_there_is_no_room_for_both(memory: Memory) -> None:
    tasks = ("Prune the roses", "Paint the fence", "Order gravel", "Mend the gate", "Call the roofer")
    for task in tasks:
        memory.remember(task, status="open")
    for fact in ("Butter costs 6.10 euros.", "The cat is called Miso.", "The bus stops at the mill."):
        memory.remember(fact)
    shown = memory.brief(budget_tokens=200)
    assert {noted.record.text for noted in shown.notes if noted.section == "open"} == set(tasks)
    assert any(noted.section == "important" for noted in memory.brief(budget_tokens=400).notes)
