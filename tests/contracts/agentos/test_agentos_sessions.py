"""Sessions: lists, compaction and repair, as agentos has them."""

from __future__ import annotations

import json

import pytest

import recollect
from recollect import CompleterError, Settings
from recollect.contracts.agentos.table import agentos_contract
from recollect.engine.write.sessions import messages
from recollect.types import Sampled

SOUND = dict.fromkeys(
    ("emptyRemoved", "duplicatesRemoved", "consecutiveMerged", "orphanedRefs", "reordered", "oversizedDetected"), 0
)
HOUR = 3_600_000


def test_sessions_are_listed_the_most_recent_first(table, clock) -> None:
    table.say("one", "two", session="s1")
    clock.advance(hours=1)
    table.say("three", session="s2")
    listed = table("session::list", agentId="a")
    assert [(one["id"], one["agentId"], one["messageCount"]) for one in listed] == [("s2", "a", 1), ("s1", "a", 2)]
    assert listed[0]["createdAt"] == listed[0]["updatedAt"] > listed[1]["updatedAt"] > listed[1]["createdAt"]
    assert table("session::list", agentId="nobody") == []


def test_a_short_session_is_not_compacted(table) -> None:
    table.say(*(f"message {number}" for number in range(29)))
    below = {"compacted": False, "reason": "below_threshold"}
    assert table("session::compact", agentId="a", sessionId="s") == below
    assert table("session::compact", agentId="a", sessionId="unheard of") == below


def test_a_long_session_keeps_a_summary_and_its_last_messages(table) -> None:
    ids = table.say(*(f"Deploy {number} of the gateway went well." for number in range(30)))
    done = table("session::compact", agentId="a", sessionId="s")
    assert done == {"compacted": True, "summarized": 20, "kept": 10, "summaryId": done["summaryId"]}
    summary = table.memory.get(done["summaryId"])
    assert (summary.role, summary.importance, summary.session) == ("system", 0.9, "s")
    assert summary.metadata["summary_of"] == ids[:20]
    listed = messages(table.memory.core, "s", space="a")
    assert [one.id for one in listed] == [summary.id, *ids[20:]]
    assert [one["messageCount"] for one in table("session::list", agentId="a")] == [11]
    assert all(table.memory.get(id) is not None for id in ids)
    assert table("session::compact", agentId="a", sessionId="s")["reason"] == "below_threshold"


def test_a_summary_alone_is_not_summarised_again(table) -> None:
    table.say(*(f"Deploy {number} of the gateway went well." for number in range(6)))
    given = {"agentId": "a", "sessionId": "s", "threshold": 3, "keepRecent": 2}
    summary = table("session::compact", **given)["summaryId"]
    assert table("session::compact", **given) == {"compacted": False, "reason": "nothing_to_summarize"}
    assert messages(table.memory.core, "s", space="a")[0].id == summary


def test_a_summary_of_a_summary_keeps_the_days(table, clock) -> None:
    given = {"agentId": "a", "sessionId": "s", "threshold": 2, "keepRecent": 0}
    for said in ("Jon moved the gateway to Berlin.", "Mira opened the harbour office."):
        table.say(said, f"{said[:4]} said so.")
        done = table("session::compact", **given)
        clock.advance(days=1)
    assert table.memory.get(done["summaryId"]).text == (
        "2026-05-10: user: Jon moved the gateway to Berlin. assistant: Jon  said so.\n"
        "2026-05-11: user: Mira opened the harbour office. assistant: Mira said so."
    )


