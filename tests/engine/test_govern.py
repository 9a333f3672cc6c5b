"""Is what is believed governed by what it rests on, whoever writes it?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest
from tests.conftest import Clock

from recollect import Claim, Conflict, Evidence, Grounds, InvalidInput, Memory, NotFound, Receipt, Record
from recollect.engine.read.alike import alike_knowledge
from recollect.engine.write.govern import (
    claim_duplicates,
    decay_stale,
    merge_duplicates,
    promotable,
    promote_candidates,
)

GUIDE = "/docs/guide.md"
PYTHON = {"subject": "node:repo", "predicate": "language", "value": "python"}


@pytest.fixture
def guide(memory: Memory) -> str:
    """A source of two segments."""
    return add_source(memory, "src:guide", GUIDE, "The repository is written in Python.", "It is released on Fridays.")


def add_source(memory: Memory, id: str, location: str, *texts: str) -> str:
    for i, text in enumerate(texts):
        lines = {"kind": "line", "line_start": 10 * i + 1, "line_end": 10 * i + 9}
        memory.remember(text, kind="document", source=location, locator=lines)
    memory.remember(f"Source {location}", kind="source", id=id, source=location, trust="imported")
    return id


def segment(memory: Memory, place: int) -> Record:
    return memory.list(source=GUIDE, kinds=["document"], order="position")[place]


def state(memory: Memory, text: str, **grounds: object) -> Receipt:
    """An agent states something, with grounds."""
    return memory.remember(text, kind="fact", grounds={"scopes": ["scope:project"], **grounds})


def kept(memory: Memory, receipt: Receipt) -> Record:
    assert receipt.stored
    record = memory.get(receipt.id or "")
    assert record is not None
    return record


def cite(segment: str = "seg-1", **more: object) -> list[Mapping[str, object]]:
    return [{"source": "src:guide", "segment": segment, **more}]


# What is kept, and as what


def test_what_has_no_grounds_is_not_governed(memory: Memory) -> None:
    receipt = memory.remember("The sky is blue.", kind="fact")
    assert (receipt.status, receipt.entries, kept(memory, receipt).grounds) == ("active", (receipt.entry,), None)


@pytest.mark.usefixtures("guide")
def test_what_an_agent_concluded_is_a_candidate(memory: Memory) -> None:
    receipt = memory.remember("The repo uses Python.", kind="fact", status="active", grounds={"evidence": cite()})
    assert (receipt.status, kept(memory, receipt).status) == ("candidate", "candidate")


@pytest.mark.parametrize("trust", ["user_declared", "human_curated"])
def test_the_word_of_a_person_is_enough(memory: Memory, trust: str) -> None:
    assert memory.remember("I like tea.", trust=trust, grounds={"scopes": ["scope:me"]}).status == "active"


@pytest.mark.parametrize("trust", ["system_generated", "imported"])
@pytest.mark.usefixtures("guide")
def test_anything_else_that_is_active_needs_evidence(memory: Memory, trust: str) -> None:
    bare = memory.remember("The repo uses Python.", trust=trust, grounds={})
    assert (bare.outcome, bare.id, bare.entry) == ("rejected", None, None)
    assert "grounds.evidence: an active record needs evidence" in (bare.reason or "")
    assert memory.remember("The repo uses Python.", trust=trust, grounds={"evidence": cite()}).status == "active"


def test_an_activity_needs_no_evidence_and_stays_as_it_is(memory: Memory) -> None:
    receipt = memory.remember("Walked through the repo.", kind="activity", grounds={"scopes": ["scope:project"]})
    assert receipt.status == "active"


def test_grounds_come_back_as_they_were_given(memory: Memory, guide: str, clock: Clock) -> None:
    given = Grounds(
        scopes=("scope:a", "scope:b"),
        subjects=("node:repo",),
        evidence=(Evidence(source=guide, segment="seg-2", locator={"kind": "line", "line": 12}),),
        claim=Claim(subject="node:repo", predicate="released", value={"on": ["Friday", None, 1.5]}, object="node:x"),
        verified_at=clock.now,
    )
    record = kept(memory, memory.remember("Released on Fridays.", kind="fact", grounds=given))
    filled = Evidence(
        source=guide, segment="seg-2", locator={"kind": "line", "line": 12}, hash=segment(memory, 1).content_hash
    )
    assert record.grounds == Grounds(
        scopes=given.scopes,
        subjects=given.subjects,
        evidence=(filled,),
        claim=given.claim,
        verified_at=given.verified_at,
    )


@pytest.mark.parametrize(
    ("grounds", "field"),
    [
        ("src:guide", "grounds"),
        ({"scope": ["x"]}, "grounds.scope"),
        ({"evidence": "src:guide"}, "grounds.evidence"),
        ({"evidence": [{"segment": "seg-1"}]}, "grounds.evidence[0].source"),
        ({"evidence": [{"source": "s", "page": 3}]}, "grounds.evidence[0].page"),
        ({"claim": {"subject": "s", "value": 1}}, "grounds.claim.predicate"),
        ({"claim": {**PYTHON, "value": float("nan")}}, "grounds.claim.value"),
        ({"scopes": [""]}, "grounds.scopes[0]"),
        ({"verified_at": "whenever"}, "grounds.verified_at"),
    ],
)
def test_grounds_that_cannot_be_read_name_the_field(memory: Memory, grounds: object, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        memory.remember("Something.", grounds=grounds)  # type: ignore[arg-type]  # wrong on purpose
    assert caught.value.field == field
    assert memory.last_entry() == 0


# Evidence


@pytest.mark.parametrize(
    ("evidence", "problem"),
    [
        ([{"source": "src:none"}], "there is no source src:none"),
        (cite("seg-3"), "there is no segment src:guide#seg-3"),
        (cite("first"), "there is no segment src:guide#first"),
        (cite("seg-1", locator={"kind": "line", "line": 12}), "the locator does not match that of src:guide#seg-1"),
        (cite("seg-1", locator={"kind": "page", "line": 2}), "the locator does not match that of src:guide#seg-1"),
        (cite("seg-1", locator={"column": 2}), "the locator does not match that of src:guide#seg-1"),
        (cite("seg-1", hash="0" * 64), "the hash does not match that of src:guide#seg-1"),
    ],
)
@pytest.mark.usefixtures("guide")
def test_evidence_that_is_not_there_is_refused(memory: Memory, evidence: object, problem: str) -> None:
    before = memory.last_entry()
    receipt = state(memory, "The repo uses Python.", evidence=evidence)
    assert (receipt.outcome, receipt.reason) == ("rejected", f"grounds.evidence[0]: {problem}")
    assert memory.last_entry() == before


@pytest.mark.usefixtures("guide")
def test_evidence_may_say_where_it_stands_and_what_it_was(memory: Memory) -> None:
    whole = {"kind": "line", "line_start": 1, "line_end": 9}
    digest = segment(memory, 0).content_hash
    for i, more in enumerate(
        ({"locator": whole}, {"locator": {"line": 9}}, {"hash": digest}, {"hash": digest.upper()})
    ):
        record = kept(memory, state(memory, f"The repo uses Python, {i}.", evidence=cite("seg-1", **more)))
        assert record.grounds is not None
        assert record.grounds.evidence[0].hash == digest


@pytest.mark.usefixtures("guide")
def test_evidence_goes_stale_when_its_source_changes(memory: Memory) -> None:
    record = kept(memory, state(memory, "The repo uses Python.", evidence=[*cite("seg-1"), *cite("seg-2")]))
    assert [found.state for found in memory.evidence_state(record)] == ["current", "current"]
    memory.revise(segment(memory, 0).id, "The repository is written in Rust.")
    memory.forget(segment(memory, 1).id)
    assert [found.state for found in memory.evidence_state(record)] == ["changed", "missing"]


@pytest.mark.usefixtures("guide")
def test_evidence_that_only_moved_is_found_where_it_stands_now(memory: Memory) -> None:
    record = kept(memory, state(memory, "The repo uses Python.", evidence=cite("seg-1")))
    first = segment(memory, 0)
    memory.revise(first.id, "A new beginning.")
    memory.remember(first.text, kind="document", source=GUIDE)
    (found,) = memory.evidence_state(record)
    assert (found.state, found.segment) == ("current", "seg-4")


def test_evidence_of_a_whole_source_is_of_what_it_was_made_from(memory: Memory) -> None:
    memory.remember("A page", kind="source", id="src:web", source="https://x.test/", metadata={"fingerprint": "f1"})
    record = kept(memory, state(memory, "Walked.", evidence=["src:web"]))
    assert [found.state for found in memory.evidence_state(record)] == ["current"]
    memory.revise("src:web", metadata={"fingerprint": "f2"})
    assert [found.state for found in memory.evidence_state(record)] == ["changed"]


# Claims


def test_the_same_claim_is_not_kept_twice(memory: Memory) -> None:
    first = state(memory, "The repo uses Python.", claim=PYTHON)
    again = state(memory, "Python is what it is written in.", claim=PYTHON)
    assert (again.outcome, again.reason) == (
        "rejected",
        f"grounds.claim: is a duplicate of what {first.id} claims already",
    )
    assert memory.count(kinds=["fact"]) == 1


def test_a_claim_elsewhere_or_of_another_kind_is_another_claim(memory: Memory) -> None:
    state(memory, "The repo uses Python.", claim=PYTHON)
    assert state(memory, "It uses Python.", claim=PYTHON, scopes=["scope:other"]).status == "candidate"
    other = memory.remember("We chose Python.", kind="decision", grounds={"claim": PYTHON})
    assert other.status == "candidate"


def test_what_names_no_scope_holds_in_all(memory: Memory) -> None:
    state(memory, "The repo uses Python.", claim=PYTHON)
    assert state(memory, "It uses Python.", claim=PYTHON, scopes=[]).outcome == "rejected"


def test_a_claim_that_contradicts_another_is_contested(memory: Memory) -> None:
    first = state(memory, "The repo uses Python.", claim=PYTHON)
    second = state(memory, "The repo uses Rust.", claim={**PYTHON, "value": "rust"})
    assert (second.status, second.contested) == ("contested", (first.id,))
    assert kept(memory, second).status == "contested"
    assert kept(memory, first).status == "candidate"
    assert [record.id for record in memory.contradictions(second.id or "")] == [first.id]
    assert memory.history(second.id or "")[0].change.reason == f"contradicts {first.id}"


def test_the_order_of_keys_and_a_gap_between_value_and_object_are_told_apart(memory: Memory) -> None:
    state(memory, "One.", claim={**PYTHON, "value": {"a": 1, "b": 2}})
    assert state(memory, "Two.", claim={**PYTHON, "value": {"b": 2, "a": 1}}).outcome == "rejected"
    assert state(
        memory, "Three.", claim={"subject": "node:repo", "predicate": "language", "object": "python"}
    ).contested


def test_what_was_put_away_contradicts_nothing(memory: Memory) -> None:
    first = state(memory, "The repo uses Python.", claim=PYTHON)
    memory.invalidate(first.id or "", reason="not any more")
    assert state(memory, "The repo uses Rust.", claim={**PYTHON, "value": "rust"}).status == "candidate"


@pytest.mark.parametrize(
    ("period", "contested"),
    [
        ({"valid_until": "2020-01-01T00:00:00Z"}, False),
        ({"valid_from": "2019-01-01T00:00:00Z", "valid_until": "2020-01-01T00:00:00Z"}, False),
        ({"valid_from": "2030-01-01T00:00:00Z"}, True),
        ({"valid_until": "2030-01-01T00:00:00Z"}, True),
    ],
)
def test_what_holds_at_other_times_contradicts_nothing(memory: Memory, period: dict[str, str], contested: bool) -> None:
    first = state(memory, "The repo uses Python.", claim=PYTHON)
    claim = {**PYTHON, "value": "rust"}
    other = memory.remember("The repo uses Rust.", kind="fact", grounds={"claim": claim}, **period)  # type: ignore[arg-type]
    assert other.contested == ((first.id,) if contested else ())


def test_grounds_that_come_later_bring_a_record_under_the_rules(memory: Memory) -> None:
    first = state(memory, "The repo uses Python.", claim=PYTHON)
    plain = memory.remember("The repo uses Rust.", kind="fact")
    receipt = memory.revise(plain.id or "", grounds={"claim": {**PYTHON, "value": "rust"}})
    assert (receipt.status, receipt.contested) == ("contested", (first.id,))
    other = memory.remember("It is fast.")
    assert memory.revise(other.id or "", grounds={"scopes": ["scope:project"]}).status == "candidate"


def test_the_same_text_without_a_claim_is_kept_and_pointed_out(memory: Memory) -> None:
    first = state(memory, "Kuzu is the local graph backend.")
    second = state(memory, "Kuzu is the local graph backend.")
    assert second.stored
    (alike,) = alike_knowledge(memory.core, second.id or "")
    assert (alike.id, alike.score, alike.kind, alike.status) == (first.id, 0.9, "fact", "candidate")


def test_the_same_text_on_the_same_grounds_is_kept_once_where_that_is_asked_for(memory: Memory) -> None:
    first = memory.remember("Kuzu it is.", grounds={"scopes": ["a"]}, alike=["grounds"])
    again = memory.remember("Kuzu it is.", grounds={"scopes": ["a"]}, alike=["grounds"])
    assert (again.outcome, again.id) == ("deduplicated", first.id)
    assert memory.remember("Kuzu it is.", grounds={"scopes": ["b"]}, alike=["grounds"]).stored


# Many at once


def test_all_of_a_batch_are_stored_or_none(memory: Memory) -> None:
    drafts = [{"text": "Fine."}, {"text": "Not fine.", "grounds": {"evidence": ["src:none"]}}]
    with pytest.raises(InvalidInput, match=r"drafts\[1\]: grounds.evidence\[0\]: there is no source src:none"):
        memory.remember_many(drafts, atomic=True)
    assert (memory.last_entry(), memory.spaces()) == (0, [])
    assert [receipt.outcome for receipt in memory.remember_many(drafts)] == ["stored", "rejected"]


def test_claims_of_one_batch_know_of_each_other(memory: Memory) -> None:
    drafts = [
        {"text": f"It uses {value}.", "kind": "fact", "grounds": {"claim": {**PYTHON, "value": value}}}
        for value in ("python", "rust", "python")
    ]
    assert [receipt.outcome for receipt in memory.remember_many(drafts)] == ["stored", "stored", "rejected"]


# Revising


@pytest.mark.usefixtures("guide")
def test_a_revision_is_governed_too(memory: Memory) -> None:
    receipt = state(memory, "The repo uses Python.", evidence=cite())
    with pytest.raises(InvalidInput, match="status: what an agent concluded becomes active by promote"):
        memory.revise(receipt.id or "", status="active")
    with pytest.raises(InvalidInput, match="a record cannot rest on itself"):
        memory.revise(receipt.id or "", grounds={"evidence": [receipt.id]})
    with pytest.raises(InvalidInput, match=r"grounds.evidence\[0\]: there is no source src:none"):
        memory.revise(receipt.id or "", grounds={"evidence": ["src:none"]})
    assert len(memory.history(receipt.id or "")) == 1


@pytest.mark.usefixtures("guide")
def test_evidence_may_not_be_taken_from_what_is_active(memory: Memory) -> None:
    receipt = state(memory, "The repo uses Python.", evidence=cite())
    memory.promote(receipt.id or "", reason="read it")
    memory.revise(receipt.id or "", "The repository uses Python.")
    assert kept(memory, receipt).status == "active"
    with pytest.raises(InvalidInput, match="an active record needs evidence"):
        memory.revise(receipt.id or "", grounds={})


def test_a_revision_may_not_claim_what_is_claimed(memory: Memory) -> None:
    first = state(memory, "The repo uses Python.", claim=PYTHON)
    second = state(memory, "Elsewhere too.", claim=PYTHON, scopes=["scope:other"])
    with pytest.raises(InvalidInput, match=f"is a duplicate of what {first.id} claims"):
        memory.revise(second.id or "", grounds={"scopes": ["scope:project", "scope:other"], "claim": PYTHON})
    receipt = memory.revise(second.id or "", grounds={"claim": {**PYTHON, "value": "rust"}})
    assert (receipt.status, receipt.contested) == ("contested", (first.id,))


@pytest.mark.usefixtures("guide")
def test_evidence_that_changed_since_does_not_stand_in_the_way_of_a_revision(memory: Memory) -> None:
    record = kept(memory, state(memory, "The repo uses Python.", evidence=cite()))
    memory.revise(segment(memory, 0).id, "The repository is written in Rust.")
    assert record.grounds is not None
    wider = Grounds(scopes=("scope:all",), evidence=record.grounds.evidence)
    assert memory.revise(record.id, grounds=wider).stored


# Lifecycle


@pytest.mark.usefixtures("guide")
def test_a_candidate_is_promoted_and_that_can_be_undone(memory: Memory) -> None:
    first = kept(memory, state(memory, "The repo uses Python.", evidence=cite()))
    receipt = memory.promote(first.id, reason="read the guide")
    active = kept(memory, receipt)
    assert (receipt.status, active.status) == ("active", "active")
    assert active.grounds is not None
    assert active.grounds.verified_at == active.recorded_at
    memory.undo(receipt)
    back = kept(memory, receipt)
    assert (back.status, back.grounds) == ("candidate", first.grounds)


def test_nothing_is_promoted_that_rests_on_nothing(memory: Memory, guide: str) -> None:
    bare = state(memory, "The repo uses Python.")
    with pytest.raises(InvalidInput, match="an active record needs evidence"):
        memory.promote(bare.id or "", reason="because")
    cited = state(memory, "It is released on Fridays.", evidence=cite("seg-2"))
    memory.archive_source(guide, reason="a bad import")
    with pytest.raises(InvalidInput, match="nothing of what it rests on is left"):
        memory.promote(cited.id or "", reason="because")


@pytest.mark.usefixtures("guide")
def test_one_record_takes_the_place_of_another(memory: Memory) -> None:
    old = state(memory, "The repo uses Python.", claim=PYTHON)
    new = state(memory, "The repo uses Rust.", claim={**PYTHON, "value": "rust"}, evidence=cite())
    receipt = memory.supersede(old.id or "", new.id or "", reason="rewritten")
    before, after = kept(memory, old), kept(memory, new)
    assert (before.status, before.superseded_by, before.valid_until) == ("superseded", new.id, before.recorded_at)
    assert (after.status, receipt.status, len(receipt.entries)) == ("active", "superseded", 2)
    for entry in reversed(receipt.entries):
        memory.undo(entry)
    assert [kept(memory, one).status for one in (old, new)] == ["candidate", "contested"]
    assert kept(memory, old).superseded_by is None


def test_what_has_no_evidence_takes_a_place_but_is_not_made_active(memory: Memory) -> None:
    old, new = (state(memory, f"{language} it is.") for language in ("Python", "Rust"))
    receipt = memory.supersede(old.id or "", new.id or "", reason="rewritten")
    assert (len(receipt.entries), kept(memory, new).status) == (1, "candidate")
    again = memory.supersede(old.id or "", new.id or "", reason="rewritten")
    assert again.outcome == "deduplicated"
    with pytest.raises(Conflict, match=f"{old.id} is superseded already"):
        memory.supersede(new.id or "", old.id or "", reason="back")


def test_doubt_is_stated_and_taken_back(memory: Memory) -> None:
    receipt = state(memory, "The repo uses Python.")
    doubt = memory.contest(receipt.id or "", reason="another source disagrees")
    assert (doubt.status, kept(memory, receipt).status) == ("contested", "contested")
    assert memory.contest(receipt.id or "", reason="still").outcome == "deduplicated"
    memory.undo(doubt)
    assert kept(memory, receipt).status == "candidate"


@pytest.mark.parametrize("verb", ["promote", "contest"])
def test_only_what_stands_changes_its_standing(memory: Memory, verb: str) -> None:
    task = memory.remember("Review the repo.", kind="work_item", status="open")
    with pytest.raises(Conflict, match="is open; only what is active, candidate, contested, stale"):
        getattr(memory, verb)(task.id, reason="because")
    with pytest.raises(NotFound):
        getattr(memory, verb)("nobody", reason="because")


def test_what_rests_on_an_archived_source_alone_is_stale(memory: Memory, guide: str) -> None:
    other = add_source(memory, "src:other", "/docs/other.md", "Python, says another.")
    alone = state(memory, "The repo uses Python.", evidence=cite())
    both = state(memory, "It is Python.", evidence=[*cite(), {"source": other, "segment": "seg-1"}])
    walk = memory.remember("Read the guide.", kind="activity", grounds={"evidence": [guide]})
    done = memory.archive_source(guide, reason="a bad import")
    assert (done.stale_ids, done.partial_ids) == ((alone.id,), (both.id,))
    assert [kept(memory, one).status for one in (alone, both, walk)] == ["stale", "candidate", "active"]
    assert [found.state for found in memory.evidence_state(kept(memory, both))] == ["archived", "current"]
    assert memory.archive_source(guide, reason="again").receipt.outcome == "deduplicated"
    for entry in done.receipt.entries:
        memory.undo(entry)
    assert kept(memory, alone).status == "candidate"
    assert memory.evidence_state(kept(memory, alone))[0].state == "current"


def test_only_a_source_can_be_archived_as_one(memory: Memory) -> None:
    receipt = memory.remember("Not a source.")
    with pytest.raises(NotFound, match="there is no source"):
        memory.archive_source(receipt.id or "", reason="because")


# Upkeep


@pytest.mark.usefixtures("guide")
def test_candidates_that_reach_the_bar_are_promoted(memory: Memory) -> None:
    def candidate(text: str, confidence: float, evidence: object) -> str:
        receipt = memory.remember(text, kind="fact", confidence=confidence, grounds={"evidence": evidence})
        return receipt.id or ""

    good = candidate("The repo uses Python.", 0.75, cite("seg-2"))
    candidate("Unsure.", 0.7, cite("seg-2"))
    candidate("Unfounded.", 1.0, [])
    candidate("Outdated.", 1.0, cite("seg-1"))
    memory.revise(segment(memory, 0).id, "The repository is written in Rust.")
    assert [record.id for record in promotable(memory.core)] == [good]
    assert promote_candidates(memory.core, dry_run=True).entries == ()
    done = promote_candidates(memory.core)
    assert (done.ids, len(done.entries)) == ((good,), 1)
    assert promote_candidates(memory.core).ids == ()
    memory.undo(done.entries[0])
    assert kept(memory, Receipt(outcome="stored", id=good, space="default")).status == "candidate"


def test_what_was_verified_or_made_long_ago_is_stale(memory: Memory, clock: Clock) -> None:
    made = clock.now
    never = memory.remember("I like coffee.", trust="user_declared", grounds={})
    fresh = memory.remember("I like tea.", trust="user_declared", grounds={"verified_at": made + timedelta(days=25)})
    clock.advance(days=20)
    assert decay_stale(memory.core).ids == ()
    assert decay_stale(memory.core, at=made + timedelta(days=31), dry_run=True).ids == (never.id,)
    clock.advance(days=11)
    done = decay_stale(memory.core)
    assert (done.ids, kept(memory, never).status, kept(memory, fresh).status) == ((never.id,), "stale", "active")
    memory.undo(done.entries[0])
    assert decay_stale(memory.core, days=40).ids == ()


@pytest.mark.usefixtures("guide")
def test_records_that_claim_the_same_become_one(memory: Memory) -> None:
    first = state(memory, "The repo uses Python.", claim=PYTHON, evidence=cite("seg-1"), scopes=["scope:a"])
    ended = memory.invalidate(first.id or "")
    second = memory.remember(
        "Python it is.", kind="fact", confidence=0.5,
        grounds={"claim": PYTHON, "evidence": cite("seg-2"), "scopes": ["scope:a", "scope:b"]},
    )  # fmt: skip
    memory.undo(ended)
    assert [[record.id for record in group] for group in claim_duplicates(memory.core)] == [[first.id, second.id]]
    assert merge_duplicates(memory.core, dry_run=True)[0].entries == ()
    (merged,) = merge_duplicates(memory.core)
    united = kept(memory, first)
    assert (merged.kept, merged.merged, len(merged.entries)) == (first.id, (second.id,), 2)
    assert united.grounds is not None
    assert united.grounds.scopes == ("scope:a", "scope:b")
    assert [item.segment for item in united.grounds.evidence] == ["seg-1", "seg-2"]
    assert (kept(memory, second).status, kept(memory, second).superseded_by) == ("superseded", first.id)
    assert merge_duplicates(memory.core) == []
    for entry in merged.entries:
        memory.undo(entry)
    assert len(claim_duplicates(memory.core)) == 1


# Past, reindexing and forgetting


@pytest.mark.usefixtures("guide")
def test_grounds_have_a_past(memory: Memory) -> None:
    receipt = state(memory, "The repo uses Python.", claim=PYTHON, evidence=cite())
    then = memory.journal(limit=1)[0].at
    memory.revise(receipt.id or "", grounds={"scopes": ["scope:other"]})
    was = memory.get(receipt.id or "", as_of=then)
    assert was is not None
    assert was.grounds is not None
    assert was.grounds.claim == Claim(**PYTHON)
    steps = [past.record.grounds for past in memory.history(receipt.id or "") if past.record is not None]
    assert [grounds.scopes for grounds in steps if grounds] == [("scope:project",), ("scope:other",)]


def test_reindexing_finds_the_same_rivals(memory: Memory) -> None:
    first = state(memory, "The repo uses Python.", claim=PYTHON)
    memory.revise(first.id or "", "The repository uses Python.")
    memory.reindex()
    assert memory.check() == []
    assert state(memory, "Python!", claim=PYTHON).outcome == "rejected"
    assert state(memory, "Rust!", claim={**PYTHON, "value": "rust"}).contested == (first.id,)


def test_what_is_forgotten_claims_nothing(memory: Memory) -> None:
    first = state(memory, "The repo uses Python.", claim=PYTHON)
    memory.forget(first.id or "")
    assert memory.check() == []
    assert state(memory, "Python!", claim=PYTHON).status == "candidate"


def test_a_space_that_is_deleted_takes_its_claims_along(memory: Memory) -> None:
    state(memory, "The repo uses Python.", claim=PYTHON)
    memory.delete_space("default")
    assert memory.check() == []
    assert state(memory, "Python!", claim=PYTHON).status == "candidate"


def test_a_claim_in_another_space_is_not_in_the_way(memory: Memory) -> None:
    state(memory, "The repo uses Python.", claim=PYTHON)
    other = memory.remember("It uses Python.", space="other", kind="fact", grounds={"claim": PYTHON})
    assert other.status == "candidate"


def test_dreaming_leaves_governed_records_to_those_who_decide(open_plain: Callable[..., Memory]) -> None:
    memory = open_plain("kuzu")
    for end in (".", "!"):
        memory.remember(f"kuzu is the graph backend{end}", grounds={"scopes": ["scope:project"]})
    assert memory.dream().merges == ()
