"""What else can be said of what a read may see, and in which order?"""

from __future__ import annotations

import msgspec
import pytest

from recollect import InvalidInput, Memory
from recollect.engine.intake.results import SourceDraft
from recollect.engine.read.stats import all_sizes
from recollect.engine.write.govern import citing
from recollect.types import Adapter, Segment

SOURCE = SourceDraft(
    location="/docs/gateway.md", source_kind="markdown", title="Gateway manual", fingerprint="f" * 64,
    adapter=Adapter(name="test", version="1", mode="markdown", supported_modes=("markdown",)),
    segments=(Segment(text="Restart it at night.", locator={"kind": "line", "line_start": 1, "line_end": 1}),),
)  # fmt: skip


def test_reads_can_be_bound_to_some_ids(memory: Memory) -> None:
    ids = [memory.remember(f"The gateway has port {number}.").id or "" for number in range(5)]
    assert [hit.record.id for hit in memory.recall("gateway port", ids=ids[1:2])] == ids[1:2]
    assert {record.id for record in memory.list(ids=ids[:3])} == set(ids[:3])
    assert memory.count(ids=[*ids, "nobody"]) == 5


def test_the_catalogue_of_sources_is_read_only_when_asked_for(memory: Memory) -> None:
    source = memory.ingest_source(SOURCE).id
    assert list(memory.recall("gateway manual")) == []
    assert [hit.record.id for hit in memory.recall("gateway manual", catalogue=True)] == [source]
    assert source in {record.id for record in memory.list(catalogue=True)}
    assert source not in {record.id for record in memory.list()}
    assert memory.count(catalogue=True) == memory.count() + 1


def test_recall_finds_what_no_longer_holds_when_asked_for(memory: Memory) -> None:
    old = memory.remember("The gateway has port 8080.").id or ""
    memory.invalidate(old, reason="moved")
    assert list(memory.recall("gateway port")) == []
    assert [hit.record.id for hit in memory.recall("gateway port", valid_only=False)] == [old]


def test_recall_takes_the_filters_that_lists_take(memory: Memory) -> None:
    past = {"valid_from": "2020-01-01T00:00:00Z", "valid_until": "2021-01-01T00:00:00Z"}
    memory.remember("The gateway had port 8080.", source="old.md", **past)
    memory.remember("The gateway has port 9090.", source="new.md")
    for filters in (
        {"true_at": "2020-06-01T00:00:00Z"},
        {"source": "old.md", "valid_only": False},
        {"source": "new.md"},
    ):
        assert [hit.record for hit in memory.recall("gateway port", **filters)] == memory.list(**filters) != []


def test_an_unknown_keyword_is_told_with_those_that_are_known(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match=r"foo: is not a known field; known are .*, space, replaces, compare, "):
        memory.remember("x", foo=1)  # type: ignore[call-arg]
    with pytest.raises(InvalidInput, match=r"titel: is not a known field; did you mean title\?"):
        memory.remember("The gateway has port 8080.", titel="Port")
    with pytest.raises(InvalidInput, match="kind: is not a known filter; known are space, kinds"):
        memory.recall("gateway", kind="note")


def test_near_duplicates_stand_beside_each_other_when_asked_to(memory: Memory) -> None:
    for mark in ("", "!", "!!"):
        memory.remember(f"The gateway of the north wing restarts every night at two{mark}")
    assert len(memory.recall("gateway north wing")) == 1
    apart = memory.recall("gateway north wing", fold=False)
    assert (len(apart), [hit.folded for hit in apart]) == (3, [(), (), ()])


def test_records_are_listed_by_their_last_change(memory: Memory) -> None:
    first, second = (memory.remember(text).id or "" for text in ("one thing", "another thing"))
    memory.remember("elsewhere", space="other")
    memory.revise(first, "one changed thing")
    assert [record.id for record in memory.list(order="updated")] == [first, second]
    assert [record.id for record in memory.list(order="newest")] == [second, first]
    assert [record.id for record in memory.list(order="updated", limit=1, offset=1)] == [second]


def test_entities_are_found_by_a_word_of_any_name(memory: Memory) -> None:
    gateway = memory.entity("Payment Gateway", aliases=["front door"])
    depot = memory.entity("Depot")
    memory.entity("Gateway", space="other")
    assert memory.entities() == [depot, gateway]
    assert memory.entities(newest_first=False, limit=1) == [gateway]
    assert memory.entities(words=["GATEWAY"]) == memory.entities(words=["door", "nothing"]) == [gateway]
    assert memory.entities(words=["nothing"]) == []


def test_records_are_found_by_what_they_rest_on(memory: Memory) -> None:
    source = memory.ingest_source(SOURCE).id
    about = memory.remember("It restarts.", grounds={"evidence": [source], "subjects": ["node:1"]}).id
    scoped = memory.remember("It is slow.", grounds={"scopes": ["north"]}).id
    assert [record.id for record in citing(memory.core, [f"evidence:{source}"])] == [about]
    assert [record.id for record in citing(memory.core, ["subject:node:1", "scope:north"])] == [scoped, about]
    assert citing(memory.core, ["scope:south"]) == []


def test_a_claim_is_found_by_its_words_before_and_after_a_reindex(memory: Memory) -> None:
    claim = {"subject": "gateway", "predicate": "primary_language", "value": "fortran"}
    id = memory.remember("Seen while reading.", grounds={"claim": claim}).id
    for _ in range(2):
        assert [hit.record.id for hit in memory.recall("fortran")] == [id]
        assert [hit.record.id for hit in memory.recall("primary language")] == [id]
        memory.reindex()


def test_the_size_of_a_space_is_that_of_its_statistics(memory: Memory) -> None:
    memory.remember_many([{"text": f"Said number {n}", "session": f"s{n % 3}"} for n in range(9)])
    memory.remember("Said in no session")
    memory.remember("Said elsewhere", space="work", session="s9")
    memory.relate("Ada", "knows", "Ben")
    memory.forget(memory.remember("Gone again", session="s7").id)
    memory.invalidate(memory.remember("No longer true", session="s8").id)
    sizes = all_sizes(memory.core, embeds=False)
    for size in sizes:
        stats = memory.describe_space(size.space)[1]
        assert msgspec.structs.asdict(size).items() <= msgspec.structs.asdict(stats).items()
        assert size.records == sum(stats.by_kind.values())
    assert [size.sessions for size in sizes] == [4, 1]
