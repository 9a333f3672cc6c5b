"""Does another process answer as this one does, and what becomes of a recall where it fails?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence

import msgspec
import pytest
from tests.conftest import Clock
from tests.quality.test_everyday import ASKED, NOTES, OPEN

import recollect
from recollect import Memory, Settings
from recollect.engine.core import joined
from recollect.engine.grant import Grant
from recollect.engine.guard import guarded
from recollect.engine.read import readers
from recollect.types import Recall
from recollect.version import __version__

pytestmark = pytest.mark.skipif(os.name != "posix", reason="readers are handed pipes, as only POSIX does")

FILLING = 1_000  # records; in a store of fewer a model reads the best, which no reader has


@pytest.fixture(scope="module")
def everyday(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A person's notes among many others, by the real model, with a reader at its side."""
    settings = Settings(home=tmp_path_factory.mktemp("home"), embed_delay=600.0)
    with recollect.open(settings=settings, clock=Clock()) as memory:
        drafts = [{"id": id, "text": text, "event_time": f"{day}T09:00:00Z"} for id, (day, text) in NOTES.items()]
        memory.remember_many([*drafts, *({"text": f"Entry {n}"} for n in range(FILLING))])
        memory.relate("Amina", "sings", "Pie Jesu")
        memory.embed_waiting()
        yield with_reader(memory)


@pytest.fixture
def plain(memory: Memory) -> Memory:
    memory.remember_many([{"text": f"The lamp on floor {n} is broken", "id": f"lamp{n}"} for n in range(30)])
    return with_reader(memory)


def with_reader(memory: Memory) -> Memory:
    memory.recall("Is anything broken?")  # from here on the model is loaded
    memory.readers.allow(1)
    with pytest.MonkeyPatch.context() as patch, memory.readers.turn():
        patch.setattr(readers, "QUEUED", 0)
        memory.recall("Is anything broken?")
        assert memory.readers._starting.wait(60)
    assert len(memory.readers.processes) == 1
    return memory


def elsewhere(memory: Memory, ask: Callable[[], Recall]) -> Recall:
    """An answer of the reader: it is asked while another is answered here."""
    before = memory.readers.answered
    with memory.readers.turn():
        found = ask()
    assert memory.readers.answered == before + 1
    return found


def told(found: Recall) -> tuple[object, ...]:
    return found.hits, msgspec.structs.replace(found.signals, milliseconds=0), found.context


def test_a_reader_gives_the_very_answer_that_its_owner_gives(everyday: Memory) -> None:
    asked: Sequence[str] = [*ASKED, *OPEN, "Which pieces does Amina sing?", "What was said in March 2026?"]
    for question in asked:
        here = everyday.recall(question, touch=False)
        there = elsewhere(everyday, lambda question=question: everyday.recall(question, touch=False))
        assert [hit.record for hit in there] == [hit.record for hit in here], question
        for one, other in zip(here, there, strict=True):  # the clock goes on between the two
            assert msgspec.structs.replace(one.why, recency=0) == msgspec.structs.replace(other.why, recency=0)


def test_filters_limits_and_budgets_hold_wherever_it_is_answered(everyday: Memory) -> None:
    ways: list[dict[str, object]] = [
        {"limit": 1}, {"since": "2026-03-01"}, {"as_of": "2026-05-10T12:00:00Z"}, {"kinds": ["fact"]}, {"fold": False},
        {"space": ["default", "elsewhere"]}, {"space": None}, {"budget_tokens": 30}, {"facts": False},
        {"min_score": 0.9},
    ]  # fmt: skip
    for way in ways:
        here = everyday.recall("who steps in if Amina is ill?", touch=False, **way)  # type: ignore[arg-type]
        there = elsewhere(
            everyday, lambda way=way: everyday.recall("who steps in if Amina is ill?", touch=False, **way)
        )
        assert (there.context, len(there)) == (here.context, len(here)), way


def test_what_a_model_must_read_is_answered_by_the_owner(everyday: Memory) -> None:
    before = everyday.readers.answered
    with everyday.readers.turn():
        deep = everyday.recall("yearly dues", deep=True)
    assert deep.signals.reranker is not None
    assert everyday.readers.answered == before
    assert len(everyday.readers.processes) == 1


def test_a_write_is_seen_by_the_next_recall_wherever_that_is_answered(plain: Memory) -> None:
    for number in range(20):
        receipt = plain.remember(f"The kettle number {number} whistles")
        found = elsewhere(plain, lambda number=number: plain.recall(f"kettle {number}"))
        assert receipt.id in [hit.record.id for hit in found]
        plain.forget(receipt.id)
        gone = elsewhere(plain, lambda number=number: plain.recall(f"kettle {number}"))
        assert receipt.id not in [hit.record.id for hit in gone]


def test_who_is_in_a_transaction_sees_what_nobody_else_does_yet(plain: Memory) -> None:
    with joined(plain.core), plain.readers.turn():
        receipt = plain.remember("The kettle whistles")
        assert [hit.record.id for hit in plain.recall("kettle")] == [receipt.id]


def test_a_reader_shows_nobody_a_space_that_is_not_theirs(plain: Memory) -> None:
    plain.remember("The lamp in the safe is broken", space="secret")
    client = guarded(plain, Grant(id="t", spaces=("default",), scope="read"))
    with plain.readers.turn():
        every, named = client.recall("lamp", space=None, limit=50), client.recall("lamp", space="secret")
    assert {hit.record.space for hit in every} == {"default"}
    assert not named


def test_a_reader_that_was_killed_or_hangs_is_not_missed(plain: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "HUNG_SECONDS", 0.2)
    monkeypatch.setattr(readers, "PAUSE_SECONDS", 0.0)
    for number in (signal.SIGKILL, signal.SIGSTOP):
        before = plain.readers.answered
        os.kill(plain.readers.processes[0], number)
        with plain.readers.turn():
            assert len(plain.recall("Which lamp is broken?")) == 10
        assert plain.readers.answered == before
        assert plain.readers.processes == []
        with_reader(plain)


def test_recalls_that_come_one_after_the_other_start_no_reader(memory: Memory) -> None:
    memory.remember("The lamp is broken")
    memory.readers.allow(1)
    for _ in range(2 * readers.QUEUED):
        memory.recall("lamp")
    assert memory.readers.processes == []


def test_no_reader_outlives_its_memory(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    memory.remember("The lamp is broken")
    [process] = with_reader(memory).readers.processes
    memory.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


@pytest.mark.parametrize("release", [__version__, "another"])
def test_a_reader_ends_when_nobody_asks_or_another_release_was_installed(plain: Memory, release: str) -> None:
    asking, telling = os.pipe()
    code = f"""
from recollect.engine.read import reader
reader.IDLE_SECONDS = 0.0 if {release == __version__} else 600.0
reader.work({str(plain.settings.home)!r}, None, {release!r}, [({asking}, {telling})])
"""
    try:
        subprocess.run([sys.executable, "-c", code], pass_fds=(asking, telling), check=True)
    finally:
        os.close(asking)
        os.close(telling)


def test_a_question_too_long_for_a_pipe_is_answered_here(plain: Memory) -> None:
    before = plain.readers.answered
    with plain.readers.turn():
        assert plain.recall("Which lamp is broken?", without_sources=[f"{n}:{'x' * 190}" for n in range(500)])
    assert (plain.readers.answered, len(plain.readers.processes)) == (before, 1)
