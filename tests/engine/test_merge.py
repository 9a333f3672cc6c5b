"""What becomes of two memories that have gone different ways, when one takes in the other's export?"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from itertools import count, permutations
from pathlib import Path

import msgspec
import pytest
from tests.conftest import Clock

import recollect
from recollect import Imported, InvalidInput, Memory, Settings
from recollect.engine.write.sessions import compact_session, messages, put_messages
from recollect.types import REPEATED


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Memory, Memory]]:
    """Two memories, each of which holds something of its own."""
    homes = [Settings(home=tmp_path / name, embedder="none") for name in ("one", "two")]
    with recollect.open(settings=homes[0]) as one, recollect.open(settings=homes[1]) as two:
        one.remember("This is one.")
        two.remember("This is two.")
        yield one, two


_NUMBERS = count()


def bring(there: Memory, here: Memory, tmp_path: Path) -> Imported:
    """Has one memory take in what another holds."""
    file = tmp_path / f"export-{next(_NUMBERS)}.jsonl"
    there.export(file)
    (done,) = here.import_(file)
    return done


def test_going_back_to_an_earlier_text_on_one_side_is_a_change_like_any_other(
    pair: tuple[Memory, Memory], tmp_path: Path
) -> None:
    one, two = pair
    id = one.remember("Tea is at four.").id
    assert id is not None
    one.revise(id, "Tea is at five.")
    bring(one, two, tmp_path)
    one.revise(id, "Tea is at four.")
    two.revise(id, "Tea is at six.")
    for there, here in ((one, two), (two, one)):
        (told,) = bring(there, here, tmp_path).differing
        assert (told.here, told.there) == (here.get(id).text, there.get(id).text)
    assert (one.get(id).text, two.get(id).text) == ("Tea is at four.", "Tea is at six.")
    one.revise(id, "Tea is at six.")
    assert bring(one, two, tmp_path).differing == ()


def stated(memory: Memory, subject: str | None = None) -> list[tuple[str, str, str]]:
    return sorted((one.subject, one.predicate, one.object) for one in memory.facts(subject))


def test_facts_of_two_machines_about_what_has_one_name_are_about_one_thing(
    pair: tuple[Memory, Memory], tmp_path: Path
) -> None:
    one, two = pair
    one.relate("gateway", "uses", "redis")
    one.relate("gateway", "owner", "Mia")
    two.relate("gateway", "runs_on", "k8s")
    two.relate("gateway", "owner", "Mia")
    first, second = bring(one, two, tmp_path), bring(two, one, tmp_path)
    assert (first.facts, len(first.same), second.facts, len(second.same)) == (1, 3, 1, 3)
    facts = [("gateway", "owner", "Mia"), ("gateway", "runs_on", "k8s"), ("gateway", "uses", "redis")]
    assert stated(one, "gateway") == stated(two, "gateway") == facts
    assert sorted(entity.name for entity in two.entities()) == ["Mia", "gateway", "k8s", "redis"]
    for there, here in ((one, two), (two, one)):
        again = bring(there, here, tmp_path)
        assert (again.facts, again.entities, again.newer, again.differing) == (0, 0, 0, ())
    one.relate("gateway", "owner", "Jo")
    assert bring(one, two, tmp_path).differing == ()
    assert one.check() == two.check() == []


def test_a_fact_that_both_machines_were_told_holds_since_the_first_of_them_was(tmp_path: Path, clock: Clock) -> None:
    homes = [Settings(home=tmp_path / name, embedder="none") for name in ("one", "two")]
    with recollect.open(settings=homes[0], clock=clock) as one, recollect.open(settings=homes[1], clock=clock) as two:
        one.relate("gateway", "uses", "redis")
        monday = clock.now
        clock.advance(days=4)
        two.relate("gateway", "uses", "redis")
        bring(one, two, tmp_path)
        assert [fact.relation.valid_from for fact in two.facts("gateway")] == [monday]
        assert bring(two, one, tmp_path).newer == 0
        assert [fact.relation.valid_from for fact in one.facts("gateway")] == [monday]


def test_what_each_side_says_of_an_entity_is_joined_and_told_where_it_differs(
    pair: tuple[Memory, Memory], tmp_path: Path
) -> None:
    one, two = pair
    one.entity("Ada", type="person", description="A mathematician.", aliases=["Lovelace"])
    two.entity("Ada", description="A countess.", aliases=["Countess"])
    (told,) = bring(one, two, tmp_path).differing
    assert told.fields == {"description": ("A countess.", "A mathematician.")}
    (ada,) = two.entities()
    assert (ada.type, sorted(ada.aliases)) == ("person", ["Countess", "Lovelace"])
    undone = next(entry for entry in two.journal(limit=9) if entry.verb == "import")
    two.undo(undone, whole=True)
    assert [(one.type, one.aliases) for one in two.entities()] == [(None, ("Countess",))]


def test_things_of_other_types_or_users_stay_apart_though_they_have_one_name(
    pair: tuple[Memory, Memory], tmp_path: Path
) -> None:
    one, two = pair
    one.entity("Ada", type="person")
    two.entity("Ada", type="language")
    one.entity("Tea", user="mia", by_user=True)
    two.entity("Tea", user="jo", by_user=True)
    done = bring(one, two, tmp_path)
    assert (done.entities, dict(done.same)) == (2, {})


def test_a_forgotten_entity_stays_so_with_all_that_another_machine_states_of_it(
    pair: tuple[Memory, Memory], tmp_path: Path
) -> None:
    one, two = pair
    one.relate("gateway", "uses", "redis")
    two.relate("gateway", "runs_on", "k8s")
    bring(one, two, tmp_path)
    two.forget_fact(next(entity.id for entity in two.entities() if entity.name == "gateway"))
    one.relate("gateway", "owner", "Mia")
    done = bring(one, two, tmp_path)
    assert (done.facts, stated(two)) == (0, [])
    assert "gateway" not in {entity.name for entity in two.entities()}
    assert next(fact.relation.id for fact in one.facts("gateway", predicate="owner")) in done.forgotten


def test_a_conversation_that_both_machines_imported_does_not_differ_by_when_they_did(
    pair: tuple[Memory, Memory], tmp_path: Path
) -> None:
    said = [("user", "What is the capital of Peru?"), ("assistant", "Lima.")]
    turns = {
        f"m{n}": {
            "id": f"m{n}", "parent": f"m{n - 1}" if n else None, "children": [],
            "message": {"author": {"role": role}, "create_time": 1.7e9 + n, "content": {"parts": [text]}},
        }
        for n, (role, text) in enumerate(said)
    }  # fmt: skip
    talk = {"id": "c1", "title": "Peru", "update_time": 1.7e9 + 9, "mapping": turns, "current_node": "m1"}
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([talk]))
    one, two = pair
    for memory in pair:
        memory.import_(file)
    done = bring(one, two, tmp_path)
    assert (len(done.same), done.differing) == (2, ())


def test_what_both_machines_imported_from_elsewhere_does_not_differ_by_when_they_did(
    pair: tuple[Memory, Memory], tmp_path: Path
) -> None:
    known = [
        {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["likes tea"]},
        {"type": "entity", "name": "Bob", "entityType": "person", "observations": []},
        {"type": "relation", "from": "Ada", "to": "Bob", "relationType": "knows"},
    ]
    file = tmp_path / "memory.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in known))
    one, two = pair
    for memory in pair:
        memory.import_(file)
    done = bring(one, two, tmp_path)
    assert (done.records, done.facts, done.entities, done.differing) == (1, 0, 0, ())
    tea = next(one.id for one in two.list() if "likes tea" in one.text)
    one.revise(tea, event_time="1843-01-01T00:00:00Z")
    assert bring(one, two, tmp_path).newer == 1


def live(memory: Memory, chance: random.Random, day: int) -> None:
    """Something is told, revised, related, forgotten or thinned."""
    held, choice = memory.list(limit=100), chance.random()
    if choice < 0.3 or not held:
        memory.remember(f"This was told on day {day}.")
    elif choice < 0.55:
        memory.revise(chance.choice(held).id, f"{chance.choice('abcd')} is what it says now.")
    elif choice < 0.85:
        memory.relate(chance.choice(["gateway", "store"]), chance.choice(["uses", "owner"]), chance.choice("xyz"))
    elif choice < 0.9:
        memory.forget(chance.choice(held).id)
    elif choice < 0.94 and (known := memory.entities()):
        memory.forget_fact(chance.choice(known).id)
    else:
        memory.thin(older_than=timedelta(days=10))


@pytest.mark.parametrize("seed", range(4))
def test_three_memories_that_take_in_each_other_end_alike_but_for_what_is_told(
    tmp_path: Path, clock: Clock, seed: int
) -> None:
    chance = random.Random(seed)
    with ExitStack() as stack:
        homes = [Settings(home=tmp_path / name, embedder="none") for name in "abc"]
        memories = [stack.enter_context(recollect.open(settings=home, clock=clock)) for home in homes]
        for memory in memories:
            memory.remember("This is one of three.")
        for day in range(30):
            clock.advance(days=1)
            live(chance.choice(memories), chance, day)
            if chance.random() < 0.3:
                bring(*chance.sample(memories, 2), tmp_path)
        told: set[str] = set()
        for there, here in [*permutations(memories, 2)] * 3:
            done = bring(there, here, tmp_path)
            told |= {*done.forgotten, *(one.id for one in done.differing)}
        texts = [{(one.id, one.text) for one in memory.list(limit=100) if one.id not in told} for memory in memories]
        assert texts[0] == texts[1] == texts[2]
        for memory in memories:
            assert stated(memory) == sorted(
                fact for name in {one.name for one in memory.entities()} for fact in stated(memory, name)
            )
            assert memory.check() == []


def test_a_space_whose_history_was_thinned_comes_into_a_memory_that_has_no_space_of_that_name(
    pair: tuple[Memory, Memory], tmp_path: Path
) -> None:
    one, two = pair
    one.remember("The gate is red.", id="gate", space="work")
    one.revise("gate", "The gate is green.", space="work")
    one.thin(older_than=timedelta(0), space="work")
    one.export(tmp_path / "work.jsonl", space="work")
    for dry_run in (True, False):
        (done,) = two.import_(tmp_path / "work.jsonl", dry_run=dry_run)
        assert (done.space, done.records) == ("work", 1)
    assert [record.text for record in two.list(space="work")] == ["The gate is green."]
    with pytest.raises(InvalidInput, match="thinned up to"):
        two.list(space="work", as_of=two.get("gate").recorded_at - timedelta(days=9))
    two.undo(two.acts(limit=1)[0])
    assert two.list(space="work") == []
    assert two.check() == []


def shorten(memory: Memory, session: str) -> None:
    """Puts a summary in the place of all messages but the last."""
    assert compact_session(
        memory.core, lambda texts, _: memory.condense(texts), session, threshold=2, keep_recent=1
    ).compacted


def test_a_session_that_comes_has_the_list_that_it_had(pair: tuple[Memory, Memory], tmp_path: Path) -> None:
    one, two = pair
    said = [{"role": "user", "content": text} for text in ("Shall I?", "Yes.", "And now?", "Go on.")]
    one.ingest_conversation(said, session="talk")
    one.ingest_conversation(said, session="short")
    listed = messages(one.core, "talk")
    with one.core.store.write(actor="test") as edit:
        put_messages(edit, "default", "talk", [*listed, msgspec.structs.replace(listed[1], flag=REPEATED)])
    one.revise(listed[0].id, "Shall I go?")
    one.thin(older_than=timedelta(0))
    one.forget(listed[2].id)
    shorten(one, "short")
    before = {session: messages(one.core, session) for session in ("talk", "short")}
    assert [len(some) for some in before.values()] == [5, 2]
    bring(one, two, tmp_path)
    assert {session: messages(two.core, session) for session in before} == before
    bring(two, one, tmp_path)
    assert {session: messages(one.core, session) for session in before} == before
    shorten(two, "talk")
    shorter = messages(two.core, "talk")
    bring(one, two, tmp_path)
    assert messages(two.core, "talk") == shorter
    assert two.check() == []


def test_a_space_that_holds_nothing_comes_with_what_is_told_of_it(pair: tuple[Memory, Memory], tmp_path: Path) -> None:
    one, two = pair
    one.create_space("attic", description="What nobody needs.")
    one.set_identity("attic", "I am the attic.")
    one.export(tmp_path / "attic.jsonl", space="attic")
    assert [(done.space, done.identity) for done in two.import_(tmp_path / "attic.jsonl")] == [("attic", True)]
    assert two.describe_space("attic")[0].description == "What nobody needs."
    assert two.identity("attic") == "I am the attic."
    before = two.last_entry()
    two.import_(tmp_path / "attic.jsonl")
    assert two.last_entry() == before
