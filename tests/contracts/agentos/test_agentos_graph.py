"""The knowledge graph, as agentos has it."""

from __future__ import annotations

ALICE = {
    "id": "person:alice", "type": "person", "properties": {"name": "Alice Johnson", "role": "Engineer"},
    "relations": [{"target": "project:x", "type": "works_on"}, {"target": "person:bob", "type": "reports_to"}],
}  # fmt: skip


def test_an_entity_is_added_with_the_way_back_of_each_relation(table) -> None:
    assert table("kg::add", agentId="a", entity=ALICE) == {"stored": True, "id": "person:alice"}
    alice, project, bob = table("kg::query", agentId="a", entityId="person:alice", depth=1)
    assert alice == ALICE
    assert project == {
        "id": "project:x", "type": None, "properties": {},
        "relations": [{"target": "person:alice", "type": "inverse:works_on"}],
    }  # fmt: skip
    assert bob["relations"] == [{"target": "person:alice", "type": "inverse:reports_to"}]


def test_adding_again_joins_and_repeats_nothing(table) -> None:
    for _ in range(2):
        table("kg::add", entity=ALICE)
    table("kg::add", entity={"id": "project:x", "relations": [{"target": "person:alice", "type": "inverse:works_on"}]})
    table("kg::add", entity={"id": "person:alice", "properties": {"role": "Lead", "desk": 4}})
    alice = table("kg::query", entityId="person:alice", depth=0)
    assert [one["properties"] for one in alice] == [{"name": "Alice Johnson", "role": "Lead", "desk": 4}]
    assert (alice[0]["type"], alice[0]["relations"]) == ("person", ALICE["relations"])
    assert [one["relations"] for one in table("kg::query", entityId="project:x", depth=0)] == [
        [{"target": "person:alice", "type": "inverse:works_on"}]
    ]


def test_a_walk_goes_breadth_first_and_ends_at_its_depth(table) -> None:
    for start, ends in (("a", "bc"), ("b", "d"), ("c", "e"), ("e", "a"), ("d", "f")):
        table("kg::add", entity={"id": start, "relations": [{"target": end, "type": "to"} for end in ends]})
    walked = {depth: "".join(one["id"] for one in table("kg::query", entityId="a", depth=depth)) for depth in range(4)}
    assert walked == {0: "a", 1: "abce", 2: "abced", 3: "abcedf"}
    assert "".join(one["id"] for one in table("kg::query", entityId="a")) == walked[2]


def test_ids_are_exact_and_an_unknown_one_has_nothing(table) -> None:
    table("kg::add", agentId="a", entity={"id": "Node", "type": "upper"})
    table("kg::add", agentId="a", entity={"id": "node", "type": "lower"})
    assert [one["type"] for one in table("kg::query", agentId="a", entityId="Node")] == ["upper"]
    assert [one["type"] for one in table("kg::query", agentId="a", entityId="node")] == ["lower"]
    assert table("kg::query", agentId="a", entityId="nothing") == []
    assert table("kg::query", agentId="a", entityId="NODE") == []
    assert table("kg::query", agentId="b", entityId="node") == []


def test_a_relation_without_a_type_is_related_to(table) -> None:
    relations = [{"target": "b"}, {"target": "c", "type": "knows"}, {"target": "d", "type": None}, {"target": "b"}]
    table("kg::add", agentId="a", entity={"id": "a", "relations": relations})
    found = {one["id"]: one["relations"] for one in table("kg::query", agentId="a", entityId="a", depth=1)}
    assert found["a"] == [
        {"target": "b", "type": "related_to"}, {"target": "c", "type": "knows"}, {"target": "d", "type": "related_to"},
    ]  # fmt: skip
    assert found["d"] == [{"target": "a", "type": "inverse:related_to"}]


def test_what_others_related_is_walked_too(table) -> None:
    table.memory.relate("Mira", "owns", "gateway", space="a")
    found = table("kg::query", agentId="a", entityId="gateway", depth=1)
    assert [(one["id"], one["relations"]) for one in found] == [
        ("gateway", [{"target": "Mira", "type": "inverse:owns"}]),
        ("Mira", [{"target": "gateway", "type": "owns"}]),
    ]
