"""Storing, recalling, fading and evicting, as agentos has them."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest

from recollect.contracts.agentos.calls import importance_of
from recollect.engine.read.by_signal import appraise


def test_a_text_is_kept_once_for_each_agent(table) -> None:
    first = table("store", agentId="a", content="Prices rose.", role="user", sessionId="s1")
    again = table("store", agentId="a", content="Prices rose.", role="assistant", sessionId="s2")
    other = table("store", agentId="b", content="Prices rose.", role="user")
    assert first == {"id": first["id"], "stored": True, "deduplicated": False}
    assert again == {"id": first["id"], "stored": False, "deduplicated": True}
    assert other["stored"] is True
    assert other["id"] != first["id"]
    assert uuid.UUID(first["id"]).version == 4


def test_agent_and_role_may_be_left_out(table) -> None:
    made = table("store", content="Nobody was named.")
    record = table.memory.get(made["id"])
    assert (record.space, record.role, record.importance, record.confidence) == ("default", "user", 0.5, 1.0)


@pytest.mark.parametrize(
    ("content", "role", "expected"),
    [
        ("plain", "user", 0.5),
        ("plain", "assistant", 0.6),
        ("x" * 500, "user", 0.5),
        ("é" * 251, "user", 0.6),
        ("A BUG and an error", "user", 0.65),
        ("debugging prefixes", "user", 0.5),
        ("```code```", "user", 0.6),
        ("Critical fix: ```" + "x" * 500, "assistant", 0.95),
    ],
)
def test_importance_is_read_from_length_role_and_words(content, role, expected) -> None:
    assert importance_of(content, role) == pytest.approx(expected)


def test_recall_weighs_five_signals_as_documented(semantic_table, clock) -> None:
    table = semantic_table
    made = table("store", agentId="a", content="The pricing plans were changed on Monday.")["id"]
    table("store", agentId="a", content="Whales sing for hours.")
    clock.advance(hours=168)
    clock.step = timedelta(0)
    found = table("recall", agentId="a", query="Pricing, monday! unicorns", limit=1)
    signals = appraise(table.memory, "Pricing, monday! unicorns", space="a", limit=1)[0]
    assert [sorted(one) for one in found] == [["content", "id", "role", "score", "timestamp"]]
    assert found[0]["id"] == made
    assert signals.keywords == pytest.approx(2 / 3)
    assert signals.recency == pytest.approx(0.5, abs=1e-4)
    expected = 0.5 * signals.cosine + 0.25 * 2 / 3 + 0.1 * 0.5 + 0.1 * 0.5 + 0.05 * 1.0
    assert found[0]["score"] == pytest.approx(expected, abs=1e-4)
    assert signals.cosine > 0.3


def test_a_word_that_is_asked_for_twice_counts_twice(table) -> None:
    table("store", agentId="a", content="Tea is at five.")
    assert appraise(table.memory, "tea, TEA or coffee?", space="a")[0].keywords == 0.5


def test_recall_is_a_bare_list_best_first_and_empty_for_strangers(table) -> None:
    for number in range(12):
        table("store", agentId="a", content=f"Note {number} about {'tea' if number == 3 else 'milk'}")
    found = table("recall", agentId="a", query="tea")
    assert len(found) == 10
    assert found[0]["content"] == "Note 3 about tea"
    assert [one["score"] for one in found] == sorted((one["score"] for one in found), reverse=True)
    assert len(table("recall", agentId="a", query="tea", limit=3.0)) == 3
    assert table("recall", agentId="nobody", query="tea") == []


def test_being_recalled_counts_and_keeps_from_fading(table, clock) -> None:
    used = table("store", agentId="a", content="Used often")["id"]
    left = table("store", agentId="a", content="Never looked at")["id"]
    clock.advance(days=8)
    assert [one["id"] for one in table("recall", agentId="a", query="used often", limit=1)] == [used]
    assert table("consolidate", decayRate=0.5)["memoriesDecayed"] == 1
    records = {id: table.memory.get(id) for id in (used, left)}
    assert (records[used].confidence, records[left].confidence) == (1.0, 0.5)
    assert records[used].access_count == 1


def test_consolidation_lowers_confidence_to_a_tenth_and_no_further(table, clock) -> None:
    id = table("store", content="Fades")["id"]
    assert table("consolidate")["memoriesDecayed"] == 0
    clock.advance(days=7)
    done = table("consolidate")
    assert (done["memoriesDecayed"], done["memoriesMerged"]) == (1, 0)
    assert isinstance(done["durationMs"], int)
    assert table.memory.get(id).confidence == pytest.approx(0.95)
    assert table("consolidate", decayRate=1)["memoriesDecayed"] == 1
    assert table.memory.get(id).confidence == 0.1
    assert table("consolidate", decayRate=1)["memoriesDecayed"] == 0


def test_eviction_takes_what_is_old_and_unimportant_of_all_agents(table, clock) -> None:
    memory = table.memory
    for agent in ("a", "b"):
        memory.remember("Old and dull", space=agent, importance=0.1)
        memory.remember("Old but dear", space=agent, importance=0.2)
    clock.advance(days=31)
    memory.remember("New and dull", space="a", importance=0.1)
    assert table("evict") == {"evicted": 2}
    assert {record.text for record in memory.list(space=None)} == {"Old but dear", "New and dull"}
    assert table("evict", maxAge=15 * 86_400_000, minImportance=0.3) == {"evicted": 2}
    assert table("store", agentId="b", content="Old and dull")["stored"] is True


def test_eviction_takes_what_is_hardly_believed_and_what_is_beyond_the_cap(table) -> None:
    memory = table.memory
    memory.remember("Doubtful", space="a", confidence=0.09, importance=1.0)
    for number in range(6):
        memory.remember(f"Number {number}", space="a", importance=number / 10)
    assert table("evict", cap=4) == {"evicted": 3}
    assert {record.text for record in memory.list(space="a")} == {f"Number {number}" for number in range(2, 6)}
    assert table("evict", cap=4) == {"evicted": 0}


@pytest.mark.parametrize(
    ("function", "data", "told"),
    [
        ("store", {}, "content: is required"),
        ("store", {"content": "x", "role": "tool"}, "role"),
        ("store", {"content": "   "}, "content: is blank"),
        ("store", {"content": "x", "sessionId": ""}, "sessionId: must have"),
        ("store", {"content": "x", "agentid": "a"}, "agentid: unknown field"),
        ("recall", {"query": "x", "limit": 0}, "limit"),
        ("recall", {"query": "x", "limit": 2.5}, "limit"),
        ("evict", {"minImportance": 2}, "minImportance"),
        ("evict", {"cap": -1}, "cap"),
        ("consolidate", {"decayRate": "fast"}, "decayRate"),
        ("kg::add", {"entity": {"type": "x"}}, "entity.id"),
        ("kg::add", {"entity": {"id": "x", "relations": [{"target": "y", "type": 5}]}}, "entity.relations[0].type"),
        (
            "kg::add",
            {"entity": {"id": "x", "relations": [{"type": "knows"}]}},
            "entity.relations[0].target: is required",
        ),
        ("kg::add", {"entity": {"id": "x", "type": ""}}, "entity.type: must have"),
        ("kg::add", {"entity": {"id": "x", "properties": {"k": "v" * 70_000}}}, "entity.properties: is"),
        ("session::compact", {}, "sessionId: is required"),
    ],
)
def test_what_is_wrong_is_named(table, function, data, told) -> None:
    assert table.refuse(function, **data).startswith(told)


def test_what_carriers_add_and_nulls_are_left_alone(table) -> None:
    made = table("store", content="x", agentId=None, sessionId=None, role=None, _caller_worker_id="w")
    assert made["stored"] is True
