"""Do entities, relations and mentions lead where they should?"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import msgspec
import pytest

from recollect import Memory, NotFound
from recollect.engine.graph.named import meant


def objects(memory: Memory, subject: str, **more: object) -> list[str]:
    return [fact.object for fact in memory.facts(subject, **more)]  # type: ignore[arg-type]


def test_an_entity_is_made_once_and_added_to(memory: Memory) -> None:
    first = memory.entity("Ada Lovelace", type="person", aliases=["Countess"], metadata={"born": 1815})
    again = memory.entity("Ada Lovelace", description="wrote notes", aliases=["AAL"], metadata={"died": 1852})
    assert again == msgspec.structs.replace(
        first, description="wrote notes", aliases=("Countess", "AAL"), metadata={"born": 1815, "died": 1852},
        version=again.version, recorded_at=again.recorded_at,
    )  # fmt: skip
    assert memory.entity("Countess") == memory.entity("AAL") == memory.entity("Ada Lovelace")
    assert [change.verb for change in memory.journal(newest_first=False)] == ["create", "name", "describe"]


def test_naming_what_is_known_by_an_alias_changes_nothing(memory: Memory) -> None:
    memory.entity("Ada Lovelace", aliases=["Countess"])
    before = memory.journal()
    memory.entity("Countess")
    assert memory.journal() == before


def test_a_fact_that_replaces_ends_the_one_before(memory: Memory, clock) -> None:
    first = memory.relate("Ada", "lives in", "London", weight=0.5, confidence=0.9, provenance="letter")
    then = clock.advance(days=1)
    second = memory.relate("Ada", "lives in", "Paris")
    memory.relate("Ada", "knows", "Babbage")
    assert objects(memory, "Ada") == ["Paris", "Babbage"]
    assert objects(memory, "Ada", predicate="lives in", active=False) == ["London", "Paris"]
    assert objects(memory, "Ada", as_of=then) == ["London"]
    ended = memory.facts("Ada", predicate="lives in", active=False)[0].relation
    assert ended == msgspec.structs.replace(
        first, valid_until=second.valid_from, version=ended.version, recorded_at=ended.recorded_at
    )


JOBS = [("Initech", "2020"), ("Acme", "2022"), ("Globex", "2024")]


@pytest.mark.parametrize(
    "order", list(itertools.permutations(JOBS)), ids=lambda order: ",".join(one for one, _ in order)
)
def test_history_may_be_told_in_any_order(memory: Memory, order: tuple[tuple[str, str], ...]) -> None:
    for job, since in order:
        memory.relate("Mira", "works at", job, valid_from=since)
    years = ("2019", "2021", "2023", "2025")
    assert [objects(memory, "Mira", true_at=year) for year in years] == [[], ["Initech"], ["Acme"], ["Globex"]]
    assert objects(memory, "Mira") == ["Globex"]
    told = memory.last_entry()
    for job, since in order:
        memory.relate("Mira", "works at", job, valid_from=since)
    assert memory.last_entry() == told  # what is stated already is left as it is


def test_a_fact_ends_where_a_coming_one_begins_unless_it_says_until_when_it_holds(memory: Memory) -> None:
    memory.relate("Mira", "lives in", "Porto", valid_from="2030-01-01T00:00:00Z")
    now = memory.relate("Mira", "lives in", "Lyon")
    assert now.valid_until is not None
    assert now.valid_until.isoformat() == "2030-01-01T00:00:00+00:00"
    longer = memory.relate("Mira", "lives in", "Rome", valid_until="2031-01-01T00:00:00Z")
    assert longer.valid_until is not None
    assert longer.valid_until.year == 2031
    assert memory.relate("Mira", "knows", "Ben", replaces=False).valid_until is None


def test_facts_stand_side_by_side_when_asked_to(memory: Memory) -> None:
    memory.relate("Ada", "speaks", "English", replaces=False)
    memory.relate("Ada", "speaks", "French", replaces=False)
    assert objects(memory, "Ada") == ["English", "French"]
    memory.relate("Ada", "speaks", "Latin")
    assert objects(memory, "Ada") == ["Latin"]


@pytest.mark.parametrize(("one", "other"), [("parse", "Parse"), ("API", "api"), ("a b", "a  b"), ("straße", "strasse")])
def test_names_count_letter_by_letter(memory: Memory, one: str, other: str) -> None:
    memory.relate(one, "is", "old")
    assert memory.find_entities(other) == []
    assert memory.facts(other) == []
    memory.relate(other, "is", "new")
    assert (objects(memory, one), objects(memory, other)) == (["old"], ["new"])
    assert [entity.name for name in (one, other) for entity in memory.find_entities(name)] == [one, other]


def test_what_people_mean_is_found_in_any_case_and_exactly_where_both_exist(memory: Memory) -> None:
    upper = memory.entity("API")
    assert (meant(memory.core, "api"), meant(memory.core, "Api"), meant(memory.core, "nobody")) == (
        upper.id,
        upper.id,
        "nobody",
    )
    lower = memory.entity("api")
    assert (meant(memory.core, "api"), meant(memory.core, "API")) == (lower.id, upper.id)


def test_records_lead_to_every_entity_of_a_name(memory: Memory) -> None:
    memory.remember("The api gateway was restarted.")
    for name, owner in (("API gateway", "Ana"), ("api gateway", "Bo")):
        memory.relate(name, "is run by", owner)
        memory.remember(f"{owner} is on holiday.")
    found = [record.text for record, _ in memory.pagerank(["api gateway"])]
    assert {"The api gateway was restarted.", "Bo is on holiday.", "Ana is on holiday."} <= set(found)


def test_stating_a_fact_twice_states_it_once(memory: Memory) -> None:
    first = memory.relate("Ada", "lives in", "London")
    before = memory.journal()
    assert memory.relate("Ada", "lives in", "London") == first
    assert memory.journal() == before
    assert memory.relate("Ada", "lives in", "London", weight=0.5) != first


def test_a_fact_holds_from_and_until_when_it_was_said_to(memory: Memory, clock) -> None:
    memory.relate("Ada", "works at", "Lab", valid_from="2026-06-01T00:00:00Z", valid_until="2026-07-01T00:00:00Z")
    assert objects(memory, "Ada") == []
    clock.advance(days=30)
    assert objects(memory, "Ada") == ["Lab"]
    clock.advance(days=30)
    assert objects(memory, "Ada") == []
    assert objects(memory, "Ada", active=False) == ["Lab"]


def test_neighbours_are_walked_breadth_first_in_the_direction_asked_for(memory: Memory) -> None:
    for subject, object_ in (("A", "B"), ("B", "C"), ("C", "D"), ("X", "A")):
        memory.relate(subject, "to", object_)
    around = memory.neighbors("A", depth=2)
    names = {entity.id: entity.name for entity in around.entities}
    assert {names[id]: distance for id, distance in around.distances.items()} == {"A": 0, "B": 1, "X": 1, "C": 2}
    assert around.entities[0] == around.start
    assert len(around.relations) == 3
    outgoing = memory.neighbors("A", depth=10, direction="outgoing")
    assert [entity.name for entity in outgoing.entities] == ["A", "B", "C", "D"]
    assert [entity.name for entity in memory.neighbors("A", direction="incoming").entities] == ["A", "X"]
    assert memory.neighbors("A", depth=0).relations == ()


def test_an_entity_that_was_not_known_yet_has_no_neighbours_then(memory: Memory) -> None:
    memory.relate("A", "to", "B")
    with pytest.raises(NotFound, match="not known yet"):
        memory.neighbors("A", as_of="2020-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("We met Grace Hopper at noon.", "Grace Hopper"),
        ("the parser lives in os.path now", "os.path"),
        ("call get_user_name first", "get_user_name"),
        ('they said "blue heron" twice', "blue heron"),
        ("see @octavia about #launch", "@octavia"),
        ("私は東京に住んでいます", "東京"),
        ("we ship C++ only", "C++"),
        ("party 🎉 tonight", "🎉"),
        ("京都は古い都です", "都"),
    ],
)
@pytest.mark.parametrize("entity_first", [True, False])
def test_records_are_linked_to_the_names_they_mention(memory: Memory, text: str, name: str, entity_first: bool) -> None:
    if entity_first:
        memory.entity(name)
    memory.remember(text, id="a")
    memory.remember("Nothing of the kind.", id="b")
    memory.entity(name)
    assert [record.id for record in memory.mentioning(name)] == ["a"]
    memory.reindex()
    assert [record.id for record in memory.mentioning(name)] == ["a"]


def test_an_alias_that_becomes_known_later_links_what_was_there(memory: Memory) -> None:
    memory.remember("the countess wrote notes", id="a")
    memory.entity("Ada Lovelace")
    assert memory.mentioning("Ada Lovelace") == []
    memory.entity("Ada Lovelace", aliases=["the countess"])
    assert [record.id for record in memory.mentioning("ada lovelace")] == ["a"]


def test_undoing_a_name_unlinks_it_and_undoing_that_links_it_again(memory: Memory) -> None:
    memory.remember("the countess wrote notes", id="a")
    memory.entity("the countess")
    named = memory.journal(limit=1)[0]
    undone = memory.undo(named)
    assert memory.mentioning("the countess") == []
    memory.undo(undone)
    assert [record.id for record in memory.mentioning("the countess")] == ["a"]


def test_no_name_is_seen_inside_another_word_of_a_text_in_two_scripts(memory: Memory) -> None:
    memory.entity("ana")
    memory.remember("私はbananaが好き", id="a")
    assert memory.mentioning("ana") == []


def test_pagerank_reaches_records_through_relations_and_mentions(memory: Memory) -> None:
    memory.relate("Grace Hopper", "invented", "COBOL")
    memory.remember("COBOL still runs the bank.", id="far")
    memory.remember("Grace Hopper found a moth.", id="near")
    memory.remember("Tea is a drink.", id="none")
    ranked = memory.pagerank(["Grace Hopper"])
    assert [record.id for record, _ in ranked] == ["near", "far"]
    assert ranked[0][1] > ranked[1][1] > 0
    assert {record.id for record, _ in memory.pagerank(["near"])} == {"near", "far"}
    assert memory.pagerank(["nobody"]) == []


def tell(memory: Memory) -> None:
    memory.relate("Project Heron", "is led by", "Maria Ortiz")
    memory.relate("Maria Ortiz", "works from", "Lisbon")
    memory.remember("The Lisbon office closes early in summer.", id="office")
    for number in range(30):
        memory.remember(f"Ticket {number} about printer toner was closed.")


@pytest.mark.parametrize("embedder", ["none", "bundled"])
def test_recall_reaches_a_memory_two_hops_away_that_shares_no_word_with_the_question(
    open_memory: Callable[..., Memory], embedder: str
) -> None:
    memory = open_memory(embedder=embedder)
    tell(memory)
    hits = memory.recall("When can I call someone about Project Heron?")
    found = {hit.record.id: hit for hit in hits}
    assert "office" in found
    assert found["office"].why.graph > 0


def test_the_graph_signal_reaches_a_memory_two_hops_away(memory: Memory) -> None:
    tell(memory)
    answer = memory.recall("office of Project Heron", facts=False)
    assert answer[0].record.id == "office"
    assert answer[0].why.graph == 1.0
    assert answer.signals.graph_candidates == 1


def test_spaces_have_graphs_of_their_own(memory: Memory) -> None:
    memory.relate("Ada", "lives in", "London", space="one")
    assert memory.facts("Ada", space="two") == []
    assert objects(memory, "Ada", space="one") == ["London"]
    assert memory.facts(space="one")[0].subject == "Ada"


def test_what_no_longer_holds_is_neither_mentioned_nor_walked_to(memory: Memory, clock) -> None:
    memory.remember("Grace Hopper found a moth.", id="old")
    memory.remember("Grace Hopper taped a moth.", id="new")
    then = clock.advance(minutes=1)
    memory.remember("Grace Hopper retired.", id="late")
    memory.invalidate("old", superseded_by="new")
    assert [record.id for record in memory.mentioning("Grace Hopper")] == ["late", "new"]
    assert {record.id for record, _ in memory.pagerank(["Grace Hopper"])} == {"late", "new"}
    assert "late" not in {record.id for record, _ in memory.pagerank(["Grace Hopper"], as_of=then)}
