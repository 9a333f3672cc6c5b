"""How does what is known change, and how is a change taken back?"""

from __future__ import annotations

import msgspec
import pytest

from recollect import Conflict, InvalidInput, Memory, NotFound


def text(memory: Memory, id: str = "a") -> str | None:
    record = memory.get(id)
    return None if record is None else record.text


def last(memory: Memory) -> int:
    return memory.journal(limit=1)[0].entry


def test_a_revision_changes_what_it_names_and_keeps_the_rest(memory: Memory) -> None:
    memory.remember("one", id="a", tags=["t"], title="T")
    before = memory.get("a")
    receipt = memory.revise("a", "two", importance=0.9, title=None, reason="better")
    after = memory.get("a")
    assert before is not None
    assert after is not None
    assert after == msgspec.structs.replace(
        before, text="two", importance=0.9, title=None, version=after.version, recorded_at=after.recorded_at,
        content_hash=after.content_hash,
    )  # fmt: skip
    assert after.content_hash != before.content_hash
    assert (receipt.outcome, receipt.entry) == ("stored", last(memory))
    assert [(past.change.verb, past.change.reason, past.record) for past in memory.history("a")] == [
        ("remember", None, before), ("revise", "better", after),
    ]  # fmt: skip


def test_a_revision_that_changes_nothing_is_not_written(memory: Memory) -> None:
    memory.remember("one", id="a", tags=["t"])
    entry = last(memory)
    receipt = memory.revise("a", "one", tags=["t"])
    assert (receipt.outcome, receipt.reason, receipt.entry) == ("deduplicated", "nothing would change", None)
    assert last(memory) == entry


def test_what_was_revised_is_found_by_its_new_words_only(memory: Memory) -> None:
    memory.remember("The cat sleeps.", id="a")
    then = memory.get("a")
    memory.revise("a", "The dog barks.")
    assert then is not None
    assert [hit.record.text for hit in memory.recall("dog")] == ["The dog barks."]
    assert list(memory.recall("cat")) == []
    assert [hit.record.text for hit in memory.recall("cat", as_of=then.recorded_at)] == ["The cat sleeps."]
    assert list(memory.recall("dog", as_of=then.recorded_at)) == []


def test_an_invalidated_record_is_kept_but_left_out(memory: Memory) -> None:
    memory.remember("Rome is the capital.", id="a")
    memory.remember("Paris is the capital.", id="b")
    receipt = memory.invalidate("a", reason="moved", superseded_by="b")
    record = memory.get("a")
    assert record is not None
    assert (record.status, record.superseded_by, record.valid_until) == ("superseded", "b", record.recorded_at)
    assert receipt.entry == last(memory)
    assert [hit.record.id for hit in memory.recall("capital")] == ["b"]
    assert [one.id for one in memory.list()] == ["b"]
    assert memory.count() == 1
    assert [one.id for one in memory.list(valid_only=False)] == ["b", "a"]
    assert [one.id for one in memory.list(statuses=["superseded"], valid_only=False)] == ["a"]


def test_a_record_can_end_in_the_future(memory: Memory, clock) -> None:
    memory.remember("The offer stands.", id="a")
    memory.invalidate("a", at="2026-06-01T00:00:00Z")
    assert [one.id for one in memory.list()] == ["a"]
    clock.advance(days=60)
    assert memory.list() == []
    assert list(memory.recall("offer")) == []


def test_an_end_before_the_beginning_is_refused(memory: Memory) -> None:
    memory.remember("x", id="a", valid_from="2026-01-01T00:00:00Z")
    with pytest.raises(InvalidInput, match="at: must be later"):
        memory.invalidate("a", at="2025-01-01T00:00:00Z")
    assert len(memory.history("a")) == 1


def test_a_forgotten_record_is_gone_from_every_read(memory: Memory) -> None:
    memory.remember("The password is swordfish.", id="a")
    memory.revise("a", "The password was swordfish.", reason="swordfish is old")
    then = memory.journal(limit=1)[0].at
    memory.forget("a", reason="asked to")
    assert text(memory) is None
    assert memory.get("a", as_of=then) is None
    assert memory.list(as_of=then) == []
    assert list(memory.recall("password swordfish", as_of=then)) == []
    assert [(p.change.verb, p.change.reason, p.change.after, p.record) for p in memory.history("a")] == [
        ("remember", None, None, None), ("revise", None, None, None), ("forget", "asked to", None, None),
    ]  # fmt: skip
    with pytest.raises(NotFound):
        memory.forget("a")
    assert memory.remember("Something else.", id="a").stored


def test_undoing_takes_back_each_verb(memory: Memory) -> None:
    stored = memory.remember("one", id="a")
    revised = memory.revise("a", "two")
    memory.undo(revised)
    assert text(memory) == "one"
    ended = memory.invalidate("a")
    assert memory.list() == []
    memory.undo(ended)
    assert [record.valid_until for record in memory.list()] == [None]
    memory.undo(stored, reason="never said")
    assert text(memory) is None
    assert memory.journal(limit=1)[0].undoes == stored.entry
    assert list(memory.recall("one")) == []


