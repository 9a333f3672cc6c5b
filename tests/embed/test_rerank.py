"""The model that reads a question and a text together."""

from __future__ import annotations

import gc
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
import pytest

from recollect.embed import bundled
from recollect.embed.bundled import MODEL_FOLDER, open_session
from recollect.embed.rerank import Reranker
from recollect.errors import EmbedderError

TEXTS = [
    "We moved the queue to Postgres since Kafka was too much to run.",
    "Kafka is a town in no country.",
    "The cat sleeps on the warm printer.",
]


@pytest.fixture(scope="module")
def reranker() -> Reranker:
    return Reranker()


def test_what_answers_stands_above_what_only_shares_a_word(reranker: Reranker) -> None:
    scores = reranker.score("Why did we stop using Kafka?", TEXTS)
    assert list(np.argsort(-scores)) == [0, 1, 2]


def test_a_text_scores_the_same_alone_and_beside_others(reranker: Reranker) -> None:
    question = "Where does the cat sleep?"
    together = reranker.score(question, TEXTS)
    assert [float(reranker.score(question, [text])[0]) for text in TEXTS] == together.tolist()


def test_it_says_on_every_machine_what_it_was_measured_with(reranker: Reranker) -> None:
    """Of common and of rare words; processors round a little differently."""
    texts = ["We left Kafka because rebalancing took minutes.", "Xylophones and zebrafish are spelt oddly."]
    assert reranker.score("Why did we stop using Kafka?", texts).tolist() == pytest.approx([3.148, -4.275], abs=0.3)


def test_texts_and_questions_of_any_length_are_read(reranker: Reranker) -> None:
    scores = reranker.score("why " * 2_000, ["", "because " * 5_000, "数据库"])
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("file", ["reranker.onnx", "words.int8", "vocab.txt"])
def test_a_damaged_file_is_named_and_not_used(tmp_path: Path, file: str) -> None:
    shutil.copytree(MODEL_FOLDER, tmp_path, dirs_exist_ok=True)
    with (tmp_path / file).open("r+b") as damaged:
        damaged.seek(100)
        damaged.write(b"\x00!")
    with pytest.raises(EmbedderError, match=f"{file} is damaged"):
        Reranker(folder=tmp_path).score("why?", ["because"])


@pytest.mark.parametrize("sharing", [True, False])
def test_threads_and_memories_that_ask_at_once_load_the_model_once(
    monkeypatch: pytest.MonkeyPatch, sharing: bool
) -> None:
    opened: list[Path] = []
    ready = threading.Barrier(4)

    def open_slowly(path: Path) -> object:
        opened.append(path)
        return open_session(path)

    monkeypatch.setattr(bundled, "open_session", open_slowly)
    monkeypatch.setattr(bundled, "_MODELS", WeakValueDictionary())
    readers = [Reranker()] * 4 if sharing else [Reranker() for _ in range(4)]

    def ask(number: int) -> bool:
        ready.wait(20)
        return readers[number].reads("Where does the cat sleep?")

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(4)))
    assert len(opened) == 1
    readers.clear()
    gc.collect()
    assert Reranker().reads("Where does the cat sleep?")
    assert len(opened) == 2  # what nobody has any more is let go of
