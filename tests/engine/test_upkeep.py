"""Does a look at a space find what asks for care, and does what somebody decides take effect as a whole?"""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.conftest import NOON

from recollect import Conflict, InvalidInput, Memory
from recollect.engine.care.mend import audit, mend
from recollect.engine.care.resolve import Clarified, Resolution, resolve_twins
from recollect.engine.care.upkeep import graph_health, upkeep
from recollect.engine.write.govern import claim_duplicates, promotable

SCOPED = {"scopes": ["scope:a"]}


def know(memory: Memory, id: str, title: str, text: str, **more: object) -> str:
    given: dict[str, object] = {"kind": "decision", "trust": "user_declared", "grounds": SCOPED, **more}
    assert memory.remember(text, id=id, title=title, **given).stored  # type: ignore[arg-type]
    return id


def twice(memory: Memory) -> tuple[str, str]:
    return (
        know(memory, "k1", "Use Kuzu as the local graph backend", "Kuzu is the selected local graph backend."),
        know(memory, "k2", "Kuzu remains the local graph backend", "The local graph backend should stay on Kuzu."),
    )


def claim(memory: Memory, id: str, value: object, scope: str = "scope:a", **more: object) -> None:
    grounds = {"scopes": [scope], "claim": {"subject": "node:x", "predicate": "language", "value": value}}
    memory.remember(f"{id} says {value}", id=id, kind="fact", trust="user_declared", grounds=grounds, **more)  # type: ignore[arg-type]


def test_records_that_may_say_the_same_are_paired(memory: Memory) -> None:
    twice(memory)
    know(memory, "k3", "Deploy on Fridays", "Releases go out on Friday mornings.")
    (twins,) = upkeep(memory.core).twins
    assert (twins.ids, twins.foremost) == (("k1", "k2"), "k2")
    assert set(twins.reasons) == {"title_overlap", "summary_overlap", "same_kind"}


@pytest.mark.parametrize("status", ["superseded", "contested", "archived"])
def test_what_is_settled_is_not_paired(memory: Memory, status: str) -> None:
    first, _ = twice(memory)
    memory.revise(first, status=status)
    assert upkeep(memory.core).twins == ()


def test_records_of_other_scopes_are_not_paired(memory: Memory) -> None:
    first, _ = twice(memory)
    memory.revise(first, grounds={"scopes": ["scope:elsewhere"]})
    assert upkeep(memory.core).twins == ()


def test_many_copies_of_one_text_are_all_found_near_each_other(memory: Memory) -> None:
    drafts = [
        {"text": f"The nightly backup of the ledger runs at two, says {at}.", "kind": "fact", "grounds": SCOPED}
        for at in range(400)
    ]
    memory.remember_many(drafts)
    found = upkeep(memory.core)
    assert found.counts["twins"] >= 399
    assert len(found.twins) == 50


def test_candidates_stale_records_and_claims_are_told_apart(memory: Memory) -> None:
    memory.ingest("# A\n\ntext", source="a.md")
    know(memory, "lone", "A guess", "Nobody saw it.", trust="agent_inferred", confidence=0.9)
    claim(memory, "old", "python", valid_until=NOON + timedelta(days=1))
    memory.promote("old", reason="seen")
    found = upkeep(memory.core, at=NOON + timedelta(days=40))
    assert (found.promotable, found.low_evidence, found.stale) == ((), ("lone",), ("lone", "old"))
    assert [(doubt.kind, doubt.ids) for doubt in found.doubts] == [("stale_fact", ("old",))]


def test_evidence_may_be_any_record(memory: Memory) -> None:
    seen = memory.remember("Ada said so.", kind="memory").id
    grounds = {"scopes": ["s"], "evidence": [{"source": seen}]}
    know(memory, "k", "It is so", "It is so.", trust="agent_inferred", grounds=grounds)
    assert upkeep(memory.core).promotable == tuple(record.id for record in promotable(memory.core)) == ("k",)
    memory.revise(seen or "", "Ada said otherwise.")
    assert upkeep(memory.core).promotable == tuple(record.id for record in promotable(memory.core)) == ()


def test_claims_that_contradict_each_other_are_doubts_whatever_their_scopes(memory: Memory) -> None:
    claim(memory, "one", "python")
    claim(memory, "two", "rust", scope="scope:b")
    (doubt,) = upkeep(memory.core).doubts
    assert (doubt.kind, doubt.ids, doubt.subject, doubt.predicate) == (
        "relationship_mismatch", ("one", "two"), "node:x", "language",
    )  # fmt: skip


def test_the_same_claims_are_groups_as_merging_sees_them(memory: Memory) -> None:
    claim(memory, "one", "python")
    claim(memory, "two", "python", scope="scope:b")
    assert upkeep(memory.core).duplicates == ()
    memory.revise("two", grounds=None)
    memory.undo(memory.revise("two", status="archived").entry or 0)
    assert upkeep(memory.core).duplicates == tuple(
        tuple(record.id for record in group) for group in claim_duplicates(memory.core)
    )


def test_entities_whose_names_hardly_differ_are_doubts(memory: Memory) -> None:
    ids = sorted(memory.entity(name, id=f"e{at}").id for at, name in enumerate(("Graph DB", "GraphDB", "C", "C++")))[:2]
    assert [(doubt.kind, doubt.ids) for doubt in upkeep(memory.core).doubts] == [("similar_entity_name", tuple(ids))]


