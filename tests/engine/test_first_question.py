"""The first question of a process: its models are opened side by side, within the time that an answer has."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import recollect
from recollect import Memory, Settings
from recollect.embed import rerank
from recollect.embed.bundled import Model
from recollect.embed.files import Manifest
from recollect.engine.embedding.semantics import Semantics
from recollect.errors import EmbedderError

TURNS = [
    "We moved the queue to Postgres since Kafka was too much to run.",
    "Kafka, the writer, was born in Prague.",
    "The cat sleeps on the warm printer.",
]
QUESTION = "Why did we stop using Kafka?"
_load_model = rerank.load_model


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Until this is set nobody can open the model that reads."""
    event = threading.Event()

    def load(folder: Path, manifest: Manifest) -> Model:
        event.wait(60)
        return _load_model(folder, manifest)

    monkeypatch.setattr(rerank, "load_model", load)
    yield event
    event.set()


def filled(home: Path) -> Memory:
    memory = recollect.open(home)
    memory.remember_many([{"text": text} for text in TURNS])
    memory.embed_waiting()
    return memory


@pytest.mark.hurried
def test_an_answer_whose_time_is_over_before_the_second_model_is_open_says_so_and_the_next_has_it_read(
    tmp_path: Path, opened: threading.Event
) -> None:
    with filled(tmp_path) as memory:
        first = memory.recall(QUESTION)
        opened.set()
        next = memory.recall(QUESTION, deep=True)
    assert (first.signals.read, first.signals.reranker, first.signals.problem, len(first)) == (0, None, None, 3)
    assert (next.signals.read, next[0].record.text) == (3, TURNS[0])


@pytest.mark.hurried
def test_who_asks_but_once_has_it_read_however_long_loading_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.engine.embedding.semantics._REST", 60.0)  # as if it had taken so long
    filled(tmp_path).close()
    read: list[int] = []
    for patient in (False, True):
        with recollect.open(tmp_path) as memory:
            memory.semantics.patient = patient
            read.append(memory.recall(QUESTION).signals.read)
    assert read == [0, 3]


def test_a_second_model_that_cannot_be_opened_is_told_and_the_answer_is_that_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise EmbedderError("reranker.onnx is damaged")

    filled(tmp_path).close()
    monkeypatch.setattr(rerank, "load_model", fail)
    with recollect.open(tmp_path) as memory:
        for _ in range(2):
            answer = memory.recall(QUESTION)
            assert (len(answer), answer.signals.read, answer.signals.embedder is not None) == (3, 0, True)
            assert answer.signals.problem == "the best were not read closely: reranker.onnx is damaged"


@pytest.mark.parametrize(
    ("texts", "question", "opens"),
    [
        (TURNS, QUESTION, [True, True]),
        (TURNS[:1], QUESTION, [True, False]),
        (TURNS, "我们为什么不用了？", [True, False]),
        ([f"Item {n} lies in hall {n % 7}." for n in range(1_001)], QUESTION, [True, False]),
        (TURNS, "What should I know?", [False, False]),
        ([], QUESTION, [False, False]),
    ],
)
def test_only_what_the_first_answer_needs_is_opened(
    tmp_path: Path, texts: list[str], question: str, opens: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[bool] = []

    def note(_: Semantics, needed: Callable[[], tuple[bool, bool]]) -> None:
        told.extend(needed())

    monkeypatch.setattr(Semantics, "open_together", note)
    with recollect.open(settings=Settings(home=tmp_path, embed_delay=3600)) as memory:
        memory.remember_many([{"text": text} for text in texts])
        memory.recall(question, wait=0)
    assert (told or [False, False]) == opens


def test_no_thread_is_left_by_models_that_are_still_being_opened(tmp_path: Path) -> None:
    memory = filled(tmp_path)
    memory.semantics.open_together(lambda: (True, True))
    memory.close()
    assert [one.name for one in threading.enumerate() if one.name.startswith("recollect-")] == []


@pytest.mark.parametrize("wait", [0.0, 0.02, 0.04, 0.06, 0.08])
@pytest.mark.parametrize("work", ["semantics.open_together(lambda: (True, True))", "remember_many(notes)"])
def test_a_process_that_ends_while_a_model_is_opened_or_at_work_ends_well_though_nobody_closed_the_memory(
    tmp_path: Path, work: str, wait: float
) -> None:
    """Each moment is another; the model that was being opened ended some of these processes with an abort."""
    program = (
        "import sys, threading, recollect\n"
        "memory = recollect.open(settings=recollect.Settings(home=sys.argv[1], embed_delay=0.0))\n"
        "notes = [{'text': f'Ferry {n} leaves from pier {n}.'} for n in range(50)]\n"
        f"memory.{work}\n"
        "while 'onnxruntime' not in sys.modules:\n"
        "    threading.Event().wait(0.001)\n"
        "threading.Event().wait(float(sys.argv[2]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, tmp_path, str(wait)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
