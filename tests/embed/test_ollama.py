"""Ollama's wire format, over a real connection."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from loopback import Loopback, Reply, vector_of
from recollect.embed.base import Embedder
from recollect.embed.ollama import OllamaEmbedder
from recollect.errors import EmbedderError


def speak_ollama(body: dict[str, Any]) -> dict[str, Any]:
    return {
        "model": body["model"],
        "embeddings": [vector_of(text) for text in body["input"]],
        "total_duration": 1,
    }


@pytest.fixture
def embedder(loopback: Loopback) -> OllamaEmbedder:
    loopback.answer = speak_ollama
    return OllamaEmbedder("tiny", url=loopback.url, sleep=loopback.waits.append)


def test_texts_become_unit_rows_in_their_order(loopback: Loopback, embedder: OllamaEmbedder) -> None:
    seam: Embedder = embedder
    vectors = seam.embed(["abc", "z"])
    expected = np.array([[3, ord("a"), 2], [1, ord("z"), 2]], np.float32)
    assert np.allclose(vectors, expected / np.linalg.norm(expected, axis=1, keepdims=True))
    assert (vectors.dtype, seam.dim, seam.name) == (np.float32, 3, "ollama:tiny")
    assert [(asked.path, asked.body) for asked in loopback.asked] == [
        ("/api/embed", {"model": "tiny", "input": ["dimension"], "truncate": True}),
        ("/api/embed", {"model": "tiny", "input": ["abc", "z"], "truncate": True}),
    ]


def test_a_known_dimension_is_not_asked_for(loopback: Loopback) -> None:
    loopback.answer = speak_ollama
    embedder = OllamaEmbedder("tiny", url=loopback.url + "/", dim=3)
    assert (embedder.dim, embedder.embed([]).shape, loopback.asked) == (3, (0, 3), [])


def test_many_texts_go_in_batches(loopback: Loopback, embedder: OllamaEmbedder) -> None:
    texts = ["x" * n for n in range(1, 2 * OllamaEmbedder.batch + 2)]
    vectors = embedder.embed(texts)
    assert [len(asked.body["input"]) for asked in loopback.asked] == [1, OllamaEmbedder.batch, OllamaEmbedder.batch, 1]
    assert np.all(np.diff(vectors[:, 0]) > 0)


def test_blank_texts_are_zeros_and_nul_and_surrogates_do_not_travel(
    loopback: Loopback, embedder: OllamaEmbedder
) -> None:
    vectors = embedder.embed(["", "a\x00b", " \n\x00", "c\ud800d"])
    assert [bool(row.any()) for row in vectors] == [False, True, False, True]
    assert loopback.asked[-1].body["input"] == ["a b", "c?d"]


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (Reply(body=b"<html>hello</html>"), "did not answer with embeddings"),
        (Reply(body=b'{"data": []}'), "missing required field `embeddings`"),
        (Reply(body=b'{"embeddings": [[NaN, 1]]}'), "not finite"),
        (Reply(body=b'{"embeddings": [[1e999, 1, 1]]}'), "not finite|out of range"),
        (Reply(body=b'{"embeddings": []}'), "0 vectors for 1 texts"),
        (Reply(body=b'{"embeddings": [[]]}'), "empty vectors"),
        (Reply(body=b'{"embeddings": [[1, 2]]}'), "vectors of 2 numbers; 3 were expected"),
        (Reply(404, b'{"error": "model \'tiny\' not found"}'), "404.*'tiny' not found"),
        (Reply(301, headers={"location": "http://127.0.0.1:9/"}), "answered 301"),
    ],
)
def test_an_answer_that_is_not_one_is_an_error_that_says_so(loopback: Loopback, reply: Reply, problem: str) -> None:
    loopback.script = [reply]
    with pytest.raises(EmbedderError, match=problem):
        OllamaEmbedder("tiny", url=loopback.url, dim=3).embed(["text"])


def test_a_vector_of_zeros_stays_zeros(loopback: Loopback) -> None:
    loopback.script = [Reply(body=b'{"embeddings": [[0, 0, 0]]}')]
    assert not OllamaEmbedder("tiny", url=loopback.url, dim=3).embed(["text"]).any()


def test_vectors_of_unequal_lengths_are_an_error(loopback: Loopback) -> None:
    loopback.script = [Reply(body=b'{"embeddings": [[1, 2, 3], [1, 2]]}')]
    with pytest.raises(EmbedderError, match="unequal lengths"):
        OllamaEmbedder("tiny", url=loopback.url, dim=3).embed(["one", "two"])
