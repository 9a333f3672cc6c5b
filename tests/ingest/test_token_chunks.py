"""Chunks by tokens: their sizes, where they end, and that nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.embed.count import token_counter
from recollect.ingest.token_chunks import FULL, LEAST, MOST, cut_chunks

PIECES = st.sampled_from(
    [
        "word ",
        "a longer clause, ",
        "The end. ",
        "\n",
        "\n\n",
        "# Heading\n",
        "会议在周五。",
        "字" * 90,
        "x" * 700,
        "1.5 ",
        "\r\n",
    ]
)
TEXTS = st.lists(st.tuples(PIECES, st.integers(1, 120)), min_size=1, max_size=30).map(
    lambda runs: "".join(piece * times for piece, times in runs)
)


@settings(max_examples=80, deadline=None)
@given(TEXTS)
def test_chunks_keep_to_their_sizes_and_lose_nothing(text: str) -> None:
    count = token_counter()
    chunks = cut_chunks(text, count)
    assert "".join("".join(chunks).split()) == "".join(text.split())
    sizes = [count(chunk) for chunk in chunks]
    slack = 8  # a word that is cut in two has other pieces than the whole
    assert all(size <= MOST + slack for size in sizes)
    hopeless = "x" * 700 in text  # the model sees one token in a word of any such length, whole or cut
    if sum(sizes) > FULL + slack and not hopeless:
        assert all(size >= LEAST - slack for size in sizes)


def test_a_short_document_is_one_chunk_and_a_blank_one_none() -> None:
    assert cut_chunks("  One line.\nAnother.  ", token_counter()) == ["One line.\nAnother."]
    assert cut_chunks(" \n\n ", token_counter()) == []


def test_chunks_end_at_the_strongest_break() -> None:
    paragraph = "This sentence has exactly eight words in it. " * 20
    text = "\n\n".join([f"# Part {n}\n\n{paragraph}\n\n{paragraph}" for n in range(6)])
    chunks = cut_chunks(text, token_counter())
    assert len(chunks) == 6
    assert all(chunk.startswith(f"# Part {n}\n") for n, chunk in enumerate(chunks))


@pytest.mark.parametrize("text", ["word " * 100_000, "字" * 60_000, "x" * 200_000, "a,b;" * 40_000, "line\n" * 60_000])
def test_a_text_without_good_breaks_is_cut_all_the_same(text: str) -> None:
    count = token_counter()
    assert max(map(count, cut_chunks(text, count))) <= MOST


def test_counting_agrees_with_what_the_model_is_given() -> None:
    from recollect.embed.bundled import MODEL_FOLDER
    from recollect.embed.wordpiece import WordPiece

    pieces = WordPiece((MODEL_FOLDER / "vocab.txt").read_text("utf-8").split("\n")[:-1])
    for text in ("The gateway validates tokens with RS256.", "unbelievably naïve 東京 e-mail", ""):
        assert token_counter()(text) == len(pieces.encode(text, 10_000).ids) - 2
    assert token_counter()("x" * 4_000) >= 1_000
