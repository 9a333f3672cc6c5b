"""Everything goes, or nothing does."""

from __future__ import annotations

import pytest

from recollect.store.ops import PutSpace
from recollect.store.sql.writer import Writer


def fill(table) -> None:
    table.store("Tea is at five.", "Coffee is at nine.")
    table.memory.remember("def tea(): ...", kind="code", project="kettle")
    ana, ben = (table.call("create_entity", name=name)["id"] for name in ("Ana", "Ben"))
    table.call("create_relation", from_entity=ana, to_entity=ben, relation_type="knows")


def test_a_reset_removes_all_of_its_space_and_counts_it(table, other_space) -> None:
    fill(table)
    other_space.store("Tea is at six.")
    table.memory.create_space("default", description="what it is for")
    deleted = {"memories": 2, "entities": 2, "relations": 1, "code_chunks": 1}
    assert table.call("reset_all_memory", confirm=True) == {"reset": True, "deleted": deleted}
    status = table.call("get_status")
    assert (status["memories_count"], status["entities_count"], status["code_chunks_count"]) == (0, 0, 0)
    assert table.ids("search_text", query="tea") == []
    assert table.memory.describe_space("default")[0].description == "what it is for"
    assert other_space.ids("search_text", query="tea") != []
    assert table.memory.check() == []


def test_a_reset_that_breaks_off_has_removed_nothing(table, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(table)
    before = table.call("get_status"), table.call("list_memories")

    def fail(*_: object) -> None:
        raise OSError("the power went")

    with monkeypatch.context() as patched:
        patched.setitem(Writer._one_by_one, PutSpace, fail)
        assert "Internal error" in table.fail("reset_all_memory", confirm=True)
    assert (table.call("get_status"), table.call("list_memories")) == before
    assert table.memory.check() == []


def test_a_reset_is_in_the_journal_and_leaves_no_text(table) -> None:
    fill(table)
    table.call("reset_all_memory", confirm=True)
    journal = table.memory.journal(space="default")
    assert [(change.verb, change.object_type, change.actor) for change in journal[:2]] == [
        ("create", "space", "tester"),
        ("drop", "space", "tester"),
    ]
    assert all(change.before is None and change.after is None for change in journal)


def test_after_a_reset_what_is_stored_is_found(semantic_table) -> None:
    table = semantic_table
    table.store(*(f"The cat naps on radiator {number}." for number in range(5)))
    table.ids("search", query="kitten")
    table.call("reset_all_memory", confirm=True)
    assert table.ids("search", query="kitten") == []
    [id] = table.store("The cat naps on the sofa.")
    assert table.ids("search", query="kitten") == table.ids("recall", query="kitten") == [id]


@pytest.mark.parametrize("confirm", [False, None, "true", 1, "yes"])
def test_only_a_plain_true_confirms(table, confirm: object) -> None:
    fill(table)
    answer = table.call("reset_all_memory", confirm=confirm)
    assert answer == {"reset": False, "message": "Confirmation required. Set confirm=true to delete all data."}
    assert table.call("list_memories")["total"] == 2


def test_a_reset_ends_what_is_being_indexed(table, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.contracts.memory_mcp.code.INDEX_SECONDS", 0.0)
    folder = tmp_path / "large"
    folder.mkdir()
    for number in range(300):
        (folder / f"part{number}.py").write_text(f"def part_{number}():\n    return {number}\n")
    table.call("index_project", path=str(folder))
    assert table.call("reset_all_memory", confirm=True)["reset"] is True
    assert table.call("list_projects") == {"projects": [], "count": 0}
    assert table.call("get_status")["code_chunks_count"] == 0
    table.memory.index_project(folder)
    assert table.call("get_index_status", project_id="large")["indexed_files"] == 300