def test_the_clients_model_writes_the_summary_where_it_is_lent(tmp_path) -> None:
    with recollect.open(settings=Settings(home=tmp_path, embedder="none", summarizer="client")) as memory:
        contract = agentos_contract(memory)
        tools = {tool.name: tool for tool in contract.tools}
        compact = tools["memory_session_compact"]
        for number in range(3):
            said = {"content": f"Deploy {number} went well.", "sessionId": "s"}
            contract.answer(tools["memory_store"], said, contract.open_call())
        call = contract.open_call("tester", sample=lambda *_: Sampled("Three deploys went well.", "lent-1"))
        done = contract.answer(compact, {"sessionId": "s", "threshold": 2}, call)
        assert done["reason"] == "nothing_to_summarize"
        done = contract.answer(
            tools["memory_session_compact"], {"sessionId": "s", "threshold": 2, "keepRecent": 1}, call
        )
        assert memory.get(done["summaryId"]).text == "Three deploys went well."


@pytest.mark.parametrize("why", ["the quota is spent", "it timed out after 60 s"])
def test_a_model_that_failed_is_told_with_what_was_done_instead(tmp_path, why: str) -> None:
    def fail(*_: object) -> Sampled:
        raise CompleterError(why)

    with recollect.open(settings=Settings(home=tmp_path, embedder="none", summarizer="client")) as memory:
        contract = agentos_contract(memory)
        tools = {tool.name: tool for tool in contract.tools}
        for number in range(3):
            said = {"content": f"Deploy {number} went well.", "sessionId": "s"}
            contract.answer(tools["memory_store"], said, contract.open_call())
        given = {"sessionId": "s", "threshold": 2, "keepRecent": 1}
        done = contract.answer(tools["memory_session_compact"], given, contract.open_call("tester", sample=fail))
        assert done["note"] == f"extractive instead of abstractive: {why}"
        assert (done["summarized"], "Deploy 0 went well." in memory.get(done["summaryId"]).text) == (2, True)


def test_what_is_summarised_at_once_is_at_most_80_000_characters(table, monkeypatch) -> None:
    table.say(*(f"{number} " + "word " * 12_000 for number in range(4)))
    sizes: list[int] = []
    condense = table.memory.condense
    monkeypatch.setattr(
        "recollect.engine.memory.Memory.condense",
        lambda _, texts, **more: sizes.append(sum(map(len, texts))) or condense(texts, **more),
    )
    done = table("session::compact", agentId="a", sessionId="s", threshold=2, keepRecent=0)
    assert (done["summarized"], done["kept"]) == (4, 0)
    assert len(sizes) == 4
    assert max(sizes) <= 80_000


def damaged(table, tmp_path) -> None:
    """A session with every kind of damage, brought along from elsewhere."""
    spoken = [
        ("m1", "user", 1), ("m2", "assistant", 2), ("m3", "assistant", 3), ("m4", "user", 9), ("m5", "assistant", 5),
        ("m6", "user", 10),
    ]  # fmt: skip
    memories = [
        {"id": id, "agentId": "a", "content": f"This is {id}.", "role": role, "timestamp": at * HOUR, "sessionId": "s"}
        for id, role, at in spoken
    ]
    memories[-1]["content"] = "x" * 600_000
    listed = [{"id": id, "role": role, "timestamp": at * HOUR} for id, role, at in spoken]
    listed[1:1] = [{"id": "", "role": "user", "timestamp": 1}, {"role": "user"}, listed[0]]
    listed.append({"id": "gone", "role": "assistant", "timestamp": 11 * HOUR})
    file = tmp_path / "state.json"
    state = {"memories": memories, "sessions": [{"id": "s", "agentId": "a", "messages": listed}]}
    file.write_text(json.dumps(state))
    table.memory.import_(file, origin="agentos")


def test_every_kind_of_damage_is_repaired_and_a_second_time_there_is_none(table, tmp_path) -> None:
    damaged(table, tmp_path)
    assert table("session::repair", agentId="a", sessionId="s") == {
        "repaired": True,
        "totalFixes": 9,
        "stats": {
            "emptyRemoved": 2, "duplicatesRemoved": 1, "consecutiveMerged": 3, "orphanedRefs": 1, "reordered": 1,
            "oversizedDetected": 1,
        },
    }  # fmt: skip
    listed = [(one.id, one.flag) for one in messages(table.memory.core, "s", space="a")]
    assert listed == [("m1", ""), ("m2", ""), ("m4", "oversized"), ("gone", "orphaned")]
    assert table.memory.get("m2", space="a").text == "This is m2.\n\nThis is m3.\n\nThis is m5."
    assert table("session::repair", agentId="a", sessionId="s") == {"repaired": False, "totalFixes": 0, "stats": SOUND}
    assert [(one.id, one.flag) for one in messages(table.memory.core, "s", space="a")] == listed