def test_the_graph_is_made_of_relations_and_of_what_records_refer_to(memory: Memory) -> None:
    for name in ("Ada", "Ben"):
        memory.entity(name, id=f"node:{name}")
    grounds = {"scopes": ["scope:a"], "subjects": ["node:Ada", "node:Ben"]}
    know(memory, "k", "They met", "Ada met Ben.", grounds=grounds)
    know(memory, "alone", "Weather", "It rained.")
    health = graph_health(memory.core)
    assert [(node.id, node.degree) for node in health.bridges] == [("k", 2)]
    assert [node.id for node in health.isolated] == ["alone"]
    assert [(one.scope, one.node_count, one.edge_count) for one in health.weak_scopes] == [("scope:a", 2, 0)]
    assert health == upkeep(memory.core).graph


def test_one_record_takes_the_place_of_the_others(memory: Memory) -> None:
    ids = twice(memory)
    done = resolve_twins(memory.core, Resolution(outcome="supersede", ids=ids, canonical="k2", reason="newer"))
    first = memory.get("k1")
    assert first is not None
    assert (first.status, first.superseded_by) == ("superseded", "k2")
    for entry in reversed(done.entries):
        memory.undo(entry)
    assert len(upkeep(memory.core).twins) == 1


def test_two_records_are_told_apart(memory: Memory) -> None:
    ids = twice(memory)
    updates = (
        Clarified(id="k1", scopes=("scope:p",)),
        Clarified(id="k2", text="In q the backend is Kuzu.", scopes=("q",)),
    )
    resolve_twins(memory.core, Resolution(outcome="keep_both", ids=ids, reason="two projects", updates=updates))
    second = memory.get("k2")
    assert second is not None
    assert second.grounds is not None
    assert (second.text, second.grounds.scopes) == ("In q the backend is Kuzu.", ("q",))
    assert upkeep(memory.core).twins == ()


def test_none_of_them_passes_for_true_where_it_is_not_clear(memory: Memory) -> None:
    ids = twice(memory)
    resolve_twins(memory.core, Resolution(outcome="contest", ids=ids, reason="unclear"))
    assert [record.status for record in map(memory.get, ids) if record] == ["contested", "contested"]


def test_only_current_twins_can_be_resolved_and_nothing_is_half_done(memory: Memory) -> None:
    ids = twice(memory)
    know(memory, "k3", "Deploy on Fridays", "Releases go out on Friday mornings.")
    last = memory.last_entry()
    with pytest.raises(InvalidInput, match="not a current soft duplicate candidate: k3"):
        resolve_twins(memory.core, Resolution(outcome="contest", ids=(*ids, "k3"), reason="r"))
    with pytest.raises(InvalidInput, match="canonical"):
        resolve_twins(memory.core, Resolution(outcome="supersede", ids=ids, reason="r", canonical="k3"))
    with pytest.raises(InvalidInput, match="updates"):
        resolve_twins(memory.core, Resolution(outcome="keep_both", ids=ids, reason="r"))
    assert memory.last_entry() == last
    memory.supersede(*ids, reason="r")
    with pytest.raises(Conflict, match="k1 is superseded"):
        resolve_twins(memory.core, Resolution(outcome="contest", ids=ids, reason="r"))


def test_references_that_lead_nowhere_are_dropped(memory: Memory) -> None:
    made = memory.remember("a text", kind="memory", id="gone")
    source = made.id
    for id, trust in (("vouched", "user_declared"), ("seen", "imported")):
        grounds = {"scopes": ["s"], "evidence": [{"source": source}]}
        memory.remember(id, id=id, kind="fact", trust=trust, grounds=grounds)
    memory.undo(made)
    assert [(one.id, one.field, one.ref) for one in mend(memory.core, dry_run=True).broken] == [
        ("vouched", "grounds.evidence", "gone"),
        ("seen", "grounds.evidence", "gone"),
    ]
    done = mend(memory.core)
    assert (done.ids, len(done.entries)) == (("vouched", "seen"), 2)
    assert [record.status for record in map(memory.get, done.ids) if record] == ["active", "stale"]
    assert mend(memory.core).broken == ()


def test_a_minted_node_that_is_nowhere_is_dropped_as_a_subject_and_kept_in_a_claim(memory: Memory) -> None:
    minted = f"node:{7:032x}"
    claim = {"subject": minted, "predicate": "p", "value": 1}
    know(memory, "k", "A", "b", grounds={"scopes": ["s"], "subjects": [minted, "node:project-x"], "claim": claim})
    done = mend(memory.core)
    assert [(one.field, one.ref, one.safe) for one in done.broken] == [
        ("grounds.subjects", minted, True), ("grounds.claim.subject", minted, False),
    ]  # fmt: skip
    kept = memory.get("k")
    assert kept is not None
    assert kept.grounds is not None
    assert (kept.grounds.subjects, kept.grounds.claim is not None) == (("node:project-x",), True)


def test_changes_are_told_with_what_was_before_and_after(memory: Memory) -> None:
    know(memory, "k", "A", "b")
    memory.contest("k", reason="doubt")
    newest = audit(memory.core, limit=1)[0]
    assert (newest.change.verb, newest.change.reason) == ("contest", "doubt")
    assert [getattr(one, "status", None) for one in (newest.before, newest.after)] == ["active", "contested"]
