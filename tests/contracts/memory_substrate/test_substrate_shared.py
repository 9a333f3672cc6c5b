"""The store is shared: what other contracts keep shows here, and what happens here holds there."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from recollect import Memory


def test_a_memory_of_another_contract_is_knowledge_of_its_kind(table: Any, memory: Memory) -> None:
    id = memory.remember("The gateway listens on 8080.", trust="imported").id
    document = memory.ingest("# Guide\n\nThe gateway restarts at night.", source="notes").ids[0]
    found = {item["id"]: item for item in table.search("gateway")}
    assert set(found) == {id, document}
    assert (found[id]["object_type"], found[id]["kind"], found[id]["status"]) == ("knowledge", "memory", "active")
    assert (found[document]["object_type"], found[document]["kind"]) == ("knowledge", "document")
    page = table.query("page", {"id": id})["object"]
    assert (page["memory_source"], page["title"]) == ("imported", "The gateway listens on 8080.")
    assert {item["id"] for item in table.query("recent")["items"]} == {id, document}


def test_an_id_of_another_contract_can_be_governed_here(table: Any, memory: Memory) -> None:
    old = memory.remember("Deploys happen on Mondays.", trust="user_declared").id
    new = table.know("Deploys happen on Tuesdays")
    table.use("remember", "supersede", {"old_knowledge_id": old, "new_knowledge_id": new, "reason": "moved"})
    assert [hit.record.id for hit in memory.recall("When do deploys happen?")] == [new]


def test_a_node_of_another_contract_is_a_node_at_the_end_of_an_edge(table: Any, memory: Memory) -> None:
    node = memory.entity("Gateway").id
    known = table.know("It restarts at night", subject_refs=[node])
    (edge,) = table.query("graph", {"id": node})["edges"]
    assert (edge["source_id"], edge["target_id"], edge["relation"]) == (known, node, "about")
    schema = edge["relation_schema"]
    assert (schema["source_object_type"], schema["target_object_type"]) == ("knowledge", "node")


def test_what_no_longer_holds_elsewhere_does_not_hold_here(table: Any, memory: Memory) -> None:
    kept, gone = table.know("Deploys happen on Tuesdays"), table.know("Deploys happen on Mondays")
    memory.invalidate(gone, reason="moved")
    assert [item["id"] for item in table.search("deploys")] == [kept]
    memory.forget(kept)
    assert table.search("deploys") == []
    assert table.refuse("query", "page", {"id": kept}).endswith(f"Object not found: {kept}")


def test_spaces_do_not_see_each_other(table: Any, other_space: Any) -> None:
    id = table.know("Deploys happen on Tuesdays")
    assert other_space.search("deploys") == []
    assert "Object not found" in other_space.refuse("query", "page", {"id": id})
    assert "Knowledge not found" in other_space.refuse("remember", "promote", {"knowledge_id": id, "reason": "r"})


def test_two_processes_share_what_is_written(serve: Callable) -> None:
    given = {"kind": "fact", "title": "Port", "summary": "The gateway port is 8080.", "reason": "r"}
    given |= {"memory_source": "user_declared", "scope_refs": ["scope:a"]}
    one, other = serve(), serve()
    id = one.use("remember", "knowledge", given)["object_id"]
    assert id in json.dumps(other.use("query", "search", {"query": "Which port has the gateway?"})["items"])