def test_what_a_list_leaves_out_its_memories_know(table, tmp_path) -> None:
    entry = {"id": "m1", "agentId": "a", "content": "Tea at five", "role": "assistant", "timestamp": 5 * HOUR}
    session = {"id": "s", "agentId": "a", "messages": [{"id": "m1", "role": None, "timestamp": None}]}
    file = tmp_path / "state.json"
    file.write_text(json.dumps({"memories": [entry], "sessions": [session]}))
    table.memory.import_(file, origin="agentos")
    (message,) = messages(table.memory.core, "s", space="a")
    assert (message.role, message.at.hour) == ("assistant", 5)
    assert table("session::repair", agentId="a", sessionId="s") == {"repaired": False, "totalFixes": 0, "stats": SOUND}


def test_merged_messages_keep_all_their_texts(table) -> None:
    ids = table.say("first", "second", "third", "answer", roles="uuua")
    assert table("session::repair", agentId="a", sessionId="s")["stats"] == {**SOUND, "consecutiveMerged": 2}
    assert table.memory.get(ids[0]).text == "first\n\nsecond\n\nthird"
    assert [one.id for one in messages(table.memory.core, "s", space="a")] == [ids[0], ids[3]]
    assert [table.memory.get(id).superseded_by for id in ids[1:3]] == [ids[0], ids[0]]
    found = table("recall", agentId="a", query="second")
    assert found[0]["id"] == ids[0]


def test_system_messages_in_a_row_stay_apart(table) -> None:
    table.say("rule one", "rule two", roles="s")
    assert table("session::repair", agentId="a", sessionId="s")["repaired"] is False


def test_an_evicted_message_is_an_orphan_until_it_returns(table) -> None:
    table.say("a question", "an answer", "more", "another answer")
    assert table("evict", maxAge=0, minImportance=0.55)["evicted"] == 2
    assert table("session::repair", agentId="a", sessionId="s")["stats"] == {**SOUND, "orphanedRefs": 2}
    assert table("session::repair", agentId="a", sessionId="s")["totalFixes"] == 0
    run = next(change for change in table.memory.journal() if change.object_type == "space" and change.verb == "evict")
    table.memory.undo(run)
    assert table("session::repair", agentId="a", sessionId="s")["totalFixes"] == 0
    assert [one.flag for one in messages(table.memory.core, "s", space="a")] == [""] * 4


