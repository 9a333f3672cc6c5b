"""A summary as a record: what it is made of, when it is made anew, and who writes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from loopback import Body, Loopback, Reply, serve_loopback
from recollect import InvalidInput, Memory, NotFound, Sampled, Settings
from recollect.errors import CompleterError, ConfigError

DAYS = {
    "2026-05-01T09:00:00Z": "The team decided to move the gateway to RS256 tokens. Coffee was bad.",
    "2026-05-02T09:00:00Z": "Jon added 200 GB to the billing database.",
    "2026-05-03T09:00:00Z": "Mira was hired as head of design. She starts in Berlin in June.",
}


def fill(memory: Memory, **more: Any) -> list[str]:
    return [
        str(memory.remember(text, event_time=at, memory_type="episodic", project="api", **more).id)
        for at, text in DAYS.items()
    ]


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    with serve_loopback() as state:
        state.answer = speak
        yield state


def speak(_: Body) -> Body:
    usage = {"prompt_tokens": 1_000, "completion_tokens": 100}
    said = {"role": "assistant", "content": "<think>let me see</think>The gateway moved to RS256."}
    return {"model": "writer-1", "choices": [{"message": said}], "usage": usage}


@pytest.fixture
def written(tmp_path: Path, clock: Any, loopback: Loopback) -> Iterator[Callable[..., Memory]]:
    """A memory whose summaries an OpenAI-compatible server writes."""
    opened: list[Memory] = []

    def make(**more: Any) -> Memory:
        named = {"summarizer": "openai", "summarizer_model": "writer", "summarizer_url": loopback.url, **more}
        settings = Settings(home=tmp_path / "home", embedder="none", **named)
        opened.append(recollect.open(settings=settings, clock=clock))
        return opened[-1]

    yield make
    for memory in opened:
        memory.close()


def test_a_summary_is_a_record_that_names_its_sources(memory: Memory) -> None:
    ids = fill(memory, tags=["work"])
    made = memory.summarize(project="api", memory_type="episodic", tags=["work"], max_words=60)
    assert (made.sources, made.strategy, made.provider, made.stored) == (tuple(ids), "extractive", None, True)
    record = memory.get(made.id)
    assert record is not None
    assert (record.kind, record.memory_type, record.project, record.tags) == ("summary", "semantic", "api", ("work",))
    assert (record.text, record.trust, record.title) == (
        made.text, "system_generated", "Summary of 2026-05-01 to 2026-05-03",
    )  # fmt: skip
    assert record.metadata["source_memory_ids"] == ids
    assert [line[:10] for line in made.text.splitlines()] == ["2026-05-01", "2026-05-02", "2026-05-03"]
    assert memory.journal(limit=1)[0].verb == "summarize"


def test_the_same_memories_have_one_summary(memory: Memory) -> None:
    fill(memory)
    first = memory.summarize(project="api", max_words=60)
    again = memory.summarize(project="api", since="2026-05-01T00:00:00Z", max_words=60)
    assert (again.id, again.text, again.stored) == (first.id, first.text, False)
    other = memory.summarize(project="api", memory_type="episodic", since="2026-05-02T00:00:00Z")
    assert other.id != first.id
    assert memory.count(kinds=["summary"]) == 2
    assert first.id not in other.sources


def test_a_scope_has_one_summary_whatever_its_memories_and_length_are(memory: Memory) -> None:
    fill(memory)
    first = memory.summarize(project="api", max_words=60)
    memory.remember("Kai moved the api to Oslo.", project="api", event_time="2026-05-04T00:00:00Z")
    later = [memory.summarize(project="api", max_words=words) for words in (60, 20, 250)]
    assert {one.id for one in later} == {first.id}
    assert memory.count(kinds=["summary"]) == 1
    assert "Oslo" in later[-1].text
    assert first.id not in later[-1].sources


def test_a_summary_is_written_anew_in_its_place_when_a_source_has_changed(memory: Memory) -> None:
    ids = fill(memory)
    first = memory.summarize(project="api", max_words=60)
    memory.revise(ids[1], "Jon added 900 GB to the billing database.")
    again = memory.summarize(project="api", max_words=60)
    assert (again.id, again.stored) == (first.id, True)
    assert "900 GB" in again.text
    memory.undo(memory.journal(limit=1)[0])
    record = memory.get(first.id)
    assert record is not None
    assert "200 GB" in record.text


def test_a_summary_that_was_forgotten_is_made_again(memory: Memory) -> None:
    fill(memory)
    first = memory.summarize(project="api")
    memory.forget(first.id)
    again = memory.summarize(project="api")
    assert again.stored
    assert again.text == first.text


def test_only_the_newest_memories_are_taken_where_there_are_more(memory: Memory) -> None:
    ids = fill(memory)
    assert memory.summarize(project="api", limit=2).sources == tuple(ids[1:])
    assert memory.summarize(project="api", until="2026-05-02T00:00:00Z").sources == (ids[0],)


def test_nothing_to_summarise_is_an_error(memory: Memory) -> None:
    with pytest.raises(NotFound, match="no memories in this scope"):
        memory.summarize(project="nowhere")


def test_the_bundled_model_helps_to_choose(semantic: Memory) -> None:
    texts = ["The cat sat on the mat.", "A feline was sitting on the rug.", "Quarterly revenue grew by 12 percent."]
    made = semantic.condense(texts, max_words=13)
    assert "revenue" in made.text
    assert semantic.condense(texts, max_words=13) == made
    assert semantic.spaces() == []


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"texts": []}, "texts"),
        ({"texts": ["x", " "]}, "texts[1]"),
        ({"texts": ["x"], "max_words": 0}, "max_words"),
        ({"texts": ["x"], "strategy": "best"}, "strategy"),
        ({"texts": ["x"], "provider": "gpt"}, "provider"),
        ({"texts": ["x"], "dates": []}, "dates"),
        ({"texts": ["x"], "dates": ["whenever"]}, "dates[0]"),
        ({"texts": ["x"], "strategy": "abstractive"}, "strategy"),
        ({"texts": ["x"], "strategy": "abstractive", "provider": "openai", "model": "m"}, "strategy"),
        ({"texts": ["x"], "strategy": "abstractive", "provider": "ollama"}, "strategy"),
        ({"texts": ["x"], "strategy": "abstractive", "provider": "client"}, "strategy"),
    ],
)
def test_what_cannot_be_condensed_is_refused_by_name(memory: Memory, given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        memory.condense(**given)
    assert caught.value.field == field


def test_a_configured_provider_writes(written: Callable[..., Memory], loopback: Loopback) -> None:
    memory = written(summarizer_key="secret")
    ids = fill(memory)
    made = memory.summarize(project="api")
    assert (made.text, made.strategy, made.provider, made.model, made.note) == (
        "The gateway moved to RS256.", "abstractive", "openai", "writer-1", None,
    )  # fmt: skip
    assert made.sources == tuple(ids)
    prompt = loopback.asked[0].body["messages"][1]["content"]
    assert "[2026-05-02] Jon added 200 GB" in prompt
    assert prompt.index("2026-05-01") < prompt.index("2026-05-03")
    assert memory.summarize(project="api").id == made.id
    assert len(loopback.asked) == 1  # the second time nobody was asked


def test_extractive_asks_nobody(written: Callable[..., Memory], loopback: Loopback) -> None:
    memory = written()
    fill(memory)
    assert memory.summarize(project="api", strategy="extractive").strategy == "extractive"
    assert memory.condense(["One thing."], provider="none").strategy == "extractive"
    assert loopback.asked == []


@pytest.mark.parametrize("strategy", ["auto", "abstractive"])
def test_a_provider_that_fails_is_told_of_and_sentences_are_chosen(
    written: Callable[..., Memory], loopback: Loopback, strategy: str
) -> None:
    loopback.script = [Reply(401, b"bad key")]
    memory = written()
    fill(memory)
    made = memory.summarize(project="api", strategy=strategy)
    assert (made.strategy, made.provider) == ("extractive", None)
    assert made.note is not None
    assert "refused the key" in made.note
    assert memory.spending() == []  # what failed costs nothing
    assert memory.summarize(project="api", strategy=strategy).strategy == "abstractive"


def test_falling_back_twice_writes_one_summary(written: Callable[..., Memory], loopback: Loopback) -> None:
    loopback.script = [Reply(401, b"bad key")] * 2
    memory = written()
    fill(memory)
    first, second = memory.summarize(project="api"), memory.summarize(project="api")
    assert (second.id, second.stored, second.note) == (first.id, False, first.note)
    assert [change.verb for change in memory.journal(limit=2)] == ["summarize", "remember"]


def test_why_nobody_was_asked_is_told_again_with_a_summary_that_was_held(memory: Memory) -> None:
    memory.remember("The gateway moved to RS256.")
    notes = [memory.summarize(provider="ollama").note for _ in range(2)]
    assert notes == ["auto: abstractive by ollama needs the name of a model: set RECOLLECT_SUMMARIZER_MODEL"] * 2


@pytest.mark.parametrize("said", ["", "<think>endless", "...", None])
def test_nonsense_is_no_summary(written: Callable[..., Memory], loopback: Loopback, said: str | None) -> None:
    loopback.script = [Reply(body=json.dumps({"choices": [{"message": {"content": said}}]}).encode())]
    made = written().condense(["The gateway moved."])
    assert (made.text, made.strategy) == ("The gateway moved.", "extractive")
    assert made.note is not None


def test_a_model_that_writes_too_much_is_cut_after_a_sentence(
    written: Callable[..., Memory], loopback: Loopback
) -> None:
    said = {"choices": [{"message": {"content": "One two three. Four five six. Seven."}}]}
    loopback.script = [Reply(body=json.dumps(said).encode())]
    assert written().condense(["Anything."], max_words=6).text == "One two three. Four five six."


def test_long_memories_are_cut_down_before_a_model_reads_them(
    written: Callable[..., Memory], loopback: Loopback
) -> None:
    texts = [f"Note {n}: " + " ".join(f"{'m' * 900}{n}x{i} was rebooted." for i in range(15)) for n in range(12)]
    made = written(summarizer_daily_tokens=0).condense(texts)
    assert made.strategy == "abstractive"
    assert made.note is not None
    assert len(json.dumps(loopback.asked[0].body)) < 130_000 < sum(map(len, texts))


def test_the_client_lends_its_model_only_when_that_is_wanted(memory: Memory) -> None:
    asked: list[tuple[str, str, int]] = []

    def sample(system: str, prompt: str, max_tokens: int) -> Sampled:
        asked.append((system, prompt, max_tokens))
        return Sampled("A lent summary.", "theirs")

    fill(memory)
    assert memory.summarize(project="api", sample=sample).strategy == "extractive"
    made = memory.summarize(project="api", strategy="abstractive", sample=sample)
    assert (made.text, made.provider, made.model) == ("A lent summary.", "client", "theirs")
    assert "Jon added 200 GB" in asked[0][1]
    assert [(day.provider, day.calls) for day in memory.spending()] == [("client", 1)]


def test_a_client_that_refuses_is_told_of(memory: Memory) -> None:
    def refuse(system: str, prompt: str, max_tokens: int) -> Sampled:  # noqa: ARG001  the seam's shape
        raise CompleterError("the user said no")

    made = memory.condense(["The gateway moved."], strategy="abstractive", sample=refuse)
    assert (made.strategy, made.note) == ("extractive", "extractive instead of abstractive: the user said no")


def test_a_summarizer_that_nobody_knows_is_a_setting_that_cannot_be_used(written: Callable[..., Memory]) -> None:
    with pytest.raises(ConfigError, match="RECOLLECT_SUMMARIZER: there is no 'gpt'"):
        written(summarizer="gpt").condense(["x"])


def test_memories_without_a_word_still_have_a_summary(memory: Memory) -> None:
    memory.remember("!!! ???", event_time="2026-05-01T09:00:00Z")
    assert memory.summarize().text == "2026-05-01: !!! ???"


def test_what_fits_whole_is_not_marked_as_cut(memory: Memory) -> None:
    memory.remember("Jon was here.", event_time="2026-05-01T09:00:00Z")
    assert [memory.summarize(max_words=words).text for words in (2, 3)] == ["Jon was…", "Jon was here."]


CHANGED = [
    ("Lotte wears size 29.", "Lotte wears size 31.", "Lotte wears size 29."),
    ("The rent is 900 EUR.", "The rent is 950 EUR.", "The rent is 1,010 EUR."),
    ("Our family doctor is Dr. Weiss.", "Our family doctor is Dr. Adeyemi."),
    ("Die Probe beginnt um 19 Uhr.", "Die Probe beginnt um 20 Uhr.", "Die Probe beginnt um 19 Uhr."),
    ("The gateway listens on port 8080.", "The gateway listens on port 9090."),
]


@pytest.mark.parametrize("max_words", [8, 12, 40])
def test_what_was_said_anew_is_told_as_it_was_said_last(semantic: Memory, max_words: int) -> None:
    for said in CHANGED:
        dates = [f"2026-0{month}-01T12:00:00Z" for month in range(1, len(said) + 1)]
        summary = semantic.condense(list(said), dates=dates, max_words=max_words).text
        assert summary.endswith(f"{dates[-1][:10]}: {said[-1]}"), (said, summary)
        assert len(summary.split()) <= max_words


def test_what_happened_more_than_once_is_not_taken_for_a_change(semantic: Memory) -> None:
    texts = [
        "Paid the electricity bill of March, 80 EUR.",
        "Paid the water bill of April, 92 EUR.",
        "Lost to Oluf 1:3.",
    ]
    dates = ["2026-03-30T12:00:00Z", "2026-04-30T12:00:00Z", "2026-05-01T12:00:00Z"]
    summary = semantic.condense(texts, dates=dates, max_words=60).text
    assert all(text in summary for text in texts)
