"""OpenAI's wire format, over a real connection."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from loopback import Loopback, Reply, vector_of
from recollect.embed.base import Embedder
from recollect.embed.openai import OpenAIEmbedder
from recollect.errors import EmbedderError


def speak_openai(body: dict[str, Any]) -> dict[str, Any]:
    """As the real one, but last vector first: `index` says where each belongs."""
    size = body.get("dimensions", 3)
    items = [
        {"object": "embedding", "index": i, "embedding": vector_of(text)[:size]} for i, text in enumerate(body["input"])
    ]
    return {"object": "list", "data": items[::-1], "model": body["model"], "usage": {"total_tokens": 1}}


def test_vectors_are_put_in_order_by_index_and_have_length_1(loopback: Loopback) -> None:
    loopback.answer = speak_openai
    seam: Embedder = OpenAIEmbedder("small", url=loopback.url + "/v1", key=" secret ")
    vectors = seam.embed(["abc", "z", "hello"])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert np.argsort(vectors[:, 0]).tolist() == [1, 0, 2]
    assert (seam.name, seam.dim) == ("openai:small", 3)
    assert {(asked.path, asked.authorization) for asked in loopback.asked} == {("/v1/embeddings", "Bearer secret")}
    assert loopback.asked[-1].body == {"model": "small", "input": ["abc", "z", "hello"]}


def test_a_chosen_dimension_is_sent_and_is_part_of_the_name(loopback: Loopback) -> None:
    loopback.answer = speak_openai
    embedder = OpenAIEmbedder("small", url=loopback.url, dim=2)
    assert (embedder.name, embedder.dim, embedder.embed(["abc"]).shape) == ("openai:small:2", 2, (1, 2))
    assert loopback.asked[0].body["dimensions"] == 2
    assert loopback.asked[0].authorization is None


def test_a_server_without_indexes_is_taken_to_answer_in_order(loopback: Loopback) -> None:
    loopback.script = [Reply(body=b'{"data": [{"embedding": [1, 0]}, {"embedding": [0, 5]}]}')]
    vectors = OpenAIEmbedder("small", url=loopback.url, dim=2).embed(["one", "two"])
    assert vectors.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("indexes", [(0, 0), (1, 2), (-1, 0)])
def test_indexes_that_do_not_number_the_texts_are_an_error(loopback: Loopback, indexes: tuple[int, int]) -> None:
    loopback.answer = lambda _: {"data": [{"embedding": [1, 0], "index": i} for i in indexes]}
    with pytest.raises(EmbedderError, match="do not number the texts"):
        OpenAIEmbedder("small", url=loopback.url, dim=2).embed(["one", "two"])


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (
            Reply(401, b'{"error": {"message": "Incorrect API key"}}'),
            "refused the key .401.*Incorrect API key",
        ),
        (Reply(400, b'{"error": "input too long"}'), "answered 400.*input too long"),
        (Reply(body=b'{"data": []}'), "0 vectors for 1 texts"),
        (Reply(body=b'{"data": [{"index": 0, "embedding": "AAAA"}]}'), "Expected `array`, got `str`"),
        (Reply(body=b"\xff\xfe"), "did not answer with embeddings"),
    ],
)
def test_an_answer_that_is_not_one_is_an_error_that_says_so(loopback: Loopback, reply: Reply, problem: str) -> None:
    loopback.script = [reply]
    with pytest.raises(EmbedderError, match=problem) as caught:
        OpenAIEmbedder("small", url=loopback.url, key="secret", dim=2).embed(["text"])
    assert "secret" not in str(caught.value)
