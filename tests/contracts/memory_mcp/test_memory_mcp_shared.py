"""One store, several vocabularies."""

from __future__ import annotations

from collections.abc import Callable


def test_what_one_contract_stores_another_finds(serve: Callable) -> None:
    native, mcp = serve("--as", "native"), serve()
    theirs = native.call("remember", text="Maria prefers tea over coffee.", memory_type="procedural")["id"]
    ours = mcp.call("store_memory", content="The cellar key hangs by the door.")["id"]
    seen = mcp.call("get_memory", id=theirs)
    assert (seen["content"], seen["memory_type"]) == ("Maria prefers tea over coffee.", "procedural")
    assert mcp.call("search", query="What does Maria drink?", limit=1)["results"][0]["id"] == theirs
    assert native.call("recall", query="Where is the cellar key?")["hits"][0]["id"] == ours
    assert mcp.call("list_memories")["total"] == 2


def test_what_is_invalid_for_one_is_invalid_for_all(serve: Callable) -> None:
    native, mcp = serve("--as", "native"), serve()
    theirs = native.call("remember", text="The office is in Porto.")["id"]
    ours = mcp.call("store_memory", content="The warehouse is in Braga.")["id"]
    assert mcp.call("invalidate", id=theirs, reason="moved") == {"invalidated": True}
    native.call("forget", id=ours, keep_history=True)
    assert native.call("recall", query="Where is the office?")["hits"] == []
    assert mcp.call("recall", query="Where is the warehouse?")["results"] == []
    assert mcp.call("get_valid")["count"] == 0
    assert native.call("explore", id=theirs)["history"][-1]["reason"] == "moved"


def test_a_message_a_section_and_a_dated_record_appear_as_memories(table) -> None:
    memory = table.memory
    memory.ingest_conversation([{"role": "user", "content": "My cat is called Miso."}], session="chat")
    memory.ingest("# Setup\nRun make.", source="guide.md")
    memory.remember(
        "Rent is due.", event_time="2026-05-01T08:00:00Z", valid_until="2027-01-01T00:00:00Z", importance=0.3
    )
    listed = table.call("list_memories")["memories"]
    assert {each["memory_type"] for each in listed} <= {"semantic", "episodic"}
    assert table.call("get_status")["memories_count"] == len(listed) == 3
    assert (listed[0]["event_time"], listed[0]["valid_until"]) == ("2026-05-01T08:00:00Z", "2027-01-01T00:00:00Z")
    assert listed[0]["importance_score"] == 0.3


def test_a_server_is_bound_to_the_space_that_it_was_given(serve: Callable) -> None:
    work, home = serve("--as", "memory-mcp", "--space", "work"), serve()
    work.call("store_memory", content="The standup is at nine.")
    assert (work.call("list_memories")["total"], home.call("list_memories")["total"]) == (1, 0)
    assert home.call("reset_all_memory", confirm=True)["deleted"]["memories"] == 0
    assert work.call("list_memories")["total"] == 1


def test_a_reset_by_one_server_is_seen_by_the_other(serve: Callable) -> None:
    one, other = serve(), serve()
    for number in range(3):
        one.call("store_memory", content=f"The cat naps on radiator {number}.")
    while other.call("search", query="kitten")["count"] < 3:  # on a busy machine vectors come a little later
        pass
    one.call("reset_all_memory", confirm=True)
    assert other.call("search", query="kitten")["count"] == 0
    id = one.call("store_memory", content="The cat naps on the sofa.")["id"]
    while not (found := other.call("search", query="kitten")["results"]):
        pass
    assert [hit["id"] for hit in found] == [id]
