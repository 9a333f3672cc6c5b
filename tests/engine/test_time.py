"""Recorded, happened, holds: is each time asked for by its own word?"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from recollect import InvalidInput, Memory, NotFound

MILL = "The shop is in Mill Lane."


@pytest.fixture
def shop(memory: Memory) -> Memory:
    memory.remember(MILL, valid_from="2026-01-01", valid_until="2026-04-30")
    memory.remember("The shop is in Quay Street.", valid_from="2026-05-01T00:00:00Z")
    return memory


def texts(found: Any) -> list[str]:
    return [getattr(one, "record", one).text for one in found]


def test_history_that_was_filled_in_later_is_found_by_when_it_holds(shop: Memory) -> None:
    assert texts(shop.recall("where is the shop?", true_at="2026-03-01")) == [MILL]
    assert texts(shop.list(true_at="2026-03")) == [MILL]
    assert texts(shop.recall("where is the shop?")) == ["The shop is in Quay Street."]
    assert texts(shop.recall("where is the shop?", true_at="2025-12")) == []


def test_as_of_asks_what_was_known_then_and_says_when_nothing_was(shop: Memory) -> None:
    answer = shop.recall("where is the shop?", as_of="2026-03-01")
    assert texts(answer) == []
    assert answer.signals.problem is not None
    assert answer.signals.problem.startswith("nothing was recorded before 2026-05-10 12:00 UTC; true_at")
    assert shop.recall("a whale", as_of="2026-05-11T00:00:00Z").signals.problem is None


def test_a_note_without_a_period_holds_from_when_it_happened(memory: Memory) -> None:
    memory.remember("Mira moved to Oslo.", event_time="2026-02-03T10:00:00Z")
    assert texts(memory.list(true_at="2026-02")) == ["Mira moved to Oslo."]
    assert texts(memory.list(true_at="2026-01")) == []


def test_a_relation_with_an_earlier_beginning_is_shown_by_when_it_holds(memory: Memory) -> None:
    memory.relate("Mira", "works_at", "Acme", valid_from="2024-01-01")
    memory.relate("Mira", "works_at", "Borg", valid_from="2026-02-01")
    assert [fact.object for fact in memory.facts("Mira", true_at="2025")] == ["Acme"]
    assert [fact.object for fact in memory.facts("Mira")] == ["Borg"]
    around = memory.neighbors("Mira", true_at="2025-06-01")
    assert [entity.name for entity in around.entities] == ["Mira", "Acme"]
    with pytest.raises(NotFound, match="true_at"):
        memory.neighbors("Mira", as_of="2025-06-01")


def test_later_mentions_are_not_shown_as_of_a_moment(memory: Memory, clock: Any) -> None:
    memory.relate("Mira", "works_at", "Acme")
    first = memory.remember("Mira has the blue key.").id
    then = clock.advance(days=1)
    clock.advance(days=1)
    memory.remember("Mira lost the blue key.")
    memory.revise(first or "", text="Mira has the red key.")
    assert texts(memory.mentioning("Mira", as_of=then)) == ["Mira has the blue key."]
    assert len(memory.mentioning("Mira")) == 2


def test_a_time_that_nobody_understands_is_an_error_with_examples(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match=r"true_at: must be a time like .*yesterday.*; not 'soon'"):
        memory.recall("x", true_at="soon")
    with pytest.raises(InvalidInput, match="since: is not a real time"):
        memory.list(since="2026-02-30")


@pytest.mark.parametrize(
    ("since", "until"),
    [("2026-05", "2026-04"), ("2026-05-02", "2026-05-01"), ("2026-05-10T10:00:01Z", "2026-05-10T10:00:00Z")],
)
def test_a_stretch_that_ends_before_it_begins_is_an_error(memory: Memory, since: str, until: str) -> None:
    memory.remember("The gate was painted.", event_time="2026-05-01T12:00:00Z")
    for ask in (memory.list, memory.count, lambda **when: memory.recall("the gate", **when)):
        with pytest.raises(InvalidInput, match=r"until: must not be before since, and .* the other way round"):
            ask(since=since, until=until)
    assert texts(memory.list(since="2026-05-01T12:00:00Z", until="2026-05-01T12:00:00Z")) == ["The gate was painted."]


OFFICES = [("Paris", "2020"), ("Nice", "2022"), ("Lyon", "2024")]
RENTS = [("700", "2019"), ("780", "2021"), ("910", "2025")]


@pytest.mark.parametrize("order", [(2, 0, 1), (2, 1, 0), (1, 2, 0), (0, 1, 2)], ids=str)
def test_what_holds_since_later_stands_first_in_whatever_order_it_was_told(
    semantic: Memory, order: tuple[int, ...]
) -> None:
    for at in order:
        (office, since), (rent, from_) = OFFICES[at], RENTS[at]
        semantic.remember(f"The office is in {office}.", valid_from=since)
        semantic.remember(f"The rent is {rent} euros a month.", valid_from=from_)
    assert "Lyon" in semantic.recall("where is the office?")[0].record.text
    assert "910" in semantic.recall("how much is the rent?")[0].record.text
    assert "Paris" in semantic.recall("where was the office in 2021?")[0].record.text


def test_what_had_ended_when_it_was_stored_held_until_then(semantic: Memory) -> None:
    old, new = "Lena works at Acme as a welder.", "Lena works at Borg as a foreman."
    semantic.remember(old, valid_until="2025-12-31")
    semantic.remember(new, valid_from="2026-01-01")
    semantic.remember("Our phone contract is with Telia.", valid_until="2026-03-01")
    semantic.remember("The printer needs cartridge 304XL.")
    semantic.embed_waiting()
    asked = [("where does Lena work?", {"true_at": "2025-06"}), ("where did Lena work before?", {})]
    asked += [("where did Lena work in 2025?", {}), ("where did Lena use to work?", {})]
    assert [texts(semantic.recall(question, **told))[0] for question, told in asked] == [old] * 4
    assert texts(semantic.recall("where does Lena work?"))[0] == new
    assert texts(semantic.recall("which phone contract did we have?"))[0] == "Our phone contract is with Telia."
    assert "Our phone contract is with Telia." not in texts(semantic.recall("which phone contract do we have?"))


def test_in_the_past_tense_what_something_else_stands_for_is_not_found(semantic: Memory) -> None:
    old = semantic.remember("We picked Redis for the queue.")
    semantic.remember("We picked NATS for the queue.", replaces=old.id)
    semantic.embed_waiting()
    assert texts(semantic.recall("what did we pick for the queue?")) == ["We picked NATS for the queue."]


@pytest.mark.parametrize(
    ("until", "holds", "over"), [("2026-04-30", "2026-04-30", "2026-05-01"), ("2026-04", "2026-04-30", "2026-05")]
)
def test_what_is_true_until_a_day_holds_through_it(memory: Memory, until: str, holds: str, over: str) -> None:
    memory.remember(MILL, valid_from="2026-04-30", valid_until=until)
    assert texts(memory.list(true_at=holds)) == [MILL]
    assert texts(memory.list(true_at=over)) == []


def test_a_moment_until_which_something_is_true_is_taken_as_it_is(memory: Memory) -> None:
    record = memory.remember(MILL, valid_until="2026-06-30T12:00:00Z").id
    assert memory.get(record).valid_until == datetime(2026, 6, 30, 12, tzinfo=UTC)


def test_a_text_for_a_prompt_says_from_when_and_until_when_something_holds(memory: Memory) -> None:
    memory.remember(MILL, valid_from="2026-01-15", valid_until="2026-06-30")
    memory.remember("The market is in Mill Lane.")
    lines = memory.recall("where is Mill Lane?").context.splitlines()
    shop, market = (next(line for line in lines if name in line) for name in ("shop", "market"))
    assert "2026-05-10 · from 2026-01-15 · until 2026-06-30 ·" in shop
    assert " from " not in market.split(")")[0]