def test_an_undo_can_be_undone(memory: Memory) -> None:
    memory.remember("one", id="a")
    revised = memory.revise("a", "two")
    back = memory.undo(revised)
    memory.undo(back)
    assert text(memory) == "two"
    gone = memory.undo(memory.history("a")[0].change)
    assert text(memory) is None
    memory.undo(gone)
    assert text(memory) == "two"
    assert [hit.record.id for hit in memory.recall("two")] == ["a"]
    assert memory.check() == []


def test_an_older_change_can_be_undone_below_later_ones_of_other_fields(memory: Memory) -> None:
    memory.remember("one", id="a", importance=0.1)
    revised = memory.revise("a", "two")
    memory.revise("a", importance=0.9, tags=["t"])
    memory.undo(revised)
    record = memory.get("a")
    assert record is not None
    assert (record.text, record.importance, record.tags) == ("one", 0.9, ("t",))


def test_a_change_below_a_later_one_of_the_same_field_is_not_undone(memory: Memory) -> None:
    memory.remember("one", id="a")
    revised = memory.revise("a", "two", importance=0.9)
    memory.revise("a", "three")
    before = memory.journal()
    with pytest.raises(Conflict, match=r"content_hash, text changed again after entry 3"):
        memory.undo(revised)
    assert memory.journal() == before
    assert text(memory) == "three"


def test_what_is_undone_already_or_forgotten_cannot_be_undone(memory: Memory) -> None:
    stored = memory.remember("one", id="a")
    memory.undo(stored)
    with pytest.raises(Conflict, match="undone already"):
        memory.undo(stored)
    other = memory.remember("two", id="b")
    gone = memory.forget("b")
    for entry in (other, gone):
        with pytest.raises(Conflict, match="cannot be undone"):
            memory.undo(entry)
    with pytest.raises(Conflict, match="cannot be undone"):
        memory.undo(1)
    with pytest.raises(InvalidInput, match="changed nothing"):
        memory.undo(memory.remember("one") and memory.remember("one"))


def test_what_an_undo_took_away_can_still_be_forgotten(memory: Memory) -> None:
    memory.undo(memory.remember("one", id="a"))
    then = memory.journal(newest_first=False)[1].at
    assert memory.get("a", as_of=then) is not None
    memory.forget("a")
    assert memory.get("a", as_of=then) is None


def test_a_fact_an_entity_and_a_replaced_source_can_be_undone(memory: Memory) -> None:
    memory.ingest("# A\n\nold words\n", source="f")
    memory.ingest("# A\n\nnew words\n", source="f")
    memory.undo(next(change for change in memory.journal() if change.verb == "replace"))
    assert {record.text for record in memory.list()} == {"# A\n\nold words", "# A\n\nnew words"}
    memory.relate("Ada", "lives in", "London")
    memory.relate("Ada", "lives in", "Paris")
    memory.undo(next(change for change in memory.journal() if change.verb == "relate"))
    assert [fact.object for fact in memory.facts("Ada")] == ["London"]


def test_undoing_a_fact_brings_back_what_it_replaced_unless_that_has_changed_since(memory: Memory) -> None:
    memory.relate("Ada", "lives in", "London")
    memory.relate("Ada", "lives in", "Paris")
    closed, related = (next(c for c in memory.journal() if c.verb == verb) for verb in ("close", "relate"))
    memory.undo(closed)
    assert len(memory.undo(related).entries) == 1
    assert [fact.object for fact in memory.facts("Ada")] == ["London"]


def test_an_id_in_several_spaces_asks_for_the_space(memory: Memory) -> None:
    memory.remember("one", id="a")
    memory.remember("two", id="a", space="other")
    with pytest.raises(InvalidInput, match="several spaces") as caught:
        memory.get("a")
    assert caught.value.field == "space"
    with pytest.raises(Conflict, match="several spaces"):
        memory.forget("a")
    memory.forget("a", space="other")
    assert text(memory) == "one"
    memory.remember("three", id="a", space="other")
    assert [past.record.text for past in memory.history("a", space="default") if past.record] == ["one"]


def test_every_read_can_look_back(memory: Memory, clock) -> None:
    memory.remember("The office is in Rome.", id="a", session="s")
    memory.relate("Office", "is in", "Rome")
    then = clock.advance(hours=1)
    memory.revise("a", "The office is in Oslo.")
    memory.relate("Office", "is in", "Oslo")
    memory.entity("Office", aliases=["HQ"], description="new")
    assert memory.get("a", as_of=then).text == "The office is in Rome."  # type: ignore[union-attr]
    assert [record.text for record in memory.list(as_of=then)] == ["The office is in Rome."]
    assert [record.text for record in memory.session("s", as_of=then)] == ["The office is in Rome."]
    assert [hit.record.text for hit in memory.recall("office", as_of=then, facts=False)] == ["The office is in Rome."]
    assert [fact.object for fact in memory.facts("HQ", as_of=then)] == ["Rome"]
    around = memory.neighbors("HQ", as_of=then)
    assert [(entity.name, entity.aliases) for entity in around.entities] == [("Office", ()), ("Rome", ())]
    assert memory.count(as_of=then) == 1
    assert memory.count(as_of="2020-01-01T00:00:00Z") == 0
