"""Palaces, rooms, drawers, layers and triples, on a real store."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import InvalidInput, Memory, NotFound
from recollect.contracts.trusty_memory.palaces import (
    IDENTITY_ID,
    Created,
    Deleted,
    MalformedId,
    Palaces,
    Refused,
    Stored,
    parse_uuid,
    random_uuid,
)
from recollect.engine.care.identity import set_identity

OTHER = "a3f1c2d4-1234-5678-9abc-def012345678"


def texts(drawers: Any) -> list[str]:
    return [drawer.content for drawer in drawers]


# Drawers and rooms


def test_a_drawer_gets_a_random_uuid() -> None:
    ids = {random_uuid() for _ in range(100)}
    assert len(ids) == 100
    assert all(re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", id) for id in ids)


@pytest.mark.parametrize("form", [OTHER, OTHER.upper(), OTHER.replace("-", ""), f"{{{OTHER}}}", f"urn:uuid:{OTHER}"])
def test_a_uuid_is_understood_in_all_its_forms(form: str) -> None:
    assert parse_uuid(form) == OTHER


@pytest.mark.parametrize("form", ["", "a3f1c2d4-...", OTHER[:-1], f"{OTHER}0", "not-a-uuid"])
def test_what_is_no_uuid_is_not_taken_for_one(form: str) -> None:
    assert parse_uuid(form) is None


def test_remembering_makes_the_palace(palaces: Palaces) -> None:
    assert palaces.names().palaces == ()
    stored = palaces.remember("new", "The office is in Porto.")
    assert stored == Stored("00000000-0000-4000-8000-000000000001", "new", "stored")
    assert palaces.names().palaces == ("new",)


def test_the_same_text_in_one_room_is_one_drawer_with_all_tags(palaces: Palaces) -> None:
    first = palaces.remember(None, "Ship on Friday.", "Planning", ["a"])
    again = palaces.remember(None, "Ship on Friday.", "Planning", ["b", "a"])
    other = palaces.remember(None, "Ship on Friday.", "Meetings")
    assert first == again
    assert other.drawer_id != first.drawer_id
    (drawer,) = palaces.list_drawers(None, room="Planning").drawers
    assert drawer.tags == ("a", "b")


def test_a_text_that_recall_made_is_refused_and_says_why(palaces: Palaces) -> None:
    with pytest.raises(Refused, match="made by recall"):
        palaces.remember(None, '<recollect query="a">\nb\n</recollect>')


@pytest.mark.parametrize("room", ["Frontend", "Meetings", "General", "Ops on call"])
def test_a_room_is_an_exact_string(palaces: Palaces, room: str) -> None:
    palaces.remember(None, f"In {room}.", room)
    assert texts(palaces.list_drawers(None, room=room).drawers) == [f"In {room}."]
    assert texts(palaces.list_drawers(None, room=room.lower()).drawers) == []


def test_what_names_no_room_is_in_general(palaces: Palaces, memory: Memory) -> None:
    palaces.remember(None, "By default.")
    palaces.remember(None, "By name.", "General")
    memory.remember("By another contract.", space="home")
    palaces.remember(None, "Elsewhere.", "Backend")
    listed = texts(palaces.list_drawers(None, room="General").drawers)
    assert sorted(listed) == ["By another contract.", "By default.", "By name."]


def test_drawers_are_filtered_by_tag_and_cut_to_the_limit(palaces: Palaces) -> None:
    for number in range(60):
        palaces.remember(None, f"Note {number}.", tags=["even"] if number % 2 == 0 else ["odd"])
    assert len(palaces.list_drawers(None).drawers) == 50
    assert len(palaces.list_drawers(None, limit=100_000).drawers) == 60
    assert texts(palaces.list_drawers(None, tag="even", limit=2).drawers) == ["Note 58.", "Note 56."]


def test_drawers_are_listed_by_importance_now(palaces: Palaces, memory: Memory, clock: Any) -> None:
    palaces.remember(None, "Old and once important.")
    memory.remember("Important.", space="home", importance=0.9)
    clock.advance(days=90)
    palaces.remember(None, "Fresh.")
    listed = palaces.list_drawers(None).drawers
    assert [(drawer.content, drawer.importance) for drawer in listed] == [
        ("Fresh.", 0.5),
        ("Important.", 0.45),
        ("Old and once important.", 0.25),
    ]


def test_times_are_whole_seconds_and_order_does_not_depend_on_them(palaces: Palaces) -> None:
    for name in ("first", "second", "third"):
        palaces.remember(None, f"The {name}.")
    listed = palaces.list_drawers(None).drawers
    assert {drawer.created_at for drawer in listed} == {"2026-05-10T12:00:00Z"}
    assert texts(listed) == ["The third.", "The second.", "The first."]


# Forgetting


def test_a_drawer_is_deleted_for_good(palaces: Palaces, memory: Memory) -> None:
    id = palaces.remember(None, "A secret.").drawer_id
    assert palaces.forget(None, id) == Deleted("deleted", id, "home")
    assert palaces.list_drawers(None).drawers == ()
    assert memory.history(id)[-1].record is None


def test_forgetting_what_is_not_there_is_deleted_too(palaces: Palaces) -> None:
    palaces.create("home")
    assert palaces.forget(None, OTHER) == Deleted("deleted", OTHER, "home")


def test_an_id_in_another_form_of_uuid_is_found(palaces: Palaces) -> None:
    id = palaces.remember(None, "A secret.").drawer_id
    assert palaces.forget(None, id.replace("-", "")).status == "deleted"
    assert palaces.list_drawers(None).drawers == ()


def test_a_malformed_id_is_refused(palaces: Palaces) -> None:
    palaces.create("home")
    with pytest.raises(MalformedId, match="neither a UUID"):
        palaces.forget(None, "a3f1c2d4-...")


def test_a_record_of_another_contract_is_shown_and_forgotten_by_its_own_id(palaces: Palaces, memory: Memory) -> None:
    memory.remember("Stored elsewhere.", space="home", id="k7")
    assert [drawer.drawer_id for drawer in palaces.list_drawers(None).drawers] == ["k7"]
    assert palaces.forget(None, "k7") == Deleted("deleted", "k7", "home")
    assert memory.count(space="home") == 0


def test_a_drawer_of_another_palace_is_left_alone(palaces: Palaces) -> None:
    id = palaces.remember("theirs", "Not yours.").drawer_id
    palaces.create("home")
    assert palaces.forget("home", id).status == "deleted"
    assert len(palaces.list_drawers("theirs").drawers) == 1


def test_the_identity_is_no_drawer_to_delete(palaces: Palaces) -> None:
    palaces.create("home")
    with pytest.raises(InvalidInput, match=r"identity\.txt"):
        palaces.forget(None, IDENTITY_ID)


# Palaces


def test_creating_a_palace_twice_keeps_everything_and_takes_the_new_description(
    palaces: Palaces, memory: Memory
) -> None:
    assert palaces.create("home", "Old words.") == Created("home", "created")
    palaces.remember("home", "Kept.")
    assert palaces.create("home") == Created("home", "created")
    assert memory.describe_space("home")[0].description == "Old words."
    assert palaces.create("home", "New words.") == Created("home", "created")
    assert memory.describe_space("home")[0].description == "New words."
    assert len(palaces.list_drawers("home").drawers) == 1


def test_the_data_dir_is_a_real_folder_of_the_palace(palaces: Palaces) -> None:
    palaces.create("Büro 3/4")
    info = palaces.info("Büro 3/4")
    assert (info.id, info.name, info.drawer_count) == ("Büro 3/4", "Büro 3/4", 0)
    assert Path(info.data_dir).is_dir()
    (Path(info.data_dir) / "identity.txt").write_text("We plan.\n", "utf-8")
    (row,) = palaces.recall("Büro 3/4", "Who are we?").results
    assert (row.content, row.layer) == ("We plan.", 0)


def test_a_palace_must_exist_to_be_read(palaces: Palaces) -> None:
    for read in (palaces.info, palaces.list_drawers, lambda name: palaces.triples(name, "a")):
        with pytest.raises(NotFound, match=r"^open palace nowhere: there is no palace of that name"):
            read("nowhere")


# Recall


def test_what_only_importance_brought_in_scores_a_share_of_it(palaces: Palaces, memory: Memory) -> None:
    memory.remember("Cats are nice.", space="home", importance=0.8)
    palaces.remember(None, "Lunch is at noon.")
    found = palaces.recall(None, "zebra crossing").results
    assert [(row.content, row.score, row.layer, row.importance) for row in found] == [
        ("Cats are nice.", 0.12, 1, 0.8),
        ("Lunch is at noon.", 0.075, 1, 0.5),
    ]


def test_a_general_question_is_answered_by_a_brief_whose_scores_are_importance(
    palaces: Palaces, memory: Memory
) -> None:
    memory.remember("The gateway listens on port 8080.", space="home", importance=0.8)
    memory.remember("The gateway listens on port 9090.", space="home", importance=0.4, compare=False)
    memory.remember("Always lock the shed.", space="home", importance=0.6)
    found = palaces.recall(None, "what do you know about this project?").results
    assert [(row.content, row.score, row.layer) for row in found] == [
        ("Always lock the shed.", 0.6, 2),
        ("The gateway listens on port 9090.", 0.4, 2),
        ("The gateway listens on port 8080.", 0.4, 1),
    ]


def test_what_only_importance_brought_in_stands_below_the_weakest_match(palaces: Palaces, memory: Memory) -> None:
    memory.remember("Entirely unrelated.", space="home", importance=1.0)
    for number in range(5):
        palaces.remember(None, f"Step {number} of the harbour crane maintenance plan mentions {'grease ' * number}.")
    found = palaces.recall(None, "grease").results
    matches = [row.score for row in found if row.layer == 2]
    assert matches
    assert found[-1].content == "Entirely unrelated." or found[-1].layer == 1
    assert min(matches) >= max(row.score for row in found if row.layer == 1)


def test_no_more_than_fifteen_come_in_by_importance(palaces: Palaces) -> None:
    for number in range(40):
        palaces.remember(None, f"Note {number}.")
    found = palaces.recall(None, "zebra", 50).results
    assert [row.layer for row in found] == [1] * 15


def test_the_identity_comes_first_and_does_not_count(palaces: Palaces, memory: Memory) -> None:
    for number in range(5):
        palaces.remember(None, f"Tea note {number}.")
    assert len(palaces.recall(None, "tea", 3).results) == 3
    set_identity(memory.core, "You are the tea clerk.", space="home")
    found = palaces.recall(None, "tea", 3).results
    assert [row.layer for row in found] == [0, 2, 2, 2]
    assert (found[0].drawer_id, found[0].content, found[0].score) == (IDENTITY_ID, "You are the tea clerk.", 1.0)
    assert palaces.recall(None, "tea", 3, deep=True).results[0].layer == 0


def test_deep_recall_looks_further_and_folds_nothing(palaces: Palaces) -> None:
    for number in range(8):
        palaces.remember(None, "The backup ran well last night again" + "!" * number)
    shallow, deep = (palaces.recall(None, "backup last night", 20, deep=deep).results for deep in (False, True))
    assert sum(row.layer == 2 for row in shallow) == 1
    assert [row.layer for row in deep] == [3] * 8


def test_a_drawer_is_found_by_the_next_call(semantic_palaces: Palaces) -> None:
    semantic_palaces.remember(None, "Ines keeps the key to the cellar.")
    assert semantic_palaces.recall(None, "Who has the key of the cellar?").results[0].layer == 2


# Triples


def test_a_new_triple_closes_the_one_before_it(palaces: Palaces, memory: Memory, clock: Any) -> None:
    palaces.state(None, "auth-service", "deployed_version", "2.4.0")
    between = clock.advance(seconds=10)
    clock.advance(seconds=10)
    palaces.state(None, "auth-service", "deployed_version", "2.4.1", 0.95, "deploy log")
    palaces.state(None, "auth-service", "owner", "Ines")
    now = palaces.triples(None, "auth-service").triples
    assert [(triple.object, triple.valid_to, triple.confidence) for triple in now] == [
        ("2.4.1", None, 0.95),
        ("Ines", None, 1.0),
    ]
    every = memory.facts("auth-service", space="home", predicate="deployed_version", active=False)
    assert every[0].relation.valid_until == every[1].relation.valid_from
    then = memory.facts("auth-service", space="home", as_of=between)
    assert [fact.object for fact in then] == ["2.4.0"]


def test_a_triple_that_is_stated_again_holds_from_now(palaces: Palaces, clock: Any) -> None:
    palaces.state(None, "db", "status", "healthy")
    (before,) = palaces.triples(None, "db").triples
    clock.advance(hours=1)
    palaces.state(None, "db", "status", "healthy")
    (after,) = palaces.triples(None, "db").triples
    assert (before.valid_from, after.valid_from) == ("2026-05-10T12:00:00Z", "2026-05-10T13:00:00Z")


def test_a_triple_keeps_the_spelling_it_was_stated_with(palaces: Palaces) -> None:
    palaces.state(None, "svc-a", "owner", "alice")
    palaces.state(None, "svc-b", "owner", "Alice")
    assert palaces.triples(None, "svc-b").triples[0].object == "Alice"
    assert palaces.triples(None, "svc-c").triples == ()


@pytest.mark.parametrize(("one", "other"), [("parse", "Parse"), ("API", "api"), ("a b", "a  b")])
def test_subjects_count_letter_by_letter(palaces: Palaces, one: str, other: str) -> None:
    palaces.state(None, one, "is", "old")
    assert palaces.triples(None, other).triples == ()
    palaces.state(None, other, "is", "new")
    held = [[(each.subject, each.object) for each in palaces.triples(None, name).triples] for name in (one, other)]
    assert held == [[(one, "old")], [(other, "new")]]


def test_stating_a_triple_makes_the_palace(palaces: Palaces) -> None:
    palaces.state("facts", "a", "b", "c")
    assert palaces.names().palaces == ("facts",)


def test_confidence_outside_of_its_range_is_an_error_and_changes_nothing(palaces: Palaces) -> None:
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(InvalidInput, match="confidence"):
            palaces.state("facts", "a", "b", "c", wrong)
    assert palaces.names().palaces == ()


def test_the_clock_going_backwards_leaves_one_active_triple(palaces: Palaces, clock: Any) -> None:
    palaces.state(None, "a", "b", "one")
    clock.now -= timedelta(hours=1)
    palaces.state(None, "a", "b", "two")
    assert [triple.object for triple in palaces.triples(None, "a").triples] == ["two"]