LISTS = {
    "a duplicate far from its message": ("u1 a2 u3 a4 u1", "u1 a2 u3 a4", {"duplicatesRemoved": 1}),
    "a duplicate beside its message": ("u1 u1 a2 u3", "u1 a2 u3", {"duplicatesRemoved": 1}),
    "duplicates everywhere": ("u1 a2 u1 u3 a2 u1 a4 u3", "u1 a2 u3 a4", {"duplicatesRemoved": 4}),
    "one that came too early": ("u1 u5 a2 u3 a4", "u1 a2 u3 a4 u5", {"reordered": 3}),
    "the wrong way round": ("a4 u3 a2 u1", "u1 a2 u3 a4", {"reordered": 3}),
    "in a row only when in order": ("u1 a3 u2 a4", "u1+u2 a3+a4", {"reordered": 1, "consecutiveMerged": 2}),
    "in a row only out of order": ("u1 u3 a2 a4", "u1 a2 u3 a4", {"reordered": 1}),
    "a duplicate between two of one voice": (
        "a1 u2 a1 u3", "a1 u2+u3", {"duplicatesRemoved": 1, "consecutiveMerged": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", LISTS)
def test_repair_keeps_first_places_orders_and_only_then_merges(table, tmp_path, kind: str) -> None:
    before, after, found = LISTS[kind]
    bring(table, tmp_path, before.split())
    stats = table("session::repair", agentId="a", sessionId="s")["stats"]
    assert stats == {**SOUND, **found}
    kept = [group.split("+") for group in after.split()]
    assert [one.id for one in messages(table.memory.core, "s", space="a")] == [group[0] for group in kept]
    texts = [table.memory.get(group[0], space="a").text for group in kept]
    assert texts == ["\n\n".join(f"This is {id}." for id in group) for group in kept]
    assert table("session::repair", agentId="a", sessionId="s") == {"repaired": False, "totalFixes": 0, "stats": SOUND}


def bring(table, tmp_path, listed: list[str]) -> None:
    """A session from elsewhere. The letter of an id says who spoke and the number when."""
    said = {
        id: {"role": {"u": "user", "a": "assistant"}[id[0]], "timestamp": int(id[1:]) * HOUR} for id in listed if id
    }
    memories = [{"id": id, "agentId": "a", "content": f"This is {id}.", **one} for id, one in said.items()]
    messages = [{"id": id, **said.get(id, {})} for id in listed]
    state = {"memories": memories, "sessions": [{"id": "s", "agentId": "a", "messages": messages}]}
    file = tmp_path / "state.json"
    file.write_text(json.dumps(state))
    table.memory.import_(file, origin="agentos")


@pytest.mark.parametrize("listed", [[], [""], ["", "", ""]])
def test_an_emptied_session_is_still_a_session(table, tmp_path, listed: list[str]) -> None:
    bring(table, tmp_path, listed)
    first = table("session::repair", agentId="a", sessionId="s")
    assert first["stats"] == {**SOUND, "emptyRemoved": len(listed)}
    assert table("session::repair", agentId="a", sessionId="s") == {"repaired": False, "totalFixes": 0, "stats": SOUND}
    assert [(one["id"], one["messageCount"]) for one in table("session::list", agentId="a")] == [("s", 0)]
    table.say("hello again")
    assert [(one["id"], one["messageCount"]) for one in table("session::list", agentId="a")] == [("s", 1)]


def test_a_message_that_repeats_an_earlier_one_is_listed_where_it_was_said(table, clock) -> None:
    for session, role, content in (
        ("s1", "user", "ok"), ("s1", "assistant", "Shall I go on?"), ("s1", "user", "ok"), ("s1", "assistant", "ok"),
        ("s2", "user", "ok"), ("s2", "user", "ok"), ("s2", "user", "Shall I go on?"),
    ):  # fmt: skip
        done = table("store", agentId="a", content=content, role=role, sessionId=session)
        assert done["stored"] is not done["deduplicated"]
        clock.advance(minutes=1)
    assert table.memory.count(space="a") == 2
    assert {one["id"]: one["messageCount"] for one in table("session::list", agentId="a")} == {"s1": 4, "s2": 3}
    assert [one.role for one in messages(table.memory.core, "s1", space="a")] == [
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    for session in ("s1", "s2"):
        done = table("session::repair", agentId="a", sessionId=session)
        assert done == {"repaired": False, "totalFixes": 0, "stats": SOUND}


def test_a_summary_has_what_was_said_again_by_whoever_said_it(table) -> None:
    table.say("ok", "The gateway is in Berlin now.", "ok", roles="uaa")
    done = table("session::compact", agentId="a", sessionId="s", threshold=2, keepRecent=0)
    summary = table.memory.get(done["summaryId"])
    assert (done["summarized"], len(summary.metadata["summary_of"])) == (3, 2)
    assert "assistant: ok" in summary.text


def test_a_session_that_nobody_knows_cannot_be_repaired(table) -> None:
    assert table.refuse("session::repair", agentId="a", sessionId="s") == "agent 'a' has no session 's'"
