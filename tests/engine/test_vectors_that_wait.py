"""Does a recall answer while vectors wait, with what promises most computed first, and say how many are left?"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

import recollect
from recollect import Memory, Settings
from recollect.embed import rerank
from recollect.embed.bundled import BundledEmbedder, Model
from recollect.embed.files import Manifest
from recollect.engine.embedding.precedence import Precedence
from recollect.engine.read import recall as reading
from recollect.engine.read.by_signal import search_vectors
from recollect.ingest.pieces import cut_pieces

pytestmark = pytest.mark.hurried

PLENTY = 600.0


ENDS_AT_WORK = """
import sys, threading
from pathlib import Path
import recollect
from recollect import Settings
from recollect.embed.bundled import BundledEmbedder

began, model = threading.Event(), BundledEmbedder(threads=1)

class Slow:
    name, dim = model.name, model.dim
    def embed(self, texts, *, query=False):
        if "lamp" in texts[0]:
            began.set()
            sys.stdin.readline()
            print("seen", flush=True)
        return model.embed(texts, query=query)

settings = Settings(home=Path(sys.argv[1]), embed_delay=0.0)
with recollect.open(settings=settings, embedder=Slow()) as memory:
    memory.remember("The lamp is green.")
    began.wait()
print("closed", flush=True)
"""


class Listener:
    """The bundled model, and what it was shown."""

    def __init__(self) -> None:
        self._model = BundledEmbedder(threads=1)
        self.name, self.dim, self.shown = self._model.name, self._model.dim, list[str]()
        self.steps: list[list[int]] = []
        """How long the texts were that it was shown at once."""

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        self.shown += [] if query else texts
        self.steps += [] if query else [[len(text) for text in texts]]
        return self._model.embed(texts, query=query)


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def heard(tmp_path: Path, listener: Listener) -> Iterator[Memory]:
    settings = Settings(home=tmp_path, embed_delay=PLENTY)
    with recollect.open(settings=settings, embedder=listener) as memory:
        yield memory


def test_what_words_find_comes_first_then_records_documents_code_and_long_texts_last(
    heard: Memory, listener: Listener
) -> None:
    heard.remember("The first note, about ferries.")
    heard.remember("A function.", kind="code")
    heard.remember("A page.", kind="document")
    heard.remember("An essay on lamps. " + "It goes on and on about lamps. " * 200)
    heard.remember("The second note, about trams.")
    heard.recall("nothing of this", wait=0)
    listener.shown.clear()
    answer = heard.recall("which ferries are there?", wait=PLENTY)
    firsts = [text[:20] for text in dict.fromkeys(text[:20] for text in listener.shown)]
    assert firsts == ["The first note, abou", "The second note, abo", "A page.", "A function.", "An essay on lamps. I"]
    assert answer.waiting == 0


def test_who_may_not_wait_is_answered_by_words_and_told_how_many_wait(semantic: Memory) -> None:
    semantic.remember_many([{"text": f"Ferry {n} leaves from pier {n}."} for n in range(30)])
    answer = semantic.recall("which pier for ferry 7?", wait=0)
    assert answer[0].record.text == "Ferry 7 leaves from pier 7."
    assert (answer.waiting, answer.signals.waiting_for_vectors, answer[0].why.vector) == (30, 30, None)
    assert semantic.embed_waiting() == 0
    assert semantic.recall("which pier for ferry 7?", wait=0)[0].why.vector is not None


def test_while_vectors_wait_nobody_waits_until_the_second_model_is_opened(
    semantic: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, load = threading.Event(), rerank.load_model

    def load_late(folder: Path, manifest: Manifest) -> Model:
        asked.wait(60)
        return load(folder, manifest)

    monkeypatch.setattr(rerank, "load_model", load_late)
    semantic.remember_many([{"text": f"Ferry {n} leaves from pier {n}."} for n in range(30)])
    semantic.embed_waiting()
    semantic.remember("Ferry 31 leaves from pier 31.")
    first = semantic.recall("which pier for ferry 7?", wait=0)
    asked.set()
    assert (first.waiting, first[0].why.vector is not None, first.signals.read) == (1, True, 0)
    semantic.embed_waiting()
    assert semantic.recall("which pier for ferry 7?").signals.read > 0


def test_the_longer_answers_took_the_less_is_left_for_vectors_unless_more_is_asked_for(semantic: Memory) -> None:
    semantics = semantic.semantics
    usual = semantics.time_for_vectors(0.15)
    semantics.answers.note(0.2)
    shorter, again = semantics.time_for_vectors(0.15), semantics.time_for_vectors(5.0)
    for _ in range(10):
        semantics.answers.note(0.01)
    assert (usual, again, semantics.time_for_vectors(0.15)) == (0.15, 5.0, 0.15)
    assert 0 < shorter < usual


def test_a_long_text_goes_on_where_the_last_question_left_it(heard: Memory, listener: Listener) -> None:
    heard.recall("loads the model", wait=0)
    essay = "An essay on lamps. " + "It goes on and on about lamps. " * 1_000
    heard.remember(essay)
    vectors = heard.semantics.load()
    assert vectors is not None
    listener.shown.clear()
    while not listener.shown:
        assert vectors.hurry(None, [], time.monotonic() + 0.05) == 1
    assert heard.embed_waiting() == 0
    assert len(listener.shown) == len(cut_pieces(essay))


def test_nobody_waits_behind_many_long_pieces_at_once(heard: Memory, listener: Listener) -> None:
    heard.recall("loads the model", wait=0)
    heard.remember_many([{"text": f"Note {n}."} for n in range(8)])
    heard.remember_many([{"text": f"Function {n}. " + "It returns what it was given. " * 28} for n in range(8)])
    listener.steps.clear()
    heard.recall("what does function 3 return?", wait=PLENTY)
    assert max(map(sum, listener.steps)) <= 1_000
    heard.remember_many([{"text": f"Note {n} of another day."} for n in range(8)])
    heard.remember_many([{"text": f"Method {n}. " + "It returns what it was given. " * 28} for n in range(8)])
    listener.steps.clear()
    assert heard.embed_waiting() == 0
    assert max(map(sum, listener.steps)) <= 2_000
    assert max(map(len, listener.steps)) == 4


def test_who_has_some_seconds_for_what_waits_has_the_short_ones_and_is_not_kept_by_a_long_one(
    heard: Memory, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard.recall("loads the model", wait=0)
    heard.remember_many([{"text": f"Ferry {n} leaves from pier {n}."} for n in range(6)])
    heard.remember("An essay on lamps. " + "It goes on and on about lamps. " * 2_000)
    listener.shown.clear()
    by_pieces = SimpleNamespace(monotonic=lambda: float(len(listener.shown)))  # each takes a second
    monkeypatch.setattr("recollect.engine.embedding.vectors.time", by_pieces)
    assert heard.embed_waiting(seconds=12.0) == 1
    assert 6 < len(listener.shown) < 30


def test_stats_count_what_waits_before_any_model_is_known(semantic: Memory, memory: Memory) -> None:
    semantic.remember_many([{"text": f"Note {n}."} for n in range(3)])
    assert semantic.describe_space()[1].waiting_for_vectors == 3
    assert memory.describe_space()[1].waiting_for_vectors == 0


def test_a_recall_does_not_wait_for_somebody_who_writes(semantic: Memory) -> None:
    semantic.remember("The first note, about ferries.")
    semantic.recall("loads the model", wait=PLENTY)
    semantic.remember("The second note, about trams.")
    with semantic.core.store.write():
        found: list[int] = []
        asking = threading.Thread(target=lambda: found.append(semantic.recall("trams", wait=0.2).waiting))
        asking.start()
        asking.join(60)
    assert found == [1]
    assert semantic.recall("trams", wait=PLENTY).waiting == 0


def test_a_deep_recall_stops_reading_when_its_time_is_over(semantic: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    semantic.remember_many([{"text": f"Ferry {n} leaves from pier {n} at noon."} for n in range(30)])
    assert semantic.recall("which pier for ferry 7?", deep=True, wait=PLENTY).signals.read == 20
    monkeypatch.setattr(reading, "DEEP_SECONDS", 0.0)
    answer = semantic.recall("which pier for ferry 7?", deep=True)
    assert 0 < answer.signals.read < 20
    assert answer[0].record.text == "Ferry 7 leaves from pier 7 at noon."


def test_the_background_gives_way_as_long_as_somebody_is_being_answered() -> None:
    precedence, went = Precedence(), threading.Event()
    background = threading.Thread(target=lambda: (precedence.give_way(), went.set()))
    with precedence.answering():
        background.start()
        assert not went.is_set()
    background.join(60)
    assert went.is_set()


def test_a_search_by_vectors_alone_makes_the_background_give_way_too(heard: Memory, listener: Listener) -> None:
    heard.recall("loads the model", wait=0)
    heard.remember("The skylight was replaced by Bruno in spring.", compare=False)
    gave_way: list[bool] = []
    embed = listener.embed

    def watched(texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        if not query:
            background = threading.Thread(target=heard.semantics.precedence.give_way, daemon=True)
            background.start()
            background.join(0.01)
            gave_way.append(background.is_alive())
        return embed(texts, query=query)

    listener.embed = watched
    found = search_vectors(heard, "who fixed the window in the roof?", wait=PLENTY)
    assert ([hit.record.text for hit in found], gave_way) == (["The skylight was replaced by Bruno in spring."], [True])


def test_what_was_taken_back_or_has_ended_is_not_told_as_waiting(semantic: Memory) -> None:
    entry = semantic.remember("The tram to the harbour is line 5.").entry
    ended = semantic.remember("The tram to the mill is line 7.").id
    revised = semantic.remember("The tram to the zoo is line 8.").id
    assert semantic.recall("trams", wait=0).waiting == 3
    semantic.undo(entry or 0)
    semantic.invalidate(ended or "")
    semantic.revise(revised or "", text="The tram to the zoo is line 9.")
    assert semantic.recall("trams", wait=0).waiting == 1
    semantic.invalidate(revised or "")
    assert semantic.recall("trams", wait=0).waiting == 0


def test_a_record_is_seen_though_another_thread_wrote_it_and_began_again(semantic, monkeypatch) -> None:
    vectors = semantic.semantics.load()
    vectors.warm()
    record = semantic.get(semantic.remember("The keys hang behind the door.").id)
    vectors._begun.clear()
    read = vectors._see

    def read_and_begin_again(texts: Sequence[str], **more: bool) -> object:
        seen = read(texts, **more)
        vectors._begun.clear()
        vectors._begin(record)
        return seen

    monkeypatch.setattr(vectors, "_see", read_and_begin_again)
    assert vectors.see(record, 60.0) is not None


def test_what_was_begun_and_is_written_by_others_is_not_kept_in_mind(open_memory) -> None:
    hurried, other = open_memory(embedder="bundled"), open_memory(embedder="bundled")
    vectors = hurried.semantics.load()
    for n in range(5):
        vectors._begin(hurried.get(hurried.remember(f"Key {n} hangs behind door {n}.").id))
    assert len(vectors._begun) == 5
    assert other.embed_waiting() == hurried.embed_waiting() == 0
    assert not vectors._begun


def test_who_only_asks_keeps_nothing_in_mind_of_what_others_have_written(open_memory) -> None:
    asking, other = open_memory(embedder="bundled"), open_memory(embedder="bundled")
    vectors = asking.semantics.load()
    for n in range(40):
        vectors._begin(other.get(other.remember(f"Key {n} hangs behind door {n}.").id))
    other.embed_waiting()
    asking.remember("One more.")
    asking.recall("keys", wait=PLENTY)
    assert not vectors._begun


def test_a_process_does_not_end_beneath_a_model_that_is_at_work(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ENDS_AT_WORK, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as ending:
        assert ending.stdin is not None
        assert ending.stdout is not None
        assert ending.stdout.readline() == "closed\n"
        ending.stdin.write("go on\n")
        ending.stdin.close()
        assert ending.stdout.read().startswith("seen\n")
        assert ending.wait() == 0
