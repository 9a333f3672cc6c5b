"""What a provider may be asked for in a day, and what the ledger says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from loopback import Body, Loopback, Reply, serve_loopback
from recollect import Memory, Settings, Spending
from recollect.errors import ConfigError


def speak(_: Body) -> Body:
    usage = {"input_tokens": 1_000, "output_tokens": 100}
    return {"model": "m", "content": [{"type": "text", "text": "Short."}], "usage": usage}


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    with serve_loopback() as state:
        state.answer = speak
        yield state


@pytest.fixture
def capped(tmp_path: Path, clock: Any, loopback: Loopback) -> Iterator[Callable[..., Memory]]:
    """Opens one store, as often as asked, with other limits."""
    opened: list[Memory] = []

    def make(**limits: Any) -> Memory:
        named: dict[str, Any] = {"summarizer": "anthropic", "summarizer_model": "m", "summarizer_url": loopback.url}
        settings = Settings(home=tmp_path / "home", embedder="none", **{**named, **limits})
        opened.append(recollect.open(settings=settings, clock=clock))
        return opened[-1]

    yield make
    for memory in opened:
        memory.close()


def test_the_ledger_says_what_was_used_and_what_it_cost(capped: Callable[..., Memory]) -> None:
    memory = capped(summarizer_price_in=3.0, summarizer_price_out=15.0)
    for _ in range(2):
        assert memory.condense(["The gateway moved."]).strategy == "abstractive"
    assert memory.spending() == [
        Spending(day="2026-05-10", provider="anthropic", calls=2, tokens_in=2_000, tokens_out=200, spent=0.009)
    ]


def test_over_the_tokens_of_a_day_sentences_are_chosen_and_it_is_said(
    capped: Callable[..., Memory], clock: Any
) -> None:
    memory = capped(summarizer_daily_tokens=2_500)
    assert memory.condense(["One."], strategy="abstractive").strategy == "abstractive"
    over = memory.condense(["One."], strategy="abstractive")
    assert over.strategy == "abstractive"  # 1,100 were used, and what a call may take still fits
    over = memory.condense(["One."], strategy="abstractive")
    assert (over.text, over.strategy) == ("One.", "extractive")
    assert over.note is not None
    assert "anthropic may take 2,500 tokens a day (RECOLLECT_SUMMARIZER_DAILY_TOKENS)" in over.note
    clock.advance(days=1)
    assert memory.condense(["One."]).strategy == "abstractive"
    assert [(day.day, day.calls) for day in memory.spending()] == [("2026-05-11", 1), ("2026-05-10", 2)]


def test_over_the_money_of_a_day_sentences_are_chosen(capped: Callable[..., Memory]) -> None:
    limits = {"summarizer_daily_spend": 0.02, "summarizer_price_in": 3.0, "summarizer_price_out": 15.0}
    memory = capped(**limits)
    assert memory.condense(["One."], max_words=50).strategy == "abstractive"
    assert memory.condense(["One."], max_words=50).strategy == "abstractive"
    over = memory.condense(["One."], max_words=500)
    assert over.strategy == "extractive"
    assert over.note is not None
    assert "anthropic may cost 0.02 a day (RECOLLECT_SUMMARIZER_DAILY_SPEND)" in over.note


def test_processes_that_share_a_store_keep_to_one_limit(capped: Callable[..., Memory]) -> None:
    one, other = capped(summarizer_daily_tokens=2_500), capped(summarizer_daily_tokens=2_500)
    said = [memory.condense(["One."]).strategy for memory in (one, other, one, other)]
    assert said == ["abstractive", "abstractive", "extractive", "extractive"]
    assert one.spending() == other.spending()


def test_a_limit_of_money_without_prices_is_a_setting_that_cannot_be_used(capped: Callable[..., Memory]) -> None:
    with pytest.raises(ConfigError, match="needs prices"):
        capped(summarizer_daily_spend=1.0).condense(["One."])


def test_a_call_that_fails_leaves_nothing_in_the_ledger(capped: Callable[..., Memory], loopback: Loopback) -> None:
    loopback.script = [Reply(400, b"no")]
    memory = capped()
    assert memory.condense(["One."]).strategy == "extractive"
    assert memory.spending() == []


def test_one_provider_does_not_use_up_what_another_may_take(capped: Callable[..., Memory], loopback: Loopback) -> None:
    assert capped(summarizer_daily_tokens=1_500).condense(["One."]).strategy == "abstractive"
    loopback.answer = lambda _: {"message": {"content": "Short."}, "prompt_eval_count": 10, "eval_count": 2}
    memory = capped(summarizer="ollama", summarizer_daily_tokens=1_500)
    assert memory.condense(["One."]).provider == "ollama"
    assert [(day.provider, day.tokens_in) for day in memory.spending()] == [("anthropic", 1_000), ("ollama", 10)]
