"""What someone who begins a task is told, and that no answer is larger than its budget."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

GOVERNED = {"reason": "r", "memory_source": "user_declared", "scope_refs": ["scope:project"]}
LONG = "gateway " + "word " * 30_000
EMPTY = {"count": 0, "ids": []}


def test_a_context_pack_points_from_its_sections_into_its_items(table: Any, tmp_path: Path) -> None:
    source = table.ingest(tmp_path / "ops.md", "# Gateway\n\nThe gateway listens on 8080.\n")
    evidence = [{"source_id": source, "segment_id": "seg-1"}]
    decision = table.know("Gateway in Go", "The gateway is written in Go.", kind="decision", evidence_refs=evidence)
    procedure = table.know("Restart the gateway", "Drain, then restart the gateway.", kind="procedure")
    task = {"kind": "task", "title": "Gateway timeouts", "summary": "Look at gateway timeouts.", **GOVERNED}
    work = table.use("remember", "work_item", task)["object_id"]
    table.use("remember", "work_item", {**task, "title": "Gateway logs", "status": "done"})
    scope = {"object_types": ["knowledge", "activity", "work_item"]}
    pack = table.use("query", "context", {"task": "inspect the gateway", "scope": scope}, {"max_items": 12})
    assert pack["result_type"] == "context_pack"
    assert re.fullmatch(r"ctx:[0-9a-f]{32}", pack["id"])
    assert len(pack["items"]) == 4
    assert pack["decisions"] == {"field": "decisions", "count": 1, "ids": [decision]}
    tiers = pack["context_tiers"]
    assert tiers["policy"] == {"field": "policy", **EMPTY}
    assert tiers["active_task"] == {"task": "inspect the gateway", "scope": scope}
    assert (tiers["decisions"], tiers["procedures"]["ids"]) == (pack["decisions"], [procedure])
    assert tiers["open_work"] == {"field": "open_work", "count": 1, "ids": [work]}
    assert tiers["evidence"] == {"field": "evidence", "count": 1, "ids": [f"{source}#seg-1"]}
    for hint, item in zip(tiers["deep_search_hints"], pack["items"], strict=True):
        args = {name: hint[name] for name in ("mode", "input_data", "options")}
        assert table.call(hint["tool"], args=args)["root_id"] == item["id"]
    assert pack["context_budget"] == {"max_items": 12, "returned_items": 4, "detail": "compact"}
    assert pack["evidence"] == [{**evidence[0], "object_id": decision}]
    assert json.dumps(pack).count("The gateway is written in Go.") == 1


def test_a_context_without_anything_says_so(table: Any) -> None:
    pack = table.use("query", "context", {"task": "inspect repository structure"})
    assert (pack["items"], pack["context_tiers"]["deep_search_hints"]) == ([], [])
    assert pack["missing_context"]
    assert pack["context_budget"] == {"max_items": 12, "returned_items": 0, "detail": "compact"}


def test_contested_items_are_named_as_conflicts(table: Any) -> None:
    claim = {"subject": "gateway", "predicate": "port"}
    table.know("Gateway port", "It is 8080.", payload={**claim, "value": 8080})
    other = table.know("Gateway port again", "It is 9090.", payload={**claim, "value": 9090})
    assert table.query("context", {"task": "gateway port"})["conflicts"] == [other]


def test_twelve_items_are_the_default_of_a_context_and_ten_of_the_others(table: Any) -> None:
    for number in range(15):
        table.know(f"Gateway {number}", f"Gateway {number} listens on port {9000 + number}.")
    assert len(table.query("context", {"task": "gateway"})["items"]) == 12
    assert len(table.search("gateway")) == 10
    assert len(table.query("recent")["items"]) == 10
    assert len(table.query("context", {"task": "gateway"}, {"max_items": 3})["items"]) == 3
    assert len(table.query("recent", {}, {"max_items": 2})["items"]) == 2


def test_no_answer_is_larger_than_its_budget(table: Any, tmp_path: Path) -> None:
    heading = f"# Gateway {'heading ' * 100}\n\n"
    source = table.ingest(tmp_path / "long.md", (heading + LONG[:1500] + "\n\n") * 40)
    node = table.memory.entity("Gateway", description="word " * 1_500).id
    refs = [{"source_id": source, "segment_id": f"seg-{number + 1}"} for number in range(30)]
    ids = [
        table.know(
            f"Gateway {number} {'title ' * 150}", LONG[:90_000], evidence_refs=refs, subject_refs=[node],
            payload={"metadata": {"notes": ["note " * 50] * 40, "text": "x" * 20_000}},
        )
        for number in range(6)
    ]  # fmt: skip
    sizes = {
        "search": (table.use("query", "search", {"query": "gateway"}, {"max_items": 5}), 5 * 2_000 + 2_000),
        "context": (table.use("query", "context", {"task": "gateway"}, {"max_items": 5}), 5 * 1_500 + 3_000),
        "recent": (table.use("query", "recent", {}, {"max_items": 5}), 5 * 800 + 500),
        "page": (table.use("query", "page", {"id": ids[0]}, {"max_items": 3, "snippet_chars": 100}), 8_000),
        "source": (
            table.use(
                "query", "page", {"id": source}, {"max_items": 3, "snippet_chars": 100, "include_segments": True}
            ),
            10_000,
        ),
        "expand": (table.use("query", "expand", {"id": node}, {"max_items": 5, "snippet_chars": 100}), 8_000),
        "expand source": (
            table.use("query", "expand", {"id": source}, {"max_items": 5, "snippet_chars": 100}), 5 * 2_500 + 500,
        ),
        "graph": (table.use("query", "graph", {"id": node}, {"max_items": 5}), 5 * 3_000),
    }  # fmt: skip
    for name, (answer, most) in sizes.items():
        size = len(json.dumps(answer, ensure_ascii=False))
        assert size <= most, (name, size)
