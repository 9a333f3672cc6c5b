"""Memories: stored, read, changed, listed, deleted."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.contracts.memory_mcp.conftest import Memories


def test_what_is_stored_here_gets_an_id_of_twenty_characters(table: Memories) -> None:
    ids = [
        *table.store("Tea is at five."),
        table.call("create_entity", name="Ana")["id"],
        table.call("create_entity", name="Ben")["id"],
    ]
    ids.append(table.call("create_relation", from_entity=ids[1], to_entity=ids[2], relation_type="knows")["id"])
    assert all(re.fullmatch(r"[a-z0-9]{20}", id) for id in ids)
    assert len(set(ids)) == 4


def test_the_very_same_memory_again_is_the_one_that_is_held(table: Memories) -> None:
    given = {"content": "Tea is at five.", "user_id": "ana", "metadata": {"a": [1, None]}}
    id = table.call("store_memory", **given)["id"]
    assert table.call("store_memory", **given)["id"] == id
    others: list[dict[str, Any]] = [{"user_id": "ben"}, {"metadata": {}}, {"memory_type": "episodic"}]
    assert len({id, *(table.call("store_memory", **{**given, **other})["id"] for other in others)}) == 4
    assert table.call("get_valid", user_id="ben")["count"] == 1


@pytest.mark.parametrize(
    ("content", "stored"), [("", False), ("x", True), ("ü" * 51_200, True), ("x" * 102_401, False)]
)
def test_content_has_one_byte_to_a_hundred_kilobytes(table: Memories, content: str, stored: bool) -> None:
    if stored:
        assert table.call("get_memory", id=table.store(content)[0])["content"] == content
    else:
        assert "content: " in table.fail("store_memory", content=content)
        assert table.call("list_memories")["total"] == 0


def test_null_and_unknown_arguments_are_as_if_they_were_not_there(table: Memories) -> None:
    nothing = {"memory_type": None, "user_id": None, "metadata": None, "color": "red"}
    id = table.call("store_memory", content="Tea is at five.", **nothing)["id"]
    assert table.call("get_memory", id=id)["memory_type"] == "semantic"
    before = table.call("get_memory", id=id)
    assert table.call("update_memory", id=id, content=None, memory_type=None, metadata=None) == before
    assert table.call("list_memories", limit=None, offset=None)["limit"] == 20
    empty = {"memory_type": "", "user_id": ""}
    assert table.call("store_memory", content="Tea is at five.", **empty)["id"] == id
    assert table.ids("get_valid", user_id="") == [id]
    assert table.call("invalidate", id=id, reason="", superseded_by="") == {"invalidated": True}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("list_memories", {"limit": 2.0, "offset": 1.0}),
        ("search_text", {"query": "tea", "limit": 1.0}),
        ("recall", {"query": "tea", "limit": 3.0, "vector_weight": 1, "ppr_weight": 0}),
        ("get_valid", {"limit": 5.0}),
    ],
)
def test_whole_numbers_may_have_a_point(table: Memories, tool: str, arguments: dict[str, Any]) -> None:
    table.store("Tea is at five.", "Tea is at six.", "Tea is at seven.")
    whole = {name: value if isinstance(value, str) else int(value) for name, value in arguments.items()}
    assert table.call(tool, **arguments) == table.call(tool, **whole)
    assert table.fail(tool, **{**arguments, "limit": 2.5}).startswith("limit: ")


def test_an_update_changes_what_it_names_and_nothing_else(table: Memories) -> None:
    [id] = table.store("Tea is at five.", metadata={"a": 1, "b": 2}, memory_type="episodic")
    before = table.call("get_memory", id=id)
    changed = table.call("update_memory", id=id, metadata={"c": 3})
    assert changed == {**before, "metadata": {"c": 3}}
    changed = table.call("update_memory", id=id, memory_type="procedural")
    assert changed == {**before, "metadata": {"c": 3}, "memory_type": "procedural"}
    assert table.call("get_memory", id=id) == changed


def test_updated_content_is_found_by_what_it_says_now(semantic_table: Memories) -> None:
    table = semantic_table
    [id, other] = table.store("The cat sleeps on the radiator.", "Invoices are paid in thirty days.")
    assert table.ids("search", query="a kitten naps")[0] == id
    table.call("update_memory", id=id, content="The bill for electricity is overdue.")
    assert set(table.ids("search", query="unpaid power costs", limit=1)) == {id}
    assert table.ids("search_text", query="radiator") == []
    assert other not in table.ids("search_text", query="electricity")


def test_the_list_is_newest_first_in_pages_and_leaves_nothing_out(table: Memories) -> None:
    ids = table.store(*(f"Note number {number}." for number in range(5)))
    table.call("invalidate", id=ids[1])
    table.call("update_memory", id=ids[0], content="An older note, changed.")
    assert table.ids("list_memories") == ids[::-1]
    page = table.call("list_memories", limit=2, offset=3)
    assert (page["total"], page["limit"], page["offset"]) == (5, 2, 3)
    assert table.ids("list_memories", limit=2, offset=3) == [ids[1], ids[0]]
    assert table.ids("list_memories", offset=9) == []


def test_code_chunks_are_no_memories_but_answer_to_their_ids(table: Memories) -> None:
    chunk = table.memory.remember("def tea(): ...", kind="code", project="kettle").id
    [id] = table.store("Tea is at five.")
    assert table.ids("list_memories") == table.ids("get_valid") == table.ids("search_text", query="tea") == [id]
    assert table.ids("recall", query="tea") == [id]
    assert table.ids("get_valid_at", timestamp="2030-01-01T00:00:00Z") == [id]
    status = table.call("get_status")
    assert (status["memories_count"], status["code_chunks_count"]) == (1, 1)
    assert table.call("get_memory", id=chunk)["content"] == "def tea(): ..."


def test_deleting_leaves_nothing_and_deleting_nothing_says_so(table: Memories) -> None:
    [id] = table.store("Tea is at five.")
    assert table.call("delete_memory", id=id) == {"deleted": True}
    assert table.call("delete_memory", id=id) == {"deleted": False}
    assert table.fail("get_memory", id=id) == f"Memory not found: {id}"
    assert table.fail("update_memory", id=id, content="x") == f"Memory not found: {id}"
    assert "five" not in str(table.memory.journal())


def test_a_server_sees_its_own_space_alone(table: Memories, other_space: Memories) -> None:
    [id] = table.store("Tea is at five.")
    assert other_space.call("list_memories")["total"] == 0
    assert other_space.fail("get_memory", id=id) == f"Memory not found: {id}"
    assert other_space.call("delete_memory", id=id) == {"deleted": False}
    assert other_space.call("invalidate", id=id) == {"invalidated": False}
    assert other_space.ids("search_text", query="tea") == other_space.ids("recall", query="tea") == []


def test_one_memory_is_answered_whole_and_a_page_keeps_every_entry(table: Memories) -> None:
    content = "A long report. " * 6_000
    ids = table.store(*(f"{number}: {content}" for number in range(3)))
    assert table.call("get_memory", id=ids[0])["content"] == f"0: {content}"
    assert table.call("update_memory", id=ids[0], metadata={"seen": True})["content"] == f"0: {content}"
    page = table.call("list_memories", limit=100)
    assert len(page["memories"]) == page["total"] == 3
    assert [each["content"][:3] for each in page["memories"]] == ["2: ", "1: ", "0: "]
    assert page["note"].startswith("Cut to stay below 25 KB: long texts (3)")
