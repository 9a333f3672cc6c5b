"""What becomes of something new?"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recollect import Draft, Memory, Receipt, Record


def test_a_text_is_stored_with_all_that_was_said_of_it(memory: Memory) -> None:
    receipt = memory.remember(
        "Deploys happen on Fridays.", space="work", kind="rule", memory_type="procedural", title="Deploys", role="user",
        room="ops", session="s", project="p", user="u", tags=["a", "b", "a"], importance=1, confidence=0, status="open",
        trust="user_declared", event_time="2026-05-10T14:32:00+02:00", valid_from=datetime(2026, 1, 1),
        valid_until="2027-01-01T00:00:00.5Z", source="wiki", locator={"line": 3}, metadata={"k": [1]}, id="mine",
    )  # fmt: skip
    record = memory.get("mine")
    assert receipt == Receipt(outcome="stored", id="mine", space="work", entry=2, status="open", entries=(2,))
    assert record is not None
    assert record == Record(
        id="mine", space="work", text="Deploys happen on Fridays.", kind="rule", memory_type="procedural",
        title="Deploys", role="user", room="ops", session="s", position=0, project="p", user="u", tags=("a", "b"),
        importance=1.0, confidence=0.0, status="open", trust="user_declared",
        event_time=datetime(2026, 5, 10, 12, 32, tzinfo=UTC), valid_from=datetime(2026, 1, 1, tzinfo=UTC),
        valid_until=datetime(2027, 1, 1, 0, 0, 0, 500_000, tzinfo=UTC), source="wiki", locator={"line": 3},
        metadata={"k": [1]}, created_at=record.recorded_at, recorded_at=record.recorded_at,
        content_hash=record.content_hash, version=record.version,
    )  # fmt: skip


def test_the_same_text_again_is_answered_with_the_id_that_holds_it(memory: Memory) -> None:
    first = memory.remember("The sky is blue.")
    again = memory.remember("The sky is blue.", title="Other words around it", id="mine")
    assert again == Receipt(
        outcome="deduplicated", id=first.id, space="default", reason="the same text is already stored"
    )
    assert memory.count() == 1


@pytest.mark.parametrize("other", [{"space": "b"}, {"kind": "note"}, {"session": "s"}, {"text": "The sky is blue"}])
def test_another_space_kind_session_or_text_is_another_record(memory: Memory, other: dict[str, str]) -> None:
    memory.remember("The sky is blue.")
    given = {"text": "The sky is blue.", **other}
    assert memory.remember(**given).stored
    assert memory.remember(**given).outcome == "deduplicated"


def test_what_no_longer_holds_can_be_remembered_again(memory: Memory) -> None:
    first = memory.remember("It rains.")
    memory.invalidate(str(first.id))
    again = memory.remember("It rains.")
    assert again.stored
    assert again.id != first.id


def test_an_id_that_holds_the_same_text_is_deduplicated_and_one_with_another_text_rejected(memory: Memory) -> None:
    memory.remember("one", id="a")
    assert memory.remember("one", id="a").outcome == "deduplicated"
    rejected = memory.remember("two", id="a")
    assert (rejected.outcome, rejected.id, rejected.entry) == ("rejected", None, None)
    assert "already holds another text; use revise" in str(rejected.reason)
    assert memory.remember("two", id="a", space="elsewhere").stored


def test_what_recall_made_is_not_stored_again(memory: Memory) -> None:
    memory.remember("The gateway validates tokens.")
    context = memory.recall("gateway tokens").context
    rejected = memory.remember(context, space="fresh")
    assert rejected.outcome == "rejected"
    assert "made by recall" in str(rejected.reason)
    assert [space.name for space in memory.spaces()] == ["default"]


def test_many_drafts_are_stored_in_one_transaction_with_defaults(memory: Memory) -> None:
    receipts = memory.remember_many(
        [{"text": "one"}, {"text": "two", "kind": "note"}, Draft(text="three"), {"text": "one"}],
        kind="fact",
        tags=["t"],
    )
    assert [receipt.outcome for receipt in receipts] == ["stored", "stored", "stored", "deduplicated"]
    records = memory.list(order="oldest")
    assert [(record.text, record.kind, record.tags) for record in records] == [
        ("one", "fact", ("t",)), ("two", "note", ("t",)), ("three", "memory", ()),
    ]  # fmt: skip
    assert len({record.recorded_at for record in records}) == 1
    assert memory.remember_many([]) == []


def test_many_drafts_are_stored_all_or_none(memory: Memory) -> None:
    with pytest.raises(RuntimeError, match="no more ids"):
        broken = memory.acting_as("test")
        ids = iter(["a", "b"])

        def next_id() -> str:
            try:
                return next(ids)
            except StopIteration:
                raise RuntimeError("no more ids") from None

        broken.core.new_id = next_id
        broken.remember_many([{"text": text} for text in ("one", "two", "three")])
    assert memory.count() == 0
    assert memory.journal() == []
    assert memory.check() == []


def test_messages_of_a_session_keep_their_order(memory: Memory) -> None:
    for number in range(3):
        memory.remember(f"message {number}", session="s", kind="message")
    memory.ingest_conversation(
        [{"role": "user", "content": "message 3"}, {"role": "assistant", "name": "Bot", "content": "message 4"}],
        session="s",
    )
    messages = memory.session("s")
    assert [(message.position, message.text) for message in messages] == [(n, f"message {n}") for n in range(5)]
    assert [message.role for message in messages] == [None, None, None, "user", "Bot"]
    (session,) = memory.sessions()
    assert (session.id, session.messages) == ("s", 5)
    assert session.started_at == messages[0].event_time


def test_a_conversation_is_stored_once(memory: Memory) -> None:
    messages = [
        {"role": "user", "content": "hello", "created_at": "2026-01-01T00:00:00Z", "metadata": {"n": 1}},
        {"role": "assistant", "content": "hi"},
    ]
    first = memory.ingest_conversation(messages, session="s", project="p")
    again = memory.ingest_conversation([*messages, {"role": "user", "content": "more"}], session="s", project="p")
    assert (first.stored, first.deduplicated) == (2, 0)
    assert (again.stored, again.deduplicated, again.ids[:2]) == (1, 2, first.ids)
    record = memory.get(first.ids[0])
    assert record is not None
    assert (record.kind, record.memory_type, record.project, record.metadata) == ("message", "episodic", "p", {"n": 1})
    assert record.event_time == datetime(2026, 1, 1, tzinfo=UTC)


DOCUMENT = "# Guide\n\nIntro.\n\n## Install\n\nRun pip.\n\n## Use\n\nOpen it.\n"


def test_a_document_becomes_sections_with_their_headings_and_lines(memory: Memory) -> None:
    done = memory.ingest(DOCUMENT, source="guide.md", title="The guide", tags=["docs"])
    records = memory.list(order="position")
    assert (done.ids, done.stored) == (tuple(record.id for record in records), 3)
    assert [(record.title, record.locator, record.position) for record in records] == [
        ("The guide › Guide", {"lines": [1, 4]}, 0),
        ("The guide › Guide › Install", {"lines": [5, 8]}, 1),
        ("The guide › Guide › Use", {"lines": [9, 11]}, 2),
    ]
    assert {record.tags for record in records} == {("docs",)}
    assert memory.recall("pip")[0].record.id == done.ids[1]


def test_ingesting_a_source_again_replaces_what_it_held(memory: Memory) -> None:
    first = memory.ingest(DOCUMENT, source="guide.md")
    same = memory.ingest(DOCUMENT, source="guide.md")
    assert (same.ids, same.stored, same.deduplicated, same.removed) == (first.ids, 0, 3, 0)
    entries = len(memory.journal(limit=1_000))
    changed = memory.ingest(DOCUMENT.replace("Run pip.", "Run pipx."), source="guide.md")
    assert (changed.stored, changed.deduplicated, changed.removed) == (1, 2, 1)
    assert changed.ids[::2] == first.ids[::2]
    assert [record.id for record in memory.list(order="position")] == list(changed.ids)
    assert memory.get(first.ids[1]) is None
    assert len(memory.journal(limit=1_000)) == entries + 2
    assert memory.check() == []


def test_a_section_that_moved_keeps_its_id_and_gets_its_new_place(memory: Memory) -> None:
    first = memory.ingest("# A\n\none\n\n# B\n\ntwo\n", source="f")
    moved = memory.ingest("# New\n\nzero\n\n# A\n\none\n\n# B\n\ntwo\n", source="f")
    assert moved.ids[1:] == first.ids
    assert [(record.position, record.locator) for record in memory.list(order="position")][1] == (1, {"lines": [5, 8]})


def test_a_write_is_journalled_under_the_name_of_who_acts(memory: Memory) -> None:
    memory.acting_as("agent-7").remember("a thing")
    memory.remember("another thing")
    assert [change.actor for change in memory.journal(newest_first=False)] == ["agent-7", "agent-7", "library"]


def test_a_note_about_a_document_stays_when_the_document_is_ingested(memory: Memory) -> None:
    memory.remember("My own note about the guide.", source="guide.md", id="note")
    done = memory.ingest(DOCUMENT, source="guide.md")
    assert (done.stored, done.removed) == (3, 0)
    assert memory.get("note") is not None


def test_a_message_that_recall_made_is_counted_as_rejected(memory: Memory) -> None:
    messages = [
        {"content": "one"},
        {"content": "<recollect>\n- (2026-01-01) two [a]\n</recollect>"},
        {"content": "three"},
    ]
    done = memory.ingest_conversation(messages, session="s")
    assert (len(done.ids), done.stored, done.deduplicated, done.rejected) == (2, 2, 0, 1)


def test_ingesting_again_renews_tags_and_leaves_a_section_that_was_ended_as_it_is(memory: Memory) -> None:
    first = memory.ingest("# A\nalpha\n# B\nbeta", source="doc.md", tags=["old"])
    memory.invalidate(first.ids[0], reason="it holds no longer")
    again = memory.ingest("# A\nalpha\n# B\nbeta", source="doc.md", tags=["new"])
    assert again.ids == first.ids
    assert [(record.id, record.tags) for record in memory.list(kinds=["document"])] == [(first.ids[1], ("new",))]


def test_a_duplicate_within_a_batch_is_found_and_takes_no_place_in_the_session(memory: Memory) -> None:
    drafts = [{"text": text, "session": "s"} for text in ("one", "two", "one", "three")]
    receipts = memory.remember_many(drafts)
    assert [receipt.outcome for receipt in receipts] == ["stored", "stored", "deduplicated", "stored"]
    assert [record.position for record in memory.session("s")] == [0, 1, 2]
    assert [receipt.outcome for receipt in memory.remember_many(drafts)] == ["deduplicated"] * 4
