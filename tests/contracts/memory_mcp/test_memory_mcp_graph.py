"""Entities and relations."""

from __future__ import annotations

import itertools

import pytest


@pytest.fixture
def chain(table) -> list[str]:
    """Four entities, each related to the next."""
    ids = [table.call("create_entity", name=name)["id"] for name in ("Ana", "Atlas", "Borealis", "Cellar")]
    for start, end in itertools.pairwise(ids):
        table.call("create_relation", from_entity=start, to_entity=end, relation_type="uses")
    return ids


def related(table, **asked) -> list[str]:
    return [entity["name"] for entity in table.call("get_related", **asked)["entities"]]


def test_related_entities_are_found_as_far_as_asked(table, chain: list[str]) -> None:
    assert related(table, entity_id=chain[0]) == ["Atlas"]
    assert related(table, entity_id=chain[0], depth=2) == ["Atlas", "Borealis"]
    assert related(table, entity_id=chain[0], depth=3) == ["Atlas", "Borealis", "Cellar"]
    assert table.call("get_related", entity_id=chain[0], depth=3)["relation_count"] == 3


def test_related_entities_are_found_in_the_direction_asked(table, chain: list[str]) -> None:
    assert related(table, entity_id=chain[1], direction="outgoing") == ["Borealis"]
    assert related(table, entity_id=chain[1], direction="incoming") == ["Ana"]
    assert related(table, entity_id=chain[1], direction="both") == ["Borealis", "Ana"]


def test_one_entity_may_have_many_relations_of_one_type(table) -> None:
    ana, *others = (table.call("create_entity", name=name)["id"] for name in ("Ana", "Atlas", "Borealis"))
    made = [table.call("create_relation", from_entity=ana, to_entity=id, relation_type="uses")["id"] for id in others]
    again = table.call("create_relation", from_entity=ana, to_entity=others[0], relation_type="uses")["id"]
    assert again == made[0]
    assert related(table, entity_id=ana) == ["Atlas", "Borealis"]


def test_a_relation_needs_two_entities_that_are_known(table, chain: list[str]) -> None:
    given = {"to_entity": chain[1], "relation_type": "uses"}
    assert table.fail("create_relation", from_entity="nobody", **given) == "Entity not found: nobody"
    assert table.fail("get_related", entity_id="nobody") == "Entity not found: nobody"
    assert table.call("get_status")["entities_count"] == 4
    for weight in (-0.1, 1.1):
        assert "weight" in table.fail("create_relation", from_entity=chain[0], weight=weight, **given)


def test_a_name_that_is_known_is_the_entity_that_has_it(table) -> None:
    id = table.call("create_entity", name="Ana", entity_type="person")["id"]
    assert table.call("create_entity", name="Ana", description="leads Atlas")["id"] == id
    other = table.call("create_entity", name="Atlas")["id"]
    table.call("create_relation", from_entity=other, to_entity=id, relation_type="led_by")
    [entity] = table.call("get_related", entity_id=other)["entities"]
    assert (entity["name"], entity["entity_type"], entity["description"]) == ("Ana", "person", "leads Atlas")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"name": "API"}, {"name": "api"}),
        ({"name": "Ana", "user_id": "u1"}, {"name": "Ana", "user_id": "u2"}),
        ({"name": "Ana", "user_id": "alice"}, {"name": "Ana", "user_id": "ALICE"}),
        ({"name": "Ana"}, {"name": "Ana", "user_id": "u1"}),
    ],
)
def test_entities_of_other_spelling_or_of_another_user_are_left_alone(table, one: dict, other: dict) -> None:
    hub = table.call("create_entity", name="hub")["id"]
    ids = [table.call("create_entity", description=f"number {i}", **each)["id"] for i, each in enumerate((one, other))]
    assert len(set(ids)) == 2
    for id in ids:
        table.call("create_relation", from_entity=hub, to_entity=id, relation_type="holds")
    shown = table.call("get_related", entity_id=hub)["entities"]
    assert [(each["id"], each["user_id"], each["description"]) for each in shown] == [
        (ids[0], one.get("user_id"), "number 0"),
        (ids[1], other.get("user_id"), "number 1"),
    ]
    assert table.call("create_entity", **one)["id"] == ids[0]


def test_a_name_that_two_users_have_asks_for_an_id(table) -> None:
    ids = [table.call("create_entity", name="Ana", user_id=user)["id"] for user in ("u1", "u2")]
    told = table.fail("get_related", entity_id="Ana")
    assert told == f"entity_id: 2 entities are called 'Ana': give an id, one of {ids[0]} (u1), {ids[1]} (u2)"
    told = table.fail("create_relation", from_entity=ids[0], to_entity="Ana", relation_type="knows")
    assert told.startswith("to_entity: 2 entities are called 'Ana'")
